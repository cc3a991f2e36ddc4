"""Stakes by a running bankroll: a bettor stakes what was known and at hand then, no more."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from oddsdesk.contract.results import GameResult
from oddsdesk.feeds.football_data import convert
from oddsdesk.feeds.imported import SourceFile
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.exposure import Bound
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.selections import Result
from oddsdesk.research.backtests import Backtested, run_backtest
from oddsdesk.research.question import Question, Staking
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.staking import (
    Staked,
    bankroll_fields,
    bankroll_lines,
    judged_by_fair_odds,
    over_at,
    stake_bets,
)
from oddsdesk.store.store import Store, open_store

MINUTE = 60_000
HOUR = 60 * MINUTE
START = 1_700_000_000_000
TODAY = START + 400 * 24 * HOUR
SHARE = Staking(kind="proportional", share=0.1)
FREE = Staking(kind="kelly", share=0.5, outcome_cap=1.0, game_cap=1.0, total_cap=1.0)
"""Half Kelly without caps."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(tmp_path / "odds.db", clock=lambda: TODAY)) as held:
        yield held


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordedLog]:
    """A log without results."""
    path = tmp_path_factory.mktemp("log") / "odds.db"
    with closing(open_store(path, clock=lambda: TODAY)) as held:
        yield RecordedLog(held.reader())


def bet(game: int, at: int = 0, result: Result | None = Result.LOST, **fields: Any) -> PlacedBet:
    """Return a bet on the home team of a game, placed some hours after the start of all."""
    name = f"A{game} vs B{game}"
    usual: dict[str, Any] = {
        "game_id": f"g{game}",
        "match_name": name,
        "competition": "EPL",
        "sport": "Football",
        "market_type": "moneyline",
        "period": 0,
        "selection": f"A{game}",
        "bookmaker": "Soft",
        "odds": 2.2,
        "fair_odds": 2.0,
        "stake": 1.0,
        "placed_at": START + at * HOUR,
        "kick_off": START + (at + 1) * HOUR,
        "result": result,
    }
    return PlacedBet(**(usual | fields))


def stakes(found: Staked) -> list[float]:
    return [each.stake for each in found.bets]


def test_flat_stakes_change_nothing(log: RecordedLog) -> None:
    bets = [bet(1), bet(2, result=None)]
    found = stake_bets(bets, Staking(), {}, log)
    assert found.bankroll is None
    assert all(one is other for one, other in zip(found.bets, bets, strict=True))


def test_a_share_is_of_the_bankroll_when_games_are_over(log: RecordedLog) -> None:
    """The second bet is placed one minute before the first game is over, the third when it is."""
    first = bet(1, 0, Result.WON)
    over = over_at(first)
    assert over == START + 3 * HOUR
    second = bet(2, placed_at=over - 1, kick_off=over + HOUR)
    bets = [first, second, bet(3, placed_at=over, kick_off=over + HOUR), bet(4, 20, Result.WON)]
    found = stake_bets(bets, SHARE, {}, log)
    assert stakes(found) == [10, 10, 11.2, 9.08]
    assert found.bankroll is not None
    assert found.bankroll.end == pytest.approx(100 + 12 - 10 - 11.2 + 9.08 * 1.2)
    assert found.bankroll.largest_stake == 11.2
    assert found.bankroll.drawdown == pytest.approx(-21.2)
    assert found.bankroll.drawdown_pct == pytest.approx(-21.2 / 112 * 100)
    assert [each.profit for each in found.bets] == pytest.approx([12, -10, -11.2, 10.896])


def test_bets_of_one_moment_share_what_is_at_hand(log: RecordedLog) -> None:
    """Ten times a tenth is all; there is nothing left for an eleventh until games are over."""
    bets = [bet(game) for game in range(8)] + [bet(game, 1) for game in range(8, 12)]
    found = stake_bets([*bets, bet(12, 2)], SHARE, {}, log)
    assert stakes(found) == [10] * 8 + [5] * 4
    assert found.bankroll is not None
    assert found.bankroll.refused == {Bound.ROUNDING: 1}
    assert found.bankroll.end == 0


