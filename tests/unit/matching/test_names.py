"""One team, many names (D69)."""

import csv
from itertools import groupby
from pathlib import Path

import pytest

from oddsdesk.matching.names import (
    PlayersOfGame,
    SameTeam,
    Team,
    TeamNames,
    fold_team,
    renamed,
    shipped_names,
)
from oddsdesk.pricing.selections import AWAY, HOME, read_selection


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("1. FC Köln", "1 fc koln"),
        ("Nott'm Forest", "nottm forest"),
        ("Brighton & Hove Albion", "brighton and hove albion"),
        ("FC STRASSE", "fc strasse"),
        ("Fc Straße", "fc strasse"),
        ("İstanbul Başakşehir", "istanbul basaksehir"),
        ("A.F.C. Bournemouth", "afc bournemouth"),
        ("Łódź", "lodz"),
    ],
)
def test_names_are_compared_without_case_accents_and_punctuation(name: str, folded: str) -> None:
    assert fold_team(name) == folded


@pytest.mark.parametrize(
    ("competition", "one", "other"),
    [
        ("EPL", "Man United", "Manchester United"),
        ("UCL", "Inter", "Inter Milan"),
        ("MLB", "Oakland Athletics", "Athletics"),
        ("NBA", "LA Clippers", "Los Angeles Clippers"),
        ("FIFAWC", "Türkiye", "Turkey"),
        ("a league that nobody knows", "PSV", "PSV Eindhoven"),
        ("a league that nobody knows", "Some Team", "SOME TEAM"),
    ],
)
def test_names_of_one_team(competition: str, one: str, other: str) -> None:
    assert shipped_names().is_same_team(competition, one, other)


@pytest.mark.parametrize(
    ("competition", "one", "other"),
    [
        ("EPL", "Man United", "Man City"),
        ("EPL", "Arsenal", "Arsenal Women"),
        ("BUND", "Bayern Munich", "Bayern München II"),
        ("NHL", "New York Rangers", "New York Islanders"),
        ("EPL", "Some Team", "Another Team"),
    ],
)
def test_names_of_two_teams(competition: str, one: str, other: str) -> None:
    assert not shipped_names().is_same_team(competition, one, other)


def test_a_name_that_two_teams_of_a_scope_have_tells_nothing() -> None:
    names = TeamNames([Team("X", "Real Union", ("Union",)), Team("X", "Union FC", ("Union",))])
    assert not names.is_same_team("any", "Union", "Union FC")
    assert names.is_same_team("any", "Union", "union")


def test_competitions_have_other_names_too() -> None:
    names = shipped_names()
    assert (
        names.competition_named("soccer_epl") == names.competition_named("Premier League") == "EPL"
    )
    assert "E0" in names.competitions_of("EPL")
    assert names.competitions_of("a league of its own") == ["a league of its own"]


def test_what_the_user_said_counts_with_the_table_and_only_in_its_competition() -> None:
    shipped = shipped_names()
    names = shipped.with_same([SameTeam("soccer_epl", "The Gunners", "Arsenal")])
    assert names.is_same_team("EPL", "Arsenal FC", "the gunners")
    assert not names.is_same_team("UCL", "Arsenal FC", "The Gunners")
    assert not shipped.is_same_team("EPL", "Arsenal FC", "The Gunners")


def test_what_the_user_said_twice_or_in_a_circle_is_no_trouble() -> None:
    pairs = [("A", "B"), ("B", "C"), ("C", "A"), ("A", "B")]
    names = TeamNames(same=[SameTeam("EPL", *pair) for pair in pairs])
    assert names.is_same_team("EPL", "A", "C")
    assert not names.is_same_team("EPL", "A", "D")


