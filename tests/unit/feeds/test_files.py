"""Bytes come in whole, plain or gzip, and damage is told."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds import files
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import expand, plain_chunks, read_file


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


@given(st.binary(max_size=5_000))
def test_gzip_and_plain_bytes_come_out_the_same(data: bytes) -> None:
    if not data.startswith(b"\x1f\x8b"):
        assert b"".join(plain_chunks(io.BytesIO(data))) == data
    assert b"".join(plain_chunks(io.BytesIO(gzip.compress(data)))) == data


def test_gzip_is_recognised_in_a_pipe_that_drips() -> None:
    assert b"".join(plain_chunks(Dripping(gzip.compress(b"odds")))) == b"odds"


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
