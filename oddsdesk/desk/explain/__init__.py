"""The arithmetic of one price."""
