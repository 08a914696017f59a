"""The one dictionary: every status in words, with its icon and its colour class.

Tiles, badges, legend, calendar and export all read it. The class ``s-<tone>`` gets its colour in `static/css/site.css`.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


@dataclass(frozen=True)
class Look:
    """How a status appears everywhere: word, icon, colour class, and what it means (for the legend)."""

    label: str | Promise
    icon: str
    tone: str
    meaning: str | Promise = ""


_TOO_LONG = format_lazy(
    _("Waiting for over {n} minutes although the factory is online"), n=settings.ATTSYNC_STUCK_MINUTES
)
_SILENT = format_lazy(_("Silent for 5 to {n} minutes"), n=settings.ATTSYNC_OFFLINE_MINUTES)

# A person's day, and the answers that must never look like "absent".
DAY = {
    "full": Look(pgettext_lazy("a day", "full"), "full", "full", _("Came in every period that has ended")),
    "partial": Look(_("partly"), "partial", "partial", _("Came in at least one period, but not in all")),
    "absent": Look(_("absent"), "absent", "absent", _("At least one period has ended, and not there in any")),
    "late": Look(_("late"), "late", "late", _("Came, but after the set time; counts as having come")),
    "wait": Look(_("no result yet"), "wait", "wait", _("None of this person's periods has ended")),
    "off": Look(_("off or on leave"), "off", "off", _("This person's day off")),
    "holiday": Look(_("holiday"), "month", "off", _("The factory's holiday")),
    "nodata": Look(_("no data"), "nodata", "nodata", _("The factory has sent nothing for this day")),
}

# What became of a correction.
EDIT = {
    "pending": Look(_("waiting to sync"), "pending", "pending", _("Noted here, not yet received by the factory")),
    "saved": Look(_("saved at the factory"), "saved", "saved", _("The factory has it; its next figures will show it")),
    "scanned": Look(_("really scanned"), "scan", "scan", _("The scan's time is used instead; nothing to correct")),
    "changed": Look(_("changed at the factory"), "manual", "scan", _("Somebody corrected it there; their word stands")),
    "refused": Look(_("refused by the factory"), "refused", "refused", _("With a reason; the old value stays")),
    "stuck": Look(_("stuck"), "stuck", "stuck", _TOO_LONG),
    "manual": Look(_("by hand"), "manual", "wait", _("Marked by a person, not scanned")),
}

# What a mark says, on buttons and badges.
WISH = {
    "present": Look(pgettext_lazy("one mark", "came"), "full", "full"),
    "late": Look(pgettext_lazy("one mark", "late"), "late", "late"),
    "absent": Look(_("cancel"), "absent", "wait"),
}

# Where a period, or a group of them, stands.
PERIOD = {
    "wait": Look(_("not begun"), "wait", "wait", _("The period has not begun")),
    "open": Look(_("scanning"), "scan", "open", _("The period is running")),
    "settling": Look(
        _("waiting for terminals"), "stuck", "settling", _("Ended, but not all terminals have sent their data")
    ),
    "end": Look(_("ended"), "full", "end", _("The period is over and counted")),
    "between": Look(_("not over"), "wait", "wait", _("Some periods of the group are over, others to come")),
}

# The line to the factory.
LINE = {
    "ok": Look(_("normal"), "full", "ok", _("The factory was heard within 5 minutes")),
    "trouble": Look(
        _("factory has a problem"), "refused", "offline", _("The agent is heard, but cannot read the factory's data")
    ),
    "slow": Look(_("slow"), "slow", "slow", _SILENT),
    "offline": Look(
        _("factory offline"), "offline", "offline", _("Silent for longer; the figures are of the time shown")
    ),
    "never": Look(_("never heard"), "offline", "offline", _("The factory's agent has never called")),
}

# A day whose periods are not over yet says less than the same figure would say in the evening.
NOT_COME_YET = Look(_("not come yet"), "wait", "wait")
OPEN_DAY = {"full": _("came in every period so far"), "absent": NOT_COME_YET.label}
CLOSED_DAY = {"full": _("full day"), "absent": _("absent all day"), "partial": _("partly"), "late": _("late")}

# Where there is little room.
SHORT = {**DAY, "partial": Look(pgettext_lazy("short", "partly"), "partial", "partial")}


def day_label(status: str, *, is_open: bool) -> str | Promise:
    """Return the tile's words; on an open day "absent" becomes "not come yet"."""
    if is_open and status in OPEN_DAY:
        return OPEN_DAY[status]
    return CLOSED_DAY.get(status) or DAY[status].label
