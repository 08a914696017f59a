from __future__ import annotations

import gzip
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from mirror.models import DaySnapshot, FactoryLink
from mirror.wire import MAX_BODY_BYTES
from tests.cloud.day import AGENT, body, ingest, period, post, today, worker

pytestmark = pytest.mark.django_db


def stored() -> DaySnapshot:
    return DaySnapshot.objects.get(day=today())


def test_a_day_is_stored_and_answered(client: Client) -> None:
    answer = ingest(client)

    assert answer.json() == {"ok": True, "date": today().isoformat(), "workers": 3, "gen": 1_785_200_000}
    assert (stored().full, stored().partial, stored().absent, stored().active_total) == (1, 1, 1, 3)


def test_thai_leaves_unescaped(client: Client) -> None:
    ingest(client)

    assert "สมชาย ใจดี" in stored().payload


@pytest.mark.parametrize("key", ["", "wrong", "é"])
def test_a_wrong_key_is_401_and_changes_nothing(client: Client, key: str) -> None:
    answer = client.post("/att-sync/ingest", b"{}", content_type="application/json", headers={"X-API-KEY": key})

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert not DaySnapshot.objects.exists()


def test_a_missing_key_is_401(client: Client) -> None:
    assert client.post("/att-sync/ingest", b"{}", content_type="application/json").status_code == 401


def test_without_a_key_of_ours_nobody_is_let_in(client: Client, settings: Any) -> None:
    settings.ATTSYNC_KEYS = []

    assert (
        client.post("/att-sync/ingest", b"{}", content_type="application/json", headers={"X-API-KEY": ""}).status_code
        == 401
    )


def test_each_of_several_keys_works(client: Client, settings: Any) -> None:
    settings.ATTSYNC_KEYS = ["old-key", "new-key"]

    answers = [
        client.post("/att-sync/ingest", b"{}", content_type="application/json", headers={"X-API-KEY": key})
        for key in ("old-key", "new-key", "other")
    ]

    assert [answer.status_code for answer in answers] == [400, 400, 401]


def test_a_wrong_key_leaves_a_note_for_the_first_run_page(client: Client) -> None:
    client.post("/att-sync/ingest", b"{}", content_type="application/json", headers={"X-API-KEY": "wrong"})

    assert FactoryLink.objects.get().refused_at is not None


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_another_method_is_405_in_json(client: Client, method: str) -> None:
    answer = getattr(client, method)("/att-sync/ingest", headers=AGENT)

    assert (answer.status_code, answer.json()["ok"], answer["Allow"]) == (405, False, "POST")


BAD_BODIES: list[tuple[bytes | dict[str, Any], str]] = [
    (b"", "body"),
    (b"[]", "body"),
    (b"{} x", "body"),
    (b"\xff\xfe{\x00}\x00", "body"),
    (b'{"a": NaN}', "body"),
    (b'{"a": Infinity}', "body"),
    (b'{"a": [1e999]}', ""),
    (b'{"a": "\\ud800"}', "body"),
    (b'{"a": "\\u0000"}', "body: contains a NUL"),
    (b'{"a": "\xed\xa0\x80"}', "body: not UTF-8"),
    (b'{"a": ' + b"[" * 100_000, "body: nested too deeply"),
    (body(periods=[]), "periods: expected at least one"),
    (body(date="2026-02-30"), "date"),
    (body(date="20260728"), "date"),
    (body(date="2026-W31-2"), "date"),
    (body(date="๒๐๒๖-๐๗-๒๘"), "date"),
    (body(date="2026-07-28\n"), "date"),
    (body(date="2569-07-28"), "date"),
    (body(date=None), "date"),
    (body(gen=0), "gen"),
    (body(gen=2**53), "gen"),
    (body(gen=True), "gen: expected"),
    (body(workers=[worker("1", "", {}), {**worker("2", "", {}), "no": None}]), "workers[1].no: expected text"),
    (body(workers=[{"no": True}]), "workers[0].no: expected text"),
    (body(workers=[{"no": ""}]), "workers[0].no: expected text"),
    (body(workers=[{"no": "x" * 33}]), "workers[0].no: longer than 32"),
    (body(workers=[{"no": "1"}, {"no": 1}]), "workers[1].no: there twice"),
    (body(workers=[{"no": "1", "p": {"1": "7:00"}}]), "workers[0].p.1: expected"),
    (body(workers=[{"no": "1", "p": {"1": "25:00"}}]), "workers[0].p.1: expected"),
    (body(workers=[{"no": "1", "p": {"1": "absent"}}]), "workers[0].p.1: expected"),
    (body(workers=[{"no": "1", "p": {"1": 1}}]), "workers[0].p.1: expected"),
    (body(workers=[{"no": "1", "p": ["06:55"]}]), "workers[0].p: expected a map"),
    (body(periods=[{"code": 0}]), "periods[0].code: expected 1 to 255"),
    (body(periods=[{"code": 256}]), "periods[0].code: expected 1 to 255"),
    (body(periods=[{"code": 1.5}]), "periods[0].code: expected a whole number"),
    (body(periods=[{"code": 1}, {"code": "1"}]), "periods[1].code: 1 is there twice"),
    (body(periods=[{"code": 1, "state": "later"}]), "periods[0].state"),
    (body(force="yes"), "force: expected 0 or 1"),
    (body(groups=[[1, 300]]), "groups[0][1]: expected 1 to 255"),
    (body(workers=[{"no": "1", "e": [300]}]), "workers[0].e[0]: expected 1 to 255"),
    (body(workers=[{"no": "1", "p": {"300": "06:00"}}]), "workers[0].p.300: expected 1 to 255"),
    (body(periods=[{"code": 1, "day_offset": 3_000_000}]), "periods[0].day_offset: expected 0 to 1"),
    (body(rules=40_000), "rules: expected 0 to 32767"),
    (body(rules=-1), "rules: expected 0 to 32767"),
    (b'{"a": ' + b"9" * 400 + b"}", "beyond all bounds"),
    (b'{"a": ' + b"9" * 310 + b".0}", "beyond all bounds"),
    (b'{"a": ' + b"9" * 250 + b"e99}", "beyond all bounds"),
    (body(captured_at="yesterday"), "captured_at"),
]


