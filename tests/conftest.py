from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import django
import hypothesis
import pytest

from tests import sides
from tests.mariadb import MariaDB

ROOT = Path(__file__).resolve().parent.parent
MEMORY = "/dev/shm"  # noqa: S108 - made with mkdtemp below it
ENOUGH_MEMORY = 2 * 1024**3
IN_CI = os.environ.get("CI") == "true"
# Not part of a checkout, or somebody's own.
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".env", "var", "__pycache__", ".*_cache", "node_modules")

the_server = pytest.StashKey[MariaDB]()

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if IN_CI else "default")


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    parser.addoption("--database", choices=("sqlite", "mariadb"), default="sqlite", help="what the tests run against")
    # The environment has to stand before anything reads the settings, and a conftest further down may.
    config = cast("pytest.Config", pluginmanager.get_plugin("pytestconfig"))
    asked = parser.parse_known_args(config.invocation_params.args)
    if not (asked.help or asked.version):
        _prepare(config, asked.file_or_dir, asked.database)


def pytest_configure(config: pytest.Config) -> None:
    if IN_CI:
        config.pluginmanager.register(NothingSkipped())


def _prepare(config: pytest.Config, paths: list[str], database: str) -> None:
    sides.forget_the_environment()
    _stay_in_memory()
    side = sides.side_of(paths)
    # Short, for it holds a socket: pytest's own temporary folders are too deep.
    folder = Path(tempfile.mkdtemp(prefix="attsync-"))
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    if side is None:
        return

    if database == "sqlite":
        url = f"sqlite:///{folder}/{side}.sqlite3"
    else:
        server = config.stash[the_server] = MariaDB(folder)
        server.start()
        config.add_cleanup(server.stop)
        url = server.url(side)
    sides.set_environment(side, url, folder)
    django.setup()


def _stay_in_memory() -> None:
    """Hundreds of databases that promise each commit to the disk: without a disk they need a third of the time."""
    if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH_MEMORY:
        os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


class NothingSkipped:
    """What CI says it has checked it has checked: a skipped test fails the run."""

    def __init__(self) -> None:
        self.skipped: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.append(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.skipped.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skipped:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.skipped:
            terminalreporter.section("skipped, which CI does not accept", red=True)
            terminalreporter.line("\n".join(self.skipped))


@pytest.fixture(scope="session")
def mariadb(pytestconfig: pytest.Config) -> Iterator[MariaDB]:
    """A server that answers. Several tests use it at once: make a database in it, leave the server running."""
    if server := pytestconfig.stash.get(the_server, None):
        yield server
    else:
        with _a_server() as server:
            yield server


@pytest.fixture
def mortal_mariadb() -> Iterator[MariaDB]:
    """A server for this test alone, to be stopped, killed and started again."""
    with _a_server() as server:
        yield server


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the project without anybody's `.env`, for processes that are to read a `.env` of the test's making."""
    return Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=NOT_COPIED))


@contextmanager
def _a_server() -> Iterator[MariaDB]:
    with (
        tempfile.TemporaryDirectory(prefix="attsync-", ignore_cleanup_errors=True) as folder,
        MariaDB(Path(folder)) as server,
    ):
        yield server
