"""Seasons, further leagues and upcoming games of football-data.co.uk as quotes and results.

Its files since 1993 differ in their columns: without odds until 2000, without hours until 2019,
with other bookmakers in each decade. The further leagues have ``Country`` and ``League`` instead of
``Div``. People save them again with Excel or pandas: semicolons, decimal commas, ISO dates, ``2.0``
goals.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from pathlib import PurePath
from types import MappingProxyType
from zoneinfo import ZoneInfo

import msgspec

from oddsdesk.base.spreadsheets import SheetRow, read_table, sheets_in
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.formats import FOOTBALL_DATA
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, Importer, SourceFile, file_by_file
from oddsdesk.feeds.notation import decimal_odds, line_text, signed_text
from oddsdesk.matching.names import shipped_names

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
        own = f"{code}AH"  # until 2012 each bookmaker had its line
        line_column = "AHCh" if closing else own if own in names else "AHh"
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


MOST_BROKEN = 10_000
"""Most unreadable rows; a file with more is refused."""
LEAST_OVERROUND, MOST_OVERROUND = 0.97, 1.2
_GOALS = re.compile(r"([0-9]{1,3})(?:[.,]0*)?")
_NAMES = (("Date",), ("HomeTeam", "Home", "HT"), ("AwayTeam", "Away", "AT"))
"""What files call the day and the teams."""
_HALF_GOALS = ("HTHG", "HTAG")
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
_DIVISION = re.compile(r"(?:E[0-3C]|SC[0-3]|(?:D|I|SP|F)[12]|[BGNPT]1)(?![A-Za-z0-9])")
"""The code of a division at the beginning of a file's name."""

_Row = Mapping[str, str]


class _Columns(msgspec.Struct, frozen=True):
    """What a file calls the facts of a game."""

    date: str
    home: str
    away: str
    goals: tuple[str, str]
    division: str = ""
    """The division of all rows, where no column has it."""


def _columns(titles: Collection[str], file: str) -> _Columns:
    """Return what a file calls the facts of a game.

    Raises:
        FeedError: it lacks some.
    """
    date, home, away = (next((name for name in names if name in titles), "") for names in _NAMES)
    found = zip(_NAMES, (date, home, away), strict=True)
    missing = [names[0] for names, name in found if not name]
    division = ""
    if not ("Div" in titles or {"Country", "League"} <= set(titles)):
        of_file = _DIVISION.match(PurePath(file).name)
        if of_file is None:
            missing.insert(0, "Div")
        else:
            division = of_file[0]
    if missing:
        raise FeedError(
            "expected a football-data header with Div (or Country and League), Date, HomeTeam and"
            f" AwayTeam, but this one lacks {', '.join(missing)}"
        )
    goals = ("HG", "AG") if "HG" in titles else ("FTHG", "FTAG")
    return _Columns(date, home, away, goals, division)


def convert(file: SourceFile) -> Imported:
    """Return the quotes and results of one file; unreadable rows are listed as problems.

    Raises:
        FeedError: it is not a football-data file.
        SheetError: it is no table.
    """
    titles, rows = read_table(file.data)
    reading = _Reading(file.name, odds_columns(titles), _columns(titles, file.name))
    sheets, width = sheets_in(file.data), len(titles)
    if sheets > 1:
        reading.result.problems.append(
            f"{file.name}: only the first of {sheets} sheets is read; save the others as files"
        )
    is_cut = not sheets and not file.data.rstrip(b"\0").endswith((b"\n", b"\r"))
    row = next(rows, None)
    while row is not None:
        this, row = row, next(rows, None)
        if row is None and is_cut and len(this.cells) < width:
            reading.leave_out_row(this, "row cut short", ": the file is cut off in its last row")
        else:
            reading.read_row(this)
    return reading.result


IMPORTER = Importer(file_by_file(convert))


class _Game(msgspec.Struct, frozen=True):
    match_name: str
    home: str
    away: str
    competition: str
    kick_off: int | None
    """Noon UTC if only the day of a played game is known; None if a game to come has no hour."""
    has_time: bool
    taken: int


