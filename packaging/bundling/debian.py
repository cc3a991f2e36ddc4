"""The Debian package: the bundle, its place in the menu, manual pages and a user unit."""

import gzip
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

from bundling.icons import draw_icons
from bundling.licences import FILE as LICENCES
from bundling.manual import manual_pages
from bundling.system_parts import DEBIAN_DEPENDS, DEBIAN_RECOMMENDS

PROGRAMS: Final = ("oddsdesk", "oddsdesk-server")

_CONTROL: Final = """\
Package: oddsdesk
Version: {version}
Architecture: {architecture}
Maintainer: the oddsdesk developers <oddsdesk@localhost>
Installed-Size: {kib}
Depends: {depends}
Recommends: {recommends}
Section: misc
Priority: optional
Description: compare bookmakers with a sharp reference, live
 A desktop app that shows a game as a matrix of selections and bookmakers, with
 fair prices and value bets, and the odds server it talks to: REST and a stream
 of price changes over one SQLite file. It brings its own Python and Qt.
"""


def build_package(bundle: Path, root: Path, work: Path, target: Path, version: str) -> None:
    """Build the package from a finished bundle; needs dpkg-deb."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(bundle, work / "usr" / "lib" / "oddsdesk", symlinks=True)
    _link_programs(work / "usr" / "bin")
    _add_desktop_files(root / "resources" / "desktop", work / "usr" / "share")
    unit = root / "resources" / "desktop" / "oddsdesk-server.service"
    _copy(unit, work / "usr" / "lib" / "systemd" / "user" / unit.name)
    _add_documents(bundle, root, work / "usr" / "share")
    _add_control(work, version)
    for path in work.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", str(work), str(target)],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def architecture() -> str:
    """Return Debian's name of this machine's architecture."""
    told = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def _link_programs(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in PROGRAMS:
        (folder / name).symlink_to(f"../lib/oddsdesk/{name}")


def _add_desktop_files(source: Path, share: Path) -> None:
    icons = share / "icons" / "hicolor"
    _copy(source / "oddsdesk.desktop", share / "applications" / "oddsdesk.desktop")
    _copy(
        source / "oddsdesk.metainfo.xml", share / "metainfo" / "org.oddsdesk.oddsdesk.metainfo.xml"
    )
    _copy(source / "oddsdesk.svg", icons / "scalable" / "apps" / "oddsdesk.svg")
    draw_icons(source / "oddsdesk.svg", icons)


def _add_documents(bundle: Path, root: Path, share: Path) -> None:
    _copy(bundle / LICENCES, share / "doc" / "oddsdesk" / "copyright")
    _pack(root / "CHANGELOG.md", share / "doc" / "oddsdesk" / "changelog.gz")
    pages = share / "man" / "man1"
    pages.mkdir(parents=True)
    for name, text in manual_pages().items():
        (pages / f"{name}.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _add_control(work: Path, version: str) -> None:
    control = work / "DEBIAN"
    files = [path for path in sorted(work.rglob("*")) if path.is_file() and not path.is_symlink()]
    control.mkdir()
    about = _CONTROL.format(
        version=version,
        architecture=architecture(),
        kib=sum(file.stat().st_size for file in files) // 1024,
        depends=", ".join(DEBIAN_DEPENDS),
        recommends=", ".join(DEBIAN_RECOMMENDS),
    )
    (control / "control").write_text(about)
    sums = (f"{_md5(file)}  {file.relative_to(work)}\n" for file in files)
    (control / "md5sums").write_text("".join(sums))


def _md5(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "md5").hexdigest()


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _pack(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(source.read_bytes(), 9, mtime=0))
