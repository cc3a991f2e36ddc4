"""OddsHarvester's files become quotes and results, every price kept or counted."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.base.spreadsheets import LONGEST_ROW
from oddsdesk.contract.quotes import UNNAMED
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import expand, read_file
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.oddsharvester import convert

GAME = {
    "scraped_date": "2026-02-02 09:29:46 UTC",
    "match_date": "2026-02-03 20:00:00 UTC",
    "match_link": "https://www.oddsportal.com/football/england/premier-league/leeds-luton-xQ7",
    "home_team": "Leeds",
    "away_team": "Luton",
    "league_name": "Premier League 2025/2026",
    "venue_country": "England",
}
NBA = GAME | {
    "match_link": "https://www.oddsportal.com/basketball/usa/nba/lakers-celtics-0fw",
    "league_name": "NBA",
    "venue_country": "USA",
}
TENNIS = GAME | {"match_link": "https://www.oddsportal.com/tennis/france/atp-paris/a-b-0fw"}
RESULT = {"1": "3.50", "X": "3.67", "2": "1.96"}


def row(**fields: Any) -> dict[str, Any]:
    return {"bookmaker_name": "bwin.fr", "period": "FullTime"} | fields


def imported(*games: dict[str, Any]) -> Imported:
    return convert(SourceFile("harvest.json", json.dumps(games).encode()))


def with_market(key: str, *rows: dict[str, Any], game: dict[str, Any] = GAME) -> Imported:
    return imported(game | {f"{key}_market": list(rows)})


def odds(key: str, *rows: dict[str, Any], game: dict[str, Any] = GAME) -> dict[str, Any]:
    result = with_market(key, *rows, game=game)
    assert (result.problems, result.skipped) == ([], {})
    return {quote.market_type: quote.odds for quote in result.quotes}


def test_a_row_becomes_a_quote() -> None:
    (quote,) = with_market("1x2", row(**RESULT)).quotes
    assert (quote.bookmaker, quote.match_name, quote.competition) == (
        "bwin.fr",
        "Leeds vs Luton",
        "EPL",
    )
    assert (quote.market_type, quote.period, quote.is_live) == ("moneyline", 0, False)
    assert list(quote.odds.items()) == [("Leeds", 3.5), ("Draw", 3.67), ("Luton", 1.96)]
    assert quote.scraped_at == parse_ms("2026-02-02T09:29:46Z")
    assert quote.match_date == parse_ms("2026-02-03T20:00:00Z")


@pytest.mark.parametrize(
    ("key", "prices", "game", "expected"),
    [
        ("btts", {"btts_yes": "1.5", "btts_no": "2.3"}, GAME, {"btts": {"Yes": 1.5, "No": 2.3}}),
        (
            "double_chance",
            {"1X": "1.7", "12": "1.25", "X2": "1.26"},
            GAME,
            {"double_chance": {"1X": 1.7, "X2": 1.26, "12": 1.25}},
        ),
        (
            "dnb",
            {"dnb_team1": "2.6", "dnb_team2": "1.5"},
            GAME,
            {"draw_no_bet": {"Leeds": 2.6, "Luton": 1.5}},
        ),
        (
            "over_under_2_25",
            {"odds_over": "1.8", "odds_under": "2.0"},
            GAME,
            {"total": {"Over 2.25": 1.8, "Under 2.25": 2.0}},
        ),
        (
            "asian_handicap_-0_75",
            {"team1_handicap": "1.8", "team2_handicap": "2.0"},
            GAME,
            {"spread": {"Leeds -0.75": 1.8, "Luton +0.75": 2.0}},
        ),
        (
            "european_handicap_+1",
            {"team1_handicap": "1.8", "draw_handicap": "3.9", "team2_handicap": "4.0"},
            GAME,
            {"3way_handicap": {"Leeds +1": 1.8, "Draw +1": 3.9, "Luton -1": 4.0}},
        ),
        ("home_away", {"1": "2.5", "2": "1.3"}, NBA, {"moneyline": {"Leeds": 2.5, "Luton": 1.3}}),
        (
            "asian_handicap_games_-5_5_games",
            {"handicap_team_1": "1.9", "handicap_team_2": "1.8"},
            NBA,
            {"spread": {"Leeds -5.5": 1.9, "Luton +5.5": 1.8}},
        ),
        (
            "over_under_games_220_5",
            {"odds_over": "1.8", "odds_under": "2.0"},
            NBA,
            {"total": {"Over 220.5": 1.8, "Under 220.5": 2.0}},
        ),
        (
            "over_under_games_22_5",
            {"odds_over": "1.8", "odds_under": "2.0"},
            TENNIS,
            {"total_games": {"Over 22.5": 1.8, "Under 22.5": 2.0}},
        ),
        (
            "over_under_sets_2_5",
            {"odds_over": "1.8", "odds_under": "2.0"},
            TENNIS,
            {"total": {"Over 2.5": 1.8, "Under 2.5": 2.0}},
        ),
        (
            "asian_handicap_+3_5_games",
            {"games_handicap_player_1": "1.8", "games_handicap_player_2": "2.0"},
            TENNIS,
            {"games_handicap": {"Leeds +3.5": 1.8, "Luton -3.5": 2.0}},
        ),
        (
            "asian_handicap_-1_5_sets",
            {"sets_handicap_player_1": "1.8", "sets_handicap_player_2": "2.0"},
            TENNIS,
            {"spread": {"Leeds -1.5": 1.8, "Luton +1.5": 2.0}},
        ),
    ],
)
def test_every_market_has_its_selections(
    key: str, prices: dict[str, str], game: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = odds(key, row(**prices), game=game)
    assert {kind: list(each.items()) for kind, each in found.items()} == {
        kind: list(each.items()) for kind, each in expected.items()
    }


def test_lines_of_one_bookmaker_make_one_quote() -> None:
    lines = {
        f"over_under_{line}_5_market": [row(odds_over="1.5", odds_under="2.5")] for line in (3, 2)
    }
    (quote,) = imported(GAME | lines).quotes
    assert list(quote.odds) == ["Over 2.5", "Under 2.5", "Over 3.5", "Under 3.5"]


@pytest.mark.parametrize(
    ("name", "game", "period"),
    [
        ("FirstHalf", GAME, 1),
        ("SecondHalf", GAME, 2),
        (None, GAME, 0),
        ("ThirdQuarter", NBA, 3),
        ("FullIncludingOT", NBA, 0),
        ("SecondSet", TENNIS, 2),
    ],
)
def test_parts_are_periods(name: str | None, game: dict[str, Any], period: int) -> None:
    (quote,) = with_market("1x2", row(**RESULT, period=name), game=game).quotes
    assert quote.period == period


def test_a_part_without_a_number_is_counted() -> None:
    result = with_market("1x2", row(**RESULT, period="FirstHalf"), game=NBA)
    assert (result.quotes, result.skipped) == ([], {"period FirstHalf": 3})


def test_markets_without_a_place_are_counted() -> None:
    result = with_market("correct_score_2_1", row(correct_score="9.5"))
    assert (result.quotes, result.skipped) == ([], {"correct_score_2_1": 1})


def test_a_moneyline_with_overtime_with_one_without_is_not_mixed_into_it() -> None:
    markets = {
        "home_away_market": [row(**{"1": "2.5", "2": "1.3"}, period="FullIncludingOT")],
        "1x2_market": [row(**RESULT)],
    }
    result = imported(NBA | markets)
    assert [quote.odds for quote in result.quotes] == [{"Leeds": 2.5, "Luton": 1.3}]
    assert result.skipped == {"duplicate": 3}


def test_what_a_bookmaker_has_stopped_offering_is_no_price() -> None:
    prices = {"btts_yes": "1.5", "btts_no": "2.3", "blocked_outcomes": ["btts_no"]}
    result = with_market("btts", row(**prices))
    assert (result.quotes[0].odds, result.skipped) == ({"Yes": 1.5}, {"no longer offered": 1})


@pytest.mark.parametrize("draw", [{"X": "-"}, {"X": "3.67", "blocked_outcomes": ["X"]}])
def test_a_three_way_market_never_loses_only_its_draw(draw: dict[str, Any]) -> None:
    """In football there is always a draw, so that the teams alone cannot be taken for all."""
    nhl = NBA | {"match_link": "https://www.oddsportal.com/hockey/usa/nhl/a-b-0fw"}
    result = with_market("1x2", row(**(RESULT | draw)), game=nhl)
    assert [(quote.odds, quote.unread) for quote in result.quotes] == [({}, None)]
    assert result.skipped["draw without a possible price"] == 2
    result = with_market("1x2", row(**(RESULT | draw)))
    assert [quote.odds for quote in result.quotes] == [{"Leeds": 3.5, "Luton": 1.96}]


@pytest.mark.parametrize(("price", "is_unread"), [("1", False), ("0", False), ("0.5", True)])
def test_a_price_that_cannot_be_costs_only_itself(price: str, is_unread: bool) -> None:
    result = with_market("btts", row(btts_yes="1.5", btts_no=price))
    (quote,) = result.quotes
    assert quote.odds == {"Yes": 1.5}
    assert list(quote.unread or ()) == (["No"] if is_unread else [])
    assert result.skipped == {"impossible price" if is_unread else "no longer offered": 1}


def test_prices_read_after_the_game_are_those_it_closed_with() -> None:
    result = with_market(
        "1x2", row(**RESULT), game=GAME | {"match_date": "2025-02-21 20:00:00 UTC"}
    )
    assert result.inferred_times
    assert result.quotes[0].scraped_at == result.quotes[0].match_date
    assert not result.quotes[0].is_live


def test_prices_read_in_play_are_live_and_keep_their_time() -> None:
    game = GAME | {
        "match_date": "2026-02-02 09:00:00 UTC",
        "live_period": "Half-time",
        "scraped_at_utc": "2026-02-02T09:30:00Z",
    }
    result = with_market("1x2", row(**RESULT, period=None), game=game)
    assert result.quotes[0].is_live
    assert result.quotes[0].scraped_at == parse_ms("2026-02-02T09:30:00Z")
    assert not result.inferred_times


@pytest.mark.parametrize(
    ("link", "name", "country", "competition"),
    [
        ("football/spain/laliga/a-b-1", "LaLiga 2025/2026", "", "LIGA"),
        ("football/h2h/barcelona-SK/leganes-Mi/#hYV97ShC", "LaLiga", "Spain", "LIGA"),
        ("football/h2h/a-1/b-2/#x", "Premier League", "Ukraine", "Ukraine - Premier League"),
        ("football/h2h/a-1/b-2/#x", "Club Friendly", "", "Club Friendly"),
        ("football/h2h/a-1/b-2/#x", "Champions League", "England", "UCL"),
        ("football/usa/mls/a-b-1", "MLS 2026", "", "MLS"),
    ],
)
def test_a_league_is_known_by_sport_country_and_name(
    link: str, name: str, country: str, competition: str
) -> None:
    game = GAME | {
        "match_link": f"https://www.oddsportal.com/{link}",
        "league_name": name,
        "venue_country": country,
    }
    assert with_market("1x2", row(**RESULT), game=game).quotes[0].competition == competition


def test_fractions_and_american_odds_are_made_decimal() -> None:
    assert odds("home_away", row(**{"1": "4/5", "2": "5/4"}), game=NBA) == {
        "moneyline": {"Leeds": 1.8, "Luton": 2.25}
    }
    assert odds("home_away", row(**{"1": "+150", "2": "-200"}), game=NBA) == {
        "moneyline": {"Leeds": 2.5, "Luton": 1.5}
    }
    american = with_market("home_away", row(**{"1": "+150", "2": "-200"}), game=NBA).american
    assert american == ["harvest.json"]


def test_a_best_price_without_its_bookmaker_is_counted() -> None:
    preview = {"submarket_name": "+2.5", "extraction_mode": "passive", "odds_over": "1.9"}
    result = with_market("over_under_2_5", preview)
    assert (result.quotes, result.skipped) == ([], {"best price without its bookmaker": 1})


def test_a_changed_shape_names_the_field_and_keeps_the_rest() -> None:
    good = GAME | {"1x2_market": [row(**RESULT, bookmaker_name=7), row(**RESULT)]}
    nameless = {name: value for name, value in good.items() if name != "away_team"}
    result = imported(nameless, GAME | {"match_date": "soon", "btts_market": []}, good)
    assert len(result.quotes) == 1
    assert result.skipped == {"broken game": 6, "broken row": 3}
    missing, date, bookmaker = result.problems
    assert "harvest.json: game 1" in missing
    assert "away_team" in missing
    assert "soon" in date
    assert "game 3, 1x2" in bookmaker
    assert "bookmaker_name" in bookmaker


@pytest.mark.parametrize("data", [b"{", b'{"a": 1}', b'[{"username": "tipster"}]', b"\xff"])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(FeedError, match="expected OddsHarvester's JSON"):
        convert(SourceFile("other.json", data))


def test_odds_of_the_odds_api_are_refused_with_who_reads_them() -> None:
    with pytest.raises(FeedError, match="oddsdesk import the-odds-api"):
        convert(SourceFile("odds.json", b'[{"home_team": "A", "bookmakers": []}]'))


def test_every_price_of_the_real_files_comes_out(shared_data: Path) -> None:
    labels = {"1", "X", "2", "1X", "12", "X2", "btts_yes", "btts_no"}
    files = expand(str(shared_data / "live" / "oddsharvester" / "*.json"))
    assert len(files) == 6
    for path in files:
        written = [
            float(value)
            for game in json.loads(path.read_bytes())
            for name, rows in game.items()
            if name.endswith("_market")
            for row in rows
            for label, value in row.items()
            if label in labels
        ]
        result = convert(SourceFile(path.name, read_file(path)))
        assert (result.problems, result.skipped) == ([], {}), path.name
        read = [price for quote in result.quotes for price in quote.odds.values()]
        assert sorted(read) == sorted(written), path.name


@pytest.mark.parametrize(
    ("link", "sport"),
    [
        ("football/england/fa-cup", "Football"),
        ("basketball/usa/wnba", "Basketball"),
        ("american-football/usa/ncaa", "AmericanFootball"),
        ("handball/germany/bundesliga", None),
    ],
)
def test_the_address_tells_the_sport(link: str, sport: str | None) -> None:
    game = GAME | {
        "match_link": f"https://www.oddsportal.com/{link}/a-b-0fw",
        "league_name": link.rpartition("/")[2],
    }
    key = "1x2" if sport in ("Football", None) else "home_away"
    (quote,) = with_market(key, row(**RESULT), game=game).quotes
    assert quote.sport == sport


@pytest.mark.parametrize("match_date", ["2026-02-18 20:00:00 UTC", None])
@pytest.mark.parametrize("score", [("3", "5"), ("0", "0"), (0, 2)])
def test_a_game_with_a_final_score_is_not_the_one_to_come(
    match_date: str | None, score: tuple[Any, Any]
) -> None:
    """Two teams' page shows the last game's prices next to the next one's date."""
    over = GAME | {"match_date": match_date, "home_score": score[0], "away_score": score[1]}
    result = with_market("1x2", row(**RESULT), row(**RESULT), game=over)
    assert result.quotes == []
    assert result.skipped == {"finished game with a kick-off in the future": 6}
    assert result.problems == []


