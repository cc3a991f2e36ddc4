"""Cards count what a log shows: who follows whom, how old prices are, and how sure that is."""

import math
import random
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from msgspec.structs import replace

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.devig import DEFAULT_METHOD, devig
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.research.coverage import coverage_lines
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.scorecards import Card, CardKey, Scored, Tally, as_fields, notes, scorecards
from oddsdesk.store.store import Store, open_store

START = 1_700_000_000_000
MINUTE = 60_000
KICK_OFF = START + 600 * MINUTE
LEADER, FOLLOWER = "Leader", "Follower"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(tmp_path / "odds.db")) as held:
        yield held


def said(bookmaker: str, home: float, minute: int) -> Quote:
    return Quote(
        bookmaker=bookmaker,
        match_name="A vs B",
        competition="ATP",
        market_type="moneyline",
        period=0,
        odds={"A": home, "B": 1.9},
        scraped_at=START + minute * MINUTE,
        match_date=KICK_OFF,
    )


def scored(store: Store, **span: int) -> Scored:
    return scorecards(
        RecordedLog(store.reader()),
        reference="Pinnacle",
        method=DEFAULT_METHOD,
        close=CloseBy("Pinnacle"),
        profiles=shipped_profiles(),
        now_ms=KICK_OFF * 2,
        **span,
    )


def cards(store: Store, **span: int) -> dict[str, Card]:
    return {card.key.bookmaker: card for card in scored(store, **span).cards}


def moves() -> Iterator[Quote]:
    """Six moves: the leader a minute before the reference, the follower three minutes after it."""
    for number in range(7):
        price, minute = (1.9, 1.95)[number % 2], number * 60
        yield said(LEADER, price, minute)
        yield said("Pinnacle", price, minute + 1)
        yield said(FOLLOWER, price, minute + 4)


def test_lead_and_lag_are_told_by_moves_the_same_way(store: Store) -> None:
    store.record(moves()).result(10)
    found = cards(store)
    assert (found[LEADER].lag_s.figure, found[LEADER].lag_s.count) == (-60, 6)
    assert (found[FOLLOWER].lag_s.figure, found[FOLLOWER].lag_s.count) == (180, 6)
    assert found[FOLLOWER].lag_s.low is None, "all of them are of one game"


def test_age_is_how_long_a_price_had_stood_when_the_reference_moved(store: Store) -> None:
    store.record(moves()).result(10)
    found = cards(store)
    assert found[LEADER].age_s.figure == 60
    assert found[FOLLOWER].age_s.figure == 57 * 60


def moved_after(minutes: list[int]) -> list[Quote]:
    """The reference moves up and down by turns, the follower so many minutes after each move."""
    quotes = [said("Pinnacle", 1.9, 0), said(FOLLOWER, 1.9, 0)]
    for number, lag in enumerate(minutes):
        price, minute = (1.95, 1.9)[number % 2], 100 + number * 140
        quotes += [said("Pinnacle", price, minute), said(FOLLOWER, price, minute + lag)]
    return sorted(quotes, key=lambda quote: quote.scraped_at)


@pytest.mark.parametrize("lag", [-90, -45, 3, 29, 31, 60, 90, 120])
def test_a_lag_is_told_however_long_it_is(store: Store, lag: int) -> None:
    store.record(moved_after([lag] * 3)).result(10)
    found = cards(store)[FOLLOWER]
    assert (found.lag_s.figure, found.lag_s.count, found.tied_pct.figure) == (lag * 60, 3, 0)


def test_who_mostly_follows_late_is_late(store: Store) -> None:
    store.record(moved_after([90, 3, 90])).result(10)
    assert cards(store)[FOLLOWER].lag_s.figure == 90 * 60


