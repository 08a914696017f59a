"""Storing what the factory says: the only writer of the mirror."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, Value
from django.db.models.functions import Greatest

from mirror import factorytime, reading
from mirror.counting import Totals
from mirror.intake import parse
from mirror.looseday import Ingest
from mirror.models import DaySnapshot, FactoryLink
from mirror.transactions import one_transaction
from mirror.wire import MAX_BODY_BYTES, MAX_GEN, BadPayload, Snapshot, TooLarge, encode

# A v0 agent that far behind has had its clock set back; anything less is a late copy of an older body.
CLOCK_SET_BACK_S = 600
CLOCK_BACK, SHRUNK = "clock_back", "shrunk"


class Stale(Exception):
    """The stored day is newer. ``gen`` is what is stored."""

    def __init__(self, gen: int) -> None:
        super().__init__(f"the stored day has generation {gen}, which is not older")
        self.gen = gen


class Suspicious(Exception):
    """The roster shrank to less than half: more likely a broken view than a mass dismissal."""

    def __init__(self, stored: int, sent: int, gen: int) -> None:
        super().__init__(f"{sent} workers sent where {stored} are stored; push with --force if that is right")
        self.gen = gen


@dataclass(frozen=True)
class Stored:
    date: str
    gen: int
    workers: int


@one_transaction
def store(sent: Ingest, *, now: datetime) -> Stored:
    """Replace the stored day by a newer one. Raise Stale, Suspicious or TooLarge, and then change nothing.

    The same body twice is a repeat: answered alike, stored once. ``sent.force`` replaces regardless; the stored
    generation still only grows. The link's row orders all ingests, so the older of two never stays.
    """
    link = lock_link()
    snapshot, day = sent.snapshot, date.fromisoformat(sent.snapshot.date)
    row = DaySnapshot.objects.defer("payload").filter(day=day).first()
    if row is not None and snapshot.gen == row.gen and not sent.force:
        if _counted(snapshot, now)[0] != _stored_canonical(row):
            raise Stale(row.gen)
        gen = row.gen
    else:
        gen, flag = _next_gen(sent, row, now)
        flag = _shrink_flag(sent, row) or flag
        snapshot.gen = gen
        values = _columns(sent, gen=gen, flag=flag, link=link, now=now)
        if row is None or not DaySnapshot.objects.filter(day=day).update(**values):
            DaySnapshot.objects.create(day=day, **values)
    FactoryLink.objects.filter(id=link.id).update(gen=Greatest("gen", Value(gen)), last_seen=now)
    return Stored(snapshot.date, gen, len(snapshot.workers))


def lock_link() -> FactoryLink:
    """Return the link's row, locked until the transaction ends."""
    return FactoryLink.objects.select_for_update().get_or_create(id=FactoryLink.ONLY)[0]


def note_wrong_key(now: datetime) -> None:
    """Remember that somebody knocked with a wrong key, at most once a minute: a first run's most usual mistake."""
    FactoryLink.objects.get_or_create(id=FactoryLink.ONLY)
    long_ago = Q(refused_at=None) | Q(refused_at__lt=now - timedelta(minutes=1))
    FactoryLink.objects.filter(long_ago, id=FactoryLink.ONLY).update(refused_at=now)


# --- private --------------------------------------------------------------------------------------------------------


def _next_gen(sent: Ingest, row: DaySnapshot | None, now: datetime) -> tuple[int, str]:
    """Return the generation to store and an oddity flag, or raise Stale."""
    gen, received = sent.snapshot.gen, int(now.timestamp())
    if row is None:
        return gen or received, ""
    if sent.force or gen is None:
        # At the very end of the numbers the last one has to do.
        return min(max(gen or received, row.gen + 1), MAX_GEN), ""
    if gen > row.gen:
        return gen, ""
    if not sent.snapshot.rules and row.gen - gen > CLOCK_SET_BACK_S:
        return row.gen + 1, CLOCK_BACK
    raise Stale(row.gen)


