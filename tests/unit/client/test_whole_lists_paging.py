"""Lists read to their end."""

import pytest

from oddsdesk.client import Client, MalformedAnswerError, RateLimitedError
from tests.kit.small_service import KEY, SmallService

Running = tuple[SmallService, str]


def games(*names: str, **meta: str) -> dict[str, object]:
    items = [
        {
            "game_id": name,
            "match_name": name,
            "competition": "EPL",
            "sport": "Football",
            "match_date": None,
            "is_live": False,
            "bookmaker_count": 1,
            "last_scraped_at": None,
        }
        for name in names
    ]
    return {"data": items, "meta": {"rate_limit_remaining": 9, "count": len(items), **meta}}


async def test_pages_are_asked_for_as_they_are_needed(small_service: Running) -> None:
    service, url = small_service
    service.say(games("a", "b", next_cursor="first"))
    service.say(games(next_cursor="second"))
    service.say(games("c"))
    async with Client(url, KEY) as client:
        pages = client.all_games(competition="EPL")
        assert (await anext(pages)).game_id == "a"
        assert len(service.asked) == 1
        assert [game.game_id async for game in pages] == ["b", "c"]
    asked = [dict(request.query_params) for request in service.asked]
    common = {"competition": "EPL", "limit": "500"}
    assert asked == [common, {**common, "cursor": "first"}, {**common, "cursor": "second"}]


@pytest.mark.parametrize(
    ("method", "path", "largest"),
    [
        ("all_events", "/api/events", "1000"),
        ("all_odds", "/api/odds", "500"),
        ("all_live_odds", "/api/odds/live", "500"),
        ("all_games", "/api/games", "500"),
        ("all_value_bets", "/api/value-bets", "500"),
    ],
)
async def test_a_page_is_as_large_as_the_list_allows_unless_said(
    small_service: Running, method: str, path: str, largest: str
) -> None:
    service, url = small_service
    for _ in range(2):
        service.say({"data": [], "meta": {"rate_limit_remaining": 9, "count": 0}})
    async with Client(url, KEY) as client:
        for limit in (None, 7):
            assert [item async for item in getattr(client, method)(limit=limit)] == []
    assert [(r.url.path, r.query_params["limit"]) for r in service.asked] == [
        (path, largest),
        (path, "7"),
    ]


async def test_a_service_that_repeats_itself_is_not_asked_for_ever(small_service: Running) -> None:
    service, url = small_service
    service.say(games("a", next_cursor="same"))
    service.say(games("a", next_cursor="same"))
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="repeats a page"):
            async for _ in client.all_games():
                pass


async def test_a_service_without_pages_that_has_more_than_it_answers_is_told(
    small_service: Running, caplog: pytest.LogCaptureFixture
) -> None:
    service, url = small_service
    service.say(games("a", "b"))
    service.say({"data": [], "meta": {"rate_limit_remaining": 9}})  # no sports to ask for
    async with Client(url, KEY) as client:
        assert len([game async for game in client.all_games(limit=2)]) == 2
    assert "games: the service has more than could be read" in caplog.text


async def test_trouble_on_the_way_comes_after_what_was_read(small_service: Running) -> None:
    service, url = small_service
    service.say(games("a", next_cursor="first"))
    service.say({"error": {"code": "rate_limit_exceeded", "message": "no"}}, 429)
    async with Client(url, KEY) as client:
        games_read = client.all_games()
        assert (await anext(games_read)).game_id == "a"
        with pytest.raises(RateLimitedError):
            await anext(games_read)
