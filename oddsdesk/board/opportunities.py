"""What a board's prices offer across bookmakers, kept up to date with what changes (D59)."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.matrix import Section
from oddsdesk.board.notices import ConnectionChanged, MatrixLoaded, Notice, PricesChanged
from oddsdesk.board.opportunity import Opportunity, OpportunityKey
from oddsdesk.board.opportunity_finder import OpportunityFinder
from oddsdesk.clock import Clock
from oddsdesk.pricing.opportunities import Split
from oddsdesk.slices import exhaust

LOOK_RESTS: Final = 25
"""Between two looks at all that changed lies so many times what the last one took, at least."""
MarketKey = tuple[str, str, int]
"""Game id, market type, period."""


class Opportunities:
    """What a board's prices offer; ``looking`` brings it up to date with what changed since.

    ``split`` says how the user divides money among legs, asked again at each look.
    """

    def __init__(self, board: Board, clock: Clock, split: Callable[[], Split]) -> None:
        self.entries: dict[OpportunityKey, Opportunity] = {}
        self._board = board
        self._clock = clock
        self._split = split
        self._by_market: dict[MarketKey, tuple[OpportunityKey, ...]] = {}
        self._due: dict[MarketKey, None] = {}
        self._aged: set[MarketKey] = set()
        """Where time alone ended all there was: a price that is read again may bring it back."""
        self._kept: frozenset[OpportunityKey] = frozenset()
        self._bookmakers: frozenset[str] = frozenset()
        self._placed: dict[tuple[Hashable, str], float] = {}
        self._unsubscribe = board.subscribe(
            self._on_board_notice, PricesChanged, MatrixLoaded, ConnectionChanged
        )
        self.look_at_all()

    def close(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def keep(self, keys: Iterable[OpportunityKey]) -> None:
        """List these whatever they cost, from the next look on: the user has money on a side."""
        kept = frozenset(keys)
        self._due |= dict.fromkeys(key[:3] for key in kept ^ self._kept)
        self._kept = kept

    def count_placed(self, placed: Mapping[tuple[Hashable, str], float]) -> None:
        """Take what is placed off what bookmakers take at most, from the next look on.

        ``placed``: as ``Placed.by_bookmaker``.
        """
        if placed != self._placed:
            of = self._board.basis.profiles.of
            others = dict(placed.items() ^ self._placed.items())
            games = {
                outcome[0]
                for outcome, name in others
                if isinstance(outcome, tuple) and of(name).limit is not None
            }
            self._due |= {key[:3]: None for key in self._board.row_keys() if key[0] in games}
            self._placed = dict(placed)

    def look_among(self, bookmakers: Iterable[str]) -> bool:
        """Look at these bookmakers alone from the next look on, at all of the user's for none.

        Returns whether these are others than before.
        """
        before, self._bookmakers = self._bookmakers, frozenset(bookmakers)
        if before != self._bookmakers:
            self.look_at_all()
        return before != self._bookmakers

    def look_at_all(self) -> None:
        """Have every market looked at anew: stakes are divided otherwise, or all is another's."""
        for key in self._board.row_keys():
            self._due[key[:3]] = None

    def look_at(self, market: MarketKey) -> None:
        """Look at one market now, before all that is due."""
        exhaust(self._looking_at([market]))

    def looking(self) -> Iterator[None]:
        """Look at what changed, a line or a pair of lines a step; go through it to the end."""
        due, self._due = self._due | self._lapsed(), {}
        return self._looking_at(due)

    def looking_at_lapsed(self) -> Iterator[None]:
        """Look where an opportunity may be another or none by now; go through it to the end.

        Its prices moved, or time alone may have ended it: that is bet on, and is not to wait as
        long as all that changed may. Nor is what time alone ended, once it is read again.
        """
        lapsed = self._lapsed()
        for market in lapsed:
            self._due.pop(market, None)
        return self._looking_at(lapsed)

    @property
    def has_lapsed(self) -> bool:
        """Whether one may be another or none by now."""
        return bool(self._lapsed())

    def _lapsed(self) -> dict[MarketKey, None]:
        now = self._clock()
        ended = {
            key[:3]: None
            for key, entry in self.entries.items()
            if entry.due_at <= now or self._board.matrix(key.game_id) is None
        }
        listed = self._by_market.keys() | self._aged | {key[:3] for key in self._kept}
        return ended | dict.fromkeys(self._due.keys() & listed)

    def _looking_at(self, due: Iterable[MarketKey]) -> Iterator[None]:
        by_game = defaultdict[str, list[MarketKey]](list)
        for market in due:
            by_game[market[0]].append(market)
        for game_id, markets in by_game.items():
            yield from self._looking_at_game(game_id, markets)

    def _looking_at_game(self, game_id: str, markets: Sequence[MarketKey]) -> Iterator[None]:
        board, matrix = self._board, self._board.matrix(game_id)
        if matrix is None:
            for market in markets:
                self._take(market, [])
            return
        sections = defaultdict[MarketKey, list[Section]](list)
        for section in matrix.sections:
            sections[game_id, *section.key[:2]].append(section)
        judge = board.judge(matrix)
        finder = OpportunityFinder(
            board.basis,
            board.reference,
            judge,
            matrix,
            self._split(),
            bookmakers=self._bookmakers,
            kept=self._kept,
            placed=self._placed,
        )
        for market in markets:
            found = []
            for each in finder.looking(sections.get(market, [])):
                if each is not None:
                    found.append(each)
                yield
            self._take(market, found)

    def _take(self, market: MarketKey, found: Sequence[Opportunity]) -> None:
        """List what a market offers, in place of what it did."""
        self._aged.discard(market)
        had = [self.entries.pop(key, None) for key in self._by_market.pop(market, ())]
        if market in self._due and self._board.connection.is_lost:
            return  # read again meanwhile, after a loss: some of it rests on old prices
        if found:
            self.entries |= {each.key: each for each in found}
            self._by_market[market] = tuple(each.key for each in found)
        elif any(each is not None and each.due_at <= self._clock() for each in had):
            self._aged.add(market)

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, PricesChanged):
            for market_type, period, _ in notice.quotes:
                self._due[notice.game_id, market_type, period] = None
            for section in notice.sections:
                self._due[notice.game_id, section.market_type, section.period] = None
        elif isinstance(notice, MatrixLoaded):
            matrix = self._board.matrix(notice.game_id)
            for each in () if matrix is None else matrix.sections:
                self._due[notice.game_id, each.key.market_type, each.key.period] = None
        elif self._board.connection.link is Link.STOPPED:
            self.entries.clear()  # what comes next is another moment's, or another service's
            self._by_market.clear()
            self._aged.clear()
        if self._board.connection.is_lost:
            self._let_go_of_due()

    def _let_go_of_due(self) -> None:
        """Drop what was read again after a loss: until it is looked at it rests on old prices."""
        for market in self._by_market.keys() & self._due.keys():
            for key in self._by_market.pop(market):
                self.entries.pop(key, None)
