"""Season files and upcoming games of football-data.co.uk as quotes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo

import msgspec

from oddsdesk.base.spreadsheets import read_csv
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, Importer, SourceFile, file_by_file
from oddsdesk.feeds.notation import decimal_odds, line_text, signed_text

__all__ = ["IMPORTER", "convert"]


_BOOKMAKERS = MappingProxyType(
    {
        "1XB": "1xBet",
        "B365": "Bet365",
        "BF": "Betfair Sportsbook",
        "BFD": "Betfred",
        "BFE": "Betfair Exchange",
        "BMGM": "BetMGM",
        "BS": "Blue Square",
        "BV": "BetVictor",
        "BW": "bwin",
        "CL": "Coral",
        "GB": "Gamebookers",
        "IW": "Interwetten",
        "LB": "Ladbrokes",
        "P": "Pinnacle",
        "PS": "Pinnacle",
        "SB": "Sportingbet",
        "SJ": "Stan James",
        "SO": "Sporting Odds",
        "SY": "Stanleybet",
        "VC": "VC Bet",
        "WH": "William Hill",
    }
)
_STATISTICS = MappingProxyType(
    {
        "Avg": "market average",
        "BbAv": "market average",
        "BbMx": "market maximum",
        "Max": "market maximum",
    }
)
_SIDES = MappingProxyType(
    {"moneyline": ("H", "D", "A"), "total": (">2.5", "<2.5"), "spread": ("AHH", "AHA")}
)
TOTAL_LINE = 2.5


class OddsColumns(msgspec.Struct, frozen=True):
    """The columns of one bookmaker's market, in the contract's order.

    ``statistic`` describes columns that are not a bookmaker's prices. ``line_column`` holds the
    home line of a handicap.
    """

    bookmaker: str
    market_type: str
    closing: bool
    columns: tuple[str, ...]
    statistic: str | None = None
    line_column: str | None = None


def odds_columns(header: Sequence[str]) -> list[OddsColumns]:
    """Return every market in a header; an unknown bookmaker keeps its code."""
    names = set(header)
    return [
        _market(prefix, market_type, names)
        for market_type, sides in _SIDES.items()
        for prefix in _prefixes(header, sides[0])
        if all(prefix + side in names for side in sides)
    ]


def _prefixes(header: Sequence[str], suffix: str) -> Iterator[str]:
    for name in header:
        if name.endswith(suffix) and name != suffix:
            yield name.removesuffix(suffix)


def _market(prefix: str, market_type: str, names: set[str]) -> OddsColumns:
    code, closing = _phase(prefix, market_type, names)
    line_column = None
    if market_type == "spread":
        line_column = "AHCh" if closing else "AHh"
    return OddsColumns(
        bookmaker=_BOOKMAKERS.get(code, code),
        market_type=market_type,
        closing=closing,
        columns=tuple(prefix + side for side in _SIDES[market_type]),
        statistic=_STATISTICS.get(code),
        line_column=line_column,
    )


def _phase(prefix: str, market_type: str, names: set[str]) -> tuple[str, bool]:
    """Return the bookmaker's code, and whether a ``C`` before the suffix marks a closing price."""
    if prefix in _BOOKMAKERS or prefix in _STATISTICS or not prefix.endswith("C"):
        return prefix, False
    code = prefix.removesuffix("C")
    first = code + _SIDES[market_type][0]
    known = code in _BOOKMAKERS or code in _STATISTICS or first in names
    return (code, True) if known else (prefix, False)


NEEDED_COLUMNS = ("Div", "Date", "HomeTeam", "AwayTeam")
MOST_BROKEN = 10_000
"""Most unreadable rows; a file with more is refused."""
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
    """Return the quotes of one file; unreadable rows are listed as problems.

    Raises:
        FeedError: it is not a football-data file.
        SheetError: it is not CSV.
    """
    titles, rows = read_csv(file.data)
    missing = [name for name in NEEDED_COLUMNS if name not in titles]
    if missing:
        raise FeedError(
            f"expected a football-data header with {', '.join(NEEDED_COLUMNS)}, "
            f"but this one lacks {', '.join(missing)}"
        )
    reading = _Reading(file.name, odds_columns(titles))
    is_cut, width = not file.data.endswith((b"\n", b"\r")), len(set(titles))
    row = next(rows, None)
    while row is not None:
        (line, cells, _), row = row, next(rows, None)
        if row is None and is_cut and len(cells) < width:
            reading.leave_out_cut_row(cells)
        else:
            reading.read_row(cells, line)
    return reading.result


