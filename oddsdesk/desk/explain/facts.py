"""An explanation as lines of facts: the arithmetic, the methods, the rules."""

import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import zip_longest
from typing import Final, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num, with_marks
from oddsdesk.base.texts import _, pgettext
from oddsdesk.board.valuation import explaining, verdict_words
from oddsdesk.board.valuation.bets import Exposure
from oddsdesk.board.valuation.derivation import Score
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.contract.texts import MINUS
from oddsdesk.desk.ui.controls.labels import Label, WrappedLabel
from oddsdesk.desk.ui.formatting import (
    LAID,
    NO_WINDOW,
    exact_odds_text,
    least_text,
    most_text,
    odds_text,
)
from oddsdesk.desk.ui.spacing import HALF, STEP
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.devig import DEFAULT_METHOD, PUBLISHED
from oddsdesk.pricing.stakes import stakeable
from oddsdesk.pricing.value import Rule, RuleCheck

_MARK, _TITLE, _NOTE, _FIGURE = range(4)
_MARK_GAP = 6
_VARIANTS = {
    TextRole.STRONG: "",
    TextRole.SOFT: "soft",
    TextRole.NOTE: "note",
    TextRole.VALUE: "value",
    TextRole.UP: "up",
    TextRole.DOWN: "down",
}


class Fact(NamedTuple):
    """One line."""

    title: str
    figure: str
    note: str = ""
    """Secondary, left of the figure."""
    mark: str = ""
    """A sign before the title, such as a tick."""
    mark_ink: TextRole = TextRole.UP
    is_strong: bool = True
    tip: str = ""


class FactList(QWidget):
    """Shows facts under a line; labels that stay are written over, so nothing flickers."""

    def __init__(self, theme: Theme, purpose: str) -> None:
        super().__init__()
        self.setAccessibleName(purpose)
        self._theme = theme
        self.facts: tuple[Fact, ...] = ()
        """What is shown."""
        self._lines: list[_Line] = []
        rule = QFrame()
        rule.setProperty("variant", "rule")
        rule.setFixedHeight(1)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(0)
        self._grid.setVerticalSpacing(HALF)
        self._grid.setColumnStretch(_TITLE, 1)
        self._grid.addWidget(rule, 0, 0, 1, _FIGURE + 1)
        self._grid.setRowMinimumHeight(0, STEP + 1)

    def list_facts(self, facts: Sequence[Fact]) -> None:
        """Show these lines; the list is hidden where there are none."""
        self.facts = tuple(facts)
        while len(self._lines) < len(facts):
            self._lines.append(_Line(self._theme, self._grid, len(self._lines) + 1))
        for place, line in enumerate(self._lines):
            line.show_fact(facts[place] if place < len(facts) else None)
        self.setVisible(bool(facts))


class _Line:
    """The labels of one fact."""

    def __init__(self, theme: Theme, grid: QGridLayout, row: int) -> None:
        self._theme = theme
        self._grid, self._row, self._span = grid, row, 1
        self.mark, self.title, self.note, self.figure = Label(), WrappedLabel(), Label(), Label()
        self.mark.setFont(theme.fonts.strong)
        self.mark.setContentsMargins(0, 0, _MARK_GAP, 0)
        self.note.setFont(theme.fonts.small)
        self.title.setProperty("variant", "soft")
        self.note.setProperty("variant", "note")
        for label in (self.note, self.figure):
            label.setContentsMargins(STEP, 0, 0, 0)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column, label in enumerate((self.mark, self.title, self.note, self.figure)):
            grid.addWidget(label, row, column)

    def show_fact(self, fact: Fact | None) -> None:
        """Write the labels over; None hides them."""
        if fact is None:
            for label in (self.mark, self.title, self.note, self.figure):
                label.hide()
            return
        for label, text in (
            (self.mark, fact.mark), (self.note, fact.note), (self.figure, fact.figure)
        ):  # fmt: skip
            if label.text() != text:
                label.setText(text)
            label.setVisible(bool(text))
        self._stretch_title(_span_of(fact))
        self.title.show_text(fact.title)
        self.title.show()
        give_ink(self.mark, fact.mark_ink)
        give_ink(self.figure, TextRole.STRONG if fact.is_strong else TextRole.SOFT)
        fonts = self._theme.fonts
        self.figure.setFont(fonts.strong if fact.is_strong else fonts.body)
        said = f"{fact.mark} {fact.title} {fact.note} {fact.figure}".strip()
        self.title.setAccessibleName(" ".join(said.split()))
        self.figure.setToolTip(fact.tip)
        if fact.tip:
            self.title.setToolTip(fact.tip)

    def _stretch_title(self, span: int) -> None:
        """Give the title the room of what stands in other lines only."""
        if span != self._span:
            self._span = span
            self._grid.removeWidget(self.title)
            self._grid.addWidget(self.title, self._row, _TITLE, 1, span)


