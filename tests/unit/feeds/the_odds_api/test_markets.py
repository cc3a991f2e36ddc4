"""Keys become markets, and outcomes selections in the forms of D7 and D36."""

import pytest

from oddsdesk.feeds.the_odds_api.markets import (
    MarketKind,
    UnreadOutcomeError,
    market_kind,
    market_type_of,
    selection,
)
from oddsdesk.feeds.the_odds_api.shapes import Event, Outcome

GAME = Event("soccer_epl", 0, "Arsenal", "Chelsea", [])


@pytest.mark.parametrize(
    ("key", "competition", "kind"),
    [
        ("h2h", "EPL", MarketKind("moneyline")),
        ("alternate_totals", "NBA", MarketKind("total")),
        ("totals_h1", "EPL", MarketKind("total", 1)),
        ("spreads_q3", "NBA", MarketKind("spread", 3)),
        ("h2h_p2", "NHL", MarketKind("moneyline", 2)),
        ("player_shots", "EPL", MarketKind("player_prop", stat="shots")),
        ("player_points_alternate", "NBA", MarketKind("player_prop", stat="points")),
        ("batter_home_runs", "MLB", MarketKind("player_prop", stat="home runs")),
        ("h2h_lay", "EPL", None),
        ("outrights", "EPL", None),
        ("h2h_h1", "NBA", None),
        ("h2h_3_way", "NHL", None),
    ],
)
def test_a_key_is_a_market_of_a_period(key: str, competition: str, kind: MarketKind | None) -> None:
    assert market_kind(key, competition) == kind


@pytest.mark.parametrize(
    ("market_type", "outcome", "text"),
    [
        ("moneyline", Outcome("Chelsea", 2.0), "Chelsea"),
        ("moneyline", Outcome("Draw", 2.0), "Draw"),
        ("moneyline", Outcome("Tie", 2.0), "Draw"),
        ("draw_no_bet", Outcome("Arsenal ", 2.0), "Arsenal"),
        ("spread", Outcome("Arsenal", 2.0, -1.5), "Arsenal -1.5"),
        ("spread", Outcome("Chelsea", 2.0, 0), "Chelsea +0"),
        ("total", Outcome("Over", 2.0, 2.0), "Over 2"),
        ("team_total", Outcome("Under", 2.0, 1.5, "Chelsea"), "Away Under 1.5"),
        ("btts", Outcome("Yes", 2.0), "Yes"),
        ("double_chance", Outcome("Draw or Chelsea", 2.0), "X2"),
        ("double_chance", Outcome("Arsenal or Chelsea", 2.0), "12"),
    ],
)
def test_an_outcome_is_written_as_the_contract_does(
    market_type: str, outcome: Outcome, text: str
) -> None:
    assert selection(MarketKind(market_type), outcome, GAME)[0] == text


def test_a_players_price_names_player_stat_and_line() -> None:
    kind = MarketKind("player_prop", stat="shots on target")
    over = Outcome("Over", 2.0, 0.5, "Tim  Kleindienst")
    assert selection(kind, over, GAME)[0] == "Tim Kleindienst shots on target Over 0.5"
    yes = Outcome("Yes", 2.0, None, "Tim Kleindienst")
    assert selection(kind, yes, GAME)[0] == "Tim Kleindienst shots on target Yes"


@pytest.mark.parametrize(
    ("market_type", "outcome", "reason"),
    [
        ("moneyline", Outcome("Spurs", 2.0), "unknown outcome"),
        ("draw_no_bet", Outcome("Draw", 2.0), "unknown outcome"),
        ("spread", Outcome("Arsenal", 2.0), "no line"),
        ("total", Outcome("Over", 2.0), "no line"),
        ("total", Outcome("Exactly", 2.0, 2.0), "unknown outcome"),
        ("team_total", Outcome("Over", 2.0, 1.5, "Spurs"), "unknown outcome"),
        ("player_prop", Outcome("Over", 2.0, 1.5), "no player"),
        ("double_chance", Outcome("Spurs or Draw", 2.0), "unknown outcome"),
        ("btts", Outcome("Maybe", 2.0), "unknown outcome"),
    ],
)
def test_an_outcome_that_selects_nothing_has_a_reason(
    market_type: str, outcome: Outcome, reason: str
) -> None:
    with pytest.raises(UnreadOutcomeError, match=reason):
        selection(MarketKind(market_type), outcome, GAME)


@pytest.mark.parametrize(
    ("kind", "point", "market_type"),
    [
        (MarketKind("total"), 22.5, "total_games"),
        (MarketKind("total"), 2.5, "total"),
        (MarketKind("spread"), -1.5, "games_handicap"),
        (MarketKind("moneyline"), None, "moneyline"),
        (MarketKind("total", 1), 9.5, "total"),
    ],
)
def test_tennis_lines_count_games_unless_plainly_sets(
    kind: MarketKind, point: float | None, market_type: str
) -> None:
    assert market_type_of(kind, Outcome("Over", 2.0, point), "TENNIS") == market_type


def test_lines_of_other_sports_are_totals_however_small() -> None:
    assert market_type_of(MarketKind("total"), Outcome("Over", 2.0, 22.5), "EPL") == "total"
