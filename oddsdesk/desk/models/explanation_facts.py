"""An explanation as lines of facts: the arithmetic, the methods, the rules."""

from typing import Final

from oddsdesk.board.arithmetic import Step, exact, fair_text, steps
from oddsdesk.board.explaining import Explanation, MethodFigure
from oddsdesk.board.explanation_text import method_title
from oddsdesk.board.verdict_words import figure_text, margin_text, rule_title
from oddsdesk.desk.models.figures import NO_WINDOW, least_text, most_text
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
    sides = ", ".join(f"{selection} {exact(odds)}" for selection, odds in said.quoted)
    quoted = f"{said.reference}: {sides}"
    done = steps(said)
    if not done:
        prices = " / ".join(exact(odds) for _, odds in said.quoted)
        return [Fact(f"{said.reference} {prices}", "", tip=quoted)]
    facts = [_step(step) for step in done]
    facts[0] = facts[0]._replace(tip=f"{quoted}\nS is the sum of 1/price: 1 and the margin")
    if said.true_ev is None:
        return facts[:1]
    if said.window is None:
        return [*facts, Fact("Value window", NO_WINDOW, tip="No price is value by the rules")]
    return [
        *facts,
        Fact("Value from", least_text(said.window.least)),
        Fact("Suspicious above", most_text(said.window.most)),
    ]


def _step(step: Step) -> Fact:
    """A step as a line that can be worked out again: its name, its formula, its result."""
    return Fact(f"{step.name}  {step.formula}".rstrip(), step.result)


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
    fair = "" if figure.fair_odds is None else fair_text(said.odds, figure.fair_odds, said.floor)
    is_used = figure.method == said.method or (
        said.method == "additive" and figure.method == DEFAULT_METHOD
    )
    tip = figure.problem or f"{title}: fair price {fair}, true EV {ev_text(figure.ev_pct)}"
    if figure.method == DEFAULT_METHOD:
        tip += "\nThe additive method gives the same figures"
    return Fact(title, ev_text(figure.ev_pct), note=fair, is_strong=is_used, tip=tip)
