"""The groups that a game's markets are filtered by: a chip each."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.board.matrix import Section

ALL: Final = ""
"""The key of the group that holds every market."""
_TITLES: Final = {
    "result": "Result",
    "totals": "Totals",
    "handicaps": "Handicaps",
    "props": "Props",
}
_GROUPS: Final = {
    "moneyline": "result",
    "double_chance": "result",
    "draw_no_bet": "result",
    "total": "totals",
    "team_total": "totals",
    "total_games": "totals",
    "spread": "handicaps",
    "3way_handicap": "handicaps",
    "games_handicap": "handicaps",
}
_PROPS: Final = "props"
_PERIOD: Final = "period:"


def groups_of(sections: Iterable[Section]) -> list[tuple[str, str]]:
    """Return (key, title) of the groups that sections fall in: kinds first, then periods.

    A game with one kind of market in one period needs no choice: only ``ALL`` is there.
    """
    kinds: set[str] = set()
    periods: dict[int, str] = {}
    for section in sections:
        kinds.add(_kind(section))
        periods[section.key.period] = section.period_label
    chips = [(ALL, "All markets")]
    if len(kinds) > 1:
        chips += [(kind, title) for kind, title in _TITLES.items() if kind in kinds]
    if len(periods) > 1:
        parts = sorted(period for period in periods if period)
        chips += [(f"{_PERIOD}{period}", periods[period]) for period in parts]
    return chips


def is_in_group(section: Section, group: str) -> bool:
    """Whether a section belongs to the group of that key."""
    if group.startswith(_PERIOD):
        return section.key.period == int(group.removeprefix(_PERIOD))
    return group in (ALL, _kind(section))


def _kind(section: Section) -> str:
    return _GROUPS.get(section.key.market_type, _PROPS)
