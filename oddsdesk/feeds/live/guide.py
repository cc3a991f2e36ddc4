"""What can be chosen from a source and what that costs, told from free calls alone (D68)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from oddsdesk.contract.competitions import SPORT_BY_COMPETITION
from oddsdesk.contract.live_sources import Choice, Choices, LivePlan, LiveSource
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.interval_words import every

if TYPE_CHECKING:
    from oddsdesk.feeds.live.polling import PollingFeed

FRESH_MS: Final = 5 * MINUTE_MS
"""How long a list of games is good for while somebody chooses."""
_TITLES: Final = {
    "EPL": "English Premier League",
    "EFL": "English Championship",
    "LIG1": "French Ligue 1",
    "LIG2": "French Ligue 2",
    "BUND": "German Bundesliga",
    "GER2": "German 2. Bundesliga",
    "SERA": "Italian Serie A",
    "LIGA": "Spanish La Liga",
    "LIGA2": "Spanish Segunda División",
    "ERED": "Dutch Eredivisie",
    "UCL": "Champions League",
    "UEL": "Europa League",
    "BRAS": "Brazilian Série A",
    "ARG": "Argentine Primera División",
    "EURO": "EuroLeague",
    "SHL": "Swedish SHL",
    "DEL": "German DEL",
}
"""Of those whose code is not what people call them."""
_ORDER: Final = {code: place for place, code in enumerate(SPORT_BY_COMPETITION)}


class _Listed(msgspec.Struct):
    at_ms: int
    games: Any


class SourceGuide:
    """Answers for one source, asked through a feed of it that is never run.

    An adapter names its own in ``LiveFeed.guide``. What it does not override tells that the source
    has nothing to choose from.

    Class attributes:
        about: What people read who choose among sources.
    """

    about: ClassVar[LiveSource]

    def __init__(self, feed: PollingFeed) -> None:
        self.feed = feed

    async def choices(self) -> Choices:
        """Return what may be read; spends nothing.

        Raises:
            SourceError: of the kind that says what comes of it.
        """
        return Choices(())

    async def plan(self, feed: PollingFeed, now_ms: int) -> LivePlan:
        """Return what a feed of the same source will do; spends nothing; errors as above.

        Args:
            feed: It only says what is wanted: it asks nothing itself.
            now_ms: The moment of asking.
        """
        return LivePlan(self.about.costs)


class GamesGuide(SourceGuide):
    """The same for a source that lists the games of what is chosen for nothing."""

    def __init__(self, feed: PollingFeed) -> None:
        super().__init__(feed)
        self._listed: dict[str, _Listed] = {}

    async def plan(self, feed: PollingFeed, now_ms: int) -> LivePlan:
        """Return how many games there are, and how often they are read."""
        games = {part: len(await self.listed(part, now_ms)) for part in feed.spec.what}
        sentence = f"{_games(sum(games.values()))}, read {every((feed.every_s,))}, free"
        return LivePlan(sentence, games)

    @abstractmethod
    async def games(self, part: str, now_ms: int) -> Any:
        """Return the games of a part, as the adapter has them; asked once in five minutes."""

    async def listed(self, part: str, now_ms: int) -> Any:
        """Return ``games`` of a part, as they were some minutes ago."""
        known = self._listed.get(part)
        if known is None or now_ms - known.at_ms >= FRESH_MS:
            known = self._listed[part] = _Listed(now_ms, await self.games(part, now_ms))
        return known.games


def in_order(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """Return choices with those first that the contract's table has, in its order."""

    def place(choice: Choice) -> tuple[int, str, str]:
        known = _ORDER.get(choice.competition, len(_ORDER))
        return known, choice.group.casefold(), choice.title.casefold()

    return tuple(sorted(choices, key=place))


def title_of(code: str, name: str) -> str:
    """Return what people call a competition of a source that has codes only.

    Args:
        code: The competition here; empty where it is not in the contract's table.
        name: What the source calls it.
    """
    return name if code in ("", "TENNIS") else _TITLES.get(code, code)


def known(competition: str) -> str:
    """Return a competition's code if the contract's table has it, else nothing."""
    return competition if competition in SPORT_BY_COMPETITION else ""


def _games(count: int) -> str:
    return f"{count:,} game{'' if count == 1 else 's'}"