IMPORTER = Importer(file_by_file(convert))


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
        if len(self.result.problems) > MOST_BROKEN:
            raise FeedError(f"more than {MOST_BROKEN:,} unreadable rows")
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
        """Add the result of a played game; a bad half-time score is dropped alone."""
        where = f"{self.file} line {line}"
        try:
            home, away = (_goals(row, column) for column in ("FTHG", "FTAG"))
        except ValueError as error:
            self.result.problems.append(f"{where}: {error}")
            return
        try:
            half_home, half_away = (_goals(row, column) for column in ("HTHG", "HTAG"))
        except ValueError as error:
            self.result.problems.append(f"{where}: {error}; half-time score ignored")
            half_home = half_away = None
        if game.kick_off is not None and home is not None and away is not None:
            names = (game.competition, game.match_name, game.kick_off)
            self.result.results.append(
                GameResult(*names, home, away, _halves(home, away, half_home, half_away))
            )

    def leave_out_cut_row(self, row: _Row) -> None:
        """Leave out a truncated last row, since its last price may be cut."""
        self.result.problems.append(f"{self.file}: the file is cut off in its last row")
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
        self.result.keep_quote(quote, "broken row", f"{self.file}: {game.match_name}")


def _game(row: _Row) -> _Game:
    home, away = row.get("HomeTeam", ""), row.get("AwayTeam", "")
    division = row.get("Div", "")
    for name, value in (("Div", division), ("HomeTeam", home), ("AwayTeam", away)):
        if not value:
            raise ValueError(f"expected a name in {name}, got nothing")
    day = parse_date(row.get("Date", ""))
    clock = parse_time(row.get("Time", ""))
    kick_off = None if clock is None else uk_ms(day, clock)
    competition = _COMPETITIONS.get(division, division)
    return _Game(f"{home} vs {away}", home, away, competition, kick_off, taken_ms(day, kick_off))


def _halves(
    home: int, away: int, half_home: int | None, half_away: int | None
) -> tuple[PeriodScore, ...]:
    """Return the goals of each half; nothing if those at half time are missing or too many."""
    if half_home is None or half_away is None or half_home > home or half_away > away:
        return ()
    first = PeriodScore(1, half_home, half_away)
    return first, PeriodScore(2, home - half_home, away - half_away)


def _goals(row: _Row, column: str) -> int | None:
    """Return the goals in a column, None where it is empty; 2.0, as pandas saves them, is 2.

    Raises:
        ValueError: they are no number, or not a whole one.
    """
    cell = row.get(column, "")
    if not cell:
        return None
    whole = _GOALS.fullmatch(cell)
    if whole is None:
        raise ValueError(f"expected goals such as 2 in {column}, got {cell!r}")
    return int(whole[1])


def _filled(row: _Row, market: OddsColumns) -> dict[str, str]:
    """Return the prices in cells; empty cells and zeros are missing prices."""
    cells = {column: row.get(column, "") for column in market.columns}
    return {column: cell for column, cell in cells.items() if cell and not _is_zero(cell)}


def _is_zero(cell: str) -> bool:
    try:
        return float(cell) == 0
    except ValueError:
        return False


def _fault(market: OddsColumns, prices: Mapping[str, float], game: _Game) -> str | None:
    """Return why a market's prices are not kept."""
    if len(prices) < len(market.columns):
        return "one side missing"
    overround = sum(1 / price for price in prices.values())
    if not LEAST_OVERROUND <= overround <= MOST_OVERROUND:
        return "margin out of range"
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


UK = ZoneInfo("Europe/London")
_DATES = ("%d/%m/%Y", "%d/%m/%y")
_FIRST_SEASON = 1888
"""The first year of a football league; an earlier one is a typing error."""
_TUESDAY, _FRIDAY = 1, 4
_MIDWEEK = range(_TUESDAY, _FRIDAY)
_TAKEN_AT = {_TUESDAY: time(13), _FRIDAY: time(17)}


def parse_date(text: str) -> date:
    """Return the day of a cell, day first.

    Raises:
        ValueError: it is no date.
    """
    for form in _DATES:
        try:
            day = datetime.strptime(text.strip(), form).replace(tzinfo=UTC).date()
        except ValueError:
            continue
        if day.year >= _FIRST_SEASON:
            return day
    raise ValueError(f"expected a date such as 16/08/2024, got {text!r}")


def parse_time(text: str) -> time | None:
    """Return the UK time of a cell, None where it is empty.

    Raises:
        ValueError: it is no time.
    """
    if not text.strip():
        return None
    try:
        return datetime.strptime(text.strip(), "%H:%M").replace(tzinfo=UTC).time()
    except ValueError as error:
        raise ValueError(f"expected a time such as 17:30, got {text!r}") from error


def uk_ms(day: date, clock: time) -> int:
    """Return a UK local time in milliseconds since the epoch."""
    return round(datetime.combine(day, clock, tzinfo=UK).timestamp() * 1000)


def taken_ms(day: date, kick_off_ms: int | None) -> int:
    """Return when prices before closing were taken, in milliseconds.

    Friday 17:00 UK for games from Friday to Monday, Tuesday 13:00 for the others, and
    never after the kick-off.
    """
    weekday = _TUESDAY if day.weekday() in _MIDWEEK else _FRIDAY
    taken_on = day - timedelta(days=(day.weekday() - weekday) % 7)
    taken = uk_ms(taken_on, _TAKEN_AT[weekday])
    return taken if kick_off_ms is None else min(taken, kick_off_ms)
