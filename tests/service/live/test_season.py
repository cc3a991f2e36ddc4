"""A season through a real server: every game has its odds and result, and bets on it settle."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from oddsdesk.cli.ledger import ledger
from oddsdesk.contract.results import GameStatus
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.store import open_store
from tests.kit.live_service import LiveService
from tests.kit.season import COMPETITION, DAY_MS, TEAMS, Played, Season, SeasonGame


def test_a_season_is_a_double_round_robin_and_the_same_for_a_seed() -> None:
    season, again = Season(2), Season(2)
    assert {(game.home, game.away) for game in season.games} == {
        (home, away) for home in TEAMS for away in TEAMS if home != away
    }
    for week in range(38):
        playing = season.games[week * 10 : week * 10 + 10]
        assert len({team for game in playing for team in (game.home, game.away)}) == 20
    assert [*season.moments()] == [*again.moments()]
    assert [*season.moments()] != [*Season(3).moments()]
    assert len(season.postponed) == 8
    assert len(season.cancelled) == 2
    goals = sum(game.full_time.home + game.full_time.away for game in season.games) / 380
    assert 2.2 < goals < 3.3


def test_a_game_ends_as_it_was_played() -> None:
    for game in Season(1).games[:50]:
        final = game.full_time
        first, second = final.periods
        assert (first.home + second.home, first.away + second.away) == (final.home, final.away)
        assert (game.half_time.home, game.half_time.away) == (first.home, first.away)


class Past(NamedTuple):
    """A season that was played, where it is recorded, and when it ended."""

    season: Season
    played: Played
    database: Path
    ended_at: int


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Past:
    """A season that is over; the server that recorded it has ended."""
    season, database = Season(1), tmp_path_factory.mktemp("season") / "odds.db"
    service = LiveService(database)

    async def play() -> Played:
        await service.start()
        try:
            return await season.play(service)
        finally:
            await service.stop()

    return Past(season, asyncio.run(play()), database, service.now)


@pytest.mark.slow
def test_a_whole_season_is_recorded_with_a_result_for_each_game(past: Past) -> None:
    played = past.played
    assert (played.finals, played.postponed, played.cancelled) == (378, 8, 2)
    with closing(open_store(past.database)) as store:
        stored = store.reader().results()
    assert Counter(each.result.status for each in stored) == {
        GameStatus.FINAL: 378,
        GameStatus.POSTPONED: 6,
        GameStatus.CANCELLED: 2,
    }
    assert {each.result.source for each in stored} == {"ingest"}
    assert all(each.has_game for each in stored)
    by_game = {
        (each.result.match_name.partition(" (")[0], each.result.kick_off): each.result
        for each in stored
    }
    for game in past.season.games:
        final = game.final
        if final is not None:
            found = by_game[game.match_name, final.kick_off]
            assert (found.home, found.away, found.periods) == (
                final.home,
                final.away,
                final.periods,
            )


async def test_it_can_be_played_in_part_and_looked_at_in_between(tmp_path: Path) -> None:
    service, season, moments = LiveService(tmp_path / "odds.db"), Season(1), list[int]()
    end = season.games[0].kick_off + DAY_MS

    async def look(at_ms: int) -> None:
        assert service.now == at_ms
        moments.append(at_ms)

    await service.start()
    try:
        played = await season.play(service, look, end)
    finally:
        await service.stop()
    assert moments == [each.at_ms for each in season.moments() if each.at_ms <= end]
    assert played.finals + sum(game.is_postponed for game in season.games[:10]) >= 10


def profit(bet: PlacedBet, game: SeasonGame) -> float:
    """Return what a bet earned, added up by hand from the goals of each half."""
    first, second = ((each.home, each.away) for each in game.full_time.periods)
    home, away = {0: (first[0] + second[0], first[1] + second[1]), 1: first, 2: second}[bet.period]
    halves = [share(bet, game, home, away, moved) for moved in (-0.25, 0.25)]
    if bet.market_type in ("total", "spread", "team_total") and number(bet) * 2 % 1:
        return sum(halves) / 2
    return share(bet, game, home, away, 0.0)


def number(bet: PlacedBet) -> float:
    return float(bet.selection.split()[-1])


def share(bet: PlacedBet, game: SeasonGame, home: int, away: int, moved: float) -> float:
    """Return the profit of the whole stake at a line that is moved."""
    of_home = bet.selection.startswith((game.home, "Home"))
    ahead = home - away if of_home else away - home
    match bet.market_type:
        case "moneyline":
            is_won = ahead > 0 if bet.selection != "Draw" else home == away
            return bet.stake * (bet.odds - 1) if is_won else -bet.stake
        case "draw_no_bet":
            over: float = ahead
        case "double_chance":
            result = "1" if home > away else "2" if away > home else "X"
            over = 1 if result in bet.selection else -1
        case "btts":
            over = 1 if (home > 0 < away) == (bet.selection == "Yes") else -1
        case "3way_handicap":
            with_start = home + number(bet) - away
            if bet.selection.startswith("Draw"):
                over = 1 if with_start == 0 else -1
            else:
                over = (with_start > 0) - 0.5 if of_home else (ahead + number(bet) > 0) - 0.5
        case "spread":
            over = ahead + number(bet) + moved
        case "team_total":
            over = (home if of_home else away) - number(bet) + moved
        case _:
            over = home + away - number(bet) + moved
    if bet.market_type.endswith("total") and "Under" in bet.selection:
        over = -over
    return 0.0 if over == 0 else bet.stake * (bet.odds - 1) if over > 0 else -bet.stake


def placed(season: Season) -> list[PlacedBet]:
    """One bet on each game, of each market in turn, and each selection of the first games."""
    bets = []
    for place, game in enumerate(season.games):
        choices = [(*each, name) for each in game.markets() for name in game.selections(*each)]
        chosen = choices if place < 12 else [choices[place * 7 % len(choices)]]
        bets += [
            PlacedBet(
                *("", game.match_name, COMPETITION, "Football", market_type, period, selection),
                *("Bet365", game.odds(market_type, selection, period, book=1), 10.0),
                game.kick_off - DAY_MS // 2,
                kick_off=game.kick_off,
            )
            for market_type, period, selection in chosen
        ]
    return bets


@pytest.fixture
async def service(past: Past) -> AsyncIterator[LiveService]:
    """A server of the season that is over."""
    found = LiveService(past.database)
    found.now = past.ended_at
    await found.start()
    yield found
    await found.stop()


async def settle_by_command(*arguments: object) -> dict[str, Any]:
    """Run `ledger settle` in a thread; the server answers on this one."""
    words = ["settle", *map(str, arguments), "--json"]
    done = await asyncio.to_thread(CliRunner().invoke, ledger, words)
    assert done.exit_code in (0, 1), done.output
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.slow
async def test_a_season_settles_by_itself_and_what_was_postponed_is_listed(
    past: Past, service: LiveService, tmp_path: Path
) -> None:
    season = past.season
    games = {game.match_name: game for game in season.games}
    files = [tmp_path / "here.db", tmp_path / "there.db"]
    for file in files:
        with closing(Ledger(file)) as held:
            held.place_all(placed(season), "placed")
    key = tmp_path / "key.txt"
    key.write_text(service.key())
    here = await settle_by_command("--ledger", files[0], "--database", past.database)
    there = await settle_by_command(
        *("--ledger", files[1], "--database", service.server.url, "--key-file", key)
    )
    assert here == there
    with closing(Ledger(files[0])) as held, closing(Ledger(files[1])) as other:
        bets = held.read_bets()
        assert [(bet.result, bet.settled_by) for bet in bets] == [
            (bet.result, bet.settled_by) for bet in other.read_bets()
        ]
    listed = {each["bet"]: each["why"] for each in here["lists"]["to_check"]}
    assert (here["settled"], here["to_look_at"]) == (len(bets) - len(listed), len(listed))
    for bet in bets:
        game = games[bet.match_name]
        waits = game.is_cancelled or (game.moved_to or 0) - game.kick_off > DAY_MS
        if waits:
            assert bet.result is None
            assert "how long bets at Bet365 wait for it is not known" in listed[bet.ident]
        else:
            assert bet.profit == pytest.approx(profit(bet, game)), (bet, game.full_time)
            score = f"{game.full_time.home}-{game.full_time.away}"
            assert bet.settled_by.startswith(f"ingest {score}")
    on_games = {bet.match_name for bet in bets if bet.result is not None}
    assert len(on_games) == 380 - sum(
        game.is_cancelled or (game.moved_to or 0) - game.kick_off > DAY_MS for game in season.games
    )
    again = await settle_by_command("--ledger", files[0], "--database", past.database)
    assert again["settled"] == 0
