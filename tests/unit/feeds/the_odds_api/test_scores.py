"""Which games wait for a result, and when asking for it is worth the credits."""

import pytest

from oddsdesk.feeds.the_odds_api.planner import Job, Planner
from oddsdesk.feeds.the_odds_api.scores import COST, Scores

NOW = 1_795_000_000_000
MINUTE = 60_000
HOUR = 60 * MINUTE
EPL = "soccer_epl"


@pytest.mark.parametrize(
    ("sport", "minutes"),
    [(EPL, 120), ("icehockey_nhl", 165), ("americanfootball_nfl", 195), ("tennis_atp", 120)],
)
def test_a_result_is_first_asked_for_when_games_of_the_sport_are_over(
    sport: str, minutes: int
) -> None:
    scores = Scores()
    assert scores.due_ms(sport, NOW) is None
    scores.note_games(sport, {"a": NOW, "b": NOW + HOUR}, NOW)
    assert scores.due_ms(sport, NOW) == NOW + minutes * MINUTE
    scores.note_over(sport, ["a"])
    assert scores.due_ms(sport, NOW) == NOW + HOUR + minutes * MINUTE


def test_a_game_that_is_taken_off_the_list_or_moved_is_not_waited_for() -> None:
    scores = Scores()
    scores.note_games(EPL, {"a": NOW - HOUR, "b": NOW + HOUR, "c": NOW + HOUR}, NOW)
    assert not scores.note_games(EPL, {"b": NOW + HOUR, "c": NOW + HOUR}, NOW)
    assert scores.note_games(EPL, {"c": NOW + 9 * HOUR, "d": NOW + 96 * HOUR}, NOW)
    assert scores.games[EPL] == {"a": NOW - HOUR, "c": NOW + 9 * HOUR}


def test_a_game_with_a_result_is_not_waited_for_although_it_is_listed() -> None:
    scores = Scores()
    scores.note_games(EPL, {"a": NOW - 2 * HOUR}, NOW)
    scores.note_over(EPL, ["a", "unknown"])
    scores.note_games(EPL, {"a": NOW - 2 * HOUR}, NOW)
    assert scores.due_ms(EPL, NOW) is None


def test_after_three_days_a_result_is_given_up() -> None:
    scores = Scores()
    scores.note_games(EPL, {"a": NOW}, NOW)
    assert scores.due_ms(EPL, NOW + 71 * HOUR) is not None
    assert scores.due_ms(EPL, NOW + 72 * HOUR) is None


@pytest.mark.parametrize(("hours", "days"), [(2, 1), (19, 1), (21, 2), (43, 2), (45, 3), (71, 3)])
def test_a_request_reaches_back_to_the_oldest_game(hours: int, days: int) -> None:
    scores = Scores()
    scores.note_games(EPL, {"a": NOW - hours * HOUR, "b": NOW - HOUR}, NOW)
    assert scores.days_from(EPL, NOW) == days
    assert scores.days_from(EPL, NOW, at_least_daily=True) == 3


def test_a_clock_that_is_put_back_delays_nothing_for_long() -> None:
    scores = Scores()
    scores.note_games(EPL, {"a": NOW - 3 * HOUR}, NOW)
    scores.note_asked(EPL, NOW + 48 * HOUR)
    assert scores.due_ms(EPL, NOW) == NOW + 30 * MINUTE


def test_scores_wait_for_their_allowance_and_come_out_of_the_budget_of_prices() -> None:
    planner = Planner()
    scores = planner.memory.scores
    planner.note_credits(744, 0, NOW)  # one an hour
    scores.note_games(EPL, {"a": NOW - 3 * HOUR}, NOW)
    assert planner.plan_scores([EPL], NOW) == {EPL: NOW}
    scores.note_spent(COST, NOW)
    scores.note_spent(COST, NOW)
    (due,) = planner.plan_scores([EPL], NOW).values()
    assert due / HOUR == pytest.approx(NOW / HOUR + COST / 0.25, abs=0.2)
    (shared,) = planner.plan_scores([EPL], NOW, feeds=2).values()
    assert shared > due
    assert scores.per_hour == pytest.approx(2 * COST / 168)
    planner.note_credits(1, 743, NOW)
    account = planner.memory.credits
    assert account is not None
    assert planner.plan_scores([EPL], NOW) == {EPL: account.renewal_ms}


def test_what_scores_cost_is_not_spent_on_prices() -> None:
    every_s = []
    for spent in (0.0, 84.0):
        planner = Planner()
        planner.note_credits(744, 0, NOW)
        if spent:
            planner.memory.scores.note_spent(spent, NOW)
        job = Job("a", 1, (NOW + 100 * HOUR,))
        every_s.append(planner.plan_jobs([job], NOW).schedules["a"].every_s)
    assert every_s[1] == pytest.approx(every_s[0] * 2, rel=0.05)
