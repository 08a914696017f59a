"""What the agent says about itself with each call of `pending`."""

from __future__ import annotations

import hashlib
import uuid
from pathlib import Path

from onprem import __version__, jobhealth
from onprem.state import State

_KERNEL_BOOT = Path("/proc/sys/kernel/random/boot_id")
_THIS_RUN = uuid.uuid4().hex[:8]


def beat(state: State, *, clock: float, error: str) -> dict[str, str | int]:
    """Return the parameters of the wire contract. ``clock`` is ours, in unix seconds, right or wrong.

    ``day`` with ``captured`` confirm a day that was read again and had not changed, so that it does not look old.
    """
    said: dict[str, str | int] = {"v": __version__, "boot": f"{_installation(state)}.{_THIS_RUN}", "clock": int(clock)}
    if error:
        said["error"] = error
    for name, noted in (("day", "checked_day"), ("captured", "checked_at")):
        if (value := state.get(noted)) is not None:
            said[name] = value
    if (jobs := jobhealth.health(state)) is not None:
        said["jobs"] = str(jobs)
    return said


def _installation(state: State) -> str:
    """Name this state on this machine since it was started: a cloned disk must show as a second agent."""
    home = state.get("home")
    if home is None:
        home = uuid.uuid4().hex
        state.put("home", home)
    boot = _KERNEL_BOOT.read_text().strip() if _KERNEL_BOOT.exists() else ""
    return hashlib.sha256(f"{home} {boot}".encode()).hexdigest()[:16]
