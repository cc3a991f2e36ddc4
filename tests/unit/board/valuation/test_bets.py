"""The list of bets from the prices of one moment."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from oddsdesk.base.tasks import exhaust, returned
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.board.valuation.bets import (
    Bet,
    BetLister,
    GameResults,
    exposure_of,
    fair_lines,
    listing_bets,
    stake_at,
)
from oddsdesk.board.valuation.verdict_words import bound_text
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import OPEN_AFTER_MS, open_by_outcome, placed_in
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.exposure import Bound, Offer, Placed, Position, StakePlan
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.score_models import Line
from oddsdesk.pricing.selections import settlement
from tests.kit.board import NOW, value_bet

GAME = game_id("ATP", "A vs B")
EVEN = {"A": 1.95, "B": 1.95}
GOOD = 2.09
"""Fair is 2.0: EV 3.47 %, a quarter of Kelly of 1,000 is 10.32."""


def quote(bookmaker: str, odds: dict[str, float], **other: Any) -> OddsRow:
    fields: dict[str, Any] = {
        "match_name": "A vs B",
        "competition": "ATP",
        "sport": "Tennis",
        "market_type": "moneyline",
        "period": 0,
        "match_date": format_ms(NOW + 3_600_000),
        "is_live": False,
        "url": None,
        "liquidity": None,
    }
    at = other.pop("at", NOW)
    return OddsRow(bookmaker=bookmaker, odds=odds, scraped_at=format_ms(at), **(fields | other))


def holding(*quotes: OddsRow) -> Board:
    """A board that holds these prices, and the reference's where none of them is its."""
    board = Board(lambda: NOW)
    board.set_profiles(
        Profiles(
            [
                Profile(name="Exchange", group="Exchange", commission=0.05),
                Profile(name="Small", group="Small", limit=3.0),
            ]
        )
    )
    board.name_reference("Pinnacle")
    if not any(each.bookmaker == "Pinnacle" for each in quotes):
        quotes = (quote("Pinnacle", EVEN), *quotes)
    exhaust(board.merge_rows(quotes))
    return board


def bets_of(board: Board, **options: Any) -> list[Bet]:
    options.setdefault("now_ms", NOW)
    return returned(listing_bets(board.value_bets.values(), board.basis, StakePlan(), **options))


def listed(*quotes: OddsRow, **options: Any) -> list[Bet]:
    return bets_of(holding(*quotes), **options)


def assessed(*quotes: OddsRow) -> Assessment:
    """What the one price with the least edge is worth."""
    (price,) = holding(*quotes).value_bets.values()
    return price.assessment


def cautions(bet: Bet) -> tuple[Caution, ...]:
    return bet.price.assessment.cautions


def test_one_outcome_is_staked_once_at_its_best_net_price() -> None:
    rows = listed(
        quote("Exchange", {"A": 2.11}), quote("Second", {"A": GOOD}), quote("First", {"A": GOOD})
    )
    first, _, _ = rows
    shown = [(row.price.bookmaker, row.stake, row.bound, row.same_bet_as) for row in rows]
    assert shown == [
        ("First", 10, Bound.KELLY, None),
        ("Second", 0, None, first.price),
        ("Exchange", 0, None, first.price),
    ]


def test_a_stake_is_bound_by_what_its_bookmaker_takes() -> None:
    (row,) = listed(quote("Small", {"A": GOOD}))
    assert (row.stake, row.bound) == (3, Bound.BOOKMAKER)


def test_what_is_placed_leaves_less_of_its_outcome() -> None:
    price = quote("Soft", {"A": GOOD})
    (row,) = listed(price, placed=placed_in([placed(stake=4)], NOW))
    assert (row.stake, row.bound) == (6, Bound.PLACED)


def test_both_sides_placed_again_and_again_stay_within_the_cap_of_an_outcome() -> None:
    """The sides hedge each other, so the game risks nothing; each still takes 20 at most."""
    board = holding(quote("Soft", {"A": 2.06}), quote("Second", {"B": 2.06}))
    ledger: list[PlacedBet] = []
    for _ in range(6):
        for bet in bets_of(board, placed=placed_in(ledger, NOW)):
            if bet.stake:
                at, side = bet.price.bookmaker, bet.price.key.selection
                ledger.append(placed(bookmaker=at, selection=side, odds=2.06, stake=bet.stake))
    staked = {
        side: sum(bet.stake for bet in ledger if bet.selection == side) for side in ("A", "B")
    }
    assert staked == {"A": 20, "B": 20}
    assert sum(bet.stake for bet in ledger[:2]) == 30, "the game's cap, before any hedge counts"
    assert placed_in(ledger, NOW).total == 0


def test_what_was_placed_by_another_spelling_of_the_game_counts() -> None:
    """A leg that was typed as "A - B" left all of the stake on the feed's "A vs B"."""
    own = {"match_name": "A - B", "game_id": game_id("", "A - B"), "competition": ""}
    bets = [placed(stake=1), placed(stake=3, **own)]
    found = placed_in(bets, NOW)
    assert (found.by_outcome[GAME, "moneyline", 0, "", "home"], found.total) == (4, 4)
    assert found.by_game[GAME] == 4
    (row,) = listed(quote("Soft", {"A": GOOD}), placed=found)
    assert (row.stake, row.bound) == (6, Bound.PLACED)


