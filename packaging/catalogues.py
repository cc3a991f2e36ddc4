"""Writes resources/locale: the list of texts, each language's catalogue, and its compiled form.

``.venv/bin/python packaging/catalogues.py`` after texts have changed; with the code of a language
(``pt``), it is added. Needs Babel, which the extra `test` installs.
"""

import ast
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from oddsdesk.cli.click_words import help_paragraphs

ROOT = Path(__file__).parent.parent
LOCALE = ROOT / "resources" / "locale"
LIST = LOCALE / "oddsdesk.pot"
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""Instead of the present moment, which would change every file at each run."""
HEADER = """\
# Texts of oddsdesk. Made by packaging/catalogues.py.
# This file is distributed under the licence of oddsdesk.
#"""


def texts() -> Catalog:
    """Return all texts that the sources mark, by the files that they are in."""
    found = Catalog(project="oddsdesk", version="1", charset="utf-8", header_comment=HEADER)
    source = ROOT / "oddsdesk"
    for file, _, message, comments, context in extract_from_dir(
        source, [("**.py", "python")], keywords=KEYWORDS, comment_tags=["Translators:"]
    ):
        found.add(
            message, locations=[(f"oddsdesk/{file}", None)], auto_comments=comments, context=context
        )
    for path in sorted((source / "cli").glob("*.py")):
        if path.name.startswith("mcp"):
            continue  # always English
        for text in help_texts(path.read_text("utf-8")):
            found.add(text, locations=[(f"oddsdesk/cli/{path.name}", None)])
    return found


def help_texts(code: str) -> Iterator[str]:
    """Yield the paragraphs of the docstrings of commands, which are their help."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and any(map(_makes_a_command, node.decorator_list)):
            for text, _ in help_paragraphs(ast.get_docstring(node) or ""):
                yield text


def _makes_a_command(decorator: ast.expr) -> bool:
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(name, ast.Attribute) and name.attr in ("command", "group")


def catalogue_of(language: str) -> Path:
    """Return the path of a language's catalogue; it need not exist."""
    return LOCALE / language / "LC_MESSAGES" / "oddsdesk.po"


def read(path: Path, language: str | None = None) -> Catalog:
    """Return a catalogue; raises ``PoFileError`` if it is damaged."""
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def write(catalogue: Catalog, path: Path) -> None:
    """Write a catalogue, sorted by file."""
    catalogue.creation_date = NO_DATE
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=100, sort_by_file=True, ignore_obsolete=True)


def main(added: list[str]) -> None:
    """Write everything; say how much of each language is translated."""
    listed = texts()
    write(listed, LIST)
    known = {path.parent.parent.name for path in LOCALE.glob("*/LC_MESSAGES/oddsdesk.po")}
    for language in sorted({*known, *added}):
        path = catalogue_of(language)
        catalogue = read(path, language) if path.exists() else Catalog(locale=language)
        catalogue.update(listed, no_fuzzy_matching=True)
        write(catalogue, path)
        with path.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalogue)
        done = sum(bool(each.string) for each in catalogue if each.id)
        print(f"{language}: {done} of {len(catalogue)} texts translated")
    print(f"{len(listed)} texts")


if __name__ == "__main__":
    main(sys.argv[1:])
