"""One spelling of each player in a game, however the bookmakers of a service spell the name.

Our own server folds names where it records prices; another service keeps each bookmaker's spelling.
The board takes in every answer and message through here, and so has one text per bet.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from msgspec.structs import replace

from oddsdesk.contract.resources import (
    BookOddsCell,
    GameMatrix,
    MarketMatrix,
    MatrixRow,
    OddsRow,
    PriceMessage,
    ReferenceCell,
    ValueBet,
)
from oddsdesk.matching.names import PLAYER_PROP, PlayersOfGame

_NO_NAMES: Final[Mapping[str, str]] = {}
T = TypeVar("T")


class Respelled(NamedTuple):
    """A bookmaker's price that belongs to another selection than was thought."""

    period: int
    bookmaker: str
    before: str
    now: str


class _Quote:
    """What a bookmaker calls the players of a period."""

    __slots__ = ("names", "texts")

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}
        """The selections as the service writes them."""
        self.names: Mapping[str, str] = _NO_NAMES
        """What the board calls those that it calls otherwise."""


class GamePlayers:
    """The player names of one game: the first spelling that was heard stays."""

    def __init__(self) -> None:
        self._players = PlayersOfGame()
        self._version = 0
        self._quotes: dict[tuple[int, str], _Quote] = {}
        self._texts: dict[str, dict[str, None]] = {}
        """Other spellings of the service, by the board's selection."""
        self._respelled: list[Respelled] = []

    def board_selections(
        self, period: int, bookmaker: str, texts: Collection[str], *, is_whole: bool = False
    ) -> Mapping[str, str]:
        """Return the board's selections for those that a bookmaker spells otherwise.

        ``is_whole``: the texts are all that the bookmaker offers; else they join those before.
        """
        quote = self._quotes.get((period, bookmaker))
        if quote is None:
            quote = self._quotes[period, bookmaker] = _Quote()
        if is_whole and texts != quote.texts.keys():
            self._read(period, bookmaker, quote, dict.fromkeys(texts))
        elif not is_whole and not all(text in quote.texts for text in texts):
            self._read(period, bookmaker, quote, quote.texts | dict.fromkeys(texts))
        while self._version != self._players.version:
            self._version = self._players.version
            for (when, name), other in self._quotes.items():
                if other.names:
                    self._read(when, name, other, other.texts)
        return quote.names

    def _read(self, period: int, bookmaker: str, quote: _Quote, texts: dict[str, None]) -> None:
        """Find the names of all that a bookmaker offers, and note which are others than before."""
        names = self._players.own_words(texts)
        for text in quote.names.keys() | names.keys():
            before, now = quote.names.get(text, text), names.get(text, text)
            if before == now:
                continue
            if text in quote.texts and text in texts:
                self._respelled.append(Respelled(period, bookmaker, before, now))
                self._texts.get(before, {}).pop(text, None)
            if text != now:
                self._texts.setdefault(now, {})[text] = None
        quote.texts, quote.names = texts, names

    def take_respelled(self) -> list[Respelled]:
        """Return the prices that belong to other selections since the last call."""
        found, self._respelled = self._respelled, []
        return found

    def spelled(self, text: str, period: int = 0, bookmaker: str | None = None) -> str:
        """Return what the board calls a selection; nothing is learned from it."""
        quote = None if bookmaker is None else self._quotes.get((period, bookmaker))
        if quote is not None and text in quote.texts:
            return quote.names.get(text, text)
        return self._players.spelled(text)

    def board_texts(self, selection: str) -> tuple[str, ...]:
        """Return how the service may write a selection of the board."""
        return (selection, *self._texts.get(selection, ()))


