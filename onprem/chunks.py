"""What the relations hold about some days that lie close together: one range query each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from onprem import relations, rows
from onprem.capture import ScanLine, future_scans
from onprem.clocks import parse_date, parse_moment, parse_usual_moments
from onprem.notices import BAD_ROW, OLD_SCAN, Notices
from onprem.relations import Days
from onprem.rows import DayOffRow, Mark, Texts
from onprem.timetable import Timetable

# Days read together: one range query per relation, and no more scans in memory than so many days have.
CHUNK = timedelta(days=7)
EARLIEST = datetime.combine(date(2000, 1, 1), time())


class OddRow(NamedTuple):
    """A row that means nothing, and the days it is about, whatever else was read: ``span``, or where ``text`` sorts."""

    words: str
    span: tuple[date, date] | None
    text: str = ""

    def is_about(self, day: date) -> bool:
        if self.span is not None:
            return self.span[0] <= day <= self.span[1]
        return any(begin <= self.text < end for begin, end in Days(day, day).ranges)


class Chunk(NamedTuple):
    """What the relations hold about some days that lie close together; scans were read up to ``beyond``."""

    beyond: date
    scans: ScanLine
    future: ScanLine
    marks: Sequence[Mark]
    days_off: Sequence[DayOffRow]
    odd: Sequence[OddRow]


def close_together(days: Sequence[date]) -> Iterator[list[date]]:
    """Split into runs that one range can serve without reading much that nobody asked for."""
    some: list[date] = []
    for day in days:
        if some and max([*some, day]) - min([*some, day]) >= CHUNK:
            yield some
            some = []
        some.append(day)
    yield some


def read(tables: Sequence[Timetable], now: datetime) -> Chunk:
    """Read scans, marks and days off for the days of these timetables; ``now`` is naive factory wall time."""
    asked = Days(min(table.day for table in tables), max(table.day for table in tables))
    odd: list[OddRow] = []
    begins, ends = min(table.begins for table in tables), max(table.ends for table in tables)
    reach = Days(begins.date(), ends.date())
    # When the last day is over nothing behind its end is of interest, and that may be as much as a day has.
    texts = relations.scans(reach, until=ends.time() if ends <= now else None)
    scans, future = _scan_line(texts, odd).split(now)
    marks = []
    for row in relations.overrides(asked):
        if mark := rows.mark(row):
            marks.append(mark)
        else:
            odd.append(_odd(f"override {row[2]} of {row[0]} in period {row[1]}", row[0]))
    days_off, bad_days_off = read_days_off(asked)
    return Chunk(reach.last + timedelta(days=1), scans, future, marks, days_off, [*odd, *bad_days_off])


def _scan_line(texts: Sequence[Texts], odd: list[OddRow]) -> ScanLine:
    found = _usual_scans(texts)
    if found is None:
        found = _messy_scans(texts, odd)
    found.sort()
    return ScanLine([at for at, _ in found], [device for _, device in found])


def _usual_scans(texts: Sequence[Texts]) -> list[tuple[datetime, str]] | None:
    """All at once, many times faster than one by one; None if one of the rows needs a closer look."""
    devices = [device.strip() for device, _ in texts if device]
    times = [at for _, at in texts if at]
    if not len(devices) == len(times) == len(texts) or not all(devices) or "\0" in "".join(devices):
        return None
    moments = parse_usual_moments(times)
    return None if moments is None else list(zip(moments, devices, strict=True))


def _messy_scans(texts: Iterable[Texts], odd: list[OddRow]) -> list[tuple[datetime, str]]:
    found = []
    for device_no, scanned_at in texts:
        at, device = parse_moment(scanned_at), rows.cleaned(device_no)
        if at is not None and device is not None:
            found.append((at, device))
        else:
            odd.append(_odd(f"scan of {device or 'nobody'} at {scanned_at}", scanned_at))
    return found


def _odd(words: str, text: str | None) -> OddRow:
    """Told by the text of the day, by which the row was read: a time may lie on another one (24:00, an offset)."""
    day = parse_date(text)
    return OddRow(words, (day, day) if day else None, text or "")


def read_days_off(days: Days) -> tuple[list[DayOffRow], list[OddRow]]:
    """Return the rows that may touch these days, and those that mean nothing. None of either without the relation."""
    found: list[DayOffRow] = []
    odd: list[OddRow] = []
    for row in relations.days_off(days) or []:
        if day_off := rows.day_off(row):
            found.append(day_off)
        else:
            odd.append(OddRow(f"day off {row[0]} to {row[1]}, part {row[3]}", rows.span_off(row)))
    return found, odd


def odd_scans(chunk: Chunk, now: datetime, notices: Notices) -> None:
    """List the scans that no day's range reaches; today's snapshot carries them."""
    odd: list[OddRow] = []
    line = _scan_line(relations.odd_scans(chunk.beyond), odd)
    past, future = line.split(now)
    for at, device in zip(past.times, past.devices, strict=True):
        if at < EARLIEST:
            notices.add(OLD_SCAN, f"{device} {at.isoformat(' ')}")
    future_scans(future, notices)
    for row in odd:
        notices.add(BAD_ROW, row.words)
