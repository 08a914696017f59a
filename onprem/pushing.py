"""Days: capture each, skip what the cloud has already, send the rest, remember what it owes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from mirror.counting import END
from mirror.wire import Snapshot, encode
from onprem import days, rivals
from onprem.days import Known
from onprem.journal import CHATTY, IDLE
from onprem.ports import CloudTrouble, ContentRefused, Stale, Suspicious
from onprem.run import Run

PART = "days"
# Somebody else pushes the same day at the same time; each try stamps above what the cloud said.
_TRIES = 3
# One day that does not get through (a firewall that dislikes it) must not keep the newer ones away for ever.
_MOST_IN_A_ROW = 3
_MOST_TOLD = 3


class Wanted(NamedTuple):
    """The days of one push, oldest first.

    ``forced`` go out whatever the cloud has, ``probed`` only if a period of theirs has not ended; ``named`` are those
    whose being unchanged is worth a line.
    """

    days: Sequence[date]
    forced: frozenset[date] = frozenset()
    probed: frozenset[date] = frozenset()
    named: frozenset[date] = frozenset()


class _InARow(CloudTrouble):
    """So many days did not get through that more of them need not be tried."""


@dataclass
class _Push:
    """One push under way. ``owed``: the lowest generation of each day that will do; ``stale``: to be read again.

    ``unanswered``: days that did not get through, in words; so many ``in_a_row`` up to now.
    """

    run: Run
    wanted: Wanted
    owed: dict[date, int]
    stale: list[date] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    tried: set[date] = field(default_factory=set)
    in_a_row: int = 0
    done: int = 0


def push(run: Run, wanted: Wanted) -> None:
    """Bring the cloud up to date. What could not be sent stays owed."""
    run.report.unanswered.update(str(day) for day in wanted.days if day not in wanted.probed)
    run.attempt(PART, lambda: _push(run, wanted))


def _push(run: Run, wanted: Wanted) -> None:
    push = _Push(run, wanted, days.owed(run.state))
    remaining: Sequence[date] = wanted.days
    for _ in range(_TRIES):
        try:
            _push_batch(push, remaining)
        except _InARow:
            # Whatever the old ones are about, today and what somebody asked for is tried.
            push.in_a_row = 0
            _push_batch(push, [day for day in remaining if day in wanted.named and day not in push.tried])
        remaining, push.stale = push.stale, []
    if remaining:
        behind = ", ".join(map(str, remaining))
        push.unanswered.append(f"{behind}: somebody else pushes too and is ahead of us each time")
    if push.unanswered:
        raise CloudTrouble(_told(push.unanswered))


def _push_batch(push: _Push, batch: Sequence[date]) -> None:
    """Capture and send. All stamps are taken before the first row is read: none may claim more than it contains."""
    run = push.run
    stamps = dict(zip(map(str, batch), run.state.next_stamps(run.clock(), count=len(batch)), strict=True))
    now, wall_clock, checked_at = run.now, run.wall_clock, int(run.clock())
    for snapshot in run.factory.snapshots(batch, now=now):
        digest = _hash(snapshot)
        snapshot.captured_at = f"{wall_clock:%Y-%m-%dT%H:%M:%S}"
        snapshot.gen = stamps[snapshot.date]
        seen = Known(digest, snapshot.gen, any(period.state != END for period in snapshot.periods))
        _push_day(push, date.fromisoformat(snapshot.date), snapshot, seen, checked_at=checked_at)
        push.tried.add(date.fromisoformat(snapshot.date))
        push.done += 1
        run.progress(push.done, len(push.wanted.days))


def _push_day(push: _Push, day: date, snapshot: Snapshot, seen: Known, *, checked_at: int) -> None:
    state, before = push.run.state, days.known(push.run.state, day)
    is_forced = day in push.wanted.forced
    if day in push.wanted.probed and not seen.is_open:
        days.accept(state, day, Known("", 0, is_open=False))
    elif not is_forced and before and before.hash == seen.hash and before.gen >= push.owed.get(day, 0):
        _leave(push, day, before, checked_at=checked_at)
    elif is_forced or (day, seen.hash) not in push.run.judged:
        _send(push, day, snapshot, seen)
    else:
        push.run.report.unanswered.discard(str(day))


def _leave(push: _Push, day: date, before: Known, *, checked_at: int) -> None:
    """The cloud has exactly this. With the next heartbeat it hears that this was still so at ``checked_at``."""
    run = push.run
    if day in push.owed:
        days.settle(run.state, day, before.gen)
    if day == run.today:
        with run.state.transaction():
            run.state.put("checked_day", str(day))
            run.state.put("checked_at", checked_at)
    run.report.went_well(str(day))
    run.journal.say(f"{day}: unchanged", level=IDLE if day in push.wanted.named else CHATTY)


def _send(push: _Push, day: date, snapshot: Snapshot, seen: Known) -> None:
    """The day is owed from before the first byte is sent: an answer that gets lost leaves open what the cloud has."""
    run = push.run
    body = _body(snapshot, force=day in push.wanted.forced)
    push.owed[day] = seen.gen
    with run.state.transaction():
        run.state.raise_gen(seen.gen)
        days.owe(run.state, day, gen=seen.gen)
    try:
        stored = run.cloud.ingest(body)
    except Stale as exc:
        _adopt(push, day, exc)
    except ContentRefused as exc:
        _note_refused(run, day, seen, exc)
    except CloudTrouble as exc:
        _note_unanswered(push, day, exc)
    else:
        push.in_a_row = 0
        run.state.raise_gen(stored)
        run.state.hear_stored(stored)
        days.accept(run.state, day, seen._replace(gen=max(seen.gen, stored or 0)))
        run.report.went_well(str(day))
        verb = "would push" if run.rehearsal else "sent"
        run.journal.say(f"{day}: {verb}, {len(snapshot.workers)} workers, {-(-len(body) // 1024)} KiB")


def _adopt(push: _Push, day: date, stale: Stale) -> None:
    """Go on above what the cloud has, and read the day again: an old capture is never stamped anew.

    After `pending` has told us the cloud's highest generation only a second agent can be ahead of us.
    """
    rivals.note(push.run.state)
    push.run.state.raise_gen(stale.gen)
    push.run.state.hear_stored(stale.gen)
    push.stale.append(day)
    if push.run.told is not None:
        push.run.report.troubles["agent"] = "second_agent"
    push.run.journal.say(f"{day}: {stale}; reading the day again")


def _note_unanswered(push: _Push, day: date, trouble: CloudTrouble) -> None:
    """Go on with the other days, unless the whole line is down or it looks like it. Raise CloudTrouble then."""
    push.tried.add(day)
    push.unanswered.append(f"{day}: {trouble}")
    push.in_a_row += 1
    if not trouble.of_one_call:
        raise CloudTrouble(_told(push.unanswered)) from trouble
    if push.in_a_row == _MOST_IN_A_ROW:
        raise _InARow(_told(push.unanswered)) from trouble


def _told(unanswered: Sequence[str]) -> str:
    more = len(unanswered) - _MOST_TOLD
    return "; ".join(unanswered[:_MOST_TOLD]) + (f"; and {more} more" if more > 0 else "")


def _note_refused(run: Run, day: date, seen: Known, refusal: ContentRefused) -> None:
    """The day stays owed. The same content is not sent again by this run, unless by force."""
    run.judged.add((day, seen.hash))
    run.report.unanswered.discard(str(day))
    run.report.refused.add(str(day))
    if isinstance(refusal, Suspicious):
        run.report.troubles[str(day)] = "suspicious"
    run.journal.say(f"{day}: refused, {refusal}")


def _hash(snapshot: Snapshot) -> str:
    """Cover everything that is shown, not only the periods: a new person or an ended period must go out too."""
    snapshot.gen = snapshot.captured_at = None
    return hashlib.sha256(encode(snapshot)).hexdigest()


def _body(snapshot: Snapshot, *, force: bool) -> bytes:
    body = encode(snapshot)
    return body[:-1] + b',"force":true}' if force else body
