"""What value bets would have earned (D63)."""
