"""What was really bet is asked for, judged while it is typed, recorded with what was thought."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.opportunities.finder import Opportunity
from oddsdesk.board.opportunities.offers import LegsToPlace, Opportunities
from oddsdesk.desk.records import Records
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.formatting import choose_style
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.desk.value_bets.placing import PlaceDialog
from oddsdesk.desk.value_bets.subjects import BetSubject, placed_bet, subject_of_price
from oddsdesk.ledger.accounts import MoneyTables, Rate
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.formats import AMERICAN, DECIMAL
from oddsdesk.pricing.opportunities import Split
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.full_ledger import full_disk
from tests.kit.value_bets import be_value

PROFILES = Profiles([Profile(name="Matchbook", group="Matchbook", commission=0.02)])


@pytest.fixture
def subject(quoted: Any) -> BetSubject:
    """Over 2.5 at Matchbook at 2.00, where 2.00 is fair: no value, by 2 % commission and 1 %."""
    quoted.board.set_profiles(PROFILES)
    found = subject_of_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"), quoted.board)
    assert found is not None
    return found


@pytest.fixture
def dialog(subject: BetSubject, qtbot: QtBot) -> PlaceDialog:
    made = PlaceDialog(subject, PROFILES, ["Bovada", "Matchbook"], reference="Pinnacle")
    qtbot.addWidget(made)
    return made


@pytest.fixture
def american() -> Iterator[None]:
    choose_style(AMERICAN)
    yield
    choose_style(DECIMAL)


def test_a_stake_above_what_the_bookmaker_takes_is_said_and_may_be_recorded(
    subject: BetSubject, qtbot: QtBot
) -> None:
    noted = Profile(name="Corner Shop", group="", limit=4)
    dialog = PlaceDialog(subject, Profiles([noted]), ["Corner Shop"], reference="Pinnacle")
    qtbot.addWidget(dialog)
    dialog.stake.setText("5")
    assert dialog.fault.text() == ""
    dialog.bookmaker.setCurrentText("corner shop")
    assert dialog.fault.text() == "Above your limit at corner shop: 4."
    assert dialog.record.isEnabled()
    dialog.stake.setText("4")
    assert dialog.fault.text() == ""


def test_what_is_placed_at_a_bookmaker_counts_against_its_limit(
    subject: BetSubject, qtbot: QtBot
) -> None:
    noted = Profile(name="Corner Shop", group="", limit=4)
    what = subject.bet_key[:4]
    names = subject.match_name, subject.competition, subject.sport
    there = PlacedBet(what[0], *names, *what[1:], "Corner Shop", 2.0, 3.0, 0)
    elsewhere = msgspec.structs.replace(there, bookmaker="Bovada", stake=9.0)
    dialog = PlaceDialog(subject, Profiles([noted]), ["Corner Shop"], [there, elsewhere])
    qtbot.addWidget(dialog)
    dialog.bookmaker.setCurrentText("corner shop")
    dialog.stake.setText("2")
    said = "Above your limit at corner shop: 4 (3 already placed)."
    assert dialog.fault.text() == said
    dialog.stake.setText("1")
    assert dialog.fault.text() == ""


def test_a_stake_beyond_the_cap_of_an_outcome_is_doubted_and_may_be_recorded(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    panel.place_price(key)
    dialog = panel.findChild(PlaceDialog)
    dialog.stake.setText("20")
    assert dialog.fault.text() == ""  # 2 % of 1,000
    dialog.stake.setText("500")
    said = "500 on this outcome is above your limit of 20. Check the stake."
    assert dialog.fault.text() == said
    assert dialog.record.isEnabled()
    dialog.stake.setText("15")
    with qtbot.waitSignal(panel.actions_on_bet.placed):
        dialog.record.click()
    panel.place_price(key)
    again = panel.findChildren(PlaceDialog)[-1]
    again.stake.setText("5")
    assert again.fault.text() == ""
    again.stake.setText("6")
    assert again.fault.text().startswith("21 on this outcome, including recorded bets, ")
    again.close()
    quoted.clock.now += 1
    quoted.tell("Betsson", "total", "Under 2.5", 2.10)
    found = Opportunities(quoted.board, quoted.clock, Split)
    exhaust(found.looking())
    listed = min(found.entries.values(), key=Opportunity.sort_key)
    assert listed.legs[0].key == key
    panel.leg_placer_over(panel, panel.messages).place_legs(LegsToPlace(listed, (0,), (0, 1)))
    leg = panel.findChildren(PlaceDialog)[-1]
    assert (leg.stake.text(), leg.fault.text()) == ("49", "")  # of a sum that knows no such cap
    leg.close()


def test_a_stake_in_another_currency_counts_at_the_users_rate(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, records: Records
) -> None:
    def give_rate(money: MoneyTables) -> Callable[[], None]:
        money.choose_main("EUR")
        money.set_rate(Rate("USD", "EUR", 0, 0.5))
        return lambda: None

    with qtbot.waitSignal(records.money_changed):
        records.change_money(give_rate)
    quoted.board.set_rates(records.book.rates_at(quoted.clock.now))
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    panel.place_price(key)
    dialog = panel.findChild(PlaceDialog)
    dialog.stake.setText("30")
    dialog.currency.setText("eur")
    assert dialog.fault.text() == "30 on this outcome is above your limit of 20. Check the stake."
    dialog.currency.setText("usd")
    assert dialog.fault.text() == "At your rate it counts as 15.00 EUR."
    with qtbot.waitSignal(panel.actions_on_bet.placed):
        dialog.record.click()
    panel.place_price(key)
    again = panel.findChildren(PlaceDialog)[-1]
    again.stake.setText("5")
    assert again.fault.text() == ""
    again.stake.setText("6")
    assert again.fault.text().startswith("21 on this outcome, including recorded bets, ")
    again.currency.setText("jpy")
    assert again.fault.text().endswith("your caps count it as 6 of your bankroll.")
    again.close()


def test_a_stake_beyond_the_cap_of_a_game_or_of_all_that_is_open_is_doubted(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, records: Records
) -> None:
    """The plan is of 1,000: 20 on an outcome, 30 on a game, 250 in all. 0-0 loses all of these."""
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"))
    dialog = panel.findChildren(PlaceDialog)[-1]
    dialog.stake.setText("15")
    assert dialog.fault.text() == ""
    with qtbot.waitSignal(panel.actions_on_bet.placed):
        dialog.record.click()
    both = quoted.id, "Everton - Liverpool", "EPL", "Football", "btts", 0, "Yes", "Bovada"
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(PlacedBet(*both, 2.0, 12, quoted.clock.now), lambda _: None)
    panel.place_price(RowKey(quoted.id, "moneyline", 0, "Liverpool", "Bovada"))
    dialog = panel.findChildren(PlaceDialog)[-1]
    dialog.stake.setText("3")
    assert dialog.fault.text() == ""
    dialog.stake.setText("4")
    assert dialog.fault.text() == (
        "31 on this game, including recorded bets, is above your limit of 30. Check the stake."
    )
    elsewhere = "other", "Leeds - Wolves", "EPL", "Football", "total", 0, "Over 2.5", "Bovada"
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(PlacedBet(*elsewhere, 2.0, 221, quoted.clock.now), lambda _: None)
    dialog.stake.setText("2")
    assert dialog.fault.text() == ""
    dialog.stake.setText("3")
    assert dialog.fault.text().startswith(
        "251 in open bets, including recorded bets, is above your limit of 250."
    )
    assert dialog.record.isEnabled()
    dialog.close()


def test_the_ev_of_the_listed_price_is_that_of_its_assessment(subject: BetSubject) -> None:
    found = subject.assessment
    assert found.ev is not None
    assert found.net_odds == pytest.approx(1.98)
    assert subject.ev_at(found.net_odds) == pytest.approx(found.ev, abs=1e-9)


def test_ev_follows_the_odds_and_the_bookmaker_that_are_typed(
    dialog: PlaceDialog, subject: BetSubject
) -> None:
    assert dialog.worth.text() == (
        "EV −1.00 % at these odds · net 1.9800 · fair 2.000 (margin proportional) · "
        "below the minimum EV, 2.01 %"
    )
    dialog.odds.setText("2.20")
    # (1 + 1.2 * 0.98) / 2 - 1
    assert dialog.worth.text().startswith("EV +8.80 % at these odds · net 2.1760 · fair 2.000")
    dialog.bookmaker.setCurrentText("Bovada")
    assert dialog.worth.text().startswith("EV +10.00 % at these odds · fair 2.000")
    dialog.odds.setText("2.2x")
    assert dialog.worth.text() == ""
    assert not dialog.record.isEnabled()


@pytest.mark.parametrize("typed", ["2.20", "15.8", "1000000"])
def test_odds_that_are_too_good_to_be_true_are_doubted(dialog: PlaceDialog, typed: str) -> None:
    dialog.stake.setText("5")
    dialog.odds.setText("2.12")  # net 2.0976, within the window up to 2.107
    assert dialog.fault.text() == ""
    dialog.odds.setText(typed)
    assert dialog.fault.text().startswith("Odds above 2.107 after commission")
    assert dialog.record.isEnabled()


def test_nothing_moves_for_what_the_dialog_says_and_all_of_it_is_seen(
    dialog: PlaceDialog, subject: BetSubject, qtbot: QtBot
) -> None:
    """A click on the button hit another thing where a line came just then."""
    dialog.stake.setText("5")
    with qtbot.waitExposed(dialog):
        dialog.show()

    def places() -> list[QRect]:
        held = (dialog, dialog.stake, dialog.odds, dialog.note, dialog.record)
        return [QRect(each.mapToGlobal(QPoint(0, 0)), each.size()) for each in held]

    def is_seen(label: Label) -> bool:
        return label.visibleRegion().boundingRect().height() == label.height() > 0

    before = places()
    moved = subject._replace(
        news="The arbitrage has changed: −1.00 % now if every leg stands.",
        leg="Leg 2",
        leg_stake=lambda _: 7,
    )
    dialog.follow_price(lambda: moved, lambda: "not connected")
    dialog.stake.setText("nan")
    dialog.odds.setText("2.02")
    said = (dialog.planned, dialog.warning, dialog.fault)
    qtbot.waitUntil(lambda: all(map(is_seen, said)))
    assert places() == before


def test_return_in_a_field_records_the_bet_whatever_the_plan_stakes(
    dialog: PlaceDialog, qtbot: QtBot
) -> None:
    with qtbot.waitExposed(dialog):
        dialog.show()
    dialog.stake.setText("12.5")
    dialog.odds.setText("2.05")
    with qtbot.waitSignal(dialog.placed) as told:
        qtbot.keyClick(dialog.odds, Qt.Key.Key_Return)
    assert told.args[0].stake == 12.5


def test_everything_typed_is_kept_to_the_last_digit(
    dialog: PlaceDialog, subject: BetSubject, quoted: Any
) -> None:
    dialog.odds.setText("2.0123456789")
    dialog.stake.setText("12.345678")
    dialog.currency.setText("gbp")
    assert dialog.fault.text().endswith("of your bankroll.")
    bet = placed_bet(subject, dialog.typed(), quoted.clock.now)
    assert (bet.odds, bet.stake, bet.currency) == (2.0123456789, 12.345678, "GBP")
    assert bet.net_odds == pytest.approx(1 + 1.0123456789 * 0.98)
    assert bet.true_ev == pytest.approx((bet.net_odds / 2.02 - 1) * 100)
    assert (bet.fair_odds, bet.method) == (pytest.approx(2.0), "margin_proportional")
    assert subject.scraped_at is not None
    assert bet.age_ms == quoted.clock.now - subject.scraped_at
    assert bet.derived == ""
    derived = msgspec.structs.replace(subject.assessment, derived="implied")
    bet = placed_bet(subject._replace(assessment=derived), dialog.typed(), quoted.clock.now)
    assert bet.derived == "implied"


def test_cautions_are_said_in_words_and_recorded(quoted: Any, qtbot: QtBot) -> None:
    quoted.clock.now += 4 * 60_000
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    stale = subject_of_price(key, quoted.board)
    assert stale is not None
    dialog = PlaceDialog(stale, PROFILES, (), reference="Pinnacle")
    qtbot.addWidget(dialog)
    assert dialog.warning.text() == "Warning: stale: not seen lately; Pinnacle is stale."
    assert dialog.stake.text() == ""
    dialog.stake.setText("5")
    now = quoted.clock.now
    bet = placed_bet(stale, dialog.typed(), now)
    assert bet.per == "staked"
    unknown = stale._replace(assessment=msgspec.structs.replace(stale.assessment, per="decided"))
    assert placed_bet(unknown, dialog.typed(), now).per == "decided"
    assert bet.cautions == ("stale", "reference_stale")
    assert bet.age_ms == 4 * 60_000
    dialog.bookmaker.setCurrentText("Corner Shop")
    elsewhere = placed_bet(stale, dialog.typed(), now)
    assert (elsewhere.bookmaker, elsewhere.age_ms, elsewhere.cautions) == ("Corner Shop", None, ())


def test_what_is_placed_on_the_outcome_already_is_said(
    subject: BetSubject, quoted: Any, qtbot: QtBot
) -> None:
    def placed(bookmaker: str, stake: float, currency: str = "") -> PlacedBet:
        key = quoted.id, "Everton - Liverpool", "EPL", "Football", "total", 0, "Over 2.5"
        return PlacedBet(*key, bookmaker, 2.1, stake, 1, currency=currency)

    dialog = PlaceDialog(
        subject, PROFILES, (), [placed("Bovada", 10), placed("<b>Soft</b>", 2.5, "GBP")]
    )
    qtbot.addWidget(dialog)
    assert dialog.warning.text().startswith(
        "Already placed on this outcome: 10.00 at Bovada, 2.10; 2.50 GBP at <b>Soft</b>, 2.10."
    )
    assert dialog.record.text() == "Record bet again"


def test_the_ev_and_what_is_doubted_are_in_sight_however_much_else_is_said(
    subject: BetSubject, quoted: Any, qtbot: QtBot
) -> None:
    key = quoted.id, "Everton - Liverpool", "EPL", "Football", "total", 0, "Over 2.5"
    bets = [PlacedBet(*key, "A bookmaker of a long name", 2.1, 10 + nth, 1) for nth in range(5)]
    news = "It moves. " * 60
    dialog = PlaceDialog(
        subject,
        PROFILES,
        (),
        bets,
        above_caps=lambda *_: "More than the plan stakes.",
        stake_at=lambda *_: 7.0,
    )
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.follow_price(lambda: subject._replace(news=news), lambda: "lost")
    dialog.stake.setText("500")
    dialog.odds.setText("3.1")
    qtbot.waitUntil(lambda: dialog._said.verticalScrollBar().maximum() > 0)
    assert dialog.worth.text().startswith("EV ")
    assert "More than the plan stakes." in dialog.fault.text()
    view = dialog._said.viewport()
    for each in (dialog.worth, dialog.fault):
        place = QRect(each.mapTo(view, QPoint(0, 0)), each.size())
        assert view.rect().contains(place)


@pytest.mark.parametrize(("text", "stake"), [("12,50", 12.5), ("€ 7", 7.0), ("1,000", 1000.0)])
def test_a_stake_is_read_as_people_write_it(dialog: PlaceDialog, text: str, stake: float) -> None:
    dialog.stake.setText(text)
    dialog.odds.setText("2,27")
    assert (dialog.typed().stake, dialog.typed().odds) == (stake, 2.27)


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("stake", "0", "Stake: expected an amount above 0"),
        ("stake", "-5", "Stake: expected an amount above 0"),
        ("stake", "ten", "Stake: expected an amount above 0"),
        ("stake", "1e15", "Stake: expected an amount above 0"),
        ("stake", "1,2,3", "Stake: expected an amount above 0"),
        ("odds", "1", "Odds taken: expected decimal odds such as"),
        ("odds", "nan", "Odds taken: expected decimal odds such as"),
        ("odds", "", "Odds taken: expected decimal odds such as"),
        ("bookmaker", " ", "Enter a bookmaker."),
    ],
)
def test_what_makes_no_sense_is_said_and_not_recorded(
    dialog: PlaceDialog, field: str, text: str, said: str
) -> None:
    dialog.stake.setText("5")
    assert dialog.record.isEnabled()
    if field == "bookmaker":
        dialog.bookmaker.setCurrentText(text)
    else:
        getattr(dialog, field).setText(text)
    assert dialog.fault.text().startswith(said)
    assert not dialog.record.isEnabled()


@pytest.mark.usefixtures("american")
def test_odds_are_typed_in_the_style_of_the_desk_and_the_listed_ones_stay_exact(
    quoted: Any, qtbot: QtBot
) -> None:
    subject = subject_of_price(
        RowKey(quoted.id, "moneyline", 0, "Liverpool", "Bovada"), quoted.board
    )
    assert subject is not None
    dialog = PlaceDialog(subject, PROFILES, ())
    qtbot.addWidget(dialog)
    dialog.stake.setText("5")
    assert (dialog.odds.text(), dialog.typed().odds) == ("+127", 2.27)
    dialog.odds.setText("+135")
    assert dialog.typed().odds == 2.35
    assert "2.35 decimal" in dialog.worth.text()
    for odds, stake, read, said in (
        ("5/4", "1,500", (2.25, 1500.0), "2.25 decimal · stake 1,500.00"),
        ("2,25", "1.500,50", (2.25, 1500.5), "stake 1,500.50"),
    ):
        dialog.odds.setText(odds)
        dialog.stake.setText(stake)
        assert (dialog.typed().odds, dialog.typed().stake) == read
        assert said in dialog.worth.text()
    dialog.currency.setText("usd")
    dialog.stake.setText("€12")
    assert dialog.fault.text().startswith("Stake: €12 is EUR, but the currency is USD.")


def test_any_price_of_the_board_can_be_marked_and_counts_for_its_outcome(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Pinnacle"))
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    assert dialog.bookmaker.currentText() == "Pinnacle"
    dialog.stake.setText("2.5")
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    (bet,) = records.placed_bets()
    assert (bet.bookmaker, bet.odds, bet.stake) == ("Pinnacle", 1.94, 2.5)
    over, under = (
        records.on_outcome(
            (*bet.bet_key[:3], selection, "Matchbook"),
            bet.match_name,
            bet.sport,
            quoted.board.games,
            in_play=False,
        )
        for selection in ("Over 2.50", "Under 2.5")
    )
    assert (over, under) == ([bet], [])


def test_what_is_typed_is_judged_by_the_prices_of_that_moment(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"))
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    dialog.stake.setText("5")
    assert not dialog.warning.isVisible()
    assert "fair 2.000" in dialog.worth.text()
    quoted.clock.now += 1
    quoted.tell("Matchbook", "total", "Over 2.5", 1.8)
    quoted.tell("Pinnacle", "total", "Over 2.5", 1.7)
    qtbot.waitUntil(lambda: dialog.warning.isVisible())
    assert dialog.warning.text() == "The price is 1.80 now."
    assert (dialog.odds.text(), dialog.typed().odds) == ("2", 2.0)
    now = subject_of_price(dialog.subject.key, quoted.board)
    assert now is not None
    assert dialog.typed().ev_pct == now.ev_pct_at(2.0) != pytest.approx(-0.99, abs=0.1)
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    (bet,) = records.placed_bets()
    assert (bet.odds, bet.fair_odds) == (2.0, now.fair_odds)
    assert bet.true_ev == now.ev_pct_at(2.0)


def test_a_price_that_goes_or_is_no_longer_heard_of_is_told_while_one_types(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"))
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    quoted.board.set_connection(Connection(link=Link.WAITING))
    lost = "Not connected: this price may be out of date."
    qtbot.waitUntil(lambda: dialog.warning.text() == lost)
    quoted.board.set_connection(Connection(link=Link.LIVE))
    quoted.board.forget_game(quoted.id)
    qtbot.waitUntil(lambda: dialog.warning.text() == "This price is no longer offered.")
    dialog.stake.setText("5")
    assert dialog.record.isEnabled()


def test_no_row_moves_while_one_types_what_was_bet(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"))
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    is_held = panel.table.is_pointed_at
    dialog.reject()
    assert (is_held, panel.table.is_pointed_at) == (True, False)


def test_a_bet_that_is_not_kept_stays_in_its_dialog_and_can_be_tried_again(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    """On a full disk the dialog closed, and what was typed was gone."""
    told: list[str] = []
    records.failed.connect(told.append)
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"))
    (dialog,) = (each for each in panel.findChildren(PlaceDialog) if each.isVisible())
    dialog.stake.setText("2.5")
    dialog.note.setText("x" * 100_000)
    with full_disk(records):
        dialog.accept()
        dialog.accept()
        qtbot.waitUntil(lambda: "the disk is full; nothing was recorded" in dialog.fault.text())
        dialog._look_again()
        assert "the disk is full" in dialog.fault.text(), "until it is tried again"
        assert dialog.isVisible()
        assert dialog.stake.text() == "2.5"
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
        dialog.accept()
    qtbot.waitUntil(lambda: not (isValid(dialog) and dialog.isVisible()))
    assert [bet.stake for bet in records.placed_bets()] == [2.5]
    assert told == []


def test_one_of_two_bets_is_taken_back_and_the_other_is_named(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    for stake in ("2.5", "4"):
        panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"))
        (dialog,) = (each for each in panel.findChildren(PlaceDialog) if each.isVisible())
        dialog.stake.setText(stake)
        with qtbot.waitSignal(records.bets_changed):
            dialog.accept()
    with qtbot.waitSignal(panel.actions_on_bet.said) as said:
        panel.messages.action_requested.emit()
    assert said.args == [
        "Undone: 4.00 on Over 2.5 (Total, Everton v Liverpool), Matchbook, odds 2.00. "
        "2.50 on it is still recorded."
    ]


def test_a_price_that_is_held_no_longer_is_said(panel: ValuesPanel, quoted: Any) -> None:
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 9.5", "Matchbook"))
    assert panel.findChild(PlaceDialog) is None
    assert panel.messages.message_text == "That price is no longer available."


def test_the_market_and_its_period_are_named(quoted: Any, qtbot: QtBot) -> None:
    quoted.quote("moneyline", {"Everton": {"Pinnacle": 3.3, "Unibet": 3.48}}, period=1)
    quoted.load()
    subject = subject_of_price(RowKey(quoted.id, "moneyline", 1, "Everton", "Unibet"), quoted.board)
    assert subject is not None
    dialog = PlaceDialog(subject, PROFILES, ())
    qtbot.addWidget(dialog)
    said = [label.text() for label in dialog.findChildren(Label)]
    assert {"Everton", "v Liverpool · Match result · 1st Half"} <= set(said)
    assert "EV unknown: no fair odds." in said


def test_account_note_and_preset_are_recorded(dialog: PlaceDialog, subject: BetSubject) -> None:
    dialog.stake.setText("5")
    dialog.account.setText(" second ")
    dialog.note.setText("before the team news")
    bet = placed_bet(subject._replace(preset="Main markets"), dialog.typed(), 1)
    assert (bet.account, bet.note, bet.preset) == (
        *("second", "before the team news"),
        "Main markets",
    )


def test_what_was_asked_of_a_simulated_price_stays_practice_when_real_odds_come(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    unknown = Connection(link=Link.LIVE)
    quoted.board.set_connection(unknown)
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"))
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    dialog.stake.setText("5")
    assert not dialog.warning.isVisible()
    quoted.board.set_connection(msgspec.structs.replace(unknown, simulated=True))
    dialog._look_again()
    assert dialog.warning.text() == "Simulated odds: saved as a practice bet."
    quoted.board.set_connection(msgspec.structs.replace(unknown, simulated=False))
    dialog._look_again()
    assert dialog.warning.text().startswith("Simulated odds: saved as a practice bet.\n")
    quoted.load()
    dialog._look_again()
    assert dialog.warning.text() == "Simulated odds: saved as a practice bet."
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    assert [bet.practice for bet in records.placed_bets()] == [True]


def test_a_bet_beside_old_odds_is_asked_about_and_counts(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    live = Connection(link=Link.LIVE)
    quoted.board.set_connection(msgspec.structs.replace(live, shifted=True))
    panel.place_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook"))
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    said = "Old odds (times shifted): this price may not exist. Saved as a real bet."
    assert dialog.warning.text() == said
    quoted.board.set_connection(live)
    dialog._look_again()
    assert not dialog.warning.isVisible()
    dialog.stake.setText("5")
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    assert [bet.practice for bet in records.placed_bets()] == [False]


def test_practice_is_not_told_as_placed_beside_a_real_price(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    named = quoted.id, "Everton - Liverpool", "EPL", "Football", *key[1:4]
    practised = PlacedBet(*named, "Matchbook", 2.0, 5.0, quoted.clock.now, practice=True)
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(practised, lambda _: None)
    panel.place_price(key)
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    assert dialog.record.text() == "Record bet"
    assert not dialog.warning.isVisible()


def test_what_is_staked_at_other_odds_is_said_and_filled_in(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """The stake stayed that of the listed odds, and nothing said what it would be.

    Fair is 2.00: the edge of 2.07 is half of 1.07, of 2.06 half of 1.06, a quarter of Kelly of
    1,000 8.18 and 7.08; 2.03 is below the 2.0402 from which the rules list it.
    """
    be_value(quoted, 2.07)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    panel.place_price(key)
    dialog = panel.findChild(PlaceDialog)
    assert dialog.stake.text() == "8"
    assert not dialog.planned.isVisible()
    dialog.odds.setText("2.06")
    assert dialog.planned.text() == "Stake at these odds: 7"
    assert dialog.stake.text() == "8", "it may be bet by then"
    dialog.fill_in.click()
    assert dialog.stake.text() == "7"
    assert (dialog.planned.isVisible(), dialog.fill_in.isVisible()) == (True, False)
    for none in ("2.03", "2.5"):  # too little, and too good
        dialog.odds.setText(none)
        assert dialog.planned.text() == "Stake at these odds: none"
        assert not dialog.fill_in.isVisible()
    dialog.odds.setText("2.07")
    assert not dialog.planned.isVisible()
    dialog.close()


def test_a_leg_at_other_odds_says_the_stake_that_completes_what_is_placed(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """40 at 2.10 pay 84: of all stakes at 1.95, 43 (83.85 of 83) leave most, looked for here."""
    quoted.clock.now += 1
    quoted.tell("Matchbook", "total", "Over 2.5", 2.10)
    quoted.tell("Betsson", "total", "Under 2.5", 2.10)
    found = Opportunities(quoted.board, quoted.clock, Split)
    exhaust(found.looking())
    listed = min(found.entries.values(), key=Opportunity.sort_key)
    legs = panel.leg_placer_over(panel, panel.messages)
    legs.place_legs(LegsToPlace(listed, (0,), (0, 1)))
    first = panel.findChildren(PlaceDialog)[-1]
    first.odds.setText("2.30")
    # of those near 47.7 and 52.3, which pay the same: 46 and 50 leave (50 * 2.1 - 96) / 96
    assert first.planned.text() == "Stake at these odds: 46"
    first.odds.setText("1.80")
    assert first.planned.text() == "Stake at these odds: none", "S is 1.032"
    first.close()
    legs.place_legs(LegsToPlace(listed, (1,), (1,), ((40, 2.10),)))
    dialog = panel.findChildren(PlaceDialog)[-1]
    dialog.odds.setText("1.95")
    best = max(range(1, 200), key=lambda stake: (min(84, stake * 1.95) / (40 + stake), stake))
    assert best == 43
    assert dialog.planned.text() == f"Stake at these odds: {best}"
    dialog.close()


def choose_kind(dialog: PlaceDialog, kind: BetKind) -> None:
    dialog.kind.box.setCurrentIndex(dialog.kind.box.findData(kind))


@pytest.mark.parametrize(
    ("kind", "pays", "worth"),
    [
        # 2 % of 10 is kept; the other side is fair at 2.00, too
        (BetKind.LAY, "Wins 9.80, loses 10.00 (the liability).", "EV −1.00 % of the liability"),
        (BetKind.FREE, "Wins 9.80, loses nothing.", "EV +49.00 % of the stake, +4.90"),
        (BetKind.FREE_RETURNED, "Wins 19.80, loses nothing.", "EV +99.00 % of the stake, +9.90"),
        (BetKind.BOOST, "Wins 9.80, loses 10.00.", "EV −1.00 % of the stake, −0.10"),
        (
            BetKind.REFUND,
            "Wins 9.80, loses 10.00, and 10.00 comes back as a free bet.",
            "EV −1.00 % of the stake",
        ),
        (
            BetKind.EACH_WAY,
            "Wins 11.76, loses 8.04 if placed, loses 20.00.",
            "EV unknown: no fair odds for places.",
        ),
    ],
)
def test_each_kind_says_what_it_pays_and_is_worth(
    dialog: PlaceDialog, kind: BetKind, pays: str, worth: str
) -> None:
    """At 2.00, where 2.00 is fair."""
    dialog.stake.setText("10")
    choose_kind(dialog, kind)
    assert dialog.pays.text() == pays
    assert dialog.worth.text().startswith(worth)
    assert dialog.planned.text() == ""
    assert dialog.record.isEnabled()


def test_a_lay_is_recorded_with_the_odds_of_the_other_side(
    dialog: PlaceDialog, subject: BetSubject, qtbot: QtBot
) -> None:
    dialog.stake.setText("10")
    dialog.odds.setText("3")
    choose_kind(dialog, BetKind.LAY)
    with qtbot.waitSignal(dialog.placed) as said:
        dialog.accept()
    made = placed_bet(subject, said.args[0], 0)
    assert (made.kind, made.odds, made.stake, made.liability) == (BetKind.LAY, 3, 10, 20)
    assert (made.net, made.fair_odds) == (pytest.approx(1 + 0.98 / 2), pytest.approx(2))
    assert made.ev == pytest.approx((1.49 / 2 - 1) * 100)


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        (BetKind.LAY, "Backer's &stake"),
        (BetKind.EACH_WAY, "&Stake each way"),
        (BetKind.BOOST, "&Stake"),
    ],
)
def test_the_stake_is_named_for_the_kind(dialog: PlaceDialog, kind: BetKind, title: str) -> None:
    choose_kind(dialog, kind)
    (name,) = (label for label in dialog.findChildren(QLabel) if label.buddy() is dialog.stake)
    assert name.text() == title


def test_a_field_of_a_kind_that_makes_no_sense_is_named(dialog: PlaceDialog) -> None:
    dialog.stake.setText("10")
    choose_kind(dialog, BetKind.EACH_WAY)
    dialog.kind.fraction.setText("half")
    assert dialog.fault.text() == "Place terms 'half': expected a number such as 12.50."
    assert not dialog.record.isEnabled()
    dialog.kind.fraction.setText("1/4")
    assert dialog.typed().of_kind["place_fraction"] == 0.25
    assert dialog.typed().stake == 20
