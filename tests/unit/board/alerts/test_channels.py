"""Channels: what they post, and what becomes of alerts while one is down."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable

import pytest

from oddsdesk.base.keyring import Keyring
from oddsdesk.board.alerts.channels import (
    ChannelError,
    Outbox,
    Unsent,
    find_address,
    keep_address,
    keyring_name,
    mark_waiting,
    open_channel,
    variable_of,
)
from oddsdesk.board.alerts.gate import Alert, AlertEntry
from oddsdesk.board.alerts.rules import ChannelSetting
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.contract.identity import price_page
from oddsdesk.contract.times import format_ms
from oddsdesk.network import UnreachableError, http
from oddsdesk.network.secrets import without_keys

NOW = 1_795_000_000_000
CELL = RowKey("game", "total", 0, "Over 2.5", "Betfair")


def entry(title: str = "title", *channels: str) -> AlertEntry:
    return AlertEntry(Alert(("x",), "Value", title, "text", 3.0, CELL, channels), NOW, None)


def put(outbox: Outbox, alert: AlertEntry) -> None:
    """Send as the service does: channels that are not open are none of its."""
    mark_waiting(alert, ("phone", "desk"))
    outbox.resume(alert)


class Endpoint:
    """A server on a socket that notes what is posted."""

    def __init__(self) -> None:
        self.posted: list[tuple[str, dict[str, str], dict[str, object]]] = []
        self.status = 200
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        body = await reader.readexactly(int(headers["content-length"]))
        self.posted.append((head[0].split(" ")[1], headers, json.loads(body)))
        said = f"HTTP/1.1 {self.status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        writer.write(said.encode())
        await writer.drain()
        writer.close()


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    made = Endpoint()
    server = await asyncio.start_server(made.answer, "127.0.0.1", 0)
    made.url = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield made


async def send(kind: str, address: str, link: str = "") -> None:
    channel = open_channel(ChannelSetting("phone", kind, link), address)
    try:
        await channel.send_alert(entry())
    finally:
        await channel.close_channel()


async def test_a_webhook_gets_json_with_the_price(endpoint: Endpoint) -> None:
    await send("webhook", f"http://{endpoint.url}/hooks/abcdef")
    ((path, _, body),) = endpoint.posted
    assert path == "/hooks/abcdef"
    assert body == {
        "rule": "Value",
        "title": "title",
        "text": "text",
        "at": format_ms(NOW),
        "price": CELL._asdict(),
    }


@pytest.mark.parametrize(("kind", "field"), [("webhook", "link"), ("ntfy", "click")])
async def test_an_alert_links_to_the_page_of_its_price(
    endpoint: Endpoint, kind: str, field: str
) -> None:
    await send(kind, f"http://{endpoint.url}/topic", "https://odds.example.org/")
    ((_, _, body),) = endpoint.posted
    assert body[field] == f"https://odds.example.org{price_page(*CELL)}"


@pytest.mark.parametrize(
    "link", ["odds.example", "ftp://x.example", "https://a:b@x.example", "https://x.example?key=1"]
)
def test_an_address_for_links_is_plain(link: str) -> None:
    with pytest.raises(ValueError, match="expected an address"):
        ChannelSetting("phone", "ntfy", link)


@pytest.mark.parametrize(("kind", "path"), [("webhook", "/send"), ("ntfy", "/")])
async def test_the_query_of_an_address_is_said_to_the_service_and_to_no_log(
    endpoint: Endpoint, kind: str, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Else the alert goes to somebody else, and is told as sent."""
    caplog.set_level(logging.INFO, logger="httpx")
    await send(kind, f"HTTP://{endpoint.url}/send?token=of-a-webhook&room=a%2Fb")
    ((asked, _, _),) = endpoint.posted
    assert asked == f"{path}?token=of-a-webhook&room=a%2Fb"
    assert endpoint.url in caplog.text
    assert "of-a-webhook" not in caplog.text