class _Reading(msgspec.Struct):
    file: str
    markets: list[OddsColumns]
    columns: _Columns
    result: Imported = msgspec.field(default_factory=lambda: Imported(inferred_times=True))

    def read_row(self, row: SheetRow) -> None:
        if len(self.result.problems) > MOST_BROKEN:
            raise FeedError(f"more than {MOST_BROKEN:,} unreadable rows")
        where = f"line {row.number}"
        try:
            if row.beyond:
                raise ValueError(
                    f"{row.beyond} more cell{'s' * (row.beyond > 1)} than titles, so cells may be"
                    " under the wrong title"
                )
            goals = self._goals(row.cells, where)
            game = self._game(row.cells, is_played=goals is not None)
        except ValueError as error:
            self.leave_out_row(row, "broken row", f" {where}: {error}")
            return
        for market in self.markets:
            self._read_market(row.cells, market, game)
        if goals is not None and game.kick_off is not None:
            self._keep_result(row.cells, game, goals, where)

    def leave_out_row(self, row: SheetRow, reason: str, why: str) -> None:
        """Count the prices of a row that is not used, and say why."""
        self.result.problems.append(f"{self.file}{why}")
        filled = sum(len(_filled(row.cells, market.columns)) for market in self.markets)
        if filled:
            self.result.skipped[reason] += filled

    def _game(self, row: _Row, *, is_played: bool) -> _Game:
        columns = self.columns
        home, away = row.get(columns.home, ""), row.get(columns.away, "")
        for column, name in ((columns.home, home), (columns.away, away)):
            if not name:
                raise ValueError(f"expected a name in {column}, got nothing")
        day = parse_date(row.get(columns.date, ""))
        clock = parse_time(row.get("Time", ""))
        kick_off = None if clock is None else uk_ms(day, clock)
        latest = kick_off
        if clock is None and (is_played or self._is_closed(row)):
            kick_off = noon_ms(day)
            latest = kick_off - HOUR_MS
        return _Game(
            *(f"{home} vs {away}", home, away, _competition(row, columns.division)),
            *(kick_off, clock is not None, taken_ms(day, latest)),
        )

    def _is_closed(self, row: _Row) -> bool:
        return any(market.closing and _filled(row, market.columns) for market in self.markets)

    def _goals(self, row: _Row, where: str) -> tuple[int, int] | None:
        """Return the goals of a played game; unreadable ones are a problem."""
        try:
            home, away = (_goals(row, column) for column in self.columns.goals)
        except ValueError as error:
            self.result.problems.append(f"{self.file} {where}: {error}")
            return None
        return None if home is None or away is None else (home, away)

    def _keep_result(self, row: _Row, game: _Game, goals: tuple[int, int], where: str) -> None:
        """Keep a result; a bad half-time score is dropped alone."""
        half: tuple[int | None, ...] = ()
        try:
            half = tuple(_goals(row, column) for column in _HALF_GOALS)
        except ValueError as error:
            self.result.problems.append(f"{self.file} {where}: {error}; half-time score ignored")
        assert game.kick_off is not None, "the day of a played game is known"
        self.result.results.append(
            GameResult(
                *(game.competition, game.match_name, game.kick_off, *goals, _halves(goals, half)),
                has_time=game.has_time,
                overtime=False,
                source=FOOTBALL_DATA,
            )
        )

    def _read_market(self, row: _Row, market: OddsColumns, game: _Game) -> None:
        cells = _filled(row, market.columns)
        if not cells:
            return
        if market.statistic:
            self.result.skipped[market.statistic] += len(cells)
            return
        prices = list(self._possible(cells))
        reason = _fault(market, prices)
        line = _line(row, market)
        if reason is None and line is None and market.line_column:
            reason = "no line"
        if reason is None:
            self._keep(market, game, _selections(market, game, line or 0.0), prices)
        elif prices:
            self.result.skipped[reason] += len(prices)

    def _possible(self, cells: Sequence[str]) -> Iterator[float]:
        for cell in cells:
            try:
                price = decimal_odds(_number(cell), american=False)
            except ValueError:
                self.result.skipped["not a number"] += 1
                continue
            if price is None:
                self.result.skipped["impossible price"] += 1
            else:
                yield price

    def _keep(
        self, market: OddsColumns, game: _Game, selections: Sequence[str], prices: list[float]
    ) -> None:
        scraped_at = game.kick_off if market.closing else game.taken
        assert scraped_at is not None, "a game with closing prices has a kick-off"
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


def _competition(row: _Row, division: str) -> str:
    """Return our name of a row's league, as a code or by country and name.

    Raises:
        ValueError: the row has none.
    """
    code = row.get("Div", "") or division
    if code:
        return _COMPETITIONS.get(code, code)
    country, league = row.get("Country", ""), row.get("League", "")
    if not (country and league):
        raise ValueError("expected a name in Div, or in Country and League, got nothing")
    return shipped_names().competition_named(f"{country} - {league}")


def _halves(goals: tuple[int, int], half: Sequence[int | None]) -> tuple[PeriodScore, ...]:
    """Return the goals of each half; nothing if those at half time are missing or too many."""
    match half:
        case (int(home), int(away)) if home <= goals[0] and away <= goals[1]:
            return PeriodScore(1, home, away), PeriodScore(2, goals[0] - home, goals[1] - away)
        case _:
            return ()


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


def _filled(row: _Row, columns: Sequence[str]) -> list[str]:
    """Return the prices in cells; empty cells and zeros are missing prices."""
    cells = [row.get(column, "") for column in columns]
    return [cell for cell in cells if cell and not (cell[0] == "0" and _is_zero(cell))]


