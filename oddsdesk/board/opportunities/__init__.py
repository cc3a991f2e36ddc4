"""Opportunities."""
