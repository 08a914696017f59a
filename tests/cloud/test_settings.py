"""Settings that cannot be meant end with a sentence that names them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sides import CLOUD, ONPREM

ROOT = Path(__file__).resolve().parents[2]


def started(side: dict[str, str], **changed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from django.conf import settings; print(settings.DATABASES is not None)"],
        cwd=ROOT,
        env={**side, "PATH": os.environ["PATH"], **changed},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", ""),
        ("HTTPS_ONLY", "ture"),
        ("DEBUG", "ja"),
        ("ATTSYNC_EDIT_DAYS", "-1"),
        ("ATTSYNC_EDIT_DAYS", "x"),
        ("ATTSYNC_GROUPS", "300"),
        ("ATTSYNC_GROUPS", "1+x"),
        ("DATABASE_URL", "banana"),
    ],
)
def test_a_mistake_in_the_clouds_settings_is_named(name: str, value: str) -> None:
    done = started(CLOUD, **{name: value})

    assert done.returncode != 0
    assert f"ImproperlyConfigured: {name}" in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("ONPREM_DAY_STARTS", "12"), ("ONPREM_CATCHUP_DAYS", "many"), ("LEGACY_DATABASE_URL", "banana")],
)
def test_a_mistake_in_the_factorys_settings_is_named(name: str, value: str) -> None:
    done = started(ONPREM, **{name: value})

    assert done.returncode != 0
    assert f"ImproperlyConfigured: {name}" in done.stderr


def test_what_is_left_empty_has_its_default() -> None:
    assert started(CLOUD, HTTPS_ONLY="", ATTSYNC_EDIT_DAYS="").returncode == 0
