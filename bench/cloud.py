"""The cloud, in one process: ingest, the day as JSON, pages, taps, a long queue, a long mirror."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import MySQLdb
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from bench.table import Row, Rows, against, median_ms
from editqueue import offering, reading, report, services
from editqueue.guards import Wish
from editqueue.models import Edit
from mirror.models import DaySnapshot
from mirror.wire import Snapshot, encode
from tests.cloud.day import AGENT, ack, body, today, worker
from tests.sides import PASSWORD


def rows() -> Rows:
    call_command("migrate", verbosity=0)
    yield from _ingest()
    yield from _as_json()
    yield from _pages()
    yield from _mark()
    yield from _long_queue()
    yield from _long_mirror()


def _day(people: int, day: date | None = None, **changes: Any) -> bytes:
    workers = [
        worker(f"{n:05}", "สมชาย ใจดีมาก", {"1": "06:55", "3": "12:40", "4": "17:01"} if n % 10 else {})
        for n in range(people)
    ]
    return encode(body(day, workers=workers, **changes))


agent = Client()


def _send(raw: bytes) -> None:
    answer = agent.post("/att-sync/ingest", raw, content_type="application/json", headers=AGENT)
    assert answer.status_code == 200, answer.content


def _ingest() -> Rows:
    gens = count(1_800_000_000)
    decoder = msgspec.json.Decoder(Snapshot)
    bare = _bare()
    for people in (100, 1000, 5000):
        raw = _day(people)

        def ours(raw: bytes = raw) -> None:
            _send(raw.replace(b'"gen":1785200000', b'"gen":%d' % next(gens)))

        def baseline(raw: bytes = raw) -> None:
            """Parse, validate, one upsert: bare driver, no framework."""
            decoder.decode(raw)
            bare(raw.decode())

        yield against("ingest a day", f"{people} workers", ours, baseline, "≤ 1.5×")


def _bare() -> Callable[[str], None]:
    """One upsert over the driver alone, as durable as ours."""
    if connection.vendor == "mysql":
        raw = MySQLdb.connect(**connection.get_connection_params())
        cursor = raw.cursor()
        cursor.execute("CREATE TABLE IF NOT EXISTS bare (d DATE PRIMARY KEY, payload MEDIUMTEXT)")

        def replace(text: str) -> None:
            cursor.execute("REPLACE INTO bare VALUES ('2026-07-28', %s)", [text])
            raw.commit()

        return replace
    file = sqlite3.connect(
        str(Path(settings.DATABASES["default"]["NAME"]).with_name("bare.sqlite3")), isolation_level=None
    )
    file.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE bare (d PRIMARY KEY, payload);")

    def upsert(text: str) -> None:
        file.execute("INSERT OR REPLACE INTO bare VALUES ('2026-07-28', ?)", [text])

    return upsert


def _person() -> Client:
    client = Client()
    assert client.post("/att-sync/login", {"password": PASSWORD}).status_code == 303
    return client


def _as_json() -> Rows:
    _send(_day(1000, force=True))
    phone, now = _person(), timezone.now()

    def stored() -> str:
        return str(DaySnapshot.objects.values_list("payload", flat=True).get(day=today()))

    def api() -> None:
        assert phone.get(f"/att-sync/api?date={today()}").status_code == 200

    def fastest() -> bytes:
        return stored().encode()

    yield against(
        "day as JSON, nothing pending", "1,000 workers", lambda: reading.day_json(today(), now), fastest, "≤ 1.5×"
    )
    yield Row("  the same over the whole stack", "1,000 workers", f"{median_ms(api):.1f} ms", None, "")
    for n in range(0, 200, 10):
        services.mark(Wish(today(), 2, f"{n:05}", "late"), now=now, source="bench")
    yield against(
        "day as JSON, 20 edits pending",
        "1,000 workers",
        lambda: reading.day_json(today(), now),
        lambda: encode(msgspec.json.decode(stored())),
        "≤ 1.5×",
    )


def _pages() -> Rows:
    phone, times = _person(), {}
    for people in (100, 1000, 5000):
        _send(_day(people, force=True))
        times[people] = median_ms(lambda: phone.get("/att-sync/"))
        growth = times[people] / times[100]
        yield Row("day page", f"{people} workers", f"{times[people]:.0f} ms", growth, "≤ 60 ms at 1,000; grows slower")
    _send(_day(1000, force=True))
    yield Row(
        "month page", "1,000 workers", f"{median_ms(lambda: phone.get('/att-sync/month')):.0f} ms", None, "≤ 80 ms"
    )


def _mark() -> Rows:
    phone, turn = _person(), count()

    def tap() -> None:
        wish = {"date": today().isoformat(), "period": 2, "employee_no": f"{next(turn) * 10:05}", "status": "present"}
        answer = phone.post("/att-sync/mark", wish, headers={"Accept": "application/json"})
        assert answer.status_code == 200, answer.content

    yield Row("mark (tap → answer)", "1,000 workers", f"{median_ms(tap):.0f} ms", None, "≤ 25 ms")


def _long_queue() -> Rows:
    calls: dict[str, Callable[[], object]] = {
        "pending": lambda: offering.page(None, 200),
        "mark": _alternating_mark(),
        "ack": _mark_and_ack(),
        "admin list": lambda: list(Edit.objects.filter(applied_at=None).order_by("-held_at", "rev")[:100]),
    }
    for call in calls.values():
        # The same few edits wait before and after.
        call()
    before = {name: median_ms(call, runs=25) for name, call in calls.items()}
    _fill_queue(1_000_000)
    for name, call in calls.items():
        after = median_ms(call, runs=25)
        yield Row(f"queue, {name}", "1,000,000 applied", f"{after:.1f} ms", after / before[name], "≤ 1.2×")


def _alternating_mark() -> Callable[[], object]:
    turn = count()

    def mark() -> None:
        status = "present" if next(turn) % 2 else "late"
        services.mark(Wish(today(), 2, "00000", status), now=timezone.now(), source="bench")

    return mark


def _mark_and_ack() -> Callable[[], object]:
    mark = _alternating_mark()

    def both() -> None:
        mark()
        edit = Edit.objects.get(day=today(), period=2, employee_no="00000")
        report.take([ack(offering.as_sent(edit), gen=1)], [], now=timezone.now())

    return both


def _fill_queue(rows_wanted: int) -> None:
    """Closed rows of long ago, made by the database itself."""
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows_wanted}) "
    day = "date('2000-01-01', '+' || (i / 1000) || ' days')"
    if connection.vendor == "mysql":
        day = "date_add('2000-01-01', interval i div 1000 day)"
    then = "'2000-01-01 00:00:00'"
    select = f"SELECT {day}, 1, i % 1000, '', 'late', {then}, {then}, i, 'applied', 1, 0, '', '' FROM n"
    columns = (
        "d, period, employee_no, full_name, status, created_at, applied_at, rev, outcome, applied_gen, attempts,"
        " error_code, error"
    )
    with connection.cursor() as cursor:
        if connection.vendor == "mysql":
            cursor.execute(f"SET max_recursive_iterations = {rows_wanted + 1}")
            cursor.execute(f"INSERT INTO att_edit ({columns}) {numbers} {select}")
        else:
            cursor.execute(f"{numbers} INSERT INTO att_edit ({columns}) {select}")


def _long_mirror() -> Rows:
    phone = _person()
    pages = {"day page": "/att-sync/", "month page": "/att-sync/month", "queue page": "/att-sync/queue"}
    _fill_mirror(30)
    before = {name: median_ms(partial(phone.get, url)) for name, url in pages.items()}
    _fill_mirror(3650)
    for name, url in pages.items():
        after = median_ms(partial(phone.get, url))
        yield Row(f"mirror, {name}", "3,650 days", f"{after:.0f} ms", after / before[name], "≤ 1.2×")


def _fill_mirror(days: int) -> None:
    have = set(DaySnapshot.objects.values_list("day", flat=True))
    wanted = [today() - timedelta(days=n) for n in range(1, days)]
    row = DaySnapshot.objects.values().get(day=today())
    fields: dict[str, Any] = {name: value for name, value in row.items() if name != "day"}
    DaySnapshot.objects.bulk_create(
        [DaySnapshot(day=day, **fields) for day in wanted if day not in have], batch_size=50
    )
