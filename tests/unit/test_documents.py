"""Documents: what they link to is there, and pictures are light enough to be read on the web."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
LARGEST = 250_000
LARGEST_TOGETHER = 2_000_000
_CODE = re.compile(r"^```.*?^```|^ {4}.*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def links(document: Path) -> Iterator[str]:
    text = _CODE.sub("", document.read_text(encoding="utf-8"))
    return (link for link in _LINK.findall(text) if "://" not in link)


def anchors(document: Path) -> set[str]:
    """Return the names of a document's headings, made as on the web."""
    fenced = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
    titles = _HEADING.findall(fenced.sub("", document.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(document: Path) -> list[str]:
    """Return the links that lead nowhere."""
    found = []
    for link in links(document):
        place, _, anchor = link.partition("#")
        target = document.parent / place if place else document
        has_anchor = not anchor or (target.suffix == ".md" and anchor in anchors(target))
        if not target.exists() or not has_anchor:
            found.append(link)
    return found


@pytest.mark.parametrize("document", documents(), ids=lambda document: document.name)
def test_what_a_document_links_to_is_there(document: Path) -> None:
    assert broken(document) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("# Here\n[a](gone.md) ![b](gone.png) [c](#here) [d](#there)\n")
    assert broken(document) == ["gone.md", "gone.png", "#there"]


def test_each_picture_is_shown_somewhere() -> None:
    shown = {(d.parent / link).resolve() for d in documents() for link in links(d)}
    assert {path for path in PICTURES.iterdir() if path not in shown} == set()


def test_pictures_are_light() -> None:
    sizes = {path.name: path.stat().st_size for path in PICTURES.iterdir()}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}
    assert sum(sizes.values()) < LARGEST_TOGETHER
