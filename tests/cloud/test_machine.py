"""Person, agent, network and factory at random, against the real code of both sides.

Nothing is faked but the factory's table and the wire: the cloud is the real one, the agent is `onprem.agent` with its
real ledger on disk. After every step the invariants I1-I10 of `docs/invariants.md` are looked at.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from editqueue import reading, services
from editqueue.guards import Refusal, Wish
from editqueue.models import Edit, EditEvent, QueueVersion
from mirror import counting
from mirror.models import DaySnapshot, FactoryLink
from mirror.wire import Period, Snapshot, Worker, encode, is_clock
from onprem.agent import Asked, run_once
from onprem.journal import Journal
from onprem.ports import Cell, CloudTrouble, Offer, Refused, Stale
from onprem.run import Run
from onprem.state import State
from tests.cloud.day import AGENT, today

# Few cells: what goes wrong needs several things to happen to the same one.
PEOPLE = ["0012"]
POISONED = "9999"
PERIODS = [1, 2]

cells = st.tuples(st.sampled_from(PERIODS), st.sampled_from(PEOPLE))
wishes = st.sampled_from(["present", "late", "absent"])


class PowerCut(BaseException):
    """Ends a run wherever it is; nothing may catch it."""


@dataclass
class Faults:
    """What goes wrong in one run: at which call the line fails and how, at which step the power; and what is beside."""

    lose_request: set[int] = field(default_factory=set)
    lose_answer: set[int] = field(default_factory=set)
    power_cut: int = 0
    meanwhile: dict[int, Callable[[], None]] = field(default_factory=dict)
    calls: int = 0
    steps: int = 0

    def step(self) -> None:
        self.steps += 1
        if happens := self.meanwhile.pop(self.steps, None):
            happens()
        if self.steps == self.power_cut:
            raise PowerCut


@dataclass
class Factory:
    """One day's override relation and scans. ``revs`` is what was written per cell, in order."""

    ledger: State | None = None
    faults: Faults = field(default_factory=Faults)
    marks: dict[tuple[int, str], str] = field(default_factory=dict)
    scans: dict[tuple[int, str], str] = field(default_factory=dict)
    revs: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    by_hand: set[tuple[int, str]] = field(default_factory=set)

    def snapshots(self, days: Sequence[date], *, now: datetime) -> Iterator[Snapshot]:
        for day in days:
            self.faults.step()
            yield self.snapshot(day)

    def snapshot(self, day: date) -> Snapshot:
        people = [
            Worker(no=no, p={code: self.scans.get((code, no)) or self.marks.get((code, no)) for code in PERIODS})
            for no in [*PEOPLE, POISONED]
        ]
        periods = [Period(code=code, state="end") for code in PERIODS]
        found = Snapshot(date=day.isoformat(), groups=[[1], [2]], periods=periods, workers=people, rules=1)
        totals = counting.total(counting.verdicts(counting.rules_of(found), people))
        found.active_total, found.stat = totals.active_total, counting.stat_of(totals)
        return found

    def look(self, cell: Cell) -> str | None:
        if cell.employee_no == POISONED:
            raise Refused("unknown_employee", "nobody has it", final=True)
        return self.marks.get((cell.period, cell.employee_no))

    def has_ours(self, cell: Cell, status: str) -> bool:
        key = (cell.period, cell.employee_no)
        return key not in self.by_hand and self.marks.get(key) == (None if status == "absent" else status)

    def set_mark(self, cell: Cell, status: str) -> str:
        self.faults.step()
        key = (cell.period, cell.employee_no)
        if status != "absent" and key in self.scans:
            return "superseded"
        if status == "absent":
            self.marks.pop(key, None)
        else:
            self.marks[key] = status
        self.by_hand.discard(key)
        assert self.ledger is not None
        query = "SELECT rev FROM ledger WHERE period = ? AND employee_no = ?"
        self.revs.setdefault(key, []).append(self.ledger.db.execute(query, key).fetchone()[0])
        self.faults.step()
        return "applied"


