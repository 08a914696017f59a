"""Moments as the agent's own database keeps them: UTC, whole seconds, in ISO form, which sorts as text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import overload


def now() -> datetime:
    return datetime.now(UTC)


@overload
def text(moment: datetime) -> str: ...
@overload
def text(moment: datetime | None) -> str | None: ...
def text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")


@overload
def moment(text: str) -> datetime: ...
@overload
def moment(text: str | None) -> datetime | None: ...
def moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
