"""Bets settled from a file: results by number of bet, or the scores of football games.

Scores are read by football-data's columns: ``Date, HomeTeam, AwayTeam, FTHG, FTAG`` and, for the
halves, ``HTHG, HTAG``; in its files of further leagues ``Date, Home, Away, HG, AG``. Whether a row
is the game of a bet is judged as for odds of several sources (``matching``): football-data's
"Man United" is "Manchester United". What is only alike settles nothing, and is told.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

from oddsdesk.contract.competitions import OTHER
from oddsdesk.contract.identity import teams
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.formula_texts import as_written
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, settled
from oddsdesk.ledger.cells import CellError, fold, read_amount, read_number, read_result
from oddsdesk.matching.games import Match, Side, Verdict, compare_teams, may_be_alike, sides
from oddsdesk.matching.team_names import TeamNames, shipped_names
from oddsdesk.pricing.results import FOOTBALL, Goals, Result, Score, result_of
from oddsdesk.spreadsheets import SheetError, SheetRow, read_sheet

_DAY_MS: Final = 24 * 60 * MINUTE_MS
_APART_MS: Final = _DAY_MS + _DAY_MS // 2
"""A kick-off is this far from noon of the day that a file states, at most."""
_SCORES: Final = (
    ("date", "hometeam", "awayteam", "fthg", "ftag"),
    ("date", "home", "away", "hg", "ag"),
)
_HALVES: Final = ("hthg", "htag")
_MAY_BE_FOOTBALL: Final = (FOOTBALL, OTHER, "")
"""Who records a bet by hand need not say its sport."""
_DATES: Final = ("%d/%m/%Y", "%d/%m/%y", "%Y-%m-%d")


class Settled(NamedTuple):
    """What a file of results says of the bets that are held."""

    bets: list[PlacedBet]
    """Those that it settles, with their results."""
    problems: list[str]
    """One line each: the number of the line, and what was expected there."""
    of_no_bet: int = 0
    """How many games of the file have no open bet."""


class _Game(NamedTuple):
    line: int
    noon_ms: int
    competition: str
    """As the file calls it; empty where it does not."""
    match_name: str
    score: Score


def settle_by_file(data: bytes, bets: Iterable[PlacedBet], now_ms: int) -> Settled:
    """Return the bets that a CSV or XLSX file settles; those with a result keep theirs.

    Raises:
        SheetError: it is no table, or has no results by its titles.
    """
    titles, rows = read_sheet(data)
    named = {fold(title): title for title in titles}
    held = list(bets)
    if {"bet", "result"} <= set(named):
        return _by_number(rows, named, held, now_ms)
    for columns in _SCORES:
        if set(columns) <= set(named):
            return _by_score(rows, named, columns, held, now_ms)
    raise SheetError(
        "has no results: expected columns bet, result, or Date, HomeTeam, AwayTeam, FTHG, FTAG"
    )


def _by_number(
    rows: Sequence[SheetRow],
    named: Mapping[str, str],
    bets: Sequence[PlacedBet],
    now_ms: int,
) -> Settled:
    held = {bet.ident: bet for bet in bets}
    found = Settled([], [])
    for row in rows:
        told = {key: as_written(row.cells.get(title, "")) for key, title in named.items()}
        try:
            bet = held.get(round(read_number("bet", told["bet"])))
            if bet is None:
                raise CellError(f"there is no bet {told['bet']}")
            result = read_result(told["result"])
            if result is None or bet.result is result:
                continue
            if bet.result is not None:
                kept = bet.result.value.replace("_", " ")
                raise CellError(f"bet {bet.ident} has a result already: {kept}")
            ended = _ended(bet, result, told, now_ms)
        except (CellError, BadBetError) as error:
            found.problems.append(f"line {row.number}: {error}")
            continue
        held[bet.ident] = ended
        found.bets.append(ended)
    return found


def _ended(bet: PlacedBet, result: Result, told: Mapping[str, str], now_ms: int) -> PlacedBet:
    if result is not Result.CASHED_OUT:
        return settled(bet, result, now_ms)
    back = read_amount("cashed_back", told.get("cashedback", ""))
    return cashed_out(bet, bet.open_stake, back - bet.cashed_back, now_ms)


def _by_score(
    rows: Sequence[SheetRow],
    named: Mapping[str, str],
    columns: Sequence[str],
    bets: Sequence[PlacedBet],
    now_ms: int,
) -> Settled:
    problems: list[str] = []
    games: list[_Game] = []
    for row in rows:
        told = {key: row.cells.get(title, "") for key, title in named.items()}
        try:
            game = _game(row.number, told, columns)
        except ValueError as error:
            problems.append(f"line {row.number}: {error}")
            continue
        if game is not None:
            games.append(game)
    found, ended, wanted = _Games(games, shipped_names()), [], set[int]()
    for bet in bets:
        if bet.result is not None:
            continue
        try:
            game = found.of(bet)
        except _UnsureError as unsure:
            wanted.add(unsure.line)
            problems.append(str(unsure))
            continue
        if game is None:
            continue
        wanted.add(game.line)
        result = result_of(bet.market_type, bet.period, bet.match_name, bet.selection, game.score)
        if result is None:
            problems.append(
                f"line {game.line}: does not tell how bet {bet.ident} ended, "
                f"{bet.selection} ({bet.market_type or 'market unknown'})"
            )
        else:
            ended.append(settled(bet, result, now_ms))
    return Settled(ended, problems, len(games) - len(wanted))


def _game(line: int, told: Mapping[str, str], columns: Sequence[str]) -> _Game | None:
    """Return a game with its score, None for one that was not played yet.

    Raises:
        ValueError: the row makes no sense; says what was expected.
    """
    date, home, away, *goals = (told[column] for column in columns)
    if not (home and away):
        raise ValueError("expected the names of both teams")
    if not any(goals):
        return None
    half = None
    if all(told.get(each) for each in _HALVES):
        half = Goals(*(_goals(told[each]) for each in _HALVES))
    league = " - ".join(filter(None, (told.get("country"), told.get("league"))))
    score = Score(Goals(*map(_goals, goals)), half)
    return _Game(line, _noon_ms(date), told.get("div") or league, f"{home} vs {away}", score)


def _goals(text: str) -> int:
    number = read_number("goals", text)
    if number < 0 or not number.is_integer():
        raise ValueError(f"goals {text!r}: expected a number such as 2")
    return int(number)


def _noon_ms(text: str) -> int:
    for form in _DATES:
        try:
            day = datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
        return round(day.timestamp() * 1000) + _DAY_MS // 2
    raise ValueError(f"expected a date such as 16/08/2024, got {text!r}")


class _UnsureError(Exception):
    """A line may be about the game of a bet; says so."""

    def __init__(self, game: _Game, bet: PlacedBet, *, is_crosswise: bool) -> None:
        of = f"that of bet {bet.ident}, {bet.match_name}"
        what = f"is {of}, the other way round" if is_crosswise else f"may be {of}"
        super().__init__(f"line {game.line}: {game.match_name} {what}: settle it by hand")
        self.line = game.line


class _Games:
    """The games of a file, asked for that of a bet: the same teams, on the day of its kick-off."""

    def __init__(self, games: Iterable[_Game], names: TeamNames) -> None:
        self._names = names
        self._by_day = defaultdict[int, list[_Game]](list)
        for game in games:
            self._by_day[game.noon_ms // _DAY_MS].append(game)
        self._sides = lru_cache(maxsize=1 << 14)(self._find_sides)

    def of(self, bet: PlacedBet) -> _Game | None:
        """Return the game of a bet, None where the file has none.

        Raises:
            _UnsureError: a game may be it.
        """
        if teams(bet.match_name) is None or bet.sport not in _MAY_BE_FOOTBALL:
            return None
        near = sorted(self._near(bet.order[0]), key=lambda game: abs(game.noon_ms - bet.order[0]))
        alike = None
        for game in near:
            found = self._compare(bet, game)
            if found.verdict is Verdict.SAME and not found.is_crosswise:
                return game
            if found.verdict is not Verdict.OTHER and alike is None:
                alike = _UnsureError(game, bet, is_crosswise=found.is_crosswise)
        if alike is not None:
            raise alike
        return None

    def _near(self, at: int) -> Iterator[_Game]:
        for day in range((at - _APART_MS) // _DAY_MS, (at + _APART_MS) // _DAY_MS + 1):
            for game in self._by_day.get(day, ()):
                if abs(game.noon_ms - at) <= _APART_MS:
                    yield game

    def _compare(self, bet: PlacedBet, game: _Game) -> Match:
        other = Match(Verdict.OTHER)
        place = self._place(bet.competition, game.competition)
        if place is None:
            return other
        ours, theirs = self._sides(place, bet.match_name), self._sides(place, game.match_name)
        if ours is None or theirs is None or not may_be_alike(ours, theirs):
            return other
        pair, named = teams(bet.match_name), teams(game.match_name)
        assert pair is not None
        assert named is not None
        found = compare_teams(self._names, place, pair, named)
        if found.verdict is Verdict.ALIKE and _are_known_apart(ours, theirs, found):
            return other
        return found

    def _place(self, ours: str, theirs: str) -> str | None:
        """Return the competition that two names are compared in, None where it is not one."""
        names = self._names
        known = {names.competition(each) for each in (ours, theirs) if names.knows(each)}
        if len(known) > 1:
            return None
        return known.pop() if known else ours or theirs

    def _find_sides(self, place: str, match_name: str) -> tuple[Side, Side] | None:
        return sides(self._names, place, match_name)


def _are_known_apart(ours: tuple[Side, Side], theirs: tuple[Side, Side], found: Match) -> bool:
    """Whether the table has two teams for what is alike: ``Man United`` and ``Man City``."""
    named = (theirs[1], theirs[0]) if found.is_crosswise else theirs
    return any(
        one.key != other.key and one.key[0] and other.key[0]
        for one, other in zip(ours, named, strict=True)
    )
