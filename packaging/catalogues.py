"""Writes resources/locale: the list of texts, each language's catalogue, and its compiled form.

``.venv/bin/python packaging/catalogues.py`` after texts have changed; with the code of a language
(``pt``), it is added. Needs Babel, which the extra `test` installs.
"""

import ast
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from oddsdesk.base.filled_texts import WORD
from oddsdesk.cli.click_words import help_paragraphs

ROOT = Path(__file__).parent.parent
LOCALE = ROOT / "resources" / "locale"
LIST = LOCALE / "oddsdesk.pot"
TEMPLATES = LOCALE / "templates.json"
"""Texts whose values are filled in before they are translated."""
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""Instead of the present moment, which would change every file at each run."""
ENGLISH_ROOMS = (
    *("contract", "base", "pricing", "matching", "network", "store", "archive", "feeds"),
    *("server", "cluster", "client", "research"),
)
"""Their errors are listed without a mark; the desk and the commands translate them."""
NOT_SHOWN = ("AssertionError", "NotImplementedError", "RuntimeError", "TypeError", "KeyError")
"""Errors of the program itself."""
HEADER = """\
# Texts of oddsdesk. Made by packaging/catalogues.py.
# This file is distributed under the licence of oddsdesk.
#"""


def texts() -> Catalog:
    """Return all texts that the sources mark, by the files that they are in."""
    found = Catalog(project="oddsdesk", version="1", charset="utf-8", header_comment=HEADER)
    source = ROOT / "oddsdesk"
    for path in sorted(source.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        code = path.read_text("utf-8")
        module = ast.parse(code)
        room = path.relative_to(source).parts[0]
        for text, context in marked_texts(module):
            found.add(text, locations=[(place, None)], context=context)
        if room == "cli" and not path.name.startswith("mcp"):  # which is always English
            for text in help_texts(code):
                found.add(text, locations=[(place, None)])
        if room in ENGLISH_ROOMS:
            for text in english_texts(module):
                found.add(text, locations=[(place, None)])
    return found


def templates() -> list[str]:
    """Return the texts with values that ``translated`` must recognise, since others fill them."""
    found = set[str]()
    for path in (ROOT / "oddsdesk").rglob("*.py"):
        module = ast.parse(path.read_text("utf-8"))
        if path.relative_to(ROOT / "oddsdesk").parts[0] in ENGLISH_ROOMS:
            found.update(english_texts(module))
        for node in ast.walk(module):
            match node:
                case ast.Call(func=ast.Name(id="N_"), args=[ast.Constant(value=str() as text)]):
                    found.add(text)
    return sorted(text for text in found if any(name for _, name, *_ in Formatter().parse(text)))


def marked_texts(module: ast.AST) -> Iterator[tuple[str | tuple[str, ...], str | None]]:
    """Yield each marked text, or the forms of a plural, with its context.

    Babel has this, but does not see those in f-strings before Python 3.12.
    """
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call))
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        given = tuple(each.value for each in node.args if isinstance(each, ast.Constant))
        match node.func, given:
            case ast.Name(id="_" | "N_"), (str() as text,):
                yield text, None
            case ast.Name(id="ngettext"), (str() as one, str() as many, *_):
                yield (one, many), None
            case ast.Name(id="pgettext"), (str() as context, str() as text):
                yield text, context


