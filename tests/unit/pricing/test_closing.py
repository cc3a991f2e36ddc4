"""The closing line of a bet (D57)."""

from typing import Any

import pytest
from msgspec.structs import replace

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import Market
from oddsdesk.pricing.closing import ClosingLine, Sighting, closing_line, devigged_by
from oddsdesk.pricing.selections import clv_pct

KICK_OFF = 1_000 * MINUTE_MS
TOTAL = Market("total", "Leeds - Wolves", "Football")
EVEN = {"Over 2.5": 1.9, "Under 2.5": 1.9}


def seen(
    minutes_before: float, odds: dict[str, float] | None = None, *, live: bool = False
) -> Sighting:
    return Sighting(KICK_OFF - round(minutes_before * MINUTE_MS), odds or EVEN, live)


def close(
    *sightings: Sighting, selection: str = "Over 2.5", live_at: int | None = None
) -> ClosingLine:
    return closing_line(
        TOTAL,
        selection,
        sightings,
        kick_off=KICK_OFF,
        first_in_play=live_at,
        method="multiplicative",
    )


def test_the_close_is_the_last_complete_line_up_to_the_kick_off_included() -> None:
    at_the_end = {"Over 2.5": 1.8, "Under 2.5": 2.0}
    found = close(seen(20), seen(0, at_the_end), seen(-1))
    assert (found.odds, found.at, found.method) == (1.8, KICK_OFF, "multiplicative")
    assert found.fair_odds == pytest.approx(1.8 * (1 / 1.8 + 1 / 2.0))
    assert found.why == ""


def test_a_line_without_all_its_sides_gives_way_to_the_one_before() -> None:
    found = close(seen(5), seen(1, {"Over 2.5": 1.5}))
    assert found.at == KICK_OFF - 5 * MINUTE_MS


@pytest.mark.parametrize(("minutes", "is_there"), [(30, True), (30.1, False)])
def test_a_line_older_than_half_an_hour_is_no_close(minutes: float, is_there: bool) -> None:
    found = close(seen(minutes))
    assert found.is_there is is_there
    assert found.why == ("" if is_there else "last seen more than 30 minutes before the game")


def test_a_game_begins_where_it_is_first_seen_in_play() -> None:
    early = KICK_OFF - 3 * MINUTE_MS
    assert close(seen(5), seen(1), live_at=early).at == KICK_OFF - 5 * MINUTE_MS
    late = KICK_OFF + 20 * MINUTE_MS
    assert close(seen(5), seen(-15), seen(-20, live=True), live_at=late).at == (
        KICK_OFF + 15 * MINUTE_MS
    )


def test_a_game_that_is_seen_in_play_only_later_closes_by_its_kick_off() -> None:
    assert close(seen(5), live_at=KICK_OFF + 50 * MINUTE_MS).at == KICK_OFF - 5 * MINUTE_MS


def test_prices_in_play_are_no_close() -> None:
    assert (
        close(seen(1, live=True)).why == "the sharp book did not price this market before the game"
    )


def test_a_line_that_moved_is_shown_apart_and_never_mixed() -> None:
    moved = {"Over 2.75": 1.9, "Under 2.75": 1.9, "Over 3.5": 3.0, "Under 3.5": 1.4}
    found = close(seen(60), seen(2, moved))
    assert not found.is_there
    assert (found.why, found.moved_to) == ("the line moved", "Over 2.75")
    assert found.moved_fair_odds == pytest.approx(2.0)


def test_what_has_no_close_says_why() -> None:
    assert close().why == "the sharp book did not price this market before the game"
    assert close(seen(1), selection="Messi").why == "unreadable selection"
    one_side = close(seen(1, {"Under 2.5": 1.9}))
    assert one_side.why == "the sharp book did not price every side at the close"
    undated = closing_line(
        TOTAL, "Over 2.5", [seen(1)], kick_off=None, first_in_play=None, method="shin"
    )
    assert undated.why == "unknown kick-off"


TOTALS = {0: 0.07, 1: 0.19, 2: 0.25, 3: 0.22, 4: 0.15, 5: 0.08, 6: 0.04}
"""How likely each number of goals is."""
MARGINS = {-2: 0.15, -1: 0.17, 0: 0.26, 1: 0.22, 2: 0.2}
"""How likely the home team wins by so many."""
BET_AT = 2.2


def earned(chances: dict[int, float], line: float, *, above: bool) -> tuple[float, float]:
    """Return what of a unit is won and lost on average: half of it on each side of a quarter."""
    won = lost = 0.0
    for half in (line - line % 0.5, line + (-line) % 0.5):
        for number, chance in chances.items():
            distance = (number - half) * (1 if above else -1)
            won += chance / 2 * (distance > 0)
            lost += chance / 2 * (distance < 0)
    return won, lost


def fair_line(chances: dict[int, float], line: float) -> tuple[float, float]:
    """Return the odds of both sides at which nobody earns anything."""
    (won, lost), (other_won, other_lost) = (
        earned(chances, line, above=above) for above in (True, False)
    )
    return 1 + lost / won, 1 + other_lost / other_won


