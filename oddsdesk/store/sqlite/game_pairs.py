"""Games that may be one: suggested, accepted or refused by the user, and taken back (D69).

An accepted pair becomes the game that was there first, which keeps the other's name; the names of
its teams are aliases from then on. Both games as they were are kept beside it, and what was said
of it since: undone, each game has its own again, as if nobody had accepted.
"""

import json
import sqlite3
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import groupby, islice
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.game_pairs import GamePair, PairedGame, PairState
from oddsdesk.contract.identity import teams
from oddsdesk.store.errors import PairError
from oddsdesk.store.games import plain_name
from oddsdesk.store.matching import (
    SAME_START_MS,
    Game,
    Match,
    Side,
    Verdict,
    compare,
    likeness,
    may_be_alike,
    sides,
)
from oddsdesk.store.other_names import names_known, stored_chances
from oddsdesk.store.recording import record_quotes
from oddsdesk.store.sqlite.merged_rows import merge_rows, part_rows
from oddsdesk.store.sqlite.said import Said, forget_said, seal_said, take_said
from oddsdesk.store.sqlite.tables import SqliteTables
from oddsdesk.store.team_names import TeamNames

MOST_SUGGESTED: Final = 500
"""More at once say that names have a word in common which tells nothing; nobody reads them."""

_GAMES: Final = """
SELECT id, game_id, competition, match_name, match_date, last_scraped_at FROM game ORDER BY id
"""
_EVENTS: Final = "SELECT game, event FROM event"
_SUGGEST: Final = """
INSERT INTO game_pair (competition, kept, kept_name, other, other_name, crosswise, state)
VALUES (?, ?, ?, ?, ?, ?, 'suggested')
"""
_KNOWN: Final = "SELECT id, kept, other FROM game_pair"
_DROP_STALE: Final = "DELETE FROM game_pair WHERE id = ? AND state = 'suggested'"
_PAIRS: Final = """
SELECT pair.id, state, pair.competition, kept, kept_name, kept.match_date, other, other_name,
    other.match_date, crosswise, decided_at
FROM game_pair pair LEFT JOIN game kept ON kept.game_id = pair.kept
LEFT JOIN game other ON other.game_id = pair.other ORDER BY pair.id
"""
_BOOKMAKERS: Final = """
SELECT DISTINCT bookmaker FROM coverage
WHERE game = (SELECT id FROM game WHERE game_id = ?) ORDER BY bookmaker
"""
_SOURCES: Final = """
SELECT DISTINCT substr(event, 1, instr(event, ':') - 1) FROM event
WHERE game = (SELECT id FROM game WHERE game_id = ?) ORDER BY 1
"""
_PAIR: Final = """
SELECT competition, kept, other, crosswise, state, before, decided_at FROM game_pair WHERE id = ?
"""
_DECIDE: Final = "UPDATE game_pair SET state = ?, decided_at = ?, before = ? WHERE id = ?"
_LAST_DECIDED: Final = "SELECT coalesce(max(decided_at), 0) FROM game_pair"
_LATER: Final = """
SELECT later.id FROM game_pair pair CROSS JOIN game_pair later
    ON pair.kept IN (later.kept, later.other)
WHERE pair.id = ? AND later.state = 'accepted' AND later.decided_at > pair.decided_at
ORDER BY later.decided_at
"""
_GAME_OF: Final = "SELECT id, competition, match_name FROM game WHERE game_id = ?"
_KEEP_NAME: Final = """
INSERT OR REPLACE INTO other_name (competition, plain_name, game, match_name, crosswise)
VALUES (?, ?, ?, ?, ?)
"""
_SAY_SAME: Final = "INSERT INTO same_team (pair, competition, one, other) VALUES (?, ?, ?, ?)"
_UNSAY_SAME: Final = "DELETE FROM same_team WHERE pair = ?"
_NAMES_OF: Final = """
SELECT game.id, game.competition, game.match_name, other.competition, other.match_name
FROM json_each(?) asked CROSS JOIN game ON game.competition = asked.value
CROSS JOIN other_name other ON other.game = game.id
"""
_JOINED: Final = "SELECT before, decided_at FROM joined_game WHERE game = ?"
_LONG_JOINED: Final = """
SELECT game.id FROM joined_game CROSS JOIN game ON game.id = joined_game.game
WHERE game.last_scraped_at < ? AND NOT EXISTS (
    SELECT 1 FROM game_pair pair WHERE pair.kept = game.game_id AND pair.state = 'accepted'
)
"""
_UNJOIN: Final = "DELETE FROM joined_game WHERE game = ?"
_UNJOIN_SINCE: Final = "DELETE FROM joined_game WHERE game = ? AND decided_at >= ?"
_ACCEPTED_OF: Final = """
SELECT pair.id FROM game CROSS JOIN game_pair pair ON pair.kept = game.game_id
WHERE game.id = ? AND pair.state = 'accepted' AND pair.decided_at > ? ORDER BY pair.decided_at
"""
_DROP_NAME: Final = "DELETE FROM other_name WHERE game = ? AND competition = ? AND match_name = ?"
_OF_GAME: Final = """
SELECT pair.id, pair.before FROM game
CROSS JOIN game_pair pair ON game.game_id IN (pair.kept, pair.other)
WHERE game.id = ?
"""
_FORGET: Final = (
    "DELETE FROM game_pair WHERE id = ? AND state != 'accepted'",
    "UPDATE game_pair SET before = NULL WHERE id = ?",
)


