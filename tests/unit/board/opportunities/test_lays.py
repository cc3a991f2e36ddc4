"""A lay as a leg: what it is called, staked and odds of what it takes."""

import math
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.base.tasks import exhaust
from oddsdesk.board.alerts.watching import opportunity_text
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.opportunities.finder import Opportunity, OpportunityFinder, OpportunityLeg
from oddsdesk.board.opportunities.offers import LegsToPlace, Opportunities, offer_now
from oddsdesk.board.opportunities.ways import UNRELIABLE
from oddsdesk.contract.resources import OddsRow, Offer, PriceMessage
from oddsdesk.ledger.open_bets import outcome_named
from oddsdesk.pricing.opportunities import LOW_HOLD, OpportunityKind, Split
from oddsdesk.pricing.profiles import Profile, shipped_profiles
from oddsdesk.pricing.stakes import Depth
from tests.kit.board import GAME, NOW, REFERENCE, Desk, message, odds_row, row_key
from tests.unit.board.opportunities.test_across_markets import MARKETS, SCORES, share

EXCHANGE = Profile(name="Betfair", group="Betfair", commission=0.05)
LAYS = ((2.14, 100.0), (2.2, 0.0), (2.24, 50.0))


def lay(liability: float, lays: tuple[tuple[float, float], ...] = LAYS) -> OpportunityLeg:
    depth = Depth(((2.1, 80.0),), "GBP", lays)
    return OpportunityLeg(
        key=row_key("Arsenal", "Betfair"),
        bookmaker="Betfair",
        odds=2.14,
        net_odds=EXCHANGE.net_lay(2.14),
        stake=liability,
        seen_at=NOW,
        cautions=(),
        url=None,
        depth=depth,
        ladder=EXCHANGE.ladder_of(depth, is_lay=True),
        is_lay=True,
    )


def test_a_lay_is_staked_by_its_liability_and_says_what_backers_stake() -> None:
    leg = lay(57.0)
    assert leg.named("Arsenal") == "Lay Arsenal"
    assert leg.backers_stake == pytest.approx(50.0)
    assert leg.lay_odds == pytest.approx(2.14)
    assert leg.for_sale == (pytest.approx(114.0), "GBP")


def test_a_lay_of_several_levels_has_their_average_odds() -> None:
    leg = lay(114.0 + 31.0)
    assert leg.backers_stake == pytest.approx(100 + 25)
    assert leg.lay_odds == pytest.approx((100 * 2.14 + 25 * 2.24) / 125)


def test_a_lay_of_unknown_size_takes_any_liability_at_its_odds() -> None:
    leg = lay(114.0, ((2.14, 0.0),))
    assert (leg.ladder, leg.for_sale, leg.room) == (None, None, None)
    assert leg.backers_stake == pytest.approx(100)
    assert leg.lay_odds == pytest.approx(2.14)


def test_a_back_has_no_lay_odds() -> None:
    leg = lay(50.0)._replace(is_lay=False)
    assert (leg.lay_odds, leg.backers_stake, leg.named("Arsenal")) == (None, None, "Arsenal")


class Seen:
    """A board of one game, whose prices may be laid as well."""

    def __init__(self, *rows: OddsRow, has_lays: bool = True) -> None:
        self.desk = Desk()
        self.board = self.desk.board
        self.board.set_profiles(shipped_profiles())
        self.board.set_connection(Connection(link=Link.LIVE))
        exhaust(self.board.merge_rows(rows))
        split = Split(total=10_000.0)
        self.list = Opportunities(
            self.board, lambda: self.desk.now, lambda: split, has_lays=has_lays
        )

    def found(self) -> list[Opportunity]:
        exhaust(self.list.looking())
        return sorted(self.list.entries.values(), key=Opportunity.sort_key)


def exchange(
    odds: dict[str, float], lays: dict[str, float], size: float = 500.0, **more: Any
) -> OddsRow:
    """Prices of an exchange, 0.01 below what can be laid unless ``odds`` says otherwise."""
    offers = {
        name: Offer(back=((price, size),), lay=((lays[name], size),), currency="GBP")
        for name, price in odds.items()
        if name in lays
    }
    return odds_row("Smarkets", odds, offers=offers, **more)


RESULT = {"Arsenal": 2.1, "Draw": 3.5, "Chelsea": 3.6}
UNIBET = {"Arsenal": 2.3, "Draw": 3.3, "Chelsea": 3.3}
PINNACLE = odds_row(REFERENCE, {"Arsenal": 2.05, "Draw": 3.5, "Chelsea": 3.7})


