"""A day as an old agent, or any other program, may write it: PHP habits, and a roster made of rows.

The wire contract, `docs/wire.md`, is the source of every rule here. Pure: no Django, no database, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import msgspec
from msgspec import UNSET, Struct, UnsetType

from mirror import loose
from mirror.loose import Loose
from mirror.wire import (
    CELLS,
    MAX_RULES,
    STATES,
    BadPayload,
    Notice,
    Period,
    ScanRow,
    Snapshot,
    Worker,
    decode_json,
    demand_finite_numbers,
    parse_day,
)


class Ingest(Struct, kw_only=True):
    """A parsed body: the canonical day, the sender's own counts (only those it sent), and its force flag."""

    snapshot: Snapshot
    claimed: dict[str, int]
    force: bool


class _RowIn(Struct):
    no: Loose = None
    name: Loose = None
    t: Loose = None
    g: Loose = None
    m: Loose = None
    x: Loose = None


class _PeriodIn(Struct):
    code: Loose = None
    name: Loose = None
    start: Loose = None
    end: Loose = None
    late_after: Loose = None
    day_offset: Loose = None
    state: Loose = None
    scan: list[_RowIn] | dict[str, _RowIn] | None = None
    miss: list[_RowIn] | dict[str, _RowIn] | None = None


class _WorkerIn(Struct):
    no: Loose = None
    name: Loose = None
    g: Loose = None
    p: dict[str, Loose] | list[Loose] | None = None
    e: list[Loose] | dict[str, Loose] | None = None
    off: Loose = None


class _NoticeIn(Struct):
    kind: Loose = None
    n: Loose = None
    sample: list[Loose] | dict[str, Loose] | None = None


class _Body(Struct):
    date: Loose = None
    gen: Loose = None
    active_total: Loose = None
    stat: dict[str, Loose] | list[Loose] | None = None
    groups: list[list[Loose] | dict[str, Loose]] | dict[str, list[Loose] | dict[str, Loose]] | None = None
    periods: list[_PeriodIn] | dict[str, _PeriodIn] | None = None
    workers: list[_WorkerIn] | dict[str, _WorkerIn] | None = None
    scans_through: Loose = None
    captured_at: Loose = None
    day_starts: Loose = None
    holiday: Loose = None
    notices: list[_NoticeIn] | dict[str, _NoticeIn] | None = None
    rules: Loose = None
    force: Loose = None


_BODY = msgspec.json.Decoder(_Body)


def read(body: bytes, day: date | None) -> Ingest:
    """Return the canonical day of a clean body, or raise BadPayload. ``day`` stands in for the body's own date."""
    demand_finite_numbers(body)
    sent = decode_json(body, _BODY)
    day = day or parse_day(sent.date)
    if day is None:
        raise BadPayload("date: expected a real day as YYYY-MM-DD")
    rows = [raw for _, raw in loose.listed(sent.periods, "periods")]
    periods = [_period(raw, at) for at, raw in loose.listed(sent.periods, "periods")]
    _demand_periods(periods)
    codes = [period.code for period in periods]
    workers = _roster_of_rows(rows, codes) if sent.workers is None else _workers(sent.workers, codes)
    _keep_off_roster_scans(periods, rows, workers, named=sent.workers is not None)
    snapshot = Snapshot(
        date=day.isoformat(),
        gen=loose.gen(sent.gen),
        groups=_groups(sent.groups),
        periods=periods,
        workers=workers,
        scans_through=loose.moment(sent.scans_through, "scans_through"),
        captured_at=loose.moment(sent.captured_at, "captured_at"),
        day_starts=loose.clock(sent.day_starts, "day_starts"),
        holiday=loose.text(sent.holiday, "holiday") or None,
        notices=[_notice(raw, at) for at, raw in loose.listed(sent.notices, "notices")],
        rules=0 if sent.rules is None else loose.within(sent.rules, "rules", 0, MAX_RULES),
        pending=0,
    )
    return Ingest(snapshot=snapshot, claimed=_claimed(sent), force=loose.flag(sent.force, "force"))


# --- parts of a day -------------------------------------------------------------------------------------------------


def _period(raw: _PeriodIn, at: str) -> Period:
    state = loose.text(raw.state, f"{at}.state") or None
    if state is not None and state not in STATES:
        raise BadPayload(f"{at}.state: expected one of {', '.join(STATES)}")
    return Period(
        code=loose.code(raw.code, f"{at}.code"),
        name=loose.text(raw.name, f"{at}.name"),
        start=loose.window_clock(raw.start, f"{at}.start"),
        end=loose.window_clock(raw.end, f"{at}.end"),
        late_after=loose.window_clock(raw.late_after, f"{at}.late_after"),
        day_offset=None if raw.day_offset in (None, "") else loose.within(raw.day_offset, f"{at}.day_offset", 0, 1),
        state=state,
    )


def _demand_periods(periods: Sequence[Period]) -> None:
    if not periods:
        raise BadPayload("periods: expected at least one")
    seen: set[int] = set()
    for i, period in enumerate(periods):
        if period.code in seen:
            raise BadPayload(f"periods[{i}].code: {period.code} is there twice")
        seen.add(period.code)