FOOTBALL: dict[str, Any] = {"sport": "Football", "competition": "EPL"}
WIN = {"A": 1.95, "Draw": 3.9, "B": 3.9}
COVER = {"A -0.5": 1.95, "B +0.5": 1.95}


@pytest.mark.parametrize(
    "played",
    [
        FOOTBALL,
        {"sport": "Other", "competition": "soccer_fifa_world_cup"},
        {"sport": "Other", "competition": "World Cup", "source_sport": "Football"},
    ],
    ids=["the contract's", "by its code", "by its source"],
)
def test_one_outcome_under_two_market_types_is_staked_once(played: dict[str, Any]) -> None:
    by_goals: dict[str, Any] = played | {"market_type": "spread"}
    rows = listed(
        quote("Pinnacle", WIN, **played),
        quote("Pinnacle", COVER, **by_goals),
        quote("Soft", {"A": 2.06, "Draw": 3.5, "B": 3.5}, **played),
        quote("Soft", {"A -0.5": 2.05, "B +0.5": 1.7}, **by_goals),
    )
    win, cover = rows
    assert (win.price.key.selection, win.bound, win.same_bet_as) == ("A", Bound.KELLY, None)
    assert (cover.price.key.selection, cover.stake) == ("A -0.5", 0)
    assert cover.same_bet_as is win.price
    assert win.stake > 0


def test_a_bet_on_a_handicap_leaves_less_of_the_win_that_it_is() -> None:
    place = {"game_id": game_id("EPL", "A vs B"), "market_type": "spread", "selection": "A -0.5"}
    bet = placed(stake=4, **FOOTBALL, **place)
    quotes = (
        quote("Pinnacle", WIN, **FOOTBALL),
        quote("Soft", {**WIN, "A": 2.06, "B": 3.6}, **FOOTBALL),
    )
    (row,) = listed(*quotes, placed=placed_in([bet], NOW))
    (alone,) = listed(*quotes)
    assert (row.stake, row.bound) == (alone.stake - 4, Bound.PLACED)
    in_play = placed(stake=4, **FOOTBALL, **place, kick_off=NOW - 1)
    assert {name[1] for name in placed_in([bet], NOW).by_outcome} == {"spread", "moneyline"}
    assert {name[1] for name in placed_in([in_play], NOW).by_outcome} == {"spread"}


def test_a_bet_counts_until_its_game_is_surely_over() -> None:
    begun = placed(kick_off=NOW - OPEN_AFTER_MS, stake=4)
    over = placed(kick_off=NOW - OPEN_AFTER_MS - 1, stake=8)
    undated = placed(kick_off=None, placed_at=NOW - 1, stake=16)
    unread = placed(selection="Both", stake=32)
    outcome = (GAME, "moneyline", 0, "", "home")
    found = placed_in([begun, over, undated, unread], NOW)
    assert (found.by_outcome, found.by_game, found.total) == ({outcome: 20.0}, {GAME: 52.0}, 52.0)
    assert found.by_bookmaker == {(outcome, "soft"): 20.0}
    assert found.positions == {GAME: [Position(outcome, 4, GOOD), Position(outcome, 16, GOOD)]}


def test_positions_of_every_kind_gain_and_lose_what_they_can() -> None:
    """A free bet of 10 at 3.0 and a lay of it at 2.0: 20 or nothing, and minus 10 or 10."""
    free = placed(kind=BetKind.FREE, odds=3.0, net_odds=None, stake=10)
    lay = placed(kind=BetKind.LAY, odds=2.0, net_odds=None, stake=10)
    found = placed_in([free, lay], NOW).positions[GAME]
    on_home, on_away = found
    assert (on_home.outcome[4], on_away.outcome[4]) == ("home", "away")
    assert [on_home.profit(share) for share in (1, 0, -1)] == [20, 0, 0]
    assert [on_away.profit(share) for share in (1, 0.5, -1)] == [10, 5, -10]


def test_a_lay_is_already_placed_on_the_other_side() -> None:
    (alone,) = listed(quote("Soft", {"B": GOOD}))
    lay = placed(kind=BetKind.LAY, selection="A", odds=2.0, net_odds=None, stake=4)
    (row,) = listed(quote("Soft", {"B": GOOD}), placed=placed_in([lay], NOW))
    assert (row.stake, row.bound) == (alone.stake - 4, Bound.PLACED)


HOUR = 3_600_000


