"""Current lists: their filters and visibility; odds, games, value bets, catalogue."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import (
    OTHER,
    SPORT_BY_COMPETITION,
    SPORTS,
    source_sport,
    sport_of,
)
from oddsdesk.contract.identity import slug
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.resources import Bookmaker, Event, Game, Sport, ValueBet
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.queries.select import WITH_OFFERS, Row, Select
from oddsdesk.store.values import (
    QUOTE_FILTERS,
    BetPlace,
    DatedBet,
    EncodedOddsRow,
    Filters,
    GamePlace,
    OddsPlace,
    Page,
    Visibility,
    from_cursor,
    to_cursor,
)

_PRICED: Final = """
SELECT 1 FROM source WHERE newest >= :since AND bookmaker = coalesce(:bookmaker, bookmaker)
    AND market_type = coalesce(:market_type, market_type) LIMIT 1
"""

NEWEST_OF_PAIR: Final = """
CASE WHEN c.newest <= :until THEN c.newest ELSE (
    SELECT max(f.scraped_at) FROM quote f WHERE f.game = c.game AND f.bookmaker = c.bookmaker
        AND f.is_live = c.is_live AND f.odds IS NOT NULL AND f.scraped_at <= :until
) END
"""
"""The newest current price of a row ``c`` of ``coverage``; quotes are only read if a wrong clock
left one in the future."""
FRESH_PAIR: Final = f"c.newest >= :since AND {NEWEST_OF_PAIR} >= :since"
"""Such a row has current prices."""

_SPORT_BY_LOWER: Final = {sport.lower(): sport for sport in SPORTS}


class Window(NamedTuple):
    """The times, both inclusive, in which a current price was seen."""

    since: int
    until: int


def standing_window(now_ms: int, age_ms: int) -> Window:
    """Return the window of prices of an age; prices from the future are not current."""
    return Window(now_ms - age_ms, now_ms + CLOCK_TOLERANCE_MS)


def canonical_sport(sport: str) -> str:
    """Return a sport in the contract's spelling; an unknown one unchanged, which matches
    nothing."""
    return _SPORT_BY_LOWER.get(sport.lower(), sport)


def of_sport(sport: str) -> str:
    """Return the condition that the contract has the competition of ``g`` in a sport.

    ``g.sport`` is the real sport, which the contract may not know. The parameter ``sport`` is as
    from ``canonical_sport``.
    """
    asked = canonical_sport(sport)
    codes = [code for code in SPORT_BY_COMPETITION if asked in (OTHER, sport_of(code))]
    listed = ", ".join(f"'{code}'" for code in codes)
    if asked == OTHER:
        return f"g.competition NOT IN ({listed})"
    return f"g.sport = :sport AND g.competition IN ({listed or 'NULL'})"


def game_conditions(filters: Filters) -> tuple[list[str], dict[str, Any]]:
    """Return the conditions on ``g`` of the filters by game, and their parameters."""
    conditions, parameters = list[str](), dict[str, Any]()
    if filters.competition is not None:
        conditions.append("g.competition = :competition")
        parameters["competition"] = filters.competition
    if filters.sport is not None:
        conditions.append(of_sport(filters.sport))
        parameters["sport"] = canonical_sport(filters.sport)
    return conditions, parameters


def is_asked_game(filters: Filters, competition: str) -> bool:
    """Return whether a game without a row meets ``game_conditions``."""
    sport = filters.sport
    return filters.competition in (None, competition) and (
        sport is None or canonical_sport(sport) == sport_of(competition)
    )


def quote_filters(filters: Filters) -> dict[str, Any]:
    """Return the requested filters on quotes, as parameters by column."""
    asked = ((name, getattr(filters, name)) for name in QUOTE_FILTERS)
    return {name: value for name, value in asked if value is not None}


def quote_conditions(filters: Filters, alias: str) -> list[str]:
    """Return the conditions on a row of quotes or value bets; values by ``quote_filters``."""
    return [f"{alias}.{name} = :{name}" for name in quote_filters(filters)]


def is_priced(
    select: Select, since: int, bookmaker: str | None, market_type: str | None = None
) -> bool:
    """Return whether there is any such price; if not, the query need not walk all games."""
    asked = {"since": since, "bookmaker": bookmaker, "market_type": market_type}
    return bool(select(_PRICED, asked))


def visibility_parameters(select: Select, visibility: Visibility, reference: str) -> dict[str, Any]:
    """Return the parameters of ``visible`` and of the sharp book's liquidity."""
    share = share_parameter(select, visibility.share)
    return {"visible_bookmaker": visibility.bookmaker, "reference": reference, **share}


