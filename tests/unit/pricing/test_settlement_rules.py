"""Rules of settlement by bookmaker: what a file says, and what stays unknown."""

import csv
from datetime import date
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.places import resource_path
from oddsdesk.contract.competitions import SPORTS
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.settlement_rules import (
    COLUMNS,
    DeadHeat,
    LegOfRule,
    Overtime,
    ReadRules,
    Retirement,
    SettlementRule,
    SettlementRules,
    read_rules,
    rule_notes,
    shipped_rules,
)

pytestmark = pytest.mark.unit
HEADER = ",".join(COLUMNS)
HOUR_MS = 3_600_000


def read(*lines: str) -> ReadRules:
    return read_rules("\n".join([HEADER, *lines]))


def rules(*lines: str) -> SettlementRules:
    return SettlementRules(read(*lines).rules, shipped_profiles())


def test_each_column_is_read() -> None:
    found, problems = read(
        "# what Bet365 says",
        "Bet365,tennis,48,first_set,included,reduced,https://help.bet365.com/rules,2026-11-29",
    )
    assert problems == []
    assert found == [
        SettlementRule(
            bookmaker="Bet365",
            sport="Tennis",
            postponed_hours="48",
            retirement=Retirement.FIRST_SET,
            overtime=Overtime.INCLUDED,
            dead_heat=DeadHeat.REDUCED,
            source_url="https://help.bet365.com/rules",
            read_on="2026-11-29",
        )
    ]
    assert found[0].waiting_ms == 48 * HOUR_MS


def test_a_bookmaker_is_found_by_any_of_its_names() -> None:
    found = rules("Betfair Exchange UK,,24,,,,,")
    assert found.rule_of("betfair_ex_uk", "Hockey").waiting_ms == 24 * HOUR_MS
    assert found.rule_of("Betfair Exchange UK (delayed)", "Hockey").waiting_ms == 24 * HOUR_MS
    assert found.rule_of("Bet365", "Hockey") == SettlementRule(bookmaker="Bet365", sport="Hockey")


def test_a_line_of_a_sport_goes_over_that_of_all_sports_cell_by_cell() -> None:
    found = rules("Bet365,,24,,included,,,", "Bet365,Baseball,round,,,,,")
    assert found.rule_of("Bet365", "Tennis").postponed_hours == "24"
    baseball = found.rule_of("Bet365", "Baseball")
    assert (baseball.postponed_hours, baseball.waiting_ms) == ("round", None)
    assert baseball.overtime is Overtime.INCLUDED


def test_a_later_line_of_the_user_replaces_only_what_it_says() -> None:
    shipped = read("Bet365,Tennis,48,first_set,,,https://a,2026-01-01").rules
    own = read("bet365,Tennis,72,,,,,").rules
    rule = SettlementRules([*shipped, *own]).rule_of("Bet365", "Tennis")
    assert (rule.postponed_hours, rule.retirement) == ("72", Retirement.FIRST_SET)


def test_what_makes_no_sense_is_reported_and_the_rest_of_the_line_applies() -> None:
    found, problems = read(
        "Bet365,Tennis,13,first_point,yes,half,,29/11/2026",
        ",Tennis,12,,,,,",
        "Unibet,Chessboxing,12,,,,,",
        "Pinnacle,Football,ROUND,,excluded,,,",
    )
    assert [(each.bookmaker, each.postponed_hours, each.overtime) for each in found] == [
        ("Bet365", "", None),
        ("Pinnacle", "round", Overtime.EXCLUDED),
    ]
    assert problems == [
        "line 2: Bet365: postponed_hours '13': expected one of 12, 24, 36, 48, 72, round",
        "line 2: Bet365: read_on '29/11/2026': expected a day such as 2026-11-29",
        "line 2: Bet365: retirement 'first_point': expected one of first_ball, first_set, "
        "match_completed, advances",
        "line 2: Bet365: overtime 'yes': expected one of included, excluded",
        "line 2: Bet365: dead_heat 'half': expected one of reduced, full",
        "line 3: expected the name of a bookmaker",
        "line 4: Unibet: sport 'Chessboxing': expected a name such as Tennis, or nothing for all "
        "sports",
    ]


def test_other_columns_are_reported_and_a_table_needs_bookmakers() -> None:
    columns = f"expected columns out of {', '.join(COLUMNS)}, separated by commas"
    found = read_rules("\ufeffbookmaker,sport,mood\n\nBet365,,good\nUnibet\n")
    assert found.problems == [f"line 1: 'mood' ignored; {columns}"]
    assert [rule.bookmaker for rule in found.rules] == ["Bet365", "Unibet"]
    assert read_rules("name,sport\nBet365,Tennis\n") == (
        *([], [f"line 1: no column 'bookmaker'; {columns}"]),
    )
    assert read_rules("") == ([], [])


@given(st.text() | st.lists(st.sampled_from([*COLUMNS, ",", "\n", "12", '"', "#"])).map("".join))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = read_rules(text)
    assert len(found.rules) + len(found.problems) <= (len(COLUMNS) + 1) * len(text.splitlines())


def test_a_line_that_cannot_be_taken_apart_costs_only_itself() -> None:
    limit = csv.field_size_limit()
    too_long = "x" * (limit + 1)
    found, problems = read_rules(f"sport,bookmaker\nTennis\n,{too_long}\nTennis,Bet365\n")
    assert [rule.bookmaker for rule in found] == ["Bet365"]
    assert problems == [
        "line 2: expected the name of a bookmaker",
        f"line 3: field larger than field limit ({limit})",
    ]


