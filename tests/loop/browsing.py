"""A cloud to look at in a real browser, with a factory that says over HTTP whatever a test wants it to say."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import requests
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.loop import showcase
from tests.loop.processes import Cloud
from tests.sides import KEY, PASSWORD

AGENT = {"X-API-KEY": KEY}
TABLES = ("att_day", "att_edit", "att_history", "att_link", "att_queue")
MORNING = "09:26"
Cells = dict[str, str | None]


def factory_today() -> date:
    """The business date at a factory whose day begins at four in the morning."""
    return (datetime.now(UTC) + timedelta(hours=7 - 4)).date()


@dataclass
class Site:
    """A running cloud; ``signed_in`` is what a browser remembers after signing in."""

    cloud: Cloud
    signed_in: Any = None
    contexts: list[BrowserContext] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.cloud.url

    def forget(self) -> None:
        """Begin anew: no day, no edit, no agent ever heard. Whoever is signed in stays so."""
        self.change(*(f"DELETE FROM {table}" for table in TABLES))

    def change(self, *statements: str) -> None:
        """Turn back a clock or empty a table behind the cloud's back."""
        with sqlite3.connect(self._database, timeout=10) as database:
            for statement in statements:
                database.execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self._database, timeout=10) as database:
            return database.execute(query).fetchall()

    def silent_for(self, minutes: int) -> None:
        """The factory was last heard so long ago."""
        self.change(f"UPDATE att_link SET last_seen = datetime(last_seen, '-{minutes} minutes')")

    def open(self, browser: Browser, path: str = "/", *, width: int = 360, height: int = 740, **options: Any) -> Page:
        """Open a page in a browser that is signed in."""
        options = {"locale": "th-TH", "has_touch": True, "storage_state": self.signed_in, **options}
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.contexts.append(context)
        page = context.new_page()
        page.goto(self.url + path)
        return page

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        self.contexts.clear()

    @property
    def _database(self) -> Path:
        return self.cloud.installation.folder / "var" / "attsync.sqlite3"


@dataclass
class Factory:
    """The factory's side, in the words of the wire: one day, its people, and what it was told to set."""

    url: str
    day: dict[str, Any]
    set: dict[tuple[int, str], str] = field(default_factory=dict)
    gen: int = 1_785_000_000

    @property
    def date(self) -> str:
        return str(self.day["date"])

    def push(self, **changes: Any) -> None:
        """Send the day as it is now, with every mark that was set."""
        self.gen += 1
        self.day.update(changes)
        for (code, no), status in self.set.items():
            cells = self.cells(no)
            if cells[str(code)] in (None, "present", "late"):
                cells[str(code)] = None if status == "absent" else status
        answer = requests.post(f"{self.url}/ingest", json={**self.day, "gen": self.gen}, headers=AGENT, timeout=10)
        assert answer.status_code == 200, answer.text

    def cells(self, no: str) -> Cells:
        found: Cells = next(worker["p"] for worker in self.day["workers"] if worker["no"] == no)
        return found

    def hear(self) -> list[dict[str, Any]]:
        """Call the cloud, as the agent does all the time, and return what it is to set."""
        query: dict[str, str | int] = {"v": "1.0", "boot": "factory.1", "clock": int(time.time())}
        answer = requests.get(f"{self.url}/pending", params=query, headers=AGENT, timeout=10)
        return list(answer.json()["edits"])

    def apply(self) -> None:
        """Set what is wanted and say so; the next snapshot follows with `push`."""
        edits = self.hear()
        self.gen += 1
        self.set |= {(edit["period"], edit["employee_no"]): edit["status"] for edit in edits}
        acks = [{**_intention(edit), "outcome": "applied", "gen": self.gen} for edit in edits]
        requests.post(f"{self.url}/applied", json={"acks": acks}, headers=AGENT, timeout=10)

    def refuse(self, code: str) -> None:
        nacks = [{**_intention(edit), "code": code, "error": "no", "final": True} for edit in self.hear()]
        requests.post(f"{self.url}/applied", json={"nacks": nacks}, headers=AGENT, timeout=10)


def morning_at(url: str, people: int = 302) -> Factory:
    """A factory at 09:26 of its today: the morning is over, noon and evening are to come."""
    today = factory_today()
    at = datetime.combine(today, datetime.strptime(MORNING, "%H:%M").time())  # noqa: DTZ007 - wall time
    return Factory(url, showcase.day(today, at=at, count=people, windows=showcase.WORKDAY))


def sign_in(page: Page, url: str) -> None:
    page.goto(f"{url}/")
    page.fill("#password", PASSWORD)
    page.click(".door button >> nth=0")
    expect(page.locator("nav.tabs")).to_be_visible()


def missing(page: Page) -> list[str]:
    """The ids of the rows of who has not come, as they stand in the first card."""
    rows = page.locator("#g1 > .rows").first.locator("li")
    return [row.get_attribute("id") or "" for row in rows.all()]


def row(page: Page, row_id: str) -> Any:
    return page.locator(f'[id="{row_id}"]')


def _intention(edit: dict[str, Any]) -> dict[str, Any]:
    return {name: edit[name] for name in ("id", "rev", "status")}
