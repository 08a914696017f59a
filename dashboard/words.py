"""The factory's machine words as sentences. A word nobody knows here is shown as it is, with the sender's own text."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

REFUSALS: dict[str, str | Promise] = {
    "unknown_employee": _("This number is no longer on the factory's roster"),
    "unknown_period": _("The factory has no such period on that day"),
    "future_day": _("The factory does not take marks for days to come"),
    "bad_edit": _("The factory could not understand this correction"),
    "write_failed": _("The factory's database did not take it"),
}

TROUBLES: dict[str, str | Promise] = {
    "factory_down": _("The factory's database cannot be read"),
    "view_missing": _("The factory's database lacks what the agent reads"),
    "bad_windows": _("The factory's periods overlap or make no sense"),
    "clock_off": _("The factory's clock is wrong"),
    "suspicious": _("The factory's roster shrank so much that it was not taken over"),
    "cron_missing": _("A scheduled job at the factory is missing"),
    "state_unwritable": _("The agent cannot write its own notes"),
    "second_agent": _("Two agents are running at once"),
}

NOTICES: dict[str, str | Promise] = {
    "unmatched": ngettext_lazy("%(n)s scan of an unknown number", "%(n)s scans of unknown numbers", "n"),
    "future_scan": ngettext_lazy("%(n)s scan with a time to come", "%(n)s scans with a time to come", "n"),
    "old_scan": ngettext_lazy("%(n)s scan that arrived long after", "%(n)s scans that arrived long after", "n"),
    "duplicate": ngettext_lazy("%(n)s person listed twice", "%(n)s people listed twice", "n"),
    "unknown_override": ngettext_lazy("%(n)s mark of an unknown kind", "%(n)s marks of an unknown kind", "n"),
    "dead_terminal": ngettext_lazy("%(n)s terminal that sends nothing", "%(n)s terminals that send nothing", "n"),
    "number_collision": ngettext_lazy("%(n)s number used by two people", "%(n)s numbers used by two people", "n"),
    "bad_row": ngettext_lazy("%(n)s row that could not be read", "%(n)s rows that could not be read", "n"),
}


def refusal(code: str, text: str) -> str:
    """Return why the factory refused an edit."""
    known = REFUSALS.get(code)
    return str(known) if known else " · ".join(part for part in (code, text) if part)


def trouble(code: str) -> str:
    """Return what the agent says is wrong on its side."""
    return str(TROUBLES.get(code, code))


def notice(kind: str, n: int) -> str:
    """Return what the factory found odd in its data."""
    known = NOTICES.get(kind)
    return str(known % {"n": n}) if known else f"{kind}: {n}"
