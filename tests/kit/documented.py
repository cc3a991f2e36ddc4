"""Documentation as data: the sections, examples and tables of a page of Markdown."""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
_SECTION = re.compile(r"^(#{2,3}) (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """A fenced block of code and the block right after it that shows what comes of it."""

    language: str
    code: str
    shown: str | None


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    text: str

    @property
    def examples(self) -> list[Example]:
        blocks = _BLOCK.findall(self.text)
        return [
            Example(language, code, shown if kind in ("json", "text") else None)
            for (language, code), (kind, shown) in pairwise([*blocks, ("", "")])
            if language in ("sh", "python", "sql")
        ]

    def table(self, first: str) -> list[list[str]]:
        """The rows of the table whose first heading is this; empty where there is none."""
        for table in _TABLE.findall(self.text):
            rows = [
                [cell.strip().strip("`") for cell in line.strip("|").split("|")]
                for line in table.splitlines()
            ]
            if rows[0][0] == first:
                return rows[2:]
        return []


def sections(page: str) -> list[Section]:
    """The sections of a page of ``docs`` at both levels, each up to the next heading."""
    text = (DOCS / page).read_text()
    starts = list(_SECTION.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return [
        Section(start[2], text[start.end() : end]) for start, end in zip(starts, ends, strict=True)
    ]
