"""A disk that may lose what was not synced: which contents it can have after power fails.

The model is POSIX at its worst. What was written before a sync of its file began is there once
that sync has ended. Of what was written later, each sector of 512 bytes may be there or not, in
any order, and one may be torn. Names of files (made, removed, renamed) keep their order within
their folder and are certain once the folder was synced.
"""

from pathlib import Path, PurePath
from random import Random
from typing import Final

import msgspec

from tests.durability.trace import Deed, Kind

SECTOR: Final = 512


class _File:
    """Contents that are certain, and what was written since."""

    def __init__(self) -> None:
        self.certain = bytearray()
        self.written: list[Deed] = []
        self.durable_count = 0
        """How many were written before those in ``written``."""

    def make_durable(self, count: int) -> None:
        """Make what was written first certain: ``count`` deeds since the file was made."""
        new = count - self.durable_count
        if new > 0:
            for deed in self.written[:new]:
                _apply(self.certain, deed)
            del self.written[:new]
            self.durable_count = count


class _Name(msgspec.Struct):
    """A change of one name of a folder: to a file, or to nothing."""

    path: str
    file: _File | None


class _Folder:
    """Names that are certain, and their changes since."""

    def __init__(self) -> None:
        self.certain: dict[str, _File] = {}
        self.changed: list[list[_Name]] = []
        self.durable_count = 0

    def make_durable(self, count: int) -> None:
        """Make the first ``count`` changes since the folder was made certain."""
        new = count - self.durable_count
        if new > 0:
            self.certain = self.names(new)
            del self.changed[:new]
            self.durable_count = count

    def names(self, count: int) -> dict[str, _File]:
        """Return the names after so many of the changes that are not certain."""
        names = dict(self.certain)
        for change in self.changed[:count]:
            for name in change:
                names.pop(name.path, None)
                if name.file is not None:
                    names[name.path] = name.file
        return names


class Disk:
    """Follows what a program does, and gives contents that the disk can have at that moment."""

    def __init__(self, folder: Path) -> None:
        """Begin with a folder that is there, and empty."""
        self._now: dict[str, _File] = {}
        self._top = str(folder)
        self._folders = {self._top: _Folder()}
        self._opened: dict[int, _File | str] = {}
        self._syncs: dict[int, int] = {}

    def do(self, deed: Deed) -> None:
        """Take in the next thing that was done."""
        match deed.kind:
            case Kind.OPENED:
                self._open(deed)
            case Kind.WRITTEN | Kind.TRUNCATED:
                file = self._opened[deed.file]
                assert isinstance(file, _File)
                file.written.append(deed)
            case Kind.SYNC_BEGUN | Kind.SYNCED:
                self._sync(deed)
            case Kind.REMOVED:
                self._now.pop(deed.data.decode())
                self._change(_Name(deed.data.decode(), None))
            case Kind.RENAMED:
                source, target = deed.data.decode(), deed.target.decode()
                self._now[target] = moved = self._now.pop(source)
                self._change(_Name(source, None), _Name(target, moved))
            case Kind.FOLDER_MADE:
                self._folders[deed.data.decode()] = _Folder()
                self._change(_Name(deed.data.decode(), _File()))

    def write_after_failure(self, chance: Random, target: Path) -> None:
        """Put into a folder what the top folder may hold after a failure now."""
        for path, data in sorted(self._contents(chance).items()):
            place = target / PurePath(path).relative_to(self._top)
            if path in self._folders:
                place.mkdir()
            else:
                place.write_bytes(data)

    def _contents(self, chance: Random) -> dict[str, bytes]:
        style = chance.choice(("nothing", "all", "first", "some", "most"))
        found: dict[str, bytes] = {}
        for folder in self._folders.values():
            names = folder.names(_how_many(style, len(folder.changed), chance))
            found |= {path: _after_failure(file, style, chance) for path, file in names.items()}
        lost = {path for path in self._folders if path not in found and path != self._top}
        return {path: data for path, data in found.items() if not _is_below(path, lost)}

    def _open(self, deed: Deed) -> None:
        path = deed.data.decode()
        if path.rstrip("/") in self._folders:
            self._opened[deed.file] = path.rstrip("/")
            return
        file = self._now.get(path)
        if file is None:
            file = self._now[path] = _File()
            self._change(_Name(path, file))
        elif deed.position:
            file.written.append(deed._replace(kind=Kind.TRUNCATED, position=0))
        self._opened[deed.file] = file

    def _sync(self, deed: Deed) -> None:
        opened = self._opened[deed.file]
        synced = self._folders[opened] if isinstance(opened, str) else opened
        if deed.kind is Kind.SYNCED:
            synced.make_durable(self._syncs.pop(deed.position))
        elif isinstance(synced, _Folder):
            self._syncs[deed.position] = synced.durable_count + len(synced.changed)
        else:
            self._syncs[deed.position] = synced.durable_count + len(synced.written)

    def _change(self, *names: _Name) -> None:
        self._folders[str(PurePath(names[0].path).parent)].changed.append(list(names))


def _is_below(path: str, folders: set[str]) -> bool:
    return any(str(parent) in folders for parent in PurePath(path).parents)


def _how_many(style: str, count: int, chance: Random) -> int:
    if style in ("nothing", "all"):
        return count if style == "all" else 0
    return chance.randint(0, count)


def _after_failure(file: _File, style: str, chance: Random) -> bytes:
    content = bytearray(file.certain)
    written = file.written[: _how_many(style, len(file.written), chance)]
    if style in ("some", "most"):
        likely = chance.random() if style == "some" else 0.98
        for deed in file.written:
            _apply_some(content, deed, likely, chance)
    else:
        for deed in written:
            _apply(content, deed)
        if written and style == "first" and written[-1].kind is Kind.WRITTEN:
            _tear(content, written[-1], chance)
    return bytes(content)


def _apply(content: bytearray, deed: Deed) -> None:
    if deed.kind is Kind.TRUNCATED:
        del content[deed.position :]
        content.extend(bytes(deed.position - len(content)))
    else:
        _put(content, deed.position, deed.data)


def _apply_some(content: bytearray, deed: Deed, likely: float, chance: Random) -> None:
    """Let each sector of a write be there or not."""
    if deed.kind is Kind.TRUNCATED:
        if chance.random() < likely:
            _apply(content, deed)
        return
    start, end = deed.position, deed.position + len(deed.data)
    for sector in range(start - start % SECTOR, end, SECTOR):
        if chance.random() < likely:
            first, last = max(start, sector), min(end, sector + SECTOR)
            _put(content, first, deed.data[first - start : last - start])


def _tear(content: bytearray, deed: Deed, chance: Random) -> None:
    """Spoil the end of the last write: its sector was being written."""
    torn = chance.randint(1, min(SECTOR, len(deed.data)))
    end = deed.position + len(deed.data)
    content[end - torn : end] = bytes(torn)


def _put(content: bytearray, position: int, data: bytes) -> None:
    if position > len(content):
        content.extend(bytes(position - len(content)))
    content[position : position + len(data)] = data
