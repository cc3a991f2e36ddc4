"""The rules in words: what each asks, how far a price is from it, and what would have to change."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from oddsdesk.base.market_words import market_text, selection_text
from oddsdesk.base.numbers import num, with_marks
from oddsdesk.base.texts import N_, _, mid_sentence, ngettext, translated
from oddsdesk.board.model.matrix import Laid
from oddsdesk.board.valuation.explaining import (
    Explanation,
    NoFairOdds,
    VoterFigure,
    exact_text,
    fair_text,
    method_name,
    steps,
)
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.contract.texts import MINUS
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.exposure import Bound
from oddsdesk.pricing.formats import DECIMAL, format_end
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.stakes import MOST_SPREAD, Depth
from oddsdesk.pricing.value import (
    MAX_AGE_MS,
    MIN_OVERROUND,
    LineName,
    ReferenceLine,
    Rule,
    RuleCheck,
    expected_value,
)

_LEVELS_SHOWN: Final = 3
_MINUTE_S: Final = 60
_SECOND_MS: Final = 1_000


def _margin(total: float) -> str:
    """Return the margin in percent of a sum of 1/odds: ``5`` for 1.05, ``−1`` for 0.99."""
    return f"{num(round((total - 1) * 100, 6) + 0.0):g}".replace("-", MINUS)


RULE_TITLES: Final = {
    Rule.OTHER_BOOKMAKER: _("Not the sharp book itself"),
    Rule.SAME_STATE: _("Both in play or both pre-match"),
    Rule.REFERENCE_SIDES: _("Sharp book prices every outcome"),
    Rule.COMPARABLE: _("Same market and rules"),
    Rule.DEVIGGED: _("Fair odds are known"),
    Rule.ABOVE_REFERENCE: _("Better than the sharp book's own odds"),
    Rule.REFERENCE_AGE: _("Sharp price age"),
    Rule.BOOK_AGE: _("Price age"),
    Rule.OVERROUND: _("Sharp margin"),
    Rule.MIN_EDGE: _("EV ≥"),
    Rule.MAX_EDGE: _("EV ≤"),
    Rule.EDGE_CAP: _("EV ≤"),
    Rule.PAYOUT: _("Book margin"),
    Rule.RATIO: _("EV ≤"),
}
"""The names of rules in Explain, without their limits."""
_CAUTIONS: Final = {
    Caution.NOT_COMPARABLE: N_("different market (2-way vs 3-way)"),
    Caution.UNREAD_OUTCOME: N_("an outcome is missing or unreadable"),
    Caution.OTHER_RULES: N_("overtime rules differ"),
    Caution.STATE_DIFFERS: N_("in play at only one of the two"),
    Caution.APART: N_("prices read at different times"),
    Caution.STALE: N_("stale: not seen lately"),
    Caution.REFERENCE_STALE: N_("{reference} is stale"),
    Caution.AGE_UNKNOWN: N_("age not known yet"),
    Caution.STARTED: N_("the game has started"),
    Caution.CROSSED_REFERENCE: N_("{reference}'s margin is negative"),
    Caution.ABOVE_WINDOW: N_("likely error, far above fair"),
    Caution.WITHDRAWN: N_("no longer offered"),
    Caution.DELAYED: N_("delayed feed"),
    Caution.BOOK_BELOW_100: N_("this bookmaker's margin is negative"),
    Caution.PLACEHOLDER: N_("placeholder, not a real price"),
}
_BOUNDS: Final = {
    Bound.KELLY: "",
    Bound.OUTCOME: _("outcome cap"),
    Bound.GAME: _("game cap"),
    Bound.SAME_GAME: _("staked on another bet of this game"),
    Bound.TOTAL: _("cap on all open bets"),
    Bound.BOOKMAKER: _("{bookmaker}'s limit"),
    Bound.FOR_SALE: _("all that is available"),
    Bound.PLACED: _("already placed"),
    Bound.ROUNDING: _("rounds to 0"),
    Bound.NO_EDGE: _("no gain on top of the other side"),
}
NOT_MINE: Final = _("No value: not one of your bookmakers")
"""What is said of a price that lists leave out, whatever it is worth."""
FAILS: Final = _("fails a rule")
"""What is said of a price that is no value for another reason than cautions and the minimum EV."""
GONE: Final = _("No longer offered. Figures are for the last price.")
"""What is said first of a price that was withdrawn."""
PER_DECIDED: Final = "*"
"""Marks an EV or a CLV that is not per unit staked."""
PER_DECIDED_TEXT: Final = _("without pushes, as how often the line pushes is not known")
_EDGES: Final = (Rule.MIN_EDGE, Rule.MAX_EDGE, Rule.EDGE_CAP)
_AGES: Final = (Rule.REFERENCE_AGE, Rule.BOOK_AGE)
_MARGINS: Final = (Rule.OVERROUND, Rule.PAYOUT)


def ev_limit_text(ev: float) -> str:
    """Return a minimum or maximum EV with the two decimals that Settings take: ``12.25``."""
    return f"{num(round(ev, 2)):g}"


def rule_title(check: RuleCheck, *, is_low_end: bool = False) -> str:
    """Return what a rule asks, in few words; of an age, the limit that decides.

    ``is_low_end``: the minimum EV is compared with the EV at the low end of the band.
    """
    if check.rule in _AGES and check.most is not None:
        return f"{RULE_TITLES[check.rule]} ≤ {_limit_text(check.most)}"
    if check.rule in _EDGES:
        limit = check.most if check.least is None else check.least
        title = _("EV at the low end ≥") if is_low_end else RULE_TITLES[check.rule]
        if limit is not None and check.rule is Rule.EDGE_CAP:
            return _("EV ≤ {limit} % (main markets)").format(limit=ev_limit_text(limit))
        if limit is not None:
            return f"{title} {ev_limit_text(limit)} %"
    if check.rule in _MARGINS and check.least is not None and check.most is not None:
        return _("{rule} {least} to {most} %").format(
            rule=RULE_TITLES[check.rule], least=_margin(check.least), most=_margin(check.most)
        )
    if check.rule is Rule.RATIO and check.most is not None:
        return f"{RULE_TITLES[check.rule]} {ev_limit_text(_above_fair(check.most))} %"
    return RULE_TITLES[check.rule]


def limit_reason(said: Explanation, check: RuleCheck) -> str:
    """Return what the limit of an age comes from, and whose S is the price's; else nothing."""
    if check.rule is Rule.PAYOUT:
        return _(
            "Margin of the market made of this price and {reference}'s odds on the other outcomes"
        ).format(reference=said.reference)
    if check.rule is Rule.ABOVE_REFERENCE:
        return _("{reference} itself offers {odds:.4g} on the same bet").format(
            reference=said.reference, odds=num(check.least)
        )
    if check.rule is Rule.RATIO and check.most is not None:
        return _(
            "Maximum EV under Settings, Value bets: odds of at most {ratio:.6g} × fair odds"
        ).format(ratio=num(check.most))
    if check.rule not in _AGES or check.most is None:
        return ""
    name = said.bookmaker if check.rule is Rule.BOOK_AGE else said.reference
    limit, longest = _limit_text(check.most), _limit_text(MAX_AGE_MS)
    return _(
        "{name} is stale when its price is older than {limit}. The limit depends on "
        "how often it is read and on whether the game is in play; it is never above "
        "{longest}. Before kick-off the time since the last reading is subtracted, "
        "as the stream would have reported a move"
    ).format(name=name, limit=limit, longest=longest)


