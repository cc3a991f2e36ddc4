"""Games as the board lists them."""

import logging
from functools import lru_cache
from typing import Final

import msgspec

from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Game, OddsRow, PriceMessage
from oddsdesk.contract.times import parse_ms

_log = logging.getLogger(__name__)
_MOST_IDS: Final = 50_000
"""Kept at a time; a stream may name games without end (D85)."""


class GameEntry(msgspec.Struct, frozen=True):
    """A game of the list; times in milliseconds."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    is_live: bool
    bookmaker_count: int
    last_scraped_at: int | None


class GameIds:
    """Ids of games by their names: those that the service gave, else as the contract makes them."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str], str] = {}

    def learn(self, game: GameEntry) -> None:
        """Take the id that the service gave a game."""
        self._ids[game.competition, game.match_name] = game.game_id

    def of(self, competition: str, match_name: str) -> str:
        """Return the id of a game, listed or not."""
        key = (competition, match_name)
        found = self._ids.get(key)
        if found is None:
            if len(self._ids) >= _MOST_IDS:
                self._ids.clear()  # the next list tells again what the service named
            found = self._ids[key] = game_id(competition, match_name)
        return found


def game_entry(game: Game) -> GameEntry:
    """Read a game of the wire."""
    return GameEntry(
        game_id=game.game_id,
        match_name=game.match_name,
        competition=game.competition,
        sport=sport_in(game),
        kick_off=optional_ms(game.match_date),
        is_live=game.is_live,
        bookmaker_count=game.bookmaker_count,
        last_scraped_at=optional_ms(game.last_scraped_at),
    )


def entry_of_price(said: PriceMessage | OddsRow) -> GameEntry:
    """Return a game as far as one price tells of it."""
    return GameEntry(
        game_id=game_id(said.competition, said.match_name),
        match_name=said.match_name,
        competition=said.competition,
        sport=sport_in(said),
        kick_off=optional_ms(said.match_date) if isinstance(said, OddsRow) else None,
        is_live=said.is_live,
        bookmaker_count=1,
        last_scraped_at=None,
    )


@lru_cache(maxsize=8192)
def optional_ms(text: str | None) -> int | None:
    """Return the milliseconds that a timestamp names; None for none, or for nonsense, logged."""
    try:
        return None if text is None else parse_ms(text)
    except ValueError as error:
        _log.warning("a time is taken as unknown: %s", error)
        return None
