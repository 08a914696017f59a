"""A TCP relay between two of our processes that cuts the line at a chosen moment.

It knows no HTTP: what the client sends is "the request", what comes back is "the answer".
"""

from __future__ import annotations

import contextlib
import socket
import threading
from enum import Enum
from types import TracebackType
from typing import Self

CHUNK = 65536


class Cut(Enum):
    """The moments at which a home connection can drop."""

    BEFORE_REQUEST = "connected, but nothing of the request arrives"
    HALF_REQUEST = "half of the request sent: the server never has all of it"
    NO_ANSWER = "the server has answered, the client hears nothing"
    HALF_ANSWER = "half of the answer received"


class Relay:
    """``with Relay(port) as relay: relay.cut(Cut.NO_ANSWER)``; the client talks to ``relay.url``.

    Each armed cut is used up by one exchange. Unarmed, it only forwards.
    """

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._armed: list[tuple[Cut, bytes]] = []
        self._blocked: bytes | None = None
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._held = b"\0"
        self._go = threading.Event()
        self.holds = threading.Event()
        self.cuts: list[Cut] = []

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self, moment: Cut, *, of: bytes = b"", times: int = 1) -> None:
        """Cut the next so many exchanges at that moment, those that begin with ``of``. What happened is in ``cuts``."""
        with self._lock:
            self._armed += [(moment, of)] * times

    def block(self, beginning: bytes) -> None:
        """Let no request through that begins like this (``b"POST /path"``), until mended."""
        self._blocked = beginning

    def hold(self, beginning: bytes) -> None:
        """Keep the answers to requests that begin like this until released; ``holds`` tells when there is one."""
        self._go.clear()
        self.holds.clear()
        self._held = beginning

    def release(self) -> None:
        self._held = b"\0"
        self._go.set()

    def mend(self) -> None:
        self._blocked = None
        with self._lock:
            self._armed.clear()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        # Waking the thread that waits in accept() takes a shutdown, closing alone does not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            left = list(self._open)
        for end in left:
            _hang_up(end)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._target)
            except OSError:
                _hang_up(client)
                continue
            with self._lock:
                self._open |= {client, server}
            asked = bytearray()
            for pump in (self._requests, self._answers):
                threading.Thread(target=pump, args=(client, server, asked), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket, asked: bytearray) -> None:
        """``asked`` is what the running exchange began with: a body may come in pieces of its own."""
        while data := _received(client):
            if data.startswith((b"GET ", b"POST ")) or not asked:
                asked[:] = data
            if self._is_blocked(data) or self._take(Cut.BEFORE_REQUEST, asked):
                break
            if self._take(Cut.HALF_REQUEST, asked):
                _sent(server, data[: len(data) // 2])
                break
            if not _sent(server, data):
                break
        self._drop(client, server)

    def _answers(self, client: socket.socket, server: socket.socket, asked: bytearray) -> None:
        while data := _received(server):
            if asked.startswith(self._held):
                self.holds.set()
                self._go.wait()
            if self._take(Cut.NO_ANSWER, asked):
                break
            if self._take(Cut.HALF_ANSWER, asked):
                _sent(client, data[: len(data) // 2])
                break
            if not _sent(client, data):
                break
        self._drop(client, server)

    def _is_blocked(self, data: bytes) -> bool:
        return self._blocked is not None and data.startswith(self._blocked)

    def _take(self, moment: Cut, asked: bytearray) -> bool:
        with self._lock:
            armed = next((one for one in self._armed if one[0] is moment and asked.startswith(one[1])), None)
            if armed is None:
                return False
            self._armed.remove(armed)
            self.cuts.append(moment)
            return True

    def _drop(self, *ends: socket.socket) -> None:
        for end in ends:
            _hang_up(end)
        with self._lock:
            self._open -= set(ends)


def _received(end: socket.socket) -> bytes:
    """Empty: the other side has hung up, one way or the other."""
    try:
        return end.recv(CHUNK)
    except OSError:
        return b""


def _sent(end: socket.socket, data: bytes) -> bool:
    try:
        end.sendall(data)
    except OSError:
        return False
    return True


def _hang_up(end: socket.socket) -> None:
    """Say what can be said (half of an answer arrives), then close; the other pump may have been first."""
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
