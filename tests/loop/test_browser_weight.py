"""What a page may weigh on a phone with a weak line, and 2,000 people on it."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser, Page, expect

from tests.loop.browsing import Factory, Site, missing, morning_at, row

KIB = 1024
SHIFTS = """new Promise(done => {
  let sum = 0;
  const add = entry => { if (!entry.hadRecentInput) sum += entry.value; };
  new PerformanceObserver(list => list.getEntries().forEach(add))
    .observe({type: 'layout-shift', buffered: true});
  setTimeout(() => done(sum), 300);
})"""


@pytest.fixture
def three_hundred(site: Site) -> Factory:
    factory = morning_at(site.url, 300)
    factory.push()
    factory.hear()
    return factory


@pytest.fixture
def two_thousand(site: Site) -> Factory:
    """2,000 people, six periods, each its own group, a fifth of them missing everywhere."""
    factory = morning_at(site.url, 2000)
    periods = [
        {**factory.day["periods"][0], "code": code, "name": f"ช่วง {code}", "scan": [], "state": "end"}
        for code in range(1, 7)
    ]
    for number, worker in enumerate(factory.day["workers"]):
        worker["p"] = {str(code): None if number % 5 == 0 else "06:55" for code in range(1, 7)}
    factory.push(periods=periods, groups=[[code] for code in range(1, 7)])
    factory.hear()
    return factory


def weight(page: Page, url: str) -> int:
    """The body as it travels, compressed."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    answer = requests.get(url, cookies=cookies, headers={"Accept-Encoding": "gzip"}, stream=True, timeout=10)
    assert answer.status_code == 200
    return len(answer.raw.read(decode_content=False))


def elements(page: Page) -> int:
    return int(page.evaluate("document.querySelectorAll('*').length"))


def test_the_day_of_300_people_is_light(site: Site, three_hundred: Factory, browser: Browser) -> None:
    page = site.open(browser)

    assert weight(page, page.url) <= 15 * KIB
    assert elements(page) <= 1500


@pytest.mark.parametrize("mark", [None, "present"])
def test_the_day_stays_light_with_300_missing_or_marked_by_hand_in_every_group(
    site: Site, three_hundred: Factory, browser: Browser, mark: str | None
) -> None:
    for worker in three_hundred.day["workers"]:
        worker["p"] = dict.fromkeys(worker["p"], mark)
    three_hundred.push(periods=[{**period, "state": "end"} for period in three_hundred.day["periods"]])
    page = site.open(browser)

    assert weight(page, page.url) <= 15 * KIB
    assert elements(page) <= 1500


def test_sheet_and_script_are_light(site: Site, three_hundred: Factory, browser: Browser) -> None:
    page = site.open(browser)
    sheet = page.locator("link[rel=stylesheet]").get_attribute("href")
    script = page.locator("script").get_attribute("src")
    root = site.url.removesuffix("/att-sync")

    assert weight(page, f"{root}{sheet}") <= 8 * KIB
    assert weight(page, f"{root}{script}") <= 6 * KIB


