"""Games and their prices as they stood at a moment of the past (D71).

What stood is what the log last said of each selection at or before that moment, however long
before: sightings that changed nothing are not kept, so no price is too old. Where a market was
not seen again after the moment, its present row tells when it was seen last, and of one that is in
play or gone by now, what was noted of it then (``closing_sighting``). Games are listed
from a day before the moment on, in the order of their kick-offs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.cursors import GamePlace, OddsPlace, from_cursor, to_cursor
from oddsdesk.store.games import NO_DATE, UNDATED_MS
from oddsdesk.store.order import ordered_selections
from oddsdesk.store.queries.conditions import (
    canonical_sport,
    may_be_told,
    of_sport,
    share_parameter,
    visibility_parameters,
    visible,
)
from oddsdesk.store.queries.listing import ListedGame
from oddsdesk.store.queries.older import GONE, Older, row_of
from oddsdesk.store.queries.quotes import GameQuote, GameRow, decode_odds
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.spans import LoggedMove
from oddsdesk.store.values import EncodedOddsRow, Filters, MoveFilter, Page, Visibility

LISTED_MS: Final = 24 * 60 * MINUTE_MS
"""How long after its kick-off a game is still listed."""

_GAMES_AT_ONCE: Final = 200
"""Of so many games at most what stood is looked at in one query."""
_ROWS_A_GAME: Final = 50
"""So many rows are expected of a game of which there are no present quotes."""
_PRICED_BY: Final = (
    "SELECT max(scraped_at), count(DISTINCT bookmaker) FROM quote WHERE game = :game"
)
_KNOWN: Final = "SELECT game_id FROM game WHERE game_id {}"
_TOLD: Final = "SELECT DISTINCT game, bookmaker FROM quote q WHERE game {} AND {}"

_Market = tuple[int, str, str, int]
"""The game's row, bookmaker, market type, period."""
_Place = tuple[int, str, str, str, str, int]
"""Where an odds row stands: kick-off, game and competition, bookmaker, market type, period."""
_encode: Final = msgspec.json.Encoder().encode


class _Candidate(NamedTuple):
    row: int
    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: int | None
    kickoff: int


def list_games_as_of(
    select: Select,
    reference: str,
    filters: Filters,
    visibility: Visibility,
    at: int,
    limit: int,
    cursor: str | None,
    older: Older | None = None,
) -> Page[ListedGame]:
    """Return the games that had prices then which the caller may see."""
    after = None if cursor is None else from_cursor(cursor, GamePlace)
    asked = {
        "at": at,
        "bookmaker": filters.bookmaker,
        **visibility_parameters(select, visibility, reference),
    }
    found: list[ListedGame] = []
    gone = None if older is None else _Gone(select, older, filters, visibility, at)
    while True:
        candidates = _candidates(select, filters, at, limit + 1, after)
        games = candidates if gone is None else gone.among(candidates, after, limit + 1)
        for game in _listed(select, games, visibility, asked, gone):
            if filters.is_live in (None, game.is_live):
                found.append(game)
            if len(found) > limit:
                return Page(found[:limit], to_cursor(_place(found[limit - 1])))
        if len(candidates) <= limit:
            return Page(found, None)
        last = candidates[-1]
        after = GamePlace(False, last.kickoff, last.match_name, last.competition)


def quotes_as_of(
    select: Select,
    reference: str,
    game: GameRow,
    visibility: Visibility,
    at: int,
    older: Older | None = None,
) -> list[GameQuote]:
    """Return what stood then of a game and may be seen, by bookmaker, market type and period."""
    return _standing(select, reference, [game], visibility, at, older).get(game.row, [])


def list_odds_as_of(
    select: Select,
    reference: str,
    filters: Filters,
    visibility: Visibility,
    at: int,
    limit: int,
    cursor: str | None,
    older: Older | None = None,
) -> Page[EncodedOddsRow]:
    """Return the quotes that stood then, by their games' kick-offs."""
    after = None if cursor is None else _place_of(from_cursor(cursor, OddsPlace))
    found: list[tuple[_Place, EncodedOddsRow]] = []
    gone = None if older is None else _Gone(select, older, filters, visibility, at)
    for games in _portions(select, filters, at, limit, after, gone):
        lacking = {game.game_id for game in games if gone is not None and gone.has(game)}
        held = [GameRow(*game[:6]) for game in games if game.game_id not in lacking]
        standing = _standing(select, reference, held, visibility, at)
        for candidate in games:
            game = GameRow(*candidate[:6])
            quotes = standing.get(game.row, [])
            if game.game_id in lacking:
                quotes = quotes_as_of(select, reference, game, visibility, at, older)
            for quote in quotes:
                place = (*_order(candidate), *quote[:3])
                if _is_asked(filters, quote) and (after is None or place > after):
                    found.append((place, _odds_row(game, quote)))
        if len(found) > limit:
            last = OddsPlace(False, *found[limit - 1][0])
            return Page([row for _, row in found[:limit]], to_cursor(last))
    return Page([row for _, row in found], None)


