import time

import pytest

from oddsdesk.server.troubles import RetryWhileUnavailable, Trouble, Troubles, refused_trouble
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError


def _error(fault: Fault) -> StoreUnavailableError:
    return StoreUnavailableError("/home/anna/odds.db: disk I/O error", fault)


def test_what_is_said_stands_until_it_is_over():
    troubles = Troubles([lambda: [Trouble("of a source")]])
    troubles.report_trouble("a", Trouble("first"))
    troubles.report_trouble("a", Trouble("second"))
    assert [each.line for each in troubles.now()] == ["second", "of a source"]
    troubles.over("a")
    troubles.over("a")
    assert [each.line for each in troubles.now()] == ["of a source"]


@pytest.mark.parametrize(("fault", "stands_s"), [(Fault.LOCKED, 5), (Fault.DAMAGED, 60)])
def test_a_refusal_met_stands_for_a_while(fault, stands_s, monkeypatch):
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    troubles = Troubles()
    troubles.met("answering requests", _error(fault))
    now += stands_s - 1
    assert [each.fault for each in troubles.now()] == [fault]
    now += 2
    assert troubles.now() == []


def test_no_path_is_told():
    assert refused_trouble("x", _error(Fault.FULL)).line == "x: the disk is full"
    assert (
        refused_trouble("x", StoreError("/home/anna/odds.db: gone")).line
        == "x: the database reports an error"
    )


async def test_a_refusal_is_told_once_until_the_database_answers_again(caplog):
    outcomes = iter(["disk full", "disk full", "", "locked", "locked"])

    async def step() -> None:
        if outcome := next(outcomes):
            raise StoreUnavailableError(outcome)

    patience = RetryWhileUnavailable("the stream")
    for _ in range(5):
        await patience.do(step, 0)
    assert [record.getMessage() for record in caplog.records] == [
        "the stream is waiting for the database: disk full",
        "the stream is waiting for the database: locked",
    ]
