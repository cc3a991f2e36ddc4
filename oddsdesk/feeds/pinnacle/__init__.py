"""Pinnacle's v3 odds and fixtures as quotes."""

from oddsdesk.feeds.pinnacle.importer import convert

__all__ = ["convert"]
