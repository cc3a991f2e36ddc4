"""The columns of exports, with descriptions and types, and the writers."""

import csv
import gzip
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from types import TracebackType
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, Self

import msgspec

from oddsdesk.base.text import safe_text
from oddsdesk.contract.results import result_row
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bet_tables import BET_COLUMNS as BET_COLUMNS
from oddsdesk.ledger.bet_tables import ColumnKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.research.recorded_log import LogOfAll
from oddsdesk.store.reader import Reader
from oddsdesk.store.results import StoredResult
from oddsdesk.store.series import StoredSeries
from oddsdesk.store.spans import LoggedMove
from oddsdesk.store.values import SILENT_MS


class Kind(StrEnum):
    """The type of a column's values."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    TIME = "time"
    """Milliseconds in Python, a UTC timestamp in Parquet, else ISO-8601."""
    ODDS = "odds"
    """Selection to decimal odds: a map in Parquet, an object in JSON, JSON text in CSV."""
    JSON = "json"
    """A list: as it is in JSON, else as JSON text."""


class Column(NamedTuple):
    """One column, always in this position."""

    name: str
    kind: Kind
    meaning: str


Row = tuple[Any, ...]
_GAME: Final = (
    Column("game_id", Kind.TEXT, "id of the game, derived from competition and name"),
    Column("match_name", Kind.TEXT, "both teams, as stored"),
    Column("competition", Kind.TEXT, "the competition's code"),
    Column("sport", Kind.TEXT, "the sport, as the source says; `Other` if unknown"),
    Column("match_date", Kind.TIME, "kick-off, as known now; null if unknown"),
)
_MARKET: Final = (
    Column("bookmaker", Kind.TEXT, "the bookmaker"),
    Column("market_type", Kind.TEXT, "such as moneyline, spread, total"),
    Column("period", Kind.INTEGER, "0 whole game, 1 first half, quarter or set, ..."),
)
_IS_LIVE: Final = Column("is_live", Kind.BOOLEAN, "whether the price is in play")
_SCRAPED_AT: Final = Column("scraped_at", Kind.TIME, "when the bookmaker's price was read")

CHANGES: Final = (
    Column("seq", Kind.INTEGER, "ascending number of the row in the log"),
    Column("recorded_at", Kind.TIME, "when the row was written"),
    _SCRAPED_AT,
    *_GAME,
    *_MARKET,
    Column("selection", Kind.TEXT, "the outcome"),
    Column("odds", Kind.NUMBER, "decimal odds from then on; null: no longer offered"),
    _IS_LIVE,
)
"""One row per price move, in the order of the log."""

QUOTES: Final = (
    *_MARKET[:1],
    *_GAME[1:4],
    *_MARKET[1:],
    _IS_LIVE,
    Column("odds", Kind.ODDS, "decimal odds by selection; empty: no longer offered"),
    _GAME[4],
    _SCRAPED_AT,
    Column("liquidity", Kind.NUMBER, "the bookmaker's maximum bet, null if unknown"),
)
"""One row each time a bookmaker's market changed, in the format of ``oddsdesk ingest``."""