def test_a_bankrupt_bettor_does_not_bet(log: RecordedLog) -> None:
    all_in = Staking(kind="proportional", share=1.0)
    found = stake_bets([bet(1), bet(2, 10, Result.WON)], all_in, {}, log)
    assert stakes(found) == [100]
    assert found.bankroll is not None
    assert (found.bankroll.end, found.bankroll.growth_pct) == (0, -100)
    assert (found.bankroll.bets, found.bankroll.growth_per_bet_pct) == (1, -100)


@pytest.mark.parametrize(
    ("result", "gained", "returned"),
    [(Result.VOID, 0, 0), (Result.HALF_WON, 6, 0), (Result.HALF_LOST, -5, 0), (None, 0, 1)],
)
def test_stakes_come_back_as_bets_settle(
    log: RecordedLog, result: Result | None, gained: float, returned: int
) -> None:
    found = stake_bets([bet(1, 0, result), bet(2, 10)], SHARE, {}, log)
    assert stakes(found) == pytest.approx([10, (100 + gained) / 10])
    assert found.bankroll is not None
    assert found.bankroll.returned == returned


def test_a_game_is_over_when_its_result_was_reported_or_it_was_played_later(store: Store) -> None:
    first = bet(1)
    start = first.kick_off
    assert start is not None
    played = GameResult("EPL", "A1 vs B1", start, 1, 0)
    late = replace(played, kick_off=start + 30 * HOUR)
    assert over_at(first, [played]) == start + 2 * HOUR
    assert over_at(first, [replace(played, reported_at=start + 110 * MINUTE)]) == (
        start + 110 * MINUTE
    )
    imported = replace(played, reported_at=start + 300 * HOUR)
    assert over_at(first, [imported]) == start + 2 * HOUR
    assert over_at(first, [late]) == start + 32 * HOUR
    assert over_at(replace(first, placed_at=start + 3 * HOUR)) == start + 3 * HOUR + 1
    assert over_at(replace(first, sport="Tennis")) == start + 4 * HOUR
    undated = replace(first, kick_off=None)
    assert over_at(undated) == undated.placed_at + 7 * 24 * HOUR

    store.record_results([replace(played, reported_at=start + 90 * MINUTE)]).result(10)
    second = bet(2, placed_at=start + 100 * MINUTE)
    found = stake_bets([bet(1, 0, Result.WON), second], SHARE, {}, RecordedLog(store.reader()))
    assert stakes(found) == [10, 11.2]


def test_kelly_without_caps_is_the_closed_form_on_single_bets(log: RecordedLog) -> None:
    random, bets, bankroll, expected = Random(3), [], 100.0, []
    for number in range(60):
        fair = random.uniform(1.3, 6.0)
        odds = fair * random.uniform(1.01, 1.2)
        won = random.random() < 1 / fair
        bets.append(
            bet(
                *(number, number * 5, Result.WON if won else Result.LOST), odds=odds, fair_odds=fair
            )
        )
        stake = math.floor(bankroll * 0.5 * (odds / fair - 1) / (odds - 1) * 100 + 1e-7) / 100
        expected.append(stake)
        bankroll += stake * (odds - 1) if won else -stake
    found = stake_bets(bets, FREE, {}, log)
    assert stakes(found) == pytest.approx(expected)
    assert found.bankroll is not None
    assert found.bankroll.end == pytest.approx(bankroll)
    growth = found.bankroll.growth_per_bet_pct
    assert growth is not None
    assert 100 * (1 + growth / 100) ** len(bets) == pytest.approx(bankroll)


