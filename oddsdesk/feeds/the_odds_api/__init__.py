"""Answers of The Odds API v4 as quotes."""

from oddsdesk.feeds.the_odds_api.importer import convert

__all__ = ["convert"]
