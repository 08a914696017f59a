"""Icons and badges from the one dictionary."""

from __future__ import annotations

from collections.abc import Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.statuses import Look

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the sprite. It stands beside a word, or inside a control that has a label."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def badge(look: Look) -> SafeString:
    return format_html('<span class="badge s-{}">{}{}</span>', look.tone, icon(look.icon), look.label)


@register.simple_tag
def state(look: Look, label: str = "") -> SafeString:
    """A status inside a table cell: no tint."""
    return format_html('<span class="st s-{}">{}{}</span>', look.tone, icon(look.icon), label or look.label)


@register.filter
def item(mapping: Mapping[str, object], key: str) -> object:
    return mapping[key]
