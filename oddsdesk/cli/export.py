"""`oddsdesk export`: price changes, quotes, results, series and bets as files."""

import contextlib
import gc
import shlex
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import click
import msgspec

from oddsdesk.archive.folder import ArchiveError, LookingBack
from oddsdesk.base.clock import system_clock
from oddsdesk.base.files import NEW_FILE, OWNER_ONLY, whole_file
from oddsdesk.base.numbers import num
from oddsdesk.base.places import how_to_install
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import _, translated
from oddsdesk.cli import options
from oddsdesk.cli.own_records import open_ledger
from oddsdesk.cli.terminal import Progress, is_standard_output, output
from oddsdesk.contract.times import format_ms
from oddsdesk.research.export import (
    EXPORTS,
    Column,
    Exported,
    Format,
    RowWriter,
    TextWriter,
    described,
    export_bets,
    export_changes,
    export_quotes,
    export_results,
    export_series,
    format_of,
    known_endings,
    silences_within,
)
from oddsdesk.research.recorded_log import ALWAYS, LogOfAll
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import open_store

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_MOST_GAPS: Final = 10
_WHAT: Final = {
    "bets": _("bets"),
    "changes": _("price changes"),
    "quotes": _("quotes"),
    "results": _("results"),
    "series": _("odds of series"),
}
"""What people read for the rows of an export."""
_SCHEMA: Final = "schema.json"
_WORKBOOK: Final = ".xlsx"
_NO_PARQUET: Final = _(
    "Parquet needs pyarrow, which is not installed: {command}; or use .csv.gz or .ndjson.gz"
)


def _common(command: F) -> F:
    """Add the argument and the options that all exports share."""
    for option in (
        click.argument("target", metavar="FILE | -"),
        click.option(
            "--format",
            "how",
            type=click.Choice([each.value for each in Format]),
            help=_("File format. Default: by the ending of FILE ({endings}); NDJSON for -.").format(
                endings=known_endings()
            ),
        ),
        click.option(
            "--to",
            "before",
            callback=options.moment,
            metavar="TIME",
            help=_("Stop before this time."),
        ),
        click.option(
            "--from",
            "since",
            callback=options.moment,
            metavar="TIME",
            help=_("Start at this time: a date (midnight UTC) or a time with its offset."),
        ),
    ):
        command = option(command)
    return command


@click.group()
def export() -> None:
    """Export price changes, quotes, results, series or placed bets.

    The ending of FILE sets the format: Parquet, CSV or NDJSON; with .gz it is compressed. - is
    standard output. FILE is written completely or not at all. A Parquet file gets a schema.json
    that describes its columns.

    \b
    Example:
      oddsdesk export changes --from 2026-11-01 --to 2026-12-01 november.parquet
      oddsdesk export quotes - | oddsdesk ingest --database copy.db -
    """


@export.command()
@_common
@options.database_option
@options.archive_option
def changes(
    target: str,
    how: str | None,
    since: int | None,
    before: int | None,
    database: Database,
    archive: Path | None,
) -> None:
    """Export every price change, by the time it was scraped.

    \b
    Example:
      oddsdesk export changes --from 2026-11-20 changes.parquet
    """
    _export_log("changes", export_changes, target, how, (since, before), database, archive)


@export.command()
@_common
@options.database_option
@options.archive_option
def quotes(
    target: str,
    how: str | None,
    since: int | None,
    before: int | None,
    database: Database,
    archive: Path | None,
) -> None:
    """Export whole markets, each time they changed.

    The format is that of `oddsdesk ingest`. Results have their own export. The time at which an
    unchanged market was last seen is not included, so a backtest on this export may lack closing
    lines. For a full copy use `oddsdesk backup`.

    \b
    Example:
      oddsdesk export quotes season.ndjson.gz
    """
    _export_log("quotes", export_quotes, target, how, (since, before), database, archive)


@export.command()
@_common
@options.database_option
def results(
    target: str, how: str | None, since: int | None, before: int | None, database: Database
) -> None:
    """Export how games ended, by kick-off, one row for each source.

    \b
    Example:
      oddsdesk export results results.csv
      oddsdesk export results - | oddsdesk ingest --database copy.db -
    """
    span = _span(since, before)
    found = _read(database, lambda reader: reader.results(*span))
    sources = sorted({each.result.source for each in found})
    _export_found("results", target, how, sources, partial(export_results, found))


