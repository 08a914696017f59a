"""Tables as files. Whatever a name contains, a spreadsheet must never take it for a formula."""

from __future__ import annotations

import csv
import io

import xlsxwriter

from dashboard.tables import Table, Value

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv; charset=utf-8"
# A text that begins so is a formula to a spreadsheet that opens a CSV.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_WIDTHS = (14, 34, 18, 18, 10)
_OTHER_WIDTH = 16


def as_csv(table: Table) -> bytes:
    """Return UTF-8 with a byte order mark: without it Excel reads Thai as something else."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([_harmless(table.first)])
    writer.writerow([_harmless(word) for total in table.totals for word in total])
    writer.writerow([_harmless(word) for word in table.head])
    writer.writerows([_harmless(value) for value in row] for row in table.rows)
    return out.getvalue().encode("utf-8-sig")


def as_xlsx(table: Table) -> bytes:
    """Return a workbook; every text is written as text, so that ``0012`` keeps its zeros."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False}) as book:
        sheet = book.add_worksheet(table.name)
        bold = book.add_format({"bold": True})
        head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        sheet.write_string(0, 0, table.first, bold)
        for index, (label, number) in enumerate(table.totals):
            sheet.write_string(1, 2 * index, label)
            sheet.write_number(1, 2 * index + 1, number)
        for column, word in enumerate(table.head):
            sheet.write_string(2, column, word, head)
            sheet.set_column(column, column, _WIDTHS[column] if column < len(_WIDTHS) else _OTHER_WIDTH)
        for line, row in enumerate(table.rows, start=3):
            for column, value in enumerate(row):
                _write(sheet, line, column, value)
        sheet.freeze_panes(3, 2)
        sheet.autofilter(2, 0, 2 + len(table.rows), len(table.head) - 1)
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
    return out.getvalue()


def _write(sheet: xlsxwriter.workbook.Worksheet, line: int, column: int, value: Value) -> None:
    if isinstance(value, int):
        sheet.write_number(line, column, value)
    elif value:
        sheet.write_string(line, column, value)


def _harmless(value: Value) -> Value:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
