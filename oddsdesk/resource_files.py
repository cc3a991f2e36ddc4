"""Where the program's own files are: icons, fonts, fixtures."""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_path(*parts: str) -> Path:
    """Return the path of a file or folder below ``resources``; it need not exist.

    Installed, the folder lies in the package; in a checkout, beside it.
    """
    return _root().joinpath(*parts)


@cache
def _root() -> Path:
    installed = _PACKAGE / "resources"
    return installed if installed.is_dir() else _PACKAGE.parent / "resources"
