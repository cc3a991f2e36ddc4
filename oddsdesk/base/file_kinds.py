"""Recognises a file by cheap signs, so that one given as something else is named.

A format of ``contract.formats`` is recognised by its ``signs``. The other kinds are those of other
commands: lists of bets, results, recorded quotes.
"""

import bz2
import re
import shlex
import zlib
from collections.abc import Callable, Collection
from typing import Final

import msgspec

from oddsdesk.base.spreadsheets import column_titles
from oddsdesk.contract.formats import file_formats

HEAD_BYTES: Final = 64 * 1024
"""How much of a text is looked at."""
BETS, RESULTS, QUOTES = "bets", "results", "quotes"
_JSON_KEY: Final = re.compile(rb'"([A-Za-z_]{1,40})"\s*:')


class FileKind(msgspec.Struct, frozen=True):
    """What a file is: the name of its format or of a kind here, and words for people."""

    name: str
    title: str
    remedy: str
    """What to do with it; ``{}`` stands for the file."""
    titles: tuple[frozenset[str], ...] = ()
    """Folded column titles; each set alone is enough."""
    keys: tuple[frozenset[str], ...] = ()
    """Folded keys of JSON; each set alone is enough."""
    start: bytes = b""
    """How the file begins."""


def _titles(*sets: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(each.split()) for each in sets)


_BETS: Final = FileKind(
    BETS,
    "a list of bets",
    "use `oddsdesk ledger import {}`, or Import bets in the panel Bets",
    titles=_titles("stake", "wager", "risk", "sportsbook amount", "einsatz", "insats", "mise"),
)
_OTHERS: Final = (
    FileKind(
        QUOTES,
        "a file of quotes, one a line",
        "use `oddsdesk ingest {}`",
        keys=_titles("bookmaker matchname odds", "matchname status"),
    ),
    FileKind(
        RESULTS,
        "a list of results by bet number",
        "use `oddsdesk ledger settle --results {}`",
        titles=_titles("bet result"),
    ),
    FileKind("database", "a SQLite database", "give it as --database", start=b"SQLite format 3\0"),
    FileKind("page", "a web page", "download the file that the page links to", start=b"<"),
)


def kind_of(data: bytes) -> FileKind | None:
    """Return what a file is, by its beginning or the whole of it; None if it is unknown."""
    head = _unpacked(data).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"{", b"[")):
        keys = {_folded(key.decode()) for key in _JSON_KEY.findall(head[:HEAD_BYTES])}
        return _first(lambda kind: _has_one(kind.keys, keys))
    if found := _first(lambda kind: bool(kind.start) and head.startswith(kind.start)):
        return found
    titles = set(map(_folded, column_titles(head if head.startswith(b"PK") else _lines(head))))
    return _first(lambda kind: _has_one(kind.titles, titles))


def wrong_kind(file: str, data: bytes, *expected: str) -> str | None:
    """Return a line that says what a file is and what reads it.

    Returns:
        None if its kind is unknown, or ``expected``, the names of kinds.
    """
    kind = kind_of(data)
    if kind is None or kind.name in expected:
        return None
    return f"{file}: this is {kind.title}; {kind.remedy.format(shlex.quote(file))}"


def _first(is_one: Callable[[FileKind], bool]) -> FileKind | None:
    formats = (
        FileKind(
            each.name,
            f"a file of {each.title}",
            f"import it as that format, or with `oddsdesk import {each.name} {{}}`",
            signs := tuple(frozenset(map(_folded, words)) for words in each.signs),
            signs,
        )
        for each in file_formats()
        if each.signs
    )
    return next((kind for kind in (_BETS, *formats, *_OTHERS) if is_one(kind)), None)


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


def _folded(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())
