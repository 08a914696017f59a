"""The fake cloud behind a real HTTP server, for whole commands."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from onprem.ports import Stale
from tests.onprem.fakes import FakeCloud
from tests.sides import KEY


class WireCloud:
    """``answers`` replace the whole answer of a route: a status and a body."""

    def __init__(self) -> None:
        self.cloud = FakeCloud()
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.calls: list[tuple[str, dict[str, str]]] = []
        front = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                front.answer(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/att-sync"

    @property
    def routes(self) -> list[str]:
        return [route for route, _ in self.calls]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        target = urlsplit(request.path)
        route, params = target.path.removeprefix("/att-sync/"), dict(parse_qsl(target.query))
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        if request.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.calls.append((route, params))
        status, said = self._judged(request, route, params, body)
        request.send_response(status)
        request.send_header("Content-Length", str(len(said)))
        request.send_header("Accept-Encoding", "gzip")
        request.end_headers()
        request.wfile.write(said)

    def _judged(
        self, request: BaseHTTPRequestHandler, route: str, params: Mapping[str, str], body: bytes
    ) -> tuple[int, bytes]:
        if route in self.answers:
            return self.answers[route]
        if route == "health":
            return 200, b'{"ok": true}'
        if request.headers.get("X-API-KEY") != KEY:
            return 401, b'{"ok": false, "code": "unauthorized"}'
        try:
            said = self._said(route, params, body)
        except Stale as exc:
            return 409, json.dumps({"ok": False, "code": "stale", "gen": exc.gen}).encode()
        return 200, json.dumps({"ok": True, **said}).encode()

    def _said(self, route: str, params: Mapping[str, str], body: bytes) -> dict[str, Any]:
        if route == "ingest":
            return {"gen": self.cloud.ingest(body)}
        if route == "applied":
            report = json.loads(body)
            self.cloud.applied(report["acks"], report["nacks"])
            self.cloud.close_answered()
            return {"acked": len(report["acks"]), "nacked": len(report["nacks"]), "ignored": []}
        offer = self.cloud.pending(params, after=params.get("after"), limit=int(params["limit"]))
        return {"now": offer.now, "gen": offer.gen, "next": offer.next, "edits": offer.edits}
