"""How a price moved."""
