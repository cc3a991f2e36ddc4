"""The window and what connects its features."""