@pytest.mark.parametrize(
    ("lags", "tied", "median"),
    [([0, 20, 0], 2, None), ([20, 0, -5], 1, None), ([20, 0, 3], 1, 180)],
)
def test_moves_of_one_reading_are_tied_and_where_half_may_be_there_is_no_lag(
    store: Store, lags: list[int], tied: int, median: int | None
) -> None:
    store.record(moved_after(lags)).result(10)
    found = cards(store)[FOLLOWER]
    assert (found.lag_s.figure, found.lag_s.count) == (median, len(lags))
    assert found.tied_pct.figure == pytest.approx(tied / len(lags) * 100)


@pytest.mark.parametrize(
    ("lags", "age"),
    [([0, 0, 0], None), ([20, 0, 0], None), ([20, 20, 0], 100 * 60), ([20, 20, 20], 120 * 60)],
)
def test_an_age_of_0_is_not_told_where_half_of_the_prices_may_be_of_the_references_reading(
    store: Store, lags: list[int], age: int | None
) -> None:
    """Whose price came in the reading in which the reference moved may have been old before."""
    store.record(moved_after(lags)).result(10)
    found = cards(store)[FOLLOWER].age_s
    assert (found.figure, found.count) == (age, len(lags))


def test_a_lag_of_0_is_told_where_few_moves_are_tied() -> None:
    """As many led as followed: that is no reading that hides who was first."""
    tally = Tally()
    for game in range(100):
        tally.lags.add_value((-60, 60, -120, 120, 0)[game % 5], game)
    card = tally.card(CardKey(FOLLOWER, "Tennis", "moneyline", 0), is_reference=False)
    assert (card.lag_s.figure, card.lag_s.count) == (0, 100)
    assert card.tied_pct.figure == pytest.approx(20)


def test_a_move_the_other_way_or_after_the_reference_went_back_follows_nothing(
    store: Store,
) -> None:
    quotes = [said("Pinnacle", 1.9, 0), said(LEADER, 1.9, 0), said(FOLLOWER, 1.9, 0)]
    quotes += [said("Pinnacle", 1.95, 60), said(FOLLOWER, 1.85, 62), said("Pinnacle", 1.9, 90)]
    store.record([*quotes, said(LEADER, 1.95, 91)]).result(10)
    found = cards(store)
    assert (found[LEADER].lag_s.count, found[LEADER].age_s.count) == (0, 2)
    assert (found[FOLLOWER].lag_s.figure, found[FOLLOWER].lag_s.count) == (-28 * 60, 1)


def test_the_nearest_move_the_same_way_counts_and_one_that_follows_leads_nothing(
    store: Store,
) -> None:
    quotes = [said("Pinnacle", 1.9, 0), said(LEADER, 1.9, 0), said(FOLLOWER, 1.9, 0)]
    for step in (1, 2, 3):
        price, minute = 1.9 + step / 20, step * 100
        quotes += [said(LEADER, price, minute - 2), said("Pinnacle", price, minute)]
        quotes += [said(FOLLOWER, price, minute + 70)]
    store.record(quotes).result(10)
    found = cards(store)
    assert (found[LEADER].lag_s.figure, found[LEADER].lag_s.count) == (-2 * 60, 3)
    assert (found[FOLLOWER].lag_s.figure, found[FOLLOWER].lag_s.count) == (70 * 60, 3)


Reading = tuple[int, float | None]
"""A minute, and the home side's odds; None: withdrawn."""


def readings(chance: random.Random) -> list[Reading]:
    """What a bookmaker said of a game, of a few prices, so that moves are often tied or go back."""
    minutes = sorted(chance.sample(range(40), 12))
    return [(minute, chance.choice((1.8, 1.9, 2.0, 2.1, None))) for minute in minutes]


def moves_of(told: list[Reading]) -> list[tuple[int, bool]]:
    """When it moved, and whether up: neither by a withdrawal nor by what comes back."""
    return [
        (minute, after > before)
        for (_, before), (minute, after) in pairwise(told)
        if before is not None and after is not None and before != after
    ]


