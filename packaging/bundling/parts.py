"""Whose work is in a bundle: every package, shared library, and what is compiled into them."""

import hashlib
import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import quote

LIBRARIES: Final = {
    "libbz2": "bzip2-1.0.6",
    "libcrypto": "Apache-2.0",
    "libffi": "MIT",
    "liblzma": "0BSD",
    "libpython3": "PSF-2.0",
    "libsqlite3": "public domain",
    "libssl": "Apache-2.0",
    "libuuid": "BSD-3-Clause",
    "libxcb-": "MIT (X11)",
    "libxkbcommon": "MIT",
    "libz": "Zlib",
    "libzstd": "BSD-3-Clause",
}
"""Shared libraries of the system by the beginning of their names; another stops the build."""

_INSIDE: Final = Path("packaging", "licences", "inside.toml")
_LGPL_CHOSEN: Final = frozenset({"PySide6_Essentials", "shiboken6"})
"""Offered under the LGPL or the GPL; we take the LGPL."""
_COPYLEFT: Final = re.compile(r"(?<!L)(A?GPL)|GNU (Affero )?General Public", re.IGNORECASE)
_PUBLIC_DOMAIN: Final = "public domain"
LGPL: Final = "LGPL-3.0-only"
_BROUGHT_BY_WHEELS: Final = {"numpy.libs": "numpy"}
"""Folders of libraries that a wheel brings along; what is in them is in `inside.toml`."""


class LicenceError(Exception):
    """A part may not be in the bundle, or nobody has looked at its licence, or it has no notice."""


@dataclass(frozen=True, slots=True)
class Part:
    """Somebody's work. ``texts`` are names of common texts; ``inside`` is the part it lies in."""

    name: str
    version: str
    licence: str
    text: str = ""
    texts: tuple[str, ...] = ()
    purl: str = ""
    inside: str = ""
    files: tuple[Path, ...] = ()

    @property
    def title(self) -> str:
        """Name and version, and what it lies in."""
        where = f" (in {self.inside})" if self.inside else ""
        return f"{self.name} {self.version}".rstrip() + where


def parts_of(bundle: Path, root: Path) -> list[Part]:
    """Return everything that is in a finished bundle, each compiled file with its owner.

    Raises:
        LicenceError: a part is under a licence that is not wanted or unknown, a file is
            nobody's, or there is no notice of it.
    """
    files = _files_by_owner(bundle)
    held = [_own(root), *_packages(bundle / "lib", files), _python(files), _bootloader()]
    held += _system_libraries(files)
    if "Qt" in files:
        held += _qt(files)
    found = [*held, *_inside(root, files, held)]
    for part in found:
        if not (part.text.strip() or part.texts or part.licence == _PUBLIC_DOMAIN):
            raise LicenceError(f"{part.title}: there is no notice of it")
    return found


def check_licence(name: str, licence: str) -> str:
    """Return the licence that a Python package is used under.

    Raises:
        LicenceError: it is the GPL or AGPL.
    """
    if name in _LGPL_CHOSEN and "LGPL" in licence:
        return LGPL
    if _COPYLEFT.search(licence):
        raise LicenceError(f"{name} is under {licence}: it may not be in the bundle")
    return licence


def library_licence(file_name: str) -> str:
    """Return the licence of a shared library of the system by its file name.

    Raises:
        LicenceError: it is not in ``LIBRARIES``.
    """
    for beginning, licence in LIBRARIES.items():
        if file_name.startswith(beginning):
            return licence
    raise LicenceError(f"{file_name}: look up its licence and add it to LIBRARIES, or leave it out")


