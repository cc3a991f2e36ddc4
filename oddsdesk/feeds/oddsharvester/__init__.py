"""OddsPortal's prices, as OddsHarvester writes them, as quotes."""

from oddsdesk.feeds.oddsharvester.importer import convert

__all__ = ["convert"]
