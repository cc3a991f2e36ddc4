"""Who is stale is who would be found stale if the age of every price were looked at each time."""

from typing import Final

from hypothesis import example, given, settings
from hypothesis import strategies as st

from oddsdesk.board.model.basis import NEVER_STALE_MS, Basis, ScrapeInterval
from oddsdesk.board.model.matrix import MarketFacts, Price
from oddsdesk.board.valuation.market import Ages
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import Profiles
from tests.kit.board import NOW, REFERENCE

_NAMES: Final = ["Betfair", "Unibet", REFERENCE]
_names = st.sampled_from(_NAMES)
_seen = st.tuples(_names, st.sampled_from([0, 500, 29_000, 31_000, 61_000, 200_000]))
_stated = st.tuples(_names, st.booleans())
_patience = st.sampled_from([0, 36_000, 90_000])
_waits = st.sampled_from([1, 1_000, 40_000, 152_000, 181_000])


@settings(max_examples=300)
@given(steps=st.lists(_seen | _stated | _waits, max_size=30), patience=_patience)
@example(steps=[("Betfair", 0), 1, ("Unibet", 29_000), 152_000], patience=0)
@example(steps=[("Betfair", True), ("Betfair", 0), 1, 40_000, 40_000], patience=36_000)
def test_who_is_stale_is_who_would_be_found_if_all_were_looked_at(
    steps: list[tuple[str, int] | tuple[str, bool] | int], patience: int
) -> None:
    """Before the game the while that a price was not read again does not count, in play it does."""
    basis, facts, now = Basis(DEFAULT_METHOD, Profiles()), MarketFacts(), NOW
    basis.scrape_interval.be_patient(patience)
    ages, newest, heard = Ages(facts), dict[str, int](), dict[str, int]()

    def is_stale(name: str) -> bool:
        in_play = ages.states.get(name)
        after = basis.scrape_interval.stale_after_ms(name, in_play)
        unread = 0 if in_play else min(patience, now - heard[name])
        return now - newest[name] > after + unread

    for step in steps:
        match step:
            case name, bool(is_live):
                ages.set_state(name, is_live)
            case name, age:
                ages.note_seen(name, Price(2.0, now - age, now - age, now))
                newest[name] = max(now - age, newest.get(name, 0))
                if newest[name] == now - age:
                    heard[name] = now
                ages.turned_as_seen(basis)
                if newest[name] == now - age:
                    assert (name in facts.stale) == is_stale(name)
            case int(waited):
                now += waited
                ages.turned(basis, now)
                assert facts.stale == set(filter(is_stale, newest))
            case _:
                raise AssertionError


def test_no_price_is_stale_so_soon_that_its_age_need_not_be_looked_at() -> None:
    intervals = ScrapeInterval()
    for number in range(10):
        intervals.rescraped("Betfair", 1, NOW + number)
    for name in ("Betfair", "Unibet"):
        for in_play in (True, False, None):
            assert intervals.stale_after_ms(name, in_play) >= NEVER_STALE_MS
