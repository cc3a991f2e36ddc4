"""Builders and helpers of tests: plain functions and classes; fixtures are in the conftests."""