def _span_of(fact: Fact) -> int:
    """Return how many columns of the grid the title may take."""
    if fact.note:
        return 1
    return _NOTE if fact.figure else _FIGURE


def give_ink(label: Label, ink: TextRole) -> None:
    """Write a label in a text role, by its variant in the style sheet."""
    variant = _VARIANTS[ink]
    if label.property("variant") != variant:
        label.setProperty("variant", variant)
        label.style().unpolish(label)
        label.style().polish(label)


_NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def ev_text(ev: float | None) -> str:
    """Return an EV with 2 decimals, its sign and a true minus; a dash for none."""
    if ev is None:
        return "–"
    return f"{num(round(ev, 2) + 0.0):+.2f} %".replace("-", MINUS)


def arithmetic(said: explaining.Explanation) -> list[Fact]:
    """Return the steps from the reference's prices to the value window."""
    if said.derivation is not None:
        working = [Fact(text, "") for text in said.derivation.sum]
        facts = [_step(step) for step in explaining.steps(said)]
        return [*working, *facts, *_for_sale(said), *_window(said)]
    if not said.quoted and not said.voters:
        return []
    done, quoted = explaining.steps(said), _quoted(said)
    if not done:
        prices = " / ".join(explaining.exact_text(odds) for _, odds in said.quoted)
        return [Fact(f"{said.reference} {prices}", "", tip=quoted)]
    facts = [_step(step) for step in done]
    meaning = "" if said.voters else _("\nTotal: the sum of 1/odds, 1 plus the margin")
    facts[0] = facts[0]._replace(tip=f"{quoted}{meaning}")
    if said.ev is None:
        return facts[:1]
    return [*facts, *_for_sale(said), *_window(said)]


def _step(step: explaining.Step) -> Fact:
    return Fact(f"{step.name}  {with_marks(step.formula)}".rstrip(), with_marks(step.result))


def _window(said: explaining.Explanation) -> list[Fact]:
    """Return from which odds on the selection is value, and up to which."""
    quoted_price = _(", as quoted") if said.profile.charges else ""
    if said.window is None:
        return [Fact(_("Value range"), NO_WINDOW, tip=verdict_words.no_window_text(said))]
    return [
        Fact(
            _("Value from{quoted_price}").format(quoted_price=quoted_price),
            least_text(said.window.least),
        ),
        Fact(
            _("Value up to{quoted_price}").format(quoted_price=quoted_price),
            most_text(said.window.most),
        ),
    ]


def model(said: explaining.Explanation) -> list[Fact]:
    """Return the figures of the model behind a modelled price, and how far off it may be."""
    derivation = said.derivation
    if derivation is None or derivation.kind != "modelled":
        return []
    facts = [Fact(name, figure, is_strong=False) for name, figure in derivation.parameters]
    return [*facts, Fact(_("Error band: {band}").format(band=derivation.band), "")]


def fit(said: explaining.Explanation) -> list[Fact]:
    """Return how well that model reproduces each line of the reference."""
    lines = verdict_words.fit_texts(said)
    if not lines:
        return []
    tip = _("Chance by the sharp book's odds without its margin, and by the model fitted to them")
    head = Fact(
        _("Fit to {reference}").format(reference=said.reference),
        _("points"),
        note=_("own / model"),
        is_strong=False,
        tip=tip,
    )
    return [head, *(Fact(line, off, note=fair, is_strong=False) for line, fair, off in lines)]