def _portions(
    select: Select,
    filters: Filters,
    at: int,
    limit: int,
    after: _Place | None,
    gone: "_Gone | None",
) -> Iterator[list[_Candidate]]:
    """Yield the games to look at, few enough at a time that they fill an answer once."""
    place = None if after is None else GamePlace(False, *after[:3])
    begins_within = after is not None
    while True:
        known = _candidates(select, filters, at, _GAMES_AT_ONCE, place, with_first=begins_within)
        games = known
        if gone is not None:
            games = gone.among(known, place, _GAMES_AT_ONCE, with_first=begins_within)
        listed = select.listed(game.row for game in games)
        counts: dict[int, int] = dict(select(select.sql.as_of.counts, {"games": listed}))
        rest = iter(games)
        while portion := list(_worth(rest, counts, limit)):
            yield portion
        if len(known) < _GAMES_AT_ONCE:
            return
        place, begins_within = GamePlace(False, *_order(known[-1])), False


def _worth(games: Iterator[_Candidate], counts: dict[int, int], rows: int) -> Iterator[_Candidate]:
    """Yield games until they may have more than so many rows."""
    for game in games:
        yield game
        rows -= counts.get(game.row, _ROWS_A_GAME)
        if rows < 0:
            return


def _is_asked(filters: Filters, quote: GameQuote) -> bool:
    return (
        filters.bookmaker in (None, quote.bookmaker)
        and filters.market_type in (None, quote.market_type)
        and filters.is_live in (None, quote.is_live)
    )


def _place_of(after: OddsPlace) -> _Place:
    game = (after.kickoff, after.match_name, after.competition)
    return (*game, after.bookmaker, after.market_type, after.period)


def _odds_row(game: GameRow, quote: GameQuote) -> EncodedOddsRow:
    return EncodedOddsRow(
        quote.bookmaker,
        game.match_name,
        game.competition,
        sport_of(game.competition),
        quote.market_type,
        quote.period,
        quote.is_live,
        msgspec.Raw(_encode(quote.odds)),
        None if game.match_date is None else format_ms(game.match_date),
        format_ms(quote.scraped_at),
        quote.url,
        quote.liquidity,
        source_sport(game.competition, game.sport),
    )


def _standing(
    select: Select,
    reference: str,
    games: Sequence[GameRow],
    visibility: Visibility,
    at: int,
    older: Older | None = None,
) -> dict[int, list[GameQuote]]:
    """Return what stood of games and may be seen, by row; each in the order of its markets.

    What the archive adds is looked for where it is one game.
    """
    listed = select.listed(game.row for game in games)
    asked = {"games": listed, "at": at, "reference": reference}
    told = None if games[:1] and games[0].row == GONE else _told(select, listed, visibility)
    stood: dict[_Market, GameQuote] = {}
    urls: dict[_Market, str | None] = {}
    for *market, is_live, scraped_at, odds, url, liquidity in select(select.sql.as_of.seen, asked):
        key: _Market = tuple(market)
        urls[key] = url
        if scraped_at <= at:
            prices = {} if odds is None else decode_odds(odds)
            quote = GameQuote(*key[1:], bool(is_live), scraped_at, prices, url, liquidity)
            stood[key] = quote
    by_row = {game.row: game for game in games}
    moves = [tuple(row) for row in select(select.sql.as_of.last, asked)]
    if older is not None:
        (game,) = games
        archived = older.moves(game, MoveFilter(until=at + 1))
        both = _last_of_both([row[1:] for row in moves], archived, reference)
        moves = [(game.row, *row) for row in both]
    for key, rows in _by_market(moves).items():
        if key not in stood:
            stood[key] = _from_log(by_row[key[0]], key, rows, urls.get(key))
    for *market, seen_at in select(select.sql.as_of.ahead, asked):
        key = tuple(market)
        if key in stood and stood[key].scraped_at < seen_at:
            stood[key] = stood[key]._replace(scraped_at=seen_at)
    found: defaultdict[int, list[GameQuote]] = defaultdict(list)
    for key in sorted(stood):
        quote = stood[key]
        if (
            quote.odds
            and (visibility.live or not quote.is_live)
            and visibility.bookmaker in (None, quote.bookmaker)
            and (told is None or key[:2] in told)
        ):
            found[key[0]].append(quote)
    return found


