"""`oddsdesk arbitrage` from a database."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger, settings_folder
from oddsdesk.base.texts import use_language
from oddsdesk.cli.arbitrage import arbitrage
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.opportunities import Middle
from oddsdesk.store.store import open_store

KEYS = [
    *("kind", "game_id", "match_name", "competition", "market_type", "period", "line"),
    *("profit_pct", "push", "hold_pct", "derived", "band_pct", "legs", "notes"),
]
OF_MIDDLES = ["loss", "hit", "break_even_pct", "chance_pct"]


def quote(bookmaker: str, market_type: str, odds: dict[str, float]) -> Quote:
    now = system_clock()
    return Quote(
        match_name="A vs B",
        competition="EPL",
        bookmaker=bookmaker,
        market_type=market_type,
        period=0,
        odds=odds,
        scraped_at=now,
        match_date=now + 3_600_000,
    )


def record(path: Path, *quotes: Quote) -> None:
    store = open_store(path)
    store.record(quotes).result()
    store.close()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    record(
        path,
        quote("Soft", "btts", {"Yes": 2.1, "No": 1.6}),
        quote("Other", "btts", {"Yes": 1.7, "No": 2.05}),
        quote("Soft", "total", {"Over 2.5": 2.0, "Under 2.5": 1.7}),
        quote("Other", "total", {"Over 3.5": 2.0, "Under 3.5": 1.98}),
        quote("Other", "draw_no_bet", {"A": 1.97, "B": 1.7}),
        quote("Soft", "draw_no_bet", {"A": 1.7, "B": 1.99}),
    )
    return path


def test_old_odds_that_were_moved_to_now_are_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    books = ("Soft", {"Yes": 2.1, "No": 1.6}), ("Other", {"Yes": 1.7, "No": 2.05})
    store.record([quote(name, "btts", odds) for name, odds in books], shifted=True).result(10)
    store.close()
    assert run(path).stderr.startswith("some odds are old (times shifted)")
    assert [row["shifted"] for row in listed(path)] == [True]


def write_stakes(said: str) -> None:
    folder = settings_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "desk.ini").write_text(f"[stakes]\n{said}\n", "utf-8")


def run(database: Path, *options: str) -> Result:
    return CliRunner().invoke(arbitrage, ["--database", str(database), *options])


def listed(database: Path, *options: str) -> list[dict[str, Any]]:
    result = run(database, *options, "--json")
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


def test_json_has_the_fields_that_are_promised(database: Path) -> None:
    rows = listed(database)
    assert [row["kind"] for row in rows] == ["arbitrage", "middle", "low-hold"]
    found, middle, low = rows
    assert list(found) == list(low) == KEYS
    assert list(middle) == KEYS + OF_MIDDLES
    assert found["hold_pct"] == -3.6
    assert found["profit_pct"] == 3.58
    assert found["legs"] == [
        {
            "side": "back",
            "bookmaker": "Soft",
            "market_type": "btts",
            "line": None,
            "selection": "Yes",
            "odds": 2.1,
            "net_odds": 2.1,
            "stake": 47.0,
            "derived": None,
            "band_pct": None,
            "cautions": [],
        },
        {
            "side": "back",
            "bookmaker": "Other",
            "market_type": "btts",
            "line": None,
            "selection": "No",
            "odds": 2.05,
            "net_odds": 2.05,
            "stake": 48.0,
            "derived": None,
            "band_pct": None,
            "cautions": [],
        },
    ]
    assert found["notes"] == []
    assert (middle["line"], middle["chance_pct"]) == (None, None)
    assert [leg["line"] for leg in middle["legs"]] == [2.5, 3.5]
    assert low["hold_pct"] > 0


def test_a_lay_says_what_it_is_and_can_be_left_out(tmp_path: Path) -> None:
    """Backed at 2.3 and laid at 2.14 with 2 % commission: a liability of 1.14 wins 0.98."""
    path = tmp_path / "odds.db"
    result = {"A": 2.1, "Draw": 3.4, "B": 3.4}
    lays = {"A": Offer(back=((2.1, 50.0),), lay=((2.14, 40.0),), currency="GBP")}
    record(
        path,
        quote("Pinnacle", "moneyline", {"A": 2.2, "Draw": 3.3, "B": 3.4}),
        quote("Soft", "moneyline", {"A": 2.3, "Draw": 3.2, "B": 3.2}),
        msgspec.structs.replace(quote("Smarkets", "moneyline", result), offers=lays),
    )
    (found,) = (row for row in listed(path, "--kind", "arbitrage"))
    back, lay = found["legs"]
    assert (back["side"], back["bookmaker"], back["selection"]) == ("back", "Soft", "A")
    assert {key: lay[key] for key in ("side", "selection", "odds", "net_odds", "lay_odds")} == {
        "side": "lay",
        "selection": "A",
        "odds": 2.14,
        "net_odds": 1.8596,
        "lay_odds": 2.14,
    }
    assert lay["liability"] == lay["stake"] <= lay["for_sale"] == 45.6
    assert lay["backers_stake"] == round(lay["stake"] / 1.14, 2)
    words = run(path, "--kind", "arbitrage").output
    assert f"liability; backer's stake {lay['backers_stake']:.2f}" in words
    assert "Lay A " in words
    assert not any("lay" in leg["side"] for row in listed(path, "--no-lay") for leg in row["legs"])


def test_a_lay_of_unknown_amount_takes_any_stake(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    lays = {"A": Offer(lay=((2.14, 0.0),))}
    record(
        path,
        quote("Pinnacle", "moneyline", {"A": 2.2, "Draw": 3.3, "B": 3.4}),
        quote("Soft", "moneyline", {"A": 2.3, "Draw": 3.2, "B": 3.2}),
        msgspec.structs.replace(
            quote("Smarkets", "moneyline", {"A": 2.1, "Draw": 3.4, "B": 3.4}), offers=lays
        ),
    )
    (found,) = listed(path, "--kind", "arbitrage")
    _, lay = found["legs"]
    assert (lay["side"], lay["stake"]) == ("lay", 53.0)
    assert "for_sale" not in lay


def test_legs_of_several_markets_say_which(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    record(
        path,
        quote("Pinnacle", "moneyline", {"A": 2.05, "Draw": 3.5, "B": 3.7}),
        quote("Soft", "double_chance", {"1X": 1.3, "X2": 1.95, "12": 1.33}),
        quote("Other", "spread", {"A -0.5": 2.21, "B +0.5": 1.7}),
    )
    (found,) = listed(path, "--kind", "arbitrage")
    names = ("market_type", "line", "selection", "bookmaker", "derived", "band_pct")
    assert [tuple(leg[name] for name in names) for leg in found["legs"]] == [
        ("spread", -0.5, "A -0.5", "Other", "implied", None),
        ("double_chance", None, "X2", "Soft", "implied", None),
    ]
    assert [found[name] for name in (*names[:2], *names[4:])] == [None, None, "implied", None]
    said = run(path, "--kind", "arbitrage").output
    assert "A -0.5 (Handicap)" in said
    assert "X2 (Double chance)" in said
    assert "A v B, " not in said, "no market is that of the game"


def test_rules_that_differ_are_noted_with_the_market_of_each_leg(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    record(
        path,
        quote("Pinnacle", "moneyline", {"A": 2.2, "Draw": 3.3, "B": 3.4}),
        quote("Betfair Exchange UK", "double_chance", {"1X": 1.3, "X2": 2.1, "12": 1.25}),
    )
    said = [
        "If the game begins 12 to 72 hours late: A (Match result) at Pinnacle is void,"
        " X2 (Double chance) at Betfair Exchange UK stands"
    ]
    assert listed(path, "--kind", "arbitrage")[0]["notes"] == said
    use_language("de")
    try:
        assert listed(path, "--kind", "arbitrage")[0]["notes"] == said, "JSON is in English"
        assert "X2 (Doppelte Chance)" in run(path, "--kind", "arbitrage").output
    finally:
        use_language("en")


def place(database: Path, *, leg: bool) -> None:
    """Put 94 on one side of the arbitrage."""
    before, *_ = listed(database, "--kind", "arbitrage")
    default_ledger().parent.mkdir(parents=True)
    with closing(Ledger(default_ledger())) as ledger:
        shared = ("game_id", "match_name", "competition", "market_type", "period")
        ledger.record_bet(
            PlacedBet(
                **{name: before[name] for name in shared},
                sport="",
                selection="Yes",
                bookmaker="Soft",
                odds=2.1,
                stake=94.0,
                placed_at=system_clock(),
                leg=leg,
            )
        )


def test_a_single_bet_is_no_half_of_an_arbitrage(database: Path) -> None:
    """It was bet for its value: the arbitrage is listed as well, with both legs to stake."""
    place(database, leg=False)
    (found,) = listed(database, "--kind", "arbitrage")
    assert [(leg["stake"], "placed" in leg) for leg in found["legs"]] == [(47, False), (48, False)]


def test_what_is_placed_is_marked_and_the_other_leg_completes_it(database: Path) -> None:
    """By the same rules as the list of the desk: 47 and 48 were offered once more."""
    place(database, leg=True)
    (found,) = listed(database, "--kind", "arbitrage", "--least", "50")
    placed, other = found["legs"]
    assert (placed["stake"], placed["placed"]) == (0, 94)
    assert (other["stake"], "placed" in other) == (96, False)
    # 94 * 2.1 is 197.40, 96 * 2.05 is 196.80; 190 are staked
    assert found["profit_pct"] == 3.58
    _, first, second, *_ = run(database, "--kind", "arbitrage").stdout.splitlines()
    assert "94 already placed" in first
    assert "still to place" in second


def test_what_a_push_leaves_stands_next_to_the_profit(database: Path) -> None:
    """Of a whole line all stakes come back, of a quarter line half of each leg's result."""
    record(
        database,
        quote("Soft", "total", {"Over 2.0": 2.05, "Under 2.0": 1.7}),
        quote("Other", "total", {"Over 2.0": 1.7, "Under 2.0": 2.10}),
        quote("Soft", "spread", {"A -0.25": 2.10, "B +0.25": 1.7}),
        quote("Other", "spread", {"A -0.25": 1.7, "B +0.25": 2.06}),
    )
    rows = listed(database, "--kind", "arbitrage")
    told = {row["market_type"]: (row["profit_pct"], row["push"]) for row in rows}
    assert told == {"btts": (3.58, None), "total": (3.58, 0.0), "spread": (3.94, 2.0)}
    lines = run(database, "--kind", "arbitrage").stdout.splitlines()
    assert sum(line.endswith("Total: push +0.00") for line in lines) == 1
    assert sum(line.endswith("Handicap: push +2.00") for line in lines) == 1


