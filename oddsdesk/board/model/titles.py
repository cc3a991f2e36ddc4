"""Markets, periods and ordinals in the reader's language.

The contract's own titles are English, since they go to the wire.
"""

from typing import Final

from oddsdesk.base.texts import ENGLISH, N_, PSEUDO, _, language, translated
from oddsdesk.contract.competitions import ordinal, period_label
from oddsdesk.contract.markets import market_title

_PARTS: Final = {
    "Half": _("{ordinal} Half"),
    "Quarter": _("{ordinal} Quarter"),
    "Period": _("{ordinal} Period"),
    "Set": _("{ordinal} Set"),
}


def market_name(market_type: str) -> str:
    """Return what people call a market type; an unknown type is its own name."""
    return translated(market_title(market_type))


def period_name(sport: str, period: int) -> str:
    """Return what a period is called in a sport, such as ``1st Half``."""
    label = period_label(sport, period)
    if period == 0:
        return translated(label)
    part = label.rpartition(" ")[2]
    if part in _PARTS:
        return _PARTS[part].format(ordinal=ordinal_text(period))
    return _("Period {number}").format(number=period)


def ordinal_text(number: int) -> str:
    """Return ``1st`` and so on; other languages write ``1.``."""
    return ordinal(number) if language() in (ENGLISH, PSEUDO) else f"{number}."


GAME_STATUSES: Final = (
    *(N_("scheduled"), N_("in play"), N_("final"), N_("postponed"), N_("abandoned")),
    *(N_("cancelled"), N_("retired"), N_("unknown")),
)
"""The words of ``GameStatus``; show them ``translated``."""
MARKET_TITLES: Final = (
    *(N_("Match result"), N_("Handicap"), N_("Total"), N_("Both teams to score")),
    *(N_("Double chance"), N_("Draw no bet"), N_("3-way handicap"), N_("Total games")),
    *(N_("Games handicap"), N_("Team total"), N_("Player prop"), N_("Yes or no")),
)
"""The titles of ``contract.markets``; ``market_name`` translates them."""
PERIODS: Final = (N_("Full Game"), N_("Match"), N_("Full Time"))
"""What ``period_label`` calls a whole game."""
