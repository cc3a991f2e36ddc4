"""Answers about the past go on into the archive: nothing lacks, nothing comes twice."""

import contextlib
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.archive.archive import Archive
from oddsdesk.archive.folder import LookingBack
from oddsdesk.base.places import how_to_install
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import DAY_MS, HOUR_MS, MINUTE_MS
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import open_store
from oddsdesk.store.values import Filters, MoveFilter, Origin, Visibility
from tests.kit.postgres import Postgres

BEGIN = 1_776_000_000_000
END = BEGIN + 2 * DAY_MS
LATER = END + 9 * DAY_MS
GAMES = [f"Home {number} - Away" for number in range(4)]
IDS = [game_id("LIG1", name) for name in GAMES]
LIMIT_S = 30
FILTERS: dict[str, tuple[Any, ...]] = {
    "sport": ("football", "Tennis"),
    "competition": ("LIG1", "EPL"),
    "bookmaker": ("Bet365", "none"),
    "market_type": ("moneyline", "total"),
    "is_live": (True, False),
}
"""Each value gives other rows than the rest of its filter's."""
assert tuple(FILTERS) == Filters.__struct_fields__


class Recorded:
    """Two days of moves of four games, two bookmakers, two of the games with a draw in play."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.now = BEGIN
        self.folder = folder
        self.database = database
        self.store = open_store(database, clock=lambda: self.now)
        self.archive = Archive(folder, self.store.reader)
        step, number = 233 * MINUTE_MS, 0
        while self.now < END:
            for game, name in enumerate(GAMES):
                self.record(name, ("Pinnacle", "Bet365")[number % 2], 1.5 + number % 7 / 10, game)
            number += 1
            self.now += step
        self.now = END

    def record(self, name: str, bookmaker: str, odds: float, game: int) -> None:
        begins = BEGIN + game * DAY_MS
        prices = {name.partition(" - ")[0]: odds, "Away": 3.0}
        if game == 1 and int(odds * 10) % 3 == 0:
            prices.pop("Away")
        quote = Quote(
            bookmaker,
            name,
            "LIG1",
            "moneyline",
            0,
            prices,
            self.now,
            is_live=self.now > begins and game < 2,
            match_date=None if game == 3 else begins,
            liquidity=100.0,
        )
        self.store.record([quote]).result(LIMIT_S)

    @contextlib.contextmanager
    def reading(self, find: Any, share: tuple[str, ...] | None = None) -> Iterator[Reader]:
        opened = open_store(self.database, read_only=True, find_older=find, share=share)
        with contextlib.closing(opened):
            yield opened.reader()

    def answers(self, find: Any = None) -> dict[str, Any]:
        with self.reading(find) as reader:
            return {name: msgspec.to_builtins(answer) for name, answer in _answers(reader)}

    def differing(self, before: dict[str, Any], find: Any = None) -> list[str]:
        """Ask again; return which answers are others now."""
        answers = self.answers(find)
        return [name for name in before if answers[name] != before[name]]

    def drop_before(self, keep_from_ms: int) -> int:
        """Remove from the database what is older, as far as the archive has it."""
        return self.store.prune(keep_from_ms + DAY_MS, 1, self.archive.through(keep_from_ms))


def _answers(reader: Reader) -> Iterator[tuple[str, Any]]:
    """Ask all there is about the past."""
    everybody = Visibility()
    for ident in IDS:
        for name, wanted in (
            ("all", MoveFilter()),
            ("one", MoveFilter("moneyline", 0, "Away", "Pinnacle")),
            ("span", MoveFilter(since=BEGIN + DAY_MS // 2, until=BEGIN + DAY_MS)),
        ):
            yield (
                f"moves {name} {ident}",
                _pages(lambda cursor, i=ident, w=wanted: reader.moves(i, w, everybody, 7, cursor)),
            )
        for since in (0, BEGIN + DAY_MS):
            yield f"history {ident} {since}", reader.history(ident, "moneyline", 0, "Away", since)
            keys = [("moneyline", 0, "Away"), ("moneyline", 0, "Home 2")]
            found = reader.reference_history(ident, keys, since)
            yield f"reference {ident} {since}", [[key, found[key]] for key in sorted(found)]
        yield f"largest {ident}", reader.largest_move(ident)
    for kind, filters, wanted in (
        ("all", Filters(), MoveFilter()),
        ("football", Filters("Football", "LIG1"), MoveFilter(bookmaker="Pinnacle")),
        ("tennis", Filters("Tennis"), MoveFilter()),
        ("span", Filters(), MoveFilter(since=BEGIN + DAY_MS // 2, until=BEGIN + DAY_MS)),
        ("late", Filters(), MoveFilter(since=END - HOUR_MS)),
    ):
        for limit in (1, 7, 999):
            asked = (filters, wanted, everybody, limit)
            yield (
                f"moves of {kind} games by {limit}",
                _pages(lambda cursor, asked=asked: reader.moves_of_games(*asked, cursor)),
            )
    for at in range(BEGIN - 1, END + DAY_MS, 25 * HOUR_MS):
        yield (
            f"games {at}",
            _pages(lambda cursor, at=at: reader.games_as_of(at, Filters(), everybody, 2, cursor)),
        )
        rows = _pages(lambda cursor, at=at: reader.odds_as_of(at, Filters(), everybody, 3, cursor))
        yield f"rows {at}", [msgspec.json.encode(row).decode() for row in rows]
        seen = Visibility("Bet365", live=False)
        yield f"seen {at}", reader.games_as_of(at, Filters(sport="Football"), seen, 9)
        for name, values in FILTERS.items():
            for value in values:
                asked = (at, Filters(**{name: value}), everybody, 99)
                yield f"{value} games {at}", len(reader.games_as_of(*asked).items)
                yield f"{value} rows {at}", len(reader.odds_as_of(*asked).items)
        for ident in IDS:
            yield f"matrix {ident} {at}", reader.matrix_as_of(ident, at, everybody)
        for ident in (None, IDS[1]):
            for back in (False, True):
                yield f"next {at} {ident} {back}", reader.next_move(at, ident, back=back)
        moves = reader.changes_between(at, at + 20 * HOUR_MS, 50)
        yield f"between {at}", [msgspec.structs.astuple(move)[2:] for move in moves]
    for since, until in ((0, LATER), (BEGIN, BEGIN), (BEGIN + 1, BEGIN + 2 * DAY_MS - 1)):
        yield f"began {since} {until}", sorted(reader.real_games_between(since, until))
        yield f"kick-offs {since} {until}", reader.kick_offs(since, until, 2)
    yield "ends", reader.log_ends()
    yield "counts", reader.move_counts(BEGIN - HOUR_MS, END + HOUR_MS, 23)
    yield "began", reader.log_began()


def _pages(read: Callable[[str | None], Any]) -> list[Any]:
    found, cursor = [], None
    while True:
        page = read(cursor)
        if page is None:
            return ["unknown"]
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.fixture
def in_a_file(tmp_path: Path) -> Iterator[Recorded]:
    """Everything is in the database yet, and nothing archived."""
    made = Recorded(tmp_path / "odds.db", tmp_path / "archive")
    yield made
    made.store.close()


@pytest.fixture
def in_postgresql(postgres: Postgres, tmp_path: Path) -> Iterator[Recorded]:
    """The same on the other engine."""
    made = Recorded(DatabaseUrl(postgres.url_with_tables()), tmp_path / "archive")
    yield made
    made.store.close()


@pytest.fixture(params=["in_a_file", "in_postgresql"])
def recorded(request: pytest.FixtureRequest) -> Recorded:
    """On each engine in turn."""
    made: Recorded = request.getfixturevalue(request.param)
    return made


def test_what_went_into_the_archive_is_answered_as_if_it_had_not(recorded: Recorded) -> None:
    """While all is in both, while the seam lies somewhere, and when the database forgot it all."""
    before = recorded.answers()
    assert len(before["moves all " + IDS[0]]) > 12
    assert recorded.archive.seal(END) > 60
    find = LookingBack(recorded.folder)
    assert recorded.differing(before, find) == []
    for keep_from in (BEGIN + 20 * HOUR_MS, BEGIN + 30 * HOUR_MS):
        assert recorded.drop_before(keep_from) > 5
        assert recorded.differing(before, find) == []
    assert recorded.differing(before)
    recorded.archive.seal(END + DAY_MS)
    recorded.drop_before(LATER)
    with recorded.reading(None) as reader:
        assert reader.log_ends() is None
        assert reader.games_as_of(END, Filters(), Visibility(), 9).items == []
    assert recorded.differing(before, find) == []


def test_no_simulated_game_of_the_archive_is_a_real_one(in_a_file: Recorded) -> None:
    """Both kinds are in one hour: which row was the last that was made up tells them apart."""
    simulated, database = "Made up - Away", in_a_file.database.with_name("both.db")
    folder = in_a_file.folder.with_name("both")

    def quote(name: str) -> Quote:
        odds = {name.partition(" - ")[0]: 2.0, "Away": 2.0}
        return Quote("Pinnacle", name, "LIG1", "moneyline", 0, odds, BEGIN, match_date=END)

    with contextlib.closing(open_store(database, clock=lambda: BEGIN)) as store:
        store.record([quote(simulated)], simulated=True).result(LIMIT_S)
        store.record([quote(GAMES[0])]).result(LIMIT_S)
        archive = Archive(folder, store.reader)
        archive.seal(END)
        assert len(list(folder.glob("*/*.parquet"))) == 1
        store.prune(LATER, 1, archive.through(LATER - DAY_MS))
    opened = open_store(database, read_only=True, find_older=LookingBack(folder))
    with contextlib.closing(opened):
        found = opened.reader().real_games_between(END, END)
        assert [game.game_id for game in found] == [IDS[0]]
        assert opened.reader().moves(game_id("LIG1", simulated), MoveFilter(), Visibility(), 9)
        moves = opened.reader().moves_of_games(Filters(), MoveFilter(), Visibility(), 999).items
        assert simulated not in {move.match_name for move in moves}


def test_a_game_of_the_archive_is_listed_once_and_as_the_database_has_it(
    in_a_file: Recorded,
) -> None:
    """Its kick-off was moved after the hours that the archive has."""
    in_a_file.archive.seal(END)
    later = BEGIN + 3 * HOUR_MS
    odds = {"Home 0": 9.0, "Away": 1.1}
    quote = Quote("Pinnacle", GAMES[0], "LIG1", "moneyline", 0, odds, END, match_date=later)
    in_a_file.store.record([quote]).result(LIMIT_S)
    in_a_file.drop_before(BEGIN + 40 * HOUR_MS)
    with in_a_file.reading(LookingBack(in_a_file.folder)) as reader:
        kick_offs = [game.begins_ms for game in reader.real_games_between(0, LATER)]
        early = [game.game_id for game in reader.real_games_between(BEGIN, BEGIN)]
    assert len(kick_offs) == 3
    assert (later in kick_offs, IDS[0] in early) == (True, False)


def test_the_database_says_where_its_archive_is(recorded: Recorded) -> None:
    recorded.archive.seal(END)
    with recorded.reading(LookingBack()) as reader:
        assert reader.archive() is None
        recorded.store.keep_archive(recorded.folder).result(LIMIT_S)
        assert reader.archive() == str(recorded.folder)
        all_of_it = reader.history(IDS[0], "moneyline", 0, "Away", 0)
        assert recorded.drop_before(BEGIN + 40 * HOUR_MS) > 10
        assert reader.history(IDS[0], "moneyline", 0, "Away", 0) == all_of_it


def test_an_archive_that_cannot_be_read_is_said_once_in_one_line(
    in_a_file: Recorded, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Without pyarrow, or where the folder is another machine's: what the database has is told."""
    in_a_file.archive.seal(END)
    in_a_file.store.keep_archive(in_a_file.folder).result(LIMIT_S)
    in_a_file.drop_before(BEGIN + 40 * HOUR_MS)
    monkeypatch.setattr(
        "oddsdesk.archive.folder.find_spec",
        lambda name: None if name == "pyarrow" else importlib.util.find_spec(name),
    )
    find = LookingBack()
    caplog.clear()
    with in_a_file.reading(find) as reader:
        assert reader.log_ends()
        assert reader.lacks() == find.unreadable
    assert find.unreadable.endswith(f"without pyarrow: {how_to_install('archive')}")
    assert caplog.messages == [find.unreadable]
    caplog.clear()
    in_a_file.folder.rename(in_a_file.folder.with_name("elsewhere"))
    with in_a_file.reading(find) as reader:
        assert reader.log_ends()
        assert reader.log_ends()
    assert caplog.messages == [
        f"older odds are in the archive {in_a_file.folder}, which is missing"
    ]
    caplog.clear()


