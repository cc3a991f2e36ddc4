"""The licences of all that is in a bundle, in one file."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bundling.parts import LGPL, LicenceError, Part

FILE: Final = "LICENCES.txt"
_COMMON: Final = Path("packaging", "licences")

_HEAD: Final = """\
Licences of what is in this bundle of oddsdesk {version}
{line}

oddsdesk itself is under the MIT licence (below). It comes with the parts listed here, each
under its own licence. Nothing in it is under the GPL or the AGPL, but for what starts or runs
what was compiled: PyInstaller's bootloader and, where it is listed, GCC's run time. These are
under the GPL with an exception that lets them be part of programs under any licence, which this
bundle makes use of.
"""
_QT: Final = """
Qt and PySide6 are used under the GNU Lesser General Public License, version 3. Their libraries
lie as files in lib/PySide6 and lib/shiboken6 and are loaded when the program starts. To use
another build of Qt {qt} or of PySide6, put its libraries in place of those files; nothing
else has to be changed. Their sources: https://download.qt.io/official_releases/QtForPython/
and https://download.qt.io/official_releases/qt/.
"""


def write_licences(bundle: Path, root: Path, parts: Iterable[Part]) -> Path:
    """Write one file with every licence into the bundle and return it.

    Raises:
        LicenceError: a common text that a part names is not there.
    """
    held = list(parts)
    file = bundle / FILE
    file.write_text(licences(root, held), encoding="utf-8")
    return file


def licences(root: Path, parts: list[Part]) -> str:
    """Return who is in the bundle, each one's notice, and each common text once."""
    version = parts[0].version
    title = _HEAD.splitlines()[0].format(version=version)
    head = _HEAD.format(version=version, line="=" * len(title))
    qt = next((part.version for part in parts if part.name == "Qt"), None)
    listed = "\n".join(f"  {part.title}: {part.licence}" for part in parts)
    sections = [head + (_QT.format(qt=qt) if qt else ""), listed + "\n"]
    sections += [_section(part) for part in parts]
    for name in dict.fromkeys(text for part in parts for text in part.texts):
        sections.append(_heading(f"The text of {name}") + _common_text(root, name))
    return "\n".join(sections)


def _section(part: Part) -> str:
    below = f"Its text is below: {', '.join(part.texts)}." if part.texts else ""
    body = "\n\n".join(each for each in (part.text.strip(), below) if each)
    return _heading(f"{part.title}: {part.licence}") + f"{body}\n"


def _heading(title: str) -> str:
    return f"\n{'-' * 78}\n{title}\n{'-' * 78}\n\n"


def _common_text(root: Path, name: str) -> str:
    """The LGPL is a supplement to the GPL, whose text goes with it."""
    if name == LGPL:
        texts = [
            (root / _COMMON / f"{each}-3.0.txt").read_text("utf-8") for each in ("LGPL", "GPL")
        ]
        return "\n\n".join(texts)
    files = [root / _COMMON / folder / f"{name}.txt" for folder in ("inside", ".")]
    file = next((each for each in files if each.is_file()), None)
    if file is None:
        raise LicenceError(f"there is no text of {name} in {_COMMON}")
    return file.read_text("utf-8")
