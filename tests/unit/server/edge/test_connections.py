"""Connections are counted in all and by address; one too many is refused (D83)."""

import json
import logging
from typing import Any

import pytest

from oddsdesk.server.edge import connections as connections_module
from oddsdesk.server.edge.connections import TELL_S, Connections, ConnectionsByProxy, Place
from oddsdesk.server.edge.middleware import BehindProxy, Proxies
from oddsdesk.server.settings import ConnectionLimits


class Clock:
    """A clock that moves on command."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def counted(in_all: int, by_address: int, clock: Clock, *proxies: str) -> Connections:
    return Connections(ConnectionLimits(in_all, by_address), Proxies(proxies), clock)


def kept(connections: Connections, address: str) -> Place | None:
    """Take a connection on which a key is shown."""
    place = connections.enter(address)
    if place is not None:
        place.keep_place()
    return place


def refused(connections: Connections) -> dict[str, float]:
    return {
        each.labels["why"]: each.value
        for each in connections.connection_samples()
        if each.name == "oddsdesk_connections_refused_total"
    }


def opened(connections: Connections) -> float:
    (sample,) = [
        each for each in connections.connection_samples() if each.name == "oddsdesk_connections"
    ]
    return sample.value


def test_there_are_so_many_in_all(clock: Clock) -> None:
    connections = counted(2, 2, clock)
    first = kept(connections, "192.0.2.1")
    assert isinstance(first, Place)
    assert kept(connections, "192.0.2.2") is not None
    assert connections.enter("192.0.2.3") is None
    first.leave_place()
    first.leave_place()
    assert kept(connections, "192.0.2.3") is not None
    assert connections.enter("192.0.2.3") is None
    assert (opened(connections), refused(connections)["all"]) == (2, 2)


@pytest.mark.parametrize(
    ("address", "same", "other"),
    [
        ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"),
        ("2001:db8:0:1::5", "2001:db8:0:1:ffff::9", "2001:db8:0:2::5"),
        ("fe80::1%eth0", "fe80::2%eth0", "2001:db8::1"),
        ("no address", "no address", "none either"),
    ],
)
def test_there_are_so_many_of_an_address(address: str, same: str, other: str, clock: Clock) -> None:
    """A network of version 6 that is somebody's own counts as one."""
    connections = counted(10, 2, clock)
    assert kept(connections, address) is not None
    place = kept(connections, same)
    assert place is not None
    assert connections.enter(address) is None
    assert connections.enter(other) is not None
    place.leave_place()
    assert connections.enter(address) is not None
    assert refused(connections)["address"] == sum(refused(connections).values()) == 1


def test_a_proxy_has_as_many_as_there_may_be_and_whom_it_names_has_a_share(clock: Clock) -> None:
    connections = counted(3, 1, clock, "10.0.0.0/8")
    assert all(kept(connections, "10.1.2.3") is not None for _ in range(3))
    assert connections.enter("10.1.2.3") is None
    assert connections.enter_by_proxy("192.0.2.1") is not None
    assert connections.enter_by_proxy("192.0.2.1") is None
    assert connections.enter_by_proxy("192.0.2.2") is not None
    assert all(connections.enter_by_proxy("10.1.2.3") is not None for _ in range(9))
    keyed = connections.enter_by_proxy("192.0.2.1", has_key=True)
    assert keyed is not None, "others of its address do not keep it out"
    assert connections.enter_by_proxy("192.0.2.1", has_key=True) is None
    keyed.leave_place()
    assert connections.enter_by_proxy("192.0.2.1", has_key=True) is not None


def test_no_more_are_taken_than_there_are_descriptors_for(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections_module, "most_connections", lambda: 1)
    connections = counted(10, 10, clock)
    assert kept(connections, "192.0.2.1") is not None
    assert connections.enter("192.0.2.1") is None


