"""A time limit for a whole HTTP exchange.

The timeouts of requests count from one byte to the next: a server that drips a byte each half second renews them for
ever, in the headers already.
"""

from __future__ import annotations

import http.client
import io
import math
import socket
import time
from typing import TYPE_CHECKING, Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager, ProxyManager

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Deadline:
    """The moment at which the running exchange is over, shared with every connection it may use."""

    def __init__(self) -> None:
        self._end = math.inf

    def start(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self, most: float = math.inf) -> float:
        """Return the seconds left, at most ``most``. Raise TimeoutError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the exchange took too long")
        return min(left, most)


class BoundedAdapter(HTTPAdapter):
    """Transport whose every wait on the socket ends by the deadline. No retries of its own."""

    def __init__(self, deadline: Deadline, *, read_timeout: float) -> None:
        self._pools = _pools(deadline, read_timeout)
        super().__init__(max_retries=0)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, *args: Any, **options: Any) -> PoolManager | ProxyManager:
        manager: PoolManager | ProxyManager = super().proxy_manager_for(*args, **options)
        manager.pool_classes_by_scheme = self._pools
        return manager


def _pools(deadline: Deadline, read_timeout: float) -> dict[str, type[HTTPConnectionPool]]:
    """urllib3 makes connections from classes, so the deadline travels in classes of this adapter's own."""

    class Response(http.client.HTTPResponse):
        def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
            super().__init__(sock, *args, **options)
            self.fp.close()
            self._line = _BoundedReader(sock, deadline, read_timeout)
            self.fp = io.BufferedReader(self._line)

        def begin(self) -> None:
            """To http.client the end of the line is the end of the headers, and what was cut there an empty answer."""
            super().begin()
            if self._line.has_ended:
                raise http.client.IncompleteRead(b"")

    class Plain(HTTPConnection):
        response_class = Response

        def send(self, data: Any) -> None:
            _send_in_time(self, deadline)
            super().send(data)

    class Encrypted(HTTPSConnection):
        response_class = Response

        def send(self, data: Any) -> None:
            _send_in_time(self, deadline)
            super().send(data)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class EncryptedPool(HTTPSConnectionPool):
        ConnectionCls = Encrypted

    return {"http": PlainPool, "https": EncryptedPool}


def _send_in_time(connection: HTTPConnection, deadline: Deadline) -> None:
    if connection.sock is None:
        connection.connect()
    assert connection.sock is not None
    connection.sock.settimeout(deadline.left())


class _BoundedReader(io.RawIOBase):
    """Reads a socket, never waiting longer than one read may take nor past the deadline."""

    def __init__(self, sock: socket.socket, deadline: Deadline, read_timeout: float) -> None:
        self._sock, self._deadline, self._read_timeout = sock, deadline, read_timeout
        self._file = sock.makefile("rb", buffering=0)
        self.has_ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(self._deadline.left(self._read_timeout))
        count = self._file.readinto(buffer)
        self.has_ended = count == 0
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
