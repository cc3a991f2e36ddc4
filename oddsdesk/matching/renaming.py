"""Translating selections between two names of one game, whose teams are called differently."""

import re
from functools import lru_cache
from typing import Final

from oddsdesk.contract.identity import teams

_TEAM_ALONE: Final = frozenset({"moneyline", "draw_no_bet"})
_TEAM_FIRST: Final = frozenset({"spread", "3way_handicap", "games_handicap", "team_total"})
"""Market types whose selections name a team, alone or with a line after it."""
_CROSSWISE: Final = {"1x": "X2", "x2": "1X", "home": "Away", "away": "Home"}
"""What names a side by its place, where the other game has the teams the other way round."""
_LINE: Final = r"(?ai)(.+?) ((?:Over |Under )?[+-]?\d[\d.]*)"


@lru_cache(maxsize=1 << 14)
def renamed(market_type: str, said: str, stored: str, is_crosswise: bool, text: str) -> str:
    """Return a selection of the game ``said`` as the game ``stored`` has it.

    Args:
        market_type: What it is a selection of.
        said: The match name that it came with.
        stored: The match name that it is stored with; the same teams by other names.
        is_crosswise: Whether that names the teams the other way round.
        text: The selection; one that names no team stays as it is.
    """
    pair, stored_pair = teams(said), teams(stored)
    if pair is None or stored_pair is None:
        return text
    new = (stored_pair[1], stored_pair[0]) if is_crosswise else stored_pair
    names = {old.casefold(): name for old, name in zip(pair, new, strict=True)}
    if market_type in _TEAM_ALONE:
        return names.get(text.casefold(), text)
    if market_type == "double_chance":
        return _CROSSWISE.get(text.casefold(), text) if is_crosswise else text
    line = re.fullmatch(_LINE, text) if market_type in _TEAM_FIRST else None
    return text if line is None else _with_line(names, line[1], line[2], is_crosswise)


def _with_line(names: dict[str, str], subject: str, line: str, is_crosswise: bool) -> str:
    name = names.get(subject.casefold())
    if name is None and is_crosswise:
        name = _CROSSWISE.get(subject.casefold())
        if name is None and line[0] in "+-":  # a draw's line is the home team's
            line = f"{'-' if line[0] == '+' else '+'}{line[1:]}"
    return f"{name or subject} {line}"
