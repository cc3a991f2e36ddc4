"""`oddsdesk ingest`: records quotes and results from NDJSON."""

import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.file_kinds import HEAD_BYTES, QUOTES, wrong_kind
from oddsdesk.base.numbers import num
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import _, translated
from oddsdesk.cli.options import check_durable, durable_option, made_database_option
from oddsdesk.cli.terminal import STANDARD, Progress, standard_input
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, with_source
from oddsdesk.contract.series import GameSeries
from oddsdesk.feeds.files import Readable
from oddsdesk.feeds.importing import why_apart
from oddsdesk.feeds.ndjson import read_batches
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.store.lock import check_in_place
from oddsdesk.store.retention import imported_past
from oddsdesk.store.sqlite.recognition import refusal_in_words
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Origin, Recorded, Skipped

TOLD_S: Final = 5.0
"""Seconds after which the user is told, once, that other programs hold the database."""
AGAIN_S: Final = 0.2
_WAITING: Final = _(
    "waiting for the database, which other programs are using; Ctrl-C stops and "
    "keeps what is recorded"
)


class Recorder:
    """Records batches and counts the results."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: Future[Recorded] | None = None
        self._has_told = False
        self.quotes = 0
        self.changes = 0
        self.results = 0
        self.skipped = Skipped()
        self.bad = 0

    def past_line(self, quotes: Sequence[Quote], now_ms: int) -> str | None:
        """Return a warning if quotes are older than the database keeps its log."""
        return imported_past(quotes, self._store.reader().keep_days(), now_ms)

    def shift_of_import(self, own_ms: int, *, again: bool) -> int:
        """Return the time shift to use: that of the first import here."""
        return self._store.agree_on_shift(own_ms, again=again).result()

    def why_apart(self, *, shift_to_now: bool) -> str:
        """Return why an import should have another database; see ``importing.why_apart``."""
        return why_apart(self._store.reader(), shift_to_now=shift_to_now)

    def record_batch(
        self, quotes: Sequence[Quote], origin: Origin | None = None, *, shifted: bool = False
    ) -> None:
        """Record one batch and wait until it is committed; see ``Store.record``."""
        if quotes:
            self._pending = self._store.record(quotes, origin=origin, shifted=shifted)
            self.collect()

    def record_results(self, results: Sequence[GameResult], origin: Origin | None = None) -> None:
        """Record results and wait until they are committed; see ``Store.record_results``."""
        if results:
            self._store.record_results(results, origin).result()
            self.results += len(results)

    def record_series(self, series: Sequence[GameSeries], origin: Origin | None = None) -> None:
        """Record series and wait until they are committed; see ``Store.record_series``."""
        if series:
            self._store.record_series(series, origin).result()

    def recall(self, name: str) -> bytes | None:
        """Return what a command remembered here under a name; None if nothing."""
        return self._store.kept_for_feed(name).result()

    def remember(self, name: str, kept: bytes) -> None:
        """Store what a command wants to know when it runs next; it is stored on return."""
        self._store.keep_for_feed(name, kept).result()

    def collect(self) -> None:
        """Wait for the current batch and count it."""
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
        """Finish the current batch unless another program holds it up.

        Returns:
            Whether it was recorded.
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
        """Print why quotes were skipped, if any were; the last line only has their number."""
        if (line := self.skipped.in_a_line()) is not None:
            click.echo(translated(line), err=True)

    def count_line(self) -> str:
        """Return the last line of the command."""
        return count_line(self.quotes, self.changes, self.skipped.quotes, self.bad, self.results)


def count_line(quotes: int, changes: int, skipped: int, bad: int, results: int = 0) -> str:
    """Return the last line that a command about quotes prints; ``results`` only if there are."""
    text = _("quotes {quotes}, changes {changes}, skipped {skipped}, bad {bad}")
    if results:
        text = _(
            "quotes {quotes}, changes {changes}, skipped {skipped}, bad {bad}, results {results}"
        )
    counts = {"quotes": quotes, "changes": changes, "skipped": skipped}
    return text.format(bad=bad, results=results, **counts)


