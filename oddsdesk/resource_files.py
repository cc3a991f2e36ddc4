"""Where the program's own files are: icons, fonts, fixtures."""

import sys
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_path(*parts: str) -> Path:
    """Return the path of a file or folder below ``resources``; it need not exist.

    Installed, the folder lies in the package; in a checkout, beside it; in a PyInstaller
    bundle, where the bundle keeps its data.
    """
    return _root().joinpath(*parts)


@cache
def _root() -> Path:
    bundle = getattr(sys, "_MEIPASS", None)
    places = [_PACKAGE / "resources"]
    if bundle is not None:
        places.append(Path(bundle) / "resources")
    checkout = _PACKAGE.parent / "resources"
    return next((place for place in places if place.is_dir()), checkout)