def test_each_shipped_line_cites_where_and_when_it_was_read() -> None:
    found, problems = read_rules(resource_path("settlement_rules.csv").read_text("utf-8"))
    assert problems == []
    assert len(found) > 20
    keys = [(rule.bookmaker, rule.sport) for rule in found]
    assert len(set(keys)) == len(keys)
    for rule in found:
        assert shipped_profiles().canonical(rule.bookmaker) == rule.bookmaker
        assert rule.sport in SPORTS
        stated = (rule.postponed_hours, rule.retirement, rule.overtime, rule.dead_heat)
        assert any(stated)
        assert date(2015, 1, 1) <= date.fromisoformat(rule.read_on) <= date(2026, 12, 31)


def test_each_shipped_line_cites_the_bookmakers_own_pages() -> None:
    for rule in shipped_rules():
        url = urlsplit(rule.source_url)
        assert url.scheme == "https"
        assert rule.bookmaker.split()[0].casefold() in (url.hostname or "")


def notes(
    lines: list[str],
    market: tuple[str, int, str],
    *legs: tuple[str, str],
    line: float | None = None,
) -> list[str]:
    found = rule_notes(rules(*lines), [LegOfRule(*leg) for leg in legs], market, line)
    assert all(note.is_unknown is ("not known" in note.text) for note in found)
    return [note.text for note in found]


TENNIS_WINNER = ("moneyline", 0, "Tennis")
RUUD, FRITZ = ("Bet365", "Ruud"), ("Unibet", "Fritz")


@pytest.mark.parametrize(
    ("early", "late", "when"),
    [
        ("advances", "first_ball", "before the first ball"),
        ("advances", "first_set", "before set 1 is complete"),
        ("advances", "match_completed", "at any time"),
        ("first_ball", "first_set", "in set 1"),
        ("first_ball", "match_completed", "after the first ball"),
        ("first_set", "match_completed", "after set 1"),
    ],
)
def test_the_leg_on_the_player_who_retires_is_lost_where_it_stands_and_the_other_void(
    early: str, late: str, when: str
) -> None:
    lines = [f"Unibet,Tennis,,{early},,,,", f"Bet365,Tennis,,{late},,,,"]
    note = f"If Fritz retires {when}: Fritz at Unibet is lost, Ruud at Bet365 is void"
    assert notes(lines, TENNIS_WINNER, RUUD, FRITZ) == [note]
    assert notes(lines, TENNIS_WINNER, FRITZ, RUUD) == [note]


def test_legs_of_one_rule_have_no_note() -> None:
    lines = [f"{name},Tennis,24,first_set,,,," for name in ("Bet365", "Unibet")]
    assert notes(lines, TENNIS_WINNER, RUUD, FRITZ) == []


def test_unknown_rules_of_retirement_are_reported() -> None:
    note = "What happens when a player retires is not known for"
    assert notes([], TENNIS_WINNER, RUUD, FRITZ) == [f"{note} Bet365, Unibet"]
    lines = ["Unibet,Tennis,,first_set,,,,"]
    assert notes(lines, TENNIS_WINNER, RUUD, FRITZ) == [f"{note} Bet365"]
    assert notes([], ("moneyline", 0, "Football"), RUUD, FRITZ) == []


def test_the_rule_of_the_winner_says_nothing_about_other_markets_of_tennis() -> None:
    lines = [f"{name},Tennis,,first_set,,,," for name in ("Bet365", "Unibet")]
    over, under = ("Bet365", "Over 20.5"), ("Unibet", "Under 20.5")
    assert notes(lines, ("total_games", 0, "Tennis"), over, under, line=20.5) == [
        "If a player retires, how this market settles is not known for Bet365, Unibet"
    ]


def test_a_leg_that_waits_longer_for_a_late_game_stands_alone() -> None:
    lines = ["Bet365,Football,12,,,,,", "Unibet,,24,,,,,", "Pinnacle,Football,48,,,,,"]
    market = ("moneyline", 0, "Football")
    legs = ("Bet365", "A"), ("Unibet", "Draw"), ("Pinnacle", "B")
    assert notes(lines, market, *legs) == [
        "If the game begins 12 to 24 hours late: A at Bet365 is void,"
        " Draw at Unibet and B at Pinnacle stand",
        "If the game begins 24 to 48 hours late: A at Bet365 and Draw at Unibet are void,"
        " B at Pinnacle stands",
    ]
    assert notes([*lines, "Unibet,Football,round,,,,,"], market, *legs[:2]) == [
        "If the game is postponed: A at Bet365 waits 12 hours, Draw at Unibet waits until the round"
        " ends; one may be void while another stands"
    ]
    assert notes(lines[:1], market, *legs) == []


def test_overtime_is_noted_where_it_may_decide() -> None:
    lines = ["Bet365,Hockey,,,included,,,", "Unibet,Hockey,,,excluded,,,"]
    over, under = ("Bet365", "Over 5.5"), ("Unibet", "Under 5.5")
    note = "Overtime counts at Bet365, not at Unibet: with overtime all legs may lose, or several"
    assert notes(lines, ("total", 0, "Hockey"), over, under, line=5.5) == [f"{note} win"]
    assert notes(lines, ("total", 1, "Hockey"), over, under, line=1.5) == []
    assert notes(lines[:1], ("total", 0, "Hockey"), over, under, line=5.5) == []
