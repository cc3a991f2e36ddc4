"""Plans when to read which competition or game, so that a source's credits last.

It has no clock and no I/O. The feed reports the source's credits and the result of each poll, and
asks for a plan after every poll and every few minutes in between.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from oddsdesk.base.polling import (
    Learned,
    Reading,
    need,
    poll_rates,
    starting_changes,
    starting_rate,
)
from oddsdesk.base.text import and_joined, every
from oddsdesk.base.texts import N_
from oddsdesk.contract.times import DAY_MS, HOUR_MS, MINUTE_MS, WINDOW_MS, format_ms
from oddsdesk.feeds.the_odds_api.scores import COST, Scores

_LONGEST_MONTH_MS: Final = 31 * DAY_MS
_RESERVE: Final = 0.01
"""Share of a month's credits kept for readings that the user asks for."""
_WEEK_H: Final = 168
_MOST_OF_MEAN: Final = 4.0
"""Most spent per hour, as a multiple of the mean: a season can start after idle weeks."""


class Credits(msgspec.Struct):
    """The credits of one key, as its source last reported them; times in milliseconds.

    Sources renew credits on the first of the month or on the day of a subscription, and do not say
    which. A renewal shows as ``used`` falling. Until then, credits must last as long as possible: a
    month of 31 days from when they were first seen.
    """

    left: int
    used: int
    first_seen_ms: int
    renewed_ms: int | None = None
    """When a renewal was last seen."""

    def note_credits(self, left: int, used: int, now_ms: int) -> None:
        """Record what the source reports; ``left`` may be negative."""
        if used < self.used:
            self.renewed_ms = now_ms
        self.left, self.used = left, used

    @property
    def month(self) -> int:
        """Credits per month."""
        return max(self.left, 0) + self.used

    @property
    def spendable(self) -> float:
        """Credits that may be spent until the renewal."""
        return max(self.left - self.month * _RESERVE, 0.0)

    @property
    def renewal_ms(self) -> int:
        """The latest time of the renewal."""
        if self.renewed_ms is None:
            return self.first_seen_ms + _LONGEST_MONTH_MS
        return _a_month_after(self.renewed_ms)

    def per_hour(self, now_ms: int) -> float:
        """Return the credits that may be spent per hour from now on."""
        left_ms = self.renewal_ms - now_ms
        if left_ms <= 0:  # late: it is due any hour, and no clock is off by more than a day
            left_ms = DAY_MS
        return self.spendable * HOUR_MS / max(left_ms, HOUR_MS)


class WeeksNeed(msgspec.Struct):
    """How much there was to read in each hour of the last week, since weeks resemble each other."""

    hours: dict[int, tuple[float, float]] = {}
    """By hour since the epoch: how much of it is known, and the sum of the need over that."""
    noted_ms: int = 0
    need: float = 0.0
    """The current need, and since when."""

    def note_need(self, need: float, now_ms: int) -> None:
        """Record how much there is to read from now on (``base.polling.need``)."""
        elapsed = (now_ms - self.noted_ms) / HOUR_MS
        hour = self.noted_ms // HOUR_MS
        if 0 < elapsed <= 1:  # else nothing was recorded meanwhile
            if hour not in self.hours:
                self._begin(hour)
            known, summed = self.hours[hour]
            self.hours[hour] = (known + elapsed, summed + elapsed * self.need)
        self.noted_ms, self.need = now_ms, need

    @property
    def of_mean(self) -> float:
        """The current need relative to the mean of a week; unknown hours count as now."""
        known = min(sum(hours for hours, _ in self.hours.values()), _WEEK_H)
        summed = sum(summed for _, summed in self.hours.values())
        mean = (summed + self.need * (_WEEK_H - known)) / _WEEK_H
        return min(self.need / mean, _MOST_OF_MEAN) if mean > 0 else 1.0

    def _begin(self, hour: int) -> None:
        self.hours = {each: known for each, known in self.hours.items() if each > hour - _WEEK_H}
        self.hours[hour] = (0.0, 0.0)


