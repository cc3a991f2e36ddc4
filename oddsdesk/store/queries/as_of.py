"""Games and their prices at a moment of the past.

A selection's price is the last one in the log at or before the moment, however old: sightings
without a change are not logged, so no price is too old. If a market was not seen again after the
moment, its current row has the time of its last sighting; if it is now in play or gone,
``closing_sighting`` has it. Games are listed from a day before the moment, in the order of their
kick-offs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.games import NO_DATE, UNDATED_MS
from oddsdesk.store.queries import lists
from oddsdesk.store.queries.game import GameQuote, GameRow, decode_odds
from oddsdesk.store.queries.past import GONE, Older, forgotten_row
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.spans import LoggedMove
from oddsdesk.store.values import (
    EncodedOddsRow,
    Filters,
    GamePlace,
    MoveFilter,
    OddsPlace,
    Page,
    Visibility,
    from_cursor,
    ordered_selections,
    to_cursor,
)

LISTED_MS: Final = 24 * 60 * MINUTE_MS
"""How long after its kick-off a game is still listed."""

_GAMES_AT_ONCE: Final = 200
"""How many games one query covers at most."""
_ROWS_A_GAME: Final = 50
"""The assumed number of rows of a game without current quotes."""
_PRICED_BY: Final = (
    "SELECT max(scraped_at), count(DISTINCT bookmaker) FROM quote WHERE game = :game"
)
_ASKED: Final = "SELECT value FROM json_each(:games)"
_LOG: Final = "price_change INDEXED BY price_change_selection"
_CELL: Final = ("game", "selection", "market_type", "period", "bookmaker")
"""The key of a price, in the order of that index."""
_CELL_TABLES: Final = ("asked", "selected", "typed", "timed", "cell")
"""Each has one column more."""


def _cells(games: str) -> str:
    """Return the tables that lead to every ``cell`` of some games in the log.

    Each value of a column is searched after the previous one: a few index steps per cell, however
    often it moved. Reading the log of the games took ten times as long, and grew with it.
    """
    tables = [f"asked (game) AS ({games})"]
    for place, (table, column) in enumerate(zip(_CELL_TABLES[1:], _CELL[1:], strict=True), 1):
        known, before = _CELL[:place], _CELL_TABLES[place - 1]
        held = ", ".join(f"k.{name}" for name in known)
        same = " AND ".join(f"{name} = k.{name}" for name in known)
        following = f"SELECT {held}, (SELECT min({column}) FROM {_LOG} WHERE {same}"
        tables.append(f"""
            {table} ({", ".join(_CELL[: place + 1])}) AS (
                {following}) FROM {before} k WHERE k.{known[-1]} IS NOT NULL
                UNION ALL
                {following} AND {column} > k.{column}) FROM {table} k WHERE k.{column} IS NOT NULL
            )
        """)
    return "WITH RECURSIVE " + ", ".join(tables)


_SAME_CELL: Final = " AND ".join(f"{name} = k.{name}" for name in _CELL)
_LAST_OF_CELL: Final = f"""
FROM cell k CROSS JOIN price_change c ON c.seq = (
    SELECT seq FROM {_LOG} WHERE {_SAME_CELL} AND scraped_at <= :at
    ORDER BY scraped_at DESC, seq DESC LIMIT 1
)
"""
_SEEN: Final = f"""
SELECT game, bookmaker, market_type, period, is_live, scraped_at, odds, url,
    CASE bookmaker WHEN :reference THEN liquidity END
FROM quote WHERE game IN ({_ASKED})
"""
_AHEAD: Final = f"""
SELECT game, bookmaker, market_type, period, scraped_at
FROM closing_sighting WHERE game IN ({_ASKED}) AND scraped_at <= :at
"""
"""When markets were last seen pre-match or before they ended."""
LAST: Final = f"""
{_cells(_ASKED)}
SELECT c.game, c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live,
    c.scraped_at, CASE c.bookmaker WHEN :reference THEN c.liquidity END, c.seq
{_LAST_OF_CELL}
"""
"""The last move of each selection; of equal times the one recorded last."""
TOTALS: Final = f"""
{_cells(f"{_ASKED} EXCEPT SELECT game FROM present")},
present (game) AS (
    SELECT game FROM quote WHERE game IN ({_ASKED})
    GROUP BY game HAVING max(scraped_at) <= :at AND max(odds IS NOT NULL)
)
SELECT game, count(DISTINCT bookmaker), max(scraped_at), max(is_live),
    max(:bookmaker IS NULL OR bookmaker = :bookmaker)
