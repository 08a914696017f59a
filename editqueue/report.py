"""What the agent reports back: acks and nacks, judged one by one in one transaction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Value
from django.db.models.functions import Greatest

from editqueue import services
from editqueue.models import Edit, EditEvent, Outcome
from mirror.models import FactoryLink
from mirror.services import lock_link
from mirror.transactions import one_transaction
from mirror.wire import MAX_GEN, WISHES

T = TypeVar("T")
Known = Mapping[int, Edit]

AGENT = "agent"

_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")
_MAX_ID = 2**63 - 1
_OUTCOMES = frozenset({Outcome.APPLIED, Outcome.SUPERSEDED})


class Malformed(ValueError):
    """One entry that says nothing usable: skipped and counted, never an error of the whole call."""


@dataclass(frozen=True)
class Ack:
    id: int
    rev: int | None
    status: str
    outcome: str = Outcome.APPLIED
    gen: int | None = None


@dataclass(frozen=True)
class Nack:
    id: int
    rev: int | None
    status: str
    code: str
    text: str
    final: bool


@dataclass
class Result:
    """How many rows were closed and refused, and why every other entry changed nothing."""

    acked: int = 0
    nacked: int = 0
    ignored: list[dict[str, object]] = field(default_factory=list)


@one_transaction
def take(acks: Sequence[Any], nacks: Sequence[Any], *, now: datetime) -> Result:
    """Carry out a report. Repeating it changes nothing: each entry closes exactly the intention it names."""
    queue = services.lock_queue()
    result = Result()
    read_acks, read_nacks = list(_each(_ack, acks, result)), list(_each(_nack, nacks, result))
    known = Edit.objects.in_bulk({*(ack.id for ack in read_acks), *(nack.id for nack in read_nacks)})
    history = [
        *_acknowledge_all(read_acks, known, result, now),
        *_refuse_all(read_nacks, known, result, now),
    ]
    if history:
        EditEvent.objects.bulk_create(history)
        services.bump(queue, now)
    _hear(max((ack.gen or 0 for ack in read_acks), default=0), now)
    return result


def _acknowledge_all(acks: Iterable[Ack], known: Known, result: Result, now: datetime) -> Iterator[EditEvent]:
    for ack in acks:
        if services.acknowledge(ack.id, rev=ack.rev, status=ack.status, outcome=ack.outcome, gen=ack.gen, now=now):
            result.acked += 1
            yield services.event(known[ack.id], ack.outcome, now=now, source=AGENT, gen=ack.gen)
            continue
        result.ignored.append({"id": ack.id, "reason": _why_not(ack, known.get(ack.id))})
        yield from _offered_again(ack, now)


def _offered_again(ack: Ack, now: datetime) -> Iterator[EditEvent]:
    """What this older wish was set over is offered again; nothing where it did no such harm."""
    if ack.outcome != Outcome.APPLIED or ack.rev is None or ack.gen is None:
        return
    again = services.offer_overwritten(ack.id, rev=ack.rev, status=ack.status, gen=ack.gen, now=now)
    if again is not None:
        yield services.event(again, EditEvent.Kind.REOFFERED, now=now, source=AGENT)


def _refuse_all(nacks: Iterable[Nack], known: Known, result: Result, now: datetime) -> Iterator[EditEvent]:
    """The same row may be refused several times in one report; ``known`` counts along."""
    for nack in nacks:
        edit = known.get(nack.id)
        is_held = nack.final or (edit is not None and edit.attempts + 1 >= Edit.MAX_ATTEMPTS)
        words = {"code": nack.code, "text": nack.text}
        held_at = now if is_held else None
        if edit and services.refuse(nack.id, rev=nack.rev, status=nack.status, held_at=held_at, **words):
            edit.attempts += 1
            result.nacked += 1
            kind = EditEvent.Kind.HELD if is_held else EditEvent.Kind.FAILED
            yield services.event(edit, kind, now=now, source=AGENT, code=nack.code[:32], text=nack.text[:255])
        else:
            result.ignored.append({"id": nack.id, "reason": _why_not(nack, edit)})


def _hear(gen: int, now: datetime) -> None:
    """An ack's generation counts like a snapshot's: an agent that lost its state must start above both."""
    link = lock_link()
    FactoryLink.objects.filter(id=link.id).update(gen=Greatest("gen", Value(gen)), last_seen=now)


def _why_not(entry: Ack | Nack, edit: Edit | None) -> str:
    if edit is None:
        return "gone"
    same = edit.status == entry.status and entry.rev in (None, edit.rev)
    return "already" if same else "newer_intention"


# --- entries as sent: PHP writes numbers as texts -------------------------------------------------------------------


def _each(entry: Callable[[dict[str, Any]], T], sent: Sequence[Any], result: Result) -> Iterator[T]:
    """Yield the entries that say something; note the others as invalid."""
    for said in sent:
        try:
            if not isinstance(said, dict):
                raise Malformed
            read = entry(said)
        except Malformed:
            result.ignored.append({"id": _echo(said), "reason": "invalid"})
        else:
            yield read


def _echo(said: object) -> int | str | None:
    """Name a malformed entry by its id, where that is something we can write back."""
    edit_id = said.get("id") if isinstance(said, dict) else None
    if isinstance(edit_id, int) and not isinstance(edit_id, bool):
        return edit_id if abs(edit_id) <= _MAX_ID else str(edit_id)[:40]
    return edit_id[:40] if isinstance(edit_id, str) else None


def _ack(said: dict[str, Any]) -> Ack:
    outcome = Outcome.APPLIED if said.get("outcome") in (None, "") else said["outcome"]
    if not isinstance(outcome, str) or outcome not in _OUTCOMES:
        raise Malformed
    gen = _optional_number(said.get("gen"))
    if gen is not None and not 1 <= gen <= MAX_GEN:
        raise Malformed
    return Ack(*_intention(said), outcome=outcome, gen=gen)


def _nack(said: dict[str, Any]) -> Nack:
    final = said.get("final")
    if final not in (None, True, False, 0, 1, "0", "1", ""):
        raise Malformed
    code, text = _words(said.get("code")), _words(said.get("error"))
    return Nack(*_intention(said), code=code, text=text, final=final in (True, 1, "1"))


def _intention(said: dict[str, Any]) -> tuple[int, int | None, str]:
    edit_id, status = _optional_number(said.get("id")), said.get("status")
    if edit_id is None or not isinstance(status, str) or status not in WISHES:
        raise Malformed
    return edit_id, _optional_number(said.get("rev")), status


def _optional_number(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_ID:
        return value
    raise Malformed


def _words(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise Malformed