def test_sides_that_exclude_each_other_are_solved_together(log: RecordedLog) -> None:
    """Half of the shares of the bankroll with the highest expected log growth, found by trying."""
    home = bet(1, odds=3.4, fair_odds=3.0)
    away = replace(home, selection="B1", odds=2.9, fair_odds=2.6)
    found = stake_bets([home, away], FREE, {}, log)

    def growth(one: float, other: float) -> float:
        left = 1 - 1 / 3.0 - 1 / 2.6
        return (
            math.log(1 + 2.4 * one - other) / 3
            + math.log(1 + 1.9 * other - one) / 2.6
            + math.log(1 - one - other) * left
        )

    shares = [each / 1000 for each in range(400)]
    best = max(((one, other) for one in shares for other in shares), key=lambda at: growth(*at))
    assert stakes(found) == pytest.approx([share * 50 for share in best], abs=0.06)
    alone = stake_bets([home], FREE, {}, log)
    assert stakes(alone)[0] < stakes(found)[0]


def test_caps_limit_outcomes_games_and_all_open_bets(log: RecordedLog) -> None:
    caps = {"outcome_cap": 0.03, "game_cap": 0.04, "total_cap": 0.1}
    by = replace(FREE, **caps)
    home = bet(1, odds=3.4, fair_odds=3.0)
    away = replace(home, selection="B1", odds=2.9, fair_odds=2.6)
    found = stake_bets([home, away, *(bet(game) for game in range(2, 6))], by, {}, log)
    assert sum(stakes(found)[:2]) == pytest.approx(4, abs=0.011)
    assert max(stakes(found)[:2]) <= 3
    assert sum(stakes(found)) <= 10
    assert stakes(found)[2:4] == [3, 3]
    assert found.bankroll is not None
    assert found.bankroll.refused.keys() == {Bound.TOTAL}
    later = stake_bets([*found.bets, bet(9, 1), bet(10, 10)], by, {}, log)
    assert [each.game_id for each in later.bets[-1:]] == ["g10"]