@pytest.mark.parametrize(
    "changes",
    [
        {"home_score": "", "away_score": ""},
        {"home_score": None, "away_score": None},
        {"home_score": "1", "away_score": "0", "match_date": "2026-02-01 20:00:00 UTC"},
        {"home_score": "1", "away_score": "0", "live_period": "Half-time"},
    ],
)
def test_a_game_to_come_in_play_or_of_the_past_is_read(changes: dict[str, Any]) -> None:
    result = with_market("1x2", row(**RESULT), game=GAME | changes)
    assert (result.kept, result.skipped) == (3, {})


@pytest.mark.parametrize(
    ("fields", "unread"),
    [
        ({"1": "3.50", "X": "3.67", "2": "n/a"}, "Luton"),
        ({"1": "3.50", "X": "?", "2": "1.96"}, "Draw"),
        ({"1": "3.50", "X": "3.67", "Lutton": "1.96"}, UNNAMED),
    ],
)
def test_an_outcome_that_cannot_be_read_is_not_withdrawn(
    fields: dict[str, Any], unread: str
) -> None:
    found = with_market("1x2", row(**fields))
    (quote,) = found.quotes
    assert set(quote.unread or ()) == {unread}
    assert len(quote.odds) == 2
    assert quote.stays(unread or "Luton")
    assert found.skipped.total() == 1


