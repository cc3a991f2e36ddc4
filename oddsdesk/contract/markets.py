"""Market types, in the order of the contract's table."""

from typing import Final

from oddsdesk.contract.names import folded

MARKET_TYPES: Final = (
    "moneyline",
    "spread",
    "total",
    "btts",
    "double_chance",
    "draw_no_bet",
    "3way_handicap",
    "total_games",
    "games_handicap",
    "team_total",
    "player_prop",
    "yes_no",
)

MARKET_RANK: Final = {market_type: rank for rank, market_type in enumerate(MARKET_TYPES)}

LINE_MARKETS: Final = frozenset(
    {
        "spread",
        "total",
        "team_total",
        "player_prop",
        "3way_handicap",
        "total_games",
        "games_handicap",
    }
)
"""Market types whose rows may hold several lines (D7)."""

_TITLES: Final = {
    "moneyline": "Match result",
    "spread": "Handicap",
    "total": "Total",
    "btts": "Both teams to score",
    "double_chance": "Double chance",
    "draw_no_bet": "Draw no bet",
    "3way_handicap": "3-way handicap",
    "total_games": "Total games",
    "games_handicap": "Games handicap",
    "team_total": "Team total",
    "player_prop": "Player prop",
    "yes_no": "Yes or no",
}


def market_title(market_type: str) -> str:
    """Return the name people read; an unknown type is its own title."""
    return _TITLES.get(market_type, market_type)


def market_named(text: str) -> str:
    """Return the market type that people call so; an unknown name as it is."""
    return _NAMED.get(folded(text), text)


_NAMED: Final = {
    **{
        folded(word): market_type
        for market_type, words in {
            "moneyline": "1x2, h2h, match odds, match winner, money line, full time result, result",
            "spread": "spreads, point spread, asian handicap, run line, puck line",
            "total": "totals, over/under, goals over/under, total goals, total points",
            "btts": "both to score",
            "draw_no_bet": "dnb",
            "3way_handicap": "european handicap",
            "team_total": "team totals",
            "player_prop": "player props",
        }.items()
        for word in words.split(", ")
    },
    **{folded(title): market_type for market_type, title in _TITLES.items()},
    **{folded(market_type): market_type for market_type in MARKET_TYPES},
}
"""Market types by what bookmakers and trackers call them, folded."""
