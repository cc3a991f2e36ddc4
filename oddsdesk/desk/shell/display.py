"""Checks for a display and Qt's libraries in advance, as Qt aborts without them."""

import builtins
import ctypes
import importlib.util
import os
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple, cast

from oddsdesk.base.places import SERVER, distribution
from oddsdesk.base.texts import _

_HEADLESS_PLATFORMS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs", "vkkhrdisplay")
_CONNECT_TIMEOUT_S = 2.0
_QT_PACKAGES = {"PySide6": "PySide6-Essentials", "qasync": "qasync"}


def missing_qt() -> str | None:
    """Return in one line that Qt is not installed; None if it is."""
    absent = [
        package
        for module, package in _QT_PACKAGES.items()
        if importlib.util.find_spec(module) is None
    ]
    if not absent:
        return None
    return _(
        "Qt is not installed here ({names}): pip install {desk_distribution}; "
        "`oddsdesk serve` runs the server without a window"
    ).format(names=", ".join(absent), desk_distribution=_desk_distribution())


def _desk_distribution() -> str:
    """Return the distribution to install for the desk."""
    return f'"{SERVER}[desk]"' if distribution() == SERVER else "oddsdesk"


def missing_display() -> str | None:
    """Return in one line why no window can be opened; None if one can."""
    if sys.platform != "linux":
        return None
    platform = os.environ.get("QT_QPA_PLATFORM", "").split(":")[0]
    if platform in _HEADLESS_PLATFORMS:
        return None
    if _wayland_socket_exists():
        return None
    display = os.environ.get("DISPLAY", "")
    if not display:
        return _(
            "no display: neither DISPLAY nor WAYLAND_DISPLAY is set; `oddsdesk "
            "serve` runs the server without a window"
        )
    if not _x_server_answers(display):
        return _("no display: the X server at DISPLAY={display} does not answer").format(
            display=display
        )
    return None


def missing_qt_libraries() -> str | None:
    """Return the system libraries that Qt lacks, with their packages; None if there are all.

    Qt is not imported for this, as importing it fails without some of them.
    """
    if sys.platform != "linux":
        return None
    x11 = not os.environ.get("QT_QPA_PLATFORM") and not _wayland_socket_exists()
    missing = missing_libraries(x11=x11)
    if missing:
        return _("Qt cannot open a window: {install_line}").format(
            install_line=install_line(missing)
        )
    file = unloadable_plugin() if x11 else None
    return (
        None
        if file is None
        else _("Qt cannot open a window: the library {file} is missing").format(file=file)
    )


def _wayland_socket_exists() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not name:
        return False
    return Path(folder or "/", name).is_socket()


def _x_server_answers(display: str) -> bool:
    if sys.platform != "linux":
        return True
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
    """Keep httpx from importing its command line.

    WORKAROUND httpx: it imports that with itself, and with it rich and pygments where they are
    installed: 70 modules, 4 % of a start.
    """
    sys.modules.setdefault("httpx._main", cast(ModuleType, None))


def restore_import() -> None:
    """Load Qt and remove its import hook.

    WORKAROUND PySide6: the hook reads the source of every module that is imported later, to
    see whether it may use ``from __feature__`` (which we do not): 50 to 70 ms of a start, and
    the sources of 470 modules, 11 MB, stay in ``linecache``.
    https://github.com/napari/napari/issues/8584
    """
    import PySide6.QtCore  # noqa: F401, PLC0415 - it has to be loaded, and no display, no Qt

    original = getattr(builtins, "__orig_import__", None)
    if original is not None:
        builtins.__import__ = original


class Library(NamedTuple):
    """A library file and its packages; ``x11`` marks those that only X11 needs."""

    file: str
    debian: str
    fedora: str
    x11: bool = False


