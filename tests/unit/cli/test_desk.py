"""`oddsdesk desk`: which connection the options mean, before any window is opened."""

import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.places import settings_folder
from oddsdesk.cli.desk import desk
from oddsdesk.desk.connections.profiles import KeyPlace, Profiles, RemoteProfile


@pytest.fixture
def saved() -> None:
    place = KeyPlace.SESSION
    Profiles(settings_folder()).save_profile(
        RemoteProfile("Odds Co.", "https://odds.example", key_place=place)
    )


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(desk, arguments, env={"QT_QPA_PLATFORM": "", "DISPLAY": ""})


def test_an_unknown_connection_is_one_line_that_lists_the_known_ones(saved):
    result = _run("--profile", "Odds")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: no connection is called 'Odds'; there are 'Built-in server', 'Odds Co.'\n"
    )


def test_a_connection_is_named_or_local_but_not_both(saved):
    result = _run("--profile", "Odds Co.", "--local")
    assert result.exit_code == 2
    assert "leave out --local" in result.stderr


def test_options_of_the_embedded_server_are_not_for_a_service_elsewhere(saved):
    result = _run("--profile", "Odds Co.", "--feed", "simulator")
    assert result.exit_code == 2
    assert "--feed is for the built-in server" in result.stderr


@pytest.mark.parametrize("arguments", [(), ("--local",), ("--profile", "odds co.")])
def test_what_can_be_opened_asks_for_a_display(saved, arguments, monkeypatch):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    result = _run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no display")