_OF_BETS: Final = {
    ColumnKind.TEXT: Kind.TEXT,
    ColumnKind.NUMBER: Kind.NUMBER,
    ColumnKind.TIME: Kind.TIME,
    ColumnKind.FLAG: Kind.BOOLEAN,
}
_WHOLE: Final = frozenset({"bet", "period", "age_ms"})
_OF_BET: Final = {
    "bet": "number of the bet in the ledger",
    "placed_at": "when it was recorded as placed",
    "kick_off": "kick-off of the game",
    "kind": "back, lay, free, free-returned, boost, refund, each-way or multiple",
    "odds": "decimal odds taken; for a lay, the backer's",
    "net_odds": "odds after the bookmaker's commission; for a lay, per unit of its liability",
    "stake": "stake; for a lay, the backer's",
    "liability": "what a lay loses if the selection wins; null for other kinds",
    "unboosted_odds": "odds of a boosted bet without the boost",
    "refund": "the most that comes back if a refund bet loses",
    "refund_as": "money, or free for a free bet; empty without a refund",
    "place_fraction": "share of the winnings that a place pays, for each-way bets",
    "places": "how many places are paid, for each-way bets",
    "legs": "legs of a multiple as JSON; empty without legs",
    "fair_odds": "fair odds when it was placed",
    "net_ev_pct": "EV when placed, in percent: odds after commission over fair odds, minus 1",
    "ev_pct": "the same after the safety margin of 1 % (player props 4.03 %)",
    "per": "unit of the EV: staked, or decided if the chance of a push was unknown",
    "method": "devig method behind the fair odds",
    "derived": "implied or modelled if the fair odds were derived from other lines; else empty",
    "practice": "whether the price was simulated, so that no money is on it",
    "cautions": "warnings on the price, separated by spaces",
    "result": "open, won, lost, void, half_won, half_lost, cashed_out or placed",
    "settled_by": "source and score of a bet that settled by itself; else empty",
    "profit": "profit; null while it is open",
    "close_odds": "the sharp book's last odds before kick-off",
    "close_fair_odds": "fair odds of the closing line",
    "no_close": "why there is no closing line",
    "moved_to": "the line that replaced the bet's line, if it moved",
    "close_reference": "whose closing line it is",
    "close_decided": "average share of the stake decided, by the close; null if unknown",
    "close_line": "gross odds of all sides of the closing line, separated by spaces",
    "clv_pct": "closing line value, in percent",
    "clv_per": "unit of the CLV: staked, or decided if the chance of a push was unknown",
    "age_ms": "age of the price, in milliseconds",
    "source_id": "number of the bet at the bookmaker it was read from; else empty",
}
BETS: Final = tuple(
    Column(
        column.key,
        Kind.INTEGER if column.key in _WHOLE else _OF_BETS[column.kind],
        _OF_BET.get(column.key, column.column_title.lower()),
    )
    for column in BET_COLUMNS
)
"""One row per bet of the ledger, by the time it was placed."""

RESULTS: Final = (
    *_GAME[:3],
    Column("sport", Kind.TEXT, "what is played"),
    Column("kick_off", Kind.TIME, "kick-off; noon UTC of its day if the hour is unknown"),
    Column("has_time", Kind.BOOLEAN, "whether the hour is known"),
    Column("status", Kind.TEXT, "such as final, in_play, postponed, abandoned, cancelled, retired"),
    Column("home", Kind.INTEGER, "whole score of the home team; null if unknown"),
    Column("away", Kind.INTEGER, "whole score of the away team; null if unknown"),
    Column("periods", Kind.JSON, "number, home and away of each period, as far as known"),
    Column("overtime", Kind.BOOLEAN, "whether the score includes an overtime; null if unknown"),
    Column("selections", Kind.JSON, "selections that the source settled itself"),
    Column(
        "bookmaker",
        Kind.TEXT,
        "bookmaker or exchange that settled these selections; empty without any",
    ),
    Column("source", Kind.TEXT, "format or feed that reported it"),
    Column("reported_at", Kind.TIME, "when the source reported it; null if unknown"),
    Column("simulated", Kind.BOOLEAN, "whether the game was made up"),
    Column("recorded_at", Kind.TIME, "when it was recorded; null if unknown"),
    Column(
        "corrections", Kind.JSON, "earlier results of the ended game that the source has corrected"
    ),
)
"""One row per game and source, by kick-off; ``oddsdesk ingest`` reads it as NDJSON."""

SERIES: Final = (
    *RESULTS[:6],
    Column("source", Kind.TEXT, "name of the series: the format that it comes from"),
    *_MARKET[1:],
    Column("selection", Kind.TEXT, "the outcome"),
    Column("kind", Kind.TEXT, "best: highest odds at any bookmaker; mean: mean of all of them"),
    Column("closing", Kind.BOOLEAN, "whether these are the last odds before kick-off"),
    Column("odds", Kind.NUMBER, "decimal odds, which are no bookmaker's price"),
    Column("scraped_at", Kind.TIME, "when the source read them, inferred if it does not say"),
    Column("recorded_at", Kind.TIME, "when it was recorded"),
)
"""One row per selection, kind and moment of a series, by kick-off."""

