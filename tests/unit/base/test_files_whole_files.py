"""Files are written whole or not at all, past planted links, and devices stay devices."""

import os
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.base.files import whole_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and pipes of POSIX")


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where there are no files without a name."""
    monkeypatch.setattr("oddsdesk.base.files._OWN_DESCRIPTORS", Path("/nowhere"))


def write(path: Path, content: bytes = b"new", **how: bool) -> None:
    with whole_file(path, **how) as file:
        file.write(content)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write_and_fail(path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"half of"
        raise RuntimeError

    with pytest.raises(RuntimeError), whole_file(path) as file:
        file.writelines(parts())


def test_what_is_written_is_there_at_the_end_and_nothing_next_to_it(tmp_path: Path) -> None:
    path = tmp_path / "odds.csv"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "odds.csv"
    write_and_fail(path)
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"old")
    write_and_fail(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "any").write_bytes(b"")
    write(tmp_path / "odds.csv")
    assert mode(tmp_path / "odds.csv") == mode(tmp_path / "any")


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o666, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "odds.csv"
    path.write_bytes(b"old")
    path.chmod(kept)
    write(path)
    assert (path.read_bytes(), mode(path)) == (b"new", kept)


def test_a_private_file_is_private_whatever_it_was(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_bytes(b"old")
    path.chmod(0o644)
    with whole_file(path, 0o600, private=True) as file:
        file.write(b"new")
    assert mode(path) == 0o600


@pytest.mark.usefixtures("named")
def test_what_is_not_whole_is_under_a_name_that_nobody_can_foresee(tmp_path: Path) -> None:
    names = set()
    for _ in range(3):
        with whole_file(tmp_path / "odds.csv") as file:
            (temporary,) = (each for each in tmp_path.iterdir() if each.name != "odds.csv")
            names.add(temporary.name)
            file.write(b"new")
    assert len(names) == 3


@pytest.mark.usefixtures("named")
def test_a_planted_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the name is guessed."""
    monkeypatch.setattr("secrets.token_hex", lambda _bytes: "guessed")
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / ".oddsdesk-guessed.part").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write(tmp_path / "odds.csv")
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / ".oddsdesk-guessed.part").is_symlink()


def test_a_link_of_the_users_own_leads_to_what_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "real" / "odds.csv"
    path.parent.mkdir()
    path.write_bytes(b"old")
    (tmp_path / "link.csv").symlink_to(path)
    write(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert path.read_bytes() == b"new"


def test_a_pipe_stays_a_pipe_and_gets_what_is_written(tmp_path: Path) -> None:
    path, read = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write(path)
    reader.join(10)
    assert read == [b"new"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_stays_a_device() -> None:
    write(Path(os.devnull))
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_descriptor_of_a_regular_file_is_written_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("wb", buffering=0) as held:
        write(Path(f"/dev/fd/{held.fileno()}"))
        assert os.fstat(held.fileno()).st_nlink == 1
    assert path.read_bytes() == b"new"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write(tmp_path)


def test_a_name_as_long_as_may_be_is_written(tmp_path: Path) -> None:
    write(tmp_path / ("x" * 255))
    assert (tmp_path / ("x" * 255)).read_bytes() == b"new"


def test_the_owner_of_what_is_replaced_stays(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    path = tmp_path / "odds.csv"
    path.write_bytes(b"old")
    os.chown(path, 65_534, 65_534)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (65_534, 65_534)


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
def test_a_kill_leaves_nothing_half_written(tmp_path: Path) -> None:
    path = tmp_path / "odds.csv"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"half of")
        file.flush()
        left = list(tmp_path.iterdir())
        file.write(b" new")
    assert left == [path]
    assert path.read_bytes() == b"half of new"
    assert list(tmp_path.iterdir()) == [path]
