"""Bookmakers' promotions: the user's offers, and the best ways to use them."""
