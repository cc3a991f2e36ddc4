"""A whole season in seconds: 380 games with prices, scores in play, results and postponements.

A ``Season`` is made up from a seed: 20 teams, home and away, on 38 weekends. It has no clock and no
server, so a test can place bets at its prices and compute by itself how they ended:

    season = Season(seed=1)
    game = season.games[0]
    game.odds("moneyline", "Arsenal")          # the closing price of ``BOOKMAKERS[0]``
    game.final                                 # GameResult: the score, by half; None if cancelled

``play`` sends it to a running server (``LiveService``) as a program of the user does, by ``POST
/ingest``, and moves the server's clock along. Nothing waits for real time. ``between`` is awaited
after each moment, with the time in milliseconds: settle there, or look at answers.

    played = await season.play(service, between=settle_what_ended)
    assert played.finals == 380 - len(season.cancelled)

The season lies in the past (2024/25), so that other programs with the real clock can read the same
database. Prices come a day and five minutes before the kick-off. Eight games are postponed, two
hours before it: four are played days later, two on the same day two hours late, and two are
cancelled.
"""

import itertools
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote, quote_line
from oddsdesk.contract.results import GameResult, GameStatus, Reported, result_line
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.feeds.simulator.contests import Race
from tests.kit.live_service import LiveService

HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
COMPETITION: Final = "EPL"
BEGINS: Final = parse_ms("2024-08-17T14:00:00Z")
BOOKMAKERS: Final = ("Pinnacle", "Bet365", "Unibet")
TEAMS: Final = (
    *("Liverpool", "Arsenal", "Manchester City", "Chelsea", "Newcastle United", "Aston Villa"),
    *("Nottingham Forest", "Brighton", "Bournemouth", "Brentford", "Fulham", "Crystal Palace"),
    *("Everton", "West Ham United", "Manchester United", "Wolverhampton", "Tottenham"),
    *("Leicester City", "Ipswich Town", "Southampton"),
)
"""From strong to weak."""
_MARGINS: Final = (0.02, 0.05, 0.06)
_POSTPONED: Final = 0.02
_STEP_MS: Final = 3 * MINUTE_MS


class Moment(NamedTuple):
    """What a program sends at one time, in milliseconds."""

    at_ms: int
    reported: Sequence[Reported]


class Played(NamedTuple):
    """What the server confirmed."""

    quotes: int
    results: int
    finals: int
    postponed: int
    cancelled: int
    seconds: float


class SeasonGame:
    """A game; times in milliseconds."""

    def __init__(self, home: str, away: str, kick_off: int, random: Random) -> None:
        self.home, self.away = home, away
        self.match_name = f"{home} vs {away}"
        self.kick_off = kick_off
        """As first planned."""
        self.moved_to: int | None = None
        """When a postponed game is played; None if it is not postponed, or cancelled."""
        self.is_cancelled = False
        ratings = [1 - 2 * TEAMS.index(team) / (len(TEAMS) - 1) for team in (home, away)]
        self._race = Race("Football", (home, away), (ratings[0], ratings[1]), [])
        self._fair = self._race.markets(live=False)
        self._priced: dict[int, dict[tuple[str, int], dict[str, float]]] = {}
        self.half_time, self.full_time = self._played(random)

    @property
    def is_postponed(self) -> bool:
        """Whether it is not played when first planned."""
        return self.moved_to is not None or self.is_cancelled

    @property
    def played_at(self) -> int | None:
        """When it kicks off in the end; None if it is cancelled."""
        return None if self.is_cancelled else self.moved_to or self.kick_off

    @property
    def final(self) -> GameResult | None:
        """How it ended; None if it is cancelled."""
        at_ms = self.played_at
        return None if at_ms is None else self._at(at_ms, self.full_time)

    def odds(self, market_type: str, selection: str, period: int = 0, *, book: int = 0) -> float:
        """Return the closing price of a bookmaker, by its place in ``BOOKMAKERS``.

        Raises:
            KeyError: no such selection.
        """
        return self._prices(book)[market_type, period][selection]

    def selections(self, market_type: str, period: int = 0) -> list[str]:
        """Return what can be bet on in a market."""
        return list(self._prices(0)[market_type, period])

    def markets(self) -> list[tuple[str, int]]:
        """Return the market types and periods that are priced."""
        return list(self._prices(0))

    def moments(self) -> Iterator[Moment]:
        """Yield what is sent of the game, in order."""
        if self.is_postponed:
            yield Moment(self.kick_off - DAY_MS, self._quotes(self.kick_off, DAY_MS))
            known = self.kick_off - 2 * HOUR_MS
            stopped = self._status(GameStatus.POSTPONED, known)
            withdrawn = [_without_odds(each, known) for each in self._quotes(self.kick_off, 0)]
            yield Moment(known, [*withdrawn, stopped])
            if self.is_cancelled:
                yield Moment(known + DAY_MS, [self._status(GameStatus.CANCELLED, known + DAY_MS)])
        at_ms = self.played_at
        if at_ms is None:
            return
        if not self.is_postponed or at_ms - self.kick_off > DAY_MS:
            yield Moment(at_ms - DAY_MS, self._quotes(at_ms, DAY_MS))
        yield Moment(at_ms - 5 * MINUTE_MS, self._quotes(at_ms, 5 * MINUTE_MS))
        yield Moment(at_ms, [_without_odds(each, at_ms) for each in self._quotes(at_ms, 0)])
        yield Moment(at_ms + 60 * MINUTE_MS, [self._at(at_ms, self.half_time)])
        yield Moment(at_ms + 115 * MINUTE_MS, [self._at(at_ms, self.full_time)])

    def _played(self, random: Random) -> tuple[GameResult, GameResult]:
        """Return the result at half time and at the end, of a game at time 0."""
        half_time, at_ms = None, 0
        while not self._race.over:
            at_ms += _STEP_MS
            self._race.play(random, at_ms)
            if half_time is None and at_ms >= 60 * MINUTE_MS:
                half_time = self._race.standing()
        assert half_time is not None
        reported = (
            GameResult(
                COMPETITION,
                self.match_name,
                0,
                each.home,
                each.away,
                each.periods,
                status=each.status,
                overtime=each.overtime,
                reported_at=reported_at,
            )
            for each, reported_at in (
                (half_time, 60 * MINUTE_MS),
                (self._race.standing(), 115 * MINUTE_MS),
            )
        )
        return next(reported), next(reported)

    def _at(self, kick_off: int, result: GameResult) -> GameResult:
        reported_at = kick_off + result.reported_at
        return msgspec.structs.replace(result, kick_off=kick_off, reported_at=reported_at)

    def _status(self, status: GameStatus, now_ms: int) -> GameResult:
        return GameResult(
            COMPETITION, self.match_name, self.kick_off, status=status, reported_at=now_ms
        )

    def _prices(self, book: int) -> dict[tuple[str, int], dict[str, float]]:
        found = self._priced.setdefault(book, {})
        if found:
            return found
        margin = _MARGINS[book]
        for key, groups in self._fair.items():
            for group in groups:
                for name, chance in zip(group.selections, group.probabilities, strict=True):
                    price = round(min(max(1 / (chance * (1 + margin)), 1.01), 100.0), 2)
                    found.setdefault((key.market_type, key.period), {})[name] = price
        return found

    def _quotes(self, kick_off: int, before_ms: int) -> list[Quote]:
        return [
            Quote(
                bookmaker,
                self.match_name,
                COMPETITION,
                market_type,
                period,
                odds,
                kick_off - before_ms,
                match_date=kick_off,
            )
            for book, bookmaker in enumerate(BOOKMAKERS)
            for (market_type, period), odds in self._prices(book).items()
        ]


