"""For everybody: axe, the keyboard alone, large text, small screens, large enough targets, no needless motion."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.loop import showcase
from tests.loop.browsing import Factory, Site, factory_today, missing, morning_at, row

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
LONG = "ศิริพรรณวดีรัตน์ ธรรมเกียรติกำจรวงศ์ไพบูลย์ ณ อยุธยาบุรีรมย์สถาพร"


def worst_case(site: Site) -> Factory:
    """A morning with everything a row can show, the longest names and numbers, and a month behind it."""
    factory = morning_at(site.url)
    for body in showcase.month(factory_today(), 20):
        Factory(site.url, body).push()
    people = factory.day["workers"]
    people[0] |= {"name": LONG, "no": "EXT-2026-00000000000000000000009", "p": dict.fromkeys(people[0]["p"])}
    people[1] |= {"name": "สกลวรรณธนพัฒน์ธนกฤตภาคิน", "g": "แผนกบรรจุภัณฑ์และคลังสินค้าส่งออกภาคตะวันออก"}
    people[1]["p"] = dict.fromkeys(people[1]["p"])
    factory.push()
    factory.hear()
    return factory


PAGES = {
    "door": "/?signed-out",
    "day": "/",
    "everything open": "/?date={today}&open=g1&open=g2&open=g3&came=g1.30",
    "search": "/?date={today}&q=A-1",
    "tile": "/?date={today}&show=absent",
    "nobody": "/?date={today}&q=zzzz",
    "no data": "/?date={today}&date=2026-01-05",
    "bad date": "/?date=31/02/2569",
    "finished": "/?date={yesterday}&open=g1",
    "month": "/month",
    "person": "/worker/A-1007",
    "queue": "/queue",
    "group": "/everyone?date={today}&group=1-2",
    "print": "/print?g=QC",
    "help": "/help",
    "not found": "/nowhere",
}


@pytest.fixture(scope="module")
def full_site(shared_site: Site, browser: Browser) -> Iterator[Site]:
    """The worst case, with one wish refused, one saved and one waiting."""
    shared_site.forget()
    factory = worst_case(shared_site)
    tap_three(shared_site.open(browser), factory)
    yield shared_site
    shared_site.close()


@pytest.fixture
def opened(full_site: Site, browser: Browser) -> Iterator[Any]:
    """Open a page by its name, in a browser set up as wanted."""
    today = factory_today()

    def open_page(name: str, **options: Any) -> Page:
        if name == "door":
            options |= {"storage_state": None}
        path = PAGES[name].format(today=today, yesterday=today - timedelta(days=1))
        return full_site.open(browser, path, **options)

    yield open_page
    full_site.close()


def tap_three(page: Page, factory: Factory) -> None:
    """One wish refused, one saved, one waiting."""
    rows = missing(page)
    row(page, rows[0]).get_by_role("button").first.tap()
    expect(page.locator("#said")).to_contain_text("รอซิงก์")
    factory.refuse("unknown_employee")
    row(page, rows[1]).get_by_role("button").first.tap()
    expect(row(page, rows[1])).to_contain_text("รอซิงก์")
    factory.apply()
    row(page, rows[2]).get_by_role("button").last.tap()
    expect(row(page, rows[2])).to_contain_text("รอซิงก์")


def violations(page: Page) -> list[str]:
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_in_light_and_dark_on_phone_and_desktop(opened: Any, name: str) -> None:
    page = opened(name)
    found = {}
    for scheme, width in (("light", 360), ("dark", 360), ("light", 1280)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 740})
        found[scheme, width] = violations(page)

    assert {where: what for where, what in found.items() if what} == {}


def test_an_undo_that_comes_too_late_says_so_legibly(opened: Any, full_site: Site) -> None:
    page = opened("day")
    row(page, missing(page)[5]).get_by_role("button").first.tap()
    expect(page.locator(".toast")).to_be_visible()
    full_site.change("UPDATE att_edit SET rev = rev + 1")
    page.get_by_role("button", name="เลิกทำ").tap()

    expect(page.locator(".toast .error")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_scrolls_sideways_at_320_pixels_nor_with_text_twice_as_large(opened: Any, name: str) -> None:
    page = opened(name, width=320, height=568)
    widths = {}
    # No two phones have the same font: a wider one must fit as well, and letters that somebody has spaced out.
    spaced = {100: ".12em", 200: ".06em"}
    for width, percent in ((320, 100), (320, 200), (360, 200), (1280, 200), (1280, 100)):
        page.set_viewport_size({"width": width, "height": 740})
        page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
        page.evaluate(f"document.documentElement.style.letterSpacing = '{spaced[percent]}'")
        widths[width, percent] = page.evaluate("document.documentElement.scrollWidth")

    assert {where: wide for where, wide in widths.items() if wide > where[0]} == {}


@pytest.mark.parametrize("name", ["day", "no data", "search", "queue"])
def test_nothing_scrolls_sideways_while_the_factory_is_offline(opened: Any, full_site: Site, name: str) -> None:
    full_site.silent_for(20)
    try:
        page = opened(name, width=320, height=568)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        expect(page.locator("#fresh")).to_contain_text("โรงงานออฟไลน์")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
    finally:
        full_site.change("UPDATE att_link SET last_seen = datetime('now')")


SMALL = """() => [...document.querySelectorAll('a[href], button, summary, input:not([type=hidden]), select')]
  .filter(item => item.checkVisibility() && !item.closest('.skip, .steps, .flag'))
  .map(item => [item.outerHTML.slice(0, 90), item.getBoundingClientRect()])
  .filter(([, box]) => box.top >= 0 && box.width && Math.min(box.height, box.width) < 43.5)
  .map(([html, box]) => `${html} ${box.width}×${box.height}`)"""


@pytest.mark.parametrize("name", PAGES)
def test_every_target_is_as_large_as_a_thumb(opened: Any, name: str) -> None:
    page = opened(name)

    assert page.evaluate(SMALL) == []


def test_the_two_buttons_of_a_row_are_48_pixels_and_8_apart(opened: Any) -> None:
    page = opened("day")
    came, late = (row(page, missing(page)[3]).get_by_role("button", name=name).bounding_box() for name in ("มา", "สาย"))

    assert min(came["height"], came["width"], late["height"], late["width"]) >= 48
    assert late["x"] - (came["x"] + came["width"]) >= 8


def test_text_in_fields_is_large_enough_not_to_zoom(opened: Any) -> None:
    page = opened("day")
    sizes = page.evaluate(
        "[...document.querySelectorAll('input, select')].map(f => parseFloat(getComputedStyle(f).fontSize))"
    )

    assert min(sizes) >= 16


OBSCURED = """() => {
  const item = document.activeElement, box = item.getBoundingClientRect();
  if (item === document.body || !box.width) return '';
  const x = Math.min(Math.max(box.x + box.width / 2, 0), innerWidth - 1), y = box.y + Math.min(box.height / 2, 20);
  const seen = document.elementFromPoint(x, y);
  return seen && (item.contains(seen) || seen.contains(item)) ? '' : item.outerHTML.slice(0, 80);
}"""


@pytest.mark.parametrize("name", ["day", "everything open", "month", "queue"])
def test_the_keyboard_reaches_everything_and_nothing_hides_the_focus(opened: Any, name: str) -> None:
    page = opened(name, has_touch=False)
    hidden: list[str] = []
    for key in ("Tab", "Shift+Tab"):
        for _ in range(60):
            page.keyboard.press(key)
            hidden += filter(None, [page.evaluate(OBSCURED)])

    assert hidden == []


def test_the_focus_is_visible(opened: Any) -> None:
    page = opened("day", has_touch=False)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    style = page.evaluate(
        "(({outlineStyle, outlineWidth}) => [outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))"
    )

    assert style == ["solid", "3px"]


def test_a_person_is_marked_with_the_keyboard_alone(opened: Any) -> None:
    page = opened("day", has_touch=False)
    row_id = missing(page)[6]
    row(page, row_id).locator(".who").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(row(page, row_id)).to_contain_text("สาย")
    expect(row(page, row_id)).to_contain_text("รอซิงก์")
    expect(row(page, row_id).get_by_role("button")).to_be_focused()


def test_the_skip_link_leads_past_the_bars(opened: Any) -> None:
    page = opened("day", has_touch=False)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")

    expect(page.locator("main")).to_be_focused()


def test_escape_closes_a_panel_and_gives_the_focus_back(opened: Any) -> None:
    page = opened("day", has_touch=False)
    page.locator(".find > summary").click()
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("Escape")

    expect(page.locator(".find")).not_to_have_attribute("open", "")
    expect(page.locator(".find > summary")).to_be_focused()


def test_with_reduced_motion_nothing_moves(opened: Any) -> None:
    page = opened("day", reduced_motion="reduce")
    moving = page.evaluate("""[...document.querySelectorAll('*')].filter(item => {
      const style = getComputedStyle(item);
      return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
    }).length""")

    assert moving == 0


def test_names_are_not_offered_for_translation(opened: Any) -> None:
    page = opened("day")

    assert page.locator(".who b:not([translate=no])").count() == 0


def test_marks_above_and_below_thai_letters_are_not_cut(opened: Any) -> None:
    page = opened("day")
    ratios = page.evaluate("""[...document.querySelectorAll('.who b, .flag, .tile .k, h2, button')].map(item => {
      const style = getComputedStyle(item);
      return parseFloat(style.lineHeight) / parseFloat(style.fontSize);
    })""")

    assert min(ratios) >= 1.49
