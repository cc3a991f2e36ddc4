"""What a board knows of games and their prices, and what it answers when asked."""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.basis import Basis
from oddsdesk.board.connection import Connection, SnapshotProgress
from oddsdesk.board.freshness import Freshness, ScrapeInterval
from oddsdesk.board.game_books import GameBooks
from oddsdesk.board.games import GameEntry, GameIds
from oddsdesk.board.judging import Judge
from oddsdesk.board.matrix import CellKey, Matrix, RowKey, Section, SelectionRow
from oddsdesk.board.player_names import PlayerNames
from oddsdesk.board.price_history import PriceHistory
from oddsdesk.board.prices import Price
from oddsdesk.board.reference import DeskReference
from oddsdesk.board.values import ValueBets
from oddsdesk.client.kick_offs import KickOffs
from oddsdesk.clock import Clock
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.audit import Audit
from oddsdesk.pricing.profiles import Profiles


class Known:
    """Holds what was heard, for one thread; who takes in more is ``Intake``."""

    def __init__(self, clock: Clock, method: str) -> None:
        self._clock = clock
        self.games: dict[str, GameEntry] = {}
        """By id, in the order of D13."""
        self.games_are_cut = False
        """Whether the service has more games than are read."""
        self.connection = Connection()
        self.snapshot_progress = SnapshotProgress()
        self.basis = Basis(method, Profiles())
        """What prices are judged by beside themselves: read it, the board alone changes it."""
        self.seen = PriceHistory()
        """How the prices of subscribed games moved."""
        self.in_grid: Collection[str] = ()
        """Games of which the odds grid has rows in sight."""
        self.rows_wanted = False
        """Whether the odds grid is told of the prices of all games, which are kept for it."""
        self.watched: frozenset[str] = frozenset()
        """Competitions that the odds grid shows, where its filter names some."""
        self.values_wanted = False
        """Whether prices of all games are kept to find value among them."""
        self._books = GameBooks()
        self._subscribed: set[str] = set()
        self.players = PlayerNames()
        """What the board calls the players of each game."""
        self._gone: set[str] = set()
        """Games that the service shows no more."""
        self._ids = GameIds()
        self._kick_offs = KickOffs()
        self._followed: dict[str, int] = {}
        """Games that share their id with others of the same teams: whose kick-off's prices (ms)
        are held. By id."""
        self.values = self._no_values()
        """What is value or nearly, and the service's list: when it was read, whether it was cut."""

    @property
    def whose(self) -> DeskReference:
        """Whose prices are the reference's: read it, ``choose_reference`` changes it."""
        return self.basis.reference

    @property
    def reference(self) -> str | None:
        """The name of what prices are judged by, None until an answer shows it."""
        return self.whose.name

    @property
    def method(self) -> str:
        """The devig method that fair odds and true EV rest on."""
        return self.basis.method

    @property
    def scrape_interval(self) -> ScrapeInterval:
        """How often each bookmaker is read."""
        return self.basis.scrape_interval

    @property
    def value_bets(self) -> dict[RowKey, AssessedPrice]:
        """By price: those with the least edge, and those that the service lists."""
        return self.values.entries

    @property
    def audit(self) -> Audit | None:
        """How the service seems to reckon its value bets, None before the first (D26)."""
        return self.values.audit

    @property
    def keeps_all(self) -> bool:
        """Whether the prices of all games are kept."""
        return self.rows_wanted or self.values_wanted

    # Of games and their prices

    def lists(self, competition: str, match_name: str) -> bool:
        """Whether a game is among those that were read last."""
        return self._ids.of(competition, match_name) in self.games

    def is_series(self, game: str) -> bool:
        """Whether games of the same teams share an id, so that only odds rows tell them apart."""
        return game in self._followed

    def is_gone(self, game: str) -> bool:
        """Whether the service shows a game no more: of its prices none is offered."""
        matrix = self.matrix(game)
        if matrix is None:
            return game in self._gone
        may_return = game in self.games or self.games_are_cut
        if may_return and game not in self._gone:
            return False
        return not any(price.is_offered for price in matrix.prices())

    def is_in_sight(self, competition: str, match_name: str) -> bool:
        """Whether prices of a game are shown: it is subscribed, or the odds grid has rows of it."""
        game = self._ids.of(competition, match_name)
        return game in self._subscribed or game in self.in_grid

    def held_games(self) -> list[str]:
        """Return the games that prices are held of, by id."""
        return self._books.names()

    def bookmakers(self) -> set[str]:
        """Return the names of all bookmakers that have prices here, the reference among them."""
        listed = {key.bookmaker for key in self.value_bets}
        columns = chain.from_iterable(book.matrix.bookmakers for book in self._books)
        named = {*columns, *listed, self.whose.bookmaker}
        return {name for name in named if name is not None}

    def matrix(self, game: str) -> Matrix | None:
        """Return a game's matrix, None where no price of it is known."""
        book = self._books.get(game)
        return None if book is None else book.matrix

    def section(self, game: str, market_type: str, period: int, selection: str) -> Section | None:
        """Return the section that holds a selection, None where no price of it is held."""
        book = self._books.get(game)
        return None if book is None else book.section_of(market_type, period, selection)

    def row(self, game: str, market_type: str, period: int, selection: str) -> SelectionRow | None:
        """Return a selection with its prices, None where none is held."""
        book = self._books.get(game)
        return None if book is None else book.row(market_type, period, selection)

    def row_and_section(
        self, game: str, market_type: str, period: int, selection: str
    ) -> tuple[SelectionRow | None, Section | None]:
        """Return what ``row`` and ``section`` do: the odds grid asks for thousands a second."""
        book = self._books.get(game)
        return (
            (None, None) if book is None else book.row_and_section(market_type, period, selection)
        )

    def price(self, game: str, key: CellKey) -> Price | None:
        """Return the price of a cell."""
        book = self._books.get(game)
        place = None if book is None else book.place_of(*key[:3])
        return None if place is None else place.row.price_of(self.whose.key_of(key.bookmaker))

    def row_keys(self) -> Iterator[RowKey]:
        """Return the key of every price held."""
        return chain.from_iterable(map(self.row_keys_of, self._books.names()))

    def row_keys_of(self, game: str) -> Iterator[RowKey]:
        """Return the key of every price held of a game, those of a selection together."""
        return self._books.row_keys_of(game)

    def count_of(self, games: Iterable[str]) -> int:
        """Return how many prices of some games are held."""
        return sum(book.count for game in games if (book := self._books.get(game)) is not None)

    # Of what a price is worth

    def freshness(self, bookmaker: str | None, price: Price) -> Freshness:
        """Return how fresh a price is now; ``bookmaker`` None is the reference.

        Of a moment of the past none is dead: it stood then, but when it was seen last is not known.
        """
        found = self.scrape_interval.freshness(
            bookmaker or self.reference or "",
            price.scraped_at,
            self._clock(),
            price.heard_at,
            in_play=price.is_live,
        )
        return found if self.connection.as_of_ms is None else min(found, Freshness.STALE)

    def freshness_of(self, key: RowKey) -> Freshness:
        """Return how fresh the price of a key is now; one that is not held here counts as ageing.

        Nobody told the age of that: the service lists it, and its game is not read.
        """
        price = self.price(key.game_id, CellKey(*key[1:]))
        return Freshness.AGEING if price is None else self.freshness(key.bookmaker, price)

    def judge(self, matrix: Matrix) -> Judge:
        """Return who assesses a game's prices now."""
        return Judge(self.basis, self.reference, matrix, self._clock())

    def assess(self, key: RowKey) -> Assessment | None:
        """Say what a price is worth and what speaks against it; None where it is not held.

        The one answer to that question: value bets, matrix, grid and explanation have it from
        here (D45).
        """
        matrix = self.matrix(key.game_id)
        section = self.section(*key[:4])
        price = self.price(key.game_id, CellKey(*key[1:]))
        if matrix is None or section is None or price is None:
            return None
        bookmaker = self.whose.key_of(key.bookmaker)
        return self.judge(matrix).assess(section, key.selection, bookmaker)

    def is_value(self, key: RowKey) -> bool:
        """Whether a price is value now, at one of the user's bookmakers."""
        entry = self.value_bets.get(key)
        return entry is not None and entry.is_value and self.basis.is_mine(key.bookmaker)

    def values_now(self) -> list[AssessedPrice]:
        """Return the prices of which ``is_value`` is true."""
        is_mine = self.basis.is_mine
        return [
            price
            for price in self.value_bets.values()
            if price.is_value and is_mine(price.bookmaker)
        ]

    def _no_values(self) -> ValueBets:
        return ValueBets(self.basis, self.judge, lambda game: self._books.get(game), self._ids.of)
