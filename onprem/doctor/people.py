"""Who works there, by which numbers, in which letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onprem import relations, rows
from onprem.capture import Register, register
from onprem.doctor.finding import Finding, bad, good, odd, some
from onprem.doctor.letters import garbled, probably
from onprem.faults import reading
from onprem.models import relation_name
from onprem.notices import BAD_ROW, Notices
from onprem.rows import PeriodRow, Texts

SAMPLES = 3


def look_at_people() -> Iterator[Finding]:
    with reading():
        texts, periods = relations.employees(), relations.periods()
    notices = Notices()
    people = register(rows.people(texts, notices))
    yield from sample(people)
    yield from letters(texts, periods)
    yield from numbers(people)
    yield from shifts(people, rows.periods(periods, Notices()))
    if count := notices.count(BAD_ROW):
        yield odd("bad_rows", count=count, words=some(list(notices.samples(BAD_ROW))))


def sample(people: Register) -> Iterator[Finding]:
    """A few people as the page will show them: whoever knows the factory sees at once whether that is right."""
    shown = [person for person in people.people.values() if person.active][:SAMPLES]
    if shown:
        words = [f"{person.no} {person.name or '-'} ({person.group or '-'})" for person in shown]
        yield good("sample", rows=", ".join(words))


def letters(people: Sequence[Texts], periods: Sequence[Texts]) -> Iterator[Finding]:
    """Columns that were read in a charset other than the one their bytes are in."""
    columns = [
        ("employee", "full_name", [row[2] for row in people]),
        ("employee", "grp", [row[3] for row in people]),
        ("period", "label", [row[1] for row in periods]),
    ]
    found = [(relation, column, wrong) for relation, column, texts in columns if (wrong := garbled(texts))]
    for relation, column, wrong in found:
        guess = probably(wrong[0])
        yield bad(
            "charset_bad",
            relation=relation_name(relation),
            column=column,
            count=len(wrong),
            seen=wrong[0],
            guess=f"→ {guess} " if guess else "",
        )
    if not found:
        yield good("charset_good")


def numbers(people: Register) -> Iterator[Finding]:
    """Numbers that hit two people, or nearly do."""
    if people.collisions:
        words = [f"{device} → {', '.join(own)}" for device, own in sorted(people.collisions.items())]
        yield bad("collision", words=some(words))
    folded: dict[str, list[str]] = {}
    for no in sorted(people.people):
        folded.setdefault(no.lstrip("0"), []).append(no)
    if alike := [" / ".join(group) for group in folded.values() if len(group) > 1]:
        yield odd("folding", words=some(alike))
    if without := [person.no for person in people.people.values() if person.active and not person.devices]:
        yield odd("no_device", count=len(without), words=some(without))


def shifts(people: Register, periods: Sequence[PeriodRow]) -> Iterator[Finding]:
    """A shift code that no window has is mostly a typing error, and its people would be expected nowhere."""
    known = {period.shift for period in periods}
    used = {person.shift for person in people.people.values() if person.active and person.shift is not None}
    if lost := sorted(used - known):
        kind = odd if None in known else bad
        yield kind("lost_shift", words=some(lost))
