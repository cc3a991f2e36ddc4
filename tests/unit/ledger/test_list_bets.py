"""How each kind of bet is read from a list, and what its profits decide."""

import pytest

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.reading import ImportedBets, read_bets
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.selections import Result

NOW = 1_800_000_000_000
EXCHANGE = Profiles([Profile(name="Exchange", group="Exchange", commission=0.05)])


def read(titles: str, *lines: str) -> ImportedBets:
    text = "\n".join((titles, *lines))
    return read_bets(text.encode(), NOW, profiles=EXCHANGE)


def profits(found: ImportedBets) -> list[float]:
    assert (found.problems, found.differing) == ([], [])
    return [round(bet.profit, 2) for bet in found.bets if bet.profit is not None]


LAYS = "Date,Selection,Side,Bookmaker,Odds,Stake,Liability,Result,Profit"


def test_a_lay_pays_its_stake_after_commission_and_loses_its_liability() -> None:
    found = read(
        LAYS,
        "2026-10-01,Draw,Lay,Exchange,3.4,10,24,won,",
        "2026-10-02,Draw,Lay,Exchange,3.4,10,24,lost,-24",
        "2026-10-03,Draw,Lay,Exchange,3.4,10,24,won,9.8",
        "2026-10-04,Draw,Lay,Exchange,3.4,24,24,lost,-24",
        "2026-10-05,Draw,Lay,Exchange,3.4,,24,,",
    )
    assert profits(found) == [9.5, -24, 9.8, -24]
    assert [(bet.odds, bet.stake, round(bet.size, 2)) for bet in found.bets] == [(3.4, 10, 24)] * 5
    assert found.remarks == ["lay bets whose stake column holds the liability: 1"]


def test_a_stake_that_contradicts_its_liability_is_left_out() -> None:
    found = read(LAYS, "2026-10-01,Draw,Lay,Exchange,3.4,20,24,lost,-24")
    assert found.problems == [
        "line 2: a lay of 20 at 3.4 has a liability of 48.00, but the list says 24.00"
    ]


def test_profits_show_whose_results_a_list_of_lays_has() -> None:
    found = read(
        "Date,Selection,Back/Lay,Odds,Stake,Result,Profit",
        "2026-10-01,Draw,Lay,3.4,10,Lost,10",
        "2026-10-02,Draw,Lay,3.4,10,Won,-24",
        "2026-10-03,Draw,Lay,3.4,10,Lost,",
    )
    assert [bet.result for bet in found.bets] == [Result.WON, Result.LOST, Result.WON]
    assert profits(found) == [10, -24, 10]


def test_profits_show_that_the_stake_of_a_lay_is_its_liability() -> None:
    found = read(
        "Date,Selection,Back/Lay,Odds,Stake,Result,Profit",
        "2026-10-01,Draw,Lay,3.0,20,Lost,-20",
        "2026-10-02,Draw,Lay,3.0,30,Won,",
    )
    assert [bet.stake for bet in found.bets] == [10, 15]
    assert profits(found) == [-20, 15]


FREE = "Date,Selection,Type,Odds,Stake,Result,Profit"


@pytest.mark.parametrize(
    ("word", "profit", "kind", "paid"),
    [
        ("Free bet", "30", "free", 30),
        ("Free bet", "40", "free-returned", 40),
        ("Free bet", "", "free", 30),
        ("Free bet SNR", "30", "free", 30),
        ("Free bet SR", "", "free-returned", 40),
        ("Free bet", "29.40", "free", 29.4),
    ],
)
def test_a_free_bet_that_won(word: str, profit: str, kind: str, paid: float) -> None:
    found = read(FREE, f"2026-10-01,Draw,{word},4.0,10,won,{profit}")
    assert [bet.kind.value for bet in found.bets] == [kind]
    assert profits(found) == [paid]


def test_a_free_bet_that_lost_cost_nothing_and_a_list_that_says_so_differs() -> None:
    found = read(FREE, "2026-10-01,Draw,Free bet,4.0,10,lost,-10")
    assert [bet.profit for bet in found.bets] == [0]
    assert found.differing == ["line 2: profit -10.00 in the file, but lost is +0.00"]


def test_a_payout_of_a_free_bet_is_its_profit() -> None:
    found = read(FREE.replace("Profit", "Return"), "2026-10-01,Draw,Free bet,4.0,10,won,30")
    assert profits(found) == [30]


def test_a_free_bet_without_a_result_lost_if_it_paid_nothing() -> None:
    found = read(
        "Date,Selection,Type,Odds,Stake,Profit",
        "2026-10-01,Draw,Free bet,4.0,10,0",
        "2026-10-02,Draw,Free bet,4.0,10,30",
        "2026-10-03,Draw,Free bet,4.0,10,7.50",
        "2026-10-04,Draw,Lay,4.0,10,-30",
        "2026-10-05,Draw,Lay,4.0,10,10",
    )
    assert [bet.result for bet in found.bets] == [
        *(Result.LOST, Result.WON, Result.CASHED_OUT, Result.LOST, Result.WON)
    ]
    assert profits(found) == [0, 30, 7.5, -30, 10]


