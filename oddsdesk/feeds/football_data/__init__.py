"""Seasons, further leagues and upcoming games of football-data.co.uk: quotes, results, statistics.

Its files since 1993 differ in their columns: without odds until 2000, without hours until 2019,
with other bookmakers in each decade. The further leagues have ``Country`` and ``League`` instead of
``Div``. People save them again with Excel or pandas: semicolons, decimal commas, ISO dates, ``2.0``
goals.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, time, timedelta
from math import isfinite
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

import msgspec

from oddsdesk.base.figures import Habit, days_of
from oddsdesk.base.football_rows import (
    GameColumns,
    Goals,
    Row,
    check_width,
    game_columns,
    noon_ms,
    parse_date,
    parse_time,
    read_goals,
    read_halves,
    read_teams,
    uk_ms,
)
from oddsdesk.base.spreadsheets import SheetRow, Table, read_tables
from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.formats import FOOTBALL_DATA
from oddsdesk.contract.quotes import Quote, check_match_name, check_name
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.contract.series import GameSeries, SeriesKind, SeriesPoint
from oddsdesk.contract.times import HOUR_MS
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
_STATISTICS: Mapping[str, SeriesKind] = MappingProxyType(
    {"Avg": "mean", "BbAv": "mean", "BbMx": "best", "Max": "best"}
)
_CODES = MappingProxyType({code.upper(): code for code in (*_BOOKMAKERS, *_STATISTICS)})
_BETBRAIN, _BETBRAIN_LINE = ("BBAV", "BBMX"), "BBAHH"
_TWIN = re.compile(r" \(\d+\)$|\.\d+$")
_SIDES = MappingProxyType(
    {"moneyline": ("H", "D", "A"), "total": (">2.5", "<2.5"), "spread": ("AHH", "AHA")}
)
TOTAL_LINE = 2.5


class OddsColumns(msgspec.Struct, frozen=True):
    """The columns of one bookmaker's market, in the contract's order.

    ``statistic`` is the kind of a statistic, which is not a bookmaker's price. ``line_column``
    holds the home line of a handicap.
    """

    bookmaker: str
    market_type: str
    closing: bool
    columns: tuple[str, ...]
    statistic: SeriesKind | None = None
    line_column: str | None = None


def odds_columns(header: Sequence[str]) -> list[OddsColumns]:
    """Return every market in a header, in any case; an unknown bookmaker keeps its code."""
    names = _by_folded(header)
    return [
        _market(prefix, market_type, names)
        for market_type, sides in _SIDES.items()
        for prefix in _prefixes(names, sides[0])
        if all(prefix + side in names for side in sides)
    ]


def _twin_columns(header: Sequence[str], markets: Sequence[OddsColumns]) -> list[str]:
    """Return the titles of prices that stand twice, or that pandas numbered: ``B365H.1``."""
    read = {title for market in markets for title in market.columns}
    folded = set(map(str.upper, read))
    return [
        title for title in header if title not in read and _TWIN.sub("", title).upper() in folded
    ]


def _by_folded(header: Sequence[str]) -> dict[str, str]:
    """Return the titles by their upper case, of two that are alike the first."""
    names: dict[str, str] = {}
    for title in header:
        names.setdefault(title.upper(), title)
    return names


def _prefixes(names: Iterable[str], suffix: str) -> Iterator[str]:
    for name in names:
        if name.endswith(suffix) and name != suffix:
            yield name.removesuffix(suffix)


def _market(prefix: str, market_type: str, names: Mapping[str, str]) -> OddsColumns:
    sides = _SIDES[market_type]
    columns = tuple(names[prefix + side] for side in sides)
    code, closing = _phase(prefix, market_type, names)
    line_column = None
    if market_type == "spread":
        # until 2012 each bookmaker had its line, and Betbrain's statistics until 2019
        own = _BETBRAIN_LINE if code in _BETBRAIN else f"{code}AH"
        line_column = "AHCH" if closing else own if own in names else "AHH"
        line_column = names.get(line_column, line_column)
    known = _CODES.get(code, columns[0][: len(code)])
    return OddsColumns(
        bookmaker=_BOOKMAKERS.get(known, known),
        market_type=market_type,
        closing=closing,
        columns=columns,
        statistic=_STATISTICS.get(known),
        line_column=line_column,
    )


def _phase(prefix: str, market_type: str, names: Collection[str]) -> tuple[str, bool]:
    """Return the bookmaker's code, and whether a ``C`` before the suffix marks a closing price."""
    if prefix in _CODES or not prefix.endswith("C"):
        return prefix, False
    code = prefix.removesuffix("C")
    first = code + _SIDES[market_type][0]
    return (code, True) if code in _CODES or first in names else (prefix, False)


