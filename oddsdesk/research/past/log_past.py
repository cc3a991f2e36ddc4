"""Markets of the past out of a log whose older rows lie in the archive, for closing lines.

It answers as the database does (``store.queries.as_of``, D71): what stood is what the log last
said of each selection at a moment or before it; where a market was not seen again after that
moment, its present row tells when it was seen last.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from oddsdesk.contract.resources import GameMatrix, MarketMatrix, MatrixRow, ReferenceCell
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.log_closes import LoggedGame
from oddsdesk.pricing.closing import MONEYLINE
from oddsdesk.pricing.pushes import MAY_BE_DRAWN
from oddsdesk.research.export.log import ALWAYS, LogOfAll
from oddsdesk.store.reader import Reader
from oddsdesk.store.spans import LoggedMove

_Market = tuple[str, str, int]
"""Game id, market type, period."""
_Selection = tuple[str, str, int, str]


class LogPast:
    """A ``ledger.log_closes.PastOdds`` of the markets of some bets; it has the reference alone."""

    def __init__(
        self,
        log: LogOfAll,
        reader: Reader,
        reference: str,
        bets: Iterable[PlacedBet],
        progress: Callable[[int], None],
    ) -> None:
        """Read the log once; ``progress`` is called with 0 meanwhile, and may raise to end it.

        Raises:
            ArchiveError, StoreUnavailableError, OSError: something cannot be read.
        """
        self._reference = reference
        self._rows: defaultdict[_Market, list[LoggedMove]] = defaultdict(list)
        self._in_play: defaultdict[_Selection, list[int]] = defaultdict(list)
        self._games: dict[str, LoggedMove] = {}
        self._last_sightings = lru_cache(maxsize=4)(reader.last_sightings)
        keys = [bet.key[:4] for bet in bets]
        markets, selections = {key[:3] for key in keys}, set(keys)
        markets |= {
            (game, MONEYLINE, period) for game, kind, period in markets if kind in MAY_BE_DRAWN
        }
        games = {key[0] for key in keys}
        for rows in log.batches(*ALWAYS):
            progress(0)
            for row in rows:
                if row.game_id in games:
                    self._take(row, markets, selections)

    def game(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return what a game is called; None for one that was not recorded by then."""
        row = self._games.get(game_id)
        return None if row is None else self._matrix(row, [])

    def games_between(self, since_ms: int, until_ms: int) -> Sequence[LoggedGame]:
        """Return none: the bets are of games of this log."""
        return ()

    def market(self, game_id: str, market_type: str, period: int, at_ms: int) -> GameMatrix | None:
        """Return what the reference offered in a market at a moment; None for nothing."""
        key = (game_id, market_type, period)
        rows = [row for row in self._rows.get(key, ()) if row.scraped_at <= at_ms]
        standing = {row.selection: row.odds for row in rows}
        offered = {name: odds for name, odds in standing.items() if odds is not None}
        if not offered:
            return None
        seen = self._last_sightings(game_id).get((self._reference, market_type, period), ())
        told = max([rows[-1].scraped_at, *(each for each in seen if each <= at_ms)])
        selections = [
            MatrixRow(name, ReferenceCell(odds, None, format_ms(told)), {})
            for name, odds in offered.items()
        ]
        named = [self._reference]
        market = MarketMatrix(market_type, period, "", named, format_ms(told), selections)
        return self._matrix(self._games[game_id], [market])

    def seen_in_play(
        self, game_id: str, market_type: str, period: int, selection: str
    ) -> list[int]:
        """Return when a selection's prices moved in play."""
        return self._in_play.get((game_id, market_type, period, selection), [])

    def reference(self) -> str:
        """Return whom bets are judged by."""
        return self._reference

    def reference_moves(
        self,
        game_id: str,
        market_type: str,
        period: int,
        selection: str,
        since_ms: int,
        bookmaker: str = "",
    ) -> list[int]:
        """Return when the reference's price of a selection moved since a moment."""
        rows = self._rows.get((game_id, market_type, period), ())
        times = [row.scraped_at for row in rows if row.selection == selection]
        return [at for at in times if at >= since_ms]

    def _take(self, row: LoggedMove, markets: set[_Market], selections: set[_Selection]) -> None:
        self._games[row.game_id] = row
        market = (row.game_id, row.market_type, row.period)
        if row.bookmaker == self._reference and market in markets:
            self._rows[market].append(row)
        if row.is_live and (*market, row.selection) in selections:
            self._in_play[*market, row.selection].append(row.scraped_at)

    def _matrix(self, row: LoggedMove, markets: list[MarketMatrix]) -> GameMatrix:
        return GameMatrix(
            game_id=row.game_id,
            match_name=row.match_name,
            competition=row.competition,
            sport=row.sport,
            match_date=None if row.match_date is None else format_ms(row.match_date),
            is_live=False,
            all_bookmakers=[self._reference],
            markets=markets,
        )
