import time

import pytest

from oddsdesk.server.troubles import Trouble, Troubles, refused
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError


def _error(fault: Fault) -> StoreUnavailableError:
    return StoreUnavailableError("/home/anna/odds.db: disk I/O error", fault)


def test_what_is_said_stands_until_it_is_over():
    troubles = Troubles([lambda: [Trouble("of a source")]])
    troubles.say("a", Trouble("first"))
    troubles.say("a", Trouble("second"))
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
    assert refused("x", _error(Fault.FULL)).line == "x: the disk is full"
    assert refused("x", StoreError("/home/anna/odds.db: gone")).line == "x: the database refuses"
