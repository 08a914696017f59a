"""One question and its answer over HTTP, bounded in time and size, and every way it can fail in one line."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from typing import NamedTuple

import requests
from urllib3.exceptions import (
    ConnectTimeoutError,
    DecodeError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
)

from onprem.deadline import BoundedAdapter, Deadline
from onprem.line import Line
from onprem.ports import CloudTrouble

CONNECT_TIMEOUT = 10
READ_TIMEOUT = 30
# Beyond what the timeouts allow to a single wait; a long body on a slow line gets more.
WHOLE_EXCHANGE = 40
SLOWEST_UPLOAD = 8 * 1024
LARGEST_ANSWER = 4 * 1024 * 1024
PAUSES = (0.5, 1.5)
PASSING_STATUSES = frozenset({502, 503, 504})
_CHUNK = 64 * 1024


class Question(NamedTuple):
    """``wait``: how long the other side may hold the line before it answers. ``is_counted``: it counts each asking."""

    method: str
    url: str
    params: Mapping[str, str | int] | None = None
    body: bytes | None = None
    headers: Mapping[str, str] | None = None
    wait: int = 0
    is_counted: bool = False


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchange:
    """Asks on kept connections. Nothing of the machine's environment (proxy, CA, netrc) gets to see the key."""

    def __init__(self, line: Line) -> None:
        self._deadline = Deadline()
        self._session = _Session()
        self._session.trust_env = False
        self._session.verify = line.ca_file or True
        if line.proxy:
            self._session.proxies = {"http": line.proxy, "https": line.proxy}
        # The key as bytes: a header text would have to be Latin-1.
        self._session.headers.update(
            {"X-API-KEY": line.key.encode(), "User-Agent": line.user_agent, "Accept": "application/json"}
        )
        adapter = BoundedAdapter(self._deadline, read_timeout=READ_TIMEOUT)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    def ask(self, question: Question) -> Answer:
        """Return the answer, whatever its status. Passing trouble is retried twice, unless each asking counts.

        Raise CloudTrouble when no answer came, naming the kind of trouble.
        """
        self._deadline.start(WHOLE_EXCHANGE + question.wait + len(question.body or b"") / SLOWEST_UPLOAD)
        for pause in () if question.is_counted else PAUSES:
            try:
                answer = self._once(question)
            except _Unanswered as exc:
                if not exc.is_passing or not self._has_time_for(pause):
                    raise
            else:
                if answer.status not in PASSING_STATUSES or not self._has_time_for(pause):
                    return answer
            time.sleep(pause)
        return self._once(question)

    def close(self) -> None:
        self._session.close()

    def _once(self, question: Question) -> Answer:
        try:
            with self._session.request(
                question.method,
                question.url,
                params=question.params,
                data=question.body,
                headers=question.headers,
                timeout=(self._deadline.left(CONNECT_TIMEOUT), READ_TIMEOUT),
                allow_redirects=False,
                stream=True,
            ) as response:
                return Answer(response.status_code, response.headers, _read(response))
        # urllib3's and http.client's own escape requests now and then.
        except (requests.RequestException, HTTPError, HTTPException, OSError) as exc:
            raise _named(exc) from exc

    def _has_time_for(self, pause: float) -> bool:
        try:
            return self._deadline.left() > pause
        except TimeoutError:
            return False


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """None. Otherwise requests reads the whole body of a redirect, even of one that it is told not to follow."""
        return None


class _Unanswered(CloudTrouble):
    """``is_passing``: the connection failed, which the next try may not."""

    def __init__(self, text: str, *, is_passing: bool) -> None:
        super().__init__(text)
        self.is_passing = is_passing


def _read(response: requests.Response) -> bytes:
    """Read an answer up to the cap. What is no success is told by its status: the start of its body is enough."""
    most = LARGEST_ANSWER if response.status_code == 200 else _CHUNK
    body = bytearray()
    for chunk in response.iter_content(_CHUNK):
        body += chunk
        if len(body) >= most:
            break
    if len(body) >= LARGEST_ANSWER:
        raise _Unanswered(f"answer larger than {LARGEST_ANSWER // 1024 // 1024} MiB", is_passing=False)
    return bytes(body)


def _named(exc: Exception) -> _Unanswered:
    """Find the cause below the layers of wrapping and give it its name."""
    causes = list(_causes(exc))
    at_the_proxy = _AT_THE_PROXY if any(isinstance(cause, _PROXY_ERRORS) for cause in causes) else ""
    for kind, name, is_passing in _KINDS:
        for cause in causes:
            if isinstance(cause, kind):
                return _Unanswered(f"{at_the_proxy}{name}{_detail(cause)}", is_passing=is_passing)
    lost = _Unanswered(f"{at_the_proxy}{_in_words_only(causes) or _LOST}", is_passing=True)
    # Somebody on the way may hang up on what he dislikes.
    lost.of_one_call = True
    return lost


def _in_words_only(causes: Sequence[BaseException]) -> str:
    """What http.client has no exception of its own for: a proxy that does not connect us, headers without measure."""
    said = ((name, text) for text in map(str, causes[::-1]) for start, name in _WORDS.items() if text.startswith(start))
    return "".join(next(said, ("", "")))


_LOST = "connection lost before the whole answer came"
_UNREADABLE = "the answer cannot be read: "
_WORDS = {"Tunnel connection failed": "", "got more than": _UNREADABLE}
_AT_THE_PROXY = "the proxy (ATTSYNC_PROXY) does not let us through: "
_PROXY_ERRORS = (requests.exceptions.ProxyError, ProxyError)
_KINDS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, bool], ...] = (
    ((NameResolutionError, socket.gaierror), "DNS: the host name cannot be resolved", True),
    ((ssl.SSLCertVerificationError, ssl.SSLError), "TLS: ", False),
    (ConnectionRefusedError, "connection refused", True),
    (NewConnectionError, "no connection", True),
    ((requests.exceptions.ConnectTimeout, ConnectTimeoutError), "timeout: no connection in time", True),
    ((TimeoutError, requests.exceptions.Timeout), "timeout: no whole answer in time", False),
    (DecodeError, f"{_UNREADABLE}broken compression", False),
    (requests.exceptions.InvalidURL, "the address cannot be used", False),
)


def _causes(exc: BaseException | None) -> Iterator[BaseException]:
    """Walk from the outermost exception inwards, through `raise from` and through urllib3's own ``reason``."""
    seen: set[int] = set()
    while exc is not None and id(exc) not in seen:
        seen.add(id(exc))
        yield exc
        inner = getattr(exc, "reason", None)
        inner = inner or next((part for part in exc.args if isinstance(part, BaseException)), None)
        exc = inner if isinstance(inner, BaseException) else exc.__cause__ or exc.__context__


def _detail(cause: BaseException) -> str:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"certificate refused: {cause.verify_message}"
    if isinstance(cause, ssl.SSLError):
        return str(cause.reason or "handshake failed")
    if isinstance(cause, NewConnectionError) and isinstance(cause.__cause__, OSError):
        return f": {cause.__cause__.strerror}"
    return ""
