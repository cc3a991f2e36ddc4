"""Bets that go to files and come back, and bets of other trackers."""

import csv
import io
import json
import re
import zipfile
from datetime import UTC, datetime
from decimal import Decimal

import msgspec
import pytest

from oddsdesk.base.figures import Habit
from oddsdesk.base.spreadsheets import SheetError, read_sheet
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import MINUTE_MS, format_ms, parse_ms
from oddsdesk.desk.export.files import write_bets_workbook
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bet_tables import write_bet_analytix, write_csv, write_json
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.columns import ListUnclearError
from oddsdesk.ledger.presets import ListChoices
from oddsdesk.ledger.reading import ImportedBets, read_bets
from oddsdesk.ledger.same_bets import lacking
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.selections import Result
from tests.unit.ledger.test_ledger import BET

NOW = 1_800_000_000_000
FULL = msgspec.structs.replace(
    BET,
    selection="=cmd|'x'!A1",
    odds=3.0512345678901,
    account="second",
    note="+1 for the weather",
    preset="Mine",
    derived="modelled",
    result=Result.CASHED_OUT,
    settled_at=1_795_000_700_000,
    settled_by="football-data 2-1",
    cashed_stake=13.6,
    cashed_back=15.25,
    close=ClosingLine(2.9, 2.95, "shin", 1_795_000_600_000),
)
MOVED = msgspec.structs.replace(
    BET, close=ClosingLine(why="the line moved", moved_to="Over 3", moved_fair_odds=2.0)
)
PIKKIT = """bet_id,sportsbook,type,status,odds,closing_line,ev,amount,profit,time_placed,\
time_settled,time_placed_iso,time_settled_iso,bet_info,tags,sports,leagues
a1,ProphetX,straight,SETTLED_WIN,2.27,2.2,0.0305,24.22,30.69,12/27/2025 22:55:44 GMT,,\
2025-12-27T22:55:44.000Z,2025-12-28T04:05:00.000Z,"Over 34.5 Markkanen",,Basketball,NBA
a2,Pinnacle,straight,PLACED,1.91,,,10,,12/27/2025 23:00:00 GMT,,2025-12-27T23:00:00.000Z,,Jazz,,,
a3,Novig,straight,SETTLED_MAYBE,1.91,,,10,,,,2025-12-27T23:00:00.000Z,,Jazz,,,
"""
PLAIN = """Date;Sport;Selection;Stake;Odds;Result
2025-01-15;NFL;Patriots ML;$1,000;-110;WIN
2025-01-14;NBA;Lakers +5.5;1500;+150;LOSS
15/01/2025;NBA;Lakers;10;-105;PUSH
"""


def written_csv(*bets: PlacedBet) -> bytes:
    stream = io.BytesIO()
    write_csv(bets, stream)
    return stream.getvalue()


def written_workbook(*bets: PlacedBet) -> bytes:
    stream = io.BytesIO()
    write_bets_workbook(bets, stream)
    return stream.getvalue()


@pytest.mark.parametrize("write", [written_csv, written_workbook])
def test_bets_come_back_as_they_went(write) -> None:
    again = read_bets(write(BET, FULL, MOVED), NOW)
    assert again.bets == [BET, FULL, MOVED]
    assert (again.problems, again.left_out) == ([], [])


def test_no_cell_is_a_formula_to_a_spreadsheet() -> None:
    _, rows = read_sheet(written_csv(FULL))
    assert rows[0].cells["selection"] == "'=cmd|'x'!A1"
    assert rows[0].cells["note"] == "'+1 for the weather"


def test_json_has_what_is_known_and_what_follows_from_it() -> None:
    stream = io.BytesIO()
    write_json([FULL], stream)
    (row,) = json.loads(stream.getvalue())
    assert (row["result"], row["profit"]) == ("cashed_out", pytest.approx(1.65))
    assert row["clv_pct"] == pytest.approx((2.9475 / 2.95 - 1) * 100)


def test_pikkits_bets_are_read_and_what_makes_no_sense_is_named() -> None:
    found = read_bets(PIKKIT.encode(), NOW)
    won, still_open = found.bets
    assert (won.bookmaker, won.odds, won.stake, won.result) == ("ProphetX", 2.27, 24.22, Result.WON)
    assert (won.true_ev, won.selection) == (pytest.approx(3.05), "Over 34.5 Markkanen")
    assert won.profit == pytest.approx(30.69)
    assert won.placed_at == parse_ms("2025-12-27T22:55:44.000Z")
    assert (won.sport, won.competition) == ("Basketball", "NBA")
    assert (still_open.result, still_open.true_ev) == (None, None)
    (problem,) = found.problems
    assert problem.startswith("line 4: result 'SETTLED_MAYBE': expected won, lost, void")
    assert found.left_out == ["bet_id", "type", "closing_line", "time_placed", "time_settled"]


def test_a_plain_list_with_american_odds_is_read() -> None:
    found = read_bets(PLAIN.encode("cp1252"), NOW)
    patriots, lakers, third = found.bets
    assert (patriots.stake, patriots.result) == (1000.0, Result.WON)
    assert patriots.odds == pytest.approx(1 + 100 / 110)
    assert (lakers.odds, lakers.result) == (2.5, Result.LOST)
    assert patriots.placed_at == parse_ms("2025-01-15T00:00:00Z")
    assert third.placed_at == parse_ms("2025-01-15T00:00:00Z")
    assert found.problems == []


PROFILES = Profiles([Profile(name="Exchange", group="Exchange", commission=0.05)])


