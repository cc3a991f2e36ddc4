"""What the odds grid says of its reading, and where it has no rows to show."""

from oddsdesk.board.connection import Connection, Link, SnapshotProgress
from oddsdesk.desk.ui.controls.placeholder import EmptyState
from oddsdesk.desk.ui.states import FEED, NO_SERVICE, nearest_text, out_of_requests, refusal
from oddsdesk.desk.ui.time_format import day_text, local_time, span_text

CLEAR, CONTINUE = "Clear all filters", "Continue reading"


def state_without_rows(
    connection: Connection,
    snapshot_progress: SnapshotProgress,
    total: int,
    now_ms: int,
    *,
    own_server: bool = False,
) -> EmptyState:
    """Return why no row is shown; ``total``: how many there are without the filter.

    ``own_server``: the service is the desk's own and can be fed from here.
    """
    if total:
        return EmptyState("filter", "No row matches the filter.", f"{total:,} without it.", CLEAR)
    if connection.link is Link.REFUSED:
        return EmptyState("lock", *refusal(connection))
    if (lack := out_of_requests(connection)) is not None:
        return EmptyState("loading", *lack)
    if connection.link is Link.WAITING:
        return EmptyState("offline", "Not connected.", _since(connection, now_ms))
    if connection.has_no_service:
        return NO_SERVICE
    if connection.link is Link.PAST and snapshot_progress.finished_at is not None:
        return EmptyState("table", "No prices are known of that moment.", nearest_text(connection))
    if connection.link is Link.PAST:
        return EmptyState(
            "loading", "Reading the prices of that moment…", "They show up game by game."
        )
    if snapshot_progress.is_paused:
        return EmptyState("table", "Reading is stopped.", "No price was read before.", CONTINUE)
    if (
        snapshot_progress.finished_at is not None
        and own_server
        and connection.newest_ms is not None
    ):
        day = day_text(connection.newest_ms)
        detail = f"The newest here are of {day}: Games of a date (Ctrl+J) shows them."
        return EmptyState("table", "No fresh prices.", detail, FEED)
    if snapshot_progress.finished_at is not None and own_server:
        detail = "Get live odds, or import files (Ctrl+I): they show up here."
        return EmptyState("table", "No prices yet.", detail, FEED)
    if snapshot_progress.finished_at is not None:
        return EmptyState(
            "table",
            "The service has no prices now.",
            "They show up here as soon as a bookmaker is scraped.",
        )
    return EmptyState("loading", "Reading all prices…", "They show up here slice by slice.")


def _since(connection: Connection, now_ms: int) -> str:
    parts = [connection.reason or ""]
    if connection.since_ms is not None:
        parts.append(f"since {local_time(connection.since_ms):%H:%M:%S}")
    if connection.next_try_ms is not None:
        left = connection.next_try_ms - now_ms
        parts.append(f"next try in {span_text(left)}" if left > 0 else "trying again")
    return ", ".join(part for part in parts if part)


def reading_text(snapshot_progress: SnapshotProgress) -> str:
    """Return how far the reading of all prices is; empty once it was whole."""
    if snapshot_progress.is_paused:
        return "reading stopped"
    if snapshot_progress.finished_at is not None or snapshot_progress.slices_done == 0:
        return ""
    of = f" of {snapshot_progress.slices_total}" if snapshot_progress.slices_total else ""
    return f"reading slice {snapshot_progress.slices_done}{of}"


def live_text(connection: Connection) -> str:
    """Return what the plan leaves out of the grid; empty where nothing is known to be."""
    return "in-play prices are not in your plan" if connection.has_live is False else ""
