"""The timelines of a bad line and of people who change their minds, over real sockets. S is what the phone shows."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import requests

from onprem.state import State
from tests.loop.conftest import CLOUD
from tests.loop.phone import Cell
from tests.loop.plant import Plant, Runner, planted
from tests.loop.processes import Cloud, Installation
from tests.relay import Cut, Relay
from tests.sides import KEY

APPLIED, INGEST = b"POST /att-sync/applied", b"POST /att-sync/ingest"


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plant]:
    folder = tmp_path_factory.mktemp("timelines")
    cloud = Cloud(Installation(folder / "cloud", CLOUD))
    cloud.start()
    with planted(cloud, folder) as plant:
        yield plant
    cloud.stop()


@pytest.fixture(autouse=True)
def _mended(plant: Plant) -> Iterator[None]:
    yield
    plant.line.mend()


def offered(plant: Plant) -> list[dict[str, Any]]:
    answer = requests.get(f"{plant.cloud.url}/pending", headers={"X-API-KEY": KEY}, timeout=10)
    return list(answer.json()["edits"])


def ack(plant: Plant, edit: dict[str, Any], *, gen: int) -> dict[str, Any]:
    """An ack as the agent sends it, at a moment of the test's choosing."""
    said = {"id": edit["id"], "rev": edit["rev"], "status": edit["status"], "outcome": "applied", "gen": gen}
    answer = requests.post(
        f"{plant.cloud.url}/applied", json={"acks": [said], "nacks": []}, headers={"X-API-KEY": KEY}, timeout=10
    )
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def last_gen(plant: Plant) -> int:
    return int(plant.in_cloud("SELECT gen FROM att_link")[0][0])


def test_1_a_mind_changed_in_flight(plant: Plant) -> None:
    cell = plant.new_cell()
    plant.tap(cell, "present")
    (first,) = offered(plant)
    plant.line.block(APPLIED)
    plant.run()
    assert plant.rows(cell) == ["present"]

    plant.tap(cell, "late")
    assert ack(plant, first, gen=last_gen(plant) + 1)["ignored"] == [{"id": first["id"], "reason": "newer_intention"}]
    assert plant.shows(cell) == ("late", "pending")
    plant.line.mend()
    assert plant.run()[0] == 0

    assert plant.rows(cell) == ["late"]
    assert plant.shows(cell) == ("late", "")


def test_2_a_lost_ack_is_said_again_and_nothing_is_written_twice(plant: Plant) -> None:
    cell = plant.new_cell()
    plant.tap(cell, "late")
    plant.line.block(APPLIED)
    plant.run()
    assert plant.shows(cell) == ("late", "pending")
    plant.query(f"UPDATE attsync_override SET source = 'seen' WHERE emp_no = '{cell.employee_no}'")
    plant.line.mend()

    _, said = plant.run()

    assert "said again that it is applied" in said
    assert plant.query(f"SELECT source FROM attsync_override WHERE emp_no = '{cell.employee_no}'") == [("seen",)]
    assert plant.shows(cell) == ("late", "")


def test_3_an_ack_that_comes_again_and_again_closes_nothing_newer(plant: Plant) -> None:
    cell = plant.new_cell()
    plant.tap(cell, "present")
    (first,) = offered(plant)
    assert plant.run()[0] == 0
    replies = [ack(plant, first, gen=last_gen(plant)) for _ in range(3)]
    plant.tap(cell, "absent")
    plant.tap(cell, "present")

    replies.append(ack(plant, first, gen=last_gen(plant)))

    assert [reply["acked"] for reply in replies] == [0, 0, 0, 0]
    assert plant.shows(cell) == ("present", "pending")
    assert plant.run()[0] == 0
    assert plant.rows(cell) == ["present"]


def test_4_a_foreman_after_a_crash_between_write_and_ack(plant: Plant) -> None:
    cell = plant.new_cell()
    plant.tap(cell, "late")
    runner = Runner(plant.agent)
    step = 0
    while plant.rows(cell) == []:
        step += 1
        assert runner.run(killed_at=step) == "killed"
    plant.query(f"UPDATE attsync_override SET status = 'present' WHERE emp_no = '{cell.employee_no}'")

    assert runner.run() == "0"
    runner.close()
    assert plant.rows(cell) == ["present"]
    assert plant.shows(cell) == ("present", "")