def visible(alias: str, visibility: Visibility) -> str:
    """Return the condition on a row with ``bookmaker`` and ``is_live``."""
    parts = [may_be_shared(alias, visibility.share)]
    if visibility.bookmaker is not None:
        parts.append(f"{alias}.bookmaker = :visible_bookmaker")
    if not visibility.live:
        parts.append(f"{alias}.is_live = FALSE")
    return " AND ".join(parts)


def may_be_shared(alias: str, share: Collection[str] | None) -> str:
    """Return the condition that a row with ``game`` and ``bookmaker`` may be passed on."""
    if share is None:
        return "TRUE"
    return f"""NOT EXISTS (
        SELECT 1 FROM origin WHERE origin.game = {alias}.game
            AND origin.bookmaker = {alias}.bookmaker AND NOT origin.may_share
            AND NOT origin.source IN (SELECT value FROM json_each(:share))
    )"""


def share_parameter(select: Select, share: Collection[str] | None) -> dict[str, object]:
    """Return the parameter of ``may_be_shared``."""
    return {"share": select.list_parameter(sorted(share or ()))}


def phases(filters: Filters, visibility: Visibility, after: bool | None) -> Iterator[bool]:
    """Yield the parts of a list to read: in play (True), then the others.

    ``after`` is the part of a cursor.
    """
    if visibility.live and filters.is_live is not False and after is not False:
        yield True
    if filters.is_live is not True:
        yield False


def games_index(filters: Filters, live: bool) -> str:
    """Return the index that yields the requested games in the contract's order."""
    if live:
        return "game_live"
    if filters.competition is not None:
        return "game_competition"
    is_of_one_sport = filters.sport is not None and canonical_sport(filters.sport) != OTHER
    return "game_sport" if is_of_one_sport else "game_order"


def wanted_games(filters: Filters, live: bool) -> tuple[str, dict[str, Any]]:
    """Return the condition on ``g`` that walks ``games_index``, and its parameters."""
    conditions, parameters = game_conditions(filters)
    parts = ["g.recent AND g.last_scraped_at >= :since", *(["g.has_live"] if live else [])]
    return " AND ".join([*parts, *conditions]), parameters


# One row that holds all rows: Python's module gives the interpreter lock away at each row, and
# threads that read at once would wait for it 500 times an answer. Measured: twice the answers.
ODDS: Final = f"""
SELECT json_group_array(json_array(
    bookmaker, match_name, competition, sport, market_type, period, is_live,
    odds, match_date, scraped_at, url, liquidity, kickoff, offers
)) FROM (
    SELECT q.bookmaker, g.match_name, g.competition, g.sport, q.market_type, q.period,
        q.is_live, q.odds, g.match_date, q.scraped_at, q.url, g.kickoff,
        CASE WHEN q.bookmaker = :reference AND q.liquidity IS NOT NULL
            THEN printf('%!.18g', q.liquidity) END AS liquidity,
        {WITH_OFFERS} AS offers
    FROM game g INDEXED BY {{games_index}}
    CROSS JOIN quote q {{quotes_index}} ON q.game = g.id
    WHERE {{wanted}}
    ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
    LIMIT :limit
)
"""
_AFTER_ODDS: Final = """
(g.kickoff, g.match_name, g.competition) >= (:kickoff, :match_name, :place)
AND ((g.kickoff, g.match_name, g.competition) > (:kickoff, :match_name, :place)
     OR (q.bookmaker, q.market_type, q.period)
        > (:after_bookmaker, :after_market_type, :after_period))
"""


class FoundOdds(NamedTuple):
    """A quote from the query; ``liquidity`` may be a text with all its digits."""

    bookmaker: str
    match_name: str
    competition: str
    sport: str
    market_type: str
    period: int
    is_live: int
    odds: str
    match_date: int | None
    scraped_at: int
    url: str | None
    liquidity: str | float | None
    kickoff: int
    offers: str | None


_decode: Final = msgspec.json.Decoder(list[FoundOdds]).decode


