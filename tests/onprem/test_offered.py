"""Offered edits are read strictly: exactly an edit, or refused by name."""

from __future__ import annotations

import pytest

from onprem.offered import BadEdit, Name, read
from onprem.ports import Cell
from tests.onprem.fakes import DAY, edit


def test_an_edit_is_read_as_it_is() -> None:
    read_edit = read(edit("A012", "absent", full_name="…", created_at="…", unknown={"deep": [1]}))

    assert read_edit.name == Name(7, 5, "absent")
    assert read_edit.cell == Cell(DAY, 1, "A012")


@pytest.mark.parametrize("no", ["๑๒", "0012", "a b", " 12", "x" * 32, "O'Brien", "😀"])
def test_a_number_is_any_text_and_never_repaired(no: str) -> None:
    assert read(edit(no)).cell.employee_no == no


BAD_BY_NAME = [
    {"d": "2026-02-30"},
    {"d": "20260728"},
    {"d": "2026-07-28\n"},
    {"d": "๒๐๒๖-๐๗-๒๘"},
    {"d": "2569-07-28"},
    {"d": None},
    {"d": 20260728},
    {"period": "1"},
    {"period": True},
    {"period": 0},
    {"period": 256},
    {"period": 1.0},
    {"period": None},
    {"employee_no": ""},
    {"employee_no": 12},
    {"employee_no": None},
    {"employee_no": "x" * 33},
    {"employee_no": "a\0b"},
    {"employee_no": "\ud800"},
    {"status": "PRESENT"},
    {"status": ""},
]


@pytest.mark.parametrize("wrong", BAD_BY_NAME, ids=repr)
def test_what_is_wrong_is_refused_by_name(wrong: dict[str, object]) -> None:
    offered = {**edit(), **wrong}

    with pytest.raises(BadEdit) as refused:
        read(offered)

    assert refused.value.name == Name(7, 5, offered["status"])


NAMELESS: list[object] = [
    None,
    [],
    "edit",
    7,
    {},
    edit(id=None),  # type: ignore[arg-type]
    edit(id=True),
    edit(id=2**63),
    edit(id=0),
    edit(rev="5"),  # type: ignore[arg-type]
    edit(rev=-1),
    edit(rev=None),  # type: ignore[arg-type]
    edit(status=None),  # type: ignore[arg-type]
    edit(status=["late"]),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("offered", NAMELESS, ids=repr)
def test_what_has_no_name_cannot_even_be_refused(offered: object) -> None:
    with pytest.raises(BadEdit) as refused:
        read(offered)

    assert refused.value.name is None