def _told(select: Select, listed: object, visibility: Visibility) -> set[tuple[int, str]] | None:
    """Return whose prices of which games may be passed on; None: everybody's (D66)."""
    if visibility.share is None:
        return None
    is_one_of = select.sql.conditions.is_one_of.format("games")
    query = _TOLD.format(is_one_of, may_be_told(select, "q", visibility.share))
    return set(select(query, {"games": listed} | share_parameter(select, visibility.share)))


def _candidates(
    select: Select,
    filters: Filters,
    at: int,
    limit: int,
    after: GamePlace | None,
    *,
    with_first: bool = False,
) -> list[_Candidate]:
    """Return the games that may have had prices then, behind one; ``with_first``: that one too."""
    conditions = [
        "g.kickoff >= :from AND g.first_scraped_at <= :at",
        f"(g.kickoff < {NO_DATE} OR g.last_scraped_at >= :undated_from)",
    ]
    asked: dict[str, Any] = {
        "at": at,
        "from": at - LISTED_MS,
        "undated_from": at - UNDATED_MS,
        "limit": limit,
    }
    if filters.sport is not None:
        conditions.append(of_sport(filters.sport))
        asked["sport"] = canonical_sport(filters.sport)
    if filters.competition is not None:
        conditions.append("g.competition = :competition")
        asked["competition"] = filters.competition
    if after is not None:
        behind = ">=" if with_first else ">"
        place = f"(g.kickoff, g.match_name, g.competition) {behind} (:kickoff, :name, :place)"
        conditions.append(place)
        asked |= {"kickoff": after.kickoff, "name": after.match_name, "place": after.competition}
    query = select.sql.as_of.candidates.format(wanted=" AND ".join(conditions))
    return [_Candidate(*row) for row in select(query, asked)]


class _Gone:
    """What the archive has of the games that may be listed; read after the database."""

    def __init__(
        self, select: Select, older: Older, filters: Filters, visibility: Visibility, at: int
    ) -> None:
        self._select = select
        self._visibility = visibility
        self._filters = filters
        self._told = older.may_tell_forgotten(visibility.share)
        self._older = older
        self._stood: dict[str, Sequence[LoggedMove]] = {}
        self._forgotten: list[_Candidate] | None = None
        self._at = at

    def among(
        self,
        candidates: list[_Candidate],
        after: GamePlace | None,
        limit: int,
        *,
        with_first: bool = False,
    ) -> list[_Candidate]:
        """Return candidates with those between them that the database has forgotten, in order.

        Behind a place, ``with_first``: with the game that it names.
        """
        if self._forgotten is None:
            self._forgotten = self._read()
        begin = None if after is None else (after.kickoff, after.match_name, after.competition)
        end = _order(candidates[-1]) if len(candidates) >= limit else None
        between = [
            game
            for game in self._forgotten
            if (begin is None or _order(game) > begin or (with_first and _order(game) == begin))
            and (end is None or _order(game) < end)
        ]
        return sorted([*candidates, *between], key=_order)

    def listed(self, game: _Candidate, asked: dict[str, Any]) -> ListedGame | None:
        """Sum up what stood of a game by database and archive."""
        listed = self._select.listed([game.row])
        told = None if game.row == GONE else _told(self._select, listed, self._visibility)
        held = self._select(self._select.sql.as_of.last, {**asked, "games": listed})
        rows = [tuple(row[1:]) for row in held]
        cells = [
            cell
            for cell in _last_of_both(rows, self._moves(game), asked["reference"])
            if cell[4] is not None
            and (self._visibility.live or not cell[5])
            and self._visibility.bookmaker in (None, cell[0])
            and (told is None or (game.row, cell[0]) in told)
        ]
        bookmakers = {cell[0] for cell in cells}
        if not cells or asked["bookmaker"] not in {None, *bookmakers}:
            return None
        return ListedGame(
            any(cell[5] for cell in cells),
            *game[1:],
            bookmaker_count=len(bookmakers),
            last_scraped_at=max(cell[6] for cell in cells),
        )

    def has(self, game: _Candidate) -> bool:
        """Say whether the archive has what the database's own rows of a game may lack."""
        if game.row == GONE:
            return True
        newest, _ = self._select(_PRICED_BY, {"game": game.row})[0]
        return newest is not None and newest > self._at and bool(self._moves(game))

    def _moves(self, game: _Candidate) -> list[LoggedMove]:
        ids = self._older.ids_of(game.game_id) if game.row != GONE else (game.game_id,)
        return [move for each in ids for move in self._stood.get(each, ())]

    def _read(self) -> list[_Candidate]:
        standing = self._older.log.standing(self._at, self._older.before())
        self._stood = {game.game_id: moves for game, moves in standing.items()}
        query = _KNOWN.format(self._select.sql.conditions.is_one_of.format("ids"))
        asked = {"ids": self._select.listed(self._stood)}
        known = {game_id for (game_id,) in self._select(query, asked)}
        known |= {other for others in self._older.merged.values() for other in others}
        sport, competition = self._filters.sport, self._filters.competition
        return [
            _Candidate(*row_of(game), NO_DATE if game.match_date is None else game.match_date)
            for game in standing
            if self._told
            and game.game_id not in known
            and (game.match_date is None or game.match_date >= self._at - LISTED_MS)
            and (sport is None or sport_of(game.competition) == canonical_sport(sport))
            and competition in (None, game.competition)
        ]


