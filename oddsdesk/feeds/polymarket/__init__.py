"""Polymarket's games and order books as quotes."""
