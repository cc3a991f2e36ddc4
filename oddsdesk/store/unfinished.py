"""Files that are made under another name and renamed when complete."""

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl

_ENDING: Final = ".unfinished"
_HELD: Final = "held"
OWNER_ONLY: Final = 0o600


@contextlib.contextmanager
def unfinished_folder(target: Path) -> Iterator[Path]:
    """Yield a private folder in a file's folder, removed at the end with its contents.

    Folders that a killed process left for the same target are removed, too.

    Raises:
        OSError: it cannot be made there.
    """
    _sweep(target)
    place = tempfile.mkdtemp(suffix=_ENDING, prefix=f".{target.name}.", dir=target.parent)
    folder = Path(place)
    try:
        with (folder / _HELD).open("xb") as held:
            _try_lock(held.fileno())
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(target: Path) -> None:
    for folder in target.parent.glob(f".{_literally(target.name)}.*{_ENDING}"):
        with contextlib.suppress(OSError), (folder / _HELD).open("rb") as held:
            if _try_lock(held.fileno()):
                shutil.rmtree(folder, ignore_errors=True)


def _literally(name: str) -> str:
    """Return a glob pattern that matches only this name."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _try_lock(handle: int) -> bool:
    """Return whether no other process works in the folder; on Windows open files are safe."""
    if sys.platform != "win32":
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
