"""The names of markets, sports and periods that can be translated are those of the contract."""

from oddsdesk.base.market_words import LISTED, market_text, period_text
from oddsdesk.contract.competitions import SPORTS, period_label, sport_title
from oddsdesk.contract.markets import MARKET_TYPES, MARKETS

PERIODS = {"Football": 2, "AmericanFootball": 2, "Basketball": 4, "Hockey": 3, "Tennis": 5}


def test_every_market_sport_and_usual_period_is_listed() -> None:
    periods = {
        period_label(sport, period)
        for sport, last in (*PERIODS.items(), ("Baseball", 0))
        for period in range(last + 1)
    }
    numbered = {"Period 2", "Period {number}"}
    titles = {market.title for market in MARKETS.values()}
    sports = {sport_title(sport) for sport in SPORTS}
    assert titles | (periods - numbered) | sports == set(LISTED) - numbered


def test_names_are_english_without_a_language() -> None:
    assert market_text("btts") == "Both teams to score"
    assert market_text("corners") == "corners"
    assert period_text("Football", 1) == "1st Half"
    assert [market_text(each) for each in MARKET_TYPES][:2] == ["Match result", "Handicap"]
