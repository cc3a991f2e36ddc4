"""What the simulator's world is made of: bookmakers, competitions and players, as data."""

from enum import Enum
from typing import TypeVar

import msgspec

from oddsdesk.resource_files import resource_path

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