def scores(said: explaining.Explanation, ink: Callable[[TextRole], str]) -> str:
    """Return the scores that a modelled price was added up from, as a table in rich text.

    Those that win are bold, those that return the stake are in brackets. ``ink`` returns the colour
    of a text.
    """
    found = None if said.derivation is None else said.derivation.scores
    if found is None:
        return ""
    note = f"<span style='color:{ink(TextRole.NOTE)}'>"
    heads = "".join(f"<td align=right>{note}{away}</span></td>" for away in range(len(found.table)))
    rows = "".join(
        f"<tr><td>{note}{home}</span></td>{''.join(_score(each, ink) for each in row)}</tr>"
        for home, row in enumerate(found.table)
    )
    outside = _("Other scores: {beyond:.1f} %").format(beyond=num(found.beyond * 100))
    head_line = _(
        "Score probabilities in %, home goals down, away goals across. "
        "Bold: {selection} wins; in brackets: stake returned"
    ).format(selection=escape(selection_text(said.selection)))
    return (
        f"{head_line}<br>"
        f"<table cellspacing=0 cellpadding=2><tr><td></td>{heads}</tr>{rows}</table>{outside}"
    )


def _score(score: Score, ink: Callable[[TextRole], str]) -> str:
    text = f"{num(score.chance * 100):.1f}"
    if score.won > 0:
        return f"<td align=right><b style='color:{ink(TextRole.STRONG)}'>{text}</b></td>"
    text = f"({text})" if score.won == 0 else text
    return f"<td align=right><span style='color:{ink(TextRole.NOTE)}'>{text}</span></td>"


def best_prices(said: explaining.Explanation) -> list[Fact]:
    """Return the best prices of the selection, of mine and of all, and what is doubted."""
    facts = []
    for each in said.best:
        if each.lay is not None:
            text = verdict_words.laid_text(each.lay, odds_text)
            odds = LAID + odds_text(round(each.odds, 2))
            facts.append(Fact(each.title, odds, each.bookmaker, tip=text))
            continue
        why = (
            "" if each.caution is None else verdict_words.caution_text(each.caution, said.reference)
        )
        mark = "? " if why else ""
        facts.append(
            Fact(each.title, f"{mark}{exact_odds_text(each.odds)}", each.bookmaker, tip=why)
        )
    return facts


def middles(said: explaining.Explanation) -> list[Fact]:
    """Return the back and lay odds behind an exchange's middle, one line per selection."""
    tip = _("Between back and lay odds, weighted by the amounts on the two sides")
    return [
        Fact(
            _("{selection}, back {odds} / lay {odds_2}").format(
                selection=selection_text(each.selection),
                odds=_odds_of((each.back, 0)),
                odds_2=_odds_of((each.lay, 0)),
            ),
            _("mid {exact}").format(exact=explaining.exact_text(each.middle)),
            tip=tip,
        )
        for each in said.middles
    ]


def both_sides(said: explaining.Explanation, lay: Assessment | None) -> list[Fact]:
    """Return the levels to back and to lay, and the value of a lay.

    Empty where nothing can be laid. ``lay``: the assessment of a lay at the best odds.
    """
    depth = said.depth
    if depth is None or depth.lay_odds is None:
        return []
    backs = [(odds, said.profile.stake_of(odds, size)) for odds, size in depth.levels]
    backs = backs or [(said.odds, 0.0)]
    tip = "\n".join(
        filter(
            None,
            (
                _("Stakes available at each price; for lays, the backer's stakes"),
                verdict_words.currency_text(depth),
            ),
        )
    )
    levels = zip_longest(backs[:_LEVELS], depth.lay[:_LEVELS])
    facts = [
        Fact(
            _("Back {odds} / lay {odds_2}").format(odds=_odds_of(back), odds_2=_odds_of(laid)),
            f"{_amount_of(back)} / {_amount_of(laid)}",
            tip=tip,
        )
        for back, laid in levels
    ]
    spread = (depth.lay_odds / backs[0][0] - 1) * 100
    facts.append(Fact(_("Spread vs back odds"), f"{num(spread):.2f} %"))
    if lay is not None:
        net = exact_odds_text(round(lay.net_odds, 4))
        tip = _(
            "Each 1 of liability returns {net} after commission if {selection} does not win"
        ).format(net=net, selection=selection_text(said.selection))
        title = _("EV of a lay at {exact_odds}").format(exact_odds=exact_odds_text(depth.lay_odds))
        facts.append(Fact(title, ev_text(lay.ev), tip=tip))
    return facts


