"""The log gone through in its order: games as they stood, by the clock of their rows."""
