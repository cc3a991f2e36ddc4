"""What the simulator's world is made of: bookmakers, competitions and players, as data."""

from enum import Enum
from types import MappingProxyType
from typing import Final, TypeVar

import msgspec

from oddsdesk.base.places import resource_path

T = TypeVar("T")


class Habit(Enum):
    """How a bookmaker arrives at its prices."""

    FOLLOWER = "follower"
    SHADER = "shader"
    """Shortens favourites, where most of the money goes."""
    SLOW = "slow"
    """Moves only when the market has moved far."""
    COPYCAT = "copycat"
    """Takes another bookmaker's prices."""
    STALE = "stale"
    """Stops for minutes now and then."""


class Offer(Enum):
    """Which markets and lines a bookmaker has."""

    FULL = "full"
    POPULAR = "popular"
    CORE = "core"
    ASIAN = "asian"
    EXCHANGE = "exchange"
    PREDICTION = "prediction"


class BookmakerProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A made-up bookmaker; ``margin`` is S - 1 on a plain market, ``coverage`` a share of games."""

    name: str
    country: str
    cadence_s: float
    lag_s: float
    margin: float
    coverage: float
    offer: Offer
    habit: Habit
    ladder: str
    live: bool = False
    regulation: bool = False
    """Prices hockey three-way, without overtime."""
    copies: str | None = None


class Competition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A competition; teams from strong to weak, ``limit`` the reference's largest bet."""

    code: str
    sport: str
    games: int
    live: int
    limit: float
    teams: tuple[str, ...]


class Fixtures(msgspec.Struct, frozen=True):
    """Everything a world is built from."""

    bookmakers: tuple[BookmakerProfile, ...]
    competitions: tuple[Competition, ...]
    players: tuple[str, ...]


def load_fixtures() -> Fixtures:
    """Read the fixtures that come with the program."""
    return Fixtures(
        bookmakers=_read("bookmakers.json", tuple[BookmakerProfile, ...]),
        competitions=_read("competitions.json", tuple[Competition, ...]),
        players=_read("players.json", tuple[str, ...]),
    )


def _read(name: str, kind: type[T]) -> T:
    return msgspec.json.decode(resource_path("simulator", name).read_bytes(), type=kind)


MINUTE_MS: Final = 60_000


class Rules(msgspec.Struct, frozen=True):
    """A sport in which two sides score over fixed parts.

    ``mean`` is what an average side scores; ``home_edge`` and ``strength`` act on its
    logarithm (home ground; strongest against average side). ``part_minutes`` are minutes on
    the wall, stoppages included. Without ``margin_sd`` scores are Poisson, else normal.
    """

    parts: int
    part_minutes: float
    break_minutes: float
    mean: float
    home_edge: float
    strength: float
    scores: tuple[tuple[int, float], ...] = ((1, 1.0),)
    margin_sd: float = 0.0
    total_sd: float = 0.0
    first_share: float | None = None
    suspends_from: int = 1
    """Prices are suspended when a single score brings at least this many points."""

    @property
    def duration_ms(self) -> int:
        """From kick-off to the end, breaks included."""
        minutes = self.parts * self.part_minutes + (self.parts - 1) * self.break_minutes
        return round(minutes * MINUTE_MS)

    @property
    def points_a_score(self) -> float:
        """What one score brings on average."""
        weights = sum(weight for _, weight in self.scores)
        return sum(points * weight for points, weight in self.scores) / weights

    def share(self, part: int) -> float:
        """Return what part of the scoring falls into a part of the game, counted from 1."""
        if self.first_share is None:
            return 1 / self.parts
        rest = (1 - self.first_share) / (self.parts - 1)
        return self.first_share if part == 1 else rest

    def played(self, elapsed_ms: int) -> tuple[int, float]:
        """Return the present part, counted from 1, and the share of scoring time behind us."""
        block = self.part_minutes + self.break_minutes
        index = min(int(elapsed_ms / MINUTE_MS / block), self.parts - 1)
        within = min((elapsed_ms / MINUTE_MS - index * block) / self.part_minutes, 1.0)
        behind = sum(self.share(part) for part in range(1, index + 1))
        return index + 1, min(behind + self.share(index + 1) * within, 1.0)


RULES: Final = MappingProxyType(
    {
        "Football": Rules(2, 47, 15, 1.33, 0.13, 0.34, first_share=0.46),
        "Hockey": Rules(3, 39, 17, 3.0, 0.05, 0.14),
        "Baseball": Rules(1, 165, 0, 4.4, 0.03, 0.14, scores=((1, 0.7), (2, 0.2), (4, 0.1))),
        "Basketball": Rules(
            4, 30, 5, 113, 0.011, 0.035, ((2, 0.52), (3, 0.28), (1, 0.2)), 12.5, 18, None, 99
        ),
        "AmericanFootball": Rules(
            2, 84, 14, 22.5, 0.035, 0.16, ((7, 0.6), (3, 0.4)), 13, 13.5, None, 3
        ),
        "Rugby": Rules(2, 43, 12, 25, 0.07, 0.2, ((7, 0.4), (5, 0.25), (3, 0.35)), 13, 14, None, 5),
        "Other": Rules(2, 36, 12, 30, 0.025, 0.06, ((1, 1.0),), 5.2, 7, None, 99),
    }
)
"""Every sport but tennis, which is played for sets."""
