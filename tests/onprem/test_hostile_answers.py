"""Whatever a server answers, a run comes to its end and says so in words: it may be anybody's, not the cloud."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onprem import agent, days, exchange
from onprem.agent import Asked
from onprem.cloud import HttpCloud
from onprem.line import Line
from onprem.state import State
from tests.onprem.fakes import DAY, Stage, edit
from tests.onprem.rawserver import Answer, RawServer, says

NOWHERE = Path("/no such directory")
ASIDE = [None, True, -1, 0, 1.5, 10**400, float("inf"), float("nan"), 2**52, 2**52 - 1, 2**63]
TEXTS = ["", "\ud800", "\0", "ก", "0.5.7", "a b", "x\r\nHost: y", "2026-07-28", "9999-12-31", "late", "x" * 5000]
SCALARS = st.sampled_from([*ASIDE, *TEXTS]) | st.integers() | st.floats() | st.text()
ANYTHING = st.recursive(SCALARS, lambda some: st.lists(some) | st.dictionaries(st.text(), some), max_leaves=5)
EDITS = st.fixed_dictionaries({"id": ANYTHING}, optional=dict.fromkeys(["rev", "d", "period", "employee_no"], ANYTHING))
IGNORED = st.fixed_dictionaries({"reason": st.just("newer_intention") | ANYTHING, "id": st.just(7) | ANYTHING})
FIELDS = {
    **dict.fromkeys(["now", "gen", "next", "error"], ANYTHING),
    "code": st.sampled_from(["stale", "suspicious"]) | ANYTHING,
    "edits": st.lists(EDITS.map(lambda fields: {**edit(), **fields}) | ANYTHING, max_size=3) | ANYTHING,
    "ignored": st.lists(IGNORED | ANYTHING, max_size=3) | ANYTHING,
}
SAID = st.fixed_dictionaries({"ok": st.just(value=True) | ANYTHING}, optional=FIELDS)


@pytest.fixture(autouse=True, scope="module")
def _impatient() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exchange, "PAUSES", (0.0, 0.0))
        yield


def two_runs(answer: Answer) -> tuple[set[int], bool]:
    """A run and the one that remembers it, of a factory that sends a day and sets marks.

    Return their exit codes, and whether the day counts as sent.
    """
    codes = set()
    with RawServer(answer) as server, closing(HttpCloud(Line(server.url, "key"))) as cloud:
        with closing(State.peek(NOWHERE)) as state:
            for _ in range(2):
                run = Stage(state).run()
                run.cloud = cloud
                agent.run_once(run, Asked())
                codes.add(run.report.exit_code)
            return codes, days.known(state, DAY) is not None


@settings(deadline=None)
@given(status=st.sampled_from([200, 400, 401, 409]), said=SAID)
def test_no_field_of_an_answer_ends_a_run_in_a_traceback(status: int, said: Mapping[str, object]) -> None:
    codes, is_sent = two_runs(says(status, said))

    is_success = status == 200 and said["ok"] is True
    assert codes <= {0, 1, 75}
    assert is_success or not (is_sent or 0 in codes)


@pytest.mark.parametrize("ahead_s", [2**53, -(2**53), -252_000_000_000])
def test_a_difference_of_clocks_that_cannot_be_is_not_kept_to(ahead_s: int) -> None:
    with closing(State.peek(NOWHERE)) as state:
        state.put("ahead_s", ahead_s)

        assert str(Stage(state).run().today) == "2026-07-28"
