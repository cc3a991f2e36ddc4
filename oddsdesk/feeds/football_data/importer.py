"""Turns football-data files into quotes: before closing and closing, cells counted by reason."""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import msgspec

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.game_results import GameResult
from oddsdesk.contract.quotes import BadQuoteError, Quote, check_quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.football_data.columns import TOTAL_LINE, OddsColumns, odds_columns
from oddsdesk.feeds.football_data.times import parse_date, parse_time, taken_ms, uk_ms
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.notation import decimal_odds, line_text, signed_text
from oddsdesk.feeds.sources import CHUNK_BYTES

NEEDED_COLUMNS = ("Div", "Date", "HomeTeam", "AwayTeam")
LONGEST_ROW = 1024 * 1024
MOST_BROKEN = 10_000
"""Rows that may make no sense; in a file with more none is taken."""
LEAST_OVERROUND, MOST_OVERROUND = 0.97, 1.2
_GOALS = re.compile(r"([0-9]{1,3})(?:\.0*)?")

_COMPETITIONS = MappingProxyType(
    {
        "E0": "EPL",
        "E1": "EFL",
        "D1": "BUND",
        "D2": "GER2",
        "SP1": "LIGA",
        "SP2": "LIGA2",
        "I1": "SERA",
        "F1": "LIG1",
        "F2": "LIG2",
        "N1": "ERED",
    }
)

_Row = Mapping[str, str]


def convert(file: SourceFile) -> Imported:
    """Return the quotes of one file; a row that makes no sense is a problem that is named.

    Raises:
        FeedError: the file is none of football-data's.
    """
    rows = _rows(file.data)
    _, first = next(rows, (1, []))
    header = [name.strip() for name in first]
    missing = [name for name in NEEDED_COLUMNS if name not in header]
    if missing:
        raise FeedError(
            f"expected a football-data header with {', '.join(NEEDED_COLUMNS)}, "
            f"but this one lacks {', '.join(missing)}"
        )
    reading = _Reading(file.name, odds_columns(header))
    is_cut = not file.data.endswith((b"\n", b"\r"))
    row = next(rows, None)
    while row is not None:
        (line, cells), row = row, next(rows, None)
        named = dict(zip(header, cells, strict=False))
        if row is None and is_cut and len(cells) < len(header):
            reading.leave_out_cut_row(named)
        else:
            reading.read_row(named, line)
    return reading.result


