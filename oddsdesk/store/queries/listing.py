"""Games in the order of D13: live first, then kick-off, then name; events are games, too."""

from typing import Any, Final, NamedTuple

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.identity import slug
from oddsdesk.contract.resources import Event, Game
from oddsdesk.contract.times import format_ms
from oddsdesk.store.cursors import GamePlace, from_cursor, to_cursor
from oddsdesk.store.queries.conditions import (
    FRESH_PAIR,
    NEWEST_OF_PAIR,
    Window,
    games_index,
    is_priced,
    phases,
    visibility_parameters,
    visible,
    wanted_games,
)
from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import Filters, Page, Visibility

_AFTER: Final = "(g.kickoff, g.match_name, g.competition) > (:kickoff, :match_name, :place)"


class ListedGame(NamedTuple):
    """A game with what its fresh, visible quotes say of it."""

    is_live: bool
    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: int | None
    kickoff: int
    bookmaker_count: int
    last_scraped_at: int


def list_games(
    select: Select,
    reference: str,
    filters: Filters,
    visibility: Visibility,
    window: Window,
    limit: int,
    cursor: str | None,
) -> Page[ListedGame]:
    """Return the asked games that have fresh prices the caller may see."""
    after = None if cursor is None else from_cursor(cursor, GamePlace)
    if not is_priced(select, window.since, filters.bookmaker or visibility.bookmaker):
        return Page([], None)
    found: list[ListedGame] = []
    for live in phases(filters, visibility, None if after is None else after.live):
        place = after if after is not None and after.live == live else None
        query, parameters = _query(select, filters, visibility, live, place)
        parameters |= visibility_parameters(select, visibility, reference)
        parameters |= {**window._asdict(), "limit": limit + 1 - len(found)}
        found += [ListedGame(live, *row) for row in select(query, parameters)]
        if len(found) > limit:
            return Page(found[:limit], to_cursor(_place(found[limit - 1])))
    return Page(found, None)


def _query(
    select: Select, filters: Filters, visibility: Visibility, live: bool, after: GamePlace | None
) -> tuple[str, dict[str, Any]]:
    wanted, parameters = wanted_games(filters, live)
    covered = f"c.game = g.id AND {FRESH_PAIR} AND {visible(select, 'c', visibility)}"
    in_play = (
        f"g.has_live AND EXISTS (SELECT 1 FROM coverage c WHERE {covered} AND c.is_live = TRUE)"
    )
    conditions = [wanted]
    if live:
        conditions.append(in_play)
    else:
        if visibility.live:
            conditions.append(f"NOT ({in_play})")
        conditions.append(f"EXISTS (SELECT 1 FROM coverage c WHERE {covered})")
    if filters.bookmaker is not None:
        priced = f"{covered} AND c.bookmaker = :bookmaker"
        conditions.append(f"EXISTS (SELECT 1 FROM coverage c WHERE {priced})")
        parameters["bookmaker"] = filters.bookmaker
    if after is not None:
        conditions.append(_AFTER)
        parameters |= {"kickoff": after.kickoff, "match_name": after.match_name}
        parameters["place"] = after.competition
    query = select.sql.listing.games.format(
        index=games_index(filters, live),
        covered=covered,
        newest=NEWEST_OF_PAIR,
        wanted=" AND ".join(conditions),
    )
    return query, parameters


def _place(game: ListedGame) -> GamePlace:
    return GamePlace(game.is_live, game.kickoff, game.match_name, game.competition)


def to_event(game: ListedGame) -> Event:
    """Return a listed game as an event."""
    return Event(
        slug=slug(game.match_name),
        match_name=game.match_name,
        competition=game.competition,
        sport=sport_of(game.competition),
        match_date=None if game.match_date is None else format_ms(game.match_date),
        is_live=game.is_live,
        bookmaker_count=game.bookmaker_count,
        source_sport=source_sport(game.competition, game.sport),
    )


def to_game(game: ListedGame) -> Game:
    """Return a listed game as a game."""
    return Game(
        game_id=game.game_id,
        match_name=game.match_name,
        competition=game.competition,
        sport=sport_of(game.competition),
        match_date=None if game.match_date is None else format_ms(game.match_date),
        is_live=game.is_live,
        bookmaker_count=game.bookmaker_count,
        last_scraped_at=format_ms(game.last_scraped_at),
        source_sport=source_sport(game.competition, game.sport),
    )