PLAYED = GAME | {"match_date": "2026-02-01 20:00:00 UTC"}


def result(game: dict[str, Any] = PLAYED, **fields: Any) -> GameResult | None:
    found = imported(game | fields)
    assert found.problems == []
    return found.results[0] if found.results else None


def test_a_final_score_is_a_result_with_its_periods() -> None:
    assert result(home_score="2", away_score="1", partial_results="(1:0, 1:1)") == GameResult(
        "EPL",
        "Leeds vs Luton",
        parse_ms("2026-02-01T20:00:00Z"),
        2,
        1,
        (PeriodScore(1, 1, 0), PeriodScore(2, 1, 1)),
        overtime=False,
        source="oddsharvester",
        reported_at=parse_ms("2026-02-02T09:29:46Z"),
    )


@pytest.mark.parametrize(
    ("game", "home", "away", "partial", "periods", "overtime"),
    [
        (GAME, "2", "1", "", 0, None),
        (GAME, "2.0", "1.0", "(1:0,\xa01:1)", 2, False),
        (GAME, "2", "1", "1:0, 0:1, 1:0", 3, True),
        (GAME, "1", "1", "1:0, 0:1, 0:0, 5:4", 4, False),
        (GAME, "2", "1", "(1:0, 1:0)", 0, None),  # they do not add up to it
        (GAME, "2", "1", "(1:0, X)", 0, None),
        (NBA, "101", "96", "20:20, 20:20, 20:20, 30:30, 11:6", 5, True),
        (TENNIS, "2", "1", "6:4, 6:7, 10:8", 3, None),
        (TENNIS, "2", "1", "6:4, 65:7, 6:0", 0, None),  # 6:7 with the points of its tie-break
        (TENNIS, "2", "1", "6:4, 6:3", 0, None),
    ],
)
def test_periods_that_do_not_add_up_are_left_out(
    game: dict[str, Any], home: str, away: str, partial: str, periods: int, overtime: bool | None
) -> None:
    dated = game | {"match_date": "2026-01-30 20:00:00 UTC"}
    found = result(dated, home_score=home, away_score=away, partial_results=partial)
    assert found is not None
    assert (found.home, found.away) == (int(float(home)), int(float(away)))
    assert (len(found.periods), found.overtime) == (periods, overtime)


