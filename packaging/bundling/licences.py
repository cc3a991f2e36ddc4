"""The licences of all that is in the bundle, in one file; an unwanted one is an error."""

import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

FILE: Final = "LICENCES.txt"

LIBRARIES: Final = {
    "libbz2": "bzip2-1.0.6",
    "libcrypto": "Apache-2.0",
    "libffi": "MIT",
    "libicudata": "Unicode-3.0",
    "libicui18n": "Unicode-3.0",
    "libicuuc": "Unicode-3.0",
    "liblzma": "0BSD",
    "libpyside6": "LGPL-3.0-only",
    "libpython3": "PSF-2.0",
    "libQt6": "LGPL-3.0-only",
    "libshiboken6": "LGPL-3.0-only",
    "libsqlite3": "public domain",
    "libssl": "Apache-2.0",
    "libuuid": "BSD-3-Clause",
    "libxcb-": "MIT (X11)",
    "libxkbcommon": "MIT",
    "libz": "Zlib",
    "libzstd": "BSD-3-Clause",
}
"""Shared libraries by the beginning of their names; one that is not here stops the build."""

_LGPL_CHOSEN: Final = frozenset({"PySide6_Essentials", "shiboken6"})
"""Offered under the LGPL or the GPL; we take the LGPL."""
_COPYLEFT: Final = re.compile(r"(?<!L)(A?GPL)|GNU (Affero )?General Public", re.IGNORECASE)

_HEAD: Final = """\
Licences of what is in this bundle of oddsdesk {version}
========================================================

oddsdesk itself is under the MIT licence (below). It comes with the parts listed here, each
under its own licence. Nothing in it is under the GPL or the AGPL.

Qt and PySide6 are used under the GNU Lesser General Public License, version 3. Their libraries
lie as files in lib/PySide6 and lib/shiboken6 and are loaded when the program starts. To use
another build of Qt {qt} or of PySide6, put its libraries in place of those files; nothing
else has to be changed. Their sources: https://download.qt.io/official_releases/QtForPython/
and https://download.qt.io/official_releases/qt/.

The programs start with PyInstaller's bootloader: GPL-2.0-or-later with an exception that lets
it be part of programs under any licence, which this bundle makes use of.
"""


class LicenceError(Exception):
    """A part may not be in the bundle, or nobody has looked at its licence."""


def write_licences(bundle: Path, root: Path) -> Path:
    """Write one file with every licence into the bundle and return it.

    Raises:
        LicenceError: a part is under a licence that is not wanted, or an unknown one.
    """
    parts = [_own(root), *_packages(bundle / "lib"), *_python(), *_libraries(bundle / "lib")]
    listed = "\n".join(f"  {name}: {licence}" for name, licence, _ in parts)
    qt = importlib.metadata.version("PySide6_Essentials")
    head = _HEAD.format(version=importlib.metadata.version("oddsdesk"), qt=qt)
    texts = [
        f"\n\n{'-' * 78}\n{name}: {licence}\n{'-' * 78}\n\n{text}" for name, licence, text in parts
    ]
    for name in ("LGPL-3.0", "GPL-3.0"):
        why = " (the LGPL is a supplement to it)" if name.startswith("G") else ""
        text = (root / "packaging" / "licences" / f"{name}.txt").read_text()
        texts.append(f"\n\n{'-' * 78}\n{name}{why}\n{'-' * 78}\n\n{text}")
    file = bundle / FILE
    file.write_text(f"{head}\n{listed}\n{''.join(texts)}", encoding="utf-8")
    return file


def check_licence(name: str, licence: str) -> str:
    """Return the licence that a Python package is used under.

    Raises:
        LicenceError: it is the GPL or AGPL.
    """
    if name in _LGPL_CHOSEN and "LGPL" in licence:
        return "LGPL-3.0-only"
    if _COPYLEFT.search(licence):
        raise LicenceError(f"{name} is under {licence}: it may not be in the bundle")
    return licence


