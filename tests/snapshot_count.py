"""The value bets of the odds snapshot, counted straight from files and rules.

An authority for the tests: it shares no code with `oddsdesk.pricing`, so that a mistake
there cannot repeat itself here.
"""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

MARKETS = {"h2h": "moneyline", "spreads": "spread", "totals": "total"}
TENNIS_MARKETS = {"h2h": "moneyline", "spreads": "games_handicap", "totals": "total_games"}
OVERTIME_SPORTS = ("icehockey_", "basketball_", "baseball_", "americanfootball_")
AGE_LIMIT = timedelta(minutes=15)
Forms = dict[tuple[str, str], Counter[bool]]
"""How often a bookmaker prices three ways in a competition (True), and how often two."""


@dataclass(frozen=True)
class Found:
    """One value bet as the files give it."""

    match_name: str
    market_type: str
    selection: str
    odds: float
    ev_pct: float


@dataclass(frozen=True)
class Book:
    """One bookmaker's prices of one market: (name, point) to price."""

    key: str
    seen: datetime
    prices: dict[tuple[str, float | None], float]


def count_value_bets(files: list[Path]) -> list[Found]:
    """Return every value bet of v4 files at the moment of their newest scrape."""
    events = [event for file in files for event in json.loads(gzip.decompress(file.read_bytes()))]
    newest = max(_time(b["last_update"]) for e in events for b in e["bookmakers"])
    usual: Forms = defaultdict(Counter)
    for event in events:
        for book in _books(event, "h2h"):
            usual[event["sport_key"], book.key][_is_three_way(book)] += 1
    return [found for event in events for found in _of_event(event, usual, newest)]


def _of_event(event: dict, usual: Forms, now: datetime) -> Iterator[Found]:
    tennis = event["sport_key"].startswith("tennis_")
    for key, market_type in (TENNIS_MARKETS if tennis else MARKETS).items():
        books = list(_books(event, key))
        reference = next((book for book in books if book.key == "pinnacle"), None)
        if reference is None or now - reference.seen > AGE_LIMIT:
            continue
        for book in books:
            if book is reference or now - book.seen > AGE_LIMIT:
                continue
            otherwise = _counts_otherwise(event, usual, reference.key, book.key)
            for found, point in _of_book(event, market_type, reference, book):
                near = market_type == "spread" and point is not None and abs(point) < 1
                if not (otherwise and (near or market_type == "total")):
                    yield found


def _counts_otherwise(event: dict, usual: Forms, *keys: str) -> bool:
    """Whether overtime counts for one of two bookmakers only, as their moneylines tell (D49)."""
    if not event["sport_key"].startswith(OVERTIME_SPORTS):
        return False
    own = {book.key: _is_three_way(book) for book in _books(event, "h2h")}
    forms = set()
    for key in keys:
        counts = usual[event["sport_key"], key]
        if key in own:
            forms.add(own[key])
        elif counts[True] != counts[False]:
            forms.add(counts[True] > counts[False])
    return forms == {True, False}


def _is_three_way(book: Book) -> bool:
    return ("Draw", None) in book.prices


def _books(event: dict, key: str) -> Iterator[Book]:
    for bookmaker in event["bookmakers"]:
        for market in bookmaker["markets"]:
            if market["key"] == key:
                prices = {(o["name"], o.get("point")): o["price"] for o in market["outcomes"]}
                yield Book(bookmaker["key"], _time(bookmaker["last_update"]), prices)


def _of_book(
    event: dict, market_type: str, reference: Book, book: Book
) -> Iterator[tuple[Found, float | None]]:
    """The value bets of a bookmaker, each with its line."""
    start = _time(event["commence_time"])
    if (start <= reference.seen) != (start <= book.seen):
        return
    if market_type == "moneyline" and not _comparable(event, reference, book):
        return
    for (name, point), price in book.prices.items():
        sides = _sides(event, market_type, reference, name, point)
        if sides is None:
            continue
        ev_pct = _edge(market_type, sides, price)
        if ev_pct is not None:
            found = Found(
                f"{event['home_team']} vs {event['away_team']}",
                market_type,
                _text(market_type, name, point),
                price,
                ev_pct,
            )
            yield found, point


def _comparable(event: dict, reference: Book, book: Book) -> bool:
    """Three-way and two-way prices settle differently."""
    teams = {(event["home_team"], None), (event["away_team"], None)}
    draw = ("Draw", None)
    if event["sport_key"].startswith("soccer_") and draw not in reference.prices:
        return False
    if draw in book.prices and draw not in reference.prices:
        return False
    return not (draw in reference.prices and teams <= set(book.prices) and draw not in book.prices)


def _sides(
    event: dict, market_type: str, reference: Book, name: str, point: float | None
) -> tuple[float, list[float]] | None:
    """The reference's price of the selection and its prices of all other sides."""
    if (name, point) not in reference.prices:
        return None
    teams = [event["home_team"], event["away_team"]]
    if market_type == "moneyline":
        others = [(side, None) for side in (*teams, "Draw") if side != name]
        others = [side for side in others if side[0] != "Draw" or side in reference.prices]
    elif market_type in ("spread", "games_handicap"):
        others = [(next(team for team in teams if team != name), -point)]
    else:
        others = [("Under" if name == "Over" else "Over", point)]
    if any(side not in reference.prices for side in others):
        return None
    return reference.prices[name, point], [reference.prices[side] for side in others]


def _edge(market_type: str, sides: tuple[float, list[float]], price: float) -> float | None:
    own, others = sides
    n = 1 + len(others)
    total = 1 / own + sum(1 / other for other in others)
    fair = n * own / (n - (total - 1) * own)
    ev_pct = (price / (fair * 1.01) - 1) * 100
    payout = 1 / price + sum(1 / other for other in others)
    cap = 10 if market_type in ("moneyline", "spread") else 20
    holds = (
        1 <= ev_pct <= cap
        and 1 <= total <= 1.05
        and 0.99 <= payout <= 1.05
        and price / fair <= 1.15
    )
    return ev_pct if holds else None


def _text(market_type: str, name: str, point: float | None) -> str:
    if point is None:
        return name
    number = f"{abs(point):g}"
    if market_type in ("spread", "games_handicap"):
        return f"{name} {'-' if point < 0 else '+'}{number}"
    return f"{name} {number}"


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
