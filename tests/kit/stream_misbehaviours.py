"""What a hostile or broken service does on its WebSocket (D85)."""

import asyncio
import itertools
import random
import struct
import zlib
from collections.abc import Iterator
from typing import Any, Final

from tests.kit.hostile_service import (
    HOME,
    MATCH,
    Answering,
    Exchange,
    Misbehaviour,
    Stream,
    Streaming,
    frame,
    message,
    now_text,
    shake_hands,
)

MIB: Final = 1024 * 1024
_REST_S: Final = 0.03
"""Between two piles of 256 KiB: who floods is to leave the machine to who is flooded."""
_CODES: Final = (
    *range(1000, 1016), 0, 999, 1016, 2999, 3000, 4000, 4001, 4003, 4008, 4029, 4999, 5000, 65_535
)  # fmt: skip


def refuse(answer: bytes) -> Answering:
    """Answer a handshake with these bytes."""

    async def shake(asked: Exchange) -> None:
        await asked.write(answer)
        asked.end()

    return shake


async def wrong_accept(asked: Exchange) -> None:
    """Open with another accept key."""
    await shake_hands(asked, accept="d3Jvbmc=")


async def packing(asked: Exchange) -> None:
    """Open with compressed messages."""
    await shake_hands(asked, "Sec-WebSocket-Extensions: permessage-deflate")


async def unasked(asked: Exchange) -> None:
    """Open with what nobody asked for."""
    await shake_hands(asked, "Sec-WebSocket-Extensions: x-evil", "Sec-WebSocket-Protocol: evil")


async def silent(asked: Exchange) -> None:
    """Shake no hands."""
    await asyncio.sleep(3_600)


async def endless_headers(asked: Exchange) -> None:
    """Shake hands for ever."""
    await asked.write(b"HTTP/1.1 101 Switching\r\n")
    while True:
        await asked.write(b"X-A: b\r\n" * 999)
        await asyncio.sleep(_REST_S)


