"""The settings of a backtest that are seldom changed: the dialog, and all settings in words."""

from collections.abc import Sequence
from typing import Final

import msgspec
from PySide6 import QtWidgets
from PySide6.QtCore import QSize, Qt, Signal

from oddsdesk.base.figures import FigureError, read_typed_amount
from oddsdesk.base.numbers import COMMA, num, number_style, typed_number
from oddsdesk.base.texts import _, translated
from oddsdesk.board.valuation.explaining import method_name
from oddsdesk.board.valuation.verdict_words import RULE_TITLES, method_title
from oddsdesk.desk.research.log import BacktestAsked, BacktestSettings
from oddsdesk.desk.research.panel import ChoiceError
from oddsdesk.desk.ui.controls.fields import CheckList, ChoiceBox, DecimalSpin, WholeSpin
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, form_layout, note_label
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.spacing import GAP, MARGIN, STEP, horizontal, vertical
from oddsdesk.desk.ui.theme.theme import Theme, inset, scale_least_width
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.value import PRICE_RULES, SERVICE_RULES, Rule
from oddsdesk.research.question import LEAST_EV, SERIES, Staking

LATENCIES: Final = (
    (_("At once"), 0),
    (_("After 2 s"), 2_000),
    (_("After 10 s"), 10_000),
    (_("After 1 min"), 60_000),
)
_STRATEGIES: Final = (
    (_("Value bets"), "value"),
    (_("Best price vs mean of all bookmakers"), "best-vs-mean"),
)
_MOMENTS: Final = ((_("Any moment before the game"), "any"), (_("Closing prices"), "close"))
_PRICES: Final = ((_("Bookmakers' prices"), ""), (_("Best of many (football-data)"), SERIES[0]))
_STAKES: Final = (
    (_("One unit each"), "flat"),
    (_("Share of the bankroll"), "proportional"),
    (_("Kelly"), "kelly"),
)
_MOST_LEAST_EV: Final = 100.0
_MOST_BANKROLL: Final = 1_000_000.0
_LEAST_WIDTH: Final = 300
_RULES_HEIGHT: Final = 134


def typed_list(text: str) -> list[str]:
    """Return the entries of a list with commas or semicolons, each once."""
    entries = (entry.strip() for entry in text.replace(";", ",").split(","))
    return list(dict.fromkeys(filter(None, entries)))


def typed_methods(text: str, usual: str) -> tuple[str, ...]:
    """Return the devig methods of a list of names or titles; ``usual`` if it is empty.

    Raises:
        ChoiceError: A name is unknown.
    """
    titles = {_folded(each): name for name in METHODS for each in (name, method_title(name))}
    found = []
    for entry in typed_list(text):
        if _folded(entry) not in titles:
            known = ", ".join(method_title(name) for name in METHODS)
            raise ChoiceError(
                _("Devig method: “{entry}” is unknown. Use {known}").format(
                    entry=entry, known=known
                )
            )
        found.append(titles[_folded(entry)])
    return tuple(dict.fromkeys(found)) or (usual,)


def kept_method(text: str) -> str:
    """Return the text of the methods as it is kept: of one method its name, for any language."""
    try:
        methods = typed_methods(text, "")
    except ChoiceError:
        return text
    return methods[0] if len(methods) == 1 and methods[0] else text


def typed_evs(text: str) -> tuple[float, ...]:
    """Return the figures of a list such as ``0, 1, 2.5 %``, separated by commas or blanks.

    Raises:
        ChoiceError: An entry is no EV from -5 to 100 %.
    """
    found = []
    plain = text.replace("%", " ").replace("−", "-")
    if number_style().decimal == COMMA:  # 2,5 is one figure; semicolons and blanks separate
        plain = plain.replace(", ", "; ").rstrip(", ")
        entries = plain.split(";")
    else:
        entries = typed_list(plain)
    for entry in entries:
        for part in entry.split():
            try:
                least = read_typed_amount("", part)
            except FigureError:
                least = float("nan")
            if not LEAST_EV <= least <= _MOST_LEAST_EV:
                raise ChoiceError(
                    _(
                        "Least EV: enter figures from {least:g} to {most:g} such as 0, 1, "
                        "2.5 instead of {text!r}"
                    ).format(least=num(LEAST_EV), most=num(_MOST_LEAST_EV), text=part)
                )
            found.append(least)
    return tuple(dict.fromkeys(found))