EXPORTS: Final = {
    "changes": CHANGES,
    "quotes": QUOTES,
    "results": RESULTS,
    "series": SERIES,
    "bets": BETS,
}


def described(sources: list[str]) -> dict[str, Any]:
    """Return the contents of ``schema.json``: every export's columns, and the sources."""
    return {
        "made_by": "oddsdesk",
        "times": "UTC; milliseconds",
        "sources": sources,
        "exports": {
            name: [
                {"name": column.name, "type": column.kind.value, "meaning": column.meaning}
                for column in columns
            ]
            for name, columns in EXPORTS.items()
        },
    }


_GZIP_LEVEL: Final = 6
_ENDINGS: Final = {
    ".parquet": ("parquet", False),
    ".csv": ("csv", False),
    ".csv.gz": ("csv", True),
    ".ndjson": ("ndjson", False),
    ".ndjson.gz": ("ndjson", True),
    ".jsonl": ("ndjson", False),
    ".jsonl.gz": ("ndjson", True),
}


class Format(StrEnum):
    """The way rows are written."""

    PARQUET = "parquet"
    CSV = "csv"
    NDJSON = "ndjson"


class RowWriter(AbstractContextManager["RowWriter"], Protocol):
    """Writes rows in the order of ``columns``; the file is complete only after a clean exit."""

    def write_rows(self, rows: Sequence[Row]) -> None:
        """Write rows, in order."""


def format_of(name: str) -> tuple[Format, bool] | None:
    """Return the format of a file name's ending, and whether it is compressed; None if unknown."""
    lower = name.lower()
    found = [said for ending, said in _ENDINGS.items() if lower.endswith(ending)]
    return (Format(found[0][0]), found[0][1]) if found else None


def known_endings() -> str:
    """Return the endings that files can have, in words."""
    return ", ".join(_ENDINGS)


class TextWriter:
    """Writes to a stream that the caller opened and closes."""

    def __init__(
        self, file: BinaryIO, columns: Sequence[Column], how: Format, *, packed: bool
    ) -> None:
        self._columns = columns
        self._packer = gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) if packed else None
        out: Any = self._packer or file
        self._lines = _CsvLines(columns) if how is Format.CSV else _JsonLines(columns)
        self._write: Callable[[bytes], object] = out.write
        self._write(self._lines.head())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._packer is not None and error is None:
            self._packer.close()

    def write_rows(self, rows: Sequence[Row]) -> None:
        """Write rows, in order."""
        self._write(self._lines.lines(rows))


class _Lines(Protocol):
    def head(self) -> bytes: ...
    def lines(self, rows: Sequence[Row]) -> bytes: ...


class _JsonLines:
    def __init__(self, columns: Sequence[Column]) -> None:
        self._names = [column.name for column in columns]
        self._times = [column.name for column in columns if column.kind is Kind.TIME]
        self._booleans = [column.name for column in columns if column.kind is Kind.BOOLEAN]
        self._encoder = msgspec.json.Encoder()

    def head(self) -> bytes:
        return b""

    def lines(self, rows: Sequence[Row]) -> bytes:
        return self._encoder.encode_lines(map(self._named, rows))

    def _named(self, row: Row) -> dict[str, Any]:
        named = dict(zip(self._names, row, strict=True))
        for name in self._times:
            if named[name] is not None:
                named[name] = format_ms(named[name])
        for name in self._booleans:
            if named[name] is not None:
                named[name] = bool(named[name])
        return named


def json_text(value: Any) -> str:
    """Return a value as JSON."""
    return msgspec.json.encode(value).decode()


