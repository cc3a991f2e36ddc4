"""Display and keyring: what only the window needs. Qt is not imported to look."""

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.desk.display import missing_display


def display() -> Section:
    """Tell whether a window could be opened here; a machine without a screen is not broken."""
    named = {name: os.environ.get(name, "") for name in ("DISPLAY", "WAYLAND_DISPLAY")}
    screen = ", ".join(f"{name}={value or 'unset'}" for name, value in named.items())
    problem = missing_display()
    if problem is not None:
        return Section("window", (Finding("display", f"{screen}; {problem}", Mark.NOTE),))
    library = _missing_library()
    if library is None:
        qt = Finding("Qt", "its libraries load")
    else:
        qt = Finding("Qt", f"the system library {library} is missing", Mark.BROKEN)
    return Section("window", (Finding("display", screen), qt))


def keyring() -> Section:
    """Tell where keys of remote services would be kept, without opening it."""
    if importlib.util.find_spec("keyring") is None:
        text = "the package keyring is not installed; keys are kept for the session or in a file"
        return Section("keyring", (Finding("keyring", text, Mark.NOTE),))
    from keyring import get_keyring  # noqa: PLC0415 - optional, and it asks D-Bus

    try:
        backend = get_keyring()
        usable = backend.priority > 0
    except Exception as error:  # noqa: BLE001 - backends of others raise what they like
        return Section("keyring", (Finding("keyring", f"fails: {error}", Mark.NOTE),))
    name = f"{type(backend).__module__}.{type(backend).__name__}"
    if usable:
        return Section("keyring", (Finding("keyring", name),))
    text = f"{name} keeps nothing; keys are kept for the session or in a file"
    return Section("keyring", (Finding("keyring", text, Mark.NOTE),))


def _missing_library() -> str | None:
    """Return the system library that Qt's X11 plugin lacks."""
    spec = importlib.util.find_spec("PySide6")
    if sys.platform != "linux" or spec is None or not spec.submodule_search_locations:
        return None
    plugin = Path(spec.submodule_search_locations[0], "Qt", "plugins", "platforms", "libqxcb.so")
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return str(error).split(":", maxsplit=1)[0]
    return None
