"""Answers become quotes, and every price is kept or counted."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.quotes import UNNAMED, Quote
from oddsdesk.contract.resources import Offer
from oddsdesk.contract.results import GameResult, GameStatus
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import expand, read_file
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.importing import load_importer
from oddsdesk.feeds.notation import read_as
from oddsdesk.feeds.the_odds_api import convert
from oddsdesk.feeds.the_odds_api.importer import (
    Event,
    Outcome,
    UnreadOutcomeError,
    bookmaker_names,
    competition_of_sport,
    market_type_of,
    moment,
    read_answers,
    selection_of_outcome,
)
from oddsdesk.feeds.the_odds_api.markets import MarketKind, market_kind

SEEN = "2026-04-16T19:00:00Z"
H2H = ("h2h", [("Chelsea", 4.0, None), ("Draw", 3.5, None), ("Arsenal", 2.0, None)])


def market(key: str, outcomes: list[tuple[str, Any, float | None]], **more: Any) -> dict[str, Any]:
    said = [
        {"name": name, "price": price} | ({} if point is None else {"point": point})
        for name, price, point in outcomes
    ]
    return {"key": key, "outcomes": said} | more


def bookmaker(*markets: dict[str, Any], key: str = "pinnacle", **more: Any) -> dict[str, Any]:
    return {"key": key, "title": key.title(), "last_update": SEEN, "markets": markets} | more


def event(*bookmakers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "sport_key": "soccer_epl",
        "commence_time": "2026-04-18T11:30:00Z",
        "home_team": "Arsenal",
        "away_team": "Chelsea",
        "bookmakers": bookmakers,
    } | more


def imported(*events: Any) -> Imported:
    return convert(SourceFile("odds.json", json.dumps(events).encode()))


def only(result: Imported) -> Quote:
    (quote,) = result.quotes
    return quote


def test_an_answer_becomes_quotes_home_first() -> None:
    quote = only(imported(event(bookmaker(market(*H2H)))))
    assert quote.match_name == "Arsenal vs Chelsea"
    assert (quote.bookmaker, quote.competition) == ("Pinnacle", "EPL")
    assert list(quote.odds.items()) == [("Arsenal", 2.0), ("Draw", 3.5), ("Chelsea", 4.0)]
    assert quote.scraped_at == parse_ms(SEEN)
    assert quote.match_date == parse_ms("2026-04-18T11:30:00Z")
    assert not quote.is_live


def test_a_game_that_began_before_the_scrape_is_live() -> None:
    assert only(imported(event(bookmaker(market(*H2H)), commence_time=SEEN))).is_live


def test_markets_of_one_type_make_one_quote_with_its_lines_in_order() -> None:
    totals = market("totals", [("Over", 1.9, 2.5), ("Under", 1.9, 2.5)])
    more = market(
        "alternate_totals",
        [("Under", 1.3, 3.5), ("Over", 3.0, 3.5), ("Over", 1.91, 2.5), ("Over", 1.2, 1.5)],
        last_update="2026-04-16T18:58:00Z",
    )
    result = imported(event(bookmaker(totals, more)))
    quote = only(result)
    assert list(quote.odds) == ["Over 1.5", "Over 2.5", "Under 2.5", "Over 3.5", "Under 3.5"]
    assert quote.odds["Over 2.5"] == 1.9
    assert result.skipped == {"duplicate": 1}
    assert quote.scraped_at == parse_ms("2026-04-16T18:58:00Z"), "as old as its oldest price"


def test_a_zero_handicap_is_plus_zero_on_both_sides() -> None:
    spreads = market("spreads", [("Chelsea", 1.8, -0.0), ("Arsenal", 2.0, 0.0)])
    assert list(only(imported(event(bookmaker(spreads)))).odds) == ["Arsenal +0", "Chelsea +0"]


def test_props_of_different_stats_make_one_quote() -> None:
    def prop(key: str) -> dict[str, Any]:
        over = {"name": "Over", "description": "Saka", "price": 1.9, "point": 1.5}
        return {"key": key, "outcomes": [over]}

    quote = only(imported(event(bookmaker(prop("player_shots"), prop("player_assists")))))
    assert list(quote.odds) == ["Saka assists Over 1.5", "Saka shots Over 1.5"]


def test_lay_odds_are_kept_with_the_odds_to_back_whichever_comes_first() -> None:
    backs = market("h2h", [("Arsenal", 2.1, None), ("Draw", 3.5, None), ("Chelsea", 3.6, None)])
    lays = market(
        "h2h_lay",
        [("Arsenal", 2.14, None), ("Draw", 3.4, None), ("Chelsea", 1, None), ("Leeds", 3, None)],
    )
    for markets in ((backs, lays), (lays, backs)):
        result = imported(event(bookmaker(*markets)))
        quote = only(result)
        assert quote.offers == {"Arsenal": Offer(lay=((2.14, 0.0),))}, "its amount is not told"
        assert result.skipped == {"h2h_lay": 2, "unknown outcome": 1}, "crossed, not offered"
    limited = {"name": "Arsenal", "price": 2.14, "bet_limit": 250}
    raw = {"key": "h2h_lay", "outcomes": [limited]}
    quote = only(imported(event(bookmaker(backs, raw))))
    assert quote.offers == {"Arsenal": Offer(lay=((2.14, 250.0),))}


def test_markets_without_a_place_are_counted_by_their_key() -> None:
    result = imported(event(bookmaker(market("h2h_lay", H2H[1]), market("outrights", H2H[1]))))
    assert (result.quotes, result.skipped) == ([], {"h2h_lay": 3, "outright": 3})


@pytest.mark.parametrize(
    ("price", "skipped"),
    [
        (1.0, {"not offered": 1}),
        (0, {"not offered": 1}),
        (None, {}),
        (0.5, {"impossible price": 1}),
        (-2.0, {"impossible price": 1}),
        (1e9, {"impossible price": 1}),
        ("two", {"not a number": 1}),
        (float("nan"), {"not a number": 1}),
    ],
)
def test_a_price_that_cannot_be_costs_only_itself(price: Any, skipped: dict[str, int]) -> None:
    """One that is not offered is withdrawn; of one that makes no sense the last price stays."""
    result = imported(
        event(bookmaker(market("totals", [("Over", 1.9, 2.5), ("Under", price, 2.5)])))
    )
    quote = only(result)
    assert quote.odds == {"Over 2.5": 1.9}
    assert result.skipped == skipped
    makes_sense = skipped.keys() <= {"not offered"}
    assert list(quote.unread or ()) == ([] if makes_sense else ["Under 2.5"])


def test_a_market_of_which_nothing_is_offered_is_withdrawn() -> None:
    result = imported(event(bookmaker(market("totals", [("Over", 0, 2.5), ("Under", None, 2.5)]))))
    assert only(result).odds == {}


@pytest.mark.parametrize(("over", "under"), [("1.91", "1.95"), ("-110", "+105")])
def test_prices_in_quotation_marks_are_read(over: str, under: str) -> None:
    result = imported(
        event(bookmaker(market("totals", [("Over", over, 2.5), ("Under", under, 2.5)])))
    )
    numbers = [("Over", float(over), 2.5), ("Under", float(under), 2.5)]
    assert result.quotes == imported(event(bookmaker(market("totals", numbers)))).quotes
    assert (result.kept, result.skipped) == (2, {})


def test_a_price_that_is_a_text_is_counted_wherever_it_stands() -> None:
    spreads = [("Arsenal", "1.95 or so", -1.0), ("Chelsea", 1.95, 1.0)]
    result = imported(
        event(bookmaker(market("spreads", spreads), market("h2h_lay", [("Arsenal", "2", None)])))
    )
    assert only(result).odds == {"Chelsea +1": 1.95}
    assert result.skipped == {"not a number": 1, "h2h_lay": 1}


@pytest.mark.parametrize("price", ["x", None, 1.0, 0.5])
@pytest.mark.parametrize("sport", ["icehockey_nhl", "soccer_epl"])
def test_three_way_prices_never_look_like_two_way_ones_for_want_of_the_draw(
    price: Any, sport: str
) -> None:
    """In football there is always a draw, so that the teams alone cannot be taken for all."""
    outcomes = [("Arsenal", 2.0, None), ("Draw", price, None), ("Chelsea", 4.0, None)]
    result = imported(event(bookmaker(market("h2h", outcomes)), sport_key=sport))
    quote, is_football = only(result), sport == "soccer_epl"
    assert quote.odds == ({"Arsenal": 2.0, "Chelsea": 4.0} if is_football else {})
    assert result.skipped["draw without a possible price"] == (0 if is_football else 2)
    lost = ["Draw"] if is_football else ["Arsenal", "Chelsea", "Draw"]
    assert sorted(quote.unread or ()) == ([] if price in (None, 1.0) else lost)
    assert result.kept + result.skipped.total() == 2 + (price is not None)


def test_american_prices_are_told_by_the_whole_file() -> None:
    american = [("Arsenal", 150, None), ("Draw", 240, None), ("Chelsea", -105, None)]
    quote = only(imported(event(bookmaker(market("h2h", american)))))
    assert quote.odds == {"Arsenal": 2.5, "Draw": 3.4, "Chelsea": 1.9524}
    assert imported(event(bookmaker(market("h2h", american)))).american == ["odds.json"]
    assert imported(event(bookmaker(market(*H2H)))).american == []


def test_unix_times_are_read() -> None:
    seen = parse_ms(SEEN)
    result = imported(
        event(bookmaker(market(*H2H), last_update=seen // 1000), commence_time=seen // 1000 + 60)
    )
    assert (only(result).scraped_at, only(result).match_date) == (seen, seen + 60_000)


def test_the_answer_of_one_event_has_its_times_on_the_markets() -> None:
    lone = event(bookmaker(market(*H2H, last_update=SEEN), last_update=None))
    result = convert(SourceFile("one.json", json.dumps(lone).encode()))
    assert only(result).scraped_at == parse_ms(SEEN)


def test_history_gives_the_time_that_nothing_else_gives() -> None:
    wrapped = {"timestamp": SEEN, "data": [event(bookmaker(market(*H2H), last_update=None))]}
    result = convert(SourceFile("history.json", json.dumps(wrapped).encode()))
    assert only(result).scraped_at == parse_ms(SEEN)


def test_parts_that_make_no_sense_are_named_and_counted_and_the_rest_is_kept() -> None:
    good = bookmaker(market(*H2H))
    result = imported(
        event(good, home_team=None),
        event(good, bookmaker(market(*H2H), key="b", title=5)),
        event(bookmaker(market(*H2H), last_update=None), commence_time=SEEN),
        event(bookmaker({"key": "h2h", "outcomes": [{"name": 1, "price": 2.0}]})),
        event(good, commence_time="soon"),
        17,
    )
    good_one, unnamed = result.quotes
    assert good_one.unread is None
    assert (unnamed.odds, unnamed.unread) == ({}, {UNNAMED: "broken outcome"})
    assert result.skipped == {
        "broken event": 6,
        "broken bookmaker": 3,
        "broken market": 3,
        "broken outcome": 1,
    }
    assert [problem.split(": ")[1] for problem in result.problems] == [
        "event 1",
        "event 2, bookmaker 2",
        "event 3, bookmaker 1",
        "event 5",
        "event 6",
    ]


def test_one_file_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    good = SourceFile("good.json", json.dumps([event(bookmaker(market(*H2H)))]).encode())
    result = load_importer("the-odds-api").convert([SourceFile("bad.json", b"{"), good])
    assert len(result.quotes) == 1
    assert len(result.problems) == 1
    assert result.problems[0].startswith("bad.json: expected a v4 odds answer")


def real(shared_data: Path, pattern: str) -> Imported:
    files = expand(str(shared_data / "the-odds-api" / pattern))
    return load_importer("the-odds-api").convert([SourceFile(p.name, read_file(p)) for p in files])


def test_every_price_of_the_real_moment_is_kept_or_counted(shared_data: Path) -> None:
    result = real(shared_data, "*.json.gz")
    assert result.problems == []
    assert result.skipped == {"not offered": 1}
    lays = [
        (offer.lay, quote.odds[text])
        for quote in result.quotes
        for text, offer in (quote.offers or {}).items()
        if offer.lay
    ]
    assert len(lays) == 1_768
    assert all(odds > back and size == 0 for ((odds, size),), back in lays)
    assert result.kept + result.skipped.total() == 38_278
    by_type = Counter[str]()
    for quote in result.quotes:
        by_type[quote.market_type] += len(quote.odds)
    assert by_type["moneyline"] == 23_523
    assert by_type["total"] + by_type["total_games"] == 8_370
    assert by_type["spread"] + by_type["games_handicap"] == 4_616


def test_the_real_bookmakers_have_a_name_each(shared_data: Path) -> None:
    names = {quote.bookmaker for quote in real(shared_data, "*.json.gz").quotes}
    assert len(names) == 72
    assert {"Pinnacle", "Betfair Exchange UK", "Ladbrokes AU", "Betfair Sportsbook"} <= names


def test_no_real_quote_overwrites_another(shared_data: Path) -> None:
    quotes = real(shared_data, "*.json.gz").quotes
    keys = {(q.bookmaker, q.match_name, q.match_date, q.market_type, q.period) for q in quotes}
    assert len(keys) == len(quotes)


def test_real_player_shots_and_american_prices_are_read(shared_data: Path) -> None:
    shots = real(shared_data, "other-shapes/event_odds_*.json")
    assert sum(len(q.odds) for q in shots.quotes if q.market_type == "player_prop") == 253
    american = real(shared_data, "other-shapes/odds_nba_*american*.json")
    assert (american.kept, american.skipped.total()) == (616, 0)
    assert all(1 < price < 15 for quote in american.quotes for price in quote.odds.values())


@pytest.mark.parametrize(
    ("key", "sport"),
    [
        ("soccer_fifa_world_cup", "Football"),
        ("icehockey_sweden_allsvenskan", "Hockey"),
        ("cricket_ipl", None),
        ("soccer_epl", None),
    ],
)
def test_the_sport_key_tells_what_the_table_lacks(key: str, sport: str | None) -> None:
    assert only(imported(event(bookmaker(market(*H2H)), sport_key=key))).sport == sport


def test_halves_of_football_without_a_code_are_read() -> None:
    half = ("h2h_h1", H2H[1])
    result = imported(event(bookmaker(market(*half)), sport_key="soccer_fifa_world_cup"))
    assert (only(result).period, result.skipped) == (1, {})


def test_a_file_with_nan_loses_that_price_alone() -> None:
    """Python writes it into files; JSON does not have it."""
    nfl = {"sport_key": "americanfootball_nfl", "home_team": "Sharks", "away_team": "Bears"}
    h2h = market("h2h", [("Sharks", 1.9, None), ("Bears", float("nan"), None)])
    totals = market("totals", [("Over", 1.95, 44.5), ("Under", 1.91, 44.5)])
    result = imported(event(bookmaker(h2h, totals), **nfl))
    assert [quote.odds for quote in result.quotes] == [
        {"Sharks": 1.9},
        {"Over 44.5": 1.95, "Under 44.5": 1.91},
    ]
    assert [list(quote.unread or ()) for quote in result.quotes] == [["Bears"], []]
    assert result.problems == []


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"name": "Chelsae", "price": 3.0}, "unknown outcome"),
        ({"name": 7, "price": 3.0}, "broken outcome"),
    ],
)
def test_a_market_with_a_broken_outcome_withdraws_nothing_that_it_does_not_name(
    broken: dict[str, Any], reason: str
) -> None:
    said = market("h2h", [("Arsenal", 2.0, None), ("Draw", None, None)])
    result = imported(event(bookmaker(said | {"outcomes": [*said["outcomes"], broken]})))
    quote = only(result)
    assert (quote.odds, quote.unread) == ({"Arsenal": 2.0}, {UNNAMED: reason})
    assert [quote.stays(name) for name in ("Arsenal", "Draw", "Chelsea")] == [False, False, True]
    assert result.skipped == {reason: 1}


def test_a_line_without_its_point_withdraws_no_line() -> None:
    said = [("Over", 1.9, 2.5), ("Under", 1.9, 2.5), ("Over", 3.0, None)]
    quote = only(imported(event(bookmaker(market("totals", said)))))
    assert sorted(quote.odds) == ["Over 2.5", "Under 2.5"]
    assert quote.unread == {UNNAMED: "no line"}
    assert quote.stays("Over 3.5")


GAME = Event("soccer_epl", 0, "Arsenal", "Chelsea", [])


@pytest.mark.parametrize(
    ("key", "competition", "kind"),
    [
        ("h2h", "EPL", MarketKind("moneyline")),
        ("alternate_totals", "NBA", MarketKind("total")),
        ("totals_h1", "EPL", MarketKind("total", 1)),
        ("spreads_q3", "NBA", MarketKind("spread", 3)),
        ("h2h_p2", "NHL", MarketKind("moneyline", 2)),
        ("player_shots", "EPL", MarketKind("player_prop", stat="shots")),
        ("player_points_alternate", "NBA", MarketKind("player_prop", stat="points")),
        ("batter_home_runs", "MLB", MarketKind("player_prop", stat="home runs")),
        ("h2h_lay", "EPL", None),
        ("outrights", "EPL", None),
        ("h2h_h1", "NBA", None),
        ("h2h_3_way", "NHL", None),
    ],
)
def test_a_key_is_a_market_of_a_period(key: str, competition: str, kind: MarketKind | None) -> None:
    assert market_kind(key, competition) == kind


@pytest.mark.parametrize(
    ("market_type", "outcome", "text"),
    [
        ("moneyline", Outcome("Chelsea", 2.0), "Chelsea"),
        ("moneyline", Outcome("Draw", 2.0), "Draw"),
        ("moneyline", Outcome("Tie", 2.0), "Draw"),
        ("draw_no_bet", Outcome("Arsenal ", 2.0), "Arsenal"),
        ("spread", Outcome("Arsenal", 2.0, -1.5), "Arsenal -1.5"),
        ("spread", Outcome("Chelsea", 2.0, 0), "Chelsea +0"),
        ("total", Outcome("Over", 2.0, 2.0), "Over 2"),
        ("team_total", Outcome("Under", 2.0, 1.5, "Chelsea"), "Away Under 1.5"),
        ("btts", Outcome("Yes", 2.0), "Yes"),
        ("double_chance", Outcome("Draw or Chelsea", 2.0), "X2"),
        ("double_chance", Outcome("Arsenal or Chelsea", 2.0), "12"),
    ],
)
def test_an_outcome_is_written_as_the_contract_does(
    market_type: str, outcome: Outcome, text: str
) -> None:
    assert selection_of_outcome(MarketKind(market_type), outcome, GAME)[0] == text


def test_a_players_price_names_player_stat_and_line() -> None:
    kind = MarketKind("player_prop", stat="shots on target")
    over = Outcome("Over", 2.0, 0.5, "Tim  Kleindienst")
    assert selection_of_outcome(kind, over, GAME)[0] == "Tim Kleindienst shots on target Over 0.5"
    yes = Outcome("Yes", 2.0, None, "Tim Kleindienst")
    assert selection_of_outcome(kind, yes, GAME)[0] == "Tim Kleindienst shots on target Yes"


@pytest.mark.parametrize(
    ("market_type", "outcome", "reason"),
    [
        ("moneyline", Outcome("Spurs", 2.0), "unknown outcome"),
        ("draw_no_bet", Outcome("Draw", 2.0), "unknown outcome"),
        ("spread", Outcome("Arsenal", 2.0), "no line"),
        ("total", Outcome("Over", 2.0), "no line"),
        ("total", Outcome("Exactly", 2.0, 2.0), "unknown outcome"),
        ("team_total", Outcome("Over", 2.0, 1.5, "Spurs"), "unknown outcome"),
        ("player_prop", Outcome("Over", 2.0, 1.5), "no player"),
        ("double_chance", Outcome("Spurs or Draw", 2.0), "unknown outcome"),
        ("btts", Outcome("Maybe", 2.0), "unknown outcome"),
    ],
)
def test_an_outcome_that_selects_nothing_has_a_reason(
    market_type: str, outcome: Outcome, reason: str
) -> None:
    with pytest.raises(UnreadOutcomeError, match=reason):
        selection_of_outcome(MarketKind(market_type), outcome, GAME)


@pytest.mark.parametrize(
    ("kind", "point", "market_type"),
    [
        (MarketKind("total"), 22.5, "total_games"),
        (MarketKind("total"), 2.5, "total"),
        (MarketKind("spread"), -1.5, "games_handicap"),
        (MarketKind("moneyline"), None, "moneyline"),
        (MarketKind("total", 1), 9.5, "total"),
    ],
)
def test_tennis_lines_count_games_unless_plainly_sets(
    kind: MarketKind, point: float | None, market_type: str
) -> None:
    assert market_type_of(kind, Outcome("Over", 2.0, point), "TENNIS") == market_type


def test_lines_of_other_sports_are_totals_however_small() -> None:
    assert market_type_of(MarketKind("total"), Outcome("Over", 2.0, 22.5), "EPL") == "total"


EVENT = {"id": "1", "bookmakers": []}


def answer(raw: object) -> list[object]:
    (read,) = read_answers(json.dumps(raw).encode())
    return read.events


def test_an_array_one_event_and_an_empty_array_are_answers() -> None:
    assert answer([EVENT]) == [EVENT]
    assert answer(EVENT) == [EVENT]
    assert answer([]) == []


@pytest.mark.parametrize("data", [[EVENT], EVENT])
def test_history_wraps_either_and_gives_the_time(data: object) -> None:
    wrapped = {"timestamp": "2026-04-16T19:00:00Z", "data": data}
    (read,) = read_answers(json.dumps(wrapped).encode())
    assert read.events == [EVENT]
    assert read.timestamp == 1_776_366_000_000


@pytest.mark.parametrize("is_array", [True, False])
def test_a_file_may_have_several_answers_of_the_history(is_array: bool) -> None:
    prices = bookmaker(market(*H2H), last_update=None)
    hours = [f"2026-04-16T{hour}:00:00Z" for hour in (13, 19)]
    answers = [json.dumps({"timestamp": hour, "data": [event(prices)]}) for hour in hours]
    text = f"[{','.join(answers)}]" if is_array else "\n".join(answers) + "\n"
    found = convert(SourceFile("history.json", text.encode()))
    assert [quote.scraped_at for quote in found.quotes] == [parse_ms(hour) for hour in hours]
    assert (found.kept, found.problems) == (6, [])


def test_an_answer_that_is_not_of_the_history_does_not_pass_as_one() -> None:
    wrapped = {"timestamp": SEEN, "data": [event(bookmaker(market(*H2H)))]}
    with pytest.raises(FeedError, match="expected a v4 odds answer"):
        convert(SourceFile("history.json", json.dumps([wrapped, {"message": "no"}]).encode()))


def test_prices_of_a_whole_tournament_are_counted_as_outright() -> None:
    prices = market("outrights", [("A Golfer", 11.0, None), ("B Golfer", 21.0, None)])
    no_teams = event(bookmaker(prices), home_team=None, away_team=float("nan"))
    found = imported(no_teams, event(bookmaker(market(*H2H))))
    assert (found.kept, found.skipped, found.problems) == (3, {"outright": 2}, [])


def test_fields_that_pandas_left_empty_are_missing() -> None:
    nan = float("nan")
    over = {"name": "Over", "price": 1.9, "point": nan, "description": nan, "link": nan}
    sides = market(*H2H, last_update=nan, link=nan)
    found = imported(event(bookmaker(sides, {"key": "totals", "outcomes": [over]}), id=nan))
    quote, unread = found.quotes
    assert (quote.scraped_at, quote.event, len(quote.odds)) == (parse_ms(SEEN), None, 3)
    assert (unread.odds, found.skipped, found.problems) == ({}, {"no line": 1}, [])


def scored(**changes: object) -> dict[str, object]:
    said = {
        "id": "e1",
        "sport_key": "icehockey_nhl",
        "commence_time": "2026-04-16T19:00:00Z",
        "completed": True,
        "home_team": "Boston Bruins",
        "away_team": "Toronto  Maple Leafs",
        "scores": [
            {"name": "Toronto Maple Leafs", "score": "2"},
            {"name": "Boston Bruins", "score": "3"},
        ],
        "last_update": "2026-04-16T22:00:00Z",
    }
    return said | changes


def test_scores_are_results_whatever_the_order_of_the_teams() -> None:
    upcoming = scored(completed=False, scores=None, last_update=None)
    found = imported(*[scored(), upcoming, scored(completed=False, id="e3", home_team="B")])
    result, in_play = found.results[0], scored(completed=False)
    assert result == GameResult(
        "NHL",
        "Boston Bruins vs Toronto Maple Leafs",
        parse_ms("2026-04-16T19:00:00Z"),
        3,
        2,
        sport="Hockey",
        status=GameStatus.FINAL,
        overtime=None,
        reported_at=parse_ms("2026-04-16T22:00:00Z"),
    )
    (later,) = imported(*[in_play]).results
    assert later == msgspec.structs.replace(result, status=GameStatus.IN_PLAY)
    assert found.results == [result]
    assert found.problems == [
        "odds.json: event 3: scores: expected B and Toronto Maple Leafs,"
        " got Toronto Maple Leafs, Boston Bruins"
    ]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"scores": [{"name": "Boston Bruins", "score": "3"}]}, "scores: expected Boston Bruins"),
        ({"scores": [{"name": "Boston Bruins", "score": "3"}] * 2}, "scores: expected Boston"),
        ({"commence_time": "2026-04-17T19:00:00Z"}, "kick_off: .* but the status is final"),
        ({"commence_time": "soon"}, "ISO-8601"),
        ({"completed": None}, "completed"),
    ],
)
def test_a_score_that_makes_no_sense_is_a_problem(changes: dict[str, object], problem: str) -> None:
    found = imported(*[scored(**changes), scored()])
    assert len(found.results) == 1
    assert len(found.problems) == 1
    assert re.search(problem, found.problems[0])


@pytest.mark.parametrize("score", ["3.5", "-1", "", None, "W", "123456"])
def test_a_score_that_is_no_number_is_a_problem(score: object) -> None:
    both = [{"name": name, "score": score} for name in ("Boston Bruins", "Toronto Maple Leafs")]
    found = imported(*[scored(scores=both)])
    assert found.results == []
    assert "scores: expected a whole number" in found.problems[0]


def test_a_file_of_games_to_come_is_no_error_without_words() -> None:
    (problem,) = imported(*[scored(scores=None, completed=False)]).problems
    assert problem == "odds.json: none of its games has a score yet"


def test_recorded_scores_are_read_as_the_file_says(shared_data: Path) -> None:
    path = shared_data / "live/the_odds_api/ostepan8/odds_api_scores.json"
    found = convert(SourceFile(path.name, path.read_bytes()))
    assert found.problems == []
    said = {each["id"]: each for each in json.loads(path.read_text()) if each["completed"]}
    assert len(found.results) == len(said) == 3
    for result, event in zip(found.results, said.values(), strict=True):
        goals = {each["name"]: int(each["score"]) for each in event["scores"]}
        assert (result.home, result.away) == (goals[event["home_team"]], goals[event["away_team"]])
        assert result.match_name == f"{event['home_team']} vs {event['away_team']}"
        assert (result.competition, result.sport) == ("basketball_wnba", "Basketball")
        assert (result.status, result.overtime) == (GameStatus.FINAL, None)
        assert result.kick_off == parse_ms(event["commence_time"])


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([{"sites": []}], "former v3"),
        ({"success": True, "data": [{"sites": []}]}, "former v3"),
        ({"last_updated": "", "props": []}, "flat list of player props"),
        ({"message": "Invalid key", "error_code": "X"}, "Invalid key"),
        ({"a": 1, "b": 2}, "one object with a, b"),
        ([1, 2], "holds none"),
        ([{"home_team": "A", "commence_time": ""}], "these are events without odds"),
        ([{"home_team": "A", "scraped_date": "", "match_link": ""}], "import oddsharvester"),
        ("text", "holds none"),
        ({"timestamp": "yesterday", "data": []}, "ISO-8601"),
    ],
)
def test_other_shapes_are_refused_with_what_they_are(raw: object, reason: str) -> None:
    with pytest.raises(FeedError, match=reason):
        answer(raw)


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(FeedError, match=r"expected a v4 odds answer .* not JSON"):
        read_answers(b"<html>")


def test_times_are_iso_or_unix_seconds() -> None:
    assert moment("2026-04-16T19:00:00Z") == moment(1_776_366_000) == 1_776_366_000_000
    with pytest.raises(FeedError, match="offset"):
        moment("2026-04-16T19:00:00")


def test_a_field_of_another_type_is_named() -> None:
    with pytest.raises(FeedError, match=r"price"):
        read_as(Outcome, {"name": "Over", "price": [2.0]})


def test_the_real_dead_shape_is_refused(shared_data: Path) -> None:
    shapes = shared_data / "the-odds-api" / "other-shapes"
    with pytest.raises(FeedError, match="former v3"):
        read_answers((shapes / "legacy_v3_odds_mlb_2024-07-09.json").read_bytes())


def test_known_competitions_have_their_codes_and_others_keep_their_key() -> None:
    assert competition_of_sport("soccer_epl") == "EPL"
    assert competition_of_sport("tennis_atp_munich") == "TENNIS"
    assert competition_of_sport("aussierules_afl") == "aussierules_afl"


def test_bookmakers_that_share_a_title_are_told_apart() -> None:
    names = bookmaker_names(
        [
            ("betfair_ex_uk", "Betfair"),
            ("betfair_ex_eu", "Betfair"),
            ("ladbrokes_uk", "Ladbrokes"),
            ("pinnacle", "Pinnacle"),
            ("unibet", "Unibet"),
            ("unibet_x", "Unibet"),
        ]
    )
    assert names == {
        "betfair_ex_uk": "Betfair Exchange UK",
        "betfair_ex_eu": "Betfair Exchange EU",
        "ladbrokes_uk": "Ladbrokes UK",
        "pinnacle": "Pinnacle",
        "unibet": "Unibet (unibet)",
        "unibet_x": "Unibet (unibet_x)",
    }


def test_a_bookmaker_without_title_is_its_key() -> None:
    assert bookmaker_names([("x", "  ")]) == {"x": "x"}


@given(st.lists(st.tuples(st.text("ab", min_size=1), st.text("AB ")), max_size=12))
def test_no_two_keys_share_a_name(titles: list[tuple[str, str]]) -> None:
    names = bookmaker_names(titles)
    assert names.keys() == {key for key, _ in titles}
    assert len(set(names.values())) == len(names)
