"""The Explain dock: why a price has its EV, step by step, and what stops it."""

from collections.abc import Callable
from html import escape
from typing import Final

from PySide6 import QtWidgets
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, mid_sentence
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import (
    ConnectionChanged,
    MatrixLoaded,
    Notice,
    PricesChanged,
    RowsChanged,
    ValueBetsChanged,
)
from oddsdesk.board.valuation import verdict_words
from oddsdesk.board.valuation.bets import Exposure
from oddsdesk.board.valuation.explaining import Explanation, explain, method_name
from oddsdesk.desk.explain import facts
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import EmptyState, Placeholder
from oddsdesk.desk.ui.formatting import exact_odds_text, game_text, span_text
from oddsdesk.desk.ui.states import may_be_gone
from oddsdesk.desk.ui.theme.theme import Theme, scale_least_width
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.assessment import Caution, doubts_in_order
from oddsdesk.pricing.value import safety_floor

_TICK_MS: Final = 1_000
_CALM_MS: Final = 100
"""Changes within this time are shown together."""
_LEAST_WIDTH: Final = 284
"""What the longest line of figures takes."""
_MOST_SHARE: Final = 0.28
"""Of the screen: with large text titles take more lines, rather than the window more width. Figures
do not: on a screen of 1,280 pixels the longest take so much at 160 %."""


