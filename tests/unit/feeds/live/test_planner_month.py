"""A simulated month of credits: never more than there are, nearly all, and where it matters (D68).

Seven competitions, of which one has no games; prices change as often as they really did, which
the planner knows only roughly. No time passes and no chance is involved but a seeded one.
"""

import gzip
import math
import random
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.the_odds_api.planner import Job, Plan, Planner

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
SHARED = Path(__file__).parents[5] / "shared" / "data"
MOVEMENT = SHARED / "movement" / "world-cup-2026.quotes.ndjson.gz"
BEFORE_HOURS = (0.25, 1, 3, 6, 12, 24, 48, math.inf)
OWN_RATES = (0.7, 0.4, 0.3, 0.25, 0.25, 0.2, 0.1, 0.08)
"""Where the recorded movement is missing."""
SHOWN_AHEAD, GAME, LOOK = 4 * DAY, 2 * HOUR, 10 * MINUTE


class League(msgspec.Struct, frozen=True):
    """A competition of the simulation; its prices move ``pace`` times as fast as usual."""

    name: str
    cost: int
    markets: int
    pace: float
    kick_offs: tuple[int, ...]

    def shown(self, now: int) -> tuple[int, ...]:
        """Return the kick-offs of the games that the source shows now."""
        begin = bisect_right(self.kick_offs, now - GAME)
        return self.kick_offs[begin : bisect_left(self.kick_offs, now + SHOWN_AHEAD)]


def weekly(*hours: float, weeks: int = 8, every: int = 1) -> tuple[int, ...]:
    """Return kick-offs at those hours of each week."""
    return tuple(
        round((24 * 7 * week + h) * HOUR) for week in range(0, weeks, every) for h in hours
    )


TUESDAY, SATURDAY, SUNDAY = 24, 24 * 5, 24 * 6
CUP_NIGHT = (17.75, 17.75, 20, 20, 20, 20, 20, 20, 20)
LEAGUES = (
    League(
        name="first league",
        cost=3,
        markets=3,
        pace=1.0,
        kick_offs=weekly(
            *(SATURDAY + h for h in (-4, 12.5, 15, 15, 15, 15, 17.5)),
            *(SUNDAY + h for h in (14, 14, 16.5)),
        ),
    ),
    League(
        name="second league",
        cost=3,
        markets=3,
        pace=1.0,
        kick_offs=weekly(SATURDAY - 4.25, SATURDAY + 12.5, *[SATURDAY + 15.0] * 10),
    ),
    League(
        name="cup",
        cost=3,
        markets=3,
        pace=0.6,
        kick_offs=weekly(
            *(TUESDAY + h for h in CUP_NIGHT), *(TUESDAY + 24 + h for h in CUP_NIGHT), every=2
        ),
    ),
    League(
        name="every night",
        cost=3,
        markets=3,
        pace=2.0,
        kick_offs=weekly(*(24 * day + h for day in range(7) for h in (0, 0, 0.5, 1, 1, 2, 3.5))),
    ),
    League(
        name="few games",
        cost=3,
        markets=3,
        pace=0.4,
        kick_offs=weekly(SATURDAY - 14, SATURDAY + 7, SATURDAY + 9, SUNDAY + 6),
    ),
    League(
        name="a tournament now and then",
        cost=1,
        markets=1,
        pace=1.5,
        kick_offs=weekly(*(24 * day + h for day in range(7) for h in (9, 10, 11, 13)), every=3),
    ),
    League(name="no season", cost=1, markets=1, pace=1.0, kick_offs=()),
)


class Month(msgspec.Struct):
    """What came of a simulated month."""

    spent: list[int]
    """By period of the credits."""
    unseen: float = 0.0
    """Changes of watched prices that were not seen yet, summed over hours."""
    played_credit_hours: float = 0.0
    empty_polls: int = 0


@cache
def rates() -> tuple[float, ...]:
    """Return how often a price really changed an hour, by the time to its kick-off."""
    if not MOVEMENT.exists():
        return OWN_RATES
    seen = defaultdict(list)
    with gzip.open(MOVEMENT, "rb") as lines:
        for quote in map(msgspec.json.decode, lines):
            if quote["market_type"] == "moneyline" and not quote["is_live"]:
                seen[quote["match_name"], quote["bookmaker"]].append(quote)
    polls: list[list[float]] = [[0.0, 0.0, 0.0] for _ in BEFORE_HOURS]
    for quotes in seen.values():
        for before, after in pairwise(quotes):
            now, start = parse_ms(after["scraped_at"]), parse_ms(after["match_date"])
            counts = polls[bisect_right(BEFORE_HOURS, max(start - now, 0) / HOUR)]
            counts[0] += 1
            counts[1] += before["odds"] != after["odds"]
            counts[2] += (now - parse_ms(before["scraped_at"])) / HOUR
    return tuple(-math.log1p(-changed / n) / (hours / n) for n, changed, hours in polls)


