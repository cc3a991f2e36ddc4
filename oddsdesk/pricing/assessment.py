"""Values a price: odds after commission, EV and warnings; finds value bets among quotes.

Everything that shows, sorts, stakes or reports a price uses ``assess``. A price with a warning is
never value and gets no stake; it is shown with the warning. ``ReferenceMarket`` finds the
contract's value bets among the quotes of a market.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal, NamedTuple

import msgspec

from oddsdesk.contract.markets import DRAW_VOIDS, HANDICAPS, SCORE_MARKETS, TOTALS
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.selections import (
    LineGroup,
    Outcome,
    Settlement,
    line_groups,
    read_selection,
    settlement,
)
from oddsdesk.pricing.value import (
    MAX_AGE_MS,
    MAX_OVERROUND,
    MIN_OVERROUND,
    SERVICE_RULES,
    Candidate,
    DerivedKind,
    ListRules,
    ReferenceLine,
    Rule,
    RuleCheck,
    Verdict,
    edge_check,
    expected_value,
    floored_ev,
    is_comparable,
    is_same_state,
    judge_candidate,
    reference_line,
)

APART_MS: Final = MINUTE_MS
"""In-play prices that were seen further apart may belong to different scores."""
STALE_MS: Final = 3 * MINUTE_MS
"""Age at which a price is stale before the game, if the bookmaker's rhythm is unknown."""
STALE_IN_PLAY_MS: Final = MINUTE_MS
"""The same in play."""
DRAW_MISSED_MS: Final = 24 * 60 * MINUTE_MS
"""How long a draw that is no longer seen counts as missing."""
OVERTIME_SPORTS: Final = frozenset({"Hockey", "Basketball", "Baseball", "AmericanFootball"})
"""Sports whose tied games go on, so that bets differ in whether overtime counts."""
GOAL_MARKETS: Final = SCORE_MARKETS & (TOTALS | HANDICAPS)
"""Markets that overtime can decide."""
_DECIDED_BY_ONE: Final = 1.5
"""Handicaps below it settle differently after an overtime goal than after a draw: -1 is returned or
lost, -1.25 half lost or lost."""
LOWEST_MEANT: Final = 1.02
"""Two sides of a line at this or less mean an empty book: no bookmaker offers both."""
LONG_ODDS: Final = 100.0
"""Lower odds are never suspected of being placeholders."""
END_OF_LADDER: Final = 1_000.0
"""The highest odds of the exchanges, which stand there if nobody offers better. Of 41,190 prices
in the World Cup's recording, the highest real one is 610."""
_TIMES_TOO_LONG: Final = 10.0
"""Exchanges offer up to three times the bookmakers' odds on an outsider, but not this."""
_ROUNDING: Final = 1e-5
"""How far the sum of 1/odds can be below 1 because odds are rounded to six decimals."""
_ABOVE: Final = frozenset({Rule.MAX_EDGE, Rule.EDGE_CAP, Rule.RATIO})
_TOLD: Final = frozenset({Rule.SAME_STATE, Rule.COMPARABLE, Rule.REFERENCE_AGE, Rule.BOOK_AGE})


class Caution(Enum):
    """Why a price is unreliable: its warnings, in the order of display."""

    NOT_COMPARABLE = "not_comparable"
    """The bookmaker's line group settles differently from the sharp book's."""
    UNREAD_OUTCOME = "unread_outcome"
    """Another selection of the market is unreadable, or missing since it was priced."""
    OTHER_RULES = "other_rules"
    """Overtime counts for one bet and not for the other, or may."""
    STATE_DIFFERS = "state_differs"
    """One is in play, the other is not."""
    APART = "apart"
    """In play, and the two were seen more than ``APART_MS`` apart."""
    STALE = "stale"
    """Stale by the bookmaker's own rhythm, older than 15 minutes, or from the future."""
    REFERENCE_STALE = "reference_stale"
    """The same for the sharp book's price."""
    AGE_UNKNOWN = "age_unknown"
    """Unknown when the price was last seen."""
    STARTED = "started"
    """Not in play, and its kick-off has passed."""
    CROSSED_REFERENCE = "crossed_reference"
    """The sharp book's prices add up to less than 100 %."""
    ABOVE_WINDOW = "above_window"
    """Above the price from which it is probably an error."""
    WITHDRAWN = "withdrawn"
    """No longer offered."""
    DELAYED = "delayed"
    """Its source says that its prices are delayed."""
    BOOK_BELOW_100 = "book_below_100"
    """The bookmaker's own complete line adds up to less than 100 %, before commission."""
    PLACEHOLDER = "placeholder"
    """Odds that no bookmaker means to offer: ``line_doubts``, ``is_placeholder``."""