class _Pair(NamedTuple):
    competition: str
    kept: str
    other: str
    is_crosswise: bool
    state: PairState
    before: bytes | None
    decided_at: int | None


class _Stored(msgspec.Struct, frozen=True):
    row: int
    game_id: str
    game: Game
    sources: frozenset[str]
    """That have an id for it."""
    sides: tuple[Side, Side]


def find_pairs(connection: sqlite3.Connection) -> list[GamePair]:
    """Look for games that may be one; return all pairs that are suggested or decided.

    To be run by ``Store.write``, as all that follows. Suggestions that no longer hold go.
    """
    known = {(kept, other): ident for ident, kept, other in connection.execute(_KNOWN).fetchall()}
    held = set()
    for one, other, match in islice(_alike(connection), MOST_SUGGESTED):
        ident = known.get((one.game_id, other.game_id))
        if ident is None:
            named = (one.game_id, one.game.match_name, other.game_id, other.game.match_name)
            values = (one.game.competition, *named, match.is_crosswise)
            connection.execute(_SUGGEST, values)
        else:
            held.add(ident)
    stale = [(ident,) for ident in known.values() if ident not in held]
    connection.executemany(_DROP_STALE, stale)
    return all_pairs(connection)


def all_pairs(connection: sqlite3.Connection) -> list[GamePair]:
    """Return the pairs that are suggested or decided, in the order in which they were found."""
    names = names_known(SqliteTables(connection))
    found = []
    for row in connection.execute(_PAIRS).fetchall():
        ident, state, competition, *games, crosswise, decided_at = row
        kept, other = games[:3], games[3:]
        found.append(
            GamePair(
                ident=ident,
                state=PairState(state),
                competition=competition,
                kept=_paired(connection, *kept),
                other=_paired(connection, *other),
                is_crosswise=bool(crosswise),
                decided_at=decided_at,
                teams=likeness(names, competition, (kept[1], other[1]), is_crosswise=crosswise),
            )
        )
    return found


def _paired(
    connection: sqlite3.Connection, game_id: str, match_name: str, match_date: int | None
) -> PairedGame:
    bookmakers, sources = (
        tuple(each for (each,) in connection.execute(query, (game_id,)).fetchall())
        for query in (_BOOKMAKERS, _SOURCES)
    )
    return PairedGame(game_id, match_name, match_date, bookmakers, sources)


def accept(connection: sqlite3.Connection, ident: int, now_ms: int) -> None:
    """Make one game of a pair.

    Raises:
        PairError: there is no such pair, it is accepted already, or one of its games is gone.
    """
    said_of = _pair(connection, ident)
    if said_of.state is PairState.ACCEPTED:
        raise PairError(f"{ident}: is accepted already")
    crosswise = said_of.is_crosswise
    kept, other = (_game(connection, ident, each) for each in (said_of.kept, said_of.other))
    seal_said(connection, kept[0])
    before = merge_rows(connection, kept[0], other[0], is_crosswise=crosswise)
    values = (other[1], plain_name(other[2]), kept[0], other[2], crosswise)
    connection.execute(_KEEP_NAME, values)
    pair, other_pair = teams(kept[2]), teams(other[2])
    if pair is not None and other_pair is not None:
        named = (other_pair[1], other_pair[0]) if crosswise else other_pair
        said = [(ident, kept[1], *each) for each in zip(pair, named, strict=True)]
        connection.executemany(_SAY_SAME, said)
    ((last,),) = connection.execute(_LAST_DECIDED).fetchall()  # they are undone in reverse order
    _decide(connection, ident, PairState.ACCEPTED, max(now_ms, last + 1), before)