@pytest.mark.parametrize(
    ("told", "net"),
    [
        ("Exchange,2.0,10,won,", 1.95),
        ("exchange,2.0,10,lost,-10", 1.95),
        ("Exchange,2.0,10,,", 1.95),
        ("Exchange,2.0,10,won,9.80", 1.98),
        ("Exchange,2.0,10,half won,4.9", 1.98),
        ("Exchange,2.0,10,won,10.00", 2.0),
        ("Exchange,1.91,10,won,9.09", 1.91),
        ("Exchange,2.0,10,won,-3", 1.95),
        ("Soft,2.0,10,won,15", 2.5),
        ("Soft,2.0,10,won,", 2.0),
    ],
)
def test_a_bet_pays_what_its_list_says_it_won_else_what_its_bookmaker_leaves(
    told: str, net: float
) -> None:
    table = f"Selection,Bookmaker,Odds,Stake,Result,Profit\nLeeds,{told}\n".encode()
    (bet,) = read_bets(table, NOW, profiles=PROFILES).bets
    assert bet.net == pytest.approx(net)


WON_AND_MORE = ("Leeds,Exchange,3.0,10,won", "Hull,Other,3.0,10,lost", "Ayr,Other,3.0,10,")
"""Won bets pay 20 gross; the user noted 5 % for Exchange, and nothing for Other."""


def charged(title: str, cells: str, profits: str = ",,") -> ImportedBets:
    """Read these bets with what a column says of a commission, and with a column of profits."""
    lines = zip(WON_AND_MORE, cells.split(), profits.split(","), strict=True)
    table = [f"Selection,Bookmaker,Odds,Stake,Result,{title},Profit"]
    table += [f"{bet},{cell.strip('-')},{profit}" for bet, cell, profit in lines]
    return read_bets("\n".join(table).encode(), NOW, profiles=PROFILES)


@pytest.mark.parametrize(
    ("title", "cells", "profits", "nets", "taken_for"),
    [
        ("Commission %", "2 2 2", ",,", ("2.96", "2.96", "2.96"), "as percent of the winnings"),
        ("Commission (%)", "0.75 - -", ",,", ("2.985", "3", "3"), "as percent of the winnings"),
        ("Commission", "2% 2% -", ",,", ("2.96", "2.96", "3"), "as percent of the winnings"),
        ("Commission", "25 25 25", ",,", ("2.5", "2.5", "2.5"), "as percent of the winnings"),
        ("Commission", "2 2 2", "19.60,,", ("2.96", "2.96", "2.96"), "as percent of the winnings"),
        (
            "Commission rate",
            "0.02 0.02 0.02",
            "19.60,,",
            ("2.96",) * 3,
            "as a share of the winnings",
        ),
        ("Commission", "0.02 0.02 0.02", "19.60,,", ("2.96",) * 3, "as a share of the winnings"),
        ("Commission amount", "0.4 - 0.4", ",,", ("2.96", "3", "3"), "as an amount"),
        ("Commission", "€0.40 €0 -", ",,", ("2.96", "3", "3"), "as an amount"),
        ("Commission", "0.4 - -", "19.60,,", ("2.96", "3", "3"), "as an amount"),
        ("Commission", "0 0 0", ",,", ("3", "3", "3"), ""),
        ("Commission %", "2 2 2", "19.00,,", ("2.9", "2.96", "2.96"), "as percent of the winnings"),
    ],
)
def test_a_commission_tells_what_a_bet_pays_where_its_profit_does_not(
    title: str, cells: str, profits: str, nets: tuple[str, ...], taken_for: str
) -> None:
    """2 % of 20 is 0.40: 19.60 for 10 is 2.96."""
    found = charged(title, cells, profits)
    assert [bet.net for bet in found.bets] == [pytest.approx(float(net)) for net in nets]
    assert found.commission == (f"commission {taken_for}" if taken_for else "")
    assert (found.doubts, found.left_out) == ([], [])


EITHER = (
    "it may be a percentage or an amount; undo, name the column "
    "Commission % (2 for 2 %) or Commission amount, and import again"
)


@pytest.mark.parametrize(
    ("title", "cells", "profit", "net", "why"),
    [
        ("Commission", "2 2 2", "", 2.9, f"2 was not read: {EITHER}"),
        ("Commission %", "0.02 0.02 -", "", 2.9, f"0.02 was not read: {EITHER}"),
        ("Commission", "2 2 2", "17.77", 2.777, f"2 was not read: {EITHER}"),
        (
            "Commission %",
            "2 2 2",
            "18",
            2.8,
            "2 was not read: other bets in the list contradict it",
        ),
        ("Commission", "2% €2 -", "", 2.9, "2 was not read: other bets in the list contradict it"),
        (
            "Commission %",
            "2 2 2",
            "20",
            3.0,
            "2 was not read: the listed profits are before commission",
        ),
    ],
)
def test_a_commission_that_may_be_either_is_not_read_and_that_is_told(
    title: str, cells: str, profit: str, net: float, why: str
) -> None:
    found = charged(title, cells, f"{profit},,")
    assert found.doubts == [f"commission such as {why}"]
    assert [bet.net for bet in found.bets] == [pytest.approx(net), 3.0, 3.0]
    assert found.commission == ""


def test_a_cell_that_is_no_commission_is_named_and_its_bet_kept() -> None:
    found = charged("Commission %", "2 free 2")
    assert [bet.net for bet in found.bets] == [pytest.approx(2.96), 3.0, pytest.approx(2.96)]
    assert found.doubts == ["line 3: commission 'free': expected a number such as 12.50"]


def test_commissions_may_have_a_comma() -> None:
    table = "Selection;Odds;Stake;Commission %\nLeeds;3,0;10;2,5 %\n"
    assert [bet.net for bet in read_bets(table.encode(), NOW).bets] == [pytest.approx(2.95)]


def test_our_own_lists_keep_what_was_not_known() -> None:
    held = msgspec.structs.replace(BET, net_odds=None, bookmaker="Exchange")
    assert read_bets(written_csv(held), NOW, profiles=PROFILES).bets == [held]


