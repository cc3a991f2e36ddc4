"""Opening a database to go through its log, judged and closed by whom somebody names."""

import contextlib
from typing import NamedTuple

from oddsdesk.board.reference import CONSENSUS
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.store.databases import Database
from oddsdesk.store.store import Store, open_store


class Opened(NamedTuple):
    """A database whose reference is the close's, unless a consensus is that."""

    store: Store
    reference: str
    """Who prices are judged by: a bookmaker as the database writes it, or ``CONSENSUS_TITLE``."""
    close: CloseBy
    """With its reference by name."""


def open_judged(database: Database, said: str | None, close: CloseBy) -> Opened:
    """Return the database, opened for reading only, with the names of both references.

    Args:
        database: Which one.
        said: Who judges prices: a bookmaker, ``consensus`` for what all say together (D60), nothing
            for the database's own reference.
        close: Whose closing line CLV is by, in the same words, and its devig method (D117).

    Raises:
        StoreError: it cannot be used.
    """
    judge, closer = _named(said), _named(close.reference)
    reference = CONSENSUS_TITLE
    if judge != CONSENSUS_TITLE:
        with contextlib.closing(open_store(database, judge or None, read_only=True)) as judged:
            reference = judged.reference
    is_pooled = closer == CONSENSUS_TITLE
    store = open_store(database, None if is_pooled else closer or None, read_only=True)
    by = CONSENSUS_TITLE if is_pooled else store.reference
    return Opened(store, reference, close._replace(reference=by))


def _named(said: str | None) -> str:
    name = (said or "").strip()
    is_pooled = name.casefold() in (CONSENSUS, CONSENSUS_TITLE.casefold())
    return CONSENSUS_TITLE if is_pooled else name
