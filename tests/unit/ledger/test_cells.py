"""What stands in the cells of a list of bets."""

import pytest

from oddsdesk.ledger.presets import ListChoices
from oddsdesk.ledger.reading import ImportedBets, read_bets

NOW = 1_800_000_000_000
BACK, FREE, RETURNED, EACH_WAY = "back", "free", "free-returned", "each-way"
LAY, BOOST, REFUND = "lay", "boost", "refund"

EXCHANGE = """Market,Selection,Bid type,Bet ID,Date,Odds,Stake,Liability,Profit/Loss,Status
Leeds v Hull : Match Odds,Leeds,Back,301,2026-10-01 15:02,2.5,10.00,10.00,14.25,Won
Leeds v Hull : Match Odds,Hull,Lay,302,2026-10-01 15:03,2.5,10.00,15.00,9.50,Won
Leeds v Hull : Match Odds,The Draw,LAY,303,2026-10-01 15:04,2.5,10.00,15.00,-15.00,Lost
"""
REBEL = """Date,Event,Selection,Type,Bookmaker,Odds,Stake,Status,Profit
2026-10-01,Leeds vs Hull,Leeds,Valuebet,Granite Line,2.1,10,won,11
2026-10-01,Leeds vs Hull,Over 2.5,Value,Granite Line,2.1,10,lost,-10
2026-10-01,Leeds vs Hull,Draw,Lay,Smarkets,3.4,10,won,9.80
2026-10-01,Leeds vs Hull,Hull,Freebet,Granite Line,3.4,10,lost,0
"""
BET_ANALYTIX = """Date;Type;Sport;Label;Odds;Stake;State;Bookmaker;Competition;BetType;Bonus;\
Freebet;Eachway;Comment
2026-10-01 11:18;Simple;Tennis;Murray;2.25;10;L;Azulejo;ATP;Winner;;;;
2026-10-01 11:19;Simple;Tennis;Zverev;2.25;10;L;Azulejo;ATP;Winner;;Yes;;
2026-10-01 11:20;Simple;Horse racing;Red Rum;9.0;10;L;Azulejo;;Each way;;;;
2026-10-01 11:21;Simple;Horse racing;Shergar;9.0;10;L;Azulejo;;Winner;;;Yes;
2026-10-01 11:22;Simple;Football;Leeds;2.0;10;L;Azulejo;;1X2;5.00;;;on a good day
2026-10-01 11:23;Simple;Football;Hull;2.0;10;L;Azulejo;;1X2;;;;Free bet
"""
PIKKIT = """bet_id,sportsbook,type,status,odds,amount,profit,time_placed_iso,bet_info,tags
a1,ProphetX,straight,SETTLED_WIN,2.27,10,12.70,2025-12-27T22:55:44.000Z,Jazz,"model, early"
a2,ProphetX,straight,SETTLED_LOSS,2.27,10,0,2025-12-27T22:56:44.000Z,Bulls,"model, Free Bet"
a3,ProphetX,parlay,SETTLED_LOSS,2.27,10,-10,2025-12-27T22:57:44.000Z,Heat,no bonus bets left
"""
SHEET = """Date;Tipster;League;Team;Selection;Stake;Odds;Result;Stake type;EW;Promo;B/L;Notes
01.10.2026;Free Bet Mike;Bonus League;Lay United;Leeds;10;2,5;lost;Cash;FALSE;Odds boost;B;a bonus
02.10.2026;Each Way Ann;EW Cup;Leeds;Hull;10;2,5;lost;Free;FALSE;;B;
03.10.2026;Ann;;Leeds;Hull;10;2,5;lost;Cash;TRUE;;B;
04.10.2026;Ann;;Leeds;Hull;10;2,5;lost;Cash;;SNR;B;
05.10.2026;Ann;;Leeds;Hull;10;2,5;lost;Cash;;;L;
06.10.2026;Ann;;Leeds;Hull;10;2,5;lost;Cash;;;B;lay
"""


