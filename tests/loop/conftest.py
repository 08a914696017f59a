from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.loop.browsing import Factory, Site, morning_at, sign_in
from tests.loop.processes import Cloud, Installation
from tests.sides import KEY, PASSWORD

CLOUD = {
    "SECRET_KEY": "test-secret-key-test-secret-key-test-secret-key-0123456789",
    "HTTPS_ONLY": False,
    "ATTSYNC_KEY": KEY,
    "ATTSYNC_PASSWORD": PASSWORD,
}
# The flags keep it from looking up hosts of its maker's; --no-sandbox because CI is root.
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
CHROMIUM += ["--disable-component-update", "--disable-sync"]
PHONE = {"width": 360, "height": 740}

StartCloud = Callable[..., Cloud]


@pytest.fixture
def start_cloud(tmp_path: Path) -> Iterator[StartCloud]:
    """Start a cloud with these settings on top of the usual ones. Without a DATABASE_URL it has its embedded SQLite."""
    running: list[Cloud] = []
    numbers = itertools.count(1)

    def start(**settings: object) -> Cloud:
        cloud = Cloud(Installation(tmp_path / f"cloud{next(numbers)}", {**CLOUD, **settings}))
        running.append(cloud)
        cloud.start()
        return cloud

    yield start
    for cloud in running:
        cloud.stop()
        # Shown by pytest when the test has failed.
        print(cloud.log.read_text())


@pytest.fixture
def cloud(start_cloud: StartCloud) -> Cloud:
    return start_cloud()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    assert program, "no Chromium here: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A phone's browser with nothing remembered."""
    context = browser.new_context(viewport={"width": PHONE["width"], "height": PHONE["height"]}, locale="th-TH")
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def shared_site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One cloud for all tests that look at pages: starting one takes longer than looking."""
    cloud = Cloud(Installation(tmp_path_factory.mktemp("site") / "cloud", CLOUD))
    cloud.installation.manage("collectstatic", "--noinput")
    cloud.start()
    context = browser.new_context()
    sign_in(context.new_page(), cloud.url)
    yield Site(cloud, signed_in=context.storage_state())
    context.close()
    cloud.stop()


@pytest.fixture
def site(shared_site: Site) -> Iterator[Site]:
    """A cloud without any day, to be opened by a browser that is signed in."""
    shared_site.forget()
    yield shared_site
    shared_site.close()


@pytest.fixture
def factory(site: Site) -> Factory:
    """302 people at 09:26 of today, just sent; the agent was just heard."""
    factory = morning_at(site.url)
    factory.push()
    factory.hear()
    return factory
