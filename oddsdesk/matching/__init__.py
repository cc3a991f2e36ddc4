"""Finds out which names mean the same team and which games are the same."""
