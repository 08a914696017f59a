"""What a supervisor does on a phone, in a real browser against a real server."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response, Route, expect

from tests.loop import showcase
from tests.loop.browsing import Factory, Site, factory_today, missing, morning_at, row, sign_in
from tests.sides import PASSWORD

SIZES = [(360, 740), (320, 568)]


@pytest.fixture(params=SIZES, ids=["360", "320"])
def screen(request: pytest.FixtureRequest, site: Site, factory: Factory, browser: Browser) -> Page:
    """Today's page on a phone."""
    width, height = request.param
    return site.open(browser, width=width, height=height)


@pytest.fixture
def phone(site: Site, factory: Factory, browser: Browser) -> Page:
    return site.open(browser)


def top(locator: Any) -> float:
    box = locator.bounding_box()
    assert box
    return float(box["y"])


def number_of(row_id: str) -> str:
    return row_id.partition("-")[2]


def test_signing_in_by_hand_leads_to_todays_page(site: Site, factory: Factory, browser: Browser) -> None:
    page = site.open(browser, storage_state=None)
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")

    expect(page.locator(".lead .k")).to_have_text("มาครบทุกช่วงที่ผ่านมา")


def test_a_wrong_password_says_so_beside_the_field(site: Site, browser: Browser) -> None:
    page = site.open(browser, storage_state=None)
    page.fill("#password", "wrong")
    page.keyboard.press("Enter")

    expect(page.locator("#problem")).to_contain_text("รหัสผ่านไม่ถูกต้อง")
    expect(page.locator("#password")).to_have_attribute("aria-describedby", "problem")


def test_one_among_300_is_found_and_marked_late(screen: Page, factory: Factory) -> None:
    person = next(worker for worker in factory.day["workers"] if worker["no"] == number_of(missing(screen)[0]))
    screen.locator(".find > summary").tap()
    expect(screen.locator("#q")).to_be_focused()
    screen.keyboard.type(person["no"])
    screen.keyboard.press("Enter")
    found = row(screen, f"g1-{person['no']}")
    expect(found).to_contain_text(person["name"])

    found.get_by_role("button", name=f"สาย {person['name']}").tap()

    expect(found).to_contain_text("รอซิงก์")
    assert [edit["status"] for edit in factory.hear()] == ["late"]


def test_a_tap_shows_at_once_with_the_card_open_and_nothing_jumping(screen: Page) -> None:
    tapped, below = (row(screen, row_id) for row_id in missing(screen)[5:7])
    tapped.scroll_into_view_if_needed()
    before = top(tapped)

    tapped.get_by_role("button", name="สาย").tap()

    expect(tapped).to_contain_text("รอซิงก์")
    expect(screen.locator("#g1")).to_have_attribute("open", "")
    assert abs(top(tapped) - before) <= 1
    assert top(below) > top(tapped)
    expect(screen.locator("#said")).to_contain_text("สาย · รอซิงก์")
    expect(screen.locator(".more")).to_contain_text("รอซิงก์ 1 รายการ")


def test_it_turns_to_saved_and_then_plain_without_a_reload(phone: Page, factory: Factory) -> None:
    phone.evaluate("window.loadedOnce = true")
    tapped = row(phone, missing(phone)[0])
    tapped.get_by_role("button", name="มา").tap()
    expect(tapped).to_contain_text("รอซิงก์")

    factory.apply()
    expect(tapped).to_contain_text("บันทึกที่โรงงานแล้ว", timeout=10_000)

    factory.push()
    expect(tapped).to_contain_text("แก้มือ", timeout=10_000)
    expect(tapped).not_to_contain_text("บันทึกที่โรงงานแล้ว")
    assert phone.evaluate("window.loadedOnce") is True


def test_the_message_with_the_way_back_stays_true_while_it_stands(phone: Page, factory: Factory) -> None:
    row(phone, missing(phone)[0]).get_by_role("button", name="มา").tap()
    expect(phone.locator(".toast")).to_contain_text("มา · รอซิงก์")

    factory.apply()

    expect(phone.locator(".toast")).to_contain_text("มา · บันทึกที่โรงงานแล้ว", timeout=10_000)
    expect(phone.locator(".toast").get_by_role("button")).to_be_visible()


