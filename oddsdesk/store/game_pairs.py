"""Games that may be the same: suggested, accepted or refused by the user, and undone.

Accepting a pair joins the later game into the earlier one, which keeps both names; the names of its
teams become aliases. Both games are saved as they were, and so are later quotes: after an undo,
each game has its own quotes, as if nothing had been accepted.

Of a price seen repeatedly, the first and the last sighting are saved.
"""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import OTHER
from oddsdesk.contract.identity import GamePair, PairedGame, PairState, teams
from oddsdesk.contract.quotes import Quote
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
from oddsdesk.matching.names import TeamNames, renamed
from oddsdesk.store.errors import PairError
from oddsdesk.store.games import plain_name
from oddsdesk.store.names import names_known, stored_chances
from oddsdesk.store.recording import encoded_odds, record_quotes
from oddsdesk.store.tables import DecidedPair, GameRow, SuggestedPair
from oddsdesk.store.values import Origin

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.pair_tables import PairTables
    from oddsdesk.store.sqlite.tables import Tables

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Quote).decode


class Said(NamedTuple):
    """A quote as it came, with its source."""

    ident: int
    quote: Quote
    origin: Origin | None


def note_said(tables: "Tables", said: Iterable[tuple[int, Quote, Origin | None]]) -> None:
    """Save quotes of joined games, given by their rows."""
    for game, quote, origin in said:
        key = (game, quote.match_name, quote.bookmaker, quote.market_type, quote.period)
        source, may_share = (None, None) if origin is None else (origin.source, origin.may_share)
        last = tables.last_said(key)
        repeats = (
            last is not None and last.source == source and _repeats(quote, _decode(last.quote))
        )
        if last is not None and repeats and last.repeats:
            tables.unsay(last.ident)
        tables.note_said(key, _encode(quote), source, may_share, repeats)


def take_said(tables: "PairTables", game: int, after: int) -> list[Said]:
    """Return the saved quotes of a game after a moment, and delete them."""
    found = tables.said_after(game, after)
    tables.forget_said(game, after)
    return [
        Said(
            each.ident,
            _decode(each.quote),
            None if each.source is None else Origin(each.source, bool(each.may_share)),
        )
        for each in found
    ]


def _repeats(quote: Quote, last: Quote) -> bool:
    later = quote.scraped_at >= last.scraped_at
    return later and msgspec.structs.replace(last, scraped_at=quote.scraped_at) == quote


MOST_SUGGESTED: Final = 500
"""More suggestions mean that names share a meaningless word; nobody would read them."""


class _Stored(msgspec.Struct, frozen=True):
    row: int
    game_id: str
    game: Game
    sources: frozenset[str]
    """Sources with an id for it."""
    sides: tuple[Side, Side]


def find_pairs(tables: "PairTables") -> list[GamePair]:
    """Look for games that may be the same; return all suggested and decided pairs.

    Runs in a transaction, like all functions below. Suggestions that no longer hold are deleted.
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


def all_pairs(tables: "PairTables") -> list[GamePair]:
    """Return the suggested and decided pairs, in the order they were found."""
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


def accept(tables: "PairTables", ident: int, now_ms: int) -> None:
    """Join the games of a pair.

    Raises:
        PairError: there is no such pair, it is already accepted, or a game is missing.
    """
    pair = _pair(tables, ident)
    if pair.state is PairState.ACCEPTED:
        raise PairError(f"{ident}: is already accepted")
    crosswise = pair.is_crosswise
    kept, other = (_game(tables, ident, each) for each in (pair.kept, pair.other))
    tables.seal_said(kept[0])
    before = merge_games(tables, kept[0], other[0], is_crosswise=crosswise)
    tables.keep_name((other[1], plain_name(other[2]), kept[0], other[2], crosswise))
    ours, others = teams(kept[2]), teams(other[2])
    if ours is not None and others is not None:
        named = (others[1], others[0]) if crosswise else others
        tables.say_same(ident, kept[1], list(zip(ours, named, strict=True)))
    last = tables.last_decided()  # decisions are undone in reverse order
    tables.decide(ident, PairState.ACCEPTED, max(now_ms, last + 1), before)


def refuse(tables: "PairTables", ident: int, now_ms: int) -> None:
    """Note that a pair is two games, so it is not suggested again.

    Raises:
        PairError: there is no such pair, or it is accepted.
    """
    if _pair(tables, ident).state is PairState.ACCEPTED:
        raise PairError(f"{ident}: is accepted; undo that first")
    tables.decide(ident, PairState.REFUSED, now_ms, None)


def undo_pair(tables: "PairTables", ident: int, now_ms: int, *, reference: str) -> None:
    """Undo the decision on a pair: it becomes a suggestion again.

    Joined games become two again, exactly as they were, and so do later games that were joined
    because of it. Quotes since then are recorded again under their original names.

    Raises:
        PairError: there is no such pair, it is undecided, its game is missing, or another pair must
            be undone first.
    """
    pair = _pair(tables, ident)
    if pair.state is PairState.SUGGESTED:
        raise PairError(f"{ident}: has no decision to undo")
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


def _part(tables: "PairTables", game: int, before: bytes) -> list[Said]:
    """Restore a game as it was; return its quotes since then."""
    said = take_said(tables, game, json.loads(before).get("last_said", 0))
    part_games(tables, game, before)
    return said


def _part_joined(
    tables: "PairTables", ident: int, competition: str, names: TeamNames
) -> list[Said]:
    """Split games that a pair's names alone have joined, as ``names`` had them.

    If a game's saved state is gone, only the names are removed: future quotes are separate.
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
    return PairError(f"{ident}: undo {later} first; it was accepted later")


