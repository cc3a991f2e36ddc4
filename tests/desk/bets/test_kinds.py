"""Kinds of bets in the dialogs and in the list: their fields, what they pay, the result placed."""

from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.desk.bets.bet_dialog import BetDialog
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.selections import Result
from tests.desk.bets.conftest import Make, act, bet, column, held, press, select

LEGS = (
    BetLeg(selection="Ajax", odds=1.8, match_name="Ajax v PSV", result=Result.WON),
    BetLeg(selection="Leeds", odds=2.1, match_name="Leeds v Hull"),
)
OF_KINDS = [
    bet(kind=BetKind.LAY, net_odds=None),
    bet(kind=BetKind.FREE),
    bet(kind=BetKind.FREE_RETURNED),
    bet(kind=BetKind.BOOST, unboosted_odds=1.9),
    bet(kind=BetKind.REFUND, refund=4.0, refund_as="money"),
    bet(kind=BetKind.EACH_WAY, place_fraction=0.25, places=4),
    bet(kind=BetKind.EACH_WAY, place_fraction=0.22),
    bet(
        kind=BetKind.MULTIPLE,
        odds=3.78,
        net_odds=None,
        legs=LEGS,
        selection="Ajax + Leeds",
        game_id="",
        match_name="",
        market_type="",
        true_ev=None,
        fair_odds=None,
        method="",
    ),
    bet(kind=BetKind.FREE, legs=LEGS),
]


def dialog_of(panel, ident: str = "bets.new") -> BetDialog:
    press(panel, ident)
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    return dialog


def choose(dialog: BetDialog, kind: BetKind) -> None:
    dialog.kind.box.setCurrentIndex(dialog.kind.box.findData(kind))


@pytest.mark.parametrize("placed", OF_KINDS, ids=lambda each: each.kind.value)
def test_an_edited_bet_stays_of_its_kind(make_panel: Make, placed: PlacedBet) -> None:
    panel = make_panel(placed)
    select(panel, 0)
    dialog = dialog_of(panel, "bets.edit")
    assert msgspec.structs.replace(dialog.bet(), ident=None) == placed
    assert not dialog.is_changed()


def by_hand(make_panel: Make, odds: str, stake: str, bookmaker: str = "Bet365") -> BetDialog:
    dialog = dialog_of(make_panel())
    for field, text in (
        (dialog.game, "Leeds - Wolves"),
        (dialog.selection, "Leeds"),
        (dialog.odds, odds),
        (dialog.stake, stake),
    ):
        field.setText(text)
    dialog.bookmaker.setCurrentText(bookmaker)
    return dialog


