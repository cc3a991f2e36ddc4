"""The one answer to what a price is worth: net odds, EV per unit staked, and cautions (D45).

Whoever shows, sorts, stakes or tells of a price asks ``assess``. A price with a caution is never
value and gets no stake; it is shown, with the caution in words.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, Literal

import msgspec

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.rules import (
    MAX_AGE_MS,
    MIN_EV,
    MIN_OVERROUND,
    Rule,
    RuleCheck,
    safety_floor,
    within,
)
from oddsdesk.pricing.settlement import Settlement, settlement
from oddsdesk.pricing.value import Candidate, ReferenceLine, is_comparable, is_same_state, judge

APART_MS: Final = MINUTE_MS
"""Prices in play that were seen further apart belong to two different scores."""
STALE_MS: Final = 3 * MINUTE_MS
"""Age of a stale price before the game, where the bookmaker's own rhythm is not known."""
STALE_IN_PLAY_MS: Final = MINUTE_MS
"""The same in play."""
DRAW_MISSED_MS: Final = 24 * 60 * MINUTE_MS
"""How long a draw that was seen and is gone is missed (D48)."""
OVERTIME_SPORTS: Final = frozenset({"Hockey", "Basketball", "Baseball", "AmericanFootball"})
"""Sports whose tied games go on: what counts then is not the same for every bet (D49)."""
GOAL_MARKETS: Final = frozenset({"total", "team_total", "spread"})
"""Markets that goals in overtime may decide (D49)."""
LOWEST_MEANT: Final = 1.02
"""Two sides of a line at this or less are an empty book: no bookmaker offers that on both."""
LONG_ODDS: Final = 100.0
"""From here on odds are looked at beside others: lower ones are no sign by themselves."""
END_OF_LADDER: Final = 1_000.0
"""The highest odds of the exchanges: what stands there if nobody offers anything better. Of 41,190
prices of the World Cup's recording the highest that was meant is 610."""
_TIMES_TOO_LONG: Final = 10.0
"""Exchanges offer up to three times what bookmakers do on an outsider; this is no such price."""
_ROUNDING: Final = 1e-5
"""By which S may be below 1 if odds of six decimals are rounded."""
_ABOVE: Final = frozenset({Rule.MAX_EDGE, Rule.EDGE_CAP, Rule.RATIO})
_TOLD: Final = frozenset({Rule.SAME_STATE, Rule.COMPARABLE, Rule.REFERENCE_AGE, Rule.BOOK_AGE})


class Caution(Enum):
    """Why a price is not to be relied upon, in the order in which it is told."""

    NOT_COMPARABLE = "not_comparable"
    """The bookmaker's line group settles otherwise than the reference's (D27, D36)."""
    UNREAD_OUTCOME = "unread_outcome"
    """A selection beside it could not be read, or one that was priced before is missing (D48)."""
    OTHER_RULES = "other_rules"
    """Overtime counts for one and not for the other (D49)."""
    STATE_DIFFERS = "state_differs"
    """One is in play, the other is not (D30)."""
    APART = "apart"
    """In play, and the two were seen more than ``APART_MS`` apart."""
    STALE = "stale"
    """Old by the bookmaker's own rhythm, older than 15 minutes, or seen in the future (D84)."""
    REFERENCE_STALE = "reference_stale"
    """The same of the reference's price."""
    AGE_UNKNOWN = "age_unknown"
    """Nobody has told when the price was last seen."""
    STARTED = "started"
    """Not in play, and its kick-off has passed."""
    CROSSED_REFERENCE = "crossed_reference"
    """The reference's S is below 1 (D50)."""
    ABOVE_WINDOW = "above_window"
    """Above the price from which it is suspicious."""
    WITHDRAWN = "withdrawn"
    """No longer offered."""
    DELAYED = "delayed"
    """Its source says that its prices are late (D66)."""
    BOOK_BELOW_100 = "book_below_100"
    """The bookmaker's own complete line adds up to less than 100 %, at gross odds."""
    PLACEHOLDER = "placeholder"
    """Odds that no bookmaker means: ``line_doubts``, ``is_placeholder``."""


class Sighting(msgspec.Struct, frozen=True, gc=False):
    """A price as it was seen; times in milliseconds."""

    side: str
    odds: float
    """Gross, as offered."""
    scraped_at: int | None
    """None where nobody told."""
    is_live: bool | None
    stale_after_ms: int | None = None
    """By the bookmaker's own rhythm; None where that is not known yet."""
    is_offered: bool = True
    is_delayed: bool = False
    unread_ms: int = 0
    """How much of its age is only that it was not read again, and does not count."""
    doubts: Collection[Caution] = ()
    """What the bookmaker's own line and other bookmakers' prices say against it."""


class Group(msgspec.Struct, frozen=True, gc=False):
    """What is known of the line group that a bookmaker prices, beside the price itself."""

    profile: Profile
    sides: frozenset[str]
    """All sides that the bookmaker prices in the line group."""
    has_unread: bool = False
    """A selection beside them could not be read, or a draw that was priced lately is missing."""
    has_overtime: bool | None = None
    """Whether its bets of the game count overtime; None where that cannot be told."""
    is_reference: bool = False


