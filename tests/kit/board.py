"""What the board's tests speak: games, pictures and messages in a few words."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import UNSET

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, RowKey, SectionKey
from oddsdesk.board.model.notices import Notice
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import (
    BookOddsCell,
    Game,
    GameMatrix,
    MarketMatrix,
    MatrixRow,
    OddsRow,
    PriceMessage,
    ReferenceCell,
    ValueBet,
)
from oddsdesk.contract.times import format_ms

NOW = 1_795_000_000_000
NAME = "Arsenal - Chelsea"
GAME = game_id("EPL", NAME)
REFERENCE = "Pinnacle"
DRAW = CellKey("moneyline", 0, "Draw", "Betfair")
RESULT = SectionKey("moneyline", 0, "")

Odds = Mapping[str, Mapping[str, float]]
"""By bookmaker, then selection."""

MONEYLINE: Odds = {
    REFERENCE: {"Arsenal": 2.0, "Draw": 3.6, "Chelsea": 4.0},
    "Betfair": {"Arsenal": 2.06, "Draw": 3.5, "Chelsea": 4.1},
    "Unibet": {"Arsenal": 1.95, "Draw": 3.7, "Chelsea": 4.1},
}


class Desk:
    """A board, its clock and the notices it gave."""

    def __init__(self, go_through: Callable[[Iterator[None]], None] = exhaust) -> None:
        self.now = NOW
        self.board = Board(lambda: self.now, go_through=go_through)
        self.notices: list[Notice] = []
        self.board.subscribe(self.notices.append)

    def heard(self) -> list[Notice]:
        """Return the notices since the last call."""
        heard, self.notices[:] = list(self.notices), []
        return heard


def row_key(selection: str, bookmaker: str, market_type: str = "moneyline") -> RowKey:
    """A price of the game."""
    return RowKey(GAME, market_type, 0, selection, bookmaker)


def matrix(odds: Odds = MONEYLINE, at: int = NOW, **more: Any) -> GameMatrix:
    """A picture of one market; ``market_type`` may differ, and what ``picture`` says."""
    return picture({more.pop("market_type", "moneyline"): odds}, at, **more)


def picture(markets: Mapping[str, Odds], at: int = NOW, **more: Any) -> GameMatrix:
    """A picture by market type; name, competition, sport, kick-off and state may differ."""
    fields = {
        "name": NAME,
        "competition": "EPL",
        "sport": "Football",
        "kick_off": NOW + 3_600_000,
        "is_live": False,
        **more,
    }
    return GameMatrix(
        game_id=game_id(fields["competition"], fields["name"]),
        match_name=fields["name"],
        competition=fields["competition"],
        sport=fields["sport"],
        match_date=format_ms(fields["kick_off"]),
        is_live=fields["is_live"],
        all_bookmakers=sorted({name for odds in markets.values() for name in odds}),
        markets=[market_matrix(odds, at, market_type) for market_type, odds in markets.items()],
    )


def market_matrix(odds: Odds, at: int = NOW, market_type: str = "moneyline") -> MarketMatrix:
    """One market of a picture; the reference goes into its own cells."""
    time = format_ms(at)
    books = sorted(set(odds) - {REFERENCE})
    selections = dict.fromkeys(name for quoted in odds.values() for name in quoted)

    def row(selection: str) -> MatrixRow:
        reference = odds.get(REFERENCE, {}).get(selection)
        return MatrixRow(
            selection,
            None if reference is None else ReferenceCell(reference, 500.0, time),
            {
                book: BookOddsCell(odds[book][selection], time, f"https://{book}.example")
                if selection in odds[book]
                else None
                for book in books
            },
        )

    return MarketMatrix(market_type, 0, "Full Time", books, time, [row(s) for s in selections])


def message(selection: str, odds: float, at: int = NOW + 1000, **more: Any) -> PriceMessage:
    """A stream message, Betfair's unless ``bookmaker`` says otherwise."""
    bookmaker = more.pop("bookmaker", "Betfair")
    fields: dict[str, Any] = {
        "match_name": NAME,
        "competition": "EPL",
        "sport": "Football",
        "market_type": "moneyline",
        "period": 0,
        "is_live": False,
        **more,
    }
    return PriceMessage(
        bookmaker=bookmaker,
        selection=selection,
        odds=odds,
        scraped_at=format_ms(at),
        liquidity=None if bookmaker == REFERENCE else UNSET,
        **fields,
    )


def odds_row(bookmaker: str, odds: dict[str, float], at: int = NOW, **more: Any) -> OddsRow:
    """An odds row of the moneyline."""
    fields: dict[str, Any] = {
        "match_name": NAME,
        "competition": "EPL",
        "sport": "Football",
        "market_type": "moneyline",
        "period": 0,
        "is_live": False,
        "match_date": None,
        "url": None,
        "liquidity": 500.0 if bookmaker == REFERENCE else None,
        **more,
    }
    return OddsRow(bookmaker=bookmaker, odds=odds, scraped_at=format_ms(at), **fields)


def value_bet(**more: Any) -> ValueBet:
    """The worked bet: 2.15 against 2.05 and 1.88, whose true EV is 1.7 %."""
    fields: dict[str, Any] = {
        "match_name": NAME,
        "selection": "Over 2.5",
        "bookmaker": "Betfair",
        "market_type": "total",
        "period": 0,
        "odds": 2.15,
        "reference_odds": 2.05,
        "fair_odds": 2.0923,
        "ev_pct": 1.74,
        "payout_rate": 1.0197,
        "liquidity": None,
        "competition": "EPL",
        "sport": "Football",
        "detected_at": format_ms(NOW),
        "match_date": None,
        **more,
    }
    return ValueBet(**fields)


def game(name: str = NAME, competition: str = "EPL", **more: Any) -> Game:
    """A game of the list."""
    fields: dict[str, Any] = {
        "sport": "Football",
        "match_date": format_ms(NOW + 3_600_000),
        "is_live": False,
        "bookmaker_count": 3,
        "last_scraped_at": format_ms(NOW),
        **more,
    }
    return Game(
        game_id=game_id(competition, name), match_name=name, competition=competition, **fields
    )


def lines(board: Board, where: str = GAME) -> Iterator[Any]:
    """Yield every line of a game."""
    held = board.matrix(where)
    assert held is not None
    for section in held.sections:
        yield from section.rows
