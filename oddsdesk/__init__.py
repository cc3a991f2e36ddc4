"""oddsdesk: compare what bookmakers offer with a sharp reference, live."""

from oddsdesk.version import VERSION

__version__ = VERSION