def lags_by_the_reference(reference: list[Reading], bookmaker: list[Reading]) -> list[int]:
    """The lags in minutes as docs/reference.md defines them, one move of the sharp book each."""

    def stood(minute: int) -> bool:
        before = [odds for at, odds in bookmaker if at <= minute]
        return bool(before) and before[-1] is not None

    told, own = [move for move in moves_of(reference) if stood(move[0])], moves_of(bookmaker)
    lags, followed = [], set()
    for place, (at, is_up) in enumerate(told):
        last = max((other for other, up in told[:place] if up != is_up), default=0)
        until = min((other for other, up in told[place:] if up != is_up), default=600)
        alike = [minute for minute, up in own if up == is_up]
        after = [minute for minute in alike if at <= minute < until][:1]
        ahead = [minute for minute in alike if last <= minute < at and minute not in followed][-1:]
        if nearest := min([*ahead, *after], key=lambda minute: abs(minute - at), default=None):
            lags.append(nearest - at)
            followed |= {nearest} if nearest >= at else set()
    return lags


def test_lags_are_those_that_the_reference_describes(store: Store) -> None:
    chance, expected = random.Random(5), []
    for number in range(200):
        by = {name: readings(chance) for name in ("Pinnacle", FOLLOWER)}
        quotes = [
            replace(
                said(name, odds or 0, minute),
                match_name=f"A{number} vs B",
                odds={f"A{number}": odds, "B": 1.9} if odds else {},
            )
            for name, told in by.items()
            for minute, odds in told
        ]
        store.record(sorted(quotes, key=lambda quote: quote.scraped_at)).result(10)
        expected += lags_by_the_reference(by["Pinnacle"], by[FOLLOWER])
    card = cards(store)[FOLLOWER]
    assert (card.lag_s.figure, card.lag_s.count) == (median(expected) * 60, len(expected))
    assert card.tied_pct.figure == pytest.approx(expected.count(0) / len(expected) * 100)


def test_hold_and_best_prices_are_those_of_the_last_moment_before_the_close(store: Store) -> None:
    quotes = [said("Pinnacle", 1.9, 0), said(FOLLOWER, 1.9, 0), said(FOLLOWER, 2.0, 500)]
    store.record([*quotes, said(FOLLOWER, 1.5, 600)]).result(10)
    card = cards(store)[FOLLOWER]
    assert card.hold_pct.figure == pytest.approx(100 - 100 / (1 / 2.0 + 1 / 1.9))
    assert (card.best_pct.figure, card.best_pct.count) == (100, 2)
    assert cards(store)["Pinnacle"].best_pct.figure == 50


def test_little_data_has_no_interval_and_a_game_to_come_no_hold(store: Store) -> None:
    store.record([said("Pinnacle", 1.9, 0), said(FOLLOWER, 1.9, 0)]).result(10)
    assert cards(store) == {}
    store.record([said("Pinnacle", 1.91, 600)]).result(10)
    hold = cards(store)[FOLLOWER].hold_pct
    assert (hold.count, hold.low, hold.high) == (1, None, None)


def test_only_the_span_that_is_asked_for_counts_with_what_was_known_before(store: Store) -> None:
    store.record([*moves(), said("Pinnacle", 1.99, 600)]).result(10)
    inside = cards(store, since_ms=START + 150 * MINUTE, until_ms=START + 330 * MINUTE)
    assert inside[LEADER].lag_s.count == 3
    assert inside[LEADER].hold_pct.count == 0, "the game has not begun within it"
    after = scored(store, since_ms=KICK_OFF)
    assert (after.asked, after.games) == (1, 1)
    assert {card.hold_pct.count for card in after.cards} == {1}
    assert scored(store, since_ms=KICK_OFF + 1).games == 0


def test_an_empty_span_is_said_with_where_the_log_lies(store: Store) -> None:
    store.record([said("Pinnacle", 1.9, 0)]).result(10)
    found = scored(store, until_ms=START)
    assert found.cards == []
    assert notes(found, "then") == [
        "nothing was recorded then;"
        " the log covers 2023-11-14T22:13:20.000Z to 2023-11-14T22:13:20.000Z"
    ]


