"""The log of a window is in a file, without what must not be in it and without growing."""

import logging
import stat
from pathlib import Path

import pytest

from oddsdesk.base.places import log_folder
from oddsdesk.cli import logs


@pytest.fixture(autouse=True)
def loggers_as_they_were():
    root, ours = logging.getLogger(), logging.getLogger("oddsdesk")
    before, level = list(root.handlers), ours.level
    root.handlers.clear()
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers[:] = before
    ours.setLevel(level)


def test_a_windows_log_is_in_a_file(own_folders: Path, capfd: pytest.CaptureFixture[str]):
    logs.start_logging(window=True)
    logging.getLogger("oddsdesk.desk").info("first prices painted")
    assert "first prices painted" in (log_folder() / logs.FILE).read_text()
    assert own_folders in log_folder().parents
    assert capfd.readouterr().err == ""


def test_a_servers_log_is_on_standard_error_only():
    logs.start_logging(window=False)
    logging.getLogger("oddsdesk.server").warning("trouble")
    assert not log_folder().exists()


def test_verbose_tells_on_standard_error(capfd: pytest.CaptureFixture[str]):
    logging.getLogger().handlers.clear()  # those that pytest has put there
    logs.start_logging(window=True, level=logging.INFO)
    logging.getLogger("oddsdesk.desk").info("first prices painted")
    assert "first prices painted" in capfd.readouterr().err


def test_the_file_stays_small(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(logs, "MOST_BYTES", 2_000)
    logs.start_logging(window=True)
    for number in range(200):
        logging.getLogger("oddsdesk").info("line %d", number)
    files = list(log_folder().iterdir())
    assert len(files) == 1 + logs.KEPT
    assert all(file.stat().st_size <= 2_000 for file in files)


def test_a_folder_that_cannot_be_made_does_not_stop_the_program(
    own_folders: Path, capfd: pytest.CaptureFixture[str]
):
    logging.getLogger().handlers.clear()  # those that pytest has put there
    log_folder().parent.mkdir(parents=True)
    log_folder().write_text("in the way")
    logs.start_logging(window=True)
    logging.getLogger("oddsdesk").warning("still here")
    assert "still here" in capfd.readouterr().err
    assert log_folder().read_text() == "in the way"


def test_no_name_with_a_line_break_makes_a_line_of_its_own(capfd: pytest.CaptureFixture[str]):
    logging.getLogger().handlers.clear()
    logs.start_logging(window=False)
    forged = "x\n2026-11-20 18:30:00 ERROR oddsdesk: forged\r\x1b[2J\u2028"
    log = logging.getLogger("oddsdesk")
    log.warning("skipped %s", forged)
    try:
        raise ValueError(forged)
    except ValueError:
        log.exception("failed")
    lines = capfd.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith("20") and line[24:].startswith("ERROR")] == [
        next(line for line in lines if line.endswith("oddsdesk: failed"))
    ]
    assert "skipped x\\n2026" in lines[0]
    assert not any(character in line for line in lines for character in "\r\x1b\u2028")


@pytest.mark.parametrize("as_json", [False, True])
def test_a_foreign_text_is_bounded_and_shows_nothing_that_steers_a_terminal(
    as_json: bool, capfd: pytest.CaptureFixture[str]
):
    logging.getLogger().handlers.clear()
    logs.start_logging(window=False, as_json=as_json)
    log = logging.getLogger("oddsdesk")
    log.warning("half \ud800, turned \u202e, \x1b[2J", extra={"fields": {"why": "\u202e\udc00"}})
    log.warning("long %s", "a" * 100_000)
    try:
        raise ValueError("\ud800\u202e")
    except ValueError:
        log.exception("failed")
    err = capfd.readouterr().err
    assert "half \\ud800, turned \\u202e, \\x1b[2J".replace("\\", "\\\\" * as_json or "\\") in err
    assert not any(each in err for each in "\x1b\u202e")
    assert "Logging error" not in err
    assert max(map(len, err.splitlines())) < 1.1 * logs.MOST_CHARACTERS
    assert "(100005 characters)" in err


def test_no_other_user_reads_the_log(monkeypatch: pytest.MonkeyPatch):
    log_folder().mkdir(parents=True)
    log_folder().chmod(0o755)
    (log_folder() / logs.FILE).touch(0o644)
    (log_folder() / logs.FILE).chmod(0o644)
    monkeypatch.setattr(logs, "MOST_BYTES", 200)
    logs.start_logging(window=True)
    for number in range(20):
        logging.getLogger("oddsdesk").info("line %d", number)
    found = [stat.S_IMODE(each.stat().st_mode) for each in log_folder().iterdir()]
    assert len(found) == 1 + logs.KEPT
    assert {each & 0o007 for each in [*found, log_folder().stat().st_mode]} == {0}
