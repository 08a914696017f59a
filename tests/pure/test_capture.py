"""A day built from random rows: what the agent counts, the cloud counts, and no order of rows matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from mirror import counting
from mirror.intake import parse
from mirror.wire import Snapshot, Worker, encode, is_clock
from onprem.capture import DayFacts, ScanLine, capture, real_scans, register
from onprem.clocks import hh_mm
from onprem.notices import Notices
from onprem.rows import DayOffRow, Mark, PeriodRow, Person
from onprem.timetable import timetable
from tests.pure.workday import DAY

MIDNIGHT = datetime.combine(DAY, time())
SHIFTS = (None, "D", "N")
NUMBERS = ("0012", "12", "A012", "0013", "777")

PERIODS = (
    PeriodRow(1, "เช้า 1", time(5, 30), time(7, 30), None, "1", "D", None),
    PeriodRow(2, "เช้า 2", time(7, 30), time(9, 0), time(8, 0), "1", "D", None),
    PeriodRow(3, None, time(12, 0), time(13, 30), time(13, 0), None, None, None),
    PeriodRow(4, "เย็น", time(16, 30), time(19, 0), None, "3", "D", None),
    PeriodRow(5, "ดึก", time(22, 0), time(1, 0), time(22, 30), "4", "N", None),
    PeriodRow(6, "ออก", time(5, 0), time(6, 30), None, "5", "N", 1),
)


@dataclass(frozen=True)
class Rows:
    people: list[Person]
    scans: list[tuple[datetime, str]]
    marks: list[Mark]
    days_off: list[DayOffRow]
    now: datetime
    through: datetime | None

    def captured(self, periods: Sequence[PeriodRow] = PERIODS) -> Snapshot:
        line = sorted(self.scans)
        facts = DayFacts(
            table=timetable(DAY, periods, day_starts=time(4)),
            scans=ScanLine([at for at, _ in line], [device for _, device in line]),
            marks=self.marks,
            days_off=self.days_off,
            now=self.now,
            scans_through=self.through,
            day_starts=time(4),
        )
        return capture(facts, register({person.no: person for person in self.people}), Notices())

    def backwards(self) -> Rows:
        return Rows(self.people[::-1], self.scans[::-1], self.marks[::-1], self.days_off[::-1], self.now, self.through)


# As many in the two windows of the morning as in the rest of two days: most people are seen there more than once.
moments = (st.integers(0, 2000 * 60) | st.integers(330 * 60, 540 * 60)).map(
    lambda seconds: MIDNIGHT + timedelta(seconds=seconds)
)
numbers = st.sampled_from(NUMBERS)
persons = st.builds(
    Person,
    no=numbers,
    devices=st.frozensets(numbers, max_size=2),
    name=st.none() | st.text("กขค😀", max_size=5),
    group=st.sampled_from((None, "ผลิต")),
    active=st.booleans(),
    hired=st.sampled_from((None, DAY, DAY + timedelta(days=1))),
    left=st.sampled_from((None, DAY, DAY - timedelta(days=1))),
    shift=st.sampled_from(SHIFTS),
)
rows = st.builds(
    Rows,
    people=st.lists(persons, max_size=5, unique_by=lambda person: person.no),
    scans=st.lists(st.tuples(moments, numbers), max_size=12),
    marks=st.lists(
        st.builds(
            Mark,
            day=st.just(DAY),
            period=st.integers(1, 8),
            no=numbers,
            status=st.sampled_from(("present", "late", "sick", "")),
            updated=st.sampled_from(("", "2026-07-28 09:00:00")),
        ),
        max_size=5,
    ),
    days_off=st.lists(
        st.builds(
            DayOffRow,
            first=st.just(DAY),
            last=st.just(DAY),
            no=st.none() | numbers,
            part=st.sampled_from("DMA"),
            label=st.sampled_from((None, "ลาป่วย")),
        ),
        max_size=2,
    ),
    now=moments,
    through=st.none() | moments,
)


@given(rows)
def test_the_cloud_counts_what_the_agent_has_counted(factory: Rows) -> None:
    sent = factory.captured()

    read = parse(encode(sent)).snapshot

    totals = counting.total(counting.verdicts(counting.rules_of(read), read.workers))
    assert (totals.full, totals.partial, totals.absent, totals.wait) == (
        sent.stat.full, sent.stat.partial, sent.stat.absent, sent.stat.wait
    )  # fmt: skip
    assert totals.active_total == sent.active_total


@given(rows)
def test_what_is_sent_arrives_as_it_was(factory: Rows) -> None:
    sent = factory.captured()

    read = parse(encode(sent)).snapshot

    assert [(one.no, one.name, one.g, one.p, one.e, one.off) for one in read.workers] == [
        (one.no, one.name, one.g, one.p, one.e, one.off) for one in sent.workers
    ]
    assert [(one.code, one.state, one.start, one.end) for one in read.periods] == [
        (one.code, one.state, one.start, one.end) for one in sent.periods
    ]
    assert (read.groups, read.notices) == (sent.groups, sent.notices)


@given(rows)
def test_the_order_of_rows_changes_nothing(factory: Rows) -> None:
    assert encode(factory.backwards().captured()) == encode(factory.captured())


@given(rows)
def test_nobody_gets_a_scan_of_a_number_that_two_people_have(factory: Rows) -> None:
    shared = [device for device in NUMBERS if sum(device in person.devices for person in factory.people) > 1]
    without = [(at, device) for at, device in factory.scans if device not in shared]

    quiet = Rows(factory.people, without, factory.marks, factory.days_off, factory.now, factory.through)

    assert quiet.captured().workers == factory.captured().workers


# Windows that nobody has at the same time as another one, and all of them.
@given(rows, st.sampled_from((PERIODS[:4], PERIODS)))
def test_what_fills_a_cell_is_the_first_real_scan_of_its_owner(factory: Rows, periods: Sequence[PeriodRow]) -> None:
    table = timetable(DAY, periods, day_starts=time(4))
    owners = register({person.no: person for person in factory.people}).owners

    for person in factory.people:
        times = [at for at, device in factory.scans if owners.get(device) is person]
        firsts = {code: hh_mm(at) for code, at in real_scans(person, table, factory.days_off, times).items()}
        cells = next((one.p for one in factory.captured(periods).workers if one.no == person.no), {})
        assert {code: cell for code, cell in cells.items() if is_clock(cell)} == firsts


# So few kinds of cells that many of the workers are alike but for the minute.
cells = st.fixed_dictionaries({2: st.sampled_from((None, "07:55", "08:00", "08:01", "late"))})
workers = st.builds(Worker, no=st.just("1"), p=cells, e=st.sampled_from((UNSET, [1, 2], [])))


@given(st.lists(workers, min_size=6, max_size=12), moments)
def test_who_is_judged_among_many_is_judged_alike_alone(many: list[Worker], now: datetime) -> None:
    rules = counting.rules_of(Rows([], [], [], [], now, None).captured())

    alone = [counting.judge(rules, one.p, counting.expected_in(one)) for one in many]

    assert counting.verdicts(rules, many) == alone


@given(rows)
def test_everybody_has_a_cell_for_every_period(factory: Rows) -> None:
    day = factory.captured()

    assert all(list(one.p) == [period.code for period in day.periods] for one in day.workers)
