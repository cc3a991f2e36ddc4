"""Lines of quotes, as other programs write them."""

import json

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.times import format_ms


def quote(odds: dict[str, float], age_s: int = 0, **other: object) -> str:
    row = {
        "bookmaker": "Harbour",
        "match_name": "Everton vs Liverpool",
        "competition": "EPL",
        "market_type": "moneyline",
        "period": 0,
        "odds": odds,
        "scraped_at": format_ms(system_clock() - age_s * 1000),
    }
    return json.dumps(row | other) + "\n"


def line(bookmaker: str = "A", **changes: object) -> bytes:
    row = {
        "bookmaker": bookmaker,
        "match_name": "Home vs Away",
        "competition": "NBA",
        "market_type": "moneyline",
        "period": 0,
        "odds": {"Home": 2.0, "Away": 1.9},
        "scraped_at": "2026-04-16T19:00:00Z",
    }
    return json.dumps(row | changes).encode() + b"\n"
