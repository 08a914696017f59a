"""Edits: fetch what people want, set it at the factory, report what became of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from onprem import ledger
from onprem.ledger import Deed
from onprem.offered import BadEdit, Edit, Name, read
from onprem.ports import FactoryTrouble, Offer, Refused
from onprem.run import Run

PART = "edits"
# A cloud that pages for ever, or in a circle, must not keep a run and its lock for ever.
_MOST_PAGES = 1000
_LONGEST_S = 5 * 60


@dataclass
class _Answers:
    """What goes back for one page."""

    acks: list[dict[str, object]] = field(default_factory=list)
    nacks: list[dict[str, object]] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    gen: int | None = None

    def ack(self, edit: Edit, deed: Deed) -> None:
        name = edit.name
        self.names.append(name)
        # Each deed is stamped above the one before.
        self.gen = deed.gen
        self.acks.append({**_named(name), "outcome": deed.outcome, "gen": deed.gen})

    def nack(self, name: Name, refusal: Refused) -> None:
        self.names.append(name)
        self.nacks.append({**_named(name), "code": refusal.code, "error": str(refusal), "final": refusal.final})


def serve_all(run: Run) -> None:
    """Work through everything that waits."""
    run.attempt(PART, lambda: serve(run, run.ask()))


def serve(run: Run, offer: Offer) -> int:
    """Work through this page and those that follow it. Return how many edits could be answered."""
    answered = sum(_serve_page(run, page.edits) for page in _pages(run, offer))
    if left := ledger.unheard(run.state):
        _tell_unheard(run, left)
    return answered


def _pages(run: Run, offer: Offer) -> Iterator[Offer]:
    seen, end = set[str](), time.monotonic() + _LONGEST_S
    yield offer
    while offer.next is not None and offer.next not in seen and len(seen) < _MOST_PAGES and time.monotonic() < end:
        seen.add(offer.next)
        offer = run.ask(after=offer.next)
        yield offer
    if offer.next is not None:
        run.journal.say("edits: the cloud's pages do not end; the rest is left for the next run")


def _serve_page(run: Run, offered: Sequence[object]) -> int:
    answers, trouble = _Answers(), None
    for one in offered:
        try:
            _serve_one(run, one, answers)
        except FactoryTrouble as exc:
            trouble = exc
            break
    if answers.names:
        outdated = run.cloud.applied(answers.acks, answers.nacks)
        with run.state.transaction():
            ledger.hear(run.state, [name for name in answers.names if name.id not in outdated])
            run.state.hear_stored(answers.gen)
        run.judged.update(answers.names)
    if trouble is not None:
        raise trouble
    return len(answers.names)


def _tell_unheard(run: Run, left: Sequence[Edit]) -> None:
    """Report once more what the cloud has not been heard to take, or was set after something newer was asked for.

    What still waits comes again by itself, or its successor does. What does not was set by another agent too: if ours
    stands there, it came later, and told with a generation above all that the cloud has, that offers the newer again.
    """
    waiting = [one.get("id") for page in _pages(run, run.ask()) for one in page.edits if isinstance(one, dict)]
    closed = [edit for edit in left if edit.name.id not in waiting]
    standing = [edit for edit in closed if run.factory.has_ours(edit.cell, edit.name.status)]
    if standing:
        deed = Deed(ledger.APPLIED, run.state.stamp(run.clock()), is_repeat=True)
        answers = _Answers()
        for edit in standing:
            answers.ack(edit, deed)
        run.cloud.applied(answers.acks, [])
        for edit in standing:
            run.journal.say(f"{edit}: {_outcome(deed, run)}")
    ledger.hear(run.state, [edit.name for edit in closed])


def _serve_one(run: Run, offered: object, answers: _Answers) -> None:
    try:
        edit = read(offered)
    except BadEdit as exc:
        _refuse_bad(run, exc, answers)
        return
    if edit.name in run.judged:
        return
    try:
        deed = ledger.apply(edit, factory=run.factory, state=run.state, now=run.clock(), today=run.latest_today)
    except Refused as exc:
        answers.nack(edit.name, exc)
        _say_refused(run, str(edit), exc)
        return
    if deed is None:
        run.judged.add(edit.name)
        run.journal.say(f"{edit}: skipped, something newer was done")
        return
    answers.ack(edit, deed)
    run.journal.say(f"{edit}: {_outcome(deed, run)}")


def _refuse_bad(run: Run, bad: BadEdit, answers: _Answers) -> None:
    """What has a name is refused for good; what has none can only be written down, once per run."""
    key = bad.name or str(bad)
    if key in run.judged:
        return
    refusal = Refused("bad_edit", str(bad), final=True)
    _say_refused(run, f"edit id={bad.name.id if bad.name else '?'}", refusal)
    if bad.name is None:
        run.judged.add(key)
    else:
        answers.nack(bad.name, refusal)


def _say_refused(run: Run, what: str, refusal: Refused) -> None:
    run.report.refused.add(what)
    verb = ("would be " if run.rehearsal else "") + ("refused" if refusal.final else "put off")
    run.journal.say(f"{what}: {verb}, {refusal.code}: {refusal}")


def _outcome(deed: Deed, run: Run) -> str:
    if deed.is_repeat:
        return f"{'would say' if run.rehearsal else 'said'} again that it is {deed.outcome}"
    if not run.rehearsal:
        return deed.outcome
    return "would apply" if deed.outcome == ledger.APPLIED else f"would be {deed.outcome}"


def _named(name: Name) -> dict[str, object]:
    return {"id": name.id, "rev": name.rev, "status": name.status}
