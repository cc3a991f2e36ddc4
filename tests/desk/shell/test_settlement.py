"""Bets settle by the results on the board; uncertain results are proposed."""

from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.board.model.results import HeldResult
from oddsdesk.client.answers import Listing
from oddsdesk.contract.results import GameResult, GameStatus, ResultRow, result_row
from oddsdesk.desk.records import Records
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.settlement import BetSettlement, proposals_of, settled_line
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.settling import settle_by_results
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.settlement_rules import SettlementRules
from tests.kit.waiting import until

NOW = 1_800_000_000_000
HOUR = 3_600_000
KICK_OFF = NOW - 3 * HOUR
BET = PlacedBet(
    *("g", "Leeds vs Hull", "EPL", "Football", "moneyline", 0, "Leeds", "Pinnacle"),
    *(2.1, 10.0, NOW - 30 * HOUR),
    kick_off=KICK_OFF,
)
OTHER = msgspec.structs.replace(BET, selection="Hull", odds=3.0)


def a_result(
    home: int = 2, away: int = 1, source: str = "football-data", **fields: object
) -> HeldResult:
    result = GameResult("EPL", "Leeds vs Hull", KICK_OFF, home, away, source=source)
    return HeldResult("g", msgspec.structs.replace(result, **fields))


class Settling:
    """A board, a ledger with two bets, and what settles them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with closing(Ledger(path)) as ledger:
            ledger.place_all([BET, OTHER], "placed")
        self.board = Board(lambda: NOW)
        self.records = Records(path)
        self.is_on = True
        self.lines: list[str] = []
        self.settlement = BetSettlement(self.board, lambda: NOW, self.records, lambda: self.is_on)
        self.settlement.settled.connect(self.lines.append)
        self.corrected: list[str] = []
        self.settlement.corrected.connect(self.corrected.append)

    @property
    def results(self) -> list[Result | None]:
        with closing(Ledger(self.path)) as ledger:
            return [bet.result for bet in ledger.read_bets()]

    def why(self) -> list[str]:
        bets = sorted(self.records.placed_bets(), key=lambda bet: bet.ident or 0)
        proposals = map(self.records.proposal, bets)
        return ["" if found is None else found.why for found in proposals]


@pytest.fixture
async def settling(tmp_path: Path, qtbot: QtBot) -> AsyncIterator[Settling]:
    made = Settling(tmp_path / "ledger.db")
    await until(lambda: made.records.has_read_bets)
    yield made
    await made.settlement.stop_settling()
    made.records.close_records()


async def test_bets_settle_with_the_result_and_in_one_step(settling: Settling) -> None:
    settling.board.take_results([a_result()])
    await until(lambda: bool(settling.lines))
    assert settling.lines == ["Settled 2 bets: won 1, lost 1, +1.00"]
    assert settling.results == [Result.WON, Result.LOST]
    assert {bet.settled_by for bet in settling.records.placed_bets()} == {"football-data 2-1"}
    with closing(Ledger(settling.path)) as ledger:
        assert ledger.undo_change() == ("settled", 2)
    settling.records.read_again()
    await until(lambda: all("you undid" in why for why in settling.why()))
    assert settling.results == [None, None], "what was undone is not done again"


async def test_without_the_setting_results_are_only_proposed(settling: Settling) -> None:
    settling.is_on = False
    settling.board.take_results([a_result()])
    await until(lambda: all("automatic settlement is off" in why for why in settling.why()))
    proposals = [settling.records.proposal(bet) for bet in settling.records.placed_bets()]
    assert [found.proposed for found in proposals if found] == [Result.WON, Result.LOST]
    assert settling.results == [None, None]
    settling.is_on = True
    settling.settlement.look_soon()
    await until(lambda: bool(settling.lines))
    assert settling.results == [Result.WON, Result.LOST]
    assert settling.why() == ["", ""]


async def test_sources_that_contradict_each_other_settle_nothing_and_are_reported(
    settling: Settling,
) -> None:
    settling.board.take_results([a_result(), a_result(1, 1, "other")])
    await until(lambda: settling.why() == ["football-data says 2-1 and other says 1-1"] * 2)
    assert settling.results == [None, None]
    assert settling.lines == []


async def test_a_game_that_nobody_reports_gives_the_reason(settling: Settling) -> None:
    await until(lambda: settling.why() == ["no source has reported a result"] * 2)
    settling.board.take_results([a_result(None, None, status=GameStatus.POSTPONED)])
    await until(lambda: all("postponed" in why for why in settling.why()))
    assert settling.results == [None, None]


async def test_a_corrected_result_is_proposed_and_nothing_rewritten(settling: Settling) -> None:
    settling.board.take_results([a_result()])
    await until(lambda: bool(settling.lines))
    await until(lambda: settling.records.proposal(BET) is None and settling.why() == ["", ""])
    settling.board.take_results([a_result(0, 1)])
    await until(lambda: all("football-data 0-1" in why for why in settling.why()))
    assert settling.results == [Result.WON, Result.LOST]
    assert settling.lines == settling.lines[:1]
    assert settling.corrected == [
        "2 settled bets need a check: Leeds at Pinnacle, settled won by football-data 2-1; "
        "now football-data 0-1; and 1 more"
    ]
    settling.settlement.look_soon()
    await until(lambda: not settling.settlement._is_wanted)
    await until(lambda: settling.settlement._looking is None)
    assert len(settling.corrected) == 1, "it is reported once"


async def test_a_bet_that_another_program_changed_meanwhile_keeps_that(
    settling: Settling, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board's thread had found the result of a bet that was settled by then."""
    act = settling.records.act

    def act_later(work: Callable[[Ledger], Callable[[], None]]) -> None:
        with closing(Ledger(settling.path)) as ledger:
            first, _ = ledger.read_bets()
            ledger.change_bet([settled(first, Result.VOID, NOW)], "settled")
        act(work)

    monkeypatch.setattr(settling.records, "act", act_later)
    settling.board.take_results([a_result()])
    await until(lambda: bool(settling.lines))
    assert settling.lines == ["Settled: Hull at Pinnacle lost (football-data 2-1), −10.00"]
    assert settling.results == [Result.VOID, Result.LOST]