def test_an_open_bet_on_another_side_of_the_line_counts(log: RecordedLog) -> None:
    home = bet(1, odds=2.4)
    later = bet(1, selection="B1", odds=2.3, placed_at=START + HOUR // 2)
    apart, together = (stake_bets(each, FREE, {}, log) for each in ([later], [home, later]))
    assert stakes(together)[0] == stakes(stake_bets([home], FREE, {}, log))[0]
    assert stakes(together)[1] > stakes(apart)[0]  # each covers the other


def test_stakes_on_both_sides_are_not_at_hand_though_they_cannot_both_lose(
    log: RecordedLog,
) -> None:
    """In tennis one of two players wins, so the worst result of both bets is a gain."""
    home = bet(1, odds=2.15, sport="Tennis", competition="ATP")
    away = replace(home, selection="B1", odds=2.1)
    later = [bet(game, placed_at=START + 1, odds=4.0) for game in range(2, 6)]
    found = stake_bets([home, away, *later], replace(FREE, share=0.6), {}, log)
    assert stakes(found)[:2] == [30, 30]
    assert sum(stakes(found)) == 100


RESULTS = [None, *(each for each in Result if each is not Result.PLACED)]
CASES = st.lists(
    st.tuples(
        st.integers(0, 60),
        st.integers(0, 6),
        st.floats(1.05, 12),
        st.floats(1.0, 1.5),
        st.sampled_from(RESULTS),
    ),
    max_size=25,
)


def made_up(cases: Sequence[tuple[int, int, float, float, Result | None]]) -> list[PlacedBet]:
    return [
        bet(
            *(number, at, result),
            kick_off=START + (at + ahead) * HOUR,
            odds=odds,
            fair_odds=max(1.02, odds / edge),
        )
        for number, (at, ahead, odds, edge, result) in enumerate(cases)
    ]


@given(CASES, st.floats(0.001, 1.0), st.randoms(use_true_random=False))
def test_a_share_never_stakes_more_than_is_at_hand_in_whatever_order_bets_come(
    log: RecordedLog, cases: list[Any], share: float, random: Random
) -> None:
    bets = made_up(cases)
    by = Staking(kind="proportional", share=share)
    found = stake_bets(bets, by, {}, log)
    assert found.bankroll is not None
    assert min([each for _, each in found.bankroll.course], default=0.0) >= -1e-9
    assert found.bets == plain_shares(bets, share)
    shuffled = random.sample(bets, len(bets))
    other = stake_bets(shuffled, by, {}, log)
    assert other.bankroll == found.bankroll
    assert sorted(other.bets, key=lambda each: each.game_id) == sorted(
        found.bets, key=lambda each: each.game_id
    )


@given(CASES, st.floats(0.05, 1.0), st.randoms(use_true_random=False))
def test_kelly_never_stakes_more_than_is_at_hand_in_whatever_order_bets_come(
    log: RecordedLog, cases: list[Any], share: float, random: Random
) -> None:
    bets = made_up(cases)
    by = replace(FREE, share=share)
    found = stake_bets(bets, by, {}, log)
    assert found.bankroll is not None
    assert min([each for _, each in found.bankroll.course], default=0.0) >= -1e-9
    assert stake_bets(random.sample(bets, len(bets)), by, {}, log).bankroll == found.bankroll


def plain_shares(bets: Sequence[PlacedBet], share: float) -> list[PlacedBet]:
    """Stake football bets by a share, computed without the product: all of a day's money is cents.

    Whole hundredths keep sums exact, profits are added in the order of the games' ends.
    """
    moments = sorted({each.placed_at for each in bets})
    bankroll, open_bets, staked = 100.0, list[tuple[int, str, PlacedBet]](), {}
    for now in moments:
        for over in sorted(open_bets, key=lambda each: each[:2]):
            if over[0] <= now:
                bankroll += over[2].profit or 0.0
                open_bets.remove(over)
        at_hand = bankroll - math.fsum(each.stake for _, _, each in open_bets)
        new = [each for each in bets if each.placed_at == now]
        amount = math.floor(min(share * bankroll, at_hand / len(new)) * 100 + 1e-9) / 100
        if at_hand >= 0.01 - 1e-9 and amount:
            for each in new:
                staked[id(each)] = replace(each, stake=amount)
                assert each.kick_off is not None
                end = max(each.kick_off + 2 * HOUR, now + 1)
                open_bets.append((end, each.game_id, staked[id(each)]))
    return [staked[id(each)] for each in bets if id(each) in staked]


def test_lines_of_one_game_are_staked_together_as_in_the_desk(store: Store) -> None:
    """By the sharp book's lines a win and many goals go together; by one line alone only it is."""
    done = season_of(store, EXAMPLE, staking=FREE)
    assert len(done.bets) == 2
    assert {each.market_type for each in done.bets} == {"moneyline", "total"}
    alone = {
        each.market_type: stake_bets([each], FREE, {}, RecordedLog(store.reader())).bets[0].stake
        for each in season_of(store, EXAMPLE).bets
    }
    for each in done.bets:
        assert 0 < each.stake < alone[each.market_type]


EXAMPLE = (
    "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,PSH,PSD,PSA,P>2.5,P<2.5,WHH,WHD,WHA,B365>2.5,B365<2.5\n"
    "E0,17/08/2024,15:00,Everton,Brighton,3,1,1.5,4.6,6.8,1.7,2.2,1.58,4.2,5.5,1.85,2.0\n"
)


def season_of(store: Store, text: str, **asked: Any) -> Backtested:
    """Import a season and bet on it."""
    read = convert(SourceFile("season.csv", text.encode()))
    store.record(read.quotes).result(60)
    if read.results:
        store.record_results(read.results).result(60)
    question = Question(
        reference="Pinnacle",
        method="multiplicative",
        close=CloseBy("Pinnacle"),
        profiles=shipped_profiles(),
        **asked,
    )
    return run_backtest(RecordedLog(store.reader()), question, TODAY)


def test_a_summary_says_how_the_bankroll_went(log: RecordedLog) -> None:
    bets = [bet(1, 0, Result.WON), bet(2, 10, None), *(bet(game, 20) for game in range(3, 15))]
    found = stake_bets([*bets, *(bet(game, 21) for game in range(15, 20))], SHARE, {}, log).bankroll
    assert found is not None
    assert bankroll_lines(found) == [
        "bankroll 100.00 to 0.04 units (-99.96 %, -42.814 % a bet), deepest drawdown -111.96 units"
        " and -99.96 %, largest stake 11.20",
        "5 bets got no stake: too little room left by open bets",
        "the stake of 1 bet without a result came back",
    ]
    assert bankroll_fields(found) == {
        "start": 100,
        "end": found.end,
        "growth_pct": found.growth_pct,
        "growth_per_bet_pct": found.growth_per_bet_pct,
        "drawdown": found.drawdown,
        "drawdown_pct": found.drawdown_pct,
        "largest_stake": 11.2,
        "refused": {"total": 5},
        "returned": 1,
    }
    assert bankroll_fields(None) is None


@pytest.mark.slow
def test_a_real_season_staked_by_kelly_is_what_a_plain_loop_stakes(
    store: Store, shared_data: Path
) -> None:
    """The match results of a season, staked again from odds, fair odds and scores alone."""
    text = (shared_data / "football-data" / "E0_2425.csv").read_text(encoding="utf-8-sig")
    only = ValueFilter(market_types=("moneyline",))
    flat = season_of(store, text, filter=only).bets
    by = Staking(kind="kelly", share=0.25)
    done = season_of(store, text, filter=only, staking=by)
    expected = plain_kelly(flat, by)
    assert len(expected) > 40
    assert [(each.bet_key, each.stake) for each in done.bets] == expected
    assert done.bankroll is not None
    assert done.bankroll.end == pytest.approx(
        100 + math.fsum(each.profit or 0.0 for each in done.bets)
    )


def plain_kelly(bets: Sequence[PlacedBet], by: Staking) -> list[tuple[Any, float]]:
    """Stake bets by Kelly with caps, the game with the highest expected profit first.

    Sides of a game exclude each other: with ``keep = (1 - sum(p)) / (1 - sum(1/o))`` each gets
    ``p - keep / o`` (Smoczynski and Tomkins, 2010), for one side ``(p o - 1) / (o - 1)``.
    """
    bankroll, open_bets, staked = by.bankroll, list[tuple[int, float, float]](), {}
    moments = defaultdict[int, dict[str, list[PlacedBet]]](lambda: defaultdict(list))
    for each in bets:
        moments[each.placed_at][each.game_id].append(each)
    for now in sorted(moments):
        bankroll += sum(profit for end, _, profit in open_bets if end <= now)
        open_bets = [each for each in open_bets if each[0] > now]
        room = by.total_cap * bankroll - sum(stake for _, stake, _ in open_bets)
        games = sorted(moments[now].values(), key=lambda sides: -max(map(edge, sides)))
        for sides in games:
            chances = [1 / (each.fair_odds or 0) for each in sides]
            keep = (1 - sum(chances)) / (1 - sum(1 / each.net for each in sides))
            for each, chance in zip(sides, chances, strict=True):
                kelly = (chance - keep / each.net) * by.share
                assert len(sides) == 1 or kelly * len(sides) < by.outcome_cap
                wanted = min(min(kelly, by.outcome_cap, by.game_cap) * bankroll, room)
                stake = math.floor(wanted * 100 + 1e-4) / 100
                room -= stake
                won = each.result is Result.WON
                profit = stake * (each.net - 1) if won else -stake
                assert each.kick_off is not None
                open_bets.append((each.kick_off + 2 * HOUR, stake, profit))
                staked[each.bet_key] = stake
    return [(each.bet_key, staked[each.bet_key]) for each in bets if staked[each.bet_key]]


def edge(each: PlacedBet) -> float:
    assert each.fair_odds is not None
    return each.net / each.fair_odds - 1


def test_a_bet_of_another_strategy_is_judged_by_its_fair_odds() -> None:
    home = judged_by_fair_odds(bet(1)).offer
    draw = judged_by_fair_odds(bet(1, selection="Draw")).offer
    assert home.group == draw.group
    assert home.outcome != draw.outcome
    assert home.settlement.win == 0.5
