from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from editqueue.models import Edit
from tests.cloud.day import ack, body, edits, ingest, post, today
from tests.cloud.people import JSON, press, sign_in, tap, text_of

pytestmark = pytest.mark.django_db

DAY = today().isoformat()


@pytest.fixture
def phone(client: Client) -> Client:
    """Signed in, with a day of three people: 0012 full, 12 partial, A012 absent."""
    ingest(client)
    sign_in(client)
    return client


def test_a_tap_in_json_answers_the_merged_day(phone: Client) -> None:
    answer = tap(phone, DAY, 2, "A012", "late")
    said = answer.json()

    assert (answer.status_code, said["ok"], said["pending"]) == (200, True, 1)
    assert said["data"]["workers"][2]["p"]["2"] == "late"
    assert said["data"]["workers"][2]["pd"] == {"2": 1}


def test_a_tap_may_be_sent_as_json(phone: Client) -> None:
    wish = {"date": DAY, "period": 2, "employee_no": "A012", "status": "late"}
    answer = phone.post("/att-sync/mark", json.dumps(wish), content_type="application/json", headers=JSON)

    assert answer.json()["pending"] == 1


def test_a_button_leads_back_to_the_row_it_stood_in(phone: Client) -> None:
    answer = press(phone, DAY, "late-2", "A012")

    assert answer.status_code == 303
    assert answer.headers["Location"].startswith(f"/att-sync/?date={DAY}&open=g1&done=")
    assert answer.headers["Location"].endswith("#g1-A012")


def test_after_a_tap_the_page_says_so_and_offers_the_way_back(phone: Client) -> None:
    page = text_of(phone.get(press(phone, DAY, "late-2", "A012").headers["Location"]))

    assert "THIDA AYE</b> ช่วง 2 = สาย · รอซิงก์" in page
    assert 'name="undo"' in page


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({}, " · รอซิงก์"),
        ({"acks": {}}, " · บันทึกที่โรงงานแล้ว"),
        ({"acks": {"outcome": "superseded"}}, " · มีสแกนจริงแล้ว"),
        ({"nacks": {"code": "unknown_employee", "final": True}}, " · โรงงานไม่รับ"),
    ],
)
def test_the_message_says_what_became_of_it_meanwhile(
    phone: Client, answers: dict[str, dict[str, Any]], said: str
) -> None:
    place = press(phone, DAY, "late-2", "A012").headers["Location"]
    for kind, entry in answers.items():
        post(phone, "applied", {kind: [ack(edits(phone)[0], **entry)]})

    assert f"ช่วง 2 = สาย{said}</p>" in text_of(phone.get(place))


def test_filters_are_kept_over_a_tap(phone: Client) -> None:
    answer = press(phone, DAY, "late-2", "A012", place=f"date={DAY}&q=thida&show=absent&evil=1")

    assert f"date={DAY}&q=thida&show=absent&open=g1&done=" in answer.headers["Location"]


def test_three_quick_taps_leave_one_edit(phone: Client) -> None:
    revs = {tap(phone, DAY, 2, "A012", "late").status_code for _ in range(3)}

    assert revs == {200}
    assert Edit.objects.count() == 1


