"""What a person with a browser does, through the test client."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.sides import PASSWORD

JSON = {"Accept": "application/json"}


def sign_in(client: Client, password: str = PASSWORD, **headers: Any) -> Any:
    return client.post("/att-sync/login", {"password": password}, **headers)


def tap(client: Client, day: str, period: int, employee_no: str, status: str, **headers: Any) -> Any:
    """The contract's own four fields."""
    fields = {"date": day, "period": period, "employee_no": employee_no, "status": status}
    return client.post("/att-sync/mark", fields, headers={**JSON, **headers})


def press(client: Client, day: str, button: str, employee_no: str, **fields: str) -> Any:
    """A button of the page, without a script."""
    return client.post("/att-sync/mark", {"date": day, "place": f"date={day}", **fields, button: employee_no})


def text_of(answer: Any) -> str:
    """The page's text with its no-break spaces made plain."""
    return str(answer.content.decode()).replace("\N{NO-BREAK SPACE}", " ")