def lay_text(laid: explaining.Explanation) -> str:
    """Return a lay with its EV in one line; ``laid`` has the assessment of the lay."""
    odds = exact_odds_text(laid.odds)
    ev = _("EV {ev} of the liability").format(ev=ev_text(laid.ev))
    return _("Lay {selection} at {bookmaker}, {odds}: {ev}").format(
        selection=selection_text(laid.selection), bookmaker=laid.bookmaker, odds=odds, ev=ev
    )


def lay_sum(laid: explaining.Explanation) -> list[Fact]:
    """Return how the EV of a lay is worked out; ``laid`` has the assessment of the lay."""
    if laid.assessment.fair_odds is None:
        return []
    net = exact_odds_text(round(laid.net_odds, 4))
    tip = _(
        "Each 1 of liability returns {net} after commission if {selection} does not win"
    ).format(net=net, selection=selection_text(laid.selection))
    return [
        Fact(
            _("Net odds of the lay at {exact_odds}").format(exact_odds=exact_odds_text(laid.odds)),
            net,
            tip=tip,
        ),
        Fact(
            _("Fair odds that {selection} does not win").format(
                selection=selection_text(laid.selection)
            ),
            exact_odds_text(round(laid.assessment.fair_odds, 4)),
        ),
    ]


def back_heading(said: explaining.Explanation) -> Fact:
    """Return the heading of the back's figures, which follow those of the lay."""
    return Fact(
        _("To back it at {exact_odds} instead").format(exact_odds=exact_odds_text(said.odds)),
        ev_text(said.ev),
    )


_LEVELS: Final = 3
_SMALL: Final = 10
"""Larger amounts are shown without decimals, as they widen the figures of all lines."""


def _odds_of(level: tuple[float, float] | None) -> str:
    return "–" if level is None else exact_odds_text(level[0])


def _amount_of(level: tuple[float, float] | None) -> str:
    if level is None or not level[1]:
        return "–"
    amount = level[1]
    return f"{num(amount):.2f}" if amount < _SMALL else f"{num(math.floor(amount)):,}"


def _for_sale(said: explaining.Explanation) -> list[Fact]:
    """Return the amounts at each of the best odds, if nothing can be laid there."""
    if said.depth is not None and said.depth.lay_odds is not None:
        return []
    tips = (
        _("Fees included; as of when the price was seen"),
        verdict_words.currency_text(said.depth),
    )
    tip = "\n".join(filter(None, tips))
    levels = verdict_words.levels_in_words(said.profile, said.depth)
    return [
        Fact(_("Available at {odds}").format(odds=odds), amount, tip=tip) for odds, amount in levels
    ]


def _quoted(said: explaining.Explanation) -> str:
    """What the reference says: its prices of the line, or each vote in the consensus."""
    if said.voters:
        return _("{reference}, fair odds of each: {votes}").format(
            reference=said.reference, votes=verdict_words.votes_text(said)
        )
    return f"{said.reference}: {verdict_words.quoted_text(said)}"


