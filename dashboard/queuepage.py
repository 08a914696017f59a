"""The queue for people: what is stuck and why, what waits, what was done in the last day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import dates, people, statuses, toasts, words
from dashboard.freshness import Line
from dashboard.place import Place
from dashboard.statuses import Look
from dashboard.summary import QueueCount
from editqueue.models import Edit, Outcome
from editqueue.undo import WINDOW
from mirror.wire import ABSENT

DONE_WITHIN = timedelta(hours=24)
MOST = 200
MOST_GROUPS = 10


@dataclass(frozen=True)
class Item:
    """One correction, or a whole group's. ``undo``, ``undo_all`` and ``again`` are the values of buttons, or empty."""

    no: str
    name: str
    url: str
    badges: Sequence[Look]
    where: str
    text: str
    undo: str = ""
    undo_all: str = ""
    again: str = ""


@dataclass(frozen=True)
class Queue:
    """What is listed, and how many there are in all. ``groups`` were marked at once and can be taken back at once."""

    groups: Sequence[Item]
    stuck: Sequence[Item]
    stuck_total: int
    waiting: Sequence[Item]
    waiting_total: int
    done: Sequence[Item]
    done_total: int

    @property
    def more_stuck(self) -> int:
        return max(0, self.stuck_total - len(self.stuck))

    @property
    def more_waiting(self) -> int:
        return max(0, self.waiting_total - len(self.waiting))

    @property
    def is_empty(self) -> bool:
        return not (self.stuck or self.waiting or self.done)


def queue(line: Line, today: date, count: QueueCount) -> Queue:
    """Read the queue as it is now. What is stuck is asked for by itself: it must not drown in what is new."""
    now = line.now
    held = list(Edit.objects.held().order_by("-held_at")[:MOST])
    waiting = Edit.objects.waiting().order_by("-created_at")
    late: list[Edit] = []
    if line.is_heard:
        late = list(waiting.filter(created_at__lt=line.stuck_before).order_by("created_at")[:MOST])
        waiting = waiting.filter(created_at__gte=line.stuck_before)
    fresh = list(waiting[:MOST])
    done = Edit.objects.filter(applied_at__gt=now - DONE_WITHIN)
    closed = list(done.order_by("-applied_at")[:MOST])
    names = people.period_names((edit.day for edit in [*held, *late, *fresh, *closed]), now)
    maker = _Maker(line, today, names)
    return Queue(
        groups=list(maker.groups()),
        stuck=[maker.stuck(edit) for edit in [*held, *late][:MOST]],
        stuck_total=count.stuck,
        waiting=[maker.waiting(edit) for edit in fresh],
        waiting_total=count.open - count.stuck,
        done=[maker.done(edit) for edit in closed],
        done_total=len(closed) if len(closed) < MOST else done.count(),
    )


@dataclass(frozen=True)
class _Maker:
    line: Line
    today: date
    names: dict[tuple[date, int], str | None]

    def groups(self) -> Iterator[Item]:
        """Whole groups marked within the time of undo, newest first."""
        since = self.line.now - WINDOW
        recent = Edit.objects.filter(Q(applied_at=None) | Q(applied_at__gt=since), created_at__gt=since)
        at_once = recent.exclude(status=ABSENT).values("day", "created_at", "status").annotate(n=Count("id"))
        for one in at_once.filter(n__gt=1).order_by("-created_at")[:MOST_GROUPS]:
            yield Item(
                no="",
                name=ngettext("%(n)s person marked", "%(n)s people marked", one["n"]) % {"n": one["n"]},
                url=Place(one["day"]).url(),
                badges=[statuses.WISH[one["status"]]],
                where=dates.weekday_day_month(one["day"]),
                text=_("tapped %(time)s") % {"time": self._when(one["created_at"])},
                undo_all=toasts.name_of_all(one["day"], one["created_at"]),
            )

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
