"""What a source offers and what it costs, found out with free calls only."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from oddsdesk.base.text import every
from oddsdesk.base.texts import N_
from oddsdesk.contract.administration import Choice, Choices, LivePlan, LiveSource
from oddsdesk.contract.competitions import SPORT_BY_COMPETITION
from oddsdesk.contract.times import MINUTE_MS

if TYPE_CHECKING:
    from oddsdesk.feeds.live.polling import PollingFeed

FRESH_MS: Final = 5 * MINUTE_MS
"""How long a list of games is reused while the user chooses."""
_TITLES: Final = {
    "EPL": N_("English Premier League"),
    "EFL": N_("English Championship"),
    "LIG1": N_("French Ligue 1"),
    "LIG2": N_("French Ligue 2"),
    "BUND": N_("German Bundesliga"),
    "GER2": N_("German 2. Bundesliga"),
    "SERA": N_("Italian Serie A"),
    "LIGA": N_("Spanish La Liga"),
    "LIGA2": N_("Spanish Segunda División"),
    "ERED": N_("Dutch Eredivisie"),
    "UCL": N_("Champions League"),
    "UEL": N_("Europa League"),
    "BRAS": N_("Brazilian Série A"),
    "ARG": N_("Argentine Primera División"),
    "EURO": N_("EuroLeague"),
    "SHL": N_("Swedish SHL"),
    "DEL": N_("German DEL"),
}
"""Competitions with an unfamiliar code."""
_ORDER: Final = {code: place for place, code in enumerate(SPORT_BY_COMPETITION)}


class _Listed(msgspec.Struct):
    at_ms: int
    games: Any


class SourceGuide:
    """Answers questions about one source, through a feed of it that never runs.

    An adapter sets its own in ``LiveFeed.guide``. Methods that it does not override report that
    there is nothing to choose.

    Class attributes:
        about: The description of the source in lists.
    """

    about: ClassVar[LiveSource]

    def __init__(self, feed: PollingFeed) -> None:
        self.feed = feed

    async def choices(self) -> Choices:
        """Return the choices; spends nothing.

        Raises:
            SourceError: of the kind that tells how to continue.
        """
        return Choices(())

    async def plan(self, feed: PollingFeed, now_ms: int) -> LivePlan:
        """Return the plan for a feed of this source; spends nothing; errors as above.

        Args:
            feed: Only holds the settings; it makes no requests.
            now_ms: The current time.
        """
        return LivePlan(self.about.costs)


class GamesGuide(SourceGuide):
    """The same for a source that lists the games of a choice for free."""

    def __init__(self, feed: PollingFeed) -> None:
        super().__init__(feed)
        self._listed: dict[str, _Listed] = {}

    async def plan(self, feed: PollingFeed, now_ms: int) -> LivePlan:
        """Return the number of games and how often they are read."""
        games = {part: len(await self.listed(part, now_ms)) for part in feed.spec.what}
        count, how_often = sum(games.values()), every((feed.every_s,))
        sentence = N_(f"{count:,} games, read {how_often}, free")
        if count == 1:
            sentence = N_(f"1 game, read {how_often}, free")
        return LivePlan(sentence, games)

    @abstractmethod
    async def games(self, part: str, now_ms: int) -> Any:
        """Return the games of a part; requested once in five minutes."""

    async def listed(self, part: str, now_ms: int) -> Any:
        """Return ``games`` of a part, up to some minutes old."""
        known = self._listed.get(part)
        if known is None or now_ms - known.at_ms >= FRESH_MS:
            known = self._listed[part] = _Listed(now_ms, await self.games(part, now_ms))
        return known.games


def in_order(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """Return choices, those in the contract's table first, in its order."""

    def rank(choice: Choice) -> tuple[int, str, str]:
        known = _ORDER.get(choice.competition, len(_ORDER))
        return known, choice.group.casefold(), choice.title.casefold()

    return tuple(sorted(choices, key=rank))


def title_of(code: str, name: str) -> str:
    """Return a readable name for a competition that the source only has a code for.

    Args:
        code: Our code; empty if the contract's table does not have it.
        name: The source's code.
    """
    return name if code in ("", "TENNIS") else _TITLES.get(code, code)


def known_codes(competition: str) -> str:
    """Return a competition's code if the contract's table has it, else nothing."""
    return competition if competition in SPORT_BY_COMPETITION else ""