def figure_text(check: RuleCheck) -> str:
    """Return the figure that a rule looks at, with its unit; empty where it has none.

    An age is the whole one, as columns have it, with what of it does not count.
    """
    if check.figure is None:
        return ""
    if check.uncounted >= _SECOND_MS:
        age, uncounted = check.figure + check.uncounted, check.uncounted
        return _("{age} s old, {uncounted} s not counted").format(
            age=int(age) // _SECOND_MS, uncounted=int(uncounted) // _SECOND_MS
        )
    return _measure(check.rule, check.figure)


def margin_text(check: RuleCheck) -> str:
    """Return the gap to the rule's threshold: ``6.26 pp left``, ``0.40 pp short``."""
    if check.margin is None:
        return "" if check.holds else _("no")
    if check.rule is Rule.ABOVE_REFERENCE:
        return _("{odds:.4g} there").format(odds=num(check.least))
    distance = _distance(check.rule, abs(check.margin))
    if check.holds:
        return _("{distance} left").format(distance=distance)
    is_short = check.least is not None and (check.figure or 0.0) < check.least
    if is_short:
        return _("{distance} short").format(distance=distance)
    if check.rule in _AGES:
        return _("{distance} too old").format(distance=distance)
    return _("{distance} over").format(distance=distance)


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
    return f"{num(seconds * 10 // _MINUTE_S / 10):g} min"


