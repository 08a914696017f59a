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
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError
from urllib3.poolmanager import PoolManager, ProxyManager
from urllib3.util.connection import allowed_gai_family

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

    class Plain(_BoundedConnection):
        end = deadline
        response_class = Response

    class Encrypted(Plain, HTTPSConnection):
        pass

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class EncryptedPool(HTTPSConnectionPool):
        ConnectionCls = Encrypted

    return {"http": PlainPool, "https": EncryptedPool}


class _BoundedConnection(HTTPConnection):
    """Is made, and sends, by the deadline."""

    end: ClassVar[Deadline]

    def _new_conn(self) -> socket.socket:
        """Try each address of the name. urllib3 gives every one the whole timeout: here they share what is left."""
        name, most = self._dns_host, self.timeout
        assert isinstance(most, int | float)
        *first, last = addresses = self._addresses()
        try:
            for at, address in enumerate(first):
                with suppress(ConnectTimeoutError, NewConnectionError):
                    return self._connect_to(address, self.end.left() / (len(addresses) - at), most)
            return self._connect_to(last, self.end.left(), most)
        finally:
            self._dns_host, self.timeout = name, most

    def _addresses(self) -> list[str]:
        """Return at least one, or raise NameResolutionError, also for what can be no name."""
        host, family = self._dns_host.strip("[]"), allowed_gai_family()
        try:
            found = socket.getaddrinfo(host, self.port, family, socket.SOCK_STREAM)
        except (socket.gaierror, UnicodeError) as exc:
            raise NameResolutionError(self.host, self, exc) from exc  # type: ignore[arg-type]
        return [str(address[0]) for *_, address in found]

    def _connect_to(self, address: str, share: float, most: float) -> socket.socket:
        self._dns_host, self.timeout = address, min(share, most)
        sock = super()._new_conn()
        # What follows (TLS) has its own time.
        sock.settimeout(self.end.left(most))
        return sock

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        assert self.sock is not None
        self.sock.settimeout(self.end.left())
        super().send(data)


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
