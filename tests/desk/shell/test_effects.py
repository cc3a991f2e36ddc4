"""What a changed setting does at once."""

import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.desk.settings.declared import COLOUR_BLIND, FLASH, METHOD, MINE, SCHEME
from oddsdesk.desk.shell.app import Effects
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.pricing.profiles import shipped_profiles


@pytest.fixture
def board() -> Board:
    return Board(system_clock)


@pytest.fixture
def effects(preferences, theme, board):
    return Effects(preferences, theme, board)


async def test_the_look_follows_its_settings(preferences, theme: Theme, effects):
    preferences.keep_setting(SCHEME, "light")
    preferences.keep_setting(COLOUR_BLIND, True)
    assert (theme.scheme, theme.is_colour_blind) == (Scheme.LIGHT, True)


async def test_less_motion_turns_flashes_off(preferences, theme: Theme, effects):
    preferences.keep_setting(FLASH, False)
    assert not theme.flashes
    preferences.keep_setting(FLASH, True)
    assert theme.flashes


async def test_true_ev_is_judged_by_the_method_that_is_set(preferences, board, effects):
    named: list[str] = []
    effects.method_changed.connect(named.append)
    preferences.keep_setting(METHOD, "power")
    assert (board.method, named) == ("power", ["power"])


async def test_only_my_bookmakers_count_once_they_are_chosen(preferences, board, effects):
    board.set_profiles(shipped_profiles())
    told: list[None] = []
    effects.bookmakers_changed.connect(lambda: told.append(None))
    preferences.keep_setting(MINE, ("Betfair Exchange UK",))
    assert told
    assert board.basis.is_mine("betfair_ex_uk")
    assert not board.basis.is_mine("Unibet")
    preferences.keep_setting(MINE, ())
    assert board.basis.is_mine("Unibet")
