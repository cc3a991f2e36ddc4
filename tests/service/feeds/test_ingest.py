"""POST /ingest: quotes of other programs, recorded while they come."""

import asyncio
import errno
import gzip
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import spawn
from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import format_ms
from oddsdesk.server.edge.protocol import BODY_LIMIT, INGEST_LIMIT
from oddsdesk.server.endpoints import ingest
from oddsdesk.server.settings import LOOPBACK_PROXIES as PROXIES
from oddsdesk.server.settings import PublicAddress
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.owner_secret import secret_path
from oddsdesk.store.values import Filters, Visibility
from tests.service.feeds.conftest import Serve, Served
from tests.service.feeds.test_programs import BAD, LINES, ended_game, line, recorded, some_lines


async def post(served: Served, body: Any, **headers: str) -> httpx.Response:
    """Post with the owner's secret, unless the headers have another secret or a key."""
    given = {"x_oddsdesk_secret": next(iter(served.owner.values())), **headers}
    if "x_api_key" in headers:
        del given["x_oddsdesk_secret"]
    async with httpx.AsyncClient(base_url=served.server.url, timeout=30) as http:
        named = {name.replace("_", "-"): value for name, value in given.items()}
        return await http.post("/ingest", content=body, headers=named)


async def health(served: Served) -> Any:
    async with httpx.AsyncClient(base_url=served.server.url) as http:
        return (await http.get("/api/health")).json()


def key(served: Served, *, write: bool) -> str:
    keys = served.server.access.keys
    name = f"write {write}"
    return keys.create(name, Plan.PRO, None, system_clock(), may_write=write).secret


async def test_the_good_lines_are_recorded_and_the_bad_ones_are_numbered(serve: Serve) -> None:
    async with serve() as served:
        answer = await post(served, some_lines())
        heard = answer.json()
        await recorded(served, (LINES - len(BAD)) * 3)
    assert answer.status_code == 200
    assert (heard["accepted"], heard["skipped"]) == (LINES - len(BAD), 0)
    assert tuple(each["line"] for each in heard["rejected"]) == BAD
    assert all(each["reason"] for each in heard["rejected"])


async def test_results_are_recorded_and_counted(serve: Serve) -> None:
    async with serve() as served:
        bad = ended_game(1).splitlines()[1].replace("final", "over")
        some = await post(served, ended_game(1) + ended_game(2) + bad)
        one = await post(served, ended_game(3).splitlines()[1] + "\n" + bad)
        none = await post(served, bad)
        scores = {
            (each.result.home, each.result.away) for each in served.server.store.reader().results()
        }
    assert some.status_code == 200
    (rejected,) = some.json().pop("rejected")
    assert rejected["line"] == 5
    assert rejected["reason"].startswith("status: expected one of scheduled, in_play, final")
    assert (some.json()["accepted"], some.json()["results"]) == (2, 2)
    assert (one.status_code, one.json()["results"]) == (200, 1)
    assert (none.status_code, "results" in none.json()) == (400, False)
    assert scores == {(2, 1)}


async def test_a_selection_that_is_not_offered_goes_and_one_that_is_unread_stays(
    serve: Serve,
) -> None:
    """What one selection says costs no other."""
    whole = line(1, odds=2.0)
    disabled, nonsense = (whole.replace(": 2.0", f": {odds}") for odds in ("0", "NaN"))
    assert disabled != whole != nonsense
    heard, standing = [], []
    async with serve() as served:
        for body in (whole, nonsense, disabled):
            said = json.loads(body) | {"scraped_at": format_ms(system_clock())}
            heard.append((await post(served, json.dumps(said))).json())
            (row,) = (
                served.server.store.reader()
                .list_odds(system_clock(), Filters(), Visibility(), 9)
                .items
            )
            standing.append(msgspec.json.decode(row.odds))
    assert [each["accepted"] for each in heard] == [1, 1, 1]
    assert [[bad["line"] for bad in each["rejected"]] for each in heard] == [[], [1], []]
    assert "got nan; the rest of the line is recorded" in heard[1]["rejected"][0]["reason"]
    rest = {"Draw": 3.4, "Away": 3.8}
    assert standing == [{"Home 1": 2.0, **rest}, {"Home 1": 2.0, **rest}, rest]


