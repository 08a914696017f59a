"""Both catalogues are complete, and nothing English is left on a Thai page."""

from __future__ import annotations

import gettext
import os
import re
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.utils import translation

from dashboard import history, statuses, words
from editqueue.models import EditEvent
from tests.cloud.day import ack, at, body, edits, ingest, pending, post
from tests.cloud.people import press, sign_in, tap, text_of
from tests.cloud.test_pages_day import today

LOCALE = Path(settings.BASE_DIR) / "locale"
SHEET = Path(settings.BASE_DIR) / "static" / "css" / "site.css"
CATALOGUES = sorted(LOCALE.glob("*/LC_MESSAGES/django.po"))
APPS = ("attsync_site", "mirror", "editqueue", "dashboard")
# Names of things, and of the people and places of the tests.
FOREIGN = set("XLSX CSV English Android Chrome iPhone Safari LINE THIDA AYE ATTSYNC_KEY manage py new_key A4".split())


def texts_of(compiled: Path) -> dict[str | tuple[str, int], str]:
    """The catalogue by its keys: the text itself, with its context in front, and a number behind for plural forms."""
    with compiled.open("rb") as file:
        catalogue: dict[str | tuple[str, int], str] = vars(gettext.GNUTranslations(file))["_catalog"]
    return {key: text for key, text in catalogue.items() if key}


