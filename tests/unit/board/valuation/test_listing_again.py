"""A list of bets made again and again is the list that is made from nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust, returned
from oddsdesk.board.board import Board
from oddsdesk.board.valuation.bets import BetLister, listing_bets
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.presets import Hidden, HiddenKind, HiddenThings, ValueFilter, bet_key
from oddsdesk.pricing.exposure import Placed, StakePlan
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import NOW

GAMES = ("A vs B", "C vs D")
OUTCOME = (game_id("ATP", GAMES[0]), "moneyline", 0, "", "home")
FILTERS = (
    ValueFilter(),
    ValueFilter(max_age_s=30),
    ValueFilter(max_hours_ahead=1),
    ValueFilter(min_odds=2.1, min_limit=5),
    ValueFilter(bookmakers=("Soft",)),
)
HIDDEN = (
    (),
    (Hidden(HiddenKind.BOOKMAKER, "Soft", "", NOW + 90_000),),
    (Hidden(HiddenKind.BET, bet_key(OUTCOME), ""),),
)
PROFILES = (Profiles(), Profiles([Profile(name="Soft", group="Soft", commission=0.02, limit=3.0)]))


class Moment:
    """A board, and what the user wishes of it."""

    def __init__(self, go_through: Callable[[Iterator[None]], None] = exhaust) -> None:
        self.now = NOW
        self.board = Board(lambda: self.now, go_through=go_through)
        self.wishes: dict[str, Any] = {
            "chosen": FILTERS[0],
            "hidden": (),
            "placed": Placed(),
            "plan": StakePlan(),
            "everything": True,
        }

    def quote(self, name: str, bookmaker: str, odds: dict[str, float]) -> None:
        at, kick_off = format_ms(self.now), format_ms(NOW + 3_700_000)
        liquidity = 500.0 if bookmaker == "Pinnacle" else None
        exhaust(
            self.board.merge_rows(
                [
                    OddsRow(bookmaker, name, "ATP", "Tennis", "moneyline", 0, False, odds,
                            kick_off, at, None, liquidity)
                ]
            )
        )  # fmt: skip

    def listed(self, making: Callable[..., Any], **more: bool) -> Any:
        """What a list says, made by ``listing_bets`` or by a lister."""
        wishes, chosen = self.wishes, self.wishes["chosen"]
        hidden = HiddenThings(wishes["hidden"], self.now)
        return returned(
            making(
                tuple(self.board.value_bets.values()),
                self.board.basis,
                wishes["plan"],
                wishes["placed"],
                now_ms=self.now,
                chosen=chosen.passes,
                hidden=hidden.hides if hidden else None,
                everything=wishes["everything"],
                **more,
            )
        )


Step = Callable[[Moment], object]


@st.composite
def quotes(draw: st.DrawFn) -> Step:
    name, bookmaker = draw(st.sampled_from(GAMES)), draw(st.sampled_from(["Soft", "Other"]))
    odds = draw(
        st.dictionaries(st.sampled_from([*name.split(" vs ")]), st.sampled_from([1.9, 2.09, 2.11]))
    )
    return lambda moment: moment.quote(name, bookmaker, odds)


def referring(name: str, odds: float) -> Step:
    sides = name.split(" vs ")
    return lambda moment: moment.quote(name, "Pinnacle", dict.fromkeys(sides, odds))


def passing(seconds: int) -> Step:
    def step(moment: Moment) -> None:
        moment.now += seconds * 1_000
        moment.board.sweep()

    return step


def wishing(wish: tuple[str, Any]) -> Step:
    return lambda moment: moment.wishes.update([wish])


wishes = [
    *(("chosen", each) for each in FILTERS),
    *(("hidden", each) for each in HIDDEN),
    ("placed", Placed({OUTCOME: 4.0}, {OUTCOME[0]: 4.0}, 4.0)),
    ("placed", Placed()),
    ("plan", StakePlan(bankroll=2_000.0)),
    ("plan", StakePlan(kelly_share=0.0)),
    ("everything", False),
    ("everything", True),
]
calls: list[Step] = [
    lambda moment: moment.board.set_profiles(PROFILES[0]),
    lambda moment: moment.board.set_profiles(PROFILES[1]),
    lambda moment: moment.board.set_bookmakers(("Soft",)),
    lambda moment: moment.board.set_bookmakers(()),
    lambda moment: moment.board.set_method("shin"),
    lambda moment: moment.board.choose_reference("Other"),
]
steps = st.one_of(
    quotes(),
    quotes(),
    st.builds(referring, st.sampled_from(GAMES), st.sampled_from([1.93, 1.95, 1.96])),
    st.sampled_from([1, 29, 31, 100, 200]).map(passing),
    st.sampled_from(wishes).map(wishing),
    st.sampled_from(calls),
)


BEGUN: list[Step] = [
    *(referring(name, 1.95) for name in GAMES),
    lambda moment: moment.quote(GAMES[0], "Soft", {"A": 2.09, "B": 2.11}),
    lambda moment: moment.quote(GAMES[1], "Other", {"C": 2.09}),
]


@pytest.mark.parametrize("step", [*map(wishing, wishes), *calls])
def test_what_the_user_wishes_holds_for_prices_that_are_known_already(step: Step) -> None:
    moment, lister = Moment(lambda _later: None), BetLister()
    for one in [*BEGUN, step]:
        one(moment)
        again = moment.listed(lister.listing)
        assert again == moment.listed(listing_bets)


@given(history=st.lists(steps, max_size=25))
def test_a_list_made_again_is_the_list_made_from_nothing(history: list[Step]) -> None:
    moment, lister = Moment(), BetLister()
    for step in [*BEGUN, *history]:
        step(moment)
        by_age = moment.wishes["chosen"].depends_on_time
        again = moment.listed(lister.listing, by_age=by_age)
        assert again == moment.listed(listing_bets)
        value = {price.outcome for price in moment.board.values_now()}
        hides = HiddenThings(moment.wishes["hidden"], moment.now).hides
        seen = {
            price.outcome
            for price in moment.board.values_now()
            if not hides(price.key[0], price.key[1], price.bookmaker, price.outcome)
        }
        assert (lister.value, lister.hidden) == (value, value - seen)


def test_a_price_that_ages_past_what_the_user_wants_leaves_the_list() -> None:
    moment, lister = Moment(), BetLister()
    referring(GAMES[0], 1.95)(moment)
    moment.quote(GAMES[0], "Soft", {"A": 2.09})
    moment.wishes["chosen"] = ValueFilter(max_age_s=30)
    assert len(moment.listed(lister.listing, by_age=True)) == 1
    moment.now += 31_000
    assert moment.listed(lister.listing, by_age=True) == []