def unvalued_text(said: Explanation) -> str:
    """Return why a price is not valued, and has no derived fair odds; empty where it is."""
    text = _unvalued_text(said)
    if not said.why_not_derived:
        return text
    return _("{text} Not derived: {why}.").format(text=text, why=said.why_not_derived)


def _unvalued_text(said: Explanation) -> str:
    reference = said.reference
    match said.no_fair_odds:
        case None:
            return ""
        case NoFairOdds.NO_REFERENCE:
            return _("No fair odds: {reference} has no prices here to compare with.").format(
                reference=reference
            )
        case NoFairOdds.SIDE_MISSING:
            priced = ", ".join(selection_text(selection) for selection, _ in said.quoted)
            return _("No fair odds: {reference} prices only {priced}, not every outcome.").format(
                reference=reference, priced=priced
            )
        case NoFairOdds.OVERLAPPING:
            return _(
                "No fair odds: outcomes of this market overlap, so the margin cannot be removed."
            )
        case NoFairOdds.UNREAD:
            return _(
                "This selection's name could not be read, so the price is shown without a value."
            )
        case NoFairOdds.OTHER_OUTCOME:
            return _("No fair odds: {reference} does not price this outcome.").format(
                reference=reference
            )
        case NoFairOdds.TOO_WIDE:
            return _(
                "No fair odds: {reference} needs back and lay odds of every outcome, "
                "at most {spread:.0%} apart."
            ).format(reference=reference, spread=num(MOST_SPREAD))
        case NoFairOdds.TOO_FEW:
            return _("No fair odds: too few bookmakers on this line for a consensus.")
        case NoFairOdds.NO_ANSWER:
            method = method_name(said.method)
            return _(
                "No fair odds: the {method} method cannot handle these prices. Choose another."
            ).format(method=method)


def bound_text(bound: Bound | None, bookmaker: str, stake: float) -> str:
    """Return what bound a stake, in a few words; empty where nothing but Kelly did."""
    if bound is None:
        return ""
    if bound is Bound.BOOKMAKER and not stake:
        return _("{bookmaker}'s limit is used up").format(bookmaker=bookmaker)
    if bound is Bound.SAME_GAME and stake:
        return _("less, for other bets on this game")
    return _BOUNDS[bound].replace("{bookmaker}", bookmaker)


def caution_text(caution: Caution, reference: str) -> str:
    """Return what speaks against a price, in a few words."""
    return translated(_CAUTIONS[caution]).format(reference=reference)


def english_caution(caution: Caution, reference: str) -> str:
    """Return the same in English, for pages of a server."""
    return _CAUTIONS[caution].format(reference=reference)


def derived_text(found: Assessment, net_odds: float | None = None) -> str:
    """Return how fair odds were derived, in a few words; empty for the sharp book's own line.

    The band is for the EV at ``net_odds``, by default those of the price.
    """
    band = found.band_pct_at(net_odds or found.net_odds)
    kind = kind_of_derivation(found.derived)
    return kind if band is None else f"{kind}, EV ±{num(band):.1f}"


def kind_of_derivation(kind: str | None) -> str:
    """Return ``implied`` or ``modelled`` in the reader's language; empty for None."""
    return "" if kind is None else translated(kind)


_DERIVED: Final = (N_("implied"), N_("modelled"))


def low_end_text(found: Assessment, net_odds: float) -> str:
    """Say that the stake uses the low end of the band, with the EV there; empty unless modelled."""
    ends, cautious = found.stake_settlement, found.cautious_odds
    if found.band_pct is None or ends is None or cautious is None:
        return ""
    low = expected_value(net_odds, cautious, ends.decided)
    return _("staked at the low end of its band, EV {ev} %").format(ev=_signed(low))


