"""The certificate that is shown: the one of the files, also after they change."""

import shutil
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from oddsdesk.server.certificate import Certificate
from oddsdesk.server.listener import ListenError
from oddsdesk.server.settings import TlsFiles


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
    for old, new in (
        (source.certificate, target.certificate),
        (source.key, target.key),
    ):
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
    certificate.look()
    assert shown(certificate) == pairs[1].certificate.read_text()


def test_half_a_renewal_is_not_shown_and_told(files: TlsFiles, pairs: list[TlsFiles]) -> None:
    certificate = Certificate(files)
    shutil.copy(pairs[1].certificate, files.certificate)
    certificate.look()
    assert certificate.is_outdated
    assert shown(certificate) == pairs[0].certificate.read_text()
    shutil.copy(pairs[1].key, files.key)
    certificate.look()
    assert not certificate.is_outdated
    assert shown(certificate) == pairs[1].certificate.read_text()


def test_what_cannot_be_used_is_said_in_a_line(files: TlsFiles, pairs: list[TlsFiles]) -> None:
    locked = pairs[1].key.with_name("locked.key")
    no_pair = "expected a certificate in PEM and its key"
    for wrong, said in (
        (TlsFiles(files.certificate, files.certificate), no_pair),
        (TlsFiles(files.certificate, pairs[1].key), no_pair),
        (TlsFiles(files.certificate, files.key.with_name("none")), "cannot be read"),
        (TlsFiles(pairs[1].certificate, locked), "this key asks for a password"),
    ):
        with pytest.raises(ListenError, match=said):
            Certificate(wrong)


def test_old_versions_of_tls_are_refused(files: TlsFiles) -> None:
    assert Certificate(files).context.minimum_version >= ssl.TLSVersion.TLSv1_2