def library_licence(file_name: str) -> str:
    """Return the licence of a shared library by its file name.

    Raises:
        LicenceError: it is not in ``LIBRARIES``.
    """
    for beginning, licence in LIBRARIES.items():
        if file_name.startswith(beginning):
            return licence
    raise LicenceError(f"{file_name}: look up its licence and add it to LIBRARIES, or leave it out")


def _own(root: Path) -> tuple[str, str, str]:
    font = (root / "resources" / "fonts" / "OFL.txt").read_text()
    text = f"{(root / 'LICENSE').read_text()}\n\nThe font Inter (OFL-1.1):\n\n{font}"
    return "oddsdesk", "MIT; its font Inter: OFL-1.1", text


def _packages(lib: Path) -> Iterator[tuple[str, str, str]]:
    """Every Python distribution that has a module in the bundle."""
    inside = {path.name.split(".")[0] for path in lib.iterdir()} | {"PySide6", "shiboken6"}
    owners = importlib.metadata.packages_distributions()
    names = {name for module in inside for name in owners.get(module, ())}
    for name in sorted(names - {"oddsdesk"}, key=str.lower):
        about = importlib.metadata.distribution(name)
        licence = check_licence(name, _licence_of(about))
        yield f"{name} {about.version}", licence, "\n\n".join(_texts(about))


def _licence_of(about: importlib.metadata.Distribution) -> str:
    told = about.metadata.get("License-Expression") or about.metadata.get("License") or ""
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in about.metadata.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    short = told if 0 < len(told) < 100 else "; ".join(classifiers)
    if not short:
        raise LicenceError(f"{about.name}: says no licence; look it up")
    return short


def _texts(about: importlib.metadata.Distribution) -> Iterable[str]:
    for file in about.files or ():
        inside = any(part.endswith(".dist-info") for part in file.parts)
        if inside and re.search(r"licen[cs]e|copying|notice", str(file), re.IGNORECASE):
            path = Path(str(file.locate()))
            if path.is_file() and path.suffix not in (".py", ".json"):
                yield path.read_text(encoding="utf-8", errors="replace")


def _python() -> Iterator[tuple[str, str, str]]:
    folder = Path(sysconfig.get_path("stdlib"))
    found = [
        folder / "LICENSE.txt",
        folder.parent / "LICENSE.txt",
        Path(sys.base_prefix, "LICENSE"),
    ]
    file = next((each for each in found if each.is_file()), None)
    text = (
        file.read_text() if file else _debian_text(f"libpython3.{sys.version_info.minor}-minimal")
    )
    yield f"Python {platform.python_version()}", "PSF-2.0", text


def _libraries(lib: Path) -> Iterator[tuple[str, str, str]]:
    """Shared libraries of the system; those of Qt are PySide6's own."""
    for file in sorted(lib.glob("lib*.so*")):
        licence = library_licence(file.name)
        if file.is_symlink() or file.name.startswith(
            ("libQt6", "libicu", "libpython", "libpys", "libshib")
        ):
            continue
        package = _debian_package(file.name)
        yield (
            f"{file.name} (Debian's {package or 'unknown package'})",
            licence,
            _debian_text(package),
        )
    for file in sorted(lib.glob("PySide6/Qt/lib/lib*.so*")):
        library_licence(file.name)


def _debian_package(library: str) -> str:
    """Return the package that a library of the building machine came with, '' where unknown."""
    if shutil.which("dpkg") is None:
        return ""
    told = subprocess.run(
        ["dpkg", "-S", f"*/{library}"], capture_output=True, text=True, check=False
    )
    return told.stdout.partition(":")[0].split(",")[0]


def _debian_text(package: str) -> str:
    file = Path("/usr/share/doc", package, "copyright")
    return file.read_text(encoding="utf-8", errors="replace") if package and file.is_file() else ""