def test_a_game_after_the_end_of_the_log_has_started_and_has_its_result(store: Store) -> None:
    """Its prices are a day old by then, so it has no hold and no close."""
    day = 24 * 60 * MINUTE
    store.record([replace(said("Pinnacle", 1.9, 0), match_date=START + day)]).result(10)
    store.record_results([GameResult("ATP", "A vs B", START + day, 2, 0, sport="Tennis")]).result(
        10
    )
    found = scored(store)
    assert (found.games, found.coverage.begun, found.coverage.with_result) == (0, 1, 1)
    assert notes(found, "then") == [
        "the log ends before the games then, so there are no holds and no closing lines",
        "no line has both a close and a result, so there is no log loss",
    ]
    assert [*coverage_lines(found.coverage, "Pinnacle", found.close)] == [
        "1 game; Pinnacle priced 1 (100 %), from 2023-11-15 to 2023-11-15",
        "1 of them have started; results for 1 (100 %), closing lines of Pinnacle for 0 (0 %)",
        "no price with enough EV was refused",
    ]
    before = scored(store, until_ms=START + day - 1).coverage
    assert (before.games, before.begun, before.with_result) == (1, 0, 0)


def football(bookmaker: str, minute: int) -> Quote:
    prices = {"A": 2.0, "Draw": 3.5, "B": 4.0}
    at = START + minute * MINUTE
    return Quote(bookmaker, "A - B", "EPL", "moneyline", 0, prices, at, match_date=KICK_OFF)


@pytest.mark.parametrize("is_seen_in_play", [False, True])
@pytest.mark.parametrize(("last_seen", "counted"), [(569, 0), (570, 1), (600, 1)])
def test_what_was_seen_last_half_an_hour_before_the_game_is_no_closing_line(
    store: Store, last_seen: int, counted: int, *, is_seen_in_play: bool
) -> None:
    quotes = [football(FOLLOWER, 0), football("Pinnacle", 599), football(FOLLOWER, last_seen)]
    quotes.append(said("Pinnacle", 1.9, 700))
    if is_seen_in_play:
        quotes.append(replace(football(FOLLOWER, 610), is_live=True))
    store.record(sorted(quotes, key=lambda quote: quote.scraped_at)).result(10)
    store.record_results([GameResult("EPL", "A - B", KICK_OFF, 2, 1)]).result(10)
    found = cards(store)
    assert (found[FOLLOWER].log_loss.count, found["Pinnacle"].log_loss.count) == (counted, 1)
    assert sum(each.came_true.count for each in found[FOLLOWER].calibration) == 3 * counted


def test_chances_of_another_sport_are_counted_with_its_results(store: Store) -> None:
    nba = {"competition": "NBA", "odds": {"A": 1.5, "B": 2.8}}
    quotes = [replace(football(name, 599), **nba) for name in (FOLLOWER, "Pinnacle")]
    store.record([*quotes, said("Pinnacle", 1.9, 700)]).result(10)
    quarters = tuple(PeriodScore(number, 26, 25) for number in range(1, 5))
    fields = {"sport": "Basketball", "periods": quarters}
    result = GameResult("NBA", "A - B", KICK_OFF, 104, 100, source="x", **fields)
    store.record_results([result]).result(10)
    assert cards(store)[FOLLOWER].log_loss.count == 1
    store.record_results([replace(result, home=98, periods=(), source="y")]).result(10)
    found = scored(store)
    assert all(each.log_loss.count == 0 for each in found.cards)
    assert found.coverage.contrary == 1


EVEN = {"A": 2.0, "Draw": 4.0, "B": 4.0}
"""Without a margin: chances of 1/2, 1/4 and 1/4."""


