"""What leaves the screen: XLSX, CSV and the list to print."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client

from tests.cloud.day import at, body, ingest, worker
from tests.cloud.people import sign_in, tap, text_of
from tests.cloud.test_pages_day import plain, today

pytestmark = pytest.mark.django_db

DAY = "2026-07-21"
EVIL = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "=cmd|' /C calc'!A0"]


@pytest.fixture
def phone(client: Client) -> Iterator[Client]:
    with time_machine.travel(at(f"{DAY}T09:26:40"), tick=False):
        people = [*today()["workers"], worker("0099", "=1+1", {"2": "07:45"}), worker("=2+2", "@ชื่อ", {})]
        ingest(client, today(workers=people))
        sign_in(client)
        yield client


def file(client: Client, query: str) -> Any:
    answer = client.get(f"/att-sync/export?{query}")
    assert answer.status_code == 200, answer.content
    return answer


def csv_rows(client: Client, query: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(file(client, f"{query}&format=csv").content.decode("utf-8-sig"))))


def as_csv_by_libreoffice(workbook: bytes, folder: Path) -> list[list[str]]:
    """Open the workbook in the office program and let it write down what it sees."""
    office = shutil.which("soffice")
    assert office, "no LibreOffice here: apt-get install libreoffice-calc-nogui"
    (folder / "book.xlsx").write_bytes(workbook)
    profile = f"-env:UserInstallation=file://{folder}/profile"
    # 44,34,76: comma, quotes, UTF-8; the last true writes what a cell shows, not what it holds.
    how = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true"
    command = [office, profile, "--headless", "--convert-to", how, "--outdir", str(folder), str(folder / "book.xlsx")]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return list(csv.reader(io.StringIO((folder / "book.csv").read_text("utf-8-sig"))))


def test_libreoffice_opens_the_day_with_zeros_kept_and_formulas_dead(phone: Client, tmp_path: Path) -> None:
    rows = as_csv_by_libreoffice(file(phone, f"date={DAY}&format=xlsx").content, tmp_path)
    people = {row[0]: row for row in rows[3:]}

    assert people["0012"][1] == "สมชาย ใจดี"
    assert people["0099"][1] == "=1+1"
    assert "=2+2" in people
    assert not any(cell.startswith("Err:") or cell in ("2", "4") for row in rows[3:] for cell in row[:3])


def test_the_totals_of_the_file_are_those_of_the_page(phone: Client, tmp_path: Path) -> None:
    rows = as_csv_by_libreoffice(file(phone, f"date={DAY}&format=xlsx").content, tmp_path)
    page = plain(text_of(phone.get(f"/att-sync/?date={DAY}")))
    totals = dict(zip(rows[1][::2], rows[1][1::2], strict=False))

    assert f"{totals['มาครบทุกช่วงที่ผ่านมา']} จาก 6 คน" in page
    assert all(f"{totals[label]} {label}" in page for label in ("มาบางช่วง", "ยังไม่มาเลย", "สาย"))


def test_the_first_line_says_the_day_its_data_time_and_what_waits(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    (first, *_), *_rest = csv_rows(phone, f"date={DAY}")

    assert first.replace("\N{NO-BREAK SPACE}", " ") == "อ. 21 ก.ค. 2569 · ข้อมูล ณ 09:26 น. · รอซิงก์ 1 · วันยังไม่จบ"


def test_a_csv_begins_with_a_byte_order_mark(phone: Client) -> None:
    answer = file(phone, f"date={DAY}&format=csv")

    assert answer.content.startswith(b"\xef\xbb\xbf")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="attendance-2026-07-21.csv"'


def test_no_cell_of_a_csv_begins_like_a_formula(phone: Client) -> None:
    ingest(phone, today(gen=1_785_200_001, workers=[worker(f"{n}", name, {}) for n, name in enumerate(EVIL)]))
    cells = [cell for row in csv_rows(phone, f"date={DAY}") for cell in row]

    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
    assert {f"'{name}" for name in EVIL} <= set(cells)


def test_a_csv_keeps_the_zeros_of_a_number(phone: Client) -> None:
    assert sorted(row[0] for row in csv_rows(phone, f"date={DAY}") if row[0] in ("0012", "0013")) == ["0012", "0013"]


def test_a_workbook_holds_no_formula_at_all(phone: Client) -> None:
    with zipfile.ZipFile(io.BytesIO(file(phone, f"date={DAY}&format=xlsx").content)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()

    assert "<f>" not in sheet


def test_the_file_lists_whom_the_page_lists(phone: Client) -> None:
    rows = csv_rows(phone, f"date={DAY}&show=late&q=12")

    assert [row[0] for row in rows[3:]] == ["12"]
    assert "“12” · สาย" in rows[0][0]


def test_marks_by_hand_and_what_waits_are_told_apart(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    rows = {row[0]: row for row in csv_rows(phone, f"date={DAY}")[3:]}

    assert rows["0013"][6] == "มา · แก้มือ"
    assert rows["A012"][6] == "สาย · แก้มือ · รอซิงก์"
    assert rows["12"][4:7] == ["สาย", "", "08:10"]


def test_a_month_has_a_line_for_every_day_that_has_come(phone: Client) -> None:
    ingest(phone, body(date(2026, 7, 20)))
    rows = csv_rows(phone, "m=2026-07")
    by_day = {row[0]: row for row in rows[3:]}

    assert len(by_day) == 21
    assert by_day["20/07/2569"] == ["20/07/2569", "จันทร์", "1", "1", "1", "0", "0", "0", ""]
    assert by_day["19/07/2569"][-1] == "ไม่มีข้อมูล"
    assert by_day["21/07/2569"][-1] == "วันยังไม่จบ"


def test_a_month_opens_in_libreoffice(phone: Client, tmp_path: Path) -> None:
    rows = as_csv_by_libreoffice(file(phone, "m=2026-07&format=xlsx").content, tmp_path)

    assert len(rows) == 3 + 21


@pytest.mark.parametrize(
    ("query", "status"),
    [("date=2026-01-01", 404), ("date=x", 400), ("m=2026-13", 400), (f"date={DAY}&format=pdf", 400)],
)
def test_what_cannot_be_exported_is_said_on_a_page(phone: Client, query: str, status: int) -> None:
    answer = phone.get(f"/att-sync/export?{query}")

    assert answer.status_code == status
    assert re.search("[ก-๙]", text_of(answer))


def test_the_printed_list_has_everybody_and_the_same_figures(phone: Client) -> None:
    page = plain(text_of(phone.get(f"/att-sync/print?date={DAY}")))

    assert "มาครบทุกช่วงที่ผ่านมา 4" in page
    assert all(name in page for name in ("สมชาย ใจดี", "THIDA AYE", "กมล ใจดี"))
    assert "ข้อมูล ณ 09:26 น." in page


def test_a_day_nobody_sent_cannot_be_printed(phone: Client) -> None:
    assert phone.get("/att-sync/print?date=2026-01-01").status_code == 404
