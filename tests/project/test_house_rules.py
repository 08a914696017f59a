"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import statistics

from tests.project.sources import FOLDERS, ROOT, SIDES, files, functions, lines, nesting

PRODUCT = (*SIDES, "deploy")
VAGUE = {"utils", "helpers", "common", "manager", "handler"}
# What a file of requirements names, and where it is to be found in code.
IMPORTED_AS = {
    "django-environ": "environ",
    "django-ratelimit": "django_ratelimit",
    "django-csp": "csp",
    "axe-playwright-python": "axe_playwright_python",
    "pytest-django": "pytest_django",
    "time-machine": "time_machine",
}
# Used without an import: named in settings, run as a command, or found by another package.
USED_BY_NAME = {"mysqlclient", "bcrypt", "argon2-cffi", "tzdata", "whitenoise", "granian", "ruff", "mypy"}
USED_BY_NAME |= {"redis", "django-stubs", "types-requests", "import-linter"}


def test_no_function_is_longer_than_40_lines() -> None:
    assert [where for where, function in functions(*PRODUCT) if lines(function) > 40] == []


def test_nine_functions_of_ten_fit_into_20_lines() -> None:
    lengths = [lines(function) for _, function in functions(*PRODUCT)]

    assert statistics.quantiles(lengths, n=10)[-1] <= 20


def test_no_file_is_longer_than_300_lines() -> None:
    assert [str(path) for path in files(*PRODUCT) if path.read_text().count("\n") > 300] == []


def test_no_function_nests_decisions_deeper_than_two() -> None:
    assert [where for where, function in functions(*PRODUCT) if nesting(function) > 2] == []


def test_modules_are_named_for_a_concept() -> None:
    assert [str(path) for path in files(*FOLDERS) if path.stem in VAGUE] == []


def test_every_package_asked_for_is_used() -> None:
    imported = {name for path in files(*FOLDERS) for name in imports(path.read_text())}
    asked = {name for file in ("", "onprem/", "tests/") for name in direct(f"{file}requirements.txt")}
    unused = {name for name in asked - USED_BY_NAME if IMPORTED_AS.get(name, name).lower() not in imported}

    assert unused == set()


def test_a_package_has_one_version_everywhere() -> None:
    files_of = ("requirements.txt", "onprem/requirements.txt", "tests/requirements.txt")
    pins = {line for file in files_of for line in (ROOT / file).read_text().splitlines() if "==" in line}

    assert len(pins) == len({pin.split("==")[0].lower() for pin in pins})


def test_the_factory_installs_no_web_server() -> None:
    assert "granian" not in (ROOT / "onprem/requirements.txt").read_text()


def imports(source: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0].lower() for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0].lower())
    return found


def direct(path: str) -> set[str]:
    """The packages above the line "What … pull in"."""
    asked = re.split(r"# What .* pull in", (ROOT / path).read_text())[0]
    return {line.split("==")[0].lower() for line in asked.splitlines() if "==" in line}
