"""The rules in words: what each asks, how far a price is from it, and what would have to change."""

import math
from collections.abc import Iterator
from typing import Final

from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.explaining import Explanation, NoFairOdds
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.column_formats import format_end
from oddsdesk.pricing.depth import Depth
from oddsdesk.pricing.exposure import Bound
from oddsdesk.pricing.formats import DECIMAL
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.rules import (
    CAPPED_EV,
    MAX_AGE_MS,
    MAX_EV,
    MAX_OVERROUND,
    MAX_PAYOUT,
    MAX_RATIO,
    MIN_EV,
    MIN_OVERROUND,
    MIN_PAYOUT,
    Rule,
    RuleCheck,
    least_edge_factor,
)

_LEVELS_SHOWN: Final = 3
_MINUTE_S: Final = 60
_SECOND_MS: Final = 1_000
_TITLES: Final = {
    Rule.OTHER_BOOKMAKER: "Not the reference itself",
    Rule.SAME_STATE: "Both in play, or neither",
    Rule.REFERENCE_SIDES: "Reference prices all sides",
    Rule.COMPARABLE: "Bets on the same outcomes",
    Rule.DEVIGGED: "A fair price exists",
    Rule.REFERENCE_AGE: "Ref. age",
    Rule.BOOK_AGE: "Price age",
    Rule.OVERROUND: f"Reference S {MIN_OVERROUND:g} – {MAX_OVERROUND:g}",
    Rule.MIN_EDGE: f"Edge ≥ {MIN_EV:g} %",
    Rule.MAX_EDGE: f"Edge ≤ {MAX_EV:g} %",
    Rule.EDGE_CAP: f"Cap {CAPPED_EV:g} %",
    Rule.PAYOUT: f"Price S {MIN_PAYOUT:g} – {MAX_PAYOUT:g}",
    Rule.RATIO: f"Ratio ≤ {MAX_RATIO:g}",
}
_CAUTIONS: Final = {
    Caution.NOT_COMPARABLE: "bets on other outcomes",
    Caution.UNREAD_OUTCOME: "an outcome is unread or missing",
    Caution.OTHER_RULES: "overtime counts at one only",
    Caution.STATE_DIFFERS: "in play at one only",
    Caution.APART: "not seen at the same time",
    Caution.STALE: "stale: not seen lately",
    Caution.REFERENCE_STALE: "{reference} is stale",
    Caution.AGE_UNKNOWN: "age not known yet",
    Caution.STARTED: "the game has begun",
    Caution.CROSSED_REFERENCE: "{reference} is below 100 %",
    Caution.ABOVE_WINDOW: "too good: above the window",
    Caution.WITHDRAWN: "no longer offered",
    Caution.DELAYED: "its source is late",
    Caution.BOOK_BELOW_100: "this bookmaker's own line is below 100 %",
    Caution.PLACEHOLDER: "a placeholder, not a price",
}
_BOUNDS: Final = {
    Bound.KELLY: "",
    Bound.OUTCOME: "outcome cap",
    Bound.GAME: "game cap",
    Bound.SAME_GAME: "same game: one stake",
    Bound.TOTAL: "open in all",
    Bound.BOOKMAKER: "limit of {bookmaker}",
    Bound.FOR_SALE: "all that is for sale",
    Bound.PLACED: "placed already",
    Bound.ROUNDING: "below a step",
    Bound.NO_EDGE: "no gain beside the other side",
}
NOT_MINE: Final = "No value: not one of your bookmakers"
"""What is said of a price that lists leave out, whatever it is worth."""
GONE: Final = "No longer offered: what follows is about the last price."
"""What is said first of a price that was withdrawn."""
PER_DECIDED: Final = "*"
"""Stands beside an EV or a CLV that is not per unit staked (D53)."""
PER_DECIDED_TEXT: Final = "of a decided unit: how often the stake comes back is not known"
FLOOR_TEXT: Final = (
    "an EV of oddsdesk has a safety floor of 1 % (4 % of player props) off, a CLV has not:"
    " fair odds that stay until the close make a CLV that much above its EV"
)
"""Wherever both stand side by side."""
_EDGES: Final = (Rule.MIN_EDGE, Rule.MAX_EDGE, Rule.EDGE_CAP)
_AGES: Final = (Rule.REFERENCE_AGE, Rule.BOOK_AGE)
_DECIMALS: Final = {Rule.OVERROUND: 4, Rule.PAYOUT: 4, Rule.RATIO: 4}


