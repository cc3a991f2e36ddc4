"""When which league or game is read, and how that is told (D68)."""

import math

import msgspec
import pytest

from oddsdesk.base.polling import Learned, starting_changes, starting_rate
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.feeds.the_odds_api.planner import Credits, Job, Memory, Planner, WeeksNeed

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
NOW = parse_ms("2026-11-01T12:00:00.000Z")
TODAY = (NOW + 5 * HOUR,)


def planner(left: int = 20_000, used: int = 0) -> Planner:
    made = Planner()
    made.note_credits(left, used, NOW)
    return made


def every_s(planner: Planner, *jobs: Job, now: int = NOW) -> dict[str, float]:
    return {
        name: schedule.every_s for name, schedule in planner.plan_jobs(jobs, now).schedules.items()
    }


def test_nothing_is_paid_for_before_the_credits_are_known() -> None:
    plan = Planner().plan_jobs([Job("epl", 1, TODAY)], NOW)
    assert plan.schedules == {}
    assert plan.sentence == "waiting for the source to report the remaining credits"


def test_one_league_gets_all_that_may_be_spent_until_the_worst_day() -> None:
    (interval,) = every_s(planner(500), Job("epl", 2, TODAY)).values()
    assert interval == pytest.approx(31 * 86_400 / (495 / 2))


def test_a_league_without_games_is_not_read_and_leaves_its_credits_to_others() -> None:
    alone = every_s(planner(), Job("epl", 1, TODAY))
    assert every_s(planner(), Job("epl", 1, TODAY), Job("ucl", 1, ())) == alone


def test_nothing_is_read_oftener_than_its_source_updates() -> None:
    job = Job("epl", 1, TODAY, least_s=1_800)
    assert every_s(planner(200_000), job) == {"epl": 1_800}


def test_what_is_due_comes_first_and_an_interval_counts_from_the_last_poll() -> None:
    made, jobs = planner(), [Job("epl", 1, TODAY), Job("ucl", 1, TODAY)]
    made.note_poll(jobs[0], NOW - MINUTE)
    schedules = made.plan_jobs(jobs, NOW).schedules
    assert list(schedules) == ["ucl", "epl"]
    assert schedules["ucl"].next_ms == NOW
    assert schedules["epl"].next_ms == NOW - MINUTE + round(schedules["epl"].every_s * 1000)


def test_a_poll_that_the_credits_do_not_cover_is_never_planned() -> None:
    jobs = [Job("epl", 6, TODAY), Job("ucl", 1, TODAY)]
    plan = planner(left=10, used=490).plan_jobs(jobs, NOW)
    assert list(plan.schedules) == ["ucl"]
    assert plan.sentence.endswith("; one no longer read")
    assert planner(left=-3, used=503).plan_jobs(jobs, NOW).schedules == {}


def test_the_sentence_says_what_it_costs_and_how_often_what_is_read() -> None:
    jobs = [
        Job("epl", 3, (NOW + HOUR,) * 12, markets=3),
        Job("ucl", 3, (NOW + 30 * HOUR,) * 14, markets=3),
        Job("nba", 3, (NOW + 40 * HOUR,) * 5, markets=3),
    ]
    heard = planner().plan_jobs(jobs, NOW).sentence
    assert heard == "three leagues, 20,000 credits a month: every 14, 21 and 36 minutes"


@pytest.mark.parametrize(
    ("jobs", "left", "sentence"),
    [
        ([Job("epl", 1, ())], 500, "no games now: nothing is read, at no cost"),
        ([Job("epl", 1, TODAY)], 500, "one league, 500 credits a month: every 1.5 hours"),
        (
            [Job("epl", 1, TODAY), Job("a", 20, TODAY, is_game=True), Job("b", 1, ())],
            500,
            "one league and one game, 500 credits a month: every 8 and 37 hours;"
            " one without games not read",
        ),
        ([Job("epl", 1, TODAY)], 50_000, "one league, 50,000 credits a month: every 60 seconds"),
        (
            [Job(str(n), 1, TODAY * n) for n in range(1, 14)],
            20_000,
            "13 leagues, 20,000 credits a month: every 21 to 74 minutes",
        ),
    ],
)
def test_other_plans_in_words(jobs: list[Job], left: int, sentence: str) -> None:
    assert planner(left).plan_jobs(jobs, NOW).sentence == sentence


@pytest.mark.parametrize(("left", "is_long"), [(500, True), (50_000, False)])
def test_intervals_longer_than_prices_count_as_fresh_are_said_to_be(left, is_long) -> None:
    plan = planner(left).plan_jobs([Job("epl", 1, TODAY)], NOW)
    assert plan.text.startswith(plan.sentence)
    assert ("Prices count as fresh for 10 minutes" in plan.text) is is_long
    assert plan.next_ms == NOW