@pytest.mark.parametrize(
    ("kick_off", "link", "status"),
    [
        ("2026-02-02 03:29:46", GAME["match_link"], GameStatus.FINAL),
        ("2026-02-02 03:29:47", GAME["match_link"], GameStatus.IN_PLAY),
        ("2026-02-01 03:29:46", TENNIS["match_link"], GameStatus.IN_PLAY),
        ("2026-01-31 21:29:46", TENNIS["match_link"], GameStatus.FINAL),
    ],
)
def test_a_score_read_soon_after_the_kick_off_may_be_of_a_game_in_play(
    kick_off: str, link: str, status: GameStatus
) -> None:
    game = GAME | {"match_date": f"{kick_off} UTC", "match_link": link}
    found = result(game, home_score="2", away_score="0")
    assert found is not None
    assert found.status is status


@pytest.mark.parametrize(
    ("status", "score", "expected"),
    [
        ("Postponed", None, (GameStatus.POSTPONED, None)),
        ("Canceled", "", (GameStatus.CANCELLED, None)),
        ("Walkover", None, (GameStatus.CANCELLED, None)),
        ("Abandoned", "1", (GameStatus.ABANDONED, 1)),
        ("Retired", "1", (GameStatus.RETIRED, 1)),
        ("Final  result", "1", (GameStatus.FINAL, 1)),
        ("Awarded", "3", None),
        ("Scheduled", None, None),
    ],
)
def test_a_status_of_the_file_comes_first(
    status: str, score: str | None, expected: tuple[GameStatus, int | None] | None
) -> None:
    found = result(match_status=status, home_score=score, away_score=score)
    assert (found and (found.status, found.home)) == expected