def clv_of(found: ClosingLine) -> float | None:
    assert found.fair_odds is not None
    return clv_pct(BET_AT, found.fair_odds, found.decided or 1.0)


@pytest.mark.parametrize("line", [2.0, 2.25, 2.5, 2.75, 3.0, 3.25])
@pytest.mark.parametrize("side", ["Over", "Under"])
def test_a_clv_is_what_a_unit_staked_earns_on_average_by_the_close(line: float, side: str) -> None:
    odds = {}
    for each in {line, 1.5, 2.5, 3.5}:
        odds |= dict(
            zip((f"Over {each:g}", f"Under {each:g}"), fair_line(TOTALS, each), strict=True)
        )
    found = close(seen(1, odds), selection=f"{side} {line:g}")
    won, lost = earned(TOTALS, line, above=side == "Over")
    assert clv_of(found) == pytest.approx((won * (BET_AT - 1) - lost) * 100)
    assert found.decided == pytest.approx(won + lost)


@pytest.mark.parametrize("line", [-0.5, -0.25, 0.0, 0.25])
@pytest.mark.parametrize("side", ["Leeds", "Wolves"])
def test_the_draw_of_the_moneyline_tells_how_often_a_handicap_of_zero_pushes(
    line: float, side: str
) -> None:
    """The line is the home team's; its side wins where the margin is above the line's opposite."""
    prices = fair_line(MARGINS, -line)
    odds = dict(zip((f"Leeds {line:+g}", f"Wolves {-line:+g}"), prices, strict=True))
    home, away = (sum(MARGINS[sign * each] for each in (1, 2)) for sign in (1, -1))
    moneyline = {"Leeds": 1 / home, "Draw": 1 / MARGINS[0], "Wolves": 1 / away}
    market = Market("spread", "Leeds - Wolves", "Football")
    selection = f"Leeds {line:+g}" if side == "Leeds" else f"Wolves {-line:+g}"
    found, without = (
        closing_line(
            market,
            selection,
            [seen(1, odds)],
            kick_off=KICK_OFF,
            first_in_play=None,
            method="shin",
            moneyline=told,
        )
        for told in ([seen(2, moneyline)], [])
    )
    won, lost = earned(MARGINS, -line, above=side == "Leeds")
    assert clv_of(found) == pytest.approx((won * (BET_AT - 1) - lost) * 100)
    assert without.fair_odds == pytest.approx(found.fair_odds)
    assert without.decided == (1.0 if line == -0.5 else None)


def test_draw_no_bet_is_decided_where_there_is_no_draw() -> None:
    market = Market("draw_no_bet", "Leeds - Wolves", "Football")
    moneyline = {"Leeds": 2.0, "Draw": 4.0, "Wolves": 4.0}
    asked: dict[str, Any] = {"kick_off": KICK_OFF, "first_in_play": None, "method": "power"}
    odds = {"Leeds": 1.5, "Wolves": 3.0}
    found = closing_line(market, "Leeds", [seen(1, odds)], **asked, moneyline=[seen(1, moneyline)])
    assert found.decided == pytest.approx(0.75)
    two_way = [seen(1, {"Leeds": 1.5, "Wolves": 3.0})]
    assert (
        closing_line(market, "Leeds", [seen(1, odds)], **asked, moneyline=two_way).decided is None
    )


def test_lines_that_stood_at_another_moment_tell_nothing_of_a_push() -> None:
    neighbours = {"Over 1.5": 1.3, "Under 1.5": 4.0, **EVEN}
    whole = {"Over 2": 1.6, "Under 2": 2.6}
    found = close(seen(5, neighbours), seen(1, whole), selection="Over 2")
    assert (found.odds, found.decided) == (1.6, None)
    assert close(seen(1, neighbours | whole), selection="Over 2").decided is not None


def test_a_close_is_devigged_by_another_method_from_its_line() -> None:
    found = close(seen(1, {"Over 2.5": 1.5, "Under 2.5": 2.6}))
    other = devigged_by(found, "margin_proportional")
    margin = 1 / 1.5 + 1 / 2.6 - 1
    assert other is not None
    assert (other.odds, other.method) == (1.5, "margin_proportional")
    assert other.fair_odds == pytest.approx(1 / (1 / 1.5 - margin / 2))
    assert devigged_by(found, "multiplicative") == found
    assert devigged_by(replace(found, line=()), "shin") is None


def test_a_method_that_does_not_apply_to_a_line_leaves_no_close() -> None:
    market = Market("moneyline", "Leeds - Wolves", "Football")
    odds = {"Leeds": 1.02, "Draw": 20.0, "Wolves": 200.0}
    asked: dict[str, Any] = {"kick_off": KICK_OFF, "first_in_play": None}
    found = closing_line(market, "Wolves", [seen(1, odds)], **asked, method="multiplicative")
    without = devigged_by(found, "margin_proportional")
    assert without is not None
    assert (without.fair_odds, without.why) == (None, "the method gives no fair odds")
