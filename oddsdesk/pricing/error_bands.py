"""The table of error bands of modelled prices: the shipped one, and how it is read and written.

A row of the CSV file (``resources/derived_bands.csv``, or the user's own) says how far predictions
of one kind of line were off. There is one for each sport, market, distance, devig method and choice
of lines given to the model. ``oddsdesk derived measure`` writes such rows.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple, get_args

from oddsdesk.base.figures import FigureError, read_number
from oddsdesk.base.places import resource_path
from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import named_sport
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.pricing.derived import LEAST_LINES, Band, BandKey, Bands
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS

Given = Literal["all", "one"]
"""What a line was predicted from: all other lines, or one line of each market."""
DISTANCES: Final = ("0.5", "1", "2", "more", "none")
"""The distances of ``BandKey``, in order."""
_NEAREST_FIRST: Final = DISTANCES[:-1]
COLUMNS: Final = (
    *("sport", "market", "distance", "given", "method"),
    *("error", "bias", "lines", "games"),
)


class BandRow(NamedTuple):
    """How far predictions of one kind of line were off."""

    key: BandKey
    given: Given
    method: str
    """The devig method."""
    error: float
    """The 90th percentile of the absolute error in probability."""
    bias: float
    """The mean error of the first side (home, over, yes): predicted minus own probability."""
    lines: int
    games: int


class ReadBands(NamedTuple):
    """The rows of a file, and the errors in other lines."""

    rows: list[BandRow]
    problems: list[str]
    """One text per error: line number, and what was expected."""


def bands_of(rows: Iterable[BandRow], method: str) -> dict[BandKey, Band]:
    """Return the band of each cell by a devig method: the widest of its rows with enough lines.

    A cell without such a row keeps the largest count of lines, and gives no price. No band is
    narrower than that of a smaller distance: far lines have small errors because they are unlikely,
    not because the model is better there.
    """
    by_key = defaultdict[BandKey, list[BandRow]](list)
    for row in rows:
        if _figures_of(row.method) == _figures_of(method):
            by_key[row.key].append(row)
    return _widened({key: _band(held) for key, held in by_key.items()})


def _widened(bands: Bands) -> dict[BandKey, Band]:
    """Return bands, none narrower than a nearer one of its market that has enough lines."""
    found = dict(bands)
    for key, band in bands.items():
        if key.distance in _NEAREST_FIRST:
            nearer = _NEAREST_FIRST[: _NEAREST_FIRST.index(key.distance)]
            cells = [bands.get(key._replace(distance=distance)) for distance in nearer]
            widest = max(
                (each.error for each in cells if each and each.lines >= LEAST_LINES), default=0.0
            )
            found[key] = band._replace(error=max(band.error, widest))
    return found


def _figures_of(method: str) -> str:
    return DEFAULT_METHOD if method == "additive" else method  # the same figures


def _band(rows: list[BandRow]) -> Band:
    enough = [row for row in rows if row.lines >= LEAST_LINES]
    if enough:
        row = max(enough, key=lambda each: each.error)
    else:
        row = max(rows, key=lambda each: each.lines)
    return Band(row.error, row.lines)


def with_own(shipped: Bands, own: Bands) -> Bands:
    """Return the shipped bands; those of the user's own with enough lines replace them."""
    return _widened(
        {**shipped, **{key: band for key, band in own.items() if band.lines >= LEAST_LINES}}
    )


@cache
def shipped_rows() -> tuple[BandRow, ...]:
    """Return the rows of the shipped table."""
    return tuple(read_rows(resource_path("derived_bands.csv").read_text("utf-8")).rows)


@cache
def shipped_bands(method: str) -> Bands:
    """Return the shipped bands by a devig method; none for one that removes no margin."""
    return bands_of(shipped_rows(), method)


def in_order(rows: Iterable[BandRow]) -> list[BandRow]:
    """Return rows by sport, market, distance, what was given and method."""
    return sorted(rows, key=_rank)


def _rank(row: BandRow) -> tuple[object, ...]:
    sport, market_type, distance = row.key
    rank = MARKET_RANK.get(market_type, len(MARKET_RANK))
    return sport, rank, DISTANCES.index(distance), row.given, METHODS.index(row.method)


def write_rows(rows: Iterable[BandRow]) -> str:
    """Return a file of rows, in order."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in in_order(rows):
        figures = (f"{row.error:.5f}", f"{row.bias:.5f}", row.lines, row.games)
        writer.writerow((*row.key, row.given, row.method, *figures))
    return text.getvalue()


def read_rows(text: str) -> ReadBands:
    """Return the rows of a file; those that cannot be read are reported and left out."""
    if not text.strip():
        return ReadBands([], [])
    lines = csv.reader(text.splitlines())
    rows, problems = dict[tuple[object, ...], BandRow](), list[str]()
    try:
        header = [name.strip() for name in next(lines, [])]
        missing = [name for name in COLUMNS if name not in header]
        if missing:
            said = N_(
                f"no column {missing[0]!r}; expected {', '.join(COLUMNS)}, separated by commas"
            )
            return ReadBands([], [N_(f"line 1: {said}")])
        for fields in filter(None, lines):
            named = dict(zip(header, map(str.strip, fields), strict=False))
            try:
                row = _row({name: named.get(name, "") for name in COLUMNS})
            except ValueError as error:
                problems.append(f"line {lines.line_num}: {error}")
            else:
                rows[row[:3]] = row
    except csv.Error as error:
        problems.append(f"line {lines.line_num}: {error}; the lines after it are not read")
    return ReadBands(list(rows.values()), problems)


def _row(fields: Mapping[str, str]) -> BandRow:
    if not fields["sport"]:
        raise ValueError("no sport; expected one such as Football")
    given = _one_of("given", fields["given"], get_args(Given))
    key = BandKey(
        named_sport(fields["sport"]) or fields["sport"],
        _one_of("market", fields["market"], tuple(MARKET_RANK)),
        _one_of("distance", fields["distance"], DISTANCES),
    )
    return BandRow(
        key,
        "all" if given == "all" else "one",
        _one_of("method", fields["method"], METHODS),
        _figure("error", fields["error"], 0.0),
        _figure("bias", fields["bias"], -1.0),
        _count("lines", fields["lines"]),
        _count("games", fields["games"]),
    )


def _one_of(name: str, text: str, known: Sequence[str]) -> str:
    if text not in known:
        raise ValueError(f"{name} {text!r}; expected one of {', '.join(known)}")
    return text


def _figure(name: str, text: str, least: float) -> float:
    try:
        figure = read_number(name, text)
    except FigureError as error:
        raise ValueError(str(error)) from None
    if not least <= figure <= 1:
        raise ValueError(f"{name} {text!r}; expected a probability")
    return figure


def _count(name: str, text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise ValueError(f"{name} {text!r}; expected a whole number")
    return int(text)
