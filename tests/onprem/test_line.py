"""Where the cloud is: both forms of the address, and nothing that would give the key away."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from onprem.line import BadSettings, base_url, line_from_settings
from onprem.preflight import is_reachable

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


NO_HOSTS = ["a..b", ".example", f"{'a' * 64}.example", "two words", "*.example", "\udcff", "a:99999", "a:http", "ไ@a"]


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_can_be_no_host_is_named(settings: Settings, host: str) -> None:
    settings.ATTSYNC_URL = f"https://{host}/att-sync"
    with pytest.raises(BadSettings, match="^ATTSYNC_URL: "):
        line_from_settings()

    settings.ATTSYNC_URL, settings.ATTSYNC_PROXY = "https://cloud.example/att-sync", f"http://{host}"
    with pytest.raises(BadSettings, match="^ATTSYNC_PROXY: "):
        line_from_settings()


@pytest.mark.parametrize("url", ["https://[::1/", "https://a..b/", "https://a:99999/", "proxy:3128", ""])
def test_nobody_takes_connections_where_nobody_can(url: str) -> None:
    assert not is_reachable(url)


@pytest.mark.parametrize("host", ["cloud.example.", "a_b.example", "คลาวด์.example", "[2001:db8::1]:8443", "u:p%40@a"])
def test_unusual_hosts_are_hosts(host: str) -> None:
    assert base_url(f"https://{host}/att-sync") == f"https://{host}/att-sync"


@pytest.mark.parametrize("proxy", ["127.0.0.1:3128", "socks5://127.0.0.1:1080", "proxy", "://"])
def test_a_proxy_of_another_kind_is_named(settings: Settings, proxy: str) -> None:
    settings.ATTSYNC_PROXY = proxy

    with pytest.raises(BadSettings, match="ATTSYNC_PROXY: expected something like http://"):
        line_from_settings()


@pytest.mark.parametrize("user_agent", ["โรงงาน", "two\nlines", "a\x00b", "caf\xe9"])
def test_a_name_of_ours_that_no_header_carries_is_named(settings: Settings, user_agent: str) -> None:
    settings.ATTSYNC_USER_AGENT = user_agent

    with pytest.raises(BadSettings, match="^ATTSYNC_USER_AGENT: "):
        line_from_settings()


@pytest.mark.parametrize("key", ["", "  ", ",", "two\nlines", "\udcff"])
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
