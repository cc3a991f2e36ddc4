"""A multiple is put together from prices, judged as it is typed, and recorded with its legs."""

from collections.abc import Iterator

import msgspec
import pytest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.placing import PAST
from oddsdesk.desk.value_bets.slip import SlipDialog
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.devig import devig
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.quoted_game import REFERENCE, QuotedGame

OTHER = "Leeds - Hull"


class SecondGame(QuotedGame):
    """Another game on the board of the first."""

    name = OTHER
    id = "leeds-hull"

    def __init__(self, first: QuotedGame) -> None:
        super().__init__()
        self.board, self.clock = first.board, first.clock


@pytest.fixture
def second(quoted: QuotedGame) -> SecondGame:
    game = SecondGame(quoted)
    game.quote(
        "moneyline",
        {
            "Leeds": {REFERENCE: 2.0, "Matchbook": 2.1},
            "Draw": {REFERENCE: 3.5, "Matchbook": 3.6},
            "Hull": {REFERENCE: 4.0, "Matchbook": 4.2},
        },
    )
    game.load()
    return game


@pytest.fixture
def slip(
    quoted: QuotedGame, records: Records, window: QMainWindow, qtbot: QtBot
) -> Iterator[SlipDialog]:
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="Matchbook")]))
    made = SlipDialog(quoted.board, records, quoted.clock, window)
    qtbot.addWidget(made)
    yield made
    made.close()


def key(quoted: QuotedGame, selection: str, market_type: str = "moneyline") -> RowKey:
    return RowKey(quoted.id, market_type, 0, selection, "Matchbook")


def fair(method: str, *odds: float) -> float:
    return devig(method, odds).fair_odds[0]


def test_legs_of_two_games_are_worth_their_product(
    slip: SlipDialog, quoted: QuotedGame, second: SecondGame
) -> None:
    slip.add_leg(key(quoted, "Everton"))
    assert slip.isVisible()
    assert not slip.record.isEnabled(), "one leg is no multiple"
    slip.add_leg(key(second, "Leeds"))
    assert slip.odds.placeholderText() == "7.035"
    method = quoted.board.method
    whole = fair(method, 3.29, 3.36, 2.31) * fair(method, 2.0, 3.5, 4.0)
    assert slip.worth.text().startswith(f"Fair {whole:.3f}, EV ")
    slip.odds.setText("9")
    assert slip.worth.text().endswith(f"EV +{100 * (9 / whole - 1):.1f} %")
    quoted.board.set_connection(msgspec.structs.replace(quoted.board.connection, shifted=True))
    slip.odds.setText("x")
    assert "times shifted" in slip.notes.text()
    assert "Odds:" in slip.fault.text()


def test_a_multiple_is_recorded_with_the_fair_odds_of_each_leg(
    slip: SlipDialog, quoted: QuotedGame, second: SecondGame, records: Records, qtbot: QtBot
) -> None:
    for each in (key(quoted, "Everton"), key(second, "Leeds")):
        slip.add_leg(each)
    slip.odds.setText("7.5")
    slip.accept()
    assert slip.fault.text().startswith("Stake: ")
    slip.stake.setText("10")
    with qtbot.waitSignal(slip.recorded) as heard:
        slip.accept()
    (bet,) = heard.args or ()
    assert isinstance(bet, PlacedBet)
    method = quoted.board.method
    assert (bet.kind, bet.odds, bet.stake, bet.selection) == (
        BetKind.MULTIPLE,
        7.5,
        10.0,
        "Everton + Leeds",
    )
    assert [leg.fair_odds for leg in bet.legs] == pytest.approx(
        [fair(method, 3.29, 3.36, 2.31), fair(method, 2.0, 3.5, 4.0)]
    )
    assert [leg.odds for leg in bet.legs] == [3.35, 2.1]
    assert [leg.match_name for leg in bet.legs] == [quoted.name, OTHER]
    assert bet.kick_off == quoted.kick_off
    assert bet.ev == pytest.approx(100 * (7.5 / (bet.fair_odds or 0) - 1))
    assert slip.legs == []
    assert not slip.isVisible()
    assert [each.legs for each in records.placed_bets()] == [bet.legs]


def test_legs_of_one_game_are_modelled_or_said_to_exclude_each_other(
    slip: SlipDialog, derived: QuotedGame
) -> None:
    slip.add_leg(key(derived, "Liverpool"))
    slip.add_leg(key(derived, "Over 2.5", "total"))
    assert "(modelled; " in slip.worth.text()
    slip.remove_all()
    assert slip.worth.text() == "Add legs from the menu of a price."
    for each in ("Liverpool", "Everton"):
        slip.add_leg(key(derived, each))
    assert slip.fault.text() == "Liverpool and Everton cannot both win."
    assert slip.record.isEnabled(), "it is the user's to record"


def test_a_price_of_another_bookmaker_is_said_and_a_leg_is_added_once(
    slip: SlipDialog, quoted: QuotedGame
) -> None:
    slip.add_leg(key(quoted, "Everton"))
    slip.add_leg(key(quoted, "Over 2.5", "total")._replace(bookmaker="Bovada"))
    assert "1.91 on Over 2.5 is Bovada's price." in slip.notes.text()
    slip.add_leg(key(quoted, "Everton")._replace(bookmaker="Bovada"))
    assert len(slip.legs) == 2
    slip._rows[0].remove.click()
    assert [leg.selection for leg in slip.legs] == ["Over 2.5"]


def test_a_price_of_the_past_or_none_is_not_added(slip: SlipDialog, quoted: QuotedGame) -> None:
    said: list[str] = []
    slip.said.connect(said.append)
    slip.add_leg(key(quoted, "Nobody"))
    quoted.board.set_connection(msgspec.structs.replace(quoted.board.connection, as_of_ms=1))
    slip.add_leg(key(quoted, "Everton"))
    assert said == ["That price is no longer available.", PAST]
    assert slip.legs == []


def test_a_bet_that_the_ledger_refuses_stays_on_the_slip(
    slip: SlipDialog, quoted: QuotedGame, second: SecondGame, records: Records
) -> None:
    for each in (key(quoted, "Everton"), key(second, "Leeds")):
        slip.add_leg(each)
    slip.stake.setText("10")
    slip._on_refused("the disk is full")
    assert slip.fault.text() == "the disk is full"
    assert len(slip.legs) == 2
    assert slip.record.isEnabled()
