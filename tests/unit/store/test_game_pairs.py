"""One game of two sources: found by the table, or by the user, who can take it back (D69)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.identity import GamePair, PairState
from oddsdesk.contract.quotes import Offer, Quote
from oddsdesk.store.errors import PairError
from oddsdesk.store.game_pairs import MOST_SUGGESTED
from oddsdesk.store.store import Store
from oddsdesk.store.values import Filters, Origin, Visibility
from tests.kit.engines import opening_stores, rows
from tests.kit.store import NOW

HOUR = 3_600_000
TABLES = ("game", "quote", "coverage", "value_bet", "price_change", "other_name", "event", "origin")
MakeQuote = Callable[..., Quote]


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with opening_stores(request, tmp_path) as opened:
        yield opened()


@pytest.fixture
def paris(quote: MakeQuote) -> MakeQuote:
    """Make a quote of PSG - Lyon under names that the table has."""

    def make(bookmaker: str = "Unibet", **fields: Any) -> Quote:
        odds = {"Paris SG": 1.5, "Draw": 4.2, "Olympique Lyonnais": 6.1}
        names = {"match_name": "Paris SG vs Olympique Lyonnais", "competition": "Ligue 1"}
        return quote(bookmaker, **({"odds": odds} | names | fields))

    return make


@pytest.fixture
def stars(quote: MakeQuote) -> MakeQuote:
    """Make a quote of PSG - Lyon under names that nobody knows."""

    def make(bookmaker: str = "Unibet", **fields: Any) -> Quote:
        odds = {"PSG Stars": 1.5, "Draw": 4.2, "Lyon Lions": 6.1}
        return quote(bookmaker, **({"odds": odds, "match_name": "PSG Stars v Lyon Lions"} | fields))

    return make


def record(store: Store, *quotes: Quote) -> None:
    store.record(quotes).result(10)


def do(store: Any, function: Callable[[Any], Any]) -> Any:
    return store.run_on_writer(function).result(10)


def pairs(store: Store) -> list[GamePair]:
    return store.find_pairs().result(10)


def accept(store: Store, ident: int) -> None:
    store.decide_pairs([ident], PairState.ACCEPTED, NOW).result(10)


def undo(store: Store, ident: int) -> None:
    store.decide_pairs([ident], PairState.SUGGESTED, NOW).result(10)


def refuse(store: Store, ident: int) -> None:
    store.decide_pairs([ident], PairState.REFUSED, NOW).result(10)


def dump(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every game, with the type of each value."""
    return {
        table: sorted(
            (
                tuple((type(value).__name__, value) for value in row)
                for row in rows(store, f"SELECT * FROM {table}")
            ),
            key=repr,
        )
        for table in TABLES
    }


def prices(store: Store) -> dict[str, dict[str, dict[str, float]]]:
    """Return the odds of each game by bookmaker."""
    query = "SELECT match_name, bookmaker, odds FROM quote JOIN game ON id = game ORDER BY 1, 2"
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, bookmaker, odds in rows(store, query):
        found.setdefault(name, {})[bookmaker] = odds and json.loads(odds)
    return found


def log(store: Store) -> list[tuple[str, str, str, float]]:
    query = (
        "SELECT match_name, bookmaker, selection, odds FROM price_change JOIN game"
        " ON id = game ORDER BY seq"
    )
    return rows(store, query)


def same_teams(store: Store) -> int:
    ((count,),) = rows(store, "SELECT count(*) FROM same_team")
    return int(count)


def test_names_of_the_table_are_one_game_in_the_words_of_the_first(
    store: Store, quote: MakeQuote, paris: MakeQuote
) -> None:
    record(store, quote())
    record(store, paris(), paris(market_type="spread", odds={"Paris SG -1.5": 2.5}))
    (game,) = store.reader().list_games(NOW, Filters(), Visibility(), 10).items
    assert (game.match_name, game.competition, game.bookmaker_count) == ("PSG - Lyon", "LIG1", 2)
    stored = rows(store, "SELECT odds FROM quote WHERE bookmaker = 'Unibet'")
    assert stored == [('{"PSG":1.5,"Draw":4.2,"Lyon":6.1}',), ('{"PSG -1.5":2.5}',)]
    assert ("PSG - Lyon", "Unibet", "PSG -1.5", 2.5) in log(store)


def test_a_game_answers_to_the_names_of_all_its_sources(
    store: Store, quote: MakeQuote, paris: MakeQuote
) -> None:
    record(store, quote(), paris())
    for name in ("PSG - Lyon", "Paris SG vs Olympique Lyonnais"):
        event = store.reader().event_detail(name, NOW, Visibility(), stale_minutes=60)
        assert event is not None
        assert event.match_name == "PSG - Lyon"
        assert event.summary.bookmakers == ["Bet365", "Unibet"]
    assert store.reader().event_detail("Paris SG", NOW, Visibility(), stale_minutes=60) is None