def decide_pairs(
    tables: "PairTables", idents: Collection[int], state: PairState, now_ms: int, *, reference: str
) -> list[GamePair]:
    """Decide pairs in their order, and return them; see ``Store.decide_pairs``."""
    for ident in idents:
        if state is PairState.ACCEPTED:
            accept(tables, ident, now_ms)
        elif state is PairState.REFUSED:
            refuse(tables, ident, now_ms)
        else:
            undo_pair(tables, ident, now_ms, reference=reference)
    return [pair for pair in all_pairs(tables) if pair.ident in idents]


def forget_pairs(tables: "PairTables", game: int) -> None:
    """Delete the pairs of a removed game; accepted ones remain as names of teams."""
    rows = [game]
    for ident, before in tables.pairs_of(game):
        if before is not None:
            rows += [row["id"] for row in json.loads(before)["other"]["game"]]
        tables.forget_pair(ident)
    for row in rows:
        tables.forget_said(row)
        tables.unjoin(row)


def forget_joined(tables: "PairTables", before: int) -> None:
    """Delete the saved states of games that names alone have joined, without prices since a
    time."""
    for game in tables.long_joined(before):
        tables.forget_said(game)
        tables.unjoin(game)


def _alike(tables: "PairTables") -> Iterator[tuple[_Stored, _Stored, Match]]:
    """Yield the pairs to suggest, each with the earlier game first."""
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
    tables: "PairTables", names: TeamNames, one: _Stored, other: _Stored
) -> Iterator[tuple[_Stored, _Stored, Match]]:
    if other.row < one.row:
        one, other = other, one
    wanted = (Verdict.SAME, Verdict.ALIKE)
    if not may_be_alike(one.sides, other.sides):
        return
    if plain_name(one.game.match_name) == plain_name(other.game.match_name):
        return  # their kick-offs differ
    if one.sources & other.sources:
        return  # two ids of one source are two games
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


def _by_competition(tables: "PairTables", names: TeamNames) -> dict[str, list[_Stored]]:
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
            games[names.competition_named(competition)].append(known)
    return games


def _pair(tables: "PairTables", ident: int) -> DecidedPair:
    pair = tables.pair(ident)
    if pair is None:
        raise PairError(f"{ident}: no such pair; list them with oddsdesk games suggest")
    return pair


def _game(tables: "PairTables", ident: int, game_id: str) -> tuple[int, str, str]:
    game = tables.game_with_id(game_id)
    if game is None:
        raise PairError(f"{ident}: a game of this pair is no longer in the database")
    return game


Rows = dict[str, list[GameRow]]
Words = tuple[str, str, bool]
"""A game's name in quotes, its own name, and whether the former swaps the teams."""
_MARKET = ("bookmaker", "market_type", "period")


def as_it_is(tables: "Tables", game: int) -> bytes:
    """Return a game's state for ``part_games``, as JSON.

    A game without any quotes is restored as none: the next quote makes it.
    """
    rows = tables.rows_of(game)
    before = {"kept": rows if rows["quote"] else {}, "other": {}, "log": []}
    return json.dumps(before | _this_moment(tables)).encode()


def merge_games(tables: "PairTables", kept: int, other: int, *, is_crosswise: bool) -> bytes:
    """Move everything stored of a game to another; return both as they were, as JSON."""
    log, ours, others = tables.log_of(other), tables.rows_of(kept), tables.rows_of(other)
    before = {
        "kept": ours,
        "other": others,
        "log": [(number, selection) for number, _, selection in log],
        **_this_moment(tables),
    }
    words = (others["game"][0]["match_name"], ours["game"][0]["match_name"], is_crosswise)
    tables.move_log([(kept, renamed(market, *words, text), number) for number, market, text in log])
    for game in (kept, other):
        tables.drop_rows(game)
    tables.insert_rows(_merged(ours, others, words))
    return json.dumps(before).encode()


