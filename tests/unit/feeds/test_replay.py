"""A recording is played as if it happened now."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.formats import OWN_FORMATS
from oddsdesk.contract.quotes import Quote, odds_row
from oddsdesk.contract.results import GameResult, GameStatus, result_line
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.replay import (
    BATCH_QUOTES,
    REPEAT_MS,
    TICK_MS,
    Moment,
    Replay,
    StandingQuotes,
    open_replay,
    read_recording,
)

RECORDED = parse_ms("2026-06-12T20:00:00Z")
NOW = parse_ms("2026-11-20T18:30:00Z")
HOUR = 3_600_000


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1000)


def quote(
    at: int = 0,
    *,
    bookmaker: str = "A",
    game: str = "Home vs Away",
    kick_off: int | None = None,
    odds: dict[str, float] | None = None,
) -> Quote:
    return Quote(
        bookmaker=bookmaker,
        match_name=game,
        competition="NBA",
        market_type="moneyline",
        period=0,
        odds={"Home": 2.0, "Away": 1.9} if odds is None else odds,
        scraped_at=RECORDED + at,
        match_date=None if kick_off is None else RECORDED + kick_off,
    )


def moment(at: int, *quotes: Quote) -> Moment:
    return Moment(RECORDED + at, quotes or (quote(at),))


def standing_at_end(*quotes: Quote) -> list[Quote]:
    standing = StandingQuotes()
    for each in quotes:
        standing.hear(each)
    return standing.at(max(each.scraped_at for each in quotes))


async def play(
    moments: list[Moment], until: int, speed: float = 1
) -> list[tuple[int, list[Quote]]]:
    """Batches with the time at which each came, counted from the start."""
    time = Time()
    heard = []
    replay = Replay(moments, "x", speed, time.sleep)
    async with aclosing(replay.batches(time)) as said:
        async for batch in said:
            if time.now - NOW > until:
                break
            heard.append((time.now - NOW, [each for each in batch if isinstance(each, Quote)]))
    return heard


async def test_quotes_come_when_they_are_due_and_say_so() -> None:
    heard = await play([moment(0), moment(2_000), moment(60_000)], until=60_000)
    assert [at for at, _ in heard] == [0, 2_000, 60_000]
    assert [batch[0].scraped_at - NOW for _, batch in heard] == [0, 2_000, 60_000]


async def test_speed_plays_an_hour_a_minute_and_kick_offs_with_it() -> None:
    first = quote(kick_off=2 * HOUR)
    second = quote(HOUR, kick_off=2 * HOUR)
    heard = await play([moment(0, first), moment(HOUR, second)], until=60_000, speed=60)
    assert [at for at, _ in heard] == [0, 60_000]
    assert {batch[0].match_date for _, batch in heard} == {NOW + 120_000}


async def test_a_games_prices_stay_together_while_the_games_of_a_moment_are_spread() -> None:
    def at(hour: int) -> Moment:
        games = [f"G{number} vs H" for number in range(30)]
        said = [quote(hour * HOUR, bookmaker=name, game=game) for name in "ABC" for game in games]
        return moment(hour * HOUR, *said)

    heard = await play([at(0), at(6), at(12)], until=12_000, speed=3_600)
    assert [at for at, _ in heard][:2] == [0, 6_000]
    assert len(heard[0][1]) == 90, "the first moment fills the desk at once"
    times = [time for time, _ in heard[1:]]
    assert max(later - earlier for earlier, later in pairwise(times)) <= 300
    for at_ms, batch in heard[1:]:
        assert all(0 <= NOW + at_ms - quote.scraped_at < TICK_MS for quote in batch)
        assert len({quote.bookmaker for quote in batch}) == 3
        assert len(batch) == 3 * len({quote.match_name for quote in batch})
    said = [quote.scraped_at for _, batch in heard for quote in batch]
    assert said == sorted(said)


async def test_no_quote_is_said_before_its_own_time() -> None:
    moments = [moment(at * 37) for at in range(200)]
    for at, batch in await play(moments, until=7_000):
        assert all(quote.scraped_at <= NOW + at for quote in batch)


async def test_what_is_due_together_comes_together_but_not_too_much() -> None:
    crowd = [quote(game=f"G{number} vs H") for number in range(BATCH_QUOTES + 1)]
    heard = await play([moment(0, *crowd)], until=0)
    assert [len(batch) for _, batch in heard] == [BATCH_QUOTES, 1]
    steady = [moment(at) for at in range(100)]
    assert len(await play(steady, until=100)) <= 2


async def test_a_snapshot_keeps_the_ages_of_its_prices() -> None:
    old, new = quote(-60_000, bookmaker="old"), quote(0, bookmaker="new")
    ((_, batch),) = await play([moment(0, old, new)], until=0)
    assert [each.scraped_at - NOW for each in batch] == [-60_000, 0]


async def test_the_last_prices_are_said_again_every_ten_seconds() -> None:
    moved = quote(1_000, odds={"Home": 2.1, "Away": 1.8})
    heard = await play([moment(0), moment(1_000, moved)], until=31_000)
    assert [at for at, _ in heard] == [0, 1_000, 11_000, 21_000, 31_000]
    for at, batch in heard[2:]:
        assert [(each.odds, each.scraped_at) for each in batch] == [(moved.odds, NOW + at)]


def ended(kick_off: int, game: str = "Home vs Away", **said: Any) -> GameResult:
    return GameResult("NBA", game, RECORDED + kick_off, 101, 99, sport="Basketball", **said)


async def test_results_come_when_they_were_reported_in_the_time_of_the_replay() -> None:
    early = ended(-5 * HOUR, "Early vs Late", reported_at=RECORDED - 2 * HOUR)
    during = ended(HOUR, reported_at=RECORDED + 3 * HOUR, source="scores")
    after = ended(2 * HOUR, "C vs D")
    due = [
        (RECORDED - 2 * HOUR, early),
        (RECORDED + 3 * HOUR, during),
        (RECORDED + 6 * HOUR, after),
    ]
    moments = [moment(0, quote(kick_off=HOUR)), moment(4 * HOUR)]
    time, heard = Time(), []
    replay = Replay(moments, "x", 60, time.sleep, results=due)
    async with aclosing(replay.batches(time)) as batches:
        async for batch in batches:
            heard += [(time.now - NOW, each) for each in batch if isinstance(each, GameResult)]
            if time.now - NOW > 8 * 60_000:
                break
    minute = 60_000
    assert [at for at, _ in heard] == [0, 3 * minute, 6 * minute]
    assert [each.kick_off - NOW for _, each in heard] == [-5 * minute, minute, 2 * minute]
    assert [each.reported_at - NOW for _, each in heard[:2]] == [-2 * minute, 3 * minute]
    assert [each.source for _, each in heard] == ["replay", "scores", "replay"]
    assert heard[2][1].reported_at == 0


async def test_a_result_carries_the_date_that_its_game_got() -> None:
    again = [quote(kick_off=HOUR), quote(kick_off=49 * HOUR)]
    results = [(RECORDED, ended(49 * HOUR))]
    time, quotes = Time(), list[Quote]()
    replay = Replay([moment(0, *again)], "x", 3_600, time.sleep, results=results)
    async with aclosing(replay.batches(time)) as batches:
        async for batch in batches:
            quotes += (each for each in batch if isinstance(each, Quote))
            if found := [each for each in batch if isinstance(each, GameResult)]:
                break
    assert quotes[1].match_name == found[0].match_name == "Home vs Away (2026-11-22)"
    assert quotes[1].match_date == found[0].kick_off


def test_a_file_may_have_results_of_any_time(tmp_path: Path) -> None:
    lines = [
        json.dumps(msgspec.to_builtins(odds_row(quote()))).encode(),
        *map(
            result_line,
            [
                ended(HOUR),
                ended(2 * HOUR, reported_at=RECORDED + 5 * HOUR),
                ended(3 * HOUR, has_time=False),
                GameResult("MLS", "E vs F", RECORDED + HOUR, status=GameStatus.POSTPONED),
            ],
        ),
    ]
    path = tmp_path / "mixed.ndjson"
    path.write_bytes(b"\n".join(lines))
    recording = read_recording(str(path))
    assert len(recording.moments) == 1
    noon = parse_ms("2026-06-12T12:00:00Z")
    assert [at for at, _ in recording.results] == sorted(
        [RECORDED + 5 * HOUR, RECORDED + 5 * HOUR, noon + 18 * HOUR, RECORDED + HOUR]
    )


def test_results_of_a_format_are_replayed(shared_data: Path) -> None:
    recording = read_recording(f"football-data:{shared_data}/football-data/E0_2425.csv")
    assert len(recording.results) == 380
    assert all(at == each.kick_off + 4 * HOUR for at, each in recording.results)


async def test_many_last_prices_are_spread_over_the_ten_seconds() -> None:
    crowd = [quote(game=f"G{number} vs H") for number in range(4 * BATCH_QUOTES)]
    heard = await play([moment(0, *crowd)], until=2 * REPEAT_MS)
    again = [at for at, _ in heard[4:]]
    assert again == [2_500, 5_000, 7_500, 10_000, 12_500, 15_000, 17_500, 20_000]
    first = {each.match_name for _, batch in heard[4:8] for each in batch}
    assert len(first) == len(crowd)


async def test_a_replay_of_withdrawals_only_ends() -> None:
    assert len(await play([moment(0, quote(odds={}))], until=HOUR)) == 1


def test_a_withdrawn_market_does_not_stand() -> None:
    other = quote(bookmaker="B")
    assert standing_at_end(quote(), other, quote(5, odds={})) == [other]


def test_games_that_were_over_do_not_stand_but_what_was_heard_last_does() -> None:
    over = quote(game="Over vs Done", kick_off=HOUR)
    running = quote(9 * HOUR, game="Long vs Late", kick_off=HOUR)
    coming = quote(game="Soon vs Later", kick_off=20 * HOUR)
    undated = quote(game="No vs Date")
    standing = standing_at_end(over, coming, undated, running)
    assert [each.match_name for each in standing] == ["Soon vs Later", "No vs Date", "Long vs Late"]


async def test_games_of_the_same_teams_on_two_days_stay_two_at_any_speed() -> None:
    first, second = quote(kick_off=HOUR), quote(kick_off=25 * HOUR)
    moved = quote(1_000, kick_off=2 * HOUR)
    moments = [moment(0, first, second), moment(1_000, moved)]
    heard = await play(moments, until=20_000, speed=3_600)
    names = [each.match_name for _, batch in heard for each in batch]
    assert names[:3] == ["Home vs Away", "Home vs Away (2026-11-21)", "Home vs Away"]
    assert len(set(names)) == 2
    assert len(heard[-1][1]) == 2


def test_the_name_says_what_is_played_and_how_fast(tmp_path: Path) -> None:
    assert Replay([moment(0)], "x.ndjson", 3600).name == "replay of x.ndjson · 3600x"
    assert Replay([moment(0)], "x.ndjson", 1).name == "replay of x.ndjson"


@pytest.mark.parametrize("speed", [0, -1, float("nan"), float("inf")])
def test_a_speed_must_be_above_zero(speed: float) -> None:
    with pytest.raises(FeedError, match="speed: expected a number above 0"):
        open_replay("x", speed)


@given(
    st.lists(st.integers(0, 10 * HOUR), min_size=1, max_size=30, unique=True),
    st.sampled_from([0.5, 1, 60, 3_600]),
)
async def test_every_quote_is_said_once_in_order(times: list[int], speed: float) -> None:
    moments = [moment(at, quote(at, bookmaker=str(at))) for at in sorted(times)]
    last = round((max(times) - min(times)) / speed)
    heard = await play(moments, until=last + 1, speed=speed)
    said = [int(each.bookmaker) for _, batch in heard for each in batch]
    assert said == sorted(times)


async def test_real_prices_move_from_the_first_seconds_on(shared_data: Path) -> None:
    time = Time()
    place = str(shared_data / "movement" / "world-cup-2026.quotes.ndjson.gz")
    replay = Replay(read_recording(place).moments, "world cup", 3_600, time.sleep)
    moves = dict.fromkeys(range(60), 0)
    odds: dict[tuple[str, str, str], dict[str, float]] = {}
    async for batch in replay.batches(time):
        if (second := (time.now - NOW) // 1000) >= 60:
            break
        for each in batch:
            key = (each.bookmaker, each.match_name, each.market_type)
            moves[second] += key in odds and odds[key] != each.odds
            odds[key] = each.odds
    assert moves[0] + moves[1] > 0
    assert sum(count > 0 for count in moves.values()) >= 45


@pytest.mark.parametrize("speed", [0.001, 1, 3_600])
async def test_kick_offs_at_the_ends_of_the_calendar_are_played(speed: float) -> None:
    first = parse_ms("0001-01-01T00:00:00Z") - RECORDED
    last = parse_ms("9999-12-31T23:59:59Z") - RECORDED
    quotes = [quote(bookmaker=name, kick_off=at) for name, at in (("A", last), ("B", first))]
    ((_, batch),) = await play([moment(0, *quotes)], until=0, speed=speed)
    for said in batch:
        assert said.match_date is not None
        assert parse_ms(format_ms(said.match_date)) == said.match_date


async def test_it_says_which_moment_of_the_recording_is_played() -> None:
    time = Time()
    replay = Replay([moment(0), moment(HOUR)], "x", 60, time.sleep)
    assert replay.recorded_at == RECORDED
    batches: AsyncIterator[list[Quote]] = replay.batches(time)
    async with aclosing(batches) as said:  # type: ignore[type-var]
        await anext(aiter(said))
        time.now += 30_000
        assert (replay.recorded_at, replay.is_over) == (RECORDED + HOUR // 2, False)
        time.now += 3 * HOUR
        assert (replay.recorded_at, replay.is_over) == (RECORDED + HOUR, True)


def test_at_the_end_an_unread_price_still_stands() -> None:
    """What stands at the end is said again and again, as whole markets."""
    whole = quote(0)
    name, *others = whole.odds
    rest = {other: whole.odds[other] + 0.1 for other in others}
    unread = msgspec.structs.replace(quote(1_000), odds=rest, unread={name: "no number"})
    (last,) = standing_at_end(whole, unread)
    assert (last.odds, last.unread) == ({name: whole.odds[name], **rest}, None)


START = parse_ms("2020-05-01T12:00:00Z")


def quote_of_recording(bookmaker: str = "A", scraped_at: int = START) -> Quote:
    odds = {"Home": 2.0, "Away": 1.9}
    return Quote(bookmaker, "Home vs Away", "NBA", "moneyline", 0, odds, scraped_at)


def write(path: Path, *quotes: Quote) -> Path:
    path.write_bytes(b"\n".join(msgspec.json.encode(odds_row(each)) for each in quotes))
    return path


def snapshot(path: Path, *seen: str) -> Path:
    bookmakers: list[dict[str, Any]] = [
        {
            "key": f"b{number}",
            "title": f"B{number}",
            "last_update": time,
            "markets": [
                {
                    "key": "h2h",
                    "outcomes": [{"name": "Home", "price": 2.0}, {"name": "Away", "price": 1.9}],
                }
            ],
        }
        for number, time in enumerate(seen)
    ]
    event = {
        "sport_key": "basketball_nba",
        "commence_time": "2026-04-17T00:00:00Z",
        "home_team": "Home",
        "away_team": "Away",
        "bookmakers": bookmakers,
    }
    path.write_text(json.dumps([event]))
    return path


def summary(moments: list[Moment]) -> list[tuple[int, list[str]]]:
    return [(moment.at, [quote.bookmaker for quote in moment.quotes]) for moment in moments]


def test_quotes_are_read_in_the_order_of_their_scrape(tmp_path: Path) -> None:
    quotes = [
        quote_of_recording("B", START + 5),
        quote_of_recording("A"),
        quote_of_recording("C", START + 5),
    ]
    path = write(tmp_path / "q.ndjson", *quotes)
    assert summary(read_recording(str(path)).moments) == [(START, ["A"]), (START + 5, ["B", "C"])]


def test_a_folder_of_quotes_is_one_recording(tmp_path: Path) -> None:
    write(tmp_path / "1.ndjson", quote_of_recording("B", START + 5))
    write(tmp_path / "2.ndjson", quote_of_recording("A"))
    assert summary(read_recording(str(tmp_path)).moments) == [(START, ["A"]), (START + 5, ["B"])]


def test_bad_lines_are_left_out_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path / "q.ndjson", quote_of_recording())
    path.write_bytes(b"bad\n" + path.read_bytes())
    with caplog.at_level(logging.WARNING):
        assert summary(read_recording(str(path)).moments) == [(START, ["A"])]
    assert "q.ndjson: 1 bad lines left out; line 1: this is not JSON" in caplog.text


def test_a_recording_may_lie_in_the_future(tmp_path: Path) -> None:
    path = write(
        tmp_path / "q.ndjson", quote_of_recording(scraped_at=parse_ms("2199-01-01T00:00:00Z"))
    )
    assert len(read_recording(str(path)).moments) == 1


@pytest.mark.parametrize("content", [b"", b"\n\n", b"bad"])
def test_a_file_without_quotes_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "q.ndjson"
    path.write_bytes(content)
    with pytest.raises(FeedError, match="no quotes to replay"):
        read_recording(str(path))


@pytest.mark.parametrize("named", ["", "the-odds-api:"])
def test_a_file_of_another_kind_is_named(tmp_path: Path, named: str) -> None:
    path = tmp_path / "E0.csv"
    path.write_text("Div,Date,HomeTeam,AwayTeam,FTHG,FTAG\n")
    with pytest.raises(FeedError, match=r"E0\.csv: this is a file of football-data"):
        read_recording(f"{named}{path}")


def test_a_file_that_is_not_there_is_told_with_the_known_formats(tmp_path: Path) -> None:
    names = ", ".join(each.name for each in OWN_FORMATS)
    with pytest.raises(FeedError, match=f"no such file.*{names}"):
        read_recording(f"odds-api:{tmp_path}/x.json")


def test_a_snapshot_is_one_moment_and_so_are_snapshots_of_one_round(tmp_path: Path) -> None:
    snapshot(tmp_path / "nba.json", "2026-04-16T19:00:10Z", "2026-04-16T18:50:00Z")
    snapshot(tmp_path / "mlb.json", "2026-04-16T19:00:40Z")
    snapshot(tmp_path / "later.json", "2026-04-16T20:00:00Z")
    first, second = read_recording(f"the-odds-api:{tmp_path}/*.json").moments
    assert first.at == parse_ms("2026-04-16T19:00:40Z")
    assert [quote.scraped_at for quote in first.quotes] == sorted(
        parse_ms(time)
        for time in ("2026-04-16T18:50:00Z", "2026-04-16T19:00:10Z", "2026-04-16T19:00:40Z")
    )
    assert second.at == parse_ms("2026-04-16T20:00:00Z")


def test_the_real_moment_is_one_moment(shared_data: Path) -> None:
    (moment,) = read_recording(f"the-odds-api:{shared_data}/the-odds-api/*.json.gz").moments
    assert len(moment.quotes) == 15_036


def test_the_real_movement_has_its_snapshots(shared_data: Path) -> None:
    moments = read_recording(f"{shared_data}/movement/world-cup-2026.quotes.ndjson.gz").moments
    assert len(moments) == 48
    assert sum(len(moment.quotes) for moment in moments) == 14_687
