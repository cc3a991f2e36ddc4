"""A season through a real server: every game has its odds, and then its result."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oddsdesk.contract.results import GameStatus
from tests.kit.live_service import LiveService
from tests.kit.season import DAY_MS, TEAMS, Season


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


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[LiveService]:
    found = LiveService(tmp_path / "odds.db")
    await found.start()
    yield found
    await found.stop()


@pytest.mark.slow
async def test_a_whole_season_is_recorded_with_a_result_for_each_game(service: LiveService) -> None:
    season = Season(1)
    played = await season.play(service)
    assert (played.finals, played.postponed, played.cancelled) == (378, 8, 2)
    stored = service.store.reader().results()
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
    for game in season.games:
        final = game.final
        if final is not None:
            found = by_game[game.match_name, final.kick_off]
            assert (found.home, found.away, found.periods) == (
                final.home,
                final.away,
                final.periods,
            )


async def test_it_can_be_played_in_part_and_looked_at_in_between(service: LiveService) -> None:
    season, moments = Season(1), list[int]()
    end = season.games[0].kick_off + DAY_MS

    async def look(at_ms: int) -> None:
        assert service.now == at_ms
        moments.append(at_ms)

    played = await season.play(service, look, end)
    assert moments == [each.at_ms for each in season.moments() if each.at_ms <= end]
    assert played.finals + sum(game.is_postponed for game in season.games[:10]) >= 10
