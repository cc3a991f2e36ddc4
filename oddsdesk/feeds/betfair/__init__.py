"""Betfair's order books, streamed or asked for, as quotes."""
