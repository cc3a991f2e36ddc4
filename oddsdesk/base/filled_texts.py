"""Recognises texts whose values are already filled in.

The rooms below the desk write English to the wire and into logs:
``N_("{path} is no database").format(path=path)``. Where the desk or a command shows such a text,
perhaps one that came from a server, only the finished English is at hand.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from string import Formatter
from typing import Final, NamedTuple

WORD: Final = re.compile(r"[^\W\d_]+")
_WHOLE_WORD: Final = re.compile(r"(?<![\w\0])[^\W\d_]+(?![\w\0])")
"""A word of a template that no value touches; ``\\0`` stands for a value."""
LEAST_LETTERS: Final = 6
"""A template with fewer letters, such as ``{count} of {total}``, would match almost anything.

It is used only if one of its values is itself a text that is translated, or all are numbers. So is
one with a single word, such as ``{games} games``.
"""
_A_NUMBER: Final = ("count", "number", "total")
"""Values with these names match numbers only, so ``{count} prices`` is not ``My prices``."""


_OF_DATA: Final = ("field", "file", "path", "host", "url", "database", "folder")
"""Values with these names are never translated, so a column stays ``stake``."""
_OF_FIELD: Final = ": "
MARKS: Final = ("\n", "; ", ". ", _OF_FIELD)
"""What separates the parts of a text."""
Translate = Callable[[str], tuple[str, int]]
"""Returns a translation, and how many letters of the text it leaves as they were."""
_Way = tuple[int, int, str]
"""A translation, after the number of letters left and what decides between equals."""
_AFTER_PARTS: Final = 1_000
"""For templates with a value that has several parts."""


class _Template(NamedTuple):
    text: str
    pattern: re.Pattern[str]
    letters: int
    is_sure: bool


class FilledTexts:
    """The templates of a catalogue, found by a word of theirs; ``gettext`` translates them."""

    def __init__(self, templates: Iterable[str], gettext: Callable[[str], str]) -> None:
        self._gettext = gettext
        self._by_word: dict[str, list[_Template]] = {}
        for text in templates:
            parts = [(part, name) for part, name, _, _ in Formatter().parse(text)]
            words = _WHOLE_WORD.findall("".join(p + "\0" * (n is not None) for p, n in parts))
            if words and any(name for _, name in parts):
                letters = sum(map(len, words))
                is_sure = letters >= LEAST_LETTERS and len(words) > 1
                template = _Template(text, _pattern(parts), letters, is_sure)
                self._by_word.setdefault(max(words, key=len), []).append(template)

    def translation_of(self, text: str, translate: Translate) -> tuple[str, int]:
        """Return the translation that leaves the fewest letters as they were, and their number.

        Of a template with its values, or of the text's parts. ``translate`` does that with each.
        """
        if " " not in text.strip():
            return text, _letters(text)
        ways = [(_letters(text), 0, text), *self._by_templates(text, translate)]
        ways += _in_parts(text, translate)
        left, _, done = min(ways, key=lambda way: way[:2])
        return done, left

    def _by_templates(self, text: str, translate: Translate) -> "Iterator[_Way]":
        known = set(WORD.findall(text)) & self._by_word.keys()
        for template in chain.from_iterable(self._by_word[word] for word in known):
            if (found := template.pattern.fullmatch(text)) is None:
                continue
            values, left = dict[str, str](), 0
            for name, value in found.groupdict().items():
                is_data = name in _OF_DATA
                values[name], still = (value, _letters(value)) if is_data else translate(value)
                left += still
            if template.is_sure or left == 0 or values != found.groupdict():
                is_split = any(mark in value for value in found.groups() for mark in MARKS)
                rank = _AFTER_PARTS - template.letters if is_split else -template.letters
                yield left, rank, filled(self._gettext(template.text), values)


def _in_parts(text: str, translate: Translate) -> "Iterator[_Way]":
    """Yield a text by its lines, its sentences, and what an error says after ``field: ``."""
    for mark in (each for each in MARKS if each in text):
        field, *parts = text.split(mark, 1) if mark == _OF_FIELD else text.split(mark)
        done = [
            translate(part) if " " in part or (mark == _OF_FIELD and number) else _unchanged(part)
            for number, part in enumerate((field, *parts))
        ]
        yield sum(left for _, left in done), 0, mark.join(each for each, _ in done)
    figure, _space, unit = text.partition(" ")
    if figure[:1].isdigit() and unit.isalpha():  # as in "10 minutes"
        word, left = translate(unit)
        yield left, 0, f"{figure} {word}"


def _unchanged(word: str) -> tuple[str, int]:
    """Return a part of one word as it is: the name of a column, or of a team with a full stop."""
    return word, _letters(word)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


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
