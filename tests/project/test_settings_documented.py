"""`.env.example` is the one place that says which settings there are, and it says so truly."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).resolve().parent.parent.parent
SETTINGS = ("attsync_site/settings.py", "onprem/settings.py")
# Read by manage.py and Django before there are settings.
OUTSIDE = {"DJANGO_SETTINGS_MODULE"}
# What a process tells its child, and how the web server was started.
NO_SETTINGS = {"onprem/slot.py", "attsync_site/checks.py"}
FOLDERS = ("attsync_site", "mirror", "editqueue", "dashboard", "onprem")
READS_IT = re.compile(r"environ\.get\(|os\.environ\[|os\.getenv|\benv\.(str|int|bool|list)\(")
LINES = (ROOT / ".env.example").read_text().splitlines()
A_SETTING = re.compile(r"#?([A-Z][A-Z0-9_]+)=(.*)")
DOCUMENTED = [match.groups() for line in LINES if (match := A_SETTING.fullmatch(line))]


def settings_read() -> dict[str, object]:
    """Every name that either settings module asks the environment for, with the default it states there."""
    calls = [node for path in SETTINGS for node in ast.walk(ast.parse((ROOT / path).read_text())) if asks(node)]
    return {name(call): default(call) for call in calls}


def asks(node: ast.AST) -> TypeGuard[ast.Call]:
    """``env.int("NAME", 30)``, or a reader of the module's own: ``_listed("NAME")``."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    reader = re.fullmatch(r"env\.\w+|_\w+", ast.unparse(node.func))
    return reader is not None and re.fullmatch(r"'[A-Z][A-Z0-9_]+'", ast.unparse(node.args[0])) is not None


def name(call: ast.Call) -> str:
    return str(ast.literal_eval(call.args[0]))


def default(call: ast.Call) -> object:
    stated = call.args[1] if len(call.args) > 1 else ast.Constant("")
    return stated.value if isinstance(stated, ast.Constant) else None


def test_every_setting_is_documented_once() -> None:
    assert Counter(name for name, _ in DOCUMENTED) == Counter(settings_read().keys() | OUTSIDE)


def test_what_is_commented_out_is_the_default() -> None:
    computed = {"HTTPS_ONLY"}
    stated = {name: value for name, value in DOCUMENTED if name not in OUTSIDE | computed}

    assert stated == {name: str(value) for name, value in settings_read().items() if name not in computed}


def test_no_comment_stands_behind_a_value() -> None:
    assert [value for _, value in DOCUMENTED if re.search(r"\s#", value)] == []


def test_every_line_is_a_comment_or_a_setting() -> None:
    odd = [line for line in LINES if line and not line.startswith("# ") and not A_SETTING.fullmatch(line)]

    assert odd == []


def test_only_the_settings_modules_read_the_environment() -> None:
    product = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    readers = {str(path.relative_to(ROOT)) for path in product if READS_IT.search(path.read_text())}

    assert readers <= {*SETTINGS, *NO_SETTINGS}