def test_a_score_in_play_is_that_of_the_moment() -> None:
    found = result(
        home_score="9",
        away_score="9",
        live_period="Half-time",
        live_score_home=1,
        live_score_away=0,
        partial_results="(1:0)",
        scraped_at_utc="2026-02-01T20:47:00Z",
    )
    assert found is not None
    assert (found.status, found.home, found.away) == (GameStatus.IN_PLAY, 1, 0)
    assert found.reported_at == parse_ms("2026-02-01T20:47:00Z")


def test_one_set_to_none_is_no_final_score() -> None:
    dated = TENNIS | {"match_date": "2026-01-30 20:00:00 UTC"}
    assert result(dated, home_score="1", away_score="0") is None


def table(*games: dict[str, Any]) -> bytes:
    """Write games as OddsHarvester writes its CSV: a column for each field that any game has."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(dict.fromkeys(key for game in games for key in game)))
    writer.writeheader()
    writer.writerows(games)
    return stream.getvalue().encode()


def test_the_csv_of_a_game_says_what_its_json_says() -> None:
    games = (
        PLAYED | {"home_score": "2", "away_score": "1", "1x2_market": [row(**RESULT)]},
        NBA | {"over_under_games_220_5_market": [row(odds_over="1.8", odds_under="-")]},
    )
    assert convert(SourceFile("harvest.json", table(*games))) == imported(*games)


def test_a_cell_that_a_spreadsheet_has_cut_costs_only_itself() -> None:
    game = GAME | {"1x2_market": str([row(**RESULT)])[:-2], "btts_market": [row(btts_yes="1.5")]}
    found = convert(SourceFile("harvest.csv", table(game)))
    assert (found.kept, found.skipped) == (1, {"broken row": 3})
    assert found.problems == ["harvest.csv: game 1, 1x2_market: the cell is cut or damaged"]


def test_a_cell_is_never_run() -> None:
    game = GAME | {"1x2_market": "__import__('os').abort()"}
    assert len(convert(SourceFile("harvest.csv", table(game))).problems) == 1


def test_another_csv_is_refused() -> None:
    with pytest.raises(FeedError, match="its CSV with the columns home_team and match_link"):
        convert(SourceFile("other.csv", b"Div,Date,HomeTeam\nE0,01/01/2026,Leeds\n"))


def test_a_long_history_of_odds_fits_into_a_cell() -> None:
    moves = [{"at": "2026-02-01T20:47:00", "odds": 1.5 + n / 1000} for n in range(4_000)]
    found = convert(
        SourceFile(
            "harvest.csv", table(GAME | {"1x2_market": [row(**RESULT, odds_history_data=moves)]})
        )
    )
    assert (found.kept, found.skipped) == (3, {"odds history": 4_000})


def test_a_row_that_is_too_long_keeps_the_games_before_it() -> None:
    game = GAME | {"1x2_market": [row(**RESULT)]}
    found = convert(
        SourceFile("harvest.csv", table(game, game | {"venue": "x" * LONGEST_ROW}, game))
    )
    assert found.kept == 3
    assert len(found.problems) == 1
    assert found.problems[0].endswith("characters a row; what follows is not read")