@pytest.mark.parametrize(
    ("word", "practice"), [("TRUE", True), ("1", True), ("0", False), ("", False)]
)
def test_practice_is_read_as_spreadsheets_write_it(word: str, practice: bool) -> None:
    (bet,) = read_bets(f"selection,odds,stake,practice\nLyon,2.0,5,{word}\n".encode(), NOW).bets
    assert bet.practice is practice


def test_a_word_that_says_not_whether_it_is_practice_makes_no_bet_for_money() -> None:
    found = read_bets(b"selection,odds,stake,practice\nLyon,2.0,5,perhaps\n", NOW)
    assert (found.bets, found.problems) == (
        [],
        ["line 2: practice 'perhaps': expected true or false"],
    )


def test_a_bet_by_hand_belongs_to_its_game() -> None:
    text = "match_name,competition,selection,odds,stake,currency\nPSG - Lyon,LIG1,PSG,2.1,5,eur\n"
    (bet,) = read_bets(text.encode(), NOW).bets
    assert bet.game_id == game_id("LIG1", "PSG - Lyon")
    assert (bet.sport, bet.currency, bet.placed_at) == ("Football", "EUR", NOW)


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ("PSG,1.0,5", "line 2: odds 1: expected decimal odds above 1"),
        ("PSG,2.0,0", "line 2: stake 0: expected an amount above 0 and below 1e12"),
        ("PSG,two,5", "line 2: odds 'two': expected a number such as 12.50"),
        (",2.0,5", "line 2: selection: missing"),
    ],
)
def test_a_line_that_makes_no_sense_is_named_and_the_rest_goes_on(cells: str, problem: str) -> None:
    found = read_bets(f"selection,odds,stake\n{cells}\nLyon,2.0,5\n".encode(), NOW)
    assert found.problems == [problem]
    assert [bet.selection for bet in found.bets] == ["Lyon"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "has no column titles"),
        (
            b"name,colour,stake\nx,y,1\n",
            "not a list of bets: no column for selection, odds; unknown: name, colour",
        ),
        (b"\x00\x81\x8d" * 40, "is neither text"),
        (b"PK\x03\x04 no workbook", "is not a readable Excel workbook"),
    ],
)
def test_what_is_no_list_of_bets_is_refused_in_words(data: bytes, why: str) -> None:
    with pytest.raises(SheetError, match=why):
        read_bets(data, NOW)


def test_a_workbook_with_entities_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as book:
        book.writestr("xl/worksheets/sheet1.xml", '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>')
    with pytest.raises(SheetError, match="is not an Excel workbook"):
        read_bets(stream.getvalue(), NOW)


def test_what_is_held_already_is_not_taken_twice() -> None:
    edited = msgspec.structs.replace(BET, note="edited", result=Result.WON, settled_at=1)
    later = msgspec.structs.replace(BET, placed_at=BET.placed_at + 1)
    assert lacking([BET, BET, later], [edited]) == [BET, later]


BET_ANALYTIX = """"Date";"Type";"Sport";"Label";"Odds";"Stake";"State";"Bookmaker";"Tipster";\
"Category";"Competition";"BetType";"Closing";"EstimatedProbability";"Commission";"Bonus";"Live";\
"Freebet";"Cashout";"Eachway";"Comment"
"2026-10-01 11:18";"Combined";"";"Double";"2.223";"6.33";"W";"Azulejo";"Ana";"";"";"";"";"";"";"";\
"";"";"";"";""
"";"";"Football";"Lens or draw";"1.170";"";"W";"Azulejo";"";"";"";"";"";"";"";"";"";"";"";"";""
"";"";"Tennis";"Monfils";"1.900";"";"W";"Azulejo";"";"";"";"";"";"";"";"";"";"";"";"";""
"2026-09-30 14:32";"Simple";"Tennis";"Murray";"2.250";"1.09";"P";"Azulejo";"";"";"ATP";"Winner";"";\
"";"";"";"Yes";"";"";"";"Test"
"2026-09-29 14:32";"Simple";"Tennis";"Zverev";"2.1";"5";"L";"Azulejo";"";"";"";"";"";"";"";"";"";\
"Yes";"";"";""
"""
ODDSJAM = """id,created_at,sportsbook,event_name,bet_name,market_name,sport,league,\
event_start_date,odds,stake,potential_payout,bet_profit,status,bet_type,is_free_bet,clv,percentage,game_id,tags
7,2026-10-01T15:00:00Z,Granite Line,Leeds vs Hull,Leeds,Moneyline,soccer,EPL,2026-10-02T15:00:00Z,\
145.0,20,49,29,won,positive_ev,False,130.0,3.1,abc-1,
8,2026-10-01T16:00:00Z,Granite Line,Leeds vs Hull,Hull,Moneyline,soccer,EPL,2026-10-02T15:00:00Z,\
-120.0,20,36.67,-20,lost,arbitrage,True,-110.0,3.1,abc-1,
"""


def test_bet_analytixs_bets_are_read_with_the_legs_of_a_combined_one() -> None:
    found = read_bets(BET_ANALYTIX.encode(), NOW)
    double, single, free = found.bets
    assert (double.selection, double.odds, double.result) == ("Double", 2.223, Result.WON)
    assert (double.kind, double.note) == (BetKind.MULTIPLE, "by Ana")
    assert [(leg.selection, leg.odds, leg.sport, leg.result) for leg in double.legs] == [
        ("Lens or draw", 1.17, "Football", Result.WON),
        ("Monfils", 1.9, "Tennis", Result.WON),
    ]
    assert (single.competition, single.market_type, single.note) == ("ATP", "Winner", "Test")
    assert single.result is None, "there P is a bet that waits, not a push"
    assert single.placed_at == parse_ms("2026-09-30T14:32:00Z")
    assert (free.kind, free.profit, found.problems) == (BetKind.FREE, 0, [])
    assert (found.tracker, found.odds) == ("Bet-Analytix", "decimal")
    assert "Closing" in found.left_out


