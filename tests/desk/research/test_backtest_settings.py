"""Settings of a backtest: typed lists, the words for what is asked, and the dialog."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.research.backtest_settings import (
    BacktestSettingsDialog,
    rules_on,
    settings_words,
    typed_evs,
    typed_list,
    typed_methods,
    with_limits,
)
from oddsdesk.desk.research.log import BacktestAsked, BacktestSettings
from oddsdesk.desk.research.panel import ChoiceError
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.value import PRICE_RULES
from oddsdesk.research.question import Staking


def asked(*methods: str, **settings: object) -> BacktestAsked:
    chosen = BacktestSettings(**settings)  # type: ignore[arg-type]
    return BacktestAsked(methods=methods or ("power",), preset=None, settings=chosen)


def test_lists_are_typed_with_commas() -> None:
    assert typed_list(" Pinnacle, bet365;; Pinnacle ") == ["Pinnacle", "bet365"]
    assert typed_methods("", "shin") == ("shin",)
    assert typed_methods("Power, margin proportional, power", "shin") == (
        "power",
        "margin_proportional",
    )
    assert typed_evs("") == ()
    assert typed_evs("-5, 0; 1.5 % 2,") == (-5, 0, 1.5, 2)
    with pytest.raises(ChoiceError, match="“magic” is unknown"):
        typed_methods("magic", "shin")
    for wrong in ("-5.1", "101", "one", "nan"):
        with pytest.raises(ChoiceError, match="Least EV: enter figures from -5 to 100"):
            typed_evs(wrong)


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (
            asked(),
            "Bets on the best price of each outcome once, at any moment before the game, with EV "
            "from 2.01 % and all price rules. Stakes one unit each. CLV is against the closing "
            "line of the desk's settings.",
        ),
        (
            asked(
                *("power", "shin"),
                least_evs=(-1.0, 0.0, 2.5),
                rules=("payout", "overround"),
                at="close",
                latency_ms=10_000,
                staking=Staking(kind="kelly", share=0.25),
                close_reference="Bet365",
                close_method="shin",
            ),
            "Bets on the best price of each outcome once, at the closing prices, with EV from −1, "
            "0 or 2.5 % and the price rules without Better than the sharp book's own odds, Sharp "
            "price age, Price age, EV ≤. Stakes 0.25 of Kelly on a running bankroll of 100 units, "
            "at most 2 % an outcome, 3 % a game, 25 % in all. Bets 10 s after it sees a price, if "
            "it is still there. 6 combinations are compared in one pass. CLV is against Bet365's "
            "close, shin.",
        ),
        (
            asked(
                *("power", "shin"),
                strategy="best-vs-mean",
                alpha=0.034,
                staking=Staking(kind="proportional", share=0.015, bankroll=2_500.0),
            ),
            "Bets on each side of a match result where (1/mean − 0.034) × best price is above 1, "
            "by 3 or more prices, at any moment before the game. Stakes 1.5 % of a running bankroll"
            " of 2,500 units. CLV is against the closing line of the desk's settings.",
        ),
        (
            asked(series="football-data", rules=()),
            "Bets on football-data's best price of each outcome once, at any moment before the "
            "game, with EV from 2.01 % and no price rules. Stakes one unit each. CLV is against "
            "the closing line of the desk's settings.",
        ),
    ],
)
def test_the_words_say_what_is_asked(about: BacktestAsked, words: str) -> None:
    assert settings_words(about) == words


@pytest.fixture
def owner(qtbot: QtBot) -> QWidget:
    """The window that the dialog is over."""
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1_200, 700)
    made.show()
    return made


PLAN = StakePlan(kelly_share=0.5, outcome_cap=0.05, game_cap=0.07, total_cap=0.4)


def test_kelly_keeps_to_the_limits_of_the_desk(theme: Theme, owner: QWidget) -> None:
    dialog = opened(owner, theme, asked())
    dialog.staking.setCurrentIndex(2)
    dialog.staking.activated.emit(2)
    assert dialog.share.value() == 50
    assert "Stakes 0.5 of Kelly" in dialog._words.text()
    assert "at most 5 % an outcome, 7 % a game, 40 % in all" in dialog._words.text()
    kelly = BacktestSettings(staking=Staking(kind="kelly", share=0.3))
    assert with_limits(kelly, PLAN).staking == Staking(
        kind="kelly", share=0.3, outcome_cap=0.05, game_cap=0.07, total_cap=0.4
    )
    assert with_limits(BacktestSettings(), PLAN) == BacktestSettings()
    dialog.mark_unchanged()
    dialog.reject()


def opened(owner: QWidget, theme: Theme, about: BacktestAsked) -> BacktestSettingsDialog:
    dialog = BacktestSettingsDialog(theme, about, PLAN, owner)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.open()
    return dialog


EVERY = asked(
    least_evs=(-2.0, 1.0),
    rules=("book_age", "payout"),
    strategy="best-vs-mean",
    alpha=0.034,
    least_books=5,
    at="close",
    series="football-data",
    latency_ms=2_000,
    staking=Staking(kind="proportional", share=0.02, bankroll=500.0),
    close_reference="Bet365",
    close_method="power",
)


def test_the_dialog_gives_back_what_it_was_given(
    qtbot: QtBot, theme: Theme, owner: QWidget
) -> None:
    for about in (asked(), EVERY):
        dialog = opened(owner, theme, about)
        with qtbot.waitSignal(dialog.chosen) as found:
            dialog.buttons.accepted.emit()
        assert found.args == [about.settings]


def test_reset_goes_back_to_the_usual_settings(qtbot: QtBot, theme: Theme, owner: QWidget) -> None:
    dialog = opened(owner, theme, EVERY)
    assert "Stakes 2 % of a running bankroll of 500 units" in dialog._words.text()
    dialog.reset.click()
    assert "Stakes one unit each" in dialog._words.text()
    with qtbot.waitSignal(dialog.chosen) as found:
        dialog.buttons.accepted.emit()
    assert found.args == [BacktestSettings()]


def test_only_fields_that_matter_are_enabled(theme: Theme, owner: QWidget) -> None:
    dialog = opened(owner, theme, asked())
    on_off = (
        *(dialog.least_ev, dialog.rules, dialog.alpha, dialog.least_books),
        *(dialog.share, dialog.bankroll),
    )
    assert [each.isEnabled() for each in on_off] == [True, True, False, False, False, False]
    dialog.strategy.setCurrentIndex(1)
    dialog.staking.setCurrentIndex(2)
    assert [each.isEnabled() for each in on_off] == [False, False, True, True, True, True]
    dialog.series.setCurrentIndex(1)
    assert not dialog.least_books.isEnabled()
    dialog.mark_unchanged()
    dialog.reject()


def test_a_wrong_list_is_told_and_the_dialog_stays(
    qtbot: QtBot, theme: Theme, owner: QWidget
) -> None:
    dialog = opened(owner, theme, asked())
    qtbot.keyClicks(dialog.least_ev, "one")
    assert dialog._words.text().startswith("Least EV: enter figures from -5 to 100 such as")
    dialog.buttons.accepted.emit()
    assert dialog.isVisible()
    assert dialog.trouble.isVisible()
    assert dialog.focusWidget() is dialog.least_ev
    dialog.reject()
    assert dialog.isVisible()  # asks before it throws away what was typed
    dialog.mark_unchanged()
    dialog.reject()


def test_the_keyboard_alone_reaches_each_field(qtbot: QtBot, theme: Theme, owner: QWidget) -> None:
    dialog = opened(owner, theme, EVERY)
    dialog.staking.setCurrentIndex(1)
    dialog.strategy.setCurrentIndex(0)
    dialog.strategy.setFocus()
    reached = []
    for _ in range(30):
        reached.append(dialog.focusWidget())
        qtbot.keyClick(reached[-1], Qt.Key.Key_Tab)
    for field in (
        *(dialog.strategy, dialog.at, dialog.series, dialog.latency, dialog.least_ev),
        *(dialog.rules, dialog.staking, dialog.share, dialog.bankroll),
        *(dialog.close_reference, dialog.close_method, dialog.reset),
    ):
        assert field in reached, field.accessibleName()
    names = [each.text() for each in dialog.buttons.findChildren(QPushButton)]
    assert sorted(names) == ["Cancel", "Reset", "Use"]
    dialog.mark_unchanged()
    dialog.reject()


def test_nothing_in_the_dialog_is_cut(theme: Theme, owner: QWidget) -> None:
    for percent in (100, 160):
        theme.zoom(percent)
        dialog = opened(owner, theme, EVERY)
        for row in range(dialog.rules.count()):
            shown = dialog.rules.visualItemRect(dialog.rules.item(row))
            assert dialog.rules.viewport().rect().contains(shown)
            assert (
                dialog.rules.sizeHintForIndex(
                    dialog.rules.indexFromItem(dialog.rules.item(row))
                ).width()
                <= shown.width()
            )
        dialog.mark_unchanged()
        dialog.reject()
    theme.zoom(100)


def test_rules_are_the_price_rules() -> None:
    assert set(rules_on(BacktestSettings())) == {rule.value for rule in PRICE_RULES}
    assert rules_on(BacktestSettings(rules=("payout", "book_age"))) == ("book_age", "payout")
    assert rules_on(BacktestSettings(rules=())) == ()
