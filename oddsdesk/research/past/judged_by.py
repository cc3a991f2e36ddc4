"""Opening a database to go through its log, judged by whom somebody names."""

from oddsdesk.board.reference import CONSENSUS
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.store.databases import Database
from oddsdesk.store.store import Store, open_store


def open_judged(database: Database, said: str | None) -> tuple[Store, str]:
    """Return the database, opened for reading only, and the name of the reference.

    Args:
        database: Which one.
        said: A bookmaker, ``consensus`` for what all say together (D60), nothing for the
            database's own reference.

    Raises:
        StoreError: it cannot be used.
    """
    named = (said or "").strip()
    is_pooled = named.casefold() == CONSENSUS
    store = open_store(database, None if is_pooled else named or None, read_only=True)
    return store, CONSENSUS_TITLE if is_pooled else store.reference
