"""One market of a game: the reference's line groups against every bookmaker's prices."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec

from oddsdesk.pricing.assessment import is_unread, settles_otherwise
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.outcomes import Outcome, read_selection
from oddsdesk.pricing.rules import MAX_AGE_MS, MAX_OVERROUND, MIN_OVERROUND, least_edge_factor
from oddsdesk.pricing.selections import LineGroup, line_groups
from oddsdesk.pricing.value import (
    Candidate,
    ReferenceLine,
    Verdict,
    judge,
    reference_line,
)

_first: Final = itemgetter(0)
_SLACK: Final = 1e-9
"""As a share of the least price: prices this close below it are judged too, for rounding."""

_MOST_TEXTS: Final = 10_000
"""So many spellings of a market are remembered: bookmakers may write what they like."""


class Market(NamedTuple):
    """What is valued together: one market type and period of a game."""

    market_type: str
    match_name: str
    sport: str
    period: int = 0


class Prices(NamedTuple):
    """What one bookmaker says of a market; ``scraped_at`` in milliseconds."""

    bookmaker: str
    odds: Mapping[str, float]
    scraped_at: int
    is_live: bool
    had_draw: bool = False
    """Whether a draw of this market was among them within the last day (D48)."""
    has_overtime: bool | None = None
    """Whether its bets of the game count overtime; None where that is not known (D49)."""


class Judged(NamedTuple):
    """A bookmaker's price of a selection and what the rules say of it."""

    bookmaker: str
    selection: str
    line_key: str
    """The line group's key, as ``LineGroup.key``."""
    verdict: Verdict
    line: tuple[str, ...]
    """Selections of that group as the reference writes them; none where it prices none."""


def reference_lines(
    market: Market, reference: Prices, method: str = DEFAULT_METHOD
) -> dict[str, ReferenceLine]:
    """Return the line groups that the reference prices, devigged, by key.

    Raises:
        DevigError: unknown method.
    """
    groups = line_groups(market.market_type, market.match_name, reference.odds, market.sport)
    return {
        group.key: reference_line(
            market.market_type,
            group,
            [reference.odds[selection] for selection in group.selections],
            scraped_at=reference.scraped_at,
            is_live=reference.is_live,
            method=method,
        )
        for group in groups
    }


def verdicts(
    market: Market,
    reference: Prices,
    books: Iterable[Prices],
    now_ms: int,
    method: str = DEFAULT_METHOD,
) -> Iterator[Judged]:
    """Judge every price of the bookmakers, priced by the reference or not."""
    lines = reference_lines(market, reference, method)
    for book in books:
        comparison = _Comparison(market, reference, book)
        for selection, odds in book.odds.items():
            outcome = read_selection(market.market_type, market.match_name, selection)
            key = f"{selection} ?" if outcome is None else outcome.key
            line = lines.get(key) or _unpriced(market, reference, key)
            side = "" if outcome is None else outcome.side
            verdict = judge(line, comparison.candidate(line, side, odds), now_ms)
            yield Judged(book.bookmaker, selection, key, verdict, line.group.selections)


def value_bets(
    market: Market,
    reference: Prices,
    books: Iterable[Prices],
    now_ms: int,
    method: str = DEFAULT_METHOD,
) -> list[Judged]:
    """Return the prices that pass every rule: those of ``verdicts``, found faster.

    Only prices that reach the least edge are judged by the other rules.

    Raises:
        DevigError: unknown method.
    """
    return ReferenceMarket(market, reference.odds, method).value_bets(reference, books, now_ms)


class ReferenceMarket:
    """A market as the reference prices it, to find value bets in again and again.

    It holds what follows of the reference's odds alone: mostly they stand while others move.
    """

    __slots__ = ("_least", "_lines", "_market", "_method", "odds")

    def __init__(self, market: Market, odds: Mapping[str, float], method: str) -> None:
        self.odds = odds
        self._market = market
        self._method = method
        self._lines: dict[str, ReferenceLine] | None = self._priced()
        """Kept only where a price is near to value: there are few."""
        self._least = _LeastPrices(market, self._lines)

    def value_bets(self, reference: Prices, books: Iterable[Prices], now_ms: int) -> list[Judged]:
        """Return the prices that pass every rule; ``reference`` has the odds that this is of."""
        if now_ms - reference.scraped_at > MAX_AGE_MS:
            return []
        least = self._least
        near = [
            (book, selection, odds)
            for book in books
            for selection, odds in book.odds.items()
            if odds >= least[selection]
        ]
        self._lines = (self._lines or self._priced()) if near else None
        return list(self._judged(near, reference, now_ms))

    def _judged(
        self, near: Iterable[tuple[Prices, str, float]], reference: Prices, now_ms: int
    ) -> Iterator[Judged]:
        market, lines = self._market, self._lines or {}
        at, in_play = reference.scraped_at, reference.is_live
        for book, of_book in groupby(near, key=_first):
            comparison = _Comparison(market, reference, book)
            for _, selection, odds in of_book:
                outcome = read_selection(market.market_type, market.match_name, selection)
                assert outcome is not None
                line = msgspec.structs.replace(lines[outcome.key], scraped_at=at, is_live=in_play)
                verdict = judge(line, comparison.candidate(line, outcome.side, odds), now_ms)
                if verdict.is_value:
                    selections = line.group.selections
                    yield Judged(book.bookmaker, selection, outcome.key, verdict, selections)

    def _priced(self) -> dict[str, ReferenceLine]:
        return reference_lines(self._market, Prices("", self.odds, 0, False), self._method)


