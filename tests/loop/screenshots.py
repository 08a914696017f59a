"""`make screenshots`: the pictures in `docs/screens`, of an invented factory on the morning of 21 July 2026."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
import time_machine
from playwright.sync_api import Browser, Page, sync_playwright

from tests.loop import showcase
from tests.sides import CLOUD, KEY, PASSWORD

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "screens"
PHONE, DESKTOP = (360, 740), (1280, 900)
DAY = showcase.TODAY.isoformat()
YESTERDAY = (showcase.TODAY - timedelta(days=1)).isoformat()


@dataclass(frozen=True)
class Shot:
    name: str
    path: str
    size: tuple[int, int] = PHONE
    dark: bool = False
    signed_in: bool = True
    before: Callable[[Page], None] = field(default=lambda page: None)


def _at(selector: str) -> Callable[[Page], None]:
    return lambda page: page.locator(selector).first.evaluate("item => scrollTo(0, item.offsetTop - 70)")


def _tapped(page: Page) -> None:
    page.locator("#g1 .act.s-late").nth(1).click()
    page.locator(".toast").wait_for()


def _found(page: Page) -> None:
    page.locator(".find > summary").click()
    page.fill("#q", "ปิ่น")


PAGES = {
    "signin": "/",
    "day": "/",
    "day-past": f"/?date={YESTERDAY}",
    "day-none": "/?date=2026-07-16",
    "group": f"/everyone?date={DAY}&group=1-2",
    "month": "/month",
    "person": "/worker/0712",
    "queue": "/queue",
    "print": "/print?g=QC",
    "help": "/help",
    "not-found": "/nowhere",
}


def _each(name: str, path: str) -> list[Shot]:
    """On a phone, in the dark, on a desktop."""
    signed_in = name != "signin"
    return [
        Shot(name, path, signed_in=signed_in),
        Shot(f"{name}-dark", path, dark=True, signed_in=signed_in),
        Shot(f"{name}-desktop", path, size=DESKTOP, signed_in=signed_in),
    ]


FIRST_RUN = _each("first-run", "/")
SHOTS = [
    *(shot for name, path in PAGES.items() for shot in _each(name, path)),
    Shot("day-desktop-dark", "/", size=DESKTOP, dark=True),
    Shot("day-tap", "/", before=_tapped),
    Shot("day-by-hand", "/", before=_at("#g1 > h3 >> nth=1")),
    Shot("day-search", "/", before=_found),
]
OFFLINE = _each("day-offline", "/")


class Quiet(WSGIRequestHandler):
    def log_message(self, *_args: object) -> None:
        """Say nothing: the pictures are what is wanted."""


class Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="attsync-screens-"))
    os.environ.update(CLOUD, DATABASE_URL=f"sqlite:///{folder}/screens.sqlite3", ALLOWED_HOSTS="*")
    django.setup()
    now = showcase.NOW.replace(tzinfo=showcase.ZONE)
    with time_machine.travel(now, tick=True):
        _migrate()
        url = serve()
        take(url, FIRST_RUN)
        fill()
        take(url, SHOTS)
    with time_machine.travel(now + timedelta(minutes=26), tick=True):
        take(url, OFFLINE)
    shutil.rmtree(folder)


def _migrate() -> None:
    from django.core.management import call_command  # noqa: PLC0415 - needs the settings made above

    call_command("migrate", verbosity=0)


def fill() -> None:
    """Sixty days, a morning, and a correction in every state it can be in."""
    today = showcase.day(showcase.TODAY, at=showcase.NOW)
    for body in showcase.month(showcase.TODAY):
        _post("ingest", body)
    _post("ingest", today)
    _get("pending?v=1&boot=a.1")
    empty = [worker["no"] for worker in today["workers"] if "e" not in worker and not any(worker["p"].values())]
    phone = _signed_in()
    for no, status in zip(empty, ("present", "late", "late", "present"), strict=False):
        phone.post("/att-sync/mark", {"date": DAY, "period": 2, "employee_no": no, "status": status})
    waiting = _get("pending").json()["edits"]
    first, second = ({name: edit[name] for name in ("id", "rev", "status")} for edit in waiting[:2])
    _post("applied", {"acks": [{**first, "outcome": "applied", "gen": 2_000_000_000}]})
    _post("applied", {"nacks": [{**second, "code": "unknown_employee", "error": "", "final": True}]})


def serve() -> str:
    from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: PLC0415
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415

    application = StaticFilesHandler(get_wsgi_application())
    server = make_server("127.0.0.1", 0, application, server_class=Threads, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/att-sync"


def take(url: str, shots: list[Shot]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        state = _remembered(browser, url)
        for shot in shots:
            _take(browser, url, shot, state)


def _remembered(browser: Browser, url: str) -> Any:
    """What a browser keeps that has signed in."""
    page = browser.new_page()
    page.goto(f"{url}/")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.locator(".tabs").wait_for()
    return page.context.storage_state()


def _take(browser: Browser, url: str, shot: Shot, state: Any) -> None:
    width, height = shot.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        locale="th-TH",
        color_scheme="dark" if shot.dark else "light",
        device_scale_factor=2 if width < DESKTOP[0] else 1,
        storage_state=state if shot.signed_in else None,
    )
    page = context.new_page()
    page.goto(url + shot.path)
    shot.before(page)
    page.wait_for_timeout(200)
    page.screenshot(path=FOLDER / f"{shot.name}.png")
    context.close()


def _post(route: str, said: object) -> None:
    from django.test import Client  # noqa: PLC0415

    body = json.dumps(said, ensure_ascii=False).encode()
    answer = Client().post(f"/att-sync/{route}", body, content_type="application/json", headers={"X-API-KEY": KEY})
    assert answer.status_code == 200, answer.content


def _get(route: str) -> Any:
    from django.test import Client  # noqa: PLC0415

    return Client().get(f"/att-sync/{route}", headers={"X-API-KEY": KEY})


def _signed_in() -> Any:
    from django.test import Client  # noqa: PLC0415

    client = Client()
    client.post("/att-sync/login", {"password": PASSWORD})
    return client


if __name__ == "__main__":
    main()