def rule_title(check: RuleCheck) -> str:
    """Return what a rule asks, in few words; of an age, the limit that decides."""
    if check.rule in _AGES and check.most is not None:
        return f"{_TITLES[check.rule]} ≤ {_limit_text(check.most)}"
    return _TITLES[check.rule]


def limit_reason(said: Explanation, check: RuleCheck) -> str:
    """Return what the limit of an age comes from, and whose S is the price's; else nothing."""
    if check.rule is Rule.PAYOUT:
        return f"S, the sum of 1/price, of this price and {said.reference}'s of the other outcomes"
    if check.rule not in _AGES or check.most is None:
        return ""
    name = said.bookmaker if check.rule is Rule.BOOK_AGE else said.reference
    limit, longest = _limit_text(check.most), _limit_text(MAX_AGE_MS)
    return (
        f"Above {limit} {name} is stale: by how often it is read, and whether the game is in play; "
        f"never above {longest}. Before the game the time since the desk read it last does not "
        "count for a turn of reading, while prices come in and the stream would tell of a move; "
        "it is taken off beside the age"
    )


def figure_text(check: RuleCheck) -> str:
    """Return the figure that a rule looks at, with its unit; empty where it has none.

    An age is the whole one, as columns have it, with what of it does not count.
    """
    if check.figure is None:
        return ""
    if check.uncounted >= _SECOND_MS:
        age, uncounted = check.figure + check.uncounted, check.uncounted
        return f"{int(age) // _SECOND_MS} − {int(uncounted) // _SECOND_MS} s"
    return _measure(check.rule, check.figure)


def margin_text(check: RuleCheck) -> str:
    """Return how far a price is from the rule's threshold: ``6.26 pp left``, ``0.40 pp short``."""
    if check.margin is None:
        return "" if check.holds else "no"
    distance = _distance(check.rule, abs(check.margin))
    if check.holds:
        return f"{distance} left"
    is_short = check.least is not None and (check.figure or 0.0) < check.least
    return f"{distance} {'short' if is_short else 'over'}"


def duration_text(span_ms: float) -> str:
    """Return a span rounded down: ``95 s``, ``14 min``, ``2 h 5 min``."""
    seconds = int(max(0.0, span_ms)) // 1000
    if seconds < 2 * _MINUTE_S:
        return f"{seconds} s"
    minutes = seconds // _MINUTE_S
    return f"{minutes} min" if minutes < 2 * 60 else f"{minutes // 60} h {minutes % 60} min"


def _age_text(span_ms: float) -> str:
    """Return an age, to the second below the longest limit: ``95 s``, ``3 min 28 s``."""
    seconds = int(max(0.0, span_ms)) // _SECOND_MS
    if seconds >= 2 * _MINUTE_S and span_ms < MAX_AGE_MS:
        return f"{seconds // _MINUTE_S} min {seconds % _MINUTE_S} s"
    return duration_text(span_ms)


def _limit_text(span_ms: float) -> str:
    """Return a limit in few characters, rounded down: ``90 s``, ``2.5 min``, ``15 min``."""
    seconds = int(span_ms) // 1000
    if seconds < 2 * _MINUTE_S:
        return f"{seconds} s"
    return f"{seconds * 10 // _MINUTE_S / 10:g} min"


def unvalued_text(said: Explanation) -> str:
    """Return why a price is not valued, in one sentence; empty where it is."""
    reference = said.reference
    match said.no_fair_odds:
        case None:
            return ""
        case NoFairOdds.NO_REFERENCE:
            return (
                f"No reference price: {reference} prices nothing here, so there is nothing to "
                "judge by."
            )
        case NoFairOdds.SIDE_MISSING:
            priced = ", ".join(selection for selection, _ in said.quoted)
            return f"One side is missing: {reference} prices only {priced}."
        case NoFairOdds.OVERLAPPING:
            return "The outcomes of this market overlap, so no margin can be taken out of it."
        case NoFairOdds.UNREAD:
            return "The selection's text fits no known form, so it is shown but never valued."
        case NoFairOdds.OTHER_OUTCOME:
            return f"{reference} does not price this outcome, so there is nothing to judge by."
        case NoFairOdds.TOO_FEW:
            return "No reference price: too few votes on this line for a consensus."
        case NoFairOdds.NO_ANSWER:
            method = said.method.replace("_", " ")
            return f"The {method} method has no answer to these prices; choose another."


def bound_text(bound: Bound | None, bookmaker: str, stake: float) -> str:
    """Return what bound a stake, in a few words; empty where nothing but Kelly did."""
    if bound is None:
        return ""
    if bound is Bound.BOOKMAKER and not stake:
        return f"limit of {bookmaker} used up"
    if bound is Bound.SAME_GAME and stake:
        return "less for other lines of the game"
    return _BOUNDS[bound].replace("{bookmaker}", bookmaker)