def test_a_lay_by_hand_pays_the_stake_after_commission(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    """5 % of 100 is kept; 450 is lost if the selection wins."""
    dialog = by_hand(make_panel, "5.5", "100", "Betfair Exchange")
    choose(dialog, BetKind.LAY)
    assert dialog.reading.text().startswith("Wins 95.00, loses 450.00 (the liability).")
    assert dialog.form.labelForField(dialog.stake.parentWidget()).text() == "Backer's &stake"
    dialog.buttons.accepted.emit()
    qtbot.waitUntil(lambda: len(held(path)) == 1)
    (made,) = held(path)
    assert (made.kind, made.odds, made.stake, made.liability) == (BetKind.LAY, 5.5, 100, 450)


@pytest.mark.parametrize(
    ("kind", "typed", "said"),
    [
        (BetKind.BACK, {}, "Wins 15.00, loses 10.00."),
        (BetKind.FREE, {}, "Wins 15.00, loses nothing."),
        (BetKind.FREE_RETURNED, {}, "Wins 25.00, loses nothing."),
        (BetKind.BOOST, {"unboosted": "2.1"}, "Wins 15.00, loses 10.00, the boost adds 4.00."),
        (
            BetKind.REFUND,
            {"refund": "4"},
            "Wins 15.00, loses 10.00, and 4.00 comes back as a free bet.",
        ),
        (BetKind.REFUND, {}, "Wins 15.00, loses 10.00, and 10.00 comes back as a free bet."),
        (BetKind.EACH_WAY, {"fraction": "1/4"}, "Wins 18.75, loses 6.25 if placed, loses 20.00."),
    ],
)
def test_a_line_says_what_each_kind_pays(
    make_panel: Make, kind: BetKind, typed: dict[str, str], said: str
) -> None:
    dialog = by_hand(make_panel, "2.5", "10")
    choose(dialog, kind)
    for name, text in typed.items():
        getattr(dialog.kind, name).setText(text)
    assert dialog.reading.text().split("\n")[0] == said
    shown = {
        name
        for name in ("unboosted", "refund", "fraction")
        if getattr(dialog.kind, name).isVisible()
    }
    needed = {BetKind.BOOST: "unboosted", BetKind.REFUND: "refund", BetKind.EACH_WAY: "fraction"}
    assert shown == ({needed[kind]} if kind in needed else set())


def test_money_back_lowers_the_loss(make_panel: Make) -> None:
    dialog = by_hand(make_panel, "2.5", "10")
    choose(dialog, BetKind.REFUND)
    dialog.kind.refund.setText("4")
    dialog.kind.refund_as.setCurrentIndex(dialog.kind.refund_as.findData("money"))
    assert dialog.reading.text().startswith("Wins 15.00, loses 6.00 after a refund of 4.00.")
    made = dialog.bet()
    assert (made.refund, made.refund_as) == (4, "money")


def test_a_multiple_is_typed_leg_by_leg(make_panel: Make, qtbot: QtBot, path: Path) -> None:
    dialog = by_hand(make_panel, "", "10")
    choose(dialog, BetKind.MULTIPLE)
    assert dialog.game.isHidden()
    lines = dialog.kind.legs._lines
    typed = ("Ajax", "1.8", "Ajax v PSV"), ("Leeds United", "2.1", "Leeds United v Hull City")
    for place, texts in enumerate(typed):
        for field, text in zip(lines[place][:3], texts, strict=True):
            field.setText(text)
    assert len(lines) == 3, "an empty line is always left"
    assert dialog.odds.placeholderText() == "3.78"
    assert dialog.reading.text().startswith("Wins 27.80, loses 10.00.")
    dialog.buttons.accepted.emit()
    qtbot.waitUntil(lambda: len(held(path)) == 1)
    (made,) = held(path)
    assert (made.kind, made.selection) == (BetKind.MULTIPLE, "Ajax + Leeds United")
    assert [leg.game_id for leg in made.legs][1] == "listed"
    assert made.legs[1].market_type == "moneyline"


def test_legs_are_shown_with_the_chosen_mark_and_kept_in_english(make_panel: Make) -> None:
    legs = tuple(
        BetLeg(selection=f"{side} 2.5", odds=1.8, match_name="Ajax v PSV", market_type="total")
        for side in ("Over", "Under")
    )
    choose_numbers(Style(COMMA))
    panel = make_panel(
        msgspec.structs.replace(OF_KINDS[7], legs=legs, selection="Over 2.5 + Under 2.5")
    )
    select(panel, 0)
    dialog = dialog_of(panel, "bets.edit")
    fields = [line[0] for line in dialog.kind.legs._lines]
    assert [each.text() for each in fields[:2]] == ["Over 2,5", "Under 2,5"]
    assert dialog.kind.legs.legs() == legs
    fields[0].setText("Over 3,5")
    assert dialog.bet().selection == "Over 3.5 + Under 2.5"


def test_what_is_missing_of_a_kind_is_said(make_panel: Make) -> None:
    dialog = by_hand(make_panel, "2.5", "10")
    for kind, field, text, said in (
        (BetKind.MULTIPLE, None, "", "A multiple needs two legs or more, each with its odds."),
        (BetKind.EACH_WAY, "fraction", "some", "Place terms 'some': expected a number"),
        (BetKind.EACH_WAY, "fraction", "1/0", "Place terms '1/0': expected a number"),
        (BetKind.BOOST, "unboosted", "x", "Odds without boost: "),
    ):
        choose(dialog, kind)
        if field is not None:
            getattr(dialog.kind, field).setText(text)
        dialog.buttons.accepted.emit()
        assert dialog.trouble.message_text.startswith(said), dialog.trouble.message_text
        if field == "fraction":
            dialog.kind.fraction.setText("1/5")


def test_an_each_way_bet_is_settled_as_placed_and_others_are_not(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    each_way = bet(
        kind=BetKind.EACH_WAY,
        place_fraction=0.2,
        odds=9.0,
        stake=20.0,
        net_odds=None,
        kick_off=None,
        selection="Old Tom",
        market_type="",
    )
    panel = make_panel(each_way)
    select(panel, 0)
    act(panel, qtbot, "bets.placed")
    (placed,) = held(path)
    assert (placed.result, placed.profit) == (Result.PLACED, pytest.approx(6))
    assert column(panel, "state") == ["● placed"]
    assert panel.messages.message_text.startswith("Old Tom at Betfair Exchange placed.")


def test_a_plain_bet_cannot_be_placed(make_panel: Make, path: Path) -> None:
    panel = make_panel(bet(kick_off=None))
    select(panel, 0)
    press(panel, "bets.placed")
    assert panel.messages.message_text.startswith("Only each-way bets can settle as placed")
    assert held(path)[0].result is None


def test_the_legs_of_a_multiple_are_in_its_tip(make_panel: Make) -> None:
    panel = make_panel(OF_KINDS[-2])
    assert column(panel, "kind") == ["multiple"]
    assert "Ajax 1.80, Ajax v PSV, won\nLeeds 2.10, Leeds v Hull" in panel.model.tip(0, 0)


@pytest.mark.parametrize(
    ("second", "result", "profit"),
    [(Result.WON, Result.WON, 27.8), (Result.LOST, Result.LOST, -10), (Result.VOID, Result.WON, 8)],
)
def test_results_of_legs_settle_a_multiple(
    make_panel: Make, qtbot: QtBot, path: Path, second: Result, result: Result, profit: float
) -> None:
    """10 at 1.80 × 2.10; without the second leg it is 10 at 1.80."""
    panel = make_panel(msgspec.structs.replace(OF_KINDS[-2], stake=10.0))
    select(panel, 0)
    dialog = dialog_of(panel, "bets.edit")
    box = dialog.kind.legs._lines[1][3]
    box.setCurrentIndex(box.findData(second))
    assert f"{result.words} by its legs" in dialog.reading.text()
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (ended,) = held(path)
    assert (ended.result, ended.profit) == (result, pytest.approx(profit))
