"""The line drops at every stage of every call; the next run repeats the work and ends in the same state."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.loop.conftest import CLOUD
from tests.loop.plant import Plant, planted
from tests.loop.processes import Cloud, Installation
from tests.relay import Cut

# The first try and both retries.
EVERY_TRY = 3


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plant]:
    folder = tmp_path_factory.mktemp("cuts")
    cloud = Cloud(Installation(folder / "cloud", CLOUD))
    cloud.start()
    with planted(cloud, folder) as plant:
        yield plant
    cloud.stop()


CALLS = {"pending": b"GET /att-sync/pending", "applied": b"POST /att-sync/applied", "ingest": b"POST /att-sync/ingest"}


@pytest.mark.parametrize("moment", Cut, ids=lambda cut: cut.name.lower())
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_is_cut_each_time_it_is_tried_is_made_good_by_the_next_run(
    plant: Plant, call: str, moment: Cut
) -> None:
    cell = plant.new_cell()
    plant.tap(cell, "late")
    plant.line.cut(moment, of=CALLS[call], times=EVERY_TRY)

    code, said = plant.run()
    assert code == 75
    assert "connection lost" in said
    assert len(plant.line.cuts) == EVERY_TRY
    plant.line.cuts.clear()

    assert plant.run()[0] == 0
    assert plant.rows(cell) == ["late"]
    assert plant.shows(cell) == ("late", "")


@pytest.mark.parametrize("moment", Cut, ids=lambda cut: cut.name.lower())
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_is_cut_once_is_made_good_by_the_same_run(plant: Plant, call: str, moment: Cut) -> None:
    cell = plant.new_cell()
    plant.tap(cell, "present")
    plant.line.cut(moment, of=CALLS[call])

    assert plant.run()[0] == 0
    assert plant.line.cuts == [moment]
    plant.line.cuts.clear()
    assert plant.rows(cell) == ["present"]
    assert plant.shows(cell) == ("present", "")
