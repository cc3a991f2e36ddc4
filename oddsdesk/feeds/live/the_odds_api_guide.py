"""What can be chosen from The Odds API: its list of sports and of their games are free."""

from typing import TYPE_CHECKING, ClassVar, Final, cast

import msgspec

from oddsdesk.contract.live_sources import Choice, Choices, LivePlan, LiveSource, SourceOption
from oddsdesk.feeds.live.guide import GamesGuide, in_order, known
from oddsdesk.feeds.live.source import decode
from oddsdesk.feeds.the_odds_api.names import competition

if TYPE_CHECKING:
    from oddsdesk.feeds.live.polling import PollingFeed
    from oddsdesk.feeds.live.the_odds_api import Game, TheOddsApi

_SPORTS: Final = {"Soccer": "Football", "American Football": "American football"}
"""What a group is called here."""


class _Sport(msgspec.Struct, frozen=True):
    key: str
    group: str
    title: str
    active: bool = True
    has_outrights: bool = False


class OddsApiGuide(GamesGuide):
    """Asks ``/sports`` and ``/events``, whose answers say how many credits are left."""

    about: ClassVar[LiveSource] = LiveSource(
        "the-odds-api",
        "The Odds API",
        "Some forty bookmakers, most sports",
        "500 credits a month are free",
        key="Your key of The Odds API",
        key_url="https://the-odds-api.com/#get-access",
        options=(
            SourceOption(
                "regions",
                "Bookmakers of",
                (
                    ("eu", "Europe"),
                    ("uk", "UK"),
                    ("us", "US"),
                    ("us2", "US 2"),
                    ("au", "Australia"),
                ),
                ("eu",),
            ),
            SourceOption(
                "markets",
                "Markets",
                (
                    ("h2h", "Match result"),
                    ("spreads", "Handicaps"),
                    ("totals", "Totals"),
                    ("btts", "Both teams to score"),
                ),
                ("h2h",),
            ),
        ),
    )

    async def choices(self) -> Choices:
        """Return the sports in season; those on which only outrights are offered have no games."""
        listed = decode(list[_Sport], await self.feed.source.get("/v4/sports"), "/sports")
        found = in_order(
            Choice(
                sport.key,
                sport.title,
                _SPORTS.get(sport.group, sport.group),
                known(competition(sport.key)),
            )
            for sport in listed
            if sport.active and not sport.has_outrights
        )
        said = self.feed.status.now
        return Choices(found, said.credits_left, said.credits_used)

    async def plan(self, feed: "PollingFeed", now_ms: int) -> LivePlan:
        """Return how the planner will pace a feed with the credits that are left now."""
        games = {sport: await self.listed(sport, now_ms) for sport in feed.spec.what}
        if self.feed.status.now.credits_left is None:
            await self.feed.source.get("/v4/sports")
        said = self.feed.status.now
        left, used = said.credits_left, said.credits_used
        plan = cast("TheOddsApi", feed).plan_for(games, left, used, now_ms)
        counts = {sport: len(each) for sport, each in games.items()}
        intervals: dict[str, tuple[float, ...]] = {}
        for job, schedule in plan.schedules.items():
            sport = job.partition("/")[0]
            intervals[sport] = (*intervals.get(sport, ()), schedule.every_s)
        return LivePlan(plan.told, counts, left, used, intervals)

    async def games(self, part: str, now_ms: int) -> "list[Game]":
        """Return the games of a sport."""
        return await cast("TheOddsApi", self.feed).games_of(part)