def test_oddsjams_bets_are_read_their_odds_american() -> None:
    found = read_bets(ODDSJAM.encode(), NOW)
    won, free = found.bets
    assert (won.odds, won.stake, won.result) == (2.45, 20.0, Result.WON)
    assert (won.match_name, won.selection) == ("Leeds vs Hull", "Leeds")
    assert won.game_id == game_id("EPL", "Leeds vs Hull"), "theirs is of another service"
    assert won.kick_off == parse_ms("2026-10-02T15:00:00Z")
    assert (free.kind, free.profit) == (BetKind.FREE, 0)
    assert found.differing == ["line 3: profit -20.00 in the file, but lost is +0.00"]
    assert (found.tracker, found.odds) == ("OddsJam", "american")


def test_what_is_written_for_bet_analytix_is_read_back() -> None:
    stream = io.BytesIO()
    won = msgspec.structs.replace(BET, result=Result.HALF_WON, note="=1+1")
    assert write_bet_analytix([BET, won, FULL], stream).written == 2
    exchange = Profiles([Profile(name=BET.bookmaker, group="", commission=0.05)])
    found = read_bets(stream.getvalue(), NOW, profiles=exchange)
    assert found.tracker == "Bet-Analytix"
    still_open, half = found.bets
    assert (still_open.odds, still_open.stake, still_open.result) == (2.9475, BET.stake, None)
    assert (half.result, half.note) == (Result.HALF_WON, "=1+1; taken at 3.05; GBP")
    assert half.net == 2.9475, "what an exchange keeps is off the odds already"
    assert half.selection == f"{BET.selection} · {BET.match_name}"


@pytest.mark.parametrize(
    ("result", "profit"),
    [
        (Result.WON, Decimal("26.49")),
        (Result.HALF_WON, Decimal("13.24")),
        (Result.LOST, Decimal("-13.60")),
        (Result.HALF_LOST, Decimal("-6.80")),
        (Result.VOID, Decimal(0)),
    ],
)
def test_a_profit_is_the_same_at_bet_analytix_as_here(result: Result, profit: Decimal) -> None:
    """13.60 at 3.05, of whose win an exchange keeps 5 %: 13.60 x 2.05 x 0.95 = 26.486."""
    stream = io.BytesIO()
    write_bet_analytix([msgspec.structs.replace(BET, result=result)], stream)
    (row,) = csv.DictReader(io.StringIO(stream.getvalue().decode("utf-8-sig")), delimiter=";")
    odds, stake = Decimal(row["Odds"]), Decimal(row["Stake"])
    theirs = {
        "W": stake * (odds - 1),
        "HW": stake * (odds - 1) / 2,
        "L": -stake,
        "HL": -stake / 2,
        "V": Decimal(0),
    }
    assert theirs[row["State"]].quantize(Decimal("0.01")) == profit
    assert row["Commission"] == "0", "nothing is to be taken off once more"


def test_what_bet_analytix_has_no_place_for_is_told() -> None:
    own = msgspec.structs.replace(BET, currency="", net_odds=None)
    gross = msgspec.structs.replace(BET, net_odds=BET.odds)
    dollars = msgspec.structs.replace(BET, currency="USD")
    assert write_bet_analytix([own, own], io.BytesIO()).changed == []
    assert write_bet_analytix([gross], io.BytesIO()).changed == [
        "the currency is only in the comment: 1 GBP"
    ]
    practice = msgspec.structs.replace(own, practice=True)
    assert write_bet_analytix([own, practice], io.BytesIO()) == (1, ["practice bets left out: 1"])
    assert write_bet_analytix([own, BET, gross, dollars, FULL], io.BytesIO()).changed == [
        "cashed-out and refunded bets left out: 1",
        "odds after commission or tax (odds taken are in the comment): 2",
        "currencies are only in the comment, and Bet-Analytix adds them up: "
        "1 no currency, 2 GBP, 1 USD",
    ]


LEGS = (
    BetLeg(selection="A", odds=2.0, result=Result.VOID),
    BetLeg(selection="B", odds=3.0, result=Result.WON),
)


LOST_LEGS = (LEGS[0], msgspec.structs.replace(LEGS[1], result=Result.LOST))


@pytest.mark.parametrize(
    ("fields", "result", "lines"),
    [
        ({"kind": BetKind.LAY}, Result.WON, 1),
        ({"kind": BetKind.LAY}, Result.LOST, 1),
        ({"kind": BetKind.FREE}, Result.WON, 1),
        ({"kind": BetKind.FREE}, Result.LOST, 1),
        ({"kind": BetKind.FREE_RETURNED}, Result.WON, 1),
        ({"kind": BetKind.EACH_WAY, "place_fraction": 0.25}, Result.WON, 2),
        ({"kind": BetKind.EACH_WAY, "place_fraction": 0.25}, Result.PLACED, 2),
        ({"kind": BetKind.REFUND, "refund": 5.0, "refund_as": "free"}, Result.LOST, 1),
        ({"kind": BetKind.REFUND, "refund": 5.0, "refund_as": "money"}, Result.LOST, 0),
        ({"kind": BetKind.MULTIPLE, "odds": 6.0, "legs": LEGS}, Result.WON, 3),
        ({"kind": BetKind.MULTIPLE, "odds": 6.0, "legs": LOST_LEGS}, Result.LOST, 3),
    ],
)
def test_every_kind_has_its_profit_at_bet_analytix(
    fields: dict[str, object], result: Result, lines: int
) -> None:
    """There a free bet pays its winnings only, and a leg is a line without date and stake."""
    plain = {"odds": 5.0, "net_odds": None, "stake": 10.0, "result": result}
    placed = msgspec.structs.replace(BET, **plain | fields)
    stream = io.BytesIO()
    write_bet_analytix([placed], stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue().decode("utf-8-sig")), delimiter=";"))
    assert len(rows) == lines
    paid = 0.0
    for row in (row for row in rows if row["Date"]):
        stake, odds, won = float(row["Stake"]), float(row["Odds"]), row["State"] == "W"
        loss = 0.0 if row["Freebet"] == "Yes" else stake
        paid += stake * (odds - 1) if won else -loss
    if lines:
        assert paid == pytest.approx(placed.profit, abs=1e-4)


