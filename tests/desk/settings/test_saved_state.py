"""What is kept between starts is typed; what cannot be read gives way to what is usual."""

import logging
import sys
from pathlib import Path

import pytest

from oddsdesk.desk.settings.saved_state import Layout, Saved


@pytest.fixture
def path(tmp_path: Path, qapp: object) -> Path:
    return tmp_path / "desk.ini"


def saved(path: Path) -> Saved[list[str]]:
    return Saved(Layout(path), "palette/recent", list[str], ["usual"])


def test_a_value_is_there_at_the_next_start(path: Path) -> None:
    saved(path).keep_value(["Zürich", "a, b"])
    assert saved(path).get_value() == ["Zürich", "a, b"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other file rights")
def test_no_other_user_reads_the_settings(path: Path) -> None:
    Layout(path).keep_word("colours", "dark")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    Layout(path).keep_word("colours", "light")
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_was_never_kept_is_the_usual_without_a_word(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert saved(path).get_value() == ["usual"]
    assert not caplog.messages


@pytest.mark.parametrize("damaged", ['["torn', "[1, 2]", "{}", "no JSON"])
def test_what_cannot_be_read_is_the_usual_and_said_once(
    damaged: str, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    layout = Layout(path)
    layout.keep_word("palette/recent", damaged)
    state = Saved(layout, "palette/recent", list[str], ["usual"])
    with caplog.at_level(logging.WARNING):
        assert state.get_value() == state.get_value() == ["usual"]
    (said,) = caplog.messages
    assert said.startswith("saved palette/recent ")
