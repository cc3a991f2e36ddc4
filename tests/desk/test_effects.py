"""What a changed setting does at once."""

import pytest

from oddsdesk.board.board import Board
from oddsdesk.clock import system_clock
from oddsdesk.desk.embedding import EmbeddedSession
from oddsdesk.desk.profiles import EmbeddedProfile
from oddsdesk.desk.settings.declared import COLOUR_BLIND, FLASH, KEEP_DAYS, METHOD, SCHEME
from oddsdesk.desk.settings.effects import Effects
from oddsdesk.desk.switchboard import Switchboard
from oddsdesk.desk.theme.theme import Scheme, Theme


def _make_session(profile):
    return EmbeddedSession(profile, 30, system_clock)


@pytest.fixture
def board() -> Board:
    return Board(system_clock)


@pytest.fixture
async def switchboard(qapp, board):
    made = Switchboard(board, system_clock, _make_session)
    yield made
    await made.close()


@pytest.fixture
def effects(preferences, theme, board, switchboard):
    return Effects(preferences, theme, board, switchboard)


async def test_the_look_follows_its_settings(preferences, theme: Theme, effects):
    preferences.put(SCHEME, "light")
    preferences.put(COLOUR_BLIND, True)
    assert (theme.scheme, theme.is_colour_blind) == (Scheme.LIGHT, True)


async def test_less_motion_turns_flashes_off(preferences, theme: Theme, effects):
    preferences.put(FLASH, False)
    assert not theme.flashes
    preferences.put(FLASH, True)
    assert theme.flashes


async def test_true_ev_is_judged_by_the_method_that_is_set(preferences, board, effects):
    named: list[str] = []
    effects.method_changed.connect(named.append)
    preferences.put(METHOD, "power")
    assert (board.method, named) == ("power", ["power"])


async def test_the_running_server_keeps_what_is_set(
    preferences, board, switchboard, effects, tmp_path
):
    database = str(tmp_path / "odds.db")
    await switchboard.open(_make_session(EmbeddedProfile("x", database, ("none",))))
    preferences.put(KEEP_DAYS, 7)
    server = switchboard.session._server
    assert server is not None
    state = server.administration.database().result(10)
    assert state.keep_log_ms == 7 * 24 * 3_600_000