@dataclass
class Line:
    """The wire between the agent and the real cloud; it keeps every request for later."""

    faults: Faults = field(default_factory=Faults)
    delivered: list[tuple[str, Any]] = field(default_factory=list)
    lost: list[tuple[str, Any]] = field(default_factory=list)

    def clock(self) -> int | None:
        return None

    def pending(self, beat: Mapping[str, str | int], *, after: str | None = None, limit: int, wait: int = 0) -> Offer:
        said = self._call("pending", {**beat, "limit": limit, **({"after": after} if after else {})})
        return Offer(said["edits"], said["next"], said["now"], said["gen"])

    def applied(self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]) -> frozenset[int]:
        said = self._call("applied", json.dumps({"acks": acks, "nacks": nacks}).encode())
        return frozenset(one["id"] for one in said["ignored"] if one["reason"] == "newer_intention")

    def ingest(self, body: bytes) -> int | None:
        said = self._call("ingest", body)
        if said.get("code") == "stale":
            raise Stale(said["gen"])
        assert said["ok"], said
        gen: int = said["gen"]
        return gen

    def _call(self, route: str, what: Any) -> dict[str, Any]:
        self.faults.step()
        self.faults.calls += 1
        if self.faults.calls in self.faults.lose_request:
            self.lost.append((route, what))
            raise CloudTrouble("the request got lost")
        said = send(route, what)
        self.delivered.append((route, what))
        if self.faults.calls in self.faults.lose_answer:
            raise CloudTrouble("the answer got lost")
        self.faults.step()
        return said


def send(route: str, what: Any) -> dict[str, Any]:
    client = Client()
    if route == "pending":
        answer = client.get("/att-sync/pending", what, headers=AGENT)
    else:
        answer = client.post(f"/att-sync/{route}", what, content_type="application/json", headers=AGENT)
    assert answer.status_code in (200, 409), answer.content
    said: dict[str, Any] = answer.json()
    return said


def everything() -> list[Any]:
    """All that the cloud has stored but when it last heard of the agent."""
    return [
        list(Edit.objects.order_by("id").values()),
        list(DaySnapshot.objects.order_by("day").values()),
        list(EditEvent.objects.order_by("id").values()),
        list(QueueVersion.objects.values()),
    ]


