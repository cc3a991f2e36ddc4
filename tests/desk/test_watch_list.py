"""The watch list is kept from one start to the next, and forgets games long gone."""

from typing import Any

from oddsdesk.desk.layout import Layout
from oddsdesk.desk.watch_list import FORGET_MS, WatchList


def test_a_watched_game_is_kept_and_one_long_gone_forgotten(layout: Layout, quoted: Any) -> None:
    watched = WatchList(layout, quoted.clock)
    assert watched.toggle("a")
    assert watched.toggle("b")
    assert not watched.toggle("b")
    assert "a" in WatchList(layout, quoted.clock)
    quoted.clock.now += FORGET_MS - 1
    seen = WatchList(layout, quoted.clock)
    seen.see(["a", "never watched"])
    seen.keep()
    quoted.clock.now += 2
    assert WatchList(layout, quoted.clock).games == {"a"}
    quoted.clock.now += FORGET_MS
    assert len(WatchList(layout, quoted.clock)) == 0


def test_a_damaged_watch_list_is_empty(layout: Layout, quoted: Any) -> None:
    layout.put("watch/games", "[1")
    assert len(WatchList(layout, quoted.clock)) == 0
