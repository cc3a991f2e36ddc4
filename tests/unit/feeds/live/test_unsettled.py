"""What an exchange no longer lists is asked about until it is settled, and once more."""

import pytest

from oddsdesk.contract.times import DAY_MS
from oddsdesk.feeds.live.unsettled import FIRST_MS, GIVEN_UP_MS, LATER_MS, MOST_KEPT, Unsettled

pytestmark = pytest.mark.unit

NOW = 1_800_000_000_000


def followed(*idents: str, at: int = NOW) -> Unsettled[str]:
    found = Unsettled(str)
    found.note_listed("epl", {ident: f"about {ident}" for ident in idents}, at)
    return found


def test_what_is_listed_is_not_asked_about() -> None:
    assert followed("1", "2").take_due("epl", NOW, 10) == {}


def test_what_is_no_longer_listed_is_asked_about_every_five_minutes_then_hourly() -> None:
    found = followed("1", "2")
    found.note_listed("epl", {"2": "about 2"}, NOW)
    assert found.take_due("epl", NOW, 10) == {"1": "about 1"}
    assert found.take_due("epl", NOW + FIRST_MS - 1, 10) == {}
    assert found.take_due("epl", NOW + FIRST_MS, 10) == {"1": "about 1"}
    assert found.take_due("epl", NOW + DAY_MS, 10) == {"1": "about 1"}
    assert found.take_due("epl", NOW + DAY_MS + LATER_MS - 1, 10) == {}
    assert found.take_due("epl", NOW + DAY_MS + LATER_MS, 10) == {"1": "about 1"}


def test_what_is_settled_is_asked_about_once_more_a_day_later() -> None:
    found = followed("1")
    found.note_settled(["1"], NOW)
    assert found.is_settled("1")
    found.note_listed("epl", {}, NOW + 5)
    assert found.take_due("epl", NOW + DAY_MS - 1, 10) == {}
    assert found.take_due("epl", NOW + DAY_MS, 10) == {"1": "about 1"}
    found.note_settled(["1"], NOW + DAY_MS)
    assert found.take_due("epl", NOW + 3 * DAY_MS, 10) == {}


def test_what_is_listed_again_is_not_asked_about() -> None:
    found = followed("1")
    found.note_listed("epl", {}, NOW)
    found.note_listed("epl", {"1": "moved"}, NOW + 1)
    assert found.take_due("epl", NOW + DAY_MS, 10) == {}


def test_each_part_has_its_own_list() -> None:
    found = followed("1")
    found.note_listed("nba", {"9": "about 9"}, NOW)
    assert found.take_due("epl", NOW, 10) == {}
    found.note_listed("nba", {}, NOW)
    assert (found.take_due("epl", NOW, 10), found.take_due("nba", NOW, 10)) == (
        *({}, {"9": "about 9"}),
    )


def test_what_is_not_asked_about_in_one_turn_is_in_the_next() -> None:
    found = followed("1", "2", "3")
    found.note_listed("epl", {}, NOW)
    assert list(found.take_due("epl", NOW, 2)) == ["1", "2"]
    assert list(found.take_due("epl", NOW, 2)) == ["3"]


def test_after_two_weeks_it_is_given_up() -> None:
    found = followed("1")
    found.note_listed("epl", {}, NOW)
    found.note_listed("epl", {}, NOW + GIVEN_UP_MS + 1)
    assert found.take_due("epl", NOW + GIVEN_UP_MS + 1, 10) == {}


def test_the_oldest_are_forgotten_when_there_are_too_many() -> None:
    found = followed(*map(str, range(MOST_KEPT + 1)))
    found.note_listed("epl", {}, NOW)
    assert next(iter(found.take_due("epl", NOW, 1))) == "1"


def test_the_next_run_goes_on() -> None:
    found = followed("1", "2")
    stored = list[bytes]()
    found.store_memory(stored.append)
    found.store_memory(stored.append)
    later = Unsettled(str)
    later.recall(stored[0])
    later.store_memory(stored.append)
    assert len(stored) == 1
    later.note_listed("epl", {"2": "about 2"}, NOW)
    assert later.take_due("epl", NOW, 10) == {"1": "about 1"}
    later.store_memory(stored.append)
    assert len(stored) == 2


@pytest.mark.parametrize("memory", [b"", b"{", b'{"1": 2}', b"\xff"])
def test_a_memory_that_cannot_be_read_is_left(memory: bytes) -> None:
    found = followed("1")
    found.recall(memory)
    found.note_listed("epl", {}, NOW)
    assert found.take_due("epl", NOW, 10) == {"1": "about 1"}