def origin_text(line: ReferenceLine | None, side: str) -> str:
    """Return what the fair odds of a side rest on, in one sentence; empty if not derived."""
    if line is None or line.derived is None:
        return ""
    derived, price = line.derived, line.prices.get(side)
    if derived.kind == "implied":
        return _("Implied by {lines}").format(lines=_named_lines(derived.sources))
    if price is None or price.fair_odds is None:
        return ""
    chance, points = 100 / price.fair_odds, derived.bands[side] * 100
    return _("Modelled: the chance is {chance:.1f} %, give or take {points:.1f} points").format(
        chance=num(chance), points=num(points)
    )


def derivation_text(said: Explanation) -> str:
    """Return what derived fair odds rest on, in one sentence; empty if they are not derived."""
    derivation, band = said.derivation, said.assessment.band_pct
    if derivation is None:
        return ""
    if derivation.kind == "implied":
        return _("Implied by {lines}").format(lines=_named_lines(derivation.sources))
    lines = len(derivation.sources)
    return ngettext(
        "Modelled from {count} line, EV ±{band:.1f}",
        "Modelled from {count} lines, EV ±{band:.1f}",
        lines,
    ).format(count=lines, band=num(band or 0.0))


def fit_texts(said: Explanation) -> list[tuple[str, str, str]]:
    """Return how well a model reproduces each line: the line, both fair odds, the difference.

    Differences are percentage points of probability, model minus the sharp book.
    """
    found = () if said.derivation is None else said.derivation.fit
    return [
        (
            each.text,
            f"{num(each.own * 100):.1f} % / {num(each.model * 100):.1f} %",
            f"{num(round((each.model - each.own) * 100, 2) + 0.0):+.2f}".replace("-", MINUS),
        )
        for each in found
    ]


def _derived_lines(said: Explanation) -> Iterator[str]:
    """Yield how derived fair odds came about, without the scores."""
    if said.derivation is None:
        return
    yield derivation_text(said)
    yield from said.derivation.sum
    for name, figure in said.derivation.parameters:
        yield f"{name}: {figure}"
    if said.derivation.band:
        yield _("Error band: {band}").format(band=said.derivation.band)
    for line, fair, difference in fit_texts(said):
        yield _("{line}: {reference} / model {fair}, {difference}").format(
            line=line, reference=said.reference, fair=fair, difference=difference
        )


def _named_lines(names: Iterable[LineName]) -> str:
    """Name lines in a sentence: ``the match result``, ``handicap −0.5 and handicap −1``."""
    texts = [
        line_title(name) if name.key else _("the {line}").format(line=line_title(name))
        for name in names
    ]
    if len(texts) < 2:
        return "".join(texts)
    return _("{lines} and {last}").format(lines=", ".join(texts[:-1]), last=texts[-1])


def line_title(name: LineName) -> str:
    """Return a line as part of a sentence: ``match result``, ``handicap −0.5``."""
    key = selection_text(name.key).replace("-", MINUS)
    return f"{mid_sentence(market_text(name.market_type))} {key}".rstrip()


def below_minimum_text(found: Assessment) -> str:
    """Name the minimum EV of a price that has less; empty where it has it."""
    for check in found.stopped_by:
        if check.rule is Rule.MIN_EDGE and check.least is not None:
            limit = ev_limit_text(check.least)
            if found.band_pct is None:
                return _("below {limit} %").format(limit=limit)
            return _("below {limit} % at the low end of its band").format(limit=limit)
    return ""


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
        case Rule.ABOVE_REFERENCE:
            return "" if said.window is None else _rise(said)
        case Rule.MAX_EDGE | Rule.EDGE_CAP | Rule.RATIO:
            return _fall(said)
        case Rule.PAYOUT:
            too_low = (check.figure or 0.0) < (check.least or 0.0)
            return _fall(said) if too_low else _rise(said)
        case Rule.OVERROUND:
            margin = ((check.figure or 0.0) - 1) * 100
            if (check.figure or 0.0) < MIN_OVERROUND:
                return _("Becomes value once {reference}'s margin is no longer negative").format(
                    reference=said.reference
                )
            return _(
                "Becomes value if {reference}'s margin falls from {now:.2f} to {most} %"
            ).format(reference=said.reference, now=num(margin), most=_margin(check.most or 1.0))
        case Rule.BOOK_AGE:
            return _("Becomes value once {bookmaker}'s price is seen again").format(
                bookmaker=said.bookmaker
            )
        case Rule.REFERENCE_AGE:
            return _("Becomes value once {reference}'s price is seen again").format(
                reference=said.reference
            )
        case Rule.SAME_STATE:
            return _("Becomes value once both prices are in play, or both pre-match")
        case _:
            return ""


