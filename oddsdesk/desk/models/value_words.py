"""What the value list says of a bet when asked: its price, how old, why it is worth so much."""

from collections.abc import Iterator
from typing import Final

from oddsdesk.board.explanation_text import method_title
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.last_seen import LastSeen
from oddsdesk.board.value_entry import Standing, ValueEntry
from oddsdesk.desk.models.figures import exact_odds_text, signed_text, window_text
from oddsdesk.desk.moments import local_time, span_text

_FALLEN: Final = {
    Standing.WITHDRAWN: "Gone: the bookmaker offers this price no more",
    Standing.MOVED: "Gone: prices moved since, and this one lies outside its window now",
    Standing.NO_REFERENCE: "Gone: the reference offers its price no more",
    Standing.OTHER_STATE: "Not compared: one of bookmaker and reference is in play, one is not",
}
_OLD: Final = {
    Freshness.STALE: "stale: not read for several of the bookmaker's turns",
    Freshness.DEAD: "dead: not read for ten minutes",
}


def bet_tip(entry: ValueEntry, seen: LastSeen, now_ms: int) -> str:
    """Return all that is known of a bet, columns that have no room included."""
    return "\n".join(_facts(entry, seen, now_ms))


def why_no_stake(entry: ValueEntry, seen: LastSeen) -> str:
    """Return why nothing should be staked on a bet now, empty where something may."""
    if entry.standing is not Standing.HOLDS:
        return f"No stake. {_FALLEN[entry.standing]}."
    if seen.freshness >= Freshness.STALE:
        return f"No stake: the price is {_OLD[seen.freshness]}."
    return ""


def method_note(entry: ValueEntry, method: str) -> str:
    """Return by which method a true EV is, where it is not the user's; else nothing."""
    if entry.true_ev is None or entry.method == method:
        return ""
    return (
        f"True EV by {_name(entry.method)}: {_name(method)} needs the prices of all outcomes, "
        "which are read while the game is open"
    )


def _facts(entry: ValueEntry, seen: LastSeen, now_ms: int) -> Iterator[str]:
    bet = entry.bet
    yield f"{bet.selection} at {bet.bookmaker}: {exact_odds_text(entry.odds)}"
    if entry.standing is not Standing.HOLDS:
        yield _FALLEN[entry.standing]
    yield (
        f"Reference {exact_odds_text(bet.reference_odds)}, "
        f"its margin {(bet.payout_rate - 1) * 100:.2f} %"
    )
    if entry.odds != bet.odds:
        yield f"The service lists it at {exact_odds_text(bet.odds)}"
    yield f"Service EV {signed_text(bet.ev_pct)} %"
    yield f"Window {window_text(entry.value_from, entry.suspicious_above)}"
    if bet.liquidity is not None:
        yield f"The reference takes up to {bet.liquidity:,.0f}"
    yield seen_text(seen, now_ms)
    yield f"Detected {local_time(entry.detected_at):%H:%M:%S}"


def seen_text(seen: LastSeen, now_ms: int) -> str:
    """Return when a price was last seen, in a sentence."""
    ago = span_text(now_ms - seen.at)
    old = f", {_OLD[seen.freshness]}" if seen.freshness in _OLD else ""
    if seen.is_known:
        return f"Seen {ago} ago{old}"
    return f"Listed {ago} ago{old}; when the bookmaker was read is told once the game is open"


def _name(method: str) -> str:
    return method_title(method).lower()
