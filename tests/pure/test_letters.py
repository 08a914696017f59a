"""Thai in the wrong charset is told from Thai, from English and from a name with an accent."""

from __future__ import annotations

import pytest

from onprem.doctor.letters import garbled, probably

NAME = "สมชาย ใจดี"


@pytest.mark.parametrize(
    "text", [NAME, "Somchai Jaidee", "José", "Zoë", "สมชาย 😀", "สมชาย – ใจดี", "A012", "?", None, ""]
)
def test_what_is_right_is_left_in_peace(text: str | None) -> None:
    assert garbled([text]) == []


@pytest.mark.parametrize(
    "text",
    [
        NAME.encode().decode("latin-1"),
        NAME.encode("cp874").decode("latin-1"),
        "????? ????",
        "สมชา\ufffd",
    ],
)
def test_what_is_wrong_is_seen(text: str) -> None:
    assert garbled(["สมหญิง", text]) == [text]


@pytest.mark.parametrize("was", ["utf-8", "cp874"])
def test_what_it_was_can_often_be_told(was: str) -> None:
    assert probably(NAME.encode(was).decode("latin-1")) == NAME


def test_what_is_lost_is_lost() -> None:
    assert probably("????? ????") is None
