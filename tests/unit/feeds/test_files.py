"""Bytes come in whole, plain or packed, and damage is reported."""

import bz2
import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds import files
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import expand, lines_of, parts_of, plain_chunks, read_file, read_part


class Dripping(io.BytesIO):
    """A pipe that gives one byte at a time."""

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(1)


def read_until_error(data: bytes) -> tuple[bytes, str]:
    got = b""
    try:
        for chunk in plain_chunks(io.BytesIO(data)):
            got += chunk
    except FeedError as error:
        return got, str(error)
    return got, ""


PACKERS = pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])


@given(st.binary(max_size=5_000))
def test_packed_and_plain_bytes_come_out_the_same(data: bytes) -> None:
    if not data.startswith((b"\x1f\x8b", b"BZh")):
        assert b"".join(plain_chunks(io.BytesIO(data))) == data
    assert b"".join(plain_chunks(io.BytesIO(gzip.compress(data)))) == data
    assert b"".join(plain_chunks(io.BytesIO(bz2.compress(data)))) == data


@PACKERS
def test_packed_bytes_are_recognised_in_a_pipe_that_drips(pack: Callable[[bytes], bytes]) -> None:
    assert b"".join(plain_chunks(Dripping(pack(b"odds")))) == b"odds"
    assert b"".join(plain_chunks(Dripping(pack(b"")))) == b""


@pytest.mark.parametrize("data", [b"BZ", b"BZh9", b"BZhello", b"\x1f", b"B"])
def test_bytes_that_only_begin_as_packed_ones_do_are_plain(data: bytes) -> None:
    assert b"".join(plain_chunks(Dripping(data))) == data


def test_bzip2_streams_one_after_another_are_one_stream() -> None:
    data = bz2.compress(b"first ") + bz2.compress(b"second")
    assert b"".join(plain_chunks(io.BytesIO(data))) == b"first second"


def test_cut_bzip2_gives_what_came_before_and_then_an_error() -> None:
    data = bz2.compress(b"".join(b"%d\n" % number for number in range(400_000)), 1)
    got, error = read_until_error(data[:-2_000])
    assert "bzip2 data ends early" in error
    assert got.startswith(b"0\n1\n2\n")


def test_damaged_bzip2_is_reported() -> None:
    data = bytearray(bz2.compress(b"".join(b"%d\n" % (n * n) for n in range(400_000)), 1))
    data[len(data) // 2 : len(data) // 2 + 64] = b"\xff" * 64
    got, error = read_until_error(bytes(data))
    assert "bzip2 data is damaged" in error
    assert got.startswith(b"0\n1\n4\n")


def test_little_bzip2_that_holds_much_comes_in_pieces() -> None:
    packed = bz2.compress(b"\n" * 100_000_000)
    assert len(packed) < 1_000
    assert max(map(len, plain_chunks(io.BytesIO(packed)))) < 10_000_000


@given(st.binary(max_size=200), st.integers(1, 9))
def test_lines_are_those_of_the_whole_whatever_the_pieces(data: bytes, size: int) -> None:
    data = data.replace(b"\x00", b"\n")
    pieces = (data[start : start + size] for start in range(0, len(data), size))
    expected = data.split(b"\n")
    assert list(lines_of(pieces)) == (expected if expected[-1] else expected[:-1])


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 10)
    lines = lines_of(iter([b"short\n", b"longer than", b" ten"]))
    assert next(lines) == b"short"
    with pytest.raises(FeedError, match="longer than 10 bytes"):
        next(lines)