def test_log_losses_are_compared_on_the_lines_that_both_closed(store: Store) -> None:
    """Five games, three times; of every fifth, the hardest, the reference closes nothing."""
    other, ends = {"A": 4.0, "Draw": 2.0, "B": 4.0}, [(1, 0), (2, 0), (0, 0), (0, 1), (0, 2)]
    for number, (home, away) in enumerate(ends * 3):
        at = KICK_OFF + number * 1440 * MINUTE
        game = {"match_name": f"A - B{number}", "match_date": at, "scraped_at": at - MINUTE}
        odds = {"A": other["A"], "Draw": other["Draw"], f"B{number}": other["B"]}
        quotes = [replace(football(FOLLOWER, 0), odds=odds, **game)]
        if number % 5 < 4:
            odds = {"A": EVEN["A"], "Draw": EVEN["Draw"], f"B{number}": EVEN["B"]}
            quotes.append(replace(football("Pinnacle", 0), odds=odds, **game))
        store.record(quotes).result(10)
        result = GameResult("EPL", f"A - B{number}", at, home, away)
        store.record_results([result]).result(10)
    store.record([said("Pinnacle", 1.9, 30_000)]).result(10)
    found = cards(store)
    difference = found[FOLLOWER].log_loss_vs_reference
    assert (found[FOLLOWER].log_loss.count, difference.count) == (15, 12)
    # ln 4 - ln 2 of six games, ln 2 - ln 4 of three, nothing of three; Student's of 11 degrees
    assert difference.figure == pytest.approx(math.log(2) / 4)
    squares = 3 * (2 * 0.75**2 + 1.25**2 + 0.25**2)
    reach = 2.2009852 * math.log(2) * math.sqrt(squares / 11 / 12)
    assert (difference.low, difference.high) == pytest.approx(
        (math.log(2) / 4 - reach, math.log(2) / 4 + reach), rel=2e-3
    )
    assert found["Pinnacle"].log_loss_vs_reference.count == 0


@pytest.mark.parametrize(("games", "is_sure"), [(9, False), (10, True)])
def test_no_figure_of_fewer_than_ten_games_has_an_interval(
    store: Store, games: int, *, is_sure: bool
) -> None:
    for number in range(games):
        at = KICK_OFF + number * 1440 * MINUTE
        game = {"match_name": f"A - B{number}", "match_date": at, "scraped_at": at - MINUTE}
        sides = {"A": 2.0, "Draw": 3.4, f"B{number}": 4.0}
        dear = sides | {"A": 2.4 + number / 100}
        quotes = [
            replace(football(name, 0), odds=odds, **game)
            for name, odds in (("Pinnacle", sides), (FOLLOWER, dear))
        ]
        store.record(quotes).result(10)
        store.record_results([GameResult("EPL", f"A - B{number}", at, number % 2, 0)]).result(10)
    store.record([said("Pinnacle", 1.9, 30_000)]).result(10)
    found = scored(store)
    card = next(card for card in found.cards if card.key.bookmaker == FOLLOWER)
    figures = [card.hold_pct, card.best_pct, card.log_loss, card.log_loss_vs_reference]
    figures += [each.came_true for each in card.calibration if each.came_true.count >= games]
    assert len(figures) > 4
    for each in figures:
        assert each.figure is not None
        assert [each.low is not None, each.high is not None] == [is_sure, is_sure]
    fields = as_fields(card)
    assert (fields["hold_pct_low"] is not None) is is_sure


def test_how_many_rows_are_compared_is_said_as_some_are_lucky(store: Store) -> None:
    store.record(moves()).result(10)
    line = (
        "2 rows are compared with the sharp book; about 1 in 20 intervals misses the truth, so some"
        " bookmakers will look sharper by luck"
    )
    assert line in notes(scored(store), "then")
    alone = replace(scored(store), cards=scored(store).cards[:1])
    assert not any("by luck" in each for each in notes(alone, "then"))


WITHOUT_A_DRAW = {"A": 2.0, "B": 4.0}


