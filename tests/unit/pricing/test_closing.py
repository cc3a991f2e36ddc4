"""The closing line of a bet (D57)."""

import pytest

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.closing import ClosingLine, Sighting, closing_line
from oddsdesk.pricing.market import Market

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
        close(seen(1, live=True)).why
        == "the reference was not seen to price this market before the game"
    )


def test_a_line_that_moved_is_shown_apart_and_never_mixed() -> None:
    moved = {"Over 2.75": 1.9, "Under 2.75": 1.9, "Over 3.5": 3.0, "Under 3.5": 1.4}
    found = close(seen(60), seen(2, moved))
    assert not found.is_there
    assert (found.why, found.moved_to) == ("the line moved", "Over 2.75")
    assert found.moved_fair_odds == pytest.approx(2.0)


def test_what_has_no_close_says_why() -> None:
    assert close().why == "the reference was not seen to price this market before the game"
    assert close(seen(1), selection="Messi").why == "the selection could not be read"
    one_side = close(seen(1, {"Under 2.5": 1.9}))
    assert one_side.why == "the reference did not price all of the line at the end"
    undated = closing_line(
        TOTAL, "Over 2.5", [seen(1)], kick_off=None, first_in_play=None, method="shin"
    )
    assert undated.why == "the kick-off is not known"
