"""Stakes of value bets: the user's plan and its bounds, and bets marked as placed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from pytestqt.qtbot import QtBot

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.contract.resources import OddsRow, Offer
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.explain.panel import ExplainPanel
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import BANKROLL, KELLY_SHARE, STAKE_STEP
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.model import STAKE_COLUMN
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.desk.value_bets.placing import PlaceDialog
from oddsdesk.ledger.accounts import MoneyTables, Rate
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.selections import Result
from tests.kit.live_table import painted_notes
from tests.kit.value_bets import OVER, TITLES, be_value, facts, row


@pytest.fixture
def explain(panel: ValuesPanel, theme: Theme, quoted: Any, qtbot: QtBot) -> Iterator[ExplainPanel]:
    made = ExplainPanel(quoted.board, theme, quoted.clock)
    qtbot.addWidget(made)
    made.exposure_of = panel.exposure
    yield made
    made.close_panel()


def test_stakes_follow_the_plan_at_once(panel: ValuesPanel, quoted: Any, qtbot: QtBot) -> None:
    be_value(quoted)
    # p = 1/2; (2.06 p - 1) / 1.06 = 2.8302 % of 1,000, a quarter of it 7.08
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert row(panel)["Stake"] == "7"
    panel._preferences.keep_setting(BANKROLL, 10_000)
    assert row(panel)["Stake"] == "70"
    panel._preferences.keep_setting(STAKE_STEP, "0.05")
    assert row(panel)["Stake"] == "70.75"


def test_open_bets_in_another_currency_take_of_the_caps_what_they_are_worth(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    def give_rate(money: MoneyTables) -> Callable[[], None]:
        money.choose_main("EUR")
        money.set_rate(Rate("JPY", "EUR", 0, 0.01))
        return lambda: None

    elsewhere = "other", "Leeds - Wolves", "EPL", "Football", "total", 0, "Over 2.5", "Bovada"
    bet = PlacedBet(*elsewhere, 2.0, 250.0, quoted.clock.now, currency="JPY")
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(bet, lambda _: None)
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert row(panel)["Stake"] == "–"  # all that may be open, by its number
    with qtbot.waitSignal(records.money_changed):
        records.change_money(give_rate)
    quoted.board.set_rates(records.book.rates_at(quoted.clock.now))
    qtbot.waitUntil(lambda: row(panel)["Stake"] == "7")


def test_nothing_is_staked_while_nothing_is_heard_of_prices(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    for link, stake in ((Link.WAITING, "–"), (Link.LIVE, "7"), (Link.REFUSED, "–")):
        quoted.board.set_connection(Connection(link=link, has_value_bets=True))
        assert row(panel)["Stake"] == stake
        said = "1 · no stakes · not connected · " if stake == "–" else "1 · stakes 7 of 1,000 · "
        assert facts(panel).startswith(said)  # what stands last is cut first
        told = panel.table.model.tip(0, STAKE_COLUMN)
        assert ("No stake: not connected" in told) is (stake == "–")
        assert panel.lists.staked == (7 if stake == "7" else 0)
    quoted.board.set_connection(Connection(link=Link.LIVE, is_catching_up=True))
    assert row(panel)["Stake"] == "–"
    assert "no stakes · prices are reloading after a lost connection" in facts(panel)


@pytest.mark.parametrize(
    ("odds", "share", "stake", "why"),
    [
        (2.06, 30, "8", "Stake 8"),
        # (2.10 p - 1) / 1.10 = 4.545 %, all of it 45.45: above the cap of 2 %
        (2.10, 100, "20", "Stake 20: outcome cap"),
    ],
)
def test_kelly_and_the_cap_bound_the_stake(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, odds: float, share: int, stake: str, why: str
) -> None:
    panel._preferences.keep_setting(KELLY_SHARE, share)
    be_value(quoted, odds)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert row(panel)["Stake"] == stake
    assert panel.table.model.tip(0, STAKE_COLUMN).endswith(why)


def test_one_outcome_at_two_bookmakers_is_staked_once_at_the_best_price(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted, 2.05)
    be_value(quoted, 2.08, "Bovada")
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    qtbot.waitUntil(lambda: row(panel)["Bookmaker"] == "Bovada")
    assert row(panel)["Warning"] == "value at 1 other book"
    assert "Same bet: Matchbook 2.05" in panel.table.model.tip(0, 0).splitlines()
    assert panel.lists.staked == float(row(panel)["Stake"]) == 9.0


def test_how_many_more_offer_the_best_net_price_stands_beside_who_is_named(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    for bookmaker, odds in (("Matchbook", 2.08), ("Bovada", 2.08), ("Betsson", 2.06)):
        be_value(quoted, odds, bookmaker)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    qtbot.waitUntil(lambda: row(panel)["Warning"] == "value at 2 other books")
    at = panel.table.model.cell(0, TITLES.index("Bookmaker"))
    assert (at.text, at.note) == ("Bovada", "+1")


def test_a_price_of_the_outcome_that_is_no_value_says_so_and_is_not_counted(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """A row once said "Same at 9 more" above 13 prices; four of them were not value, unmarked."""
    charging = Profile(name="Matchbook", group="Matchbook", commission=0.02)
    quoted.board.set_profiles(Profiles([charging]))
    for bookmaker, odds in (("Matchbook", 2.05), ("Bovada", 2.08), ("Betsson", 2.06)):
        be_value(quoted, odds, bookmaker)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    qtbot.waitUntil(lambda: row(panel)["Warning"] == "value at 1 other book")
    said = [line for line in panel.table.model.tip(0, 0).splitlines() if "Same bet" in line]
    assert said == ["Same bet: Betsson 2.06", "Same bet: Matchbook 2.05: no value, below 2.01 %"]


def test_a_stake_that_is_split_says_where_and_whose_limit_is_used_up(
    panel: ValuesPanel, explain: ExplainPanel, quoted: Any, qtbot: QtBot, records: Records
) -> None:
    """7 by Kelly at 2.06: 3 at Matchbook, which takes 3, then the rest at Bovada."""
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="", limit=3)]))
    for bookmaker, odds in (("Matchbook", 2.07), ("Bovada", 2.06)):
        be_value(quoted, odds, bookmaker)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    qtbot.waitUntil(lambda: row(panel)["Warning"].startswith("Matchbook's limit · and"))
    told = row(panel)
    assert (told["Stake"], told["Warning"]) == (
        "3",
        "Matchbook's limit · and 4 at Bovada · value at 1 other book",
    )
    assert panel.lists.staked == 7
    explain.show_price(OVER)
    shown = [(fact.title, fact.figure, fact.note) for fact in explain.exposure.facts]
    assert shown[-2:] == [
        ("Stake at Bovada", "4", ""),
        ("Stake at Matchbook", "3", "Matchbook's limit"),
    ]
    over = OVER.game_id, "Everton - Liverpool", "EPL", "Football", "total", 0, "Over 2.5"
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(
            PlacedBet(*over, "Matchbook", 2.07, 3.0, quoted.clock.now), lambda _: None
        )
    panel.lists.show_bets(may_move=True)
    told = row(panel)
    assert (told["Bookmaker"], told["Stake"]) == ("Bovada", "4")
    assert (
        told["Warning"] == "Matchbook's limit is used up · already placed · value at 1 other book"
    )
    explain.show_price(None)
    explain._show()
    shown = [(fact.title, fact.figure, fact.note) for fact in explain.exposure.facts]
    assert shown[-2:] == [
        ("Stake at Matchbook", "0", "Matchbook's limit is used up"),
        ("Stake at Bovada", "4", "already placed"),
    ]


def test_commission_lessens_the_edge_and_the_stake(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    exchange = Profile(name="Matchbook", group="Matchbook", commission=0.02)
    be_value(quoted, 2.10)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    quoted.board.set_profiles(Profiles([exchange]))
    shown = panel.table.model.cell(0, TITLES.index("Odds"))
    assert (shown.text, shown.note) == ("2.10", "2.078")
    assert row(panel)["EV"] == "+3.9 %"
    assert row(panel)["Warning"] == ""
    assert "No stake" not in panel.table.model.tip(0, TITLES.index("Stake"))
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="", commission=0.08)]))
    panel.lists.bets.sort_now()
    assert row(panel)["Warning"] == "below 2.01 % after commission"
    assert row(panel)["Stake"] == "–"


@pytest.mark.parametrize("bookmaker", ["Matchbook", "Bovada", "Corner Shop"])
def test_what_any_bookmaker_takes_at_most_is_shown_and_bounds_its_stake(
    panel: ValuesPanel, explain: ExplainPanel, quoted: Any, qtbot: QtBot, bookmaker: str
) -> None:
    noted = Profile(name=bookmaker.upper(), group="", limit=3)
    quoted.board.set_profiles(Profiles([noted]))
    be_value(quoted, 2.06, bookmaker)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert row(panel)["Stake"] == "3"
    assert panel.table.model.tip(0, STAKE_COLUMN).splitlines()[-2:] == [
        f"Your limit at {bookmaker}: 3",
        f"Stake 3: {bookmaker}'s limit",
    ]
    panel.lists.show_bets(may_move=True)
    explain.show_price(OVER._replace(bookmaker=bookmaker))
    assert [(fact.title, fact.figure, fact.note) for fact in explain.exposure.facts][-2:] == [
        (f"Limit at {bookmaker}", "3", ""),
        ("Stake", "3", f"{bookmaker}'s limit"),
    ]


@pytest.mark.parametrize(
    ("url", "opened"),
    [
        ("https://matchbook.example/slip?a=1&b=2", ["https://matchbook.example/slip?a=1&b=2"]),
        ("javascript:alert(1)", []),
        ("file:///etc/passwd", []),
        (None, []),
    ],
)
def test_enter_opens_the_page_of_a_bet_where_it_is_a_web_page(
    panel: ValuesPanel,
    quoted: Any,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    url: str | None,
    opened: list[str],
) -> None:
    found: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: found.append(QUrl(url).toString()) or True
    )
    at = format_ms(quoted.clock.now + 1)
    prices = {"Over 2.5": 2.06, "Under 2.5": 1.80}
    told = OddsRow(
        bookmaker="Matchbook",
        match_name="Everton - Liverpool",
        competition="EPL",
        sport="Football",
        market_type="total",
        period=0,
        is_live=False,
        odds=prices,
        match_date=None,
        scraped_at=at,
        url=url,
        liquidity=None,
    )
    exhaust(quoted.board.merge_rows([told]))
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    panel.table.set_current(0)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert found == opened


def placing(panel: ValuesPanel, quoted: Any, qtbot: QtBot) -> PlaceDialog:
    """Let there be one value bet, and ask to mark it as placed."""
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    panel.table.set_current(0)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P)
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    return dialog


def test_a_bet_is_marked_as_placed_and_shown_as_placed_until_it_is_settled(
    panel: ValuesPanel, theme: Theme, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    dialog = placing(panel, quoted, qtbot)
    assert (dialog.odds.text(), dialog.stake.text()) == ("2.06", "7")
    dialog.stake.setText("2.5")
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    stake = panel.table.model.cell(0, STAKE_COLUMN)
    assert (stake.text, stake.note) == ("4", "✓ 2.5")
    width = panel.table.scrolling.columnWidth(STAKE_COLUMN)
    assert painted_notes(panel.table.model, STAKE_COLUMN, theme, width) == ["✓ 2.5"]
    assert "Recorded 2.50 on Over 2.5 at Matchbook" in panel.messages.message_text
    (placed,) = records.placed((quoted.id, "total", 0, "Over 2.5", "Matchbook"))
    assert placed.placed_at == quoted.clock.now
    assert placed.true_ev == pytest.approx(1.98, abs=1e-2)
    assert placed.method == "margin_proportional"
    with qtbot.waitSignal(records.bets_changed):
        records.change_bets([settled(placed, Result.VOID, quoted.clock.now)], "settled")
    stake = panel.table.model.cell(0, STAKE_COLUMN)
    assert (stake.text, stake.note) == ("7", "")


def be_simulated(quoted: Any, *, simulated: bool | None) -> None:
    quoted.board.set_connection(
        Connection(link=Link.LIVE, has_value_bets=True, simulated=simulated)
    )


def test_a_list_made_again_does_not_go_through_the_ledger_again(
    panel: ValuesPanel, quoted: Any, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone_through = list[None]()
    bets = records.placed_bets

    def going_through() -> Any:
        gone_through.append(None)
        return bets()

    monkeypatch.setattr(records, "placed_bets", going_through)
    be_value(quoted)
    for _ in range(3):
        panel._show_bets()
    assert not gone_through, "it was when the panel was made"
    records.bets_changed.emit()
    assert len(gone_through) == 1


def test_a_bet_on_a_simulated_price_is_practice_and_takes_nothing_from_a_real_one(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    be_simulated(quoted, simulated=True)
    dialog = placing(panel, quoted, qtbot)
    assert dialog.warning.text() == "Simulated odds: saved as a practice bet."
    dialog.stake.setText("2.5")
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    (practised,) = records.placed_bets()
    assert practised.practice
    assert panel.messages.message_text.startswith(
        "Recorded as practice: 2.50 on Over 2.5 at Matchbook"
    )
    stake = panel.table.model.cell(0, STAKE_COLUMN)
    assert (stake.text, stake.note) == ("4", "✓ 2.5"), "next to simulated odds it counts"

    be_simulated(quoted, simulated=False)
    quoted.load()
    be_value(quoted)
    qtbot.waitUntil(lambda: bool(panel.lists.bets.rowCount()) and row(panel)["Stake"] == "7")
    stake = panel.table.model.cell(0, STAKE_COLUMN)
    assert (stake.text, stake.note) == ("7", "")
    exposure = panel.exposure(OVER)
    assert exposure is not None
    assert (exposure.placed, exposure.total) == (0, 7)
    panel.actions_on_bet.bring_up_to_date()
    assert not panel.actions_on_bet.undo.isEnabled()


def test_what_is_placed_for_money_takes_nothing_from_practice(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    dialog = placing(panel, quoted, qtbot)
    assert not dialog.warning.isVisible()
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    assert row(panel)["Stake"] != "7"
    be_simulated(quoted, simulated=True)
    panel.lists.show_bets(may_move=True)
    stake = panel.table.model.cell(0, STAKE_COLUMN)
    assert (stake.text, stake.note) == ("7", "")


def test_a_bet_that_was_placed_by_mistake_is_taken_back(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(records.bets_changed):
        placing(panel, quoted, qtbot).accept()
    assert row(panel)["Stake"] != "7"
    with qtbot.waitSignal(records.bets_changed):
        panel.messages.action_requested.emit()
    assert row(panel)["Stake"] == "7"


def test_what_was_placed_is_said_for_a_while_and_can_be_taken_back_later(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(records.bets_changed):
        placing(panel, quoted, qtbot).accept()
    assert not panel.messages.isHidden()
    assert panel.messages._passing.isActive()
    panel.messages._passing.timeout.emit()
    assert panel.messages.isHidden()
    panel.table.set_current(0)
    panel.actions_on_bet.bring_up_to_date()
    with qtbot.waitSignal(records.bets_changed):
        panel.actions_on_bet.undo.trigger()
    assert row(panel)["Stake"] == "7"
    assert "Undone" in panel.messages.message_text
    assert panel.messages._passing.isActive()
    panel.messages._passing.timeout.emit()
    assert panel.messages.isHidden()


def test_keys_that_find_nothing_to_take_back_say_so(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    be_value(quoted, 2.06)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    panel.table.set_current(0)
    undo = next(each for each in panel.actions() if each.objectName() == "values.undo")
    undo.trigger()
    assert panel.messages.message_text.startswith(
        "Nothing to undo here. Shift+P undoes the selected"
    )
    panel.actions_on_bet.undo.trigger()
    assert panel.messages.message_text == "No bet is recorded on this."
    key = quoted.id, quoted.name, quoted.competition, "Football", "total", 0, "Over 2.5"
    with qtbot.waitSignal(records.bets_changed):
        elsewhere = PlacedBet(*key, "Bovada", 2.0, 3.0, quoted.clock.now)
        records.place_bet(elsewhere, lambda _: None)
    panel.actions_on_bet.undo.trigger()
    assert panel.messages.message_text == (
        "No bet is recorded here at Matchbook. Bets (Ctrl+L) has 3.00 on Over 2.5 "
        "(Total, Everton v Liverpool), Bovada, odds 2.00."
    )
    with qtbot.waitSignal(records.bets_changed):
        panel.place_price(OVER)
        dialog = panel.findChildren(PlaceDialog)[-1]
        dialog.stake.setText("4")
        dialog.accept()
    with qtbot.waitSignal(records.bets_changed):
        undo.trigger()
    assert panel.messages.message_text.startswith("Undone: 4.00 on Over 2.5")
    assert [bet.stake for bet in records.placed_bets()] == [3.0]
    undo.trigger()
    assert panel.messages.message_text.startswith("Nothing to undo here")


def test_the_undo_of_a_bet_goes_with_it_and_an_older_one_says_what_is_true(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(records.bets_changed):
        placing(panel, quoted, qtbot).accept()
    (bet,) = records.placed_bets()
    assert not panel.messages.isHidden()
    changed = settled(bet, Result.WON, quoted.clock.now)
    with qtbot.waitSignal(records.bets_changed):
        records.change_bets([changed], "settled")
    assert panel.messages.message_text.startswith("Recorded ")
    assert not panel.messages.isHidden(), "the bet is there"
    panel.actions_on_bet.take_back(bet)
    kept = "Over 2.5 at Matchbook was edited or settled since, so it stays in Bets."
    qtbot.waitUntil(lambda: panel.messages.message_text == kept)
    with qtbot.waitSignal(records.bets_changed):
        records.take_back(changed)  # as Bets does
    assert not panel.messages.isHidden(), "it says something else"
    panel.actions_on_bet.take_back(bet)
    qtbot.waitUntil(
        lambda: panel.messages.message_text == "Over 2.5 at Matchbook is already undone."
    )


def test_a_bet_that_was_deleted_elsewhere_is_confirmed_no_longer(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(records.bets_changed):
        placing(panel, quoted, qtbot).accept()
    assert not panel.messages.isHidden()
    with qtbot.waitSignal(records.bets_changed):
        records.take_back(*records.placed_bets())
    assert panel.messages.isHidden()


def test_the_stake_of_a_price_can_be_followed_step_by_step(
    panel: ValuesPanel, explain: ExplainPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    be_value(quoted, 2.05, "Bovada")
    be_value(quoted, 2.06)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    panel.lists.show_bets(may_move=True)
    explain.show_price(OVER)
    assert {fact.title: fact.figure for fact in explain.exposure.facts} == {
        "25 % of full Kelly, bank 1,000": "7.07",
        "Max on one outcome, 2 %": "20",
        "1 other price on this outcome": "one stake",
        "Already placed": "0",
        "Open and listed on this game": "7 of 30",
        "All open and listed bets": "7 of 250",
        "Stake at Matchbook": "7",
    }
    other = "other", "Leeds - Wolves", "EPL", "Football", "total", 0, "Over 2.5", "Bovada"
    here = OVER.game_id, "Everton - Liverpool", "EPL", "Football", "total", 0, "Over 3.5", "Bovada"
    for what, practice in (("at risk", False), ("practice", True)):
        quoted.board.set_connection(Connection(link=Link.LIVE, simulated=practice))
        for key, stake in ((here, 2.0), (other, 40.0)):
            bet = PlacedBet(*key, 2.0, stake, quoted.clock.now, practice=practice)
            with qtbot.waitSignal(records.bets_changed):
                records.place_bet(bet, lambda _: None)
        panel.lists.show_bets(may_move=True)
        explain.show_price(None)
        explain._show()
        facts = {fact.title: (fact.figure, fact.note) for fact in explain.exposure.facts}
        assert facts["Open and listed on this game"] == ("7 of 30", f"2 {what}")
        assert facts["All open and listed bets"] == ("47 of 250", f"42 {what}")
        assert facts["Already placed"] == ("0", "practice" if practice else "")
    be_value(quoted, 2.00)
    explain.show_price(OVER._replace(selection="Under 2.5"))
    assert explain.exposure.facts == ()


def test_placed_stakes_and_the_part_at_risk_are_separate(
    panel: ValuesPanel, explain: ExplainPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    """47 at 2.10 and 50 at 1.965 on the other side: "Placed already 0" was next to "47 placed"."""
    be_value(quoted, 2.10)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    game = OVER.game_id, "Everton - Liverpool", "EPL", "Football", "total", 0
    bets = ("Over 2.5", 2.10, 47.0), ("Under 2.5", 1.965, 50.0)
    explain.show_price(OVER)
    told = []
    for selection, odds, stake in bets:
        bet = PlacedBet(*game, selection, "Bovada", odds, stake, quoted.clock.now)
        with qtbot.waitSignal(records.bets_changed):
            records.place_bet(bet, lambda _: None)
        panel.lists.show_bets(may_move=True)
        explain.show_price(None)
        explain._show()
        facts = {fact.title: (fact.figure, fact.note) for fact in explain.exposure.facts}
        told.append(facts["Already placed"])
    lost_at_worst = max(0.0, 47 - 50 * (1.965 - 1))
    assert told == [("47", "at risk 47"), ("47", f"at risk {lost_at_worst:g}")]


def test_of_the_past_nothing_is_listed_and_nothing_placed(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    be_value(quoted)
    panel.lists.show_bets(may_move=True)
    assert panel.table.model.rowCount() == 0
    panel.place_price(OVER)
    assert panel.findChild(PlaceDialog) is None
    assert "This price is from the past" in panel.messages.message_text
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now - 1))
    assert not panel.messages.isHidden()
    quoted.board.set_connection(Connection(link=Link.LIVE, has_value_bets=True))
    assert panel.messages.isHidden()


def test_explain_says_why_nothing_is_staked_while_prices_may_have_moved_unheard(
    panel: ValuesPanel, explain: ExplainPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted, 2.06)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    explain.show_price(OVER)
    with qtbot.waitExposed(explain):
        explain.show()
    assert explain.big.property("variant") == "value"
    assert explain.exposure.facts[-1][:2] == ("Stake", "7")
    quoted.board.set_connection(Connection(link=Link.WAITING, has_value_bets=True))
    qtbot.waitUntil(lambda: explain.big.property("variant") == "note")
    assert explain.big.text() == "+3.00 %"  # what was reckoned stays
    assert explain.exposure.facts[-1][:2] == ("Stake: not connected", "0")
    said = "Not connected: this price may be out of date."
    assert explain.cautions.text() == said
    assert explain.cautions.isVisible()
    explain.copy_explanation()
    assert QGuiApplication.clipboard().text().endswith(f"\n{said}")
    quoted.board.set_connection(Connection(link=Link.LIVE, is_catching_up=True))
    qtbot.waitUntil(
        lambda: explain.exposure.facts[-1].title.startswith("Stake: prices are reloading")
    )
    quoted.board.set_connection(Connection(link=Link.LIVE, has_value_bets=True))
    qtbot.waitUntil(lambda: explain.big.property("variant") == "value")
    assert explain.cautions.isHidden()


def test_a_look_at_the_menu_leaves_the_keys_alone(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    """Shift+P did nothing on a bet that was marked as placed from the menu."""
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    panel.table.set_current(0)
    menu = panel.actions_on_bet.menu
    menu.popup(panel.mapToGlobal(panel.rect().center()))
    assert not panel.actions_on_bet.undo.isEnabled()
    menu.hide()
    assert panel.actions_on_bet.undo.isEnabled()


def book(quoted: Any, *levels: tuple[float, float]) -> OddsRow:
    """Everton's total at an exchange, with what is for sale over 2.5."""
    return OddsRow(
        bookmaker="Matchbook",
        match_name="Everton - Liverpool",
        competition="EPL",
        sport="Football",
        market_type="total",
        period=0,
        is_live=False,
        odds={"Over 2.5": levels[0][0], "Under 2.5": 1.80},
        match_date=None,
        scraped_at=format_ms(quoted.clock.now + 1),
        url=None,
        liquidity=None,
        offers={"Over 2.5": Offer(back=levels, currency="GBP")},
    )


