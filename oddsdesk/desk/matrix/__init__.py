"""One game: a row a selection, a column a bookmaker."""