def test_a_stake_on_another_game_of_the_series_does_not_count_on_this_one() -> None:
    """Three bets have one id by their names: the board has it of the second game alone."""
    begins = [NOW + day * 24 * HOUR for day in (1, 2, 3)]
    bets = [placed(kick_off=at, stake=stake) for at, stake in zip(begins, (1, 2, 4), strict=True)]
    names = ("A vs B (1)", "A vs B", "A vs B (3)")
    ids = ("first", GAME, "third")
    listed = {
        ident: GameEntry(ident, name, "ATP", "Tennis", at, False, 1, None)
        for ident, name, at in zip(ids, names, begins, strict=True)
    }
    found = placed_in(bets, NOW, listed={GAME: listed[GAME]})
    assert (found.by_game[GAME], found.total) == (2.0, 7.0)
    assert found.by_outcome[GAME, "moneyline", 0, "", "home"] == 2.0
    alone = placed_in(bets, NOW)
    assert (alone.by_game[GAME], alone.total) == (7.0, 7.0)


@pytest.mark.parametrize(
    ("name", "competition", "hours", "counts"),
    [
        ("Manchester United vs Fulham", "EPL", 0, True),
        ("Man Utd - Fulham FC", "English Premier League", 1, True),
        ("Man Utd - Fulham FC", "", 1, True),
        ("Man Utd - Fulham FC", "FA Cup", 0, False),
        ("Manchester United vs Fulham", "EPL", 24, False),
        ("Fulham vs Manchester United", "EPL", 0, False),
    ],
)
def test_a_stake_counts_on_the_listed_game_whatever_id_the_bet_has(
    name: str, competition: str, hours: int, counts: bool
) -> None:
    listed = GameEntry("here", "Man United vs Fulham", "EPL", "Football", NOW, False, 1, None)
    bet = placed(
        game_id="elsewhere",
        match_name=name,
        competition=competition,
        sport="Football",
        selection=name.replace(" - ", " vs ").split(" vs ")[0],
        kick_off=NOW + hours * HOUR,
    )
    found = placed_in([bet], NOW, listed={"here": listed})
    assert (found.by_game.get("here", 0.0), found.total) == (1.0 if counts else 0.0, 1.0)
    assert ("here", "moneyline", 0, "", "home") in found.by_outcome or not counts
    by_outcome = open_by_outcome([bet], simulated=False, listed={"here": listed})
    assert all(held == [bet] for held in by_outcome.values())  # as the ledger has it


def placed(**other: Any) -> PlacedBet:
    fields = {"game_id": GAME, "match_name": "A vs B", "competition": "ATP", "sport": "Tennis"}
    fields |= {"market_type": "moneyline", "period": 0, "selection": "A", "bookmaker": "Soft"}
    fields |= {"odds": GOOD, "stake": 1.0, "placed_at": NOW, "kick_off": NOW + 1}
    return PlacedBet(**(fields | other))


def test_only_value_is_listed_unless_everything_is_wanted() -> None:
    quotes = [
        quote("Late", {"A": GOOD}, at=NOW - 181_000),
        quote("Exchange", {"B": 2.08}),
        quote("Poor", {"A": 2.0}),
    ]
    assert listed(*quotes) == []
    late, exchange = listed(*quotes, everything=True)
    assert cautions(late) == (Caution.STALE,)
    assert (exchange.price.is_in_contract, cautions(exchange)) == (True, ())
    assert (late.stake, exchange.stake, exchange.same_bet_as) == (0, 0, None)


def test_a_price_whose_source_is_late_is_no_value() -> None:
    late = quote("Exchange (delayed)", {"A": 2.11})
    assert listed(late) == []
    (row,) = listed(late, everything=True)
    assert (cautions(row), row.stake) == ((Caution.DELAYED,), 0)


def test_prices_below_the_least_edge_are_not_held_as_value_bets() -> None:
    board = holding(quote("Soft", {"A": GOOD, "B": 1.9}), quote("Exchange", {"B": 2.05}))
    assert {(key.bookmaker, key.selection) for key in board.value_bets} == {
        ("Soft", "A"),
        ("Exchange", "B"),
    }


def test_a_bookmaker_whose_draw_is_gone_is_not_two_way() -> None:
    board = holding(quote("Soft", {"A": GOOD, "B": 1.8}))
    assert cautions(bets_of(board)[0]) == ()
    board.miss_draw(GAME, 0, "Soft", NOW)
    assert bets_of(board) == []
    (row,) = bets_of(board, everything=True)
    assert cautions(row) == (Caution.UNREAD_OUTCOME,)
    assert (row.stake, row.service_ev_pct) == (0, None)


def test_a_bookmaker_without_a_moneyline_of_the_game_counts_overtime_as_usual() -> None:
    hockey: dict[str, Any] = {"sport": "Hockey", "competition": "NHL"}
    total = hockey | {"market_type": "total"}
    quotes = [
        quote("Pinnacle", EVEN, **hockey),
        quote("Pinnacle", {"Over 5.5": 1.95, "Under 5.5": 1.95}, **total),
        quote("Soft", {"Over 5.5": GOOD}, **total),
    ]
    three_way = {"C": 2.4, "Draw": 4.2, "D": 2.4}
    usual = quote("Soft", three_way, match_name="C vs D", **hockey)

    assert cautions(listed(*quotes)[0]) == ()
    assert cautions(listed(usual, *quotes, everything=True)[0]) == (Caution.OTHER_RULES,)
    assert cautions(listed(*quotes, usual, everything=True)[0]) == (Caution.OTHER_RULES,)
    other = quote("Soft", {"E": 1.9, "F": 1.9}, match_name="E vs F", **hockey)
    assert cautions(listed(*quotes, usual, other)[0]) == ()


