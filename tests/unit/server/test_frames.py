import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from oddsdesk.server.frames import price_frame, text_frame
from oddsdesk.store.values import Change


def _change(**changed) -> Change:
    fields = {
        "seq": 7,
        "game": 1,
        "game_id": "g",
        "match_name": "PSG - Lyon",
        "competition": "LIG1",
        "sport": "Football",
        "bookmaker": "Bwin",
        "market_type": "btts",
        "period": 1,
        "selection": "Yes",
        "odds": 1.87,
        "is_live": True,
        "scraped_at": 1_763_661_600_123,
        "liquidity": None,
    }
    return Change(**{**fields, **changed})


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_frame_is_what_the_reference_implementation_writes(size):
    payload = b"a" * size
    assert text_frame(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


@given(st.binary(max_size=300))
def test_frames_hold_their_payload_at_the_end(payload):
    frame = text_frame(payload)
    assert frame[-len(payload) :] == payload if payload else len(frame) == 2


def test_withdrawal_has_no_frame():
    assert price_frame(_change(odds=None), "Pinnacle") is None


@pytest.mark.parametrize("liquidity", [None, 250.5])
def test_liquidity_stands_on_the_reference_only(liquidity):
    theirs = price_frame(_change(liquidity=liquidity), "Pinnacle")
    ours = price_frame(_change(liquidity=liquidity, bookmaker="Pinnacle"), "Pinnacle")
    assert theirs is not None
    assert ours is not None
    assert "liquidity" not in _payload(theirs)
    assert _payload(ours)["liquidity"] == liquidity


def _payload(frame: bytes) -> dict:
    return json.loads(frame[frame.index(b"{") :])
