"""Competitions and bookmakers have one name each."""

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.the_odds_api.names import bookmaker_names, competition


def test_known_competitions_have_their_codes_and_others_keep_their_key() -> None:
    assert competition("soccer_epl") == "EPL"
    assert competition("tennis_atp_munich") == "TENNIS"
    assert competition("aussierules_afl") == "aussierules_afl"


def test_bookmakers_that_share_a_title_are_told_apart() -> None:
    names = bookmaker_names(
        [
            ("betfair_ex_uk", "Betfair"),
            ("betfair_ex_eu", "Betfair"),
            ("ladbrokes_uk", "Ladbrokes"),
            ("pinnacle", "Pinnacle"),
            ("unibet", "Unibet"),
            ("unibet_x", "Unibet"),
        ]
    )
    assert names == {
        "betfair_ex_uk": "Betfair Exchange UK",
        "betfair_ex_eu": "Betfair Exchange EU",
        "ladbrokes_uk": "Ladbrokes UK",
        "pinnacle": "Pinnacle",
        "unibet": "Unibet (unibet)",
        "unibet_x": "Unibet (unibet_x)",
    }


def test_a_bookmaker_without_title_is_its_key() -> None:
    assert bookmaker_names([("x", "  ")]) == {"x": "x"}


@given(st.lists(st.tuples(st.text("ab", min_size=1), st.text("AB ")), max_size=12))
def test_no_two_keys_share_a_name(titles: list[tuple[str, str]]) -> None:
    names = bookmaker_names(titles)
    assert names.keys() == {key for key, _ in titles}
    assert len(set(names.values())) == len(names)
