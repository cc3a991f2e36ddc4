"""Names of markets, periods, sports and files for people; the contract has the English.

They are listed here so that they can be translated.
"""

from typing import Final

from oddsdesk.base.texts import N_, translated
from oddsdesk.contract.competitions import period_label, sport_title
from oddsdesk.contract.markets import market_title

LISTED: Final = (
    *(N_("Match result"), N_("Handicap"), N_("Total"), N_("Both teams to score")),
    *(N_("Double chance"), N_("Draw no bet"), N_("3-way handicap"), N_("Total games")),
    *(N_("Games handicap"), N_("Team total"), N_("Player prop"), N_("Yes or no")),
    *(N_("Full Time"), N_("Full Game"), N_("Match"), N_("1st Half"), N_("2nd Half")),
    *(N_("1st Quarter"), N_("2nd Quarter"), N_("3rd Quarter"), N_("4th Quarter")),
    *(N_("1st Period"), N_("2nd Period"), N_("3rd Period"), N_("Period {number}")),
    *(N_("1st Set"), N_("2nd Set"), N_("3rd Set"), N_("4th Set"), N_("5th Set")),
    *(N_("Football"), N_("Basketball"), N_("Tennis"), N_("Hockey"), N_("Baseball")),
    *(N_("American football"), N_("Rugby"), N_("Other")),
)


FILES: Final = (
    *(N_("Betfair's historical data (bz2)"), N_("Pinnacle's odds and fixtures")),
    *(N_("OddsPortal through OddsHarvester (JSON, CSV)"), N_("Scores of any origin (CSV, XLSX)")),
)
"""Titles of the formats of files that can be imported, if they have words."""


def market_text(market_type: str) -> str:
    """Return the name of a market; an unknown type is its own name."""
    return translated(market_title(market_type))


def period_text(sport: str, period: int) -> str:
    """Return what a period is called in a sport, such as ``1st Half``."""
    return translated(period_label(sport, period))


def sport_text(sport: str) -> str:
    """Return a sport as people write it."""
    return translated(sport_title(sport))
