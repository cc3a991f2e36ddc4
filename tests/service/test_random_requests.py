"""Whatever is asked, it is answered, never with a 5xx (issue 3, Bad input)."""

import random
from typing import Any
from urllib.parse import quote

PATHS = [
    "/api/sports", "/api/bookmakers", "/api/events", "/api/events/Arsenal%20-%20Chelsea",
    "/api/odds", "/api/odds/live", "/api/odds/Betfair", "/api/games", "/api/value-bets",
    "/api/games/8548bd40-bf55-7646-9218-2b324858f5f5", "/api/health", "/api/stream",
    "/api/stream/token", "/",
]  # fmt: skip
NAMES = [
    "sport", "competition", "bookmaker", "is_live", "limit", "cursor", "market_type", "period",
    "stale_minutes", "min_ev", "max_ev", "game_id", "token", "x",
]  # fmt: skip
VALUES = [
    "", "0", "1", "-1", "1e3", "true", "false", "EPL", "Football", "moneyline", "NaN", "null",
    "' OR 1=1 --", "%", "\x00", "\ud800", "🎾", "٣", "9" * 400, "../..", "W10", "*", "\n",
    "ZyJd", "WyJnIiwgdHJ1ZSwgOTk5OTk5OTk5OTk5OTk5OTk5OTk5LCAiYSIsICJiIl0",
]  # fmt: skip
METHODS = ["GET", "GET", "GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "TRACE", "NONSENSE"]
REQUESTS = 1_000
"""On each engine others."""


def any_value(chance: random.Random) -> str:
    return quote(chance.choice(VALUES), safe="", errors="surrogatepass")


def test_any_request_is_answered_without_a_failure(service: Any, engine: str) -> None:
    chance = random.Random(f"20261120 {engine}")
    service.quote()
    keys = [service.key(), service.key()]
    for number in range(REQUESTS):
        path = chance.choice(PATHS)
        if chance.random() < 0.3:
            path += "/" + any_value(chance)
        fields = [(chance.choice(NAMES), any_value(chance)) for _ in range(chance.randrange(4))]
        query = "&".join(f"{name}={value}" for name, value in fields)
        answer = service.http.request(
            chance.choice(METHODS),
            f"{path}?{query}",
            headers={"X-Api-Key": keys[number % 2]},
            content=b"x" * chance.choice([0, 0, 0, 10, 10_000]),
        )
        asked = (answer.request.method, str(answer.request.url))
        assert answer.status_code < 500, asked
        if answer.request.method != "HEAD":
            body = answer.json()
            assert set(body) & {"data", "error", "token", "status"}, asked