async def test_bets_settle_while_the_past_is_shown(settling: Settling) -> None:
    """A database of imported seasons shows nothing else; results are read apart from prices."""
    asked: list[str] = []

    class Service:
        async def offers(self, path: str) -> bool:
            return path == "/api/results"

        async def results(self, **parameters: object) -> Listing[ResultRow]:
            asked.append(str(parameters["since"]))
            return Listing([result_row("g", a_result().result)])

    board, settlement = settling.board, settling.settlement
    settlement._client = lambda: service
    service: Any = Service()
    settlement._on_looks_timeout()
    assert asked == [], "without the past the prices' reader does it"
    board.set_connection(msgspec.structs.replace(board.connection, as_of_ms=NOW - HOUR))
    for _ in range(20):
        settlement._on_looks_timeout()
    await until(lambda: bool(settling.lines))
    assert settling.results == [Result.WON, Result.LOST]
    assert len(asked) == 1


def test_what_was_settled_is_added_up_by_currency_and_without_practice() -> None:
    won = settled(BET, Result.WON, NOW, "x 2-1")
    euro = settled(msgspec.structs.replace(OTHER, currency="EUR"), Result.LOST, NOW, "x 2-1")
    practice = msgspec.structs.replace(won, practice=True)
    assert settled_line([won, euro, practice]) == (
        "Settled 3 bets: won 2, lost 1, +11.00, −10.00 EUR, 1 practice"
    )
    assert settled_line([practice]) == "Settled: Leeds at Pinnacle won (x 2-1), practice"


async def test_what_was_settled_is_shown_where_the_user_is_until_they_look(
    desk: tuple[Desk, Connections],
) -> None:
    window, _ = desk
    bar = window.window.messages._bar
    window.window.show()
    window.say_settled("Settled 2 bets: won 2, +3.00")
    assert bar.message_text == "Settled 2 bets: won 2, +3.00"
    assert bar.isVisible()
    bar.action_requested.emit()
    panel = window.bets()
    await until(panel.isVisible)
    assert panel.messages.message_text == "Settled 2 bets: won 2, +3.00"
    assert not bar.isVisible()
    window.say_settled("Settled 1 bet")
    assert not bar.isVisible(), "the list shows it, where the user looks"


async def test_settled_bets_to_check_are_shown_where_the_user_is_and_in_their_list(
    desk: tuple[Desk, Connections],
) -> None:
    window, _ = desk
    bar = window.window.messages._bar
    window.window.show()
    window.say_to_check("1 settled bet needs a check: Leeds")
    assert bar.message_text == "1 settled bet needs a check: Leeds"
    bar.action_requested.emit()
    panel = window.bets()
    await until(panel.isVisible)
    assert panel.views.current_view == "to settle"
    assert panel.messages.message_text == "1 settled bet needs a check: Leeds"


def multiple() -> PlacedBet:
    """Return a bet on Leeds and on a game that nobody reports."""
    legs = (
        BetLeg(
            selection="Leeds",
            odds=2.1,
            match_name="Leeds vs Hull",
            competition="EPL",
            sport="Football",
            market_type="moneyline",
            kick_off=KICK_OFF,
        ),
        BetLeg(selection="Arsenal", odds=2.0, kick_off=NOW + HOUR),
    )
    return msgspec.structs.replace(
        BET, kind=BetKind.MULTIPLE, selection="Leeds + Arsenal", odds=4.2, legs=legs
    )


async def test_a_leg_settles_alone_and_the_line_says_that_the_bet_is_open(
    settling: Settling,
) -> None:
    with closing(Ledger(settling.path)) as ledger:
        ledger.delete_bets(1, 2)
        ledger.record_bet(multiple())
    settling.records.read_again()
    settling.board.take_results([a_result()])
    await until(lambda: bool(settling.lines))
    assert settling.lines == ["Legs settled: Leeds + Arsenal at Pinnacle, still open"]
    with closing(Ledger(settling.path)) as ledger:
        assert [leg.result for leg in ledger.read_bets()[0].legs] == [Result.WON, None]


def test_legs_that_would_settle_are_proposed_one_by_one() -> None:
    bet = msgspec.structs.replace(multiple(), ident=7)
    found = settle_by_results([bet], [a_result().result], SettlementRules(), NOW)
    (proposal,) = proposals_of(found, is_on=False).values()
    assert (proposal.leg, proposal.proposed, proposal.bet) == (1, Result.WON, bet)
    assert proposals_of(found, is_on=True) == {}
