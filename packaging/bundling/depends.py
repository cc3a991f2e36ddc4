"""What Debian packages a bundle needs: dpkg-shlibdeps reads it from the files."""

import subprocess
from pathlib import Path
from typing import Final

from bundling.parts import compiled_files, debian_package

_WAYLAND: Final = (
    "libqwayland",
    "libQt6WaylandClient",
    "libQt6WlShell",
    "libxdg-shell",
    "libbradient",
)
"""Of no use where there is X11 only: what these need is recommended (`debian.DESK`)."""
_CONTROL: Final = "Source: oddsdesk\n\nPackage: oddsdesk\nArchitecture: any\n"


def depends_of(bundle: Path, work: Path) -> str:
    """Return what a package that holds a bundle depends on, but for what it brings along itself."""
    brought = {debian_package(file.name) for file in (bundle / "lib").glob("lib*.so*")}
    files = [file for file in compiled_files(bundle) if not file.name.startswith(_WAYLAND)]
    (work / "debian").mkdir(parents=True, exist_ok=True)
    (work / "debian" / "control").write_text(_CONTROL)
    told = subprocess.run(
        [
            *("dpkg-shlibdeps", "-O", "--ignore-missing-info", "--warnings=0"),
            *(f"-l{folder}" for folder in sorted({str(file.parent) for file in files})),
            *(f"-x{package}" for package in sorted(brought - {""})),
            *(f"-e{file}" for file in files),
        ],
        cwd=work,
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.strip().removeprefix("shlibs:Depends=")