def compiled_files(bundle: Path) -> Iterator[Path]:
    """Yield programs and shared libraries of a bundle, links left out."""
    for path in sorted(bundle.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as stream:
                if stream.read(4) == b"\x7fELF":
                    yield path


def owner_of(place: Path) -> str:
    """Return whose a compiled file is, by its place below ``lib``: a package, Qt, ICU, or itself.

    Raises:
        LicenceError: nobody's is known.
    """
    first, name = place.parts[0], place.name
    if first == "PySide6" and "Qt" in place.parts:
        return "ICU" if name.startswith("libicu") else "Qt"
    if "lib-dynload" in place.parts or name.startswith("libpython3"):
        return "Python"
    if len(place.parts) == 1 and name.startswith("lib"):
        return name
    if first in _BROUGHT_BY_WHEELS:
        return _BROUGHT_BY_WHEELS[first]
    owners = _distributions().get(first.split(".")[0], ())
    if first.endswith(".libs") or not owners:
        raise LicenceError(f"{place}: nobody knows whose it is; see packaging/licences/inside.toml")
    return owners[0]


@cache
def _distributions() -> dict[str, list[str]]:
    return {
        name: list(owners) for name, owners in importlib.metadata.packages_distributions().items()
    }


def _files_by_owner(bundle: Path) -> dict[str, tuple[Path, ...]]:
    found: dict[str, list[Path]] = {}
    for file in compiled_files(bundle / "lib"):
        owner = owner_of(file.relative_to(bundle / "lib"))
        found.setdefault(owner, []).append(file.relative_to(bundle))
    return {owner: tuple(files) for owner, files in found.items()}


def _own(root: Path) -> Part:
    font = (root / "resources" / "fonts" / "OFL.txt").read_text("utf-8")
    text = f"{(root / 'LICENSE').read_text('utf-8')}\n\nThe font Inter (OFL-1.1):\n\n{font}"
    version = importlib.metadata.version("oddsdesk")
    return Part("oddsdesk", version, "MIT AND OFL-1.1", text, purl=f"pkg:pypi/oddsdesk@{version}")


def _packages(lib: Path, files: dict[str, tuple[Path, ...]]) -> Iterator[Part]:
    """Every Python distribution that has a module in the bundle."""
    inside = {path.name.split(".")[0] for path in lib.iterdir()}
    names = {name for module in inside for name in _distributions().get(module, ())}
    for name in sorted(names - {"oddsdesk"}, key=str.lower):
        about = importlib.metadata.distribution(name)
        licence = check_licence(name, _licence_of(about))
        text = "\n\n".join(_texts(about))
        texts = () if text.strip() else (licence,)
        text = text if text.strip() else f"By {_author_of(about)}"
        purl = f"pkg:pypi/{re.sub(r'[-_.]+', '-', name).lower()}@{about.version}"
        yield Part(name, about.version, licence, text, texts, purl, files=files.get(name, ()))


def _author_of(about: importlib.metadata.Distribution) -> str:
    told = about.metadata
    return told.get("Author") or told.get("Author-email") or f"the authors of {about.name}"


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
    for file in sorted(about.files or (), key=str):
        inside = any(part.endswith(".dist-info") for part in file.parts)
        if inside and re.search(r"licen[cs]e|copying|notice", str(file), re.IGNORECASE):
            path = Path(str(file.locate()))
            if path.is_file() and path.suffix not in (".py", ".json"):
                yield path.read_text(encoding="utf-8", errors="replace")


def _python(files: dict[str, tuple[Path, ...]]) -> Part:
    folder = Path(sysconfig.get_path("stdlib"))
    places = [folder, folder.parent, Path(sys.base_prefix)]
    named = [place / name for place in places for name in ("LICENSE.txt", "LICENSE")]
    file = next((each for each in named if each.is_file()), None)
    package = f"libpython3.{sys.version_info.minor}-minimal"
    text = file.read_text("utf-8") if file else _debian_text(package)
    version = platform.python_version()
    purl = f"pkg:generic/python@{version}"
    return Part("Python", version, "PSF-2.0", text, purl=purl, files=files.get("Python", ()))


def _bootloader() -> Part:
    about = importlib.metadata.distribution("pyinstaller")
    licence = "GPL-2.0-or-later WITH Bootloader-exception"
    purl = f"pkg:pypi/pyinstaller@{about.version}"
    return Part(
        "PyInstaller's bootloader", about.version, licence, "\n\n".join(_texts(about)), purl=purl
    )


def _system_libraries(files: dict[str, tuple[Path, ...]]) -> Iterator[Part]:
    """Shared libraries of the machine that builds, with the notice of the package they came in."""
    for name in sorted(name for name in files if name.startswith("lib")):
        licence = library_licence(name)
        package = debian_package(name)
        version = _debian_version(package)
        purl = f"pkg:deb/debian/{package}@{quote(version)}" if package else f"pkg:generic/{name}"
        text = _debian_text(package)
        yield Part(name, version, licence, text, purl=purl, files=files[name])


def _qt(files: dict[str, tuple[Path, ...]]) -> Iterator[Part]:
    version = importlib.metadata.version("PySide6_Essentials")
    purl = f"pkg:generic/qt@{version}"
    yield Part("Qt", version, LGPL, texts=(LGPL,), purl=purl, files=files["Qt"])
    if "ICU" in files:
        (number,) = {file.name.rpartition(".")[2] for file in files["ICU"]}
        text = "Copyright (c) 1991-present Unicode, Inc."
        purl = f"pkg:generic/icu@{number}"
        texts = ("Unicode-DFS-2016",)
        yield Part("ICU", number, texts[0], text, texts, purl, files=files["ICU"])


def _inside(root: Path, files: dict[str, tuple[Path, ...]], held: Iterable[Part]) -> Iterator[Part]:
    """What is compiled into files of others, where they are in the bundle."""
    known = tomllib.loads((root / _INSIDE).read_text("utf-8"))
    there = {part.name.lower() for part in held}
    if "Qt" in files:
        names = {file.name.split(".")[0] for file in files["Qt"]}
        _check_qt(known, names)
        there |= {name.lower() for name in names}
    for told in known["part"]:
        if told["inside"].lower() in there:
            owners = " ".join(told["copyright"].split())
            texts = tuple(told.get("texts", (told["licence"],)))
            yield Part(
                told["name"],
                "",
                told["licence"],
                f"Copyright: {owners}",
                texts,
                inside=told["inside"],
            )


def _check_qt(known: dict[str, object], names: set[str]) -> None:
    """Stop where nobody looked what is compiled into a library of this Qt."""
    parts = known["part"]
    assert isinstance(parts, list)
    looked_at = {str(known["qt"])}
    version = importlib.metadata.version("PySide6_Essentials")
    if version.rpartition(".")[0] not in looked_at:
        raise LicenceError(f"nobody has looked what lies inside Qt {version}: {_INSIDE}")
    own = known["own"]
    assert isinstance(own, list)
    unknown = names - {*own, *(str(part["inside"]) for part in parts)}
    if unknown:
        raise LicenceError(f"{_INSIDE} says nothing of {', '.join(sorted(unknown))}")


def debian_package(library: str) -> str:
    """Return the package that a library of the building machine came with, '' where unknown."""
    if shutil.which("dpkg") is None:
        return ""
    told = subprocess.run(
        ["dpkg", "-S", f"*/{library}"], capture_output=True, text=True, check=False
    )
    return told.stdout.partition(":")[0].split(",")[0]


def _debian_version(package: str) -> str:
    if not package:
        return ""
    told = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}\n", package],
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.partition("\n")[0]


def _debian_text(package: str) -> str:
    file = Path("/usr/share/doc", package, "copyright")
    return file.read_text(encoding="utf-8", errors="replace") if package and file.is_file() else ""


def sha256(file: Path) -> str:
    """Return a file's sum."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