def _is_zero(cell: str) -> bool:
    try:
        return _number(cell) == 0
    except ValueError:
        return False


def _number(cell: str) -> float:
    """Return a number with a decimal point or comma; these files separate no thousands."""
    return float(cell.replace(",", ".") if "," in cell else cell)


def _fault(market: OddsColumns, prices: Sequence[float]) -> str | None:
    """Return why a market's prices are not kept."""
    if len(prices) < len(market.columns):
        return "one side missing"
    overround = sum(1 / price for price in prices)
    return None if LEAST_OVERROUND <= overround <= MOST_OVERROUND else "margin out of range"


def _line(row: _Row, market: OddsColumns) -> float | None:
    try:
        return _number(row.get(market.line_column or "", ""))
    except ValueError:
        return None


def _selections(market: OddsColumns, game: _Game, line: float) -> tuple[str, ...]:
    match market.market_type:
        case "moneyline":
            return game.home, "Draw", game.away
        case "total":
            return f"Over {line_text(TOTAL_LINE)}", f"Under {line_text(TOTAL_LINE)}"
        case _:
            return f"{game.home} {signed_text(line)}", f"{game.away} {signed_text(-line)}"


UK = ZoneInfo("Europe/London")
HOUR_MS = 60 * 60 * 1000
_DAY_FIRST = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})")
_YEAR_FIRST = re.compile(r"(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})(?:[ T]00:00(?::00(?:\.0+)?)?)?")
"""Also as pandas writes it, with the first moment of the day."""
_EXCEL_DAY = re.compile(r"([3-6]\d{4})(?:\.0*)?")
_EXCEL_EPOCH = date(1899, 12, 30)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::00)?")
_EXCEL_CLOCK = re.compile(r"0?\.\d+")
_FIRST_SEASON = 1888
"""The first year of a football league; an earlier one is a typing error."""
_LAST_CENTURY = 69
"""93 is 1993, 24 is 2024."""
_TUESDAY, _FRIDAY = 1, 4
_MIDWEEK = range(_TUESDAY, _FRIDAY)
_TAKEN_AT = {_TUESDAY: time(13), _FRIDAY: time(17)}


@lru_cache(maxsize=1 << 12)
def parse_date(text: str) -> date:
    """Return the day of a cell: day first, or year first as in ISO dates, or Excel's number.

    Raises:
        ValueError: it is no date.
    """
    text = text.strip()
    try:
        day = _day_of(text)
    except (ValueError, OverflowError):
        day = None
    if day is None or day.year < _FIRST_SEASON:
        raise ValueError(f"expected a date such as 16/08/2024, got {text!r}")
    return day


def _day_of(text: str) -> date | None:
    if (found := _DAY_FIRST.fullmatch(text)) is not None:
        day, month, year = map(int, found.groups())
        century = 0 if len(found[3]) > 2 else 1900 if year >= _LAST_CENTURY else 2000
        return date(century + year, month, day)
    if (found := _YEAR_FIRST.fullmatch(text)) is not None:
        return date(*map(int, found.groups()))
    if (found := _EXCEL_DAY.fullmatch(text)) is not None:
        return _EXCEL_EPOCH + timedelta(days=int(found[1]))
    return None


def parse_time(text: str) -> time | None:
    """Return the UK time of a cell, None where it is empty.

    Raises:
        ValueError: it is no time.
    """
    text = text.strip()
    if not text:
        return None
    if _EXCEL_CLOCK.fullmatch(text):
        hour, minute = divmod(round(float(text) * 24 * 60), 60)
    elif (found := _CLOCK.fullmatch(text)) is not None:
        hour, minute = map(int, found.groups())
    else:
        raise ValueError(f"expected a time such as 17:30, got {text!r}")
    try:
        return time(hour, minute)
    except ValueError as error:
        raise ValueError(f"expected a time such as 17:30, got {text!r}") from error


def uk_ms(day: date, clock: time) -> int:
    """Return a UK local time in milliseconds since the epoch."""
    return round(datetime.combine(day, clock, tzinfo=UK).timestamp() * 1000)


def noon_ms(day: date) -> int:
    """Return the noon of a day in UTC, which stands for a kick-off of unknown hour."""
    return round(datetime.combine(day, time(12), tzinfo=UTC).timestamp() * 1000)


def taken_ms(day: date, latest_ms: int | None) -> int:
    """Return when prices before closing were taken, in milliseconds.

    Friday 17:00 UK for games from Friday to Monday, Tuesday 13:00 for the others, and
    never after ``latest_ms``.
    """
    weekday = _TUESDAY if day.weekday() in _MIDWEEK else _FRIDAY
    taken_on = day - timedelta(days=(day.weekday() - weekday) % 7)
    taken = uk_ms(taken_on, _TAKEN_AT[weekday])
    return taken if latest_ms is None else min(taken, latest_ms)
