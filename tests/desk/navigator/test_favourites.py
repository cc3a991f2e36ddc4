"""The watch list is kept from one start to the next, and forgets games long gone."""

from typing import Any

from oddsdesk.desk.navigator.favourites import FORGET_MS, Favourites
from oddsdesk.desk.settings.saved_state import Layout


def test_a_watched_game_is_kept_and_one_long_gone_forgotten(layout: Layout, quoted: Any) -> None:
    watched = Favourites(layout, quoted.clock)
    assert watched.toggle("a")
    assert watched.toggle("b")
    assert not watched.toggle("b")
    assert "a" in Favourites(layout, quoted.clock)
    quoted.clock.now += FORGET_MS - 1
    seen = Favourites(layout, quoted.clock)
    seen.see(["a", "never watched"])
    seen.keep()
    quoted.clock.now += 2
    assert Favourites(layout, quoted.clock).games == {"a"}
    quoted.clock.now += FORGET_MS
    assert len(Favourites(layout, quoted.clock)) == 0


def test_a_damaged_watch_list_is_empty(layout: Layout, quoted: Any) -> None:
    layout.put("watch/games", "[1")
    assert len(Favourites(layout, quoted.clock)) == 0