class Sighting(msgspec.Struct, frozen=True, gc=False):
    """A price as it was seen; times in milliseconds."""

    side: str
    odds: float
    """As offered, before commission."""
    scraped_at: int | None
    """None if unknown."""
    is_live: bool | None
    stale_after_ms: int | None = None
    """By the bookmaker's own rhythm; None if not known yet."""
    is_offered: bool = True
    is_delayed: bool = False
    unread_ms: int = 0
    """Part of its age that only means it was not read again, and does not count."""
    doubts: Collection[Caution] = ()
    """Warnings from the bookmaker's own line and from other bookmakers' prices."""


class Group(msgspec.Struct, frozen=True, gc=False):
    """The line group that a bookmaker prices, apart from the price itself."""

    profile: Profile
    sides: frozenset[str]
    """All sides that the bookmaker prices in the line group."""
    has_unread: bool = False
    """Another selection is unreadable, or a draw that was priced lately is missing."""
    has_overtime: bool | None = None
    """Whether its bets on the game count overtime; None if unknown."""
    is_reference: bool = False


class Setting(msgspec.Struct, frozen=True, gc=False):
    """The game and the sharp book's line group."""

    line: ReferenceLine
    period: int
    sport: str
    kick_off: int | None
    now_ms: int
    has_unread: bool = False
    has_overtime: bool | None = None
    """For the sharp book's bets."""
    push: float | None = None
    """Probability that the line is hit exactly; None if that is possible but unknown."""
    stale_after_ms: int | None = None
    """By the sharp book's own rhythm; None if not known yet."""
    unread_ms: int = 0
    """Part of the line's age that does not count, as in ``Sighting.unread_ms``."""
    rules: ListRules = SERVICE_RULES
    """The rules that a price must pass to be listed."""