def _shrink_flag(sent: Ingest, row: DaySnapshot | None) -> str:
    """Refuse a roster that shrank by more than half; an old agent cannot answer that, so its day is only flagged."""
    stored, now_sent = row.worker_count if row else 0, len(sent.snapshot.workers)
    if row is None or sent.force or stored == 0 or now_sent * 2 >= stored:
        return ""
    if sent.snapshot.rules:
        raise Suspicious(stored, now_sent, row.gen)
    return SHRUNK


def _columns(sent: Ingest, *, gen: int, flag: str, link: FactoryLink, now: datetime) -> dict[str, Any]:
    """Count the day, and return what its row is to hold."""
    snapshot = sent.snapshot
    final = _is_final(snapshot)
    text, totals = _counted(snapshot, now)
    if len(text) > MAX_BODY_BYTES:
        raise TooLarge(f"the day has {len(text)} bytes in canonical form, more than {MAX_BODY_BYTES}")
    return {
        "payload": text.decode(),
        "gen": gen,
        "rules": snapshot.rules if final else 0,
        "stored_at": now,
        "active_total": totals.active_total,
        "full": totals.full,
        "partial": totals.partial,
        "absent": totals.absent,
        "waiting": totals.wait,
        "late": totals.late,
        "off": totals.off,
        "worker_count": len(snapshot.workers),
        "is_open": reading.is_open(snapshot),
        "captured_at": data_time(snapshot.captured_at, clock_ahead_s=link.clock_ahead_s, now=now),
        "scans_through": _moment(snapshot.scans_through),
        "day_starts": snapshot.day_starts or "04:00",
        "holiday": (snapshot.holiday or "")[:120],
        "claimed": _disagreement(sent)[:200],
        "flag": flag,
    }


def data_time(captured_at: str | None, *, clock_ahead_s: int | None, now: datetime) -> datetime | None:
    """Return when the factory read a day by the cloud's clock, or None where it does not say.

    Never later than now: a clock that ran away must not make data look fresher than it is.
    """
    captured = _moment(captured_at)
    return min(captured - timedelta(seconds=clock_ahead_s or 0), now) if captured else None


def _moment(text: str | None) -> datetime | None:
    return factorytime.aware(datetime.fromisoformat(text)) if text else None


def _is_final(snapshot: Snapshot) -> bool:
    """A day whose periods all bring their state reads the same at any time: its text can be served as it is."""
    return snapshot.rules > 0 and all(period.state for period in snapshot.periods)


def _counted(snapshot: Snapshot, now: datetime) -> tuple[bytes, Totals]:
    """Count the day, and return the text to store: with our counts where they are final, else as it came."""
    if _is_final(snapshot):
        snapshot.groups = snapshot.groups or settings.ATTSYNC_GROUPS
        totals = reading.count(snapshot)
        return encode(snapshot), totals
    text = encode(snapshot)
    reading.fill_in(snapshot, now)
    return text, reading.count(snapshot)


def _stored_canonical(row: DaySnapshot) -> bytes:
    """Return a stored text in today's form; an adopted PHP text is not canonical yet."""
    if row.rules:
        return bytes(row.payload, "utf-8")
    try:
        adopted = parse(row.payload.encode(), day=row.day).snapshot
    except BadPayload:
        return b""
    adopted.gen = row.gen
    return encode(adopted)


def _disagreement(sent: Ingest) -> str:
    """Say where the sender counted something else than we did: the two sides then follow different rules."""
    stat = sent.snapshot.stat
    ours = {
        "full": stat.full,
        "partial": stat.partial,
        "absent": stat.absent,
        "wait": stat.wait,
        "active_total": sent.snapshot.active_total,
    }
    return ", ".join(f"{key} {said} ≠ {ours[key]}" for key, said in sent.claimed.items() if said != ours[key])