def list_odds(
    select: Select,
    reference: str,
    filters: Filters,
    visibility: Visibility,
    window: Window,
    limit: int,
    cursor: str | None,
) -> Page[EncodedOddsRow]:
    """Return the requested, visible fresh quotes, in-play rows first."""
    after = None if cursor is None else from_cursor(cursor, OddsPlace)
    bookmaker = filters.bookmaker or visibility.bookmaker
    if not is_priced(select, window.since, bookmaker, filters.market_type):
        return Page([], None)
    found: list[FoundOdds] = []
    for live in phases(filters, visibility, None if after is None else after.live):
        place = after if after is not None and after.live == live else None
        parts, parameters = _odds_query(filters, visibility, live, place)
        parameters |= visibility_parameters(select, visibility, reference)
        parameters |= {**window._asdict(), "limit": limit + 1 - len(found)}
        rows = select(ODDS, parameters, **parts)
        is_json = bool(rows) and len(rows[0]) == 1
        found += _decode(rows[0][0]) if is_json else map(FoundOdds._make, rows)
        if len(found) > limit:
            return Page(
                [_row(row) for row in found[:limit]], to_cursor(_odds_place(found[limit - 1]))
            )
    return Page([_row(row) for row in found], None)


def _odds_query(
    filters: Filters, visibility: Visibility, live: bool, after: OddsPlace | None
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the parts and the parameters of ``ODDS``."""
    wanted, parameters = wanted_games(filters, live)
    conditions = [
        wanted,
        f"q.is_live = {str(live).upper()} AND q.odds IS NOT NULL",
        "q.scraped_at BETWEEN :since AND :until",
        visible("q", visibility),
        *quote_conditions(filters, "q"),
    ]
    parameters |= quote_filters(filters)
    if after is not None:
        conditions.append(_AFTER_ODDS)
        parameters |= {"kickoff": after.kickoff, "match_name": after.match_name}
        parameters |= {"place": after.competition, "after_bookmaker": after.bookmaker}
        parameters |= {"after_market_type": after.market_type, "after_period": after.period}
    parts = {
        "games_index": games_index(filters, live),
        "quotes_index": _quotes_index(filters, visibility),
        "wanted": " AND ".join(conditions),
    }
    return parts, parameters


def _quotes_index(filters: Filters, visibility: Visibility) -> str:
    """A market type alone has a separate index; everything else uses the primary key."""
    one_bookmaker = filters.bookmaker is not None or visibility.bookmaker is not None
    if filters.market_type is None or one_bookmaker:
        return ""
    return "INDEXED BY quote_market"


def _row(found: FoundOdds) -> EncodedOddsRow:
    return EncodedOddsRow(
        found.bookmaker,
        found.match_name,
        found.competition,
        sport_of(found.competition),
        found.market_type,
        found.period,
        bool(found.is_live),
        msgspec.Raw(found.odds.encode()),
        None if found.match_date is None else format_ms(found.match_date),
        format_ms(found.scraped_at),
        found.url,
        None if found.liquidity is None else float(found.liquidity),
        source_sport(found.competition, found.sport),
        msgspec.UNSET if found.offers is None else msgspec.Raw(found.offers.encode()),
    )


def _odds_place(found: FoundOdds) -> OddsPlace:
    return OddsPlace(
        bool(found.is_live),
        found.kickoff,
        found.match_name,
        found.competition,
        found.bookmaker,
        found.market_type,
        found.period,
    )


ODDS_AGE_MS: Final = 15 * MINUTE_MS
DETECTION_AGE_MS: Final = 30 * MINUTE_MS

_BET_PLACE: Final = slice(-6, None)
_SAME_MARKET: Final = (
    "{0}.game = v.game AND {0}.market_type = v.market_type AND {0}.period = v.period"
)
_BETS: Final = f"""
SELECT g.match_name, v.selection, v.bookmaker, v.market_type, v.period, v.odds,
    v.reference_odds, v.fair_odds, v.ev_pct, v.payout_rate, r.liquidity,
    g.competition, g.sport, v.detected_at, g.match_date,
    q.is_live, q.scraped_at, r.scraped_at, q.odds,
    v.ev_pct, v.game, v.market_type, v.period, v.bookmaker, v.selection
FROM value_bet v INDEXED BY value_bet_edge
CROSS JOIN quote q ON {_SAME_MARKET.format("q")} AND q.bookmaker = v.bookmaker
CROSS JOIN quote r ON {_SAME_MARKET.format("r")} AND r.bookmaker = :reference
CROSS JOIN game g ON g.id = v.game
WHERE {{wanted}} AND {{holds}}
ORDER BY v.ev_pct DESC, v.game, v.market_type, v.period, v.bookmaker, v.selection
LIMIT :limit
"""
HOLDS: Final = """
EXISTS (SELECT 1 FROM json_each(q.odds) p
        WHERE p.key = v.selection AND abs(p.value - v.odds) < 1e-9)
AND NOT EXISTS (SELECT 1 FROM json_each(v.line) side WHERE NOT EXISTS (
    SELECT 1 FROM json_each(r.odds) p
    WHERE p.key = side.key AND abs(p.value - side.value) < 1e-9
))
"""
"""The price is current, and so is the whole line it was valued by: the effect of a changed side on
the fair price is unknown here."""
_IS_FRESH: Final = """
v.detected_at BETWEEN :detected_since AND :until AND v.bookmaker <> :reference
AND q.scraped_at BETWEEN :since AND :until
AND r.scraped_at BETWEEN :since AND :until AND q.is_live = r.is_live
"""
_AFTER_BET: Final = """
v.ev_pct <= :after_ev AND (v.ev_pct < :after_ev
     OR (v.game, v.market_type, v.period, v.bookmaker, v.selection)
        > (:after_game, :after_market_type, :after_period, :after_bookmaker, :after_selection))
"""


def list_value_bets(
    select: Select,
    reference: str,
    filters: Filters,
    visibility: Visibility,
    now_ms: int,
    *,
    min_ev: float,
    max_ev: float,
    limit: int,
    cursor: str | None,
    age_ms: int = ODDS_AGE_MS,
) -> Page[DatedBet]:
    """Return the value bets that hold now, the best first, figures rounded as the contract says.

    Both prices were seen at most ``age_ms`` ago.
    """
    of_games, parameters = game_conditions(filters)
    conditions = [
        _IS_FRESH,
        visible("q", visibility),
        may_be_shared("r", visibility.share),
        "v.ev_pct BETWEEN :min_ev AND :max_ev",
        *of_games,
        *quote_conditions(filters, "v"),
    ]
    parameters |= {
        **quote_filters(filters),
        **standing_window(now_ms, age_ms)._asdict(),
        "detected_since": now_ms - DETECTION_AGE_MS,
        "min_ev": min_ev,
        "max_ev": max_ev,
        "limit": limit + 1,
        **visibility_parameters(select, visibility, reference),
    }
    if cursor is not None:
        _continue_bets(from_cursor(cursor, BetPlace), conditions, parameters)
    rows = select(_BETS, parameters, wanted=" AND ".join(conditions), holds=HOLDS)
    items = [_dated_bet(row) for row in rows[:limit]]
    if len(rows) <= limit:
        return Page(items, None)
    return Page(items, to_cursor(BetPlace(*rows[limit - 1][_BET_PLACE])))


def _continue_bets(after: BetPlace, conditions: list[str], parameters: dict[str, Any]) -> None:
    conditions.append(_AFTER_BET)
    parameters |= {
        "after_ev": after.ev_pct,
        "after_game": after.game,
        "after_market_type": after.market_type,
        "after_period": after.period,
        "after_bookmaker": after.bookmaker,
        "after_selection": after.selection,
    }


def _dated_bet(row: Row) -> DatedBet:
    is_live, scraped_at, reference_scraped_at, odds = row[15:19]
    return DatedBet(_bet(row), bool(is_live), scraped_at, reference_scraped_at, odds)


def _bet(row: Row) -> ValueBet:
    match_name, selection, bookmaker, market_type, period, odds, reference_odds = row[:7]
    fair_odds, ev_pct, payout_rate, liquidity, competition, sport, detected_at = row[7:14]
    return ValueBet(
        match_name=match_name,
        selection=selection,
        bookmaker=bookmaker,
        market_type=market_type,
        period=period,
        odds=odds,
        reference_odds=reference_odds,
        fair_odds=round(fair_odds, 4),
        ev_pct=round(ev_pct, 2),
        payout_rate=round(payout_rate, 4),
        liquidity=liquidity,
        competition=competition,
        sport=sport_of(competition),
        detected_at=format_ms(detected_at),
        match_date=None if row[14] is None else format_ms(row[14]),
        source_sport=source_sport(competition, sport),
    )


_GAMES: Final = f"""
SELECT g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff,
    (SELECT count(DISTINCT c.bookmaker) FROM coverage c WHERE {{covered}}),
    (SELECT max({NEWEST_OF_PAIR}) FROM coverage c WHERE {{covered}})
FROM game g INDEXED BY {{index}}
WHERE {{wanted}}
ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
"""
_AFTER_GAME: Final = "(g.kickoff, g.match_name, g.competition) > (:kickoff, :match_name, :place)"


class ListedGame(NamedTuple):
    """A game with the sums of its fresh, visible quotes."""

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
    """Return the requested games with fresh, visible prices."""
    after = None if cursor is None else from_cursor(cursor, GamePlace)
    if not is_priced(select, window.since, filters.bookmaker or visibility.bookmaker):
        return Page([], None)
    found: list[ListedGame] = []
    for live in phases(filters, visibility, None if after is None else after.live):
        place = after if after is not None and after.live == live else None
        parts, parameters = _games_query(filters, visibility, live, place)
        parameters |= visibility_parameters(select, visibility, reference)
        parameters |= {**window._asdict(), "limit": limit + 1 - len(found)}
        found += [ListedGame(live, *row) for row in select(_GAMES, parameters, **parts)]
        if len(found) > limit:
            return Page(found[:limit], to_cursor(_game_place(found[limit - 1])))
    return Page(found, None)


def _games_query(
    filters: Filters, visibility: Visibility, live: bool, after: GamePlace | None
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the parts and the parameters of ``_GAMES``."""
    wanted, parameters = wanted_games(filters, live)
    covered = f"c.game = g.id AND {FRESH_PAIR} AND {visible('c', visibility)}"
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
        conditions.append(_AFTER_GAME)
        parameters |= {"kickoff": after.kickoff, "match_name": after.match_name}
        parameters["place"] = after.competition
    parts = {
        "index": games_index(filters, live),
        "covered": covered,
        "wanted": " AND ".join(conditions),
    }
    return parts, parameters


def _game_place(game: ListedGame) -> GamePlace:
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


_SPORTS: Final = f"""
SELECT competition, count(*) FROM game INDEXED BY game_competition
WHERE recent AND last_scraped_at >= :since AND {{shared}}
    AND CASE WHEN last_scraped_at <= :until THEN last_scraped_at ELSE (
        SELECT max({NEWEST_OF_PAIR}) FROM coverage c WHERE c.game = game.id
    ) END >= :since
GROUP BY competition
"""
# If all quotes of a pair are fresh its sum is right; only mixed pairs are counted one by one.
BOOKMAKERS: Final = f"""
SELECT c.bookmaker, max(c.is_live), max({NEWEST_OF_PAIR}), sum(
    CASE WHEN c.oldest >= :since AND c.newest <= :until THEN c.selections ELSE (
        SELECT sum(q.selections) FROM quote q
        WHERE q.game = c.game AND q.bookmaker = c.bookmaker AND q.is_live = c.is_live
            AND q.scraped_at BETWEEN :since AND :until
    ) END
)
FROM game g INDEXED BY game_order CROSS JOIN coverage c ON c.game = g.id
WHERE g.recent AND g.last_scraped_at >= :since AND {FRESH_PAIR} AND {{shared}}
GROUP BY c.bookmaker ORDER BY c.bookmaker
"""
_IS_SHARED: Final = f"""
EXISTS (SELECT 1 FROM coverage c WHERE c.game = game.id AND {FRESH_PAIR} AND {{}})
"""


def list_sports(select: Select, window: Window, share: Collection[str] | None) -> list[Sport]:
    """Return the sports with fresh prices, by name."""
    shared = may_be_shared("c", share)
    if share is not None:
        shared = _IS_SHARED.format(shared)
    rows = select(_SPORTS, {**window._asdict(), **share_parameter(select, share)}, shared=shared)
    by_sport: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for competition, count in rows:
        by_sport[sport_of(competition)][competition] += count
    return [
        Sport(sport, sorted(by_sport[sport]), by_sport[sport].total()) for sport in sorted(by_sport)
    ]


def list_bookmakers(
    select: Select, window: Window, has_live: bool | None, share: Collection[str] | None
) -> list[Bookmaker]:
    """Return the bookmakers with fresh prices, by name; ``has_live`` picks."""
    asked = {**window._asdict(), **share_parameter(select, share)}
    bookmakers = [
        Bookmaker(name, count, bool(live), format_ms(newest))
        for name, live, newest, count in select(BOOKMAKERS, asked, shared=may_be_shared("c", share))
    ]
    return [each for each in bookmakers if has_live is None or each.has_live == has_live]
