"""The user's bets: open and settled, and what came of them."""