MOST_BROKEN = 10_000
"""Most unreadable rows; a file with more is refused."""
LEAST_OVERROUND, MOST_OVERROUND = 0.97, 1.2
LEAST_OVERROUND_OF_BEST = 0.8
"""The best odds of many bookmakers may leave none of them a margin; below this one price is wrong:
a handicap at 1.85 and 22."""
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


def _division_of_file(columns: GameColumns, file: str) -> str:
    """Return the division of all rows by the file's name, if no column has it.

    Raises:
        FeedError: neither says it, or the header lacks other facts of a game.
    """
    needed = {"Date": columns.date, "HomeTeam": columns.home, "AwayTeam": columns.away}
    missing = [name for name, title in needed.items() if not title]
    has_division = columns.division or (columns.country and columns.league)
    found = None if has_division else _DIVISION.match(PurePath(file).name)
    if not has_division and found is None:
        missing.insert(0, "Div")
    if missing:
        raise FeedError(
            "expected a football-data header with Div (or Country and League), Date, HomeTeam and"
            f" AwayTeam, but this one lacks {', '.join(missing)}"
        )
    return "" if found is None else found[0]


def convert(file: SourceFile) -> Imported:
    """Return the quotes and results of one file; unreadable rows are listed as problems.

    A workbook may have a sheet for each league. Dates are day first, unless the whole file shows
    that an American Excel saved them month first.

    Raises:
        FeedError: it is not a football-data file.
        SheetError: it is no table.
    """
    try:
        return _convert(file, Habit.DAY_FIRST)
    except _MonthFirstError:
        return _convert(file, Habit.MONTH_FIRST)


class _MonthFirstError(Exception):
    """The dates of the file are month first."""


def _convert(file: SourceFile, days: Habit) -> Imported:
    result = Imported(inferred_times=True)
    strange: FeedError | None = None
    count = 0
    for table in read_tables(file.data):
        try:
            _read_table(table, file, days, result)
            count += 1
        except FeedError as error:
            strange = error
            result.problems.append(f"{file.name}{table.place}: {error}")
    if strange is not None and not count:
        raise strange
    return result


def _read_table(table: Table, file: SourceFile, days: Habit, result: Imported) -> None:
    columns = game_columns(table.titles)
    division = _division_of_file(columns, file.name)
    markets = odds_columns(table.titles)
    twins = _twin_columns(table.titles, markets)
    place = f"{file.name}{table.place}"
    reading = _Reading(place, markets, twins, columns, division, days, result)
    is_cut = not (table.place or file.data.rstrip(b"\0").endswith((b"\n", b"\r")))
    is_sure = days is Habit.MONTH_FIRST
    width, row = len(table.titles), next(table.rows, None)
    while row is not None:
        this, row = row, next(table.rows, None)
        if row is None and is_cut and len(this.cells) < width:
            reading.leave_out_row(
                this, N_("row cut short"), ": " + N_("the file is cut off in its last row")
            )
            continue
        reading.read_row(this)
        if reading.has_strange_date and not is_sure:
            is_sure = True
            if days_of(_dates(file)) is Habit.MONTH_FIRST:
                raise _MonthFirstError


def _dates(file: SourceFile) -> Iterator[str]:
    for table in read_tables(file.data):
        title = game_columns(table.titles).date
        yield from (row.cells.get(title, "") for row in table.rows)


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
    noon: int
    """Noon UTC of its day."""


