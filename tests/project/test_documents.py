"""What the documents point at exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.sources import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
A_LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    targets = A_LINK.findall(document.read_text())

    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_every_make_target_the_readme_names_exists() -> None:
    named = set(re.findall(r"\bmake ([a-z]+)\b", (ROOT / "README.md").read_text()))
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))

    assert named - {"alone"} <= targets


def test_every_module_the_readme_names_exists() -> None:
    named = re.findall(r"`((?:mirror|editqueue|dashboard|onprem)\.\w+)(?:\.\w+)?`", (ROOT / "README.md").read_text())

    assert [name for name in named if not (ROOT / f"{name.replace('.', '/')}.py").exists()] == []
