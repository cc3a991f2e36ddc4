"""Which of the games that the service lists a bet by hand is on."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.board.games import GameEntry
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.games import teams_of

_MOST_APART_MS: Final = 6 * 60 * MINUTE_MS
"""A kick-off is typed by an announcement, and moved by hours at most."""


def listed_game(
    games: Iterable[GameEntry], name: str, competition: str, kick_off: int | None
) -> GameEntry | None:
    """Return the listed game of the same teams, however they are written.

    None where several may be meant, or the competition or kick-off that is given is another.
    """
    wanted = teams_of(name)
    found = [
        game
        for game in games
        if teams_of(game.match_name) == wanted
        and competition.casefold() in {"", game.competition.casefold()}
        and _is_near(kick_off, game.kick_off)
    ]
    return found[0] if len(found) == 1 else None


def _is_near(one: int | None, other: int | None) -> bool:
    return one is None or other is None or abs(one - other) <= _MOST_APART_MS