def test_a_back_at_a_bookmaker_and_a_lay_at_an_exchange_are_an_arbitrage() -> None:
    """Backed at 2.3, laid at 2.14 with 2 % commission: S is 0.9726."""
    seen = Seen(
        PINNACLE,
        odds_row("Unibet", UNIBET),
        exchange(RESULT, {"Arsenal": 2.14, "Draw": 3.75, "Chelsea": 3.9}),
    )
    found, *_ = (each for each in seen.found() if any(leg.is_lay for leg in each.legs))
    assert found.kind is OpportunityKind.ARBITRAGE
    back, lay_leg = found.legs
    assert (back.bookmaker, back.is_lay) == ("Unibet", False)
    assert (lay_leg.bookmaker, lay_leg.is_lay, lay_leg.odds) == ("Smarkets", True, 2.14)
    assert [found.leg_text(place) for place in (0, 1)] == ["Arsenal", "Lay Arsenal"]
    net = 1 + 0.98 / 1.14
    assert lay_leg.net_odds == pytest.approx(net)
    assert found.total == pytest.approx(1 / 2.3 + 1 / net)
    assert found.outlay.worst == pytest.approx(
        min(back.stake * 2.3, lay_leg.stake * net) - back.stake - lay_leg.stake
    )
    assert lay_leg.backers_stake == pytest.approx(lay_leg.stake / 1.14)
    assert lay_leg.line is None
    assert lay_leg.is_checked


def test_lays_can_be_left_out() -> None:
    rows = (PINNACLE, odds_row("Unibet", UNIBET), exchange(RESULT, {"Arsenal": 2.14}))
    seen = Seen(*rows, has_lays=False)
    assert not [leg for found in seen.found() for leg in found.legs if leg.is_lay]
    assert seen.list.use_lays(True)
    assert [leg for found in seen.found() for leg in found.legs if leg.is_lay]


def test_back_and_lay_of_one_exchange_are_one_operator() -> None:
    """Smarkets backs Arsenal at 2.5 and lays at 2.51: neither with its own other side."""
    seen = Seen(PINNACLE, exchange(RESULT | {"Arsenal": 2.5}, {"Arsenal": 2.51}))
    assert seen.found() == []


@pytest.mark.parametrize(
    "more",
    [
        {"at": NOW - 400_000},
        {"lays": {"Arsenal": 2.09}},  # below what can be backed
        {"lays": {"Arsenal": 2.14, "Draw": 2.9, "Chelsea": 3.2}, "low": 2.8},  # laying all wins
        {"suspended": True},
    ],
    ids=["stale", "crossed", "lays over 100 %", "suspended"],
)
def test_no_lay_of_a_doubtful_book_is_a_leg(more: dict[str, Any]) -> None:
    lays = more.pop("lays", {"Arsenal": 2.14})
    is_suspended, low = more.pop("suspended", False), more.pop("low", None)
    odds = RESULT if low is None else {"Arsenal": 2.1, "Draw": low, "Chelsea": low}
    seen = Seen(PINNACLE, odds_row("Unibet", UNIBET), exchange(odds, lays, **more))
    if is_suspended:
        seen.board.apply_all([message("Arsenal", 0.0, bookmaker="Smarkets")])
    assert not [leg for found in seen.found() for leg in found.legs if leg.is_lay]


def test_a_bet_is_hedged_by_a_lay_if_that_costs_least() -> None:
    seen = Seen(
        PINNACLE,
        odds_row("Unibet", UNIBET),
        exchange(RESULT, {"Arsenal": 2.14}),
        odds_row("Bet365", {"1X": 1.3, "12": 1.3, "X2": 1.75}, market_type="double_chance"),
    )
    board = seen.board
    matrix = board.matrix(GAME)
    assert matrix is not None
    finder = OpportunityFinder(board.basis, board.judge_of(matrix), matrix, Split())
    hedged = [
        each
        for each in finder.hedging(matrix.sections, "Unibet", lambda _: 0.0)
        if each is not None
    ]
    of_home = [each.legs for each in hedged if each.legs[0].key.selection == "Arsenal"]
    assert [[leg.bookmaker for leg in legs] for legs in of_home] == [
        ["Unibet", "Smarkets", REFERENCE],
        ["Unibet", "Smarkets"],
    ]
    assert of_home[1][1].is_lay


NETS = {"Smarkets": 0.02, "Matchbook": 0.02, "Unibet": 0.0, "Bet365": 0.0}
EXCHANGES = ("Smarkets", "Matchbook")


