"""Recognises texts whose values are already filled in.

The rooms below the desk write English to the wire and into logs:
``N_("{path} is no database").format(path=path)``. Where the desk or a command shows such a text,
perhaps one that came from a server, only the finished English is at hand.
"""

import re
from collections.abc import Callable, Iterable
from string import Formatter
from typing import Final, NamedTuple

WORD: Final = re.compile(r"[^\W\d_]+")
_WHOLE_WORD: Final = re.compile(r"(?<![\w\0])[^\W\d_]+(?![\w\0])")
"""A word of a template that no value touches; ``\\0`` stands for a value."""
LEAST_LETTERS: Final = 6
"""A template with fewer letters, such as ``{count} of {total}``, would match almost anything.

It is used only if one of its values is itself a text that is translated.
"""
_A_NUMBER: Final = ("count", "number", "total")
"""Values with these names match numbers only, so ``{count} prices`` is not ``My prices``."""


_OF_DATA: Final = ("field", "file", "path", "host", "url", "database", "folder")
"""Values with these names are never translated, so a column stays ``stake``."""
MARKS: Final = ("\n", "; ", ". ", ": ")
"""What separates the parts of a text, the strongest first."""


class _Template(NamedTuple):
    text: str
    pattern: re.Pattern[str]
    letters: int


class FilledTexts:
    """The templates of a catalogue, found by a word of theirs."""

    def __init__(self, templates: Iterable[str]) -> None:
        self._by_word: dict[str, list[_Template]] = {}
        for text in templates:
            parts = [(part, name) for part, name, _, _ in Formatter().parse(text)]
            words = _WHOLE_WORD.findall("".join(p + "\0" * (n is not None) for p, n in parts))
            letters = sum(map(len, words))
            if words and any(name for _, name in parts):
                template = _Template(text, _pattern(parts), letters)
                self._by_word.setdefault(max(words, key=len), []).append(template)

    def find(
        self, text: str, translate: Callable[[str], str], *, whole_parts: bool
    ) -> tuple[str, dict[str, str]] | None:
        """Return a template with its translated values: the one that leaves the least unknown.

        Of several, the one with the most letters. ``whole_parts``: no value contains a mark that
        separates parts.
        """
        words = set(WORD.findall(text))
        matching = [
            (template, found.groupdict())
            for word in words & self._by_word.keys()
            for template in self._by_word[word]
            if (found := template.pattern.fullmatch(text))
        ]
        best, least = None, (0, 0)
        for template, values in matching:
            if whole_parts and any(mark in each for each in values.values() for mark in MARKS):
                continue
            inner = {
                name: value if name in _OF_DATA else translate(value)
                for name, value in values.items()
            }
            if template.letters < LEAST_LETTERS and inner == values:
                continue
            unknown = sum(
                inner[name] == value and WORD.search(value) is not None
                for name, value in values.items()
            )
            if best is None or (unknown, -template.letters) < least:
                best, least = (template.text, inner), (unknown, -template.letters)
        return best


def _pattern(parts: list[tuple[str, str | None]]) -> re.Pattern[str]:
    """Return what a filled template looks like; a value named twice is the same value twice."""
    seen: set[str] = set()
    pattern = ""
    for literal, name in parts:
        pattern += re.escape(literal)
        if name is not None:
            value = r"[\d.,+\-−– ]*\d" if name.rstrip("_0123456789") in _A_NUMBER else ".*?"
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>{value})"
            seen.add(name)
    return re.compile(pattern, re.DOTALL)


def filled(template: str, values: dict[str, str]) -> str:
    """Fill values that are text already into a template, whatever form it asks for."""
    return "".join(
        part + ("" if name is None else values[name])
        for part, name, _, _ in Formatter().parse(template)
    )
