"""`oddsdesk ingest`: records quotes from NDJSON."""

import sys
from pathlib import Path
from typing import Final

import click

from oddsdesk.cli.options import check_durable, durable_option, made_database_option
from oddsdesk.cli.outputs import STANDARD, standard_input
from oddsdesk.cli.progress import Progress
from oddsdesk.cli.recorder import Recorder, open_recorder
from oddsdesk.clock import system_clock
from oddsdesk.feeds.ndjson import read_batches
from oddsdesk.feeds.sources import Readable
from oddsdesk.store.databases import Database

_MOST_TOLD: Final = 20
"""How many bad lines of a file are told one by one."""

_INTERRUPTED: Final = "interrupted; what was read until then is recorded"
_INTERRUPTED_WAITING: Final = (
    "interrupted while waiting for the database; what was counted is recorded, run the same"
    " command again to record the rest"
)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE... | -")
@made_database_option
@durable_option
def ingest(files: tuple[str, ...], database: Database, durable: bool) -> None:
    """Record quotes, one a line of NDJSON, plain or gzip; - reads them as they come.

    A quote is an odds row as /api/odds answers it. Bad lines are reported, the first
    20 of a file one by one, and the good ones kept; then the exit status is 1. Odds of 0, 1
    or null withdraw their selection; {} withdraws the market.

    \b
    Example:
      oddsdesk ingest quotes.ndjson.gz
      tail -f quotes.ndjson | oddsdesk ingest -
    """
    check_durable(database, durable)
    with open_recorder(database, durable=durable) as recorder, Progress("quotes read") as progress:
        try:
            unread = [name for name in files if not _ingest(name, recorder, progress)]
        except KeyboardInterrupt:
            is_whole = recorder.interrupt()
            progress.clear()
            click.echo(_INTERRUPTED if is_whole else _INTERRUPTED_WAITING, err=True)
            unread = list(files)
    recorder.echo_skipped()
    click.echo(recorder.count_line())
    sys.exit(1 if unread or recorder.bad else 0)


def _ingest(name: str, recorder: Recorder, progress: Progress) -> bool:
    """Record one file or stdin; False if it can't be read. An interrupt is the end of stdin."""
    try:
        if name == STANDARD:
            _record_stream("stdin", standard_input(), recorder, progress)
        else:
            with Path(name).open("rb") as stream:
                _record_stream(name, stream, recorder, progress)
    except OSError as error:
        progress.clear()
        click.echo(f"cannot read {name}: {error.strerror or error}", err=True)
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
            for bad in batch.bad[: max(0, _MOST_TOLD - count)]:
                progress.clear()
                click.echo(f"{name} line {bad.number}: {bad.reason}", err=True)
            count += len(batch.bad)
            recorder.bad += len(batch.bad)
            recorder.record(batch.quotes)
            progress.add(len(batch.quotes))
    finally:
        if count > _MOST_TOLD:
            progress.clear()
            click.echo(f"{name}: and {count - _MOST_TOLD:,} more bad lines", err=True)
