"""The Debian packages: a bundle, manual pages and units; of the desk also its place in the menu."""

import gzip
import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Final

from bundling.depends import depends_of
from bundling.icons import draw_icons
from bundling.licences import FILE as LICENCES
from bundling.manual import manual_pages
from bundling.metainfo import ENTRY, METAINFO, metainfo
from bundling.published import maintainer
from bundling.versions import Build, build_of, debian_version


@dataclass(frozen=True, slots=True)
class Package:
    """A Debian package; both hold `oddsdesk-server`, so a machine has one of them."""

    name: str
    programs: tuple[str, ...]
    conflicts: str
    summary: str
    about: str
    recommends: str = ""

    @property
    def has_window(self) -> bool:
        """Whether it belongs into a desktop's menu."""
        return "oddsdesk" in self.programs


DESK: Final = Package(
    "oddsdesk",
    ("oddsdesk", "oddsdesk-server"),
    "oddsdesk-server",
    "compare odds with a sharp bookmaker, live",
    """\
 A desktop app that shows a game as a matrix of selections and bookmakers, with
 fair prices and value bets, and the odds server it talks to: REST and a stream
 of price changes over one SQLite file. It brings its own Python and Qt.
""",
    "libwayland-client0, libwayland-cursor0, xdg-desktop-portal",
)
SERVER: Final = Package(
    "oddsdesk-server",
    ("oddsdesk-server",),
    "oddsdesk",
    "odds server with REST and a price stream",
    """\
 REST and a stream of price changes over one SQLite file, with feeds, importers,
 keys, plans and quotas. It is oddsdesk without its window: no Qt, no OpenGL.
 It brings its own Python.
""",
)

_CONTROL: Final = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kib}
{relations}Conflicts: {conflicts}
Replaces: {conflicts}
Section: misc
Priority: optional
Description: {summary}
{about}"""


_COPYRIGHT: Final = """\
{name} is under the MIT licence and brings parts of others along: Python, Qt and the
libraries that it uses. Each part, its version, its notice and its licence are in
/usr/share/doc/{name}/LICENCES.txt.gz.

Debian's copies of the long texts: /usr/share/common-licenses/GPL-3 (PyInstaller's starter and
GCC's run time, each with its exception), LGPL-3 (Qt, PySide6) and Apache-2.0.

"""
_CHANGELOG: Final = """\
{name} ({version}) stable; urgency=medium

  * See CHANGELOG.md.gz.

 -- {maintainer}  {when}
"""


def build_package(package: Package, bundle: Path, root: Path, work: Path, target: Path) -> Path:
    """Build a package from a finished bundle; needs dpkg-dev. Return the file.

    The time of all files is SOURCE_DATE_EPOCH.
    """
    build = build_of(root)
    tree = work / "tree"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(bundle, tree / "usr" / "lib" / package.name, symlinks=True)
    _link_programs(package, tree / "usr" / "bin")
    if package.has_window:
        _add_desktop_files(root, build, tree / "usr" / "share")
    unit = root / "resources" / "desktop" / "oddsdesk-server.service"
    _copy(unit, tree / "usr" / "lib" / "systemd" / "user" / unit.name)
    _add_documents(package, bundle, root, build, tree / "usr" / "share")
    (tree / "DEBIAN").mkdir()
    depends = depends_of(tree / "usr" / "lib" / package.name, work / "shlibdeps")
    _add_control(package, tree, root, debian_version(build.version), depends)
    for path in tree.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or _is_program(path) else 0o644)
    file = target / f"{package.name}_{build.version}_{architecture()}.deb"
    subprocess.run(
        [
            *("dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--threads-max=1"),
            *("--build", str(tree), str(file)),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return file


def _is_program(path: Path) -> bool:
    with path.open("rb") as stream:
        begins = stream.read(4)
    return ".so" not in path.name and begins.startswith((b"\x7fELF", b"#!"))


def architecture() -> str:
    """Return Debian's name of this machine's architecture."""
    told = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def _link_programs(package: Package, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in package.programs:
        (folder / name).symlink_to(f"../lib/{package.name}/{name}")


def _add_desktop_files(root: Path, build: Build, share: Path) -> None:
    source = root / "resources" / "desktop"
    icons = share / "icons" / "hicolor"
    _copy(source / ENTRY, share / "applications" / ENTRY)
    (share / "metainfo").mkdir(parents=True)
    (share / "metainfo" / METAINFO).write_text(metainfo(root, build), "utf-8")
    _copy(source / "oddsdesk.svg", icons / "scalable" / "apps" / "oddsdesk.svg")
    draw_icons(source / "oddsdesk.svg", icons)


def _debian_changelog(package: Package, root: Path, build: Build) -> str:
    when = format_datetime(datetime.fromtimestamp(build.committed_s, UTC))
    return _CHANGELOG.format(
        name=package.name,
        version=debian_version(build.version),
        maintainer=maintainer(root),
        when=when,
    )


def _add_documents(package: Package, bundle: Path, root: Path, build: Build, share: Path) -> None:
    documents = share / "doc" / package.name
    documents.mkdir(parents=True, exist_ok=True)
    licence = (root / "LICENSE").read_text("utf-8")
    (documents / "copyright").write_text(_COPYRIGHT.format(name=package.name) + licence, "utf-8")
    _pack(bundle / LICENCES, documents / f"{LICENCES}.gz")
    _pack(root / "CHANGELOG.md", documents / "CHANGELOG.md.gz")
    _write_packed(_debian_changelog(package, root, build), documents / "changelog.gz")
    overrides = (root / "packaging" / "lintian-overrides").read_text("utf-8")
    (share / "lintian" / "overrides").mkdir(parents=True)
    (share / "lintian" / "overrides" / package.name).write_text(
        overrides.format(name=package.name), "utf-8"
    )
    for unit in sorted((root / "packaging" / "deploy" / "systemd").iterdir()):
        _copy(unit, documents / "examples" / unit.name)
    pages = share / "man" / "man1"
    pages.mkdir(parents=True)
    for name, text in manual_pages().items():
        if name.removesuffix(".1") in package.programs:
            (pages / f"{name}.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _add_control(package: Package, tree: Path, root: Path, version: str, depends: str) -> None:
    files = [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink()]
    relations = {"Depends": depends, "Recommends": package.recommends}
    about = _CONTROL.format(
        name=package.name,
        version=version,
        architecture=architecture(),
        kib=sum(file.stat().st_size for file in files) // 1024,
        relations="".join(f"{field}: {value}\n" for field, value in relations.items() if value),
        conflicts=package.conflicts,
        maintainer=maintainer(root),
        summary=package.summary,
        about=package.about,
    )
    (tree / "DEBIAN" / "control").write_text(about)
    sums = (f"{_md5(file)}  {file.relative_to(tree)}\n" for file in files)
    (tree / "DEBIAN" / "md5sums").write_text("".join(sums))


def _md5(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "md5").hexdigest()


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _pack(source: Path, target: Path) -> None:
    _write_packed(source.read_text("utf-8"), target)


def _write_packed(text: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
