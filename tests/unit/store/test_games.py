"""Which game a quote belongs to and when it starts (D31, D40)."""

import random
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.store.games import SPORTS_BY_CODE
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility

NOW = 1_776_000_000_000
HOUR = 3_600_000
DAY = 24 * HOUR
MakeQuote = Callable[..., Quote]


@pytest.fixture
def store(every_store: Store) -> Store:
    return every_store


def record(store: Store, *quotes: Quote):
    return store.record(quotes).result(10)


def games(store: Store, now: int) -> dict[str, str | None]:
    page = store.reader().list_games(now, Filters(), Visibility(), 100)
    return {game.match_name: game.match_date for game in page.items}


def kick_offs(store: Store) -> dict[str, str | None]:
    """All games, over or not, in the order in which they came."""
    query = "SELECT match_name, match_date FROM game ORDER BY id"
    rows = store.run_on_writer(lambda c: c.execute(query).fetchall()).result(10)
    return {name: None if date is None else format_ms(date) for name, date in rows}


def bookmakers(store: Store) -> dict[str, list[str]]:
    query = "SELECT match_name, bookmaker FROM quote JOIN game ON id = game ORDER BY bookmaker, id"
    found = defaultdict(list)
    for name, bookmaker in store.run_on_writer(lambda c: c.execute(query).fetchall()).result(10):
        found[name].append(bookmaker)
    return found


def test_the_first_spelling_of_a_game_is_kept(store: Store, quote: MakeQuote, now: int) -> None:
    record(store, quote(), quote("Unibet", match_name="psg - LYON"))
    page = store.reader().list_games(now, Filters(), Visibility(), 10)
    assert [(g.match_name, g.bookmaker_count) for g in page.items] == [("PSG - Lyon", 2)]
    assert page.items[0].game_id == "8548bd40-bf55-7646-9218-2b324858f5f5"


def test_games_of_any_name_are_found_again(store: Store, quote: MakeQuote) -> None:
    """Of several competitions in one recording, two of which have a game of one name."""
    places = ['Cup "A", \\B', "Élite [1]", "{}", "$.key", "1"]
    teams = ["PSG - Lyon", 'O\'Higgins "2" - Ñublense', "\\ - /", "[1] - \U0001f3c6"]
    said = [quote(competition=place, match_name=name) for place in places for name in teams]
    assert record(store, *said).changes == 3 * len(said)
    assert record(store, *said).changes == 0
    rows = store.run_on_writer(lambda c: c.execute("SELECT count(*) FROM game").fetchall()).result(
        10
    )
    assert rows[0][0] == len(said)


def test_of_two_kick_offs_the_latest_scraped_counts(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(match_date=now + HOUR))
    record(store, quote(match_date=now + HOUR, scraped_at=now + 20))
    record(store, quote("Unibet", match_date=now + 2 * HOUR, scraped_at=now + 10))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T14:20:00.000Z"}
    record(store, quote("Unibet", match_date=now + 2 * HOUR, scraped_at=now + 30))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T15:20:00.000Z"}


def test_the_references_kick_off_outranks_all_others(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote("Pinnacle", match_date=now + HOUR, scraped_at=now - 60_000))
    record(store, quote(match_date=now + 2 * HOUR))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T14:20:00.000Z"}


def test_the_reference_corrects_an_earlier_kick_off_though_it_was_scraped_before(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(match_date=now + 2 * HOUR))
    record(store, quote("Pinnacle", match_date=now + HOUR, scraped_at=now - 60_000))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T14:20:00.000Z"}


def test_a_quote_without_kick_off_leaves_the_known_one(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(), quote("Unibet", match_date=None, scraped_at=now + 1))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T14:20:00.000Z"}