def _a_month_after(moment_ms: int) -> int:
    """Return the same time on the same day of the next month that has it."""
    moment = datetime.fromtimestamp(moment_ms / 1000, UTC)
    first = (moment.replace(day=1) + timedelta(days=31)).replace(day=1)
    try:
        after = first.replace(day=moment.day)
    except ValueError:
        after = (first + timedelta(days=31)).replace(day=1)
    return round(after.timestamp() * 1000)


_HOUR_S: Final = 3_600
_TOO_LONG: Final = N_(
    f"Prices count as fresh for {WINDOW_MS // MINUTE_MS} minutes: choose fewer competitions or"
    " markets, or get more credits, to keep them fresh"
)
_SPELLED: Final = (
    *("no", N_("one"), N_("two"), N_("three"), N_("four"), N_("five"), N_("six")),
    *(N_("seven"), N_("eight"), N_("nine"), N_("ten"), N_("eleven"), N_("twelve")),
)


class Job(msgspec.Struct, frozen=True):
    """One thing to read: a competition, or a single game with more markets."""

    name: str
    cost: float
    """Credits per poll."""
    kick_offs: tuple[int, ...]
    """Kick-offs of the watched games that a poll covers, in milliseconds; it needs at least one."""
    markets: int = 1
    least_s: float = 60.0
    """Least seconds between two polls: the source's own updates, or the user's ``every=``."""
    is_game: bool = False


class Schedule(msgspec.Struct, frozen=True):
    """When a job is read next."""

    every_s: float
    next_ms: int
    """Not later than now if it is due."""


class Plan(msgspec.Struct, frozen=True):
    """When each job is read, the soonest first; jobs that are not read are left out."""

    schedules: dict[str, Schedule]
    sentence: str
    """What the plan does, in words."""

    @property
    def text(self) -> str:
        """The sentence, with a warning if prices become stale between two readings."""
        longest_s = max((each.every_s for each in self.schedules.values()), default=0.0)
        return self.sentence if longest_s * 1000 <= WINDOW_MS else f"{self.sentence}. {_TOO_LONG}"

    @property
    def next_ms(self) -> int | None:
        """When something is read next; None if nothing is."""
        return min((each.next_ms for each in self.schedules.values()), default=None)


class Memory(msgspec.Struct):
    """What a planner remembers across starts: its credits, and jobs by name."""

    credits: Credits | None = None
    need: WeeksNeed = msgspec.field(default_factory=WeeksNeed)
    learned: dict[str, Learned] = {}
    polled_ms: dict[str, int] = {}
    asked_ms: dict[str, int] = {}
    """When each was last requested, with or without success."""
    scores: Scores = msgspec.field(default_factory=Scores)


