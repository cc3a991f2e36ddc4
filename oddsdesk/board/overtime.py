"""Which bookmakers' bets count overtime, concluded from their moneylines (D49)."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from oddsdesk.board.quotes import BookQuote
from oddsdesk.pricing.assessment import OVERTIME_SPORTS, counts_overtime, usual_form


class OvertimeForms:
    """Whether a bookmaker's bets of a game count overtime.

    By its moneyline of the game; without one, by most of its moneylines in the competition.
    """

    def __init__(self, quotes: Iterable[BookQuote]) -> None:
        self._of_game: dict[tuple[str, str], bool] = {}
        self._usual: defaultdict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
        for quote in quotes:
            if quote.market_type != "moneyline" or quote.period != 0:
                continue
            form = counts_overtime(quote.sport, quote.sides())
            if form is not None:
                self._of_game[quote.game_id, quote.bookmaker] = form
                self._usual[quote.competition, quote.bookmaker][form] += 1

    def of(self, quote: BookQuote) -> bool | None:
        """Return it for the quote's bookmaker and game; None without moneylines, and for a tie."""
        if quote.sport not in OVERTIME_SPORTS:
            return None
        own = self._of_game.get((quote.game_id, quote.bookmaker))
        if own is not None:
            return own
        return usual_form(self._usual.get((quote.competition, quote.bookmaker), Counter()))
