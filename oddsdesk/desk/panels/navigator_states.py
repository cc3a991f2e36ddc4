"""What the navigator says where it has no games to list."""

from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.moments import day_text
from oddsdesk.desk.panels.refusals import refusal

FEED = "Feeds and files…"
"""Opens what the desk's own server can be fed with."""


def text_without_games(connection: Connection, *, own_server: bool) -> str:
    """Return why there are no games, and what to do; ``own_server``: it can be fed from here."""
    match connection.link:
        case Link.CONNECTING | Link.STOPPED:
            return "Reading the games…"
        case Link.REFUSED:
            return " ".join(refusal(connection)).strip()
        case Link.WAITING:
            return "Not connected. The games show up here once the service answers."
        case Link.PAST:
            return "No game had prices then. Games are listed for a day after they began."
    if own_server and connection.newest_ms is not None:
        day = day_text(connection.newest_ms)
        return f"No games with fresh odds: the newest prices here are of {day}."
    if own_server:
        return "No games with fresh odds. Start a feed or import files."
    return "No games with fresh odds now. They show up here as soon as a bookmaker is scraped."
