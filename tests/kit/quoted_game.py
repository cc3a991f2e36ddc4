"""A game that is quoted on a board of its own, for tests of the desk."""

from collections.abc import Mapping

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import (
    BookOddsCell,
    GameMatrix,
    MarketMatrix,
    MatrixRow,
    OddsRow,
    Offer,
    PriceMessage,
    ReferenceCell,
)
from oddsdesk.contract.times import format_ms

NOW_MS = 1_776_340_800_000
REFERENCE = "Pinnacle"
_PERIODS = ("Full Time", "1st Half", "2nd Half")


class Clock:
    """A clock that tests turn."""

    def __init__(self) -> None:
        self.now = NOW_MS

    def __call__(self) -> int:
        return self.now


class QuotedGame:
    """Everton v Liverpool on a board of its own; tests quote, load and move its prices."""

    name, competition = "Everton - Liverpool", "EPL"
    id = game_id(competition, name)
    WHOLE = "Over 3.0"

    def __init__(self) -> None:
        self.clock = Clock()
        self.kick_off = NOW_MS + 241_200_000
        self.board = Board(self.clock)
        self._markets: dict[tuple[str, int], dict[str, dict[str, float]]] = {}

    def quote(
        self, market_type: str, prices: Mapping[str, Mapping[str, float]], period: int = 0
    ) -> None:
        """Set the prices of a market: selection -> bookmaker -> odds."""
        market = self._markets.setdefault((market_type, period), {})
        for selection, odds in prices.items():
            market[selection] = dict(odds)

    def load(self) -> None:
        """Let the board read the whole picture."""
        names = {name for rows in self._markets.values() for row in rows.values() for name in row}
        exhaust(
            self.board.merge_matrix(
                GameMatrix(
                    self.id,
                    self.name,
                    self.competition,
                    "Football",
                    format_ms(self.kick_off),
                    False,
                    sorted(names),
                    [self._market(*key, rows) for key, rows in self._markets.items()],
                )
            )
        )

    def tell(
        self,
        bookmaker: str,
        market_type: str,
        selection: str,
        odds: float,
        period: int = 0,
        *,
        is_live: bool = False,
    ) -> None:
        """Let the stream tell of a price, scraped now.

        As bookmakers do, it lowers its other sides where its line would be below 100 %.
        """
        others = self._lowered(bookmaker, (market_type, period), selection, odds)
        self.board.apply_all(
            [
                PriceMessage(
                    bookmaker,
                    self.name,
                    self.competition,
                    "Football",
                    market_type,
                    name,
                    price,
                    period,
                    is_live,
                    format_ms(self.clock.now),
                )
                for name, price in {**others, selection: odds}.items()
            ]
        )

    def tell_books(
        self, bookmaker: str, market_type: str, books: Mapping[str, Offer], period: int = 0
    ) -> None:
        """Let an exchange tell of both sides of its books, by selection, scraped now.

        Where it says no levels to back, its odds are 0.05 below those to lay.
        """
        row = OddsRow(
            bookmaker=bookmaker,
            match_name=self.name,
            competition=self.competition,
            sport="Football",
            market_type=market_type,
            period=period,
            is_live=False,
            odds={
                name: book.back[0][0] if book.back else book.lay[0][0] - 0.05
                for name, book in books.items()
            },
            match_date=None,
            scraped_at=format_ms(self.clock.now),
            url=None,
            liquidity=None,
            offers=dict(books),
        )
        exhaust(self.board.merge_rows([row]))

    def _lowered(
        self, bookmaker: str, market: tuple[str, int], selection: str, odds: float
    ) -> dict[str, float]:
        """Return the other sides of a bookmaker's line as they must be next to a price."""
        held = self.board.matrix(self.id)
        for section in () if held is None or bookmaker == REFERENCE else held.sections:
            names = [row.selection for row in section.rows]
            if section.key[:2] != market or selection not in names or not section.complete:
                continue
            prices = {row.selection: row.prices.get(bookmaker) for row in section.rows}
            others = {
                name: price.odds
                for name, price in prices.items()
                if name != selection and price is not None and price.withdrawn_at is None
            }
            implied = sum(1 / price for price in others.values())
            if len(others) == len(names) - 1 and 1 / odds + implied < 1:
                rise = (1.005 - 1 / odds) / implied
                return {name: round(price / rise, 2) for name, price in others.items()}
        return {}

    def tell_of_whole_line(self, odds: float, bookmaker: str = "Matchbook") -> None:
        """Let a total be bet on that may be hit: nothing tells how likely 3 goals are."""
        for selection in (self.WHOLE, "Under 3.0"):
            self.tell(REFERENCE, "total", selection, 1.94)
        self.tell(bookmaker, "total", self.WHOLE, odds)

    def tell_beside_whole_line(self) -> None:
        """Let the reference bet on 3.5 too: 3 goals are as likely as 2.5 and 3.5 leave."""
        for selection, odds in (("Over 3.5", 2.80), ("Under 3.5", 1.46)):
            self.tell(REFERENCE, "total", selection, odds)

    def _market(
        self, market_type: str, period: int, rows: Mapping[str, Mapping[str, float]]
    ) -> MarketMatrix:
        seen = format_ms(self.clock.now)
        quoting = sorted({name for row in rows.values() for name in row} - {REFERENCE})
        lines = []
        for selection, odds in rows.items():
            sharp = odds.get(REFERENCE)
            books = {
                name: BookOddsCell(odds[name], seen, f"https://{name.lower()}.example/{selection}")
                if name in odds
                else None
                for name in quoting
            }
            cell = None if sharp is None else ReferenceCell(sharp, 12_000.0, seen)
            lines.append(MatrixRow(selection, cell, books))
        return MarketMatrix(market_type, period, _PERIODS[period], quoting, seen, lines)