class Assessment(msgspec.Struct, frozen=True, gc=False):
    """The value of a price. Figures are unrounded, None if they cannot be computed."""

    odds: float
    net_odds: float
    fair_odds: float | None
    ev: float | None
    """EV: odds after commission over fair odds, minus 1, in percent of what ``per`` names."""
    ev_pct: float | None
    """EV after the safety floor, as JSON, files and rules have it."""
    per: Literal["staked", "decided"]
    """``decided`` if the chance that the stake is returned is unknown."""
    service_ev_pct: float | None
    """EV by the contract's rules: before commission, after the floor, per decided unit. None for a
    derived line, which the contract does not know."""
    cautions: tuple[Caution, ...]
    checks: tuple[RuleCheck, ...]
    """The contract's rules, applied after commission and with the ages for staleness."""
    settlement: Settlement | None
    """How the bet can end; None without fair odds."""

    is_value: bool
    """Every rule holds and there is no warning."""
    is_value_but_for_cautions: bool
    """Every rule holds, except for those that a warning already covers."""
    derived: DerivedKind | None = None
    """How the fair odds were derived; None if the sharp book prices the line itself."""
    band_pct: float | None = None
    """By how many percentage points ``ev`` may be wrong either way; None unless modelled."""
    cautious_odds: float | None = None
    """Fair odds at the low end of the band: the minimum EV is judged by them. They are
    ``fair_odds`` unless modelled; infinite where the band includes 0."""
    stake_settlement: Settlement | None = None
    """How the bet can end if ``cautious_odds`` are fair: every stake is worked out from this."""

    @property
    def stopped_by(self) -> tuple[RuleCheck, ...]:
        """The rules that do not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def ev_at(self, net_odds: float) -> float | None:
        """Return ``ev`` at other odds after commission; None without fair odds."""
        if self.fair_odds is None or self.settlement is None:
            return None
        return expected_value(net_odds, self.fair_odds, self.settlement.decided)

    def band_pct_at(self, net_odds: float) -> float | None:
        """Return ``band_pct`` at other odds after commission."""
        return None if self.band_pct is None else self.band_pct * net_odds / self.net_odds

    def ev_pct_at(self, net_odds: float, market_type: str) -> float | None:
        """Return ``ev_pct`` at other odds after commission; None without fair odds."""
        if self.fair_odds is None or self.settlement is None:
            return None
        return floored_ev(net_odds, self.fair_odds, market_type, self.settlement.decided)


def assess(setting: Setting, group: Group, price: Sighting) -> Assessment:
    """Return the value of a price, with its warnings."""
    line = setting.line
    net = group.profile.net(price.odds)
    scraped_at = setting.now_ms if price.scraped_at is None else price.scraped_at
    candidate = Candidate(
        price.side, net, group.sides, scraped_at, price.is_live, group.is_reference
    )
    is_live = line.is_live if price.is_live is None else price.is_live
    line_age = _longest_age_ms(setting.stale_after_ms, line.is_live)
    book_age = _longest_age_ms(price.stale_after_ms, is_live)
    verdict = judge_candidate(
        line,
        candidate,
        setting.now_ms,
        rules=setting.rules,
        reference_age_ms=line_age,
        book_age_ms=book_age,
        reference_unread_ms=min(setting.unread_ms, MAX_AGE_MS - line_age),
        book_unread_ms=min(price.unread_ms, MAX_AGE_MS - book_age),
    )
    fair = verdict.fair_odds
    cautious, push = line.cautious_odds(price.side), setting.push
    ends = None if fair is None else settlement_of(line, price.side, fair, push)
    ev = ev_pct = band_pct = None
    checks = verdict.checks
    if fair is not None and ends is not None and verdict.ev_pct is not None:
        ev, ev_pct = expected_value(net, fair, ends.decided), verdict.ev_pct * ends.decided
        if line.derived is not None and line.derived.kind == "modelled":
            band_pct = net * line.derived.bands[price.side] * ends.decided * 100
        if ev_pct != verdict.ev_pct and cautious is not None:
            edge = edge_check(setting.rules, line.market_type, net, cautious, ends.decided)
            checks = tuple([edge if check.rule is Rule.MIN_EDGE else check for check in checks])
    stopped = [check for check in checks if not check.holds]
    cautions = tuple(_cautions(setting, group, price, stopped))
    return Assessment(
        odds=price.odds,
        net_odds=net,
        fair_odds=fair,
        ev=ev,
        ev_pct=ev_pct,
        per="staked" if setting.push is not None else "decided",
        service_ev_pct=None
        if fair is None or line.derived is not None
        else floored_ev(price.odds, fair, line.market_type),
        cautions=cautions,
        checks=checks,
        settlement=ends,
        is_value=not cautions and not stopped,
        is_value_but_for_cautions=all(map(_is_told, stopped)),
        derived=None if line.derived is None else line.derived.kind,
        band_pct=band_pct,
        cautious_odds=cautious,
        stake_settlement=ends
        if cautious == fair or cautious is None
        else settlement_of(line, price.side, cautious, push),
    )


def doubts_in_order(doubts: Collection[Caution]) -> list[Caution]:
    """Return the warnings among these that need no sharp book, in the order of display."""
    return [each for each in (Caution.BOOK_BELOW_100, Caution.PLACEHOLDER) if each in doubts]


def line_doubts(
    odds: Collection[float], *, is_complete: bool, overlaps: bool = False
) -> frozenset[Caution]:
    """Return the warnings on all prices of a bookmaker's line.

    Nobody sells all outcomes for less than they pay: one of the prices is a mistake, is old, or is
    a promotion without the usual stakes.

    Args:
        odds: Its gross odds of sides that exclude each other, or of double chances.
        is_complete: Whether these are all sides.
        overlaps: Whether they are double chances, of which two win at every result. Two of them may
            be nearly certain.
    """
    found = set[Caution]()
    winners = 2 if overlaps else 1
    total = math.fsum(1 / price for price in odds)
    if is_complete and total < winners * (MIN_OVERROUND - _ROUNDING):
        found.add(Caution.BOOK_BELOW_100)
    if not overlaps and sum(price <= LOWEST_MEANT for price in odds) >= 2:
        found.add(Caution.PLACEHOLDER)
    return frozenset(found)


def is_placeholder(odds: float, others: float | None, elsewhere: float | None) -> bool:
    """Return whether odds are so long that they are a placeholder.

    They are real if a tenth of them fits the bookmaker's other sides, or if another operator offers
    a tenth of them. If neither can be checked, only the end of an exchange's ladder is a
    placeholder.

    Args:
        odds: Gross odds.
        others: Sum of 1/odds of the line's other sides; None if some are missing.
        elsewhere: The highest odds of this selection at other operators; None without any.
    """
    if odds < LONG_ODDS:
        return False
    fits_own = others is not None and _TIMES_TOO_LONG / odds >= 1 - others
    fits_others = elsewhere is not None and odds <= _TIMES_TOO_LONG * elsewhere
    if fits_own or fits_others:
        return False
    return others is not None or elsewhere is not None or odds >= END_OF_LADDER


def usual_stale_after_ms(in_play: bool | None) -> int:
    """Return the age at which a price is stale, if the bookmaker's own rhythm is unknown."""
    return STALE_IN_PLAY_MS if in_play else STALE_MS


