"""A command that reads a slow service tells the user that it does."""

import time

import pytest

from oddsdesk.cli import bet_sources


def test_a_long_reading_is_told_on_stderr_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with bet_sources._saying_that_it_reads(0.05):
        time.sleep(0.3)
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("reading prices: ")


def test_a_short_reading_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with bet_sources._saying_that_it_reads():
        pass
    assert not capsys.readouterr().err
