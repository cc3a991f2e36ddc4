"""A simulated odds market: games, bookmakers and their habits."""

from oddsdesk.feeds.simulator.simulator import Simulator

__all__ = ["Simulator"]