def test_a_row_that_moves_to_another_list_takes_nobody_along(phone: Page, factory: Factory) -> None:
    tapped, below = (row(phone, row_id) for row_id in missing(phone)[5:7])
    tapped.scroll_into_view_if_needed()
    tapped.get_by_role("button", name="มา").tap()
    expect(tapped).to_contain_text("รอซิงก์")
    before = top(below)

    factory.apply()
    factory.push()

    expect(phone.locator("[data-list=by_hand]")).to_contain_text(tapped.locator(".who b").inner_text(), timeout=10_000)
    assert abs(top(below) - before) <= 1


def test_undo_takes_a_tap_back(phone: Page, factory: Factory) -> None:
    tapped = row(phone, missing(phone)[0])
    tapped.get_by_role("button", name="มา").tap()
    phone.get_by_role("button", name="เลิกทำ").tap()

    expect(phone.locator("#said")).to_contain_text("เลิกทำแล้ว")
    expect(tapped.get_by_role("button", name="สาย")).to_be_visible()
    assert [edit["status"] for edit in factory.hear()] == ["absent"]


def test_a_mark_of_the_factory_is_cancelled(phone: Page, factory: Factory) -> None:
    tapped = row(phone, missing(phone)[0])
    tapped.get_by_role("button", name="มา").tap()
    expect(tapped).to_contain_text("รอซิงก์")
    factory.apply()
    factory.push()
    phone.reload()
    expect(tapped).to_contain_text("แก้มือ")

    tapped.get_by_role("button", name="ยกเลิก").tap()

    expect(tapped).to_contain_text("ยกเลิกเมื่อ")
    factory.apply()
    factory.push()
    phone.reload()
    assert tapped.get_attribute("id") in missing(phone)


def test_a_scan_that_came_meanwhile_wins_and_is_told(phone: Page, factory: Factory) -> None:
    tapped = row(phone, missing(phone)[0])
    no = number_of(missing(phone)[0])
    factory.cells(no)["2"] = "08:12"
    factory.push()

    tapped.get_by_role("button", name="สาย").tap()

    expect(tapped.get_by_role("alert")).to_have_text(re.compile("แก้ไม่ได้: มีสแกนจริง 08:12 แล้ว"))
    assert factory.hear() == []


def test_a_refusal_shows_its_reason(phone: Page, factory: Factory) -> None:
    tapped = row(phone, missing(phone)[0])
    tapped.get_by_role("button", name="สาย").tap()
    expect(tapped).to_contain_text("รอซิงก์")

    factory.refuse("unknown_employee")

    expect(tapped).to_contain_text("โรงงานไม่รับ", timeout=10_000)
    expect(tapped).to_contain_text("รหัสนี้ไม่อยู่ในทะเบียนของโรงงานแล้ว")


def test_double_and_triple_taps_leave_one_edit(phone: Page, site: Site, factory: Factory) -> None:
    first, second = missing(phone)[:2]
    row(phone, first).get_by_role("button", name="มา").dblclick()
    expect(row(phone, first)).to_contain_text("รอซิงก์")
    row(phone, second).get_by_role("button", name="สาย").click(click_count=3)
    expect(row(phone, second)).to_contain_text("รอซิงก์")

    assert sorted(edit["status"] for edit in factory.hear()) == ["late", "present"]
    assert len(site.rows("SELECT * FROM att_history WHERE kind = 'asked'")) == 2


@pytest.mark.parametrize("seconds", [0.15, 0.4])
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
@pytest.mark.parametrize("path", ["/", "/?date={today}&show=absent&open=g1"])
def test_the_second_tap_of_a_slow_double_tap_meets_nothing(
    site: Site, factory: Factory, browser: Browser, path: str, seconds: float, *, script: bool
) -> None:
    page = site.open(browser, path.format(today=factory.date), java_script_enabled=script)
    first = missing(page)[2]
    twice(page, row(page, first).get_by_role("button", name="สาย"), seconds)

    assert asked(site) == [(number_of(first), "late")]


def test_two_people_tapped_in_a_row_are_both_marked(phone: Page, site: Site) -> None:
    first, second = missing(phone)[2:4]
    row(phone, first).get_by_role("button", name="สาย").tap()
    expect(phone.locator(".toast")).to_be_visible()
    box = row(phone, second).get_by_role("button", name="มา").bounding_box()
    phone.touchscreen.tap(box["x"] + 10, box["y"] + 10)
    expect(row(phone, second)).to_contain_text("รอซิงก์")

    assert asked(site) == [(number_of(first), "late"), (number_of(second), "present")]


