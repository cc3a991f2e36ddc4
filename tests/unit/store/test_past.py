"""The log's past: one bookmaker's moves, and when nothing was recorded."""

import sqlite3
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.contract.identity import game_id
from oddsdesk.store.queries import past
from oddsdesk.store.queries.select import Select
from oddsdesk.store.store import open_store

from .conftest import NOW

GAME = game_id("LIG1", "PSG - Lyon")
LINE = ("moneyline", 0, "PSG")
MINUTE = 60_000


class Moving:
    """A clock that is set by hand."""

    now = NOW

    def __call__(self) -> int:
        return self.now


def test_the_reference_s_moves_start_with_what_stood_then(tmp_path: Path, quote) -> None:
    clock = Moving()
    store = open_store(tmp_path / "odds.db", reference="Bet365", clock=clock)
    for step, price in enumerate((1.5, 1.6, 1.7)):
        clock.now = NOW + step * MINUTE
        for bookmaker, odds in (("Bet365", price), ("Unibet", price + 1)):
            made = quote(bookmaker, odds={"PSG": odds, "Lyon": 6.0}, scraped_at=clock.now)
            store.record([made]).result(10)
    lines = [LINE, ("moneyline", 0, "Draw")]
    found = store.reader().reference_history(GAME, lines, NOW + 90_000)
    assert list(found) == [LINE]
    assert [(point.scraped_at, point.odds) for point in found[LINE]] == [
        (NOW + MINUTE, 1.6),
        (NOW + 2 * MINUTE, 1.7),
    ]
    whole = store.reader().reference_history(GAME, [LINE], 0)
    assert [point.odds for point in whole[LINE]] == [1.5, 1.6, 1.7]
    store.close()


def test_a_log_of_nothing_has_no_beginning_and_no_silence(store) -> None:
    assert store.reader().log_began() is None
    assert store.reader().silences(0, NOW, MINUTE) == []


def test_a_while_without_records_is_a_silence(tmp_path: Path, quote) -> None:
    clock = Moving()
    store = open_store(tmp_path / "odds.db", clock=clock)
    for minute in (0, 1, 2, 30, 31):
        clock.now = NOW + minute * MINUTE
        odds = {"PSG": 1.5 + minute / 100}
        store.record([quote(odds=odds, scraped_at=clock.now)]).result(10)
    reader = store.reader()
    assert reader.log_began() == NOW
    limit = 10 * MINUTE
    silent = (NOW + 2 * MINUTE, NOW + 30 * MINUTE)
    assert reader.silences(NOW, clock.now, limit) == [silent]
    assert reader.silences(NOW + 20 * MINUTE, clock.now, limit) == [silent]
    later = NOW + 60 * MINUTE
    assert reader.silences(NOW + 31 * MINUTE, later, limit) == [(NOW + 31 * MINUTE, later)]
    store.close()


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(0, 500))
def test_silences_are_all_long_steps_of_the_log(steps: list[int], since: int) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE price_change (seq INTEGER PRIMARY KEY, recorded_at INTEGER)")
    times = [sum(steps[:place]) for place in range(1, len(steps) + 1)]
    connection.executemany(
        "INSERT INTO price_change (recorded_at) VALUES (?)", [(t,) for t in times]
    )
    now = times[-1] + 3
    found = past.silences(Select(connection), since, now, 20)
    connection.close()
    expected = [
        (one, other)
        for one, other in zip(times, [*times[1:], now], strict=True)
        if other - one > 20 and other >= since
    ]
    assert found == expected
