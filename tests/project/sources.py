"""The project's own Python, read as text: what the rules of the house are held against."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SIDES = ("attsync_site", "mirror", "editqueue", "dashboard", "onprem")
FOLDERS = (*SIDES, "deploy", "bench", "tests")


def files(*folders: str) -> list[Path]:
    """Every Python file of these folders, without what makemigrations wrote."""
    return [
        path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")) if "migrations" not in path.parts
    ]


def functions(*folders: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in files(*folders):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node


def lines(function: ast.FunctionDef) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


def nesting(node: ast.AST) -> int:
    """How many decisions stand inside each other at the deepest place.

    ``elif`` is no deeper than its ``if``, and a guard clause (``if …: continue``) is where one stops going deeper.
    """
    deepest = 0
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.FunctionDef):
                is_elif = isinstance(node, ast.If) and name == "orelse" and isinstance(child, ast.If)
                deepest = max(deepest, nesting(child) + (_is_decision(child) and not is_elif))
    return deepest


def _is_decision(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return bool(node.orelse) or not isinstance(node.body[-1], ast.Continue | ast.Return | ast.Raise | ast.Break)
    return isinstance(node, ast.For | ast.While | ast.Match)