def test_a_key_held_down_presses_once(phone: Page, site: Site) -> None:
    first = missing(phone)[2]
    row(phone, first).get_by_role("button", name="มา").focus()
    for _ in range(8):
        phone.keyboard.down("Enter")
        phone.wait_for_timeout(120)
    phone.keyboard.up("Enter")

    assert asked(site) == [(number_of(first), "present")]


def test_an_undo_in_the_queue_tapped_twice_is_one_undo(phone: Page, site: Site) -> None:
    row(phone, missing(phone)[0]).get_by_role("button", name="มา").tap()
    expect(phone.locator("#said")).to_contain_text("รอซิงก์")
    phone.goto(f"{site.url}/queue")
    twice(phone, phone.get_by_role("button", name="เลิกทำ").first, 0.3)

    assert [status for _, status in asked(site)] == ["present", "absent"]


def twice(page: Page, button: Any, seconds: float) -> None:
    """Two real taps on one place of the screen."""
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y)
    page.wait_for_timeout(seconds * 1000)
    page.touchscreen.tap(x, y)
    page.wait_for_timeout(1000)


def asked(site: Site) -> list[tuple[Any, ...]]:
    return site.rows("SELECT employee_no, status FROM att_history WHERE kind = 'asked' ORDER BY id")


def test_a_tap_while_the_phone_is_offline_says_that_nothing_was_sent(phone: Page, factory: Factory) -> None:
    tapped = row(phone, missing(phone)[0])
    phone.context.set_offline(True)
    tapped.get_by_role("button", name="มา").tap()

    expect(tapped.get_by_role("alert")).to_have_text("โทรศัพท์ออฟไลน์อยู่ ยังไม่ได้ส่งอะไร")
    assert factory.hear() == []

    phone.context.set_offline(False)
    tapped.get_by_role("button", name="มา").tap()
    expect(tapped).to_contain_text("รอซิงก์")


def test_a_tap_after_the_session_ended_leads_through_the_door_and_back(
    site: Site, factory: Factory, browser: Browser
) -> None:
    page = site.open(browser, storage_state=None)
    sign_in(page, site.url)
    page.context.clear_cookies(name="sessionid")
    row(page, missing(page)[3]).get_by_role("button", name="มา").tap()

    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#g1")).to_have_attribute("open", "")
    assert factory.hear() == []


def test_a_stale_form_token_is_renewed_and_the_tap_sent(phone: Page, factory: Factory) -> None:
    phone.context.clear_cookies(name="csrftoken")
    tapped = row(phone, missing(phone)[0])
    tapped.get_by_role("button", name="มา").tap()

    expect(tapped).to_contain_text("รอซิงก์")


def test_a_whole_group_is_marked_and_taken_back_at_once(phone: Page, factory: Factory) -> None:
    count = len(missing(phone))
    phone.get_by_role("link", name="ให้ทุกคนที่ยังไม่มาเป็นมา").tap()
    expect(phone.locator(".names li")).to_have_count(count)
    phone.get_by_role("button", name="มา", exact=True).tap()

    expect(phone.locator("#said")).to_contain_text(f"ลงให้แล้ว {count} คน")
    assert len(factory.hear()) == count
    phone.get_by_role("button", name="เลิกทำ").tap()
    expect(phone.locator("#said")).to_contain_text(f"เลิกทำแล้ว {count} รายการ")
    assert {edit["status"] for edit in factory.hear()} == {"absent"}


# --- lists ----------------------------------------------------------------------------------------------------------


def test_the_rest_of_a_list_comes_in_place(site: Site, browser: Browser) -> None:
    crowd = morning_at(site.url)
    for worker in crowd.day["workers"]:
        worker["p"] = dict.fromkeys(worker["p"])
    crowd.push()
    page = site.open(browser)
    rows = page.locator("#g1 > .rows").first.locator("li")
    expect(rows).to_have_count(30)
    address = page.url

    page.get_by_role("link", name=re.compile("ดูอีก")).tap()

    expect(rows).not_to_have_count(30)
    assert page.url.partition("?")[0] == address.partition("?")[0]
    assert rows.count() == len([worker for worker in crowd.day["workers"] if "e" not in worker])


