"""Dialogs: each asks for one thing and never holds up the window."""
