"""The user's records at the desk: on the disk before they are shown, and trouble in one line."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.records import Records
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter
from oddsdesk.pricing.selections import Result

BET = PlacedBet(
    "id", "A - B", "EPL", "Football", "total", 0, "Over 2.5", "Unibet", 2.15, 6.0, 1, method="x"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def records(path: Path, qtbot: QtBot) -> Iterator[Records]:
    made = Records(path)
    with qtbot.waitSignals([made.presets_changed, made.bets_changed]):
        pass
    yield made
    made.close_records()


def test_what_was_kept_is_there_at_the_next_start(path: Path, qtbot: QtBot) -> None:
    ledger = Ledger(path)
    placed = [ledger.record_bet(BET), ledger.record_bet(BET)]
    mine = Preset("Mine", ValueFilter())
    ledger.save_preset(mine)
    ledger.close()
    records = Records(path)
    with qtbot.waitSignal(records.bets_changed):
        pass
    assert records.placed(BET.bet_key) == tuple(placed)
    assert records.presets == (*BUILT_IN, mine)
    records.close_records()


def test_a_placed_bet_is_told_once_it_is_on_the_disk(
    records: Records, path: Path, qtbot: QtBot
) -> None:
    heard: list[PlacedBet] = []
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(BET, heard.append)
        assert records.placed(BET.bet_key) == ()
    other = Ledger(path)
    assert other.read_bets() == heard == list(records.placed(BET.bet_key))
    other.close()


def test_what_another_program_records_is_shown_and_changed_no_more(
    records: Records, path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(BET, lambda _: None)
    with closing(Ledger(path)) as other, qtbot.waitSignal(records.bets_changed, timeout=20_000):
        (placed,) = other.read_bets()
        other.change_bet([settled(placed, Result.WON, 5)], "settled")
    assert [bet.result for bet in records.placed_bets()] == [Result.WON]
    with qtbot.assertNotEmitted(records.bets_changed):
        records._on_looks_timeout()
        qtbot.waitUntil(records._looks.isActive)


def test_closed_records_look_no_more_whatever_is_still_answered(path: Path, qtbot: QtBot) -> None:
    records = Records(path)
    with qtbot.waitSignal(records.bets_changed):
        pass
    records._on_looks_timeout()
    records.close_records()  # waits for the look, whose answer is on its way to the window
    with qtbot.waitSignal(records._written):
        records._written.emit(lambda: None)
    records._on_looks_timeout()


def test_a_bet_can_be_taken_back(records: Records, qtbot: QtBot) -> None:
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(BET, lambda _bet: None)
    with qtbot.waitSignal(records.bets_changed):
        records.take_back(records.placed(BET.bet_key)[0])
    assert records.placed(BET.bet_key) == ()


def test_a_bet_that_was_edited_since_stays_and_is_shown(records: Records, qtbot: QtBot) -> None:
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(BET, lambda _bet: None)
    placed = records.placed(BET.bet_key)[0]
    edited = msgspec.structs.replace(placed, odds=2.5)
    with qtbot.waitSignal(records.bets_changed):
        records.change_bets([edited], "edited")
    told: list[bool] = []
    with qtbot.waitSignal(records.bets_changed):
        records.take_back(placed, told.append)
    qtbot.waitUntil(lambda: told == [False])
    assert records.placed(BET.bet_key) == (edited,)


def test_presets_come_after_the_built_in_ones_and_can_be_deleted(
    records: Records, qtbot: QtBot
) -> None:
    mine = Preset("Mine", ValueFilter(sports=("Tennis",)))
    with qtbot.waitSignal(records.presets_changed):
        records.save_preset(mine)
    assert records.presets == (*BUILT_IN, mine)
    with qtbot.waitSignal(records.presets_changed):
        records.delete_preset("Mine")
    assert records.presets == BUILT_IN


def test_a_file_that_cannot_be_used_is_named_and_the_built_in_presets_stay(
    path: Path, qtbot: QtBot
) -> None:
    path.write_bytes(b"this is no database" * 60)
    records = Records(path)
    with qtbot.waitSignal(records.failed) as failed:
        pass
    assert failed.args[0].startswith("Your records: ")
    assert "not a database" in failed.args[0]
    assert records.presets == BUILT_IN
    with qtbot.waitSignal(records.failed):
        records.place_bet(BET, lambda _bet: pytest.fail("nothing was recorded"))
    records.close_records()
