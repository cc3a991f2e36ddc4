"""Which bookmakers' bets count overtime, concluded from their moneylines (D49)."""

from collections import Counter, defaultdict
from collections.abc import Hashable

from oddsdesk.board.reference import Renaming, renamed
from oddsdesk.pricing.assessment import OVERTIME_SPORTS, usual_form

_Bookmaker = str | None
"""None is the reference."""


class OvertimeForms:
    """Whether a bookmaker's bets of a game count overtime.

    By its moneyline of the game; without one, by most of its moneylines in the competition.
    """

    def __init__(self) -> None:
        self._of_game: dict[tuple[Hashable, _Bookmaker], bool] = {}
        self._usual: defaultdict[tuple[str, _Bookmaker], Counter[bool]] = defaultdict(Counter)

    def note(
        self, game: Hashable, competition: str, bookmaker: _Bookmaker, form: bool | None
    ) -> bool:
        """Take in what a moneyline of the game tells, None where it does not; tell if it is new."""
        held = self._of_game.get((game, bookmaker))
        if held == form:
            return False
        usual = self._usual[competition, bookmaker]
        if held is not None:
            usual[held] -= 1
        if form is None:
            del self._of_game[game, bookmaker]
        else:
            usual[form] += 1
            self._of_game[game, bookmaker] = form
        return True

    def rename(self, renaming: Renaming) -> None:
        """Keep what is known under other keys, once others are the reference's."""
        moved = {key: (key[0], renaming[key[1]]) for key in self._of_game if key[1] in renaming}
        self._of_game = renamed(self._of_game, moved)
        usual = {key: (key[0], renaming[key[1]]) for key in self._usual if key[1] in renaming}
        self._usual = defaultdict(Counter, renamed(self._usual, usual))

    def of(
        self, game: Hashable, competition: str, sport: str, bookmaker: _Bookmaker
    ) -> bool | None:
        """Return whether overtime counts; None where nothing tells, or as many say either."""
        if sport not in OVERTIME_SPORTS:
            return None
        own = self._of_game.get((game, bookmaker))
        if own is not None:
            return own
        return usual_form(self._usual.get((competition, bookmaker), Counter()))