class Travelled:
    """What is really asked of the server, as the browser's own network log tells."""

    def __init__(self, page: Page) -> None:
        self.urls: dict[str, str] = {}
        log = page.context.new_cdp_session(page)
        log.send("Network.enable")
        log.on("Network.requestWillBeSent", self._sent)
        log.on("Network.requestServedFromCache", self._cached)
        log.on("Network.responseReceived", self._received)

    def _sent(self, event: dict[str, Any]) -> None:
        self.urls[event["requestId"]] = event["request"]["url"]

    def _cached(self, event: dict[str, Any]) -> None:
        self.urls.pop(event["requestId"], None)

    def _received(self, event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            self.urls.pop(event["requestId"], None)


def test_a_first_visit_takes_five_requests_and_a_repeat_one(
    site: Site, three_hundred: Factory, browser: Browser
) -> None:
    context = browser.new_context(storage_state=site.signed_in)
    site.contexts.append(context)
    page = context.new_page()
    first = Travelled(page)
    page.goto(f"{site.url}/")
    page.wait_for_load_state("networkidle")
    asked = list(first.urls.values())
    page.goto("about:blank")
    again = Travelled(page)
    page.goto(f"{site.url}/")
    page.wait_for_load_state("networkidle")

    # The manifest is the fifth: a browser without a window does not fetch it.
    assert len(asked) + 1 <= 5, asked
    assert all(url.startswith(site.url.removesuffix("/att-sync")) for url in asked)
    assert list(again.urls.values()) == [f"{site.url}/"]


def test_the_page_can_be_put_on_the_home_screen(site: Site, three_hundred: Factory, browser: Browser) -> None:
    page = site.open(browser)
    href = page.locator("link[rel=manifest]").get_attribute("href")
    root = site.url.removesuffix("/att-sync")
    answer = requests.get(f"{root}{href}", timeout=10)
    icons = [requests.get(f"{root}/static/{icon['src']}", timeout=10) for icon in answer.json()["icons"]]

    assert answer.headers["Content-Type"].startswith("application/manifest+json")
    assert {icon.status_code for icon in icons} == {200}
    log = page.context.new_cdp_session(page)
    errors = log.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {error["errorId"] for error in errors} <= {"in-incognito"}


def test_nothing_shifts_while_the_page_loads_or_refreshes(site: Site, three_hundred: Factory, browser: Browser) -> None:
    page = site.open(browser)
    assert page.evaluate(SHIFTS) <= 0.02

    tapped = row(page, missing(page)[0])
    tapped.get_by_role("button", name="มา").tap()
    expect(tapped).to_contain_text("รอซิงก์")
    page.wait_for_timeout(1_000)
    three_hundred.apply()
    expect(tapped).to_contain_text("บันทึกที่โรงงานแล้ว", timeout=10_000)
    assert page.evaluate(SHIFTS) <= 0.02


def test_2000_people_and_six_periods_open_and_are_searched_on_a_phone(
    site: Site, two_thousand: Factory, browser: Browser
) -> None:
    page = site.open(browser)
    assert elements(page) <= 1500
    assert weight(page, page.url) <= 20 * KIB

    started = time.monotonic()
    page.locator("#g6 > summary").tap()
    expect(page.locator("#g6 li[id]").first).to_be_visible()
    page.locator(".find > summary").tap()
    page.fill("#q", "THIDA")
    page.keyboard.press("Enter")
    expect(page.locator("#cards")).to_contain_text("THIDA AYE MON")
    assert time.monotonic() - started < 10


def test_a_closed_card_brings_its_rows_when_it_is_opened(site: Site, two_thousand: Factory, browser: Browser) -> None:
    page = site.open(browser)
    card = page.locator("#g4")
    expect(card.locator("li")).to_have_count(0)
    card.locator("> summary").tap()

    expect(card.locator("> .rows").first.locator("li")).to_have_count(30)
    card.get_by_role("link", name="ดูอีก 300 คน").tap()
    expect(card.locator("> .rows").first.locator("li")).to_have_count(330)


def test_an_unchanged_page_travels_in_less_than_400_bytes(site: Site, three_hundred: Factory, browser: Browser) -> None:
    page = site.open(browser)
    cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in page.context.cookies())
    etag = page.evaluate("document.body.dataset.etag")
    ask = ["GET /att-sync/ HTTP/1.1", "Host: 127.0.0.1", f"Cookie: {cookies}", f"If-None-Match: {etag}"]
    with socket.create_connection(("127.0.0.1", site.cloud.port), timeout=10) as line:
        line.sendall("\r\n".join([*ask, "Connection: close", "", ""]).encode())
        answer = b"".join(iter(lambda: line.recv(4096), b""))

    assert answer.startswith(b"HTTP/1.1 304"), answer[:100]
    assert len(answer) < 400, answer
