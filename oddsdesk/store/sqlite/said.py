"""What was said of games that are one by the user's word, under the names it came with (D69).

Of a price that is seen again and again the first sighting is kept and the last.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.origins import Origin

_LAST: Final = """
SELECT id, repeats, source, quote FROM said
WHERE game = ? AND match_name = ? AND bookmaker = ? AND market_type = ? AND period = ?
ORDER BY id DESC LIMIT 1
"""
_SAY: Final = """
INSERT INTO said (game, match_name, bookmaker, market_type, period, repeats, source, may_share,
                  quote)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_DROP: Final = "DELETE FROM said WHERE id = ?"
_SEAL: Final = "UPDATE said SET repeats = 0 WHERE game = ?"
_LAST_ID: Final = "SELECT coalesce(max(id), 0) FROM said"
_SINCE: Final = """
SELECT id, quote, source, may_share FROM said WHERE game = ? AND id > ? ORDER BY id
"""
_FORGET: Final = "DELETE FROM said WHERE game = ? AND id > ?"

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Quote).decode


class Said(NamedTuple):
    """A quote as it came, and who told it."""

    ident: int
    quote: Quote
    origin: Origin | None


def note_said(
    connection: sqlite3.Connection, said: Iterable[tuple[int, Quote, Origin | None]]
) -> None:
    """Note quotes of games, given by their rows."""
    for game, quote, origin in said:
        key = (game, quote.match_name, quote.bookmaker, quote.market_type, quote.period)
        repeats = False
        source, may_share = (None, None) if origin is None else (origin.source, origin.may_share)
        for ident, repeated, teller, last in connection.execute(_LAST, key).fetchall():
            repeats = teller == source and _is_repeated(_decode(last), quote)
            if repeats and repeated:
                connection.execute(_DROP, (ident,))
        connection.execute(_SAY, (*key, repeats, source, may_share, _encode(quote)))


def take_said(connection: sqlite3.Connection, game: int, after: int) -> list[Said]:
    """Return what was said of a game after a moment, and forget it."""
    rows = connection.execute(_SINCE, (game, after)).fetchall()
    connection.execute(_FORGET, (game, after))
    return [
        Said(ident, _decode(quote), None if source is None else Origin(source, bool(may_share)))
        for ident, quote, source, may_share in rows
    ]


def last_said(connection: sqlite3.Connection) -> int:
    """Return the moment that is now."""
    ((last,),) = connection.execute(_LAST_ID).fetchall()
    return int(last)


def seal_said(connection: sqlite3.Connection, game: int) -> None:
    """Keep what was said until now as it is: what repeats it later takes no row's place."""
    connection.execute(_SEAL, (game,))


def forget_said(connection: sqlite3.Connection, game: int) -> None:
    """Forget all that was said of a game."""
    connection.execute(_FORGET, (game, 0))


def _is_repeated(last: Quote, quote: Quote) -> bool:
    later = quote.scraped_at >= last.scraped_at
    return later and msgspec.structs.replace(last, scraped_at=quote.scraped_at) == quote
