"""The agent's walk: apply what people want, then bring the cloud up to date."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from onprem import days, ledger, pushing, rivals, serving
from onprem.locks import AlreadyRunning
from onprem.pushing import Wanted
from onprem.run import WRONG_S, Run

RECHECK_S = 20
LONGEST_POLL_S = 25
# A cloud that answers a long poll at once (too many wait already, or it knows none) must not be asked in a loop.
BREATH_S = 3


@dataclass(frozen=True)
class Asked:
    """What the caller wants. ``count``: so many days up to each of ``dates``, or up to ``until``, or up to today."""

    dates: Sequence[date] = ()
    count: int = 0
    force: bool = False
    edits: bool = True
    job: str = ""
    until: date | None = None

    @property
    def is_minute_run(self) -> bool:
        """The bare run of each minute, which leaves when another one listens."""
        return self.is_automatic and not self.force

    @property
    def is_automatic(self) -> bool:
        """Nobody named days: the run finds out by itself which are due."""
        return not (self.dates or self.count or self.job)


def asked_days(run: Run, asked: Asked) -> list[date]:
    """Return the days the caller named. Days counted from a today that is wrong are nobody's wish."""
    if asked.dates:
        return days.last_days(asked.dates, asked.count or 1)
    if run.clock_is_wrong:
        return []
    if asked.count or not asked.is_minute_run:
        return days.last_days([asked.until or run.today], asked.count or 1)
    return []


def note_owed(run: Run, asked: Asked) -> None:
    """Before waiting for the lock: if it does not come free, the next run does these days."""
    if named := asked_days(run, asked):
        with run.state.transaction():
            for day in named:
                days.owe(run.state, day)


def run_once(run: Run, asked: Asked) -> None:
    """Do everything that is due now. What stays undone is in the run's report."""
    with run.work():
        if asked.edits:
            serving.serve_all(run)
        else:
            run.compare_clocks()
        wanted = due(run, asked)
        pushing.push(run, wanted)
        if asked.is_automatic and run.today in wanted.days:
            _note_success(run)
    run.tell()


def due(run: Run, asked: Asked) -> Wanted:
    """Choose the days of a full run: asked and owed ones, and without a caller's choice also what time has made due."""
    if not run.clock_is_wrong:
        rivals.send_again(run.state, today=run.today, now=run.clock())
    named = asked_days(run, asked)
    wanted, probed = {*named, *_owed(run)}, set[date]()
    if run.clock_is_wrong and not asked.dates:
        _refuse_today(run)
    elif asked.is_automatic:
        named = [*named, run.today]
        wanted |= _due_by_time(run)
        yesterday = run.today - timedelta(days=1)
        if yesterday not in wanted and days.known(run.state, yesterday) is None:
            probed.add(yesterday)
    forced = frozenset(named if asked.force else ())
    return Wanted(sorted(wanted | probed), forced=forced, probed=frozenset(probed), named=frozenset(named))


def listen(run: Run, asked: Asked, *, seconds: float) -> None:
    """Stay on the long poll: apply edits as they arrive, look at today again every 20 seconds."""
    end = time.monotonic() + seconds
    recheck = time.monotonic() + RECHECK_S
    while (left := end - time.monotonic()) >= 1:
        run.between_turns()
        try:
            _wait_for_edits(run, asked, seconds=int(min(LONGEST_POLL_S, left, max(recheck - time.monotonic(), 1))))
            if time.monotonic() >= recheck:
                recheck = time.monotonic() + RECHECK_S
                _recheck(run)
        except AlreadyRunning as exc:
            run.report.unanswered.add("work")
            run.journal.say(f"another run holds the {exc} lock; trying again")
        else:
            run.report.went_well("work")
    run.tell()


def _owed(run: Run) -> set[date]:
    owed = days.owed(run.state)
    if run.clock_is_wrong:
        # Without an edit or a push of its own, a day was only counted from a wrong today.
        return {day for day, gen in owed.items() if gen}
    return {day for day in owed if day <= run.today + timedelta(days=1)}


def _refuse_today(run: Run) -> None:
    if "clock" not in run.report.refused:
        how = "by more than a day" if abs(run.ahead_s) > WRONG_S else "and names another day than the cloud"
        run.journal.say(f"this machine's clock is wrong {how}: what it takes for today is not pushed")
    run.report.refused.add("clock")


def _due_by_time(run: Run) -> set[date]:
    """Today, earlier days that had not ended, and the days since the last success: nobody types after an outage."""
    oldest = run.today - timedelta(days=run.catchup_days)
    since = run.state.get("last_success")
    first = date.fromisoformat(since) if since else run.today
    return {
        run.today,
        *days.open_days(run.state, since=oldest, before=run.today),
        *days.span(max(min(first, run.today), oldest), run.today),
    }


def _note_success(run: Run) -> None:
    today = str(run.today)
    if today in run.report.unanswered | run.report.refused or run.state.get("last_success") == today:
        return
    run.state.put("last_success", today)
    days.forget_old(run.state, run.today)
    ledger.forget_old(run.state, now=run.clock())


def _recheck(run: Run) -> None:
    with run.work():
        pushing.push(run, due(run, Asked())._replace(named=frozenset()))


def _wait_for_edits(run: Run, asked: Asked, *, seconds: int) -> None:
    """Return when the time is over or some edits were served; in between, never ask faster than once per breath."""
    started, served = time.monotonic(), []
    if asked.edits:
        run.attempt(serving.PART, lambda: served.append(_serve_next(run, wait=seconds)))
    left = seconds - (time.monotonic() - started)
    if left > 0 and not any(served):
        time.sleep(min(left, BREATH_S) if asked.edits else left)


def _serve_next(run: Run, *, wait: int) -> int:
    """Wait for edits; apply them, report them and push their days at once. Return how many there were."""
    offer = run.ask(wait=wait)
    if not offer.edits:
        return 0
    with run.work():
        answered = serving.serve(run, offer)
        if answered:
            pushing.push(run, Wanted(sorted(_owed(run))))
    return answered