def test_5_the_ack_arrived_but_the_snapshot_does_not_for_long(plant: Plant) -> None:
    cell = plant.new_cell()
    plant.tap(cell, "late")
    plant.line.block(INGEST)
    for _ in range(3):
        assert plant.run()[0] == 75
        assert plant.shows(cell) == ("late", "saved")
    plant.line.mend()

    assert plant.run()[0] == 0
    assert plant.shows(cell) == ("late", "")


def test_6_an_old_snapshot_that_arrives_late_is_stale(plant: Plant) -> None:
    before = plant.in_cloud("SELECT gen_ts, payload FROM att_day WHERE d = ?", plant.today)[0]
    cell = plant.new_cell()
    plant.tap(cell, "late")
    assert plant.run()[0] == 0

    late = requests.post(f"{plant.cloud.url}/ingest", data=before[1].encode(), headers={"X-API-KEY": KEY}, timeout=10)

    assert late.status_code == 409
    assert late.json()["code"] == "stale"
    assert plant.shows(cell) == ("late", "")


def test_7_a_snapshot_captured_before_the_write_and_stored_after_the_ack(plant: Plant) -> None:
    (payload,) = plant.in_cloud("SELECT payload FROM att_day WHERE d = ?", plant.today)[0]
    with closing(State.open(plant.folder / "state")) as state:
        in_flight = json.dumps({**json.loads(payload), "gen": state.stamp(time.time())}).encode()
    cell = plant.new_cell()
    plant.tap(cell, "late")
    plant.line.block(INGEST)
    assert plant.run()[0] == 75

    stored = requests.post(f"{plant.cloud.url}/ingest", data=in_flight, headers={"X-API-KEY": KEY}, timeout=10)

    assert (stored.status_code, plant.shows(cell)) == (200, ("late", "saved"))
    plant.line.mend()
    assert plant.run()[0] == 0
    assert plant.shows(cell) == ("late", "")


def test_8_a_real_scan_meanwhile_wins(plant: Plant) -> None:
    cell = plant.new_cell()
    plant.tap(cell, "late")
    plant.query(
        "INSERT INTO attsync_scan VALUES ((SELECT COALESCE(MAX(scan_id), 0) + 1 FROM attsync_scan), "
        f"'{cell.employee_no}', '{cell.day} 07:55:00', 'T1')"
    )

    code, _ = plant.run()

    assert (code, plant.rows(cell)) == (0, [])
    assert plant.shows(cell) == ("07:55", "")


def test_9_one_poisoned_row_in_front_of_250_good_ones(plant: Plant) -> None:
    cells = [plant.new_cell() for _ in range(251)]
    for cell in cells:
        plant.tap(cell, "late")
    poisoned, *good = cells
    plant.in_cloud(
        "UPDATE att_edit SET employee_no = ?, rev = 1 WHERE employee_no = ?", "no such person", poisoned.employee_no
    )

    code, _ = plant.run()

    assert code == 1
    written = plant.query("SELECT emp_no FROM attsync_override WHERE source = 'attsync'")
    assert {cell.employee_no for cell in good} <= {no for (no,) in written}
    assert plant.in_cloud("SELECT error_code FROM att_edit WHERE held_at IS NOT NULL") == [("unknown_employee",)]


def test_11_nine_hours_away(plant: Plant) -> None:
    cells = [Cell(plant.today, 3, f"{n:04}") for n in range(40)]
    for cell in cells:
        plant.tap(cell, "present")
    for cell in cells[:8]:
        for wish in ("late", "absent", "present", "late"):
            plant.tap(cell, wish)

    assert plant.run()[0] == 0

    assert [plant.rows(cell) for cell in cells] == [["late"]] * 8 + [["present"]] * 32
    assert {plant.shows(cell) for cell in cells} == {("late", ""), ("present", "")}


def test_12_a_portal_in_the_way_loses_nothing_and_blames_no_row(plant: Plant) -> None:
    cell = Cell(plant.today, 3, "0100")
    plant.tap(cell, "late")
    plant.agent.configure(plant.settings(ATTSYNC_URL=f"{plant.cloud.url.removesuffix('/att-sync')}/static"))
    code, said = plant.run()
    plant.agent.configure(plant.settings())

    assert code == 75
    assert "404 there is no such page (ATTSYNC_URL)" in said
    assert plant.in_cloud("SELECT attempts FROM att_edit WHERE employee_no = '0100' AND period = 3") == [(0,)]
    assert plant.run()[0] == 0
    assert plant.rows(cell) == ["late"]