class Quoted(NamedTuple):
    """An offer as the check sees it: what it wins or loses at each score, and its net odds."""

    key: RowKey
    is_lay: bool
    shares: tuple[float, ...]
    net: float


def with_lays(chance: Random) -> list[OddsRow]:
    """All markets that the margin decides, each line at some bookmakers around a fair price."""
    rows = []
    for market_type, lines in MARKETS.items():
        for book in NETS:
            odds, offers = dict[str, float](), dict[str, Offer]()
            for text in (text for line in lines if chance.random() < 0.25 for text in line):
                wins = sum(share(market_type, text, *at) > 0 for at in SCORES) / len(SCORES)
                back = max(1.03, round(chance.uniform(0.9, 1.01) / wins, 2))
                odds[text] = back
                lay_odds = round(max(back + 0.01, chance.uniform(0.97, 1.08) / wins), 2)
                if book in EXCHANGES and chance.random() < 0.8:
                    lays = ((lay_odds, 1e6), (round(lay_odds + 0.1, 2), 1e6))
                    offers[text] = Offer(back=((back, 1e6),), lay=lays)
            if odds:
                rows.append(odds_row(book, odds, market_type=market_type, offers=offers))
    return rows


def quoted(board: Board, rows: list[OddsRow]) -> Iterator[Quoted]:
    """Every back and lay that may be relied upon, by the settlement of its text."""
    for row in rows:
        left = 1 - NETS[row.bookmaker]
        for text, odds in row.odds.items():
            key = row_key(text, row.bookmaker, row.market_type)
            shares = [share(row.market_type, text, *at) for at in SCORES]
            offer = (row.offers or {}).get(text)
            lay_odds = offer.lay[0][0] if offer is not None and offer.lay else None
            for is_lay, net in ((False, 1 + (odds - 1) * left), (True, lay_odds)):
                if net is None:
                    continue
                found = board.assess(key, is_lay=is_lay)
                if found is None or UNRELIABLE.intersection(found.cautions):
                    continue
                if (
                    is_lay
                    and row.market_type == "3way_handicap"
                    and "Draw" in text
                    and "+0" not in text
                ):
                    continue  # nobody offers, nor names, the bet against it
                if is_lay:
                    won = tuple(-each + 0.0 for each in shares)
                    yield Quoted(key, True, won, 1 + left / (net - 1))
                else:
                    yield Quoted(key, False, tuple(shares), net)


@given(st.integers(0, 1 << 32))
def test_backs_and_lays_leave_at_every_score_what_is_said_and_none_is_missed(seed: int) -> None:
    """By the settlement of each text at each score, pairs of bets against each other."""
    rows = with_lays(Random(seed))
    seen = Seen(*rows)
    found = seen.found()
    of_key = {(each.key, each.is_lay): each for each in quoted(seen.board, rows)}
    cheapest = dict[frozenset[tuple[float, ...]], float]()
    for one, other in combinations(of_key.values(), 2):
        is_cover = all(a == -b for a, b in zip(one.shares, other.shares, strict=True))
        if is_cover and one.key.bookmaker != other.key.bookmaker:
            sides = frozenset((one.shares, other.shares))
            total = 1 / one.net + 1 / other.net
            cheapest[sides] = min(total, cheapest.get(sides, math.inf))
    listed = dict[frozenset[tuple[float, ...]], float]()
    for each in found:
        legs = [of_key[leg.key, leg.is_lay] for leg in each.legs]
        for leg, said in zip(each.legs, legs, strict=True):
            assert leg.net_odds == pytest.approx(said.net)
        profits = [
            sum(
                leg.stake * (won * (leg.net_odds - 1) if won > 0 else won)
                for leg, said in zip(each.legs, legs, strict=True)
                for won in [said.shares[at]]
            )
            for at in range(len(SCORES))
        ]
        assert min(profits) == pytest.approx(each.outlay.worst_of_all)
        if len(legs) == 2 and each.middle is None:
            listed[frozenset(leg.shares for leg in legs)] = each.total
    assert listed == {
        sides: pytest.approx(total) for sides, total in cheapest.items() if total <= 1 + LOW_HOLD
    }


def arsenal(lay_odds: float | None, at: int, bookmaker: str = "Smarkets") -> PriceMessage:
    """Arsenal at 2.1 to back, streamed with what can be laid."""
    lays = () if lay_odds is None else ((lay_odds, 500.0),)
    offer = Offer(back=((2.1, 500.0),), lay=lays, currency="GBP")
    return message("Arsenal", 2.1, at, bookmaker=bookmaker, offer=offer)


