"""What recordings of live sources hold, counted by json alone: no code of the adapters."""

import itertools
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Prices = dict[tuple[str, str, str, str], float]
"""Odds by game, bookmaker, market type and selection."""

_ODDS_API_MARKETS = {"h2h": "moneyline", "spreads": "spread", "totals": "total"}
_TIMES = re.compile(r'"(commence_time|last_update)": ?"[^"]*"')


def in_two_hours() -> str:
    """Return a time that is the same for all who ask within one run of a test, nearly always."""
    return _text((datetime.now(UTC) + timedelta(hours=2)).replace(minute=0, second=0))


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def read(path: Path) -> Any:
    """Return what a file of JSON holds."""
    return json.loads(path.read_text())


def odds_api_of_now(path: Path) -> Any:
    """Return a recorded answer as if it were of now; nothing else of it is changed."""
    times = {"commence_time": in_two_hours(), "last_update": _text(datetime.now(UTC))}
    text = _TIMES.sub(lambda found: f'"{found[1]}": "{times[found[1]]}"', path.read_text())
    return json.loads(text)


def of_odds_api(games: Iterable[dict[str, Any]]) -> Prices:
    """Count games of The Odds API, whose recordings have American odds."""
    found: Prices = {}
    for game in games:
        name = f"{game['home_team']} vs {game['away_team']}"
        for book in game["bookmakers"]:
            for market in book["markets"]:
                kind = _ODDS_API_MARKETS.get(market["key"], "player_prop")
                for outcome in market["outcomes"]:
                    key = (name, book["title"], kind, _odds_api_selection(market["key"], outcome))
                    american = outcome["price"]
                    won = american / 100 if american > 0 else 100 / -american
                    found[key] = 1 + won
    return found


def _odds_api_selection(market: str, outcome: dict[str, Any]) -> str:
    match market:
        case "h2h":
            return str(outcome["name"])
        case "spreads":
            return f"{outcome['name']} {outcome['point']:+g}"
        case "totals":
            return f"{outcome['name']} {outcome['point']:g}"
    prop = market.removeprefix("player_").replace("_", " ")
    return f"{outcome['description']} {prop} {outcome['name']} {outcome['point']:g}"


def of_kalshi(markets: Iterable[dict[str, Any]]) -> Prices:
    """Count who wins a game; a Yes costs what the best bid for No leaves of a dollar."""
    found: Prices = {}
    for market in markets:
        if market["ticker"].startswith("KXMVE"):
            continue
        game = market["title"].removesuffix(" Winner?")
        selection = {"Tie": "Draw"}.get(market["yes_sub_title"], market["yes_sub_title"])
        found[game, "Kalshi", "moneyline", selection] = 1 / (1 - float(market["no_bid_dollars"]))
    return found


def best_ask(book: dict[str, Any]) -> float | None:
    """Return the least ask of a book of Polymarket."""
    return min((float(level["price"]) for level in book["asks"]), default=None)


def best_back(runner: dict[str, Any]) -> float:
    """Return the best price at which a runner of Betfair can be backed."""
    return float(max(level["price"] for level in runner["ex"]["availableToBack"]))


def renamed(prices: Prices, way: str) -> Prices:
    """Return the same prices of bookmakers that are named after the way that they come."""
    return {(game, f"{book} by {way}", *rest): odds for (game, book, *rest), odds in prices.items()}  # type: ignore[misc]


def as_lines(prices: Prices, competition: str) -> list[str]:
    """Return prices as lines of quotes of now, a market a line."""
    now, kick_off = _text(datetime.now(UTC)), in_two_hours()
    lines = []
    for (game, book, market), keys in itertools.groupby(sorted(prices), lambda key: key[:3]):
        row = {
            "bookmaker": book,
            "match_name": game,
            "competition": competition,
            "market_type": market,
            "period": 0,
            "odds": {key[3]: prices[key] for key in keys},
            "scraped_at": now,
            "match_date": kick_off,
        }
        lines.append(json.dumps(row))
    return lines


def of_rows(rows: Iterable[dict[str, Any]]) -> Prices:
    """Return the odds rows of a service as prices."""
    return {
        (row["match_name"], row["bookmaker"], row["market_type"], selection): odds
        for row in rows
        for selection, odds in row["odds"].items()
    }
