"""The cloud's routes. An answer counts only if it is status 200 and JSON and says ``ok: true``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, TypeGuard

from onprem.clocks import is_believable
from onprem.exchange import Answer, Exchange, Question
from onprem.line import Line
from onprem.ports import CloudTrouble, ContentRefused, Offer, Stale, Suspicious

_JSON = {"Content-Type": "application/json"}
_LONGEST_TEXT = 200
_LONGEST_NEXT = 200
# A generation beyond this is a mistake, and following it would leave no numbers to go on with.
_HIGHEST_BELIEVED = 2**52

_MEANINGS = {
    400: "not understood",
    401: "the cloud does not accept our key (ATTSYNC_KEY)",
    403: "forbidden",
    404: "there is no such page (ATTSYNC_URL)",
    413: "too large for the cloud",
    429: "too many requests",
}
# A wrong key, a limit, a cloud that is down: the next call would be told the same.
_OF_ALL_CALLS = frozenset({401, 429, 503})


class HttpCloud:
    """`onprem.ports.Cloud` over HTTP. Compresses days once the cloud has said that it may."""

    def __init__(self, line: Line) -> None:
        self._base, self._key = line.base, line.key
        self._exchange = Exchange(line)
        self._takes_gzip = False

    def clock(self) -> int | None:
        """Any answer will do, each has a ``Date``: without a key even, and whatever else it says."""
        try:
            return _date(self._exchange.ask(Question("GET", self._url("health"))))
        except CloudTrouble:
            return None

    def pending(self, beat: Mapping[str, str | int], *, after: str | None = None, limit: int, wait: int = 0) -> Offer:
        params: dict[str, str | int] = {**beat, "limit": limit}
        if after is not None:
            params["after"] = after
        if wait:
            params["wait"] = wait
        answer, said = self._ask("pending", Question("GET", self._url("pending"), params=params, wait=wait))
        self._takes_gzip = "gzip" in answer.headers.get("Accept-Encoding", "").lower()
        edits, following = said.get("edits") or [], said.get("next") or None
        if not isinstance(edits, list):
            raise CloudTrouble("pending: the answer's edits are no list")
        if following is not None and not _can_be_asked_for(following):
            raise CloudTrouble("pending: the answer's next is no name of a page")
        return Offer(edits, following, now=_moment(said.get("now")), gen=_number(said.get("gen")))

    def applied(self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]) -> frozenset[int]:
        body = json.dumps({"acks": acks, "nacks": nacks}, ensure_ascii=False).encode("utf-8", "replace")
        # What is put off is counted, and after six times held for a person: a lost answer must not count it thrice.
        is_counted = any(not nack.get("final") for nack in nacks)
        question = Question("POST", self._url("applied"), body=body, headers=_JSON, is_counted=is_counted)
        _, said = self._ask("applied", question)
        ignored = said.get("ignored")
        return frozenset(_outdated(ignored if isinstance(ignored, list) else []))

    def ingest(self, body: bytes) -> int | None:
        headers = _JSON
        if self._takes_gzip:
            headers, body = {**_JSON, "Content-Encoding": "gzip"}, gzip.compress(body, 6, mtime=0)
        _, said = self._ask("ingest", Question("POST", self._url("ingest"), body=body, headers=headers))
        return _number(said.get("gen"))

    def close(self) -> None:
        self._exchange.close()

    def _url(self, route: str) -> str:
        return f"{self._base}/{route}"

    def _ask(self, route: str, question: Question) -> tuple[Answer, dict[str, Any]]:
        """Return the answer and what it says if it is success. Everything else raises, in one line without the key."""
        try:
            answer = self._exchange.ask(question)
        except CloudTrouble as exc:
            lost = CloudTrouble(self._line(route, str(exc)))
            lost.of_one_call = exc.of_one_call
            raise lost from exc
        said = _object(answer.body)
        if answer.status == 200 and said is not None and said.get("ok") is True:
            return answer, said
        conflict = said if route == "ingest" and answer.status == 409 and said is not None else {}
        if conflict.get("code") == "stale":
            raise Stale(_number(conflict.get("gen")) or 0)
        kind, text = (Suspicious, "409") if conflict.get("code") == "suspicious" else _refusal(answer, said)
        trouble = kind(self._line(route, text + _words(said)))
        trouble.now = _date(answer)
        if isinstance(trouble, CloudTrouble):
            trouble.of_one_call = answer.status not in _OF_ALL_CALLS
        raise trouble

    def _line(self, route: str, text: str) -> str:
        """What others wrote must not forge log lines, fill the log or repeat the key."""
        text = "".join(character if character.isprintable() else " " for character in text)
        return f"{route}: {text.replace(self._key, '***')[:_LONGEST_TEXT]}"


def _refusal(answer: Answer, said: dict[str, Any] | None) -> tuple[type[CloudTrouble | ContentRefused], str]:
    status = answer.status
    if status in (400, 413):
        return ContentRefused, f"{status} {_MEANINGS[status]}"
    if 300 <= status < 400:
        target = answer.headers.get("Location", "nowhere")
        return CloudTrouble, f"redirect to {target} (status {status}), not followed"
    if status == 200:
        return CloudTrouble, _untrusted(answer, said)
    if status >= 500:
        return CloudTrouble, f"{status} the cloud has trouble of its own"
    return CloudTrouble, f"{status} {_MEANINGS.get(status, 'unexpected status')}"


def _untrusted(answer: Answer, said: dict[str, Any] | None) -> str:
    """Say why an answer with status 200 is no success: a captive portal's page must not pass for a stored day."""
    if said is not None:
        return "the answer does not say ok"
    start = answer.body[:512].lstrip().lower()
    if start.startswith(b"<") or "html" in answer.headers.get("Content-Type", "").lower():
        return "block page: a web page with status 200 instead of an answer"
    return "not JSON, with status 200"


def _outdated(ignored: Sequence[object]) -> Iterator[int]:
    for one in ignored:
        if isinstance(one, dict) and one.get("reason") == "newer_intention" and isinstance(one.get("id"), int):
            yield one["id"]


def _date(answer: Answer) -> int | None:
    try:
        return _moment(int(parsedate_to_datetime(answer.headers.get("Date", "")).timestamp()))
    except (ValueError, OverflowError):
        return None


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def _words(said: dict[str, Any] | None) -> str:
    """The cloud's own words, where there are any."""
    words = [word for name in ("code", "error") if said and isinstance(word := said.get(name), str) and word]
    return f": {' · '.join(words)}" if words else ""


def _number(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _HIGHEST_BELIEVED
    return int(value) if is_number else None


def _moment(value: Any) -> int | None:
    unix = _number(value)
    return unix if unix is not None and is_believable(unix) else None


def _can_be_asked_for(following: Any) -> TypeGuard[str]:
    """A name of ours or of another cloud, which goes back in an address as it came."""
    is_word = isinstance(following, str) and following.isascii() and following.isprintable()
    return is_word and len(following) <= _LONGEST_NEXT