def test_legs_come_back_from_bet_analytix() -> None:
    fields = {"odds": 6.0, "net_odds": None, "stake": 10.0, "result": Result.WON}
    multiple = msgspec.structs.replace(BET, kind=BetKind.MULTIPLE, legs=LEGS, **fields)
    stream = io.BytesIO()
    write_bet_analytix([multiple], stream)
    (again,) = read_bets(stream.getvalue(), NOW).bets
    assert (again.profit, again.odds) == (multiple.profit, 6.0) == (20, 6.0)
    assert [(leg.selection, leg.odds, leg.result) for leg in again.legs] == [
        ("A", 2.0, Result.VOID),
        ("B", 3.0, Result.WON),
    ]


@pytest.mark.parametrize(
    ("cells", "style", "first"),
    [
        (("1.91", "250"), "decimal", 1.91),
        (("1,850", "2,1"), "decimal", 1.85),
        (("-110", "250"), "american", 1 + 100 / 110),
        (("+150", "250"), "american", 2.5),
        (("6/4", "1/2"), "fractional", 2.5),
    ],
)
def test_how_odds_are_written_is_told_by_what_no_other_way_has(
    cells: tuple[str, str], style: str, first: float
) -> None:
    text = "selection;odds;stake\n" + "".join(f"PSG;{cell};5\n" for cell in cells)
    found = read_bets(text.encode(), NOW)
    assert (found.odds, found.bets[0].odds) == (style, pytest.approx(first))


@pytest.mark.parametrize("cells", [("150", "250"), ("2.1", "0.95"), ("1.1", "-0.8")])
def test_odds_that_do_not_tell_how_they_are_written_are_asked_for(cells: tuple[str, str]) -> None:
    text = "selection,odds,stake\n" + "".join(f"PSG,{cell},5\n" for cell in cells)
    with pytest.raises(ListUnclearError, match="may be decimal, American or something else"):
        read_bets(text.encode(), NOW)
    hong_kong = read_bets(b"selection,odds,stake\nPSG,0.95,5\n", NOW, "hong_kong")
    assert hong_kong.bets[0].odds == pytest.approx(1.95)


@pytest.mark.parametrize(
    ("title", "cell", "style", "odds"),
    [
        ("American odds", "150", "american", 2.5),
        ("odds_decimal", "150", "decimal", 150),
        ("Decimal", "150", "decimal", 150),
        ("Odds (UK)", "6/4", "fractional", 2.5),
        ("Hong Kong odds", "1.50", "hong_kong", 2.5),
        ("Odds (HK)", "0.85", "hong_kong", 1.85),
        ("Malay odds", "0.80", "malay", 1.8),
        ("Malay", "-0.80", "malay", 2.25),
        ("Indonesian odds", "-1.25", "indonesian", 1.8),
        ("Odds - Indo", "1.5", "indonesian", 2.5),
    ],
)
def test_a_title_tells_how_odds_are_written(title: str, cell: str, style: str, odds: float) -> None:
    found = read_bets(f"selection,{title},stake\nPSG,{cell},5\n".encode(), NOW)
    assert (found.odds, found.bets[0].odds) == (style, pytest.approx(odds))


def test_the_users_own_odds_are_not_malay_ones() -> None:
    with pytest.raises(SheetError, match="no column for odds; unknown: My odds"):
        read_bets(b"selection,My odds,stake\nPSG,0.80,5\n", NOW)


@pytest.mark.parametrize(
    ("odds", "cell", "stake"),
    [
        ("2,0", "10,50", 10.5),
        ("2,0", "€1.000,50", 1000.5),
        ("2,0", "1.500", 1500.0),
        ("2,0", "1,500", 1.5),
        ("2.0", "1,500", 1500.0),
        ("2.0", "1.500", 1.5),
        ("2.0", "$1,234.5", 1234.5),
        ("2", "1,234.5", 1234.5),
        ("2", "1.234,5", 1234.5),
        ("2", "1.234.567", 1234567.0),
    ],
)
def test_an_amount_is_read_as_the_other_cells_of_its_file_are_written(
    odds: str, cell: str, stake: float
) -> None:
    found = read_bets(f"selection;odds;stake\nPSG;{odds};{cell}\n".encode(), NOW)
    assert [bet.stake for bet in found.bets] == [stake]


def test_our_own_list_comes_back_from_a_spreadsheet_that_writes_commas() -> None:
    bets = [
        msgspec.structs.replace(BET, odds=2.1, stake=1_250.5, net_odds=2.045, fair_odds=1.987),
        msgspec.structs.replace(FULL, cashed_stake=13.6, cashed_back=20.125, true_ev=1.234),
    ]
    titles, rows = read_sheet(written_csv(*bets))
    written = io.StringIO()
    writer = csv.writer(written, delimiter=";")
    writer.writerow(titles)
    for row in rows:
        writer.writerow(
            text.replace(".", ",") if re.fullmatch(r"-?\d+\.\d+", text) else text
            for text in row.cells.values()
        )
    assert read_bets(written.getvalue().encode(), NOW).bets == bets