def test_an_unknown_push_is_told_and_sorts_below() -> None:
    spread = {"market_type": "spread"}
    rows = listed(
        quote("Pinnacle", {"A -1": 1.95, "B +1": 1.95}, **spread),
        quote("Soft", {"A -1": GOOD}, **spread),
        quote("Pinnacle", EVEN),
        quote("Soft", {"A": GOOD}),
    )
    units = [(row.price.key.selection, row.price.assessment.per) for row in rows]
    assert units == [("A", "staked"), ("A -1", "decided")]


@pytest.mark.parametrize(
    ("market_type", "pushing"),
    [
        ("spread", {"A -1": 1.95, "B +1": 1.95, "A -0.5": 1.7, "B +0.5": 2.3, "A -1.5": 2.4}),
        ("total", {"Over 3": 1.95, "Under 3": 1.95, "Over 2.5": 1.7, "Under 2.5": 2.3}),
    ],
)
def test_a_push_is_as_likely_as_the_half_lines_beside_it_say(
    market_type: str, pushing: dict[str, float]
) -> None:
    """P(X = k) is P(X > k - 0.5) less P(X > k + 0.5), the margin shared out evenly."""
    first = next(iter(pushing))
    beyond = {"spread": ("A -1.5", "B +1.5"), "total": ("Over 3.5", "Under 3.5")}[market_type]
    ladder = pushing | dict.fromkeys(beyond[:1], 2.4) | dict.fromkeys(beyond[1:], 1.65)
    found = assessed(
        quote("Pinnacle", ladder, market_type=market_type),
        quote("Soft", {first: GOOD}, market_type=market_type),
    )
    below = 1 / 1.7 - (1 / 1.7 + 1 / 2.3 - 1) / 2
    above = 1 / 2.4 - (1 / 2.4 + 1 / 1.65 - 1) / 2
    assert found.settlement is not None
    assert found.settlement.push == pytest.approx(below - above)
    assert found.ev_pct == pytest.approx(3.4653 * (1 - below + above), abs=1e-3)


def test_a_line_of_zero_pushes_on_the_draw_before_kick_off_only() -> None:
    football: dict[str, Any] = {"sport": "Football", "competition": "EPL"}

    def zero(*, in_play: bool) -> Assessment:
        spread = {"market_type": "spread", "is_live": in_play} | football
        return assessed(
            quote("Pinnacle", {"A": 2.2, "Draw": 3.6, "B": 3.2}, is_live=in_play, **football),
            quote("Pinnacle", {"A +0": 1.95, "B +0": 1.95}, **spread),
            quote("Soft", {"A +0": GOOD}, **spread),
        )

    before, live = zero(in_play=False), zero(in_play=True)
    draw = 1 / 3.6 - (1 / 2.2 + 1 / 3.6 + 1 / 3.2 - 1) / 3
    assert before.settlement is not None
    assert before.settlement.push == pytest.approx(draw)
    assert (before.per, live.per) == ("staked", "decided")


def test_only_what_is_chosen_is_listed_and_staked() -> None:
    quotes = [quote("Best", {"A": GOOD}), quote("Mine", {"A": 2.08})]
    chosen = ValueFilter(bookmakers=("Mine",))
    (row,) = listed(*quotes, chosen=chosen.passes)
    assert (row.price.bookmaker, row.same_bet_as) == ("Mine", None)
    assert row.stake > 0
    assert listed(*quotes, chosen=ValueFilter(max_odds=2.0).passes) == []


def test_what_the_users_bookmakers_do_not_offer_is_neither_listed_nor_staked() -> None:
    board = holding(quote("Best", {"A": GOOD}), quote("Mine", {"A": 2.08}))
    assert len(bets_of(board)) == 2
    board.set_bookmakers(("mine",))
    (row,) = bets_of(board, everything=True)
    assert (row.price.bookmaker, row.same_bet_as) == ("Mine", None)
    assert row.stake > 0
    board.set_bookmakers(())
    assert len(bets_of(board)) == 2


def test_a_price_whose_age_nobody_told_is_listed_with_its_caution_and_gets_no_stake() -> None:
    board = Board(lambda: NOW)
    exhaust(board.merge_value_bets([value_bet()]))
    assert bets_of(board) == []
    (row,) = bets_of(board, everything=True)
    assert cautions(row) == (Caution.AGE_UNKNOWN,)
    assert (row.stake, row.bound) == (0, None)