def test_those_who_came_are_listed_when_asked_for_and_stay_listed(phone: Page, factory: Factory) -> None:
    came = phone.locator("#g1-came")
    came.locator("summary").tap()
    expect(came.locator("li")).to_have_count(30)

    factory.cells(number_of(missing(phone)[0]))["2"] = "08:59"
    factory.push()
    look_again(phone)

    expect(phone.locator("#said")).to_contain_text("มาครบทุกช่วงที่ผ่านมา")
    expect(came).to_have_attribute("open", "")
    expect(came.locator("li")).to_have_count(30)


# --- keeping fresh --------------------------------------------------------------------------------------------------


def test_a_refresh_keeps_what_is_typed_open_focused_and_scrolled(phone: Page, factory: Factory) -> None:
    phone.locator(".find > summary").tap()
    phone.locator("#q").fill("สมช")
    phone.locator("#strangers summary").scroll_into_view_if_needed()
    phone.locator("#strangers summary").tap()
    phone.locator("#q").focus()
    scrolled = phone.evaluate("scrollY")
    factory.cells(number_of(missing(phone)[0]))["2"] = "08:59"
    factory.push()

    look_again(phone)

    expect(phone.locator("#said")).to_contain_text("มาครบ")
    expect(phone.locator("#q")).to_be_focused()
    expect(phone.locator("#q")).to_have_value("สมช")
    expect(phone.locator("#strangers")).to_have_attribute("open", "")
    assert abs(phone.evaluate("scrollY") - scrolled) <= 80


def look_again(page: Page) -> None:
    """What a browser says when its page comes back to the front."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def polls_of(page: Page) -> list[int]:
    """The statuses of the answers to the page's own questions, as they come in."""
    seen: list[int] = []

    def note(answer: Response) -> None:
        if answer.request.resource_type == "fetch":
            seen.append(answer.status)

    page.on("response", note)
    return seen


def polled(page: Page, seen: list[int]) -> bool:
    """Tell whether an answer came within five seconds."""
    for _ in range(100):
        if seen:
            return True
        page.wait_for_timeout(50)
    return False


def test_nothing_new_costs_a_304_and_changes_nothing(phone: Page) -> None:
    seen = polls_of(phone)
    before = phone.locator("#sum").inner_html()
    look_again(phone)

    assert polled(phone, seen)
    assert seen == [304]
    assert phone.locator("#sum").inner_html() == before


def test_after_a_tap_the_page_asks_every_three_seconds(phone: Page) -> None:
    row(phone, missing(phone)[0]).get_by_role("button", name="มา").tap()
    expect(phone.locator("#said")).to_contain_text("รอซิงก์")
    seen = polls_of(phone)
    phone.wait_for_timeout(7_000)

    assert len(seen) == 2


@pytest.mark.parametrize(("days_ago", "asks"), [(0, True), (1, False)])
def test_today_is_asked_for_every_two_minutes_and_a_past_day_never(
    site: Site, browser: Browser, days_ago: int, asks: bool
) -> None:
    day = factory_today() - timedelta(days=days_ago)
    Factory(site.url, showcase.day(day, windows=showcase.WORKDAY)).push()
    page = site.open(browser, "/help")
    page.clock.install()
    page.goto(f"{site.url}/?date={day}")
    seen = polls_of(page)
    page.clock.fast_forward("02:30")
    page.wait_for_timeout(500)

    assert bool(seen) is asks


def test_a_page_nobody_looks_at_asks_nothing(phone: Page) -> None:
    phone.evaluate("Object.defineProperty(document, 'hidden', {value: true})")
    seen = polls_of(phone)
    row(phone, missing(phone)[0]).get_by_role("button", name="มา").tap()
    expect(phone.locator("#said")).to_contain_text("รอซิงก์")
    seen.clear()
    look_again(phone)
    phone.wait_for_timeout(4_000)

    assert seen == []


def test_auto_refresh_can_be_paused_and_resumed(phone: Page, factory: Factory) -> None:
    phone.locator("#pause").tap()
    expect(phone.locator("#pause")).to_have_attribute("aria-pressed", "true")
    seen = polls_of(phone)
    look_again(phone)
    phone.wait_for_timeout(500)
    assert seen == []

    phone.locator("#pause").tap()
    assert polled(phone, seen)


def test_a_lost_line_of_the_phone_is_told_and_found_again(phone: Page) -> None:
    phone.context.set_offline(True)
    look_again(phone)
    expect(phone.locator("#fresh")).to_contain_text("โทรศัพท์ออฟไลน์")

    phone.context.set_offline(False)
    look_again(phone)
    expect(phone.locator("#fresh b:visible")).to_have_text("ปกติ")