def test_both_may_come_at_once_and_later_ones_find_the_game_again(
    store: Store, quote: MakeQuote, paris: MakeQuote
) -> None:
    record(store, quote(), paris())
    later = NOW + 60_000
    odds = {"Paris SG": 1.6, "Draw": 4.2, "Olympique Lyonnais": 6.1}
    record(store, paris(odds=odds, scraped_at=later), quote(scraped_at=later))
    assert prices(store)["PSG - Lyon"]["Unibet"] == {"PSG": 1.6, "Draw": 4.2, "Lyon": 6.1}
    assert log(store)[-1] == ("PSG - Lyon", "Unibet", "PSG", 1.6)


def test_the_same_names_in_a_competition_that_is_called_differently_are_one_game(
    store: Store, quote: MakeQuote
) -> None:
    record(store, quote(), quote("Unibet", competition="soccer_france_ligue_one"))
    assert list(prices(store)) == ["PSG - Lyon"]


def test_teams_the_other_way_round_are_the_same_game_too(
    store: Store, quote: MakeQuote, paris: MakeQuote
) -> None:
    record(store, quote())
    name, odds = "Olympique Lyonnais @ Paris SG", {"1X": 1.1, "X2": 2.0}
    record(store, paris(match_name=name))
    record(store, paris(match_name=name, market_type="double_chance", odds=odds))
    record(store, paris("Bwin", match_name="Olympique Lyonnais vs Paris SG"))
    record(
        store,
        paris(
            "Bwin",
            match_name="Olympique Lyonnais vs Paris SG",
            market_type="double_chance",
            odds={"1X": 2.0, "X2": 1.1},
        ),
    )
    assert list(prices(store)) == ["PSG - Lyon"]
    stored = rows(
        store, "SELECT bookmaker, odds FROM quote WHERE market_type = 'double_chance' ORDER BY 1"
    )
    assert stored == [("Bwin", '{"1X":1.1,"X2":2.0}'), ("Unibet", '{"1X":1.1,"X2":2.0}')]


def test_prices_that_say_the_sides_are_swapped_keep_games_apart(
    store: Store, quote: MakeQuote, paris: MakeQuote
) -> None:
    record(store, quote())
    odds = {"Paris SG": 6.1, "Draw": 4.2, "Olympique Lyonnais": 1.5}
    record(store, paris(odds=odds))
    assert len(prices(store)) == 2
    assert pairs(store) == []


def test_two_ids_of_one_source_are_never_one_game_nor_suggested(
    store: Store, quote: MakeQuote, paris: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(event="a:1"), paris(event="a:2"), stars(event="a:3"))
    assert len(prices(store)) == 3
    assert pairs(store) == []


def test_ids_of_two_sources_are_of_one_game(
    store: Store, quote: MakeQuote, paris: MakeQuote
) -> None:
    record(store, quote(event="a:1"), paris(event="b:1"))
    record(store, paris("Bwin", event="b:1", scraped_at=NOW + 1), paris("Coral", event="a:2"))
    assert {name: set(books) for name, books in prices(store).items()} == {
        "PSG - Lyon": {"Bet365", "Unibet", "Bwin"},
        "Paris SG vs Olympique Lyonnais": {"Coral"},
    }


def test_made_up_games_are_never_matched(store: Store, quote: MakeQuote, paris: MakeQuote) -> None:
    store.record([quote(), paris()], simulated=True).result(10)
    assert len(prices(store)) == 2


def test_what_is_alike_only_is_suggested_and_stays_two_games(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(), stars())
    (pair,) = pairs(store)
    assert (pair.state, pair.kept.match_name, pair.other.match_name) == (
        PairState.SUGGESTED,
        "PSG - Lyon",
        "PSG Stars v Lyon Lions",
    )
    assert len(prices(store)) == 2
    assert pairs(store) == [pair]
    record(store, stars(match_date=NOW + 4 * HOUR, scraped_at=NOW + 1))
    assert pairs(store) == []


def test_an_accepted_pair_is_one_game_with_the_history_of_both(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(), stars())
    accept(store, pairs(store)[0].ident)
    assert prices(store) == {
        "PSG - Lyon": {
            "Bet365": {"PSG": 1.5, "Draw": 4.0, "Lyon": 6.0},
            "Unibet": {"PSG": 1.5, "Draw": 4.2, "Lyon": 6.1},
        }
    }
    assert log(store)[-1] == ("PSG - Lyon", "Unibet", "Lyon", 6.1)
    (game,) = store.reader().list_games(NOW, Filters(), Visibility(), 10).items
    assert game.bookmaker_count == 2
    record(store, stars("Bwin"))
    assert set(prices(store)["PSG - Lyon"]) == {"Bet365", "Unibet", "Bwin"}