class _LeastPrices(dict[str, float]):
    """From which price a selection can be value, by its text; infinite where it never can."""

    __slots__ = ("_by_outcome", "_market")

    def __init__(self, market: Market, lines: Mapping[str, ReferenceLine]) -> None:
        self._market = market
        self._by_outcome: dict[tuple[str, str], float] | None = None
        edge = least_edge_factor(market.market_type) * (1 - _SLACK)
        for line in lines.values():
            total = line.overround
            usable = total is not None and MIN_OVERROUND <= total <= MAX_OVERROUND
            for text, side in zip(line.group.selections, line.group.sides, strict=False):
                fair = line.prices[side].fair_odds if usable else None
                self[text] = math.inf if fair is None else fair * edge

    def __missing__(self, text: str) -> float:
        """Return that of a text which the reference does not write: perhaps what it calls else."""
        if self._by_outcome is None:
            self._by_outcome = {
                found: least for known, least in self.items() if (found := self._settles(known))
            }
        outcome = self._settles(text)
        least = math.inf if outcome is None else self._by_outcome.get(outcome, math.inf)
        if len(self) < _MOST_TEXTS:
            self[text] = least
        return least

    def _settles(self, text: str) -> tuple[str, str] | None:
        """Return what a selection is a bet on: line group and side."""
        outcome = read_selection(self._market.market_type, self._market.match_name, text)
        return None if outcome is None else (outcome.key, outcome.side)


class _Comparison:
    """What a bookmaker prices of a market, beside what the reference does."""

    def __init__(self, market: Market, reference: Prices, book: Prices) -> None:
        self._market = market
        self._reference = reference
        self._book = book
        self._sides, self._unread = _priced_sides(market, book)
        self._reference_unread = sum(outcome is None for outcome in _read(market, reference))

    def candidate(self, line: ReferenceLine, side: str, odds: float) -> Candidate:
        """Return one of the bookmaker's prices of a line, ready to be judged."""
        sides = self._sides.get(line.group.key, frozenset())
        book = self._book
        return Candidate(
            side,
            odds,
            sides,
            book.scraped_at,
            book.is_live,
            book.bookmaker == self._reference.bookmaker,
            self._settles_alike(line, sides),
        )

    def _settles_alike(self, line: ReferenceLine, sides: frozenset[str]) -> bool:
        """Whether both price all outcomes that there are (D48), and by the same rules (D49)."""
        market, book, reference = self._market, self._book, self._reference
        kind = market.market_type
        if is_unread(kind, self._unread, sides, had_draw=book.had_draw):
            return False
        theirs = frozenset(line.group.sides)
        if is_unread(kind, self._reference_unread, theirs, had_draw=reference.had_draw):
            return False
        return not settles_otherwise(
            (kind, market.period, market.sport),
            line.group.line,
            book.has_overtime,
            reference.has_overtime,
        )


def _priced_sides(market: Market, book: Prices) -> tuple[dict[str, frozenset[str]], int]:
    """Return the sides that a bookmaker prices, by line key, and how many texts are unread."""
    sides: defaultdict[str, set[str]] = defaultdict(set)
    unread = 0
    for outcome in _read(market, book):
        if outcome is None:
            unread += 1
        else:
            sides[outcome.key].add(outcome.side)
    return {key: frozenset(found) for key, found in sides.items()}, unread


def _read(market: Market, prices: Prices) -> Iterator[Outcome | None]:
    return (read_selection(market.market_type, market.match_name, text) for text in prices.odds)


def _unpriced(market: Market, reference: Prices, key: str) -> ReferenceLine:
    group = LineGroup(key, None, (), (), False)
    return ReferenceLine(
        market.market_type, group, {}, None, reference.scraped_at, reference.is_live
    )