def exposure(found: Exposure | None, why_lost: str = "") -> list[Fact]:
    """Return how the stake came about: Kelly, what shares it, what is left under the caps.

    ``why_lost`` is why no price is known to stand: then there is none.
    """
    if found is None:
        return []
    plan, bet = found.plan, found.bet
    room = plan.bankroll * plan.outcome_cap
    bound = verdict_words.bound_text(bet.bound, bet.price.bookmaker, bet.stake)
    facts = [
        Fact(
            _("{kelly_share:g} % of full Kelly, bank {bankroll:,g}").format(
                kelly_share=num(plan.kelly_share * 100), bankroll=num(plan.bankroll)
            ),
            f"{num(math.floor(found.kelly * 100) / 100):.2f}",
        ),
        Fact(
            _("Max on one outcome, {outcome_cap:g} %").format(
                outcome_cap=num(plan.outcome_cap * 100)
            ),
            f"{num(room):,g}",
        ),
    ]
    if found.same_at:
        others = (
            _("1 other price")
            if found.same_at == 1
            else _("{same_at} other prices").format(same_at=found.same_at)
        )
        facts.append(Fact(_("{others} on this outcome").format(others=others), _("one stake")))
    what = _("practice") if found.is_practice else pgettext("money in bets", "placed")
    on_game, in_all = found.at_risk_on_game, found.at_risk_in_all
    worst = _("practice") if found.is_practice else _("at risk")
    facts += [
        _placed(found),
        _cap(
            _("Open and listed on this game"),
            found.game,
            plan.bankroll * plan.game_cap,
            on_game,
            worst,
        ),
        _cap(
            _("All open and listed bets"),
            found.total,
            plan.bankroll * plan.total_cap,
            in_all,
            worst,
        ),
    ]
    if found.most is not None:
        tip = _("The limit you entered in Bookmakers")
        there = f"{num(found.placed_there):,g} {what}" if found.placed_there else ""
        title = _("Limit at {bookmaker}").format(bookmaker=bet.price.bookmaker)
        facts.append(Fact(title, f"{num(found.most):,g}", note=there, tip=tip))
    if found.of_game:
        others = ", ".join(
            f"{selection_text(each.price.key.selection)} {num(each.stake):g}"
            for each in found.of_game
        )
        tip = _("Bets on one game are correlated")
        facts.append(
            Fact(_("Also staked on this game: {others}").format(others=others), "", tip=tip)
        )
    if bet.price.for_sale is not None and bet.price.ladder is not None:
        title = _("Available at value odds")
        facts.append(
            Fact(
                title, _for_sale_figure(bet.price), tip=verdict_words.currency_text(bet.price.depth)
            )
        )
    where = _(" at {bookmaker}").format(bookmaker=bet.price.bookmaker) if found.same_at else ""
    for part in found.parts if not why_lost else ():
        name = part.price.bookmaker
        why = verdict_words.bound_text(part.bound, name, part.stake)
        facts.append(Fact(_("Stake at {name}").format(name=name), f"{num(part.stake):g}", note=why))
    if why_lost:
        facts.append(
            Fact(_("Stake{where}: {why_lost}").format(where=where, why_lost=why_lost), "0")
        )
        return facts
    tip = _("Rounded down to a multiple of {step:g}").format(step=num(plan.step))
    facts.append(
        Fact(_("Stake{where}").format(where=where), f"{num(bet.stake):g}", note=bound, tip=tip)
    )
    return facts


def _for_sale_figure(price: AssessedPrice) -> str:
    currency = "" if price.depth is None else price.depth.currency
    return verdict_words.amount_text(stakeable(price.ladder or ()), currency)


def _placed(found: Exposure) -> Fact:
    """Return the stakes placed on the outcome, and how much of them can be lost."""
    notes = [_("practice")] if found.is_practice else []
    if found.placed:
        notes.append(_("at risk {at_risk:,.12g}").format(at_risk=num(found.at_risk)))
    tip = _("At risk: what you lose if this outcome loses, less what covering bets win")
    return Fact(_("Already placed"), f"{num(found.placed):,.12g}", note=", ".join(notes), tip=tip)


def _cap(title: str, used: float, most: float, at_risk: float, what: str) -> Fact:
    """Return how much of a cap is used, and how much of that is at risk; the rest is listed."""
    tip = _("{used:,.12g} in stakes listed now and {at_risk:,.12g} {what}").format(
        used=num(used - at_risk), at_risk=num(at_risk), what=what
    )
    note = f"{num(at_risk):,g} {what}" if at_risk else ""
    return Fact(
        title,
        _("{used:,g} of {most:,g}").format(used=num(used), most=num(most)),
        note=note,
        tip=tip,
    )


def methods(said: explaining.Explanation) -> list[Fact]:
    """Return every devig method's EV, the user's marked, the worst case, and the consensus."""
    facts = [] if said.no_fair_odds is not None else [_method(said, each) for each in said.methods]
    if facts and said.worst is not None:
        which = explaining.method_name(said.worst.method)
        facts.append(Fact(_("Worst case"), ev_text(said.worst.ev), note=which))
    return facts if said.consensus is None else [*facts, _consensus(said, said.consensus)]


def _consensus(said: explaining.Explanation, found: explaining.ConsensusFigure) -> Fact:
    fair = with_marks(explaining.fair_text(said.net_odds, found.fair_odds))
    tip = _("Fair odds {fair} by {groups} votes, without this bookmaker and {reference}").format(
        fair=fair, groups=found.groups, reference=said.reference
    )
    return Fact(
        _("Consensus of {groups} others").format(groups=found.groups),
        ev_text(found.ev),
        note=fair,
        tip=tip,
    )


