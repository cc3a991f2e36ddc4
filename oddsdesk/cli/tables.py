"""Text for a terminal: tables of equal columns, and what others wrote without its control."""

import json
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, TypeVar

import click

T = TypeVar("T")


def aligned(
    headings: Sequence[str], rows: Iterable[Sequence[str]], right: Container[str] = ()
) -> list[str]:
    """Return headings and rows as lines of equal columns; those in ``right`` end there."""
    cells = [headings, *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    return [
        "  ".join(
            text.rjust(width) if heading in right else text.ljust(width)
            for text, width, heading in zip(row, widths, headings, strict=True)
        ).rstrip()
        for row in cells
    ]


def print_list(
    items: Sequence[T],
    fields: Callable[[T], dict[str, Any]],
    headings: Sequence[str],
    row: Callable[[T], Sequence[str]],
    *,
    as_json: bool,
) -> None:
    """Print a JSON array with the fields of each item, or a table with a row of each."""
    if as_json:
        click.echo(json.dumps(list(map(fields, items)), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(aligned(headings, map(row, items))))


def plain(text: str) -> str:
    """Return foreign text without control characters, which a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