@pytest.mark.parametrize("kind", ["webhook", "ntfy"])
async def test_a_certificate_is_looked_at_however_https_is_written(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secure: list[bool] = []

    class Client:
        def __init__(self, _headers: object, *, is_secure: bool, is_local: bool) -> None:
            secure.append(is_secure)

        async def send_request(self, *_: object, **__: object) -> None:
            raise UnreachableError("by the test")

        async def close_connections(self) -> None: ...

    monkeypatch.setattr(http, "HttpClient", Client)
    with pytest.raises(ChannelError, match="by the test"):
        await send(kind, "HTTPS://hooks.example/some-path")
    assert secure == [True]


async def test_ntfy_gets_its_topic_in_the_body_and_its_token_in_a_header(
    endpoint: Endpoint,
) -> None:
    await send("ntfy", f"http://:tk_secret1@{endpoint.url}/my-topic")
    ((path, headers, body),) = endpoint.posted
    assert path == "/"
    assert headers["authorization"].lower() == "bearer tk_secret1"
    assert body == {"topic": "my-topic", "title": "title", "message": "text", "tags": ["Value"]}


@pytest.mark.parametrize(
    ("kind", "address", "said"),
    [
        ("ntfy", "https://ntfy.example", "topic"),
        ("webhook", "ftp://x.example/secretpath", "https://"),
        ("webhook", "http://x.example/secretpath", "use https"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused_without_naming_it(
    kind: str, address: str, said: str
) -> None:
    with pytest.raises(ChannelError, match=said) as raised:
        open_channel(ChannelSetting("phone", kind), address)
    assert "secretpath" not in str(raised.value)


@pytest.mark.parametrize(
    ("status", "is_final"), [(404, True), (302, True), (429, False), (503, False)]
)
async def test_a_refusal_is_final_where_trying_again_is_no_use(
    endpoint: Endpoint, status: int, is_final: bool
) -> None:
    endpoint.status = status
    with pytest.raises(ChannelError, match=str(status)) as raised:
        await send("webhook", f"http://{endpoint.url}/x")
    assert raised.value.is_final is is_final


class Ring(Keyring):
    """A keyring in memory."""

    def __init__(self, **keys: str) -> None:
        super().__init__()
        self._keys = keys
        self.is_missing = False

    def is_there(self) -> bool:
        return not self.is_missing

    def get_key(self, name: str) -> str | None:
        return self._keys.get(name)

    def keep_key(self, name: str, key: str) -> None:
        self._keys[name] = key


def test_the_address_is_in_the_environment_or_the_keyring_and_in_no_log() -> None:
    ring = Ring(**{keyring_name("phone"): "https://ntfy.sh/my-secret-topic"})
    assert find_address("phone", {}, ring) == "https://ntfy.sh/my-secret-topic"
    named = {variable_of("phone"): "https://other.example/hidden-path"}
    assert find_address("phone", named, ring) == "https://other.example/hidden-path"
    for address in ("https://ntfy.sh/my-secret-topic", "https://other.example/hidden-path"):
        assert without_keys(f"posted to {address}") == "posted to [removed]"
    with pytest.raises(ChannelError, match="ODDSDESK_CHANNEL_PHONE"):
        find_address("phone", {}, Ring())


def test_an_address_that_is_kept_is_in_no_log_and_no_keyring_is_said() -> None:
    ring = Ring()
    keep_address("phone", "https://ntfy.sh/my-other-topic", ring)
    assert find_address("phone", {}, ring) == "https://ntfy.sh/my-other-topic"
    assert without_keys("posted to https://ntfy.sh/my-other-topic") == "posted to [removed]"
    ring.is_missing = True
    with pytest.raises(ChannelError, match="no keyring; set ODDSDESK_CHANNEL_PHONE") as raised:
        keep_address("phone", "https://ntfy.sh/hidden", ring)
    assert "hidden" not in str(raised.value)


class Wire:
    """A channel that is down until a moment; the clock runs while the outbox rests."""

    def __init__(self) -> None:
        self.now = NOW
        self.down_until = 0
        self.error: Exception = ChannelError("down")
        self.got: list[tuple[str, int]] = []
        self.tries = 0

    async def send_alert(self, sent: AlertEntry) -> None:
        self.tries += 1
        if self.now < self.down_until:
            raise self.error
        self.got.append((sent.alert.alert_title, self.now))

    async def close_channel(self) -> None:
        pass

    async def rest(self, seconds: float) -> None:
        self.now += round(seconds * 1000)
        await asyncio.sleep(0)


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(10_000):
        if is_so():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to that")


async def test_while_a_channel_is_down_for_a_minute_alerts_wait_in_order_and_others_are_sent() -> (
    None
):
    phone, desk = Wire(), Wire()
    phone.down_until = NOW + 60_000
    outbox = Outbox({"phone": phone, "desk": desk}, lambda: phone.now, rest=phone.rest)
    outbox.start_sending()
    entries = [entry(str(number)) for number in range(3)]
    for each in entries:
        put(outbox, each)
    await until(lambda: len(phone.got) == 3)
    await outbox.stop_sending()
    assert [title for title, _ in phone.got] == ["0", "1", "2"]
    assert NOW + 60_000 <= phone.got[0][1] <= NOW + 95_000
    assert [title for title, _ in desk.got] == ["0", "1", "2"]
    assert phone.tries < 20
    for each in entries:
        assert each.deliveries["phone"].startswith("sent ")
        assert each.deliveries["desk"].startswith("sent ")


async def test_an_alert_of_a_price_waits_until_it_is_known_to_stand_and_others_overtake_it() -> (
    None
):
    phone = Wire()
    why = {"value": Unsent("not connected")}
    outbox = Outbox(
        {"phone": phone},
        lambda: phone.now,
        as_it_is=lambda alert: why.get(alert.alert_title, alert),
        rest=phone.rest,
    )
    outbox.start_sending()
    value = entry("value")
    for each in (value, entry("no prices come")):
        put(outbox, each)
    await until(lambda: len(phone.got) == 1 and phone.now >= NOW + 60_000)
    assert [title for title, _ in phone.got] == ["no prices come"]
    assert value.deliveries["phone"] == "not yet: not connected"
    why["value"] = Unsent("prices are read again")
    await until(lambda: value.deliveries["phone"] == "not yet: prices are read again")
    del why["value"]
    await until(lambda: len(phone.got) == 2)
    why["late"] = Unsent("not connected")
    late = entry("late")
    late.at = phone.now
    put(outbox, late)
    await until(lambda: late.deliveries["phone"].startswith("given up: not yet: not connected"))
    await outbox.stop_sending()
    assert [title for title, _ in phone.got] == ["no prices come", "value"]


async def test_what_is_over_when_a_channel_is_back_is_not_sent_and_the_rest_as_it_is_then() -> None:
    phone = Wire()
    phone.down_until = NOW + 60_000
    later: dict[str, Alert | Unsent] = {}
    outbox = Outbox(
        {"phone": phone},
        lambda: phone.now,
        as_it_is=lambda alert: later.get(alert.alert_title, alert),
        rest=phone.rest,
    )
    outbox.start_sending()
    gone, moved = entry("2.08"), entry("2.10")
    for each in (gone, moved):
        put(outbox, each)
    await until(lambda: phone.tries == 1)
    later |= {"2.08": Unsent("it is over", is_final=True), "2.10": entry("2.06").alert}
    await until(lambda: len(phone.got) == 1)
    await outbox.stop_sending()
    assert gone.deliveries["phone"] == "not sent: it is over"
    assert (phone.got[0][0], moved.alert.alert_title) == ("2.06", "2.06")


async def test_what_could_not_be_sent_for_ten_minutes_is_given_up_and_says_so() -> None:
    phone = Wire()
    phone.down_until = NOW + 11 * 60_000
    outbox = Outbox({"phone": phone}, lambda: phone.now, rest=phone.rest)
    outbox.start_sending()
    lost = entry("lost")
    put(outbox, lost)
    await until(lambda: lost.deliveries["phone"].startswith("given up"))
    await outbox.stop_sending()
    assert lost.deliveries["phone"] == "given up: not yet: down"
    assert phone.got == []


async def test_what_is_refused_for_good_is_not_tried_again() -> None:
    phone = Wire()
    phone.down_until, phone.error = NOW + 1, ChannelError("404", is_final=True)
    outbox = Outbox({"phone": phone}, lambda: phone.now, rest=phone.rest)
    outbox.start_sending()
    refused = entry()
    put(outbox, refused)
    await until(lambda: phone.tries == 1 and refused.deliveries["phone"] != "waits")
    await outbox.stop_sending()
    assert refused.deliveries["phone"] == "refused: 404"


async def test_an_alert_goes_to_the_channels_that_its_rule_names() -> None:
    phone, desk = Wire(), Wire()
    outbox = Outbox({"phone": phone, "desk": desk}, lambda: NOW)
    outbox.start_sending()
    put(outbox, entry("one", "desk", "unknown"))
    await until(lambda: len(desk.got) == 1)
    await outbox.stop_sending()
    assert phone.got == []


async def test_a_channel_that_fails_of_a_bug_is_begun_anew_and_the_alert_is_not_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    phone = Wire()
    phone.down_until, phone.error = NOW + 1, ValueError("a bug")
    outbox = Outbox({"phone": phone}, lambda: phone.now, rest=phone.rest)
    with caplog.at_level(logging.CRITICAL):
        outbox.start_sending()
        put(outbox, entry("kept"))
        await until(lambda: phone.tries == 1)
        phone.now += 10
        await asyncio.wait_for(_got(phone), 30)
        await outbox.stop_sending()


async def _got(phone: Wire) -> None:
    while not phone.got:
        await asyncio.sleep(0.01)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what it imports
async def test_apprise_reaches_the_rest(endpoint: Endpoint) -> None:
    pytest.importorskip("apprise")
    channel = open_channel(ChannelSetting("mail", "apprise"), f"json://{endpoint.url}/x")
    await channel.send_alert(entry())
    ((_, _, body),) = endpoint.posted
    assert (body["title"], body["message"]) == ("title", "text")
    unknown = open_channel(ChannelSetting("mail", "apprise"), "nosuch://secret-address")
    with pytest.raises(ChannelError, match="does not know this kind") as raised:
        await unknown.send_alert(entry())
    assert "secret-address" not in str(raised.value)
