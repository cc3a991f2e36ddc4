"""``GET /api/events`` and ``GET /api/games``: the same games in two shapes."""

from oddsdesk.contract.identity import slug
from oddsdesk.contract.resources import Event, Game
from oddsdesk.contract.times import format_ms
from oddsdesk.store.queries.listing import ListedGame


def to_event(game: ListedGame) -> Event:
    """Return a listed game as an event."""
    return Event(
        slug=slug(game.match_name),
        match_name=game.match_name,
        competition=game.competition,
        sport=game.sport,
        match_date=None if game.match_date is None else format_ms(game.match_date),
        is_live=game.is_live,
        bookmaker_count=game.bookmaker_count,
    )


def to_game(game: ListedGame) -> Game:
    """Return a listed game as a game."""
    return Game(
        game_id=game.game_id,
        match_name=game.match_name,
        competition=game.competition,
        sport=game.sport,
        match_date=None if game.match_date is None else format_ms(game.match_date),
        is_live=game.is_live,
        bookmaker_count=game.bookmaker_count,
        last_scraped_at=format_ms(game.last_scraped_at),
    )
