"""Market keys and stats: a price of a player belongs to exactly one of their markets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.the_odds_api.markets import (
    PLAYER_KEYS,
    has_all_lines,
    is_about,
    keys_of_player,
    market_kind,
    player_of,
)

NAMES = st.lists(st.from_regex(r"[A-Z][a-zé'.-]{0,9}", fullmatch=True), min_size=1, max_size=4)


def test_each_of_their_stats_has_words_of_its_own() -> None:
    keys = [
        *("batter_strikeouts", "pitcher_strikeouts", "batter_walks", "pitcher_walks"),
        *PLAYER_KEYS.values(),
    ]
    for key in keys:
        kind = market_kind(key, "NBA")
        assert kind is not None
        assert PLAYER_KEYS[kind.stat] == key
        assert market_kind(f"{key}_alternate", "NBA") == kind
    assert len(set(PLAYER_KEYS.values())) == len(PLAYER_KEYS) == 105


@given(st.sampled_from(sorted(PLAYER_KEYS)), NAMES)
def test_a_price_is_about_the_longest_stat_and_no_other(stat: str, words: list[str]) -> None:
    player = " ".join(words)
    assert player_of(f"{player} {stat}", stat) == player
    assert [each for each in PLAYER_KEYS if player_of(f"{player} {stat}", each)] == [stat]
    assert player_of(f"{player} {stat.title()}", stat) == player


@given(st.sampled_from(sorted(PLAYER_KEYS)), st.sampled_from(sorted(PLAYER_KEYS)))
def test_a_sum_of_stats_is_about_neither(one: str, other: str) -> None:
    both = f"{one} {other}"
    found = [each for each in PLAYER_KEYS if player_of(f"Bo Ek {both}", each)]
    assert found == ([both] if both in PLAYER_KEYS else [])
    assert player_of(f"Bo Ek {both}", both) == "Bo Ek"


@pytest.mark.parametrize(
    ("subject", "stat", "player"),
    [
        ("Jessica Shepard points rebounds assists", "assists", None),
        ("Jessica Shepard points rebounds assists", "rebounds assists", None),
        ("C Player Points", "points", "C Player"),
        ("Al Sacks points", "points", "Al Sacks"),
        ("points", "points", None),
        ("Bo Ek minutes", "minutes", "Bo Ek"),
        ("Bo Ek key passes", "passes", "Bo Ek key"),
    ],
)
def test_a_stat_ends_a_subject(subject: str, stat: str, player: str | None) -> None:
    assert player_of(subject, stat) == player


@pytest.mark.parametrize(
    ("key", "has_all"),
    [
        ("totals", False),
        ("alternate_totals_h1", True),
        ("player_points", False),
        ("player_points_alternate", True),
        ("player_shots", True),
        ("player_goal_scorer_anytime", True),
        ("player_minutes", True),
    ],
)
def test_markets_with_an_alternate_have_the_main_line(key: str, has_all: bool) -> None:
    assert has_all_lines(key) is has_all


def test_a_known_stat_has_one_key() -> None:
    assert is_about("batter_hits", "hits")
    assert is_about("batter_hits_alternate", "hits")
    assert not is_about("player_hits", "hits")
    assert is_about("player_minutes", "minutes")


@pytest.mark.parametrize(
    ("subject", "keys"),
    [
        ("Bo Ek points", ("player_points", "player_points_alternate")),
        (
            "Bo Ek rebounds assists",
            ("player_rebounds_assists", "player_rebounds_assists_alternate"),
        ),
        ("Bo Ek Shots", ("player_shots",)),
        ("Bo Ek steals assists", ()),
        ("Bo Ek minutes", ()),
        ("points", ()),
    ],
)
def test_the_markets_of_a_stat_are_known(subject: str, keys: tuple[str, ...]) -> None:
    assert keys_of_player(subject) == keys
