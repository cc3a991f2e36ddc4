"""Small answers of The Odds API's shape, made here."""

from typing import Any

from oddsdesk.contract.times import format_ms

HOUR_MS = 3_600_000


def game(
    now_ms: int, *bookmakers: dict[str, Any], ident: str = "g1", home: str = "Arsenal", **more: Any
) -> dict[str, Any]:
    """Return a game that kicks off in two hours."""
    return {
        "id": ident,
        "sport_key": "soccer_epl",
        "commence_time": format_ms(now_ms + 2 * HOUR_MS),
        "home_team": home,
        "away_team": "Chelsea",
        "bookmakers": list(bookmakers),
        **more,
    }


def listed(*games: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what ``/events`` answers of games."""
    return [{name: each[name] for name in each if name != "bookmakers"} for each in games]


def bookmaker(now_ms: int, title: str, *markets: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a bookmaker whose prices were seen now."""
    key = title.lower().replace(" ", "")
    seen = format_ms(now_ms)
    return {"key": key, "title": title, "last_update": seen, "markets": list(markets), **more}


def h2h(
    home: float = 2.0, draw: float = 3.4, away: float = 3.8, team: str = "Arsenal"
) -> dict[str, Any]:
    """Return a market of three outcomes."""
    prices = ((team, home), ("Chelsea", away), ("Draw", draw))
    return {"key": "h2h", "outcomes": [{"name": name, "price": price} for name, price in prices]}


def totals(line: float = 2.5) -> dict[str, Any]:
    """Return a market of two outcomes."""
    sides = [{"name": name, "price": 1.9, "point": line} for name in ("Over", "Under")]
    return {"key": "totals", "outcomes": sides}
