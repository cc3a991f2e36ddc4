"""Collects rows as a pandas data frame; needs pandas, an optional dependency.

Columns are collected apart, so that a long log takes some 60 bytes a row.
"""

import math
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from oddsdesk.base.places import how_to_install
from oddsdesk.research.export import Column, Kind, Row

if TYPE_CHECKING:
    from pandas import DataFrame

_NO_TIME: Final = -(2**63)
"""numpy's "not a time"."""
_NO_NUMBER: Final = -(2**63)
_UNKNOWN: Final = -1


def pandas_module() -> Any:
    """Return pandas.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    try:
        import pandas  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"data frames need pandas, which is not installed: {how_to_install('analysis')}",
            name=error.name,
        ) from error
    return pandas


class FrameWriter:
    """A ``RowWriter`` whose rows become a data frame."""

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        wanted: Mapping[str, Collection[str]] | None = None,
        unknown: Collection[str] = (),
        is_long: bool = False,
    ) -> None:
        """Start without rows.

        Args:
            columns: The columns of the rows, in order.
            wanted: By column, the values of rows that count; others are left out.
            unknown: The integers and booleans that may be missing: these columns get pandas'
                types with missing values.
            is_long: Store texts as categories, each once.
        """
        pandas_module()
        self._columns: list[_Collector] = [
            _COLLECTORS[column.kind](column.name in unknown) for column in columns
        ]
        self._names = [column.name for column in columns]
        self._wanted = [
            (self._names.index(name), frozenset(values)) for name, values in (wanted or {}).items()
        ]
        self._is_long = is_long

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Do nothing; the frame is complete at any time."""

    def write_rows(self, rows: Sequence[Row]) -> None:
        """Add rows, in order."""
        for place, values in self._wanted:
            rows = [row for row in rows if row[place] in values]
        if rows:
            for column, cells in zip(self._columns, zip(*rows, strict=True), strict=True):
                column.add_cells(cells)

    def frame(self, attrs: Mapping[str, Any] | None = None) -> "DataFrame":
        """Return the rows as a data frame, with facts about all of it in ``attrs``."""
        pandas = pandas_module()
        values = {
            name: column.series(pandas, self._is_long)
            for name, column in zip(self._names, self._columns, strict=True)
        }
        made = pandas.DataFrame(values, copy=False)
        made.attrs |= attrs or {}
        return made


class _Collector(Protocol):
    """The values of a column."""

    def add_cells(self, cells: Sequence[Any]) -> None:
        """Add the values of some rows."""

    def series(self, pandas: Any, is_long: bool) -> Any:
        """Return all values as pandas stores them."""


class _Integers:
    def __init__(self, is_maybe_unknown: bool) -> None:
        self._values = array("q")
        self._is_maybe_unknown = is_maybe_unknown

    def add_cells(self, cells: Sequence[Any]) -> None:
        self._values.extend(_NO_NUMBER if each is None else each for each in cells)

    def series(self, pandas: Any, is_long: bool) -> Any:
        if not self._is_maybe_unknown:
            return pandas.Series(self._values, dtype="int64")
        values = pandas.Series(self._values, dtype="Int64")
        return values.mask(values == _NO_NUMBER)


class _Times:
    def __init__(self, _: bool) -> None:
        self._values = array("q")

    def add_cells(self, cells: Sequence[Any]) -> None:
        self._values.extend(_NO_TIME if each is None else each for each in cells)

    def series(self, pandas: Any, is_long: bool) -> Any:
        plain = pandas.Series(self._values, dtype="int64").to_numpy().view("datetime64[ms]")
        return pandas.Series(plain).dt.tz_localize("UTC")


class _Numbers:
    def __init__(self, _: bool) -> None:
        self._values = array("d")

    def add_cells(self, cells: Sequence[Any]) -> None:
        self._values.extend(math.nan if each is None else each for each in cells)

    def series(self, pandas: Any, is_long: bool) -> Any:
        return pandas.Series(self._values, dtype="float64")


class _Texts:
    def __init__(self, _: bool) -> None:
        self._codes = array("i")
        self._known: dict[str, int] = {}

    def add_cells(self, cells: Sequence[Any]) -> None:
        known = self._known
        for each in cells:
            if each is not None and each not in known:
                known[each] = len(known)
        self._codes.extend(_UNKNOWN if each is None else known[each] for each in cells)

    def series(self, pandas: Any, is_long: bool) -> Any:
        texts = pandas.Index(list(self._known), dtype="str")
        made = pandas.Series(pandas.Categorical.from_codes(self._codes, texts))
        return made if is_long else made.astype("str")


class _Booleans:
    def __init__(self, is_maybe_unknown: bool) -> None:
        self._values = array("b")
        self._is_maybe_unknown = is_maybe_unknown

    def add_cells(self, cells: Sequence[Any]) -> None:
        self._values.extend(_UNKNOWN if each is None else bool(each) for each in cells)

    def series(self, pandas: Any, is_long: bool) -> Any:
        values = pandas.Series(self._values, dtype="int8")
        if not self._is_maybe_unknown:
            return values.astype("bool")
        return (values == 1).astype("boolean").mask(values == _UNKNOWN)


class _Objects:
    def __init__(self, _: bool) -> None:
        self._values: list[Any] = []

    def add_cells(self, cells: Sequence[Any]) -> None:
        self._values += cells

    def series(self, pandas: Any, is_long: bool) -> Any:
        return pandas.Series(self._values, dtype="object")


_COLLECTORS: Final[Mapping[Kind, Callable[[bool], _Collector]]] = {
    Kind.INTEGER: _Integers,
    Kind.NUMBER: _Numbers,
    Kind.TEXT: _Texts,
    Kind.BOOLEAN: _Booleans,
    Kind.TIME: _Times,
    Kind.ODDS: _Objects,
    Kind.JSON: _Objects,
}
