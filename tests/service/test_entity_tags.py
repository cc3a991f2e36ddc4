"""ETag and If-None-Match (D113): a poll that brings nothing new has no body."""

import gzip
from random import Random
from typing import Any, Final

import httpx
import msgspec
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.server.rest import SHORT
from tests.kit.running_service import HOUR_MS

GAME: Final = game_id("EPL", "Arsenal - Chelsea")
PATHS: Final = (
    "/api/sports", "/api/bookmakers", "/api/events", "/api/events/Arsenal%20-%20Chelsea",
    "/api/odds", "/api/odds/live", "/api/odds/Betfair", "/api/games", f"/api/games/{GAME}",
    f"/api/games/{GAME}/history", "/api/history", "/api/value-bets", "/api/results",
)  # fmt: skip


LONG: Final = {
    "/api/bookmakers", "/api/events/Arsenal%20-%20Chelsea", "/api/odds", f"/api/games/{GAME}",
    f"/api/games/{GAME}/history", "/api/history",
}  # fmt: skip


def ask(
    service: Any, key: str, unless: str | None = None, path: str = "/api/odds", **more: Any
) -> httpx.Response:
    headers = {"X-Api-Key": key} | ({} if unless is None else {"If-None-Match": unless})
    return service.http.request(more.pop("method", "GET"), path, params=more, headers=headers)


@pytest.fixture
def quoted(service: Any) -> Any:
    service.quote()
    return service


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("asked", [{}, {"format": "csv"}])
def test_the_same_answer_has_the_same_tag_and_no_body(
    quoted: Any, path: str, asked: dict[str, str]
) -> None:
    """D113, for each list; an unchanged answer counts and has the rate-limit headers."""
    key = quoted.key()
    first = ask(quoted, key, path=path, **asked)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    assert tag.endswith('"')
    known = ask(quoted, key, tag, path, **asked)
    assert (known.status_code, known.content) == (304, b"")
    for answer in (first, known):
        assert answer.headers["etag"] == tag
        assert answer.headers["cache-control"] == "private, no-cache"
        assert answer.headers["vary"] == "Accept, Accept-Encoding, X-Api-Key"
        assert "x-ratelimit-reset" in answer.headers
    left = [int(each.headers["x-ratelimit-remaining"]) for each in (first, known)]
    assert left[1] == left[0] - 1
    assert not {"content-type", "content-length", "transfer-encoding"} & set(known.headers)
    assert ask(quoted, key, path=path, **asked).content.startswith(first.content[:10])


def test_the_connection_goes_on_after_an_answer_without_body(quoted: Any) -> None:
    """A 304 has no length: what follows on the connection must be the next answer."""
    key = quoted.key()
    tag = ask(quoted, key).headers["etag"]
    statuses = [ask(quoted, key, unless).status_code for unless in (tag, None, tag, tag, None)]
    assert statuses == [304, 200, 304, 304, 200]


def test_any_change_of_data_is_another_tag(quoted: Any) -> None:
    key, tags = quoted.key(), []

    def changed(**fields: Any) -> None:
        quoted.quote(**fields)
        answer = ask(quoted, key, tags[-1])
        assert answer.status_code == 200
        tags.append(answer.headers["etag"])

    tags.append(ask(quoted, key).headers["etag"])
    changed(odds={"Arsenal": 2.12, "Draw": 3.4, "Chelsea": 3.6})
    changed(odds={"Arsenal": 2.12, "Draw": 3.4})
    changed(bookmaker="Bet365")
    changed(url="https://example.org/1")
    changed(is_live=True)
    quoted.now += 1000
    changed(is_live=True)
    quoted.now += HOUR_MS
    answer = ask(quoted, key, tags[-1])
    assert answer.json()["data"] == []
    tags.append(answer.headers["etag"])
    assert len(set(tags)) == len(tags)


def test_a_next_page_is_another_tag(quoted: Any) -> None:
    """D113: the tag is of ``next_cursor`` too, even if the rows on the page are the same."""
    key = quoted.key()
    tag = ask(quoted, key, limit=1).headers["etag"]
    assert ask(quoted, key, tag, limit=1).status_code == 304
    quoted.quote(bookmaker="Zeta")
    answer = ask(quoted, key, tag, limit=1)
    assert answer.status_code == 200
    assert [row["bookmaker"] for row in answer.json()["data"]] == ["Betfair"]


