"""The selections of a market: their order (D7) and the line groups they form (D27)."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from oddsdesk.pricing.outcomes import (
    AWAY,
    DRAW,
    HOME,
    NO,
    OVER,
    UNDER,
    YES,
    Outcome,
    read_selection,
)

_TWO_TEAMS: Final = (HOME, AWAY)
_THREE_WAY: Final = (HOME, DRAW, AWAY)
_OVER_UNDER: Final = (OVER, UNDER)
_YES_NO: Final = (YES, NO)
_COMPLETE: Final = {
    "moneyline": (_TWO_TEAMS, _THREE_WAY),
    "spread": (_TWO_TEAMS,),
    "total": (_OVER_UNDER,),
    "btts": (_YES_NO,),
    "draw_no_bet": (_TWO_TEAMS,),
    "3way_handicap": (_THREE_WAY,),
    "total_games": (_OVER_UNDER,),
    "games_handicap": (_TWO_TEAMS,),
    "team_total": (_OVER_UNDER,),
    "player_prop": (_OVER_UNDER,),
    "yes_no": (_YES_NO,),
}
"""By market type, the sides of a complete line group. None for ``double_chance``: they overlap."""


class LineGroup(NamedTuple):
    """The selections of a market that settle against each other, in the order of D7."""

    key: str
    """Stable within the market: ``""``, ``2.5``, ``-1.5`` = home line, ``Home 1.5``,
    ``Messi shots 2.5``; text that fits no form stands alone under ``<text> ?``."""
    line: float | None
    selections: tuple[str, ...]
    sides: tuple[str, ...]
    """What each selection bets on: ``home``, ``draw``, ``away``, ``over``, ...; no sides
    where the text fits no form."""
    complete: bool
    """All sides that settle against each other are there, once, and do not overlap; and of
    ``yes_no`` the question is told: who says no more than yes or no may mean any."""


def order_selections(market_type: str, match_name: str, selections: Iterable[str]) -> list[str]:
    """Return the selections in the field's order (D7), text that fits no form last."""
    return [text for _, text, _ in _ordered(market_type, match_name, selections)]


def line_groups(
    market_type: str, match_name: str, selections: Iterable[str], sport: str
) -> tuple[LineGroup, ...]:
    """Return the line groups of a market, in the order of D7."""
    read: dict[str, list[tuple[str, Outcome]]] = {}
    unread = []
    for _, text, outcome in _ordered(market_type, match_name, selections):
        if outcome is None:
            unread.append(text)
        else:
            read.setdefault(outcome.key, []).append((text, outcome))
    forms = complete_forms(market_type, sport, doubtful=bool(unread))
    groups = [
        _group(key, members, forms if key or market_type != "yes_no" else ())
        for key, members in read.items()
    ]
    groups += [LineGroup(f"{text} ?", None, (text,), (), False) for text in unread]
    return tuple(groups)


def outcome_counts(market_type: str, sport: str) -> tuple[int, ...]:
    """Return the numbers of outcomes N that a complete line group may have (D27).

    Two numbers where the sport is played with and without a draw.
    """
    forms = complete_forms(market_type, sport)
    return tuple(len(form) for form in forms)


def complete_forms(
    market_type: str, sport: str, *, doubtful: bool = False
) -> tuple[tuple[str, ...], ...]:
    """Return the sides that make a group complete; several forms where there may be a draw.

    Football's moneyline is three-way (D27). Elsewhere an unread selection beside the two
    teams may be the draw under another name: then two teams are not surely all.
    """
    forms = _COMPLETE.get(market_type, ())
    if market_type == "moneyline" and (sport == "Football" or doubtful):
        return (_THREE_WAY,)
    return forms


def _group(
    key: str, members: list[tuple[str, Outcome]], forms: tuple[tuple[str, ...], ...]
) -> LineGroup:
    sides = tuple(outcome.side for _, outcome in members)
    texts = tuple(text for text, _ in members)
    return LineGroup(key, members[0][1].line, texts, sides, sides in forms)


_LAST: Final = (1, "", 0.0, 0)


def _ordered(
    market_type: str, match_name: str, selections: Iterable[str]
) -> list[tuple[tuple[int, str, float, int], str, Outcome | None]]:
    entries: list[tuple[tuple[int, str, float, int], str, Outcome | None]] = []
    for text in selections:
        outcome = read_selection(market_type, match_name, text)
        entries.append((_LAST if outcome is None else (0, *outcome.rank), text, outcome))
    entries.sort()
    return entries
