"""Games that may be one: suggested, accepted or refused by the user, and taken back (D69).

An accepted pair becomes the game that was there first, which keeps the other's name; the names of
its teams are aliases from then on. Both games as they were are kept beside it, and what was said
of it since: undone, each game has its own again, as if nobody had accepted.
"""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby, islice
from operator import attrgetter
from typing import Final

import msgspec

from oddsdesk.contract.game_pairs import GamePair, PairedGame, PairState
from oddsdesk.contract.identity import teams
from oddsdesk.matching.games import (
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
from oddsdesk.matching.team_names import TeamNames
from oddsdesk.store.errors import PairError
from oddsdesk.store.games import plain_name
from oddsdesk.store.merged_games import merge_games, part_games
from oddsdesk.store.other_names import names_known, stored_chances
from oddsdesk.store.pair_tables import DecidedPair, PairTables, SuggestedPair
from oddsdesk.store.recording import record_quotes
from oddsdesk.store.said import Said, take_said

MOST_SUGGESTED: Final = 500
"""More at once say that names have a word in common which tells nothing; nobody reads them."""


class _Stored(msgspec.Struct, frozen=True):
    row: int
    game_id: str
    game: Game
    sources: frozenset[str]
    """That have an id for it."""
    sides: tuple[Side, Side]


def find_pairs(tables: PairTables) -> list[GamePair]:
    """Look for games that may be one; return all pairs that are suggested or decided.

    In a transaction, as all that follows. Suggestions that no longer hold go.
    """
    known = {(pair.kept[0], pair.other[0]): pair.ident for pair in tables.told_pairs()}
    held, suggested = set(), []
    for one, other, match in islice(_alike(tables), MOST_SUGGESTED):
        ident = known.get((one.game_id, other.game_id))
        if ident is None:
            names = (one.game_id, one.game.match_name, other.game_id, other.game.match_name)
            suggested.append(SuggestedPair(one.game.competition, *names, match.is_crosswise))
        else:
            held.add(ident)
    tables.suggest(suggested)
    tables.drop_suggestions([ident for ident in known.values() if ident not in held])
    return all_pairs(tables)


def all_pairs(tables: PairTables) -> list[GamePair]:
    """Return the pairs that are suggested or decided, in the order in which they were found."""
    names = names_known(tables)
    pairs = tables.told_pairs()
    games = {game_id for pair in pairs for game_id, *_ in (pair.kept, pair.other)}
    bookmakers, sources = (
        _by_game(rows) for rows in (tables.bookmakers_of(games), tables.sources_of(games))
    )

    def paired(game_id: str, match_name: str, match_date: int | None) -> PairedGame:
        told = (tuple(each.get(game_id, ())) for each in (bookmakers, sources))
        return PairedGame(game_id, match_name, match_date, *told)

    return [
        GamePair(
            ident=pair.ident,
            state=pair.state,
            competition=pair.competition,
            kept=paired(*pair.kept),
            other=paired(*pair.other),
            is_crosswise=pair.is_crosswise,
            decided_at=pair.decided_at,
            teams=likeness(
                names,
                pair.competition,
                (pair.kept[1], pair.other[1]),
                is_crosswise=pair.is_crosswise,
            ),
        )
        for pair in pairs
    ]


def _by_game(rows: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for game_id, each in rows:
        found[game_id].append(each)
    return found


def accept(tables: PairTables, ident: int, now_ms: int) -> None:
    """Make one game of a pair.

    Raises:
        PairError: there is no such pair, it is accepted already, or one of its games is gone.
    """
    pair = _pair(tables, ident)
    if pair.state is PairState.ACCEPTED:
        raise PairError(f"{ident}: is accepted already")
    crosswise = pair.is_crosswise
    kept, other = (_game(tables, ident, each) for each in (pair.kept, pair.other))
    tables.seal_said(kept[0])
    before = merge_games(tables, kept[0], other[0], is_crosswise=crosswise)
    tables.keep_name((other[1], plain_name(other[2]), kept[0], other[2], crosswise))
    ours, others = teams(kept[2]), teams(other[2])
    if ours is not None and others is not None:
        named = (others[1], others[0]) if crosswise else others
        tables.say_same(ident, kept[1], list(zip(ours, named, strict=True)))
    last = tables.last_decided()  # they are undone in reverse order
    tables.decide(ident, PairState.ACCEPTED, max(now_ms, last + 1), before)


def refuse(tables: PairTables, ident: int, now_ms: int) -> None:
    """Note that a pair is two games; it is not suggested again.

    Raises:
        PairError: there is no such pair, or it is accepted.
    """
    if _pair(tables, ident).state is PairState.ACCEPTED:
        raise PairError(f"{ident}: is accepted; undo that first")
    tables.decide(ident, PairState.REFUSED, now_ms, None)


def undo(tables: PairTables, ident: int, now_ms: int, *, reference: str) -> None:
    """Take back what was decided of a pair: it is suggested again.

    Games that were one are two again, byte by byte as they were, and so are later games that were
    recorded as one because of it; what was said since is recorded once more, each quote under the
    name it came with.

    Raises:
        PairError: there is no such pair, nothing was decided of it, its game is gone, or another
            is to be undone first.
    """
    pair = _pair(tables, ident)
    if pair.state is PairState.SUGGESTED:
        raise PairError(f"{ident}: nothing was decided of it")
    names = names_known(tables)
    tables.unsay_same(ident)
    said: list[Said] = []
    if pair.before is not None:
        if later := tables.accepted_after(ident):
            raise _undo_first(ident, later[-1])
        kept, *_ = _game(tables, ident, pair.kept)
        said += _part(tables, kept, pair.before)
        tables.unjoin(kept, pair.decided_at or 0)
    if pair.state is PairState.ACCEPTED:
        said += _part_joined(tables, ident, pair.competition, names)
    tables.decide(ident, PairState.SUGGESTED, None, None)
    said.sort()
    for origin, group in groupby(said, key=attrgetter("origin")):
        quotes = [each.quote for each in group]
        record_quotes(
            tables, quotes, reference=reference, simulated=False, now_ms=now_ms, origin=origin
        )


def _part(tables: PairTables, game: int, before: bytes) -> list[Said]:
    """Put a game back as it was; return what was said of it since."""
    said = take_said(tables, game, json.loads(before).get("last_said", 0))
    part_games(tables, game, before)
    return said


def _part_joined(tables: PairTables, ident: int, competition: str, names: TeamNames) -> list[Said]:
    """Part the games that are one by a pair's names alone, as ``names`` had them.

    Of those that nothing is kept of any more only the names go: what is to come is apart.
    """
    now = names_known(tables)
    said: list[Said] = []
    parted = set()
    for game, *own, place, name in tables.named_twice(names.competitions_of(competition)):
        are_one, still = (
            each.game_key(*own) == each.game_key(place, name) for each in (names, now)
        )
        if not are_one or still or game in parted:
            continue
        joined = tables.joined_game(game)
        if later := tables.accepted_of(game, joined[1] if joined else 0):
            raise _undo_first(ident, later[-1])
        if joined:
            said += _part(tables, game, joined[0])
            tables.unjoin(game)
            parted.add(game)
        else:
            tables.drop_name(game, place, name)
    return said


def _undo_first(ident: int, later: int) -> PairError:
    return PairError(f"{ident}: undo {later} first, which was accepted later")


def decide_pairs(
    tables: PairTables,
    idents: Collection[int],
    state: PairState,
    now_ms: int,
    *,
    reference: str,
) -> list[GamePair]:
    """Decide of pairs, in their order, and return them; see ``Store.decide_pairs``."""
    for ident in idents:
        if state is PairState.ACCEPTED:
            accept(tables, ident, now_ms)
        elif state is PairState.REFUSED:
            refuse(tables, ident, now_ms)
        else:
            undo(tables, ident, now_ms, reference=reference)
    return [pair for pair in all_pairs(tables) if pair.ident in idents]


def forget_pairs(tables: PairTables, game: int) -> None:
    """Forget the pairs of a game that is removed; accepted ones remain as names of teams."""
    rows = [game]
    for ident, before in tables.pairs_of(game):
        if before is not None:
            rows += [row["id"] for row in json.loads(before)["other"]["game"]]
        tables.forget_pair(ident)
    for row in rows:
        tables.forget_said(row)
        tables.unjoin(row)


def forget_joined(tables: PairTables, before: int) -> None:
    """Forget how games were that are one by names alone and had no price since a time."""
    for game in tables.long_joined(before):
        tables.forget_said(game)
        tables.unjoin(game)


def _alike(tables: PairTables) -> Iterator[tuple[_Stored, _Stored, Match]]:
    """Yield the pairs to suggest, each with the game that was there first before the other."""
    names = names_known(tables)
    for games in _by_competition(tables, names).values():
        dated = sorted(
            (each for each in games if each.game.kick_off is not None),
            key=lambda each: each.game.kick_off or 0,
        )
        undated = [each for each in games if each.game.kick_off is None]
        starts = [each.game.kick_off or 0 for each in dated]
        for number, one in enumerate(dated):
            end = bisect_left(starts, starts[number] + SAME_START_MS + 1)
            for other in (*dated[number + 1 : end], *undated):
                yield from _if_alike(tables, names, one, other)
        for number, one in enumerate(undated):
            for other in undated[number + 1 :]:
                yield from _if_alike(tables, names, one, other)


def _if_alike(
    tables: PairTables, names: TeamNames, one: _Stored, other: _Stored
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
            each.game, chances=stored_chances(tables, each.row, each.game.match_name)
        )
        for each in (one, other)
    ]
    match = compare(names, *priced)
    if match.verdict in wanted:
        yield one, other, match


def _by_competition(tables: PairTables, names: TeamNames) -> dict[str, list[_Stored]]:
    games: defaultdict[str, list[_Stored]] = defaultdict(list)
    sources: defaultdict[int, set[str]] = defaultdict(set)
    for row, event in tables.all_events():
        sources[row].add(event.partition(":")[0])
    made_up = tables.last_made_up()
    for row, game_id, competition, match_name, match_date, seen_ms in tables.known_games():
        pair = sides(names, competition, match_name)
        if pair is not None and row > made_up:
            game = Game(competition, match_name, match_date, seen_ms)
            known = _Stored(row, game_id, game, frozenset(sources[row]), pair)
            games[names.competition(competition)].append(known)
    return games


def _pair(tables: PairTables, ident: int) -> DecidedPair:
    pair = tables.pair(ident)
    if pair is None:
        raise PairError(f"{ident}: there is no such pair; oddsdesk games suggest lists them")
    return pair


def _game(tables: PairTables, ident: int, game_id: str) -> tuple[int, str, str]:
    game = tables.game_with_id(game_id)
    if game is None:
        raise PairError(f"{ident}: a game of this pair is no longer in the database")
    return game