def test_no_two_keys_queries_or_formats_share_a_tag(quoted: Any) -> None:
    """D113; and a key's rights are part of it."""
    keys = [quoted.key(), quoted.key(), quoted.key(Plan.PRO), quoted.key(Plan.FREE, "Betfair")]
    queries: list[dict[str, str]] = [{}, {"limit": "100"}, {"format": "csv"}, {"sport": "football"}]
    paths = ("/api/odds", "/api/odds/Betfair", "/api/games")
    tags = [
        ask(quoted, k, path=p, **q).headers["etag"] for k in keys for p in paths for q in queries
    ]
    assert len(set(tags)) == len(tags)
    account = quoted.key(account="one")
    tag = ask(quoted, account).headers["etag"]
    quoted.access.keys.change_account("one", quoted.now, plan=Plan.PRO)
    quoted.on_loop(lambda access: access.reread_keys())
    assert ask(quoted, account, tag).status_code == 200


def test_if_none_match_is_a_list_of_tags_or_any(quoted: Any) -> None:
    """RFC 9110, 13.1.2: weak comparison."""
    key = quoted.key()
    tag = ask(quoted, key).headers["etag"]
    for unless in (tag, tag[2:], f'"x", {tag}', f'W/"a,b",{tag} ,"y"', f'"x",,{tag}', "*"):
        assert ask(quoted, key, unless).status_code == 304, unless
    for unless in ("", tag.strip('W/"'), tag[:-1], '"*"', "**", f'"a{tag[3:]}', tag.upper()):
        assert ask(quoted, key, unless).status_code == 200, unless
    repeated = [("X-Api-Key", key), ("If-None-Match", '"x"'), ("If-None-Match", tag)]
    assert quoted.http.get("/api/odds", headers=repeated).status_code == 304


def test_any_if_none_match_is_answered(quoted: Any) -> None:
    """D113: 304 only if the tag is in it, whatever stands around."""
    key, chance = quoted.key(), Random(20261120)
    tag = ask(quoted, key).headers["etag"]
    pieces = [tag, tag[2:], '"', "W/", ",", " ", "*", "\\", "x", "é", '""', tag[3:-1], "\t"]
    for _ in range(300):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(8))).strip()
        headers = {"X-Api-Key": key, "If-None-Match": text.encode()}
        status = quoted.http.get("/api/odds", headers=headers).status_code
        assert status in (200, 304), text
        assert status == 200 or tag[2:] in text or text == "*"


def test_head_has_the_headers_of_get(quoted: Any) -> None:
    key = quoted.key()
    for asked in ({}, {"format": "csv", "limit": "1"}):
        got = ask(quoted, key, **asked)
        head = ask(quoted, key, method="HEAD", **asked)
        assert head.content == b""
        for name in ("etag", "content-type", "content-length", "vary"):
            assert head.headers[name] == got.headers[name]
        assert ask(quoted, key, head.headers["etag"], method="HEAD", **asked).status_code == 304


def test_errors_have_no_tag_and_ignore_the_condition(quoted: Any) -> None:
    free = quoted.key(Plan.FREE, "Betfair")
    for key, asked, status in (
        ("unknown", {}, 401),
        (free, {"limit": "0"}, 400),
        (free, {"bookmaker": "Pinnacle"}, 403),
        (free, {"path": "/api/games/none"}, 404),
    ):
        answer = ask(quoted, key, "*", **asked)
        assert (answer.status_code, "etag" in answer.headers) == (status, False)


def test_a_silence_that_lasts_is_no_change(quoted: Any) -> None:
    """The last silence ends now, so the tag is without silences."""
    key = quoted.key()
    quoted.now += HOUR_MS
    tag = ask(quoted, key, path="/api/history").headers["etag"]
    quoted.now += 60_000
    answer = ask(quoted, key, path="/api/history")
    assert answer.json()["meta"]["silences"]
    assert answer.headers["etag"] == tag


@pytest.mark.parametrize("path", PATHS)
def test_long_answers_are_packed_where_that_is_accepted(service: Any, path: str) -> None:
    """D113: with the same weak tag, whatever the coding; a short one is sent as it is."""
    for number in range(40):
        names = {"bookmaker": f"Bookmaker {number}", "match_name": "Arsenal - Chelsea"}
        service.quote(**names, is_live=False, url=f"https://example.org/{number}")
    key, tags, bodies = service.key(), set(), {}
    for coding in ("identity", "gzip", "br, gzip;q=0.5", "gzip;q=0"):
        headers = {"X-Api-Key": key, "Accept-Encoding": coding}
        with service.http.stream("GET", path, headers=headers) as answer:
            body = b"".join(answer.iter_raw())
        is_packed = answer.headers.get("content-encoding") == "gzip"
        plain = gzip.decompress(body) if is_packed else body
        assert is_packed == (coding in ("gzip", "br, gzip;q=0.5") and len(plain) >= SHORT)
        assert int(answer.headers["content-length"]) == len(body)
        assert "Accept-Encoding" in answer.headers["vary"]
        tags.add(answer.headers["etag"])
        bodies[coding] = msgspec.json.decode(plain)["data"]
    assert len(tags) == 1
    assert all(each == bodies["identity"] for each in bodies.values())
    assert (len(plain) >= SHORT) == (path in LONG)
