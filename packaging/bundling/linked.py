"""Which shared libraries are needed by what stays, when parts of Qt are left out."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import PurePath

Entry = tuple[str, str, str]
"""PyInstaller's: place in the bundle, source, kind."""


def only_linked(binaries: Iterable[Entry]) -> list[Entry]:
    """Drop libraries that nothing is linked to any more; for Linux.

    PyInstaller collects what all plugins need before we leave most plugins out: GTK, Kerberos
    and more would stay behind. Kept are what Python or Qt loads by name, and from there on
    what is linked.
    """
    entries = list(binaries)
    sources = {PurePath(place).name: source for place, source, kind in entries if kind != "SYMLINK"}
    waiting = [PurePath(place).name for place, _, kind in entries if _is_loaded(place, kind)]
    needed = set(waiting)
    while waiting:
        source = sources.get(waiting.pop())
        if source is not None:
            names = linked_to(source)
            waiting += names - needed
            needed |= names
    return [entry for entry in entries if PurePath(entry[0]).name in needed & sources.keys()]


def linked_to(library: str) -> set[str]:
    """Return the names of the libraries that one is linked to itself, not through others."""
    told = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True)
    lines = (line.split() for line in told.stdout.splitlines())
    return {words[1] for words in lines if words[:1] == ["NEEDED"]}


def run_paths(library: str | PurePath) -> list[str]:
    """Return the folders in which a library looks for others before the system's."""
    dynamic = subprocess.run(
        ["readelf", "--dynamic", "--wide", str(library)], capture_output=True, text=True, check=True
    )
    found = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic.stdout)
    return [folder for each in found for folder in each.split(":") if folder]


def _is_loaded(place: str, kind: str) -> bool:
    """Whether a file is loaded by name, and not because another one is linked to it."""
    path = PurePath(place)
    return kind == "EXTENSION" or "plugins" in path.parts or path.name.startswith("libpython")