def test_a_second_game_of_the_same_names_is_named_with_its_date(
    store: Store, quote: MakeQuote, now: int
) -> None:
    second = now + HOUR + DAY
    batch = [quote(), quote(match_date=second), quote("Unibet"), quote("Unibet", match_date=second)]
    record(store, *batch)
    expected = {
        "PSG - Lyon": "2026-04-12T14:20:00.000Z",
        "PSG - Lyon (2026-04-13)": "2026-04-13T14:20:00.000Z",
    }
    assert games(store, now) == expected
    assert record(store, *batch).changes == 0
    assert games(store, now) == expected


def test_a_whole_series_keeps_its_names_whatever_the_order(
    store: Store, quote: MakeQuote, now: int
) -> None:
    dates = [now + HOUR + day * DAY for day in (2, 0, 1)]
    record(store, *[quote(match_date=date) for date in dates])
    names = set(games(store, now))
    assert names == {"PSG - Lyon", "PSG - Lyon (2026-04-12)", "PSG - Lyon (2026-04-13)"}
    record(store, *[quote("Unibet", match_date=date) for date in reversed(dates)])
    assert set(games(store, now)) == names


def test_a_kick_off_that_moves_by_hours_is_the_same_game(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(), quote(match_date=now + 7 * HOUR))
    assert games(store, now) == {"PSG - Lyon": "2026-04-12T20:20:00.000Z"}
    record(store, quote(match_date=now + 7 * HOUR + 1, scraped_at=now + 1))
    assert len(games(store, now)) == 1


def test_a_dated_game_that_moves_past_midnight_is_still_found(
    store: Store, quote: MakeQuote, now: int
) -> None:
    evening = now + DAY + 10 * HOUR  # 2026-04-13T23:20Z
    record(store, quote(), quote(match_date=evening), quote(match_date=evening + 2 * HOUR))
    assert games(store, now) == {
        "PSG - Lyon": "2026-04-12T14:20:00.000Z",
        "PSG - Lyon (2026-04-13)": "2026-04-14T01:20:00.000Z",
    }


def test_next_seasons_game_is_another_one_and_no_name_changes_hands(
    store: Store, quote: MakeQuote, now: int
) -> None:
    """D71: ids are kept by clients, so the name of a game that is over stays its own."""
    record(store, quote("Pinnacle"), quote("Pinnacle", match_date=now + HOUR + DAY))
    later = now + 20 * HOUR
    record(store, quote(match_date=now + HOUR + DAY, scraped_at=later))
    record(store, quote(match_date=now + HOUR + 7 * DAY, scraped_at=later))
    assert kick_offs(store) == {
        "PSG - Lyon": "2026-04-12T14:20:00.000Z",
        "PSG - Lyon (2026-04-13)": "2026-04-13T14:20:00.000Z",
        "PSG - Lyon (2026-04-19)": "2026-04-19T14:20:00.000Z",
    }


def test_three_games_of_two_days_are_three_games(store: Store, quote: MakeQuote, now: int) -> None:
    late, early = now + 30 * HOUR, now + 16 * HOUR  # both on 13 April, 14 h apart
    record(store, quote(), quote(match_date=late), quote(match_date=early, scraped_at=now + 1))
    assert kick_offs(store) == {
        "PSG - Lyon": "2026-04-12T14:20:00.000Z",
        "PSG - Lyon (2026-04-13)": "2026-04-13T19:20:00.000Z",
        "PSG - Lyon (2026-04-13 05:20)": "2026-04-13T05:20:00.000Z",
    }


def test_the_nearest_of_two_games_is_the_one_that_moved(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(), quote(match_date=now + 8 * HOUR))
    record(store, quote(match_date=now + 6 * HOUR, scraped_at=now + 1))
    assert set(kick_offs(store).values()) == {
        "2026-04-12T14:20:00.000Z",
        "2026-04-12T19:20:00.000Z",
    }


def record_doubleheader(store: Store, quote: MakeQuote, now: int) -> None:
    """Two games of a day, in three hours and in seven."""
    late = quote(match_date=now + 7 * HOUR, event=SECOND)
    record(store, quote(match_date=now + 3 * HOUR, event=FIRST), late)


