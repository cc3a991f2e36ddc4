"""Alerts at the desk: what was sent and held back, notifications, and the rules."""