def counts_overtime(
    sport: str, moneyline_sides: frozenset[str], *, texts_unread: int = 0, had_draw: bool = False
) -> bool | None:
    """Return, by its moneyline, whether a bookmaker's bets on a game count overtime.

    A draw, even one that was there lately, means regulation time. None if sport or sides do not
    decide: an unreadable selection may be the draw.
    """
    if sport not in OVERTIME_SPORTS or not {"home", "away"} <= moneyline_sides:
        return None
    if had_draw or "draw" in moneyline_sides:
        return False
    return None if texts_unread else True


def usual_form(forms: Mapping[bool, int]) -> bool | None:
    """Return whether overtime counts in most of a bookmaker's games; None if it is a tie.

    Args:
        forms: Number of its moneylines with overtime, and without.
    """
    counting, not_counting = forms.get(True, 0), forms.get(False, 0)
    return None if counting == not_counting else counting > not_counting


def is_unread(
    market_type: str, texts_unread: int, sides: Collection[str], *, had_draw: bool = False
) -> bool:
    """Return whether a market has more outcomes than the sides that are seen.

    It does if a selection is unreadable, or if the draw of a moneyline that was there lately
    (``had_draw``) is missing. Not for props, whose selections are about many players, and not for
    a market with a draw, which is complete.
    """
    if "draw" in sides or market_type == "player_prop":
        return False
    return texts_unread > 0 or (had_draw and market_type == "moneyline")


def settles_otherwise(
    market: tuple[str, int, str], line: float | None, one: bool | None, other: bool | None
) -> bool:
    """Return whether overtime counts for only one of two bets, and could decide them.

    Args:
        market: Market type, period and sport.
        line: The line of both.
        one: Whether overtime counts for one of them; None if unknown.
        other: The same for the other.
    """
    market_type, period, sport = market
    if period != 0 or one is None or other is None or one == other:
        return False
    if market_type not in GOAL_MARKETS or sport not in OVERTIME_SPORTS:
        return False
    return market_type != "spread" or abs(line or 0.0) < _DECIDED_BY_ONE


def may_settle_draw_otherwise(
    market: tuple[str, int, str], line: ReferenceLine, has_overtime: bool | None
) -> bool:
    """Return whether a bookmaker's draw no bet may count overtime, and the derived line does not.

    A line derived from a match result with a draw counts regulation only. So does the bookmaker's
    if its own match result has a draw; otherwise either is possible. ``market`` is as in
    ``settles_otherwise``; ``has_overtime`` is the bookmaker's.
    """
    market_type, period, sport = market
    return (
        line.derived is not None
        and market_type in DRAW_VOIDS
        and period == 0
        and sport in OVERTIME_SPORTS
        and has_overtime is not False
    )


def settlement_of(
    line: ReferenceLine, side: str, fair_odds: float, push: float | None
) -> Settlement:
    """Return how a bet on a side can end; an unknown ``push`` counts as impossible."""
    number = threshold = line.group.line
    if number is not None and line.market_type in HANDICAPS:
        threshold = -number  # the home team covers if its margin is above minus its line
    is_above = side in {"over", "home", "yes"}
    return settlement(1 / fair_odds, push or 0.0, threshold, is_above=is_above)


