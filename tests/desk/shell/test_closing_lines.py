"""The desk writes closing lines into the ledger as they happen, and fills in what the log has."""

from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.desk.records import Records, Taken
from oddsdesk.desk.shell.closing_lines import ClosingLineWriter
from oddsdesk.desk.shell.embedding import closes_in
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.closing import CloseBy, ClosingLine
from oddsdesk.store.store import open_store
from tests.kit.quoted_game import NOW_MS, REFERENCE, QuotedGame

KICK_OFF = NOW_MS + 241_200_000


class Watched:
    """A writer over a quoted game, with a bet on it in the ledger."""

    def __init__(self, path: Path, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.path = path
        self.game = QuotedGame()
        self.wanted: list[frozenset[str]] = []
        self.at(-20)
        listed = Game(
            *(self.game.id, self.game.name, "EPL", "Football", format_ms(KICK_OFF)),
            *(False, 2, None),
        )
        self.game.board.load_games([listed])
        self.game.quote("total", {"Over 2.5": {REFERENCE: 1.9}, "Under 2.5": {REFERENCE: 2.0}})
        self.game.load()
        self.bet = PlacedBet(
            *(self.game.id, self.game.name, "EPL", "Football", "total", 0, "Over 2.5"),
            *("B", 2.1, 5.0, self.game.clock.now),
            kick_off=KICK_OFF,
            method="multiplicative",
        )
        with closing(Ledger(path)) as ledger:
            ledger.record_bet(self.bet)
        self.records = Records(path)
        with qtbot.waitSignal(self.records.bets_changed):
            pass
        self.writer = ClosingLineWriter(
            self.game.board, self.game.clock, self.records, self.wanted.append, CloseBy
        )

    def at(self, minutes: float) -> None:
        self.game.clock.now = KICK_OFF + round(minutes * MINUTE_MS)

    def close_of_bet(self) -> ClosingLine | None:
        (bet,) = self.records.placed_bets()
        return bet.close


@pytest.fixture
async def watched(tmp_path: Path, qtbot: QtBot) -> AsyncIterator[Watched]:
    made = Watched(tmp_path / "ledger.db", qtbot)
    yield made
    await made.writer.stop_writer()
    made.records.close_records()


async def test_a_close_is_in_the_file_once_the_game_is_seen_in_play(watched: Watched) -> None:
    watched.writer.write_decided()
    assert watched.wanted[-1] == {watched.game.id}
    watched.at(1)
    watched.game.tell(REFERENCE, "total", "Over 2.5", 1.4, is_live=True)
    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.writer.write_decided()
    close = watched.close_of_bet()
    assert close is not None
    assert close.odds == 1.9
    with closing(Ledger(watched.path)) as ledger:
        assert ledger.read_bets()[0].close == close
    watched.writer.write_decided()
    assert watched.wanted[-1] == frozenset()


async def test_a_settled_bet_gets_its_close_too(watched: Watched) -> None:
    (bet,) = watched.records.placed_bets()
    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.records.change_bets([msgspec.structs.replace(bet, note="edited")], "edited")
    watched.at(11)
    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.writer.write_decided()
    close = watched.close_of_bet()
    assert close is not None
    assert close.odds == 1.9


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    with closing(open_store(path)) as store:
        odds = {"Over 2.5": 1.8, "Under 2.5": 2.1}
        at = KICK_OFF - 3 * MINUTE_MS
        store.record(
            [Quote("Pinnacle", QuotedGame.name, "EPL", "total", 0, odds, at, False, KICK_OFF)]
        ).result()
    return path


async def test_what_nobody_saw_is_filled_in_from_the_log(
    tmp_path: Path, qtbot: QtBot, database: Path
) -> None:
    """The desk was started after the game had begun."""
    made = Watched(tmp_path / "ledger.db", qtbot)
    await made.writer.stop_writer()
    made.at(60)
    writer = ClosingLineWriter(
        made.game.board, made.game.clock, made.records, made.wanted.append, CloseBy
    )
    found: list[dict[int, ClosingLine]] = []

    async def read(bets: list[PlacedBet], now_ms: int, by: CloseBy) -> dict[int, ClosingLine]:
        found.append(await closes_in(database, bets, now_ms, by))
        return found[-1]

    writer.read_log(read)
    assert writer._filling is not None
    await writer._filling
    qtbot.waitUntil(lambda: made.close_of_bet() is not None)
    close = made.close_of_bet()
    assert close is not None
    assert (close.odds, close.at) == (1.8, KICK_OFF - 3 * MINUTE_MS)
    writer.fill()
    assert writer._filling is None
    await writer.stop_writer()
    made.records.close_records()


async def test_where_the_desk_saw_no_close_the_log_may_have_one(
    watched: Watched, database: Path
) -> None:
    (bet,) = watched.records.placed_bets()
    none = ClosingLine(why="last seen more than 30 minutes before the game")

    def note(ledger: Ledger) -> Taken:
        ledger.write_closes({bet.ident or 0: none})
        return lambda: None

    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.records.act(note)
    watched.at(60)
    watched.writer.read_log(partial(closes_in, database))
    assert watched.writer._filling is not None
    await watched.writer._filling
    watched.qtbot.waitUntil(lambda: watched.close_of_bet() != none)
    close = watched.close_of_bet()
    assert close is not None
    assert close.odds == 1.8


async def test_practice_is_neither_followed_nor_looked_for_in_the_log(
    watched: Watched, database: Path
) -> None:
    (bet,) = watched.records.placed_bets()
    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.records.change_bets([msgspec.structs.replace(bet, practice=True)], "edited")
    watched.writer.write_decided()
    assert watched.wanted[-1] == frozenset()
    watched.at(60)
    watched.writer.read_log(partial(closes_in, database))
    assert watched.writer._filling is None


async def test_a_log_that_cannot_be_read_gives_none(tmp_path: Path) -> None:
    assert await closes_in(tmp_path / "missing.db", [], NOW_MS, CloseBy()) == {}


async def test_what_the_ledger_refused_is_written_later(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.at(11)
    with monkeypatch.context() as patched:
        patched.setattr(watched.records, "act", lambda _work: None)
        watched.writer.write_decided()
    assert watched.writer._again.isActive()
    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.writer._again.timeout.emit()
    close = watched.close_of_bet()
    assert close is not None
    assert close.is_there
    assert not watched.writer._again.isActive()


OTHERS = ClosingLine(3.0, 2.9, "shin", KICK_OFF + 24 * 60 * MINUTE_MS)


async def test_closes_of_other_games_are_replaced_by_what_the_log_has_and_that_is_undone(
    watched: Watched, database: Path
) -> None:
    (bet,) = watched.records.placed_bets()
    with closing(Ledger(watched.path)) as ledger:
        ledger.write_closes({bet.ident or 0: OTHERS})
    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.records.read_again()
    watched.at(60)
    watched.writer.read_log(partial(closes_in, database))
    with watched.qtbot.waitSignal(watched.writer.closed_again) as said:
        watched.writer.close_again()
        assert watched.writer._closing_again is not None
        await watched.writer._closing_again
    assert said.args == ["1 closing line from other games removed, 1 replaced by the right ones."]
    close = watched.close_of_bet()
    assert close is not None
    assert (close.odds, close.at) == (1.8, KICK_OFF - 3 * MINUTE_MS)
    with closing(Ledger(watched.path)) as ledger:
        assert ledger.undo_change() == ("closed again", 1)
        assert ledger.read_bets()[0].close == OTHERS


async def test_without_a_log_a_close_of_another_game_becomes_none_with_the_reason(
    watched: Watched,
) -> None:
    (bet,) = watched.records.placed_bets()
    with closing(Ledger(watched.path)) as ledger:
        ledger.write_closes({bet.ident or 0: OTHERS})
    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.records.read_again()
    with watched.qtbot.waitSignal(watched.writer.closed_again):
        watched.writer.close_again()
        assert watched.writer._closing_again is not None
        await watched.writer._closing_again
    close = watched.close_of_bet()
    assert close is not None
    assert (close.odds, close.why) == (None, "the recorded close belonged to another game")


async def test_a_bet_is_followed_on_the_game_that_the_service_lists(watched: Watched) -> None:
    """It was imported under another name, and so has an id that the service does not know."""
    (bet,) = watched.records.placed_bets()
    other = msgspec.structs.replace(bet, game_id="other", match_name="Everton FC vs Liverpool FC")
    with watched.qtbot.waitSignal(watched.records.bets_changed):
        watched.records.change_bets([other], "edited")
    watched.writer.write_decided()
    assert watched.wanted[-1] == {watched.game.id}
