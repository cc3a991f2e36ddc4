"""One game and its quotes, as event detail, matrix and valuation need them."""

from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.resources import Offer
from oddsdesk.store.queries.conditions import (
    Window,
    visibility_parameters,
    visible,
)
from oddsdesk.store.queries.select import Select
from oddsdesk.store.queries.sql import WITH_LEVELS
from oddsdesk.store.values import Visibility

_MOST_STEPS: Final = 20
"""From a game to the one that it became, and from that on, where it became another."""
_GAME: Final = "SELECT id, game_id, match_name, competition, sport, match_date FROM game"
_BY_ID: Final = f"{_GAME} WHERE game_id = :game_id"
_BY_NAME: Final = f"{_GAME} WHERE match_name = :match_name ORDER BY competition"
_BY_OTHER_NAME: Final = f"""
{_GAME} WHERE id IN (SELECT game FROM other_name WHERE match_name = :match_name)
ORDER BY competition
"""
_BY_KEPT_ID: Final = f"{_GAME} WHERE game_id IN ({{}})"
_MERGED: Final = """
SELECT other, kept FROM game_pair WHERE state = 'accepted' AND before IS NOT NULL ORDER BY other
"""
decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode
_decode_offers: Final = msgspec.json.Decoder(dict[str, Offer]).decode


class GameRow(NamedTuple):
    """A game as stored."""

    row: int
    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: int | None


class GameQuote(NamedTuple):
    """A fresh quote of a game; ``liquidity`` is the reference's only (D32)."""

    bookmaker: str
    market_type: str
    period: int
    is_live: bool
    scraped_at: int
    odds: dict[str, float]
    url: str | None
    liquidity: float | None
    offers: Mapping[str, Offer] = MappingProxyType({})
    """By selection, where the levels of a book are known."""


def decode_offers(stored: str | None) -> dict[str, Offer] | None:
    """Return what a quote offers by selection, None where nothing is known of it."""
    return None if stored is None else _decode_offers(stored)


def game_by_id(select: Select, game_id: str) -> GameRow | None:
    """Return the game of an id, or the one that it became part of (D69)."""
    asked = {"game_id": game_id}
    rows = select(_BY_ID, asked)
    if not rows:
        kept = select.sql.quotes.kept_id.format(steps=_MOST_STEPS)
        rows = select(_BY_KEPT_ID.format(kept), asked)
    return GameRow(*rows[0]) if rows else None


def merged_ids(select: Select) -> dict[str, list[str]]:
    """Return the ids of games that became part of another, by that one's id (D69)."""
    kept: dict[str, str] = dict(select(_MERGED))
    found: defaultdict[str, list[str]] = defaultdict(list)
    for other, game_id in kept.items():
        for _ in range(_MOST_STEPS):
            game_id = kept.get(game_id, game_id)
        found[game_id].append(other)
    return dict(found)


def games_by_name(select: Select, match_name: str) -> list[GameRow]:
    """Return the games of a name, one a competition; else those that a source calls so (D69)."""
    asked = {"match_name": match_name}
    return [GameRow(*row) for row in select(_BY_NAME, asked) or select(_BY_OTHER_NAME, asked)]


def fresh_quotes(
    select: Select, reference: str, game: int, visibility: Visibility, window: Window
) -> list[GameQuote]:
    """Return what may be seen of a game, by bookmaker, market type and period (D35)."""
    query = f"""
        SELECT bookmaker, market_type, period, is_live, scraped_at, odds, url,
            CASE bookmaker WHEN :reference THEN liquidity END, {WITH_LEVELS}
        FROM quote q
        WHERE game = :game AND scraped_at BETWEEN :since AND :until AND odds IS NOT NULL
            AND {visible(select, "q", visibility)}
        ORDER BY bookmaker, market_type, period
    """
    parameters = {
        "game": game,
        **window._asdict(),
        **visibility_parameters(select, visibility, reference),
    }
    return [
        GameQuote(
            bookmaker,
            market_type,
            period,
            bool(is_live),
            scraped_at,
            decode_odds(odds),
            url,
            liquidity,
            decode_offers(offers) or {},
        )
        for (
            *(bookmaker, market_type, period, is_live, scraped_at, odds, url, liquidity),
            offers,
        ) in select(query, parameters)
    ]