def flood(*frames: bytes) -> Streaming:
    """Send frames again and again, as fast as they are taken."""

    async def play(stream: Stream) -> None:
        pile = b"".join(frames)
        pile *= max(1, 262_144 // len(pile))
        while True:
            await stream.write(pile)
            await asyncio.sleep(_REST_S)

    return play


def once(*frames: bytes) -> Streaming:
    """Send frames, and then nothing."""

    async def play(stream: Stream) -> None:
        for each in frames:
            await stream.write(each)

    return play


def close_each_way() -> Streaming:
    """Close at once, with another code each time."""
    codes = itertools.cycle(_CODES)

    async def play(stream: Stream) -> None:
        await stream.close(next(codes))

    return play


async def fragments(stream: Stream) -> None:
    """Send a message in empty fragments, without end."""
    await stream.send(b"{", fin=False)
    await flood(frame(b"", 0, fin=False))(stream)


async def drip(stream: Stream) -> None:
    """Send a message, a byte a second."""
    for byte in itertools.cycle(frame(message())):
        await stream.write(bytes([byte]))
        await asyncio.sleep(1.0)


async def cut(stream: Stream) -> None:
    """Go in the middle of a message."""
    await stream.write(frame(message())[:40])
    stream.exchange.end()


async def changes(stream: Stream) -> None:
    """Send price changes of the one game, as fast as they are taken."""
    for count in itertools.count():
        odds = f"{2 + count % 97 / 100:.2f}".encode()
        said = message(odds=2.125, scraped_at=now_text())
        frames = [frame(said.replace(b"2.125", b"%s%d" % (odds, place))) for place in range(1_000)]
        await stream.write(b"".join(frames))
        await asyncio.sleep(0.01)


def others(**fields: str) -> Streaming:
    """Send price changes of which fields are others each time, with the place of a number."""

    async def play(stream: Stream) -> None:
        for count in itertools.count():
            frames = []
            for place in range(500):
                number = count * 500 + place
                filled: dict[str, Any] = {
                    name: text.format(number) for name, text in fields.items()
                }
                frames.append(frame(message(**filled)))
            await stream.write(b"".join(frames))
            await asyncio.sleep(_REST_S)

    return play


def hop(*later_ms: int) -> Streaming:
    """Send the price with times that jump."""

    async def play(stream: Stream) -> None:
        for by_ms in itertools.cycle(later_ms):
            odds = round(random.uniform(1.5, 9), 3)
            await stream.say(scraped_at=now_text(by_ms), odds=odds)
            await asyncio.sleep(0.01)

    return play


def bomb() -> bytes:
    """Return a packed message of 64 MiB."""
    packer = zlib.compressobj(9, wbits=-15)
    data = b"".join(packer.compress(b" " * MIB) for _ in range(64))
    return (data + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]


def absurd() -> Iterator[bytes]:
    """Yield price changes that make no sense."""
    for odds in (0, -1, 1, 1e308, 1.0000000000000002, 5e-324, "2.5", None, [], 10**30):
        yield message(odds=odds)
    for odds_text in (b"NaN", b"Infinity", b"1e400"):
        yield message(odds=2.125).replace(b"2.125", odds_text)
    for changed in (
        {"period": 10**18}, {"period": -(10**18)}, {"period": 10**30}, {"period": 1.5},
        {"scraped_at": "0001-01-01T00:00:00Z"}, {"scraped_at": "yesterday"}, {"scraped_at": 5},
        {"scraped_at": "9999-12-31T23:59:59.999Z"},
        {"selection": ""}, {"selection": "x" * 70_000}, {"bookmaker": ""}, {"match_name": ""},
        {"match_name": "no teams"}, {"competition": "\u202e<b>"}, {"market_type": "no market"},
        {"market_type": "total", "selection": "Over 1e308"},
        {"market_type": "spread", "selection": f"{HOME} -999999999999999999999"},
        {"liquidity": 1e308}, {"liquidity": -1}, {"is_live": "maybe"}, {"sport": "x" * 199},
        {"match_name": f"{MATCH} - {MATCH} - {MATCH}"},
    ):  # fmt: skip
        yield message(**changed)


async def nonsense(stream: Stream) -> None:
    """Send changes that make no sense, and some right ones between."""
    while True:
        for said in absurd():
            await stream.send(said)
            await stream.say()
        await asyncio.sleep(0.2)


_NO_CHANGE: Final = "no price change"
_LOST: Final = "stream"

STREAMS: Final = (
    Misbehaviour(
        "upgrade refused", "status 403",
        handshake=refuse(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"),
    ),
    Misbehaviour(
        "upgrade redirected", "redirects elsewhere",
        handshake=refuse(b"HTTP/1.1 302 X\r\nLocation: ws://127.0.0.1:9/\r\n\r\n"),
    ),
    Misbehaviour(
        "upgrade of another key", "does not answer", handshake=wrong_accept, is_quick=False,
    ),
    Misbehaviour("upgrade with extras", "does not answer", handshake=unasked),
    Misbehaviour(
        "upgrade to no HTTP", "does not answer", handshake=refuse(b"\x00" * 999 + b"\r\n"),
        is_quick=False,
    ),
    Misbehaviour(
        "upgrade of endless headers", "took too long to open|nothing streams",
        handshake=endless_headers
    ),
    Misbehaviour(
        "upgrade without an answer", "took too long", handshake=silent,
        is_quick=False,
    ),
    Misbehaviour("closes with each code", "clos|cut off|ended", stream=close_each_way()),
    Misbehaviour("flood of pings", "floods the stream with pings", stream=flood(frame(b"", 9))),
    Misbehaviour(
        "flood of large pings", "floods the stream with pings",
        stream=flood(frame(b"x" * 125, 9)), is_quick=False,
    ),
    Misbehaviour(
        "flood of pongs", "floods the stream with pings", stream=flood(frame(b"", 10)),
        is_quick=False,
    ),
    Misbehaviour("flood of empty texts", "floods the stream with other", stream=flood(frame(b""))),
    Misbehaviour(
        "flood of unknown types", "floods the stream with other",
        stream=flood(frame(b'{"type":"x"}'))
    ),
    Misbehaviour(
        "flood of pong texts", "floods the stream with other", stream=flood(frame(b"pong")),
        is_quick=False,
    ),
    Misbehaviour("unknown types", _NO_CHANGE, stream=once(*[frame(b'{"type":"hello"}')] * 9)),
    Misbehaviour(
        "binary frames", _NO_CHANGE, stream=once(*[frame(bytes(range(256)), 2)] * 9),
        is_quick=False,
    ),
    Misbehaviour("nested frames", _NO_CHANGE, stream=flood(frame(b"[" * 60_000))),
    Misbehaviour("large frames", _NO_CHANGE, stream=flood(frame(b" " * (MIB - 9)))),
    Misbehaviour(
        "escapes without end", _NO_CHANGE, stream=flood(frame(b'"' + b"\\n" * 500_000 + b'"'))
    ),
    Misbehaviour("a frame of 2 MiB", "more than a megabyte", stream=once(frame(b" " * 2 * MIB))),
    Misbehaviour(
        "a frame of 2^62", "more than a megabyte|closed|broke",
        stream=once(struct.pack("!BBQ", 0x81, 127, 2**62)), is_quick=False,
    ),
    Misbehaviour("fragments without end", _LOST, stream=fragments),
    Misbehaviour(
        "a packed bomb", "more than a megabyte", handshake=packing,
        stream=once(frame(bomb(), packed=True)),
    ),
    Misbehaviour("masked frames", _LOST, stream=once(b"\x81\x81abcdx")),
    Misbehaviour("reserved bits", _LOST, stream=once(b"\xf1\x01x"), is_quick=False),
    Misbehaviour("a text that is not UTF-8", _NO_CHANGE, stream=once(frame(b"\xff\xfe"))),
    Misbehaviour("cut in the middle", _LOST, stream=cut),
    Misbehaviour(
        "a byte a second", "is silent", stream=drip, patience_s=85, is_quick=False
    ),
    Misbehaviour("silent", "is silent", stream=once(), patience_s=85, is_quick=False),
    Misbehaviour("flood of changes", "", stream=changes),
    Misbehaviour("flood of unknown games", "", stream=others(match_name="A{0} - B{0}")),
    Misbehaviour(
        "flood of selections", "",
        stream=others(selection="Player {0} Over 1.5", market_type="player_prop")
    ),
    Misbehaviour("flood of bookmakers", "", stream=others(bookmaker="Book {0}")),
    Misbehaviour("times that jump", "", stream=hop(0, -60_000, 3_600_000, -86_400_000, 5_000)),
    Misbehaviour("changes that make no sense", f"{_NO_CHANGE}|skipped", stream=nonsense),
)  # fmt: skip