@pytest.mark.parametrize(
    ("style", "cell", "odds"),
    [
        ("hong_kong", "0,95", 1.95),
        ("indonesian", "-1,25", 1.8),
        ("malay", "-0,80", 2.25),
        ("implied", "5,2 %", 100 / 5.2),
        ("american", "+1,200", 13.0),
        ("american", "\u2212110", 1 + 100 / 110),
        ("american", "even", 2.0),
        ("fractional", "Evens", 2.0),
    ],
)
def test_odds_of_every_style_may_have_a_comma(style: str, cell: str, odds: float) -> None:
    found = read_bets(f"selection;odds;stake\nPSG;{cell};5\n".encode(), NOW, style)
    assert [bet.odds for bet in found.bets] == [pytest.approx(odds)]


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (("15/03/2025", "08/09/2025"), ("2025-03-15", "2025-09-08")),
        (("03/15/2025 7:30 PM", "08/09/2025"), ("2025-03-15T19:30", "2025-08-09")),
        (("13.04.2025 18:30", "01.02.2025"), ("2025-04-13T18:30", "2025-02-01")),
        (("13-Apr-2025", "2 March 2025"), ("2025-04-13", "2025-03-02")),
        (("08/08/2025",), ("2025-08-08",)),
    ],
)
def test_all_dates_of_a_file_tell_which_number_is_the_day(
    dates: tuple[str, ...], days: tuple[str, ...]
) -> None:
    found = read_bets(_dated(*dates), NOW)
    assert [bet.placed_at for bet in found.bets] == [_ms(day) for day in days]
    assert not found.problems


@pytest.mark.parametrize("day", ["0001-01-01T00:00:00Z", "31/12/9999", "1899-12-31"])
def test_a_date_of_a_year_that_no_bet_is_of_is_named(day: str) -> None:
    assert read_bets(_dated(day), NOW).problems == [
        f"line 2: placed_at '{day}': expected a year from 1900 to 2199"
    ]


def test_a_cell_of_any_length_is_not_taken_for_a_selection() -> None:
    def found(length: int) -> ImportedBets:
        return read_bets(f"selection,odds,stake\n{'x' * length},2,5\n".encode(), NOW)

    assert len(found(10_000).bets) == 1
    ((said,), bets) = found(100_000).problems, found(100_000).bets
    assert said.startswith("line 2: selection: expected at most 10,000 characters, got 100,000: 'x")
    assert (len(said) < 200, bets) == (True, [])


def test_a_date_is_never_guessed() -> None:
    with pytest.raises(ListUnclearError, match="dates such as 08/09/2025 do not show the day"):
        read_bets(_dated("08/09/2025"), NOW)
    assert read_bets(_dated("30.02.2025"), NOW).problems == [
        "line 2: placed_at '30.02.2025': expected a time such as 2026-04-16T18:30:00Z"
    ]
    both = ("15/03/2025", "03/15/2025", "08/09/2025")
    with pytest.raises(ListUnclearError):
        read_bets(_dated(*both), NOW)
    said = read_bets(_dated(*both), NOW, choices=ListChoices(dates=Habit.MONTH_FIRST))
    days = [_ms("2025-03-15"), _ms("2025-03-15"), _ms("2025-08-09")]
    assert [bet.placed_at for bet in said.bets] == days


def test_a_day_that_is_yet_to_come_is_no_day_of_placing_and_that_is_told() -> None:
    """A clock east of here may be ahead; whose column is of the games says so by its title."""
    today, tomorrow = format_ms(NOW)[:10], format_ms(NOW + 13 * 60 * MINUTE_MS)
    assert not read_bets(_dated(today, tomorrow), NOW).doubts
    dates = (today, "2199-01-16", "2199-01-17")
    found = read_bets(_dated(*dates), NOW)
    assert found.doubts == [
        "line 3 and 1 more: placed on a day in the future, 16 Jan 2199: if that is the day of"
        " the game, name the column Kick-off, undo and import again"
    ]
    assert [bet.placed_at for bet in found.bets] == [_ms(day) for day in dates]
    assert found.read_as == "decimal odds, date as the time of placing"
    for title in (b"Kick-off", b"Match date"):
        said = read_bets(_dated(*dates).replace(b"date", title), NOW)
        assert [bet.kick_off for bet in said.bets] == [_ms(day) for day in dates]
        assert [bet.placed_at for bet in said.bets] == [_ms(today) - MINUTE_MS, NOW, NOW]
        assert (said.doubts, said.undated, said.read_as) == ([], {0, 1, 2}, "decimal odds")


def test_a_date_next_to_that_of_the_bet_is_of_the_game() -> None:
    rows = b"date,created_at,selection,odds,stake\n2026-05-02,2026-05-01,PSG,2.0,5\n"
    (bet,) = read_bets(rows, NOW).bets
    assert (bet.placed_at, bet.kick_off) == (_ms("2026-05-01"), _ms("2026-05-02"))
    too = rows.replace(b"stake", b"stake,start_time").replace(b",5", b",5,2026-05-03")
    found = read_bets(too, NOW)
    assert [each.kick_off for each in found.bets] == [_ms("2026-05-03")]
    assert found.left_out == ["date"]


def _dated(*dates: str) -> bytes:
    return "\n".join(["date;selection;odds;stake", *(f"{d};PSG;2.0;5" for d in dates)]).encode()