@pytest.mark.parametrize(
    ("text", "kinds", "profit"),
    [
        (EXCHANGE, [BACK, LAY, LAY], 14.25 + 9.50 - 15),
        (REBEL, [BACK, BACK, LAY, FREE], 11 - 10 + 9.80),
        (BET_ANALYTIX, [BACK, FREE, EACH_WAY, EACH_WAY, BACK, FREE], -10 - 20 - 20 - 10),
        (PIKKIT, [BACK, FREE, BACK], 12.70 - 10),
        (SHEET, [BOOST, FREE, EACH_WAY, FREE, LAY, LAY], -10 - 20 - 15 - 15),
    ],
)
def test_lists_keep_every_bet_as_what_it_is(text: str, kinds: list[str], profit: float) -> None:
    found = read_bets(text.encode(), NOW)
    assert [bet.kind.value for bet in found.bets] == kinds
    assert sum(bet.profit or 0 for bet in found.bets) == pytest.approx(profit)
    assert (found.problems, found.differing) == ([], [])


def with_column(title: str, *cells: str) -> ImportedBets:
    """Read lost bets, a cell of one more column next to each."""
    lines = "".join(f"Leeds;2.5;10;lost;{cell}\n" for cell in cells)
    return read_bets(f"Selection;Odds;Stake;Result;{title}\n{lines}".encode(), NOW)


@pytest.mark.parametrize(
    ("title", "cell", "kind"),
    [
        *(("Side", cell, LAY) for cell in ("Lay", "L", "LAY", "lay bet", "Sell")),
        *(("Back/Lay", cell, LAY) for cell in ("Lay", "l")),
        *(("Bet type", cell, LAY) for cell in ("Lay", "Lay the draw", "lay_limit")),
        ("Exchange order", "Lay", LAY),
        ("Lay", "yes", LAY),
        ("Is lay?", "TRUE", LAY),
        *(("Bet type", cell, FREE) for cell in ("Free bet", "Bonus", "free_bet", "Freebets")),
        *(("Bet type", cell, FREE) for cell in ("Free bet (SNR)", "Casino free bet", "Bonus cash")),
        *(("Type", cell, FREE) for cell in ("Freebet", "FreeBet", "SNR", "free")),
        *(("Bonus", cell, FREE) for cell in ("yes", "TRUE", "1", "SNR")),
        *(("Bonus bet", cell, FREE) for cell in ("yes", "y", "10.00", "€10")),
        *(("Free bet", cell, FREE) for cell in ("yes", "10", "SNR")),
        *(("Stake type", cell, FREE) for cell in ("Free", "Bonus funds", "free stake")),
        *(("Wallet", cell, FREE) for cell in ("free bet", "Freebet", "bonus", "SNR")),
        *(("Bet type", cell, RETURNED) for cell in ("Free bet SR", "free-returned", "SR")),
        ("Bet type", "Free bet (stake returned)", RETURNED),
        *(("Bet type", cell, EACH_WAY) for cell in ("Each way", "each-way", "E/W single")),
        *(("Bet type", cell, BOOST) for cell in ("Boost", "Odds boost", "Price boosted")),
        ("Promo", "Odds boost", BOOST),
        *(("Boost", cell, BOOST) for cell in ("yes", "25 %", "0.5")),
        *(("Bet type", cell, REFUND) for cell in ("Risk-free bet", "No sweat", "Bet insurance")),
        ("Bet type", "Risk free, back as free bet", REFUND),
        ("Money back", "yes", REFUND),
        *(("Typ", cell, FREE) for cell in ("Freiwette", "Gratiswette")),
        *(("Tipo de apuesta", cell, LAY) for cell in ("En contra", "lay")),
        ("Type de pari", "gagnant/placé", EACH_WAY),
        ("Kind", "lay", LAY),
        *(("EW", cell, EACH_WAY) for cell in ("TRUE", "1/5", "yes")),
        *(("Place terms", cell, EACH_WAY) for cell in ("each way", "E/W", "EW")),
        ("Market", "Each Way", EACH_WAY),
        ("Tags", "boosted, bonus", FREE),
    ],
)
def test_a_cell_names_the_kind_of_a_bet(title: str, cell: str, kind: str) -> None:
    found = with_column(title, cell, "")
    assert [bet.kind.value for bet in found.bets] == [kind, BACK]
    assert found.problems == []
    assert title not in found.left_out


