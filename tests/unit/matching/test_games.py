"""Whether two games that sources name differently are one (D69)."""

import csv
import gzip
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from oddsdesk.contract.identity import teams
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.importing import load_importer
from oddsdesk.matching.games import (
    Game,
    Match,
    Verdict,
    club_of,
    club_side,
    compare,
    compare_teams,
    is_midway,
    may_be_alike,
    sides,
)
from oddsdesk.matching.names import TeamNames, shipped_names
from oddsdesk.store.store import open_store

HOUR = 3_600_000
START = 1_776_500_000_000
SAME, ALIKE, SWAPPED, OTHER = Verdict.SAME, Verdict.ALIKE, Verdict.SWAPPED, Verdict.OTHER


def game(match_name: str, competition: str = "EPL", **fields) -> Game:
    return Game(competition, match_name, **({"kick_off": START, "seen_ms": START - HOUR} | fields))


def verdict(one: Game, other: Game) -> Verdict:
    return compare(shipped_names(), one, other).verdict


def test_both_teams_by_the_table_within_two_hours_is_one_game() -> None:
    one = game("Man United vs Nott'm Forest")
    assert verdict(one, game("Manchester United - Nottingham Forest", "soccer_epl")) is SAME
    later = game("Manchester United - Nottingham Forest", kick_off=START + 2 * HOUR)
    assert verdict(one, later) is SAME


@pytest.mark.parametrize(
    "other",
    [
        game("Manchester United - Nottingham Forest", kick_off=START + 2 * HOUR + 1),
        game("Manchester United - Nottingham Forest", "EFL"),
        game("Manchester United - Leeds United"),
        game("Manchester City - Nottingham Forest"),
        game("Manchester United Women - Nottingham Forest Women"),
        game("Manchester United U21 - Nottingham Forest U21"),
        game("Winner of the Premier League"),
    ],
)
def test_another_time_competition_opponent_or_side_is_another_game(other: Game) -> None:
    assert verdict(game("Man United vs Nott'm Forest"), other) is OTHER


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Olympiacos vs Arsenal", "Olympiakos Piraeus vs Arsenal FC"),
        ("Inter vs Club Brugge", "Internazionale vs Club Bruges KV"),
        ("FC Kobenhavn vs Qarabag", "Copenhagen vs Qarabağ FK"),
        ("Barcelona vs Liverpool", "FC Barcelona vs Liverpool FC"),
    ],
)
@pytest.mark.parametrize("cup", ["UCL", "UEL", "soccer_uefa_europa_conference_league"])
def test_clubs_in_european_cups_are_found_by_the_table(cup: str, one: str, other: str) -> None:
    """A namesake of another continent does not come in between, as Liverpool of Montevideo."""
    assert verdict(game(one, cup), game(other, cup)) is SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Stjarnan (w) vs Breidablik (w)", "Stjarnan vs Breidablik"),
        ("Ajax U-21 vs PSV U-21", "Ajax vs PSV"),
        ("Ajax Under 19 vs PSV Under 19", "Ajax U21 vs PSV U21"),
        ("Brann (R) vs Molde (R)", "Brann vs Molde"),
        ("Porto B vs Benfica B", "Porto vs Benfica"),
        ("Lyon Feminines vs Paris FC Feminines", "Lyon vs Paris FC"),
        ("Real Madrid Castilla vs Osasuna Promesas", "Real Madrid vs Osasuna"),
        ("Juventus NextGen vs Milan Futuro", "Juventus vs Milan"),
    ],
)
def test_another_side_of_a_club_is_never_suggested(one: str, other: str) -> None:
    assert verdict(game(one, "Club Games"), game(other, "Club Games")) is OTHER


def test_one_side_of_a_club_is_suggested_however_it_is_marked() -> None:
    for one, other in (("Women", "W"), ("II", "B"), ("U-21", "Under 21")):
        names = [f"Chelsea {side} vs Arsenal {side}" for side in (one, other)]
        assert verdict(*(game(name, "Club Games") for name in names)) is ALIKE


