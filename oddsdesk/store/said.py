"""What was said of games that are one by the user's word, under the names it came with (D69).

Of a price that is seen again and again the first sighting is kept and the last.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.origins import Origin
from oddsdesk.store.pair_tables import PairTables, SaidTables

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Quote).decode


class Said(NamedTuple):
    """A quote as it came, and who told it."""

    ident: int
    quote: Quote
    origin: Origin | None


def note_said(tables: SaidTables, said: Iterable[tuple[int, Quote, Origin | None]]) -> None:
    """Note quotes of games, given by their rows."""
    for game, quote, origin in said:
        key = (game, quote.match_name, quote.bookmaker, quote.market_type, quote.period)
        source, may_share = (None, None) if origin is None else (origin.source, origin.may_share)
        last = tables.last_said(key)
        repeats = (
            last is not None and last.source == source and _repeats(quote, _decode(last.quote))
        )
        if last is not None and repeats and last.repeats:
            tables.unsay(last.ident)
        tables.say(key, _encode(quote), source, may_share, repeats)


def take_said(tables: PairTables, game: int, after: int) -> list[Said]:
    """Return what was said of a game after a moment, and forget it."""
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