def test_a_damaged_archive_is_no_answer_rather_than_half_of_one(in_a_file: Recorded) -> None:
    in_a_file.archive.seal(END)
    in_a_file.drop_before(BEGIN + 40 * HOUR_MS)
    first = min(in_a_file.folder.glob("*/*.parquet"))
    whole = first.read_bytes()
    first.write_bytes(whole[:-100])
    with in_a_file.reading(LookingBack(in_a_file.folder)) as reader:
        with pytest.raises(StoreUnavailableError, match="the archive cannot be read"):
            reader.moves(IDS[0], MoveFilter(), Visibility(), 9)
        first.write_bytes(whole)
        assert reader.moves(IDS[0], MoveFilter(), Visibility(), 9)


def test_moments_back_and_forth_are_answered_as_each_by_itself(in_a_file: Recorded) -> None:
    """What is known of one is gone on from, forward and up to a day back."""
    in_a_file.archive.seal(END)
    in_a_file.drop_before(LATER)
    kept = LookingBack(in_a_file.folder)

    def odds(at: int, find: LookingBack) -> list[Any]:
        with in_a_file.reading(find) as reader:
            rows = reader.odds_as_of(at, Filters(), Visibility(), 500).items
            return [msgspec.json.encode(row) for row in rows]

    for hours in (40, 41, 20, 47, 17, 16, 46, 3, 4, 260, 240, 235, 30):
        at = BEGIN + hours * HOUR_MS
        assert odds(at, kept) == odds(at, LookingBack(in_a_file.folder)) != [], hours