def _ms(day: str) -> int:
    return round(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


def test_signs_of_several_currencies_are_never_summed() -> None:
    table = "selection,odds,stake\nPSG,2.0,$10\nLens,2.0,10 €\nLille,2.0,10\n"
    assert [bet.currency for bet in read_bets(table.encode(), NOW).bets] == ["USD", "EUR", ""]
    assert [bet.currency for bet in read_bets(table.replace("$", "€").encode(), NOW).bets] == [
        "",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("word", "market_type"),
    [
        ("Moneyline", "moneyline"),
        ("1X2", "moneyline"),
        ("Match result", "moneyline"),
        ("Asian Handicap", "spread"),
        ("Over/Under", "total"),
        ("spread", "spread"),
        ("Corners", "Corners"),
    ],
)
def test_a_market_is_known_by_what_people_call_it(word: str, market_type: str) -> None:
    (bet,) = read_bets(f"selection,market,odds,stake\nPSG,{word},2,5\n".encode(), NOW).bets
    assert bet.market_type == market_type


def test_what_a_list_says_otherwise_is_told() -> None:
    table = "selection,odds,stake,result,profit\nPSG,2.0,10,lost,-3\nLens,2.0,10,won,9.8\n"
    found = read_bets(table.encode(), NOW)
    assert found.differing == ["line 2: profit -3.00 in the file, but lost is -10.00"]
    assert found.doubts == []


@pytest.mark.parametrize("cell", ["1e155", "1e12", "nan", "-5"])
def test_an_amount_that_cannot_be_is_left_out(cell: str) -> None:
    found = read_bets(f"selection,odds,stake\nPSG,2.0,{cell}\n".encode(), NOW)
    assert (found.bets, len(found.problems)) == ([], 1)


def test_our_own_long_odds_need_no_question() -> None:
    (bet,) = read_bets(written_csv(msgspec.structs.replace(BET, odds=151.0)), NOW).bets
    assert bet.odds == 151.0


def test_a_row_with_more_cells_than_titles_is_a_problem() -> None:
    found = read_bets(
        b"Date,Selection,Result,Odds,Stake\n"
        b"2025-09-13,A,Won,2,10,50\n"
        b'2025-09-14,B,Won,"2,10",50\n'
        b"2025-09-15,C,Lost,2.10,50,,\n",
        NOW,
    )
    assert [bet.selection for bet in found.bets] == ["B", "C"]
    (problem,) = found.problems
    assert problem.startswith("line 2: more filled cells than titles (1)")
    assert "decimal comma in quotes" in problem


def test_a_stray_quote_spoils_one_bet() -> None:
    rows = 'Lyon,2.0,5\n"Lens,2.0,5\nNice,3.0,5\n'
    found = read_bets(f"selection,odds,stake\n{rows}".encode(), NOW)
    assert [bet.selection for bet in found.bets] == ["Lyon", "Nice"]
    assert found.problems == [
        "line 3: a quote is opened here and not closed, so the line is left out"
    ]


ENDS = b"Date,Event,Selection,Odds,Stake,%s\n"


def ends_of(title: bytes, *cells: bytes, odds: bytes = b"2.10") -> ImportedBets:
    rows = [b"2025-09-%d,A v B,A,%s,10,%s\n" % (10 + n, odds, c) for n, c in enumerate(cells)]
    return read_bets(ENDS % title + b"".join(rows), NOW)


def test_without_a_result_column_profits_give_the_results() -> None:
    found = ends_of(b"Profit", b"11", b"-10", b"0", b"5.50", b"-5", b"7.30", b"", b"25")
    results = [bet.result for bet in found.bets]
    assert results == [
        *(Result.WON, Result.LOST, Result.VOID, Result.HALF_WON, Result.HALF_LOST),
        *(Result.CASHED_OUT, None),
    ]
    assert [bet.profit for bet in found.bets] == pytest.approx(
        [11, -10, 0, 5.5, -5, 7.3, None], nan_ok=True
    )
    assert found.problems == [
        "line 9: no result gives a profit of +25.00 with a stake of 10 at 2.1"
    ]
    assert "no column holds the result: it follows from Profit" in found.remarks


@pytest.mark.parametrize("title", [b"Return", b"Payout", b"Gewinn"])
def test_without_a_result_column_payouts_give_the_results(title: bytes) -> None:
    found = ends_of(title, b"21", b"0", b"10")
    assert [bet.result for bet in found.bets] == [Result.WON, Result.LOST, Result.VOID]


def test_payouts_that_may_be_hopes_are_asked_about() -> None:
    with pytest.raises(ListUnclearError, match=r"payout=Return if it was paid, or payout= if"):
        ends_of(b"Return", b"21", b"21")
    chosen = ListChoices(columns={"returned": "Return"})
    text = ENDS % b"Return" + b"2025-09-10,A v B,A,2.10,10,21\n2025-09-11,A v B,A,2.10,10,21\n"
    bets = read_bets(text, NOW, choices=chosen).bets
    assert [bet.result for bet in bets] == [Result.WON, Result.WON]


def test_a_win_after_commission_is_no_cash_out() -> None:
    found = ends_of(b"Commission %,Profit", b"5,10.45", b"5,-10")
    assert [bet.result for bet in found.bets] == [Result.WON, Result.LOST]
    assert found.bets[0].profit == pytest.approx(10.45)


@pytest.mark.parametrize("word", ["Settled", "Abgerechnet", "2-1", "0 : 3"])
def test_figures_decide_where_the_result_says_only_that_a_bet_ended(word: str) -> None:
    cell = word.encode()
    found = ends_of(b"Status,Return", cell + b",21", cell + b",0", b"Open,0", cell + b",")
    assert [bet.result for bet in found.bets] == [Result.WON, Result.LOST, None]
    (problem,) = found.problems
    assert problem.startswith(f"line 5: result {word!r} does not say how the bet ended")


@pytest.mark.parametrize(
    ("cell", "result"),
    [
        *(("✅", Result.WON), ("✔\ufe0f", Result.WON), ("❌", Result.LOST), ("✖", Result.LOST)),
        *(("✗", Result.LOST), ("Pendente", None), ("Em andamento", None), ("En curso", None)),
        *(("Rimborso", Result.VOID), ("Erstattet", Result.VOID), ("Einsatz zurück", Result.VOID)),
        *(("Rückerstattet", Result.VOID), ("Teruggestort", Result.VOID), ("NR", Result.VOID)),
        *(("Makulerad", Result.VOID), ("Tilbagebetalt", Result.VOID), ("No action", Result.VOID)),
        *(("Kansellert", Result.VOID), ("Abandoned (void)", Result.VOID), ("Afventer", None)),
        *(("Ej avgjord", None), ("Moitié gagné", Result.HALF_WON)),
        *(("Moitié perdu", Result.HALF_LOST), ("Void/Push", Result.VOID)),
    ],
)
def test_words_and_symbols_for_results(cell: str, result: Result | None) -> None:
    found = ends_of(b"Result", cell.encode())
    assert [bet.result for bet in found.bets] == [result]


@pytest.mark.parametrize("word", ["Ausbezahlt", "Cash-out partiel", "Partial cash out"])
def test_words_for_cash_outs(word: str) -> None:
    (bet,) = ends_of(b"Result,Profit", word.encode() + b",3.20").bets
    assert (bet.result, bet.profit) == (Result.CASHED_OUT, pytest.approx(3.2))


@pytest.mark.parametrize("cell", ["???", "?", "-", "🤷"])
def test_an_unreadable_result_is_a_problem(cell: str) -> None:
    found = ends_of(b"Result", cell.encode())
    assert not found.bets
    assert found.problems[0].startswith(f"line 2: result {cell!r}: expected won, lost")


@pytest.mark.parametrize(
    ("titles", "cells"),
    [
        ("Bet placed", "2025-09-13 18:30"),
        ("Bet placed,Settled date", "2025-09-13 18:30,2025-09-14 20:00"),
        ("Placed date", "2025-09-13 18:30"),
        ("Date", "2025/09/13 18:30"),
        ("Date", "2025.09.13 18:30"),
        ("Time", "2025-09-13 18:30"),
        ("Date,Time", "2025-09-13,18:30"),
        ("Date,Time", "13/09/2025,6:30 PM"),
        ("Datum,Uhrzeit", "13.09.2025,18:30 Uhr"),
        ("Date,Time", "2025-09-13 00:00:00,18:30:00"),
        ("Date,Time", "45913,0.770833333333"),
    ],
)
def test_the_time_of_placing_has_many_titles(titles: str, cells: str) -> None:
    text = f"{titles},Event,Selection,Odds,Stake,Result\n{cells},A v B,A,2.10,10,Won\n"
    found = read_bets(text.encode(), NOW)
    assert [format_ms(bet.placed_at)[:16] for bet in found.bets] == ["2025-09-13T18:30"]
    assert (found.has_date, found.undated, found.left_out) == (True, set(), [])


def test_a_time_that_is_no_clock_is_left_out() -> None:
    found = read_bets(b"Date,Time,Selection,Odds,Stake\n2025-09-13,2nd half,A,2.10,10\n", NOW)
    assert format_ms(found.bets[0].placed_at)[:10] == "2025-09-13"
    assert found.left_out == ["Time"]


def workbook(*sheets: str) -> bytes:
    """Return a workbook with a sheet for each text of comma-separated lines."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        for number, text in enumerate(sheets, 1):
            rows = "".join(
                f'<row r="{place}">'
                + "".join(
                    f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in line.split(",")
                )
                + "</row>"
                for place, line in enumerate(text.splitlines(), 1)
            )
            book.writestr(
                f"xl/worksheets/sheet{number}.xml",
                '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
                f"<sheetData>{rows}</sheetData></worksheet>",
            )
    return file.getvalue()


YEAR = "Date,Event,Selection,Odds,Stake,Result\n{}-09-13,A v B,A,2.10,{},Won\n"


def test_all_sheets_with_titles_of_bets_are_read() -> None:
    undated = "Selection,Odds,Stake,Result\nB,3.0,30,Lost\nC,3.0,x,Lost\n"
    summary = "Month,Profit\nJune,10\n"
    found = read_bets(workbook(summary, YEAR.format(2024, 10), YEAR.format(2025, 20), undated), NOW)
    assert [bet.stake for bet in found.bets] == [10, 20, 30]
    assert (found.undated, found.has_date) == ({2}, False)
    assert found.problems == ["sheet 4 line 3: stake 'x': expected a number such as 12.50"]
    assert "sheet 1 is left out: it has no bets" in found.remarks


def test_a_workbook_of_one_sheet_does_not_name_it() -> None:
    found = read_bets(workbook(YEAR.format(2024, "x")), NOW)
    assert found.problems == ["line 2: stake 'x': expected a number such as 12.50"]


@pytest.mark.parametrize("above", ["My bets\n\n", "My bets\nAccount 12\n\n", "\n" * 12])
def test_lines_above_the_titles_are_skipped(above: str) -> None:
    text = above + YEAR.format(2024, 10)
    for data in (text.encode(), text.replace(",", ";").encode(), workbook(text)):
        found = read_bets(data, NOW)
        assert [bet.stake for bet in found.bets] == [10]
        assert not found.problems


@pytest.mark.parametrize(
    ("market", "selection", "read"),
    [
        ("Über/Unter", "Über 2,5", ("total", "Over 2.5")),
        ("total", "unter 3.5", ("total", "Under 3.5")),
        ("Team total", "Köln Über 1.5", ("team_total", "Köln Over 1.5")),
        ("Beide Teams treffen", "Ja", ("btts", "Yes")),
        ("btts", "NEIN", ("btts", "No")),
        ("moneyline", "Unterhaching", ("moneyline", "Unterhaching")),
    ],
)
def test_german_words_become_those_that_scores_settle(
    market: str, selection: str, read: tuple[str, str]
) -> None:
    titles, row = "competition;market;selection;odds;stake", (market, selection)
    text = f"{titles}\nBundesliga;{';'.join(row)};2.0;10\n"
    (made,) = read_bets(text.encode(), NOW).bets
    assert (made.market_type, made.selection, made.sport) == (*read, "Football")