def test_the_list_and_the_explanation_say_what_is_for_sale(
    panel: ValuesPanel, explain: ExplainPanel, quoted: Any, qtbot: QtBot
) -> None:
    """D104."""
    exhaust(quoted.board.merge_rows([book(quoted, (2.06, 3.4), (2.0, 900.0))]))
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert row(panel)["Stake"] == "3"
    assert row(panel)["Warning"] == "3.40 GBP available"
    table = table_of(panel.table.model)
    (exported,) = [
        dict(zip([c.key for c in table.columns], each, strict=True)) for each in table.rows
    ]
    assert exported["for_sale"] == pytest.approx(3.4)
    tip = panel.table.model.tip(0, 0)
    assert "Available: 3.40 GBP at 2.06, 900.00 GBP at 2" in tip
    panel.lists.show_bets(may_move=True)
    (price,) = quoted.board.value_bets.values()
    explain.show_price(price.key)
    told = [(fact.title, fact.figure) for fact in explain.arithmetic.facts]
    assert ("Available at 2.06", "3.40 GBP") in told
    staked = [(fact.title, fact.figure, fact.note) for fact in explain.exposure.facts][-2:]
    assert staked == [
        ("Available at value odds", "3.40 GBP", ""),
        ("Stake", "3", "all that is available"),
    ]


def test_a_stake_over_two_levels_is_recorded_at_its_average(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    exhaust(quoted.board.merge_rows([book(quoted, (2.06, 3.4), (2.05, 900.0))]))
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    panel.table.set_current(0)
    stake = int(row(panel)["Stake"])
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P)
    dialog = panel.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    average = (3.4 * 2.06 + (stake - 3.4) * 2.05) / stake
    assert stake > 4
    assert float(dialog.odds.text()) == pytest.approx(average, abs=1e-4)
    dialog.reject()
