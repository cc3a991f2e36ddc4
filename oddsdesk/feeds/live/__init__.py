"""Live feeds: odds of services and programs, as they come (D65)."""
