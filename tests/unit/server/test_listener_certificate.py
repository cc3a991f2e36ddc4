"""The certificate that is shown: the one of the files, also after they change."""

import logging
import shutil
import socket
import ssl
import subprocess
import threading
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from oddsdesk.contract.times import format_ms
from oddsdesk.server.edge.listener import DAY_MS, SOON_MS, Certificate, ListenError
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import PublicAddress, Settings, TlsFiles
from oddsdesk.store.lock import owner_of
from tests.kit import prometheus
from tests.kit.deployed import free_port


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[TlsFiles]:
    """Two certificates with their keys; the second key alone is in a third file with a password."""
    folder = tmp_path_factory.mktemp("pairs")
    made = []
    for number in (1, 2):
        files = TlsFiles(folder / f"{number}.crt", folder / f"{number}.key")
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
        command += ["ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={number}"]
        command += ["-keyout", str(files.key), "-out", str(files.certificate)]
        subprocess.run(command, check=True, capture_output=True)
        made.append(files)
    locked = folder / "locked.key"
    command = ["openssl", "ec", "-in", str(made[1].key), "-aes128", "-passout", "pass:secret"]
    subprocess.run([*command, "-out", str(locked)], check=True, capture_output=True)
    return made


@pytest.fixture
def files(pairs: list[TlsFiles], tmp_path: Path) -> TlsFiles:
    """Files that hold the first pair."""
    own = TlsFiles(tmp_path / "odds.crt", tmp_path / "odds.key")
    put(pairs[0], own)
    return own


def put(source: TlsFiles, target: TlsFiles) -> None:
    for old, new in ((source.certificate, target.certificate), (source.key, target.key)):
        fresh = new.with_suffix(".new")  # as programs that renew do it
        shutil.copy(old, fresh)
        fresh.replace(new)


def shown(certificate: Certificate) -> str:
    """The certificate that a client is shown now, as PEM."""
    server, client = socket.socketpair()

    def serve() -> None:
        with certificate.context.wrap_socket(server, server_side=True) as secured:
            secured.recv(1)

    thread = threading.Thread(target=serve)
    thread.start()
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with trusting.wrap_socket(client) as secured:
        found = secured.getpeercert(binary_form=True)
        secured.send(b"x")
    thread.join()
    assert found is not None
    return ssl.DER_cert_to_PEM_cert(found)


def test_a_renewed_certificate_is_shown(files: TlsFiles, pairs: list[TlsFiles]) -> None:
    certificate = Certificate(files)
    assert shown(certificate) == pairs[0].certificate.read_text()
    put(pairs[1], files)
    certificate.reload_if_changed()
    assert shown(certificate) == pairs[1].certificate.read_text()


def test_a_renewed_certificate_of_another_kind_of_key_is_shown(
    files: TlsFiles, tmp_path: Path
) -> None:
    certificate = Certificate(files)
    rsa = TlsFiles(tmp_path / "rsa.crt", tmp_path / "rsa.key")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=3"]
    command += ["-keyout", str(rsa.key), "-out", str(rsa.certificate)]
    subprocess.run(command, check=True, capture_output=True)
    put(rsa, files)
    certificate.reload_if_changed()
    assert shown(certificate) == rsa.certificate.read_text()


def test_half_a_renewal_is_not_shown_and_told(files: TlsFiles, pairs: list[TlsFiles]) -> None:
    certificate = Certificate(files)
    shutil.copy(pairs[1].certificate, files.certificate)
    certificate.reload_if_changed()
    assert certificate.is_outdated
    assert shown(certificate) == pairs[0].certificate.read_text()
    shutil.copy(pairs[1].key, files.key)
    certificate.reload_if_changed()
    assert not certificate.is_outdated
    assert shown(certificate) == pairs[1].certificate.read_text()


def test_what_cannot_be_used_is_said_in_a_line(files: TlsFiles, pairs: list[TlsFiles]) -> None:
    locked = pairs[1].key.with_name("locked.key")
    no_pair = "expected a PEM certificate and its private key"
    for wrong, said in (
        (TlsFiles(files.certificate, files.certificate), no_pair),
        (TlsFiles(files.certificate, pairs[1].key), no_pair),
        (TlsFiles(files.certificate, files.key.with_name("none")), "cannot be read"),
        (TlsFiles(pairs[1].certificate, locked), "this key needs a password"),
    ):
        with pytest.raises(ListenError, match=said):
            Certificate(wrong)


def test_old_versions_of_tls_are_refused(files: TlsFiles) -> None:
    assert Certificate(files).context.minimum_version >= ssl.TLSVersion.TLSv1_2