def write_tar(path: Path, **contents: bytes) -> None:
    with tarfile.open(path, "w") as archive:
        folder = tarfile.TarInfo("2017")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, data in contents.items():
            member = tarfile.TarInfo(f"2017/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def test_the_files_of_a_tar_archive_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "data.tar"
    write_tar(path, a=bz2.compress(b"first"), b=b"second", **{".hidden": b"", "._a": b"x"})
    parts = list(parts_of(path))
    assert [part.name for part in parts] == [f"{path}/2017/a", f"{path}/2017/b"]
    assert [read_part(part) for part in reversed(parts)] == [b"second", b"first"]


@PACKERS
def test_the_files_of_a_packed_tar_archive_are_read(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "data.tgz"
    write_tar(path, a=bz2.compress(b"first"), b=b"second" * 99)
    path.write_bytes(pack(path.read_bytes()))
    parts = list(parts_of(path))
    assert [part.name for part in parts] == [f"{path}/2017/a", f"{path}/2017/b"]
    assert [read_part(part) for part in reversed(parts)] == [b"second" * 99, b"first"]


def test_a_packed_tar_archive_that_ends_early_gives_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "data.tar.gz"
    write_tar(path, a=b"first", b=random.Random(1).randbytes(99_999))
    path.write_bytes(gzip.compress(path.read_bytes())[:50_000])
    parts = parts_of(path)
    assert read_part(next(parts)) == b"first"
    with pytest.raises(FeedError, match=r"data\.tar\.gz: the gzip data ends early"):
        next(parts)


def test_a_packed_tar_archive_that_is_too_large_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST_ARCHIVE", 20_000)
    path = tmp_path / "data.tgz"
    write_tar(path, a=b"x" * 99_999)
    path.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(FeedError, match="too large: more than 20,000 bytes unpacked"):
        list(parts_of(path))


def test_the_files_of_a_zip_archive_are_read_and_a_workbook_is_one_file(tmp_path: Path) -> None:
    path, book = tmp_path / "data.zip", tmp_path / "book.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("2425")
        archive.writestr("2425/E0.csv", b"first" * 99)
        archive.writestr("__MACOSX/._E0.csv", b"x")
        archive.writestr("E1.csv.gz", gzip.compress(b"second"))
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr("[Content_Types].xml", b"")
        archive.writestr("xl/workbook.xml", b"")
    assert [(part.name, read_part(part)) for part in parts_of(path)] == [
        (f"{path}/2425/E0.csv", b"first" * 99),
        (f"{path}/E1.csv.gz", b"second"),
    ]
    (part,) = parts_of(book)
    assert read_part(part) == book.read_bytes()


def test_the_list_of_a_zip_archive_is_read_once_for_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened = tmp_path / "data.zip", []
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(9):
            archive.writestr(f"{number}.csv", b"%d" % number)

    class Counted(zipfile.ZipFile):
        def __init__(self, file: Path) -> None:
            super().__init__(file)
            opened.append(file)

    monkeypatch.setattr(zipfile, "ZipFile", Counted)
    assert [read_part(part) for part in parts_of(path)] == [b"%d" % number for number in range(9)]
    assert opened == [path]


def test_a_zip_archive_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("E0.csv", b"first" * 99)
    whole = path.read_bytes()
    path.write_bytes(whole[:60])
    with pytest.raises(FeedError, match=r"data\.zip: the zip archive cannot be read"):
        list(parts_of(path))
    path.write_bytes(whole.replace(b"first", b"worst", 1))
    (part,) = parts_of(path)
    with pytest.raises(FeedError, match=r"E0\.csv: the zip archive cannot be read"):
        read_part(part)


def test_a_damaged_tar_archive_keeps_the_files_before_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "data.tar"
    write_tar(path, a=b"first" * 200, b=b"second" * 200)
    data = bytearray(path.read_bytes())
    second = data.index(b"2017/b")
    data[second + 148 : second + 156] = b"\xff" * 8
    path.write_bytes(data)
    parts = parts_of(path)
    assert read_part(next(parts)) == b"first" * 200
    with pytest.raises(FeedError, match="the tar archive is damaged"):
        list(parts)


def test_any_other_file_is_its_own_only_part(tmp_path: Path) -> None:
    path = tmp_path / "odds.json"
    path.write_bytes(b"[]")
    (part,) = parts_of(path)
    assert (part.name, read_part(part)) == (str(path), b"[]")


def test_gzip_members_one_after_another_are_one_stream() -> None:
    data = gzip.compress(b"first ") + gzip.compress(b"second") + b"\0\0"
    assert b"".join(plain_chunks(io.BytesIO(data))) == b"first second"


def test_cut_gzip_gives_what_came_before_and_then_an_error() -> None:
    data = gzip.compress(b"".join(b"%d\n" % number for number in range(50_000)))
    got, error = read_until_error(data[:-2_000])
    assert "ends early" in error
    assert got.startswith(b"0\n1\n2\n")


def test_little_gzip_that_holds_much_comes_in_pieces() -> None:
    packed = gzip.compress(b"\n" * 40_000_000)
    assert max(map(len, plain_chunks(io.BytesIO(packed)))) < 10_000_000


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_file_that_is_too_large_once_it_is_unpacked_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 1_000)
    path = tmp_path / "file"
    path.write_bytes(pack(b" " * 1_000))
    assert len(read_file(path)) == 1_000
    path.write_bytes(pack(b" " * 1_001))
    with pytest.raises(FeedError, match=r"file: too large: more than 1,000 bytes unpacked"):
        read_file(path)


def test_damaged_gzip_keeps_what_was_good_before_the_damage() -> None:
    data = bytearray(gzip.compress(b"".join(b"%d\n" % (n * n) for n in range(50_000))))
    data[len(data) // 2 : len(data) // 2 + 64] = b"\xff" * 64
    got, error = read_until_error(bytes(data))
    assert "damaged" in error
    assert len(got) > 10_000


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match=r"cannot read .*missing"):
        read_file(tmp_path / "missing.json")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"odds" * 1_000)[:-6])
    with pytest.raises(FeedError, match=r"cut\.gz: the gzip data ends early"):
        read_file(path)


def test_a_pattern_a_folder_and_a_file_name_their_files(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "c.csv", ".hidden"):
        (tmp_path / name).touch()
    a, b, c = (tmp_path / name for name in ("a.json", "b.json", "c.csv"))
    assert expand(str(tmp_path / "*.json")) == [a, b]
    assert expand(str(tmp_path)) == [a, b, c]
    assert expand(str(c)) == [c]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    path = tmp_path / "odds[1].json"
    path.touch()
    assert expand(str(path)) == [path]


def test_nothing_that_fits_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match="no such file"):
        expand(str(tmp_path / "*.json"))
