"""The HTTP client against real sockets: what counts as an answer, and every kind of trouble by its name."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import subprocess
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from onprem import exchange
from onprem.cloud import HttpCloud
from onprem.line import Line
from onprem.ports import CloudTrouble, ContentRefused, Offer, Stale, Suspicious
from tests.onprem.rawserver import Answer, RawServer, drip, flood, nothing, says, silence
from tests.onprem.rawserver import http as answers

KEY = "the-key-that-nobody-may-see"
OK = says(200, {"ok": True})


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "WHOLE_EXCHANGE", 1.5)
    monkeypatch.setattr(exchange, "PAUSES", (0.01, 0.01))


@pytest.fixture
def client() -> Iterator[Callable[..., HttpCloud]]:
    made: list[HttpCloud] = []

    def make(base: str, **options: str) -> HttpCloud:
        made.append(HttpCloud(Line(base, KEY, **options)))
        return made[-1]

    yield make
    for one in made:
        one.close()


Make = Callable[..., HttpCloud]


def trouble(client: Make, *given: Answer, kind: type[Exception] = CloudTrouble) -> tuple[str, int]:
    """What a push comes to, in words, and how often it was tried."""
    with RawServer(*given) as server:
        with pytest.raises(kind) as caught:
            client(server.url).ingest(b'{"date": "2026-07-28"}')
        assert type(caught.value) is kind
        return str(caught.value), len(server.requests)


# --- the time -------------------------------------------------------------------------------------------------------

NOON = 1785240000
AT_NOON = {"Date": "Tue, 28 Jul 2026 12:00:00 GMT"}


@pytest.mark.parametrize("status", [200, 404, 503])
def test_any_answer_tells_the_time(client: Make, status: int) -> None:
    with RawServer(answers(status, b"{}", **AT_NOON)) as server:
        assert client(server.url).clock() == NOON


NO_DATES = ["yesterday", "99999999 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 31 Dec 1999 23:59:59 GMT"]


@pytest.mark.parametrize("answer", [nothing, OK, *(answers(200, Date=date) for date in NO_DATES)])
def test_no_usable_time_is_none(client: Make, answer: Answer) -> None:
    with RawServer(answer) as server:
        assert client(server.url).clock() is None


@pytest.mark.parametrize("now", [None, "1785240000", True, 1785240000.0, -1, 0, 7258118400, 4503599627370495, [], {}])
def test_a_moment_in_which_no_clock_can_be_right_is_none(client: Make, now: object) -> None:
    with RawServer(says(200, {"ok": True, "now": now})) as server:
        assert client(server.url).pending({}, limit=1).now is None


def test_a_refusal_carries_the_time(client: Make) -> None:
    with RawServer(says(401, {"ok": False}, **AT_NOON)) as server, pytest.raises(CloudTrouble) as caught:
        client(server.url).pending({}, limit=1)

    assert caught.value.now == NOON


# --- success --------------------------------------------------------------------------------------------------------


def test_success_is_200_and_json_and_ok(client: Make) -> None:
    with RawServer(says(200, {"ok": True, "date": "2026-07-28", "gen": 1785200000})) as server:
        assert client(server.url).ingest(b"{}") == 1785200000


@pytest.mark.parametrize("gen", [None, "1785200000", True, 1.5, -1, 2**53, [], {}])
def test_a_generation_that_is_none_is_nobodys_failure(client: Make, gen: object) -> None:
    with RawServer(says(200, {"ok": True, "gen": gen})) as server:
        assert client(server.url).ingest(b"{}") is None


def test_a_page_is_read(client: Make) -> None:
    page = {"ok": True, "now": 1785200123, "gen": 1785200000, "next": "0.5.7", "edits": [{"id": 7}]}
    with RawServer(says(200, page)) as server:
        offer = client(server.url).pending({}, limit=200)

    assert offer == Offer([{"id": 7}], "0.5.7", now=1785200123, gen=1785200000)


def test_a_page_without_anything_is_an_empty_one(client: Make) -> None:
    with RawServer(OK) as server:
        assert client(server.url).pending({}, limit=200) == Offer([])


# --- what is sent ---------------------------------------------------------------------------------------------------


def test_a_call_carries_key_agent_and_what_it_accepts(client: Make) -> None:
    with RawServer(OK) as server:
        client(server.url, user_agent="Mozilla/5.0 (att pusher on-prem)").pending({"v": "1.0"}, after="0.5.7", limit=20)
        head = server.requests[0].decode()

    assert head.startswith("GET /att-sync/pending?v=1.0&limit=20&after=0.5.7 HTTP/1.1\r\n")
    for line in (f"X-API-KEY: {KEY}", "User-Agent: Mozilla/5.0 (att pusher on-prem)", "Accept: application/json"):
        assert f"\r\n{line}\r\n" in head


def test_a_report_is_json_with_thai_as_it_is(client: Make) -> None:
    with RawServer(OK) as server:
        client(server.url).applied([{"id": 7}], [{"error": "ไม่พบ \ud800"}])
        body = server.requests[0].split(b"\r\n\r\n", 1)[1]

    assert json.loads(body) == {"acks": [{"id": 7}], "nacks": [{"error": "ไม่พบ ?"}]}
    assert "ไม่พบ".encode() in body


@pytest.mark.parametrize(("advertised", "is_compressed"), [({"Accept_Encoding": "br, gzip"}, True), ({}, False)])
def test_days_are_compressed_where_the_cloud_takes_it(
    client: Make, advertised: dict[str, str], is_compressed: bool
) -> None:
    with RawServer(says(200, {"ok": True}, **advertised)) as server:
        cloud = client(server.url)
        cloud.pending({}, limit=1)
        cloud.ingest(b'{"date":1}')
        head, _, body = server.requests[1].partition(b"\r\n\r\n")

    assert (b"Content-Encoding: gzip" in head) == is_compressed
    assert (gzip.decompress(body) if is_compressed else body) == b'{"date":1}'


@pytest.mark.parametrize(("final", "tries"), [(True, 3), (False, 1)])
def test_what_is_put_off_is_told_once_for_each_told_attempt_counts(client: Make, final: bool, tries: int) -> None:
    nack = {"id": 7, "rev": 5, "status": "late", "code": "write_failed", "error": "", "final": final}
    with RawServer(answers(503)) as server:
        with pytest.raises(CloudTrouble):
            client(server.url).applied([], [nack])

        assert len(server.requests) == tries


def test_several_calls_share_a_connection(client: Make) -> None:
    connections = []

    def keep(client: socket.socket) -> None:
        connections.append(client)
        answer = b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{"ok": true}'
        client.sendall(answer)
        while client.recv(65536):
            client.sendall(answer)

    with RawServer(keep) as server:
        cloud = client(server.url)
        for _ in range(5):
            cloud.pending({}, limit=1)

    assert len(connections) == 1


def test_a_key_that_is_not_ascii_is_sent_as_utf_8(client: Make) -> None:
    with RawServer(OK) as server:
        HttpCloud(Line(server.url, "กุญแจ")).pending({}, limit=1)

        assert "X-API-KEY: กุญแจ\r\n".encode() in server.requests[0]


def test_the_machines_proxy_ca_and_netrc_settings_see_nothing(
    client: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("machine localhost login spy password spy\n")
    with RawServer(OK) as spy, RawServer(OK) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{spy.port}")
        monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
        client(server.url).pending({}, limit=1)

        assert spy.requests == []
        assert b"Authorization" not in server.requests[0]


def test_a_proxy_of_our_own_is_used(client: Make) -> None:
    with RawServer(OK) as proxy:
        client("http://localhost:9/att-sync", proxy=f"http://127.0.0.1:{proxy.port}").pending({}, limit=1)

        assert proxy.requests[0].startswith(b"GET http://localhost:9/att-sync/pending")


# --- answers that are no success ------------------------------------------------------------------------------------

PORTAL = "<!DOCTYPE html><title>เข้าสู่ระบบ Wi-Fi</title>".encode()
NO_SUCCESS = {
    "a block page": (answers(200, PORTAL, Content_Type="text/html"), "block page: a web page with status 200"),
    "a block page that says it is JSON": (answers(200, PORTAL, Content_Type="application/json"), "block page"),
    "text": (answers(200, b"OK"), "not JSON, with status 200"),
    "nothing": (answers(200), "not JSON"),
    "a list": (answers(200, b"[true]"), "not JSON"),
    "half of it": (answers(200, b'{"ok": tr'), "not JSON"),
    "a bomb": (answers(200, b"[" * 100_000), "not JSON"),
    "not ok": (says(200, {"ok": False, "error": "later"}), "the answer does not say ok: later"),
    "ok as a word": (says(200, {"ok": "true"}), "the answer does not say ok"),
    "ok as a number": (says(200, {"ok": 1}), "the answer does not say ok"),
    "201": (says(201, {"ok": True}), "201 unexpected status"),
    "204": (answers(204), "204 unexpected status"),
    "301": (answers(301, Location="https://login.example/portal"), "redirect to https://login.example/portal"),
    "302": (answers(302, Location="/login"), "redirect to /login (status 302), not followed"),
    "307": (answers(307, Location="http://other/"), "redirect to http://other/"),
    "308 without a target": (answers(308), "redirect to nowhere"),
    "401": (says(401, {"ok": False, "code": "unauthorized", "error": "no key"}), "401 the cloud does not accept our"),
    "403": (says(403, {"ok": False, "code": "https_required"}), "403 forbidden: https_required"),
    "404": (answers(404, b"<h1>Not Found</h1>"), "404 there is no such page (ATTSYNC_URL)"),
    "405": (answers(405), "405 unexpected status"),
    "429": (answers(429, Retry_After="3600"), "429 too many requests"),
    "500": (answers(500, b"<h1>Server Error</h1>"), "500 the cloud has trouble of its own"),
    "409 of an unknown kind": (says(409, {"ok": False, "code": "else"}), "409 unexpected status: else"),
}


@pytest.mark.parametrize(("answer", "words"), NO_SUCCESS.values(), ids=NO_SUCCESS)
def test_no_answer_but_success_is_success(client: Make, answer: Answer, words: str) -> None:
    text, tries = trouble(client, answer)

    assert text.startswith(f"ingest: {words}")
    assert tries == 1


@pytest.mark.parametrize(
    ("status", "of_one_call"),
    [(200, True), (302, True), (403, True), (500, True), (401, False), (429, False), (503, False)],
)
def test_a_refusal_says_whether_another_call_may_get_through(client: Make, status: int, of_one_call: bool) -> None:
    with RawServer(answers(status)) as server, pytest.raises(CloudTrouble) as caught:
        client(server.url).ingest(b"{}")

    assert caught.value.of_one_call is of_one_call


@pytest.mark.parametrize("status", [400, 413])
def test_what_the_cloud_does_not_take_is_our_own_fault(client: Make, status: int) -> None:
    answer = says(status, {"ok": False, "code": "bad_payload", "error": "workers[3].no: expected text"})

    text, tries = trouble(client, answer, kind=ContentRefused)

    assert str(status) in text
    assert "bad_payload · workers[3].no: expected text" in text
    assert tries == 1


def test_a_shrunken_day_is_suspicious(client: Make) -> None:
    text, _ = trouble(client, says(409, {"ok": False, "code": "suspicious", "error": "3 of 400"}), kind=Suspicious)

    assert text == "ingest: 409: suspicious · 3 of 400"


def test_a_stale_day_names_what_the_cloud_has(client: Make) -> None:
    with RawServer(says(409, {"ok": False, "code": "stale", "gen": 1785200099})) as server:
        with pytest.raises(Stale) as stale:
            client(server.url).ingest(b"{}")

    assert stale.value.gen == 1785200099


def test_edits_that_are_no_list_are_no_page(client: Make) -> None:
    with RawServer(says(200, {"ok": True, "edits": {"id": 7}})) as server:
        with pytest.raises(CloudTrouble, match="no list"):
            client(server.url).pending({}, limit=1)


@pytest.mark.parametrize("following", ["\ud800", "หน้า", "a\r\nb", "\0", "x" * 201, 7, True, ["0.5.7"], {"next": 1}])
def test_a_next_that_cannot_be_asked_for_is_no_page(client: Make, following: object) -> None:
    with RawServer(says(200, {"ok": True, "next": following})) as server:
        with pytest.raises(CloudTrouble, match="no name of a page"):
            client(server.url).pending({}, limit=1)


@pytest.mark.parametrize("code", ["stale", "suspicious"])
def test_only_a_day_can_be_stale_or_suspicious(client: Make, code: str) -> None:
    with RawServer(says(409, {"ok": False, "code": code, "gen": 1785200099})) as server:
        cloud = client(server.url)
        for call in (lambda: cloud.pending({}, limit=1), lambda: cloud.applied([], [])):
            with pytest.raises(CloudTrouble, match=f"409 unexpected status: {code}"):
                call()


def test_the_key_is_in_no_text(client: Make) -> None:
    for answer in (answers(302, Location=f"http://x/?k={KEY}"), says(400, {"ok": False, "error": f"bad {KEY}"})):
        with RawServer(answer) as server, pytest.raises((CloudTrouble, ContentRefused)) as caught:
            client(server.url).ingest(b"{}")
        assert KEY not in str(caught.value)
        assert KEY not in repr(Line("https://x", KEY))


def test_foreign_words_are_one_short_line(client: Make) -> None:
    text, _ = trouble(client, says(401, {"ok": False, "error": "a\nb\r\x1b[31m" + "x" * 5000}))

    assert text.isprintable()
    assert len(text) < 300


# --- lines that fail ------------------------------------------------------------------------------------------------


def test_a_refused_connection_is_tried_three_times(client: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(CloudTrouble, match="^pending: connection refused$"):
        client(f"http://127.0.0.1:{port}/att-sync").pending({}, limit=1)


def test_an_unknown_host_is_dns(client: Make) -> None:
    with pytest.raises(CloudTrouble, match="^pending: DNS: the host name cannot be resolved"):
        client("https://no-such-host.invalid/att-sync").pending({}, limit=1)


@pytest.mark.parametrize("host", ["a..b", "a" * 64 + ".example"])
def test_what_can_be_no_host_is_dns_too(client: Make, host: str) -> None:
    with pytest.raises(CloudTrouble, match="^pending: DNS: the host name cannot be resolved$"):
        client(f"https://{host}/att-sync").pending({}, limit=1)


@pytest.mark.parametrize(
    "answer", [nothing, lambda sock: sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")]
)
def test_a_lost_answer_is_asked_for_again(client: Make, answer: Answer) -> None:
    text, tries = trouble(client, answer)

    assert text == "ingest: connection lost before the whole answer came"
    assert tries == 3


def test_a_body_cut_in_a_chunk_is_no_answer(client: Make) -> None:
    cut = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{"ok": true}\r\n'

    text, tries = trouble(client, lambda sock: sock.sendall(cut))

    assert (text, tries) == ("ingest: connection lost before the whole answer came", 3)


WHOLE = b'HTTP/1.1 200 OK\r\nDate: x\r\nContent-Length: 12\r\n\r\n{"ok": true}'


@pytest.mark.parametrize("line", WHOLE.splitlines(keepends=True), ids=str)
@pytest.mark.parametrize("part", [0, 0.5, 1])
def test_an_answer_cut_anywhere_is_a_lost_one(client: Make, line: bytes, part: float) -> None:
    length = min(WHOLE.index(line) + int(len(line) * part), len(WHOLE) - 1)

    text, tries = trouble(client, lambda sock: sock.sendall(WHOLE[:length]))

    assert (text, tries) == ("ingest: connection lost before the whole answer came", 3)


def test_an_answer_that_was_cut_in_its_headers_is_had_the_second_time(client: Make) -> None:
    with RawServer(lambda sock: sock.sendall(WHOLE[:30]), OK) as server:
        client(server.url).ingest(b"{}")

    assert len(server.requests) == 2


@pytest.mark.parametrize("base", ["https://cloud.example/att-sync", "http://localhost:9/att-sync"])
@pytest.mark.parametrize(("proxy", "why"), [("127.0.0.1:1", "connection refused"), ("no-such-host.invalid:1", "DNS: ")])
def test_a_dead_proxy_is_named_as_the_proxy(client: Make, base: str, proxy: str, why: str) -> None:
    named = rf"pending: the proxy \(ATTSYNC_PROXY\) does not let us through: {why}"
    with pytest.raises(CloudTrouble, match=named):
        client(base, proxy=f"http://{proxy}").pending({}, limit=1)


@pytest.mark.parametrize("status", [407, 403, 502])
def test_what_a_proxy_says_instead_of_letting_us_through_is_told(client: Make, status: int) -> None:
    with RawServer(answers(status)) as proxy:
        with pytest.raises(CloudTrouble, match=rf"the proxy \(ATTSYNC_PROXY\) .*Tunnel connection failed: {status}"):
            client("https://cloud.example/att-sync", proxy=f"http://127.0.0.1:{proxy.port}").pending({}, limit=1)


def test_what_is_no_http_is_no_answer(client: Make) -> None:
    text, _ = trouble(client, lambda sock: sock.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"))

    assert text == "ingest: connection lost before the whole answer came"


UNREADABLE = {
    "compressed by nobody": (answers(200, b'{"ok": true}', Content_Encoding="gzip"), "broken compression"),
    "also as an error": (answers(404, b"gone", Content_Encoding="gzip"), "broken compression"),
    "many headers": (answers(200, b"{}", **{f"X_{at}": "y" for at in range(101)}), "got more than 100 headers"),
    "a long header": (answers(200, b"{}", X="y" * 70_000), "got more than 65536 bytes when reading header line"),
}


@pytest.mark.parametrize(("answer", "why"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_came_but_cannot_be_read_is_not_called_lost(client: Make, answer: Answer, why: str) -> None:
    text, _ = trouble(client, answer)

    assert text == f"ingest: the answer cannot be read: {why}"


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_passing_trouble_of_the_cloud_is_waited_out(client: Make, status: int) -> None:
    with RawServer(answers(status), answers(status, Retry_After="3600"), OK) as server:
        client(server.url).ingest(b"{}")

        assert len(server.requests) == 3


def test_a_lasting_one_is_not_waited_for_for_ever(client: Make) -> None:
    text, tries = trouble(client, answers(503))

    assert (text, tries) == ("ingest: 503 the cloud has trouble of its own", 3)


ENDLESS = {
    "silence": silence,
    "drips in the headers": drip(b"HTTP/1.1 200 OK\r\nX-Drip: " + b"x" * 1000),
    "drips in the body": drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000),
    "endless headers": drip(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500),
}


@pytest.mark.parametrize("answer", ENDLESS.values(), ids=ENDLESS)
def test_no_server_can_hold_us_longer_than_the_deadline(client: Make, answer: Answer) -> None:
    started = time.monotonic()

    text, tries = trouble(client, answer)

    assert time.monotonic() - started < 3
    assert (text, tries) == ("ingest: timeout: no whole answer in time", 1)


def test_a_server_that_does_not_read_cannot_hold_us_either(client: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        started = time.monotonic()
        with pytest.raises(CloudTrouble, match="timeout"):
            client(f"http://127.0.0.1:{deaf.getsockname()[1]}/att-sync").ingest(b"x" * 20_000)

        assert time.monotonic() - started < 6


@pytest.fixture
def dead() -> Iterator[int]:
    """A port of this machine where nobody answers a call: nobody takes them, and no more can wait."""
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield full.getsockname()[1]


def name_of(port: int, monkeypatch: pytest.MonkeyPatch, addresses: Sequence[str]) -> str:
    """A host by so many addresses, in this order."""
    known = socket.getaddrinfo

    def look_up(host: str, *args: Any) -> list[Any]:
        found = addresses if host == "many.example" else [host]
        return [one for address in found for one in known(address, *args)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return f"http://many.example:{port}/att-sync"


def test_a_name_with_many_dead_addresses_cannot_hold_us_longer_either(
    client: Make, dead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "CONNECT_TIMEOUT", 0.5)
    base, started = name_of(dead, monkeypatch, ["127.0.0.1"] * 12), time.monotonic()

    with pytest.raises(CloudTrouble, match="^ingest: timeout: no connection in time$"):
        client(base).ingest(b"{}")

    assert time.monotonic() - started < 3


def test_the_one_address_that_answers_is_found_behind_the_dead(client: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(OK) as server:
        base = name_of(server.port, monkeypatch, ["127.0.0.2", "::1", "127.0.0.3", "127.0.0.1"])
        client(base).ingest(b"{}")

        assert b"\r\nHost: many.example:" in server.requests[0]


def test_the_deadline_holds_behind_a_proxy_too(client: Make) -> None:
    with RawServer(drip(b"HTTP/1.1 200 OK\r\nX-Drip: " + b"x" * 1000)) as proxy:
        with pytest.raises(CloudTrouble, match="timeout"):
            client("https://cloud.example/att-sync", proxy=f"http://127.0.0.1:{proxy.port}").pending({}, limit=1)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 300000000\r\n\r\n"
BOMB = gzip.compress(bytes(300_000_000), 1)
TOO_MUCH = {
    "plain": flood(HEAD, 300),
    "without a length": flood(b"HTTP/1.1 200 OK\r\n\r\n", 300),
    "compressed": answers(200, BOMB, Content_Encoding="gzip"),
}


@pytest.mark.parametrize("answer", TOO_MUCH.values(), ids=TOO_MUCH)
def test_an_answer_of_300_megabytes_is_not_taken_in(client: Make, answer: Answer) -> None:
    tracemalloc.start()
    text, tries = trouble(client, answer)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (text, tries) == ("ingest: answer larger than 4 MiB", 1)
    assert peak < 60_000_000


def test_a_large_page_behind_a_redirect_is_not_read(client: Make) -> None:
    head = b"HTTP/1.1 302 Found\r\nLocation: http://login/\r\nContent-Length: 300000000\r\n\r\n"

    assert trouble(client, flood(head, 300))[0] == "ingest: redirect to http://login/ (status 302), not followed"


# --- TLS ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    for name, host, valid in (
        ("good", "localhost", 30),
        ("other", "elsewhere.example", 30),
        # Ends with this very second: newer versions of openssl sign nothing that is already past.
        ("expired", "localhost", 0),
    ):
        make_certificate(folder / name, host, days=valid)
    time.sleep(1.1)
    return folder


def make_certificate(path: Path, host: str, *, days: int) -> None:
    names = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    asked = ["-newkey", "rsa:2048", "-nodes", "-keyout", f"{path}.key", "-out", f"{path}.csr", *names]
    signed = ["-in", f"{path}.csr", "-signkey", f"{path}.key", "-copy_extensions", "copy", "-out", f"{path}.pem"]
    subprocess.run(["openssl", "req", *asked], check=True, capture_output=True)
    subprocess.run(["openssl", "x509", "-req", *signed, "-days", str(days)], check=True, capture_output=True)


def tls(certificates: Path, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
    return context


def test_a_certificate_of_the_sites_own_ca_is_accepted(client: Make, certificates: Path) -> None:
    with RawServer(OK, tls=tls(certificates, "good")) as server:
        client(server.url, ca_file=str(certificates / "good.pem")).ingest(b"{}")

        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("name", "trusted", "why"),
    [
        ("good", "", "self-signed certificate"),
        ("other", "other", "Hostname mismatch, certificate is not valid for 'localhost'"),
        ("expired", "expired", "certificate has expired"),
    ],
)
def test_a_bad_certificate_is_named(client: Make, certificates: Path, name: str, trusted: str, why: str) -> None:
    ca_file = str(certificates / f"{trusted}.pem") if trusted else ""
    with RawServer(OK, tls=tls(certificates, name)) as server:
        with pytest.raises(CloudTrouble) as caught:
            client(server.url, ca_file=ca_file).ingest(b"{}")

        assert str(caught.value).startswith(f"ingest: TLS: certificate refused: {why}")
        assert server.requests == []


def test_a_server_that_speaks_no_tls_is_named(client: Make) -> None:
    def refuse(listener: socket.socket) -> None:
        """The first bytes of TLS are a bad request to it, without waiting for a blank line."""
        with listener.accept()[0] as caller:
            caller.recv(65536)
            caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as plain:
        Thread(target=refuse, args=(plain,), daemon=True).start()
        with pytest.raises(CloudTrouble, match="^ingest: TLS: WRONG_VERSION_NUMBER$"):
            client(f"https://localhost:{plain.getsockname()[1]}/att-sync").ingest(b"{}")


def test_the_machines_ca_bundle_does_not_decide(
    client: Make, certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificates / "good.pem"))
    with RawServer(OK, tls=tls(certificates, "good")) as server:
        with pytest.raises(CloudTrouble, match="TLS"):
            client(server.url).ingest(b"{}")
