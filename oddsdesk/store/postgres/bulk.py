"""Many values as texts that PostgreSQL reads at once: arrays, and the lines of COPY.

The client's own way looks at each value in Python; a recording has tens of thousands.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

_BETWEEN: Final = "\0"
"""No text of PostgreSQL holds it, so that whole columns are escaped at once."""


def array(column: Sequence[Any]) -> str:
    """Return texts, numbers or truth values, or None among them, as a literal of an array.

    Raises:
        ValueError: a text holds what PostgreSQL cannot store.
    """
    if not column:
        return "{}"
    if _says_one(column):
        return "{" + ",".join([array(column[:1])[1:-1]] * len(column)) + "}"
    kinds = set(map(type, column))
    if kinds == {str}:
        return '{"' + _quoted(_joined(column)).replace(_BETWEEN, '","') + '"}'
    if str in kinds:
        return "{" + ",".join("NULL" if each is None else _text(each) for each in column) + "}"
    return "{" + ",".join(map(str, column)).replace("None", "NULL") + "}"


def lines(columns: Iterable[Sequence[Any]]) -> str:
    """Return columns as COPY reads them, a line for each row.

    Raises:
        ValueError: a text holds what PostgreSQL cannot store.
    """
    return "\n".join((*map("\t".join, zip(*map(_cells, columns), strict=True)), ""))


def _says_one(column: Sequence[Any]) -> bool:
    """Whether several rows say the same, as many columns do where one bookmaker is read."""
    return len(column) > 1 and column.count(column[0]) == len(column)


def _cells(column: Sequence[Any]) -> list[str]:
    if _says_one(column):
        return _cells(column[:1]) * len(column)
    kinds = set(map(type, column))
    if kinds == {str}:
        return _escaped(_joined(column)).split(_BETWEEN)
    if str in kinds:
        return [r"\N" if each is None else _escaped(_joined([each])) for each in column]
    if type(None) in kinds:
        return [r"\N" if each is None else str(each) for each in column]
    return list(map(str, column))


def _joined(column: Sequence[str]) -> str:
    joined = _BETWEEN.join(column)
    if joined.count(_BETWEEN) != len(column) - 1:
        raise ValueError("PostgreSQL stores no text with a NUL")
    return joined


def _text(text: str) -> str:
    return f'"{_quoted(_joined([text]))}"'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\")
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