class _Reading(msgspec.Struct):
    file: str
    markets: list[OddsColumns]
    twins: list[str]
    """The titles of prices that stand twice, which are counted and not read."""
    columns: GameColumns
    division: str
    days: Habit
    result: Imported
    has_strange_date: bool = False

    def read_row(self, row: SheetRow) -> None:
        if len(self.result.problems) > MOST_BROKEN:
            raise FeedError(f"more than {MOST_BROKEN:,} unreadable rows")
        where = f"line {row.number}"
        if self.twins and (twins := len(_filled(row.cells, self.twins))):
            self.result.skipped[N_("twin column")] += twins
        try:
            check_width(row)
            goals = self._goals(row.cells, where)
            game = self._game(row.cells, is_played=goals is not None)
        except ValueError as error:
            self.leave_out_row(row, N_("broken row"), f" {where}: {error}")
            return
        points: dict[tuple[Any, ...], SeriesPoint] = {}
        for market in self.markets:
            self._read_market(row.cells, market, game, points)
        if points:
            self._keep_series(game, tuple(points.values()))
        if goals is not None and game.kick_off is not None:
            self._keep_result(row.cells, game, goals, where)

    def leave_out_row(self, row: SheetRow, reason: str, why: str) -> None:
        """Count the prices of a row that is not used, and say why."""
        self.result.problems.append(f"{self.file}{why}")
        filled = sum(len(_filled(row.cells, market.columns)) for market in self.markets)
        if filled:
            self.result.skipped[reason] += filled

    def _game(self, row: Row, *, is_played: bool) -> _Game:
        home, away = (check_name("team", each) for each in read_teams(row, self.columns))
        match_name = check_match_name(f"{home} vs {away}")
        competition = check_name("competition", self._competition(row))
        try:
            day = parse_date(row.get(self.columns.date, ""), self.days)
        except ValueError:
            self.has_strange_date = True
            raise
        clock = parse_time(row.get(self.columns.time, ""))
        kick_off = latest = None
        if clock is not None:
            kick_off = latest = uk_ms(day, clock)
        elif is_played or self._is_closed(row):
            kick_off = noon_ms(day)
            latest = kick_off - HOUR_MS
        return _Game(
            *(match_name, home, away, competition),
            *(kick_off, clock is not None, taken_ms(day, latest), noon_ms(day)),
        )

    def _is_closed(self, row: Row) -> bool:
        return any(market.closing and _filled(row, market.columns) for market in self.markets)

    def _competition(self, row: Row) -> str:
        """Return our name of a row's league, by its code or by country and name.

        Raises:
            ValueError: the row has none.
        """
        columns = self.columns
        if code := row.get(columns.division, "") or self.division:
            return _COMPETITIONS.get(code, code)
        country, league = row.get(columns.country, ""), row.get(columns.league, "")
        if not (country and league):
            raise ValueError("expected a name in Div, or in Country and League, got nothing")
        return shipped_names().competition_named(f"{country} - {league}")

    def _goals(self, row: Row, where: str) -> Goals | None:
        """Return the goals of a played game; unreadable ones are a problem."""
        try:
            return read_goals(row, self.columns.goals)
        except ValueError as error:
            self.result.problems.append(f"{self.file} {where}: {error}")
            return None

    def _keep_result(self, row: Row, game: _Game, goals: Goals, where: str) -> None:
        """Keep a result; a bad half-time score is dropped alone."""
        halves: tuple[PeriodScore, ...] = ()
        try:
            halves = read_halves(row, self.columns, goals)
        except ValueError as error:
            self.result.problems.append(f"{self.file} {where}: {error}; half-time score ignored")
        assert game.kick_off is not None, "the day of a played game is known"
        self.result.results.append(
            GameResult(
                *(game.competition, game.match_name, game.kick_off, *goals, halves),
                has_time=game.has_time,
                overtime=False,
                source=FOOTBALL_DATA,
            )
        )

    def _keep_series(self, game: _Game, points: tuple[SeriesPoint, ...]) -> None:
        series = GameSeries(
            game.competition,
            game.match_name,
            game.noon if game.kick_off is None else game.kick_off,
            points,
            has_time=game.has_time,
            source=FOOTBALL_DATA,
        )
        self.result.keep_series(series, N_("broken row"), f"{self.file}: {game.match_name}")

    def _read_market(
        self, row: Row, market: OddsColumns, game: _Game, points: dict[tuple[Any, ...], SeriesPoint]
    ) -> None:
        """Keep a market as a quote, or put it into ``points`` if it is a statistic."""
        cells = _filled(row, market.columns)
        if not cells:
            return
        prices = list(self._possible(cells))
        reason = _fault(market, prices)
        line = _line(row, market)
        if reason is None and line is None and market.line_column:
            reason = N_("no line")
        if reason is not None:
            if prices:
                if market.statistic:
                    reason = N_(f"{reason} ({market.statistic} odds)")
                self.result.skipped[reason] += len(prices)
            return
        selections = _selections(market, game, line or 0.0)
        if market.statistic is None:
            self._keep(market, game, selections, prices)
            return
        scraped_at = _moment(market, game)
        odds = dict(zip(selections, prices, strict=True))
        kind = market.statistic
        point = SeriesPoint(market.market_type, 0, kind, market.closing, scraped_at, odds)
        if points.setdefault(point.place, point) is not point:
            self.result.skipped[N_("twin column")] += len(prices)

    def _possible(self, cells: Sequence[str]) -> Iterator[float]:
        for cell in cells:
            try:
                price = decimal_odds(_number(cell), american=False)
            except ValueError:
                self.result.skipped[N_("not a number")] += 1
                continue
            if price is None:
                self.result.skipped[N_("impossible price")] += 1
            else:
                yield price

    def _keep(
        self, market: OddsColumns, game: _Game, selections: Sequence[str], prices: list[float]
    ) -> None:
        quote = Quote(
            bookmaker=market.bookmaker,
            match_name=game.match_name,
            competition=game.competition,
            market_type=market.market_type,
            period=0,
            odds=dict(zip(selections, prices, strict=True)),
            scraped_at=_moment(market, game),
            match_date=game.kick_off,
            sport=FOOTBALL,
        )
        self.result.keep_quote(quote, N_("broken row"), f"{self.file}: {game.match_name}")


