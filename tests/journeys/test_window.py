"""The desk's window on a virtual screen: it opens, shows prices, and closes whole."""

import time
from pathlib import Path

from tests.kit.desk_window import DeskWindow
from tests.kit.ndjson import quote
from tests.kit.program import Launch, Program
from tests.kit.promises import in_time

CLOSE_LIMIT_S = 3.0
"""What is promised (docs/promises.md); a calm machine takes a third of it."""


def desk(launch: Launch, screen: str, *arguments: str) -> Program:
    return launch("desk", "--local", "--verbose", *arguments, DISPLAY=screen)


def test_a_first_start_shows_simulated_prices_and_closes_within_three_seconds(
    launch: Launch, screen: str
):
    program = desk(launch, screen)
    window = DeskWindow(program, screen)
    asked = time.monotonic()
    window.press("ctrl+q")
    _, err = program.process.communicate(timeout=60)
    assert time.monotonic() - asked < in_time(CLOSE_LIMIT_S)
    assert program.process.returncode == 0
    assert "ERROR" not in err
    if "WARNING" in err:  # its limit counts seconds, however slow the machine is
        assert "stopped without waiting" in err
        assert in_time(1) > 1.2, err


def test_odds_of_ones_own_are_shown_without_the_simulator(
    launch: Launch, screen: str, tmp_path: Path
):
    database = str(tmp_path / "odds.db")
    file = tmp_path / "quotes.ndjson"
    file.write_text(quote({"Everton": 3.1, "Draw": 3.4, "Liverpool": 2.3}))
    launch("ingest", str(file), "--database", database).process.communicate(timeout=30)
    program = desk(launch, screen, "--database", database)
    program.wait_for_log("first prices painted")
    status, _, err = program.finish()
    assert status == 0
    assert "ERROR" not in err


def test_without_a_display_it_is_one_line(launch: Launch):
    program = launch("desk", "--local", DISPLAY="", WAYLAND_DISPLAY="")
    out, err = program.process.communicate(timeout=30)
    assert (program.process.returncode, out) == (1, "")
    assert err.startswith("Error: no display")
    assert len(err.splitlines()) == 1


def test_a_display_that_does_not_answer_is_one_line(launch: Launch):
    program = launch("desk", "--local", DISPLAY=":6123", WAYLAND_DISPLAY="")
    _, err = program.process.communicate(timeout=30)
    assert program.process.returncode == 1
    assert "DISPLAY=:6123" in err
    assert len(err.splitlines()) == 1


def test_a_database_that_is_none_is_one_line(launch: Launch, screen: str, tmp_path: Path):
    file = tmp_path / "letter.db"
    file.write_text("Dear bookmaker, " * 100)
    program = desk(launch, screen, "--database", str(file))
    _, err = program.process.communicate(timeout=30)
    assert program.process.returncode == 1
    assert len(err.splitlines()) == 1
    assert str(file) in err