@export.command()
@_common
@options.database_option
def series(
    target: str, how: str | None, since: int | None, before: int | None, database: Database
) -> None:
    """Export the best and mean odds of many bookmakers, by kick-off.

    They come from files with such statistics, such as football-data's Max and Avg, and are no
    bookmaker's prices, so they are in no other export.

    \b
    Example:
      oddsdesk export series series.parquet
    """
    span = _span(since, before)
    found = _read(database, lambda reader: reader.series(*span))
    sources = sorted({each.source for each in found})
    _export_found("series", target, how, sources, partial(export_series, found))


@export.command()
@_common
@options.ledger_option()
def bets(target: str, how: str | None, since: int | None, before: int | None, path: Path) -> None:
    """Export your placed bets, by the time they were placed.

    For a workbook use `oddsdesk ledger export --to bets.xlsx`.

    \b
    Example:
      oddsdesk export bets bets.parquet
    """
    span = _span(since, before)
    with open_ledger(path) as held:
        placed = held.read_bets()
    with _writing("bets", target, how, []) as writer:
        exported = export_bets(placed, *span, writer)
    _print_exported("bets", exported, target)


def _read(database: Database, read: Callable[[Reader], list[T]]) -> list[T]:
    try:
        with contextlib.closing(open_store(database, read_only=True)) as store:
            return read(store.reader())
    except StoreError as error:
        raise click.ClickException(translated(str(error))) from error


def _export_found(
    name: str,
    target: str,
    how: str | None,
    sources: list[str],
    work: Callable[[RowWriter], Exported],
) -> None:
    with _writing(name, target, how, sources) as writer:
        exported = work(writer)
    _print_exported(name, exported, target)
    if sources:
        text = _("includes results from {sources}")
        if name == "series":
            text = _("includes series from {sources}")
        click.echo(text.format(sources=", ".join(sources)), err=True)


def _export_log(
    name: str,
    work: Callable[..., Exported],
    target: str,
    how: str | None,
    asked: tuple[int | None, int | None],
    database: Database,
    archive: Path | None,
) -> None:
    span = _span(*asked)
    options.check_archive(archive)
    try:
        with contextlib.closing(open_store(database, read_only=True)) as store:
            reader = store.reader()
            sources = reader.all_sources()
            archive = archive or named_archive(reader)
            log = LogOfAll(reader, archive)
            with (
                _without_collector(),
                Progress(_("price changes read")) as progress,
                _writing(name, target, how, sources) as writer,
            ):
                exported = work(log, *span, writer, progress.count_done)
            _print_exported(name, exported, target)
            _print_what_is_missing(reader, log, exported, archive)
            if sources:
                text = _("includes prices from {sources}")
                click.echo(text.format(sources=", ".join(sources)), err=True)
    except (StoreError, ArchiveError) as error:
        raise click.ClickException(translated(str(error))) from error


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Pause the garbage collector: rows form no cycles, and it doubled the time of an export."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _span(since: int | None, before: int | None) -> tuple[int, int]:
    """Return the start and the end of the span.

    Raises:
        click.UsageError: the end is not after the start.
    """
    span = (ALWAYS[0] if since is None else since, ALWAYS[1] if before is None else before)
    if span[0] >= span[1]:
        raise click.UsageError(_("--to must be later than --from"))
    return span


@contextlib.contextmanager
def _writing(name: str, target: str, how: str | None, sources: list[str]) -> Iterator[RowWriter]:
    """Open a writer of rows to a file, complete or not at all, or to standard output."""
    form, packed = _format(name, target, how)
    columns, words = EXPORTS[name], described(sources)
    new_mode = OWNER_ONLY if name == "bets" else NEW_FILE
    with output(target, new_mode) as file, _writer(file, columns, form, packed, words) as writer:
        yield writer
    if form is Format.PARQUET and not is_standard_output(target):
        _write_schema(Path(target).parent / _SCHEMA, words)


