"""When to read which competition or game, so that a source's credits last (D68).

No clock and no I/O: who reads tells the planner what the source says of its credits and what each
poll found, and asks it for a plan anew after every poll and every few minutes between.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from oddsdesk.change_rates import Learned, starting_changes, starting_rate
from oddsdesk.contract.times import MINUTE_MS, WINDOW_MS, format_ms
from oddsdesk.feeds.live.credits import Credits, WeeksNeed
from oddsdesk.interval_words import every
from oddsdesk.poll_rates import Reading, need, poll_rates

_HOUR_S: Final = 3_600
_TOO_LONG: Final = (
    f"Prices count as fresh for {WINDOW_MS // MINUTE_MS} minutes: fewer competitions or markets,"
    " or more credits, keep them so"
)
_SPELLED: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


class Job(msgspec.Struct, frozen=True):
    """One thing to read: a competition, or a game of which more is read than its competition's."""

    name: str
    cost: float
    """Credits a poll."""
    kick_offs: tuple[int, ...]
    """Of the watched games that a poll answers, in milliseconds; without any it is not read."""
    markets: int = 1
    least_s: float = 60.0
    """The least between two polls: what the source itself updates, or the user's ``every=``."""
    is_game: bool = False


class Schedule(msgspec.Struct, frozen=True):
    """When a job is read."""

    every_s: float
    next_ms: int
    """Not after now where it is due."""


class Plan(msgspec.Struct, frozen=True):
    """When each job is read, the soonest first; jobs that are not to be read are left out."""

    schedules: dict[str, Schedule]
    sentence: str
    """What it means to do, for people."""

    @property
    def told(self) -> str:
        """The sentence, and what comes of it where prices grow old between two readings."""
        longest_s = max((each.every_s for each in self.schedules.values()), default=0.0)
        return self.sentence if longest_s * 1000 <= WINDOW_MS else f"{self.sentence}. {_TOO_LONG}"

    @property
    def next_ms(self) -> int | None:
        """When something is read next; None where nothing is."""
        return min((each.next_ms for each in self.schedules.values()), default=None)


class Memory(msgspec.Struct):
    """What a planner knows, to be kept between starts: of its credits, of jobs by name."""

    credits: Credits | None = None
    need: WeeksNeed = msgspec.field(default_factory=WeeksNeed)
    learned: dict[str, Learned] = {}
    polled_ms: dict[str, int] = {}
    asked_ms: dict[str, int] = {}
    """When each was asked for last, whatever came of it."""


class Planner:
    """Shares the credits of one key among what is read with it."""

    def __init__(self, memory: Memory | None = None) -> None:
        self.memory = memory or Memory()

    def note_credits(self, left: int, used: int, now_ms: int) -> None:
        """Note the credits that the source stated with an answer."""
        if self.memory.credits is None:
            self.memory.credits = Credits(left, used, now_ms)
        self.memory.credits.note(left, used, now_ms)

    def note_poll(self, job: Job, now_ms: int, differed: float | None = None) -> None:
        """Take in that a job was read.

        Args:
            job: As it was planned.
            now_ms: When.
            differed: The share of its prices that differed from those of the poll before, of
                those that both have; None where there is nothing to compare.
        """
        before = self.memory.polled_ms.get(job.name)
        self.memory.polled_ms[job.name] = now_ms
        if before is None or differed is None or not job.kick_offs:
            return
        changes = [starting_changes(kick_off, before, now_ms) for kick_off in job.kick_offs]
        learned = self.memory.learned.setdefault(job.name, Learned())
        learned.note(differed, sum(changes) / len(changes))

    def plan(self, jobs: Iterable[Job], now_ms: int, feeds: int = 1) -> Plan:
        """Return when each job is to be read; without credits known none is.

        ``feeds`` is how many spend these credits, this one among them: each has an equal part.
        """
        jobs = list(jobs)
        account = self.memory.credits
        if account is None:
            return Plan({}, "waits for the source to say how many credits are left")
        played = [job for job in jobs if job.kick_offs]
        paid = [job for job in played if job.cost <= account.spendable]
        readings = [self._reading(job, now_ms) for job in paid]
        self.memory.need.note(need(readings), now_ms)
        budget = account.per_hour(now_ms) * self.memory.need.of_mean / feeds
        rates = poll_rates(readings, budget)
        schedules = {
            job.name: self._schedule(job, rate, now_ms)
            for job, rate in zip(paid, rates, strict=True)
            if rate > 0
        }
        soonest = dict(sorted(schedules.items(), key=lambda item: item[1].next_ms))
        idle = len(jobs) - len(played)
        return Plan(soonest, _sentence(account, played, idle, soonest, feeds))

    def used_up(self, jobs: Iterable[Job]) -> str:
        """Return what there is to say once the source refuses to charge; empty without games."""
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
        if before is not None and before <= now_ms:  # else by a clock that was put back since
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
        return "no games now: nothing is read, which costs nothing"
    shared = f" shared by {_spelled(feeds)} feeds" if feeds > 1 else ""
    subject = f"{_jobs_in_words(played)}, {account.month:,} a month{shared}"
    if not schedules:
        return f"{subject}: all used, at the latest until {format_ms(account.renewal_ms)[:10]}"
    text = f"{subject}: {every(each.every_s for each in schedules.values())}"
    dear = len(played) - len(schedules)
    rests = [f"{_spelled(dear)} not any more"] if dear else []
    rests += [f"{_spelled(idle)} without games not at all"] if idle else []
    return "; ".join([text, *rests])


def _jobs_in_words(jobs: Sequence[Job]) -> str:
    games = sum(job.is_game for job in jobs)
    counts = ((len(jobs) - games, "league"), (games, "game"))
    words = (f"{_spelled(n)} {noun}{'' if n == 1 else 's'}" for n, noun in counts if n)
    return " and ".join(words)


def _spelled(number: int) -> str:
    return _SPELLED[number] if number < len(_SPELLED) else f"{number:,}"
