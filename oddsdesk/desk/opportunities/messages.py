"""What is said of the opportunities: above their list, and in its place where it is empty."""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.opportunities.model import KIND_TITLES, open_text
from oddsdesk.desk.opportunities.presets import OpportunityFilter, filter_words
from oddsdesk.desk.opportunities.rows import LegRow, open_on_a_side
from oddsdesk.desk.ui.controls.placeholder import EmptyState
from oddsdesk.desk.ui.states import NO_SERVICE, out_of_requests, refusal
from oddsdesk.desk.ui.time_format import span_text
from oddsdesk.pricing.assessment import STALE_MS
from oddsdesk.pricing.opportunities import OpportunityKind

SHOW_ALL: Final = "Show all opportunities"


def counts(rows: Collection[LegRow], hidden: int) -> Iterator[str]:
    """Yield how many there are, before that what is open; ``hidden`` are left out by the preset."""
    by_kind = Counter(row.kind for row in rows if row.is_first and not row.lacking)
    if opened := open_on_a_side(rows):
        losing = sum(row.loses for row in opened)
        of_those = f", {losing} without profit" if losing else ""
        yield f"{len(opened)} open on a side{of_those}"
    yield from (f"{by_kind[kind]} {KIND_TITLES[kind].lower()}" for kind in OpportunityKind)
    if hidden:
        yield f"{hidden} hidden"


def details(rows: Collection[LegRow], chosen: OpportunityFilter) -> Iterator[str]:
    """Yield what is told of those that are counted, as far as there is room."""
    if doubtful := sum(row.is_too_good for row in rows if row.is_first):
        yield f"{doubtful} too good"
    opened = open_on_a_side(rows)
    if len(opened) == 1:
        yield open_text(opened[0])
    yield from filter_words(chosen)


def old_text(connection: Connection, now_ms: int) -> str:
    """Say that prices are stale, as the newest of all is; empty while some may not be."""
    newest = connection.newest_ms
    if newest is None or now_ms - newest <= STALE_MS:
        return ""
    return f"prices are stale: none for {span_text(now_ms - newest)}"


def why_unknown(
    connection: Connection, now_ms: int, *, has_some: bool, has_looked: bool
) -> EmptyState | None:
    """Return why it is not known what there is, None where it is.

    ``has_some``: some were found before; ``has_looked``: all prices were looked through.
    """
    if connection.as_of_ms is not None:
        detail = "The past shows games and their prices."
        return EmptyState("table", "Opportunities are shown for now only.", detail)
    if connection.has_no_service:
        return NO_SERVICE
    if connection.link in (Link.CONNECTING, Link.STOPPED):
        return EmptyState("loading", "Reading the prices…")
    if connection.link is Link.REFUSED:
        return EmptyState("lock", *refusal(connection))
    if (lack := out_of_requests(connection)) is not None:
        return EmptyState("loading", *lack)
    if connection.is_lost and not has_some:
        why = connection.why_lost
        detail = "They are looked for again once it is known which prices stand."
        return EmptyState("offline", f"{why[0].upper()}{why[1:]}.", detail)
    if connection.has_unread_prices:
        detail = "They are looked through for bets that cover everything as they come."
        return EmptyState("loading", "Reading the prices…", detail)
    if not has_looked:
        return EmptyState("loading", "Looking through the prices…")
    if (old := old_text(connection, now_ms)) and not has_some:
        detail = "Bets that cover everything are looked for again as soon as prices come in."
        return EmptyState("offline", f"{old[0].upper()}{old[1:]}.", detail)
    return None


def why_none(
    kind: OpportunityKind | None,
    hidden: Counter[OpportunityKind],
    chosen: OpportunityFilter,
    *,
    has_others: bool,
) -> EmptyState:
    """Return why none of a kind is listed, or none at all; ``has_others``: of other kinds some."""
    if here := hidden.total() if kind is None else hidden[kind]:
        ones = "1 opportunity is" if here == 1 else f"{here} opportunities are"
        return EmptyState("filter", f"{ones} hidden by the preset.", action=SHOW_ALL)
    if kind is not None and has_others:
        sentence = f"No {KIND_TITLES[kind].lower()} now."
        return EmptyState("filter", sentence, "The other lists have some.")
    if names := chosen.bookmakers:
        sentence = f"No bets at these {len(names)} bookmakers cover everything now."
        return EmptyState("filter", sentence, action=SHOW_ALL)
    return EmptyState(
        "table",
        "No bets cover everything at 2 % or less now.",
        "They show up here by themselves, among the bookmakers that are yours.",
    )
