"""Bets that cover everything across bookmakers: arbitrage, middles, low hold."""
