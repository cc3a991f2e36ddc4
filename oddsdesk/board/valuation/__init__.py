"""Valuation."""