class Planner:
    """Divides the credits of one key among everything that is read with it."""

    def __init__(self, memory: Memory | None = None) -> None:
        self.memory = memory or Memory()

    def note_credits(self, left: int, used: int, now_ms: int) -> None:
        """Record the credits in an answer."""
        if self.memory.credits is None:
            self.memory.credits = Credits(left, used, now_ms)
        self.memory.credits.note_credits(left, used, now_ms)

    def note_poll(self, job: Job, now_ms: int, differed: float | None = None) -> None:
        """Record that a job was read.

        Args:
            job: As it was planned.
            now_ms: The time.
            differed: Share of prices that changed since the poll before, among those in both; None
                if nothing can be compared.
        """
        before = self.memory.polled_ms.get(job.name)
        self.memory.polled_ms[job.name] = now_ms
        if before is None or differed is None or not job.kick_offs:
            return
        changes = [starting_changes(kick_off, before, now_ms) for kick_off in job.kick_offs]
        learned = self.memory.learned.setdefault(job.name, Learned())
        learned.note_poll(differed, sum(changes) / len(changes))

    def plan_jobs(self, jobs: Iterable[Job], now_ms: int, feeds: int = 1) -> Plan:
        """Return when each job is to be read; nothing is until the credits are known.

        ``feeds`` is the number of feeds that share these credits equally, including this one.
        """
        jobs = list(jobs)
        account = self.memory.credits
        if account is None:
            return Plan({}, N_("waiting for the source to report the remaining credits"))
        played = [job for job in jobs if job.kick_offs]
        paid = [job for job in played if job.cost <= account.spendable]
        readings = [self._reading(job, now_ms) for job in paid]
        self.memory.need.note_need(need(readings), now_ms)
        per_hour = max(account.per_hour(now_ms) / feeds - self.memory.scores.per_hour, 0.0)
        budget = per_hour * self.memory.need.of_mean
        rates = poll_rates(readings, budget)
        schedules = {
            job.name: self._schedule(job, rate, now_ms)
            for job, rate in zip(paid, rates, strict=True)
            if rate > 0
        }
        soonest = dict(sorted(schedules.items(), key=lambda item: item[1].next_ms))
        idle = len(jobs) - len(played)
        return Plan(soonest, _sentence(account, played, idle, soonest, feeds))

    def plan_scores(
        self, sports: Iterable[str], now_ms: int, feeds: int = 1, *, at_least_daily: bool = False
    ) -> dict[str, int]:
        """Return when to ask for the scores of each competition that has games without a result.

        They may take a quarter of this feed's share of the credits.
        """
        scores, account = self.memory.scores, self.memory.credits
        dues = {
            sport: due
            for sport in sports
            if (due := scores.due_ms(sport, now_ms, at_least_daily=at_least_daily)) is not None
        }
        if account is None:
            return dues
        if account.spendable < COST:
            return dict.fromkeys(dues, account.renewal_ms)
        per_hour = account.per_hour(now_ms) / feeds
        scores.allow(per_hour, now_ms)
        affordable = scores.affordable_ms(per_hour, now_ms)
        return {sport: max(due, affordable) for sport, due in dues.items()}

    def used_up(self, jobs: Iterable[Job]) -> str:
        """Return the plan for when the source refuses to charge; empty without games."""
        jobs, account = list(jobs), self.memory.credits
        played = [job for job in jobs if job.kick_offs]
        if account is None or not played:
            return ""
        return _sentence(account, played, len(jobs) - len(played), {})

    def _reading(self, job: Job, now_ms: int) -> Reading:
        games = len(job.kick_offs)
        starting = sum(starting_rate(kick_off, now_ms) for kick_off in job.kick_offs) / games
        factor = self.memory.learned.get(job.name, Learned()).factor
        most = _HOUR_S / job.least_s
        return Reading(job.cost, games * job.markets, starting * factor, most)

    def _schedule(self, job: Job, rate: float, now_ms: int) -> Schedule:
        every_s = _HOUR_S / rate
        before = self.memory.polled_ms.get(job.name)
        next_ms = now_ms
        if before is not None and before <= now_ms:  # else the clock was set back
            next_ms = max(before + round(every_s * 1000), now_ms)
        return Schedule(every_s, next_ms)


def _sentence(
    account: Credits,
    played: Sequence[Job],
    idle: int,
    schedules: dict[str, Schedule],
    feeds: int = 1,
) -> str:
    if not played:
        return N_("no games now: nothing is read, at no cost")
    jobs = _jobs_in_words(played)
    subject = N_(f"{jobs}, {account.month:,} credits a month")
    if feeds > 1:
        subject = N_(f"{jobs}, {account.month:,} credits a month shared by {_spelled(feeds)} feeds")
    if not schedules:
        renewed = N_(f"renewed by {format_ms(account.renewal_ms)[:10]} at the latest")
        return N_(f"{subject}: all used") + f"; {renewed}"
    text = f"{subject}: {every(each.every_s for each in schedules.values())}"
    dear = len(played) - len(schedules)
    rests = [N_(f"{_spelled(dear)} no longer read")] if dear else []
    rests += [N_(f"{_spelled(idle)} without games not read")] if idle else []
    return "; ".join([text, *rests])


def _jobs_in_words(jobs: Sequence[Job]) -> str:
    games = sum(job.is_game for job in jobs)
    words = []
    if leagues := len(jobs) - games:
        words.append(N_("one league") if leagues == 1 else N_(f"{_spelled(leagues)} leagues"))
    if games:
        words.append(N_("one game") if games == 1 else N_(f"{_spelled(games)} games"))
    return and_joined(words, str)


def _spelled(number: int) -> str:
    return _SPELLED[number] if number < len(_SPELLED) else f"{number:,}"
