"""The list of texts is current, and every catalogue fits it."""

import ast
import json
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("babel")
import catalogues  # type: ignore[import-not-found,unused-ignore]
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo

SOURCE = catalogues.ROOT / "oddsdesk"
GLOSSARIES = sorted((catalogues.ROOT / "docs").glob("glossary-*.md"))
FOUND = sorted(catalogues.LOCALE.glob("*/LC_MESSAGES/oddsdesk.po"))


def keys(catalogue: Catalog) -> set[tuple[object, object]]:
    return {(each.context, each.id) for each in catalogue if each.id}


def test_the_list_of_texts_is_current() -> None:
    """Run packaging/catalogues.py after a change of texts."""
    listed, marked = keys(catalogues.read(catalogues.LIST)), keys(catalogues.texts())
    assert (marked - listed, listed - marked) == (set(), set())
    assert json.loads(catalogues.TEMPLATES.read_text("utf-8")) == catalogues.templates()


def test_texts_are_constants_so_that_they_can_be_listed() -> None:
    """A value is filled in after the translation: ``_("{n} games").format(n=n)``."""
    assert [line for path in SOURCE.rglob("*.py") for line in _variable_texts(path)] == []


def _variable_texts(path: Path) -> Iterator[str]:
    counts = {"_": 1, "N_": 1, "ngettext": 2, "pgettext": 2}
    tree = ast.parse(path.read_text("utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "oddsdesk.base.texts"
        for alias in node.names
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id not in imported or node.func.id not in counts:
            continue
        listed = (ast.Constant, ast.JoinedStr) if node.func.id == "N_" else ast.Constant
        if not all(isinstance(each, listed) for each in node.args[: counts[node.func.id]]):
            yield f"{path.name}:{node.lineno}"


ERRORS = """
def read(path, rows):
    if not rows:
        raise FileError(f"{path} holds {len(rows):,} rows in {path}") from None
    if path:
        raise files.PathError("the name may have no {")
    if rows > 3:
        raise TypeError("a fault of the program")
    if rows > 2:
        raise FileError(f"{path}: {error}")
    text, reason = f"{path} is not listed", N_(f"{path} is a link to {self.target.lower()}")
    found.problems.append(f"line {number}: no odds")
    return FileError("the disk refuses")

class EmptyError(Exception):
    def __init__(self, path):
        super().__init__(f"{path} is empty")
"""


def test_errors_of_the_rooms_below_are_listed_with_names_for_their_values() -> None:
    assert sorted(catalogues.english_texts(ast.parse(ERRORS))) == [
        "line {number}: no odds",
        "the disk refuses",
        "the name may have no {{",
        "{path} holds {rows} rows in {path}",
        "{path} is a link to {target}",
        "{path} is empty",
    ]


def test_placeholders_have_names() -> None:
    """Other languages put values in another order."""
    assert [text for text in _all_texts() if not all(map(str.isidentifier, _fields(text)))] == []


def _all_texts() -> Iterator[str]:
    for message in catalogues.texts():
        yield from _forms(message.id)


def _forms(text: object) -> list[str]:
    """Return the text, or the forms of a plural."""
    return [str(each) for each in text] if isinstance(text, list | tuple) else [str(text)]


def _fields(text: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.parent.parent.name)
def test_a_catalogue_fits_the_list(path: Path) -> None:
    language = path.parent.parent.name
    catalogue = catalogues.read(path, language)
    assert keys(catalogue) == keys(catalogues.read(catalogues.LIST))
    wrong = [fault for message in catalogue if message.id for fault in faults(message, catalogue)]
    assert wrong == []
    with path.with_suffix(".mo").open("rb") as file:
        compiled = translations_of(read_mo(file))
    assert compiled == translations_of(catalogue)


def translations_of(catalogue: Catalog) -> dict[tuple[str | None, str], list[str]]:
    """Return what is translated; Babel compiles the English forms of a plural that is not."""
    found = {}
    for each in catalogue:
        english, translated = _forms(each.id), _forms(each.string)
        if each.id and all(translated) and (len(english) == 1 or english != translated):
            found[each.context, english[0]] = translated
    return found


def faults(message: Message, catalogue: Catalog) -> Iterator[str]:
    """Yield what is wrong with a translation; none is no fault: English is shown."""
    translations = [each for each in _forms(message.string) if each]
    if message.pluralizable and translations and len(translations) != catalogue.num_plurals:
        yield f"{message.id}: {len(translations)} of {catalogue.num_plurals} forms"
    expected = [set(_fields(each)) for each in _forms(message.id)]  # one may need no number
    for each in translations:
        if set(_fields(each)) not in expected:
            yield f"{message.id}: {each}"


def test_a_lost_placeholder_and_a_missing_form_are_found() -> None:
    catalogue = Catalog(locale="de")
    good = Message("Open {name}", "{name} öffnen")
    lost = Message("Open {name}", "{nam} öffnen")
    one = Message(("{count} game", "{count} games"), ("{count} Spiel",))
    assert [len(list(faults(each, catalogue))) for each in (good, lost, one)] == [0, 1, 1]


@pytest.mark.parametrize("path", GLOSSARIES, ids=lambda path: path.stem)
def test_a_glossary_says_where_each_term_was_read(path: Path) -> None:
    """A term is sourced by a page that uses it, at most a quarter are "our word: reason"."""
    lines = [each for each in path.read_text("utf-8").splitlines() if each.startswith("| ")]
    rows = [each.strip("| ").split(" | ") for each in lines]
    terms = [row for row in rows if row[0] not in ("English", "---")]
    assert [row for row in terms if len(row) != 3 or not all(row)] == []
    assert len(terms) >= 120
    assert len({row[0] for row in terms}) == len(terms)
    ours = [row for row in terms if re.match(r"our word: \w+", row[2])]
    linked = [row for row in terms if re.match(r"\[[^]]+\]\(https?://\S+\)", row[2])]
    assert [row for row in terms if row not in ours and row not in linked] == []
    assert len(ours) * 4 <= len(terms)


OTHER_KEYS = {
    "de": r"\b(Ctrl|Shift|Del|Return|Enter|Left|Right)\b",
    "es": r"\b(Shift|Return|Enter|Left|Right)\b",
}
"""Keys by names that the keyboards of a country do not have."""


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.parent.parent.name)
def test_keys_are_named_as_on_the_keyboards_of_the_country(path: Path) -> None:
    language = path.parent.parent.name
    shown = [each for message in catalogues.read(path, language) for each in _forms(message.string)]
    assert [each for each in shown if re.search(OTHER_KEYS[language], each)] == []
