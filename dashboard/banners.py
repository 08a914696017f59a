"""What a person must know before reading the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import dates, statuses, words
from dashboard.cards import period_name
from dashboard.freshness import Freshness, Line
from dashboard.summary import QueueCount
from editqueue.merge import MergedDay
from mirror import counting, factorytime

# A second agent counts as gone after this long without a call.
SECOND_AGENT_GONE = timedelta(minutes=10)


@dataclass(frozen=True)
class Banner:
    """``urgent`` ones are announced at once."""

    tone: str
    icon: str
    title: str
    text: str = ""
    url: str = ""
    link: str = ""
    urgent: bool = False


def of_line(fresh: Freshness, count: QueueCount) -> Iterator[Banner]:
    """What is wrong between here and the factory, worst first."""
    line = fresh.line
    if line.state == "offline":
        yield _offline(fresh)
    if line.wrong_key_since_heard:
        yield Banner("absent", "refused", _("Somebody calls with a wrong key"), _("Check ATTSYNC_KEY on both sides."))
    if line.is_heard:
        yield from _troubles(line)
    if count.stuck:
        title = ngettext("%(n)s correction is stuck", "%(n)s corrections are stuck", count.stuck) % {"n": count.stuck}
        yield Banner("absent", "stuck", title, url=reverse("queue"), link=_("See what is wrong"))


def of_day(merged: MergedDay, day: date, *, today: date) -> Iterator[Banner]:
    """What is special about this day."""
    snapshot = merged.snapshot
    if snapshot.holiday:
        came = merged.totals.full + merged.totals.partial
        text = _("Attendance does not count on this day.")
        if came:
            text += " " + ngettext("%(n)s person came.", "%(n)s people came.", came) % {"n": came}
        yield Banner("off", "month", _("Holiday: %(name)s") % {"name": snapshot.holiday}, text)
    elif not merged.totals.active_total and merged.totals.off:
        words_of_off = Counter(worker.off or "" for worker in snapshot.workers)
        title = words_of_off.most_common(1)[0][0] or str(statuses.DAY["off"].label)
        yield Banner("off", "month", title, _("Nobody is expected on this day."))
    names = [period_name(period) for period in snapshot.periods if period.state == counting.SETTLING]
    if names:
        yield _settling(" · ".join(names), snapshot.scans_through)
    if merged.rules.is_open and day < today and not names:
        yield Banner(
            *("settling", "stuck", _("This day was never finished")),
            _("The factory's last figures of it came before its end; what is shown is not final."),
        )


def _offline(fresh: Freshness) -> Banner:
    heard = fresh.line.heard_at
    since = dates.moment(heard, fresh.today) if heard else ""
    text = _("Corrections are still possible; they are sent when it is back.")
    if fresh.data_time:
        text = _("The figures are of %(time)s.") % {"time": fresh.data_time} + " " + text
    return Banner("offline", "offline", _("Factory offline since %(time)s") % {"time": since}, text, urgent=True)


def _troubles(line: Line) -> Iterator[Banner]:
    if line.link.error:
        yield Banner("absent", "refused", words.trouble(line.link.error), _("Tell whoever installed this."))
    if minutes := line.clock_error_minutes:
        title = ngettext(
            "The factory's clock is %(n)s minute wrong", "The factory's clock is %(n)s minutes wrong", minutes
        )
        text = _("Scan times may be off. Tell whoever installed this.")
        yield Banner("slow", "late", title % {"n": minutes}, text)
    if missed := line.missed_runs:
        title = ngettext(
            "%(n)s run of a job at the factory was missed", "%(n)s runs of jobs at the factory were missed", missed
        )
        yield Banner("slow", "refused", title % {"n": missed}, _("Tell whoever installed this."))
    other = line.link.second_agent_at
    if other and line.now - other < SECOND_AGENT_GONE and line.link.error != "second_agent":
        yield Banner("slow", "refused", words.trouble("second_agent"), _("Tell whoever installed this."))


def _settling(names: str, scans_through: str | None) -> Banner:
    text = _("Nobody counts as absent in %(periods)s yet.") % {"periods": names}
    if not scans_through:
        return Banner("settling", "stuck", _("The terminals' data is not all here yet"), text)
    through = factorytime.aware(datetime.fromisoformat(scans_through).replace(tzinfo=None))
    return Banner("settling", "stuck", _("Terminals read up to %(time)s") % {"time": dates.time_of(through)}, text)
