"""Reading the odds, on whatever engine there is, and what is recorded about the database itself."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.market import Prices
from oddsdesk.pricing.results import Score
from oddsdesk.store.bookmaker_names import name_among
from oddsdesk.store.origins import FORBIDDING
from oddsdesk.store.queries import conditions, results, standing, valuation
from oddsdesk.store.queries.answers import Answers
from oddsdesk.store.queries.value_bets import ODDS_AGE_MS
from oddsdesk.store.settings import (
    LAST_MADE_UP_GAME,
    LAST_REAL_AT,
    LAST_SHIFTED_AT,
    LAST_SIMULATED_AT,
    SOURCE,
)
from oddsdesk.store.values import DatedGame, MarketKey, StandingQuote, ValuedGame, ValuedMarket

LONGEST_WINDOW_MS: Final = 60 * MINUTE_MS
_REAL_GAMES: Final = """
SELECT game_id, kickoff, sport, competition, match_name FROM game
WHERE kickoff BETWEEN :since AND :until AND id > :last
"""
_MADE_UP: Final = "SELECT count(*) FROM game WHERE id <= :last AND game_id {}"
_IS_UNPRICED: Final = """
SELECT EXISTS (SELECT 1 FROM game JOIN coverage c ON c.game = game.id WHERE game.recent)
    AND NOT EXISTS (
        SELECT 1 FROM game JOIN coverage c ON c.game = game.id AND c.bookmaker = :reference
        WHERE game.recent
    )