class _CsvLines:
    """Writes UTF-8; texts are safe to open in a spreadsheet."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._names = [column.name for column in columns]
        written: dict[Kind, Callable[[Any], Any]] = {
            Kind.TIME: format_ms,
            Kind.TEXT: safe_text,
            Kind.BOOLEAN: lambda value: "true" if value else "false",
            Kind.ODDS: json_text,
            Kind.JSON: json_text,
        }
        self._written = [
            (place, written[column.kind])
            for place, column in enumerate(columns)
            if column.kind in written
        ]

    def head(self) -> bytes:
        return self._text([self._names])

    def lines(self, rows: Sequence[Row]) -> bytes:
        return self._text(map(self._row, rows))

    def _row(self, row: Row) -> list[Any]:
        cells = list(row)
        for place, written in self._written:
            if cells[place] is not None:
                cells[place] = written(cells[place])
        return cells

    def _text(self, rows: Any) -> bytes:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(rows)
        return text.getvalue().encode()


_Market = tuple[str, str, int]


class QuoteMaker:
    """Turns the moves of the log into quotes; holds the current markets by game."""

    def __init__(self) -> None:
        self._odds: dict[str, dict[_Market, dict[str, float]]] = {}
        self._group: list[LoggedMove] = []

    def complete_quotes(
        self, moves: Iterable[LoggedMove], done: Collection[str] = ()
    ) -> Iterator[Row]:
        """Yield the quotes that moves complete, in the order of ``columns.QUOTES``.

        Games that are ``done`` are dropped, as they will not move again.
        """
        for move in moves:
            if self._group and not _belongs(self._group, move):
                yield self._said()
            self._group.append(move)
        if self._group and self._group[-1].game_id in done:
            yield self._said()
        for game in done:
            self._odds.pop(game, None)

    def last_quotes(self) -> Iterator[Row]:
        """Yield the quote of the last moves."""
        if self._group:
            yield self._said()

    def _said(self) -> Row:
        last = self._group[-1]
        markets = self._odds.setdefault(last.game_id, {})
        market = (last.bookmaker, last.market_type, last.period)
        odds = markets.pop(market, {})
        for move in self._group:
            odds.pop(move.selection, None)
            if move.odds is not None:
                odds[move.selection] = move.odds  # the latest moves come last
        self._group = []
        if odds:
            markets[market] = odds
        return (
            last.bookmaker,
            last.match_name,
            last.competition,
            last.sport,
            last.market_type,
            last.period,
            bool(last.is_live),
            dict(odds),
            last.match_date,
            last.scraped_at,
            last.liquidity,
        )


def _belongs(group: Sequence[LoggedMove], move: LoggedMove) -> bool:
    """Return whether a move belongs to the quote before it: changes come first, then removals."""
    last = group[-1]
    return (
        _quote_of(last) == _quote_of(move)
        and (last.odds is not None or move.odds is None)
        and all(other.selection != move.selection for other in group)
    )


def _quote_of(move: LoggedMove) -> tuple[object, ...]:
    """Return what all moves of a quote share."""
    return (
        move.game_id,
        move.bookmaker,
        move.market_type,
        move.period,
        move.recorded_at,
        move.scraped_at,
        move.is_live,
        move.liquidity,
    )


_QUOTE_AT: Final = 9

Count = Callable[[int], object]


class Exported(msgspec.Struct):
    """The extent of an export; times in milliseconds, None if it is empty."""

    rows: int = 0
    games: set[str] = msgspec.field(default_factory=set)
    first: int | None = None
    last: int | None = None
    """The earliest and the latest time of its rows."""
    recorded_from: int | None = None
    recorded_to: int | None = None

    def count_rows(self, times: Sequence[int]) -> None:
        """Count rows by their times."""
        if times:
            self.rows += len(times)
            self.first = min(times) if self.first is None else min(self.first, *times)
            self.last = max(times) if self.last is None else max(self.last, *times)

    def note_moves(self, moves: Sequence[LoggedMove]) -> None:
        """Note the games of moves, and when they were recorded."""
        if moves:
            self.games.update(move.game_id for move in moves)
            recorded = [move.recorded_at for move in moves]
            self.recorded_from = min(self.recorded_from or recorded[0], *recorded)
            self.recorded_to = max(self.recorded_to or 0, *recorded)


def export_changes(
    log: LogOfAll, since_ms: int, before_ms: int, writer: RowWriter, count: Count
) -> Exported:
    """Write every price move scraped in a span."""
    exported = Exported()
    for moves in log.move_batches(since_ms, before_ms):
        writer.write_rows([move[:-1] for move in moves])
        exported.count_rows([move.scraped_at for move in moves])
        exported.note_moves(moves)
        count(len(moves))
    return exported


def export_quotes(
    log: LogOfAll, since_ms: int, before_ms: int, writer: RowWriter, count: Count
) -> Exported:
    """Write the quotes of a span; the log is read from its start, for earlier prices."""
    exported, maker = Exported(), QuoteMaker()

    def write_quotes(quotes: Iterable[Row]) -> None:
        wanted = [quote for quote in quotes if since_ms <= quote[_QUOTE_AT] < before_ms]
        writer.write_rows(wanted)
        exported.count_rows([quote[_QUOTE_AT] for quote in wanted])

    for moves, done in log.finished():
        write_quotes(maker.complete_quotes(moves, done))
        exported.note_moves([move for move in moves if since_ms <= move.scraped_at < before_ms])
        count(len(moves))
    write_quotes(maker.last_quotes())
    return exported


def export_bets(
    bets: Iterable[PlacedBet], since_ms: int, before_ms: int, writer: RowWriter
) -> Exported:
    """Write the bets placed in a span, in order."""
    wanted = [bet for bet in bets if since_ms <= bet.placed_at < before_ms]
    wanted.sort(key=lambda bet: (bet.placed_at, bet.ident))
    writer.write_rows([tuple(column.value(bet) for column in BET_COLUMNS) for bet in wanted])
    exported = Exported(games={bet.game_id for bet in wanted})
    exported.count_rows([bet.placed_at for bet in wanted])
    return exported


def export_results(found: Sequence[StoredResult], writer: RowWriter) -> Exported:
    """Write results in their order."""
    writer.write_rows([_result(each) for each in found])
    exported = Exported(games={each.game_id for each in found})
    exported.count_rows([each.result.kick_off for each in found])
    return exported


def _result(stored: StoredResult) -> Row:
    said = stored.result
    row = result_row(stored.game_id, said, stored.before)
    return (
        *(row.game_id, row.match_name, row.competition, row.sport, said.kick_off, said.has_time),
        *(row.status, row.home, row.away, row.periods, row.overtime, row.selections),
        *(row.bookmaker, row.source, said.reported_at or None, row.simulated),
        *(stored.recorded_at or None, row.corrections),
    )


_GAMES_A_BATCH: Final = 200
_KICK_OFF: Final = [column.name for column in SERIES].index("kick_off")


def export_series(found: Sequence[StoredSeries], writer: RowWriter) -> Exported:
    """Write series in their order."""
    exported = Exported()
    for start in range(0, len(found), _GAMES_A_BATCH):
        some = found[start : start + _GAMES_A_BATCH]
        rows = [row for each in some for row in _odds_of_series(each)]
        writer.write_rows(rows)
        exported.games.update(each.game_id for each in some)
        exported.count_rows([row[_KICK_OFF] for row in rows])
    return exported


def _odds_of_series(stored: StoredSeries) -> Iterator[Row]:
    game = (stored.game_id, stored.match_name, stored.competition, stored.sport, stored.kick_off)
    of_game = (*game, stored.has_time, stored.source)
    for point in stored.points:
        for selection, odds in point.odds.items():
            yield (
                *(*of_game, point.market_type, point.period, selection, point.kind),
                *(point.closing, odds, point.scraped_at, stored.recorded_at),
            )


def silences_within(reader: Reader, exported: Exported) -> Iterator[tuple[int, int]]:
    """Yield the spans between an export's rows without any recording."""
    begin, end = exported.recorded_from, exported.recorded_to
    if begin is not None and end is not None:
        for since, until in reader.silences(begin, end, SILENT_MS):
            if begin <= since and until <= end:
                yield since, until
