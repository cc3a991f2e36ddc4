"""Documents: what they link to is there, and pictures are light enough to be read on the web."""

import ast
import functools
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.board.valuation.pool import Silence
from oddsdesk.board.valuation.verdict_words import bound_text, caution_text, rule_title
from oddsdesk.contract.formats import OWN_FORMATS
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.exposure import Bound
from oddsdesk.pricing.value import Rule, RuleCheck

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
LARGEST = 250_000
LARGEST_TOGETHER = 2_000_000
_CODE = re.compile(r"^```.*?^```|^ {4}.*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_DECISION = re.compile(r"(?<![\w`.#])D[1-9]\d?a?(?![\w`])")
_PATH = re.compile(r"`((?:[a-z_]+/)+[a-z_]+(?:\.py)?)`")
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


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_modules_that_a_page_for_contributors_names_are_there(page: str) -> None:
    """A module is named by its room and file: ``store/names``, ``server/gate.py``."""
    named = set(_PATH.findall((ROOT / page).read_text(encoding="utf-8")))
    package = ROOT / "oddsdesk"
    rooms = {each.name for each in package.iterdir() if each.is_dir()}
    modules = {name.removesuffix(".py") for name in named if name.split("/")[0] in rooms}
    missing = {
        each
        for each in modules
        if not (package / each).exists() and not (package / f"{each}.py").exists()
    }
    assert len(modules) > 10
    assert missing == set()


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
    lines = [re.sub(r"( &)?  #.*", "", line) for line in script.splitlines()]
    steps = [
        line.split(" .venv/bin/")[-1].replace(".venv/bin/", "").removesuffix(" --jobs 1")
        for line in lines
        if re.search(r"(^| )(\.venv/bin|packaging|\.ci)/", line)  # the others wait for the build
        and "--collect-only" not in line  # only makes the tests start sooner
    ]
    justfile = (ROOT / "justfile").read_text("utf-8")
    assert len(steps) >= 6
    assert [step for step in steps if step.split(" -m ")[-1] not in justfile] == []


def test_the_guide_names_every_format_that_is_imported() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text("utf-8")
    rows = [f"| `{each.name}` | {each.title} |" for each in OWN_FORMATS]
    assert [row for row in rows if row not in guide] == []


_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_PRESSED = re.compile(r"`((?:Ctrl|Alt|Shift|F\d)[^`\s]*)`")


def plain(label: str) -> str:
    """Return a label without mnemonic, ellipsis and arrow."""
    return " ".join(label.replace("&", "").split()).rstrip("…:▾ ")


@functools.cache
def labels() -> set[str]:
    """Return every text of the program that may be a label, also what is before a value."""
    return {
        plain(line)
        for room in ("board", "contract", "desk", "pricing")
        for path in (ROOT / "oddsdesk" / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for line in node.value.split("\n")
    }


@pytest.mark.parametrize(
    "page", ["README.md", "docs/feeds.md", "docs/guide.md", "docs/reference.md"]
)
def test_each_label_that_a_page_quotes_is_in_the_window(page: str) -> None:
    """Bold is a label; what ends in a full stop or colon only begins its paragraph."""
    text = _CODE.sub("", (ROOT / page).read_text("utf-8"))
    quoted = {each for each in _BOLD.findall(text) if not each.endswith((".", ":"))}
    parts = {plain(part) for each in quoted for part in each.split(" > ")}
    assert parts
    assert sorted(parts - labels()) == []


def test_each_key_that_the_guide_names_is_in_the_list_of_keys() -> None:
    guide, keys = ((ROOT / "docs" / name).read_text("utf-8") for name in ("guide.md", "keys.md"))
    listed = set(re.findall(r"`([^`]+)`", keys)) | {"Ctrl+,"}
    pressed = set(_PRESSED.findall(guide)) - {"Ctrl", "Shift", "Alt"}
    assert sorted(pressed - listed) == []


def test_the_reference_has_every_rule_and_warning() -> None:
    page = " ".join((ROOT / "docs" / "reference.md").read_text("utf-8").split())
    limits = {
        Rule.MIN_EDGE: (2.01, None),
        Rule.MAX_EDGE: (None, 21.2),
        Rule.EDGE_CAP: (None, 11.1),
        Rule.OVERROUND: (1.0, 1.05),
        Rule.PAYOUT: (0.99, 1.05),
        Rule.RATIO: (None, 1.15),
    }
    checks = [RuleCheck(each, True, None, *limits.get(each, ())) for each in Rule]
    said = {
        *(caution_text(each, "Pinnacle") for each in Caution),
        *(bound_text(each, "Bet365", 1.0) for each in Bound),
        *(each.value for each in Silence),
        *map(rule_title, checks),
    }
    assert sorted(each for each in said if each not in page) == []
