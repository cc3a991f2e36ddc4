"""Small files of the user's own, written whole or not at all."""

from pathlib import Path
from typing import Final

from oddsdesk.whole_files import whole_file

OWNER_ONLY: Final = 0o600


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file that only its owner may read; ``OSError`` leaves the old one as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, OWNER_ONLY, private=True) as file:
        file.write(content)