def _folded(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").split())


def _share(fraction: float) -> str:
    return f"{num(fraction * 100):.4g} %"


def settings_words(asked: BacktestAsked) -> str:
    """Return in plain words what a backtest does, but for preset and days."""
    chosen = asked.settings
    sentences = [_what(chosen), _stake(chosen.staking)]
    if chosen.latency_ms:
        sentences.append(
            _("Bets {seconds:g} s after it sees a price, if it is still there").format(
                seconds=num(chosen.latency_ms / 1000)
            )
        )
    if (count := len(asked.combinations)) > 1:
        sentences.append(_("{count} combinations are compared in one pass").format(count=count))
    sentences.append(_close(chosen))
    return ". ".join(sentences) + "."


def with_limits(chosen: BacktestSettings, plan: StakePlan) -> BacktestSettings:
    """Return settings whose Kelly stakes keep to the user's limits."""
    if chosen.staking.kind != "kelly":
        return chosen
    staking = msgspec.structs.replace(
        chosen.staking,
        outcome_cap=plan.outcome_cap,
        game_cap=plan.game_cap,
        total_cap=plan.total_cap,
    )
    return msgspec.structs.replace(chosen, staking=staking)


def _what(chosen: BacktestSettings) -> str:
    moment = (
        _("at the closing prices") if chosen.at == "close" else _("at any moment before the game")
    )
    if chosen.strategy != "value":
        mean = (
            _("by football-data's mean")
            if chosen.series
            else _("by {count} or more prices").format(count=chosen.least_books)
        )
        return _(
            "Bets on each side of a match result where (1/mean − {alpha:g}) × best "
            "price is above 1, {mean}, {moment}"
        ).format(alpha=num(chosen.alpha), mean=mean, moment=moment)
    *first, last = [f"{num(least):g}".replace("-", "−") for least in chosen.least_evs or (0.0,)]
    if not chosen.least_evs:
        evs = f"{num(_usual_ev()):.3g}"
    elif first:
        evs = _("{several} or {last}").format(several=", ".join(first), last=last)
    else:
        evs = last
    least = _("EV from {evs} %").format(evs=evs)
    text = (
        _(
            "Bets on football-data's best price of each outcome once, {moment}, with {least} "
            "and {rules}"
        )
        if chosen.series
        else _("Bets on the best price of each outcome once, {moment}, with {least} and {rules}")
    )
    return text.format(moment=moment, least=least, rules=_rules(chosen))


def _close(chosen: BacktestSettings) -> str:
    whose, kind = chosen.close_reference, chosen.close_method
    method = method_name(kind) if kind else ""
    if whose and method:
        text = _("CLV is against {bookmaker}'s close, {method}")
    elif whose:
        text = _("CLV is against {bookmaker}'s close")
    elif method:
        text = _("CLV is against the close of the desk's settings, {method}")
    else:
        text = _("CLV is against the closing line of the desk's settings")
    return text.format(bookmaker=whose, method=method)


def _usual_ev() -> float:
    return SERVICE_RULES.minimum_ev("moneyline")


def _rules(chosen: BacktestSettings) -> str:
    off = PRICE_RULES - {Rule(each) for each in rules_on(chosen)}
    if not off:
        return _("all price rules")
    if off == PRICE_RULES:
        return _("no price rules")
    names = dict.fromkeys(translated(RULE_TITLES[rule]) for rule in Rule if rule in off)
    return _("the price rules without {names}").format(names=", ".join(names))


def rules_on(chosen: BacktestSettings) -> tuple[str, ...]:
    """Return the price rules that hold, as values of ``Rule``."""
    known = [rule.value for rule in Rule if rule in PRICE_RULES]
    return tuple(each for each in known if chosen.rules is None or each in chosen.rules)


def _stake(by: Staking) -> str:
    if by.kind == "flat":
        return _("Stakes one unit each")
    if by.kind == "proportional":
        return _("Stakes {share} of a running bankroll of {bankroll:,.10g} units").format(
            share=_share(by.share), bankroll=num(by.bankroll)
        )
    return _(
        "Stakes {share:.4g} of Kelly on a running bankroll of {bankroll:,.10g} units, at most "
        "{outcome} an outcome, {game} a game, {total} in all"
    ).format(
        share=num(by.share),
        bankroll=num(by.bankroll),
        outcome=_share(by.outcome_cap),
        game=_share(by.game_cap),
        total=_share(by.total_cap),
    )


class BacktestSettingsDialog(FormDialog):
    """Asks for the settings; says in words what they mean."""

    chosen = Signal(object)
    """The ``BacktestSettings`` that were chosen."""

    def __init__(
        self, theme: Theme, asked: BacktestAsked, plan: StakePlan, parent: QtWidgets.QWidget
    ) -> None:
        """``asked`` also has what the panel itself asks for, which the words mention.

        ``plan`` is the user's: its limits, and its Kelly fraction as the usual one.
        """
        super().__init__(theme, _("Backtest settings"), parent)
        self._asked = asked
        self._plan = plan
        self.strategy, self.at = _choice(_STRATEGIES), _choice(_MOMENTS)
        self.series, self.latency = _choice(_PRICES), _choice(LATENCIES)
        self.least_ev = QtWidgets.QLineEdit()
        self.least_ev.setPlaceholderText(_("{ev:.3g}, the contract's").format(ev=num(_usual_ev())))
        titles: dict[str, list[str]] = {}
        for rule in Rule:
            if rule in PRICE_RULES:
                titles.setdefault(translated(RULE_TITLES[rule]), []).append(rule.value)
        limits = translated(RULE_TITLES[Rule.MAX_EDGE])
        entries = [
            (
                ",".join(values),
                _("{title} (maximum EV)").format(title=title) if title == limits else title,
            )
            for title, values in titles.items()
        ]
        self.rules = CheckList(_("Price rules"), entries, ())
        self.alpha = inset(DecimalSpin(decimals=3, least=0, most=0.5, step=0.005))
        self.least_books = inset(WholeSpin())
        self.least_books.setRange(2, 100)
        self.staking = _choice(_STAKES)
        self.share = inset(DecimalSpin(decimals=2, least=0.01, most=100, step=0.5))
        self.share.setSuffix(" %")
        self.bankroll = inset(DecimalSpin(decimals=2, least=1, most=_MOST_BANKROLL, step=10))
        self.bankroll.setSuffix(f" {_('units')}")
        self.close_reference = QtWidgets.QLineEdit()
        self.close_reference.setPlaceholderText(_("As in the settings"))
        methods = [(_("As in the settings"), ""), *((method_title(name), name) for name in METHODS)]
        self.close_method = _choice(methods)
        self._words = note_label("", theme)
        self._lay_out()
        self._show(asked.settings)
        self.reset = self.buttons.addButton(
            _("Reset"), QtWidgets.QDialogButtonBox.ButtonRole.ResetRole
        )
        self.reset.setAutoDefault(False)
        self.reset.clicked.connect(lambda: self._show(BacktestSettings()))
        self.close_with(_("Use"), self._on_accepted)
        self._connect()
        self._on_changed()

    def values(self) -> object:
        try:
            return self._settings()
        except ChoiceError:
            return self.least_ev.text()

    def _lay_out(self) -> None:
        left, right = form_layout(), form_layout()
        for title, form, rows in (
            (
                _("What is bet on"),
                left,
                (
                    (_("&Strategy"), self.strategy),
                    (_("&When"), self.at),
                    (_("&Prices"), self.series),
                    (_("&Delay"), self.latency),
                    (_("Least &EV, %"), self.least_ev),
                    (_("Price &rules"), self.rules),
                ),
            ),
            (
                _("Stakes"),
                right,
                (
                    (_("S&takes"), self.staking),
                    (_("S&hare"), self.share),
                    (_("Ban&kroll"), self.bankroll),
                ),
            ),
            (
                _("Best price vs mean"),
                right,
                ((_("&Alpha"), self.alpha), (_("Least &bookmakers"), self.least_books)),
            ),
            (
                _("Closing line for CLV"),
                right,
                (
                    (_("Sharp b&ook at the close"), self.close_reference),
                    (_("&Method"), self.close_method),
                ),
            ),
        ):
            heading = Label(title)
            heading.setFont(self.theme.fonts.strong)
            form.addRow(heading)
            for label, field in rows:
                _add_row(form, label, field)
        self._explain()
        scale_least_width(self.rules, self.theme, _LEAST_WIDTH)
        self.rules.setFixedHeight(self.theme.fonts.scaled(_RULES_HEIGHT))
        columns = horizontal(None, left, right, spacing=2 * MARGIN)
        columns.setStretch(0, 1)
        columns.setStretch(1, 1)
        page = QtWidgets.QWidget()
        page.setProperty("variant", "window")
        vertical(page, columns, margins=(0, 0, STEP, 0)).addStretch()
        self.below.addWidget(_Scrolled(page), 1)
        self.below.addWidget(self._words)

    def _explain(self) -> None:
        for field, tip in (
            (self.strategy, _("Which prices are bet on")),
            (
                self.at,
                _("Closing prices are the last ones before the game. Prices in play never count"),
            ),
            (
                self.series,
                _(
                    "football-data's Max and Avg columns: the best and the mean price of "
                    "many bookmakers. They need an imported season"
                ),
            ),
            (
                self.latency,
                _("Time it takes to bet. Prices that are no longer value by then are missed"),
            ),
            (
                self.least_ev,
                _("Least EV in percent, from −5 on. Several with commas are compared: 0, 1, 2"),
            ),
            (
                self.rules,
                _("Rules as Explain names them. Not ticked: the rule does not stop a bet"),
            ),
            (self.alpha, _("Subtracted from 1/mean, for the bookmakers' margin")),
            (self.least_books, _("How many bookmakers must price the side")),
            (self.staking, _("Shares and Kelly use a running bankroll")),
            (self.share, _("Of the bankroll, or of Kelly. Lower is safer if fair odds are wrong")),
            (
                self.bankroll,
                _("At the start, in units. It grows by the profit of games that are over"),
            ),
            (
                self.close_reference,
                _("Whose closing odds all CLV is measured by: a bookmaker, or “consensus”"),
            ),
            (self.close_method, _("How the margin of the closing odds is removed")),
        ):
            field.setToolTip(tip)

    def _show(self, chosen: BacktestSettings) -> None:
        by = chosen.staking
        for box, value in (
            (self.strategy, chosen.strategy),
            (self.at, chosen.at),
            (self.series, chosen.series),
            (self.latency, chosen.latency_ms),
            (self.staking, by.kind),
            (self.close_method, chosen.close_method),
        ):
            box.setCurrentIndex(max(box.findData(value), 0))
        between = "; " if number_style().decimal == COMMA else ", "
        self.least_ev.setText(between.join(typed_number(each) for each in chosen.least_evs))
        on = rules_on(chosen)
        for row in range(self.rules.count()):
            item = self.rules.item(row)
            is_on = item.data(Qt.ItemDataRole.UserRole).split(",")[0] in on
            item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
        self.alpha.setValue(chosen.alpha)
        self.least_books.setValue(chosen.least_books)
        self.share.setValue(by.share * 100)
        self.bankroll.setValue(by.bankroll)
        self.close_reference.setText(chosen.close_reference)

    def _settings(self) -> BacktestSettings:
        """Return what the fields say.

        Raises:
            ChoiceError: It makes no sense.
        """
        ticked = tuple(each for keys in self.rules.ticked() for each in keys.split(","))
        every = rules_on(BacktestSettings())
        kind = self.staking.currentData()
        usual = Staking()
        return BacktestSettings(
            least_evs=typed_evs(self.least_ev.text()),
            rules=None if set(ticked) == set(every) else ticked,
            strategy=self.strategy.currentData(),
            alpha=self.alpha.value(),
            least_books=self.least_books.value(),
            at=self.at.currentData(),
            series=self.series.currentData(),
            latency_ms=self.latency.currentData(),
            staking=usual
            if kind == "flat"
            else Staking(
                kind=kind, share=round(self.share.value() / 100, 6), bankroll=self.bankroll.value()
            ),
            close_reference=self.close_reference.text().strip(),
            close_method=self.close_method.currentData(),
        )

    def _connect(self) -> None:
        for box in (
            *(self.strategy, self.at, self.series, self.latency, self.staking, self.close_method),
        ):
            box.currentIndexChanged.connect(self._on_changed)
        self.staking.activated.connect(self._on_staking_activated)
        for edit in (self.least_ev, self.close_reference):
            edit.textChanged.connect(self._on_changed)
        for spin in (self.alpha, self.least_books, self.share, self.bankroll):
            spin.valueChanged.connect(self._on_changed)
        self.rules.itemChanged.connect(self._on_changed)

    def _on_staking_activated(self) -> None:
        """Offer the usual share: the user's Kelly fraction, or one percent of the bankroll."""
        is_kelly = self.staking.currentData() == "kelly"
        self.share.setValue(self._plan.kelly_share * 100 if is_kelly else 1.0)

    def _on_changed(self) -> None:
        is_value, is_flat = (
            self.strategy.currentData() == "value",
            self.staking.currentData() == "flat",
        )
        self.least_ev.setEnabled(is_value)
        self.rules.setEnabled(is_value)
        self.alpha.setEnabled(not is_value)
        self.least_books.setEnabled(not is_value and not self.series.currentData())
        self.share.setEnabled(not is_flat)
        self.bankroll.setEnabled(not is_flat)
        try:
            settings = self._settings()
        except ChoiceError as error:
            self._words.setText(f"{error}.")
            return
        self.trouble.hide()
        settings = with_limits(settings, self._plan)
        asked = msgspec.structs.replace(self._asked, settings=settings)
        self._words.setText(settings_words(asked))

    def _on_accepted(self) -> None:
        try:
            settings = self._settings()
        except ChoiceError as error:
            self.say_trouble(str(error), self.least_ev)
            return
        self.mark_unchanged()
        self.chosen.emit(settings)
        self.accept()


class _Scrolled(QtWidgets.QScrollArea):
    """Shows a page whole where the screen has room for it, else with a scroll bar."""

    def __init__(self, page: QtWidgets.QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)
        self._page = page

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return self._page.sizeHint() + QSize(GAP, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.sizeHint().width(), super().minimumSizeHint().height())


def _choice(options: Sequence[tuple[str, object]]) -> ChoiceBox:
    box = ChoiceBox()
    for text, data in options:
        box.addItem(text, data)
    return box


def _add_row(form: QtWidgets.QFormLayout, label: str, field: QtWidgets.QWidget) -> None:
    name = Label(label)
    name.setBuddy(field)
    field.setAccessibleName(label.replace("&", ""))
    form.addRow(name, field)
