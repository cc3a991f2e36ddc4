"""Documents: what they link to is there, and pictures are light enough to be read on the web."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.feeds.importers import IMPORTERS

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
LARGEST = 250_000
LARGEST_TOGETHER = 2_000_000
_CODE = re.compile(r"^```.*?^```|^ {4}.*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_DECISION = re.compile(r"(?<![\w`.#])D[1-9]\d?a?(?![\w`])")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def documents() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


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


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
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


def test_each_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    named = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    assert set((ROOT / "docs").glob("*.md")) - named == {index}


def test_the_capacity_page_is_made_of_the_figures() -> None:
    found = importlib.util.spec_from_file_location("capacity", ROOT / "benchmarks" / "capacity.py")
    assert found is not None
    assert found.loader is not None
    capacity = importlib.util.module_from_spec(found)
    found.loader.exec_module(capacity)
    page = capacity.PAGE.read_text("utf-8")
    assert page == capacity.page(), "run python benchmarks/capacity.py"
    for name in re.findall(r"`(\w+\.py)`", page):
        assert (ROOT / "benchmarks" / name).exists()


def test_each_decision_that_is_cited_is_in_the_contract() -> None:
    pages = [page.read_text("utf-8") for page in (ROOT / "docs" / "contract").glob("*.md")]
    decided = re.findall(r"^- \*\*(D\d+a?)\b", "\n".join(pages), re.MULTILINE)
    assert len(decided) == len(set(decided))
    assert {f"D{number}" for number in range(1, 88)} | {"D26a"} <= set(decided)
    folders = (ROOT / name for name in ("oddsdesk", "tests", "docs"))
    files = [
        path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".md"}
    ]
    cited = {number for path in files for number in _DECISION.findall(path.read_text("utf-8"))}
    assert cited - set(decided) == set()


def test_the_justfile_has_every_step_of_the_ci_script() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8").partition("rm -rf .venv\n")[2]
    steps = [
        line.split(" .venv/bin/")[-1].replace(".venv/bin/", "") for line in script.splitlines()
    ]
    justfile = (ROOT / "justfile").read_text("utf-8")
    assert [step for step in steps if step.split(" -m ")[-1] not in justfile] == []


def test_the_guide_names_every_format_that_is_imported() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text("utf-8")
    assert [name for name in IMPORTERS if f"`{name}`" not in guide] == []