def test_a_middle_that_never_costs_breaks_even_at_nothing() -> None:
    assert str(Middle(-0.0, 5.0, None).break_even) == "0.0"


def test_a_long_leg_is_staked_a_step_and_legs_without_a_step_each_are_none(database: Path) -> None:
    record(
        database,
        quote("Soft", "total_games", {"Over 20.5": 1.06, "Under 20.5": 8.0}),
        quote("Other", "total_games", {"Over 20.5": 1.001, "Under 20.5": 501.0}),
    )
    (found,) = [row for row in listed(database) if row["market_type"] == "total_games"]
    assert [leg["stake"] for leg in found["legs"]] == [99, 1]
    assert found["profit_pct"] == 4.94
    write_stakes("split_total=15\nstep=10")
    assert listed(database) == []


def test_a_leg_is_printed_with_its_warnings(database: Path) -> None:
    """A price ten times too high led the list with +152 %, and nothing was said of it."""
    record(
        database,
        quote("Pinnacle", "total", {"Over 2.5": 1.45, "Under 2.5": 2.9}),
        quote("Third", "total", {"Over 2.5": 14.5}),
    )
    first, *_ = listed(database, "--kind", "arbitrage")
    assert [leg["cautions"] for leg in first["legs"]] == [["above_window"], []]
    lines = run(database, "--kind", "arbitrage").stdout.splitlines()
    (leg,) = [line for line in lines if "14.5" in line]
    assert "likely error, far above fair" in leg


