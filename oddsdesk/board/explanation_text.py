"""An explanation as plain text, to be copied into a note or a message."""

from collections.abc import Iterator

from oddsdesk.board.arithmetic import exact, fair_text, steps
from oddsdesk.board.explaining import Explanation, VoterFigure
from oddsdesk.board.verdict_words import (
    GONE,
    NOT_MINE,
    caution_text,
    cautions_text,
    figure_text,
    levels_in_words,
    margin_text,
    remedies,
    rule_title,
    unvalued_text,
)
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.column_formats import format_end
from oddsdesk.pricing.formats import DECIMAL


def explanation_text(said: Explanation) -> str:
    """Return the explanation line by line: the price, the arithmetic, methods and rules."""
    return "\n".join(_lines(said))


def method_title(method: str) -> str:
    """Return a devig method's name as people read it."""
    return method.replace("_", " ").capitalize()


def _lines(said: Explanation) -> Iterator[str]:
    yield f"{said.selection} at {said.bookmaker}, {exact(said.odds)}"
    yield f"{said.match_name}, {said.market}, {said.period_label}"
    if Caution.WITHDRAWN in said.assessment.cautions:
        yield GONE
    if said.no_fair_odds is not None:
        yield f"Not valued. {unvalued_text(said)}"
    elif said.true_ev is not None:
        method = method_title(said.method).lower()
        by = f"by {said.reference}, {method}, floor {said.floor:g}"
        yield f"True EV {_signed(said.true_ev)} % ({by})"
    if said.assessment.cautions:
        yield f"No value: {cautions_text(said.assessment, said.reference)}"
    if not said.is_mine:
        yield NOT_MINE
    if said.service is not None:
        by = f", by {said.service_reference}" if said.service_reference else ""
        yield f"Service EV {_signed(said.service.ev_pct)} %{by}"
    yield from _arithmetic(said)
    yield from _methods(said)
    if said.consensus is not None:
        fair = fair_text(said.net_odds, said.consensus.fair_odds, said.floor)
        ev = _signed(said.consensus.ev_pct)
        yield f"Consensus of {said.consensus.groups} others: fair {fair}, EV {ev} %"
    for each in said.best:
        why = "" if each.caution is None else f": {caution_text(each.caution, said.reference)}"
        yield f"{each.title} {exact(each.odds)} at {each.bookmaker}{why}"
    yield from _rules(said)


def _arithmetic(said: Explanation) -> Iterator[str]:
    if said.quoted:
        prices = ", ".join(f"{selection} {exact(odds)}" for selection, odds in said.quoted)
        yield f"{said.reference}: {prices}"
    if said.voters:
        yield f"{said.reference} of {said.votes} votes, fair by each: {votes_text(said)}"
    yield from (f"No vote: {each.bookmaker}, {each.text}" for each in said.left_out)
    for step in steps(said):
        yield " = ".join(part for part in (step.name, step.formula, step.result) if part)
    for odds, amount in levels_in_words(said.profile, said.depth):
        yield f"For sale at {odds}: {amount}"
    if said.window is not None:
        least = format_end(said.window.least, DECIMAL, is_least=True)
        most = format_end(said.window.most, DECIMAL, is_least=False)
        yield f"Value from {least}, suspicious above {most}"
    elif said.true_ev is not None:
        yield "No price can be value by the rules"


def votes_text(said: Explanation) -> str:
    """Return each vote of the consensus, the lowest fair odds first.

    A bookmaker's weight is told where it is not 1, and those that share a vote are together.
    """
    shared: dict[str, list[VoterFigure]] = {}
    for vote in sorted(said.voters, key=lambda vote: vote.fair_odds):
        shared.setdefault(vote.voice, []).append(vote)
    texts = [", ".join(map(_vote_text, votes)) for votes in shared.values()]
    return ", ".join(
        f"one vote ({text})" if len(votes) > 1 else text
        for text, votes in zip(texts, shared.values(), strict=True)
    )


def _vote_text(vote: VoterFigure) -> str:
    weight = "" if vote.weight == 1 else f" × {vote.weight:g}"
    return f"{vote.bookmaker} {vote.fair_odds:.4g}{weight}"


def _methods(said: Explanation) -> Iterator[str]:
    for figure in said.methods:
        if figure.fair_odds is None or figure.ev_pct is None:
            yield f"{method_title(figure.method)}: no answer ({figure.problem})"
        else:
            title = method_title(figure.method)
            fair = fair_text(said.net_odds, figure.fair_odds, said.floor)
            yield f"{title}: fair {fair}, EV {_signed(figure.ev_pct)} %"
    if said.worst is not None:
        method = method_title(said.worst.method).lower()
        yield f"Worst case {_signed(said.worst.ev_pct)} % ({method})"


def _signed(ev: float | None) -> str:
    """Return an EV with its sign, and the same minus sign as the steps beside it."""
    return "–" if ev is None else f"{round(ev, 2) + 0.0:+.2f}".replace("-", "−")


def _rules(said: Explanation) -> Iterator[str]:
    for check in said.assessment.checks:
        sign = "holds" if check.holds else "STOPS"
        figure, margin = figure_text(check).replace("-", "−"), margin_text(check)
        facts = ", ".join(text for text in (figure, margin) if text)
        yield f"[{sign}] {rule_title(check)}{': ' if facts else ''}{facts}"
    yield from remedies(said)