FROM (
    SELECT game, bookmaker, is_live, scraped_at FROM quote
    WHERE game IN present AND odds IS NOT NULL
    UNION ALL
    SELECT c.game, c.bookmaker, c.is_live, c.scraped_at {_LAST_OF_CELL} WHERE c.odds IS NOT NULL
) stood WHERE {{visible}} GROUP BY game
"""
"""From quotes if none was seen later and one has a price, else from the log."""
_CANDIDATES: Final = """
SELECT g.id, g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff
FROM game g INDEXED BY game_past WHERE {wanted}
ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
"""
_COUNTS: Final = f"SELECT game, count(*) FROM quote WHERE game IN ({_ASKED}) GROUP BY game"
_KNOWN: Final = "SELECT game_id FROM game WHERE game_id IN (SELECT value FROM json_each(:ids))"
_SHARED_PAIRS: Final = (
    f"SELECT DISTINCT game, bookmaker FROM quote q WHERE game IN ({_ASKED}) AND {{shared}}"
)

_Market = tuple[int, str, str, int]
"""The game's row, bookmaker, market type, period."""
_Place = tuple[int, str, str, str, str, int]
"""The place of an odds row: kick-off, game and competition, bookmaker, market type, period."""
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
) -> Page[lists.ListedGame]:
    """Return the games that had visible prices then."""
    after = None if cursor is None else from_cursor(cursor, GamePlace)
    asked = {
        "at": at,
        "bookmaker": filters.bookmaker,
        **lists.visibility_parameters(select, visibility, reference),
    }
    found: list[lists.ListedGame] = []
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
    """Return a game's visible prices then, by bookmaker, market type and period."""
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
    """Return the quotes of that moment, by their games' kick-offs."""
    after = None if cursor is None else _place_of(from_cursor(cursor, OddsPlace))
    found: list[tuple[_Place, EncodedOddsRow]] = []
    gone = None if older is None else _Gone(select, older, filters, visibility, at)
    asked = lists.quote_filters(filters)
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
                is_asked = filters.is_live in (None, quote.is_live) and all(
                    getattr(quote, name) == value for name, value in asked.items()
                )
                if is_asked and (after is None or place > after):
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
    """Yield groups of games, small enough to fill an answer once."""
    place = None if after is None else GamePlace(False, *after[:3])
    begins_within = after is not None
    while True:
        known = _candidates(select, filters, at, _GAMES_AT_ONCE, place, with_first=begins_within)
        games = known
        if gone is not None:
            games = gone.among(known, place, _GAMES_AT_ONCE, with_first=begins_within)
        listed = select.list_parameter(game.row for game in games)
        counts: dict[int, int] = dict(select(_COUNTS, {"games": listed}))
        rest = iter(games)
        while portion := list(_worth(rest, counts, limit)):
            yield portion
        if len(known) < _GAMES_AT_ONCE:
            return
        place, begins_within = GamePlace(False, *_order(known[-1])), False


def _worth(games: Iterator[_Candidate], counts: dict[int, int], rows: int) -> Iterator[_Candidate]:
    """Yield games until they may exceed this number of rows."""
    for game in games:
        yield game
        rows -= counts.get(game.row, _ROWS_A_GAME)
        if rows < 0:
            return


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
    """Return the visible prices of games, by row; each in the order of its markets.

    The archive is only read for a single game.
    """
    listed = select.list_parameter(game.row for game in games)
    asked = {"games": listed, "at": at, "reference": reference}
    shared = (
        None if games[:1] and games[0].row == GONE else _shared_pairs(select, listed, visibility)
    )
    stood: dict[_Market, GameQuote] = {}
    urls: dict[_Market, str | None] = {}
    for *market, is_live, scraped_at, odds, url, liquidity in select(_SEEN, asked):
        key: _Market = tuple(market)
        urls[key] = url
        if scraped_at <= at:
            prices = {} if odds is None else decode_odds(odds)
            quote = GameQuote(*key[1:], bool(is_live), scraped_at, prices, url, liquidity)
            stood[key] = quote
    by_row = {game.row: game for game in games}
    moves = [tuple(row) for row in select(LAST, asked)]
    if older is not None:
        (game,) = games
        archived = older.game_moves(game, MoveFilter(until=at + 1))
        both = _last_of_both([row[1:] for row in moves], archived, reference)
        moves = [(game.row, *row) for row in both]
    for key, rows in _by_market(moves).items():
        if key not in stood:
            stood[key] = _from_log(by_row[key[0]], key, rows, urls.get(key))
    for *market, seen_at in select(_AHEAD, asked):
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
            and (shared is None or key[:2] in shared)
        ):
            found[key[0]].append(quote)
    return found


def _shared_pairs(
    select: Select, listed: object, visibility: Visibility
) -> set[tuple[int, str]] | None:
    """Return which bookmakers' prices of which games may be passed on; None: all."""
    if visibility.share is None:
        return None
    asked = {"games": listed, **lists.share_parameter(select, visibility.share)}
    return set(select(_SHARED_PAIRS, asked, shared=lists.may_be_shared("q", visibility.share)))


def _candidates(
    select: Select,
    filters: Filters,
    at: int,
    limit: int,
    after: GamePlace | None,
    *,
    with_first: bool = False,
) -> list[_Candidate]:
    """Return the games that may have had prices then, after one; ``with_first``: including it."""
    of_games, asked = lists.game_conditions(filters)
    conditions = [
        *of_games,
        "g.kickoff >= :from AND g.first_scraped_at <= :at",
        f"(g.kickoff < {NO_DATE} OR g.last_scraped_at >= :undated_from)",
    ]
    asked |= {"at": at, "from": at - LISTED_MS, "undated_from": at - UNDATED_MS, "limit": limit}
    if after is not None:
        behind = ">=" if with_first else ">"
        place = f"(g.kickoff, g.match_name, g.competition) {behind} (:kickoff, :name, :place)"
        conditions.append(place)
        asked |= {"kickoff": after.kickoff, "name": after.match_name, "place": after.competition}
    return [_Candidate(*row) for row in select(_CANDIDATES, asked, wanted=" AND ".join(conditions))]