@pytest.fixture
def end(files: TlsFiles) -> int:
    """When the first certificate ends, as openssl says it."""
    command = ["openssl", "x509", "-noout", "-enddate", "-in", str(files.certificate)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    read = datetime.strptime(said.strip(), "notAfter=%b %d %H:%M:%S %Y GMT")
    return int(read.replace(tzinfo=UTC).timestamp()) * 1000


def test_an_end_is_told_from_14_days_before(files: TlsFiles, end: int) -> None:
    now = [0]
    certificate = Certificate(files, lambda: now[0])
    assert certificate.ends_at == end
    for at, said in (
        (end - SOON_MS, []),
        (end - SOON_MS + 1, [f"the certificate ends at {format_ms(end)}"]),
        (end - 1, [f"the certificate ends at {format_ms(end)}"]),
        (end, [f"the certificate ended at {format_ms(end)}"]),
        (end + 400 * DAY_MS, [f"the certificate ended at {format_ms(end)}"]),
    ):
        now[0] = at
        assert list(certificate.troubles()) == said


def test_the_log_tells_an_end_once_a_day(
    files: TlsFiles, pairs: list[TlsFiles], end: int, caplog: pytest.LogCaptureFixture
) -> None:
    now = [end - SOON_MS]
    certificate = Certificate(files, lambda: now[0])
    told = []
    with caplog.at_level(logging.WARNING):
        for later in (0, 1, DAY_MS, DAY_MS + 1, DAY_MS + 2, SOON_MS):
            now[0] = end - SOON_MS + later
            certificate.tell_end()
            told.append(len(caplog.messages))
    assert told == [0, 1, 1, 2, 2, 3]
    assert caplog.messages[0].startswith(f"{files.certificate}: the certificate ends at ")
    assert "ended at" in caplog.messages[-1]


def test_the_end_is_that_of_a_renewed_certificate(files: TlsFiles, tmp_path: Path) -> None:
    certificate = Certificate(files)
    before = certificate.ends_at
    renewed = TlsFiles(tmp_path / "new.crt", files.key)
    command = ["openssl", "req", "-x509", "-key", str(files.key), "-days", "90", "-subj", "/CN=1"]
    subprocess.run([*command, "-out", str(renewed.certificate)], check=True, capture_output=True)
    renewed.certificate.replace(files.certificate)
    certificate.reload_if_changed()
    assert certificate.ends_at is not None
    assert before is not None
    assert 59 * DAY_MS < certificate.ends_at - before < 61 * DAY_MS


def test_of_a_chain_the_first_one_is_meant(
    files: TlsFiles, pairs: list[TlsFiles], end: int
) -> None:
    chain = files.certificate.read_text() + pairs[1].certificate.read_text()
    files.certificate.write_text(f"# odds.example.org, 2026\n{chain}")
    assert Certificate(files).ends_at == end


@pytest.mark.parametrize(
    ("host", "base_url", "link_url"),
    [
        ("127.0.0.1", "", "https://127.0.0.1:"),
        ("127.0.0.1", "https://odds.example.org", "https://odds.example.org"),
        ("0.0.0.0", "", ""),
    ],
)
async def test_links_never_have_the_port_for_programs_of_this_machine(
    files: TlsFiles, tmp_path: Path, host: str, base_url: str, link_url: str
) -> None:
    database = tmp_path / "odds.db"
    public = PublicAddress(tls=files, base_url=base_url)
    settings = Settings(database, host=host, port=0, public=public)
    async with serving(settings) as server:
        owner = owner_of(database)
        assert owner is not None
        assert owner.url == server.local_url
        port = server.url.rpartition(":")[2] if link_url.endswith(":") else ""
        assert owner.link_url == link_url + port


async def test_health_log_and_metrics_tell_an_end(
    files: TlsFiles, end: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watched = free_port()
    public = PublicAddress(tls=files)
    settings = Settings(tmp_path / "odds.db", port=0, public=public, metrics_port=watched)
    async with serving(settings, lambda: end + DAY_MS) as server, httpx.AsyncClient() as client:
        health = (await client.get(f"{server.local_url}/api/health")).json()
        figures = prometheus.parse((await client.get(f"http://127.0.0.1:{watched}/metrics")).text)
    said = f"the certificate ended at {format_ms(end)}"
    assert (health["status"], health["reasons"]) == ("degraded", [said])
    assert prometheus.value(figures, "oddsdesk_certificate_expiry_timestamp_seconds") == end / 1000
    assert f"{files.certificate}: {said}; renew it" in caplog.messages
