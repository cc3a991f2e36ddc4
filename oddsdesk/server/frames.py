"""Stream messages as WebSocket frames: each is encoded once for every subscriber."""

import msgspec
from msgspec import UNSET, UnsetType

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.resources import Offer, PriceMessage
from oddsdesk.contract.times import format_ms
from oddsdesk.store.values import Change

_FINAL_TEXT = 0x81
_encoder = msgspec.json.Encoder()
_decode_offers = msgspec.json.Decoder(dict[str, Offer]).decode


def text_frame(payload: bytes) -> bytes:
    """Return a whole text frame as a server sends it: no mask (RFC 6455, 5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((_FINAL_TEXT, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + payload
    return b"\x81\x7f" + size.to_bytes(8) + payload


def price_frame(change: Change, reference: str) -> bytes | None:
    """Return the frame that tells of a change.

    None for a withdrawal, which sends none (D41), and for what may not be passed on (D66).
    """
    if change.odds is None or change.is_left_out:
        return None
    return text_frame(
        _encoder.encode(
            PriceMessage(
                bookmaker=change.bookmaker,
                match_name=change.match_name,
                competition=change.competition,
                sport=sport_of(change.competition),
                market_type=change.market_type,
                selection=change.selection,
                odds=change.odds,
                period=change.period,
                is_live=change.is_live,
                scraped_at=format_ms(change.scraped_at),
                liquidity=change.liquidity if change.bookmaker == reference else UNSET,
                source_sport=source_sport(change.competition, change.sport),
                offer=_offer(change),
            )
        )
    )


def _offer(change: Change) -> Offer | UnsetType:
    """Return what is offered of the selection, where that is of these odds: they may move on."""
    if change.offers is None:
        return UNSET
    offer = _decode_offers(change.offers).get(change.selection)
    is_of_odds = offer is not None and offer.back and offer.back[0][0] == change.odds
    return offer if offer is not None and is_of_odds else UNSET