def _cautions(
    setting: Setting, group: Group, price: Sighting, stopped: Sequence[RuleCheck]
) -> Iterator[Caution]:
    """Yield the warnings on a price in the order of display; ``stopped`` are broken rules."""
    line, now = setting.line, setting.now_ms
    in_play = bool(price.is_live or line.is_live)
    total = line.overround
    broken = [check.rule for check in stopped]
    if line.prices and not is_comparable(line.group.sides, group.sides):
        yield Caution.NOT_COMPARABLE
    if group.has_unread or setting.has_unread:
        yield Caution.UNREAD_OUTCOME
    market, counts = (line.market_type, setting.period, setting.sport), group.has_overtime
    if settles_otherwise(
        market, line.group.line, counts, setting.has_overtime
    ) or may_settle_draw_otherwise(market, line, counts):
        yield Caution.OTHER_RULES
    if not is_same_state(price.is_live, line.is_live):
        yield Caution.STATE_DIFFERS
    seen_apart = 0 if price.scraped_at is None else abs(price.scraped_at - line.scraped_at)
    if line.prices and in_play and seen_apart > APART_MS:
        yield Caution.APART
    if Rule.BOOK_AGE in broken:
        yield Caution.STALE
    if line.prices and Rule.REFERENCE_AGE in broken:
        yield Caution.REFERENCE_STALE
    if price.scraped_at is None:
        yield Caution.AGE_UNKNOWN
    if not price.is_live and setting.kick_off is not None and now > setting.kick_off:
        yield Caution.STARTED
    is_margin_judged = Rule.OVERROUND not in setting.rules.off
    if total is not None and total < MIN_OVERROUND and is_margin_judged:
        yield Caution.CROSSED_REFERENCE
    if any(map(_is_above, stopped)):
        yield Caution.ABOVE_WINDOW
    if not price.is_offered:
        yield Caution.WITHDRAWN
    if price.is_delayed:
        yield Caution.DELAYED
    yield from doubts_in_order(price.doubts)


def _longest_age_ms(stale_after_ms: int | None, is_live: bool | None) -> int:
    """Return the age above which a price is stale, by its bookmaker's rhythm if known."""
    return min(stale_after_ms or usual_stale_after_ms(is_live), MAX_AGE_MS)


def _is_told(check: RuleCheck) -> bool:
    """Return whether a warning covers a broken rule."""
    if check.rule is Rule.OVERROUND:
        return check.figure is not None and check.figure < MIN_OVERROUND
    return check.rule in _TOLD or _is_above(check)


def _is_above(check: RuleCheck) -> bool:
    """Return whether a rule is broken because the price is too good to be true."""
    if check.figure is None:
        return False
    if check.rule is Rule.PAYOUT:
        return check.least is not None and check.figure < check.least
    return check.rule in _ABOVE


_first: Final = itemgetter(0)
_SLACK: Final = 1e-9
"""Share of the minimum price: prices this close below it are checked, too, for rounding."""

_MOST_TEXTS: Final = 10_000
"""Spellings of a market that are cached; bookmakers may write anything."""


class Market(NamedTuple):
    """What is valued together: one market type and period of a game."""

    market_type: str
    match_name: str
    sport: str
    period: int = 0


class Prices(NamedTuple):
    """One bookmaker's prices of a market; ``scraped_at`` in milliseconds."""

    bookmaker: str
    odds: Mapping[str, float]
    scraped_at: int
    is_live: bool
    had_draw: bool = False
    """Whether they included a draw of this market within the last day."""
    has_overtime: bool | None = None
    """Whether its bets on the game count overtime; None if unknown."""


class Judged(NamedTuple):
    """A bookmaker's price of a selection, with the result of the rules."""

    bookmaker: str
    selection: str
    line_key: str
    """The line group's key, as ``LineGroup.key``."""
    verdict: Verdict
    line: tuple[str, ...]
    """Selections of that group in the sharp book's spelling; none if it has no prices."""


