"""Display and keyring: what only the window needs. Qt is not imported to look."""

import importlib.util
import os

from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.desk.shell.display import missing_display, missing_qt, missing_qt_libraries


def display() -> Section:
    """Tell whether a window could be opened here; a machine without a screen is not broken."""
    named = {name: os.environ.get(name, "") for name in ("DISPLAY", "WAYLAND_DISPLAY")}
    screen = ", ".join(f"{name}={value or 'unset'}" for name, value in named.items())
    problem = missing_display()
    shown = Finding("display", screen)
    if problem is not None:
        shown = Finding("display", f"{screen}; {problem}", Mark.NOTE)
    trouble = missing_qt() or missing_qt_libraries()
    if trouble is None:
        return Section("window", (shown, Finding("Qt", "its libraries load")))
    mark = Mark.BROKEN if problem is None else Mark.NOTE
    return Section("window", (shown, Finding("Qt", trouble, mark)))


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
