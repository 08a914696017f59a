"""What a person does on a phone, over HTTP: the forms and the JSON that the pages themselves use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import requests

from tests.sides import PASSWORD

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(frozen=True)
class Cell:
    day: str
    period: int
    employee_no: str


class Phone:
    """Signs in at once, as a person would: by the form on the page."""

    def __init__(self, url: str, password: str = PASSWORD) -> None:
        self.url = url
        self.http = requests.Session()
        form = self.http.get(f"{url}/", timeout=10).text
        token = TOKEN.search(form)
        assert token, form
        signed_in = self._post("login", {"password": password, "csrfmiddlewaretoken": token[1]})
        assert signed_in.status_code == 303, signed_in.text

    def day(self, day: str | None = None) -> dict[str, Any]:
        """The merged day as the page knows it; today's by default."""
        answer = self.http.get(f"{self.url}/api", params={"date": day} if day else {}, timeout=10)
        assert answer.status_code == 200, answer.text
        return dict(answer.json()["data"])

    def page(self, day: str) -> str:
        return self.http.get(f"{self.url}/", params={"date": day}, timeout=10).text

    def tap(self, cell: Cell, status: str) -> requests.Response:
        """Post the form of a button."""
        fields = {"date": cell.day, "period": cell.period, "employee_no": cell.employee_no, "status": status}
        return self._post("mark", {**fields, "csrfmiddlewaretoken": self.http.cookies["csrftoken"]})

    def _post(self, action: str, fields: dict[str, object]) -> requests.Response:
        return self.http.post(f"{self.url}/{action}", data=fields, timeout=10, allow_redirects=False)


def somebody_missing(day: dict[str, Any]) -> Cell:
    """A cell that is empty although its person is expected."""
    codes = [period["code"] for period in day["periods"]]
    for worker in day["workers"]:
        for code in worker.get("e", codes):
            if worker["p"].get(str(code)) is None:
                return Cell(day["date"], code, worker["no"])
    raise AssertionError("everybody has come")


def shown(day: dict[str, Any], cell: Cell) -> tuple[str | None, str]:
    """What the cell shows, and "pending", "saved" or "" beside it."""
    code = str(cell.period)
    worker = next(worker for worker in day["workers"] if worker["no"] == cell.employee_no)
    flags = [word for word, key in (("pending", "pd"), ("saved", "sv")) if code in worker.get(key, {})]
    return worker["p"].get(code), " ".join(flags)
