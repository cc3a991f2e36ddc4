"""Live feeds: current odds of services and programs."""