def test_ids_of_an_accepted_pair_mean_the_one_game(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(event="a:1"), stars(event="b:1"))
    accept(store, pairs(store)[0].ident)
    query = "SELECT event, match_name FROM event JOIN game ON id = game ORDER BY event"
    found = rows(store, query)
    assert found == [("a:1", "PSG - Lyon"), ("b:1", "PSG - Lyon")]


def test_names_of_an_accepted_pair_are_aliases_from_then_on(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(), stars())
    accept(store, pairs(store)[0].ident)
    week = 7 * 24 * HOUR
    record(store, quote(match_date=NOW + week), stars(match_date=NOW + week))
    assert len(prices(store)) == 2
    assert all(len(books) == 2 for books in prices(store).values())


def test_the_id_of_a_merged_game_is_kept_free_for_it(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(), stars())
    (pair,) = pairs(store)
    accept(store, pair.ident)
    week = 7 * 24 * HOUR
    record(store, stars(match_date=NOW + week))
    games = store.reader().list_games(NOW, Filters(), Visibility(), 10).items
    assert pair.other.game_id not in [game.game_id for game in games]
    matrix = store.reader().matrix(pair.other.game_id, NOW, Visibility())
    assert matrix is not None
    assert matrix.match_name == "PSG - Lyon"
    undo(store, pair.ident)
    matrix = store.reader().matrix(pair.other.game_id, NOW, Visibility())
    assert matrix is not None
    assert matrix.match_name == "PSG Stars v Lyon Lions"


