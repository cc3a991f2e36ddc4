"""The shapes of OddsHarvester's JSON, and the refusal of everything else."""

import re
from typing import Any

import msgspec

from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.parts import read_json

MARKET = "_market"
_EXPECTED = "expected OddsHarvester's JSON: an array of games with home_team and markets"
_NOT_PRICES = frozenset(
    {"bookmaker_name", "period", "submarket_name", "market_type", "extraction_mode"}
)
_FRACTION = re.compile(r"(\d{1,4})/(\d{1,4})")


class Game(msgspec.Struct, frozen=True):
    """A game as it was read at ``scraped_date``; the live ones say more."""

    scraped_date: str
    home_team: str
    away_team: str
    league_name: str = ""
    match_date: str | None = None
    match_link: str = ""
    venue_country: str | None = None
    live_period: str | None = None
    scraped_at_utc: str | None = None
    home_score: str | int | None = None
    away_score: str | int | None = None

    @property
    def is_live(self) -> bool:
        """Whether it was read in play: only then are these fields written."""
        return self.live_period is not None or self.scraped_at_utc is not None

    @property
    def is_over(self) -> bool:
        """Whether it has a final score."""
        scores = (self.home_score, self.away_score)
        return not self.is_live and all(
            score is not None and str(score).strip() for score in scores
        )


class Row(msgspec.Struct, frozen=True):
    """One bookmaker's prices of one market, those themselves not looked into yet."""

    bookmaker_name: str | None = None
    period: str | None = None
    blocked_outcomes: list[str] = []


def read_games(data: bytes) -> list[Any]:
    """Return the games of a file, not looked into yet.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    raw = read_json(data, _EXPECTED)
    if not isinstance(raw, list):
        raise FeedError(f"{_EXPECTED}, but this is no array")
    if raw and not any(isinstance(game, dict) and "home_team" in game for game in raw):
        raise FeedError(f"{_EXPECTED}, but none of these names a home_team")
    if any(isinstance(game, dict) and "bookmakers" in game for game in raw):
        raise FeedError(
            f"{_EXPECTED}, but these are odds of The Odds API, which"
            " `oddsdesk import the-odds-api` reads"
        )
    return raw


def markets_of(raw: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the rows of each market of a game, by the market's name."""
    return {
        name.removesuffix(MARKET): rows
        for name, rows in raw.items()
        if name.endswith(MARKET) and isinstance(rows, list)
    }


def prices_of(raw: Any) -> dict[str, float]:
    """Return the prices of a row by their labels; ``-`` is none, a fraction is made decimal."""
    if not isinstance(raw, dict):
        return {}
    read = {label: _price(value) for label, value in raw.items() if label not in _NOT_PRICES}
    return {label: price for label, price in read.items() if price is not None}


def unreadable_of(raw: dict[str, Any]) -> list[str]:
    """Return the labels of a row whose text is no price; ``-`` and blanks are none."""
    return [
        label
        for label, value in raw.items()
        if isinstance(value, str)
        and label not in _NOT_PRICES
        and value.strip(" -")
        and _price(value) is None
    ]


def moment(text: str) -> int:
    """Return a time such as ``2026-02-02 09:29:46 UTC`` in milliseconds.

    Raises:
        FeedError: it is no time.
    """
    try:
        return parse_ms(text.removesuffix(" UTC") + "Z" if text.endswith(" UTC") else text)
    except ValueError as error:
        raise FeedError(str(error)) from error


def _price(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and (found := _FRACTION.fullmatch(value.strip())):
        return 1 + int(found[1]) / int(found[2]) if int(found[2]) else None
    try:
        return float(value)
    except ValueError:
        return None