def test_the_same_teams_the_other_way_round_are_one_game_that_is_crosswise() -> None:
    match = compare(shipped_names(), game("Arsenal vs Chelsea"), game("Chelsea FC vs Arsenal FC"))
    assert match == Match(SAME, is_crosswise=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rosenhof 09 vs Blau-Weiss Altdorf", "SV Rosenhof vs Altdorf"),
        ("Alexander Zverev vs Ben Shelton", "Zverev A. vs Shelton B."),
        ("Oakland Athletics vs Kansas City Royals", "Athletics vs Royals"),
        ("Kragujevac vs Novi Pazzar", "Kragujevec vs Novi Pazar"),
    ],
)
def test_a_word_of_each_team_or_nearly_the_same_letters_is_a_suggestion(
    one: str, other: str
) -> None:
    assert verdict(game(one, "a league"), game(other, "a league")) is ALIKE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # What is alike of one team alone bound the wrong opponent elsewhere, at a score of 60.87.
        ("Rosenhof vs Lindau", "Rosenhof vs Landau-Ost"),
        ("Real Altdorf vs Neustadt", "Real Neudorf vs Neustadt"),
        ("Altdorf United vs Neustadt City", "Rosenhof United vs Lindau City"),
        # Either way round: which is which cannot be told.
        ("Altdorf Ost vs Altdorf West", "Altdorf 1 vs Altdorf 2"),
        ("Rosenhof Altdorf vs Altdorf Rosenhof", "Rosenhof vs Altdorf"),
    ],
)
def test_one_side_alike_common_words_or_both_ways_round_is_nothing(one: str, other: str) -> None:
    assert verdict(game(one, "a league"), game(other, "a league")) is OTHER


@pytest.mark.parametrize("names", ["Manchester United - Arsenal FC", "Man Utd Reds - Arsenal"])
def test_prices_that_say_the_sides_are_swapped_refuse(names: str) -> None:
    """One side's Yes was the other's No and made an arbitrage of 30 cents."""
    one = game("Man United vs Arsenal", chances=(0.55, 0.2))
    assert verdict(one, game(names, chances=(0.5, 0.25))) is not SWAPPED
    assert verdict(one, game(names, chances=(0.22, 0.52))) is SWAPPED


def test_prices_of_a_crosswise_game_are_compared_by_team() -> None:
    one = game("Man United vs Arsenal", chances=(0.55, 0.2))
    assert verdict(one, game("Arsenal vs Man Utd", chances=(0.22, 0.52))) is SAME
    assert verdict(one, game("Arsenal vs Man Utd", chances=(0.55, 0.2))) is SWAPPED


def test_an_even_game_is_not_refused_for_its_prices() -> None:
    one = game("Man United vs Arsenal", chances=(0.37, 0.35))
    assert verdict(one, game("Manchester United - Arsenal FC", chances=(0.34, 0.38))) is SAME


def test_a_game_that_tells_no_kick_off_is_only_ever_suggested() -> None:
    one = game("Man United vs Arsenal")
    undated = game("Manchester United - Arsenal FC", kick_off=None)
    assert verdict(one, undated) is verdict(undated, one) is ALIKE
    long_ago = game("Manchester United - Arsenal FC", kick_off=None, seen_ms=START - 400 * HOUR)
    assert verdict(one, long_ago) is verdict(undated, long_ago) is OTHER
    assert verdict(undated, game("Man United vs Arsenal", kick_off=None)) is ALIKE


def games_of(imported: Imported) -> list[Game]:
    found = {(q.competition, q.match_name, q.match_date): q.scraped_at for q in imported.quotes}
    return [Game(*key, seen_ms) for key, seen_ms in found.items()]


def test_a_weekend_of_two_sources_is_matched_and_none_of_it_wrongly(shared_data: Path) -> None:
    season = shared_data / "football-data" / "fixtures_20260417T1347Z.csv"
    first = load_importer("football-data").convert([SourceFile(season.name, season.read_bytes())])
    second = [
        SourceFile(path.name, gzip.decompress(path.read_bytes()))
        for path in sorted((shared_data / "the-odds-api").glob("soccer_*.json.gz"))
    ]
    others = games_of(load_importer("the-odds-api").convert(second))
    spelled = defaultdict(set)
    aliases = (shared_data / "aliases" / "team_aliases_observed.csv").read_text("utf-8")
    for row in csv.DictReader(aliases.splitlines()):
        spelled[row["football_data_name"]].add(row["the_odds_api_name"])
    counts: defaultdict[str, int] = defaultdict(int)
    for one in games_of(first):
        pair = teams(one.match_name)
        assert pair is not None
        for other in others:
            other_pair = teams(other.match_name)
            assert other_pair is not None
            is_one = one.competition == other.competition and all(
                name in spelled[mine] for mine, name in zip(pair, other_pair, strict=True)
            )
            found = verdict(one, other)
            counts["right"] += found is SAME and is_one
            counts["wrong"] += found is SAME and not is_one
            counts["suggested"] += found is ALIKE
            counts["missed"] += found is not SAME and is_one
    print(dict(counts))
    assert counts == {"right": 31, "wrong": 0, "suggested": 0, "missed": 0}