LIBRARIES: Final = (
    Library("libEGL.so.1", "libegl1", "libglvnd-egl"),
    Library("libGL.so.1", "libgl1", "libglvnd-glx"),
    Library("libX11.so.6", "libx11-6", "libX11"),
    Library("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    Library("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    Library("libfreetype.so.6", "libfreetype6", "freetype"),
    Library("libgcc_s.so.1", "libgcc-s1", "libgcc"),
    Library("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    Library("libgthread-2.0.so.0", "libglib2.0-0", "glib2"),
    Library("libstdc++.so.6", "libstdc++6", "libstdc++"),
    Library("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    Library("libz.so.1", "zlib1g", "zlib"),
    Library("libzstd.so.1", "libzstd1", "libzstd"),
    Library("libX11-xcb.so.1", "libx11-xcb1", "libX11-xcb", x11=True),
    Library("libxcb.so.1", "libxcb1", "libxcb", x11=True),
    Library("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor", x11=True),
    Library("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm", x11=True),
    Library("libxcb-image.so.0", "libxcb-image0", "xcb-util-image", x11=True),
    Library("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms", x11=True),
    Library("libxcb-randr.so.0", "libxcb-randr0", "libxcb", x11=True),
    Library("libxcb-render.so.0", "libxcb-render0", "libxcb", x11=True),
    Library("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil", x11=True),
    Library("libxcb-shape.so.0", "libxcb-shape0", "libxcb", x11=True),
    Library("libxcb-shm.so.0", "libxcb-shm0", "libxcb", x11=True),
    Library("libxcb-sync.so.1", "libxcb-sync1", "libxcb", x11=True),
    Library("libxcb-util.so.1", "libxcb-util1", "xcb-util", x11=True),
    Library("libxcb-xfixes.so.0", "libxcb-xfixes0", "libxcb", x11=True),
    Library("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb", x11=True),
    Library("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11", x11=True),
)
"""The libraries that Qt and its X11 plugin are linked to; a test compares the files."""

_X11_PLUGIN: Final = Path("Qt", "plugins", "platforms", "libqxcb.so")

Load = Callable[[str], object]
"""Loads a library by name or path; ``OSError`` names the missing file."""


def missing_libraries(
    *, x11: bool, load: Load = ctypes.CDLL, known: Iterable[Library] = LIBRARIES
) -> list[Library]:
    """Return all libraries that cannot be loaded, without loading Qt."""
    own = Path(getattr(sys, "_MEIPASS", "/nonexistent"))  # bundles include some of them
    return [
        library
        for library in known
        if (x11 or not library.x11)
        and not (own / library.file).exists()
        and _unloadable(library.file, load) is not None
    ]


def unloadable_plugin(load: Load = ctypes.CDLL) -> str | None:
    """Return the file that keeps Qt's X11 plugin from loading; None if it loads.

    To be called if no known library is missing, as a later Qt may need others.
    """
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        return None
    plugin = Path(spec.submodule_search_locations[0]) / _X11_PLUGIN
    return _unloadable(str(plugin), load) if plugin.exists() else None


def install_line(missing: Sequence[Library]) -> str:
    """Return the missing libraries and their packages in one line."""
    files = ", ".join(library.file for library in missing)
    some = (
        _("{count} system libraries are").format(count=len(missing))
        if len(missing) > 1
        else _("a system library is")
    )
    debian, fedora = (" ".join(names) for names in packages(missing))
    return _(
        "{some} missing ({files}); install: apt install {debian} (Debian, Ubuntu) "
        "or: dnf install {fedora} (Fedora)"
    ).format(some=some, files=files, debian=debian, fedora=fedora)


def packages(libraries: Iterable[Library]) -> tuple[list[str], list[str]]:
    """Return the packages of libraries without duplicates: (Debian, Fedora)."""
    held = list(libraries)
    return (
        list(dict.fromkeys(library.debian for library in held)),
        list(dict.fromkeys(library.fedora for library in held)),
    )


def _unloadable(file: str, load: Load) -> str | None:
    """Return the file that cannot be loaded: this one, or one it is linked to."""
    try:
        load(file)
    except OSError as error:
        return str(error).split(":", maxsplit=1)[0]
    return None