def test_the_table_names_the_teams_of_two_sources_and_confuses_none(shared_data: Path) -> None:
    """Against the 392 teams as three sources spell them: 665 of 676 pairs known, none wrong."""
    text = (shared_data / "aliases" / "team_aliases_observed.csv").read_text("utf-8")
    rows = sorted(csv.DictReader(text.splitlines()), key=lambda row: row["fd_div"])
    names = shipped_names()
    known = missed = 0
    for division, group in groupby(rows, key=lambda row: row["fd_div"]):
        teams = [
            (row["football_data_name"], {row["the_odds_api_name"], row["pinnacle_ps3838_name"]})
            for row in group
        ]
        for name, others in teams:
            for other in others - {""}:
                is_known = names.is_same_team(division, name, other)
                known, missed = known + is_known, missed + (not is_known)
            theirs = {other for _, spelled in teams if spelled is not others for other in spelled}
            wrong = [o for o in theirs - others - {""} if names.is_same_team(division, name, o)]
            assert wrong == [], name
    assert len(rows) == 392
    print(f"names of one team: {known} known, {missed} missed")
    assert known / (known + missed) > 0.97


ONE = [
    ("Nikola Jokić", "Nikola Jokic"),
    ("R.J. Barrett", "RJ Barrett"),
    ("R. J. Barrett", "RJ Barrett"),
    ("Luka Dončić", "Doncic, Luka"),
    ("Shai Gilgeous-Alexander", "Shai Gilgeous Alexander"),
    ("De'Aaron Fox", "De’Aaron Fox"),
    ("De'Aaron Fox", "DeAaron Fox"),
    ("Jaren Jackson Jr.", "Jaren Jackson Jr"),
    ("Jaren Jackson Jr.", "Jaren Jackson"),
    ("Jaren Jackson", "Jaren Jackson Jr."),
    ("Jaren Jackson Jr.", "Jackson, Jaren Jr."),
    ("Jaren Jackson Jr.", "Jaren Jackson, Jr."),
    ("Robert Williams III", "robert williams"),
    ("Kristaps Porziņģis", "KRISTAPS PORZINGIS"),
    ("Martin Ødegaard", "Martin Odegaard"),
]
TWO = [
    ("Marcus Morris", "Markieff Morris"),
    ("Marcus Morris", "M. Morris"),
    ("Jalen Williams", "Jaylin Williams"),
    ("Gary Payton Jr.", "Gary Payton Sr."),
    ("Gary Payton II", "Gary Payton III"),
    ("Seth Curry", "Stephen Curry"),
    ("RJ Barrett", "TJ Barrett"),
    ("Nikola Jokić", "Nikola Jović"),
]


def props(*players: str, stat: str = "points") -> list[str]:
    return [f"{player} {stat} {side} 24.5" for player in players for side in ("Over", "Under")]


@pytest.mark.parametrize(("first", "then"), ONE)
def test_another_spelling_gets_the_first_one(first: str, then: str) -> None:
    players = PlayersOfGame()
    assert players.own_words(props(first)) == {}
    expected = dict(zip(props(then), props(first), strict=True))
    for _ in range(2):
        assert players.own_words(props(then)) == {
            text: own for text, own in expected.items() if text != own
        }


@pytest.mark.parametrize(("one", "other"), TWO)
def test_another_player_is_left_alone(one: str, other: str) -> None:
    players = PlayersOfGame()
    for said in (one, other, one, other):
        assert players.own_words(props(said)) == {}


def test_father_and_son_are_two_once_any_bookmaker_prices_both() -> None:
    father, son = "LeBron James", "LeBron James Jr."
    players = PlayersOfGame()
    assert players.own_words(props(son)) == {}
    assert players.own_words(props(father)) == dict(zip(props(father), props(son), strict=True))
    assert players.own_words(props(father, son)) == {}
    for said in (father, son):
        assert players.own_words(props(said)) == {}
    third = PlayersOfGame([props(father, son)])
    assert third.own_words(props("Lebron James II")) == {}