@pytest.mark.parametrize(
    ("title", "cell", "why"),
    [
        ("Free bet", "perhaps", "Free bet 'perhaps': expected yes or no"),
        ("Free bet amount", "4", "a free bet of 4 in a stake of 10: split it into two lines"),
        (
            "Bet type",
            "Each-Way Double",
            "an each-way bet that is a multiple too: record its parts by hand",
        ),
        (
            "Bet type",
            "free bet each way",
            "an each-way bet that is a free bet too: record its parts by hand",
        ),
    ],
)
def test_a_bet_of_no_single_kind_is_left_out_with_the_reason(
    title: str, cell: str, why: str
) -> None:
    found = with_column(title, cell, "")
    assert found.problems == [f"line 2: {why}"]
    assert [bet.kind.value for bet in found.bets] == [BACK]


def test_a_chosen_column_of_kinds_names_words_that_are_unknown() -> None:
    text = "Selection;Odds;Stake;Form\nA;2.5;10;Lay-Wette\nB;2.5;10;Einzel\nC;2.5;10;Yankee\n"
    chosen = ListChoices(columns={"kind": "Form"})
    found = read_bets(text.encode(), NOW, choices=chosen)
    assert [bet.kind.value for bet in found.bets] == [LAY, BACK, BACK]
    assert found.doubts == ["unknown kinds, recorded as back bets: Yankee"]


@pytest.mark.parametrize(
    ("title", "cells"),
    [
        ("Type", "Single Value Moneyline Back Layton L"),
        ("Type", "no free bet,free bet qualifier,Losing bonus point,Layton"),
        ("Side", "Home Away Over Back"),
        ("Back/Lay", "B B"),
        ("Free bet", "no FALSE 0 0.00 - n/a None"),
        ("EW", "no 0 FALSE"),
        ("Bonus", "no 0 5.00 2.50 10%"),
        ("Boost", "no 0 0% -"),
        ("Type", "Multigoal,Double chance,Straight,Normal"),
        ("Notes", "banca,single,refund came late,doubled it"),
        ("Lay", "2.6 3.1 Smarkets"),
        ("Lay odds", "2.6 3.1"),
        ("Team", "Lay United,Bonus FC,Free Bet United,EW Rovers"),
        ("Tipster", "Bonus Lay EW"),
        ("League", "Bonus Lay EW"),
        ("Notes", "bonus was late,lay it off next time,an EW bet would have paid"),
        ("Tags", "bonus hunter,free betting,delay"),
        ("Bookmaker", "Freebet Lay"),
    ],
)
def test_words_that_mean_something_else_name_no_kind(title: str, cells: str) -> None:
    texts = cells.split("," if "," in cells else " ")
    found = with_column(title, *texts)
    assert [bet.kind.value for bet in found.bets] == [BACK] * len(texts)
    assert found.problems == []


def test_a_column_that_tells_kinds_is_not_one_that_says_nothing() -> None:
    assert with_column("Side", "Back", "Back").left_out == []
    assert with_column("Free bet", "", "").left_out == []
    assert with_column("Type", "Single", "Single").left_out == ["Type"]
    assert with_column("Bonus", "5.00", "").left_out == ["Bonus"]


def test_our_own_lists_may_have_any_note() -> None:
    titles = "placed_at,selection,odds,net_odds,stake,close_fair_odds,age_ms,market_type,note"
    line = "2026-10-01T15:00:00Z,Leeds,2.5,2.5,10,,,each way,free bet"
    (bet,) = read_bets(f"{titles}\n{line}\n".encode(), NOW).bets
    assert (bet.note, bet.market_type) == ("free bet", "each way")
