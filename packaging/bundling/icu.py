"""The Unicode tables that come with Qt, without what Qt never asks them for.

They are a quarter of the bundle: names of currencies, units, regions, languages and time
zones in 700 locales, and legacy encodings. Qt has tables of its own for all of these. Kept are
collation, normalization, case and properties of characters, which it does ask for.
"""

import struct
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

LEFT_OUT: Final = ("brkitr", "curr", "lang", "rbnf", "region", "translit", "unit", "zone")
"""Folders of ICU's data; legacy encodings (``*.cnv``) are left out, too."""
_ALIGNMENT: Final = 16
_PAIR: Final = struct.Struct("<II")
_COUNT: Final = struct.Struct("<I")

Item = tuple[bytes, bytes]
"""Name and content."""


class IcuError(Exception):
    """The tables are not laid out as they used to be."""


def trim_library(library: Path, work: Path) -> None:
    """Put a smaller library of the same name and symbol in place of ``libicudata``.

    Needs binutils. The layout is ICU's "common data" (``udata.h``, ``ucmndata.h``).
    """
    work.mkdir(parents=True, exist_ok=True)
    whole = work / "whole"
    _run("objcopy", "-O", "binary", "--only-section=.rodata", str(library), str(whole))
    (work / "tables").write_bytes(trim_tables(whole.read_bytes()))
    _run("ld", "-r", "-b", "binary", "-o", "plain.o", "tables", cwd=work)
    flags = ".data=.rodata,alloc,load,readonly,data,contents"
    _run("objcopy", "--rename-section", flags, "plain.o", "constant.o", cwd=work)
    alignment = f".rodata={_ALIGNMENT}"
    _run("objcopy", "--set-section-alignment", alignment, "constant.o", "aligned.o", cwd=work)
    version = library.name.rpartition(".")[2]
    _run(
        *("ld", "-shared", "-z", "noexecstack", "-soname", library.name),
        *(f"--defsym=icudt{version}_dat=_binary_tables_start", "-o", str(library), "aligned.o"),
        cwd=work,
    )


def trim_tables(tables: bytes) -> bytes:
    """Return ICU's common data without the items that are left out."""
    head = _head(tables)
    return head + _pack(item for item in _items(tables, len(head)) if _is_wanted(item[0]))


def _head(tables: bytes) -> bytes:
    if len(tables) < 32 or tables[2:4] != b"\xda\x27" or tables[12:16] != b"CmnD":
        raise IcuError("libicudata does not begin with ICU's common data")
    return tables[: struct.unpack_from("<H", tables)[0]]


def _items(tables: bytes, start: int) -> Iterator[Item]:
    """Yield what the table of contents names, in its order."""
    (count,) = _COUNT.unpack_from(tables, start)
    entries = [
        _PAIR.unpack_from(tables, start + _COUNT.size + _PAIR.size * number)
        for number in range(count)
    ]
    ends = [offset for _, offset in entries[1:]] + [len(tables) - start]
    for (name, offset), end in zip(entries, ends, strict=True):
        name_end = tables.index(b"\0", start + name)
        yield tables[start + name : name_end], tables[start + offset : start + end]


def _pack(items: Iterable[Item]) -> bytes:
    kept = list(items)
    names = b"".join(name + b"\0" for name, _ in kept)
    name_at = _COUNT.size + _PAIR.size * len(kept)
    data_at = _aligned(name_at + len(names))
    contents = bytearray(_COUNT.pack(len(kept)))
    content = bytearray()
    for name, data in kept:
        contents += _PAIR.pack(name_at, data_at + len(content))
        name_at += len(name) + 1
        content += data + bytes(_aligned(len(data)) - len(data))
    contents += names
    return bytes(contents + bytes(data_at - len(contents)) + content)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _is_wanted(name: bytes) -> bool:
    """Judge a name such as ``icudt73l/coll/de.res``; dictionaries of words go with ``brkitr``."""
    parts = name.decode("ascii").split("/")
    return parts[1] not in LEFT_OUT and not parts[-1].endswith(".cnv")


def _run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, cwd=cwd, check=True)
