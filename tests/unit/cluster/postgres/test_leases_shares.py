"""Processes divide a work among themselves; one that is gone holds nothing."""

import contextlib
import time
from collections.abc import Callable, Iterator

import pytest

from oddsdesk.cluster.postgres.leases import PostgresShares
from oddsdesk.store.errors import StoreUnavailableError
from tests.kit.postgres import Postgres

COUNT = 8
LIMIT_S = 20
Join = Callable[[], PostgresShares]


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def join(url: str) -> Iterator[Join]:
    """Takes part as a process of its own."""
    with contextlib.ExitStack() as opened:

        def join() -> PostgresShares:
            shares = PostgresShares(url, "games", COUNT)
            return opened.enter_context(contextlib.closing(shares))

        yield join


def settled(*processes: PostgresShares) -> list[int]:
    """How many each holds once everything is held, by one each, and nobody has another's due."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        for each in processes:
            each.give_back_share(each.take_shares().surplus)
        holdings = [each.take_shares() for each in processes]
        if not any(each.surplus for each in holdings):
            held = [part for each in holdings for part in each.parts]
            assert len(held) == len(set(held))
            if len(held) == COUNT:
                return sorted(len(each.parts) for each in holdings)
        assert time.monotonic() < deadline, "they do not agree"
        time.sleep(0.01)


def test_one_alone_does_everything(join: Join) -> None:
    one = join()
    assert one.take_shares() == (frozenset(range(COUNT)), frozenset())


def test_each_part_is_held_once_and_all_hold_about_equally_many(join: Join) -> None:
    first, second, third = join(), join(), join()
    assert settled(first) == [COUNT]
    assert settled(first, second) == [4, 4]
    assert settled(first, second, third) == [2, 3, 3]


def test_what_somebody_held_who_is_gone_is_taken_over(join: Join) -> None:
    first, second = join(), join()
    settled(first, second)
    first.close()
    assert settled(second) == [COUNT]
    assert settled(second, first) == [4, 4], "who comes back"


def test_works_of_other_names_and_schemas_are_others(
    join: Join, postgres: Postgres, url: str
) -> None:
    join().take_shares()
    for where, name in ((postgres.url(), "games"), (url, "other")):
        with contextlib.closing(PostgresShares(where, name, COUNT)) as other:
            assert len(other.take_shares().parts) == COUNT


def test_who_lost_the_connection_holds_nothing_and_takes_part_again(
    join: Join, url: str, postgres: Postgres
) -> None:
    first, second = join(), join()
    settled(first, second)
    ours = first._connection
    assert ours is not None
    with contextlib.closing(postgres.connect(url)) as connection:
        pid = ours.info.backend_pid
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    with pytest.raises(StoreUnavailableError):
        first.take_shares()
    assert settled(second) == [COUNT]
    assert settled(second, first) == [4, 4]