def refuse(connection: sqlite3.Connection, ident: int, now_ms: int) -> None:
    """Note that a pair is two games; it is not suggested again.

    Raises:
        PairError: there is no such pair, or it is accepted.
    """
    if _pair(connection, ident).state is PairState.ACCEPTED:
        raise PairError(f"{ident}: is accepted; undo that first")
    _decide(connection, ident, PairState.REFUSED, now_ms, None)


def undo(connection: sqlite3.Connection, ident: int, now_ms: int, *, reference: str) -> None:
    """Take back what was decided of a pair: it is suggested again.

    Games that were one are two again, byte by byte as they were, and so are later games that were
    recorded as one because of it; what was said since is recorded once more, each quote under the
    name it came with.

    Raises:
        PairError: there is no such pair, nothing was decided of it, its game is gone, or another
            is to be undone first.
    """
    pair = _pair(connection, ident)
    if pair.state is PairState.SUGGESTED:
        raise PairError(f"{ident}: nothing was decided of it")
    names = names_known(SqliteTables(connection))
    connection.execute(_UNSAY_SAME, (ident,))
    said: list[Said] = []
    if pair.before is not None:
        if later := connection.execute(_LATER, (ident,)).fetchall():
            raise _undo_first(ident, later[-1][0])
        kept, *_ = _game(connection, ident, pair.kept)
        said += _part(connection, kept, pair.before)
        connection.execute(_UNJOIN_SINCE, (kept, pair.decided_at))
    if pair.state is PairState.ACCEPTED:
        said += _part_joined(connection, ident, pair.competition, names)
    _decide(connection, ident, PairState.SUGGESTED, None, None)
    said.sort()
    for origin, group in groupby(said, key=attrgetter("origin")):
        quotes = [each.quote for each in group]
        tables = SqliteTables(connection)
        record_quotes(
            tables, quotes, reference=reference, simulated=False, now_ms=now_ms, origin=origin
        )


def _part(connection: sqlite3.Connection, game: int, before: bytes) -> list[Said]:
    """Put a game back as it was; return what was said of it since."""
    said = take_said(connection, game, json.loads(before).get("last_said", 0))
    part_rows(connection, game, before)
    return said


def _part_joined(
    connection: sqlite3.Connection, ident: int, competition: str, names: TeamNames
) -> list[Said]:
    """Part the games that are one by a pair's names alone, as ``names`` had them.

    Of those that nothing is kept of any more only the names go: what is to come is apart.
    """
    now = names_known(SqliteTables(connection))
    asked = json.dumps(names.competitions_of(competition))
    said: list[Said] = []
    parted = set()
    for game, *own, place, name in connection.execute(_NAMES_OF, (asked,)).fetchall():
        are_one, still = (
            each.game_key(*own) == each.game_key(place, name) for each in (names, now)
        )
        if not are_one or still or game in parted:
            continue
        joined = connection.execute(_JOINED, (game,)).fetchall()
        since = joined[0][1] if joined else 0
        if later := connection.execute(_ACCEPTED_OF, (game, since)).fetchall():
            raise _undo_first(ident, later[-1][0])
        if joined:
            said += _part(connection, game, joined[0][0])
            connection.execute(_UNJOIN, (game,))
            parted.add(game)
        else:
            connection.execute(_DROP_NAME, (game, place, name))
    return said


def _undo_first(ident: int, later: int) -> PairError:
    return PairError(f"{ident}: undo {later} first, which was accepted later")


def decide_pairs(
    connection: sqlite3.Connection,
    idents: Collection[int],
    state: PairState,
    now_ms: int,
    *,
    reference: str,
) -> list[GamePair]:
    """Decide of pairs, in their order, and return them; see ``Store.decide_pairs``."""
    for ident in idents:
        if state is PairState.ACCEPTED:
            accept(connection, ident, now_ms)
        elif state is PairState.REFUSED:
            refuse(connection, ident, now_ms)
        else:
            undo(connection, ident, now_ms, reference=reference)
    return [pair for pair in all_pairs(connection) if pair.ident in idents]


