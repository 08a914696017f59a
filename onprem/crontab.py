"""Our lines in a crontab that another system on the machine rewrites.

Pure functions over its text. Lines that are not ours come out byte for byte as they went in.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onprem.schedule import Job

BEGIN = "# ATTSYNC_BEGIN"
END = "# ATTSYNC_END"
NOTE = "# Written by `manage.py crontab install`; changes in here are lost."

CATCHUP = (("*/5 * * * *", "catchup"), ("@reboot", "catchup"))

_OURS = re.compile(r"""manage\.py['"]?\s+(push_cloud|catchup|run_job)\b(.*)""")
_OF_JOBS = ("push_cloud", "run_job")
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_JOB = re.compile(r"--job[= ]\s*['\"]?([\w-]+)")


@dataclass(frozen=True)
class Rewriter:
    """The other system: it replaces all between its two markers, and deletes lines elsewhere that hold a name."""

    begin: str
    end: str
    names: Sequence[str]

    def dooms(self, lines: Sequence[str]) -> Iterator[str]:
        """Yield for each line why it would be gone, or nothing. A begin without an end is taken to reach to the end."""
        is_inside = False
        for line in lines:
            is_inside = is_inside or self.begin in line
            if is_inside:
                yield f"inside the block that begins with {self.begin!r}"
                is_inside = self.end not in line
            else:
                yield next((f"contains the name {name}" for name in self.names if name in line), "")


@dataclass(frozen=True)
class Finding:
    """One of our lines, and why it is not there or would not stay; nothing: it survives.

    ``is_of_a_job``: no line at all but a job that may have none. ``is_stale``: the line stays, but starts its job in
    vain. ``is_by_hand``: it stands outside our block, where no install touches it.
    """

    line: str
    trouble: str = ""
    is_of_a_job: bool = False
    is_stale: bool = False
    is_by_hand: bool = False

    def __str__(self) -> str:
        return f"✗ {self.trouble}: {self.line}" if self.trouble else f"✓ survives: {self.line}"


class WouldVanish(Exception):
    """Nowhere in this crontab would our lines stay. The text says why."""


def wanted_lines(jobs: Iterable[Job], *, program: Sequence[str], log: Path, user: str = "") -> list[str]:
    """Return our lines: one for each job, and the two that look for missed slots.

    ``user`` is the extra field of files under /etc/cron.d. In a crontab ``%`` is a newline unless escaped.
    """
    words = shlex.join(program)
    tail = f">> {shlex.quote(str(log))} 2>&1"
    slots = [*((job.cron, job.crontab_words) for job in jobs), *CATCHUP]
    return ["  ".join(filter(None, (when, user, f"{words} {what} {tail}"))).replace("%", r"\%") for when, what in slots]


def installed(text: str, lines: Sequence[str], rewriter: Rewriter) -> str:
    """Return the crontab with exactly these lines in one block of ours, where the rewriter leaves it alone.

    The block stays where it is if it can. Raise WouldVanish if there is no such place.
    """
    others, place = _without_block(text)
    block = [BEGIN, NOTE, *lines, END]
    at_the_end = len(others) - (not others[-1])
    doom = ""
    for at in (at_the_end if place is None else place, at_the_end, 0):
        result = [*others[:at], *block, *others[at:]]
        doom = next(filter(None, list(rewriter.dooms(result))[at : at + len(block)]), "")
        if not doom:
            return "\n".join(result) if not result[-1] else "\n".join([*result, ""])
    raise WouldVanish(doom)


def removed(text: str) -> str:
    """Return the crontab without our block."""
    return "\n".join(_without_block(text)[0])


def findings(
    text: str, lines: Sequence[str], rewriter: Rewriter, *, safe: str = "", times: Mapping[str, str] | None = None
) -> list[Finding]:
    """Play the rewriter's two passes on the crontab; ``safe`` is text that it never touches (/etc/cron.d).

    ``times`` are those of all jobs by name, None if nobody knows. Return every line of ours that is there, then every
    one that is not, or only where somebody has put it in vain.
    """
    present, others = text.split("\n"), set(_without_block(text)[0])
    dooms = zip(present, rewriter.dooms(present), strict=True)
    ours = [_present(line, doom, times, is_outside=line in others) for line, doom in dooms if role(line)]
    ours += [_present(line, "", times) for line in safe.split("\n") if role(line)]
    roles = {role(finding.line) for finding in ours if not finding.is_by_hand}
    return ours + [Finding(line, "is missing") for line in lines if role(line) not in roles]


def role(line: str) -> tuple[str, str] | None:
    """Tell what a line of ours is for, whoever wrote it and at whatever times it runs; None: not ours, or a comment."""
    match = None if line.lstrip().startswith("#") else _OURS.search(line)
    if match is None:
        return None
    command, rest = match.groups()
    if command == "catchup":
        return command, "@reboot" if line.lstrip().startswith("@reboot") else ""
    if command == "run_job":
        return command, rest.split()[0] if rest.split() else ""
    job = _JOB.search(rest)
    return command, job[1] if job else ""


def why_stale(line: str, times: Mapping[str, str]) -> str:
    """Tell why cron starts a job by this line in vain, or nothing. Our lines without a job may have any times."""
    command, name = role(line) or ("", "")
    if command not in _OF_JOBS or not name:
        return ""
    if name not in times:
        return f"starts {name}, which is in the list of jobs no more"
    return "" if _times(line) == _times(times[name]) else f"other times than {times[name]}"


def _times(line: str) -> str:
    """The five fields as cron understands them, also where 7 is written 07, or a name stands for all."""
    words = line.lower().split()
    fields = _NICKNAMES.get(words[0]) or " ".join(words[:5])
    return re.sub(r"\b0+(?=\d)", "", fields)


def _present(line: str, doom: str, times: Mapping[str, str] | None, *, is_outside: bool = False) -> Finding:
    if doom:
        return Finding(line, f"would be deleted, {doom}", is_by_hand=is_outside)
    stale = "" if times is None else why_stale(line, times)
    return Finding(line, stale, is_stale=bool(stale), is_by_hand=is_outside and bool(stale))


def _without_block(text: str) -> tuple[list[str], int | None]:
    """Return the lines that are not of our block, and the place where that began.

    What somebody else has put into the block is his and stays.
    """
    others: list[str] = []
    place, is_inside = None, False
    for line in text.split("\n"):
        if line.strip() == BEGIN:
            is_inside, place = True, len(others) if place is None else place
        elif line.strip() == END:
            is_inside = False
        elif not is_inside or not (line == NOTE or role(line)):
            others.append(line)
    return others, place
