"""The ledger keeps presets and bets over a restart, and says in one line when it cannot."""

import errno
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from oddsdesk.base import earlier_copy
from oddsdesk.ledger import ledger as module
from oddsdesk.ledger import schema
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.presets import Preset, ValueFilter
from oddsdesk.ledger.schema import LedgerError
from tests.kit.disks import refuse_writes

BET = PlacedBet(
    game_id="id",
    match_name="Levante - Sevilla",
    competition="LIGA",
    sport="Football",
    market_type="moneyline",
    period=0,
    selection="Sevilla",
    bookmaker="Betfair Ex",
    odds=3.05,
    stake=13.6,
    placed_at=1_795_000_000_000,
    kick_off=1_795_000_600_000,
    fair_odds=2.8507,
    true_ev=5.93,
    per="decided",
    method="margin_proportional",
    net_odds=2.9475,
    currency="GBP",
    age_ms=4_200,
    cautions=("stale", "delayed"),
)
MINE = Preset("Mine", ValueFilter(sports=("Tennis",), min_true_ev=2.5, max_odds=4.0, in_play=True))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "ledger.db"


def test_bets_are_there_after_a_restart_with_every_field(path: Path) -> None:
    first = Ledger(path)
    placed = first.record_bet(BET)
    first.close()
    again = Ledger(path)
    assert again.read_bets() == [placed]
    assert msgspec.structs.replace(placed, ident=None) == BET
    assert placed.ident == 1
    again.close()


def test_a_bet_stays_practice_whatever_becomes_of_it(path: Path) -> None:
    with closing(Ledger(path)) as ledger:
        placed = ledger.record_bet(msgspec.structs.replace(BET, practice=True))
        assert ledger.read_bets() == [placed]
        ledger.change_bet([msgspec.structs.replace(placed, stake=2.0)], "edited")
        ledger.delete_bets(1)
        for _ in range(2):
            ledger.undo_change()
            (held,) = ledger.read_bets()
            assert held.practice is True
        assert held == placed


def test_a_bet_that_is_taken_back_is_gone_and_its_number_is_not_given_again(path: Path) -> None:
    ledger = Ledger(path)
    first = ledger.record_bet(BET)
    assert first.ident is not None
    ledger.delete_bets(first.ident)
    assert ledger.read_bets() == []
    assert ledger.record_bet(BET).ident == 2
    ledger.close()


def test_presets_are_kept_in_order_and_replaced_by_name(path: Path) -> None:
    ledger = Ledger(path)
    other = Preset("Other", ValueFilter())
    for preset in (MINE, other, Preset("Mine", ValueFilter(min_odds=2.0))):
        ledger.save_preset(preset)
    ledger.close()
    again = Ledger(path)
    assert again.presets() == ([Preset("Mine", ValueFilter(min_odds=2.0)), other], [])
    again.delete_preset("Mine")
    assert again.presets() == ([other], [])
    again.close()


def test_a_preset_that_cannot_be_read_is_named_and_the_rest_is_kept(path: Path) -> None:
    ledger = Ledger(path)
    ledger.save_preset(MINE)
    ledger.save_preset(Preset("Broken", ValueFilter()))
    ledger.close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE preset SET filter = '[1]' WHERE name = 'Broken'")
    raw.close()
    again = Ledger(path)
    presets, bad = again.presets()
    assert presets == [MINE]
    assert len(bad) == 1
    assert "'Broken'" in bad[0]
    again.close()


VERSION_1 = """
PRAGMA application_id = 0x6F64646C; PRAGMA user_version = 1;
CREATE TABLE preset (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, filter TEXT NOT NULL)
    STRICT;
CREATE TABLE placed_bet (id INTEGER PRIMARY KEY AUTOINCREMENT, game_id TEXT NOT NULL,
    match_name TEXT NOT NULL, competition TEXT NOT NULL, sport TEXT NOT NULL,
    market_type TEXT NOT NULL, period INTEGER NOT NULL, selection TEXT NOT NULL,
    bookmaker TEXT NOT NULL, odds REAL NOT NULL CHECK (odds > 1),
    stake REAL NOT NULL CHECK (stake >= 0), placed_at INTEGER NOT NULL, kick_off INTEGER,
    fair_odds REAL, true_ev REAL, method TEXT NOT NULL) STRICT;
INSERT INTO placed_bet VALUES (7, 'id', 'Levante - Sevilla', 'LIGA', 'Football', 'moneyline', 0,
    'Sevilla', 'Betfair Ex', 3.05, 13.6, 1795000000000, 1795000600000, 2.8507, 5.93, 'shin');
"""
"""A ledger as the first version of oddsdesk made it, with a bet."""
KINDS = {
    *("kind", "unboosted_odds", "refund", "refund_as", "place_fraction", "places", "legs"),
    "source_id",
}
"""Fields that version 12 brought."""