def test_a_factory_silent_for_a_quarter_of_an_hour_gets_a_banner(phone: Page, site: Site) -> None:
    site.silent_for(16)
    look_again(phone)

    expect(phone.locator("#notes")).to_contain_text("โรงงานออฟไลน์ตั้งแต่")
    expect(phone.locator("#notes")).to_contain_text("แก้ไขได้ จะส่งเมื่อกลับมา")
    expect(phone.locator("#fresh b:visible")).to_have_text("โรงงานออฟไลน์")


def test_an_answer_that_is_no_page_of_ours_changes_nothing(phone: Page) -> None:
    def portal(route: Route) -> None:
        route.fulfill(status=200, content_type="text/html", body="<html><body>Please buy more data</body></html>")

    tapped = row(phone, missing(phone)[0])
    phone.route("**/mark", portal)
    tapped.get_by_role("button", name="มา").tap()

    expect(tapped.get_by_role("alert")).to_contain_text("ส่งไม่สำเร็จ")
    expect(tapped.get_by_role("button", name="มา")).to_be_enabled()


# --- without a script -----------------------------------------------------------------------------------------------


@pytest.fixture
def plain(site: Site, factory: Factory, browser: Browser) -> Page:
    return site.open(browser, java_script_enabled=False)


def test_without_a_script_a_tap_comes_back_to_its_row(plain: Page, factory: Factory) -> None:
    row_id = missing(plain)[7]
    row(plain, row_id).get_by_role("button", name="สาย").tap()

    expect(row(plain, row_id)).to_contain_text("รอซิงก์")
    expect(row(plain, row_id)).to_be_in_viewport()
    assert plain.url.endswith(f"#{row_id}")
    plain.get_by_role("button", name="เลิกทำ").tap()
    expect(plain.locator(".toast")).to_contain_text("เลิกทำแล้ว")


def test_without_a_script_a_refusal_stands_beside_the_person(plain: Page, factory: Factory) -> None:
    row_id = missing(plain)[0]
    factory.cells(number_of(row_id))["2"] = "08:12"
    factory.push()
    row(plain, row_id).get_by_role("button", name="มา").tap()

    expect(row(plain, row_id).get_by_role("alert")).to_contain_text("มีสแกนจริง 08:12 แล้ว")


def test_without_a_script_everything_else_works_too(plain: Page) -> None:
    plain.locator("#g1-came summary").tap()
    plain.locator("#g1-came").get_by_role("link", name="แสดงรายชื่อ").tap()
    expect(plain.locator("#g1-came li")).to_have_count(30)
    plain.locator(".find > summary").tap()
    plain.fill("#q", "THIDA")
    plain.get_by_role("button", name="ค้นหา").tap()
    expect(plain.locator("#cards")).to_contain_text("THIDA AYE MON")
    plain.goto(plain.url.partition("?")[0])
    plain.locator(".s-absent.tile").tap()
    expect(plain.locator(".chips")).to_contain_text("ยังไม่มาเลย")
    plain.get_by_role("link", name="รายเดือน", exact=True).tap()
    expect(plain.locator(".cal [aria-current]")).to_be_visible()


def test_the_date_field_takes_what_people_type(phone: Page, factory: Factory) -> None:
    year, month, day = factory.date.split("-")
    phone.locator(".drop:not(.find) > summary").tap()
    phone.fill("#date", f"{day}/{month}/{int(year) + 543}")
    phone.keyboard.press("Enter")

    expect(phone.locator(".lead .k")).to_have_text("มาครบทุกช่วงที่ผ่านมา")
    assert f"date={factory.date}" in phone.url


def test_after_signing_out_the_back_button_shows_no_names(site: Site, factory: Factory, browser: Browser) -> None:
    page = site.open(browser, storage_state=None)
    sign_in(page, site.url)
    expect(page.locator("#g1")).to_be_visible()
    page.get_by_role("link", name="ช่วยเหลือ").tap()
    page.get_by_role("button", name="ออกจากระบบ").tap()
    expect(page.locator("#password")).to_be_visible()
    page.go_back()
    page.go_back()

    expect(page.locator("#password")).to_be_visible()
    expect(page.locator("#g1")).to_have_count(0)