def test_the_stake_at_other_odds_is_that_of_a_list_of_such_prices() -> None:
    """Fair is 2.0: of 2.05 a quarter of Kelly of 1,000 is (1.025 - 1) / 1.05 / 4 * 1,000 = 5.95."""
    prices = [quote("Soft", {"A": GOOD}), quote("Other", {"A": 2.10})]
    apart = quote("Soft", {"C": 2.09, "D": 1.7}, match_name="C vs D")
    fair = quote("Pinnacle", {"C": 1.95, "D": 1.95}, match_name="C vs D")
    board = holding(quote("Pinnacle", EVEN), fair, apart, *prices)
    rows, plan, profiles = bets_of(board), StakePlan(), board.basis.profiles
    soft = next(row.price for row in rows if row.outcome[-1] == "A" or "A" in row.price.key[3:4])
    assert stake_at(rows, soft, ("Soft", 2.05), plan, Placed(), profiles) == 5
    assert stake_at(rows, soft, ("Small", 2.05), plan, Placed(), profiles) == 3, "it takes 3"
    already = placed_in([placed(stake=4)], NOW)
    assert stake_at(rows, soft, ("Soft", 2.05), plan, already, profiles) == 1
    tight = StakePlan(total_cap=0.012)  # 12 for both games: the better one is served first
    assert stake_at(rows, soft, ("Soft", 2.05), tight, Placed(), profiles) == 2
    assert stake_at(rows, soft, ("Soft", 2.10), tight, Placed(), profiles) == 11


def test_what_a_bookmaker_takes_no_more_is_staked_at_the_next_best() -> None:
    """10 by Kelly. Small takes 3: they are placed, then the rest goes elsewhere, and says why."""
    prices = quote("Small", {"A": GOOD}), quote("Soft", {"A": GOOD})
    first, rest = listed(*prices)
    assert [
        (bet.price.bookmaker, bet.stake, bet.bound, bet.same_bet_as) for bet in (first, rest)
    ] == [("Small", 3, Bound.BOOKMAKER, None), ("Soft", 7, Bound.KELLY, None)]
    there = placed_in([placed(stake=3, bookmaker="SMALL")], NOW)
    first, rest = listed(*prices, placed=there)
    assert (first.stake, first.bound, first.same_bet_as) == (0, Bound.BOOKMAKER, None)
    assert (rest.price.bookmaker, rest.stake, rest.bound) == ("Soft", 7, Bound.PLACED)
    assert bound_text(first.bound, "Small", first.stake) == "Small's limit is used up"


def test_the_price_that_carries_most_is_named_beside_the_others() -> None:
    there = placed_in([placed(stake=3, bookmaker="Small")], NOW)
    prices = [quote(name, {"A": odds}) for name, odds in (("Small", 2.09), ("Soft", 2.085))]
    small, soft, low = listed(*prices, quote("Low", {"A": 2.07}), placed=there)
    assert (small.stake, soft.stake > 0, low.same_bet_as) == (0, True, soft.price)
    board = holding(*prices)
    found = exposure_of(
        bets_of(board, placed=there),
        small.price,
        StakePlan(),
        there,
        board.basis.profiles,
        is_practice=False,
    )
    assert found is not None
    assert (found.bet.price.bookmaker, [bet.price.bookmaker for bet in found.parts]) == (
        "Soft",
        ["Small"],
    )
    assert (found.placed, found.at_risk, found.placed_there) == (3, 3, 0)


HOME, AWAY = 1.6, 1.1
SCORES = list(itertools.product(range(15), repeat=2))
Wins = Callable[[int, int], float]


def poisson(rate: float, goals: int) -> float:
    return math.exp(-rate) * rate**goals / math.factorial(goals)


def chance(home: int, away: int) -> float:
    return poisson(HOME, home) * poisson(AWAY, away)


def over(line: float) -> Wins:
    return lambda home, away: (home + away > line) - (home + away < line)


def win(home: int, away: int) -> float:
    return 1.0 if home > away else -1.0


def fair(wins: Wins) -> float:
    """Fair odds of a decided unit."""
    won = math.fsum(chance(*score) for score in SCORES if wins(*score) > 0)
    lost = math.fsum(chance(*score) for score in SCORES if wins(*score) < 0)
    return (won + lost) / won


def quote_of_game_results(
    bookmaker: str, market_type: str, odds: dict[str, float], **more: Any
) -> OddsRow:
    fields: dict[str, Any] = {
        "match_name": "A vs B",
        "competition": "EPL",
        "sport": "Football",
        "period": 0,
        "match_date": format_ms(NOW + 3_600_000),
        "is_live": False,
        "url": None,
        "liquidity": None,
    }
    return OddsRow(
        bookmaker=bookmaker,
        market_type=market_type,
        odds=odds,
        scraped_at=format_ms(NOW),
        **(fields | more),
    )


def priced(*wins: Wins) -> list[float]:
    """The reference's odds with a margin of 4 %, added in equal parts as it is taken out."""
    return [1 / (1 / fair(each) + 0.04 / len(wins)) for each in wins]