def votes(said: explaining.Explanation) -> list[Fact]:
    """Return how many votes a consensus is of, who shares one, and who has none and why.

    Empty where no consensus was asked, or nobody is left out and nobody shares a vote.
    """
    shared: dict[str, list[str]] = {}
    for vote in said.voters:
        shared.setdefault(vote.voice, []).append(vote.bookmaker)
    facts = [
        Fact(_("One vote, {voice}: {names}").format(voice=voice, names=", ".join(names)), "")
        for voice, names in shared.items()
        if len(names) > 1
    ]
    if said.learned:
        weights = {vote.voice: vote.weight for vote in said.voters if vote.weight != 1}
        ordered = sorted(weights.items(), key=lambda each: -each[1])
        shown = [
            Fact(_("Weight of {voice}").format(voice=voice), f"{num(weight):.3g}")
            for voice, weight in ordered
        ]
        facts = [Fact(_("Weights: {learned}").format(learned=said.learned), ""), *shown, *facts]
    if not facts and not said.left_out:
        return []
    count = said.votes or (said.consensus.groups if said.consensus is not None else 0)
    told = [Fact(_("Votes in the consensus"), str(count))] if count else []
    none = [
        Fact(f"{each.bookmaker}: {each.reason_text}", "", mark="✗", mark_ink=TextRole.NOTE)
        for each in said.left_out
    ]
    return [*told, *facts, *([Fact(_("No vote"), str(len(none)))] if none else []), *none]


def rules(said: explaining.Explanation) -> list[Fact]:
    """Return every rule with a tick or a cross, its figure and its margin.

    Those that only hold or do not are one line while they hold.
    """
    if said.no_fair_odds is not None:
        return []
    checks = sorted(verdict_words.told_checks(said.assessment), key=_place)
    plain = [check for check in checks if check.figure is None and check.holds]
    facts = [_rule(said, check) for check in checks if check not in plain]
    if plain:
        title = _("Comparable with {reference}").format(reference=said.reference)
        tip = "\n".join(f"✓ {verdict_words.rule_title(check)}" for check in plain)
        facts.append(Fact(title, "", mark="✓", tip=tip))
    return facts


_ORDER: Final = (
    Rule.MIN_EDGE,
    Rule.ABOVE_REFERENCE,
    Rule.EDGE_CAP,
    Rule.MAX_EDGE,
    Rule.PAYOUT,
    Rule.OVERROUND,
    Rule.RATIO,
    Rule.BOOK_AGE,
    Rule.REFERENCE_AGE,
)
"""What one looks at first; rules without a figure come after them."""


def _place(check: RuleCheck) -> int:
    return _ORDER.index(check.rule) if check.rule in _ORDER else len(_ORDER)


def _rule(said: explaining.Explanation, check: RuleCheck) -> Fact:
    is_low_end = check.rule is Rule.MIN_EDGE and said.assessment.band_pct is not None
    title = verdict_words.rule_title(check, is_low_end=is_low_end)
    figure = verdict_words.figure_text(check).replace("-", MINUS)
    if check.rule in (Rule.BOOK_AGE, Rule.REFERENCE_AGE):  # so long that titles had no room
        title, figure = f"{title}: {figure.replace(' s ', f'{_NO_BREAK}s ')}", ""
    return Fact(
        title,
        verdict_words.margin_text(check),
        note=figure,
        mark="✓" if check.holds else "✗",
        mark_ink=TextRole.UP if check.holds else TextRole.DOWN,
        is_strong=not check.holds,
        tip=verdict_words.limit_reason(said, check),
    )


def _method(said: explaining.Explanation, figure: explaining.MethodFigure) -> Fact:
    title = verdict_words.method_title(figure.method)
    if figure.method == PUBLISHED:
        title += _(" (service's)")
    fair = ""
    if figure.fair_odds is not None:
        fair = with_marks(explaining.fair_text(said.net_odds, figure.fair_odds))
    is_used = figure.method == said.method or (
        said.method == "additive" and figure.method == DEFAULT_METHOD
    )
    tip = figure.problem or _("{title}: fair odds {fair}, EV {ev}").format(
        title=title, fair=fair, ev=ev_text(figure.ev)
    )
    if figure.method == DEFAULT_METHOD:
        tip += _("\nThe additive method gives the same figures")
    return Fact(title, ev_text(figure.ev), note=fair, is_strong=is_used, tip=tip)
