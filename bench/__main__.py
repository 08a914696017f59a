"""``make bench``: everything in one table. No test and no gate; quote ratios of one run."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import django

from tests import sides

PARTS = ("cloud", "agent")


def main(parts: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="attsync-bench-") as folder:
        _prepare(Path(folder))
        for part in parts or PARTS:
            for row in import_module(f"bench.{part}").rows():
                sys.stdout.write(f"{row}\n")
                sys.stdout.flush()


def _prepare(folder: Path) -> None:
    """A scratch database, or the one named by ``BENCH_DATABASE_URL`` (it is filled with a million rows)."""
    url = os.environ.get("BENCH_DATABASE_URL", f"sqlite:///{folder}/bench.sqlite3")
    sides.forget_the_environment()
    sides.set_environment("cloud", url, folder)
    django.setup()
    logging.disable(logging.WARNING)


if __name__ == "__main__":
    main(sys.argv[1:])
