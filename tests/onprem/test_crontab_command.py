"""`manage.py crontab` with a crontab program of the test's own in the PATH."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import Settings

from onprem import croncheck, cronplaces
from onprem.doctor import surroundings
from tests.onprem.site import add_people, add_periods
from tests.onprem.wirecloud import WireCloud

LEGACY = b"""\
MAILTO=""
# \xca\xd3\xc3\xcd\xa7 in TIS-620
# ATT_PERIODS_AUTO_BEGIN
30 7 * * * php /var/www/html/att/cron/pull_period_1.php
# ATT_PERIODS_AUTO_END
@daily\t/usr/bin/certbot renew
"""

CRONTAB = """#!/bin/sh
echo "$@" >> {folder}/calls
case "$1" in
  -l) if [ -e {folder}/denied ]; then echo "must be privileged to use -u" >&2; exit 1; fi
      if [ -e {folder}/spool ]; then cat {folder}/spool; else echo "no crontab for root" >&2; exit 1; fi ;;
  -) cat > {folder}/spool ;;
esac
"""
# `install` without the right to give files away; `sudo` that asks nobody.
INSTALL = '#!/bin/sh\nshift 4\nexec /usr/bin/install "$@"\n'
SUDO = '#!/bin/sh\n[ "$1" = -n ] || exit 1\nshift\nexec "$@"\n'


@dataclass
class Cron:
    """The spool of the fake program, and the file that stands for /etc/cron.d/attsync."""

    folder: Path

    @property
    def spool(self) -> bytes:
        return (self.folder / "spool").read_bytes()

    @spool.setter
    def spool(self, content: bytes) -> None:
        (self.folder / "spool").write_bytes(content)

    @property
    def cron_d(self) -> Path:
        return self.folder / "cron.d" / "attsync"

    @property
    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def deny(self) -> None:
        (self.folder / "denied").touch()


@pytest.fixture
def cron(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cron:
    (tmp_path / "bin").mkdir()
    (tmp_path / "cron.d").mkdir()
    for name, text in (("crontab", CRONTAB.format(folder=tmp_path)), ("install", INSTALL), ("sudo", SUDO)):
        program = tmp_path / "bin" / name
        program.write_text(text)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setattr(cronplaces, "CRON_D", tmp_path / "cron.d" / "attsync")
    monkeypatch.setattr(croncheck, "TIMER", tmp_path / "no such timer")
    cron = Cron(tmp_path)
    cron.spool = LEGACY
    return cron


def crontab(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("crontab", *words, stdout=out, stderr=out)
    except CommandError as exc:
        return exc.returncode, f"{out.getvalue()}{exc}\n"
    return 0, out.getvalue()


def test_install_check_and_install_again(cron: Cron) -> None:
    assert crontab("install") == (0, "the lines are in root's crontab\n")
    installed = cron.spool
    code, said = crontab("check")
    writes = cron.calls.count("-")

    assert (code, said.count("✓ survives")) == (0, 4)
    assert installed.startswith(LEGACY)
    assert crontab("install")[0] == 0
    assert (cron.spool, cron.calls.count("-")) == (installed, writes)


def test_show_names_this_installation_and_changes_nothing(cron: Cron, settings: Settings) -> None:
    code, said = crontab("show")

    first = f"* * * * *  {sys.executable} {settings.BASE_DIR}/manage.py push_cloud --listen 50 >> "
    assert code == 0
    assert said.splitlines()[0] == f"{first}{settings.ONPREM_LOG_DIR}/push_cloud.log 2>&1"
    assert cron.spool == LEGACY


def test_the_folder_of_the_log_is_made(cron: Cron, settings: Settings) -> None:
    crontab("install")

    assert settings.ONPREM_LOG_DIR.is_dir()


@pytest.mark.parametrize("target", ["crontab", "cron.d"])
def test_lines_whose_log_can_have_no_folder_are_not_installed(cron: Cron, settings: Settings, target: str) -> None:
    """cron's shell could not open the log, and would start nothing."""
    (cron.folder / "file").touch()
    settings.ONPREM_LOG_DIR = cron.folder / "file" / "log"

    assert crontab("install", f"--target={target}")[0] == 1
    assert (cron.spool, cronplaces.CRON_D.exists()) == (LEGACY, False)


