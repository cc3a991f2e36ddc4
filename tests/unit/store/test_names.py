"""The stored game of a quote's teams is found by an index as plain comparing finds it (D69)."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.contract.quotes import Quote
from oddsdesk.matching.games import Game, Verdict, compare
from oddsdesk.store.games import plain_name
from oddsdesk.store.names import (
    OtherNames,
    canonical,
    names_known,
    unknown_bookmaker,
    usual_spelling,
)
from oddsdesk.store.sqlite.tables import Tables
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility
from tests.kit.store import NOW

HOUR = 3_600_000
UNITED = ["Man United", "Manchester United", "Man Utd"]
ARSENAL = ["Arsenal", "Arsenal FC", "The Gunners", "Leeds"]
INSERT = """
INSERT INTO game (id, game_id, competition, sport, match_name, plain_name, match_date)
VALUES (?, ?, ?, 'Football', ?, ?, ?)
"""
SAY_SAME = "INSERT INTO same_team VALUES (?, 'EPL', 'The Gunners', 'Arsenal')"


@dataclass(slots=True)
class Known:
    row: int
    competition: str
    match_name: str
    match_date: int | None


names = st.builds(
    str.format,
    st.sampled_from(["{0} - {1}", "{0} vs {1}", "{0} @ {1}", "{1} - {0}"]),
    st.sampled_from(UNITED),
    st.sampled_from(ARSENAL),
)
places = st.sampled_from(["EPL", "EPL", "soccer_epl", "EFL"])
starts = st.sampled_from([NOW + minutes * 60_000 for minutes in range(-180, 181, 30)])
games = st.lists(st.tuples(places, names, starts, st.booleans()), max_size=12)


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path: Path = tmp_path_factory.mktemp("names")
    with closing(open_store(path / "odds.db")) as store:
        yield store


def quote_of(competition: str, match_name: str, start: int) -> Quote:
    return Quote(
        bookmaker="Bet365",
        match_name=match_name,
        competition=competition,
        market_type="moneyline",
        period=0,
        odds={},
        scraped_at=NOW,
        match_date=start,
    )


def plainly(
    connection: sqlite3.Connection, known: list[Known], quote: Quote
) -> tuple[int, bool] | None:
    found = []
    said = Game(quote.competition, quote.match_name, quote.match_date, NOW)
    for game in known:
        plain = (game.competition, plain_name(game.match_name))
        if game.match_date is None or plain == (quote.competition, plain_name(quote.match_name)):
            continue
        stored = Game(game.competition, game.match_name, game.match_date, NOW)
        match = compare(names_known(Tables(connection)), said, stored)
        if match.verdict is Verdict.SAME:
            away = abs(game.match_date - (quote.match_date or 0))
            found.append((away, game.row, match.is_crosswise, game.match_date))
    if not found:
        return None
    (near, *_, start), (farther, *_, other) = (*sorted(found), (1 << 60, 0, False, 1 << 60))[:2]
    is_between = min(start, other) < (quote.match_date or 0) < max(start, other)
    is_of_neither = is_between and farther - near < 3_600_000 and farther < 2 * near
    return None if is_of_neither else min(found)[1:3]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(games, st.lists(st.tuples(places, names, starts), min_size=1, max_size=4), st.booleans())
def test_the_index_answers_as_comparing_with_every_game(
    one_store: Store,
    said: list[tuple[str, str, int, bool]],
    asked: list[tuple[str, str, int]],
    with_alias: bool,
) -> None:
    known = [Known(row, *each[:3]) for row, each in enumerate(said, 1)]
    made = [game for game, (*_, is_made) in zip(known, said, strict=True) if is_made]

    def check(connection: sqlite3.Connection) -> None:
        for game in known:
            date = None if game in made else game.match_date
            place = (game.competition, game.match_name, plain_name(game.match_name), date)
            connection.execute(INSERT, (game.row, f"id {game.row}", *place))
        if with_alias:
            connection.execute("INSERT INTO game_pair VALUES (1,'','','','','',0,'',0,NULL)")
            connection.execute(SAY_SAME, (1,))
        quotes = [quote_of(*each) for each in asked]
        other_names = OtherNames(Tables(connection), quotes)
        for game in made:
            other_names.note_made(game, plain_name(game.match_name))
        for quote in quotes:
            found = other_names.find_row(quote, plain_name(quote.match_name))
            assert found == plainly(connection, known, quote)
        for table in ("same_team", "game_pair", "game"):
            connection.execute(f"DELETE FROM {table}")

    one_store.run_on_writer(check).result(10)


MakeQuote = Callable[..., Quote]


def record(store: Store, *quotes: Quote) -> None:
    store.record(quotes).result(10)


def names_of_bookmaker_names(store: Store, now: int) -> list[str]:
    return [each.name for each in store.reader().list_bookmakers(now)]


@pytest.mark.parametrize(
    "spellings",
    [
        ("betvictor", "BetVictor", "Bet Victor", "VC Bet", "BET-VICTOR"),
        ("ladbrokes_uk", "Ladbrokes", "Ladbrokes UK", "Ladbrokes (UK)"),
        ("betfair_ex_uk", "Betfair Exchange UK", "Betfair Exchange"),
        ("betfair_sb_uk", "Betfair Sportsbook"),
        ("williamhill_us", "William Hill (US)", "Caesars"),
        ("sport888", "888sport"),
        ("bet365", "Bet365"),
        ("Betclic.fr", "Betclic (FR)", "betclic_fr"),
        ("Unibet.fr", "Unibet (FR)", "unibet_fr"),
    ],
)
def test_spellings_of_one_bookmaker_are_one(spellings: tuple[str, ...]) -> None:
    assert len({canonical(name) for name in spellings}) == 1
    assert canonical(spellings[0]) is not None


@pytest.mark.parametrize(
    "licences",
    [
        ("betfair_ex_uk", "betfair_ex_eu", "betfair_ex_au", "betfair_sb_uk"),
        ("ladbrokes_uk", "ladbrokes_au"),
        ("unibet", "unibet_uk", "unibet_eu", "unibet_fr", "unibet_it", "unibet_nl", "unibet_se"),
        ("williamhill", "williamhill_us"),
        ("leovegas", "leovegas_se"),
        ("winamax_fr", "winamax_de"),
        ("hardrockbet", "hardrockbet_az", "hardrockbet_fl", "hardrockbet_oh"),
        ("betonlineag", "lowvig"),
        ("tab", "tabtouch"),
        ("pinnacle", "PS3838"),
    ],
)
def test_licences_and_skins_with_prices_of_their_own_stay_apart(licences: tuple[str, ...]) -> None:
    assert len({canonical(name) for name in licences}) == len(licences)


@pytest.mark.parametrize(
    "name", ["Betfair", "bwin.fr", "Bets.io", "Winamax", "Betfair Exchange (delayed)", "Book 12"]
)
def test_a_name_that_may_be_several_or_is_unknown_is_a_bookmaker_of_its_own(name: str) -> None:
    assert canonical(name) is None


def test_other_spellings_are_recorded_under_the_name_that_came_first(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote("betvictor"))
    record(store, quote("BetVictor", scraped_at=now + 1, odds={"PSG": 1.6, "Lyon": 5.0}))
    record(store, quote("Bet Victor", scraped_at=now + 2, odds={"PSG": 1.7, "Lyon": 5.0}))
    assert names_of_bookmaker_names(store, now) == ["betvictor"]
    rows = store.reader().list_odds(now, Filters(), Visibility(), 10).items
    assert [(row.bookmaker, bytes(row.odds)) for row in rows] == [
        ("betvictor", b'{"PSG":1.7,"Lyon":5.0}')
    ]
    changes = store.reader().changes_after(0, 100)
    assert {change.bookmaker for change in changes} == {"betvictor"}


def test_two_spellings_in_one_recording_are_one(store: Store, quote: MakeQuote, now: int) -> None:
    record(store, quote("Ladbrokes UK"), quote("Ladbrokes", match_name="Lens - Lille"))
    assert names_of_bookmaker_names(store, now) == ["Ladbrokes UK"]


def test_what_another_program_named_meanwhile_holds(
    store: Store, quote: MakeQuote, tmp_path: Path, now: int
) -> None:
    record(store, quote("Unibet"))
    other = open_store(tmp_path / "odds.db", clock=lambda: now)
    record(other, quote("betvictor"))
    other.close()
    record(store, quote("Bet Victor", match_name="Lens - Lille"))
    assert names_of_bookmaker_names(store, now) == ["Unibet", "betvictor"]


def test_a_recording_that_fails_names_nobody(store: Store, quote: MakeQuote, now: int) -> None:
    broken = quote("betvictor", odds={"PSG": "no number"}, period=2**70)
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever SQLite says
        record(store, broken)
    record(store, quote("Bet Victor"))
    assert names_of_bookmaker_names(store, now) == ["Bet Victor"]


def test_a_reference_is_found_by_any_of_its_names(
    tmp_path: Path, quote: MakeQuote, now: int
) -> None:
    path = tmp_path / "odds.db"
    for reference, expected in [("betvictor", "betvictor"), ("Bet Victor", "betvictor")]:
        store = open_store(path, reference, clock=lambda: now)
        record(store, quote("BetVictor", liquidity=100.0), quote("Unibet"))
        assert store.reference == expected
        rows = store.reader().list_odds(now, Filters(bookmaker=expected), Visibility(), 10).items
        assert [row.liquidity for row in rows] == [100.0]
        store.close()
    store = open_store(path, read_only=True, reference="VC Bet")
    assert store.reference == "betvictor"
    store.close()


@pytest.fixture
def both(tmp_path: Path, quote: MakeQuote, now: int) -> Path:
    """A database from before names were one: two spellings of a bookmaker, and another."""
    path = tmp_path / "old.db"
    store = open_store(path, clock=lambda: now)
    record(store, quote("A"), quote("B", scraped_at=now + 5, odds={"PSG": 1.7, "Lyon": 5.0}))
    record(store, quote("A", market_type="btts", odds={"Yes": 1.8, "No": 2.0}), quote("Unibet"))
    record(store, quote("B", match_name="Lens - Lille", odds={"Lens": 1.4, "Lille": 3.1}))
    store.close()
    with sqlite3.connect(path) as connection:
        for table in ("quote", "coverage", "price_change", "source"):
            for old, new in (("A", "BetVictor"), ("B", "Bet Victor")):
                statement = f"UPDATE {table} SET bookmaker = ? WHERE bookmaker = ?"
                connection.execute(statement, (new, old))
        connection.execute("UPDATE game SET match_date_by = 'BetVictor' WHERE match_date_by = 'A'")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name = 'one_name_a_bookmaker'")
    connection.close()
    return path


def test_a_database_with_two_spellings_is_joined_and_the_earlier_file_kept(
    both: Path, now: int
) -> None:
    store = open_store(both, clock=lambda: now)
    assert names_of_bookmaker_names(store, now) == ["Bet Victor", "Unibet"]
    rows = store.reader().list_odds(now, Filters(bookmaker="Bet Victor"), Visibility(), 10).items
    assert sorted((row.match_name, row.market_type, bytes(row.odds)) for row in rows) == [
        ("Lens - Lille", "moneyline", b'{"Lens":1.4,"Lille":3.1}'),
        ("PSG - Lyon", "btts", b'{"Yes":1.8,"No":2.0}'),
        ("PSG - Lyon", "moneyline", b'{"PSG":1.7,"Lyon":5.0}'),
    ]
    games = store.reader().list_games(now, Filters(), Visibility(), 10).items
    assert {game.match_name: game.bookmaker_count for game in games} == {
        "PSG - Lyon": 2,
        "Lens - Lille": 1,
    }
    changes = store.reader().changes_after(0, 100)
    assert {change.bookmaker for change in changes} == {"Bet Victor", "Unibet"}
    assert len(changes) == 12
    store.close()
    (copy,) = both.parent.glob("old.db.before-*")
    connection = sqlite3.connect(copy)
    kept = connection.execute("SELECT DISTINCT bookmaker FROM price_change").fetchall()
    connection.close()
    assert sorted(kept) == [("Bet Victor",), ("BetVictor",), ("Unibet",)]


def test_the_spelling_of_the_reference_stays(both: Path, now: int) -> None:
    with sqlite3.connect(both) as connection:
        connection.execute("INSERT INTO setting VALUES ('reference', 'BetVictor')")
    connection.close()
    store = open_store(both, clock=lambda: now)
    assert names_of_bookmaker_names(store, now) == ["BetVictor", "Unibet"]
    assert store.reference == "BetVictor"
    store.close()


def test_a_name_takes_the_spelling_that_is_recorded_where_only_case_differs() -> None:
    assert usual_spelling(" william  hill", ["WILLIAM HILL"]) == "WILLIAM HILL"
    assert usual_spelling("william hill", []) == "William Hill"
    assert usual_spelling("corner shop", ["Corner Shop"]) == "Corner Shop"
    assert usual_spelling("Pinacl", ["Pinnacle"]) == "Pinacl"


def test_a_hint_is_spelled_as_recorded() -> None:
    assert unknown_bookmaker("bet36", ["Bet365"]).endswith("; did you mean Bet365?")
    assert unknown_bookmaker("bet36", ["BET365"]).endswith("; did you mean BET365?")