class Setting(msgspec.Struct, frozen=True, gc=False):
    """What is known of the game and of the reference's line group."""

    line: ReferenceLine
    period: int
    sport: str
    kick_off: int | None
    now_ms: int
    has_unread: bool = False
    has_overtime: bool | None = None
    """Of the reference's bets."""
    push: float | None = None
    """The probability that the line is hit exactly (D53); None where it can be and is not known."""
    stale_after_ms: int | None = None
    """By the reference's own rhythm; None where that is not known yet."""
    unread_ms: int = 0
    """How much of the line's age does not count, as ``Sighting.unread_ms``."""


class Assessment(msgspec.Struct, frozen=True, gc=False):
    """What a price is worth. Figures are unrounded, None where they cannot be formed."""

    odds: float
    net_odds: float
    fair_odds: float | None
    ev_pct: float | None
    """Net, safety floor included, in percent of what ``per`` names."""
    per: Literal["staked", "decided"]
    """``decided`` where it is not known how often the stake comes back."""
    service_ev_pct: float | None
    """By the contract's rules: of the gross price, per decided unit."""
    cautions: tuple[Caution, ...]
    checks: tuple[RuleCheck, ...]
    """The contract's rules, judged on net odds, and on ages by which a price is stale."""
    settlement: Settlement | None
    """How the bet may end; None without fair odds."""

    is_value: bool
    """Every rule holds, and nothing speaks against it."""
    is_value_but_for_cautions: bool
    """Every rule holds but those that a caution tells of already."""

    @property
    def stopped_by(self) -> tuple[RuleCheck, ...]:
        """The rules that do not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def ev_at(self, net_odds: float, market_type: str) -> float | None:
        """Return what ``ev_pct`` would be at other net odds; None without fair odds."""
        if self.fair_odds is None or self.settlement is None:
            return None
        final = self.fair_odds * safety_floor(market_type)
        return (net_odds / final - 1) * 100 * self.settlement.decided


def assess(setting: Setting, group: Group, price: Sighting) -> Assessment:
    """Say what a price is worth and what speaks against it."""
    line = setting.line
    net = group.profile.net(price.odds)
    scraped_at = setting.now_ms if price.scraped_at is None else price.scraped_at
    candidate = Candidate(
        price.side, net, group.sides, scraped_at, price.is_live, group.is_reference
    )
    is_live = line.is_live if price.is_live is None else price.is_live
    line_age = _longest_age_ms(setting.stale_after_ms, line.is_live)
    book_age = _longest_age_ms(price.stale_after_ms, is_live)
    verdict = judge(
        line,
        candidate,
        setting.now_ms,
        reference_age_ms=line_age,
        book_age_ms=book_age,
        reference_unread_ms=min(setting.unread_ms, MAX_AGE_MS - line_age),
        book_unread_ms=min(price.unread_ms, MAX_AGE_MS - book_age),
    )
    fair = verdict.fair_odds
    ends = None if fair is None else settlement_of(line, price.side, fair, setting.push)
    ev = None if verdict.ev_pct is None or ends is None else verdict.ev_pct * ends.decided
    checks = verdict.checks
    if ev is not None and ev != verdict.ev_pct:
        edge = within(Rule.MIN_EDGE, ev, least=MIN_EV)
        checks = tuple([edge if check.rule is Rule.MIN_EDGE else check for check in checks])
    floor = safety_floor(line.market_type)
    stopped = [check for check in checks if not check.holds]
    cautions = tuple(_cautions(setting, group, price, stopped))
    return Assessment(
        odds=price.odds,
        net_odds=net,
        fair_odds=fair,
        ev_pct=ev,
        per="staked" if setting.push is not None else "decided",
        service_ev_pct=None if fair is None else (price.odds / (fair * floor) - 1) * 100,
        cautions=cautions,
        checks=checks,
        settlement=ends,
        is_value=not cautions and not stopped,
        is_value_but_for_cautions=all(map(_is_told, stopped)),
    )


def doubts_in_order(doubts: Collection[Caution]) -> list[Caution]:
    """Return the cautions among these that hold without a reference, in the order of the set."""
    return [each for each in (Caution.BOOK_BELOW_100, Caution.PLACEHOLDER) if each in doubts]


def line_doubts(odds: Collection[float], *, is_complete: bool) -> frozenset[Caution]:
    """Return what speaks against all prices of a bookmaker's line.

    Nobody sells all outcomes for less than they pay: one of the prices is a mistake, is old, or is
    a promotion that takes no usual stake.

    Args:
        odds: Its gross odds of sides that exclude each other.
        is_complete: Whether these are all sides.
    """
    found = set[Caution]()
    if is_complete and math.fsum(1 / price for price in odds) < MIN_OVERROUND - _ROUNDING:
        found.add(Caution.BOOK_BELOW_100)
    if sum(price <= LOWEST_MEANT for price in odds) >= 2:
        found.add(Caution.PLACEHOLDER)
    return frozenset(found)


def is_placeholder(odds: float, others: float | None, elsewhere: float | None) -> bool:
    """Tell whether odds are so long that no bookmaker means them.

    They are meant if a tenth of them fits the bookmaker's own other sides, or is offered by another
    operator. With neither to compare, the end of an exchange's ladder is not.

    Args:
        odds: Gross odds.
        others: The sum of 1/odds of the other sides of its own line; None if they are not all
            there.
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
    """Return the age of a stale price of a bookmaker whose own rhythm is not known."""
    return STALE_IN_PLAY_MS if in_play else STALE_MS


