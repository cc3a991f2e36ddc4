"""Importing files into the database that is being served: once, on a thread of its own."""

import logging
from collections.abc import Sequence
from typing import Final

from oddsdesk.clock import Clock
from oddsdesk.contract.administration import ImportOutcome
from oddsdesk.store.origins import origin_named
from oddsdesk.store.reader import LONGEST_WINDOW_MS
from oddsdesk.store.retention import imported_past
from oddsdesk.store.store import Store
from oddsdesk.store.values import Skipped

BATCH_QUOTES: Final = 2_000
_REMEDY: Final = "moving all times to now would take them"
_REMEDY_AGAIN: Final = (
    "all times were moved as those of the first files were; `oddsdesk import --shift-to-now=again`"
    " moves the newest of a file to now"
)

_log = logging.getLogger(__name__)


def import_files(
    store: Store, clock: Clock, format_name: str, places: Sequence[str], *, shift_to_now: bool
) -> ImportOutcome:
    """Convert files and record what they hold; blocks until that is done.

    ``shift_to_now`` moves all times by the same span: that which moved the newest price of the
    database's first import with it to the present (D72).

    Raises:
        StoreError: the database cannot be written, or was closed meanwhile.
    """
    from oddsdesk.feeds.importing import (  # noqa: PLC0415 - 25 ms the desk saves at its start
        american_line,
        leave_out_future,
        leave_out_over,
        read_files,
        set_times,
        shift_to,
    )

    imported = read_files(format_name, places, lambda _prices: None)
    leave_out_over(imported, clock())
    shift = None
    if shift_to_now and imported.quotes:
        own = shift_to(imported, clock())
        shift = store.agree_on_shift(own).result()
    set_times(imported, clock(), shift)
    leave_out_future(imported, clock(), _REMEDY_AGAIN if shift_to_now else _REMEDY)
    past = imported_past(imported.quotes, store.reader().keep_days(), clock())
    newest = imported.quotes[-1].scraped_at if imported.quotes else None
    quotes = changes = 0
    skipped = Skipped()
    for start in range(0, len(imported.quotes), BATCH_QUOTES):
        batch = imported.quotes[start : start + BATCH_QUOTES]
        told = store.record(batch, origin=origin_named(format_name), shifted=imported.shifted)
        recorded = told.result()
        quotes += recorded.quotes
        changes += recorded.changes
        if recorded.skipped:
            skipped.add_recorded(recorded, store.reader().are_in_log)
    imported.skip_older(skipped.prices, there=skipped.prices_there)
    store.record_results(imported.results).result()
    notes = (past, american_line(imported), skipped.line())
    _log.info("imported %s: %d quotes, %d changes", ", ".join(places), quotes, changes)
    return ImportOutcome(
        kept=imported.kept,
        skipped=dict(imported.skipped.most_common()),
        problems=imported.problems,
        quotes=quotes,
        changes=changes,
        notes=[note for note in notes if note],
        newest_ms=newest,
        is_past=newest is not None and newest < clock() - LONGEST_WINDOW_MS,
        inferred_times=imported.inferred_times,
    )