def test_13_a_cancel_brings_back_what_was(plant: Plant) -> None:
    cell = Cell(plant.today, 3, "0101")
    before = plant.phone.day()["stat"]
    plant.tap(cell, "present")
    plant.run()

    for _ in range(2):
        plant.phone.tap(cell, "absent")
        assert plant.run()[0] == 0

    assert plant.rows(cell) == []
    assert plant.phone.day()["stat"] == before


def test_14_a_key_is_changed_without_an_outage(plant: Plant) -> None:
    new = "another-key-0123456789abcdefghijklmnopqrs"
    cell = Cell(plant.today, 3, "0102")
    plant.tap(cell, "late")

    restart(plant, f"{new},{KEY}")
    assert plant.run()[0] == 0
    restart(plant, new)
    plant.tap(cell, "present")
    code, said = plant.run()
    assert (code, plant.rows(cell)) == (75, ["late"])
    assert "401 the cloud does not accept our key (ATTSYNC_KEY)" in said
    plant.agent.configure(plant.settings(ATTSYNC_KEY=new))

    assert plant.run()[0] == 0
    assert plant.rows(cell) == ["present"]
    restart(plant, KEY)
    plant.agent.configure(plant.settings())


def restart(plant: Plant, key: str) -> None:
    plant.cloud.stop()
    plant.cloud.installation.configure({**CLOUD, "ATTSYNC_KEY": key})
    plant.cloud.start()


def test_two_agents_by_mistake_do_not_turn_anything_back(plant: Plant, tmp_path: Path) -> None:
    """A copy of the factory's machine: same database, same key, a memory of its own."""
    settings = plant.settings(ONPREM_STATE_DIR=tmp_path / "state")
    other = Installation(tmp_path / "other", settings)
    cell = Cell(plant.today, 3, "0103")
    gens: list[int] = []
    for wish in ("late", "absent", "present", "late", "absent", "present"):
        plant.tap(cell, wish)
        assert (other if len(gens) % 2 else plant.agent).manage("push_cloud").returncode == 0
        gens.append(plant.in_cloud("SELECT gen_ts FROM att_day WHERE d = ?", plant.today)[0][0])
        assert plant.shows(cell)[0] == (None if wish == "absent" else wish)

    assert gens == sorted(set(gens))
    assert plant.rows(cell) == ["present"]
    assert plant.in_cloud("SELECT second_agent_at IS NOT NULL FROM att_link") == [(1,)]


@pytest.mark.parametrize("end", ["late", "cut before", "cut after", "killed"])
def test_an_old_answer_of_the_other_agent_does_not_stay_in_the_place_of_a_newer_wish(
    plant: Plant, tmp_path: Path, end: str
) -> None:
    """It asked before the person changed his mind, and writes only when the first agent has set the newer wish."""
    cell, log = plant.new_cell(), tmp_path / "log"
    with Relay(plant.cloud.port) as slow:
        url = f"{slow.url}/att-sync"
        other = Installation(tmp_path / "other", plant.settings(ONPREM_STATE_DIR=tmp_path / "state", ATTSYNC_URL=url))
        plant.tap(cell, "present")
        slow.hold(b"GET /att-sync/pending")
        process = other.start("push_cloud", log=log)
        assert slow.holds.wait(30)
        plant.tap(cell, "late")
        assert plant.run()[0] == 0
        _end(end, slow, process)
        assert plant.rows(cell) == ["present"]
        assert plant.run()[0] == 0
        slow.mend()
        assert other.manage("push_cloud").returncode == 0

    assert plant.run()[0] == 0
    assert (plant.rows(cell), plant.shows(cell)[0]) == (["late"], "late")


def _end(end: str, slow: Relay, process: subprocess.Popen[bytes]) -> None:
    """Let it have its answer, and go on to the end or to the ack of what it has written."""
    if end.startswith("cut"):
        slow.cut(Cut.BEFORE_REQUEST if end == "cut before" else Cut.NO_ANSWER, of=APPLIED, times=9)
    slow.release()
    if end == "killed":
        slow.hold(APPLIED)
        assert slow.holds.wait(30)
        process.kill()
        slow.release()
    process.wait(60)