def test_of_several_spellings_that_stand_the_most_frequent_counts() -> None:
    standing = [props("Nikola Jokic"), props("Nikola Jokić"), props("Nikola Jokić")]
    players = PlayersOfGame(standing)
    assert set(players.own_words(props("Nikola Jokic")).values()) == set(props("Nikola Jokić"))


def test_who_stood_under_two_names_becomes_one_where_no_bookmaker_prices_both() -> None:
    players = PlayersOfGame([props("Jaren Jackson"), props("Jaren Jackson Jr.")])
    assert players.own_words(props("Jaren Jackson Jr.")) == {}
    own = dict(zip(props("Jaren Jackson"), props("Jaren Jackson Jr."), strict=True))
    assert players.own_words(props("Jaren Jackson")) == own


def test_a_bookmaker_that_writes_one_player_twice_keeps_both() -> None:
    players = PlayersOfGame()
    for _ in range(2):
        assert players.own_words(props("Nikola Jokić", "Nikola Jokic")) == {}


def test_what_is_bet_on_stays_apart() -> None:
    players = PlayersOfGame([props("Nikola Jokić")])
    assert players.own_words(props("Nikola Jokić", stat="rebounds")) == {}
    assert players.own_words(["Nikola Jokic points Over 25.5", "Anytime"]) == {
        "Nikola Jokic points Over 25.5": "Nikola Jokić points Over 25.5"
    }


SAID, STORED, CROSSWISE = "Man Utd vs Inter", "Manchester United - Inter Milan", "Inter Milan - MU"
TEXTS = [
    ("moneyline", "Man Utd"),
    ("moneyline", "INTER"),
    ("moneyline", "Draw"),
    ("draw_no_bet", "Inter"),
    ("spread", "Man Utd -1.5"),
    ("spread", "Inter +0.25"),
    ("spread", "Inter 0"),
    ("3way_handicap", "Draw -1"),
    ("3way_handicap", "Inter +1"),
    ("games_handicap", "Inter -3.5"),
    ("team_total", "Man Utd Over 1.5"),
    ("team_total", "Home Over 1.5"),
    ("team_total", "Away Under 0.5"),
    ("double_chance", "1X"),
    ("double_chance", "12"),
    ("total", "Over 2.5"),
    ("btts", "Yes"),
]
OTHER_WAY = {HOME: AWAY, AWAY: HOME, "1X": "X2", "X2": "1X"}


@pytest.mark.parametrize(("market_type", "text"), TEXTS)
def test_a_selection_means_the_same_in_other_words(market_type: str, text: str) -> None:
    before = read_selection(market_type, SAID, text)
    after = read_selection(market_type, STORED, renamed(market_type, SAID, STORED, False, text))
    assert before is not None
    assert after == before


@pytest.mark.parametrize(("market_type", "text"), TEXTS)
def test_crosswise_it_means_the_same_of_the_same_team(market_type: str, text: str) -> None:
    before = read_selection(market_type, SAID, text)
    new = renamed(market_type, SAID, CROSSWISE, True, text)
    after = read_selection(market_type, CROSSWISE, new)
    assert before is not None
    assert after is not None
    assert after.side == OTHER_WAY.get(before.side, before.side)
    if market_type in ("spread", "3way_handicap", "games_handicap"):
        assert (after.line or 0) == -(before.line or 0)
    assert renamed(market_type, CROSSWISE, SAID, True, new).casefold() == text.casefold()


@pytest.mark.parametrize(
    ("market_type", "text"),
    [
        ("player_prop", "Inter Over 1.5"),
        ("moneyline", "Inter Miami"),
        ("spread", "Inter Miami -1.5"),
        ("spread", "Inter"),
        ("total", "Inter Over 2.5"),
    ],
)
def test_what_names_no_team_stays(market_type: str, text: str) -> None:
    assert renamed(market_type, SAID, STORED, False, text) == text


def test_a_game_that_names_no_teams_renames_nothing() -> None:
    assert renamed("moneyline", "Winner", STORED, False, "Winner") == "Winner"