LINES = (1.5, 2.5, 3.5, 4.5)
WIN_OF_GAME_RESULTS, DRAW, LOSS = priced(
    win, lambda h, a: 1.0 if h == a else -1.0, lambda h, a: 1.0 if h < a else -1.0
)
TOTALS = {
    f"{side} {line}": odds
    for line in LINES
    for side, odds in zip(
        ("Over", "Under"),
        priced(over(line), lambda h, a, line=line: -over(line)(h, a)),
        strict=True,
    )
}
REFERENCE = (
    quote_of_game_results(
        "Pinnacle", "moneyline", {"A": WIN_OF_GAME_RESULTS, "Draw": DRAW, "B": LOSS}
    ),
    quote_of_game_results("Pinnacle", "total", TOTALS),
)
VALUE = (
    quote_of_game_results(
        "First", "total", {"Over 2.5": round(fair(over(2.5)) * 1.05, 3), "Under 2.5": 1.4}
    ),
    quote_of_game_results(
        "Second", "total", {"Over 3.5": round(fair(over(3.5)) * 1.06, 3), "Under 3.5": 1.1}
    ),
    quote_of_game_results(
        "Third", "moneyline", {"A": round(fair(win) * 1.04, 3), "Draw": 3.0, "B": 2.5}
    ),
)
BETS: dict[str, tuple[Wins, float]] = {
    "Over 2.5": (over(2.5), VALUE[0].odds["Over 2.5"]),
    "Over 3.5": (over(3.5), VALUE[1].odds["Over 3.5"]),
    "A": (win, VALUE[2].odds["A"]),
}
PLAN = StakePlan(outcome_cap=1, game_cap=1, total_cap=1, step=0.01)


def holding_of_game_results(*quotes: OddsRow) -> Board:
    board = Board(lambda: NOW)
    board.set_profiles(Profiles([]))
    board.name_reference("Pinnacle")
    exhaust(board.merge_rows(quotes))
    return board


def listed_of_game_results(
    board: Board, placed: Placed | None = None, lister: BetLister | None = None
) -> list[Bet]:
    steps = (lister or BetLister()).listing(
        board.value_bets.values(),
        board.basis,
        PLAN,
        placed,
        now_ms=NOW,
        lines_of=lambda game: fair_lines(board.matrix(game)),
    )
    return returned(steps)


def stakes(board: Board, placed: Placed | None = None) -> dict[str, float]:
    return {bet.price.key.selection: bet.stake for bet in listed_of_game_results(board, placed)}


def grown(amounts: dict[str, float], held: tuple[float, Wins, float] | None = None) -> float:
    """The expected logarithm at a quarter of Kelly, score by score."""
    bets = [(amount, *BETS[name]) for name, amount in amounts.items()]
    if held is not None:
        bets.append((held[0], held[1], held[2]))
    total = 0.0
    for score in SCORES:
        gained = math.fsum(
            amount * (odds - 1 if wins(*score) > 0 else wins(*score)) for amount, wins, odds in bets
        )
        total += chance(*score) * math.log(1 + gained / 250)
    return total


def searched(held: tuple[float, Wins, float] | None = None) -> dict[str, float]:
    """The amounts from which no step of any size in any direction grows more."""
    best = dict.fromkeys(BETS, 2.0)
    for size in (4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05):
        is_better = True
        while is_better:
            is_better = False
            for steps in itertools.product((-size, 0, size), repeat=len(BETS)):
                moved = {
                    name: max(0.0, amount + step)
                    for (name, amount), step in zip(best.items(), steps, strict=True)
                }
                if grown(moved, held) > grown(best, held) + 1e-12:
                    best, is_better = moved, True
    return best


def test_lines_of_a_game_get_the_stakes_that_grow_most_together() -> None:
    board = holding_of_game_results(*REFERENCE, *VALUE)
    found = stakes(board)
    assert found == pytest.approx(searched(), abs=0.35)
    alone = [
        250 * bet.price.assessment.settlement.kelly(bet.price.assessment.net_odds)
        for bet in listed_of_game_results(board)
        if bet.price.assessment.settlement is not None
    ]
    assert sum(found.values()) < 0.8 * sum(alone)
    assert Bound.SAME_GAME in {bet.bound for bet in listed_of_game_results(board)}


def placed_of_game_results(stake: float, selection: str, odds: float, **more: Any) -> PlacedBet:
    fields: dict[str, Any] = {"market_type": "total", "period": 0} | more
    return PlacedBet(
        game_id=game_id("EPL", "A vs B"),
        match_name="A vs B",
        competition="EPL",
        sport="Football",
        selection=selection,
        bookmaker="Fourth",
        odds=odds,
        stake=stake,
        placed_at=NOW,
        kick_off=NOW + 3_600_000,
        **fields,
    )


@pytest.mark.parametrize(("selection", "side"), [("Over 1.5", 1), ("Under 1.5", -1)])
def test_open_bets_of_the_game_are_held_as_they_are(selection: str, side: int) -> None:
    """A bet on over 1.5 leaves less for more goals, one on under 1.5 is a hedge for them."""
    odds = 1.4 if side > 0 else 4.0
    bets = placed_in([placed_of_game_results(20, selection, odds)], NOW)
    found = stakes(holding_of_game_results(*REFERENCE, *VALUE), bets)
    assert found == pytest.approx(
        searched((20.0, lambda h, a: side * over(1.5)(h, a), odds)), abs=0.35
    )