def test_a_machine_without_a_crontab_gets_one(cron: Cron) -> None:
    (cron.folder / "spool").unlink()

    assert crontab("install")[0] == 0
    assert crontab("check")[0] == 0


def test_remove_leaves_what_was_there(cron: Cron) -> None:
    crontab("install")

    assert crontab("remove")[0] == 0
    assert cron.spool == LEGACY


def test_check_says_what_is_missing(cron: Cron) -> None:
    code, said = crontab("check")

    assert (code, said.count("✗ is missing: ")) == (1, 4)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (b"# ATT_PERIODS_AUTO_END", "inside the block"),
        (b"manage.py push_cloud --listen", "contains the name pull_period_2.php"),
    ],
    ids=["inside the markers", "a managed name"],
)
def test_check_finds_a_line_that_will_vanish(cron: Cron, wrong: bytes, why: str) -> None:
    crontab("install")
    line = cron.spool.split(b"\n")[8]
    if wrong.startswith(b"#"):
        cron.spool = cron.spool.replace(wrong, line + b"\n" + wrong)
    else:
        cron.spool = cron.spool.replace(wrong, b"pull_period_2.php/" + wrong)

    code, said = crontab("check")

    assert code == 1
    assert f"✗ would be deleted, {why}" in said


@pytest.fixture
def moved(cron: Cron) -> bytes:
    """A line of ours that somebody has moved into the block of the legacy site."""
    crontab("install")
    line = next(line for line in cron.spool.splitlines(keepends=True) if b"--listen" in line)
    end = b"# ATT_PERIODS_AUTO_END"
    cron.spool = cron.spool.replace(line, b"").replace(end, line + end)
    return line


def test_what_install_does_not_touch_is_left_to_a_person(cron: Cron, moved: bytes) -> None:
    both = crontab("check")[1]
    crontab("install")
    code, left = crontab("check")
    cron.spool = cron.spool.replace(moved, b"", 1)

    assert "install puts it right, except lines outside # ATTSYNC_BEGIN: change those by hand" in both
    assert (code, left.count("✗")) == (1, 1)
    assert "install touches no line outside # ATTSYNC_BEGIN: delete it by hand" in left
    assert crontab("check")[0] == 0


def test_the_doctor_does_not_send_to_install_in_vain_either(cron: Cron, moved: bytes) -> None:
    crontab("install")

    (found,) = surroundings.cron()

    assert found.text("en").endswith(" (it stands outside our block: delete it by hand)")


def test_markers_and_names_come_from_the_settings(cron: Cron, settings: Settings) -> None:
    crontab("install")
    settings.ONPREM_CRON_MANAGED = ["push_cloud"]

    assert crontab("check")[0] == 1


def test_a_path_that_the_legacy_site_would_delete_is_not_installed(cron: Cron, settings: Settings) -> None:
    settings.ONPREM_LOG_DIR = cron.folder / "line_notify.php"

    code, said = crontab("install")

    assert code == 1
    assert "contains the name line_notify.php" in said
    assert cron.spool == LEGACY
    assert not settings.ONPREM_LOG_DIR.exists()
    assert "crontab install --target=cron.d" in crontab("check")[1]


def test_a_crontab_that_cannot_be_read_is_not_written(cron: Cron, settings: Settings) -> None:
    cron.deny()

    code, said = crontab("install")

    assert code == 1
    assert "crontab -l: must be privileged to use -u" in said
    assert cron.spool == LEGACY
    assert not settings.ONPREM_LOG_DIR.exists()


def test_a_machine_without_the_program_is_told_in_words(cron: Cron, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(cron.folder / "cron.d"))

    code, said = crontab("check")

    assert code == 1
    assert "there is no program" in said