def test_a_ledger_of_the_first_version_is_taken_over_with_its_bets(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(VERSION_1)
    with closing(Ledger(path)) as ledger:
        (old,) = ledger.read_bets()
        new = ledger.record_bet(BET)
    assert (old.ident, old.odds, old.true_ev, old.method) == (7, 3.05, 5.93, "shin")
    assert (old.net_odds, old.currency, old.age_ms, old.cautions) == (None, "", None, ())
    assert (old.per, old.practice, old.settled_by, old.undone) == ("", False, "", "")
    assert old.derived == ""
    assert new.ident == 8
    with closing(Ledger(path)) as again:
        assert again.read_bets() == [old, new]
    assert len(list(path.parent.glob("ledger.db.before-*"))) == 1


def test_a_ledger_from_before_there_were_kinds_comes_over_and_can_be_undone(path: Path) -> None:
    """Version 11: the change log holds bets without a kind, too."""
    path.parent.mkdir()
    columns = ", ".join(name for name in module._FIELDS if name not in KINDS)
    values = {name: module._values(BET)[name] for name in columns.split(", ")}
    noted = {name: getattr(BET, name) for name in BET.__struct_fields__ if name not in KINDS}
    before = msgspec.json.encode({1: noted | {"ident": 1, "stake": 5.0}}).decode()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"PRAGMA application_id = {schema._APPLICATION_ID}")
        for step in schema._STEPS[:11]:
            for statement in step:
                raw.execute(statement)
        raw.execute("PRAGMA user_version = 11")
        raw.execute(f"INSERT INTO placed_bet ({columns}) VALUES (:{', :'.join(values)})", values)
        raw.execute("INSERT INTO bet_change (what, before) VALUES ('edited', ?)", [before])
        raw.commit()
    with closing(Ledger(path)) as ledger:
        assert ledger.read_bets() == [msgspec.structs.replace(BET, ident=1)]
        assert ledger.undo_change() == ("edited", 1)
        (undone,) = ledger.read_bets()
    assert (undone.stake, undone.kind, undone.legs) == (5.0, BetKind.BACK, ())
    assert len(list(path.parent.glob("ledger.db.before-*"))) == 1


def test_odds_and_stakes_are_kept_to_the_last_digit(path: Path) -> None:
    odds, stake = 1.9523809523809523, 0.00123456789
    with closing(Ledger(path)) as ledger:
        ledger.record_bet(msgspec.structs.replace(BET, odds=odds, stake=stake))
        assert [(bet.odds, bet.stake) for bet in ledger.read_bets()] == [(odds, stake)]


def test_impossible_bets_are_refused_and_nothing_stays(path: Path) -> None:
    ledger = Ledger(path)
    with pytest.raises(LedgerError):
        ledger.record_bet(msgspec.structs.replace(BET, odds=1.0))
    assert ledger.read_bets() == []
    ledger.close()


def test_two_desks_may_keep_records_in_one_file(path: Path) -> None:
    one, other = Ledger(path), Ledger(path)
    placed = [one.record_bet(BET), other.record_bet(BET)]
    assert one.read_bets() == other.read_bets() == placed
    one.close()
    other.close()


def test_records_are_written_through(path: Path) -> None:
    ledger = Ledger(path)
    assert ledger._connection.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA
    ledger.close()


