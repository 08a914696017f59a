"""An invented factory with 302 people, for pictures and for trying the pages: the same every time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, timezone
from typing import Any, NamedTuple

ZONE = timezone(timedelta(hours=7))
TODAY = date(2026, 7, 21)
NOW = datetime(2026, 7, 21, 9, 26, 40)
DEPARTMENTS = ("ผลิต A", "ผลิต B", "เย็บ", "คลัง", "ซ่อมบำรุง", "QC")
HOLIDAYS = {date(2026, 6, 3): "วันเฉลิมพระชนมพรรษาพระราชินี"}
_FIRST = (
    "กนกอร กฤตภาส กานต์ธิดา เกศรินทร์ ขวัญชนก คมสันต์ จักรพันธุ์ จารุวรรณ จิตติมา จิราภรณ์ เจนจิรา ชลธิชา ชูศักดิ์ "
    "ณัฐธิดารัตน์ ดวงใจ ทองคำ ธนวัฒน์ ธีรเดช นฤมล นิภาพร บุญญฤทธิ์ เบญจวรรณ ปิ่นฎา ประภัสสร พงษ์ศักดิ์ เพ็ญพักตร์ "
    "มัณฑนา ยุทธนา รุ่งทิวา ละเอียด วรรณวิภา วิชชุดา ศิริพรรณวดีรัตน์ สมหญิง สุเมธ อภิสิทธิ์ชัย อรทัย เอกชัย ไพโรจน์ โสภา"
).split()
_LAST = (
    "ธารากุลวัฒนชัย เมืองแมนศักดิ์ ใจงามดี ปิ่นปักธรรม ดอกปีบ ช่อชัยพฤกษ์ ศิลาเลิศ ทุ่งทองคำ ภูมิใจงาม แก้วมณีรัตน์ "
    "สุขสมหวังทรัพย์ ทองอยู่ยั่งยืน วงศ์วิวัฒนาเจริญ ขวัญเมือง ก้อนแก้ว น้ำใสเย็น ฎีกานุสรณ์ ทรัพย์ซึ้ง เนินทราย ตั้งมั่นคง "
    "รุ่งเรืองรอง ปู่ย่าตายาย ภูผาหมอก ฟ้าประทานพร ศรีสมบูรณ์พัฒนกิจ ลมเย็นใจ ธรรมเกียรติกำจรวงศ์ไพบูลย์ ดีพร้อม ไม้หอม แก่นจันทน์หอม"
).split()
SATURDAY, SUNDAY = 5, 6


class Window(NamedTuple):
    code: int
    name: str
    start: time
    end: time
    late_after: time | None = None


WORKDAY = (
    Window(1, "เช้า 1", time(6, 0), time(7, 30)),
    Window(2, "เช้า 2", time(7, 30), time(9, 0), time(8, 25)),
    Window(3, "บ่าย", time(12, 0), time(13, 30), time(13, 10)),
    Window(4, "เย็น", time(16, 30), time(19, 0)),
)


def people(count: int = 302) -> list[tuple[str, str, str]]:
    """Return number, name and department of everybody."""
    dice = random.Random(7)
    found = []
    for index in range(count):
        no = f"{index * 3 + 7:04}" if index % 7 else f"A-{1000 + index}"
        found.append((no, f"{dice.choice(_FIRST)} {dice.choice(_LAST)}", dice.choice(DEPARTMENTS)))
    found[5] = (found[5][0], "THIDA AYE MON", found[5][2])
    return found


def day(
    when: date, *, at: datetime | None = None, count: int = 302, windows: Sequence[Window] | None = None
) -> dict[str, Any]:
    """Return a day as the agent sends it: finished, or as it stood ``at`` a moment of factory time.

    Without ``windows`` it follows the week: no evening on Saturday, nobody on Sunday.
    """
    at = at or datetime.combine(when, time(20))
    if windows is None:
        windows = [window for window in WORKDAY if not (when.weekday() == SATURDAY and window.code == 4)]
    periods = [_period(window, when, at) for window in windows]
    dice = random.Random(when.toordinal())
    absent_share = 0.03 + 0.07 * (dice.random() ** 3)
    workers = [_worker(person, periods, at, dice, absent_share) for person in people(count)]
    off = "วันหยุดประจำสัปดาห์" if when.weekday() == SUNDAY and windows is not WORKDAY else None
    if off:
        workers = [{**worker, "e": [], "off": off, "p": dict.fromkeys(worker["p"])} for worker in workers]
    return {
        "date": when.isoformat(),
        "gen": int(at.timestamp()),
        "groups": [[1, 2], [3], [4]],
        "periods": periods,
        "workers": workers,
        "scans_through": at.isoformat(timespec="seconds"),
        "captured_at": at.isoformat(timespec="seconds"),
        "day_starts": "04:00",
        "holiday": HOLIDAYS.get(when),
        "notices": [{"kind": "unmatched", "n": 2, "sample": ["9001", "T-07"]}],
        "rules": 1,
    }


def month(until: date, days: int = 60) -> list[dict[str, Any]]:
    """Return the finished days before ``until``; one of them was never sent."""
    whens = [until - timedelta(days=back) for back in range(days, 0, -1)]
    return [day(when) for when in whens if when.day != 16]


def _period(window: Window, when: date, at: datetime) -> dict[str, Any]:
    begins, ends = datetime.combine(when, window.start), datetime.combine(when, window.end)
    strangers = {1: [{"no": "9001", "t": "07:12", "x": 1}], 2: [{"no": "T-07", "t": "07:48", "x": 1}]}
    return {
        "code": window.code,
        "name": window.name,
        "start": f"{window.start:%H:%M}",
        "end": f"{window.end:%H:%M}",
        "late_after": f"{window.late_after:%H:%M}" if window.late_after else None,
        "state": "wait" if at < begins else "open" if at < ends else "end",
        "scan": strangers.get(window.code, []),
    }


def _worker(
    person: tuple[str, str, str], periods: list[dict[str, Any]], at: datetime, dice: random.Random, absent_share: float
) -> dict[str, Any]:
    no, name, dept = person
    absent, early = dice.random() < absent_share, dice.random() < 0.3
    cells: dict[str, str | None] = {}
    for period in periods:
        cells[str(period["code"])] = _scan(period, at, dice, early=early, absent=absent)
    worker: dict[str, Any] = {"no": no, "name": name, "g": dept, "p": cells}
    if dice.random() < 0.01:
        worker |= {"e": [], "off": "ลาป่วย", "p": dict.fromkeys(cells)}
    return worker


def _scan(period: dict[str, Any], at: datetime, dice: random.Random, *, early: bool, absent: bool) -> str | None:
    start = datetime.combine(at.date(), time.fromisoformat(period["start"]))
    code = period["code"]
    wanted = early if code == 1 else not early if code == 2 else dice.random() > 0.02
    scan = start + timedelta(minutes=int(dice.triangular(1, 75, 25)))
    if absent or not wanted or period["state"] == "wait" or scan > at:
        return None
    if dice.random() < 0.01:
        return dice.choice(["present", "late"])
    return f"{scan:%H:%M}"
