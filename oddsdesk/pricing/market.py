"""One market of a game: the reference's line groups against every bookmaker's prices."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

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

_SLACK: Final = 1e-9
"""As a share of the least price: prices this close below it are judged too, for rounding."""


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
    if now_ms - reference.scraped_at > MAX_AGE_MS:
        return []
    least = _least_prices(reference_lines(market, reference, method).values())
    if not least:
        return []
    found = []
    for book in books:
        near = _near_prices(market, book, least)
        if not near:
            continue
        comparison = _Comparison(market, reference, book)
        for selection, odds, outcome, line in near:
            verdict = judge(line, comparison.candidate(line, outcome.side, odds), now_ms)
            if verdict.is_value:
                selections = line.group.selections
                found.append(Judged(book.bookmaker, selection, outcome.key, verdict, selections))
    return found


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


def _near_prices(
    market: Market, book: Prices, least: Mapping[tuple[str, str], tuple[ReferenceLine, float]]
) -> list[tuple[str, float, Outcome, ReferenceLine]]:
    """Return a bookmaker's prices that reach the least edge, each with the reference's line."""
    near = []
    for selection, odds in book.odds.items():
        outcome = read_selection(market.market_type, market.match_name, selection)
        if outcome is not None and (entry := least.get((outcome.key, outcome.side))) is not None:
            line, price = entry
            if odds >= price:
                near.append((selection, odds, outcome, line))
    return near


def _least_prices(
    lines: Iterable[ReferenceLine],
) -> dict[tuple[str, str], tuple[ReferenceLine, float]]:
    """Return, by line key and side, the line and the least price that can be value on it."""
    least = {}
    for line in lines:
        total = line.overround
        if total is None or not MIN_OVERROUND <= total <= MAX_OVERROUND:
            continue
        edge = least_edge_factor(line.market_type) * (1 - _SLACK)
        for side, price in line.prices.items():
            if price.fair_odds is not None:
                least[line.group.key, side] = (line, price.fair_odds * edge)
    return least


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
