"""The table of what a hostile or broken service does (D85); as a program it is that service."""

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable
from typing import Any, Final

from oddsdesk.base.clock import system_clock
from tests.kit.hostile_service import (
    GAME,
    HOUR_MS,
    SOFT,
    TOKEN,
    Answering,
    Exchange,
    Misbehaviour,
    game,
    good_answer,
    listing,
    now_text,
    rows,
    serve,
)
from tests.kit.stream_misbehaviours import STREAMS

MIB: Final = 1024 * 1024
LISTS: Final = "/api/(games|odds|value-bets)$"
GAMES: Final = "/api/games$"
MATRIX: Final = f"/api/games/{GAME}"
PRICES: Final = f"/api/(odds$|games/{GAME})"
_DATES: Final = ("match_date", "scraped_at", "last_scraped_at", "reference_scraped_at")
_ODD_CHARACTERS: Final = (
    "A\u0000\u202eB\u2066\u200b<b>x</b><img src=x>\x1b[31m\u0085\ufeff\U0001f600"
)


def body(said: bytes, status: int = 200, **headers: str) -> Answering:
    """Answer this, with headers such as ``content_type``."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}

    async def answer(asked: Exchange) -> None:
        await asked.reply(said, status, named)

    return answer


def raw(*pieces: bytes) -> Answering:
    """Write these bytes and close."""

    async def answer(asked: Exchange) -> None:
        for piece in pieces:
            await asked.write(piece)
        asked.end()

    return answer


def for_ever(head: bytes, *pieces: bytes, every_s: float = 0.0) -> Answering:
    """Write the head and then the pieces, again and again."""

    async def answer(asked: Exchange) -> None:
        await asked.write(head)
        while True:
            for piece in pieces:
                await asked.write(piece)
            await asyncio.sleep(every_s or 0.001)

    return answer


def edited(edit: Callable[[Any, int], Any], **headers: str) -> Answering:
    """Answer the good document after an edit, which gets the count of requests before, too."""

    async def answer(asked: Exchange) -> None:
        status, document = good_answer(asked)
        if status == 200:
            document = edit(document, asked.count)
        said = document if isinstance(document, bytes) else json.dumps(document).encode()
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        await asked.reply(said, status, named)

    return answer


def replaced(old: str, new: str) -> Answering:
    """Answer the good document with one text in place of another."""
    return edited(lambda document, _: json.dumps(document).replace(old, new).encode())


def every(document: Any, change: Callable[[str, Any], Any]) -> Any:
    """Return a document with each value of an object changed."""
    if isinstance(document, dict):
        return {key: every(change(key, value), change) for key, value in document.items()}
    return [every(each, change) for each in document] if isinstance(document, list) else document


def dated(text: str) -> Answering:
    """Answer with one date in place of all."""
    return edited(
        lambda document, _: every(document, lambda key, value: text if key in _DATES else value)
    )


def clock_off(by_ms: int) -> Answering:
    """Answer as a service whose clock is wrong does."""

    async def answer(asked: Exchange) -> None:
        status, document = good_answer(asked)
        later = now_text(by_ms)
        document = every(document, lambda key, value: later if key in _DATES else value)
        reset = {"X-RateLimit-Reset": str((system_clock() + by_ms) // 1000 + 3600)}
        await asked.reply(json.dumps(document).encode(), status, reset)

    return answer


def quoted(odds: str) -> Answering:
    """Answer with the same odds everywhere, as they stand in JSON."""

    def change(key: str, value: Any) -> Any:
        if key != "odds":
            return value
        return dict.fromkeys(value, "ODDS") if isinstance(value, dict) else "ODDS"

    return edited(lambda it, _: json.dumps(every(it, change)).replace('"ODDS"', odds).encode())


def named(text: str) -> Answering:
    """Answer with a name in place of the teams, bookmakers and competitions."""

    def edit(document: Any, _: int) -> bytes:
        said = json.dumps(document)
        for name in (SOFT, "Chelsea", "EPL"):
            said = said.replace(name, json.dumps(text)[1:-1])
        return said.encode()

    return edited(edit)


def bomb(mib: int) -> bytes:
    """Return gzip that unpacks to so many MiB of blanks."""
    packing = zlib.compressobj(9, wbits=31)
    return b"".join([*(packing.compress(b" " * MIB) for _ in range(mib)), packing.flush()])


def paged(cursor: Callable[[int], str]) -> Answering:
    """Answer a page that says where to go on, for ever."""

    def edit(document: Any, count: int) -> Any:
        document["meta"]["next_cursor"] = cursor(count)
        return document

    return edited(edit)


def with_headers(**headers: str) -> Answering:
    """Answer well but for headers."""
    return edited(lambda document, _: document, **headers)


def kept(make: Callable[[Any], Any]) -> Answering:
    """Answer with a document that is made once, since that takes a while."""
    made: list[bytes] = []

    async def answer(asked: Exchange) -> None:
        if not made:
            made.append(json.dumps(make(good_answer(asked)[1])).encode())
        await asked.reply(made[0])

    return answer


def bookmakers(document: Any, count: int) -> Any:
    """A matrix of so many bookmakers."""
    cell = {"odds": 2.0, "scraped_at": now_text(), "url": None}
    market = document["data"]["markets"][0]
    market["selections"][0]["books"] = {f"B{number}": cell for number in range(count)}
    return document


def some_bookmakers(document: Any) -> Any:
    """A matrix that no game has, and yet small."""
    return bookmakers(document, 2_000)


def many_bookmakers(document: Any) -> Any:
    """A matrix of 30 MiB."""
    return bookmakers(document, 400_000)


def many_selections(document: Any) -> Any:
    """A matrix of 150,000 selections."""
    cell = {"odds": 2.0, "scraped_at": now_text(), "url": None}
    document["data"]["markets"][0]["selections"] = [
        {"selection": f"Player {number} Over 1.5", "reference": None, "books": {SOFT: cell}}
        for number in range(150_000)
    ]
    return document


def many_markets(document: Any) -> Any:
    """A matrix of 20,000 markets."""
    first = document["data"]["markets"][0]
    document["data"]["markets"] = [first | {"period": number} for number in range(20_000)]
    return document


def many_games(_: Any) -> Any:
    """A list of 100,000 games in one answer."""
    return games(100_000)


def some_games(_: Any) -> Any:
    """As many games as are taken."""
    return games(9_000)


def games(count: int) -> Any:
    """A list of so many games."""
    one = game()
    return listing(
        *(one | {"game_id": f"{at}", "match_name": f"A{at} - B{at}"} for at in range(count))
    )


def many_odds(_: Any) -> Any:
    """Rows of 9,000 games that nobody listed."""
    row = rows(2.0)[0]
    return listing(*(row | {"match_name": f"A{at} - B{at}"} for at in range(9_000)))


def same_ids(document: Any, _: int) -> Any:
    """The same id for 500 games."""
    return listing(*(game(match_name=f"Arsenal - Chelsea {number}") for number in range(500)))


def other_ids(document: Any, count: int) -> Any:
    """Another id in each answer."""
    return listing(game(game_id=f"id-{count}"))


def now_and_then(document: Any, count: int) -> Any:
    """A game that is there in every other answer."""
    return document if count % 2 else listing()


def half_of_it(document: Any, count: int) -> Any:
    """A matrix without half of its selections, every other time."""
    if count % 2:
        market = document["data"]["markets"][0]
        market["selections"] = market["selections"][:1]
    return document


def moved(document: Any, count: int) -> Any:
    """A kick-off that is another each time."""
    later = now_text(count * HOUR_MS)
    return every(document, lambda key, value: later if key == "match_date" else value)


def whole_numbers(number: int) -> Answering:
    """Answer with one number in place of all whole ones."""

    def change(_: str, value: Any) -> Any:
        return number if isinstance(value, int) and not isinstance(value, bool) else value

    return edited(lambda document, _: every(document, change))


def too_much_to_say(document: Any, _: int) -> Any:
    """A health answer of 100,000 reasons."""
    return document | {"status": "degraded", "reasons": ["it is not well"] * 100_000}


async def one_byte_chunks(asked: Exchange) -> None:
    """Send 60,000 chunks of a byte."""
    await asked.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    await asked.write(b"1\r\n \r\n" * 60_000)
    await asked.write(b"0\r\n\r\n")


async def never(asked: Exchange) -> None:
    """Answer nothing."""
    await asyncio.sleep(3_600)


_CHUNKED: Final = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_BROKE_OFF: Final = r"cut off|incomplete JSON|the request to \S+ failed"
_ABSURD: Final = "unexpected|skipped|left out"
_ERROR: Final = json.dumps({"error": {"code": "no", "message": "x <b>" * 400_000}}).encode()
_REFUSED: Final = json.dumps({"error": {"code": "no", "message": "go away"}}).encode()
_NO_MORE: Final = "go away|no requests left"
"""The second where the stream is up again before a list is asked for."""
_DAY: Final = "it was told to wait, a day at most"

REST: Final = (
    Misbehaviour("status 500 everywhere", "status 500", body(b"oops", 500)),
    Misbehaviour("status 418 everywhere", "status 418", body(b"", 418), is_quick=False),
    Misbehaviour("status 204 without a body", "status 204", body(b"", 204), is_quick=False),
    Misbehaviour("401 to what it knew", "go away", body(_REFUSED, 401), at=LISTS),
    Misbehaviour("403 to what was allowed", "go away", body(_REFUSED, 403), at=LISTS),
    Misbehaviour("404 everywhere", "status 404", body(b"", 404), at=LISTS, is_quick=False),
    Misbehaviour("an error of 2 MB", "no reason", body(_ERROR, 400), at=LISTS),
    Misbehaviour("HTML", "no whole JSON", body(b"<html><body>Hello", content_type="text/html")),
    Misbehaviour("an empty body", "no whole JSON", body(b""), is_quick=False),
    Misbehaviour("null", "unexpected: Expected `object`", body(b"null"), is_quick=False),
    Misbehaviour("a number of a million digits", "unexpected", body(b"1" * MIB)),
    Misbehaviour("text that is not UTF-8", "unexpected", replaced("EPL", "\\ud800"), at=LISTS),
    Misbehaviour("UTF-16", "no whole JSON", body('{"data": []}'.encode("utf-16")), is_quick=False),
    Misbehaviour(
        "truncated JSON", "no whole JSON", edited(lambda it, _: json.dumps(it)[:-9].encode())
    ),
    Misbehaviour("nested JSON", "too deeply", body(b'{"data": ' + b"[" * MIB)),
    Misbehaviour("wrong types", "Expected `", edited(lambda it, _: every(it, lambda _, to: [to]))),
    Misbehaviour("not HTTP", _BROKE_OFF, raw(b"SSH-2.0-OpenSSH_9.2p1\r\n" * 3)),
    Misbehaviour("hangs up", _BROKE_OFF, raw(), is_quick=False),
    Misbehaviour(
        "more length than body", _BROKE_OFF,
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{}")
    ),
    Misbehaviour(
        "less length than body", "no whole JSON", with_headers(content_length="20"), at=LISTS
    ),
    Misbehaviour("a length below zero", _BROKE_OFF, with_headers(content_length="-1")),
    Misbehaviour(
        "two lengths", _BROKE_OFF,
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}"),
        is_quick=False,
    ),
    Misbehaviour("gzip bomb", "more than 32 MiB", body(bomb(300), content_encoding="gzip")),
    Misbehaviour("no gzip", "not compressed as stated", body(b"{}", content_encoding="gzip")),
    Misbehaviour(
        "half a gzip", "cut off", body(gzip.compress(b"{}" * 999)[:30], content_encoding="gzip")
    ),
    Misbehaviour("brotli", "was not requested", body(b"{}", content_encoding="br")),
    Misbehaviour(
        "endless body", "more than 32 MiB",
        for_ever(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", b" " * 65_536),
        at=GAMES,
    ),
    Misbehaviour(
        "slow body", "its answer in time|is silent",
        for_ever(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", b" ", every_s=1.0),
        at=GAMES, patience_s=50, is_quick=False,
    ),
    Misbehaviour("no answer", "is silent", never, at=GAMES, is_quick=False),
    Misbehaviour(
        "endless headers", _BROKE_OFF, for_ever(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n" * 999)
    ),
    Misbehaviour("a header of 1 MB", _BROKE_OFF, with_headers(x_a="b" * MIB)),
    Misbehaviour(
        "redirects elsewhere", "redirects elsewhere", body(b"", 302, location="http://127.0.0.1:9/")
    ),
    Misbehaviour(
        "redirects to a file", "redirects", body(b"", 307, location="file:///etc/passwd"),
        is_quick=False,
    ),
    Misbehaviour("chunks of one byte", "no whole JSON", one_byte_chunks, at=GAMES),
    Misbehaviour("a chunk of 2^64", _BROKE_OFF, raw(_CHUNKED, b"FFFFFFFFFFFFFFFFFFFF\r\nxx")),
    Misbehaviour(
        "a chunk that is none", _BROKE_OFF, raw(_CHUNKED, b"-1\r\nxx\r\n"), is_quick=False,
    ),
    Misbehaviour(
        "endless chunk extension", _BROKE_OFF, for_ever(_CHUNKED + b"1", b";a=" + b"b" * 9_999)
    ),
    Misbehaviour("a thousand cookies", "", with_headers(set_cookie="a=" + "b" * 60_000)),
    Misbehaviour("a cursor that repeats", "repeats a page", paged(lambda _: "same"), at=LISTS),
    Misbehaviour(
        "a million pages", "does not end after 200", paged(str), at=GAMES,
    ),
    Misbehaviour("cursors of 1 MB", "cursor", paged(lambda at: f"{at}" + "x" * MIB), at=GAMES),
    Misbehaviour("a reset far ahead", "", with_headers(x_ratelimit_reset="9" * 12)),
    Misbehaviour("a reset below zero", "", with_headers(x_ratelimit_reset="-9")),
    Misbehaviour("a reset that is NaN", "", with_headers(x_ratelimit_reset="NaN"), is_quick=False),
    Misbehaviour("absurd quotas", "", with_headers(
        x_ratelimit_remaining="9" * 15, x_ratelimit_limit="0")),
    Misbehaviour(
        "nothing left for ever", "", with_headers(
            x_ratelimit_remaining="0", x_ratelimit_reset="9" * 12), waits=_DAY
    ),
    Misbehaviour(
        "Retry-After absurd", _NO_MORE, body(_REFUSED, 429, retry_after="9" * 12), at=LISTS,
        waits=_DAY,
    ),
    Misbehaviour(
        "Retry-After below zero", _NO_MORE, body(_REFUSED, 429, retry_after="-5"), at=LISTS,
        waits="the reset next to it is an hour off", is_quick=False,
    ),
    Misbehaviour(
        "dates of the year 1", "", dated("0001-01-01T00:00:00Z"), at="/api/(games|odds)",
        is_quick=False,
    ),
    Misbehaviour(
        "dates of the year 9999", "", dated("9999-12-31T23:59:59.999Z"), at="/api/(games|odds)"
    ),
    Misbehaviour("dates without a zone", _ABSURD, dated("2026-11-20T18:30:00"), at=PRICES),
    Misbehaviour("a clock 7 h ahead", "", clock_off(7 * HOUR_MS)),
    Misbehaviour("a clock 7 h behind", "", clock_off(-7 * HOUR_MS), is_quick=False),
    Misbehaviour("names of 70,000 characters", _ABSURD, named("x" * 70_000)),
    Misbehaviour("names of odd characters", "", named(_ODD_CHARACTERS)),
    Misbehaviour("empty names", "", named("")),
    Misbehaviour("odds NaN", "", quoted("NaN"), at=PRICES),
    Misbehaviour("odds 1e400", "unexpected", quoted("1e400"), at=PRICES),
    Misbehaviour("odds 1e308", "", quoted("1e308"), at=PRICES),
    Misbehaviour("odds barely above 1", "", quoted("1.0000000000000002"), at=PRICES),
    Misbehaviour("odds of 0", "skipped", quoted("0.0"), at=PRICES, is_quick=False),
    Misbehaviour("odds below zero", "skipped", quoted("-2.5"), at=PRICES),
    Misbehaviour("odds that are texts", "", quoted('"2.5"'), at=PRICES, is_quick=False),
    Misbehaviour("numbers of 18 digits", _ABSURD, whole_numbers(10**18)),
    Misbehaviour("numbers below zero", _ABSURD, whole_numbers(-(10**18)), is_quick=False),
    Misbehaviour("numbers of 30 digits", _ABSURD, whole_numbers(10**30)),
    Misbehaviour("the same id for all", "", edited(same_ids), at=GAMES),
    Misbehaviour("ids that change", "", edited(other_ids), at=GAMES),
    Misbehaviour("games that come and go", "", edited(now_and_then), at="/api/(games|odds)$"),
    Misbehaviour("half of a book", "", edited(half_of_it), at=MATRIX),
    Misbehaviour("a kick-off that moves", "", edited(moved), at="/api/(games|odds)"),
    Misbehaviour(
        "400,000 bookmakers", "more than 1,000,000 values", kept(many_bookmakers), at=MATRIX,
        is_quick=False,
    ),
    Misbehaviour(
        "150,000 selections", "no room for more", kept(many_selections), at=MATRIX,
        is_quick=False,
    ),
    Misbehaviour(
        "20,000 markets", "no room for more", kept(many_markets), at=MATRIX,
        is_quick=False,
    ),
    Misbehaviour("2,000 bookmakers", "no room for more", kept(some_bookmakers), at=MATRIX),
    Misbehaviour(
        "100,000 games at once", "more than 10,000", kept(many_games), at=GAMES,
        is_quick=False,
    ),
    Misbehaviour("9,000 games at once", "", kept(some_games), at=GAMES),
    Misbehaviour("9,000 unknown games at once", "far more", kept(many_odds), at="/api/odds$"),
    Misbehaviour(
        "an empty catalogue", "", edited(lambda *_: listing()), at="/api/(games|odds|sports)$",
        is_quick=False,
    ),
    Misbehaviour("100,000 reasons", "", edited(too_much_to_say), at="/api/health"),
    Misbehaviour(
        "a token of 1 MB", "", body(json.dumps({"token": "t" * MIB, "expires_in": 300}).encode()),
        at="/api/stream/token",
    ),
    Misbehaviour(
        "a token that has ended", "",
        body(json.dumps({"token": TOKEN, "expires_in": -9}).encode()), at="/api/stream/token",
        is_quick=False,
    ),
    Misbehaviour(
        "a token for elsewhere", "",
        body(json.dumps({"token": "@evil.example/#\r\nX: y", "expires_in": 9}).encode()),
        at="/api/stream/token",
    ),
    Misbehaviour(
        "no token ever", "is silent|in time", never, at="/api/stream/token",
        is_quick=False,
    ),
)  # fmt: skip

TABLE: Final = (*REST, *STREAMS)

if __name__ == "__main__":
    asyncio.run(serve(TABLE))