def _rise(said: Explanation) -> str:
    """What a price that is too low would have to be."""
    fair = said.assessment.cautious_odds
    if fair is None or math.isinf(fair):
        return ""
    least = said.profile.gross(said.rules.least_net(said.key.market_type, fair))
    if said.window is not None:
        least = max(least, said.window.least)
    text = format_end(least, DECIMAL, is_least=True)
    return _("Becomes value at {odds} or higher ({change})").format(
        odds=with_marks(text), change=_change(said, text)
    )


def _fall(said: Explanation) -> str:
    """What a price that looks like an error would have to be."""
    if said.window is None or said.window.most >= said.odds:
        return ""
    text = format_end(said.window.most, DECIMAL, is_least=False)
    change = _change(said, text)
    return _(
        "Becomes value at {odds} or lower ({change}); above that it is probably an error"
    ).format(odds=with_marks(text), change=change)


def _change(said: Explanation, price: str) -> str:
    return f"{num((float(price) / said.odds - 1) * 100):+.1f} %"


def _distance(rule: Rule, margin: float) -> str:
    """Return the gap to a threshold: a time for ages, else in percentage points."""
    if rule in _AGES:
        return duration_text(margin)
    return _("{share} pp").format(share=f"{num(margin if rule in _EDGES else margin * 100):.2f}")


def _measure(rule: Rule, figure: float) -> str:
    if rule in _AGES:
        return _age_text(figure)
    if rule in _EDGES:
        return f"{num(figure):.2f} %"
    if rule is Rule.ABOVE_REFERENCE:
        return f"{num(figure):.4g}"
    return f"{num(_above_fair(figure)):.2f} %"


def _above_fair(ratio: float) -> float:
    """Return how far a ratio is above 1, in percent."""
    return (ratio - 1) * 100


def told_checks(found: Assessment) -> list[RuleCheck]:
    """Return the rules to show, without a limit on EV that a tighter one covers."""
    ratio = next((each for each in found.checks if each.rule is Rule.RATIO), None)
    if ratio is None or ratio.most is None:
        return list(found.checks)
    most = _above_fair(ratio.most)
    return [
        each
        for each in found.checks
        if each.rule is not Rule.MAX_EDGE or each.most is None or each.most < most
    ]


def amount_text(amount: float, currency: str) -> str:
    """Return an amount of money with two decimals, rounded down."""
    shown = f"{num(math.floor(amount * 100 + 1e-6) / 100):,.2f}"
    return f"{shown} {currency}".rstrip()


def for_sale_text(price: AssessedPrice) -> str:
    """Say how much is for sale at the odds of a price; empty where nobody tells."""
    if price.for_sale is None or price.depth is None:
        return ""
    return _("{amount} available").format(amount=amount_text(price.for_sale, price.depth.currency))


def levels_in_words(profile: Profile, depth: Depth | None) -> Iterator[tuple[str, str]]:
    """Yield the odds of the best levels and the stakes that they take, fees included."""
    if depth is None:
        return
    for odds, size in depth.levels[:_LEVELS_SHOWN]:
        yield f"{num(odds):.4g}", amount_text(profile.stake_of(odds, size), depth.currency)


def sides_in_words(profile: Profile, depth: Depth | None) -> Iterator[str]:
    """Yield what can be backed and what can be laid, a line each: ``lay: 100 at 2.14``.

    Lays are in backer's stakes at the odds before commission.
    """
    if backs := _backs_in_words(profile, depth):
        yield _("back: {backs}").format(backs=backs)
    if lays := _lays_in_words(depth):
        yield _("lay: {lays}").format(lays=lays)


def available_in_words(profile: Profile, depth: Depth | None) -> Iterator[str]:
    """Yield what can be backed and what can be laid: ``Available to lay: 100 at 2.14``."""
    if backs := _backs_in_words(profile, depth):
        yield _("Available to back: {backs}").format(backs=backs)
    if lays := _lays_in_words(depth):
        yield _("Available to lay: {lays}").format(lays=lays)


