"""Sports, competitions and games to choose from."""
