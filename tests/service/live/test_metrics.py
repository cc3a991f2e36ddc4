"""GET /metrics: what Prometheus reads, on a loopback port of its own (scale.md, operations)."""

import asyncio
import socket
from pathlib import Path

import httpx
import msgspec
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.server.edge.listener import ListenError
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import PublicAddress, Settings
from tests.kit import prometheus
from tests.kit.live_service import LiveService


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@pytest.fixture
async def watched(tmp_path: Path):
    """A server with a feed whose address holds a key; returns it and how its figures are read."""
    service = LiveService(tmp_path / "odds.db")
    port = _free_port()
    service.options = {"metrics_port": port, "feeds": ("ws://127.0.0.1:1/?key=SECRET",)}
    await service.start()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:

        async def read() -> tuple[dict[str, prometheus.Metric], str]:
            answer = await client.get("/metrics")
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
            return prometheus.parse(answer.text), answer.text

        service.figures, service.watching = read, client
        yield service
    await service.stop()


async def test_requests_are_counted_by_endpoint_and_status(watched) -> None:
    key = watched.key(Plan.FREE, "Betfair")
    for path, count in (("/api/odds", 3), ("/api/events/no-such-game", 2), ("/nowhere/at/all", 1)):
        for _ in range(count):
            await watched.http.get(path, headers={"X-Api-Key": key})
    await watched.http.get("/api/odds")
    figures, text = await watched.figures()

    def answers(endpoint: str, status: str) -> float:
        name = "oddsdesk_requests_total"
        return prometheus.value(figures, name, endpoint=endpoint, status=status, worker="1")

    assert answers("/api/odds", "200") == 3
    assert answers("/api/odds", "401") == 1
    assert answers("/api/events/{id}", "404") == 2
    assert answers("other", "404") == 1
    assert prometheus.value(figures, "oddsdesk_request_seconds_count", endpoint="/api/odds") == 4
    assert "no-such-game" not in text
    assert "nowhere" not in text


async def test_what_keys_ask_for_beyond_their_quotas_is_counted(watched) -> None:
    key = watched.key(Plan.FREE, "Betfair")
    allowed = Plan.FREE.rights.requests
    for _ in range(allowed + 2):
        await watched.http.get("/api/sports", headers={"X-Api-Key": key})
    figures, _ = await watched.figures()
    assert prometheus.value(figures, "oddsdesk_quota_refusals_total", kind="requests") == 2


async def test_streams_recordings_and_the_log_are_told(watched, listening) -> None:
    streams = [await watched.stream() for _ in range(2)]
    await watched.record(watched.quote())
    for stream in streams:
        assert len([await listening.message(stream) for _ in range(3)]) == 3
    figures, _ = await watched.figures()
    for name, expected in {
        "oddsdesk_stream_subscribers": 2,
        "oddsdesk_stream_messages_total": 6,
        "oddsdesk_stream_lag_changes": 0,
        "oddsdesk_quotes_recorded_total": 1,
        "oddsdesk_price_changes": 3,
        "oddsdesk_owner": 1,
    }.items():
        assert prometheus.value(figures, name) == expected, name
    wal = watched.database.with_name("odds.db-wal").stat().st_size
    assert prometheus.value(figures, "oddsdesk_write_ahead_log_bytes") == wal > 0
    assert prometheus.value(figures, "process_cpu_seconds_total", worker="1") > 0
    for stream in streams:
        await stream.close()


async def test_feeds_are_told_by_number_and_kind_without_addresses_or_keys(watched) -> None:
    async with asyncio.timeout(10):
        while True:
            figures, text = await watched.figures()
            states = {
                dict(labels)["state"]: found
                for (_, labels), found in figures["oddsdesk_feed_state"].samples.items()
                if {("feed", "1"), ("source", "ws")} <= labels
            }
            if states["failing"]:
                break
    assert sum(states.values()) == 1
    assert len(states) == 6
    key = watched.key()
    await watched.http.get("/api/odds", headers={"X-Api-Key": key})
    text = (await watched.figures())[1]
    assert not [each for each in ("SECRET", "127.0.0.1", key, "account") if each in text]


async def test_there_is_nothing_else_and_nothing_for_pages(watched) -> None:
    assert (await watched.watching.get("/api/odds")).status_code == 404
    assert (await watched.watching.post("/metrics")).status_code == 405
    elsewhere = {"Host": "rebound.example"}
    assert (await watched.watching.get("/metrics", headers=elsewhere)).status_code == 400
    assert (await watched.http.get("/metrics")).status_code == 401


async def test_they_are_read_at_an_address_that_is_named_by_names_that_are_allowed(
    tmp_path: Path,
) -> None:
    service, port = LiveService(tmp_path / "odds.db"), _free_port()
    public = PublicAddress(allow_hosts=("one",))
    service.options = {"metrics_port": port, "metrics_host": "0.0.0.0", "public": public}
    await service.start()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        for host, status in (("one:9123", 200), ("10.1.2.3", 200), ("rebound.example", 400)):
            answer = await client.get("/metrics", headers={"Host": host})
            assert answer.status_code == status, host
    await service.stop()


async def test_an_address_of_another_machine_is_one_line(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "odds.db", port=0, metrics_port=1, metrics_host="192.0.2.1")
    with pytest.raises(ListenError, match=r"^cannot listen on 192.*use another --metrics-host$"):
        async with serving(settings):
            pass


async def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = Settings(tmp_path / "odds.db", port=0)
        busy = msgspec.structs.replace(settings, metrics_port=taken.getsockname()[1])
        with pytest.raises(ListenError, match=r"the port is in use; .* --metrics-port"):
            async with serving(busy):
                pass