def singulars(compiled: Path) -> set[str]:
    return {key if isinstance(key, str) else key[0] for key in texts_of(compiled)}


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
def test_every_text_is_translated_and_none_is_fuzzy(path: Path, tmp_path: Path) -> None:
    command = ["msgfmt", "--check-format", "--statistics", "-o", str(tmp_path / "out.mo"), str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"})

    assert re.fullmatch(r"[0-9]{3,} translated messages\.", said.stderr.strip()), said.stderr


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
def test_the_compiled_catalogue_says_what_the_readable_one_says(path: Path, tmp_path: Path) -> None:
    subprocess.run(["msgfmt", "-o", str(tmp_path / "out.mo"), str(path)], check=True)

    assert texts_of(path.with_suffix(".mo")) == texts_of(tmp_path / "out.mo")


def test_both_catalogues_know_the_same_texts() -> None:
    assert len(CATALOGUES) == 2
    assert singulars(CATALOGUES[0].with_suffix(".mo")) == singulars(CATALOGUES[1].with_suffix(".mo"))


def test_every_text_in_the_sources_stands_in_the_catalogues() -> None:
    """A cheap stand-in for running `makemessages`: what is marked for translation by a plain literal."""
    known = {text.replace("%%", "%") for text in singulars(CATALOGUES[0].with_suffix(".mo"))}
    marked = re.compile(r"""\b_\(\s*"((?:[^"\\]|\\.)*)"\s*\)|\{% translate "([^"]*)" |\{% translate '([^']*)' """)
    root = Path(settings.BASE_DIR)
    sources = [*root.glob("templates/**/*.html"), *(path for app in APPS for path in root.glob(f"{app}/**/*.py"))]
    matches = [match for path in sources for match in marked.findall(path.read_text())]
    found = {next(filter(None, match)).replace('\\"', '"') for match in matches}

    assert len(found) > 200
    assert found - known == set()


def test_no_text_to_translate_hides_in_an_f_string() -> None:
    root = Path(settings.BASE_DIR)
    hidden = re.compile(r"""f"[^"\n]*\b_\('""")

    assert [path for app in APPS for path in root.glob(f"{app}/**/*.py") if hidden.search(path.read_text())] == []


@pytest.fixture
def phone(client: Client) -> Iterator[Client]:
    """A phone on a morning with everything that can be shown: waiting, saved, refused, odd, off, offline or not."""
    with time_machine.travel(at("2026-07-21T09:26:40"), tick=False):
        people = [*today()["workers"], {"no": "9", "name": "ลา", "g": "ผลิต A", "p": {"1": None}, "e": [], "off": None}]
        notices = [{"kind": kind, "n": 1, "sample": []} for kind in words.NOTICES]
        ingest(client, today(workers=people, notices=notices))
        ingest(client, body(date(2026, 7, 20), holiday=None))
        pending(client, v="1", boot="a.1", clock=int(at("2026-07-21T09:50:00").timestamp()), error="bad_windows")
        sign_in(client)
        tap(client, "2026-07-21", 2, "A012", "late")
        tap(client, "2026-07-21", 3, "A012", "late")
        tap(client, "2026-07-21", 4, "A012", "present")
        first, second, _third = edits(client)
        nack = {**ack(second), "code": "unknown_period", "error": "x", "final": True}
        post(client, "applied", {"acks": [ack(first, gen=2_000_000_000)], "nacks": [nack]})
        yield client


PAGES = [
    *("", "?date=2026-07-20", "?date=2026-07-01", "?date=2026-08-01", "?date=x", "?q=nobody&date=2026-07-21"),
    *("?date=2026-07-21&show=off", "?date=2026-07-21&open=g1&came=g1.30&period=2"),
    *("month", "month?m=x", "worker/A012", "worker/A012?m=x", "worker/none", "queue", "help", "print"),
    *("everyone?date=2026-07-20&group=1-2", "everyone", "nowhere", "export?format=x"),
]


@pytest.mark.django_db
@pytest.mark.parametrize("path", PAGES)
def test_nothing_english_is_left_on_a_thai_page(phone: Client, path: str) -> None:
    shown = text_of(phone.get(f"/att-sync/{path}"))
    attributes = " ".join(re.findall(r'(?:aria-label|title|alt|placeholder|data-say|data-text)="([^"]*)"', shown))
    read = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", shown, flags=re.DOTALL)

    assert "<title>" in shown
    assert set(re.findall(r"[A-Za-z_]{3,}", f"{read} {attributes}")) - FOREIGN - {"nobody", "nowhere"} == set()


@pytest.mark.django_db
def test_refused_taps_and_failures_speak_thai(phone: Client, client: Client) -> None:
    refused = press(phone, "2026-07-21", "late-1", "0012")
    csrf = Client(enforce_csrf_checks=True).post("/att-sync/mark", {})
    for answer in (refused, csrf, Client().get("/att-sync/")):
        read = re.sub(r"<[^>]+>", " ", text_of(answer))
        assert set(re.findall(r"[A-Za-z_]{3,}", read)) - FOREIGN == set()


@pytest.mark.parametrize("language", ["th", "en"])
def test_every_machine_word_has_a_sentence(language: str) -> None:
    refusals = "unknown_employee unknown_period future_day bad_edit write_failed".split()
    troubles = "factory_down view_missing bad_windows clock_off suspicious cron_missing state_unwritable second_agent"
    notices = "unmatched future_scan old_scan duplicate unknown_override dead_terminal number_collision bad_row".split()
    with translation.override(language):
        said = [words.refusal(code, "") for code in refusals] + [words.trouble(code) for code in troubles.split()]
        said += [words.notice(kind, 2) for kind in notices]

    assert not set(said) & {*refusals, *troubles.split(), *notices}
    assert len(set(said)) == len(said)


def test_an_unknown_refusal_is_shown_with_the_senders_text_beside_it() -> None:
    assert words.refusal("flooded", "water everywhere") == "flooded · water everywhere"


def test_every_status_of_the_dictionary_has_its_colour_and_its_icon() -> None:
    sheet = SHEET.read_text()
    icons = (Path(settings.BASE_DIR) / "templates" / "icons.html").read_text()
    parts = (statuses.DAY, statuses.EDIT, statuses.WISH, statuses.PERIOD, statuses.LINE)
    looks = [look for part in parts for look in part.values()]

    assert [look.tone for look in looks if not re.search(rf"\.s-{look.tone}\b", sheet)] == []
    assert [look.icon for look in looks if f'id="i-{look.icon}"' not in icons] == []


def test_every_kind_of_history_has_its_look() -> None:
    assert set(history._LOOKS) == set(EditEvent.Kind)
