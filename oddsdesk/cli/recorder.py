"""What commands that record share: the store beside a running server, counts, the last line."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from oddsdesk.contract.game_results import GameResult
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.store.lock import check_in_place
from oddsdesk.store.origins import Origin
from oddsdesk.store.retention import imported_past
from oddsdesk.store.sqlite.recognition import refused
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Recorded, Skipped

TOLD_S: Final = 5.0
"""A batch that takes longer waits for other programs; it is told once."""
AGAIN_S: Final = 0.2
_WAITING: Final = (
    "waiting for the database, which other programs write to or hold;"
    " Ctrl-C ends this, and what is recorded stays"
)


class Recorder:
    """Records batches and adds up what came of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: Future[Recorded] | None = None
        self._has_told = False
        self.quotes = 0
        self.changes = 0
        self.skipped = Skipped()
        self.bad = 0

    def past_line(self, quotes: Sequence[Quote], now_ms: int) -> str | None:
        """Return what to say of quotes that are older than the database keeps its log for."""
        return imported_past(quotes, self._store.reader().keep_days(), now_ms)

    def agree_on_shift(self, own_ms: int, *, again: bool) -> int:
        """Return by how much to move times: as the first import here did (D72)."""
        return self._store.agree_on_shift(own_ms, again=again).result()

    def record(
        self, quotes: Sequence[Quote], origin: Origin | None = None, *, shifted: bool = False
    ) -> None:
        """Record one batch and wait until it is committed; see ``Store.record``."""
        if quotes:
            self._pending = self._store.record(quotes, origin=origin, shifted=shifted)
            self.collect()

    def record_results(self, results: Sequence[GameResult]) -> None:
        """Keep how games ended."""
        if results:
            self._store.record_results(results).result()

    def collect(self) -> None:
        """Wait for the batch that is being recorded, and count it."""
        if self._pending is not None:
            if not self._has_told and not wait([self._pending], TOLD_S).done:
                self._has_told = True
                click.echo(_WAITING, err=True)
            recorded = self._pending.result()
            self._pending = None
            self.quotes += recorded.quotes
            self.changes += recorded.changes
            if recorded.skipped:
                self.skipped.add_recorded(recorded, self._store.reader().are_in_log)

    def interrupt(self) -> bool:
        """Finish the batch that is being recorded unless another program holds it up.

        Return whether it is recorded.
        """
        while self._pending is not None and not wait([self._pending], AGAIN_S).done:
            self._store.stop_waiting()
        try:
            self.collect()
        except StoreUnavailableError as error:
            if error.fault is not Fault.LOCKED:
                raise
            self._pending = None
            return False
        return True

    def echo_skipped(self) -> None:
        """Say why quotes were skipped, where any were; the last line is for their number alone."""
        if (line := self.skipped.line()) is not None:
            click.echo(line, err=True)

    def count_line(self) -> str:
        """Return the last line of the command (D42)."""
        return count_line(self.quotes, self.changes, self.skipped.quotes, self.bad)


def count_line(quotes: int, changes: int, skipped: int, bad: int) -> str:
    """Return the last line of a command that reads quotes (D42)."""
    return f"quotes {quotes}, changes {changes}, skipped {skipped}, bad {bad}"


@contextmanager
def open_recorder(database: Database, *, durable: bool = False) -> Iterator[Recorder]:
    """Open the database for a command; a server may be running on it.

    What was recorded is for good when this is left, ``durable`` or not.

    Raises:
        click.ClickException: the database can't be used or written.
    """
    before = ""
    try:
        if isinstance(database, Path):
            check_in_place(database)
        telling = threading.Timer(TOLD_S, lambda: click.echo(_WAITING, err=True))
        telling.daemon = True
        telling.start()
        try:
            store = open_store(database, durable=durable, waits=True)
        finally:
            telling.cancel()
        recorder = Recorder(store)
        try:
            yield recorder
        finally:
            if recorder.quotes:
                before = (
                    f"; {recorder.quotes:,} quotes before that are recorded: run the same command"
                    " again to record the rest, nothing is recorded twice"
                )
            store.close()
    except StoreError as error:
        told = error if isinstance(database, DatabaseUrl) else refused(database, error)
        raise click.ClickException(f"{told}{before}") from error