@contextmanager
def open_recorder(database: Database, *, durable: bool = False) -> Iterator[Recorder]:
    """Open the database for a command; a server may be running on it.

    Everything is on disk when this exits, whether ``durable`` or not.

    Raises:
        click.ClickException: the database can't be used or written.
    """
    before, count = "{reason}", 0
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
            if recorder.quotes or recorder.results:
                before = _(
                    "{reason}; {count:,} quotes before that are recorded: run the same command "
                    "again for the rest, nothing is recorded twice"
                )
                count = recorder.quotes
            store.close()
    except StoreError as error:
        told = error if isinstance(database, DatabaseUrl) else refusal_in_words(database, error)
        text = before.format(reason=translated(str(told)), count=num(count))
        raise click.ClickException(text) from error


_MOST_NAMED: Final = 20
"""How many bad lines of a file are printed."""

_INTERRUPTED: Final = _("interrupted; what was read so far is recorded")
_INTERRUPTED_WAITING: Final = _(
    "interrupted while waiting for the database; the counted quotes are recorded, "
    "run the same command again for the rest"
)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE... | -")
@made_database_option
@durable_option
def ingest(files: tuple[str, ...], database: Database, durable: bool) -> None:
    """Record quotes and results from NDJSON files.

    Files have one quote or result per line, plain or gzip; - reads standard input as it arrives. A
    quote is an odds row as /api/odds returns it. A line with a status and without odds is a result
    (docs/feeds.md). Bad lines are skipped and reported, the first 20 of a file
    one by one; the exit status is then 1. Odds of 0, 1 or null remove a selection; an empty odds
    object removes the market.

    \b
    Example:
      oddsdesk ingest quotes.ndjson.gz
      tail -f quotes.ndjson | oddsdesk ingest -
    """
    check_durable(database, durable)
    with (
        open_recorder(database, durable=durable) as recorder,
        Progress(_("quotes read")) as progress,
    ):
        try:
            unread = [name for name in files if not _ingest(name, recorder, progress)]
        except KeyboardInterrupt:
            is_whole = recorder.interrupt()
            progress.clear_line()
            click.echo(_INTERRUPTED if is_whole else _INTERRUPTED_WAITING, err=True)
            unread = list(files)
    recorder.echo_skipped()
    click.echo(recorder.count_line())
    sys.exit(1 if unread or recorder.bad else 0)


def _ingest(name: str, recorder: Recorder, progress: Progress) -> bool:
    """Record one file or stdin; return False if unreadable. Ctrl-C ends stdin."""
    try:
        if name == STANDARD:
            _record_stream("stdin", standard_input(), recorder, progress)
        else:
            path = Path(name)
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES) if path.is_file() else b""  # a pipe is read once
                if (other := wrong_kind(name, head, QUOTES)) is not None:
                    progress.clear_line()
                    click.echo(translated(other), err=True)
                    return False
                if head:
                    stream.seek(0)
                _record_stream(name, stream, recorder, progress)
    except OSError as error:
        progress.clear_line()
        text = _("cannot read {file}: {reason}")
        click.echo(text.format(file=name, reason=translated(error_text(error))), err=True)
        return False
    except KeyboardInterrupt:
        if name != STANDARD:
            raise
        if not recorder.interrupt():
            click.echo(_INTERRUPTED_WAITING, err=True)
            return False
    return True


def _record_stream(name: str, stream: Readable, recorder: Recorder, progress: Progress) -> None:
    count = 0
    try:
        for batch in read_batches(stream, system_clock):
            for bad in batch.bad[: max(0, _MOST_NAMED - count)]:
                progress.clear_line()
                text = _("{file} line {number}: {reason}")
                reason = translated(bad.reason)
                click.echo(text.format(file=name, number=bad.number, reason=reason), err=True)
            count += len(batch.bad)
            recorder.bad += len(batch.bad)
            recorder.record_batch(batch.quotes)
            recorder.record_results([with_source(each, "ingest") for each in batch.results])
            progress.count_done(len(batch.quotes) + len(batch.results))
    finally:
        if count > _MOST_NAMED:
            progress.clear_line()
            text = _("{file}: and {count:,} more bad lines")
            click.echo(text.format(file=name, count=num(count - _MOST_NAMED)), err=True)
