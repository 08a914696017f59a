"""A machine with jobs, simulated: real ledger, real plan, real locks; the clock, the work and the power are ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from onprem import direct
from onprem.catchup import Report, catch_up
from onprem.occurrences import Occurrences
from onprem.plan import Row
from onprem.rerun import chosen, rerun
from onprem.schedule import Job
from onprem.slot import Slot
from onprem.starter import Starter
from onprem.state import State

BANGKOK = ZoneInfo("Asia/Bangkok")
NIGHTLY = Job("N", "20 0 * * *", ("true",), BANGKOK)


class PowerCut(BaseException):
    """Ends everything at once: nothing after it is run, and nothing that was committed is lost."""


def local(text: str, zone: ZoneInfo = BANGKOK) -> datetime:
    """``10 00:20`` is in November 2026; anything longer is spelled out."""
    if len(text) <= len("10 00:20:00"):
        text = f"2026-11-{text}"
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


def said(moment: datetime, zone: ZoneInfo = BANGKOK) -> str:
    return f"{moment.astimezone(zone):%d %H:%M}"


@dataclass
class Machine:
    """``work`` decides how a run ends: an exit code, or PowerCut."""

    folder: Path
    jobs: list[Job] = field(default_factory=lambda: [NIGHTLY])
    work: Callable[[Slot], int] = lambda _slot: 0
    cloud_is_near: bool = True
    now: datetime = field(default_factory=lambda: local("01 12:00"))
    runs: list[Slot] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    report: Report = field(default_factory=Report)

    def __post_init__(self) -> None:
        self.state = State.peek(self.folder)
        self.occurrences = Occurrences(self.state)

    def catch_up(self, at: str | datetime) -> list[str]:
        """One pass; return the slots it ran, in order, with the job's name in front if there are several jobs."""
        self.now = local(at) if isinstance(at, str) else at
        before = len(self.runs)
        with suppress(PowerCut):
            self.report = catch_up(self.starter(), self.jobs)
        several = len(self.jobs) > 1
        return [f"{slot.job} {said(slot.at)}" if several else said(slot.at) for slot in self.runs[before:]]

    def direct(self, at: str | datetime, job: str = "N") -> int | None:
        """The crontab line at this moment; return its exit code, or None if the power went."""
        self.now = local(at) if isinstance(at, str) else at
        with suppress(PowerCut):
            return direct.start(self.starter(), self.job(job))
        return None

    def rerun(self, first: int, last: int, *, include_succeeded: bool = False) -> list[str]:
        """What a person types for these days, now; return the slots it ran."""
        job, starter, before = self.jobs[0], self.starter(), len(self.runs)
        days = [local(f"{day:02d} 12:00").date() for day in (first, last)]
        self.report = rerun(starter, job, chosen(starter, job, *days, include_succeeded=include_succeeded))
        return [said(slot.at) for slot in self.runs[before:]]

    def live_through(self, days: Iterable[int]) -> None:
        """Let the crontab line run in these nights."""
        for day in days:
            self.direct(f"{day:02d} 00:20:01")

    def starter(self) -> Starter:
        return Starter(
            self.occurrences,
            locks=self.folder,
            work=self._work,
            end_leftovers=lambda _slot: 0,
            cloud_is_near=lambda: self.cloud_is_near,
            clock=lambda: self.now,
            say=self.lines.append,
        )

    def job(self, name: str) -> Job:
        return next(job for job in self.jobs if job.name == name)

    def change(self, name: str, **values: object) -> None:
        self.jobs = [replace(job, **values) if job.name == name else job for job in self.jobs]  # type: ignore[arg-type]

    def row(self, at: str, job: str = "N") -> Row:
        row = self.occurrences.row(self.job(job), local(at))
        assert row is not None, f"no row for {job} {at}"
        return row

    def brief(self, at: str, job: str = "N") -> str:
        row = self.row(at, job)
        return f"{row.state}/{row.source} {row.attempts}"

    def floor(self, job: str = "N") -> str:
        return said(self.occurrences.register.standings()[job].effective_from)

    def notes(self) -> list[str]:
        """Everything that is noted anywhere, except the high-water mark and what was last said to be put off."""
        marks = ("catchup_high_water", "catchup_waiting")
        return [line for line in self.state.db.iterdump() if not any(mark in line for mark in marks)]

    def logged(self, word: str) -> list[str]:
        return [line for line in self.lines if line.split()[0] == word]

    def _work(self, _job: Job, slot: Slot) -> tuple[int, str]:
        self.runs.append(slot)
        code = self.work(slot)
        self.now += timedelta(seconds=1)
        return code, f"exit code {code}" if code else ""


def machine_since(folder: Path, at: str, *jobs: Job) -> Machine:
    """A machine whose jobs count since then: its first pass has been."""
    machine = Machine(folder, list(jobs) or [NIGHTLY])
    machine.catch_up(at)
    machine.lines.clear()
    return machine