@pytest.mark.parametrize("name", ["PSG - Lyon", "Paris SG - Lyon"])
@pytest.mark.parametrize("event", [None, "other:1"])
def test_a_kick_off_midway_between_two_games_is_of_neither(
    store: Store, quote: MakeQuote, now: int, name: str, event: str | None
) -> None:
    """D31: it was the first one's, whose prices were then compared with the second's."""
    record_doubleheader(store, quote, now)
    midway = quote("Unibet", match_name=name, match_date=now + 5 * HOUR, event=event)
    record(store, midway)
    record(store, midway)
    assert sorted(bookmakers(store).values()) == [["Bet365"], ["Bet365"], ["Unibet"]]


@pytest.mark.parametrize("name", ["PSG - Lyon", "Paris SG - Lyon"])
@pytest.mark.parametrize("event", [None, "other:1"])
def test_of_two_games_a_kick_off_that_is_much_nearer_to_one_is_its(
    store: Store, quote: MakeQuote, now: int, name: str, event: str | None
) -> None:
    record_doubleheader(store, quote, now)
    record(store, quote("Unibet", match_name=name, match_date=now + 4 * HOUR, event=event))
    assert list(bookmakers(store).values()) == [["Bet365", "Unibet"], ["Bet365"]]


def test_a_kick_off_midway_is_of_the_game_that_its_source_has_no_other_id_of(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record_doubleheader(store, quote, now)
    late = quote("Unibet", match_date=now + 7 * HOUR, event="other:2")
    record(store, late, quote("Unibet", match_date=now + 5 * HOUR, event="other:1"))
    assert list(bookmakers(store).values()) == [["Bet365", "Unibet"]] * 2


def test_a_game_that_drifts_far_from_the_day_in_its_name_is_still_found(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(), quote(match_date=now + DAY))
    for step in range(1, 9):
        moved = quote(match_date=now + DAY + step * 5 * HOUR, scraped_at=now + step)
        record(store, moved)
    assert kick_offs(store)["PSG - Lyon (2026-04-13)"] == "2026-04-15T05:20:00.000Z"
    assert len(kick_offs(store)) == 2


def test_a_quote_without_kick_off_is_of_the_game_that_is_next(
    store: Store, quote: MakeQuote, now: int
) -> None:
    yesterday, tomorrow = now - DAY, now + DAY
    record(store, quote(match_date=yesterday, scraped_at=yesterday), quote(match_date=tomorrow))
    record(store, quote("Unibet", match_date=None))
    assert bookmakers(store) == {
        "PSG - Lyon": ["Bet365"],
        "PSG - Lyon (2026-04-13)": ["Bet365", "Unibet"],
    }


def test_seasons_without_kick_offs_are_told_apart_by_when_they_were_priced(
    store: Store, quote: MakeQuote, now: int
) -> None:
    year = 365 * DAY
    for age in (year, 0, 2 * year):
        record(store, quote(match_date=None, scraped_at=now - age))
        record(store, quote("Unibet", match_date=None, scraped_at=now - age + DAY))
    assert bookmakers(store) == {
        "PSG - Lyon": ["Bet365", "Unibet"],
        "PSG - Lyon (2026-04-12)": ["Bet365", "Unibet"],
        "PSG - Lyon (2024-04-12)": ["Bet365", "Unibet"],
    }


def test_a_kick_off_told_later_is_of_the_game_that_was_priced_without(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(match_date=None))
    record(store, quote("Unibet", match_date=now + 40 * DAY, scraped_at=now + DAY))
    assert kick_offs(store) == {"PSG - Lyon": "2026-05-22T13:20:00.000Z"}


def test_a_dated_name_told_back_is_the_game_that_has_it_and_its_plain_name_too(
    store: Store, quote: MakeQuote, now: int
) -> None:
    name = "PSG - Lyon (2026-04-12)"
    record(store, quote(match_name=name), quote("Unibet"))
    assert bookmakers(store) == {name: ["Bet365", "Unibet"]}
    record(store, quote("bwin", match_name=name), quote("Coral", match_date=now + 2 * HOUR))
    assert bookmakers(store) == {name: ["Bet365", "Coral", "Unibet", "bwin"]}


def test_a_date_that_is_not_the_kick_offs_tells_games_apart(
    store: Store, quote: MakeQuote, now: int
) -> None:
    """A fast replay moves the days of a series together, and names them."""
    record(store, quote(), quote(match_name="PSG - Lyon (2026-04-15)", match_date=now + HOUR + 1))
    assert len(kick_offs(store)) == 2


@pytest.mark.parametrize("event", [None, "source:1"])
def test_a_game_whose_dated_name_is_another_games_is_made_once(
    store: Store, quote: MakeQuote, now: int, event: str | None
) -> None:
    """D31: a replay next to an import of its files made one with each recording, without end."""
    name = "PSG - Lyon (2026-04-15)"
    record(store, quote(), quote(match_name=name, match_date=now + 3 * DAY, event=event))
    for bookmaker in ("Unibet", "Coral", "bwin"):
        record(store, quote(bookmaker, match_name=name, event=event))
    assert bookmakers(store) == {
        "PSG - Lyon": ["Bet365"],
        name: ["Bet365"],
        "PSG - Lyon (2026-04-15, 2)": ["Coral", "Unibet", "bwin"],
    }


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_kick_off_at_the_ends_of_time_is_a_kick_off(
    store: Store, quote: MakeQuote, text: str
) -> None:
    record(store, quote(), quote(match_date=parse_ms(text)))
    record(
        store, quote("Unibet", match_name=f"PSG - Lyon ({text[:10]})", match_date=parse_ms(text))
    )
    assert list(kick_offs(store).values()) == [
        "2026-04-12T14:20:00.000Z",
        format_ms(parse_ms(text)),
    ]


FIRST, SECOND = "source:1", "source:2"


@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("backwards", [True, False])
def test_two_ids_of_one_source_are_two_games_however_close(
    store: Store, quote: MakeQuote, now: int, batched: bool, backwards: bool
) -> None:
    """D51: a doubleheader 5.5 hours apart was one game."""
    pair = [
        quote(match_date=now + HOUR, event=FIRST),
        quote(match_date=now + 13 * HOUR // 2, event=SECOND, scraped_at=now + 1),
    ]
    for quotes in [pair] if batched else [[each] for each in pair[:: -1 if backwards else 1]]:
        record(store, *quotes)
    expected = {"2026-04-12T14:20:00.000Z", "2026-04-12T19:50:00.000Z"}
    assert set(kick_offs(store).values()) == expected
    record(store, *(quote("Unibet", match_date=each.match_date) for each in pair))
    record(store, *pair)
    assert set(kick_offs(store).values()) == expected
    assert list(bookmakers(store).values()) == [["Bet365", "Unibet"]] * 2


def test_an_id_keeps_its_game_where_the_other_one_is_nearer(
    store: Store, quote: MakeQuote, now: int
) -> None:
    """The second game is put forward to an hour after the first: prices stay with their games."""
    first = quote(match_date=now + HOUR, event=FIRST)
    record(store, first, quote(match_date=now + 6 * HOUR, event=SECOND))
    moved = quote(match_date=now + 2 * HOUR, event=SECOND, scraped_at=now + 1)
    assert record(store, moved).changes == 0
    assert kick_offs(store) == {
        "PSG - Lyon": "2026-04-12T14:20:00.000Z",
        "PSG - Lyon (2026-04-12)": "2026-04-12T15:20:00.000Z",
    }


def test_a_game_of_a_doubleheader_is_put_off_to_another_day(
    store: Store, quote: MakeQuote, now: int
) -> None:
    """What withdraws its price finds the old game, and leaves the other game's."""
    first = quote(match_date=now + HOUR, event=FIRST)
    second = quote(match_date=now + 6 * HOUR, event=SECOND)
    record(store, first, second)
    off = quote(match_date=now + HOUR, event=FIRST, odds={}, scraped_at=now + 1)
    put_off = quote(match_date=now + 27 * HOUR, event=FIRST, scraped_at=now + 1)
    record(store, off, put_off, quote(match_date=now + 6 * HOUR, event=SECOND, scraped_at=now + 1))
    assert len(kick_offs(store)) == 3
    query = "SELECT match_date FROM quote JOIN game ON id = game WHERE odds IS NOT NULL ORDER BY 1"
    priced = store.run_on_writer(lambda c: c.execute(query).fetchall()).result(10)
    assert [date for (date,) in priced] == [now + 6 * HOUR, now + 27 * HOUR]


def test_another_name_of_an_id_is_the_same_game_where_the_teams_are(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote(event=FIRST))
    record(store, quote(event=FIRST, match_name="Paris Saint-Germain - Lyon", scraped_at=now + 1))
    record(store, quote(event=SECOND, match_name="Paris SG - Lyon", scraped_at=now + 1))
    assert list(bookmakers(store)) == ["PSG - Lyon", "Paris SG - Lyon"]


def test_a_source_with_ids_joins_the_nearest_games_of_those_without(
    store: Store, quote: MakeQuote, now: int
) -> None:
    record(store, quote("Unibet", match_date=now + HOUR))
    late = quote(match_date=now + 13 * HOUR // 2, event=SECOND)
    record(store, late, quote(match_date=now + HOUR + 60_000, event=FIRST))
    assert list(bookmakers(store).values()) == [["Bet365", "Unibet"], ["Bet365"]]


def test_ids_join_games_that_another_source_makes_in_the_same_batch(
    store: Store, quote: MakeQuote, now: int
) -> None:
    late = quote(match_date=now + 13 * HOUR // 2, event=SECOND)
    first = quote(match_date=now + HOUR, event=FIRST)
    record(store, quote("Unibet", match_date=now + HOUR), late, first)
    assert list(bookmakers(store).values()) == [["Bet365", "Unibet"], ["Bet365"]]


def test_two_sources_with_ids_share_their_games(store: Store, quote: MakeQuote, now: int) -> None:
    for source in ("one", "other"):
        pair = [
            quote(source, match_date=now + hours * HOUR, event=f"{source}:{hours}")
            for hours in (1, 6)
        ]
        record(store, *pair)
    assert list(bookmakers(store).values()) == [["one", "other"]] * 2


def test_an_id_that_is_misused_fuses_no_games(store: Store, quote: MakeQuote, now: int) -> None:
    record(store, quote(event=FIRST), quote(match_name="Nice - Nantes", event=FIRST))
    record(store, quote(event=FIRST), quote("Unibet", match_date=now + 9 * DAY, event=FIRST))
    assert list(kick_offs(store)) == ["PSG - Lyon", "Nice - Nantes", "PSG - Lyon (2026-04-21)"]


KICK_OFFS = st.lists(st.integers(-3000, 3000), min_size=1, max_size=12, unique=True)
"""In units of a little more than six hours: two years to both sides."""
UNIT = 6 * HOUR + 60_000


@given(KICK_OFFS, st.randoms(use_true_random=False), st.integers(1, 9))
def test_any_order_and_batching_of_fixtures_gives_the_same_games(
    units: list[int], dice: random.Random, batch: int
) -> None:
    """D71: the same set of games, no kick-off changed, every price at its own fixture."""
    fixtures = [NOW + unit * UNIT for unit in units]
    quotes = [
        priced(bookmaker, kick_off, seen)
        for kick_off in fixtures
        for bookmaker in ("Bet365", "Pinnacle", "Unibet")
        for seen in (kick_off - DAY, kick_off)
    ]
    dice.shuffle(quotes)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder, "odds.db"), clock=lambda: NOW + 3 * 365 * DAY)
        for start in range(0, len(quotes), batch):
            store.record(quotes[start : start + batch]).result(10)
        found = store.run_on_writer(lambda c: c.execute(_PRICES).fetchall()).result(10)
        store.close()
    assert {kick_off for _, kick_off, _ in found} == set(fixtures)
    assert len({game for game, *_ in found}) == len(fixtures)
    assert all(odds == price_of(kick_off) for _, kick_off, odds in found)


_PRICES = """
SELECT g.id, g.match_date, c.odds FROM price_change c JOIN game g ON g.id = c.game
UNION SELECT g.id, g.match_date, p.value FROM quote q JOIN game g ON g.id = q.game
    JOIN json_each(q.odds) p
"""


def price_of(kick_off: int) -> float:
    return 2 + (kick_off - NOW) // UNIT % 1000 / 1000


def priced(bookmaker: str, kick_off: int, scraped_at: int) -> Quote:
    return Quote(
        bookmaker=bookmaker,
        match_name="PSG - Lyon",
        competition="LIG1",
        market_type="total",
        period=0,
        odds={"Over 2.5": price_of(kick_off)},
        scraped_at=scraped_at,
        match_date=kick_off,
    )


def sports(store: Store) -> list[tuple[str, str]]:
    query = "SELECT match_name, sport FROM game ORDER BY id"
    return store.run_on_writer(lambda c: c.execute(query).fetchall()).result(10)


def test_a_game_is_of_the_sport_that_is_told_first_and_the_wire_keeps_the_contracts(
    store: Store, quote: MakeQuote, now: int
) -> None:
    cup = {"competition": "World Cup", "match_name": "Spain vs Japan"}
    record(store, quote(**cup))
    assert sports(store) == [("Spain vs Japan", "Other")]
    record(store, quote("Unibet", **cup, sport="Football"))
    record(store, quote("Betfair", **cup, sport="Basketball"))
    assert sports(store) == [("Spain vs Japan", "Football")]
    reader = store.reader()
    (game,) = reader.list_games(now, Filters(), Visibility(), 10).items
    assert (game.sport, game.source_sport) == ("Other", "Football")
    assert not reader.list_games(now, Filters(sport="Football"), Visibility(), 10).items
    assert len(reader.list_games(now, Filters(sport="Other"), Visibility(), 10).items) == 1
    assert [(each.name, each.event_count) for each in reader.list_sports(now)] == [("Other", 1)]


def test_games_of_before_get_the_sport_that_their_code_tells(
    store: Store, quote: MakeQuote
) -> None:
    """A migration says in SQL what ``played_sport`` says of a code."""
    codes = ["soccer_spl", "SC0", "icehockey_x", "rugbyunion_x", "cricket_ipl", "Cup", "soccer"]
    played = [quote(competition=code, match_name=f"{code} A vs {code} B") for code in codes]
    record(store, *played, quote(competition="NHL"))
    there = store.run_on_writer(
        lambda c: c.execute("SELECT competition, sport FROM game").fetchall()
    )
    known = dict(there.result(10))
    unmapped = "UPDATE game SET sport = 'Other' WHERE competition <> 'NHL'"
    store.run_on_writer(lambda c: c.execute(unmapped)).result(10)
    store.run_on_writer(lambda c: c.execute(SPORTS_BY_CODE)).result(10)
    again = store.run_on_writer(
        lambda c: c.execute("SELECT competition, sport FROM game").fetchall()
    )
    assert dict(again.result(10)) == known
    assert known["SC0"] == "Football"
    assert known["icehockey_x"] == known["NHL"] == "Hockey"
    assert known["Cup"] == known["soccer"] == "Other"