def help_texts(code: str) -> Iterator[str]:
    """Yield the paragraphs of the docstrings of commands, which are their help."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and any(map(_makes_a_command, node.decorator_list)):
            for text, _ in help_paragraphs(ast.get_docstring(node) or ""):
                yield text


def _makes_a_command(decorator: ast.expr) -> bool:
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(name, ast.Attribute) and name.attr in ("command", "group")


def english_texts(module: ast.AST) -> Iterator[str]:
    """Yield what a module says that only others translate: errors, problems, ``N_(f"...")``.

    A value of an f-string becomes a placeholder: ``f"{path} holds {len(rows):,} rows"`` is listed
    as ``{path} holds {rows} rows``.
    """
    for node in ast.walk(module):
        match node:
            case ast.Call(func=raised, args=[*given]) if is_shown(raised):
                texts_given = [_template(each) for each in given]
            case ast.ClassDef(name=name) if name.endswith("Error"):
                texts_given = [_template(each) for each in _given_to_base(node)]
            case ast.Call(func=ast.Attribute(value=listed, attr="append"), args=[only]) if (
                ast.unparse(listed).endswith("problems")
            ):
                texts_given = [_template(only)]
            case ast.Call(func=ast.Name(id="N_"), args=[ast.JoinedStr() as only]):
                texts_given = [_template(only)]
            case _:
                continue
        yield from (text for text in texts_given if text and _has_words(text))


def _given_to_base(error: ast.ClassDef) -> Iterator[ast.expr]:
    """Yield what an error's class passes to ``super().__init__``."""
    for node in ast.walk(error):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
                yield from node.args


def is_shown(raised: ast.expr) -> bool:
    """Return whether an error's class is one whose text people read."""
    name = ast.unparse(raised).rpartition(".")[2]
    return name.endswith("Error") and name not in NOT_SHOWN


def _has_words(text: str) -> bool:
    """Return whether a text without its values has a word, unlike ``{field}: {error}``."""
    return " " in text.strip() and any(
        WORD.search(part) is not None for part, *_ in Formatter().parse(text)
    )


def _template(node: ast.expr) -> str | None:
    """Return a string, or an f-string with a name for each value; None for anything else."""
    match node:
        case ast.Constant(value=str() as text):
            return text.replace("{", "{{").replace("}", "}}") if "{" in text else text
        case ast.JoinedStr(values=parts):
            pass
        case _:
            return None
    text, names = "", dict[str, str]()
    for part in parts:
        if isinstance(part, ast.FormattedValue):
            written = ast.unparse(part.value)
            if written not in names:
                name, count = _name(part.value), 1 + len(names)
                names[written] = f"{name}_{count}" if name in names.values() else name
            text += "{" + names[written] + "}"
        elif isinstance(part, ast.Constant):
            text += str(part.value).replace("{", "{{").replace("}", "}}")
    return text


def _name(node: ast.expr) -> str:
    """Return a translator's name for a value: the last name that is written in it."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").lower() or "value"
        case ast.Call(func=ast.Attribute(value=ast.expr() as of, attr=_), args=[]):
            return _name(of)
        case ast.Call(args=[first, *_]) | ast.Subscript(value=first) | ast.BinOp(left=first):
            return _name(first)
        case _:
            return "value"


def catalogue_of(language: str) -> Path:
    """Return the path of a language's catalogue; it need not exist."""
    return LOCALE / language / "LC_MESSAGES" / "oddsdesk.po"


def read(path: Path, language: str | None = None) -> Catalog:
    """Return a catalogue; raises ``PoFileError`` if it is damaged."""
    with path.open("rb") as file:
        return _with_plurals(read_po(file, locale=language, abort_invalid=True))


def _with_plurals(catalogue: Catalog) -> Catalog:
    """Give Spanish two forms: Babel's third is for whole millions, of which there are none here."""
    if str(catalogue.locale) == "es":
        catalogue.mime_headers = [("Plural-Forms", "nplurals=2; plural=(n != 1);")]
        for message in catalogue:
            if message.id and isinstance(message.string, tuple):
                message.string = message.string[:2]
    return catalogue


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
    TEMPLATES.write_text(f"{json.dumps(templates(), ensure_ascii=False, indent=0)}\n", "utf-8")
    known = {path.parent.parent.name for path in LOCALE.glob("*/LC_MESSAGES/oddsdesk.po")}
    for language in sorted({*known, *added}):
        path = catalogue_of(language)
        catalogue = (
            read(path, language) if path.exists() else _with_plurals(Catalog(locale=language))
        )
        catalogue.update(listed, no_fuzzy_matching=True)
        write(catalogue, path)
        with path.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalogue)
        done = sum(bool(each.string) for each in catalogue if each.id)
        print(f"{language}: {done} of {len(catalogue)} texts translated")
    print(f"{len(listed)} texts")


if __name__ == "__main__":
    main(sys.argv[1:])
