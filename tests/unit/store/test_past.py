"""The log's past: one bookmaker's moves, and when nothing was recorded."""

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.contract.identity import game_id
from oddsdesk.store.databases import Database
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility
from tests.kit.made_files import with_tables
from tests.kit.store import NOW

GAME = game_id("LIG1", "PSG - Lyon")
PSG = ("moneyline", 0, "PSG")
MINUTE = 60_000


@pytest.fixture
def store(every_store: Store) -> Store:
    return every_store


class Moving:
    """A clock that is set by hand."""

    now = NOW

    def __call__(self) -> int:
        return self.now


def test_the_reference_s_moves_start_with_what_stood_then(database: Database, quote) -> None:
    clock = Moving()
    store = open_store(database, reference="Bet365", clock=clock)
    for step, price in enumerate((1.5, 1.6, 1.7)):
        clock.now = NOW + step * MINUTE
        for bookmaker, odds in (("Bet365", price), ("Unibet", price + 1)):
            made = quote(bookmaker, odds={"PSG": odds, "Lyon": 6.0}, scraped_at=clock.now)
            store.record([made]).result(10)
    selections = [PSG, ("moneyline", 0, "Draw")]
    found = store.reader().reference_history(GAME, selections, NOW + 90_000)
    assert list(found) == [PSG]
    assert [(point.scraped_at, point.odds) for point in found[PSG]] == [
        (NOW + MINUTE, 1.6),
        (NOW + 2 * MINUTE, 1.7),
    ]
    whole = store.reader().reference_history(GAME, [PSG], 0)
    assert [point.odds for point in whole[PSG]] == [1.5, 1.6, 1.7]
    store.close()


def test_which_games_were_simulated_is_known_after_real_odds_came(
    database: Database, quote
) -> None:
    """Real ones may be older than the simulation: an archive that is imported after it."""
    clock = Moving()
    store = open_store(database, reference="Bet365", clock=clock)
    reader, nothing = store.reader(), (Filters(), Visibility(), 10)

    def listed(minute: float) -> tuple[int, int]:
        ids = [
            game.game_id for game in reader.games_as_of(NOW + int(minute * MINUTE), *nothing).items
        ]
        return reader.made_up_among(ids), len(ids)

    assert reader.made_up_among([GAME]) == 0
    store.record([quote("Kestrel", scraped_at=NOW)], simulated=True).result(10)
    clock.now = NOW + MINUTE
    assert listed(0) == listed(1) == (1, 1)
    odds, at = {"Nice": 1.5, "Metz": 6.0}, NOW - 30 * MINUTE
    old = quote("Bet365", match_name="Nice - Metz", odds=odds, scraped_at=at)
    store.record([old]).result(10)
    assert {at: listed(at) for at in (-31, -30, 0, 0.5, 2)} == {
        -31: (0, 0), -30: (0, 1), 0: (1, 2), 0.5: (1, 2), 2: (0, 1)
    }  # fmt: skip
    store.close()


def test_a_log_of_nothing_has_no_beginning_and_no_silence(store) -> None:
    assert store.reader().log_began() is None
    assert store.reader().silences(0, NOW, MINUTE) == []


def test_a_while_without_records_is_a_silence(database: Database, quote) -> None:
    clock = Moving()
    store = open_store(database, clock=clock)
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


def test_scrapes_that_bring_the_same_prices_are_no_silence(database: Database, quote) -> None:
    clock = Moving()
    store = open_store(database, clock=clock)
    for seconds in range(0, 3600, 30):
        clock.now = NOW + seconds * 1000
        store.record([quote(scraped_at=clock.now)]).result(10)
    assert store.reader().last_seq() == 3
    assert store.reader().silences(0, clock.now, 10 * MINUTE) == []
    rows = store.run_on_writer(lambda c: c.execute("SELECT * FROM recorded").fetchall()).result(10)
    assert rows == [(NOW, clock.now)]
    store.record([quote(scraped_at=NOW)]).result(10)
    later = clock.now + 20 * MINUTE
    assert store.reader().silences(0, later, 10 * MINUTE) == [(clock.now, later)]
    store.close()


def test_what_is_recorded_after_a_clock_was_put_back_is_no_silence(
    database: Database, quote
) -> None:
    """D84."""
    clock = Moving()
    store = open_store(database, clock=clock)
    begin = NOW + 60 * MINUTE
    half_minutes = range(begin, begin + 30 * MINUTE, MINUTE // 2)
    for clock.now in (NOW, NOW + 1500 * MINUTE, *half_minutes):
        store.record([quote(scraped_at=clock.now)]).result(10)
    found = store.reader().silences(0, clock.now, 10 * MINUTE)
    assert [each for each in found if each[1] <= clock.now] == [(NOW, begin)]
    (rows,) = store.run_on_writer(
        lambda c: c.execute("SELECT count(*) FROM recorded").fetchall()
    ).result(10)
    assert rows[0] == 32
    store.close()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.integers(-5, 300), min_size=1, max_size=60).filter(lambda steps: steps[0] >= 0),
    st.integers(0, 500),
)
def test_silences_are_all_long_steps_between_recordings(
    tmp_path_factory: pytest.TempPathFactory, quote, steps: list[int], since: int
) -> None:
    """A clock set back, once there is a recording, makes no silence; rows are a minute apart."""
    clock = Moving()
    store = open_store(with_tables(tmp_path_factory.mktemp("past") / "odds.db"), clock=clock)
    times = [NOW]
    for step in steps:
        clock.now += step * 1000
        times.append(max(times[-1], clock.now))
        store.record([quote(scraped_at=times[-1])]).result(10)
    now, longest, first = times[-1] + 3, 150_000, NOW + since * 1000
    began = max(NOW, NOW + steps[0] * 1000)
    found = store.reader().silences(first, now, longest)
    rows = store.run_on_writer(lambda c: c.execute("SELECT * FROM recorded").fetchall()).result(10)
    store.close()
    times = [time for time in times[1:] if time >= began]
    assert found == [
        (one, other)
        for one, other in pairwise([*times, now])
        if other - one > longest and other >= first
    ]
    assert all(one[1] + MINUTE < other[0] for one, other in pairwise(rows))
