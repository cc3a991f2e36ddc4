"""Recognises what a file is by its beginning, so that a message can name the right command.

A format of ``contract.formats`` is recognised by its ``signs``. The other kinds are those of other
commands: lists of bets, results, recorded quotes.
"""

import bz2
import csv
import re
import shlex
import zlib
from collections.abc import Callable, Collection
from functools import cache
from itertools import product
from typing import Final

import msgspec

from oddsdesk.base.places import resource_path
from oddsdesk.base.spreadsheets import column_titles
from oddsdesk.base.texts import N_
from oddsdesk.contract.formats import file_formats
from oddsdesk.contract.texts import folded

HEAD_BYTES: Final = 64 * 1024
"""How much of a text is looked at."""
BETS, RESULTS, QUOTES = "bets", "results", "quotes"
_JSON_KEY: Final = re.compile(rb'"([A-Za-z_]{1,40})"\s*:')


class FileKind(msgspec.Struct, frozen=True):
    """What a file is: the name of its format or of a kind here, and words for people."""

    name: str
    title: str
    remedy: str
    """What to do with it; has ``{file}``, and ``{format}`` for the kind's name."""
    titles: tuple[frozenset[str], ...] = ()
    """Folded column titles; one of the sets is enough."""
    keys: tuple[frozenset[str], ...] = ()
    """Folded keys of JSON; one of the sets is enough."""
    start: bytes = b""
    """How the file begins."""


_ARCHIVE: Final = FileKind("archive", N_("a zip archive"), N_("unpack it first"))


def _titles(*sets: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(each.split()) for each in sets)


_OTHERS: Final = (
    FileKind(
        QUOTES,
        N_("a file of quotes, one a line"),
        N_("use `oddsdesk ingest {file}`"),
        keys=_titles("bookmaker matchname odds", "matchname status"),
    ),
    FileKind(
        RESULTS,
        N_("a list of results by bet number"),
        N_("use `oddsdesk ledger settle --results {file}`"),
        titles=_titles("bet result"),
    ),
    FileKind(
        "database", N_("a SQLite database"), N_("give it as --database"), start=b"SQLite format 3\0"
    ),
    FileKind(
        "old workbook",
        N_("an old Excel workbook (.xls)"),
        N_("open it and save it as .xlsx or CSV"),
        start=b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    ),
    FileKind("page", N_("a web page"), N_("download the file that the page links to"), start=b"<"),
)


@cache
def _bets() -> FileKind:
    """Return the kind of lists of bets, whose stakes and odds have titles in many languages."""
    words: dict[str, list[str]] = {"stake": ["stake"], "odds": ["odds"]}
    with resource_path("bet_words.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "title" and row["meaning"] in words:
                words[row["meaning"]] += map(folded, row["words"].split("|"))
    return FileKind(
        BETS,
        N_("a list of bets"),
        N_("use `oddsdesk ledger import {file}`, or Import bets in the Bets panel"),
        (frozenset({"stake"}), *map(frozenset, product(*words.values()))),
    )


def kind_of(data: bytes) -> FileKind | None:
    """Return what a file is, by its beginning or the whole of it; None if it is unknown."""
    head = _unpacked(data).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"{", b"[")):
        keys = {folded(key.decode()) for key in _JSON_KEY.findall(head[:HEAD_BYTES])}
        return _first(lambda kind: _has_one(kind.keys, keys))
    if found := _first(lambda kind: bool(kind.start) and head.startswith(kind.start)):
        return found
    is_packed = head.startswith(b"PK")
    titles = set(map(folded, column_titles(head if is_packed else _lines(head))))
    found = _first(lambda kind: _has_one(kind.titles, titles))
    return _ARCHIVE if found is None and is_packed and not titles and len(head) > 4 else found


def wrong_kind(file: str, data: bytes, *expected: str) -> str | None:
    """Return a line that says what a file is and what reads it.

    Returns:
        None if its kind is unknown, or ``expected``, the names of kinds.
    """
    kind = kind_of(data)
    if kind is None or kind.name in expected:
        return None
    remedy = kind.remedy.format(file=shlex.quote(file), format=kind.name)
    return N_(f"{file}: this is {kind.title}; {remedy}")


def _first(is_one: Callable[[FileKind], bool]) -> FileKind | None:
    formats = (
        FileKind(
            each.name,
            N_(f"a file of {each.title}"),
            N_("import it as that format, or with `oddsdesk import {format} {file}`"),
            signs := tuple(frozenset(map(folded, words)) for words in each.signs),
            signs,
        )
        for each in file_formats()
        if each.signs
    )
    return next((kind for kind in (_bets(), *formats, *_OTHERS) if is_one(kind)), None)


def _has_one(sets: Collection[frozenset[str]], words: Collection[str]) -> bool:
    return any(each.issubset(words) for each in sets)


def _unpacked(data: bytes) -> bytes:
    try:
        if data.startswith(b"\x1f\x8b"):
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, HEAD_BYTES)
        if data.startswith(b"BZh"):
            return bz2.BZ2Decompressor().decompress(data, HEAD_BYTES)
    except (zlib.error, OSError):
        return b""
    return data


def _lines(head: bytes) -> bytes:
    """Return the first lines of a text, none of them cut."""
    return head if len(head) <= HEAD_BYTES else head[: head.rfind(b"\n", 0, HEAD_BYTES) + 1]
