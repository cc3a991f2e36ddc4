"""The log of price changes and the user's bets, written to files (D74)."""