def test_one_line_is_staked_beside_an_open_bet_on_another() -> None:
    board = holding_of_game_results(*REFERENCE, VALUE[0])
    alone = stakes(board)["Over 2.5"]
    more = stakes(board, placed_in([placed_of_game_results(8, "Over 3.5", 3.4)], NOW))["Over 2.5"]
    hedged = stakes(board, placed_in([placed_of_game_results(8, "Under 3.5", 1.4)], NOW))[
        "Over 2.5"
    ]
    assert more < alone < hedged


def test_where_the_reference_prices_too_little_the_best_line_carries_the_stake() -> None:
    totals = quote_of_game_results(
        "Pinnacle", "total", {k: v for k, v in TOTALS.items() if "2.5" in k or "3.5" in k}
    )
    first, second = listed_of_game_results(holding_of_game_results(totals, *VALUE[:2]))
    assert {first.bound, second.bound} == {Bound.KELLY, Bound.SAME_GAME}
    assert sorted(bet.stake > 0 for bet in (first, second)) == [False, True]


def test_prices_that_contradict_each_other_are_no_grid() -> None:
    torn = dict(TOTALS) | {"Over 2.5": 1.6, "Under 2.5": 2.6}
    board = holding_of_game_results(
        REFERENCE[0], quote_of_game_results("Pinnacle", "total", torn), *VALUE[1:]
    )
    assert sum(bet.stake > 0 for bet in listed_of_game_results(board)) == 1


def test_a_list_that_is_made_again_is_staked_as_one_made_from_nothing() -> None:
    lister = BetLister()
    before = listed_of_game_results(holding_of_game_results(*REFERENCE, *VALUE), lister=lister)
    higher = quote_of_game_results(
        "Third", "moneyline", {"A": round(fair(win) * 1.05, 3), "Draw": 3.0, "B": 2.5}
    )
    board = holding_of_game_results(*REFERENCE, *VALUE[:2], higher)
    again = listed_of_game_results(board, lister=lister)
    assert [bet.stake for bet in again] == [bet.stake for bet in listed_of_game_results(board)]
    assert [bet.stake for bet in again] != [bet.stake for bet in before]


def test_the_stake_at_other_odds_is_solved_with_the_other_lines() -> None:
    board = holding_of_game_results(*REFERENCE, *VALUE)
    rows = listed_of_game_results(board)
    first = next(bet for bet in rows if bet.price.key.selection == "Over 2.5")

    def at(odds: float) -> float:
        return stake_at(
            rows,
            first.price,
            ("First", odds),
            PLAN,
            Placed(),
            board.basis.profiles,
            lambda game: fair_lines(board.matrix(game)),
        )

    odds = first.price.assessment.net_odds
    assert at(odds) == pytest.approx(first.stake, abs=0.02)
    assert at(odds * 1.01) > first.stake > at(odds * 0.985)


ONLY_RESULT = {"A": 2.05, "Draw": 3.5, "B": 3.9}
CHANCES = [
    1 / each - (sum(1 / o for o in ONLY_RESULT.values()) - 1) / 3 for each in ONLY_RESULT.values()
]


def best_of_result(bets: dict[str, tuple[tuple[int, int, int], float]]) -> dict[str, float]:
    """Kelly's stakes on bets that win (1) or lose (0) at home win, draw, away win: by search."""
    best = dict.fromkeys(bets, 1.0)

    def grown(amounts: dict[str, float]) -> float:
        return sum(
            chance
            * math.log(
                1 + sum(amounts[n] * (won[at] * odds - 1) for n, (won, odds) in bets.items()) / 250
            )
            for at, chance in enumerate(CHANCES)
        )

    for size in (4.0, 1.0, 0.25, 0.05, 0.01):
        is_better = True
        while is_better:
            is_better = False
            for steps in itertools.product((-size, 0, size), repeat=len(bets)):
                moved = {n: max(0.0, a + s) for (n, a), s in zip(best.items(), steps, strict=True)}
                if grown(moved) > grown(best) + 1e-12:
                    best, is_better = moved, True
    return best


@pytest.mark.parametrize(
    ("quotes", "bets"),
    [
        (
            {"double_chance": {"1X": 1.37, "X2": 1.97, "12": 1.30}},
            {"1X": ((1, 1, 0), 1.37), "X2": ((0, 1, 1), 1.97)},
        ),
        (
            {
                "moneyline": {"A": 2.2, "Draw": 3.3, "B": 3.1},
                "double_chance": {"1X": 1.2, "X2": 1.8, "12": 1.412},
            },
            {"A": ((1, 0, 0), 2.2), "12": ((1, 0, 1), 1.412)},
        ),
    ],
)
def test_bets_on_the_winner_are_staked_by_the_match_result(
    quotes: dict[str, dict[str, float]], bets: dict[str, tuple[tuple[int, int, int], float]]
) -> None:
    """No total is priced, so there is no score model."""
    board = holding_of_game_results(
        quote_of_game_results("Pinnacle", "moneyline", ONLY_RESULT),
        *(quote_of_game_results(f"Book {name}", name, odds) for name, odds in quotes.items()),
    )
    found, wanted = stakes(board), best_of_result(bets)
    assert {name for name, amount in wanted.items() if amount} == set(bets)
    assert found == pytest.approx(wanted, abs=0.05)


