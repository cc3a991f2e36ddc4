"""A disk that is full, as the desk's records meet it."""

from collections.abc import Iterator
from contextlib import contextmanager

from oddsdesk.desk.records import Records


@contextmanager
def full_disk(records: Records) -> Iterator[None]:
    """Give the ledger no page more than it has."""
    ledger = records._ledger
    assert ledger is not None
    act = ledger._connection.execute
    (pages,) = act("PRAGMA page_count").fetchone()
    act(f"PRAGMA max_page_count = {pages}").fetchall()
    yield
    act("PRAGMA max_page_count = 1000000").fetchall()