@cache
def _changes_an_hour(league: League, look: int) -> float:
    """Return how many watched prices of a league change an hour."""
    now = look * LOOK
    leads = (max(kick_off - now, 0) / HOUR for kick_off in league.shown(now))
    prices = sum(rates()[bisect_right(BEFORE_HOURS, lead)] for lead in leads)
    return prices * league.markets * league.pace


class Simulation:
    """One key on its way through the days; ``intervals`` says how often leagues are read."""

    def __init__(self, credits_a_month: int, renewed_on: int) -> None:
        self.a_month, self.renewed_at = credits_a_month, renewed_on * DAY
        self.left, self.used = credits_a_month, 0
        self.unseen = dict.fromkeys((league.name for league in LEAGUES), 0.0)
        self.since: dict[str, int] = {}
        self.month = Month([])
        self.chance = random.Random(68)

    def run(self, days: int, step: Callable[["Simulation", int], int]) -> Month:
        """Let days pass; ``step`` reads what is due and says when to look again."""
        now = 0
        while now < days * DAY:
            if self.left < self.a_month and now >= self.renewed_at > 0:
                self.renewed_at = 0
                self.month.spent.append(self.used)
                self.left, self.used = self.a_month, 0
            until = min(step(self, now), days * DAY, self.renewed_at or days * DAY)
            self._pass(now, max(until, now + 1))
            now = max(until, now + 1)
        self.month.spent.append(self.used)
        return self.month

    def read(self, league: League, now: int) -> float | None:
        """Pay for a poll; return the share of its prices that differ."""
        shown, before = league.shown(now), self.since.get(league.name)
        self.month.empty_polls += not shown
        self.left -= league.cost
        self.used += league.cost
        assert self.left >= 0
        unseen, self.unseen[league.name] = self.unseen[league.name], 0.0
        self.since[league.name] = now
        if before is None or not shown:
            return None
        prices = len(shown) * league.markets
        changed = -math.expm1(-unseen / prices)
        return sum(self.chance.random() < changed for _ in range(prices)) / prices

    def _pass(self, now: int, until: int) -> None:
        hours = (until - now) / HOUR
        for league in LEAGUES:
            shown = league.shown(now)
            if not shown:
                self.unseen[league.name] = 0.0
                continue
            changes = _changes_an_hour(league, now // LOOK) * hours
            self.month.unseen += (self.unseen[league.name] + changes / 2) * hours
            self.month.played_credit_hours += league.cost * hours
            self.unseen[league.name] += changes


def is_due(plan: Plan, league: League, now: int) -> bool:
    schedule = plan.schedules.get(league.name)
    return schedule is not None and schedule.next_ms <= now


def planned(planner: Planner) -> Callable[[Simulation, int], int]:
    """Return a step that reads what the planner says."""

    def step(simulation: Simulation, now: int) -> int:
        planner.note_credits(simulation.left, simulation.used, now)
        jobs = {
            each.name: Job(each.name, each.cost, each.shown(now), each.markets) for each in LEAGUES
        }
        while True:
            plan = planner.plan_jobs(jobs.values(), now)
            due = [each for each in LEAGUES if is_due(plan, each, now)]
            if not due:
                break
            planner.note_poll(jobs[due[0].name], now, simulation.read(due[0], now))
            planner.note_credits(simulation.left, simulation.used, now)
        return min([schedule.next_ms for schedule in plan.schedules.values()] + [now + LOOK])

    return step


def at_equal_intervals(interval_ms: float) -> Callable[[Simulation, int], int]:
    """Return a step that reads all leagues that have games equally often."""

    def step(simulation: Simulation, now: int) -> int:
        soonest = now + LOOK
        for league in LEAGUES:
            if not league.shown(now):
                continue
            since = simulation.since.get(league.name)
            if since is None or now - since >= interval_ms:
                simulation.read(league, now)
                since = now
            soonest = min(soonest, math.ceil(since + interval_ms))
        return soonest

    return step


@pytest.mark.slow
@pytest.mark.parametrize(("a_month", "renewed_on"), [(500, 0), (500, 12), (20_000, 12)])
def test_a_month_spends_its_credits_where_prices_move(a_month: int, renewed_on: int) -> None:
    days = renewed_on + 30
    month = Simulation(a_month, renewed_on).run(days, planned(Planner()))
    spent = sum(month.spent)
    assert month.empty_polls == 0
    assert 0.95 * a_month <= month.spent[-1] <= a_month
    interval = month.played_credit_hours / spent * HOUR
    equal = Simulation(10 * a_month, 0).run(days, at_equal_intervals(interval))
    # Read oftener, it leaves in proportion less unseen: brought to what the planner spent.
    ratio = month.unseen / (equal.unseen * sum(equal.spent) / spent)
    print(f"{a_month}, renewed on day {renewed_on}: {month.spent} spent, {ratio:.3f} of equal")
    assert ratio <= 0.8
