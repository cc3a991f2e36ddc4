"""Small files of the user's own, written whole or not at all."""

import os
from pathlib import Path
from typing import Final

OWNER_ONLY: Final = 0o600


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file that only its owner may read; ``OSError`` leaves the old one as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
