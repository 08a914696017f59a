"""The forms of the pages, read into what they ask for.

A row's button says what and which period by its name and who by its value (``late-2`` = ``0012``): one form serves a
whole page, and a row stays small. The contract's own four fields work as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _

from editqueue import guards
from editqueue.guards import Refusal, Wish
from mirror.wire import MANUAL_MARKS, BadPayload, clean_json, decode_json, parse_day

_BUTTON = re.compile(r"(present|late|absent)-([0-9]{1,3})")
_ID_AND_REV = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})")
_DAY_AND_STAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.([0-9]{1,17})")
_CODES = re.compile(r"[0-9]{1,3}(?:-[0-9]{1,3})*")
_ID = re.compile(r"[0-9]{1,18}")
_PEOPLE = msgspec.json.Decoder(list[str])


@dataclass(frozen=True)
class Undo:
    edit_id: int
    rev: int


@dataclass(frozen=True)
class UndoAll:
    day: date
    stamp: int


@dataclass(frozen=True)
class Again:
    edit_id: int


@dataclass(frozen=True)
class Everyone:
    day: date
    codes: tuple[int, ...]
    status: str
    people: frozenset[str]


Tap = Wish | Undo | UndoAll | Again | Everyone


def read(said: Mapping[str, Any]) -> Tap:
    """Return what is asked for. Raise Refusal ``incomplete``."""
    if "undo" in said:
        return _undo(str(said["undo"]))
    if "undo_all" in said:
        return _undo_all(str(said["undo_all"]))
    if "again" in said:
        return _again(str(said["again"]))
    if "group" in said:
        return _everyone(said)
    return guards.wish(_with_button(said))


def _with_button(said: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in said:
        if match := _BUTTON.fullmatch(name):
            pressed = {"status": match[1], "period": match[2], "employee_no": said[name]}
            return {"date": said.get("date"), **pressed}
    return {name: said.get(name) for name in ("date", "period", "employee_no", "status")}


def _undo(value: str) -> Undo:
    match = _matched(_ID_AND_REV, value)
    return Undo(int(match[1]), int(match[2]))


def _undo_all(value: str) -> UndoAll:
    match = _matched(_DAY_AND_STAMP, value)
    return UndoAll(_day(match[1]), int(match[2]))


def _again(value: str) -> Again:
    return Again(int(_matched(_ID, value)[0]))


def _everyone(said: Mapping[str, Any]) -> Everyone:
    codes, status = _matched(_CODES, str(said["group"]))[0], said.get("status")
    if status not in MANUAL_MARKS:
        raise _incomplete()
    try:
        people = decode_json(clean_json(str(said.get("people", "")).encode("utf-8", "replace")), _PEOPLE)
    except BadPayload as exc:
        raise _incomplete() from exc
    return Everyone(_day(said.get("date")), tuple(map(int, codes.split("-"))), status, frozenset(people))


def _matched(pattern: re.Pattern[str], value: str) -> re.Match[str]:
    match = pattern.fullmatch(value)
    if match is None:
        raise _incomplete()
    return match


def _day(text: object) -> date:
    day = parse_day(text)
    if day is None:
        raise _incomplete()
    return day


def _incomplete() -> Refusal:
    return Refusal(400, "incomplete", _("The form was not complete. Open the page again and repeat what you did."))
