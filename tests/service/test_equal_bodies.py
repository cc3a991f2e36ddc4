"""The same quotes in a file and in PostgreSQL: every resource answers the same bytes.

``scale.md``, Figures to reach: bodies byte-equal over 30,000 quotes.
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.feeds.files import expand, read_file
from oddsdesk.feeds.imported import SourceFile
from oddsdesk.feeds.importing import load_importer
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.values import FoundValueBet, MarketKey
from tests.kit.many_quotes import BOOKMAKERS, COMPETITIONS, many_quotes
from tests.kit.postgres import Postgres
from tests.kit.running_service import NOW, REFERENCE, RunningService

pytestmark = pytest.mark.slow

QUOTES: Final = 30_000
BATCH: Final = 5_000
BETS: Final = 250
LISTS: Final = ("/api/odds", "/api/odds/live", "/api/odds/Bet365", "/api/events", "/api/games")
NARROWED: Final[Sequence[dict[str, Any]]] = (
    {},
    {"limit": 7},
    {"sport": "football"},
    {"competition": "Liga Própria", "limit": 40},
    {"competition": "EPL", "sport": "Football"},
    {"competition": "nothing"},
    {"market_type": "total", "limit": 60},
    {"bookmaker": "bwin"},
    {"bookmaker": "Écart", "market_type": "moneyline"},
    {"is_live": "true", "limit": 9},
    {"is_live": "false", "limit": 30},
)


class Services:
    """A service on each engine, asked the same; both must answer the same bytes."""

    def __init__(self, *running: RunningService) -> None:
        self.running = running
        self.bodies = 0
        self.longest = 0

    def keys(self, plan: Plan, bookmaker: str | None = None) -> list[str]:
        return [service.key(plan, bookmaker) for service in self.running]

    def ask(self, path: str, keys: list[str], **asked: Any) -> Any:
        one, other = (
            service.get(path, key, **asked) for service, key in zip(self.running, keys, strict=True)
        )
        here, there = (service.url.encode() for service in self.running)
        assert one.content == other.content.replace(there, here), (path, asked)
        assert said(one) == said(other)
        self.bodies += 1
        self.longest = max(self.longest, len(one.content))
        return one.json()

    def pages(self, path: str, keys: list[str], most: int = 3, **asked: Any) -> list[Any]:
        found: list[Any] = []
        for _ in range(most):
            answer = self.ask(path, keys, **asked)
            found += answer.get("data", ())
            cursor = answer.get("meta", {}).get("next_cursor")
            if cursor is None:
                break
            asked["cursor"] = cursor
        return found


def said(answer: httpx.Response) -> dict[str, str]:
    """Return the headers that no clock or port is in."""
    return {name: value for name, value in answer.headers.items() if name != "date"}


def real_quotes(folder: Path, now: int) -> list[Quote]:
    """Quotes of a real moment, as if that were now."""
    files = [SourceFile(path.name, read_file(path)) for path in expand(str(folder / "*.json.gz"))]
    quotes = load_importer("the-odds-api").convert(files).quotes
    shift = now - max(quote.scraped_at for quote in quotes)
    return [
        msgspec.structs.replace(
            quote,
            scraped_at=quote.scraped_at + shift,
            match_date=None if quote.match_date is None else quote.match_date + shift,
        )
        for quote in quotes
    ]


def moved(quotes: Sequence[Quote]) -> list[Quote]:
    """A tenth of the quotes twenty minutes on: with other prices, or none."""
    return [
        msgspec.structs.replace(
            quote,
            scraped_at=quote.scraped_at + 20 * MINUTE_MS,
            odds={name: price + 0.25 for name, price in quote.odds.items()} if number % 4 else {},
        )
        for number, quote in enumerate(quotes[::10])
    ]


def found_bets(service: RunningService) -> dict[MarketKey, list[FoundValueBet]]:
    """Value bets that hold, by what the reader says of the first markets with a reference."""
    reader = service.store.reader()
    found: dict[MarketKey, list[FoundValueBet]] = {}
    for game in reader.games_to_value(NOW - 10 * MINUTE_MS):
        for market in reader.markets_to_value(game.row):
            line = next(each.odds for each in market.prices if each.bookmaker == REFERENCE)
            found[MarketKey(game.row, market.market_type, market.period)] = [
                FoundValueBet(
                    each.bookmaker, name, price, line, line[name], price / 1.05, edge, 1.02
                )
                for each in market.prices
                for edge, (name, price) in enumerate(each.odds.items(), 2)
                if each.bookmaker != REFERENCE and name in line
            ]
        if len(found) > BETS:
            break
    return found


DATA = Path(__file__).parents[3] / "shared" / "data" / "the-odds-api"


@pytest.fixture(scope="module")
def services(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    before = NOW - 20 * MINUTE_MS
    quotes = real_quotes(DATA, before) if DATA.is_dir() else []
    quotes += many_quotes(QUOTES - len(quotes), before)
    later = moved(quotes)
    with ExitStack() as opened:
        running = [
            opened.enter_context(closing(RunningService(database)))
            for database in (
                tmp_path_factory.mktemp("file") / "odds.db",
                DatabaseUrl(postgres.url()),
            )
        ]
        for service in running:
            for now, told in ((before, quotes), (NOW, later)):
                service.now = now
                for first in range(0, len(told), BATCH):
                    service.store.record(told[first : first + BATCH]).result(60)
            bets = found_bets(service)
            service.store.replace_value_bets(bets, NOW).result(10)
        yield Services(*running)


def test_lists_of_the_present_and_the_past_are_equal(services: Services) -> None:
    for keys in (services.keys(Plan.PRO_LIVE), services.keys(Plan.FREE, "bwin")):
        for path, asked in itertools.product(LISTS, NARROWED):
            services.pages(path, keys, **asked)
    keys = services.keys(Plan.PRO_LIVE)
    for minutes in (5, 20, 60 * 24 * 30):
        at = format_ms(NOW - minutes * MINUTE_MS)
        for asked in ({"limit": 20}, {"competition": COMPETITIONS[0], "limit": 5}):
            services.pages("/api/games", keys, as_of=at, **asked)
    assert services.longest > 50_000


def test_games_and_events_are_equal(services: Services) -> None:
    keys, narrow = services.keys(Plan.PRO_LIVE), services.keys(Plan.PRO, "Bet365")
    at = format_ms(NOW - 15 * MINUTE_MS)
    games = services.pages("/api/games", keys, limit=8)
    games += services.pages("/api/games", keys, limit=8, competition=COMPETITIONS[-1])
    for game in games:
        path = f"/api/games/{game['game_id']}"
        matrix = services.ask(path, keys)
        assert matrix["data"]["match_name"] == game["match_name"]
        services.ask(path, keys, as_of=at)
        services.ask(path, keys, market_type="total", period="0")
        services.ask(path, narrow)
        services.ask(f"/api/events/{game['match_name']}", keys)
        services.ask(f"/api/events/{game['match_name']}", narrow, bookmaker=BOOKMAKERS[2])
    assert len(games) > 20


@pytest.mark.skipif(not DATA.is_dir(), reason="made-up quotes have no value: ../shared is missing")
def test_value_bets_and_the_catalogue_are_equal(services: Services) -> None:
    keys = services.keys(Plan.PRO_LIVE)
    for asked in ({"limit": 30}, {"min_ev": "3", "max_ev": "4"}, {"competition": "EPL"}):
        services.pages("/api/value-bets", keys, **asked)
    assert len(services.pages("/api/value-bets", keys, limit=10)) == 30
    for path in ("/api/sports", "/api/bookmakers", "/api/health"):
        services.ask(path, keys)
    services.ask("/api/bookmakers", keys, has_live="true")
    services.ask("/api/odds", keys, cursor="nonsense")
    services.ask("/api/odds", ["unknown", "unknown"])