def forget_pairs(connection: sqlite3.Connection, game: int) -> None:
    """Forget the pairs of a game that is removed; accepted ones remain as names of teams."""
    rows = [game]
    for ident, before in connection.execute(_OF_GAME, (game,)).fetchall():
        if before is not None:
            rows += [row["id"] for row in json.loads(before)["other"]["game"]]
        for statement in _FORGET:
            connection.execute(statement, (ident,))
    for row in rows:
        forget_said(connection, row)
        connection.execute(_UNJOIN, (row,))


def forget_joined(connection: sqlite3.Connection, before: int) -> None:
    """Forget how games were that are one by names alone and had no price since a time."""
    for (game,) in connection.execute(_LONG_JOINED, (before,)).fetchall():
        forget_said(connection, game)
        connection.execute(_UNJOIN, (game,))


def _alike(connection: sqlite3.Connection) -> Iterator[tuple[_Stored, _Stored, Match]]:
    """Yield the pairs to suggest, each with the game that was there first before the other."""
    names = names_known(SqliteTables(connection))
    for games in _by_competition(connection, names).values():
        dated = sorted(
            (each for each in games if each.game.kick_off is not None),
            key=lambda each: each.game.kick_off or 0,
        )
        undated = [each for each in games if each.game.kick_off is None]
        starts = [each.game.kick_off or 0 for each in dated]
        for number, one in enumerate(dated):
            end = bisect_left(starts, starts[number] + SAME_START_MS + 1)
            for other in (*dated[number + 1 : end], *undated):
                yield from _if_alike(connection, names, one, other)
        for number, one in enumerate(undated):
            for other in undated[number + 1 :]:
                yield from _if_alike(connection, names, one, other)


def _if_alike(
    connection: sqlite3.Connection, names: TeamNames, one: _Stored, other: _Stored
) -> Iterator[tuple[_Stored, _Stored, Match]]:
    if other.row < one.row:
        one, other = other, one
    wanted = (Verdict.SAME, Verdict.ALIKE)
    if not may_be_alike(one.sides, other.sides):
        return
    if plain_name(one.game.match_name) == plain_name(other.game.match_name):
        return  # told apart by their kick-offs already (D31)
    if one.sources & other.sources:
        return  # two ids of one source are two games (D51)
    if compare(names, one.game, other.game).verdict not in wanted:
        return
    priced = [
        msgspec.structs.replace(
            each.game,
            chances=stored_chances(SqliteTables(connection), each.row, each.game.match_name),
        )
        for each in (one, other)
    ]
    match = compare(names, *priced)
    if match.verdict in wanted:
        yield one, other, match


def _by_competition(connection: sqlite3.Connection, names: TeamNames) -> dict[str, list[_Stored]]:
    games: defaultdict[str, list[_Stored]] = defaultdict(list)
    sources: defaultdict[int, set[str]] = defaultdict(set)
    for row, event in connection.execute(_EVENTS).fetchall():
        sources[row].add(event.partition(":")[0])
    for row, game_id, competition, *game in connection.execute(_GAMES).fetchall():
        stored = Game(competition, *game)
        pair = sides(names, competition, stored.match_name)
        if pair is not None:
            known = _Stored(row, game_id, stored, frozenset(sources[row]), pair)
            games[names.competition(competition)].append(known)
    return games


def _pair(connection: sqlite3.Connection, ident: int) -> _Pair:
    rows = connection.execute(_PAIR, (ident,)).fetchall()
    if not rows:
        raise PairError(f"{ident}: there is no such pair; oddsdesk games suggest lists them")
    ((competition, kept, other, crosswise, state, before, decided_at),) = rows
    return _Pair(competition, kept, other, bool(crosswise), PairState(state), before, decided_at)


def _game(connection: sqlite3.Connection, ident: int, game_id: str) -> tuple[int, str, str]:
    rows = connection.execute(_GAME_OF, (game_id,)).fetchall()
    if not rows:
        raise PairError(f"{ident}: a game of this pair is no longer in the database")
    ((row, competition, match_name),) = rows
    return row, competition, match_name


def _decide(
    connection: sqlite3.Connection,
    ident: int,
    state: PairState,
    now_ms: int | None,
    before: bytes | None,
) -> None:
    connection.execute(_DECIDE, (state.value, now_ms, before, ident))