async def test_a_packed_body_and_one_in_chunks_are_read(serve: Serve) -> None:
    async def slowly() -> AsyncIterator[bytes]:
        text = f"{line(1)}\n{line(2)}"
        for start in range(0, len(text), 100):
            yield text[start : start + 100].encode()
            await asyncio.sleep(0.01)

    async with serve() as served:
        packed = await post(served, gzip.compress(line(3).encode()), content_encoding="gzip")
        chunked = await post(served, slowly())
        await recorded(served, 9)
    assert [each.json()["accepted"] for each in (packed, chunked)] == [1, 2]


async def test_older_quotes_are_counted_as_skipped(serve: Serve) -> None:
    old = line(1)
    async with serve() as served:
        await asyncio.sleep(0.01)
        await post(served, line(1))
        heard = (await post(served, old)).json()
    assert (heard["accepted"], heard["skipped"], heard["rejected"]) == (0, 1, [])


async def test_a_body_of_bad_lines_only_is_an_error_with_the_same_counts(serve: Serve) -> None:
    """`curl -f` and `raise_for_status` notice it."""
    async with serve() as served:
        one = await post(served, "nonsense\n")
        five = await post(served, "nonsense\n\n" + "{}\n" * 4)
        writer = await post(served, "nonsense\n", x_api_key=key(served, write=True))
        some = await post(served, f"nonsense\n{line(1)}\n")
    assert [each.status_code for each in (one, five, writer, some)] == [400, 400, 400, 200]
    for each in (one, five, writer):
        heard = each.json()
        assert (heard["accepted"], heard["skipped"]) == (0, 0)
        assert heard["error"]["code"] == "bad_request"
        assert f"line 1: {heard['rejected'][0]['reason']}" in heard["error"]["message"]
    message = five.json()["error"]["message"]
    assert message.startswith("all 5 lines were refused: line 1: ")
    assert ("line 4: " in message, "line 5: " in message) == (True, False)
    assert one.json()["error"]["message"].startswith("the line was refused: line 1: ")
    assert "error" not in some.json()
    assert writer.headers["x-ratelimit-remaining"] == str(Plan.PRO.rights.requests - 1)


async def test_an_empty_body_says_nothing(serve: Serve) -> None:
    async with serve() as served:
        answer = await post(served, b"")
    assert answer.json() == {"accepted": 0, "skipped": 0, "rejected": []}


@pytest.mark.parametrize(
    "header",
    [{"origin": "http://127.0.0.1"}, {"x_forwarded_for": "203.0.113.9"}, {"via": "1.1 proxy"}],
)
async def test_pages_and_who_comes_through_a_proxy_need_a_key_that_may_write(
    serve: Serve, header: dict[str, str]
) -> None:
    async with serve() as served:
        nobody = await post(served, line(1), **header)
        reader = await post(served, line(1), x_api_key=key(served, write=False), **header)
        writer = await post(served, line(1), x_api_key=key(served, write=True), **header)
        rows = await served.odds()
    assert nobody.status_code == 401
    assert (reader.status_code, reader.json()["error"]["code"]) == (403, "write_forbidden")
    assert (writer.status_code, len(rows)) == (200, 1)