def _format(name: str, target: str, how: str | None) -> tuple[Format, bool]:
    found = format_of(target)
    if how is not None:
        return Format(how), target.lower().endswith(".gz")
    if is_standard_output(target):
        return Format.NDJSON, False
    if found is None:
        if target.lower().endswith(_WORKBOOK):
            raise click.UsageError(f"{target}: {_instead_of_workbook(name, target)}")
        text = _("{file}: unknown ending; use one of {endings}, or give --format")
        raise click.UsageError(text.format(file=target, endings=known_endings()))
    return found


def _instead_of_workbook(name: str, target: str) -> str:
    """Return what to do instead of exporting a workbook."""
    if name == "bets":
        text = _("for a workbook of bets use `oddsdesk ledger export {file}`")
        return text.format(file=shlex.quote(target))
    csv = f"{target[: -len(_WORKBOOK)]}.csv"
    text = _("a log can be too long for a sheet; use {file}, which spreadsheet programs open")
    return text.format(file=csv)


def _writer(
    file: BinaryIO, columns: tuple[Column, ...], form: Format, packed: bool, words: dict[str, Any]
) -> RowWriter:
    if form is not Format.PARQUET:
        return TextWriter(file, columns, form, packed=packed)
    if find_spec("pyarrow") is None:
        raise click.ClickException(
            _NO_PARQUET.format(command=translated(how_to_install("archive")))
        )
    from oddsdesk.research.parquet import ParquetWriter  # noqa: PLC0415 - an extra

    return ParquetWriter(file, columns, words)


def _write_schema(path: Path, words: dict[str, Any]) -> None:
    """Describe the columns next to a Parquet file, unless another program's file is there."""
    try:
        if path.exists() and b'"made_by": "oddsdesk"' not in path.read_bytes():
            text = _("{file} was not written by oddsdesk and is left unchanged")
            click.echo(text.format(file=path), err=True)
            return
        with whole_file(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(words), indent=2) + b"\n")
    except OSError as error:
        text = _("cannot write {file}: {reason}")
        raise click.ClickException(
            text.format(file=path, reason=translated(error_text(error)))
        ) from error


def _print_exported(name: str, exported: Exported, target: str) -> None:
    what = _WHAT[name]
    if exported.first is None or exported.last is None:
        text = _("no {rows} in that time: {file} has no rows")
        click.echo(text.format(rows=what, file=_shown(target)), err=True)
        return
    text, size = _("{count:,} {rows} of {games:,} games, {first} to {last}"), 0.0
    if not is_standard_output(target):
        with contextlib.suppress(OSError):
            size = Path(target).stat().st_size / 1e6
            text = _("{count:,} {rows} of {games:,} games, {first} to {last}, {size:,.1f} MB")
    told = text.format(
        count=num(exported.rows),
        rows=what,
        games=num(len(exported.games)),
        first=format_ms(exported.first),
        last=format_ms(exported.last),
        size=num(size),
    )
    click.echo(told, err=True)


def named_archive(reader: Reader) -> Path | None:
    """Return the archive that the database names; report one that cannot be read."""
    find = LookingBack(tell=lambda line: click.echo(translated(line), err=True))
    find(reader)
    return find.folder


def _print_what_is_missing(
    reader: Reader, log: LogOfAll, exported: Exported, archive: Path | None
) -> None:
    if log.begins_late:
        text = _("older price changes were removed from the database")
        if not archive:
            text = _(
                "older price changes were removed from the database; --archive can read them if "
                "`serve --archive` stored them"
            )
        click.echo(text, err=True)
    if not reader.holds_real_odds() and reader.is_simulated(system_clock()):
        click.echo(_("all prices in the database are simulated"), err=True)
    gaps = list(silences_within(reader, exported))
    for since, until in gaps[:_MOST_GAPS]:
        text = _("nothing was recorded {first} to {last}")
        click.echo(text.format(first=format_ms(since), last=format_ms(until)), err=True)
    if len(gaps) > _MOST_GAPS:
        text = _("and {count:,} more gaps of 10 minutes or more")
        click.echo(text.format(count=num(len(gaps) - _MOST_GAPS)), err=True)


def _shown(target: str) -> str:
    return _("standard output") if is_standard_output(target) else target
