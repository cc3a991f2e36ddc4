"""Bets of a backup come to those that are there; none is lost, none counted twice."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.ledger import Ledger, merge_ledger
from oddsdesk.ledger.presets import ListChoices, Preset, ValueFilter
from oddsdesk.ledger.same_bets import compare_bets
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.pricing.selections import Result

BET = PlacedBet(
    "id", "PSG - Lyon", "LIG1", "Football", "moneyline", 0, "PSG", "Bet365", 2.1, 10.0, 1_000
)


def _later(moment: int) -> PlacedBet:
    return msgspec.structs.replace(BET, placed_at=moment)


def _bets(path: Path) -> list[PlacedBet]:
    with closing(Ledger(path)) as ledger:
        return [msgspec.structs.replace(bet, ident=None) for bet in ledger.read_bets()]


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """Two bets alike, one of its own, and two presets."""
    path = tmp_path / "backup.db"
    with closing(Ledger(path)) as ledger:
        ledger.add_bets(
            [BET, BET, _later(3_000)],
            [Preset("Mine", ValueFilter(min_odds=2.0)), Preset("Long", ValueFilter(min_odds=5.0))],
        )
    return path


def test_an_empty_ledger_becomes_the_other_one(backup: Path, tmp_path: Path) -> None:
    assert merge_ledger(backup, tmp_path / "new" / "ledger.db") == (3, 2)
    assert _bets(tmp_path / "new" / "ledger.db") == _bets(backup)


def test_only_what_is_lacking_is_added_and_twice_adds_nothing(backup: Path, tmp_path: Path) -> None:
    mine = tmp_path / "ledger.db"
    own = Preset("Mine", ValueFilter(min_odds=3.0))
    with closing(Ledger(mine)) as ledger:
        ledger.add_bets([BET, _later(2_000)], [own])
    assert merge_ledger(backup, mine) == (2, 1)
    assert _bets(mine) == [BET, _later(2_000), BET, _later(3_000)]
    with closing(Ledger(mine)) as ledger:
        assert ledger.presets()[0][0] == own
    assert merge_ledger(backup, mine) == (0, 0)


def test_choices_about_lists_are_merged_and_replace_nothing(backup: Path, tmp_path: Path) -> None:
    mine, theirs, other = (ListChoices(unit=unit) for unit in (10, 20, 30))
    with closing(Ledger(backup)) as ledger:
        ledger.remember_choices(["Stake", "Odds"], theirs)
        ledger.remember_choices(["Einsatz", "Quote"], other)
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        ledger.remember_choices(["odds", "stake"], mine)
    merge_ledger(backup, tmp_path / "ledger.db")
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        assert ledger.list_choices(["Stake", "Odds"]) == mine
        assert ledger.list_choices(["Quote", "Einsatz"]) == other
        assert ledger.list_choices(["Quote"]) == ListChoices()


def test_a_desk_that_has_it_open_goes_on_recording(backup: Path, tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "ledger.db")) as desk:
        merge_ledger(backup, tmp_path / "ledger.db")
        desk.record_bet(_later(9_000))
        assert len(desk.read_bets()) == 4


def test_what_is_no_ledger_adds_nothing(tmp_path: Path) -> None:
    (tmp_path / "backup.db").write_text("no database" * 999)
    with pytest.raises(LedgerError, match="not a database"):
        merge_ledger(tmp_path / "backup.db", tmp_path / "ledger.db")
    assert not (tmp_path / "ledger.db").exists()


def test_bets_are_added_all_or_none(backup: Path) -> None:
    impossible = msgspec.structs.replace(BET, odds=0.5)
    with closing(Ledger(backup)) as ledger, pytest.raises(LedgerError):
        ledger.add_bets([_later(5_000), impossible], [])
    assert len(_bets(backup)) == 3


def test_a_result_goes_to_the_game_of_the_series_that_it_is_of() -> None:
    """Placed at one moment at one price on three games of one id; the list has the third alone."""
    day = 86_400_000
    held = [
        msgspec.structs.replace(BET, kick_off=at * day, ident=at, sport="Baseball")
        for at in (1, 2, 3)
    ]
    third = settled(msgspec.structs.replace(held[2], ident=None), Result.LOST, 4 * day)
    found = compare_bets([third], held, 5 * day)
    assert [(bet.ident, bet.result) for bet in found.settled] == [(3, Result.LOST)]
    put_off = msgspec.structs.replace(third, kick_off=9 * day)
    assert compare_bets([put_off], held[:1], 10 * day).settled[0].ident == 1
