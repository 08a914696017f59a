"""Where the cloud is: both forms of the address, and nothing that would give the key away."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from onprem.line import BadSettings, base_url, line_from_settings

FORMS = [
    "https://cloud.example/att-sync/ingest",
    "https://cloud.example/att-sync/ingest/",
    "https://cloud.example/att-sync",
    "https://cloud.example/att-sync/",
]


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_the_address_names_the_same_place(form: str) -> None:
    assert base_url(form) == "https://cloud.example/att-sync"


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "127.8.8.8:1", "[::1]:8000"])
def test_plain_http_is_fine_on_this_machine(host: str) -> None:
    assert base_url(f"http://{host}/att-sync") == f"http://{host}/att-sync"


@pytest.mark.parametrize(
    "host", ["cloud.example", "192.168.1.5", "localhost.evil.example", "10.0.0.1", "127.0.0.1.nip.io"]
)
def test_plain_http_to_anybody_else_is_refused(host: str) -> None:
    with pytest.raises(BadSettings, match="https"):
        base_url(f"http://{host}/att-sync")


@pytest.mark.parametrize(
    "text", ["", "cloud.example/att-sync", "ftp://cloud.example/", "https://", "https://[::1/", "https://x/?key=1"]
)
def test_what_is_no_address_is_named(text: str) -> None:
    with pytest.raises(BadSettings, match="ATTSYNC_URL"):
        base_url(text)


@pytest.mark.parametrize("key", ["", "  ", ",", "two\nlines"])
def test_a_key_that_cannot_be_one_is_named(settings: Settings, key: str) -> None:
    settings.ATTSYNC_KEY = key

    with pytest.raises(BadSettings, match="ATTSYNC_KEY"):
        line_from_settings()


def test_of_several_keys_the_first_is_ours(settings: Settings) -> None:
    settings.ATTSYNC_KEY = "new , old"

    assert line_from_settings().key == "new"


def test_a_ca_file_that_is_not_there_is_named(settings: Settings) -> None:
    settings.ATTSYNC_CA_FILE = "/nowhere/ca.pem"

    with pytest.raises(BadSettings, match="ATTSYNC_CA_FILE: there is no /nowhere/ca.pem"):
        line_from_settings()