class ExplainPanel(QtWidgets.QWidget):
    """Explains the price of the last ``show_price``, and keeps up with it."""

    game_wanted = Signal(str)
    """The game whose prices are missing for the explanation; empty where none is wanted."""

    def __init__(self, board: Board, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_least_width(self, theme, _LEAST_WIDTH, most_share=_MOST_SHARE)
        self._board = board
        self._theme = theme
        self._clock = clock
        self._key: RowKey | None = None
        self._is_lay = False
        """Whether a lay at the price is explained first."""
        self._wanted = ""
        self.exposure_of: Callable[[RowKey], Exposure | None] = lambda _key: None
        """Returns how the stake on a price came about; set by the panel that lists bets."""
        self.said: Explanation | None = None
        """What is shown; None where nothing is."""
        self._why_lost = ""
        """Why no price was known to stand when it was shown; empty where they were."""
        self._make_texts()
        self.arithmetic = facts.FactList(theme, _("Calculation"))
        self.exposure = facts.FactList(theme, _("Stake"))
        self.methods = facts.FactList(theme, _("Devig methods"))
        self.votes = facts.FactList(theme, _("Votes in the consensus"))
        self.rules = facts.FactList(theme, _("Rules"))
        self.model = facts.FactList(theme, _("Model"))
        self.fit = facts.FactList(theme, _("Fit of the model"))
        self.placeholder = Placeholder(theme)
        self._lay_out()
        add_action(self, "explain.copy", self.copy_explanation)
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._show)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show)
        theme.changed.connect(self._show)
        self._unsubscribe: Callable[[], None] = lambda: None
        self._show()

    def close_panel(self) -> None:
        self._calm.stop()
        self._tick.stop()
        self._unsubscribe()

    def show_price(self, key: RowKey | None, *, is_lay: bool = False) -> None:
        """Explain another price, or a lay there, from the top; None keeps the previous one."""
        if key is not None and (key, is_lay) != (self._key, self._is_lay):
            self._key, self._is_lay = key, is_lay
            self._show()
            self.area.verticalScrollBar().setValue(0)

    def forget_price(self) -> None:
        """Explain nothing: the prices are about to be another service's."""
        self._key = None
        self._show()

    def copy_explanation(self) -> None:
        """Put the explanation on the clipboard as text."""
        if self.said is not None:
            laid = self._laid(self.said)
            lay = "" if laid is None else facts.lay_text(laid)
            told = (lay, verdict_words.explanation_text(self.said), self._doubt(self.said))
            QGuiApplication.clipboard().setText("\n".join(filter(None, told)))

    def _doubt(self, said: Explanation) -> str:
        """Return why the price may no longer be offered; empty if that is known either way."""
        is_gone = Caution.WITHDRAWN in said.assessment.cautions
        return "" if is_gone else may_be_gone(self._why_lost)

    def _make_texts(self) -> None:
        self.title = Label(wordWrap=True)
        self.gone = Label(verdict_words.GONE, wordWrap=True)
        self.gone.setProperty("variant", "down")
        self.big = Label()
        self.big.setFont(self._theme.fonts.big)
        self.note = Label(wordWrap=True)
        self.note.setProperty("variant", "note")
        self.cautions = Label(wordWrap=True)
        self.cautions.setProperty("variant", "value")
        self.remedies = Label(wordWrap=True)
        self.scores = Label(wordWrap=True)
        self.scores.setProperty("variant", "soft")
        self.scores.setFont(self._theme.fonts.small)
        self.scores.setTextFormat(Qt.TextFormat.RichText)
        for label in (self.title, self.gone, self.big, self.note, self.cautions, self.remedies):
            label.setMinimumWidth(1)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.title.setTextFormat(Qt.TextFormat.RichText)  # names in it are escaped
        self._copy = QtWidgets.QToolButton()
        self._copy.setText(_("Copy"))
        self._copy.setProperty("variant", "plain")
        self._copy.setToolTip(_("Copy the explanation as text (Ctrl+C)"))
        self._copy.setAccessibleName(_("Copy the explanation as text"))
        self._copy.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._copy.clicked.connect(self.copy_explanation)

    def _lay_out(self) -> None:
        heading = Label(_("Explain"))
        heading.setFont(self._theme.fonts.strong)
        line = spacing.horizontal(margins=(spacing.LEAD, spacing.STEP, spacing.STEP, spacing.HALF))
        line.addWidget(heading)
        line.addStretch()
        line.addWidget(self._copy)
        inside = QtWidgets.QWidget()
        inside.setProperty("variant", "panel")
        column = spacing.vertical(
            inside, margins=(spacing.LEAD, 0, spacing.LEAD, spacing.GAP), spacing=spacing.HALF
        )
        for text in (self.title, self.gone, self.big, self.note, self.cautions):
            column.addWidget(text)
        above = (self.arithmetic, self.exposure, self.rules, self.remedies)
        for part in (*above, self.model, self.scores, self.fit, self.methods, self.votes):
            column.addSpacing(spacing.HALF)
            column.addWidget(part)
        column.addStretch()
        self.area = QtWidgets.QScrollArea(widgetResizable=True)
        self.area.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setAccessibleName(_("Explanation"))
        self.area.setWidget(inside)
        body = QtWidgets.QWidget()
        self._stack = QtWidgets.QStackedLayout(body)
        self._stack.addWidget(self.area)
        self._stack.addWidget(self.placeholder)
        whole = spacing.vertical(self, spacing=0)
        whole.addLayout(line)
        whole.addWidget(body, 1)

    def _show(self) -> None:
        said = None if self._key is None else explain(self._board, self._key, self._clock())
        self.said = said
        self._why_lost = self._board.connection.why_lost
        self._want_game()
        self._copy.setEnabled(said is not None)
        if said is None:
            self._show_nothing()
            return
        self._stack.setCurrentIndex(0)
        laid = self._laid(said)
        self._show_head(said if laid is None else laid, is_lay=laid is not None)
        sides = facts.both_sides(said, self._board.assess(said.key, is_lay=True))
        steps = [*facts.middles(said), *facts.arithmetic(said)]
        if laid is not None:
            steps = [*facts.lay_sum(laid), *sides, facts.back_heading(said), *steps]
        else:
            steps += sides
        self.arithmetic.list_facts([*steps, *facts.best_prices(said)])
        exposure = None if laid is not None else self.exposure_of(said.key)
        self.exposure.list_facts(facts.exposure(exposure, self._why_lost))
        self.methods.list_facts([] if laid is not None else facts.methods(said))
        self.votes.list_facts(facts.votes(said))
        self.rules.list_facts(facts.rules(said if laid is None else laid))
        self.model.list_facts(facts.model(said))
        self.fit.list_facts(facts.fit(said))
        self.scores.setText(facts.scores(said, self._theme.tokens.ink))
        self.scores.setVisible(bool(self.scores.text()))
        texts = [] if laid is not None else verdict_words.remedies(said)
        self.remedies.setText("\n".join(texts))
        self.remedies.setVisible(bool(texts))

    def _laid(self, said: Explanation) -> Explanation | None:
        """Return the explanation with the assessment of a lay; None unless a lay is wanted."""
        lay = self._board.assess(said.key, is_lay=True) if self._is_lay else None
        if lay is None or said.depth is None or said.depth.lay_odds is None:
            return None
        return said._replace(assessment=lay, odds=said.depth.lay_odds, service=None)

    def _want_game(self) -> None:
        """Ask for a game that is not read, as long as one of its prices is explained."""
        key = self._key if self.isVisible() else None
        is_missing = self.said is None or self.said.from_row
        if key is None:
            wanted = ""
        elif is_missing or key.game_id == self._wanted:
            wanted = key.game_id
        else:
            wanted = ""
        if wanted != self._wanted:
            self._wanted = wanted
            self.game_wanted.emit(wanted)

    def _show_nothing(self) -> None:
        self._stack.setCurrentIndex(1)
        if self._key is None:
            state = EmptyState(
                "info",
                _("Select a price to see how its EV is worked out."),
                _("Click a price in a game, the odds grid or the value bets."),
            )
        else:
            name = self._key.bookmaker or self._board.reference_name
            state = EmptyState(
                "search",
                _("{name} has no price for {selection}.").format(
                    name=name, selection=selection_text(self._key.selection)
                ),
            )
        self.placeholder.show_state(state)

    def _show_head(self, said: Explanation, *, is_lay: bool) -> None:
        soft = self._theme.tokens.ink(TextRole.SOFT)
        self.title.setText(_title(said, soft, is_lay=is_lay))
        self.big.setText(_("No EV") if said.ev is None else facts.ev_text(said.ev))
        facts.give_ink(self.big, TextRole.NOTE if self._why_lost else _ink_of(said))
        self.note.setText("\n".join(self._notes(said, is_lay=is_lay)))
        self.gone.setVisible(Caution.WITHDRAWN in said.assessment.cautions)
        cautions = verdict_words.told_cautions(said.assessment)
        if said.no_fair_odds is not None:
            cautions = doubts_in_order(cautions)
        texts = [doubt] if (doubt := self._doubt(said)) else []
        if self._is_lay and not is_lay:
            texts.append(_("No lay odds here now. These figures are for a back."))
        texts += [
            _("No value: {caution}").format(
                caution=verdict_words.caution_text(each, said.reference)
            )
            for each in cautions
            if each is not Caution.WITHDRAWN  # said first
        ]
        if not said.is_mine:
            texts.append(verdict_words.NOT_MINE)
        self.cautions.setText("\n".join(texts))
        self.cautions.setVisible(bool(texts))

    def _notes(self, said: Explanation, *, is_lay: bool) -> list[str]:
        if said.no_fair_odds is not None:
            notes = [verdict_words.unvalued_text(said)]
        else:
            method = method_name(said.method)
            unit = _("per unit of liability") if is_lay else _("per unit staked")
            per = _("without pushes") if said.assessment.per == "decided" else unit
            notes = [
                _("{per}, after commission").format(per=per),
                _("sharp book {reference}").format(reference=said.reference),
                method,
            ]
            if origin := verdict_words.derivation_text(said):
                notes.append(mid_sentence(origin))
        if said.service is not None:
            by = (
                _(", by {service_reference}").format(service_reference=said.service_reference)
                if said.service_reference
                else ""
            )
            margin = (safety_floor(said.key.market_type) - 1) * 100
            notes.append(
                _(
                    "service's EV {ev}{by}: it takes off a {margin:.3g} % safety margin "
                    "and no commission"
                ).format(ev=facts.ev_text(said.service.ev_pct), by=by, margin=num(margin))
            )
        if said.is_reference:
            notes.append(_("The sharp book's own price: the EV is what its margin costs."))
        if said.scraped_at is not None:
            notes.append(
                _("seen {span} ago").format(span=span_text(self._clock() - said.scraped_at))
            )
        if said.from_row:
            is_gone = Caution.WITHDRAWN in said.assessment.cautions
            why = (
                _("it no longer shows the price") if is_gone else _("the other prices are loading")
            )
            notes.append(_("From the service's list only: {why}.").format(why=why))
        return notes

    def _on_board_notice(self, notice: Notice) -> None:
        key = self._key
        if key is None or self._calm.isActive():
            return
        match notice:
            case PricesChanged(game_id=game) | MatrixLoaded(game_id=game):
                concerns = game == key.game_id
            case ValueBetsChanged():
                concerns = True
            case RowsChanged(changed=changed):
                concerns = key in changed
            case ConnectionChanged():
                concerns = self._board.connection.why_lost != self._why_lost
            case _:
                concerns = False
        if concerns:
            self._calm.start()

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._unsubscribe()
        self._unsubscribe = self._board.subscribe(
            self._on_board_notice,
            *(PricesChanged, MatrixLoaded, ValueBetsChanged, RowsChanged, ConnectionChanged),
        )
        self._tick.start()
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._unsubscribe()
        self._tick.stop()
        self._want_game()


def _ink_of(said: Explanation) -> TextRole:
    """Value where it is listed as such; otherwise the figure is a figure."""
    if said.ev is None or said.assessment.cautions:
        return TextRole.NOTE
    return TextRole.VALUE if said.assessment.is_value and said.is_mine else TextRole.STRONG


def _title(said: Explanation, soft: str, *, is_lay: bool) -> str:
    """The price in three lines of rich text: selection, market, bookmaker and odds."""
    game = escape(game_text(said.selection, said.match_name))
    where = escape(f"{said.market}, {said.period_label}")
    named = selection_text(said.selection)
    name = _("Lay {selection}").format(selection=named) if is_lay else named
    return (
        f"{_strong(escape(name))} <span style='color:{soft}'>{game}<br>{where}</span>"
        f"<br>{escape(said.bookmaker)} {_strong(exact_odds_text(said.odds))}"
    )


def _strong(text: str) -> str:
    """Write rich text in the weight of ``Fonts.strong``: of a heavier one there is no font."""
    return f"<span style='font-weight:600'>{text}</span>"