def _moment(market: OddsColumns, game: _Game) -> int:
    """Return when prices were taken, in milliseconds."""
    scraped_at = game.kick_off if market.closing else game.taken
    assert scraped_at is not None, "a game with closing prices has a kick-off"
    return scraped_at


def _filled(row: Row, columns: Sequence[str]) -> list[str]:
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
        return N_("one side missing")
    overround = sum(1 / price for price in prices)
    least = LEAST_OVERROUND_OF_BEST if market.statistic == "best" else LEAST_OVERROUND
    return None if least <= overround <= MOST_OVERROUND else N_("margin out of range")


def _line(row: Row, market: OddsColumns) -> float | None:
    try:
        line = _number(row.get(market.line_column or "", ""))
    except ValueError:
        return None
    return line if isfinite(line) else None


def _selections(market: OddsColumns, game: _Game, line: float) -> tuple[str, ...]:
    match market.market_type:
        case "moneyline":
            return game.home, "Draw", game.away
        case "total":
            return f"Over {line_text(TOTAL_LINE)}", f"Under {line_text(TOTAL_LINE)}"
        case _:
            return f"{game.home} {signed_text(line)}", f"{game.away} {signed_text(-line)}"


_TUESDAY, _FRIDAY = 1, 4
_MIDWEEK = range(_TUESDAY, _FRIDAY)
_TAKEN_AT = {_TUESDAY: time(13), _FRIDAY: time(17)}


def taken_ms(day: date, latest_ms: int | None) -> int:
    """Return when prices before closing were taken, in milliseconds.

    Friday 17:00 UK for games from Friday to Monday, Tuesday 13:00 for the others, and
    never after ``latest_ms``.
    """
    weekday = _TUESDAY if day.weekday() in _MIDWEEK else _FRIDAY
    taken_on = day - timedelta(days=(day.weekday() - weekday) % 7)
    taken = uk_ms(taken_on, _TAKEN_AT[weekday])
    return taken if latest_ms is None else min(taken, latest_ms)
