"""Alerts: rules, what they find on a board, and what of that is sent."""