@pytest.mark.parametrize(
    "far",
    [
        {"Over 2.5": 1000.0},
        {"Over 2.5": 1000.0, "Under 2.5": 1.95},
        {"Over 2.5": 2.2, "Under 2.5": 2.2},
        {"Over 2.5": 1.01, "Under 2.5": 1.01},
    ],
)
def test_without_a_reference_a_placeholder_is_no_leg_either(
    tmp_path: Path, far: dict[str, float]
) -> None:
    path = tmp_path / "odds.db"
    record(path, quote("Far", "total", far))
    record(path, quote("Soft", "total", {"Over 2.5": 1.85, "Under 2.5": 1.95}))
    assert listed(path, "--least", "-100") == []
    meant = quote("Far", "total", {"Over 2.5": 2.1, "Under 2.5": 1.8})
    record(path, meant)
    (found,) = listed(path, "--kind", "arbitrage")
    assert [leg["bookmaker"] for leg in found["legs"]] == ["Far", "Soft"]


def test_one_kind_may_be_asked_for(database: Path) -> None:
    assert [row["kind"] for row in listed(database, "--kind", "low-hold")] == ["low-hold"]


def test_least_is_of_the_worst_outcome_after_rounding(database: Path) -> None:
    assert [row["kind"] for row in listed(database, "--least", "3.5")] == ["arbitrage"]
    assert listed(database, "--least", "3.6") == []
    assert len(listed(database, "--least", "-5")) == 3