def test_others_than_root_go_through_sudo_without_a_question(cron: Cron, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert crontab("install")[0] == 0
    (cron.folder / "bin" / "sudo").write_text("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")

    code, said = crontab("check")

    assert code == 1
    assert "sudo: a password is required" in said


# --- /etc/cron.d ----------------------------------------------------------------------------------------------------


def test_a_file_of_its_own_is_whole_and_of_the_right_form(cron: Cron) -> None:
    assert crontab("install", "--target=cron.d")[0] == 0

    text = cron.cron_d.read_text()
    assert "* * * * *  root  " in text
    assert text.endswith("\n")
    assert cron.cron_d.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in cron.cron_d.parent.iterdir()] == ["attsync"]


def test_the_lines_are_in_one_place_only(cron: Cron) -> None:
    crontab("install")
    crontab("install", "--target=cron.d")
    assert cron.spool == LEGACY

    crontab("install")

    assert not cron.cron_d.exists()
    assert b"push_cloud" in cron.spool


def test_check_knows_the_file(cron: Cron) -> None:
    crontab("install", "--target=cron.d")
    if os.geteuid() != 0:
        assert "its owner is not root" in crontab("check")[1]
        return

    assert crontab("check")[0] == 0


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda file: file.chmod(0o666), "others than root may write it"),
        (lambda file: file.write_bytes(file.read_bytes().rstrip()), "no newline at the end"),
    ],
)
def test_check_knows_what_cron_ignores(cron: Cron, damage: object, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    crontab("install", "--target=cron.d")
    damage(cron.cron_d)  # type: ignore[operator]

    code, said = crontab("check")

    assert code == 1
    assert why in said or "its owner is not root" in said


def test_remove_takes_the_file_away(cron: Cron) -> None:
    crontab("install", "--target=cron.d")

    assert crontab("remove")[0] == 0
    assert not cron.cron_d.exists()


# --- a site's own jobs ----------------------------------------------------------------------------------------------


def test_a_job_that_runs_a_managed_script_gets_no_line_and_is_named(cron: Cron, settings: Settings) -> None:
    file = cron.folder / "jobs.toml"
    file.write_text(
        '[[job]]\nname = "notify"\ncron = "1 1 * * *"\ncommand = ["php", "/x/line_notify.php"]\n'
        '[[job]]\nname = "stats"\ncron = "2 2 * * *"\ncommand = ["php", "/x/stats.php"]\n'
    )
    settings.ONPREM_JOBS_FILE = str(file)

    assert crontab("install")[0] == 0
    code, said = crontab("check")

    assert b"run_job stats" in cron.spool
    assert b"run_job notify" not in cron.spool
    assert code == 1
    assert "✗ runs line_notify.php, whose times the legacy site sets: take it off our jobs: job notify" in said


STATS = '[[job]]\nname = "stats"\ncron = "2 2 * * *"\ncommand = ["php", "/x/stats.php"]\n'


@pytest.fixture
def site_jobs(cron: Cron, settings: Settings) -> Path:
    """A good file, whose line is installed."""
    file = cron.folder / "jobs.toml"
    file.write_text(STATS)
    settings.ONPREM_JOBS_FILE = str(file)
    assert crontab("install")[0] == 0
    return file


@pytest.mark.parametrize(
    ("mistake", "words"),
    [("[[job]\n", "jobs.toml: Expected"), ('[[job]]\nname = "bad"\n', "job 2 (bad): cron is missing")],
)
def test_install_keeps_every_line_while_a_job_cannot_be_read(
    cron: Cron, site_jobs: Path, mistake: str, words: str
) -> None:
    before = cron.spool
    site_jobs.write_text(STATS + mistake)

    code, said = crontab("install")
    in_a_file, _ = crontab("install", "--target=cron.d")

    assert (code, in_a_file, cron.spool, cron.cron_d.exists()) == (1, 1, before, False)
    assert (words in said, "nothing was changed" in said) == (True, True)


def test_install_keeps_every_line_while_the_zone_is_mistyped(cron: Cron, site_jobs: Path, settings: Settings) -> None:
    before = cron.spool
    settings.ONPREM_TIME_ZONE = "Mars/Base"

    code, said = crontab("install")

    assert (code, cron.spool) == (1, before)
    assert "ONPREM_TIME_ZONE: there is no time zone 'Mars/Base'" in said


@pytest.mark.parametrize("action", ["show", "check"])
def test_show_and_check_say_what_is_wrong_with_the_jobs(
    cron: Cron, site_jobs: Path, settings: Settings, action: str
) -> None:
    settings.ONPREM_TIME_ZONE = "Mars/Base"

    code, said = crontab(action)

    assert (code, "Mars/Base" in said) == (1, True)
    assert said.count("manage.py push_cloud") == 2


def test_a_job_of_the_legacy_sites_is_told_apart_from_missing_lines(
    cron: Cron, cloud: WireCloud, site_jobs: Path
) -> None:
    site_jobs.write_text(STATS.replace("stats.php", "line_notify.php"))
    assert crontab("install")[0] == 0

    assert "take what the legacy site times out of ONPREM_JOBS_FILE" in crontab("check")[1]
    assert errors(cloud, "2026-07-28") == [None]


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (STATS.replace("2 2", "2 3"), "✗ other times than 2 3 * * *: 2 2 * * *  "),
        ("", "✗ starts stats, which is in the list of jobs no more: 2 2 * * *  "),
    ],
)
def test_a_line_that_the_jobs_file_has_left_behind_is_named_and_put_right_and_not_missing(
    cron: Cron, cloud: WireCloud, site_jobs: Path, file: str, words: str
) -> None:
    crontab("install")
    site_jobs.write_text(file)

    code, said = crontab("check")

    assert (code, words in said, "manage.py crontab install" in said) == (1, True, True)
    assert any(words[2:10] in finding.text("en") for finding in surroundings.cron())
    assert errors(cloud, "2026-07-28") == [None]
    crontab("install")
    assert crontab("check")[0] == 0