@pytest.mark.parametrize(
    ("moved", "withdrawn", "counted"), [(569, 590, 0), (570, 590, 1), (590, 600, 1), (590, 601, 1)]
)
def test_a_line_that_was_withdrawn_before_the_game_closes_as_that_of_a_bet_does(
    store: Store, moved: int, withdrawn: int, counted: int
) -> None:
    """One side of it or all: its last complete prices are the close, if they moved lately."""
    closing = {"A": 2.1, "Draw": 3.5, "B": 4.0}
    for minute, odds in ((0, None), (moved, closing), (withdrawn, WITHOUT_A_DRAW)):
        quotes = [football(name, minute) for name in (FOLLOWER, "Pinnacle")]
        store.record([replace(quote, odds=odds or quote.odds) for quote in quotes]).result(10)
    store.record([said("Pinnacle", 1.9, 700)]).result(10)
    store.record_results([GameResult("EPL", "A - B", KICK_OFF, 2, 1)]).result(10)
    found = cards(store)
    for name in (FOLLOWER, "Pinnacle"):
        assert (found[name].log_loss.count if name in found else 0) == counted
    if counted:
        chance = devig(DEFAULT_METHOD, list(closing.values())).probabilities[0]
        assert found[FOLLOWER].log_loss.figure == pytest.approx(-math.log(chance))


QUARTER_LINE = {"Pinnacle": (2.0, 2.0), FOLLOWER: (1.6, 2.6666666666666665)}
"""Home at -0.25 without a margin: chances of a decided unit of 1/2 and, at the other, 5/8."""
ENDS = [(1, 0)] * 9 + [(0, 0)] * 10 + [(0, 1)] * 5
"""Nine games won, ten half lost, five lost: 14 and 10 half of 24 stakes decided, 9 won of 19."""


def record_quarter_lines(store: Store) -> None:
    for number, (home, away) in enumerate(ENDS):
        at = KICK_OFF + number * 1440 * MINUTE
        name = f"A - B{number}"
        shared = {"market_type": "spread", "match_name": name, "match_date": at}
        for bookmaker, (one, other) in QUARTER_LINE.items():
            odds = {"A -0.25": one, f"B{number} +0.25": other}
            quote = replace(football(bookmaker, 0), odds=odds, scraped_at=at - MINUTE, **shared)
            store.record([quote]).result(10)
        store.record_results([GameResult("EPL", name, at, home, away)]).result(10)


def test_half_results_weigh_their_decided_share(store: Store) -> None:
    """Dropped, the ten draws would make the bookmaker that forgets them the sharper one."""
    record_quarter_lines(store)
    found = scored(store)
    card = {each.key.bookmaker: each for each in found.cards}
    assert found.games == len(ENDS), "the last game began, though no row of it or later is read"
    weighted = [(1.0 if home != away else 0.5, 0 if home > away else 1) for home, away in ENDS]
    for name, odds in QUARTER_LINE.items():
        loss = sum(weight * math.log(odds[side]) for weight, side in weighted) / 19
        assert card[name].log_loss.figure == pytest.approx(loss)
        assert card[name].log_loss.count == len(ENDS)
        for given in card[name].calibration:
            chances = [(1 / odds[side], side) for side in (0, 1)]
            close_to = [
                side for chance, side in chances if given.given_pct == pytest.approx(chance * 100)
            ]
            won = sum(weight for weight, side in weighted if side in close_to)
            assert given.came_true.figure == pytest.approx(won / 19 / len(close_to) * 100)
    difference = card[FOLLOWER].log_loss_vs_reference
    differences = [
        (weight, math.log(QUARTER_LINE[FOLLOWER][side] / 2)) for weight, side in weighted
    ]
    mean = sum(weight * each for weight, each in differences) / 19
    assert difference.figure == pytest.approx(mean)
    assert mean > 0 > sum(each for weight, each in differences if weight == 1) / 14
    squares = sum((w * (x - mean)) ** 2 / (1 - w / 19) for w, x in differences)
    student = 2.0860  # of 20 degrees: one less than 361 / 16.5
    reach = student * math.sqrt(squares) / 19
    assert (difference.low, difference.high) == pytest.approx(
        (mean - reach, mean + reach), rel=2e-3
    )