def test_the_id_of_a_game_that_was_merged_twice_leads_all_the_way(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    third = stars("Bwin", match_name="PSG Team v Lyon Team", odds={"PSG Team": 1.4})
    record(store, quote(), stars(), third)
    found = {(each.kept.match_name[:9], each.other.match_name[:9]): each for each in pairs(store)}
    later, sooner = found["PSG - Lyo", "PSG Stars"], found["PSG Stars", "PSG Team "]
    accept(store, sooner.ident)
    accept(store, later.ident)
    assert store.reader().merged_ids() == {
        later.kept.game_id: [sooner.other.game_id, later.other.game_id]
    }
    matrix = store.reader().matrix(sooner.other.game_id, NOW, Visibility())
    assert matrix is not None
    assert matrix.all_bookmakers == ["Bet365", "Bwin", "Unibet"]
    with pytest.raises(PairError, match=f"undo {later.ident} first"):
        undo(store, sooner.ident)


def test_undo_restores_both_games_to_the_byte(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    link = "https://a.b/c"
    record(store, quote(event="a:1"), stars(), stars("Bet365", scraped_at=NOW + 1_000, url=link))
    record(store, stars("Bwin", event="the-odds-api:1"))
    record(store, stars(market_type="spread", odds={"PSG Stars -1": 1.9}, liquidity=0.1 + 0.2))
    record(store, stars(odds={}, scraped_at=NOW + 5), quote("Bwin", match_date=NOW + HOUR + 60_000))
    (pair,) = pairs(store)
    before = dump(store)
    accept(store, pair.ident)
    assert dump(store) != before
    undo(store, pair.ident)
    assert dump(store) == before
    assert [each.state for each in pairs(store)] == [PairState.SUGGESTED]


def test_what_was_said_since_is_of_its_own_game_again(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(), stars())
    (pair,) = pairs(store)
    accept(store, pair.ident)
    later = NOW + 60_000
    odds = {"PSG Stars": 1.7, "Draw": 4.2, "Lyon Lions": 6.1}
    record(store, stars(odds=odds, scraped_at=later), quote("Bwin", scraped_at=later))
    undo(store, pair.ident)
    assert prices(store) == {
        "PSG - Lyon": {
            "Bet365": {"PSG": 1.5, "Draw": 4.0, "Lyon": 6.0},
            "Bwin": {"PSG": 1.5, "Draw": 4.0, "Lyon": 6.0},
        },
        "PSG Stars v Lyon Lions": {"Unibet": odds},
    }
    assert log(store)[-4:] == [
        ("PSG Stars v Lyon Lions", "Unibet", "PSG Stars", 1.7),
        ("PSG - Lyon", "Bwin", "PSG", 1.5),
        ("PSG - Lyon", "Bwin", "Draw", 4.0),
        ("PSG - Lyon", "Bwin", "Lyon", 6.0),
    ]


def test_what_may_not_be_passed_on_stays_so_through_accepting_and_undo(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(), stars("Bwin", event="the-odds-api:1"))
    (pair,) = pairs(store)
    accept(store, pair.ident)
    assert told_by(store) == {("PSG - Lyon", "Bwin")}
    store.record([stars("Unibet")], origin=Origin("a", may_share=False)).result(10)
    undo(store, pair.ident)
    assert told_by(store) == {
        ("PSG Stars v Lyon Lions", "Bwin"),
        ("PSG Stars v Lyon Lions", "Unibet"),
    }


def told_by(store: Store) -> set[tuple[str, str]]:
    query = "SELECT match_name, bookmaker FROM origin JOIN game ON game.id = origin.game"
    return set(rows(store, f"{query} WHERE NOT may_share"))


def test_two_names_are_taken_back_in_reverse_order(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    third = stars("Bwin", match_name="PSG Team v Lyon Team", odds={"PSG Team": 1.4})
    record(store, quote(), stars(), third)
    first, second = [each.ident for each in pairs(store) if each.kept.match_name == "PSG - Lyon"]
    before = dump(store)
    accept(store, first)
    between = dump(store)
    accept(store, second)
    assert len(prices(store)) == 1
    with pytest.raises(PairError, match=f"undo {second} first"):
        undo(store, first)
    undo(store, second)
    assert dump(store) == between
    undo(store, first)
    assert dump(store) == before


def test_a_refused_pair_is_not_suggested_again_until_that_is_undone(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(), stars())
    (pair,) = pairs(store)
    refuse(store, pair.ident)
    assert [each.state for each in pairs(store)] == [PairState.REFUSED]
    undo(store, pair.ident)
    assert [each.state for each in pairs(store)] == [PairState.SUGGESTED]


def test_names_that_are_all_alike_are_not_all_suggested(store: Store, quote: MakeQuote) -> None:
    record(store, *(quote(match_name=f"Quarter {n} - Final {n}", odds={}) for n in range(40)))
    assert len(pairs(store)) == MOST_SUGGESTED
    assert len(pairs(store)) == MOST_SUGGESTED


def test_what_cannot_be_done_says_why(store: Store, quote: MakeQuote, stars: MakeQuote) -> None:
    record(store, quote(), stars())
    (pair,) = pairs(store)
    with pytest.raises(PairError, match="has no decision"):
        undo(store, pair.ident)
    accept(store, pair.ident)
    for function, said in ((accept, "already accepted"), (refuse, "undo that first")):
        with pytest.raises(PairError, match=said):
            function(store, pair.ident)
    with pytest.raises(PairError, match="no such pair"):
        accept(store, 999)


def test_a_game_without_kick_off_is_suggested_and_takes_none_away(
    store: Store, quote: MakeQuote, paris: MakeQuote
) -> None:
    record(store, paris(match_date=None), quote())
    (pair,) = pairs(store)
    assert pair.kept.match_date is None
    accept(store, pair.ident)
    (game,) = store.reader().list_games(NOW, Filters(), Visibility(), 10).items
    assert game.match_name == "Paris SG vs Olympique Lyonnais"
    assert game.match_date is not None


def test_a_forgotten_game_leaves_its_names_and_nothing_else(
    store: Store, quote: MakeQuote, stars: MakeQuote
) -> None:
    record(store, quote(), stars())
    (pair,) = pairs(store)
    accept(store, pair.ident)
    record(store, stars("Bwin"))
    do(store, lambda c: c.execute("DELETE FROM price_change").rowcount)
    store.prune(NOW + 30 * 24 * HOUR)
    assert not any(dump(store).values())
    assert same_teams(store) == 2
    assert rows(store, "SELECT count(*) FROM said") == [(0,)]
    undo(store, pair.ident)
    assert same_teams(store) == 0


def test_links_and_limits_are_of_the_selections_in_the_words_of_the_one_game(
    store: Store, quote: MakeQuote, paris: MakeQuote, stars: MakeQuote
) -> None:
    def offers(store: Store) -> dict[str, Any]:
        query = "SELECT bookmaker, offers FROM quote WHERE offers IS NOT NULL"
        return {name: json.loads(text) for name, text in rows(store, query)}

    record(store, quote(), paris("Bwin", offers={"Paris SG": Offer(bet_limit=50.0)}))
    record(store, stars("Unibet", offers={"Lyon Lions": Offer(link="https://a.b/c")}))
    assert offers(store)["Bwin"] == {"PSG": {"bet_limit": 50.0}}
    accept(store, pairs(store)[0].ident)
    assert offers(store)["Unibet"] == {"Lyon": {"link": "https://a.b/c"}}
