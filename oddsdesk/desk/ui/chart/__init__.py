"""The step chart."""
