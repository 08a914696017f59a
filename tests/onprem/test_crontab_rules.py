"""Our lines between other people's, in a crontab that is rewritten behind our back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onprem.crontab import BEGIN, END, Finding, Rewriter, WouldVanish, findings, installed, removed, role, wanted_lines
from onprem.schedule import Job, our_jobs

BANGKOK = ZoneInfo("Asia/Bangkok")
REWRITER = Rewriter("# ATT_PERIODS_AUTO_BEGIN", "# ATT_PERIODS_AUTO_END", ["pull_period_1.php", "line_notify.php"])
PROGRAM = ["/opt/attsync/venv/bin/python", "/opt/attsync/manage.py"]
LOG = Path("/var/log/attsync/push_cloud.log")
LINES = wanted_lines(our_jobs(BANGKOK), program=PROGRAM, log=LOG)
MINUTE = LINES[0]

LEGACY = """\
# m h  dom mon dow   command
MAILTO=root
15 3 * * * /usr/local/bin/backup.sh  # สำรองข้อมูล
# ATT_PERIODS_AUTO_BEGIN
30 7 * * * php /var/www/html/att/cron/pull_period_1.php
# ATT_PERIODS_AUTO_END
@daily\t/usr/bin/certbot renew
"""


def rewritten(text: str) -> str:
    """The legacy site's two passes, as its own program does them, and its new block at the end."""
    kept, inside = [], False
    for line in text.split("\n"):
        if line == "# ATT_PERIODS_AUTO_BEGIN":
            inside = True
        if not inside and not any(name in line for name in REWRITER.names):
            kept.append(line)
        if line == "# ATT_PERIODS_AUTO_END":
            inside = False
    block = (
        "# ATT_PERIODS_AUTO_BEGIN\n45 7 * * * php /var/www/html/att/cron/pull_period_1.php\n# ATT_PERIODS_AUTO_END\n"
    )
    return "\n".join(kept) + block


def troubles(text: str) -> list[str]:
    return [finding.trouble for finding in findings(text, LINES, REWRITER) if finding.trouble]


# --- the lines ------------------------------------------------------------------------------------------------------


def test_the_lines_are_those_of_the_contract() -> None:
    call = "/opt/attsync/venv/bin/python /opt/attsync/manage.py"
    log = ">> /var/log/attsync/push_cloud.log 2>&1"

    assert [
        f"* * * * *  {call} push_cloud --listen 50 {log}",
        f"20 0 * * *  {call} push_cloud --days=2 --job=nightly_push {log}",
        f"*/5 * * * *  {call} catchup {log}",
        f"@reboot  {call} catchup {log}",
    ] == LINES


def test_a_job_of_the_sites_own_gets_a_line() -> None:
    job = Job("month_stats", "30 18 * * *", ("php", "x.php"), BANGKOK, lookback=timedelta(days=3))

    lines = wanted_lines([job], program=PROGRAM, log=LOG)

    assert lines[0].startswith(
        "30 18 * * *  /opt/attsync/venv/bin/python /opt/attsync/manage.py run_job month_stats >>"
    )


def test_files_under_etc_have_a_field_for_the_user() -> None:
    (line, *_) = wanted_lines(our_jobs(BANGKOK), program=PROGRAM, log=LOG, user="root")

    assert line.startswith("* * * * *  root  /opt/attsync/venv/bin/python ")


def test_blanks_and_percents_in_paths_reach_the_shell() -> None:
    (line, *_) = wanted_lines(our_jobs(BANGKOK), program=["/opt/a b/python", "/opt/100%/manage.py"], log=LOG)

    assert "'/opt/a b/python' '/opt/100\\%/manage.py' push_cloud" in line or "/opt/100\\%/manage.py push_cloud" in line
    assert role(line) == ("push_cloud", "")


# --- install --------------------------------------------------------------------------------------------------------


def test_every_line_survives_what_the_legacy_site_does() -> None:
    text = installed(LEGACY, LINES, REWRITER)

    after = rewritten(text)

    assert [line for line in LINES if line in after.split("\n")] == LINES
    assert troubles(after) == []


def test_installing_twice_is_installing_once() -> None:
    once = installed(LEGACY, LINES, REWRITER)

    assert installed(once, LINES, REWRITER) == once


def test_other_peoples_lines_are_there_byte_for_byte() -> None:
    assert installed(LEGACY, LINES, REWRITER).startswith(LEGACY)
    assert removed(installed(LEGACY, LINES, REWRITER)) == LEGACY


