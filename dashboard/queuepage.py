"""The queue for people: what is stuck and why, what waits, what was done in the last day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext as _

from dashboard import dates, people, statuses, words
from dashboard.freshness import Line
from dashboard.place import Place
from dashboard.statuses import Look
from editqueue.models import Edit, Outcome
from editqueue.undo import WINDOW

DONE_WITHIN = timedelta(hours=24)
MOST = 200


@dataclass(frozen=True)
class Item:
    """One correction. ``undo`` and ``again`` are the values of its buttons, empty where there is none."""

    no: str
    name: str
    url: str
    badges: Sequence[Look]
    where: str
    text: str
    undo: str = ""
    again: str = ""


@dataclass(frozen=True)
class Queue:
    stuck: Sequence[Item]
    waiting: Sequence[Item]
    done: Sequence[Item]
    more: int

    @property
    def is_empty(self) -> bool:
        return not (self.stuck or self.waiting or self.done)


def queue(line: Line, today: date) -> Queue:
    """Read the queue as it is now."""
    now = line.now
    open_edits = list(Edit.objects.open().order_by("-created_at")[: MOST + 1])
    closed = list(Edit.objects.filter(applied_at__gt=now - DONE_WITHIN).order_by("-applied_at")[:MOST])
    names = people.period_names((edit.day for edit in [*open_edits, *closed]), now)
    maker = _Maker(line, today, names)
    stuck = [edit for edit in open_edits if edit.held_at or line.is_stuck(edit.created_at)]
    waiting = [edit for edit in open_edits if edit not in stuck]
    return Queue(
        stuck=[maker.stuck(edit) for edit in stuck[:MOST]],
        waiting=[maker.waiting(edit) for edit in waiting[:MOST]],
        done=[maker.done(edit) for edit in closed],
        more=max(0, Edit.objects.open().count() - MOST),
    )


@dataclass(frozen=True)
class _Maker:
    line: Line
    today: date
    names: dict[tuple[date, int], str | None]

    def stuck(self, edit: Edit) -> Item:
        if edit.held_at:
            badges = [statuses.WISH[edit.status], statuses.EDIT["refused"]]
            return self._item(edit, badges, words.refusal(edit.error_code, edit.error), again=str(edit.id))
        text = _("asked %(time)s; the factory is online but has not answered") % {"time": self._when(edit.created_at)}
        return self._item(edit, [statuses.WISH[edit.status], statuses.EDIT["stuck"]], text)

    def waiting(self, edit: Edit) -> Item:
        text = _("tapped %(time)s") % {"time": self._when(edit.created_at)}
        if edit.attempts:
            text += " · " + _("tried %(n)s times: %(why)s") % {
                "n": edit.attempts,
                "why": words.refusal(edit.error_code, edit.error),
            }
        return self._item(edit, [statuses.WISH[edit.status], statuses.EDIT["pending"]], text)

    def done(self, edit: Edit) -> Item:
        look = {Outcome.SUPERSEDED: statuses.EDIT["scanned"], Outcome.APPLIED: statuses.EDIT["saved"]}
        badges = [statuses.WISH[edit.status], *filter(None, [look.get(Outcome(edit.outcome or Outcome.APPLIED))])]
        text = _("tapped %(time)s") % {"time": self._when(edit.created_at)}
        if edit.outcome in (Outcome.SUPERSEDED, Outcome.DISCARDED):
            text += f" · {Outcome(edit.outcome).label}"
        return self._item(edit, badges, text)

    def _item(self, edit: Edit, badges: Iterable[Look], text: str, *, again: str = "") -> Item:
        may_undo = self.line.now - edit.created_at <= WINDOW and not edit.held_at and edit.outcome != Outcome.SUPERSEDED
        period = self.names.get((edit.day, edit.period)) or _("Period %(code)s") % {"code": edit.period}
        return Item(
            no=edit.employee_no,
            name=edit.full_name or edit.employee_no,
            url=Place(edit.day, query=edit.employee_no).url(),
            badges=list(badges),
            where=f"{period} {dates.weekday_day_month(edit.day)}",
            text=text,
            undo=f"{edit.id}.{edit.rev}" if may_undo else "",
            again=again,
        )

    def _when(self, moment: datetime) -> str:
        return dates.moment(moment, self.today)
