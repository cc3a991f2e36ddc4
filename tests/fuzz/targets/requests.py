"""Queries and cursors: a bad one is refused in words, a good one answered."""

import base64
import re
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from oddsdesk.contract.access import Plan
from oddsdesk.server.endpoints.lists import (
    EVENT,
    EVENTS,
    GAME,
    GAMES,
    HISTORY,
    HISTORY_OF_GAMES,
    LIVE_ODDS,
    ODDS,
    ODDS_OF_BOOKMAKER,
    VALUE_BETS,
    Catalogue,
)
from oddsdesk.server.gate import Call, Endpoint
from oddsdesk.server.rest import FORMAT, BadParameterError, Refusal, Wanted, encode, read_query
from oddsdesk.store.errors import BadCursorError
from oddsdesk.store.keys import Caller
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import open_store
from oddsdesk.store.values import (
    BetPlace,
    GamePlace,
    HistoryPlace,
    MovePlace,
    OddsPlace,
    from_cursor,
    to_cursor,
)
from tests.kit.many_quotes import many_quotes

NOW_MS = 1_790_000_000_000
PLACES = (GamePlace, OddsPlace, BetPlace, MovePlace, HistoryPlace)
OPEN: Final = re.compile(r"{(\w+)")
"""What a path leaves open."""
CALLER = Caller(1, b"", Plan.PRO_LIVE, None)
JSON = Wanted(is_table=False, packs=False, unless=b"", whose=())
TABLE = msgspec.structs.replace(JSON, is_table=True)


def read_cursor(data: bytes) -> None:
    """Read the bytes as a cursor, and as what is inside one."""
    inside = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    for text in (data.decode("utf-8", "surrogateescape"), inside):
        for kind in PLACES:
            try:
                place = from_cursor(text, kind)
            except BadCursorError:
                continue
            assert from_cursor(to_cursor(place), kind) == place


def answer(data: bytes) -> None:
    """Answer ``path of the endpoint, a name for what it leaves open, its query``, a line each."""
    where, _, rest = data.partition(b"\n")
    name, _, query = rest.partition(b"\n")
    endpoint = _endpoint(where)
    try:
        asked = read_query(query, [*endpoint.parameters, FORMAT])
        path = dict.fromkeys(OPEN.findall(endpoint.path), name.decode(errors="replace"))
        found = endpoint.answer(Call(CALLER, NOW_MS, _reader(), path, asked))
        if asked.get("format") == "csv":
            encode(found, 1, endpoint.data, TABLE)
        reply = encode(found, 1, endpoint.data, JSON)
        cursor = msgspec.json.decode(reply.body)["meta"].get("next_cursor")
        if cursor is not None:
            endpoint.answer(Call(CALLER, NOW_MS, _reader(), path, {**asked, "cursor": cursor}))
    except (Refusal, BadParameterError, BadCursorError):
        pass


def _endpoint(path: bytes) -> Endpoint:
    known = _endpoints()
    return known.get(path) or list(known.values())[zlib.crc32(path) % len(known)]


@cache
def _endpoints() -> dict[bytes, Endpoint]:
    every = [
        *Catalogue().endpoints(),
        *(EVENTS, EVENT, ODDS, LIVE_ODDS, ODDS_OF_BOOKMAKER, GAMES, GAME, HISTORY, VALUE_BETS),
        HISTORY_OF_GAMES,
    ]
    return {each.path.encode(): each for each in every}


@cache
def _reader() -> Reader:
    store = open_store(Path(tempfile.mkdtemp(), "odds.db"), clock=lambda: NOW_MS)
    store.record(many_quotes(200, NOW_MS)).result()
    return store.reader()