def test_stakes_are_as_the_settings_say(database: Path) -> None:
    write_stakes("split_total=1000\nstep=5")
    assert [leg["stake"] for leg in listed(database)[0]["legs"]] == [485, 495]


def test_the_table_has_a_line_a_leg_and_counts(database: Path) -> None:
    lines = run(database).stdout.splitlines()
    assert lines[1].split()[:2] == ["arbitrage", "+3.58"]
    assert "Soft" in lines[1]
    assert "Other" in lines[2]
    assert lines[-1] == "1 arb, 1 middle, 1 low hold"


def test_notes_say_what_may_become_of_a_leg_by_the_users_own_rules(tmp_path: Path) -> None:
    """The arbitrage is listed and staked all the same."""
    folder = settings_folder()
    folder.mkdir(parents=True, exist_ok=True)
    own = "bookmaker,sport,retirement\nSoft,Tennis,match_completed\nOther,Tennis,first_set\n"
    (folder / "settlement_rules.csv").write_text(own, "utf-8")
    path = tmp_path / "odds.db"
    tennis = ("Soft", {"A": 2.1, "B": 1.7}), ("Other", {"A": 1.7, "B": 2.1})
    quotes = [quote(name, "moneyline", odds) for name, odds in tennis]
    record(path, *(msgspec.structs.replace(each, competition="ATP") for each in quotes))
    (found,) = listed(path)
    note = "If B retires after set 1: B at Other is lost, A at Soft is void"
    assert (found["notes"], [leg["stake"] for leg in found["legs"]]) == ([note], [50, 50])
    table = run(path).stdout.splitlines()
    assert "rules differ" in table[1]
    assert f"A v B: {note}" in table


def test_a_missing_database_is_one_line(tmp_path: Path) -> None:
    result = run(tmp_path / "none.db")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "options", [["--least", "nan"], ["--kind", "surebet"], ["--key-file", "x"]]
)
def test_misuse_is_refused(database: Path, options: list[str]) -> None:
    assert run(database, *options).exit_code == 2


def test_the_table_calls_a_margin_what_a_hold_is_not(database: Path) -> None:
    headings, first, *_ = run(database).stdout.splitlines()
    assert headings.split()[:3] == ["KIND", "PROFIT", "MARGIN"]
    assert first.split()[1:5] == ["+3.58", "%", "-3.60", "%"]