def test_a_home_win_and_its_contrary_share_the_whole_bank() -> None:
    """Both at more than fair odds are an arbitrage: Kelly keeps no reserve."""
    board = holding_of_game_results(
        quote_of_game_results("Pinnacle", "moneyline", ONLY_RESULT),
        quote_of_game_results("One", "moneyline", {"A": 2.15, "Draw": 3.3, "B": 3.4}),
        quote_of_game_results("Two", "double_chance", {"1X": 1.2, "X2": 1.96, "12": 1.25}),
    )
    home, draw, away = CHANCES
    wanted = {"A": 250 * home, "X2": 250 * (draw + away)}
    assert stakes(board) == pytest.approx(wanted, abs=0.05)


def test_in_play_only_the_best_double_chance_is_staked() -> None:
    """In play it is unknown which lines win together, and two double chances can both win."""
    board = holding_of_game_results(
        quote_of_game_results("Pinnacle", "moneyline", ONLY_RESULT, is_live=True),
        quote_of_game_results(
            "Book", "double_chance", {"1X": 1.37, "X2": 1.97, "12": 1.30}, is_live=True
        ),
    )
    first, second = sorted(listed_of_game_results(board), key=lambda bet: -bet.stake)
    assert first.stake > 0
    assert (second.stake, second.bound) == (0, Bound.SAME_GAME)


def test_of_a_game_in_play_or_another_sport_no_scores_are_known() -> None:
    live = [
        quote_of_game_results(r.bookmaker, r.market_type, dict(r.odds), is_live=True)
        for r in REFERENCE
    ]
    board = holding_of_game_results(*live)
    assert all(fair_lines(board.matrix(game)) == () for game in board.held_games())
    other = [
        quote_of_game_results(
            r.bookmaker, r.market_type, dict(r.odds), sport="Hockey", competition="NHL"
        )
        for r in REFERENCE
    ]
    board = holding_of_game_results(*other)
    assert all(fair_lines(board.matrix(game)) == () for game in board.held_games())
    assert fair_lines(None) == ()


def offer(outcome: tuple[str, str], chance: float, push: float = 0.0) -> Offer:
    line = float(outcome[0])
    ends = settlement(chance, push, line, is_above=True)
    return Offer(("g", "total", 0, *outcome), outcome[0], "g", "A", 1.05 / chance, ends)


def grid_lines() -> list[Line]:
    lines = [Line("moneyline", "", side, 1 / fair(wins)) for side, wins in RESULTS.items()]
    lines += [Line("total", f"{line}", "over", 1 / fair(over(line))) for line in LINES]
    return lines


RESULTS: dict[str, Wins] = {
    "home": win,
    "draw": lambda h, a: 1.0 if h == a else -1.0,
    "away": lambda h, a: 1.0 if h < a else -1.0,
}


def test_each_line_is_worth_what_it_was_judged_at() -> None:
    """The reference's own price of a line may lie off the grid: its own is what counts."""
    moved = {
        2.5: 1 / fair(over(2.5)) + 0.008,
        3.5: 1 / fair(over(3.5)) - 0.006,
        4.5: 1 / fair(over(4.5)) + 0.004,
    }
    offers = [offer((f"{line}", "over"), chance) for line, chance in moved.items()]
    found = GameResults().results_of(offers, grid_lines(), ())
    assert found is not None
    assert math.fsum(found.chances) == pytest.approx(1)
    for each in offers:
        won = math.fsum(
            chance
            for chance, share in zip(found.chances, found.shares[each.outcome], strict=True)
            if share == 1
        )
        assert won == pytest.approx(each.settlement.win, abs=1e-5)


def test_a_line_with_an_unknown_push_is_staked_with_the_others() -> None:
    """It keeps its value per decided unit; the scores give the chance of the push."""
    decided = 1 / fair(lambda h, a: -over(2)(h, a)) + 0.01
    offers = [offer(("2.5", "over"), 1 / fair(over(2.5))), offer(("2", "under"), decided)]
    found = GameResults().results_of(offers, grid_lines(), ())
    assert found is not None
    chances = {
        each.outcome: {
            way: math.fsum(
                chance
                for chance, share in zip(found.chances, found.shares[each.outcome], strict=True)
                if share == way
            )
            for way in (1, 0, -1)
        }
        for each in offers
    }
    one, other = (chances[each.outcome] for each in offers)
    assert one[1] == pytest.approx(offers[0].settlement.win, abs=1e-5)
    assert other[1] / (other[1] + other[-1]) == pytest.approx(decided, abs=1e-5)
    hit = math.fsum(chance(*score) for score in SCORES if sum(score) == 2)
    assert other[0] == pytest.approx(hit, abs=0.02)


def test_lines_that_contradict_each_other_are_not_staked_together() -> None:
    """More than 3.5 goals cannot be likelier than more than 2.5."""
    offers = [offer(("2.5", "over"), 0.40), offer(("3.5", "over"), 0.43)]
    assert GameResults().results_of(offers, grid_lines(), ()) is None
