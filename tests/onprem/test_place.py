"""What keeps a run from its state directory is found out beforehand, in the same words and without a trace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest

from onprem.state import NAME, State, StateUnwritable, must_be_usable

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where everybody may go: pytest's own folder is its user's."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


@contextmanager
def somebody_else() -> Iterator[None]:
    """Root has all rights. Anybody else lacks what a file's mode does not give."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def words_of(attempt: Callable[[], object]) -> str:
    with pytest.raises(StateUnwritable) as caught:
        attempt()
    return str(caught.value)


def traces(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("place", ["/dev/null", "/dev/null/attsync", "/dev/null/a/b"])
def test_a_place_that_takes_no_folder_is_named_as_a_run_names_it(place: str) -> None:
    assert words_of(lambda: must_be_usable(Path(place))) == words_of(lambda: State.open(Path(place)))


def test_a_place_that_would_be_made_is_not_even_tried(folder: Path) -> None:
    before = folder.stat().st_mtime_ns

    must_be_usable(folder / "deep" / "state")

    assert folder.stat().st_mtime_ns == before


MODES = {
    "the folder above": {".": 0o555, "state": 0o000},
    "the folder": {"state": 0o000},
    "the lock": {"state/state.lock": 0o444},
    "the file": {f"state/{NAME}": 0o000},
    "writing the file": {f"state/{NAME}": 0o444},
    "the journal": {f"state/{NAME}-journal": 0o444},
}


@pytest.mark.parametrize("modes", MODES.values(), ids=MODES)
def test_a_lack_of_rights_is_told_as_a_run_tells_it(folder: Path, modes: dict[str, int]) -> None:
    state = folder / "state"
    State.open(state).close()
    for path in (state, *state.iterdir()):
        path.chmod(0o777)
    before = traces(folder)
    for name, mode in modes.items():
        (folder / name).chmod(mode)

    with somebody_else():
        told, met = words_of(lambda: must_be_usable(state)), words_of(lambda: State.open(state))

    (folder / "state").chmod(0o777)
    assert told == met
    assert "Permission denied" in told
    for path in state.iterdir():
        path.chmod(0o777)
    assert traces(folder) == before


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_that_cannot_be_made_or_take_its_files_is_told_as_a_run_tells_it(folder: Path, is_there: bool) -> None:
    state = folder / "state"
    if is_there:
        state.mkdir()
        state.chmod(0o555)
    folder.chmod(0o555)

    with somebody_else():
        told, met = words_of(lambda: must_be_usable(state)), words_of(lambda: State.open(state))

    assert told == met
    assert "Permission denied" in told


def test_files_that_are_all_there_need_no_right_to_make_them(folder: Path) -> None:
    state = folder / "state"
    State.open(state).close()
    for path in state.iterdir():
        path.chmod(0o666)
    before = traces(folder)
    state.chmod(0o555)

    with somebody_else():
        must_be_usable(state)
        State.open(state).close()

    assert traces(folder) == before


def test_a_read_only_disk_is_called_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onprem.place.os.access", lambda *_args, **_options: False)
    monkeypatch.setattr("onprem.place.os.statvfs", lambda _place: SimpleNamespace(f_flag=os.ST_RDONLY))

    assert words_of(lambda: must_be_usable(folder)).endswith(f"Read-only file system: '{folder}/state.lock'")


@pytest.mark.parametrize("is_there", [True, False])
def test_a_full_disk_is_called_full(folder: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    state = folder if is_there else folder / "state"
    full = SimpleNamespace(f_flag=0, f_blocks=50, f_bfree=0, f_bavail=0)
    monkeypatch.setattr("onprem.place.os.statvfs", lambda _place: full)

    assert words_of(lambda: must_be_usable(state)).endswith("database or disk is full")


def test_a_place_where_all_is_well_is_left_as_it_is(folder: Path) -> None:
    must_be_usable(folder)
    must_be_usable(folder / "a" / "state")

    assert traces(folder) == {}