def part_games(tables: "PairTables", kept: int, before: bytes) -> None:
    """Undo ``merge_games``: both games are as they were, without later log rows.

    Or restore a game from ``as_it_is``.
    """
    were = json.loads(before)
    tables.drop_log(kept, were["last_seq"])
    tables.drop_rows(kept)
    for game in (were["kept"], were["other"]):
        tables.insert_rows(game)
    games = [row["id"] for game in ("kept", "other") for row in were[game].get("game", ())]
    tables.move_log([(games[-1], selection, number) for number, selection in were["log"]])


def _this_moment(tables: "Tables") -> dict[str, Any]:
    return {"last_seq": tables.log_end(), "last_said": tables.end_of_said()}


def _merged(ours: Rows, others: Rows, words: Words) -> Rows:
    """Return the rows of a game joined with another."""
    kept = ours["game"][0]["id"]
    taken = {table: [row | {"game": kept} for row in rows] for table, rows in others.items()}
    quotes = _by(ours["quote"], *_MARKET)
    for key, quote in _by(taken["quote"], *_MARKET).items():
        if key not in quotes or quote["scraped_at"] > quotes[key]["scraped_at"]:
            quotes[key] = _in_other_words(quote, words)
    names = _by(taken["other_name"], "competition", "plain_name")
    for name in names.values():
        name["crosswise"] = int(bool(name["crosswise"]) != words[2])
    origins = _by(taken["origin"], "bookmaker", "source") | _by(
        ours["origin"], "bookmaker", "source"
    )
    coverage = _coverage(kept, quotes.values())
    sightings = _by(ours["closing_sighting"], *_MARKET)
    for key, sighting in _by(taken["closing_sighting"], *_MARKET).items():
        if key not in sightings or sighting["scraped_at"] > sightings[key]["scraped_at"]:
            sightings[key] = sighting
    return {
        "game": [_merged_game(ours["game"][0], others["game"][0], coverage)],
        "quote": list(quotes.values()),
        "closing_sighting": list(sightings.values()),
        "coverage": coverage,
        "value_bet": ours["value_bet"],
        "other_name": list((_by(ours["other_name"], "competition", "plain_name") | names).values()),
        "event": [*ours["event"], *taken["event"]],
        "origin": list(origins.values()),
    }


def _by(rows: Iterable[GameRow], *columns: str) -> dict[tuple[Any, ...], GameRow]:
    return {tuple(row[each] for each in columns): row for row in rows}


def _merged_game(game: GameRow, other: GameRow, coverage: list[GameRow]) -> GameRow:
    dated = other if game["match_date"] is None else game
    times = ("match_date", "match_date_by", "match_date_scraped_at")
    return {
        **game,
        **{each: dated[each] for each in times},
        "first_scraped_at": min(game["first_scraped_at"], other["first_scraped_at"]),
        "sport": other["sport"] if game["sport"] == OTHER else game["sport"],
        "recent": max(game["recent"], other["recent"]),
        "last_scraped_at": max((row["newest"] for row in coverage), default=0),
        "has_live": max((row["is_live"] for row in coverage), default=0),
    }


def _coverage(game: int, quotes: Iterable[GameRow]) -> list[GameRow]:
    """Return the coverage rows of a game, summed over its quotes."""
    sums: dict[tuple[str, int], GameRow] = {}
    for quote in quotes:
        if not quote["selections"]:
            continue
        key, at = (quote["bookmaker"], quote["is_live"]), quote["scraped_at"]
        none = {"newest": at, "oldest": at, "selections": 0}
        named = {"game": game, "bookmaker": key[0], "is_live": key[1]}
        row = sums.setdefault(key, named | none)
        row["newest"], row["oldest"] = max(row["newest"], at), min(row["oldest"], at)
        row["selections"] += quote["selections"]
    return list(sums.values())


def _in_other_words(quote: GameRow, words: Words) -> GameRow:
    market, odds, offers = quote["market_type"], quote["odds"], quote["offers"]
    if odds is not None:
        odds = encoded_odds(market, words[1], _renamed(market, words, odds))
    if offers is not None:
        offers = json.dumps(_renamed(market, words, offers))
    return quote | {"odds": odds, "offers": offers}


def _renamed(market: str, words: Words, by_selection: str) -> dict[str, Any]:
    return {renamed(market, *words, text): each for text, each in json.loads(by_selection).items()}
