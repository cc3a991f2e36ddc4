"""What every feed of oddsdesk has to stand, with one answer of the shop."""

from cornershop import CornerShop

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.live.conformance import check_feed

GAMES = b"""[{"home": "Arsenal", "away": "Chelsea", "league": "EPL",
              "starts": "2031-01-04T15:00:00Z", "prices": [2.1, 3.4, 3.8]}]"""


def test_it_is_a_feed() -> None:
    """It reads the answer, and stands what services answer on bad days."""
    (quote,) = check_feed(CornerShop, "cornershop:football", {"/games/football": GAMES})
    assert isinstance(quote, Quote)
    assert quote.odds == {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.8}