def _workers(sent: list[_WorkerIn] | dict[str, _WorkerIn], codes: Sequence[int]) -> list[Worker]:
    workers: dict[str, Worker] = {}
    for at, raw in loose.listed(sent, "workers"):
        worker = _worker(raw, at, codes)
        if worker.no in workers:
            raise BadPayload(f"{at}.no: there twice")
        workers[worker.no] = worker
    return list(workers.values())


def _worker(raw: _WorkerIn, at: str, codes: Sequence[int]) -> Worker:
    cells: dict[int, str | None] = dict.fromkeys(codes)
    for code, value in _sent_cells(raw.p, at):
        if code in cells:
            cells[code] = value
    return Worker(
        no=loose.no(raw.no, f"{at}.no"),
        name=loose.text(raw.name, f"{at}.name"),
        g=loose.text(raw.g, f"{at}.g"),
        p=cells,
        e=_expected(raw.e, at, codes),
        off=loose.text(raw.off, f"{at}.off"),
        pd={},
        sv={},
        er={},
    )


def _sent_cells(sent: dict[str, Loose] | list[Loose] | None, at: str) -> Iterator[tuple[int, str | None]]:
    if isinstance(sent, list):
        if sent:
            raise BadPayload(f"{at}.p: expected a map of period codes")
        return
    for key, value in (sent or {}).items():
        code = loose.code(key, f"{at}.p.{key}")
        if not (value is None or isinstance(value, str)) or value not in CELLS:
            raise BadPayload(f'{at}.p.{key}: expected null, "HH:MM", "present" or "late"')
        yield code, value


def _expected(sent: list[Loose] | dict[str, Loose] | None, at: str, codes: Sequence[int]) -> list[int] | UnsetType:
    if sent is None:
        return UNSET
    named = {loose.code(code, place) for place, code in loose.listed(sent, f"{at}.e")}
    return [code for code in codes if code in named]


def _roster_of_rows(sent: Sequence[_PeriodIn], codes: Sequence[int]) -> list[Worker]:
    """Build roster and cells from the rows of a v0 body that names no workers: t is a scan, m a manual mark."""
    workers: dict[str, Worker] = {}
    for i, (raw, code) in enumerate(zip(sent, codes, strict=True)):
        for at, row in [*loose.listed(raw.scan, f"periods[{i}].scan"), *loose.listed(raw.miss, f"periods[{i}].miss")]:
            if loose.flag(row.x, f"{at}.x"):
                continue
            no = loose.no(row.no, f"{at}.no")
            worker = workers.setdefault(no, Worker(no=no, p=dict.fromkeys(codes), pd={}, sv={}, er={}))
            worker.name = worker.name or loose.text(row.name, f"{at}.name")
            worker.g = worker.g or loose.text(row.g, f"{at}.g")
            worker.p[code] = loose.clock(row.t, f"{at}.t") or loose.manual(row.m, f"{at}.m") or worker.p[code]
    return list(workers.values())


def _keep_off_roster_scans(
    periods: Sequence[Period], sent: Sequence[_PeriodIn], workers: Sequence[Worker], *, named: bool
) -> None:
    """Keep the scan rows of people who are not among the workers; all other rows only repeat the cells."""
    roster = {worker.no for worker in workers}
    for i, (period, raw) in enumerate(zip(periods, sent, strict=True)):
        rows = [
            (at, row) for at, row in loose.listed(raw.scan, f"periods[{i}].scan") if not named or row.no is not None
        ]
        period.scan = [_scan_row(row, at) for at, row in rows if loose.no(row.no, f"{at}.no") not in roster]


def _scan_row(row: _RowIn, at: str) -> ScanRow:
    return ScanRow(
        no=loose.no(row.no, f"{at}.no"),
        name=loose.text(row.name, f"{at}.name"),
        t=loose.clock(row.t, f"{at}.t"),
        g=loose.text(row.g, f"{at}.g"),
        m=loose.manual(row.m, f"{at}.m"),
    )


def _groups(
    sent: list[list[Loose] | dict[str, Loose]] | dict[str, list[Loose] | dict[str, Loose]] | None,
) -> list[list[int]] | None:
    groups = loose.listed(sent, "groups")
    return [[loose.code(code, at) for at, code in loose.listed(group, place)] for place, group in groups] or None


def _notice(raw: _NoticeIn, at: str) -> Notice:
    sample = [loose.text(value, place) or "" for place, value in loose.listed(raw.sample, f"{at}.sample")[:20]]
    kind, n = loose.text(raw.kind, f"{at}.kind") or "", loose.number(raw.n, f"{at}.n", default=0)
    return Notice(kind=kind, n=n, sample=[text[:200] for text in sample])


def _claimed(sent: _Body) -> dict[str, int]:
    if isinstance(sent.stat, list) and sent.stat:
        raise BadPayload("stat: expected a map")
    counts: Mapping[str, Loose] = sent.stat if isinstance(sent.stat, dict) else {}
    known = {key: counts[key] for key in ("full", "partial", "absent", "wait") if counts.get(key) is not None}
    claimed = {key: loose.number(value, f"stat.{key}") for key, value in known.items()}
    if sent.active_total is not None:
        claimed["active_total"] = loose.number(sent.active_total, "active_total")
    return claimed