def _rows(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with the numbers of their lines.

    Raises:
        FeedError: they are no comma-separated values, or one has no end.
    """
    text = io.TextIOWrapper(io.BytesIO(data), _encoding(data), newline="")
    length = 0

    def lines() -> Iterator[str]:
        nonlocal length
        while line := text.readline(LONGEST_ROW + 1):
            length += len(line)
            if length > LONGEST_ROW:
                raise FeedError(f"expected at most {LONGEST_ROW:,} characters a row")
            yield line

    rows = csv.reader(lines())
    try:
        for cells in rows:
            length = 0
            yield rows.line_num, cells
    except csv.Error as error:
        raise FeedError(
            f"line {rows.line_num}: expected comma-separated values ({error})"
        ) from error


def _encoding(data: bytes) -> str:
    for encoding in ("utf-8-sig", "cp1252"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for start in range(0, len(data), CHUNK_BYTES):
                decoder.decode(data[start : start + CHUNK_BYTES])
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding
    raise FeedError("expected text in UTF-8 or Windows-1252")


class _Game(msgspec.Struct, frozen=True):
    match_name: str
    home: str
    away: str
    competition: str
    kick_off: int | None
    taken: int


class _Reading(msgspec.Struct):
    file: str
    markets: list[OddsColumns]
    result: Imported = msgspec.field(default_factory=lambda: Imported(inferred_times=True))

    def read_row(self, row: _Row, line: int) -> None:
        if not any(cell.strip() for cell in row.values()):
            return
        if len(self.result.problems) > MOST_BROKEN:
            raise FeedError(f"more than {MOST_BROKEN:,} rows make no sense")
        try:
            game = _game(row)
        except ValueError as error:
            self.result.problems.append(f"{self.file} line {line}: {error}")
            self.result.skipped["broken row"] += sum(
                len(_filled(row, market)) for market in self.markets
            )
            return
        for market in self.markets:
            self._read_market(row, market, game)
        self._read_result(row, game, line)

    def _read_result(self, row: _Row, game: _Game, line: int) -> None:
        """Add how a game ended, if it was played; a bad half-time score loses only the half."""
        where = f"{self.file} line {line}"
        try:
            home, away = (_goals(row, column) for column in ("FTHG", "FTAG"))
        except ValueError as error:
            self.result.problems.append(f"{where}: {error}")
            return
        try:
            half_home, half_away = (_goals(row, column) for column in ("HTHG", "HTAG"))
        except ValueError as error:
            self.result.problems.append(f"{where}: {error}; no half-time score")
            half_home = half_away = None
        if game.kick_off is not None and home is not None and away is not None:
            names = (game.competition, game.match_name, game.kick_off)
            self.result.results.append(GameResult(*names, home, away, half_home, half_away))

    def leave_out_cut_row(self, row: _Row) -> None:
        """Leave out the last row of a file that ends within it: its last price may be half one."""
        self.result.problems.append(f"{self.file}: ends within its last row: it was cut short")
        self.result.skipped["row cut short"] += sum(
            len(_filled(row, market)) for market in self.markets
        )

    def _read_market(self, row: _Row, market: OddsColumns, game: _Game) -> None:
        cells = _filled(row, market)
        if not cells:
            return
        if market.statistic:
            self.result.skipped[market.statistic] += len(cells)
            return
        prices = dict(self._possible(cells))
        reason = _fault(market, prices, game)
        line = _line(row, market)
        if reason is None and line is None and market.line_column:
            reason = "no line"
        if reason is not None:
            self.result.skipped[reason] += len(prices)
            return
        self._say(market, game, _selections(market, game, line or 0.0), list(prices.values()))

    def _possible(self, cells: Mapping[str, str]) -> Iterator[tuple[str, float]]:
        for column, cell in cells.items():
            try:
                price = decimal_odds(float(cell), american=False)
            except ValueError:
                self.result.skipped["not a number"] += 1
                continue
            if price is None:
                self.result.skipped["impossible price"] += 1
            else:
                yield column, price

    def _say(
        self, market: OddsColumns, game: _Game, selections: list[str], prices: list[float]
    ) -> None:
        scraped_at = game.kick_off if market.closing else game.taken
        assert scraped_at is not None, "closing prices without a kick-off are faults"
        quote = Quote(
            bookmaker=market.bookmaker,
            match_name=game.match_name,
            competition=game.competition,
            market_type=market.market_type,
            period=0,
            odds=dict(zip(selections, prices, strict=True)),
            scraped_at=scraped_at,
            match_date=game.kick_off,
            sport=FOOTBALL,
        )
        try:
            self.result.quotes.append(check_quote(quote, scraped_at))
        except BadQuoteError as error:
            self.result.skipped["broken row"] += len(prices)
            self.result.problems.append(f"{self.file}: {game.match_name}: {error}")


def _game(row: _Row) -> _Game:
    home, away = row.get("HomeTeam", "").strip(), row.get("AwayTeam", "").strip()
    division = row.get("Div", "").strip()
    for name, value in (("Div", division), ("HomeTeam", home), ("AwayTeam", away)):
        if not value:
            raise ValueError(f"expected a name in {name}, got nothing")
    day = parse_date(row.get("Date", ""))
    clock = parse_time(row.get("Time", ""))
    kick_off = None if clock is None else uk_ms(day, clock)
    competition = _COMPETITIONS.get(division, division)
    return _Game(f"{home} vs {away}", home, away, competition, kick_off, taken_ms(day, kick_off))


def _goals(row: _Row, column: str) -> int | None:
    """Return the goals in a column, None where it is empty; 2.0, as pandas saves them, is 2.

    Raises:
        ValueError: they are no number, or not a whole one.
    """
    cell = row.get(column, "").strip()
    if not cell:
        return None
    whole = _GOALS.fullmatch(cell)
    if whole is None:
        raise ValueError(f"expected goals such as 2 in {column}, got {cell!r}")
    return int(whole[1])


def _filled(row: _Row, market: OddsColumns) -> dict[str, str]:
    """The cells that say something: empty ones and zeros are missing prices."""
    cells = {column: row.get(column, "").strip() for column in market.columns}
    return {column: cell for column, cell in cells.items() if cell and not _is_zero(cell)}


def _is_zero(cell: str) -> bool:
    try:
        return float(cell) == 0
    except ValueError:
        return False


def _fault(market: OddsColumns, prices: Mapping[str, float], game: _Game) -> str | None:
    """The reason why a market's prices are not kept."""
    if len(prices) < len(market.columns):
        return "one side missing"
    overround = sum(1 / price for price in prices.values())
    if not LEAST_OVERROUND <= overround <= MOST_OVERROUND:
        return "overround out of range"
    if market.closing and game.kick_off is None:
        return "closing without a kick-off time"
    return None


def _line(row: _Row, market: OddsColumns) -> float | None:
    try:
        return float(row.get(market.line_column or "", ""))
    except ValueError:
        return None


def _selections(market: OddsColumns, game: _Game, line: float) -> list[str]:
    match market.market_type:
        case "moneyline":
            return [game.home, "Draw", game.away]
        case "total":
            return [f"Over {line_text(TOTAL_LINE)}", f"Under {line_text(TOTAL_LINE)}"]
        case _:
            return [f"{game.home} {signed_text(line)}", f"{game.away} {signed_text(-line)}"]