def _backs_in_words(profile: Profile, depth: Depth | None) -> str:
    return ", ".join(
        _("{amount} at {odds}").format(amount=amount, odds=odds)
        for odds, amount in levels_in_words(profile, depth)
    )


def _lays_in_words(depth: Depth | None) -> str:
    lays = [] if depth is None else depth.lay[:_LEVELS_SHOWN]
    if not lays or depth is None:
        return ""
    return ", ".join(
        _("{amount} at {odds}").format(
            amount=amount_text(size, depth.currency), odds=f"{num(odds):.4g}"
        )
        if size
        else f"{num(odds):.4g}"
        for odds, size in lays
    )


def currency_text(depth: Depth | None) -> str:
    """Say how amounts in a currency count against the bankroll; empty if none is known."""
    if depth is None or not depth.currency or depth.sold_in == depth.currency:
        return ""
    if depth.rate is not None:
        return _("1 {foreign} counts as {rate:g} {currency} (your rate)").format(
            foreign=depth.sold_in, rate=num(depth.rate), currency=depth.currency
        )
    return _("No exchange rate: 1 {currency} counts as 1 of your bankroll").format(
        currency=depth.currency
    )


def explanation_text(said: Explanation) -> str:
    """Return the explanation line by line: the price, the arithmetic, methods and rules."""
    return "\n".join(_lines(said))


def method_title(method: str) -> str:
    """Return a devig method's name as people read it."""
    name = method_name(method)
    return name[:1].upper() + name[1:]


def _lines(said: Explanation) -> Iterator[str]:
    yield _("{selection} at {bookmaker}, {odds}").format(
        selection=selection_text(said.selection),
        bookmaker=said.bookmaker,
        odds=exact_text(said.odds),
    )
    yield f"{said.match_name}, {said.market}, {said.period_label}"
    if Caution.WITHDRAWN in said.assessment.cautions:
        yield GONE
    if said.no_fair_odds is not None:
        yield _("Not valued. {reason}").format(reason=unvalued_text(said))
    elif said.ev is not None:
        yield f"EV {_signed(said.ev)} % ({said.reference}, {method_name(said.method)})"
    if said.assessment.cautions:
        yield _("No value: {cautions}").format(
            cautions=cautions_text(said.assessment, said.reference)
        )
    if not said.is_mine:
        yield NOT_MINE
    if said.service is not None:
        ev = _signed(said.service.ev_pct)
        if said.service_reference:
            yield _("Service's EV {ev} %, vs {reference}").format(
                ev=ev, reference=said.service_reference
            )
        else:
            yield _("Service's EV {ev} %").format(ev=ev)
    yield from _arithmetic(said)
    if lays := _lays_in_words(said.depth):
        yield _("Available to lay: {lays}").format(lays=lays)
    yield from _methods(said)
    if said.consensus is not None:
        fair = with_marks(fair_text(said.net_odds, said.consensus.fair_odds))
        ev = _signed(said.consensus.ev)
        yield _("Consensus of {count} others: fair {fair}, EV {ev} %").format(
            count=said.consensus.groups, fair=fair, ev=ev
        )
    for each in said.best:
        if each.lay is not None:
            yield f"{each.title} {num(each.odds):.2f}: {laid_text(each.lay)}"
            continue
        why = "" if each.caution is None else f": {caution_text(each.caution, said.reference)}"
        line = _("{title} {odds} at {bookmaker}").format(
            title=each.title, odds=exact_text(each.odds), bookmaker=each.bookmaker
        )
        yield f"{line}{why}"
    yield from _rules(said)


def two_decimals(odds: float) -> str:
    """Return odds with two decimals."""
    return f"{num(odds):.2f}"


def laid_text(laid: Laid, odds_text: Callable[[float], str] = two_decimals) -> str:
    """Return which lay a best price is, and what it pays."""
    is_charged = laid.net < laid.odds - 1e-9
    text = (
        _("Lay {selection} at {bookmaker} {odds}: pays {net_odds} after commission")
        if is_charged
        else _("Lay {selection} at {bookmaker} {odds}: pays {net_odds}")
    )
    return text.format(
        selection=selection_text(laid.selection),
        bookmaker=laid.bookmaker,
        odds=odds_text(laid.lay_odds),
        net_odds=odds_text(round(laid.net, 2)),
    )


