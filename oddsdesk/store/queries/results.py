"""Results, each with the game of this database that it belongs to."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract.identity import SAME_GAME_MS, game_id
from oddsdesk.contract.results import GameResult, with_teams_turned
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.matching.names import renamed
from oddsdesk.store.queries.lists import may_be_shared, share_parameter
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.results import COLUMNS, StoredResult, from_row
from oddsdesk.store.values import Page, ResultPlace, Visibility, from_cursor, to_cursor

MOST_READ: Final = 2_000
"""Rows read for a page: with few visible results it is short, and the next one continues."""
_MOST_SELECTIONS: Final = 20_000
"""Selections on a page, with those taken back: some 2 MB."""
_HALF_DAY_MS: Final = 12 * 60 * MINUTE_MS
_APART: Final = f"CASE WHEN ended.has_time THEN {SAME_GAME_MS} ELSE {_HALF_DAY_MS} END"
_ABOUT: Final = f"""
g.id > :made_up AND g.kickoff BETWEEN ended.kick_off - {_APART} AND ended.kick_off + {_APART}
"""
FOUND_GAMES: Final = f"""(
        SELECT found FROM (
            SELECT 2 * g.id AS found, abs(g.kickoff - ended.kick_off) AS apart FROM game g
            WHERE g.competition = ended.competition AND g.plain_name = ended.plain_name AND {_ABOUT}
        ) near ORDER BY apart, found LIMIT 1
    ), (
        SELECT found FROM (
            SELECT 2 * g.id + CASE WHEN o.crosswise THEN 1 ELSE 0 END AS found,
                abs(g.kickoff - ended.kick_off) AS apart
            FROM other_name o CROSS JOIN game g ON g.id = o.game
            WHERE o.competition = ended.competition AND o.plain_name = ended.plain_name AND {_ABOUT}
        ) near ORDER BY apart, found LIMIT 1
    )"""
"""The games of a row ``ended``, by the name of the game and by another name: each is twice the
game's row, and 1 more if that name swaps the teams."""
_RESULTS: Final = f"""
SELECT {", ".join(f"ended.{each}" for each in COLUMNS)}, {FOUND_GAMES},
    CASE WHEN {{visible}} THEN 1 ELSE 0 END
FROM result ended INDEXED BY {{index}}
WHERE {{wanted}}
ORDER BY ended.kick_off, ended.competition, ended.plain_name, ended.source, ended.bookmaker
LIMIT :limit
"""
_GAMES: Final = """
SELECT id, game_id, match_name, competition, sport FROM game
WHERE id IN (SELECT value FROM json_each(:games))
"""
_WITHOUT_COMPETITION: Final = """
SELECT id FROM game INDEXED BY game_past
WHERE kickoff BETWEEN :first AND :last AND plain_name = :plain_name AND id > :made_up LIMIT 2
"""
_PRICED: Final = """
SELECT DISTINCT q.game FROM quote q
WHERE q.game IN (SELECT value FROM json_each(:games)) AND q.bookmaker = :bookmaker AND {shared}
"""


class NamedGame(NamedTuple):
    """A game in this database's words."""

    game_id: str
    match_name: str
    competition: str
    sport: str


def list_results(
    select: Select,
    visibility: Visibility,
    limit: int,
    *,
    made_up: int,
    since_ms: int | None = None,
    until_ms: int | None = None,
    competition: str | None = None,
    cursor: str | None = None,
) -> Page[StoredResult]:
    """Return results by kick-off, from ``since_ms`` to before ``until_ms``.

    ``made_up`` is the last simulated game's row in a database with real odds. A caller with access
    to one bookmaker gets the games that it has priced.
    """
    conditions, visible = ["TRUE"], ["TRUE"]
    parameters = {"made_up": made_up, **_share(select, visibility)}
    if visibility.share is not None:
        shared = "ended.source IN (SELECT value FROM json_each(:share))"
        visible.append(f"(ended.may_share = TRUE OR {shared})")
    if not visibility.live:
        visible.append("ended.status <> 'in_play'")
    if visibility.bookmaker is not None:
        visible.append("ended.bookmaker IN ('', :bookmaker)")
        parameters["bookmaker"] = visibility.bookmaker
    for name, sign, value in (("since", ">=", since_ms), ("until", "<", until_ms)):
        if value is not None:
            conditions.append(f"ended.kick_off {sign} :{name}")
            parameters[name] = value
    if competition is not None:
        conditions.append("ended.competition = :competition")
        parameters["competition"] = competition
    if cursor is not None:
        place = from_cursor(cursor, ResultPlace)
        names = ["kick_off", "competition", "plain_name", "source", "bookmaker"]
        last = ", ".join(f":after_{name}" for name in names)
        conditions.append(f"({', '.join(f'ended.{name}' for name in names)}) > ({last})")
        parameters |= {f"after_{name}": getattr(place, name) for name in names}
    index = "result_order" if competition is None else "result_competition"
    most = limit if visibility == Visibility() else max(limit, MOST_READ)
    asked = parameters | {"limit": most + 1}
    wanted, shown = " AND ".join(conditions), " AND ".join(visible)
    rows = select(_RESULTS, asked, index=index, wanted=wanted, visible=shown)
    seen = [row[:-1] for row in rows[:most] if row[-1]]
    found = _with_games(select, seen, visibility, made_up)
    sizes = accumulate(_selections(stored) for _, stored in found)
    end = min(limit, max(1, sum(size <= _MOST_SELECTIONS for size in sizes)))
    items = [stored for _, stored in found[:end]]
    if len(found) > end:
        return Page(items, _cursor(found[end - 1][0]))
    return Page(items, _cursor(rows[most - 1]) if len(rows) > most else None)