def test_a_day_is_read_once_and_known_by_its_index_from_then_on(
    in_a_file: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that an earlier version archived gets its index in the next round."""
    before = in_a_file.answers()
    in_a_file.archive.seal(END)
    for index in in_a_file.folder.glob("*/_index"):
        index.unlink()
    Archive(in_a_file.folder, in_a_file.store.reader).seal(END)
    days = len(list(in_a_file.folder.iterdir()))
    assert len(list(in_a_file.folder.glob("*/_index"))) == days > 1
    in_a_file.drop_before(LATER)
    monkeypatch.setattr("pyarrow.parquet.ParquetFile", None)
    with in_a_file.reading(LookingBack(in_a_file.folder)) as reader:
        assert reader.log_ends() == tuple(before["ends"])
        assert reader.kick_offs(0, LATER, 2) == before[f"kick-offs 0 {LATER}"]


def test_an_index_that_is_not_of_these_files_is_made_again(in_a_file: Recorded) -> None:
    """Cut off, of a file that was put back otherwise, or of days that lie elsewhere."""
    before = in_a_file.answers()
    in_a_file.archive.seal(END)
    in_a_file.drop_before(LATER)
    first, *_, last = sorted(in_a_file.folder.glob("*/_index"))
    whole = first.read_bytes()
    for wrong in (whole[:-9], b"", last.read_bytes(), whole.replace(b".parquet", b".parquex")):
        first.write_bytes(wrong)
        assert in_a_file.differing(before, LookingBack(in_a_file.folder)) == []
        assert first.read_bytes() == whole


def test_what_no_one_may_pass_on_is_not_told_of_the_archive_either(in_a_file: Recorded) -> None:
    """D66; who told the prices of a forgotten game is forgotten, too: then none is told."""
    in_a_file.now = END
    quote = Quote("Secret", GAMES[0], "LIG1", "moneyline", 0, {"Home 0": 2.0, "Away": 2.0}, END)
    in_a_file.store.record([quote], origin=Origin("the-odds-api", may_share=False)).result(LIMIT_S)
    in_a_file.archive.seal(END + DAY_MS)

    def told(share: tuple[str, ...]) -> set[str] | None:
        with in_a_file.reading(LookingBack(in_a_file.folder), share) as reader:
            page = reader.moves(IDS[0], MoveFilter(), Visibility(), 500)
            of_all = reader.moves_of_games(Filters(), MoveFilter(), Visibility(), 5000).items
            found = None if page is None else {move.bookmaker for move in page.items}
            assert {m.bookmaker for m in of_all if m.game_id == IDS[0]} == (found or set())
            return found

    for keep_from in (BEGIN, END - HOUR_MS):
        in_a_file.drop_before(keep_from)
        assert told(()) == {"Pinnacle", "Bet365"}
        assert told(("the-odds-api",)) == {"Pinnacle", "Bet365", "Secret"}
    in_a_file.drop_before(LATER)
    assert told(()) is None
    assert told(("the-odds-api",)) == {"Pinnacle", "Bet365", "Secret"}
