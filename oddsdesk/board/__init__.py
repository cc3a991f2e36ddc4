"""What the user's desk knows, without Qt: games, prices and figures kept current."""