def caution_text(caution: Caution, reference: str) -> str:
    """Return what speaks against a price, in a few words."""
    return _CAUTIONS[caution].format(reference=reference)


def told_cautions(found: Assessment) -> list[Caution]:
    """Return what is said against a price: the age of one that is gone is not waited for."""
    is_gone = Caution.WITHDRAWN in found.cautions
    return [each for each in found.cautions if not (is_gone and each is Caution.AGE_UNKNOWN)]


def cautions_text(found: Assessment, reference: str) -> str:
    """Return all that speaks against a price, the gravest first; empty where nothing does."""
    return "; ".join(caution_text(caution, reference) for caution in told_cautions(found))


def remedies(said: Explanation) -> list[str]:
    """Return what would have to change for the rules that stop the price, each once."""
    if said.no_fair_odds is not None:
        return []
    texts = dict.fromkeys(_remedy(said, check) for check in said.assessment.stopped_by)
    return [text for text in texts if text]


def _remedy(said: Explanation, check: RuleCheck) -> str:
    match check.rule:
        case Rule.MIN_EDGE:
            return _rise(said)
        case Rule.MAX_EDGE | Rule.EDGE_CAP | Rule.RATIO:
            return _fall(said)
        case Rule.PAYOUT:
            too_low = (check.figure or 0.0) < MIN_PAYOUT
            return _fall(said) if too_low else _rise(said)
        case Rule.OVERROUND:
            margin = ((check.figure or 0.0) - 1) * 100
            most = (MAX_OVERROUND - 1) * 100
            return f"{said.reference}'s margin would have to fall from {margin:.2f} to {most:.0f} %"
        case Rule.BOOK_AGE:
            return f"{said.bookmaker}'s price would have to be seen again"
        case Rule.REFERENCE_AGE:
            return f"{said.reference}'s price would have to be seen again"
        case Rule.SAME_STATE:
            return "Both prices would have to be in play, or neither"
        case _:
            return ""


def _rise(said: Explanation) -> str:
    """What a price that is too low would have to be."""
    fair = said.assessment.fair_odds
    if fair is None:
        return ""
    least = said.profile.gross(fair * least_edge_factor(said.key.market_type))
    if said.window is not None:
        least = max(least, said.window.least)
    text = format_end(least, DECIMAL, is_least=True)
    return f"The price would have to rise to {text} ({_change(said, text)})"


def _fall(said: Explanation) -> str:
    """What a price that looks like an error would have to be."""
    if said.window is None or said.window.most >= said.odds:
        return ""
    text = format_end(said.window.most, DECIMAL, is_least=False)
    return f"The price would have to fall to {text} ({_change(said, text)}): above, it looks wrong"


def _change(said: Explanation, price: str) -> str:
    return f"{(float(price) / said.odds - 1) * 100:+.1f} %"


def _distance(rule: Rule, margin: float) -> str:
    """Sums of probabilities, edges and ratios are apart by percentage points."""
    if rule in _AGES:
        return duration_text(margin)
    return f"{margin if rule in _EDGES else margin * 100:.2f} pp"


def _measure(rule: Rule, figure: float) -> str:
    if rule in _AGES:
        return _age_text(figure)
    if rule in _EDGES:
        return f"{figure:.2f} %"
    return f"{figure:.{_DECIMALS.get(rule, 4)}f}"


def amount_text(amount: float, currency: str) -> str:
    """Return an amount of money with two decimals, rounded down."""
    shown = f"{math.floor(amount * 100 + 1e-6) / 100:,.2f}"
    return f"{shown} {currency}".rstrip()


def for_sale_text(price: AssessedPrice) -> str:
    """Say how much is for sale at the odds of a price; empty where nobody tells."""
    if price.for_sale is None or price.depth is None:
        return ""
    return f"{amount_text(price.for_sale, price.depth.currency)} for sale"


def levels_in_words(profile: Profile, depth: Depth | None) -> Iterator[tuple[str, str]]:
    """Yield the odds of the best levels and the stakes that they take, fees included."""
    if depth is None:
        return
    for odds, size in depth.levels[:_LEVELS_SHOWN]:
        yield f"{odds:.4g}", amount_text(profile.stake_of(odds, size), depth.currency)


def currency_text(depth: Depth | None) -> str:
    """Say how amounts in a currency count beside the bankroll; empty where none is told."""
    if depth is None or not depth.currency:
        return ""
    return f"No exchange rate is known: 1 {depth.currency} counts as 1 of your bankroll"
