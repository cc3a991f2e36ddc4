"""Which files an archive has, by their names alone: for who cannot read what is in them, too."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

_NAME: Final = r"([0-9]{2})h-([0-9]+)-([0-9]+)-([0-9]+)\.parquet"


class ArchivedFile(NamedTuple):
    """A file of the archive, and the rows that its name speaks of."""

    shard: int
    first: int
    last: int
    path: Path


def archived_files(folder: Path, shard: int | None = None) -> list[ArchivedFile]:
    """Return the files in an archive's folder, of a shard or of all, in order."""
    found = []
    for path in folder.glob("date=*/*.parquet"):
        named = re.fullmatch(_NAME, path.name)
        if named is not None and shard in (None, int(named[2])):
            found.append(ArchivedFile(int(named[2]), int(named[3]), int(named[4]), path))
    return sorted(found)


def by_day(files: Iterable[ArchivedFile]) -> list[list[ArchivedFile]]:
    """Return files by the folders in which they lie."""
    days: defaultdict[Path, list[ArchivedFile]] = defaultdict(list)
    for file in files:
        days[file.path.parent].append(file)
    return list(days.values())
