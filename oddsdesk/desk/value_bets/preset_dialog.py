"""Asks which value bets a preset shows, and what it is called."""

from collections.abc import Container, Iterable
from typing import Final

from PySide6.QtWidgets import QGridLayout, QWidget

from oddsdesk.base.market_words import market_text, sport_text, titled_competitions
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, pgettext
from oddsdesk.contract.competitions import SPORTS
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.desk.presets import PresetDialog, label_of, time_box
from oddsdesk.desk.settings.declared import DERIVED_KINDS
from oddsdesk.desk.ui.controls.fields import (
    ANY,
    CheckList,
    ChoiceBox,
    DecimalSpin,
    OddsEdit,
    bound_spin,
    given_bound,
)
from oddsdesk.desk.ui.formatting import typed_text
from oddsdesk.desk.ui.spacing import STEP
from oddsdesk.desk.ui.theme.theme import inset
from oddsdesk.ledger.presets import Preset, ValueFilter
from oddsdesk.pricing.value import MAX_EV

_LIST_SIZE: Final = (168, 220)


class ValuesPresetDialog(PresetDialog[Preset]):
    """Asks for a preset of value bets; nothing ticked in a list means all of it."""

    def __init__(
        self,
        preset: Preset,
        bookmakers: Iterable[str],
        competitions: Iterable[str],
        taken: Container[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(_("Value bet preset"), preset.name, taken, parent)
        chosen = preset.filter
        self.sports = CheckList(_("Sports"), [(s, sport_text(s)) for s in SPORTS], chosen.sports)
        markets = [(market, market_text(market)) for market in MARKET_TYPES]
        self.markets = CheckList(_("Markets"), markets, chosen.market_types)
        codes = {*competitions, *chosen.competitions}
        self.competitions = CheckList(
            _("Competitions"), titled_competitions(codes), chosen.competitions
        )
        names = sorted({*bookmakers, *chosen.bookmakers}, key=str.casefold)
        self.bookmakers = CheckList(_("Bookmakers"), [(n, n) for n in names], chosen.bookmakers)
        self.ev = inset(DecimalSpin(decimals=1, least=-100, most=MAX_EV, step=0.5))
        self.ev.setSuffix(" %")
        self.ev.setValue(chosen.min_true_ev)
        self.most_ev = bound_spin(chosen.max_true_ev, " %", decimals=1, step=0.5, most=MAX_EV)
        self.least = OddsEdit(_("Odds from"), chosen.min_odds, ANY)
        self.most = OddsEdit(_("Odds to"), chosen.max_odds, ANY)
        self.hours = bound_spin(chosen.max_hours_ahead, " h", decimals=1, step=1, most=10_000)
        self.age = bound_spin(chosen.max_age_s, " s", decimals=0, step=10, most=86_400)
        self.limit = bound_spin(chosen.min_limit, "", decimals=0, step=10, most=10_000_000)
        self.state = time_box(chosen.in_play)
        self.derived = ChoiceBox()
        for word, label in DERIVED_KINDS:
            self.derived.addItem(label, word)
        self.derived.setCurrentIndex(self.derived.findData(chosen.derived))
        self._fill_form()
        self._lay_out(_("Tick none to include all."), self._lists())
        for edit in (self.least, self.most):
            edit.textChanged.connect(self._check)
        for bound in (self.ev, self.most_ev):
            bound.valueChanged.connect(self._check)

    def preset(self) -> Preset:
        return Preset(
            self.name.text().strip(),
            ValueFilter(
                sports=self.sports.ticked(),
                market_types=self.markets.ticked(),
                bookmakers=self.bookmakers.ticked(),
                min_true_ev=self.ev.value(),
                min_odds=self.least.decimal_odds(),
                max_odds=self.most.decimal_odds(),
                in_play=self.state.currentData(),
                competitions=self.competitions.ticked(),
                max_true_ev=given_bound(self.most_ev),
                max_hours_ahead=given_bound(self.hours),
                min_limit=given_bound(self.limit),
                max_age_s=given_bound(self.age),
                derived=self.derived.currentData(),
            ),
        )

    def _fill_form(self) -> None:
        fields: tuple[tuple[str, QWidget], ...] = (
            (_("&EV from"), self.ev),
            (pgettext("least and most", "to"), self.most_ev),
            (_("&Odds from"), self.least),
            (pgettext("least and most", "to"), self.most),
            (_("&When"), self.state),
            (_("Starts &within"), self.hours),
            (_("&Seen within"), self.age),
            (_("Bookmaker &limit from"), self.limit),
            (_("&Derived fair odds"), self.derived),
        )
        for place, (title, field) in enumerate(fields):
            row, column = divmod(place, 2)
            self.form.addWidget(label_of(title, field), row + 1, 2 * column)
            self.form.addWidget(field, row + 1, 2 * column + 1)

    def _lists(self) -> QGridLayout:
        lists = QGridLayout()
        lists.setSpacing(STEP)
        titled = (
            (_("Sports"), self.sports),
            (_("Competitions"), self.competitions),
            (_("Markets"), self.markets),
            (_("Bookmakers"), self.bookmakers),
        )
        for column, (title, widget) in enumerate(titled):
            lists.addWidget(label_of(title, widget), 0, column)
            lists.addWidget(widget, 1, column)
            widget.setMinimumSize(*_LIST_SIZE)
        return lists

    def _problem_of(self, preset: Preset) -> str:
        chosen = preset.filter
        least, most = chosen.min_odds, chosen.max_odds
        if least is not None and most is not None and least > most:
            return _("Odds from {least} to {most}: the first must be lower.").format(
                least=typed_text(least), most=typed_text(most)
            )
        if chosen.max_true_ev is not None and chosen.min_true_ev > chosen.max_true_ev:
            return _("EV from {least:g} to {most:g} %: the first must be lower.").format(
                least=num(chosen.min_true_ev), most=num(chosen.max_true_ev)
            )
        return ""
