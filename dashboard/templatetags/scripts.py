from __future__ import annotations

from django import template

from dashboard import scripts

register = template.Library()


@register.simple_tag
def script_url() -> str:
    """Where the page's behaviours are, under a name that may be cached for ever."""
    return scripts.url()