def test_while_a_job_cannot_be_read_its_line_is_not_called_stale(cron: Cron, site_jobs: Path) -> None:
    crontab("install")
    site_jobs.write_text("[[job]\n")

    assert "no more" not in crontab("check")[1]


# --- what a pull job's run notices ----------------------------------------------------------------------------------


@pytest.fixture
def cloud(settings: Settings, relations: BaseDatabaseWrapper) -> Iterator[WireCloud]:
    add_periods()
    add_people("0012")
    with WireCloud() as cloud:
        cloud.cloud.now = None
        settings.ATTSYNC_URL = cloud.url
        yield cloud


def errors(cloud: WireCloud, *words: str) -> list[str | None]:
    before = len(cloud.calls)
    call_command("push_cloud", *words, stdout=io.StringIO())
    return [params.get("error") for route, params in cloud.calls[before:] if route == "pending"]


def test_a_pull_jobs_run_reports_that_our_lines_are_gone_until_they_are_back(cron: Cron, cloud: WireCloud) -> None:
    assert errors(cloud, "2026-07-28") == ["cron_missing"]
    assert errors(cloud) == ["cron_missing"]
    crontab("install")

    assert errors(cloud) == [None]


def test_a_stray_copy_that_will_be_deleted_takes_nothing_away(cron: Cron, cloud: WireCloud) -> None:
    crontab("install")
    stray = "* * * * * python manage.py push_cloud --listen=50 # was pull_period_1.php"
    cron.spool += f"{stray}\n".encode()

    assert errors(cloud, "2026-07-28") == [None]
    assert crontab("check")[0] == 1


def test_other_runs_do_not_look(cron: Cron, cloud: WireCloud) -> None:
    assert errors(cloud) == [None]
    assert errors(cloud, "--days=2") == [None]
    assert not (cron.folder / "calls").exists()


def test_where_nobody_can_say_nothing_is_reported(cron: Cron, cloud: WireCloud) -> None:
    cron.deny()

    assert errors(cloud, "2026-07-28") == [None]


def test_a_timer_of_systemd_is_as_good(cron: Cron, cloud: WireCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(croncheck, "TIMER", cron.folder / "spool")

    assert errors(cloud, "2026-07-28") == [None]
