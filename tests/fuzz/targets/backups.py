"""Backups: what is no backup is refused, and nothing is written but its parts."""

import io
import tempfile
from pathlib import Path

from oddsdesk.store.sqlite.archive import PARTS, ArchiveError, read_archive, silent


def unpack(data: bytes) -> None:
    """Unpack an archive into a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "unpacked")
        folder.mkdir()
        try:
            manifest = read_archive(io.BytesIO(data), folder, silent)
            assert manifest.parts.keys() == {each.name for each in folder.iterdir()}
        except ArchiveError:
            pass
        assert {each.name for each in folder.iterdir()} <= set(PARTS)
        assert list(Path(place).iterdir()) == [folder]
        assert all(each.stat().st_size <= len(data) for each in folder.iterdir())
