"""Recognises a text whose values are already filled in, and translates it.

The rooms below the desk write English to the wire and into logs:
``N_("{path} is no database").format(path=path)``. Where the desk or a command shows such a text,
perhaps one that came from a server, only the finished English is at hand.
"""

import re
from collections.abc import Iterable
from string import Formatter
from typing import Final, NamedTuple

_WORD: Final = re.compile(r"[^\W\d_]+")
_WHOLE_WORD: Final = re.compile(r"(?<![\w\0])[^\W\d_]+(?![\w\0])")
"""A word of a template that no value touches; ``\\0`` stands for a value."""
LEAST_LETTERS: Final = 6
"""A template with fewer letters, such as ``{count} of {total}``, would match almost anything."""


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
            if letters >= LEAST_LETTERS and any(name for _, name in parts):
                template = _Template(text, _pattern(parts), letters)
                self._by_word.setdefault(max(words, key=len), []).append(template)

    def find(self, text: str) -> tuple[str, dict[str, str]] | None:
        """Return the template that has most of the text's letters, and its values as text."""
        words = set(_WORD.findall(text))
        matching = [
            (template, found)
            for word in words & self._by_word.keys()
            for template in self._by_word[word]
            if (found := template.pattern.fullmatch(text))
        ]
        if not matching:
            return None
        template, found = max(matching, key=lambda each: each[0].letters)
        return template.text, found.groupdict()


def _pattern(parts: list[tuple[str, str | None]]) -> re.Pattern[str]:
    """Return what a filled template looks like; a value named twice is the same value twice."""
    seen: set[str] = set()
    pattern = ""
    for literal, name in parts:
        pattern += re.escape(literal)
        if name is not None:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.*?)"
            seen.add(name)
    return re.compile(pattern, re.DOTALL)


def filled(template: str, values: dict[str, str]) -> str:
    """Fill values that are text already into a template, whatever form it asks for."""
    return "".join(
        part + ("" if name is None else values[name])
        for part, name, _, _ in Formatter().parse(template)
    )