def test_an_empty_crontab_is_a_crontab() -> None:
    text = installed("", LINES, REWRITER)

    assert text.split("\n")[0] == BEGIN
    assert text.endswith(f"{END}\n")
    assert removed(text) == ""


def test_a_missing_newline_at_the_end_is_put_there() -> None:
    assert installed("@daily x", LINES, REWRITER).startswith(f"@daily x\n{BEGIN}\n")


def test_the_block_stays_where_somebody_has_put_it() -> None:
    text = installed("# above\n", LINES, REWRITER) + "# below\n"

    assert installed(text, LINES[:1], REWRITER) == "\n".join(
        ["# above", BEGIN, text.split("\n")[2], MINUTE, END, "# below", ""]
    )


def test_a_block_inside_the_legacy_markers_moves_out() -> None:
    inside = LEGACY.replace("# ATT_PERIODS_AUTO_END", f"{BEGIN}\n{MINUTE}\n{END}\n# ATT_PERIODS_AUTO_END")

    text = installed(inside, LINES, REWRITER)

    assert text == installed(LEGACY, LINES, REWRITER)


def test_a_legacy_block_that_never_ends_is_avoided() -> None:
    text = installed("# ATT_PERIODS_AUTO_BEGIN\n@daily x\n", LINES, REWRITER)

    assert text.startswith(f"{BEGIN}\n")
    assert troubles(text) == []


def test_what_somebody_has_written_into_our_block_is_kept() -> None:
    text = installed("", LINES, REWRITER).replace(MINUTE, f"{MINUTE}\n@hourly /root/mine.sh\n# ของฉัน")

    again = installed(text, LINES, REWRITER)

    assert again.endswith(f"{END}\n@hourly /root/mine.sh\n# ของฉัน\n")


def test_a_block_that_lost_its_end_takes_nobody_elses_line_along() -> None:
    text = installed("", LINES, REWRITER).replace(f"{END}\n", "") + "@daily x\n"

    assert removed(text) == "@daily x\n"


def test_a_path_with_a_managed_name_is_not_installed_anywhere() -> None:
    lines = wanted_lines(our_jobs(BANGKOK), program=["/srv/line_notify.php/python", "manage.py"], log=LOG)

    with pytest.raises(WouldVanish, match="contains the name line_notify.php"):
        installed(LEGACY, lines, REWRITER)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
ANYBODYS = st.lists(st.sampled_from([*LEGACY.split("\n"), BEGIN, END]) | TEXTS.map(lambda t: t.replace("\n", " ")))


@given(ANYBODYS)
def test_nobody_elses_line_is_ever_lost_or_changed(lines: list[str]) -> None:
    text = "\n".join([*lines, ""])

    after = installed(text, LINES, REWRITER)

    others = [line for line in lines if line.strip() not in (BEGIN, END)]
    ours = [BEGIN, after.split("\n")[after.split("\n").index(BEGIN) + 1], *LINES, END]
    assert sorted(after.split("\n")) == sorted([*others, *ours, ""])
    assert [line for line in after.split("\n") if line not in ours] == [
        line for line in [*others, ""] if line not in ours
    ]
    assert installed(after, LINES, REWRITER) == after


@given(ANYBODYS)
def test_what_was_installed_survives(lines: list[str]) -> None:
    text = installed("\n".join([*lines, ""]), LINES, REWRITER)

    assert [finding for finding in findings(text, LINES, REWRITER) if finding.line in LINES and finding.trouble] == []


# --- check ----------------------------------------------------------------------------------------------------------


def test_a_line_inside_the_markers_is_found() -> None:
    text = LEGACY.replace("# ATT_PERIODS_AUTO_END", f"{MINUTE}\n# ATT_PERIODS_AUTO_END")

    assert Finding(
        MINUTE, "would be deleted, inside the block that begins with '# ATT_PERIODS_AUTO_BEGIN'", is_by_hand=True
    ) in findings(text, LINES, REWRITER)


def test_a_line_that_somebody_moved_between_the_markers_is_missing_from_ours() -> None:
    moved = installed(LEGACY, LINES, REWRITER).replace(f"{MINUTE}\n", "")
    moved = moved.replace("# ATT_PERIODS_AUTO_END", f"{MINUTE}\n# ATT_PERIODS_AUTO_END")

    before = [(each.line, each.trouble[:16], each.is_by_hand) for each in findings(moved, LINES, REWRITER)]
    after = [each for each in findings(installed(moved, LINES, REWRITER), LINES, REWRITER) if each.trouble]

    assert [each for each in before if each[1]] == [(MINUTE, "would be deleted", True), (MINUTE, "is missing", False)]
    assert [(each.line, each.is_by_hand) for each in after] == [(MINUTE, True)]