def counts_overtime(
    sport: str, moneyline_sides: frozenset[str], *, texts_unread: int = 0, had_draw: bool = False
) -> bool | None:
    """Tell by its moneyline whether a bookmaker's bets of a game count overtime (D49).

    With a draw, be it one that was there lately, it prices regulation. None where sport or sides
    do not tell: a selection that could not be read may be the draw.
    """
    if sport not in OVERTIME_SPORTS or not {"home", "away"} <= moneyline_sides:
        return None
    if had_draw or "draw" in moneyline_sides:
        return False
    return None if texts_unread else True


def usual_form(forms: Mapping[bool, int]) -> bool | None:
    """Tell whether overtime counts in most of a bookmaker's games; None where as many say either.

    Args:
        forms: How many of its moneylines say so, and how many do not.
    """
    counting, not_counting = forms.get(True, 0), forms.get(False, 0)
    return None if counting == not_counting else counting > not_counting


def is_unread(
    market_type: str, texts_unread: int, sides: Collection[str], *, had_draw: bool = False
) -> bool:
    """Tell whether a market has more outcomes than the sides that are seen (D48).

    That is where a selection beside them could not be read, or where the draw of a moneyline
    that was there lately (``had_draw``) is missing. A prop's selections speak of many players,
    and a market with a draw is whole without more.
    """
    if "draw" in sides or market_type == "player_prop":
        return False
    return texts_unread > 0 or (had_draw and market_type == "moneyline")


def settles_otherwise(
    market: tuple[str, int, str], line: float | None, one: bool | None, other: bool | None
) -> bool:
    """Tell whether overtime counts for one of two bets only, and could decide them (D49).

    Args:
        market: Market type, period and sport.
        line: The line that both are of.
        one: Whether overtime counts for one of them; None where that is not known.
        other: The same of the other.
    """
    market_type, period, sport = market
    if period != 0 or one is None or other is None or one == other:
        return False
    if market_type not in GOAL_MARKETS or sport not in OVERTIME_SPORTS:
        return False
    return market_type != "spread" or abs(line or 0.0) < 1


def settlement_of(
    line: ReferenceLine, side: str, fair_odds: float, push: float | None
) -> Settlement:
    """Return how a bet on a side may end; an unknown ``push`` counts as none."""
    number = threshold = line.group.line
    if number is not None and line.market_type in {"spread", "games_handicap"}:
        threshold = -number  # the home team covers where its margin lies above minus its line
    is_above = side in {"over", "home", "yes"}
    return settlement(1 / fair_odds, push or 0.0, threshold, is_above=is_above)


def _cautions(
    setting: Setting, group: Group, price: Sighting, stopped: Sequence[RuleCheck]
) -> Iterator[Caution]:
    """Yield what speaks against a price, in the order of the set; ``stopped`` are broken rules."""
    line, now = setting.line, setting.now_ms
    in_play = bool(price.is_live or line.is_live)
    total = line.overround
    broken = [check.rule for check in stopped]
    if line.prices and not is_comparable(line.group.sides, group.sides):
        yield Caution.NOT_COMPARABLE
    if group.has_unread or setting.has_unread:
        yield Caution.UNREAD_OUTCOME
    if settles_otherwise(
        (line.market_type, setting.period, setting.sport),
        line.group.line,
        group.has_overtime,
        setting.has_overtime,
    ):
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
    if total is not None and total < MIN_OVERROUND:
        yield Caution.CROSSED_REFERENCE
    if any(map(_is_above, stopped)):
        yield Caution.ABOVE_WINDOW
    if not price.is_offered:
        yield Caution.WITHDRAWN
    if price.is_delayed:
        yield Caution.DELAYED
    yield from doubts_in_order(price.doubts)


def _longest_age_ms(stale_after_ms: int | None, is_live: bool | None) -> int:
    """Return the age above which a price is stale: by its bookmaker's rhythm where it is known."""
    return min(stale_after_ms or usual_stale_after_ms(is_live), MAX_AGE_MS)


def _is_told(check: RuleCheck) -> bool:
    """Whether a caution says why a rule is broken."""
    if check.rule is Rule.OVERROUND:
        return check.figure is not None and check.figure < MIN_OVERROUND
    return check.rule in _TOLD or _is_above(check)


def _is_above(check: RuleCheck) -> bool:
    """Whether a broken rule is broken from above: by a price too good to be true."""
    if check.figure is None:
        return False
    if check.rule is Rule.PAYOUT:
        return check.least is not None and check.figure < check.least
    return check.rule in _ABOVE