"""
_LISTED_MS: Final = ODDS_AGE_MS + CLOCK_TOLERANCE_MS
"""For so long after it was recorded a price may be listed, or a value bet that rests on it."""
_LAST_STANDING: Final = """
SELECT max(CASE WHEN g.last_scraped_at <= :until THEN g.last_scraped_at ELSE (
    SELECT max({newest}) FROM coverage c WHERE c.game = g.id
) END) FROM game g WHERE g.recent
"""
_BOOKMAKERS: Final = "SELECT DISTINCT bookmaker FROM source ORDER BY bookmaker"


class Reader(Answers, ABC):
    """Read-only; for the thread that got it from ``Store.reader``.

    Every method raises ``StoreUnavailableError`` where the database cannot be read now, and
    those with a ``cursor`` raise ``BadCursorError``. Times are milliseconds.
    """

    @property
    @abstractmethod
    def shards(self) -> int:
        """Into how many shards the log is divided, each numbered on its own; a file has one."""

    def market_prices(self, game: int, market_type: str, period: int) -> list[Prices]:
        """Return what every bookmaker says of a market, whatever its age, by name."""
        return valuation.market_prices(self._select, game, market_type, period, self._share)

    def prices_of(
        self, asked: Mapping[MarketKey, Collection[str]]
    ) -> dict[MarketKey, list[Prices]]:
        """Return what some bookmakers say of each market, whatever its age."""
        return valuation.prices_of(self._select, asked, self._share)

    def standing_quotes(self, now_ms: int, age_ms: int) -> list[StandingQuote]:
        """Return the present quotes of all games that are of no more than an age now."""
        return standing.standing_quotes(self._select, conditions.standing(now_ms, age_ms))

    def priced_draws(self, since: int) -> set[tuple[str, str, int]]:
        """Return whose draw in a moneyline moved, came or went since: game id, bookmaker, period.

        One that such a bookmaker does not price now is missing (D48).
        """
        return standing.priced_draws(self._select, since)

    def games_to_value(self, since: int) -> list[ValuedGame]:
        """Return the games that the valuation has to look at, for prices scraped since then."""
        return valuation.games_to_value(self._select, since)

    def markets_to_value(self, game: int) -> list[ValuedMarket]:
        """Return the markets of a game that may hold value bets, with their prices."""
        return valuation.markets_to_value(self._select, self._reference, game, self._share)

    def bookmakers_that_drew(self, game: int, period: int, since: int) -> set[str]:
        """Return whose draw in a moneyline of a game, given by its row, moved, came or went."""
        return valuation.bookmakers_that_drew(self._select, game, period, since)

    def moneylines_like(
        self, game: int, bookmakers: Iterable[str], since: int
    ) -> list[tuple[str, str, dict[str, float]]]:
        """Return bookmakers' moneylines in a game's competition: match name, bookmaker, odds."""
        return valuation.moneylines_like(self._select, game, bookmakers, since)

    def scores(self) -> dict[str, Score]:
        """Return how games ended, by id, as far as a feed told it."""
        return results.scores(self._select)

    def score_named(self, competition: str, match_name: str, kick_off: int) -> Score | None:
        """Return how a game ended that the database has nothing else of, by name and kick-off."""
        return results.score_named(self._select, competition, match_name, kick_off)

    def real_games_between(self, since_ms: int, until_ms: int) -> list[DatedGame]:
        """Return the games that began from a time to another, but for simulated ones."""
        if self._setting(LAST_REAL_AT) is None and self._setting(LAST_SIMULATED_AT) is not None:
            return []
        last = self._setting(LAST_MADE_UP_GAME) or 0
        asked = {"last": last, "since": since_ms, "until": until_ms}
        held, older = [DatedGame(*row) for row in self._select(_REAL_GAMES, asked)], self._older()
        if older is None:
            return held
        made_up = tuple(map(self.last_made_up, range(self.shards)))
        known = {game.game_id for game in held}
        found = older.forgotten_games(since_ms, until_ms + 1, made_up)
        return [*held, *(game for game in found if game.game_id not in known)]

    def last_scraped_at(self) -> int | None:
        """Return the newest ``scraped_at`` of all prices."""
        return self._select(self._select.sql.reader.last_scraped_at)[0][0] or None

    def last_standing(self, now_ms: int) -> int | None:
        """Return the newest ``scraped_at`` of prices that stand now, ``now_ms`` at most (D84)."""
        until = now_ms + CLOCK_TOLERANCE_MS
        last = self.last_scraped_at()
        if last is not None and last > until:  # seldom: it looks at each recent game
            query = _LAST_STANDING.format(newest=conditions.NEWEST_OF_PAIR)
            last = self._select(query, {"until": until})[0][0]
        return min(last, now_ms) if last else None

    def newest_price(self) -> int | None:
        """Return the time of the newest price of all, withdrawn or not."""
        return int(self._select(self._select.sql.reader.newest_price)[0][0]) or None

    def bookmaker_name(self, said: str) -> str:
        """Return what the database calls a bookmaker that somebody names in their own way (D70)."""
        return name_among(self.recorded_bookmakers(), said)

    def recorded_bookmakers(self) -> list[str]:
        """Return the names of all bookmakers that ever priced anything, in their order."""
        return [name for (name,) in self._select(_BOOKMAKERS)]

    def is_simulated(self, now_ms: int) -> bool:
        """Whether lists of fresh prices may still hold simulated ones."""
        return self._may_stand(LAST_SIMULATED_AT, now_ms)

    def is_shifted(self, now_ms: int) -> bool:
        """Whether they may still hold old ones whose times were moved; also of a past moment.

        From where on is not known: what is moved at once may be months long.
        """
        return self._may_stand(LAST_SHIFTED_AT, now_ms)

    def made_up_among(self, game_ids: Sequence[str]) -> int:
        """Return how many of some games were simulated: real odds have games of their own."""
        if self._setting(LAST_REAL_AT) is None:
            return 0 if self._setting(LAST_SIMULATED_AT) is None else len(game_ids)
        last = self._setting(LAST_MADE_UP_GAME)
        if not last or not game_ids:
            return 0
        query = _MADE_UP.format(self._select.sql.conditions.is_one_of.format("game_ids"))
        asked = {"last": last, "game_ids": self._select.listed(sorted(game_ids))}
        return int(self._select(query, asked)[0][0])

    def unpriced_reference(self) -> str | None:
        """Return the reference's name where others price recent games, and it none; else None."""
        ((is_unpriced,),) = self._select(_IS_UNPRICED, {"reference": self._reference})
        return self._reference if is_unpriced else None

    def sources(self, now_ms: int) -> list[str]:
        """Return whose prices lists of fresh ones may hold, as far as sources are known (D66)."""
        since = {"since": now_ms - LONGEST_WINDOW_MS}
        told = self._select(self._select.sql.reader.sources, since)
        names = sorted(str(key).removeprefix(SOURCE) for (key,) in told)
        if self._share is None:
            return names
        return [name for name in names if name in self._share or name not in FORBIDDING]

    def holds_real_odds(self) -> bool:
        """Whether prices that are not simulated were ever recorded."""
        return self._setting(LAST_REAL_AT) is not None

    def _may_stand(self, recorded_at: str, now_ms: int) -> bool:
        """Whether fresh prices may be of a kind that a setting says was recorded last then."""
        last, real = self._setting(recorded_at), self._setting(LAST_REAL_AT)
        if not last:
            return False
        return real is None or last >= real or last >= now_ms - _LISTED_MS