def test_a_weekend_of_two_sources_is_recorded_as_one_by_names_and_prices(
    shared_data: Path, tmp_path: Path
) -> None:
    season = shared_data / "football-data" / "fixtures_20260417T1347Z.csv"
    files = [
        SourceFile(path.name, gzip.decompress(path.read_bytes()))
        for path in sorted((shared_data / "the-odds-api").glob("soccer_e*.json.gz"))
    ]
    one = load_importer("football-data").convert([SourceFile(season.name, season.read_bytes())])
    other = load_importer("the-odds-api").convert(files)
    with closing(open_store(tmp_path / "odds.db")) as store:
        for imported in (one, other):
            quotes = [quote for quote in imported.quotes if quote.market_type == "moneyline"]
            store.record(quotes).result(60)
        names = "SELECT count(*), count(DISTINCT game) FROM other_name"
        kept = store.run_on_writer(lambda c: c.execute(names).fetchall()).result(10)
        pairs = store.find_pairs().result(60)
    assert kept == [(18, 18)]
    assert pairs == []


def test_a_score_of_sixty_makes_no_opponent_the_same() -> None:
    """A score of 60.87 against a bound of 60 took the wrong opponent elsewhere."""
    one, other = "Manchester United", "Sheffield United"
    assert 60 < fuzz.token_sort_ratio(one, other) < 61
    for place in ("a league", "EPL"):
        assert (
            verdict(game(f"{one} vs Everton", place), game(f"{other} vs Everton", place)) is OTHER
        )


def test_athletics_of_any_city_are_one_team_by_the_table() -> None:
    """They scored 0.56 elsewhere."""
    for name in ("Athletics", "Oakland Athletics", "Las Vegas Athletics"):
        other = game(f"{name} vs Kansas City Royals", "MLB")
        assert verdict(game("Oakland Athletics vs Kansas City Royals", "MLB"), other) is SAME


parts = st.sampled_from(
    ["Real", "Altdorf", "Altdorff", "Neustadt", "Neustad", "FC", "B", "09", "Rosenhof"]
)
team_names = st.lists(parts, min_size=1, max_size=3).map(" ".join)
match_names = st.tuples(team_names, team_names).map(" vs ".join)


@given(match_names, match_names, st.sampled_from(["a league", "BUN1"]))
def test_no_games_that_are_alike_are_passed_over_at_the_first_look(one, other, competition) -> None:
    found = verdict(game(one, competition), game(other, competition))
    pairs = [sides(shipped_names(), competition, name) for name in (one, other)]
    if found is not OTHER:
        assert may_be_alike(*pairs)


@pytest.mark.parametrize(
    ("hours", "is_so"),
    [
        ((-2, 2), True),
        ((-1.8, 2.2), True),
        ((-1, 3), False),
        ((-0.1, 0.3), False),
        ((1.8, 2.2), False),
        ((0, 0.5), False),
        ((2,), False),
        ((-2, 2, 0.5), False),
    ],
)
def test_a_kick_off_about_midway_between_two_games_tells_none(
    hours: tuple[float, ...], is_so: bool
) -> None:
    now = 1_776_000_000_000
    assert is_midway(now, [now + round(each * 3_600_000) for each in hours]) is is_so


@pytest.mark.parametrize(
    ("name", "side", "club"),
    [
        ("Stjarnan (w)", {"women"}, "stjarnan"),
        ("Chelsea W", {"women"}, "chelsea"),
        ("Lyon Féminines", {"women"}, "lyon"),
        ("Ajax U-21", {"u21"}, "ajax"),
        ("Ajax Under 21s", {"u21"}, "ajax"),
        ("Brasil Sub-20", {"u20"}, "brasil"),
        ("Brann (R)", {"reserves"}, "brann"),
        ("Porto B", {"reserves"}, "porto"),
        ("Real Madrid Castilla", {"reserves"}, "real madrid"),
        ("Osasuna Promesas", {"reserves"}, "osasuna"),
        ("Bayern Munich II", {"reserves"}, "bayern munich"),
        ("Jong PSV", {"reserves"}, "psv"),
        ("R Sociedad", set(), "r sociedad"),
        ("B. Shelton", set(), "shelton"),
        ("B 93", set(), "b 93"),
        ("Real Madrid", set(), "real madrid"),
    ],
)
def test_sides_of_a_club_are_told_apart_however_they_are_written(
    name: str, side: set[str], club: str
) -> None:
    assert (club_side(name), club_of(name)) == (side, club)


def test_two_names_of_one_side_may_be_one_team_and_two_sides_are_not() -> None:
    women = ("Chelsea Women", "Arsenal Women")
    assert compare_teams(TeamNames(), "", women, ("Chelsea W", "Arsenal W")).verdict is (
        Verdict.ALIKE
    )
    for other in (("Chelsea", "Arsenal"), ("Chelsea U-21", "Arsenal U-21")):
        assert compare_teams(TeamNames(), "", women, other).verdict is Verdict.OTHER
    assert (
        compare_teams(TeamNames(), "", ("Ajax U-21", "PSV U-21"), ("Ajax", "PSV")).verdict
        is Verdict.OTHER
    )
