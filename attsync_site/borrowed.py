"""Texts of Django's that its own Thai catalogue leaves in English. Ours is asked first, so they are translated here."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy

ADMIN = (
    _("Skip to main content"),
    _("Toggle theme (current theme: auto)"),
    _("Toggle theme (current theme: light)"),
    _("Toggle theme (current theme: dark)"),
    _("Toggle navigation"),
    _("Sidebar"),
    _("Breadcrumbs"),
    _("Start typing to filter…"),
    _("Filter navigation items"),
    _("Model name"),
    _("Add link"),
    _("Change or view list link"),
    _("Show counts"),
    _("Hide counts"),
    _("Clear all filters"),
    _("Select all objects on this page for an action"),
    _("Select this object for an action - {}"),
    _("View selected %(model)s"),
    _("0 of %(cnt)s selected"),
    _("Toggle sorting"),
    _("Remove from sorting"),
    _("Please correct the error below."),
    _("Please correct the errors below."),
    _("Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only."),
    _("Enter the same password as before, for verification."),
    _("Error:"),
    _("You don’t have permission to view or edit anything."),
    _("Thanks for spending some quality time with the web site today."),
    _("Changed {fields} for {name} “{object}”."),
    _("Changed “%(object)s” — %(changes)s"),
    _("The {name} “{obj}” was changed successfully."),
)
SELECTED = ngettext_lazy("%(total_count)s selected", "All %(total_count)s selected", "total_count")
AGES = (
    ngettext_lazy("%(num)d year", "%(num)d years", "num"),
    ngettext_lazy("%(num)d month", "%(num)d months", "num"),
    ngettext_lazy("%(num)d week", "%(num)d weeks", "num"),
    ngettext_lazy("%(num)d day", "%(num)d days", "num"),
    ngettext_lazy("%(num)d hour", "%(num)d hours", "num"),
    ngettext_lazy("%(num)d minute", "%(num)d minutes", "num"),
)
