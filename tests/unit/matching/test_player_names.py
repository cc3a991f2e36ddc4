"""Spellings of one player are one, and two players never become one."""

import pytest

from oddsdesk.matching.player_names import PlayersOfGame

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
