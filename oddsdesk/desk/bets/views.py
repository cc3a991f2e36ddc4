"""The views of the bets: by how they stand, and reports; and what is in each."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from oddsdesk.desk.ui.controls.placeholder import EmptyState
from oddsdesk.ledger.bets import BetState, PlacedBet
from oddsdesk.ledger.reporting import Grouping

ALL: Final = "all"
_STATES: Final = {
    BetState.OPEN.value: BetState.OPEN,
    BetState.TO_SETTLE.value: BetState.TO_SETTLE,
    BetState.SETTLED.value: BetState.SETTLED,
}


class View(NamedTuple):
    """One view, as it is listed."""

    key: str
    title: str
    grouping: Grouping | None = None
    """What its report is split by; None where it lists bets."""


LISTS: Final = (
    View(ALL, "All bets"),
    *(View(each.value, each.value.capitalize()) for each in BetState),
)
REPORTS: Final = tuple(View(f"by {each.value}", each.value.capitalize(), each) for each in Grouping)
VIEWS: Final = {view.key: view for view in (*LISTS, *REPORTS)}


def listed(bets: Iterable[PlacedBet], view: View, now_ms: int) -> list[PlacedBet]:
    """Return the bets of a view; a report is over all."""
    state = _STATES.get(view.key)
    return [bet for bet in bets if state is None or bet.state(now_ms) is state]


def counts(bets: Iterable[PlacedBet], now_ms: int) -> dict[str, int]:
    """Return how many bets each list has."""
    found = dict.fromkeys((view.key for view in LISTS), 0)
    for bet in bets:
        found[ALL] += 1
        found[bet.state(now_ms).value] += 1
    return found


def matching(bets: Iterable[PlacedBet], words: Sequence[str]) -> list[PlacedBet]:
    """Return the bets that have every word, in any of their texts."""
    if not words:
        return list(bets)
    return [bet for bet in bets if all(word in _texts(bet) for word in words)]


def state_without_bets(view: View, *, total: int, has_filter: bool) -> EmptyState:
    """Return why nothing is listed, and what to do."""
    if has_filter:
        return EmptyState("filter", "No bet has these words.", action="Show all bets")
    if not total:
        return EmptyState(
            "table",
            "No bets yet.",
            "Mark a price as placed (P in a game, the grid or the value bets), record a bet by "
            "hand, or import what another tracker exported.",
            action="Record a bet by hand…",
        )
    if view.grouping is not None:
        return EmptyState(
            "table", "No bet is settled yet.", "Reports are of settled bets, without practice."
        )
    said = {
        BetState.OPEN.value: "No bet is open.",
        BetState.TO_SETTLE.value: "No bet wants a result.",
        BetState.SETTLED.value: "No bet is settled yet.",
    }
    return EmptyState("check", said.get(view.key, "No bets in this currency."))


def _texts(bet: PlacedBet) -> str:
    texts = (
        bet.selection,
        bet.match_name,
        bet.competition,
        bet.sport,
        bet.market_type,
        bet.bookmaker,
        bet.account,
        bet.preset,
        bet.note,
        "practice" if bet.practice else "",
        "" if bet.result is None else bet.result.value.replace("_", " "),
    )
    return "\n".join(texts).casefold()
