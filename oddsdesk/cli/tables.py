"""Text for a terminal: tables of equal columns, and what others wrote without its control."""

from collections.abc import Container, Iterable, Sequence


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


def plain(text: str) -> str:
    """Return foreign text without control characters, which a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
