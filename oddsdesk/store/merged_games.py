"""The rows of two games as those of one, and back (D69)."""

import json
from collections.abc import Iterable
from typing import Any

from oddsdesk.contract.competitions import OTHER
from oddsdesk.matching.renaming import renamed
from oddsdesk.store.pair_tables import PairTables, Row, RowTables
from oddsdesk.store.recording import encoded_odds

Rows = dict[str, list[Row]]
Words = tuple[str, str, bool]
"""The name of a game in quotes, its own, and whether the first has the teams crosswise."""
_MARKET = ("bookmaker", "market_type", "period")


def as_it_is(tables: RowTables, game: int) -> bytes:
    """Return a game as ``part_games`` puts it back, as JSON.

    One of which nothing was said yet is put back as none: who speaks of it first makes it.
    """
    rows = tables.rows_of(game)
    before = {"kept": rows if rows["quote"] else {}, "other": {}, "log": []}
    return json.dumps(before | _this_moment(tables)).encode()


def merge_games(tables: PairTables, kept: int, other: int, *, is_crosswise: bool) -> bytes:
    """Give all that is stored of a game to another; return both as they were, as JSON."""
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


def part_games(tables: PairTables, kept: int, before: bytes) -> None:
    """Undo ``merge_games``: both games are as they were, and what was logged since is gone.

    Or put back a game of which ``as_it_is`` was kept.
    """
    were = json.loads(before)
    tables.drop_log(kept, were["last_seq"])
    tables.drop_rows(kept)
    for game in (were["kept"], were["other"]):
        tables.insert_rows(game)
    games = [row["id"] for game in ("kept", "other") for row in were[game].get("game", ())]
    tables.move_log([(games[-1], selection, number) for number, selection in were["log"]])


def _this_moment(tables: RowTables) -> dict[str, Any]:
    return {"last_seq": tables.log_end(), "last_said": tables.end_of_said()}


def _merged(ours: Rows, others: Rows, words: Words) -> Rows:
    """Return the rows of a game that has all that is stored of another."""
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


def _by(rows: Iterable[Row], *columns: str) -> dict[tuple[Any, ...], Row]:
    return {tuple(row[each] for each in columns): row for row in rows}


def _merged_game(game: Row, other: Row, coverage: list[Row]) -> Row:
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


def _coverage(game: int, quotes: Iterable[Row]) -> list[Row]:
    """Return what bookmakers price of a game, summed over its quotes."""
    sums: dict[tuple[str, int], Row] = {}
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


def _in_other_words(quote: Row, words: Words) -> Row:
    market, odds, offers = quote["market_type"], quote["odds"], quote["offers"]
    if odds is not None:
        odds = encoded_odds(market, words[1], _renamed(market, words, odds))
    if offers is not None:
        offers = json.dumps(_renamed(market, words, offers))
    return quote | {"odds": odds, "offers": offers}


def _renamed(market: str, words: Words, by_selection: str) -> dict[str, Any]:
    return {renamed(market, *words, text): each for text, each in json.loads(by_selection).items()}
