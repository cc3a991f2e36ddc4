"""Is there a screen to draw on? Qt aborts where there is none, so it is asked first."""

import builtins
import importlib.util
import os
import socket
import sys
from pathlib import Path
from types import ModuleType
from typing import cast

from oddsdesk.desk.shell.system_libraries import install_line, missing_libraries, unloadable_plugin
from oddsdesk.installed import SERVER, distribution

_HEADLESS_PLATFORMS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs", "vkkhrdisplay")
_CONNECT_TIMEOUT_S = 2.0
_QT_PACKAGES = {"PySide6": "PySide6-Essentials", "qasync": "qasync"}


def missing_qt() -> str | None:
    """Say in one line that Qt is not installed, as a server's installation; None where it is."""
    absent = [
        package
        for module, package in _QT_PACKAGES.items()
        if importlib.util.find_spec(module) is None
    ]
    if not absent:
        return None
    return (
        f"Qt is not installed here ({', '.join(absent)}): pip install {_desk_distribution()}; "
        "`oddsdesk serve` runs the server without a window"
    )


def _desk_distribution() -> str:
    """Return what brings the desk's needs to this installation, without owning its files twice."""
    return f'"{SERVER}[desk]"' if distribution() == SERVER else "oddsdesk"


def missing_display() -> str | None:
    """Say in one line why no window can be opened here; None where one can."""
    if sys.platform != "linux":
        return None
    platform = os.environ.get("QT_QPA_PLATFORM", "").split(":")[0]
    if platform in _HEADLESS_PLATFORMS:
        return None
    if _wayland_socket_exists():
        return None
    display = os.environ.get("DISPLAY", "")
    if not display:
        return (
            "no display: neither DISPLAY nor WAYLAND_DISPLAY names one; "
            "`oddsdesk serve` runs the server without a window"
        )
    if not _x_server_answers(display):
        return f"no display: the X server that DISPLAY={display} names does not answer"
    return None


def missing_qt_libraries() -> str | None:
    """Say which system libraries Qt lacks, all at once, and their packages; None for none.

    Nothing of Qt is imported to look: without some of them that fails.
    """
    if sys.platform != "linux":
        return None
    x11 = not os.environ.get("QT_QPA_PLATFORM") and not _wayland_socket_exists()
    missing = missing_libraries(x11=x11)
    if missing:
        return f"Qt cannot open a window: {install_line(missing)}"
    file = unloadable_plugin() if x11 else None
    return None if file is None else f"Qt cannot open a window: the library {file} is missing"


def _wayland_socket_exists() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not name:
        return False
    return Path(folder or "/", name).is_socket()


def _x_server_answers(display: str) -> bool:
    host, _, rest = display.rpartition(":")
    number = rest.split(".")[0]
    if not number.isdigit():
        return False
    if host in ("", "unix"):
        return any(
            _connects(socket.AF_UNIX, address)
            for address in (f"\0/tmp/.X11-unix/X{number}", f"/tmp/.X11-unix/X{number}")  # noqa: S108
        )
    return _connects(socket.AF_INET, (host, 6000 + int(number)))


def _connects(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_TIMEOUT_S)
        try:
            probe.connect(address)
        except OSError:
            return False
    return True


def leave_out_httpx_command() -> None:
    """Have httpx come without its command line.

    WORKAROUND httpx: it imports that with itself, and with it rich and pygments where they are
    installed: 70 modules, 4 % of a start.
    """
    sys.modules.setdefault("httpx._main", cast(ModuleType, None))


def restore_import() -> None:
    """Load Qt, and let what is imported after it be imported as without Qt.

    WORKAROUND PySide6: the hook reads the source of every module that is imported later, to
    see whether it may use ``from __feature__`` (which we do not): 50 to 70 ms of a start, and
    the sources of 470 modules, 11 MB, stay in ``linecache``.
    https://github.com/napari/napari/issues/8584
    """
    import PySide6.QtCore  # noqa: F401, PLC0415 - it has to be loaded, and no display, no Qt

    original = getattr(builtins, "__orig_import__", None)
    if original is not None:
        builtins.__import__ = original
