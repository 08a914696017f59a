"""From the bytes of a factory to the canonical day: what `POST ingest` takes, and what it refuses with its place.

Pure: no Django, no database, no clock.
"""

from __future__ import annotations

from datetime import date

import msgspec
from msgspec import UNSET

from mirror import looseday
from mirror.looseday import Ingest
from mirror.wire import CELLS, Snapshot, Stat, Worker, clean_json, parse_day


class _Canonical(Snapshot, kw_only=True, forbid_unknown_fields=True):
    """Our own agent's body: every field in its one form, its counts always there."""

    workers: list[Worker]
    stat: Stat
    active_total: int
    force: bool = False


_CANONICAL = msgspec.json.Decoder(_Canonical)


def parse(body: bytes, *, day: date | None = None) -> Ingest:
    """Return what an ingest body says, in canonical form. Raise BadPayload naming the place of the first fault.

    ``day`` stands in for the body's own date, for stored texts whose row already says the day.
    """
    body = clean_json(body)
    return _parse_canonical(body) or looseday.read(body, day)


def _parse_canonical(body: bytes) -> Ingest | None:
    """Take the short way for a body that already is canonical, as our own agent's are; None for any other."""
    try:
        sent = _CANONICAL.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    codes = {period.code: None for period in sent.periods}
    roster = {worker.no for worker in sent.workers}
    moments = [moment[:10] for moment in (sent.scans_through, sent.captured_at) if moment]
    if (
        not sent.rules
        or not codes
        or len(codes) != len(sent.periods)
        or len(roster) != len(sent.workers)
        or any(row.no in roster or row.x != 1 for period in sent.periods for row in period.scan)
        or not all(parse_day(text) for text in (sent.date, *moments))
    ):
        return None
    for worker in sent.workers:
        if not CELLS.issuperset(worker.p.values()):
            return None
        if worker.p.keys() != codes.keys():
            worker.p = {code: worker.p.get(code) for code in codes}
        if worker.e is not UNSET:
            worker.e = [code for code in codes if code in worker.e]
        worker.pd, worker.sv, worker.er, worker.pending = {}, {}, {}, UNSET
    claimed = {**msgspec.structs.asdict(sent.stat), "active_total": sent.active_total}
    fields = {name: getattr(sent, name) for name in Snapshot.__struct_fields__}
    return Ingest(snapshot=Snapshot(**{**fields, "pending": 0}), claimed=claimed, force=sent.force)
