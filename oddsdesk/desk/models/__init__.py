"""Qt item models over the board."""
