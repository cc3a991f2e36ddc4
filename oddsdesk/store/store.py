"""Opening the odds of a database."""

from collections.abc import Collection

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.store.databases import Database, DatabaseUrl, part_of_cluster
from oddsdesk.store.engine import Store
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.spans import FindOlder
from oddsdesk.store.sqlite.store import open_sqlite

__all__ = ["Store", "open_store"]


def open_store(
    database: Database,
    reference: str | None = None,
    *,
    read_only: bool = False,
    durable: bool = False,
    lock: DatabaseLock | None = None,
    share: Collection[str] | None = None,
    clock: Clock = system_clock,
    find_older: FindOlder | None = None,
    shards: int | None = None,
    waits: bool = False,
) -> Store:
    """Open the odds of a database; missing tables, and a missing file, are made.

    Args:
        database: An SQLite file, or a PostgreSQL database.
        reference: The sharp book from now on; None keeps the stored one.
        read_only: Open an existing database for reading only.
        durable: Whether each recording of a file is on the disk before its future is done;
        otherwise within a second (``docs/promises.md``). PostgreSQL uses its own settings.
        lock: The file's lock if this process holds it.
        share: Sources that readers include although their terms forbid passing on; all others of
        that kind are left out. None: nothing is left out.
        clock: The time for recordings.
        find_older: Where readers find moves that the log no longer has; None: nowhere.
        shards: The number of parts of a PostgreSQL log, fixed before the first recording; None:
        unchanged. A file has one.
        waits: Whether a recording waits without limit while another program holds the database's
        lock. Otherwise it fails after some seconds. While others record, it always waits.

    Raises:
        StoreError: the database cannot be used; one line with the reason.
    """
    if isinstance(database, DatabaseUrl):
        opened: Store = part_of_cluster("store")(
            database.url,
            reference,
            read_only=read_only,
            share=share,
            clock=clock,
            find_older=find_older,
            shards=shards,
            waits=waits,
        )
        return opened
    return open_sqlite(
        database,
        reference,
        read_only=read_only,
        durable=durable,
        lock=lock,
        share=share,
        clock=clock,
        find_older=find_older,
        waits=waits,
    )
