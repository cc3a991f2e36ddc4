"""An explanation as plain text, to be copied into a note or a message."""

from collections.abc import Iterator

from oddsdesk.board.explaining import Explanation
from oddsdesk.board.verdict_words import (
    doubt_text,
    figure_text,
    margin_text,
    remedies,
    rule_title,
)


def explanation_text(said: Explanation) -> str:
    """Return the explanation line by line: the price, the arithmetic, methods and rules."""
    return "\n".join(_lines(said))


def method_title(method: str) -> str:
    """Return a devig method's name as people read it."""
    return method.replace("_", " ").capitalize()


def _lines(said: Explanation) -> Iterator[str]:
    yield f"{said.selection} at {said.bookmaker}, {said.odds:g}"
    yield f"{said.match_name}, {said.market}, {said.period_label}"
    if said.doubt is not None:
        yield f"Not valued. {doubt_text(said)}"
    elif said.true_ev is not None:
        method = method_title(said.method).lower()
        yield f"True EV {said.true_ev:+.2f} % ({method}, floor {said.floor:g})"
    if said.service is not None:
        yield f"Service EV {said.service.ev_pct:+.2f} %"
    yield from _arithmetic(said)
    yield from _methods(said)
    yield from _rules(said)


def _arithmetic(said: Explanation) -> Iterator[str]:
    verdict = said.verdict
    if said.quoted:
        prices = ", ".join(f"{selection} {odds:g}" for selection, odds in said.quoted)
        yield f"{said.reference}: {prices}"
    if verdict.payout_rate is None or verdict.fair_odds is None or verdict.fair_final is None:
        return
    margin = (verdict.payout_rate - 1) * 100
    yield f"S {verdict.payout_rate:.4f}, margin {margin:.2f} %"
    if said.margin_share is not None:
        yield f"Margin / {said.outcomes} outcomes {said.margin_share:.2f} pp"
    yield f"Fair price {verdict.fair_odds:.4f}, x {said.floor:g} = {verdict.fair_final:.4f}"
    yield f"EV {said.odds:g} / {verdict.fair_final:.4f} - 1 = {verdict.ev_pct:+.2f} %"
    if said.window is not None:
        yield f"Value from {said.window.least:.3f}, suspicious above {said.window.most:.3f}"


def _methods(said: Explanation) -> Iterator[str]:
    for figure in said.methods:
        if figure.fair_odds is None or figure.ev_pct is None:
            yield f"{method_title(figure.method)}: no answer ({figure.problem})"
        else:
            title = method_title(figure.method)
            yield f"{title}: fair {figure.fair_odds:.4f}, EV {figure.ev_pct:+.2f} %"
    if said.worst is not None:
        yield f"Worst case {said.worst.ev_pct:+.2f} % ({method_title(said.worst.method).lower()})"


def _rules(said: Explanation) -> Iterator[str]:
    for check in said.verdict.checks:
        sign = "holds" if check.holds else "STOPS"
        figure, margin = figure_text(check), margin_text(check)
        facts = ", ".join(text for text in (figure, margin) if text)
        yield f"[{sign}] {rule_title(check.rule)}{': ' if facts else ''}{facts}"
    yield from remedies(said)
