"""What other tests rely on: a relay that does cut, a server that does come back, a race that is one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from tests.mariadb import MariaDB
from tests.relay import Cut, Relay

BODY = b"x" * 200_000
ANSWER = b"y" * 200_000


class Server(ThreadingHTTPServer):
    received: list[bytes]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) == len(BODY):
            self.server.received.append(body)
        self.send_response(200)
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def log_message(self, *_parts: object) -> None:
        """Quiet."""


def answer_over(relay: Relay) -> bytes | None:
    """None: not the whole of it. Cut between two of its headers, an answer looks whole and empty."""
    try:
        return requests.post(relay.url, BODY, timeout=5).content or None
    except requests.RequestException:
        return None


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as server:
        server.received = []
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def relay(server: Server) -> Iterator[Relay]:
    with Relay(server.server_address[1]) as relay:
        yield relay


def test_an_unarmed_relay_only_forwards(relay: Relay, server: Server) -> None:
    with requests.Session() as session:
        answers = [session.post(relay.url, BODY, timeout=5).content for _ in range(3)]

    assert answers == [ANSWER] * 3
    assert server.received == [BODY] * 3


@pytest.mark.parametrize(
    ("moment", "arrived"),
    [(Cut.BEFORE_REQUEST, 0), (Cut.HALF_REQUEST, 0), (Cut.NO_ANSWER, 1), (Cut.HALF_ANSWER, 1)],
)
def test_the_line_is_cut_once_at_the_chosen_moment(relay: Relay, server: Server, moment: Cut, arrived: int) -> None:
    relay.cut(moment)

    answers = [answer_over(relay), answer_over(relay)]

    assert answers == [None, ANSWER]
    assert (relay.cuts, len(server.received)) == ([moment], arrived + 1)


def test_a_kept_connection_can_be_cut_too(relay: Relay) -> None:
    with requests.Session() as session:
        session.post(relay.url, BODY, timeout=5)
        relay.cut(Cut.NO_ANSWER)

        with pytest.raises(requests.ConnectionError):
            session.post(relay.url, BODY, timeout=5)


def test_one_kind_of_request_can_be_kept_out(relay: Relay, server: Server) -> None:
    relay.block(b"POST /in")

    with pytest.raises(requests.ConnectionError):
        requests.post(f"{relay.url}/in", BODY, timeout=5)
    passed = requests.post(f"{relay.url}/out", BODY, timeout=5)

    assert (passed.content, len(server.received)) == (ANSWER, 1)


def test_a_killed_server_comes_back_with_what_was_committed(mortal_mariadb: MariaDB) -> None:
    mortal_mariadb.create("kept")
    mortal_mariadb.execute("CREATE TABLE t (n INTEGER) ENGINE=InnoDB", database="kept")
    mortal_mariadb.execute("INSERT INTO t VALUES (7)", database="kept")

    mortal_mariadb.kill()
    mortal_mariadb.start()

    assert mortal_mariadb.execute("SELECT n FROM t", database="kept") == [(7,)]


def test_the_server_takes_a_day_of_eight_mebibytes(mariadb: MariaDB) -> None:
    assert mariadb.execute("SELECT @@max_allowed_packet") == [(16 * 1024 * 1024,)]