class Loop(RuleBasedStateMachine):
    """The invariants assert; ``lives`` counts the days that were played to their end."""

    lives = 0

    @initialize()
    def begin(self) -> None:
        for model in (Edit, DaySnapshot, EditEvent, QueueVersion, FactoryLink):
            model.objects.all().delete()
        self.folder = Path(tempfile.mkdtemp())
        self.factory, self.line = Factory(), Line()
        self.wished: dict[tuple[int, str], str] = {}
        self.corrected: set[tuple[int, str]] = set()
        self.highest_gen = 0
        self.run(Faults())

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)
            Loop.lives += 1

    def run(self, faults: Faults) -> None:
        self.factory.faults = self.line.faults = faults
        state = self.factory.ledger = State.open(self.folder)
        journal = Journal(lambda _line: None, verbosity=0)
        try:
            run_once(Run(self.factory, self.line, state, journal, time.time), Asked())
        except PowerCut:
            pass
        finally:
            state.close()

    @rule(cell=cells, status=wishes)
    def tap(self, cell: tuple[int, str], status: str) -> None:
        try:
            services.mark(Wish(today(), *cell, status), now=timezone.now(), source="phone")
        except Refusal as refusal:
            assert refusal.code in {"scanned", "not_manual"}  # noqa: PT017 - any other would be a bug
        else:
            self.wished[cell] = status
            self.corrected.discard(cell)

    @rule()
    def tap_somebody_whom_the_factory_does_not_know(self) -> None:
        services.mark(Wish(today(), 1, POISONED, "late"), now=timezone.now(), source="phone")

    @rule(
        requests=st.sets(st.integers(1, 4), max_size=2),
        answers=st.sets(st.integers(1, 4), max_size=2),
        power_cut=st.just(0) | st.integers(1, 16),
    )
    def a_run_with_faults(self, requests: set[int], answers: set[int], power_cut: int) -> None:
        self.run(Faults(requests, answers, power_cut))

    @rule()
    def a_good_run(self) -> None:
        self.run(Faults())

    @rule(cell=cells)
    def a_real_scan(self, cell: tuple[int, str]) -> None:
        self.factory.scans.setdefault(cell, "06:55")

    @rule(cell=cells, status=st.sampled_from(["present", "late", None]))
    def a_foreman_corrects(self, cell: tuple[int, str], status: str | None) -> None:
        self.corrected.add(cell)
        self.factory.by_hand.add(cell)
        if status is None:
            self.factory.marks.pop(cell, None)
        else:
            self.factory.marks[cell] = status

    @rule(pick=st.integers(0, 10_000))
    def i7_a_delivered_request_arrives_again(self, pick: int) -> None:
        before = everything()
        send(*self.line.delivered[pick % len(self.line.delivered)])
        assert everything() == before

    @rule(pick=st.integers(0, 10_000))
    def a_lost_request_arrives_late(self, pick: int) -> None:
        if self.line.lost:
            request = self.line.lost.pop(pick % len(self.line.lost))
            send(*request)
            self.line.delivered.append(request)

    @rule()
    def i10_once_the_line_is_good_everything_settles_within_two_runs(self) -> None:
        self.run(Faults())
        self.run(Faults())
        assert not Edit.objects.waiting().exists()
        day = self.merged()
        for worker in day.snapshot.workers:
            for code, cell in worker.p.items():
                key = (code, worker.no)
                assert cell == (self.factory.scans.get(key) or self.factory.marks.get(key))
        for cell, status in self.wished.items():
            if cell not in self.corrected and cell not in self.factory.scans:
                assert self.factory.marks.get(cell) == (None if status == "absent" else status)

    @rule()
    def i6_a_poisoned_edit_delays_no_other(self) -> None:
        self.tap_somebody_whom_the_factory_does_not_know()
        self.run(Faults())
        assert not Edit.objects.waiting().exclude(employee_no=POISONED).exists()

    def merged(self) -> Any:
        day = reading.merged_day(today(), timezone.now())
        assert day is not None
        return day

    @invariant()
    def i1_an_edit_is_closed_only_by_an_ack_for_its_newest_revision(self) -> None:
        for edit in Edit.objects.exclude(applied_at=None):
            cell = {"day": edit.day, "period": edit.period, "employee_no": edit.employee_no}
            last = EditEvent.objects.filter(**cell, kind__in=["asked", "applied", "superseded"]).latest("id")
            assert (last.kind, last.rev) == (edit.outcome, edit.rev)

    @invariant()
    def i2_and_i3_writes_follow_the_intentions_and_none_is_done_twice(self) -> None:
        for revs in getattr(self, "factory", Factory()).revs.values():
            assert revs == sorted(set(revs))

    @invariant()
    def i4_the_stored_generation_never_goes_back(self) -> None:
        row = DaySnapshot.objects.filter(day=today()).first()
        if row and hasattr(self, "highest_gen"):
            assert row.gen >= self.highest_gen
            self.highest_gen = row.gen

    @invariant()
    def i5_the_page_never_shows_an_older_value_without_saying_so(self) -> None:
        if not DaySnapshot.objects.exists():
            return
        day = self.merged()
        shown = {(code, worker.no): cell for worker in day.snapshot.workers for code, cell in worker.p.items()}
        for cell, status in self.wished.items():
            said = day.flags[cell].kind if cell in day.flags else None
            expected = None if status == "absent" else status
            is_explained = said in {"refused", "scanned", "changed"} or cell in self.corrected
            assert shown[cell] == expected or is_clock(shown[cell]) or is_explained


@pytest.mark.django_db
def test_whatever_happens_both_sides_end_with_the_last_wish() -> None:
    run_state_machine_as_test(
        Loop,
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        ),
    )
    assert Loop.lives >= 25


def test_the_machine_speaks_the_wire() -> None:
    assert b'"rules":1' in encode(Factory().snapshot(today()))
