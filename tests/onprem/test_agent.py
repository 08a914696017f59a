"""One run of the agent between a fake factory and a fake cloud."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mirror.wire import Snapshot
from onprem import agent, days, serving
from onprem.agent import Asked
from onprem.occurrences import Occurrences
from onprem.ports import (
    BadWindows,
    Cell,
    CloudTrouble,
    ContentRefused,
    FactoryDown,
    Offer,
    Stale,
    Suspicious,
    ViewMissing,
)
from onprem.run import Run
from onprem.state import State
from tests.onprem.fakes import CUT, DAY, NOON, FakeCloud, FakeFactory, Stage, cell, edit

YESTERDAY = DAY - timedelta(days=1)
DAY_S = 86400


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    state = State.open(tmp_path)
    yield Stage(state)
    state.close()


def run_once(stage: Stage, asked: Asked | None = None) -> Run:
    run = stage.run()
    agent.run_once(run, asked or Asked())
    return run


# --- days -----------------------------------------------------------------------------------------------------------


def test_today_is_pushed_once_and_then_unchanged(stage: Stage) -> None:
    run_once(stage)
    run_once(stage)

    assert stage.lines() == ["2026-07-28: sent, 2 workers, 1 KiB", "2026-07-28: unchanged"]
    assert len(stage.cloud.bodies) == 1


def test_an_idle_run_says_nothing_at_verbosity_0(stage: Stage) -> None:
    run_once(stage)
    stage.log.clear()
    stage.verbosity = 0

    assert run_once(stage).report.exit_code == 0
    assert stage.log == []


@pytest.mark.parametrize("change", ["a person", "a state", "a mark"])
def test_whatever_is_shown_makes_a_day_go_out_again(stage: Stage, change: str) -> None:
    run_once(stage)
    if change == "a person":
        stage.factory.people = ("0012", "777", "888")
    elif change == "a state":
        stage.factory.open_days = frozenset({DAY - timedelta(days=9)})
        stage.now += 86400 / 2
    else:
        stage.factory.marks[cell()] = "late"

    run_once(stage)

    assert len(stage.cloud.bodies) == 2


def test_the_time_of_reading_is_no_change(stage: Stage) -> None:
    run_once(stage)
    stage.now += 60
    run_once(stage)

    assert len(stage.cloud.bodies) == 1


def test_a_day_that_did_not_change_is_confirmed_with_the_next_heartbeat(stage: Stage) -> None:
    run_once(stage)
    stage.now += 60
    run_once(stage)
    stage.now += 60
    run_once(stage)

    assert stage.cloud.beats[-1]["day"] == "2026-07-28"
    assert stage.cloud.beats[-1]["captured"] == str(int(NOON) + 60)


def test_force_pushes_what_has_not_changed_and_says_so_to_the_cloud(stage: Stage) -> None:
    run_once(stage)
    run_once(stage, Asked(force=True))

    assert json.loads(stage.cloud.bodies[1])["force"] is True
    assert "force" not in json.loads(stage.cloud.bodies[0])


def test_force_is_for_the_asked_days_only(stage: Stage) -> None:
    days.owe(stage.state, DAY - timedelta(days=3))

    run_once(stage, Asked(dates=[YESTERDAY], force=True))

    assert [("force" in json.loads(body), json.loads(body)["date"]) for body in stage.cloud.bodies] == [
        (False, "2026-07-25"),
        (True, "2026-07-27"),
    ]


def test_asked_days_are_pushed_oldest_first_and_today_is_not_added(stage: Stage) -> None:
    run_once(stage, Asked(dates=[YESTERDAY], count=3))

    assert list(stage.cloud.days) == ["2026-07-25", "2026-07-26", "2026-07-27"]


def test_an_asked_day_that_has_not_changed_is_not_sent(stage: Stage) -> None:
    for _ in range(2):
        run = stage.run()
        agent.note_owed(run, Asked(dates=[YESTERDAY]))
        agent.run_once(run, Asked(dates=[YESTERDAY]))

    assert stage.lines()[-1] == "2026-07-27: unchanged"
    assert days.owed(stage.state) == {}


def test_after_an_outage_the_days_since_the_last_success_follow_by_themselves(stage: Stage) -> None:
    run_once(stage)
    stage.now += 3 * DAY_S
    stage.cloud.now = int(stage.now)
    stage.factory.marks[cell(day=DAY)] = "late"

    run_once(stage)

    assert list(stage.cloud.days) == ["2026-07-28", "2026-07-29", "2026-07-30", "2026-07-31"]
    assert len(stage.cloud.bodies) == 5


def test_an_outage_is_caught_up_with_at_most_so_many_days(stage: Stage) -> None:
    run_once(stage)
    stage.now += 300 * DAY_S
    stage.cloud.now = int(stage.now)
    run = stage.run()
    run.catchup_days = 5
    agent.run_once(run, Asked())

    assert len(stage.cloud.bodies) == 1 + 6


def test_a_run_in_which_today_failed_is_no_success(stage: Stage) -> None:
    run_once(stage)
    stage.now += DAY_S
    stage.cloud.now = int(stage.now)
    stage.cloud.before["ingest"] = CUT
    run_once(stage)
    stage.now += DAY_S
    stage.cloud.now = int(stage.now)
    stage.cloud.before.clear()

    run_once(stage)

    assert list(stage.cloud.days) == ["2026-07-28", "2026-07-29", "2026-07-30"]


def test_days_that_were_not_even_tried_on_a_dead_line_come_when_it_is_back(stage: Stage) -> None:
    run_once(stage)
    stage.cloud.before["ingest"] = CUT
    for _ in range(3):
        stage.now += DAY_S
        stage.cloud.now = int(stage.now)
        run_once(stage)
    stage.now += DAY_S
    stage.cloud.now = int(stage.now)
    stage.cloud.before.clear()

    run_once(stage)

    assert list(stage.cloud.days) == [f"2026-{day}" for day in ("07-28", "07-29", "07-30", "07-31", "08-01")]


def test_an_owed_day_of_the_future_is_a_wrong_clocks_and_left(stage: Stage) -> None:
    days.owe(stage.state, DAY + timedelta(days=10))

    run_once(stage)

    assert list(stage.cloud.days) == ["2026-07-28"]


def test_asked_days_are_no_success_of_today(stage: Stage) -> None:
    run_once(stage, Asked(dates=[DAY]))

    assert stage.state.get("last_success") is None


def test_a_night_shift_is_pushed_until_it_has_ended(stage: Stage) -> None:
    run_once(stage)
    stage.now += DAY_S
    stage.cloud.now = int(stage.now)
    stage.factory.open_days = frozenset({DAY})
    run_once(stage)
    stage.factory.marks[cell(day=DAY)] = "late"
    run_once(stage)
    stage.factory.open_days = frozenset()
    run_once(stage)
    captured_before = len(stage.factory.captured)

    run_once(stage)

    assert stage.cloud.days["2026-07-28"].periods[0].state == "end"
    assert stage.factory.captured[captured_before:] == [DAY + timedelta(days=1)]


def test_a_new_installation_sends_yesterday_only_while_it_lasts(stage: Stage) -> None:
    stage.factory.open_days = frozenset({YESTERDAY})
    run_once(stage)

    assert list(stage.cloud.days) == ["2026-07-27", "2026-07-28"]


def test_a_new_installation_leaves_a_yesterday_that_is_over(stage: Stage) -> None:
    run_once(stage)
    run_once(stage)

    assert list(stage.cloud.days) == ["2026-07-28"]
    assert stage.factory.captured.count(YESTERDAY) == 1


@pytest.mark.parametrize("hour", [3, 5])
def test_the_business_date_changes_when_the_factorys_day_does(stage: Stage, hour: int) -> None:
    stage.now += (hour + 12) * 3600
    stage.cloud.now = int(stage.now)

    run_once(stage)

    assert ("2026-07-29" in stage.cloud.days) == (hour == 5)


# --- trouble with days ----------------------------------------------------------------------------------------------


def test_a_day_that_could_not_be_sent_is_owed_and_comes_with_the_next_run(stage: Stage) -> None:
    stage.cloud.before["ingest"] = CUT
    run = run_once(stage, Asked(dates=[YESTERDAY]))
    assert run.report.exit_code == 75
    stage.cloud.before.clear()

    assert run_once(stage, Asked(dates=[DAY])).report.exit_code == 0
    assert list(stage.cloud.days) == ["2026-07-27", "2026-07-28"]
    assert days.owed(stage.state) == {}


def test_after_a_lost_answer_the_day_is_sent_even_if_it_went_back_to_what_it_was(stage: Stage) -> None:
    run_once(stage)
    stage.factory.marks[cell()] = "late"
    stage.cloud.after["ingest"] = CUT
    run_once(stage)
    del stage.factory.marks[cell()]
    stage.cloud.after.clear()

    run_once(stage)

    assert stage.cloud.days["2026-07-28"].workers[0].p == {1: None}


def test_a_line_that_is_down_is_not_tried_for_every_day(stage: Stage) -> None:
    stage.cloud.before["ingest"] = CUT

    run_once(stage, Asked(dates=[DAY], count=30))

    assert len([line for line in stage.lines() if "connection lost" in line]) == 1


class PickyCloud(FakeCloud):
    """Something on the way dislikes some days."""

    disliked: Sequence[str] = ()
    of_one_call = True

    def ingest(self, body: bytes) -> int | None:
        if json.loads(body)["date"] in self.disliked:
            trouble = CloudTrouble("ingest: 403 forbidden")
            trouble.of_one_call = self.of_one_call
            raise trouble
        return super().ingest(body)


def test_a_day_that_does_not_get_through_keeps_no_newer_one_away(stage: Stage) -> None:
    stage.cloud = PickyCloud()
    stage.cloud.disliked = ["2026-07-24", "2026-07-26"]

    run = run_once(stage, Asked(dates=[DAY], count=5))

    assert list(stage.cloud.days) == ["2026-07-25", "2026-07-27", "2026-07-28"]
    assert set(days.owed(stage.state)) == {date(2026, 7, 24), date(2026, 7, 26)}
    assert run.report.exit_code == 75
    assert stage.lines()[-1] == "2026-07-24: ingest: 403 forbidden; 2026-07-26: ingest: 403 forbidden"


def test_old_days_that_do_not_get_through_keep_today_away_least_of_all(stage: Stage) -> None:
    stage.cloud = PickyCloud()
    stage.cloud.disliked = [str(DAY - timedelta(days=n)) for n in range(1, 30)]
    for n in range(30):
        days.owe(stage.state, DAY - timedelta(days=n))

    run = run_once(stage)

    assert list(stage.cloud.days) == ["2026-07-28"]
    assert (len(days.owed(stage.state)), run.report.exit_code) == (29, 75)
    assert stage.lines()[-1].count("403") == 3


@pytest.mark.parametrize(("of_one_call", "tried"), [(True, 3), (False, 1)])
def test_a_cloud_that_takes_no_day_is_not_tried_with_every_day(stage: Stage, of_one_call: bool, tried: int) -> None:
    stage.cloud = PickyCloud()
    stage.cloud.disliked, stage.cloud.of_one_call = [str(DAY - timedelta(days=n)) for n in range(30)], of_one_call

    run_once(stage, Asked(dates=[DAY], count=30))

    assert (stage.lines()[-1].count("403"), stage.cloud.days) == (tried, {})


@pytest.mark.parametrize("refusal", [ContentRefused("ingest: 400"), Suspicious("ingest: 409"), ContentRefused("413")])
def test_a_refused_day_stays_owed_and_holds_up_no_other(stage: Stage, refusal: Exception) -> None:
    stage.cloud.before["ingest"] = refusal

    run = run_once(stage, Asked(dates=[DAY], count=2))

    assert run.report.exit_code == 1
    assert set(days.owed(stage.state)) == {YESTERDAY, DAY}
    assert len([line for line in stage.lines() if "refused" in line]) == 2


def test_a_suspicious_day_is_told_to_the_cloud_at_once(stage: Stage) -> None:
    stage.cloud.before["ingest"] = Suspicious("ingest: 409")

    run_once(stage)

    assert [(beat.get("error"), beat["clock"] - int(NOON)) for beat in stage.cloud.beats] == [
        (None, 0),
        ("suspicious", 1),
    ]


def test_trouble_is_carried_into_the_next_run_until_that_knows_better(stage: Stage) -> None:
    stage.cloud.before["ingest"] = Suspicious("ingest: 409")
    run_once(stage)
    stage.cloud.before.clear()

    run_once(stage)

    assert [beat.get("error") for beat in stage.cloud.beats] == [None, "suspicious", "suspicious", None]


def test_force_settles_a_suspicious_day(stage: Stage) -> None:
    stage.cloud.before["ingest"] = Suspicious("ingest: 409")
    run_once(stage)
    stage.cloud.before.clear()

    assert run_once(stage, Asked(force=True)).report.exit_code == 0
    assert days.owed(stage.state) == {}


def test_a_stale_day_is_read_again_and_stamped_above_the_clouds(stage: Stage) -> None:
    run_once(stage)
    stage.factory.marks[cell()] = "late"
    stage.cloud.days["2026-07-28"].gen = 2_000_000_000

    run = run_once(stage)

    assert run.report.exit_code == 0
    assert stage.cloud.days["2026-07-28"].gen == 2_000_000_001
    assert stage.factory.captured[-2:] == [DAY, DAY]


def test_an_old_capture_is_never_stamped_anew(stage: Stage) -> None:
    """The value changes between the stale answer and the second reading: what goes out is the second reading."""
    stage.cloud.days["2026-07-28"] = next(stage.factory.snapshots([DAY], now=stage.run().now))
    stage.cloud.days["2026-07-28"].gen = 2_000_000_000
    original = stage.cloud.ingest

    def ingest(body: bytes) -> int | None:
        try:
            return original(body)
        except Stale:
            stage.factory.marks[cell()] = "late"
            raise

    stage.cloud.ingest = ingest  # type: ignore[method-assign]
    run_once(stage)

    assert stage.cloud.days["2026-07-28"].workers[0].p == {1: "late"}


def test_a_stale_day_whose_content_we_once_sent_is_still_sent_again(stage: Stage) -> None:
    run_once(stage)
    run_once(stage, Asked(force=True))
    stage.cloud.days["2026-07-28"].gen = 2_000_000_000
    stage.factory.marks[cell()] = "late"
    original = stage.cloud.ingest

    def ingest(body: bytes) -> int | None:
        try:
            return original(body)
        except Stale:
            stage.factory.marks.clear()
            raise

    stage.cloud.ingest = ingest  # type: ignore[method-assign]
    run_once(stage)

    assert stage.cloud.days["2026-07-28"].gen == 2_000_000_001


def test_who_is_always_ahead_of_us_is_another_agent(stage: Stage) -> None:
    def ingest(body: bytes) -> int | None:
        raise Stale(json.loads(body)["gen"] + 100)

    stage.cloud.ingest = ingest  # type: ignore[method-assign]
    run = run_once(stage)

    assert run.report.exit_code == 75
    assert stage.cloud.beats[-1]["error"] == "second_agent"


def test_a_generation_above_everything_the_cloud_knows(stage: Stage) -> None:
    stage.cloud.gen = 2_000_000_000

    run_once(stage)

    assert (stage.cloud.days["2026-07-28"].gen or 0) > 2_000_000_000


def test_a_cloud_restored_from_a_backup_gets_again_what_it_lost(stage: Stage) -> None:
    run_once(stage, Asked(dates=[YESTERDAY]))
    run_once(stage)
    stage.cloud.gen = stage.state.gen
    run_once(stage)
    stage.cloud.gen = int(NOON) - 7 * DAY_S
    stage.cloud.days.clear()

    run_once(stage)

    assert list(stage.cloud.days) == ["2026-07-27", "2026-07-28"]
    assert "the cloud has forgotten what it knew: 2 days are sent again" in stage.lines()


class KnowingCloud(FakeCloud):
    """Tells the highest generation it has, of days and acks alike, as the real one does."""

    def ingest(self, body: bytes) -> int | None:
        stored = super().ingest(body)
        self.gen = max(self.gen or 0, stored or 0)
        return stored

    def applied(self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]) -> frozenset[int]:
        self.gen = max(self.gen or 0, *(int(str(ack["gen"])) for ack in acks))
        return super().applied(acks, nacks)


FORGOTTEN = "the cloud has forgotten what it knew: {} days are sent again"


def test_a_cloud_that_lost_only_what_the_last_run_pushed_gets_that_again(stage: Stage) -> None:
    stage.cloud = KnowingCloud(gen=int(NOON) - DAY_S)
    run_once(stage)
    backup, gen = dict(stage.cloud.days), stage.cloud.gen
    run_once(stage, Asked(dates=[YESTERDAY]))
    stage.cloud.days, stage.cloud.gen = backup, gen

    run_once(stage)

    assert set(stage.cloud.days) == {"2026-07-27", "2026-07-28"}
    assert FORGOTTEN.format(1) in stage.lines()


def test_a_cloud_that_lost_only_an_ack_is_known_to_have_forgotten(stage: Stage) -> None:
    stage.cloud = KnowingCloud(gen=int(NOON) - DAY_S)
    run_once(stage)
    run_once(stage)
    stage.cloud.edits, stage.cloud.before["ingest"] = [edit()], CUT
    gen = stage.cloud.gen
    run_once(stage)
    stage.cloud.before.clear()
    stage.cloud.gen = gen

    run_once(stage)

    assert FORGOTTEN.format(0) in stage.lines()


def test_a_cloud_that_keeps_everything_has_forgotten_nothing(stage: Stage) -> None:
    stage.cloud = KnowingCloud(gen=int(NOON) - DAY_S, edits=[edit()])
    for _ in range(3):
        run_once(stage)
        stage.cloud.close_answered()
        stage.now += 60

    assert not [line for line in stage.lines() if "forgotten" in line]
    assert stage.state.heard_gen == stage.cloud.gen


@pytest.mark.parametrize("gen", [None, 0, 7, int(NOON) - DAY_S])
def test_a_cloud_that_never_tells_what_it_has_cannot_forget_it(stage: Stage, gen: int | None) -> None:
    stage.cloud.gen = gen
    for _ in range(3):
        run_once(stage)

    assert len(stage.cloud.bodies) == 1
    assert not [line for line in stage.lines() if "forgotten" in line]


def test_a_cloud_that_stops_counting_causes_no_endless_pushes(stage: Stage) -> None:
    stage.cloud = KnowingCloud(gen=int(NOON) - DAY_S)
    run_once(stage)
    run_once(stage)
    stage.cloud = FakeCloud(gen=5)
    for _ in range(4):
        run_once(stage)

    assert len(stage.cloud.bodies) == 1


def test_what_another_run_pushed_while_this_one_waited_is_not_forgotten(stage: Stage) -> None:
    stage.cloud = KnowingCloud(gen=int(NOON) - DAY_S)
    run_once(stage)
    run_once(stage)
    run, pending = stage.run(), stage.cloud.pending

    def slow(*words: Any, **options: Any) -> Offer:
        offer = pending(*words, **options)
        stage.state.hear_stored(int(NOON) + 500)
        return offer

    stage.cloud.gen = stage.state.heard_gen
    stage.cloud.pending = slow  # type: ignore[method-assign]
    run.ask(wait=25)

    assert not [line for line in stage.lines() if "forgotten" in line]
    assert stage.state.heard_gen == int(NOON) + 500


def test_a_day_claims_nothing_that_happened_while_it_was_read(stage: Stage) -> None:
    """An ack stamped meanwhile may be of a write that this reading has missed."""
    read, acked = stage.factory.snapshots, []

    def slow(*words: Any, **options: Any) -> Iterator[Snapshot]:
        day = list(read(*words, **options))
        stage.now += 30
        acked.append(stage.state.stamp(stage.now))
        return iter(day)

    stage.factory.snapshots = slow  # type: ignore[method-assign]
    run_once(stage)

    assert (stage.cloud.days["2026-07-28"].gen or 0) < acked[0]


TROUBLES = [FactoryDown("server gone"), ViewMissing("attsync_scan"), BadWindows("1 and 2")]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda exc: exc.code)
def test_the_factorys_trouble_is_told_and_nothing_is_lost(stage: Stage, trouble: FactoryDown) -> None:
    stage.factory.down = trouble
    stage.cloud.edits = [edit()]

    run = run_once(stage)

    assert run.report.exit_code == 75
    assert stage.cloud.beats[-1]["error"] == trouble.code
    assert (stage.cloud.acks, stage.cloud.nacks, stage.cloud.bodies) == ([], [], [])
    assert stage.lines() == [f"{trouble.code}: {trouble}"]


# --- edits ----------------------------------------------------------------------------------------------------------


def test_an_edit_is_applied_acked_and_pushed_in_one_run(stage: Stage) -> None:
    stage.cloud.edits = [edit()]

    assert run_once(stage).report.exit_code == 0
    (ack,) = stage.cloud.acks
    assert ack == {"id": 7, "rev": 5, "status": "late", "outcome": "applied", "gen": ack["gen"]}
    assert (stage.cloud.days["2026-07-28"].gen or 0) >= ack["gen"]
    assert stage.lines()[0] == "edit id=7 2026-07-28 period 1 no 0012 late: applied"


def test_the_day_of_an_edit_is_pushed_even_if_nothing_changed(stage: Stage) -> None:
    stage.factory.marks[cell()] = "late"
    run_once(stage)
    stage.cloud.edits = [edit()]

    run_once(stage)

    assert (stage.cloud.days["2026-07-28"].gen or 0) >= stage.cloud.acks[0]["gen"]


def test_the_day_is_owed_before_the_ack_leaves(stage: Stage) -> None:
    stage.cloud.edits = [edit(d="2026-07-20")]
    stage.cloud.before["applied"] = CUT
    stage.cloud.before["ingest"] = CUT

    run_once(stage)

    assert days.owed(stage.state)[date(2026, 7, 20)] > 0


def test_after_a_lost_ack_the_edit_is_acked_again_with_a_fresh_generation(stage: Stage) -> None:
    stage.cloud.edits = [edit()]
    stage.cloud.after["applied"] = CUT
    run_once(stage)
    stage.cloud.after.clear()

    run_once(stage)

    first, second = stage.cloud.acks
    assert second["gen"] > first["gen"]
    assert len(stage.factory.writes) == 1


def test_edits_that_fail_do_not_keep_the_days_from_going_out(stage: Stage) -> None:
    stage.cloud.before["pending"] = CloudTrouble("pending: 503")

    run = run_once(stage)

    assert run.report.exit_code == 75
    assert list(stage.cloud.days) == ["2026-07-28"]


class OvertakenCloud(FakeCloud):
    """Somebody asked for something newer meanwhile: it is among those that still ``wait``, or another has set it."""

    wait: Sequence[dict[str, Any]] = ()

    def applied(self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]) -> frozenset[int]:
        super().applied(acks, nacks)
        self.edits = [*self.wait]
        self.gen = 2_000_000_000
        return frozenset({7})


def test_a_wish_set_after_a_newer_one_is_told_with_a_generation_above_that(stage: Stage) -> None:
    stage.cloud = OvertakenCloud([edit(status="present")])

    run_once(stage)

    assert [ack["rev"] for ack in stage.cloud.acks] == [5, 5]
    assert stage.cloud.acks[1]["gen"] > 2_000_000_000


@pytest.mark.parametrize("by", ["the other agent", "a foreman, back to the same"])
def test_an_overtaken_wish_that_no_longer_stands_is_not_told(stage: Stage, by: str) -> None:
    """Whoever came later: what is there now is right."""

    class Overwritten(OvertakenCloud):
        def applied(
            self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]
        ) -> frozenset[int]:
            if by == "the other agent":
                stage.factory.marks[cell()] = "late"
            else:
                stage.factory.foreign.add(cell())
            return super().applied(acks, nacks)

    stage.cloud = Overwritten([edit(status="present")])

    run_once(stage)
    run_once(stage)

    assert [ack["rev"] for ack in stage.cloud.acks] == [5]


def test_an_overtaken_wish_is_not_told_after_a_newer_one_of_our_own(stage: Stage) -> None:
    stage.cloud = OvertakenCloud([edit(status="present")])
    stage.cloud.after["pending"] = CUT
    with pytest.raises(CloudTrouble):
        serving.serve(stage.run(), Offer([edit(status="present")]))
    later = stage.cloud = FakeCloud([edit(status="late", rev=6)])

    run_once(stage)

    assert [ack["rev"] for ack in later.acks] == [6]


@pytest.mark.parametrize("status", ["present", "absent"])
def test_an_ack_that_never_got_through_is_told_by_the_next_run(stage: Stage, status: str) -> None:
    """Cut off or killed between write and ack, while another agent set something newer: nobody would ask again."""
    stage.cloud.edits, stage.cloud.before["applied"] = [edit(status=status)], CUT
    run_once(stage)
    stage.cloud.before.clear()
    stage.cloud.edits = []

    run_once(stage)
    run_once(stage)

    assert [ack["rev"] for ack in stage.cloud.acks] == [5]
    assert [line for line in stage.lines() if "said again that it is applied" in line]


def test_what_a_run_that_broke_off_may_have_set_is_told_if_it_stands(stage: Stage) -> None:
    class Dying(FakeFactory):
        def set_mark(self, cell: Cell, status: str) -> str:
            super().set_mark(cell, status)
            raise KeyboardInterrupt

    stage.factory, stage.cloud.edits = Dying(), [edit(), edit("0002", id=8)]
    with pytest.raises(KeyboardInterrupt):
        run_once(stage)
    stage.factory, stage.cloud.edits = FakeFactory(marks=stage.factory.marks), []

    run_once(stage)

    assert [(ack["id"], ack["outcome"]) for ack in stage.cloud.acks] == [(7, "applied")]


def test_a_lost_ack_that_is_asked_for_again_is_told_once(stage: Stage) -> None:
    stage.cloud.edits, stage.cloud.before["applied"] = [edit(status="present")], CUT
    run_once(stage)
    stage.cloud.before.clear()

    run_once(stage)
    stage.cloud.close_answered()
    run_once(stage)

    assert [ack["rev"] for ack in stage.cloud.acks] == [5]


@pytest.mark.parametrize("before", [0, 450])
def test_a_wish_whose_successor_still_waits_is_told_once(stage: Stage, before: int) -> None:
    stage.cloud = OvertakenCloud([edit(status="present")])
    stage.cloud.wait = [*(edit(id=100 + n) for n in range(before)), edit(rev=6)]

    run_once(stage)

    assert [ack["rev"] for ack in stage.cloud.acks] == [5]


def test_a_wish_whose_successor_another_agent_sets_later_is_told_then(stage: Stage) -> None:
    """The other one had written first and its ack was still on the way."""
    stage.cloud = OvertakenCloud([edit(status="present")])
    stage.cloud.wait = [edit(rev=6)]
    run_once(stage)
    stage.cloud.edits = []

    run_once(stage)

    assert [ack["rev"] for ack in stage.cloud.acks] == [5, 5]


def test_all_pages_are_worked_through_and_acked_page_by_page(stage: Stage) -> None:
    stage.cloud.page = 3
    stage.factory.people = tuple(f"{n:04}" for n in range(10))
    stage.cloud.edits = [edit(f"{n:04}", id=n + 1) for n in range(10)]

    run_once(stage)

    assert [ack["id"] for ack in stage.cloud.acks] == list(range(1, 11))


def test_a_cloud_that_pages_in_a_circle_is_left(stage: Stage) -> None:
    class Circle(FakeCloud):
        def pending(self, *args: Any, **options: Any) -> Offer:
            return super().pending(*args, **options)._replace(next="1")

    stage.cloud = Circle([edit()])

    run_once(stage)

    assert (len(stage.cloud.beats), list(stage.cloud.days)) == (2, ["2026-07-28"])
    assert "edits: the cloud's pages do not end; the rest is left for the next run" in stage.lines()


def test_further_pages_are_no_new_sign_of_life(stage: Stage) -> None:
    stage.cloud.page = 1
    stage.cloud.edits = [edit(id=1), edit(id=2), edit(id=3)]

    run_once(stage)

    assert {beat["clock"] for beat in stage.cloud.beats} == {int(NOON)}


def test_one_impossible_row_holds_up_nobody(stage: Stage) -> None:
    stage.factory.people = tuple(f"{n:04}" for n in range(250))
    good = [edit(f"{n:04}", id=n + 2) for n in range(250)]
    stage.cloud.edits = [edit(id=1, period="one"), *good]

    run = run_once(stage)

    assert len(stage.cloud.acks) == 250
    assert [(nack["id"], nack["code"], nack["final"]) for nack in stage.cloud.nacks] == [(1, "bad_edit", True)]
    assert run.report.exit_code == 1


def test_a_row_without_a_name_is_only_written_down(stage: Stage) -> None:
    stage.cloud.edits = [{"hello": 1}, edit()]

    run = run_once(stage)

    assert (len(stage.cloud.acks), stage.cloud.nacks) == (1, [])
    assert stage.lines()[0] == "edit id=?: refused, bad_edit: no usable id, rev and status"
    assert run.report.exit_code == 1


def test_an_unknown_person_is_refused_for_good(stage: Stage) -> None:
    stage.cloud.edits = [edit("999")]

    run = run_once(stage)

    assert stage.cloud.nacks == [
        {
            "id": 7,
            "rev": 5,
            "status": "late",
            "code": "unknown_employee",
            "error": "nobody has the number 999",
            "final": True,
        }
    ]
    assert run.report.exit_code == 1


@pytest.mark.parametrize(("day", "is_future"), [("2026-07-28", False), ("2026-07-29", True)])
def test_a_future_day_is_refused_for_good(stage: Stage, day: str, is_future: bool) -> None:
    stage.cloud.edits = [edit(d=day)]

    run_once(stage)

    assert [nack["code"] for nack in stage.cloud.nacks] == (["future_day"] if is_future else [])


def test_a_failed_write_is_put_off_and_not_tried_again_by_the_same_run(stage: Stage) -> None:
    stage.factory.unwritable = {cell()}
    stage.cloud.edits = [edit()]
    run = stage.run()

    agent.run_once(run, Asked())
    agent.run_once(run, Asked())

    assert [(nack["code"], nack["final"]) for nack in stage.cloud.nacks] == [("write_failed", False)]
    assert run.report.exit_code == 1


def test_what_was_done_before_the_factory_went_away_is_still_acked(stage: Stage) -> None:
    class DiesAfterTheFirst(type(stage.factory)):  # type: ignore[misc]
        def look(self, of: object) -> str | None:
            if self.writes:
                self.down = FactoryDown("gone")
            return super().look(of)  # type: ignore[no-any-return]

    stage.factory = DiesAfterTheFirst()
    stage.cloud.edits = [edit(id=1), edit("777", id=2)]

    assert run_once(stage).report.exit_code == 75
    assert [ack["id"] for ack in stage.cloud.acks] == [1]


def test_no_edits_are_fetched_when_nobody_wants_them(stage: Stage) -> None:
    stage.cloud.edits = [edit()]

    run_once(stage, Asked(edits=False))

    assert (stage.cloud.beats, stage.cloud.acks) == ([], [])
    assert list(stage.cloud.days) == ["2026-07-28"]


# --- another agent --------------------------------------------------------------------------------------------------


def sent_at(stage: Stage, seconds: float, *, rival: bool) -> list[str]:
    """Which days a run at that time sends, after another agent has stored something or not."""
    stage.now = NOON + seconds
    stage.cloud.gen = stage.state.gen + (1000 if rival else 0)
    before = len(stage.cloud.bodies)
    run_once(stage)
    return [json.loads(body)["date"] for body in stage.cloud.bodies[before:]]


def test_what_another_agent_may_have_overwritten_is_sent_again_but_not_all_the_time(stage: Stage) -> None:
    run_once(stage, Asked(dates=[DAY], count=3))
    today, lately = ["2026-07-28"], ["2026-07-26", "2026-07-27", "2026-07-28"]

    assert sent_at(stage, 1, rival=False) == []
    assert sent_at(stage, 2, rival=True) == lately
    assert sent_at(stage, 3, rival=False) == []
    assert sent_at(stage, 4, rival=True) == []
    assert sent_at(stage, 62, rival=False) == today
    assert sent_at(stage, 130, rival=True) == today
    assert sent_at(stage, 3602, rival=False) == lately
    assert sent_at(stage, 3700, rival=False) == sent_at(stage, 8000, rival=False) == []


def test_whom_a_stale_day_tells_of_may_have_overwritten_others_too(stage: Stage) -> None:
    run_once(stage, Asked(dates=[DAY], count=2))
    stage.cloud.days["2026-07-28"].gen = 2_000_000_000
    stage.factory.marks[cell()] = "late"
    run_once(stage)

    assert "2026-07-27" in sent_at(stage, 61, rival=False)


# --- clock ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("off", [301, -301, 7200])
def test_a_drifting_clock_is_said_loudly_and_told(stage: Stage, off: int) -> None:
    stage.cloud.now = int(NOON) - off

    run = run_once(stage)

    assert any("clock" in line for line in stage.lines())
    assert stage.cloud.beats[-1]["error"] == "clock_off"
    assert (run.report.exit_code, list(stage.cloud.days)) == (0, ["2026-07-28"])


@pytest.mark.parametrize(("off", "code"), [(3540, 0), (3660, 1)])
def test_an_hour_around_the_start_of_a_day_is_no_other_day(stage: Stage, off: int, code: int) -> None:
    stage.cloud.now = int(NOON) - 8 * 3600 - 60
    stage.now = stage.cloud.now + off

    assert run_once(stage).report.exit_code == code


def test_a_few_minutes_are_no_drift(stage: Stage) -> None:
    stage.cloud.now = int(NOON) - 299

    run_once(stage)

    assert stage.lines() == ["2026-07-28: sent, 2 workers, 1 KiB"]


@pytest.mark.parametrize("off", [DAY_S + 60, -DAY_S - 60, 3650 * DAY_S, -3650 * DAY_S, 20 * 3600, -9 * 3600])
def test_a_clock_wrong_by_more_than_a_day_or_in_another_pushes_no_today_but_serves_edits(
    stage: Stage, off: int
) -> None:
    stage.cloud.edits = [edit()]
    stage.now = NOON + off

    run = run_once(stage)

    assert run.report.exit_code == 1
    assert [ack["outcome"] for ack in stage.cloud.acks] == ["applied"]
    assert set(stage.cloud.days) == {"2026-07-28"}
    assert stage.cloud.days["2026-07-28"].periods[0].state == "open"


def test_with_a_wrong_clock_only_days_with_edits_are_caught_up_with(stage: Stage) -> None:
    days.owe(stage.state, DAY - timedelta(days=3))
    stage.cloud.edits = [edit()]
    stage.now = NOON - 10 * DAY_S

    run_once(stage)

    assert list(stage.cloud.days) == ["2026-07-28"]


@pytest.mark.parametrize("off", [10 * DAY_S, -10 * DAY_S])
def test_a_run_without_edits_asks_for_the_time_before_it_takes_a_day_for_today(stage: Stage, off: int) -> None:
    stage.now = NOON + off

    run = run_once(stage, Asked(edits=False))

    assert (run.report.exit_code, stage.cloud.days, stage.cloud.beats) == (1, {}, [])


@pytest.mark.parametrize("off", [10 * DAY_S, -10 * DAY_S])
def test_a_cloud_that_refuses_edits_has_told_the_time_all_the_same(stage: Stage, off: int) -> None:
    stage.now = NOON + off
    stage.cloud.before["pending"] = refusal = CloudTrouble("pending: 503")
    refusal.now = int(NOON)

    run_once(stage)

    assert stage.cloud.days == {}


def test_a_clock_set_right_is_noticed_by_a_run_without_edits(stage: Stage) -> None:
    stage.now = NOON + 10 * DAY_S
    run_once(stage)
    stage.now = NOON

    run_once(stage, Asked(edits=False))

    assert list(stage.cloud.days) == ["2026-07-28"]


def test_a_wrong_clock_is_remembered_for_runs_that_do_not_hear_the_time(stage: Stage) -> None:
    stage.now = NOON + 10 * DAY_S
    run_once(stage)
    stage.cloud.now = None

    run = stage.run()
    agent.note_owed(run, Asked(count=2))
    agent.run_once(run, Asked(count=2, edits=False))

    assert (stage.cloud.days, days.owed(stage.state)) == ({}, {})


def test_days_typed_by_a_person_go_out_whatever_the_clock_says(stage: Stage) -> None:
    stage.now = NOON + 10 * DAY_S

    run_once(stage, Asked(dates=[DAY]))

    assert list(stage.cloud.days) == ["2026-07-28"]


def test_generations_do_not_go_back_with_the_clock(stage: Stage) -> None:
    run_once(stage)
    first = stage.cloud.days["2026-07-28"].gen or 0
    stage.now -= 3600
    stage.factory.marks[cell()] = "late"

    run_once(stage)

    assert (stage.cloud.days["2026-07-28"].gen or 0) > first


# --- heartbeat ------------------------------------------------------------------------------------------------------


def test_the_heartbeat_says_who_and_when(stage: Stage) -> None:
    run_once(stage)
    run_once(stage)

    first, second = stage.cloud.beats
    assert first["v"]
    assert first["clock"] == int(NOON)
    assert first["boot"].split(".")[0] == second["boot"].split(".")[0] != ""


def test_another_installation_has_another_name(stage: Stage, tmp_path: Path) -> None:
    run_once(stage)
    other = Stage(State.open(tmp_path / "other"), cloud=stage.cloud)
    run_once(other)
    other.state.close()

    first, second = stage.cloud.beats
    assert first["boot"].split(".")[0] != second["boot"].split(".")[0]


def test_the_health_of_the_jobs_goes_along_once_there_are_any(stage: Stage) -> None:
    run_once(stage)
    Occurrences(stage.state).register.reach(datetime.fromtimestamp(1785200000, UTC))
    run_once(stage)

    assert [beat.get("jobs") for beat in stage.cloud.beats] == [None, "0,0,1785200000"]


def test_old_days_are_forgotten_after_more_than_a_year(stage: Stage) -> None:
    run_once(stage)
    stage.now += 500 * DAY_S
    stage.cloud.now = int(stage.now)
    run_once(stage)

    assert days.known(stage.state, DAY) is None


def test_foreign_text_cannot_forge_a_line_of_the_log(stage: Stage) -> None:
    stage.cloud.edits = [edit("x\n[2026-07-28 12:00:00] forged")]

    run_once(stage)

    assert all("\n" not in line for line in stage.log)