def _order(game: _Candidate) -> tuple[int, str, str]:
    return game.kickoff, game.match_name, game.competition


def _listed(
    select: Select,
    games: list[_Candidate],
    visibility: Visibility,
    asked: dict[str, Any],
    gone: _Gone | None,
) -> Iterator[ListedGame]:
    """Sum up what stood of games; yield those of which anything did.

    Those of which the archive has some with these, the others in one query.
    """
    lacking = {game.game_id for game in games if gone is not None and gone.has(game)}
    query = select.sql.as_of.totals.format(visible=visible(select, "stood", visibility))
    rows = select.listed(game.row for game in games if game.game_id not in lacking)
    totals = {row: total for row, *total in select(query, {**asked, "games": rows})}
    for game in games:
        if gone is not None and game.game_id in lacking:
            if (summed := gone.listed(game, asked)) is not None:
                yield summed
            continue
        count, seen, is_live, has_bookmaker = totals.get(game.row, (0, 0, False, False))
        if count and has_bookmaker:
            yield ListedGame(bool(is_live), *game[1:], bookmaker_count=count, last_scraped_at=seen)


def _last_of_both(
    held: Iterable[Row], older: Iterable[LoggedMove], reference: str
) -> list[tuple[Any, ...]]:
    """Return the last move of each selection, of the database's and of those of the archive."""
    last: dict[Row, Row] = {}
    sent = (
        (*move[8:14], move.scraped_at, move[14] if move.bookmaker == reference else None, move.seq)
        for move in older
    )
    for row in (*held, *sent):
        key = row[:4]
        if key not in last or (row[6], row[-1]) > (last[key][6], last[key][-1]):
            last[key] = row
    return list(last.values())


def _by_market(moves: Iterable[Row]) -> dict[_Market, list[tuple[Any, ...]]]:
    markets: defaultdict[_Market, list[tuple[Any, ...]]] = defaultdict(list)
    for game, bookmaker, market_type, period, *move in moves:
        markets[game, bookmaker, market_type, period].append(tuple(move))
    return markets


def _from_log(
    game: GameRow, market: _Market, rows: list[tuple[Any, ...]], url: str | None
) -> GameQuote:
    """Put a market together; the last of its moves tells when it was seen and whether in play."""
    prices = {selection: odds for selection, odds, *_ in rows if odds is not None}
    _, _, is_live, scraped_at, liquidity, _ = max(rows, key=lambda row: (row[3], row[5]))
    ordered = ordered_selections(market[2], game.match_name, tuple(prices))
    odds = {selection: prices[selection] for selection in ordered}
    return GameQuote(*market[1:], bool(is_live), scraped_at, odds, url, liquidity)


def _place(game: ListedGame) -> GamePlace:
    return GamePlace(False, game.kickoff, game.match_name, game.competition)