@pytest.mark.parametrize("content", [b"no database at all, but long enough" * 20])
def test_a_file_that_is_no_database_is_named(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(LedgerError, match="not a database"):
        Ledger(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    content = path.read_bytes()
    with pytest.raises(LedgerError, match="of another kind"):
        Ledger(path)
    assert path.read_bytes() == content


def test_a_newer_ledger_is_not_touched(path: Path) -> None:
    Ledger(path).close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(LedgerError, match="newer oddsdesk"):
        Ledger(path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger(blocked / "ledger.db")


def test_a_folder_in_place_of_the_file_is_named(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(LedgerError, match="is not a regular file"):
        Ledger(path)


def test_bets_are_their_owners_alone_from_now_on(path: Path) -> None:
    """F5.7: the file was readable by all."""
    Ledger(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    ledger = Ledger(path)
    ledger.record_bet(BET)
    ledger.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_bets_are_kept_through_no_link(path: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.touch()
    path.parent.mkdir()
    path.symlink_to(precious)
    with pytest.raises(LedgerError, match="is a link"):
        Ledger(path)
    assert precious.read_bytes() == b""


def test_what_is_no_ledger_is_left_as_it_is_to_the_byte(tmp_path: Path) -> None:
    letter, other, crashed = (tmp_path / name for name in ("letter", "other.db", "crashed.db"))
    letter.write_text("Dear bookmaker, " * 100)
    for each in (other, crashed):
        connection = sqlite3.connect(each)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE bookmarks (url)")
        connection.close()
    crashed.with_name("crashed.db-journal").write_bytes(b"not a journal" * 100)
    before = _state(tmp_path)
    for each in (letter, other, crashed):
        with pytest.raises(LedgerError) as refused:
            Ledger(each)
        assert len(str(refused.value).splitlines()) == 1
    assert _state(tmp_path) == before


def test_an_older_ledger_is_copied_before_it_is_brought_up_to_date(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(path)
    placed = ledger.record_bet(BET)
    ledger.close()
    later = (*schema._STEPS, ("ALTER TABLE preset ADD COLUMN colour TEXT",))
    with monkeypatch.context() as patched:
        patched.setattr(schema, "_STEPS", later)
        ledger = Ledger(path)
        assert ledger.read_bets() == [placed]
        ledger.close()
    (copy,) = path.parent.glob("ledger.db.before-*")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    ledger = Ledger(copy)
    assert ledger.read_bets() == [placed]
    ledger.close()
    with pytest.raises(LedgerError, match=f"newer oddsdesk; .* go back to {copy.name} in"):
        Ledger(path)


def test_without_room_for_a_copy_an_older_ledger_stays_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger(path).close()
    before = _state(path.parent)
    monkeypatch.setattr(schema, "_STEPS", (*schema._STEPS, ("CREATE TABLE colour (name TEXT)",)))
    monkeypatch.setattr(earlier_copy, "SPARE_BYTES", 2**62)
    with pytest.raises(LedgerError, match="more free space"):
        Ledger(path)
    assert _state(path.parent) == before


def _state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in folder.iterdir()}


def test_a_ledger_that_was_torn_by_a_power_failure_is_mended_by_its_journal(path: Path) -> None:
    ledger = Ledger(path)
    placed = ledger.record_bet(BET)
    ledger.close()
    torn = path.with_name("torn.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")  # so that it writes before it commits
        writer.execute("BEGIN")
        writer.execute("PRAGMA user_version = 99")
        writer.execute("CREATE TABLE large AS SELECT randomblob(100000)")
        for end in ("", "-journal"):
            shutil.copy(f"{path}{end}", f"{torn}{end}")
    with torn.open("r+b") as file:
        file.write(bytes(512))
    with closing(Ledger(torn)) as mended:
        assert mended.read_bets() == [placed]


@pytest.mark.parametrize("name", ["SQLITE_READONLY", "SQLITE_CANTOPEN"])
def test_a_read_only_disk_is_named_as_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """SQLite cannot open its journal where the ledger was open before."""
    error = sqlite3.OperationalError("refused")
    error.sqlite_errorname = name
    path = tmp_path / "ledger.db"
    assert "the file system" not in schema.reason(path, error)
    refuse_writes(monkeypatch, errno.EROFS)
    said = schema.reason(path, error)
    assert said == "cannot be written: the file system is read-only"


def test_a_read_only_ledger_reads_an_older_file_and_writes_nothing(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as raw:
        for step in schema._STEPS[:11]:
            for statement in step:
                raw.execute(statement)
        raw.execute(f"PRAGMA application_id = {0x6F64646C}")
        raw.execute("PRAGMA user_version = 11")
        raw.execute("INSERT INTO preset (name, filter) VALUES ('Mine', '{}')")
        raw.commit()
    before = path.read_bytes(), sorted(path.parent.iterdir())
    with closing(Ledger(path, is_read_only=True)) as held:
        assert [preset.name for preset in held.presets()[0]] == ["Mine"]
        held.record_bet(BET)
    assert (path.read_bytes(), sorted(path.parent.iterdir())) == before


def test_a_read_only_ledger_without_a_file_is_empty(path: Path) -> None:
    with closing(Ledger(path, is_read_only=True)) as held:
        assert held.read_bets() == []
    assert not path.parent.exists()


def test_a_read_only_ledger_says_what_is_no_ledger(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"a letter" * 1000)
    with pytest.raises(LedgerError, match="not a database"):
        Ledger(path, is_read_only=True)
