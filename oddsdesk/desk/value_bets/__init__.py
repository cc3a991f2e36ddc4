"""Prices better than fair, stakes, and what was nearly one."""