def put(*legs: tuple[str, str, float, float], leg: bool = True) -> None:
    """Put stakes on handicaps of the game: selection, bookmaker, odds, stake."""
    default_ledger().parent.mkdir(parents=True, exist_ok=True)
    with closing(Ledger(default_ledger())) as ledger:
        for selection, bookmaker, odds, stake in legs:
            ledger.record_bet(
                PlacedBet(
                    *(game_id("EPL", "A vs B"), "A vs B", "EPL", "Football", "spread", 0),
                    *(selection, bookmaker, odds, stake),
                    placed_at=system_clock(),
                    kick_off=system_clock() + 3_600_000,
                    leg=leg,
                )
            )


@pytest.fixture
def handicaps(tmp_path: Path) -> Path:
    """An arbitrage on -0.5, and lines around it that would complete its legs at a loss."""
    path = tmp_path / "odds.db"
    fair = {"A +0": 1.5, "B +0": 2.74, "A -0.5": 2.05, "B +0.5": 1.86}
    fair |= {"A -1": 2.85, "B +1": 1.45, "A +0.5": 1.33, "B -0.5": 3.6}
    record(
        path,
        quote("Pinnacle", "spread", fair),
        quote("Level", "spread", {"A +0": 1.595, "B +0": 2.3}),
        quote("Soft", "spread", {"A -0.5": 2.1, "B +0.5": 1.7}),
        quote("Other", "spread", {"A -0.5": 1.9, "B +0.5": 1.965}),
    )
    return path


def begun(database: Path) -> list[list[tuple[str, float, float]]]:
    """Return selection, stake and placed stake of each half-placed opportunity."""
    found = [row["legs"] for row in listed(database, "--least", "-100")]
    return [
        [(leg["selection"], leg["stake"], leg.get("placed", 0)) for leg in legs]
        for legs in found
        if any("placed" in leg for leg in legs)
    ]


def worst(*bets: tuple[float, float, float]) -> float:
    """Return the worst profit of handicaps of A (line, stake, odds; B's stakes below 0)."""
    gains = []
    for margin in range(-3, 4):
        gain = 0.0
        for line, stake, odds in bets:
            ahead = (margin + line) * (1 if stake > 0 else -1)
            gain += abs(stake) * ((odds - 1) if ahead > 0 else -1 if ahead < 0 else 0)
        gains.append(gain)
    return min(gains)


def test_legs_that_complete_each_other_are_open_on_no_other_line(handicaps: Path) -> None:
    """47 at 2.10 and 50 at 1.965 win for certain; +0 was offered again to complete the 50."""
    put(("B +0.5", "Other", 1.965, 50))
    one_leg = begun(handicaps)
    assert [("A -0.5", 47, 0), ("B +0.5", 0, 50)] in one_leg
    assert [("A +0", 62, 0), ("B +0.5", 0, 50)] in one_leg
    put(("A -0.5", "Soft", 2.1, 47))
    assert worst((-0.5, 47, 2.1), (-0.5, -50, 1.965)) == pytest.approx(1.25)
    assert begun(handicaps) == [[("A -0.5", 0, 47), ("B +0.5", 0, 50)]]
    (whole,) = [row for row in listed(handicaps) if "placed" in row["legs"][0]]
    assert whole["profit_pct"] == pytest.approx(125 / 97, abs=0.01)


def test_a_leg_covered_by_less_than_half_is_completed_with_the_rest(handicaps: Path) -> None:
    """10 of 47 are placed: another line must pay 1.965 * 50 less 2.1 * 10."""
    put(("B +0.5", "Other", 1.965, 50), ("A -0.5", "Soft", 2.1, 10))
    stakes = {legs[0][0]: legs[0][1] for legs in begun(handicaps)}
    lacking = 1.965 * 50 - 2.1 * 10
    assert stakes["A +0"] == pytest.approx(lacking / 1.595, abs=1)
    assert stakes["A +0.5"] == pytest.approx(lacking / 1.33, abs=1)
