"""Panels of the window: each knows a board."""
