"""The words that people search for, and the palette entries that they should find."""

from collections import defaultdict
from typing import Final

_VALUE_BETS: Final = "panel values"
_OPPORTUNITIES: Final = "panel opportunities"
_PROMOTIONS: Final = "panel promotions"
_MULTIPLE: Final = "action grid.multiple"
_DEVIG: Final = "setting prices/devig"
_BETS: Final = "action go.bets"
_STAKES: Final = "action values.stakes"
_CSV: Final = "action grid.export_csv"
_ALERT_RULES: Final = "action alerts.rules"
_SERVER: Final = "action server.open"

FOUND_FIRST: Final = {
    "+EV": _VALUE_BETS,
    "EV": _VALUE_BETS,
    "expected value": _VALUE_BETS,
    "edge": _VALUE_BETS,
    "no-vig": _DEVIG,
    "vig": _DEVIG,
    "vigorish": _DEVIG,
    "juice": _DEVIG,
    "margin": _DEVIG,
    "overround": _DEVIG,
    "fair odds": _DEVIG,
    "hold": _OPPORTUNITIES,
    "low hold": _OPPORTUNITIES,
    "arb": _OPPORTUNITIES,
    "arbs": _OPPORTUNITIES,
    "arbitrage": _OPPORTUNITIES,
    "surebet": _OPPORTUNITIES,
    "sure bet": _OPPORTUNITIES,
    "dutching": _OPPORTUNITIES,
    "middle": _OPPORTUNITIES,
    "middles": _OPPORTUNITIES,
    "free bet": _PROMOTIONS,
    "boost": _PROMOTIONS,
    "profit boost": _PROMOTIONS,
    "refund": _PROMOTIONS,
    "bonus": _PROMOTIONS,
    "matched betting": _PROMOTIONS,
    "qualifying bet": _PROMOTIONS,
    "parlay": _MULTIPLE,
    "accumulator": _MULTIPLE,
    "acca": _MULTIPLE,
    "bet builder": _MULTIPLE,
    "same game parlay": _MULTIPLE,
    "steam": _ALERT_RULES,
    "steam move": _ALERT_RULES,
    "notification": _ALERT_RULES,
    "telegram": _ALERT_RULES,
    "CLV": _BETS,
    "closing line": _BETS,
    "closing line value": _BETS,
    "P&L": _BETS,
    "PnL": _BETS,
    "profit": _BETS,
    "profit and loss": _BETS,
    "ROI": _BETS,
    "yield": _BETS,
    "bankroll": _STAKES,
    "bank": _STAKES,
    "stake": _STAKES,
    "staking": _STAKES,
    "Kelly": _STAKES,
    "Kelly criterion": _STAKES,
    "lay": "action app.bookmakers",
    "exchange": "action app.bookmakers",
    "commission": "action app.bookmakers",
    "limits": "action app.bookmakers",
    "reference": "setting prices/reference",
    "sharp": "setting prices/reference",
    "backtesting": "action go.backtest",
    "simulation": "action go.backtest",
    "dark mode": "action view.dark",
    "night mode": "action view.dark",
    "light mode": "action view.light",
    "theme": "setting look/scheme",
    "font size": "setting look/text_size",
    "zoom": "setting look/text_size",
    "colour blind": "action view.colour_blind",
    "color blind": "action view.colour_blind",
    "shortcuts": "action help.keys",
    "hotkeys": "action help.keys",
    "options": "action app.settings",
    "preferences": "action app.settings",
    "live odds": "action server.live",
    "feed": "action server.live",
    "api": "action server.live",
    "scraper": "action server.live",
    "API key": _SERVER,
    "backup": _SERVER,
    "restore": _SERVER,
    "import": "action server.import",
    "export": _CSV,
    "csv": _CSV,
    "download": _CSV,
    "spreadsheet": "action grid.export_xlsx",
    "excel": "action grid.export_xlsx",
    "xlsx": "action grid.export_xlsx",
    "json": "action grid.export_json",
}
"""A word or phrase, and the ident of the palette entry that comes first for it."""


def _by_entry() -> dict[str, tuple[str, ...]]:
    found = defaultdict[str, list[str]](list)
    for phrase, ident in FOUND_FIRST.items():
        found[ident].append(phrase)
    return {ident: tuple(phrases) for ident, phrases in found.items()}


_BY_ENTRY: Final = _by_entry()


def search_words(ident: str) -> tuple[str, ...]:
    """Return the words that find an entry besides its title."""
    return _BY_ENTRY.get(ident, ())
