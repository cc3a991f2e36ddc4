"""The time line: at which moment of the log the desk stands, and going to another (D73)."""