async def test_posting_with_a_key_that_may_only_read_costs_no_request(serve: Serve) -> None:
    """docs/api.md, Quotas: the exception among refused requests."""
    async with serve() as served:
        reader = key(served, write=False)
        answers = [await post(served, line(1), x_api_key=reader) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [403] * 3
    assert len({answer.headers["x-ratelimit-remaining"] for answer in answers}) == 1


async def test_the_refusal_of_an_older_script_says_what_to_add(serve: Serve) -> None:
    async with serve() as served, httpx.AsyncClient(base_url=served.server.url) as http:
        answer = await http.post("/ingest", content=line(1))
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")
    message = answer.json()["error"]["message"]
    for part in ("keys create --write", "curl -H @DATABASE.secret", "docs/feeds.md"):
        assert part in message


async def test_a_read_only_disk_is_503_to_the_owner_as_to_a_key(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_open = os.open

    def read_only(path: str, flags: int, *rest: int, **others: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return really_open(path, flags, *rest, **others)

    def record(*_: Any, **__: Any) -> Any:
        raise StoreUnavailableError(Fault.READ_ONLY_DISK.value)

    async with serve() as served:
        writer = key(served, write=True)
        with monkeypatch.context() as patched:
            patched.setattr(os, "open", read_only)
            patched.setattr(served.server.store, "record", record)
            answers = [await post(served, line(1)), await post(served, line(1), x_api_key=writer)]
    assert [each.status_code for each in answers] == [503, 503]


def refusals(caplog: pytest.LogCaptureFixture) -> list[str]:
    said = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    return [each for each in said if each.startswith("refused POST /ingest from this machine")]


async def test_the_log_says_once_a_minute_that_a_script_here_was_refused(
    serve: Serve, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "LOOK_S", 0.0)
    async with serve() as served, httpx.AsyncClient(base_url=served.server.url) as http:
        for _ in range(3):
            assert (await http.post("/ingest", content=line(1))).status_code == 401
        await http.get("/ingest")
        well = await health(served)
        once = refusals(caplog)
        monkeypatch.setattr(ingest, "LOG_S", 0.0)
        await post(served, line(1), x_oddsdesk_secret="0" * 64)
        await post(served, line(1), x_oddsdesk_secret="0" * 64)
        (secret,) = served.owner.values()
    (told,) = once
    said = (
        "neither a key nor the secret was sent; send a key from `oddsdesk keys create --write` or"
    )
    assert said in told
    assert f"the owner's secret (curl -H @{secret_path(served.server.store.path)})" in told
    assert well["status"] == "ok", "a proxy without headers brings strangers"
    assert len(refusals(caplog)) == 3
    assert secret not in caplog.text
    assert "0" * 64 not in caplog.text


@pytest.mark.parametrize(
    "header", [{"x_forwarded_for": "203.0.113.9"}, {"via": "1.1 proxy"}, {"origin": "http://[::1]"}]
)
async def test_the_log_says_nothing_of_strangers(
    serve: Serve, caplog: pytest.LogCaptureFixture, header: dict[str, str]
) -> None:
    async with serve() as served:
        assert (await post(served, line(1), **header)).status_code == 401
        assert (await health(served))["status"] == "ok"
    assert refusals(caplog) == []


@pytest.mark.parametrize(
    ("headers", "cause"),
    [
        ({"x_oddsdesk_secret": "0" * 64}, "the secret is wrong, or more than one was sent"),
        ({"x_api_key": "od_none"}, "the key is unknown or revoked"),
    ],
)
async def test_the_log_says_why_a_program_here_was_refused(
    serve: Serve, caplog: pytest.LogCaptureFixture, headers: dict[str, str], cause: str
) -> None:
    async with serve() as served:
        await post(served, line(1), **headers)
    (told,) = refusals(caplog)
    assert f"machine: {cause}; send " in told


@pytest.mark.parametrize(
    ("spoil", "cause", "status"),
    [
        (lambda file: file.chmod(0o644), "other users can read its file", "degraded"),
        (lambda file: file.write_text("nonsense"), "its file is damaged", "degraded"),
        (lambda file: file.unlink(), "its file is missing", "ok"),
    ],
    ids=["open", "damaged", "missing"],
)
async def test_a_secret_that_is_spoilt_is_in_the_log_and_in_health(
    serve: Serve,
    caplog: pytest.LogCaptureFixture,
    spoil: Callable[[Path], object],
    cause: str,
    status: str,
) -> None:
    async with serve() as served, httpx.AsyncClient(base_url=served.server.url) as http:
        owner = served.owner
        spoil(secret_path(served.server.store.path))
        answers = [
            await http.post("/ingest", content=line(1), headers=sent)
            for sent in (owner, {})  # curl sends no header if its file is missing
        ]
        ill = await health(served)
    assert {each.status_code for each in answers} == {401}
    (told,) = refusals(caplog)
    assert cause in told
    assert "meanwhile send a key from" in told
    assert "curl" not in told, "the secret would be refused again"
    assert ill["status"] == status
    assert all("open to other users" in each for each in ill.get("reasons", []))
    assert cause not in answers[0].text, "a stranger behind a proxy could read it"


async def test_the_log_says_that_a_proxys_address_takes_no_secret(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(public=PublicAddress(behind_proxy=PROXIES)) as served:
        await post(served, line(1))
    (told,) = refusals(caplog)
    assert "an address in --behind-proxy" in told
    assert "send a key from" in told


async def test_at_the_address_of_a_proxy_that_is_believed_nobody_is_a_program_here(
    serve: Serve,
) -> None:
    """Otherwise a caller that hides its address could write without a key."""
    async with serve(public=PublicAddress(behind_proxy=PROXIES)) as served:
        nobody = await post(served, line(1))
        writer = await post(served, line(1), x_api_key=key(served, write=True))
    assert (nobody.status_code, writer.status_code) == (401, 200)
    async with serve(public=PublicAddress(behind_proxy=("192.0.2.1",))) as served:
        assert (await post(served, line(2))).status_code == 200


@pytest.mark.parametrize(
    ("asks", "header", "status"),
    [
        ("POST /ingest", "Via: 1.1 proxy", 401),
        ("PUT /ingest", "X-Oddsdesk-Secret: {secret}", 405),
        ("POST /ingest", "X-Oddsdesk-Secret: {secret}\r\nContent-Encoding: br", 400),
        ("POST /api/odds", "X: none", 401),
        ("POST /api/odds", "X-Api-Key: {key}", 405),
        ("POST /nowhere", "X-Api-Key: {key}", 404),
        ("POST /nowhere", "X: none", 413),
    ],
)
async def test_what_follows_half_a_body_records_nothing(
    serve: Serve, asks: str, header: str, status: int
) -> None:
    quote = line(1).encode()
    async with serve() as served:
        host, port = served.server.url.removeprefix("http://").split(":")
        (secret,) = served.owner.values()
        sneaked = b"POST /ingest HTTP/1.1\r\nHost: %b\r\n%b: %b\r\nContent-Length: %d\r\n\r\n%b" % (
            host.encode(), b"X-Oddsdesk-Secret", secret.encode(), len(quote), quote,
        )  # fmt: skip
        said = header.format(key=key(served, write=False), secret=secret)
        length = 20_000 if status != 413 else BODY_LIMIT + 1
        head = f"{asks} HTTP/1.1\r\nHost: {host}\r\n{said}\r\nContent-Length: {length}\r\n\r\nabc"
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(head.encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"\r\n" * 9_999 + sneaked)
        rest = await reader.read()
        writer.close()
        rows = await served.odds()
    assert answer.startswith(b"HTTP/1.1 %d" % status)
    assert b"connection: close" in answer
    assert b"HTTP/1.1" not in rest
    assert rows == []


async def test_other_methods_are_not_allowed(serve: Serve) -> None:
    async with serve() as served, httpx.AsyncClient(base_url=served.server.url) as http:
        answer = await http.get("/ingest", headers=served.owner)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_a_body_of_many_times_the_usual_limit_is_taken(serve: Serve) -> None:
    body = "\n".join(line(number) for number in range(500)) + f"{' ' * 99}\n" * 2_000
    async with serve() as served:
        assert (await post(served, body)).json()["accepted"] == 500


async def test_more_than_the_limit_is_refused_before_and_after_unpacking(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "INGEST_LIMIT", 1024 * 1024)
    bomb = gzip.compress(b" " * (2 * 1024 * 1024))
    async with serve() as served:
        unpacked = await post(served, bomb, content_encoding="gzip")
        host, port = served.server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as raw:
            head = f"POST /ingest HTTP/1.1\r\nHost: {host}\r\nContent-Length: {INGEST_LIMIT + 1}"
            raw.sendall(f"{head}\r\n\r\n".encode())
            heard = await asyncio.to_thread(raw.recv, 4096)
    assert (unpacked.status_code, unpacked.json()["error"]["code"]) == (413, "payload_too_large")
    assert heard.startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("body", [b"no gzip", gzip.compress(b"x" * 100)[:-9]], ids=["no", "cut"])
async def test_damaged_packing_is_told(serve: Serve, body: bytes) -> None:
    async with serve() as served:
        answer = await post(served, body, content_encoding="gzip")
    assert answer.status_code == 400
    assert "gzip" in answer.json()["error"]["message"]


async def test_one_writer_leaves_a_place_for_others_and_health_tells_of_the_refusal(
    serve: Serve,
) -> None:
    """D83: the holder of one key has at most its share."""
    more = asyncio.Event()

    async def body(number: int) -> AsyncIterator[bytes]:
        yield f"{line(number)}\n".encode()
        await more.wait()

    async with serve() as served:
        half = ingest.AT_ONCE // 2
        writers = [spawn("writer", post(served, body(each))) for each in range(half)]
        await recorded(served, 3 * half)
        well = await health(served)
        refused = await post(served, b"")
        ill = await health(served)
        other = await post(served, line(half), x_api_key=key(served, write=True), via="1.1 proxy")
        more.set()
        answers = [other, *await asyncio.gather(*writers)]
    assert well["status"] == "ok"
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert f"{half} of them yours" in refused.json()["error"]["message"]
    assert (ill["status"], "POST /ingest" in ill["reasons"][0]) == ("degraded", True)
    assert {answer.status_code for answer in answers} == {200}


async def test_a_body_that_finds_no_place_is_not_counted(serve: Serve) -> None:
    more = asyncio.Event()

    async def body(number: int) -> AsyncIterator[bytes]:
        yield f"{line(number)}\n".encode()
        await more.wait()

    async with serve() as served:
        secret = key(served, write=True)
        half = ingest.AT_ONCE // 2
        writers = [
            spawn("writer", post(served, body(each), x_api_key=secret)) for each in range(half)
        ]
        await recorded(served, 3 * half)
        refused = [await post(served, b"", x_api_key=secret) for _ in range(3)]
        more.set()
        await asyncio.gather(*writers)
    left = str(Plan.PRO.rights.requests - half)
    assert {each.status_code for each in refused} == {429}
    assert [each.headers["x-ratelimit-remaining"] for each in refused] == [left] * 3


async def test_so_many_bad_lines_are_told_of_and_the_rest_are_counted(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "MOST_TOLD", 3)
    async with serve() as served:
        heard = (await post(served, "{\n" * 5)).json()
    assert [each["line"] for each in heard["rejected"]] == [1, 2, 3]
    assert heard["rejected_more"] == 2


@pytest.mark.parametrize("idle", ["\n", "x\n"], ids=["blank", "bad"])
async def test_lines_that_say_nothing_are_not_read_without_end(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, idle: str
) -> None:
    """D83: 64 KB of them, packed, held a core for a minute."""
    monkeypatch.setattr(ingest, "MOST_IDLE", 1_000)
    few, many, packed = idle * 1_000, idle * 400_000, {"content_encoding": "gzip"}
    async with serve() as served:
        taken = await post(served, f"{line(1)}\n{few}{line(2)}\n{idle}")
        refused = await post(served, gzip.compress(f"{line(3)}\n{many}".encode()), **packed)
        rows = await served.odds()
    assert (taken.status_code, taken.json()["accepted"]) == (200, 2)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_request")
    assert "1,000 of the first" in refused.json()["error"]["message"]
    assert len(rows) == 3


async def test_what_is_packed_is_not_read_on_once_its_sender_has_gone(serve: Serve) -> None:
    """D83."""
    text = "\n".join(line(number) for number in range(40))
    packed = gzip.compress(f"{text}\n{' ' * 900_000}\n{line(40)}\n".encode())
    messages = [{"type": "http.request", "body": packed}, {"type": "http.disconnect"}]
    headers = [(b"host", b"127.0.0.1"), (b"content-encoding", b"gzip")]
    scope = {
        "type": "http",
        "scheme": "http",
        "method": "POST",
        "path": "/ingest",
        "query_string": b"",
    }
    said: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        said.append(message)

    async with serve() as served:
        app = served.server._answering._app
        (secret,) = served.owner.values()
        headers.append((b"x-oddsdesk-secret", secret.encode()))
        await app({**scope, "headers": headers, "client": ("127.0.0.1", 1)}, receive, send)
        assert served.server.store.reader().last_seq() == 40 * 3
    assert said[0]["status"] == 400


async def test_a_writer_that_breaks_off_leaves_what_it_said_whole(serve: Serve, caplog) -> None:
    async with serve() as served:
        host, port = served.server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as raw:
            (secret,) = served.owner.values()
            head = f"POST /ingest HTTP/1.1\r\nHost: {host}\r\nX-Oddsdesk-Secret: {secret}\r\n"
            head += "Content-Length: 900000\r\n\r\n"
            text = "\n".join(line(number) for number in range(1_000))
            raw.sendall(f"{head}{text}".encode())
            reader = served.server.store.reader()
            await served.until(lambda: reader.last_seq() > 0)
        await asyncio.sleep(0.1)
        assert json.loads(json.dumps(await served.odds()))
    assert not [each for each in caplog.records if each.levelname == "ERROR"]
