"""oddsdesk: compare what bookmakers offer with a sharp reference, live."""

__version__ = "0.1.0"
