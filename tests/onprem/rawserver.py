"""A server that answers each connection with bytes of the test's choosing, well-behaved or not."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

Answer = Callable[[socket.socket], None]


def http(status: int, body: bytes = b"", **headers: str) -> Answer:
    """A whole answer. Header names are written with underscores here."""
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    return lambda client: client.sendall(head + body)


def says(status: int, said: Mapping[str, object], **headers: str) -> Answer:
    return http(status, json.dumps(said).encode(), Content_Type="application/json", **headers)


def nothing(client: socket.socket) -> None:
    """Hang up without a word."""


def silence(client: socket.socket) -> None:
    time.sleep(30)


def drip(text: bytes) -> Answer:
    """A byte each twentieth of a second: no single read ever takes long."""

    def answer(client: socket.socket) -> None:
        for byte in text:
            client.sendall(bytes([byte]))
            time.sleep(0.05)

    return answer


def flood(head: bytes, megabytes: int) -> Answer:
    def answer(client: socket.socket) -> None:
        client.sendall(head)
        for _ in range(megabytes):
            client.sendall(b"x" * 1_000_000)

    return answer


class RawServer:
    """Gives the answers in turn, the last one for ever. ``requests`` holds what came, whole."""

    def __init__(self, *answers: Answer, tls: ssl.SSLContext | None = None) -> None:
        self._answers = list(answers)
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.requests: list[bytes] = []

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http{'s' if self._tls else ''}://localhost:{self.port}/att-sync"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        # A client that does not trust the certificate hangs up in the handshake.
        with contextlib.suppress(OSError), client, self._encrypted(client) as line:
            self.requests.append(_whole_request(line))
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            answer(line)

    def _encrypted(self, client: socket.socket) -> socket.socket:
        return self._tls.wrap_socket(client, server_side=True) if self._tls else client


def _whole_request(client: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += client.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    while len(body) < length:
        body += client.recv(65536)
    return head + b"\r\n\r\n" + body