class Season:
    """380 games, the same for a seed."""

    def __init__(self, seed: int = 1) -> None:
        random = Random(seed)
        self.games = [
            SeasonGame(home, away, BEGINS + week * 7 * DAY_MS + place % 5 * 2 * HOUR_MS, random)
            for week, pairs in enumerate(_double_round_robin(TEAMS))
            for place, (home, away) in enumerate(pairs)
        ]
        count = round(len(self.games) * _POSTPONED)
        for place, game in enumerate(random.sample(self.games, count)):
            if place % 4 == 3:
                game.is_cancelled = True
            else:
                soon = place % 4 == 2
                game.moved_to = game.kick_off + (2 * HOUR_MS if soon else (2 + place) * DAY_MS)

    @property
    def postponed(self) -> list[SeasonGame]:
        """Games that are not played when first planned, the cancelled ones included."""
        return [game for game in self.games if game.is_postponed]

    @property
    def cancelled(self) -> list[SeasonGame]:
        """Games that are never played."""
        return [game for game in self.games if game.is_cancelled]

    def moments(self) -> Iterator[Moment]:
        """Yield what is sent at each time, in order."""
        moments = sorted(
            (moment for game in self.games for moment in game.moments()), key=lambda each: each[0]
        )
        for at_ms, together in itertools.groupby(moments, key=lambda moment: moment.at_ms):
            yield Moment(at_ms, [each for moment in together for each in moment.reported])

    async def play(
        self,
        service: LiveService,
        between: Callable[[int], Awaitable[None]] | None = None,
        until_ms: int | None = None,
    ) -> Played:
        """Send the season to a running server, and move its clock.

        Args:
            service: A server that was started.
            between: Awaited after each moment, with its time.
            until_ms: Where to end; None for the whole season.
        """
        began, counts, statuses = time.monotonic(), [0, 0], list[GameStatus]()
        key = service.access.keys.create("season", Plan.PRO, None, service.now, may_write=True)
        headers = {"X-Api-Key": key.secret}
        for at_ms, reported in self.moments():
            if until_ms is not None and at_ms > until_ms:
                break
            service.now = at_ms
            results = [each for each in reported if isinstance(each, GameResult)]
            quotes = [each for each in reported if isinstance(each, Quote)]
            lines = [*map(quote_line, quotes), *map(result_line, results)]
            answer = await service.http.post("/ingest", content=b"\n".join(lines), headers=headers)
            assert answer.status_code == 200, answer.text
            answered = answer.json()
            assert not answered["rejected"], answered["rejected"][:3]
            counts[0] += answered["accepted"]
            counts[1] += answered.get("results", 0)
            statuses += [each.status for each in results]
            if between is not None:
                await between(at_ms)
        finals, postponed, cancelled = (
            statuses.count(each)
            for each in (GameStatus.FINAL, GameStatus.POSTPONED, GameStatus.CANCELLED)
        )
        seconds = time.monotonic() - began
        return Played(*counts, finals, postponed, cancelled, seconds)


def _without_odds(quote: Quote, now_ms: int) -> Quote:
    return msgspec.structs.replace(quote, odds={}, scraped_at=now_ms)


def _double_round_robin(teams: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Yield the pairs of each weekend, by the circle method; the second half swaps the homes."""
    fixed, *others = teams
    half: list[list[tuple[str, str]]] = []
    for week in range(len(others)):
        turned = [fixed, *others[week:], *others[:week]]
        pairs = list(zip(turned[: len(turned) // 2], reversed(turned), strict=False))
        half.append(
            [pair if (week + place) % 2 else pair[::-1] for place, pair in enumerate(pairs)]
        )
    yield from half
    yield from ([(away, home) for home, away in pairs] for pairs in half)