def terms(bet: PlacedBet) -> tuple[str, float, float | None, int | None]:
    fraction = None if bet.place_fraction is None else round(bet.place_fraction, 4)
    return bet.selection, bet.stake, fraction, bet.places


def test_each_way_bets_are_found_in_the_text() -> None:
    found = read(
        "Date,Event,Market,Selection,Stake,Odds,Result",
        "2026-03-14,Melby 14:30,Win,Blue Tam EW,10,9.0,Won",
        "2026-03-14,Melby 15:05,To Win E/W (1/4 odds 4 places),Ash,10,13.0,Lost",
        "2026-03-14,Melby 15:40,Win,Fir (each way),£5 EW,11.0,Won",
        "2026-03-15,Melby 16:10,Win,Oak,20,4.0,Won",
    )
    assert [terms(bet) for bet in found.bets] == [
        ("Blue Tam", 20, 0.2, None),
        ("Ash", 20, 0.25, 4),
        ("Fir", 10, 0.2, None),
        ("Oak", 20, None, None),
    ]
    assert profits(found) == [10 * 8 + 10 * 1.6, -20, 5 * 10 + 5 * 2, 60]
    assert found.remarks == [
        "each-way bets with the stake on each part, so counted twice: 3",
        "each-way bets without terms, a place counted at 1/5 of the odds: 2",
    ]


EACH_WAY = "Date,Selection,EW,Stake,Odds,Place terms,Places,Result,Profit"


def test_profits_show_the_terms_and_what_the_stake_counts() -> None:
    found = read(
        EACH_WAY,
        "2026-03-14,Ash,yes,10,9.0,,,Won,50",
        "2026-03-15,Fir,yes,10,9.0,,,Lost,-10",
        "2026-03-16,Oak,yes,10,9.0,,,,",
        "2026-03-17,Elm,yes,10,9.0,1/8,5,Placed,0",
    )
    assert [terms(bet)[1:] for bet in found.bets] == [*[(10, 0.25, None)] * 3, (10, 0.125, 5)]
    assert found.bets[3].result is Result.PLACED
    assert profits(found) == [5 * 8 + 5 * 2, -10, 0]


def test_an_each_way_bet_without_a_result_follows_from_its_profit() -> None:
    found = read(
        "Date,Selection,EW,Stake,Odds,Place terms,Profit",
        "2026-03-14,Ash,yes,10,9.0,1/5,6",
        "2026-03-15,Fir,yes,10,9.0,1/5,-20",
        "2026-03-16,Oak,yes,10,9.0,1/5,96",
    )
    assert [bet.result for bet in found.bets] == [Result.PLACED, Result.LOST, Result.WON]
    assert profits(found) == [6, -20, 96]


def test_a_boost_keeps_the_odds_without_it() -> None:
    titles = "Date,Selection,Odds,Odds before boost,Stake,Result"
    boost, plain = read(titles, "2026-01-01,A,+150,+110,10,Won", "2026-01-01,A,+150,+150,10,").bets
    assert (boost.kind.value, boost.unboosted_odds) == ("boost", pytest.approx(2.1))
    assert (plain.kind.value, plain.unboosted_odds) == ("back", None)


@pytest.mark.parametrize(
    ("cells", "amount", "kind_of_money", "profit"),
    [
        ("5,,-5", 5, "money", -5),
        ("5,,-10", 5, "free", -10),
        ("yes,,-10", 10, "free", -10),
        ("5,cash,", 5, "money", -5),
        ("5,free bet,", 5, "free", -10),
    ],
)
def test_a_refund_is_money_or_a_free_bet(
    cells: str, amount: float, kind_of_money: str, profit: float
) -> None:
    titles = "Date,Selection,Odds,Stake,Result,Refund,Refund as,Profit"
    found = read(titles, f"2026-01-01,A,2.5,10,Lost,{cells}", "2026-01-01,A,2.5,10,Lost,no,,-10")
    refund, plain = found.bets
    assert (refund.refund, refund.refund_as, refund.profit) == (amount, kind_of_money, profit)
    assert plain.kind.value == "back"
    assert found.differing == []


def test_an_exchange_lists_lays_with_its_own_titles() -> None:
    found = read(
        "Market,Selection,Bid type,Bet placed,Avg. odds matched,Stake (£),Liability (£),"
        "Profit/Loss (£),Status",
        "Leeds v Hull / Match Odds,Hull,Lay,01-Oct-26 15:03,2.5,10.00,15.00,9.50,Won",
        "Leeds v Hull / Match Odds,Leeds,Back,01-Oct-26 15:03,2.5,10.00,--,-10.00,Lost",
    )
    assert [bet.kind.value for bet in found.bets] == ["lay", "back"]
    assert profits(found) == [9.5, -10]