@pytest.mark.parametrize(("said", "place"), BAD_BODIES)
def test_a_bad_body_is_400_that_says_where(client: Client, said: bytes | dict[str, Any], place: str) -> None:
    answer = ingest(client, said)

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_payload")
    assert place in answer.json()["error"]
    assert not DaySnapshot.objects.exists()


def test_a_day_more_than_a_year_ahead_is_refused_with_words(client: Client) -> None:
    answer = ingest(client, body(today() + timedelta(days=800)))

    assert answer.status_code == 400
    assert "clock" in answer.json()["error"]


def test_php_habits_are_taken(client: Client) -> None:
    said = body(
        gen="1785200000",
        stat=[],
        active_total="1",
        periods=[{"code": "1", "scan": {"0": {"no": 777, "t": "06:55:12", "x": "1"}, "2": {"no": 5, "t": "07:00"}}}],
        workers=[{"no": 12, "name": None, "p": []}, {"no": "0012", "p": {"1": "present"}}],
        force="0",
        unknown={"any": ["thing"]},
    )

    answer = ingest(client, b"\xef\xbb\xbf" + json.dumps(said).encode())

    assert answer.json()["workers"] == 2
    kept = json.loads(stored().payload)
    assert [person["no"] for person in kept["workers"]] == ["12", "0012"]
    assert [row["no"] for row in kept["periods"][0]["scan"]] == ["777", "5"]


def test_a_list_with_a_hole_comes_as_an_object_anywhere(client: Client) -> None:
    said = body()
    for name in ("workers", "periods", "groups"):
        said[name] = {str(n * 2): item for n, item in enumerate(said[name])}

    assert ingest(client, said).json()["workers"] == 3
    assert json.loads(stored().payload)["groups"] == [[1, 2], [3], [4]]


def test_seconds_of_the_days_start_are_dropped(client: Client) -> None:
    ingest(client, body(day_starts="12:00:30"))

    assert stored().day_starts == "12:00"


def test_rows_make_the_roster_where_an_old_agent_names_no_workers(client: Client) -> None:
    rows = {
        "scan": [{"no": "1", "name": "ก", "t": "07:00"}, {"no": "9", "t": "07:01", "x": 1}],
        "miss": [{"no": "2", "m": "late"}, {"no": "3"}],
    }

    ingest(client, {"date": today().isoformat(), "periods": [{"code": 1, **rows}]})

    kept = json.loads(stored().payload)
    assert {person["no"]: person["p"]["1"] for person in kept["workers"]} == {"1": "07:00", "2": "late", "3": None}
    assert [row["no"] for row in kept["periods"][0]["scan"]] == ["9"]


def test_rows_that_repeat_the_cells_are_not_stored(client: Client) -> None:
    said = body()
    said["periods"][0] |= {"scan": [{"no": "0012", "t": "06:55"}, {"no": "777", "t": "07:00"}], "miss": [{"no": "12"}]}

    ingest(client, said)

    kept = json.loads(stored().payload)["periods"][0]
    assert [row["no"] for row in kept["scan"]] == ["777"]
    assert "miss" not in kept


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "application/json"])
def test_the_type_does_not_matter_if_the_body_looks_like_json(client: Client, kind: str) -> None:
    answer = client.post("/att-sync/ingest", json.dumps(body()).encode(), content_type=kind, headers=AGENT)

    assert answer.status_code == 200


def test_something_that_is_no_json_at_all_is_415(client: Client) -> None:
    answer = client.post("/att-sync/ingest", b"a=1", content_type="text/plain", headers=AGENT)

    assert (answer.status_code, answer.json()["ok"]) == (415, False)


def test_an_unknown_encoding_is_415(client: Client) -> None:
    assert ingest(client, **{"Content-Encoding": "br"}).status_code == 415


def test_gzip_is_read(client: Client) -> None:
    answer = post(client, "ingest", gzip.compress(json.dumps(body()).encode()), **{"Content-Encoding": "gzip"})

    assert answer.json()["workers"] == 3


