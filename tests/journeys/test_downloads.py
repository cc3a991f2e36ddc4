"""What a release holds besides the desk's bundle: the server without Qt, pip's, bills (D86, D87).

`packaging/smoke` runs these on what `packaging/build` made; elsewhere they are skipped.
"""

import json
import os
import re
import signal
import subprocess
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.kit.bundle import Bundle, unpack

DIST = os.environ.get("ODDSDESK_DIST")
OF_A_SCREEN = re.compile(
    r"PySide6|shiboken|libQt|libGL|libEGL|libX|libxcb|libxkb|libwayland|libicu"
)

pytestmark = pytest.mark.skipif(not DIST, reason="no downloads; packaging/smoke tests them")


@pytest.fixture(scope="module")
def dist() -> Path:
    assert DIST is not None
    return Path(DIST).resolve()


@pytest.fixture(scope="module")
def version(dist: Path) -> str:
    (wheel,) = dist.glob("oddsdesk-*.whl")
    return wheel.name.split("-")[1]


@pytest.fixture(scope="module")
def unpacked(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    (archive,) = dist.glob("oddsdesk-server-*-linux-*.tar.gz")
    return unpack(archive, tmp_path_factory.mktemp("server"))


@pytest.fixture
def server(unpacked: Path, tmp_path: Path) -> Bundle:
    return Bundle(unpacked, tmp_path / "home")


def test_the_sums_are_of_all_there_is(dist: Path):
    named = {line.split()[1] for line in (dist / "SHA256SUMS").read_text().splitlines()}
    there = {path.name for path in dist.iterdir() if path.name.startswith("oddsdesk")}
    assert named == there
    assert len(there) == 10, "of each of the two: wheel, sdist, bundle, package, bill"


def test_nothing_of_a_screen_is_in_the_server(server: Bundle):
    found = [path.name for path in server.folder.rglob("*") if OF_A_SCREEN.match(path.name)]
    assert found == []
    assert "PySide6" not in (server.folder / "LICENCES.txt").read_text("utf-8")


def test_it_serves_where_there_is_nothing_else(server: Bundle, version: str):
    assert server.run("oddsdesk-server", "--version").endswith(version)
    process = server.start("oddsdesk-server", "--database", "odds.db", "--port", "0")
    assert process.stdout is not None
    url = process.stdout.readline().strip().removeprefix("listening on ")
    with urllib.request.urlopen(f"{url}/api/health", timeout=30) as answer:
        told = json.load(answer)
    assert (told["status"], told["version"]) == ("ok", version)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "nothing is broken" in server.run("oddsdesk-server", "doctor", "--port", "1")


def field(package: Path, name: str) -> str:
    done = subprocess.run(
        ["dpkg-deb", "--field", str(package), name], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_packages_exclude_each_other_and_the_server_asks_for_no_screen(dist: Path):
    (desk,), (server,) = dist.glob("oddsdesk_*.deb"), dist.glob("oddsdesk-server_*.deb")
    assert field(desk, "Conflicts") == field(server, "Package") == "oddsdesk-server"
    assert field(server, "Conflicts") == field(desk, "Package") == "oddsdesk"
    assert "libgl1" in field(desk, "Depends")
    needs = {each.split()[0] for each in field(server, "Depends").split(", ")}
    assert "libc6" in needs
    assert not needs & {"libsqlite3-0", "libssl3", "libffi8"}, "it brings them along"
    assert not any(
        re.match(r"lib(gl|egl|x|wayland|fontconfig|freetype|dbus)", each) for each in needs
    )


@pytest.mark.parametrize(("name", "needs_qt"), [("oddsdesk", True), ("oddsdesk_server", False)])
def test_what_pip_installs_knows_its_commit_and_what_it_needs(
    dist: Path, version: str, name: str, needs_qt: bool
):
    with zipfile.ZipFile(dist / f"{name}-{version}-py3-none-any.whl") as wheel:
        metadata = wheel.read(f"{name}-{version}.dist-info/METADATA").decode()
        known: dict[str, object] = {}
        exec(wheel.read("oddsdesk/version.py"), known)
    needed = [
        line for line in metadata.splitlines() if re.match("(?i)Requires-Dist: pyside6", line)
    ]
    assert any("extra ==" not in line for line in needed) is needs_qt
    assert known["VERSION"] == version
    assert re.fullmatch("[0-9a-f]{40}", str(known["COMMIT"]))


@pytest.mark.parametrize("name", ["oddsdesk", "oddsdesk-server"])
def test_a_bill_names_every_compiled_file(dist: Path, name: str, tmp_path: Path):
    (file,) = dist.glob(f"{name}-[0-9]*.cdx.json")
    (archive,) = dist.glob(f"{name}-[0-9]*-linux-*.tar.gz")
    folder = unpack(archive, tmp_path)
    named = {
        inside["name"]
        for component in json.loads(file.read_text("utf-8"))["components"]
        for inside in component.get("components", ())
        if inside["type"] == "file"
    }
    there = {
        path.relative_to(folder).as_posix()
        for path in (folder / "lib").rglob("*")
        if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"
    }
    assert named == there