def test_two_feeds_on_one_key_read_half_as_often_each() -> None:
    job = Job("epl", 1, TODAY)
    alone, shared = planner(500).plan_jobs([job], NOW), planner(500).plan_jobs([job], NOW, 2)
    assert shared.schedules["epl"].every_s == pytest.approx(2 * alone.schedules["epl"].every_s)
    assert shared.sentence == "one league, 500 credits a month shared by two feeds: every 3 hours"


def test_out_of_credits_says_until_when_at_the_latest() -> None:
    plan = planner(left=0, used=500).plan_jobs([Job("epl", 1, TODAY)], NOW)
    assert (
        plan.sentence
        == "one league, 500 credits a month: all used; renewed by 2026-12-02 at the latest"
    )


@pytest.mark.parametrize(
    ("renewed", "next_one"),
    [
        ("2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"),
        ("2026-12-17T08:30:00.000Z", "2027-01-17T08:30:00.000Z"),
        ("2027-01-31T08:30:00.000Z", "2027-03-01T08:30:00.000Z"),
    ],
)
def test_the_day_of_the_renewal_is_learned_from_used_falling(renewed: str, next_one: str) -> None:
    credits_left = Credits(300, 200, parse_ms(renewed) - 9 * DAY)
    credits_left.note_credits(250, 250, parse_ms(renewed) - HOUR)
    assert credits_left.renewal_ms == parse_ms(renewed) + 22 * DAY
    credits_left.note_credits(499, 1, parse_ms(renewed))
    assert format_ms(credits_left.renewal_ms) == next_one
    assert credits_left.per_hour(parse_ms(next_one) - 10 * HOUR) == pytest.approx(49.4)


def test_a_renewal_that_is_late_does_not_spend_everything_at_once() -> None:
    credits_left = Credits(100, 400, NOW - 40 * DAY)
    assert credits_left.per_hour(NOW) == pytest.approx(95 / 24)


def test_prices_that_change_oftener_than_thought_are_read_oftener() -> None:
    made, jobs = planner(), [Job("calm", 1, TODAY), Job("wild", 1, TODAY)]
    for minute in range(0, 60, 10):
        made.note_poll(jobs[0], NOW + minute * MINUTE, 0.0)
        made.note_poll(jobs[1], NOW + minute * MINUTE, 0.5)
    intervals = every_s(made, *jobs, now=NOW + HOUR)
    assert intervals["wild"] < intervals["calm"] / 2


@pytest.mark.parametrize("pace", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("hours", [0.1, 1.0, 8.0])
def test_the_pace_of_prices_is_found_from_the_share_that_differed(
    pace: float, hours: float
) -> None:
    learned = Learned()
    expected = 0.25 * hours
    for _ in range(500):
        learned.note_poll(-math.expm1(-expected * pace), expected)
    assert learned.factor == pytest.approx(pace, rel=0.25)


def test_changes_between_two_moments_are_the_rates_summed() -> None:
    kick_off = NOW + 100 * HOUR
    moments = range(NOW, kick_off + 2 * HOUR, 5 * MINUTE)
    summed = sum(starting_rate(kick_off, each + 150_000) / 12 for each in moments)
    assert starting_changes(kick_off, NOW, kick_off + 2 * HOUR) == pytest.approx(summed, rel=1e-6)


def test_an_hour_with_much_to_read_may_cost_more_than_the_mean_of_its_week() -> None:
    week = WeeksNeed()
    for hour in range(169):
        week.note_need(3.0 if hour % 24 < 6 else 1.0, NOW + hour * HOUR)
    week.note_need(3.0, NOW + 169 * HOUR)
    assert week.of_mean == pytest.approx(2.0, rel=0.02)
    week.note_need(1_000.0, NOW + 170 * HOUR)
    assert week.of_mean == 4.0


def test_what_is_not_known_of_a_week_counts_as_now() -> None:
    week = WeeksNeed()
    week.note_need(5.0, NOW)
    assert week.of_mean == 1.0
    week.note_need(2.0, NOW + 9 * HOUR)  # nobody looked meanwhile
    assert week.of_mean == 1.0


def test_memory_outlives_a_start() -> None:
    made, job = planner(300, 200), Job("epl", 1, TODAY)
    for minute in (0, 10, 20):
        made.plan_jobs([job], NOW + minute * MINUTE)
        made.note_poll(job, NOW + minute * MINUTE, 0.5)
    kept = msgspec.json.decode(msgspec.json.encode(made.memory), type=Memory)
    later = NOW + 30 * MINUTE
    assert Planner(kept).plan_jobs([job], later) == made.plan_jobs([job], later)


def test_a_poll_that_a_wrong_clock_noted_in_the_future_delays_none() -> None:
    """D84."""
    made, job = planner(), Job("epl", 1, TODAY)
    made.note_poll(job, NOW + DAY)
    assert made.plan_jobs([job], NOW).schedules["epl"].next_ms == NOW
