"""An explanation as lines of facts: the arithmetic, the methods, the rules."""

from typing import Final

from oddsdesk.board.explaining import Explanation, MethodFigure
from oddsdesk.board.explanation_text import method_title
from oddsdesk.board.verdict_words import figure_text, margin_text, rule_title
from oddsdesk.desk.models.figures import window_text
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.fact_list import Fact
from oddsdesk.pricing.devig import DEFAULT_METHOD, PUBLISHED
from oddsdesk.pricing.rules import Rule, RuleCheck

_MINUS: Final = "−"


def ev_text(ev: float | None) -> str:
    """Return an EV with 2 decimals, its sign and a true minus; a dash for none."""
    if ev is None:
        return "–"
    return f"{round(ev, 2) + 0.0:+.2f} %".replace("-", _MINUS)


def arithmetic(said: Explanation) -> list[Fact]:
    """Return the steps from the reference's prices to the value window."""
    if not said.quoted:
        return []
    prices = " / ".join(f"{odds:.2f}" for _, odds in said.quoted)
    verdict = said.verdict
    total = "" if verdict.payout_rate is None else f"S {verdict.payout_rate:.4f}"
    sides = ", ".join(f"{selection} {odds:g}" for selection, odds in said.quoted)
    facts = [Fact(f"{said.reference} {prices}", total, tip=f"{said.reference}: {sides}")]
    if said.doubt is not None or verdict.fair_odds is None or verdict.fair_final is None:
        return facts
    if said.margin_share is not None and said.method in (DEFAULT_METHOD, "additive"):
        share = f"{said.margin_share:.2f} pp".replace("-", _MINUS)
        facts.append(Fact(f"Margin ÷ {said.outcomes} outcomes", share))
    elif verdict.payout_rate is not None:
        facts.append(Fact("Margin", f"{(verdict.payout_rate - 1) * 100:.2f} %"))
    facts.append(Fact("Fair price", f"{verdict.fair_odds:.3f}"))
    facts.append(Fact(f"× {said.floor:g} floor", f"{verdict.fair_final:.3f}"))
    facts.append(
        Fact(
            f"{said.odds:g} ÷ {verdict.fair_final:.3f} {_MINUS} 1",
            ev_text(verdict.ev_pct),
        )
    )
    window = said.window
    ends = (None, None) if window is None else (window.least, window.most)
    facts.append(Fact("Value from – suspicious above", window_text(*ends)))
    return facts


def methods(said: Explanation) -> list[Fact]:
    """Return every devig method's EV, the user's marked, and the worst case."""
    if said.doubt is not None or not said.methods:
        return []
    facts = [_method(said, figure) for figure in said.methods]
    if said.worst is not None:
        which = method_title(said.worst.method).lower()
        facts.append(Fact("Worst case", ev_text(said.worst.ev_pct), note=which))
    return facts


def rules(said: Explanation) -> list[Fact]:
    """Return every rule with a tick or a cross, its figure and its margin.

    Those that only hold or do not are one line while they hold.
    """
    if said.doubt is not None:
        return []
    checks = sorted(said.verdict.checks, key=_place)
    plain = [check for check in checks if check.figure is None and check.holds]
    facts = [_rule(check) for check in checks if check not in plain]
    if plain:
        title = f"Comparable with {said.reference}"
        tip = "\n".join(f"✓ {rule_title(check.rule)}" for check in plain)
        facts.append(Fact(title, "", mark="✓", tip=tip))
    return facts


_ORDER: Final = (
    Rule.MIN_EDGE,
    Rule.EDGE_CAP,
    Rule.MAX_EDGE,
    Rule.PAYOUT,
    Rule.PAYOUT_RATE,
    Rule.RATIO,
    Rule.BOOK_AGE,
    Rule.REFERENCE_AGE,
)
"""What one looks at first; rules without a figure come after them."""


def _place(check: RuleCheck) -> int:
    return _ORDER.index(check.rule) if check.rule in _ORDER else len(_ORDER)


def _rule(check: RuleCheck) -> Fact:
    return Fact(
        rule_title(check.rule),
        margin_text(check),
        note=figure_text(check).replace("-", _MINUS),
        mark="✓" if check.holds else "✗",
        mark_ink=Ink.UP if check.holds else Ink.DOWN,
        is_strong=not check.holds,
    )


def _method(said: Explanation, figure: MethodFigure) -> Fact:
    title = method_title(figure.method)
    if figure.method == PUBLISHED:
        title += " (the service's)"
    fair = "" if figure.fair_odds is None else f"{figure.fair_odds:.3f}"
    is_used = figure.method == said.method or (
        said.method == "additive" and figure.method == DEFAULT_METHOD
    )
    tip = figure.problem or f"{title}: fair price {fair}, true EV {ev_text(figure.ev_pct)}"
    if figure.method == DEFAULT_METHOD:
        tip += "\nThe additive method gives the same figures"
    return Fact(title, ev_text(figure.ev_pct), note=fair, is_strong=is_used, tip=tip)