class PlayerNames:
    """The player names of all games of a board. Other markets pass unchanged."""

    def __init__(self) -> None:
        self._games: dict[str, GamePlayers] = {}

    def keep_games(self, games: Collection[str]) -> None:
        """Forget the names of all games but these."""
        for game in [game for game in self._games if game not in games]:
            del self._games[game]

    def take_respelled(self, game: str) -> Sequence[Respelled]:
        """Return the prices of a game that belong to other selections since the last call."""
        players = self._games.get(game)
        return () if players is None else players.take_respelled()

    def messages(self, game: str, together: list[PriceMessage]) -> list[PriceMessage]:
        """Return the messages of one quote in the words of the board."""
        first = together[0]
        if first.market_type != PLAYER_PROP:
            return together
        texts = [message.selection for message in together]
        names = self._of(game).board_selections(first.period, first.bookmaker, texts)
        if not names:
            return together
        return [
            message if name is None else replace(message, selection=name)
            for message in together
            for name in (names.get(message.selection),)
        ]

    def board_row(self, game: str, row: OddsRow) -> OddsRow:
        """Return an odds row, which is a whole quote, in the words of the board."""
        if row.market_type != PLAYER_PROP:
            return row
        names = self._of(game).board_selections(
            row.period, row.bookmaker, row.odds.keys(), is_whole=True
        )
        if not names:
            return row
        offers = row.offers and _by_name(row.offers, names)
        return replace(row, odds=_by_name(row.odds, names), offers=offers)

    def board_bets(self, bets: Iterable[tuple[str, ValueBet]]) -> Iterator[ValueBet]:
        """Yield value bets, each given with its game, in the words of the board."""
        for game, bet in bets:
            yield replace(bet, selection=name) if (name := self._name_of(game, bet)) else bet

    def _name_of(self, game: str, bet: ValueBet) -> str | None:
        if bet.market_type != PLAYER_PROP:
            return None
        names = self._of(game).board_selections(bet.period, bet.bookmaker, [bet.selection])
        return names.get(bet.selection)

    def board_text(self, game: str, period: int, bookmaker: str, text: str) -> str:
        """Return the selection of a player's price that moved."""
        return self._of(game).board_selections(period, bookmaker, [text]).get(text, text)

    def board_matrix(self, matrix: GameMatrix, game: str, reference: str) -> GameMatrix:
        """Return a picture of a game in the words of the board.

        ``reference``: whose the reference's cells are.
        """
        if all(market.market_type != PLAYER_PROP for market in matrix.markets):
            return matrix
        players = self._of(game)
        markets = [
            _in_own_words(market, players, reference)
            if market.market_type == PLAYER_PROP
            else market
            for market in matrix.markets
        ]
        return replace(matrix, markets=markets)

    def spelled(
        self, game: str, market_type: str, period: int, text: str, bookmaker: str | None = None
    ) -> str:
        """Return what the board calls a selection from elsewhere: a bet's, or of a history."""
        players = self._games.get(game) if market_type == PLAYER_PROP else None
        return text if players is None else players.spelled(text, period, bookmaker)

    def texts(self, game: str, market_type: str, selection: str) -> tuple[str, ...]:
        """Return how the service may write a selection of the board, to ask it for its past."""
        players = self._games.get(game) if market_type == PLAYER_PROP else None
        return (selection,) if players is None else players.board_texts(selection)

    def _of(self, game: str) -> GamePlayers:
        players = self._games.get(game)
        if players is None:
            players = self._games[game] = GamePlayers()
        return players


def _by_name(by_selection: Mapping[str, T], names: Mapping[str, str]) -> dict[str, T]:
    return {names.get(text, text): each for text, each in by_selection.items()}


def _in_own_words(market: MarketMatrix, players: GamePlayers, reference: str) -> MarketMatrix:
    """Return a market whose rows are split by what the board calls each bookmaker's selection."""
    quotes: dict[str, dict[str, None]] = {}
    for row in market.selections:
        if row.reference is not None:
            quotes.setdefault(reference, {})[row.selection] = None
        for bookmaker, cell in row.books.items():
            if cell is not None and cell.odds is not None:
                quotes.setdefault(bookmaker, {})[row.selection] = None
    for bookmaker, texts in quotes.items():
        players.board_selections(market.period, bookmaker, texts.keys(), is_whole=True)
    names = {  # as they are once all bookmakers were read
        bookmaker: players.board_selections(market.period, bookmaker, texts)
        for bookmaker, texts in quotes.items()
    }
    if not any(names.values()):
        return market
    rows = [part for row in market.selections for part in _parts(row, names, reference)]
    return replace(market, selections=rows)


def _parts(
    row: MatrixRow, names: Mapping[str, Mapping[str, str]], reference: str
) -> Iterator[MatrixRow]:
    """Yield the cells of a row by what the board calls the selection."""
    text, cells = row.selection, dict[str, dict[str, BookOddsCell | None]]()
    for bookmaker, cell in row.books.items():
        name = names.get(bookmaker, _NO_NAMES).get(text, text)
        cells.setdefault(name, {})[bookmaker] = cell
    own = names.get(reference, _NO_NAMES).get(text, text)
    if row.reference is not None:
        cells.setdefault(own, {})
    for name, books in cells.items():
        cell_of_reference: ReferenceCell | None = row.reference if name == own else None
        yield MatrixRow(name, cell_of_reference, books)
