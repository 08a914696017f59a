"""Bodies and calls that many tests need."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from mirror import factorytime
from tests.sides import KEY

AGENT = {"X-API-KEY": KEY}


def today() -> date:
    """A business date that is never in the edit window's way."""
    return factorytime.local(timezone.now() - timedelta(hours=4)).date()


def body(day: date | None = None, *, gen: object = 1_785_200_000, **changes: Any) -> dict[str, Any]:
    """A finished day of four periods and three people: 0012 full, 12 partial, A012 absent."""
    return {
        "date": (day or today()).isoformat(),
        **({} if gen is None else {"gen": gen}),
        "active_total": 3,
        "stat": {"full": 1, "partial": 1, "absent": 1, "wait": 0},
        "groups": [[1, 2], [3], [4]],
        "periods": [
            period(1, "06:00", "07:30"),
            period(2, "07:30", "09:00", late_after="08:00"),
            period(3, "12:00", "13:30"),
            period(4, "16:30", "19:00"),
        ],
        "workers": [
            worker("0012", "สมชาย ใจดี", {"1": "06:55", "3": "12:40", "4": "17:05"}),
            worker("12", "สมหญิง ใจงาม", {"3": "12:41"}),
            worker("A012", "THIDA AYE", {}),
        ],
        "scans_through": f"{(day or today()).isoformat()}T20:00:00",
        "captured_at": f"{(day or today()).isoformat()}T20:00:10",
        "day_starts": "04:00",
        "rules": 1,
        **changes,
    }


def period(code: int, start: str, end: str, *, state: str = "end", late_after: str | None = None) -> dict[str, Any]:
    return {"code": code, "name": f"ช่วง {code}", "start": start, "end": end, "late_after": late_after, "state": state}


def worker(no: str, name: str, cells: dict[str, str | None]) -> dict[str, Any]:
    return {"no": no, "name": name, "g": "ผลิต A", "p": {str(code): cells.get(str(code)) for code in (1, 2, 3, 4)}}


def post(client: Client, route: str, said: object, **headers: str) -> Any:
    """POST as the agent does; ``said`` is bytes or something to be encoded."""
    raw = said if isinstance(said, bytes) else json.dumps(said, ensure_ascii=False).encode()
    return client.post(f"/att-sync/{route}", raw, content_type="application/json", headers={**AGENT, **headers})


def ingest(client: Client, said: object | None = None, **headers: str) -> Any:
    return post(client, "ingest", body() if said is None else said, **headers)


def pending(client: Client, **parameters: str | int) -> Any:
    return client.get("/att-sync/pending", parameters, headers=AGENT)


def edits(client: Client) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = pending(client).json()["edits"]
    return answer


def ack(edit: dict[str, Any], gen: int | None = None, **changes: Any) -> dict[str, Any]:
    entry = {"id": edit["id"], "rev": edit["rev"], "status": edit["status"], "outcome": "applied", **changes}
    return entry if gen is None else {**entry, "gen": gen}


def at(text: str) -> datetime:
    return factorytime.aware(datetime.fromisoformat(text))