def reference_lines(
    market: Market, reference: Prices, method: str = DEFAULT_METHOD
) -> dict[str, ReferenceLine]:
    """Return the sharp book's line groups, devigged, by key.

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
    """Apply the rules to every price, whether the sharp book prices it or not."""
    lines = reference_lines(market, reference, method)
    for book in books:
        comparison = _Comparison(market, reference, book)
        for selection, odds in book.odds.items():
            outcome = read_selection(market.market_type, market.match_name, selection)
            key = f"{selection} ?" if outcome is None else outcome.key
            line = lines.get(key) or _unpriced(market, reference, key)
            side = "" if outcome is None else outcome.side
            verdict = judge_candidate(line, comparison.candidate(line, side, odds), now_ms)
            yield Judged(book.bookmaker, selection, key, verdict, line.group.selections)


def value_bets(
    market: Market,
    reference: Prices,
    books: Iterable[Prices],
    now_ms: int,
    method: str = DEFAULT_METHOD,
) -> list[Judged]:
    """Return the prices that pass every rule, like ``verdicts``, but faster.

    Only prices with the minimum EV are checked against the other rules.

    Raises:
        DevigError: unknown method.
    """
    return ReferenceMarket(market, reference.odds, method).value_bets(reference, books, now_ms)


class ReferenceMarket:
    """The sharp book's prices of a market, for finding value bets repeatedly.

    It caches what depends on these prices only, since they usually stand while others move.
    """

    __slots__ = ("_least", "_lines", "_market", "_method", "odds")

    def __init__(self, market: Market, odds: Mapping[str, float], method: str) -> None:
        self.odds = odds
        self._market = market
        self._method = method
        self._lines: dict[str, ReferenceLine] | None = self._priced()
        """Only for prices that are near to value, of which there are few."""
        self._least = _LeastPrices(market, self._lines)

    def value_bets(self, reference: Prices, books: Iterable[Prices], now_ms: int) -> list[Judged]:
        """Return the prices that pass every rule; ``reference`` has this market's odds."""
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
                verdict = judge_candidate(
                    line, comparison.candidate(line, outcome.side, odds), now_ms
                )
                if verdict.is_value:
                    selections = line.group.selections
                    yield Judged(book.bookmaker, selection, outcome.key, verdict, selections)

    def _priced(self) -> dict[str, ReferenceLine]:
        return reference_lines(self._market, Prices("", self.odds, 0, False), self._method)


class _LeastPrices(dict[str, float]):
    """The lowest price at which a selection can be value, by its text; infinite if never."""

    __slots__ = ("_by_outcome", "_market")

    def __init__(self, market: Market, lines: Mapping[str, ReferenceLine]) -> None:
        self._market = market
        self._by_outcome: dict[tuple[str, str], float] | None = None
        edge = SERVICE_RULES.least_net(market.market_type, 1.0) * (1 - _SLACK)
        for line in lines.values():
            total = line.overround
            usable = total is not None and MIN_OVERROUND <= total <= MAX_OVERROUND
            for text, side in zip(line.group.selections, line.group.sides, strict=False):
                fair = line.prices[side].fair_odds if usable else None
                self[text] = math.inf if fair is None else fair * edge

    def __missing__(self, text: str) -> float:
        """Return it for a text that the sharp book does not use; it may spell it otherwise."""
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
        """Return what a selection bets on: line group and side."""
        outcome = read_selection(self._market.market_type, self._market.match_name, text)
        return None if outcome is None else (outcome.key, outcome.side)


class _Comparison:
    """A bookmaker's prices of a market compared with the sharp book's."""

    def __init__(self, market: Market, reference: Prices, book: Prices) -> None:
        self._market = market
        self._reference = reference
        self._book = book
        self._sides, self._unread = _priced_sides(market, book)
        self._reference_unread = sum(outcome is None for outcome in _read(market, reference))

    def candidate(self, line: ReferenceLine, side: str, odds: float) -> Candidate:
        """Return one of the bookmaker's prices of a line as a candidate."""
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
        """Return whether both price all possible outcomes, by the same rules."""
        market, book, reference = self._market, self._book, self._reference
        kind = market.market_type
        if is_unread(kind, self._unread, sides, had_draw=book.had_draw):
            return False
        theirs = frozenset(line.group.sides)
        if is_unread(kind, self._reference_unread, theirs, had_draw=reference.had_draw):
            return False
        if kind == "spread" and abs(line.group.line or 0.0) >= 1:
            return True  # the contract has no rule for them, unlike the desk
        return not settles_otherwise(
            (kind, market.period, market.sport),
            line.group.line,
            book.has_overtime,
            reference.has_overtime,
        )


def _priced_sides(market: Market, book: Prices) -> tuple[dict[str, frozenset[str]], int]:
    """Return the sides that a bookmaker prices, by line key, and the number of unread texts."""
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
