"""Which names are one team's, and which games are one: for odds, and for results (D69)."""