def test_a_lay_is_offered_at_the_lay_odds_of_now() -> None:
    seen = Seen(PINNACLE, odds_row("Unibet", UNIBET), exchange(RESULT, {"Arsenal": 2.14}))
    (found,) = (each for each in seen.found() if any(leg.is_lay for leg in each.legs))
    split, wanted = Split(total=10_000.0), LegsToPlace(found, (0, 1), (0, 1))
    before = offer_now(seen.board, wanted, 1, split)
    assert (before.stake, before.legs[1].is_other) == (found.legs[1].stake, False)
    seen.board.apply_all([arsenal(2.18, NOW + 1)])
    moved = offer_now(seen.board, wanted, 1, split)
    assert (moved.legs[1].odds, moved.legs[1].is_other) == (2.18, True)
    placed = wanted.after_leg(0, 100.0, 2.3)
    net = 1 + 0.98 / 1.18
    left = offer_now(seen.board, placed, 1, split)
    assert left.stake == pytest.approx(230 / net, abs=1)
    assert left.worst_pct == pytest.approx(
        100 * (min(230, left.stake * net) / (100 + left.stake) - 1)
    )
    seen.board.apply_all([arsenal(None, NOW + 2)])
    gone = offer_now(seen.board, wanted, 1, split)
    assert (gone.stake, gone.legs[1].odds) == (0.0, None)


def test_a_better_lay_of_another_exchange_is_named_as_a_lay() -> None:
    rows = [
        PINNACLE,
        odds_row("Unibet", UNIBET),
        exchange(RESULT, {"Arsenal": 2.14}),
        odds_row("Matchbook", {"Arsenal": 2.1}),
    ]
    seen = Seen(*rows)
    (found,) = (each for each in seen.found() if any(leg.is_lay for leg in each.legs))
    seen.board.apply_all([arsenal(2.12, NOW + 1, "Matchbook")])
    offer = offer_now(seen.board, LegsToPlace(found, (0, 1), (0, 1)), 1, Split())
    assert offer.legs[1].better == (2.12, "Matchbook", "Lay Arsenal")


def test_an_alert_says_what_backers_stake_and_the_liability() -> None:
    seen = Seen(PINNACLE, odds_row("Unibet", UNIBET), exchange(RESULT, {"Arsenal": 2.14}))
    (found,) = (each for each in seen.found() if any(leg.is_lay for leg in each.legs))
    said = "".join(map(str, opportunity_text(found, str, REFERENCE)))
    back, laid = found.legs
    assert f"Arsenal 2.3 at Unibet, stake {back.stake:g} · Lay Arsenal 2.14 at Smarkets, " in said
    assert f"stake {laid.stake / 1.14:.2f}, liability {laid.stake:g}" in said


def test_a_recorded_lay_is_found_whether_or_not_the_ledger_expects_a_draw() -> None:
    """In hockey the ledger takes a lay of a team as a bet on the other team or the draw."""
    hockey = {"sport": "Hockey", "competition": "NHL"}
    lays = {"Arsenal": Offer(back=((1.9, 9e4),), lay=((1.94, 9e4),), currency="GBP")}
    seen = Seen(
        odds_row(REFERENCE, {"Arsenal": 1.95, "Chelsea": 1.95}, **hockey),
        odds_row("Unibet", {"Arsenal": 2.1, "Chelsea": 1.8}, **hockey),
        odds_row("Smarkets", {"Arsenal": 1.9, "Chelsea": 1.9}, offers=lays, **hockey),
    )
    (found,) = (each for each in seen.found() if any(leg.is_lay for leg in each.legs))
    place = next(place for place, leg in enumerate(found.legs) if leg.is_lay)
    game = found.key.game_id
    assert found.recorded_on(1 - place) == [(game, "moneyline", 0, "", "home")]
    assert found.recorded_on(place) == [
        (game, "moneyline", 0, "", "away"),
        (game, "double_chance", 0, "", "X2"),
    ]
    recorded = outcome_named(
        found.legs[place].key, found.match_name, "Hockey", in_play=False, is_lay=True
    )
    assert recorded in found.recorded_on(place)


def test_legs_are_named_with_the_chosen_decimal_mark() -> None:
    back = lay(50.0)._replace(is_lay=False)
    choose_numbers(Style(COMMA))
    assert back.named("Over 2.5") == "Over 2,5"
    assert back._replace(is_lay=True).named("Over 2.5") == "Lay Over 2,5"
