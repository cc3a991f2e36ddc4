"""GET /metrics for Prometheus: at a separate address, or with a key that can write."""

import asyncio
import json
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Final

import httpx
import msgspec
import pytest
import yaml

from oddsdesk import __version__
from oddsdesk.contract.access import Plan
from oddsdesk.server.edge.listener import ListenError
from oddsdesk.server.rest import Sample
from oddsdesk.server.run.monitoring import FAMILIES, render
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import PublicAddress, Settings, TlsFiles
from oddsdesk.store.owner_secret import SECRET_HEADER, owner_secret_of
from oddsdesk.store.values import Origin
from tests.kit import prometheus
from tests.kit.deployed import ROOT
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
    assert (
        prometheus.value(figures, "oddsdesk_request_duration_seconds_count", endpoint="/api/odds")
        == 4
    )
    assert "no-such-game" not in text
    assert "nowhere" not in text


async def test_what_keys_ask_for_beyond_their_quotas_is_counted(watched) -> None:
    key = watched.key(Plan.FREE, "Betfair")
    allowed = Plan.FREE.rights.requests
    before, _ = await watched.figures()
    for kind in ("requests", "tokens", "connections"):  # or rate() misses the first
        assert prometheus.value(before, "oddsdesk_quota_refusals_total", kind=kind) == 0
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


async def test_a_key_that_can_write_reads_them_at_the_main_address(watched) -> None:
    keys = watched.access.keys
    writer = keys.create("prometheus", Plan.PRO, None, watched.now, may_write=True).secret
    answer = await watched.http.get("/metrics", headers={"X-Api-Key": writer})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert prometheus.value(prometheus.parse(answer.text), "oddsdesk_owner") == 1
    left = answer.headers["x-ratelimit-remaining"]
    assert left == str(Plan.PRO.rights.requests)  # not counted
    posted = await watched.http.post("/metrics", headers={"X-Api-Key": writer})
    assert posted.status_code == 405
    reader = await watched.http.get("/metrics", headers={"X-Api-Key": watched.key()})
    assert reader.status_code == 403
    assert reader.json()["error"]["code"] == "write_forbidden"


async def test_the_owner_of_the_database_reads_them_on_this_machine(watched) -> None:
    secret = {SECRET_HEADER: owner_secret_of(watched.database).read_secret()}
    assert (await watched.http.get("/metrics", headers=secret)).status_code == 200
    forwarded = {**secret, "X-Forwarded-For": "192.0.2.1"}
    assert (await watched.http.get("/metrics", headers=forwarded)).status_code == 401


async def test_ages_are_counted_from_the_newest_price_and_from_each_sources_recording(
    watched,
) -> None:
    other = watched.quote(bookmaker="Other", scraped_at=watched.now - 60_000)
    await watched.record(other, origin=Origin("old", may_share=True))
    watched.now += 30_000
    await watched.record(watched.quote(), origin=Origin("new", may_share=True))
    watched.now += 10_000
    figures, _ = await watched.figures()
    for name, labels, expected in (
        ("oddsdesk_odds_age_seconds", {}, 10),
        ("oddsdesk_source_age_seconds", {"source": "new"}, 10),
        ("oddsdesk_source_age_seconds", {"source": "old"}, 40),
        ("oddsdesk_build_info", {"version": __version__}, 1),
    ):
        assert prometheus.value(figures, name, **labels) == expected, labels
    watched.now += 8 * 24 * 3_600_000  # nobody is alarmed by a source that ended long ago
    figures, _ = await watched.figures()
    assert "oddsdesk_source_age_seconds" not in figures


def test_labels_of_foreign_text_are_escaped() -> None:
    name = 'a "source"\\\nwith } everything{'
    text = render([Sample("oddsdesk_source_age_seconds", 1.5, {"source": name})], {}).decode()
    (key,) = prometheus.parse(text)["oddsdesk_source_age_seconds"].samples
    ((label, told),) = key[1]
    assert (label, told) == ("source", 'a \\"source\\"\\\\\\nwith } everything{')


SELECTOR = re.compile(r"\b((?:oddsdesk|process)_[a-z_]+)(?:\{([^}]*)\})?")
OF_PROMETHEUS = {"job", "instance"}