def _selections(stored: StoredResult) -> int:
    return sum(len(each.selections) for each in (stored.result, *stored.before))


def _share(select: Select, visibility: Visibility) -> dict[str, Any]:
    return {} if visibility.share is None else share_parameter(select, visibility.share)


def _cursor(row: Row) -> str:
    return to_cursor(ResultPlace(row[2], row[0], row[1], row[3], row[4]))


def _with_games(
    select: Select, rows: Sequence[Row], visibility: Visibility, made_up: int
) -> list[tuple[Row, StoredResult]]:
    """Return the visible results, each with its row."""
    found: list[tuple[Row, int | None]] = []
    for row in rows:
        *_, own, other = row
        code = own if own is not None else other
        if code is None and not row[0]:
            code = _without_competition(select, row, made_up)
        found.append((row, code))
    games = sorted({code // 2 for _, code in found if code is not None})
    named = named_games(select, games)
    if visibility.bookmaker is None:
        return [(row, _stored(row, code, named)) for row, code in found]
    priced = _priced(select, games, visibility)
    return [
        (row, _stored(row, code, named))
        for row, code in found
        if code is not None and code // 2 in priced
    ]


def _without_competition(select: Select, row: Row, made_up: int) -> int | None:
    """Return twice the row of the only game with a name about then; None if there are several."""
    kick_off, plain, has_time = row[2], row[1], row[7]
    apart = SAME_GAME_MS if has_time else _HALF_DAY_MS
    asked = {"first": kick_off - apart, "last": kick_off + apart, "plain_name": plain}
    games = select(_WITHOUT_COMPETITION, asked | {"made_up": made_up})
    return 2 * int(games[0][0]) if len(games) == 1 else None


def named_games(select: Select, games: Collection[int]) -> dict[int, NamedGame]:
    """Return games by their rows."""
    if not games:
        return {}
    rows = select(_GAMES, {"games": select.list_parameter(games)})
    return {row: NamedGame(*rest) for row, *rest in rows}


def _priced(select: Select, games: Collection[int], visibility: Visibility) -> set[int]:
    if not games:
        return set()
    asked = {"games": select.list_parameter(games), "bookmaker": visibility.bookmaker}
    shared = may_be_shared("q", visibility.share)
    rows = select(_PRICED, asked | _share(select, visibility), shared=shared)
    return {int(game) for (game,) in rows}


def _stored(row: Row, code: int | None, named: dict[int, NamedGame]) -> StoredResult:
    entry = from_row(row[:-2])
    result, before = entry.result, entry.before
    game = None if code is None else named.get(code // 2)
    if game is None:
        own = game_id(result.competition, result.match_name)
        return StoredResult(own, result, False, entry.recorded_at, before)
    is_crosswise = bool(code % 2) if code is not None else False
    results = (_in_words_of(each, game, is_crosswise=is_crosswise) for each in (result, *before))
    now, *earlier = results
    return StoredResult(game.game_id, now, True, entry.recorded_at, tuple(earlier))


def _in_words_of(result: GameResult, game: NamedGame, *, is_crosswise: bool) -> GameResult:
    """Return a result in a game's words, home team first in the game's order."""
    if result.match_name == game.match_name and result.competition == game.competition:
        return result
    selections = tuple(
        msgspec.structs.replace(
            each,
            selection=renamed(
                each.market_type, result.match_name, game.match_name, is_crosswise, each.selection
            ),
        )
        for each in result.selections
    )
    now = msgspec.structs.replace(
        result, competition=game.competition, match_name=game.match_name, selections=selections
    )
    return with_teams_turned(now, game.match_name) if is_crosswise else now
