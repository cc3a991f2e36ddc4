"""Season files and upcoming games of football-data.co.uk as quotes."""

from oddsdesk.feeds.football_data.importer import convert

__all__ = ["convert"]