async def test_alerts_and_dashboard_ask_for_what_a_server_exports(tmp_path: Path) -> None:
    """Each name and label; the server has a certificate, a feed, a stream and a refusal."""
    files = TlsFiles(tmp_path / "odds.crt", tmp_path / "odds.key")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-subj", "/CN=odds", "-keyout", str(files.key)]
    subprocess.run([*command, "-out", str(files.certificate)], check=True, capture_output=True)
    service = LiveService(tmp_path / "odds.db")
    public = PublicAddress(tls=files)
    service.options = {"feeds": ("ws://127.0.0.1:1/",), "public": public}
    await service.start()
    await service.record(service.quote(), origin=Origin("mine"))
    key = {"X-Api-Key": service.key(Plan.FREE, "Betfair")}
    secret = {SECRET_HEADER: owner_secret_of(service.database).read_secret()}
    async with httpx.AsyncClient(base_url=service.server.local_url) as http:
        for _ in range(Plan.FREE.rights.requests + 1):
            await http.get("/api/sports", headers=key)
        text = (await http.get("/metrics", headers=secret)).text
    await service.stop()
    families = prometheus.parse(text)
    assert families.keys() == {each.name for each in FAMILIES}
    labels: dict[str, set[str]] = {}
    for family in families.values():
        for name, pairs in family.samples:
            labels.setdefault(name, set()).update(key for key, _ in pairs)
    deploy = ROOT / "packaging" / "deploy"
    rules = yaml.safe_load((deploy / "prometheus-alerts.yaml").read_text())["groups"][0]["rules"]
    panels = json.loads((deploy / "grafana-dashboard.json").read_text())["panels"]
    asked = [each["expr"] for each in rules]
    asked += [target["expr"] for panel in panels for target in panel["targets"]]
    assert len(asked) > 30
    for expression in asked:
        for name, matchers in SELECTOR.findall(expression):
            wanted = set(re.findall(r"([a-z_]+)\s*(?:=|!)", matchers))
            assert wanted - OF_PROMETHEUS <= labels[name], (name, matchers)


_MINE: Final = 'oddsdesk_source_age_seconds{job="oddsdesk",instance="a",source="mine"}'
_FEED: Final = 'oddsdesk_feed_state{job="oddsdesk",instance="b",feed="1",source="mine",state="%s"}'
_STARTED: Final = 'process_start_time_seconds{job="oddsdesk",instance="a",worker="0"}'
_ODDS: Final = 'oddsdesk_odds_age_seconds{job="oddsdesk",instance="a"}'
_OTHER: Final = 'oddsdesk_odds_age_seconds{job="oddsdesk",instance="b"}'
ALERTS: Final = (
    ("OddsdeskNoOdds", {_STARTED: "0x90"}, True),
    ("OddsdeskNoOdds", {_STARTED: "0x90", _OTHER: "0x90"}, True),
    ("OddsdeskNoOdds", {_STARTED: "0x90", _ODDS: "_x80 0x10"}, False),
    ("OddsdeskNoOdds", {_STARTED: "4800x90"}, False),
    ("OddsdeskNoNewOdds", {_ODDS: "0+60x90"}, True),
    ("OddsdeskSourceSilent", {_MINE: "0+60x90"}, False),  # an import
    ("OddsdeskSourceSilent", {_MINE: "0+60x90", _FEED % "running": "1x90"}, True),
    ("OddsdeskSourceSilent", {_MINE: "0+60x90", _FEED % "stopped": "1x90"}, False),
    ("OddsdeskSourceSilent", {_MINE: "30x90 0+60x90"}, True),  # a program that ended
    ("OddsdeskSourceSilent", {_MINE: "30x90"}, False),
)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool of Prometheus")
@pytest.mark.parametrize(("name", "series", "fires"), ALERTS)
def test_alerts_fire(tmp_path: Path, name: str, series: dict[str, str], fires: bool) -> None:
    """Prometheus' own judge of rules; minutes."""
    at = 180 if "30x90 0+60x90" in series.values() else 90
    rules = ROOT / "packaging" / "deploy" / "prometheus-alerts.yaml"
    case = {
        "interval": "1m",
        "input_series": [{"series": each, "values": values} for each, values in series.items()],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{name}",alertstate="firing"}}) or vector(0)',
                "eval_time": f"{at}m",
                "exp_samples": [{"labels": "{}", "value": float(fires)}],
            }
        ],
    }
    file = tmp_path / "case.yaml"
    file.write_text(json.dumps({"rule_files": [str(rules)], "tests": [case]}))
    done = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