def test_our_whole_block_between_the_markers_is_for_install_to_move() -> None:
    block = installed("", LINES, REWRITER)
    text = LEGACY.replace("# ATT_PERIODS_AUTO_END", f"{block}# ATT_PERIODS_AUTO_END")

    assert [each.is_by_hand for each in findings(text, LINES, REWRITER)] == [False] * 4


def test_a_line_whose_path_contains_a_managed_name_is_found() -> None:
    line = MINUTE.replace("/opt/attsync/", "/opt/pull_period_1.php.d/")

    assert Finding(line, "would be deleted, contains the name pull_period_1.php", is_by_hand=True) in findings(
        line, LINES, REWRITER
    )


def test_missing_lines_are_found() -> None:
    assert troubles(LEGACY) == ["is missing"] * 4
    assert troubles(installed(LEGACY, LINES[1:], REWRITER)) == ["is missing"]


def test_lines_in_a_file_of_their_own_are_safe() -> None:
    safe = "\n".join(wanted_lines(our_jobs(BANGKOK), program=PROGRAM, log=LOG, user="root"))

    assert [finding.trouble for finding in findings(LEGACY, LINES, REWRITER, safe=safe)] == [""] * 4


TIMES = {"stats": "30 7 * * *", "nightly_push": "20 0 * * *", "daily": "0 0 * * *"}
CALL = "/x/python /x/manage.py"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"30 7 * * * {CALL} run_job stats", ""),
        (f"30  07 * * *  root  {CALL} run_job stats", ""),
        (f"@daily {CALL} run_job daily", ""),
        (f"30 8 * * * {CALL} run_job stats", "other times than 30 7 * * *"),
        (f"1 1 * * * {CALL} push_cloud --days=2 --job=nightly_push", "other times than 20 0 * * *"),
        (f"30 7 * * * {CALL} run_job gone", "starts gone, which is in the list of jobs no more"),
        (f"*/2 * * * * {CALL} push_cloud --listen=100", ""),
        (f"*/10 * * * * {CALL} catchup", ""),
        (f"@reboot {CALL} catchup", ""),
    ],
)
def test_only_a_line_of_a_job_must_have_the_times_of_the_job(line: str, why: str) -> None:
    is_stale = bool(why)

    assert findings("", [], REWRITER, safe=line, times=TIMES) == [Finding(line, why, is_stale=is_stale)]
    assert findings(line, [], REWRITER, times=TIMES) == [Finding(line, why, is_stale=is_stale, is_by_hand=is_stale)]


def test_a_stale_line_that_will_be_deleted_is_told_as_such() -> None:
    (found,) = findings(f"1 1 * * * {CALL} run_job gone # line_notify.php", [], REWRITER, times=TIMES)

    assert (found.trouble, found.is_stale) == ("would be deleted, contains the name line_notify.php", False)


HAND_MADE = [
    ("* * * * * cd /opt/attsync && venv/bin/python manage.py push_cloud", ("push_cloud", "")),
    ("*/2 * * * * /x/python '/opt/a b/manage.py' push_cloud --listen=100", ("push_cloud", "")),
    ("1 1 * * * /x/python /x/manage.py push_cloud --days 2 --job nightly_push", ("push_cloud", "nightly_push")),
    ("1 1 * * * /x/python /x/manage.py push_cloud --job='nightly_push'", ("push_cloud", "nightly_push")),
    ("@reboot sleep 60; /x/python /x/manage.py catchup", ("catchup", "@reboot")),
    ("5 5 * * * /x/python /x/manage.py run_job month_stats >> /x", ("run_job", "month_stats")),
    ("# * * * * * /x/python /x/manage.py push_cloud", None),
    ("* * * * * /x/python /x/manage.py push_clouds", None),
    ("* * * * * /x/manage.py clearsessions", None),
    ("", None),
]


@pytest.mark.parametrize(("line", "known"), HAND_MADE)
def test_a_line_of_ours_is_known_whoever_wrote_it(line: str, known: tuple[str, str] | None) -> None:
    assert role(line) == known
