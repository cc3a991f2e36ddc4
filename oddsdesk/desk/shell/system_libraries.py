"""The system's libraries that a window needs on Linux, and the packages that hold them."""

import ctypes
import importlib.util
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple


class Library(NamedTuple):
    """A library by its file name, and its package; ``x11`` are those that only X11 needs."""

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
"""What Qt's own libraries and its X11 plugin are linked to; a test asks the files themselves."""

_X11_PLUGIN: Final = Path("Qt", "plugins", "platforms", "libqxcb.so")

Load = Callable[[str], object]
"""Loads a library by name or path; ``OSError`` says which file is missing."""


def missing_libraries(
    *, x11: bool, load: Load = ctypes.CDLL, known: Iterable[Library] = LIBRARIES
) -> list[Library]:
    """Return all libraries that cannot be loaded, without loading anything of Qt's."""
    own = Path(getattr(sys, "_MEIPASS", "/nonexistent"))  # a bundle brings some of them along
    return [
        library
        for library in known
        if (x11 or not library.x11)
        and not (own / library.file).exists()
        and _unloadable(library.file, load) is not None
    ]


def unloadable_plugin(load: Load = ctypes.CDLL) -> str | None:
    """Return the file that keeps Qt's X11 plugin from loading, None where it loads.

    Ask when no known library is missing: a later Qt may need others.
    """
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        return None
    plugin = Path(spec.submodule_search_locations[0]) / _X11_PLUGIN
    return _unloadable(str(plugin), load) if plugin.exists() else None


def install_line(missing: Sequence[Library]) -> str:
    """Return what is missing and the packages to install, all of them, in one line."""
    files = ", ".join(library.file for library in missing)
    some = f"{len(missing)} system libraries are" if len(missing) > 1 else "a system library is"
    debian, fedora = (" ".join(names) for names in packages(missing))
    return (
        f"{some} missing ({files}); install: apt install {debian} (Debian, Ubuntu) "
        f"or: dnf install {fedora} (Fedora)"
    )


def packages(libraries: Iterable[Library]) -> tuple[list[str], list[str]]:
    """Return the packages of libraries, each once: Debian's names and Fedora's."""
    held = list(libraries)
    return (
        list(dict.fromkeys(library.debian for library in held)),
        list(dict.fromkeys(library.fedora for library in held)),
    )


def _unloadable(file: str, load: Load) -> str | None:
    """Return what cannot be loaded: the file, or one that it is linked to."""
    try:
        load(file)
    except OSError as error:
        return str(error).split(":", maxsplit=1)[0]
    return None