class Crowd:
    """Connections by name, and the names of those that were ended for newer ones."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.places: dict[str, Place] = {}
        self.ended: list[str] = []

    def come(self, name: str, address: str = "192.0.2.1") -> bool:
        """Take a connection; return whether there was a place."""
        place = self._connections.enter(address)
        if place is None:
            return False
        self.places[name] = place
        place.end = lambda: self.ended.append(name)
        return True


@pytest.mark.parametrize("limits", [(3, 9), (9, 3)], ids=["in all", "of an address"])
def test_a_new_one_takes_the_place_of_the_oldest_without_a_key(
    limits: tuple[int, int], clock: Clock
) -> None:
    """Whatever strangers hold open, new callers get in, and connections with a key stay."""
    connections = counted(*limits, clock)
    crowd = Crowd(connections)
    for name in ("key", "old", "young"):
        assert crowd.come(name)
    crowd.places["key"].keep_place()
    assert crowd.come("new")
    assert crowd.ended == ["old"]
    crowd.places["old"].leave_place()  # its connection is lost only now
    assert opened(connections) == 3
    crowd.places["new"].keep_place()
    assert crowd.come("newer")
    assert crowd.ended == ["old", "young"]
    crowd.places["newer"].keep_place()
    assert not crowd.come("one too many")
    crowd.places["key"].leave_place()
    assert crowd.come("later")
    assert opened(connections) == 3
    for each in crowd.places.values():
        each.leave_place()
    assert opened(connections) == 0


def test_an_address_with_too_many_takes_no_place_from_others(clock: Clock) -> None:
    connections = counted(9, 1, clock)
    crowd = Crowd(connections)
    assert crowd.come("other", "192.0.2.2")
    assert crowd.come("first")
    assert crowd.come("second")
    assert crowd.ended == ["first"]


def test_the_log_tells_of_refusals_once_a_minute(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    connections = counted(9, 1, clock)
    kept(connections, "192.0.2.1")
    with caplog.at_level(logging.WARNING):
        for _ in range(500):
            connections.enter("192.0.2.1")
            clock.now_s += TELL_S / 400
    assert caplog.messages == [
        f"refused a connection: 192.0.2.1 has 1, the limit for one address ({count} since the"
        " start)"
        for count in (1, 401)
    ]


def test_health_tells_while_descriptors_are_scarce(clock: Clock) -> None:
    connections = counted(9, 9, clock)
    assert list(connections.troubles()) == []
    connections.wait_for_descriptors()
    (trouble,) = connections.troubles()
    assert trouble.line == "new connections are waiting: no file descriptors are left"
    clock.now_s += 60
    assert list(connections.troubles()) == []
    assert refused(connections)["descriptors"] == 1


async def asked(app: Any, client: str, forwarded: str | None, path: str = "/") -> dict[str, Any]:
    """What an application answers to a client, or to whom a proxy speaks for."""
    sent: dict[str, Any] = {}

    async def send(message: Any) -> None:
        sent.update(message)

    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    scope = {"type": "http", "scheme": "http", "client": (client, 5000), "headers": headers}
    scope["path"] = path
    await app(scope, None, send)
    return sent


async def test_a_client_of_a_proxy_is_refused_what_is_one_too_many(clock: Clock) -> None:
    """Requests and streams that are under way count for the address that the proxy names."""
    connections = counted(9, 1, clock, "127.0.0.1")
    inner: dict[str, Any] = {}

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        if scope["client"][0] == "192.0.2.1" and not inner:
            inner["same"] = {}
            inner["same"] = await asked(whole, "127.0.0.1", "192.0.2.1")
            inner["other"] = await asked(whole, "127.0.0.1", "192.0.2.2")
            inner["probe"] = await asked(whole, "127.0.0.1", "192.0.2.1", "/api/ready")
            inner["keyed"] = await asked(whole, "127.0.0.1", "192.0.2.1", "/key")
            inner["itself"] = await asked(whole, "127.0.0.1", None)
            inner["pretending"] = await asked(whole, "203.0.113.7", "192.0.2.1")
        await send({"type": "http.response.start", "status": 204, "headers": []})

    def known(scope: Any) -> str | None:
        return "a caller" if scope["path"] == "/key" else None

    whole = BehindProxy(ConnectionsByProxy(app, connections, known), Proxies(["127.0.0.1"]))
    assert (await asked(whole, "127.0.0.1", "192.0.2.1"))["status"] == 204
    assert inner["same"]["status"] == 503
    assert json.loads(inner["same"]["body"])["error"]["code"] == "service_unavailable"
    assert (b"retry-after", b"1") in inner["same"]["headers"]
    others = ("other", "probe", "keyed", "itself", "pretending")
    assert [inner[each]["status"] for each in others] == [204] * 5
    assert (await asked(whole, "127.0.0.1", "192.0.2.1"))["status"] == 204


def stalling(connections: Connections, ended: list[int], number: int, unread: int) -> Place:
    place = connections.enter("192.0.2.1")
    assert place is not None
    place.end = lambda: ended.append(number)
    place.note_unread(unread)
    return place


def test_the_oldest_unread_answers_give_way(clock: Clock) -> None:
    """D83: an answer without a key may be large, and 1,000 connections of an address many."""
    connections = Connections(ConnectionLimits(unread=100), Proxies(), clock)
    ended: list[int] = []
    first = stalling(connections, ended, 0, 60)
    first.note_unread(0)
    stalling(connections, ended, 1, 60)
    stalling(connections, ended, 2, 30)
    assert not ended, "the first is read again"
    stalling(connections, ended, 3, 30)
    stalling(connections, ended, 4, 300)
    assert ended == [1, 2, 3], "the newest may be of any size"
    assert (opened(connections), refused(connections)["unread"]) == (2, 3)


def test_unread_answers_to_a_key_are_not_counted(clock: Clock) -> None:
    connections = Connections(ConnectionLimits(unread=100), Proxies(), clock)
    ended: list[int] = []
    first = stalling(connections, ended, 0, 90)
    first.keep_place()
    first.note_unread(90)
    stalling(connections, ended, 1, 90).leave_place()
    stalling(connections, ended, 2, 90)
    assert not ended
