"""What the desk knows of the market, kept current, without Qt."""