@pytest.mark.parametrize(
    ("period", "employee_no", "status", "code", "word"),
    [
        ("x", "A012", "late", 400, "incomplete"),
        (2, "", "late", 400, "incomplete"),
        (2, "A012", "gone", 400, "incomplete"),
        (9, "A012", "late", 400, "no_period"),
        (2, "a012", "late", 404, "no_worker"),
        (2, "A012 ", "late", 404, "no_worker"),
        (2, "๑๒", "late", 404, "no_worker"),
        (1, "0012", "late", 409, "scanned"),
        (2, "A012", "absent", 409, "not_manual"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words_and_changes_nothing(
    phone: Client, period: Any, employee_no: str, status: str, code: int, word: str
) -> None:
    answer = tap(phone, DAY, period, employee_no, status)

    assert (answer.status_code, answer.json()["code"]) == (code, word)
    assert not Edit.objects.exists()


@pytest.mark.parametrize("day", ["", "20260728", "2026-02-30", f"{DAY}\n", "๒๕๖๙-๐๗-๒๘"])
def test_only_a_real_iso_date_is_a_date(phone: Client, day: str) -> None:
    answer = tap(phone, day, 2, "A012", "late")

    assert (answer.status_code, answer.json()["code"]) == (400, "incomplete")


def test_a_day_the_factory_never_sent_is_404_no_day(phone: Client) -> None:
    answer = tap(phone, "2026-01-01", 2, "A012", "late")

    assert (answer.status_code, answer.json()["code"]) == (404, "no_day")


def test_a_refusal_without_a_script_stands_beside_the_person_with_its_status(phone: Client) -> None:
    answer = press(phone, DAY, "present-1", "0012")

    assert answer.status_code == 409
    assert "แก้ไม่ได้: มีสแกนจริง 06:55 แล้ว" in text_of(answer)


def test_signed_out_a_tap_is_401_and_leads_back_after_signing_in(phone: Client) -> None:
    phone.post("/att-sync/logout")
    as_json, as_page = tap(phone, DAY, 2, "A012", "late"), press(phone, DAY, "late-2", "A012")

    assert (as_json.status_code, as_json.json()["code"]) == (401, "auth")
    assert as_page.status_code == 401
    assert f'name="next" value="/att-sync/?date={DAY}"' in text_of(as_page)
    assert not Edit.objects.exists()


def test_a_form_with_a_stale_token_leads_back_to_its_page(phone: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = phone.cookies
    answer = press(strict, DAY, "late-2", "A012", place=f"date={DAY}&open=g1")

    assert answer.status_code == 403
    assert f'href="/att-sync/?date={DAY}&amp;open=g1"' in text_of(answer)


def test_more_than_120_taps_a_minute_are_429(phone: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.throttle.TAPS", "2/m")
    codes = [tap(phone, DAY, 2, "A012", "late").status_code for _ in range(3)]
    answer = press(phone, DAY, "late-2", "A012")

    assert codes == [200, 200, 429]
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_taps_go_on_while_the_cache_is_away(phone: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object, **_kwargs: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("django.core.cache.backends.locmem.LocMemCache.add", away)

    assert tap(phone, DAY, 2, "A012", "late").status_code == 200


# --- undo -----------------------------------------------------------------------------------------------------------


def undo_of(edit: Edit) -> dict[str, str]:
    return {"undo": f"{edit.id}.{edit.rev}", "place": f"date={DAY}"}


def wished(employee_no: str = "A012", period: int = 2) -> str:
    return Edit.objects.get(employee_no=employee_no, period=period).status


def test_undoing_the_first_tap_wishes_for_nothing(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    answer = phone.post("/att-sync/mark", undo_of(Edit.objects.get()))

    assert answer.status_code == 303
    assert wished() == "absent"


def test_undoing_a_changed_mind_wishes_for_what_was_wanted_before(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "present")
    tap(phone, DAY, 2, "A012", "late")
    phone.post("/att-sync/mark", undo_of(Edit.objects.get()))

    assert wished() == "present"


def test_undoing_a_cancel_wishes_for_the_mark_the_factory_still_has(client: Client) -> None:
    people = body()["workers"]
    people[2]["p"]["2"] = "late"
    ingest(client, body(workers=people))
    sign_in(client)
    tap(client, DAY, 2, "A012", "absent")
    undo = undo_of(Edit.objects.get())
    answers = [client.post("/att-sync/mark", undo) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [303, 303]
    assert wished() == "late"


def test_an_undo_of_something_no_longer_the_newest_changes_nothing(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "present")
    old = undo_of(Edit.objects.get())
    tap(phone, DAY, 2, "A012", "late")
    answer = phone.post("/att-sync/mark", old, headers=JSON)

    assert (answer.status_code, answer.json()["code"]) == (409, "changed")
    assert wished() == "late"


def test_after_ten_minutes_there_is_no_undo(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    edit = Edit.objects.get()
    Edit.objects.update(created_at=edit.created_at - timedelta(minutes=11))
    answer = phone.post("/att-sync/mark", undo_of(edit), headers=JSON)

    assert (answer.status_code, answer.json()["code"]) == (409, "too_late")


@pytest.mark.parametrize("wish", ["present", "late"])
def test_what_the_snapshot_has_by_now_is_undone_all_the_same(phone: Client, wish: str) -> None:
    settle(phone, "A012", wish)
    phone.post("/att-sync/mark", undo_of(Edit.objects.get()))

    assert wished("A012") == "absent"


def test_an_earlier_wish_comes_back_although_the_snapshot_has_the_later_one(phone: Client) -> None:
    settle(phone, "A012", "present")
    settle(phone, "A012", "late", gen=1_785_300_000)
    phone.post("/att-sync/mark", undo_of(Edit.objects.get()))

    assert wished("A012") == "present"


def test_a_mark_of_the_factory_that_was_cancelled_and_is_gone_cannot_be_undone(client: Client) -> None:
    ingest(client, marked("A012", "present", gen=1_785_200_000))
    sign_in(client)
    settle(client, "A012", "absent")
    answer = client.post("/att-sync/mark", undo_of(Edit.objects.get()), headers=JSON)

    assert (answer.status_code, answer.json()["code"]) == (409, "too_late")


def settle(phone: Client, no: str, wish: str, *, gen: int = 1_785_250_000) -> None:
    """Tapped, set at the factory, and in its next snapshot."""
    tap(phone, DAY, 2, no, wish)
    post(phone, "applied", {"acks": [ack(edits(phone)[0], gen=gen)]})
    ingest(phone, marked(no, None if wish == "absent" else wish, gen=gen + 1))


def marked(no: str, mark: str | None, *, gen: int) -> dict[str, Any]:
    day = body(gen=gen)
    (person,) = [one for one in day["workers"] if one["no"] == no]
    person["p"]["2"] = mark
    return day


def test_a_scan_that_came_meanwhile_is_not_undone(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    people = body()["workers"]
    people[2]["p"]["2"] = "07:40"
    ingest(phone, body(gen=1_785_200_001, workers=people))
    answer = phone.post("/att-sync/mark", undo_of(Edit.objects.get()), headers=JSON)

    assert (answer.status_code, answer.json()["code"]) == (409, "not_manual")


# --- a whole group --------------------------------------------------------------------------------------------------


def everyone(phone: Client, people: list[str], group: str = "1-2", **headers: Any) -> Any:
    fields = {"date": DAY, "group": group, "status": "present", "people": json.dumps(people), "place": f"date={DAY}"}
    return phone.post("/att-sync/mark", fields, **headers)


def test_a_whole_group_becomes_one_edit_per_person(phone: Client) -> None:
    answer = everyone(phone, ["12", "A012"])

    assert answer.status_code == 303
    cells = Edit.objects.values_list("period", "employee_no", "status").order_by("employee_no")
    assert list(cells) == [(2, "12", "present"), (2, "A012", "present")]


def test_whoever_scanned_since_the_names_were_listed_is_left_out(phone: Client) -> None:
    everyone(phone, ["0012", "A012"])

    assert list(Edit.objects.values_list("employee_no", flat=True)) == ["A012"]


def test_a_whole_group_is_taken_back_with_one_undo(phone: Client) -> None:
    page = text_of(phone.get(everyone(phone, ["12", "A012"]).headers["Location"]))
    assert "ลงให้แล้ว 2 คน" in page
    value = page.partition('name="undo_all" value="')[2].partition('"')[0]

    answer = phone.post("/att-sync/mark", {"undo_all": value, "place": f"date={DAY}"})

    assert "เลิกทำแล้ว 2 รายการ" in text_of(phone.get(answer.headers["Location"]))
    assert set(Edit.objects.values_list("status", flat=True)) == {"absent"}


@pytest.mark.parametrize(("second", "said"), [(None, " · รอซิงก์"), ("applied", " · บันทึกที่โรงงานแล้ว"), ("superseded", "")])
def test_a_whole_group_is_saved_when_all_of_it_is(phone: Client, second: str | None, said: str) -> None:
    place = everyone(phone, ["12", "A012"]).headers["Location"]
    first, other = edits(phone)
    acks = [ack(first), *([ack(other, outcome=second)] if second else [])]
    post(phone, "applied", {"acks": acks})

    assert f"ลงให้แล้ว 2 คน{said}</p>" in text_of(phone.get(place))


def test_a_whole_group_sent_twice_is_one_with_its_undo(phone: Client) -> None:
    everyone(phone, ["12", "A012"])
    page = text_of(phone.get(everyone(phone, ["12", "A012"]).headers["Location"]))

    assert "ลงให้แล้ว 2 คน" in page
    assert 'name="undo_all"' in page
    assert Edit.objects.count() == 2


def test_undoing_a_group_twice_is_no_refusal(phone: Client) -> None:
    page = text_of(phone.get(everyone(phone, ["12", "A012"]).headers["Location"]))
    value = page.partition('name="undo_all" value="')[2].partition('"')[0]
    answers = [phone.post("/att-sync/mark", {"undo_all": value, "place": f"date={DAY}"}) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [303, 303]
    assert set(Edit.objects.values_list("status", flat=True)) == {"absent"}


@pytest.mark.parametrize("before", [[], ["late"], ["present", "late"]])
def test_undoing_twice_is_undoing_once(phone: Client, before: list[str]) -> None:
    for wish in [*before, "present"]:
        tap(phone, DAY, 2, "A012", wish)
    first = undo_of(Edit.objects.get())
    answers = [phone.post("/att-sync/mark", first) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [303, 303, 303]
    assert wished("A012") == (before[-1] if before else "absent")


def test_undoing_a_group_leaves_alone_who_was_changed_since(phone: Client) -> None:
    page = text_of(phone.get(everyone(phone, ["12", "A012"]).headers["Location"]))
    value = page.partition('name="undo_all" value="')[2].partition('"')[0]
    tap(phone, DAY, 2, "12", "late")
    phone.post("/att-sync/mark", {"undo_all": value})

    assert (wished("12"), wished("A012")) == ("late", "absent")


@pytest.mark.parametrize("group", ["1", "9", "", "1-2-3", "x"])
def test_a_group_that_is_none_is_refused(phone: Client, group: str) -> None:
    answer = everyone(phone, ["A012"], group, headers=JSON)

    assert answer.status_code == 400
    assert not Edit.objects.exists()


def test_a_refused_edit_can_be_sent_again(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    edit = edits(phone)[0]
    nack = {**ack(edit), "code": "write_failed", "error": "disk", "final": True}
    post(phone, "applied", {"nacks": [nack]})
    assert not edits(phone)

    phone.post("/att-sync/mark", {"again": edit["id"], "place": "queue"})

    assert edits(phone)[0]["rev"] > edit["rev"]
