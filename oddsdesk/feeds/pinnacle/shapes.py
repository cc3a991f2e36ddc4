"""The shapes of Pinnacle's v3 odds and fixtures."""

from typing import Any

import msgspec

from oddsdesk.contract.json_words import json_words
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.parts import read_json

SOCCER = 29
_EXPECTED = "expected Pinnacle's v3 odds (with leagues) or fixtures (with league)"


class Fixture(msgspec.Struct, frozen=True, rename="camel"):
    """Who plays and when; ``live_status`` 1 is in play."""

    id: int
    starts: str
    home: str
    away: str
    resulting_unit: str = "Regular"
    live_status: int = 0


class FixtureLeague(msgspec.Struct, frozen=True):
    """The games of a league."""

    name: str
    events: list[Fixture]


class Fixtures(msgspec.Struct, frozen=True, rename="camel"):
    """A fixtures answer."""

    sport_id: int
    league: list[FixtureLeague]


class Handicap(msgspec.Struct, frozen=True):
    """A handicap at the home line ``hdp``; ``max`` is the most that may be staked."""

    hdp: float
    home: float | None
    away: float | None
    max: float | None = None


class Total(msgspec.Struct, frozen=True):
    """Over and under of one line."""

    points: float
    over: float | None
    under: float | None
    max: float | None = None


class Moneyline(msgspec.Struct, frozen=True):
    """Prices of the result; null is not offered now."""

    home: float | None
    away: float | None
    draw: float | msgspec.UnsetType | None = msgspec.UNSET


class TeamTotals(msgspec.Struct, frozen=True):
    """A total of each team."""

    home: Total | None = None
    away: Total | None = None


class Period(msgspec.Struct, frozen=True, rename="camel"):
    """The markets of one period with their limits; ``status`` 1 is open."""

    number: int
    status: int = 1
    moneyline: Moneyline | None = None
    spreads: list[Handicap] = []
    totals: list[Total] = []
    team_total: TeamTotals | None = None
    max_moneyline: float | None = None
    max_spread: float | None = None
    max_total: float | None = None
    max_team_total: float | None = None


class Event(msgspec.Struct, frozen=True):
    """The periods of a game, not looked into yet."""

    id: int
    periods: list[Any]


class OddsLeague(msgspec.Struct, frozen=True):
    """The games of a league that have odds."""

    events: list[Event]


class Odds(msgspec.Struct, frozen=True, rename="camel"):
    """An odds answer; ``last`` is when it was given, in milliseconds."""

    sport_id: int
    last: int
    leagues: list[OddsLeague]


def read_answer(data: bytes) -> Odds | Fixtures:
    """Read the bytes of an odds or fixtures answer.

    Raises:
        FeedError: it is neither; says what is wrong.
    """
    raw = read_json(data, _EXPECTED)
    try:
        if isinstance(raw, dict) and "leagues" in raw:
            return msgspec.convert(raw, Odds)
        if isinstance(raw, dict) and "league" in raw:
            return msgspec.convert(raw, Fixtures)
    except msgspec.ValidationError as error:
        raise FeedError(f"{_EXPECTED}: {json_words(error)}") from error
    raise FeedError(f"{_EXPECTED}, but this holds neither")