def quoted_text(said: Explanation) -> str:
    """Return the odds that the sharp book gives a line, a middle with what it is between."""
    if said.middles:
        return ", ".join(
            _("{selection} {odds} (back {back}, lay {lay})").format(
                selection=selection_text(selection),
                odds=exact_text(middle),
                back=exact_text(back),
                lay=exact_text(lay),
            )
            for selection, back, lay, middle in said.middles
        )
    return ", ".join(
        f"{selection_text(selection)} {exact_text(odds)}" for selection, odds in said.quoted
    )


def _arithmetic(said: Explanation) -> Iterator[str]:
    if said.quoted:
        yield f"{said.reference}: {quoted_text(said)}"
    if said.voters:
        yield _("{reference} of {count} votes, fair odds of each: {votes}").format(
            reference=said.reference, count=said.votes, votes=votes_text(said)
        )
    if said.learned:
        yield _("Weights: {weights}").format(weights=said.learned)
    yield from (
        _("No vote: {bookmaker}, {reason}").format(
            bookmaker=each.bookmaker, reason=each.reason_text
        )
        for each in said.left_out
    )
    yield from _derived_lines(said)
    for step in steps(said):
        yield " = ".join(part for part in (step.name, step.formula, step.result) if part)
    for odds, amount in levels_in_words(said.profile, said.depth):
        yield _("Available at {odds}: {amount}").format(odds=odds, amount=amount)
    if said.window is not None:
        least = with_marks(format_end(said.window.least, DECIMAL, is_least=True))
        most = with_marks(format_end(said.window.most, DECIMAL, is_least=False))
        yield _("Value from {least}, suspicious above {most}").format(least=least, most=most)
    elif said.ev is not None:
        yield no_window_text(said)


def no_window_text(said: Explanation) -> str:
    """Return why no price of the selection can be a value bet."""
    total = said.overround or 1.0
    if total < MIN_OVERROUND:
        return _("No price can be a value bet: the margin is negative")
    if total > said.rules.max_overround:
        return _("No price can be a value bet: the margin is too large")
    return _("No price can be a value bet: the rules leave no room")


def votes_text(said: Explanation) -> str:
    """Return each vote of the consensus, the lowest fair odds first.

    A bookmaker's weight is told where it is not 1, and those that share a vote are together.
    """
    shared: dict[str, list[VoterFigure]] = {}
    for vote in sorted(said.voters, key=lambda vote: vote.fair_odds):
        shared.setdefault(vote.voice, []).append(vote)
    texts = [", ".join(map(_vote_text, votes)) for votes in shared.values()]
    return ", ".join(
        _("one vote ({bookmakers})").format(bookmakers=text) if len(votes) > 1 else text
        for text, votes in zip(texts, shared.values(), strict=True)
    )


def _vote_text(vote: VoterFigure) -> str:
    weight = "" if vote.weight == 1 else f" × {num(vote.weight):g}"
    return f"{vote.bookmaker} {num(vote.fair_odds):.4g}{weight}"


def _methods(said: Explanation) -> Iterator[str]:
    for figure in said.methods:
        if figure.fair_odds is None or figure.ev is None:
            yield _("{method}: not possible ({problem})").format(
                method=method_title(figure.method), problem=figure.problem
            )
        else:
            title = method_title(figure.method)
            fair = with_marks(fair_text(said.net_odds, figure.fair_odds))
            yield _("{method}: fair {fair}, EV {ev} %").format(
                method=title, fair=fair, ev=_signed(figure.ev)
            )
    if said.worst is not None:
        yield _("Worst case {ev} % ({method})").format(
            ev=_signed(said.worst.ev), method=method_name(said.worst.method)
        )


def _signed(ev: float | None) -> str:
    """Return an EV with its sign, and the same minus sign as the steps have."""
    return "–" if ev is None else f"{num(round(ev, 2) + 0.0):+.2f}".replace("-", MINUS)


def _rules(said: Explanation) -> Iterator[str]:
    for check in told_checks(said.assessment):
        sign = _("holds") if check.holds else _("STOPS")

        figure, margin = figure_text(check).replace("-", MINUS), margin_text(check)
        facts = ", ".join(text for text in (figure, margin) if text)
        yield f"[{sign}] {rule_title(check)}{': ' if facts else ''}{facts}"
    yield from remedies(said)
