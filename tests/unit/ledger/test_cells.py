"""What stands in the cells of a list of bets."""

import pytest

from oddsdesk.ledger.reading import ImportedBets, read_bets

NOW = 1_800_000_000_000
FREE = "a free bet, which does not earn what its stake would"
EACH_WAY = "an each-way bet, which does not earn what its stake would"
LAY = "a lay bet; lay bets aren't supported"

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
    ("text", "kept", "refused"),
    [
        (EXCHANGE, ["Leeds"], {3: LAY, 4: LAY}),
        (REBEL, ["Leeds", "Over 2.5"], {4: LAY, 5: FREE}),
        (BET_ANALYTIX, ["Murray", "Leeds"], {3: FREE, 4: EACH_WAY, 5: EACH_WAY, 7: FREE}),
        (PIKKIT, ["Jazz", "Heat"], {3: FREE}),
        (SHEET, ["Leeds"], {3: FREE, 4: EACH_WAY, 5: FREE, 6: LAY, 7: LAY}),
    ],
)
def test_lists_keep_their_other_bets(text: str, kept: list[str], refused: dict[int, str]) -> None:
    found = read_bets(text.encode(), NOW)
    assert [bet.selection for bet in found.bets] == kept
    assert found.problems == [f"line {number}: {why}" for number, why in refused.items()]


def with_column(title: str, *cells: str) -> ImportedBets:
    """Read lost bets, a cell of one more column next to each."""
    lines = "".join(f"Leeds;2.5;10;lost;{cell}\n" for cell in cells)
    return read_bets(f"Selection;Odds;Stake;Result;{title}\n{lines}".encode(), NOW)


@pytest.mark.parametrize(
    ("title", "cell", "why"),
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
        ("Free bet", "perhaps", "Free bet 'perhaps': expected yes or no"),
        *(("Stake type", cell, FREE) for cell in ("Free", "Bonus funds", "free stake")),
        *(("Wallet", cell, FREE) for cell in ("free bet", "Freebet", "bonus", "SNR")),
        *(("Bet type", cell, EACH_WAY) for cell in ("Each way", "Each-Way Double", "E/W single")),
        *(("EW", cell, EACH_WAY) for cell in ("TRUE", "1/5", "yes")),
        *(("Place terms", cell, EACH_WAY) for cell in ("each way", "E/W", "EW")),
        ("Market", "Each Way", EACH_WAY),
        ("Tags", "boosted, bonus", FREE),
    ],
)
def test_a_line_of_a_kind_that_is_not_kept_is_refused(title: str, cell: str, why: str) -> None:
    """As a bet of 10 that lost, each would have cost 10."""
    found = with_column(title, cell, "")
    assert found.problems == [f"line 2: {why}"]
    assert [bet.profit for bet in found.bets] == [-10]
    assert title not in found.left_out


@pytest.mark.parametrize(
    ("title", "cells"),
    [
        ("Type", "Single Value Moneyline Back Layton L"),
        ("Type", "risk-free bet,no free bet,free bet qualifier,Losing bonus point,Layton"),
        ("Side", "Home Away Over Back"),
        ("Back/Lay", "B B"),
        ("Free bet", "no FALSE 0 0.00 - n/a None"),
        ("EW", "no 0 FALSE"),
        ("Bonus", "no 0 5.00 2.50 10%"),
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
def test_words_that_mean_something_else_refuse_nothing(title: str, cells: str) -> None:
    texts = cells.split("," if "," in cells else " ")
    found = with_column(title, *texts)
    assert (len(found.bets), found.problems) == (len(texts), [])


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