class _Gone:
    """The archive's data on the games that may be listed; read after the database."""

    def __init__(
        self, select: Select, older: Older, filters: Filters, visibility: Visibility, at: int
    ) -> None:
        self._select = select
        self._visibility = visibility
        self._filters = filters
        self._shares_forgotten = older.may_share_forgotten(visibility.share)
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
        """Return candidates with the removed games between them, in order.

        After a place, ``with_first``: including its game.
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

    def sum_up(self, game: _Candidate, asked: dict[str, Any]) -> lists.ListedGame | None:
        """Sum up a game's prices from database and archive."""
        listed = self._select.list_parameter([game.row])
        shared = None if game.row == GONE else _shared_pairs(self._select, listed, self._visibility)
        held = self._select(LAST, {**asked, "games": listed})
        rows = [tuple(row[1:]) for row in held]
        cells = [
            cell
            for cell in _last_of_both(rows, self._moves(game), asked["reference"])
            if cell[4] is not None
            and (self._visibility.live or not cell[5])
            and self._visibility.bookmaker in (None, cell[0])
            and (shared is None or (game.row, cell[0]) in shared)
        ]
        bookmakers = {cell[0] for cell in cells}
        if not cells or asked["bookmaker"] not in {None, *bookmakers}:
            return None
        return lists.ListedGame(
            any(cell[5] for cell in cells),
            *game[1:],
            bookmaker_count=len(bookmakers),
            last_scraped_at=max(cell[6] for cell in cells),
        )

    def has(self, game: _Candidate) -> bool:
        """Return whether the archive has rows of a game that the database may lack."""
        if game.row == GONE:
            return True
        newest, _ = self._select(_PRICED_BY, {"game": game.row})[0]
        return newest is not None and newest > self._at and bool(self._moves(game))

    def _moves(self, game: _Candidate) -> list[LoggedMove]:
        ids = self._older.ids_of(game.game_id) if game.row != GONE else (game.game_id,)
        return [move for each in ids for move in self._stood.get(each, ())]

    def _read(self) -> list[_Candidate]:
        standing = self._older.log.archived_standing(self._at, self._older.before())
        self._stood = {game.game_id: moves for game, moves in standing.items()}
        asked = {"ids": self._select.list_parameter(self._stood)}
        known = {game_id for (game_id,) in self._select(_KNOWN, asked)}
        known |= {other for others in self._older.merged.values() for other in others}
        return [
            _Candidate(
                *forgotten_row(game), NO_DATE if game.match_date is None else game.match_date
            )
            for game in standing
            if self._shares_forgotten
            and game.game_id not in known
            and (game.match_date is None or game.match_date >= self._at - LISTED_MS)
            and lists.is_asked_game(self._filters, game.competition)
        ]


def _order(game: _Candidate) -> tuple[int, str, str]:
    return game.kickoff, game.match_name, game.competition


def _listed(
    select: Select,
    games: list[_Candidate],
    visibility: Visibility,
    asked: dict[str, Any],
    gone: _Gone | None,
) -> Iterator[lists.ListedGame]:
    """Sum up the prices of games; yield those with any.

    Games with archived rows are summed with these, the others in one query.
    """
    lacking = {game.game_id for game in games if gone is not None and gone.has(game)}
    rows = select.list_parameter(game.row for game in games if game.game_id not in lacking)
    found = select(TOTALS, {**asked, "games": rows}, visible=lists.visible("stood", visibility))
    totals = {row: total for row, *total in found}
    for game in games:
        if gone is not None and game.game_id in lacking:
            if (summed := gone.sum_up(game, asked)) is not None:
                yield summed
            continue
        count, seen, is_live, has_bookmaker = totals.get(game.row, (0, 0, False, False))
        if count and has_bookmaker:
            yield lists.ListedGame(
                bool(is_live), *game[1:], bookmaker_count=count, last_scraped_at=seen
            )


def _last_of_both(
    held: Iterable[Row], older: Iterable[LoggedMove], reference: str
) -> list[tuple[Any, ...]]:
    """Return the last move of each selection, from database and archive."""
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
    """Build a market; its last move has the time it was seen and whether in play."""
    prices = {selection: odds for selection, odds, *_ in rows if odds is not None}
    _, _, is_live, scraped_at, liquidity, _ = max(rows, key=lambda row: (row[3], row[5]))
    ordered = ordered_selections(market[2], game.match_name, tuple(prices))
    odds = {selection: prices[selection] for selection in ordered}
    return GameQuote(*market[1:], bool(is_live), scraped_at, odds, url, liquidity)


def _place(game: lists.ListedGame) -> GamePlace:
    return GamePlace(False, game.kickoff, game.match_name, game.competition)