@pytest.mark.parametrize("damage", [b"not gzip", gzip.compress(b"{}")[:-4], gzip.compress(b"{}") + b"tail"])
def test_broken_gzip_is_400(client: Client, damage: bytes) -> None:
    assert post(client, "ingest", damage, **{"Content-Encoding": "gzip"}).status_code == 400


def test_a_gzip_bomb_stops_at_the_limit(client: Client) -> None:
    answer = post(client, "ingest", gzip.compress(b" " * (MAX_BODY_BYTES + 1)), **{"Content-Encoding": "gzip"})

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_five_megabytes_are_taken_and_more_than_eight_refused(client: Client) -> None:
    filler = "ก" * 1_700_000

    assert ingest(client, body(ignored=filler)).status_code == 200
    assert ingest(client, body(gen=1_785_200_001, ignored=filler * 2)).json()["code"] == "too_large"


# --- ordering -------------------------------------------------------------------------------------------------------


def test_a_newer_generation_replaces(client: Client) -> None:
    ingest(client)

    ingest(client, body(gen=1_785_200_001, workers=[worker("1", "", {})] * 1 + body()["workers"]))

    assert (stored().gen, stored().worker_count) == (1_785_200_001, 4)


def test_the_same_body_twice_is_a_repeat(client: Client) -> None:
    first = ingest(client)
    before = stored().stored_at

    second = ingest(client)

    assert second.json() == first.json()
    assert stored().stored_at == before


@pytest.mark.parametrize("gen", [1_785_200_000, 1_785_199_999, 1])
def test_the_same_or_an_older_generation_with_other_content_is_stale(client: Client, gen: int) -> None:
    ingest(client)

    answer = ingest(client, body(gen=gen, holiday="วันหยุด"))

    assert (answer.status_code, answer.json()["code"], answer.json()["gen"]) == (409, "stale", 1_785_200_000)
    assert stored().holiday == ""


def test_force_replaces_and_the_generation_still_grows(client: Client) -> None:
    ingest(client)

    answer = ingest(client, body(gen=5, holiday="วันหยุด", force=True))

    assert answer.json()["gen"] == stored().gen == 1_785_200_001
    assert stored().holiday == "วันหยุด"


def test_the_generation_never_leaves_the_numbers_of_the_contract(client: Client) -> None:
    ingest(client, body(gen=2**53 - 1))

    assert ingest(client, body(gen=5, holiday="x", force=True)).json()["gen"] == 2**53 - 1
    assert stored().holiday == "x"


def test_without_a_generation_the_time_of_receipt_counts(client: Client) -> None:
    ingest(client, body(gen=2**50))

    assert ingest(client, body(gen=None, holiday="x")).json()["gen"] == 2**50 + 1


def test_an_old_agent_whose_clock_was_set_back_is_stored_and_flagged(client: Client) -> None:
    ingest(client, body(rules=0))

    late = ingest(client, body(gen=1_785_199_500, rules=0, holiday="late copy"))
    set_back = ingest(client, body(gen=1_785_199_399, rules=0, holiday="clock"))

    assert (late.status_code, set_back.json()["gen"]) == (409, 1_785_200_001)
    assert (stored().holiday, stored().flag) == ("clock", "clock_back")


@pytest.mark.parametrize("left", [0, 1])
def test_a_roster_that_shrinks_by_more_than_half_is_suspicious(client: Client, left: int) -> None:
    ingest(client)

    answer = ingest(client, body(gen=1_785_200_001, workers=body()["workers"][:left]))

    assert (answer.status_code, answer.json()["code"]) == (409, "suspicious")
    assert stored().worker_count == 3


def test_force_and_old_agents_pass_the_shrink_guard(client: Client) -> None:
    ingest(client)

    assert ingest(client, body(gen=1_785_200_001, workers=[], force=1)).status_code == 200
    ingest(client, body(gen=1_785_200_002))
    assert ingest(client, body(gen=1_785_200_003, workers=[], rules=0)).status_code == 200
    assert stored().flag == "shrunk"


# --- counting -------------------------------------------------------------------------------------------------------


def test_a_difference_from_the_senders_counts_is_kept_for_the_admin(client: Client) -> None:
    ingest(client, body(stat={"full": 2, "partial": 1, "absent": 1}))

    assert stored().claimed == "full 2 ≠ 1"


def test_an_open_day_is_marked_as_such(client: Client) -> None:
    said = body()
    said["periods"][3] = period(4, "16:30", "19:00", state="open")

    ingest(client, said)

    assert stored().is_open


def test_the_data_time_never_lies_in_the_future(client: Client) -> None:
    ingest(client, body(captured_at=f"{today() + timedelta(days=9)}T00:00:00"))

    assert stored().data_time <= stored().stored_at


def test_the_link_remembers_the_highest_generation(client: Client) -> None:
    ingest(client)
    ingest(client, body(today() - timedelta(days=1), gen=7))

    assert FactoryLink.objects.get().gen == 1_785_200_000
