"""The simulator as a feed: batches at once, then as time goes on."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

import msgspec
import pytest

from oddsdesk.contract.competitions import SPORTS, sport_of
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.quotes import Quote, check_quote
from oddsdesk.contract.results import GameResult, GameStatus, Reported, check_result
from oddsdesk.feeds.feed import open_feed
from oddsdesk.feeds.simulator import Simulator
from oddsdesk.feeds.simulator import game as game_module
from oddsdesk.feeds.simulator.fixtures import Competition, load_fixtures
from oddsdesk.feeds.simulator.game import Schedule, Slot
from oddsdesk.feeds.simulator.simulator import World
from oddsdesk.pricing.assessment import Market, Prices, reference_lines, value_bets

NOW = 1_795_000_000_000


class Time:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.ms = NOW
        self.naps: list[float] = []

    def clock(self) -> int:
        return self.ms

    async def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.ms += round(seconds * 1000)


def quotes_in(reported: Iterable[Sequence[Reported]]) -> list[Quote]:
    return [each for batch in reported for each in batch if isinstance(each, Quote)]


def results_in(reported: Iterable[Sequence[Reported]]) -> list[GameResult]:
    return [each for batch in reported for each in batch if isinstance(each, GameResult)]


async def batches(until: Callable[[Time], bool], seed: int = 1) -> list[list[Reported]]:
    time = Time()
    found = []
    async for batch in Simulator(seed=seed, sleep=time.sleep).batches(time.clock):
        found.append(batch)
        if until(time):
            return found
    raise AssertionError("the feed ended")


async def test_the_whole_market_comes_within_three_seconds() -> None:
    found = await batches(lambda time: time.ms > NOW + 3_000)
    opening = found[:-1]
    assert len({quote.match_name for quote in quotes_in(opening)}) >= 60
    assert all(len(batch) < 1_000 for batch in opening)


async def test_it_awaits_between_slices() -> None:
    time = Time()
    async for _ in Simulator(seed=1, sleep=time.sleep).batches(time.clock):
        if time.ms > NOW + 3_000:
            break
    assert time.naps.count(0) >= 60


async def test_the_same_seed_and_clock_give_the_same_batches() -> None:
    first, second = [await batches(lambda time: time.ms > NOW + 20_000) for _ in range(2)]
    assert first == second


async def test_quotes_are_never_ahead_of_the_clock() -> None:
    time = Time()
    async for batch in Simulator(seed=2, sleep=time.sleep).batches(time.clock):
        assert all(quote.scraped_at <= time.ms for quote in quotes_in([batch]))
        assert all(result.reported_at <= time.ms for result in results_in([batch]))
        if time.ms > NOW + 30_000:
            break


async def test_it_sleeps_between_scrapes_and_not_for_long() -> None:
    time = Time()
    async for _ in Simulator(seed=1, sleep=time.sleep).batches(time.clock):
        if time.ms > NOW + 30_000:
            break
    naps = [nap for nap in time.naps if nap]
    assert 0.1 <= min(naps) <= max(naps) <= 0.5


def test_it_opens_by_name() -> None:
    feed = open_feed("simulator", reference="Pinnacle")
    assert feed is not None
    assert (feed.name, feed.simulated) == ("simulator", True)


HOUR = 3_600_000
SPAN = 30 * 60_000
TICK = 30_000
REFERENCE = "Pinnacle"
SEED = 12

MarketOf = tuple[str, str, str, int]


@dataclass
class Record:
    """What happened in a world for a while."""

    opening: list[Quote]
    present: dict[MarketOf, dict[str, Quote]] = field(default_factory=lambda: defaultdict(dict))
    changes: int = 0
    quotes: int = 0
    withdrawn: Counter[str] = field(default_factory=Counter)
    reopened: int = 0
    longest_silence: dict[str, int] = field(default_factory=dict)
    value_counts: list[int] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    last_said: dict[str, int] = field(default_factory=dict)

    def say(self, quote: Quote) -> None:
        key = (quote.competition, quote.match_name, quote.market_type, quote.period)
        before = self.present[key].get(quote.bookmaker)
        old = {} if before is None else before.odds
        if before is None or quote.odds is not before.odds:
            check_quote(quote, quote.scraped_at)
            self.changes += sum(old.get(name) != price for name, price in quote.odds.items())
            self.changes += len(old.keys() - quote.odds.keys())
        self.withdrawn[quote.bookmaker] += bool(old and not quote.odds)
        self.reopened += bool(before is not None and not old and quote.odds)
        self.quotes += 1
        self.present[key][quote.bookmaker] = quote
        silence = quote.scraped_at - self.last_said.get(quote.bookmaker, quote.scraped_at)
        longest = self.longest_silence.get(quote.bookmaker, 0)
        self.longest_silence[quote.bookmaker] = max(longest, silence)
        self.last_said[quote.bookmaker] = quote.scraped_at

    def value(self, now_ms: int) -> None:
        count = 0
        for (competition, name, market_type, _), quotes in self.present.items():
            said = {book: prices(quote) for book, quote in quotes.items() if quote.odds}
            reference = said.pop(REFERENCE, None)
            if reference is None:
                continue
            market = Market(market_type, name, sport_of(competition))
            for line in reference_lines(market, reference).values():
                if line.overround is not None:
                    self.margins.append(line.overround)
            count += len(value_bets(market, reference, said.values(), now_ms))
        self.value_counts.append(count)


def prices(quote: Quote) -> Prices:
    return Prices(quote.bookmaker, quote.odds, quote.scraped_at, quote.is_live)


def new_world(seed: int = SEED, reference: str = REFERENCE) -> World:
    return World(load_fixtures(), reference, Random(seed), NOW)


def opening_of(world: World) -> list[Quote]:
    return quotes_in(world.opening())


@pytest.fixture(scope="module")
def opening() -> list[Quote]:
    return opening_of(new_world())


@pytest.fixture(scope="module")
def record() -> Record:
    world = new_world()
    record = Record(opening_of(world))
    for quote in record.opening:
        record.say(quote)
    record.changes = record.quotes = 0
    record.last_said.clear()
    record.longest_silence.clear()
    for at in range(NOW, NOW + SPAN, TICK):
        if (at - NOW) % 600_000 == 0:
            record.value(at)
        for quote in quotes_in(world.until(at + TICK)):
            record.say(quote)
    return record


def test_the_opening_holds_a_whole_market(opening: list[Quote]) -> None:
    assert {sport_of(quote.competition) for quote in opening} == set(SPORTS)
    assert len({(quote.competition, quote.match_name) for quote in opening}) >= 60
    assert len({quote.bookmaker for quote in opening} - {REFERENCE}) == 25
    assert {quote.market_type for quote in opening} == set(MARKET_TYPES)
    assert {quote.period for quote in opening} >= {0, 1, 2, 3, 4}


def test_every_quote_of_the_opening_is_one(opening: list[Quote]) -> None:
    for quote in opening:
        assert check_quote(quote, NOW) == quote
        assert quote.odds
        assert teams(quote.match_name) is not None
        assert quote.url is not None
        assert quote.url.split("/")[2].endswith(".example")
        assert (quote.liquidity is not None) == (quote.bookmaker == REFERENCE)


def test_games_are_in_play_or_soon_and_the_first_slice_is_in_play(opening: list[Quote]) -> None:
    starts = {(quote.match_name, quote.match_date, quote.is_live) for quote in opening}
    assert all(date is not None for _, date, _ in starts)
    assert 8 <= sum(live for *_, live in starts) <= 16
    assert all(live == (date <= NOW) for _, date, live in starts)
    assert all(date <= NOW + 73 * HOUR for _, date, _ in starts)
    assert opening[0].is_live


def test_the_reference_prices_whole_lines_at_a_small_margin(record: Record) -> None:
    assert min(record.margins) > 1.017
    assert max(record.margins) < 1.0375


def test_the_same_seed_says_the_same() -> None:
    worlds = new_world(3), new_world(3)
    assert opening_of(worlds[0]) == opening_of(worlds[1])
    later = [[each for said in world.until(NOW + 45_000) for each in said] for world in worlds]
    assert later[0] == later[1]
    assert opening_of(new_world(4)) != opening_of(new_world(3))


def test_prices_move_at_a_pace_that_can_be_watched(record: Record) -> None:
    assert 15 <= record.changes / (SPAN / 1000) <= 90
    assert record.quotes / (SPAN / 1000) < 400


def test_there_are_always_a_few_value_bets(record: Record) -> None:
    assert sum(record.value_counts) > 0
    assert sum(count > 0 for count in record.value_counts) >= 2
    assert max(record.value_counts) <= 60


def test_prices_are_withdrawn_and_come_back(record: Record) -> None:
    assert record.withdrawn[REFERENCE] > 20
    assert record.reopened > 100
    assert sum(count > 0 for count in record.withdrawn.values()) >= 20


def test_one_bookmaker_stops_for_minutes_and_the_others_do_not(record: Record) -> None:
    stale = record.longest_silence.pop("Sisu Vedot")
    assert stale > 3 * 60_000
    assert max(record.longest_silence.values()) < 3 * 60_000


def test_games_end_others_take_their_place_and_no_price_is_left() -> None:
    world = new_world()
    present = {}
    for quote in opening_of(world):
        present[quote.bookmaker, quote.match_name, quote.market_type, quote.period] = quote
    before = {game.match_name for game in world.games}
    for at in range(NOW + HOUR // 4, NOW + 2 * HOUR, HOUR // 4):
        for quote in quotes_in(world.until(at)):
            present[quote.bookmaker, quote.match_name, quote.market_type, quote.period] = quote
    after = {game.match_name for game in world.games}
    assert len(before) == len(after)
    assert len(before - after) >= 3
    gone = [quote for quote in present.values() if quote.match_name not in after]
    assert gone
    assert {quote.bookmaker for quote in gone if quote.odds} <= {"Sisu Vedot"}


def test_a_copycat_follows_its_source(opening: list[Quote]) -> None:
    said = {
        (quote.bookmaker, quote.match_name, quote.market_type, quote.period): quote.odds
        for quote in opening
    }
    compared = 0
    for (bookmaker, *market), odds in said.items():
        if bookmaker == "Foxglove":
            source = said["Lantern Odds", *market]
            assert odds.keys() == source.keys()
            assert all(0.93 < price / source[name] < 1.001 for name, price in odds.items())
            compared += 1
    assert compared > 50


def test_the_reference_may_have_any_name() -> None:
    quotes = opening_of(new_world(reference="Harbour Bet"))
    heard = {quote.bookmaker for quote in quotes if quote.liquidity is not None}
    assert heard == {"Harbour Bet"}
    assert "Pinnacle" not in {quote.bookmaker for quote in quotes}


def test_after_a_long_sleep_it_goes_on_from_the_present() -> None:
    world = new_world()
    opening_of(world)
    later = NOW + 8 * HOUR
    quotes = quotes_in(world.until(later))
    assert quotes
    assert min(quote.scraped_at for quote in quotes) >= later - 60_000
    assert len(quotes) < 100_000
    assert all(game.kickoff_ms > later - 4 * HOUR for game in world.games if not game.postponed)


def test_a_clock_that_is_put_back_stops_nothing() -> None:
    """D84."""
    world = new_world()
    opening_of(world)
    said = [len([*world.until(at)]) for at in (NOW + SPAN, NOW + 25 * HOUR)]
    assert min(said) > 0
    again = quotes_in(world.until(NOW + SPAN + TICK))
    again += quotes_in(world.until(NOW + SPAN + 2 * TICK))
    assert {quote.bookmaker for quote in again} >= {REFERENCE}
    assert all(quote.scraped_at <= NOW + SPAN + 2 * TICK for quote in again)


def reported_in(hours: int) -> list[list[Reported]]:
    """Return what a world of two bookmakers reports in some hours."""
    fixtures = load_fixtures()
    few = msgspec.structs.replace(fixtures, bookmakers=fixtures.bookmakers[:1])
    world = World(few, REFERENCE, Random(11), NOW)
    reported = [*world.opening()]
    for at in range(NOW + HOUR // 12, NOW + hours * HOUR + 1, HOUR // 12):
        reported += world.until(at)
    return reported


@pytest.fixture(scope="module")
def results() -> list[GameResult]:
    return results_in(reported_in(3))


def test_games_end_with_a_result_that_follows_their_scores_in_play(
    results: list[GameResult],
) -> None:
    ended = [each for each in results if each.status is GameStatus.FINAL]
    assert len({each.sport for each in ended}) >= 5
    for final in ended:
        assert check_result(final, final.reported_at) == final
        assert final.simulated
        before = [
            each
            for each in results
            if each.status is GameStatus.IN_PLAY
            and (each.match_name, each.kick_off) == (final.match_name, final.kick_off)
        ]
        assert before
        assert [each.reported_at for each in before] == sorted(each.reported_at for each in before)
        for each in before:
            assert None not in (each.home, each.away, final.home, final.away)
            if final.sport != "Tennis":
                assert each.home <= final.home
                assert each.away <= final.away
            assert len(each.periods) <= len(final.periods)


def test_a_game_has_one_final_result(results: list[GameResult]) -> None:
    games = [
        (each.competition, each.match_name)
        for each in results
        if each.status in (GameStatus.FINAL, GameStatus.RETIRED)
    ]
    assert len(games) == len(set(games)) > 10


def test_scores_in_play_are_reported_once_a_minute_at_most(results: list[GameResult]) -> None:
    last: dict[str, int] = {}
    for each in results:
        if each.status is GameStatus.IN_PLAY:
            assert each.reported_at - last.get(each.match_name, 0) >= 60_000
            last[each.match_name] = each.reported_at


def test_postponed_games_are_played_later_or_cancelled_and_priced_only_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(game_module, "_POSTPONED_SHARE", 1.0)
    monkeypatch.setattr(game_module, "_MOVED_MINUTES", (30.0, 60.0))
    reported = reported_in(6)
    told = results_in(reported)
    postponed = {each.match_name: each for each in told if each.status is GameStatus.POSTPONED}
    cancelled = {each.match_name: each for each in told if each.status is GameStatus.CANCELLED}
    played = [each for each in told if each.match_name in postponed and each.home is not None]
    assert len(postponed) > len(cancelled) > 0
    assert played
    for each in played:
        before = postponed[each.match_name]
        assert each.kick_off >= before.kick_off + HOUR // 2
        assert each.match_name not in cancelled
    for name, result in cancelled.items():
        assert result.kick_off == postponed[name].kick_off
        assert result.home is None
    for quote in quotes_in(reported):
        stopped = postponed.get(quote.match_name)
        if stopped is not None and quote.match_date == stopped.kick_off and quote.odds:
            assert quote.scraped_at <= stopped.reported_at


def test_a_few_games_are_postponed_and_few_of_these_cancelled() -> None:
    schedule = Schedule(("A B", "C D", "E F"), Random(4))
    competition = Competition("EPL", "Football", 1, 0, 1.0, tuple(f"Team {n}" for n in range(40)))
    games = []
    for _ in range(2_000):
        games.append(schedule.make_game(Slot(competition, NOW + HOUR), NOW))
        schedule.release_due(games[-1])
        games[-1].advance(NOW + HOUR, Random(1))
    postponed = [game for game in games if game.postponed]
    assert 20 <= len(postponed) <= 60
    moved = [schedule.new_date(game, NOW + 2 * HOUR) for game in postponed]
    dates = [game.kickoff_ms for game in moved if game is not None]
    assert 0 < len(dates) < len(moved)
    assert min(dates) >= NOW + 16 * HOUR
    assert not schedule.make_game(Slot(competition, NOW), NOW).postponed
