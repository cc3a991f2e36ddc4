"""`oddsdesk export`: price changes, quotes and bets into files (D74)."""

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

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.archive.looking_back import LookingBack
from oddsdesk.cli.moments import moment
from oddsdesk.cli.options import archive_option, check_archive, database_option, ledger_option
from oddsdesk.cli.outputs import is_standard_output, output
from oddsdesk.cli.progress import Progress
from oddsdesk.clock import system_clock
from oddsdesk.contract.times import format_ms
from oddsdesk.installed import how_to_install
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.private_files import OWNER_ONLY
from oddsdesk.research.export.columns import EXPORTS, Column, described
from oddsdesk.research.export.exporting import (
    Exported,
    export_bets,
    export_changes,
    export_quotes,
    silences_within,
)
from oddsdesk.research.export.formats import (
    Format,
    RowWriter,
    TextWriter,
    format_of,
    known_endings,
)
from oddsdesk.research.export.log import ALWAYS, LogOfAll
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import open_store
from oddsdesk.whole_files import NEW_FILE, whole_file

F = TypeVar("F", bound=Callable[..., Any])

_MOST_GAPS: Final = 10
_SCHEMA: Final = "schema.json"
_WORKBOOK: Final = ".xlsx"
_NO_PARQUET: Final = (
    "Parquet needs pyarrow, which is not installed: {}; or write .csv.gz or .ndjson.gz"
)


def _common(command: F) -> F:
    """Add the argument and the options that every export has."""
    for option in (
        click.argument("target", metavar="FILE | -"),
        click.option(
            "--format",
            "how",
            type=click.Choice([each.value for each in Format]),
            help=f"Default: by the ending of FILE ({known_endings()}); NDJSON for -.",
        ),
        click.option(
            "--to", "before", callback=moment, metavar="TIME", help="Only before this time."
        ),
        click.option(
            "--from",
            "since",
            callback=moment,
            metavar="TIME",
            help="Only from this time on: a date, which is its midnight in UTC, or a time with its"
            " offset.",
        ),
    ):
        command = option(command)
    return command


@click.group()
def export() -> None:
    """Write price changes, quotes or placed bets as Parquet, CSV or NDJSON.

    The format goes by the ending of FILE, packed with gzip where that is .gz; - is standard output.
    A file is there whole or not at all. Beside Parquet, schema.json says what the columns hold.

    \b
    Example:
      oddsdesk export changes --from 2026-11-01 --to 2026-12-01 november.parquet
      oddsdesk export quotes - | oddsdesk ingest --database copy.db -
    """


@export.command()
@_common
@database_option
@archive_option
def changes(
    target: str,
    how: str | None,
    since: int | None,
    before: int | None,
    database: Database,
    archive: Path | None,
) -> None:
    """Write each move of a price, by the time that it was scraped.

    \b
    Example:
      oddsdesk export changes --from 2026-11-20 changes.parquet
    """
    _export_log("changes", export_changes, target, how, (since, before), database, archive)


@export.command()
@_common
@database_option
@archive_option
def quotes(
    target: str,
    how: str | None,
    since: int | None,
    before: int | None,
    database: Database,
    archive: Path | None,
) -> None:
    """Write each market whole, each time that it changed, as `oddsdesk ingest` reads it.

    Without results, and without when a market was seen last where nothing changed: a backtest of
    what is made of it may lack closing lines. For a whole copy use `oddsdesk backup`.

    \b
    Example:
      oddsdesk export quotes season.ndjson.gz
    """
    _export_log("quotes", export_quotes, target, how, (since, before), database, archive)


@export.command()
@_common
@ledger_option()
def bets(target: str, how: str | None, since: int | None, before: int | None, path: Path) -> None:
    """Write the bets that you placed, by the time that they were placed.

    A workbook is what `oddsdesk ledger export --to bets.xlsx` writes.

    \b
    Example:
      oddsdesk export bets bets.parquet
    """
    span = _span(since, before)
    try:
        with contextlib.closing(Ledger(path, is_made=False)) as held:
            placed = held.bets()
    except LedgerError as error:
        raise click.ClickException(str(error)) from error
    with _writing("bets", target, how, []) as writer:
        exported = export_bets(placed, *span, writer)
    _tell("bets", exported, target)


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
    check_archive(archive)
    try:
        with contextlib.closing(open_store(database, read_only=True)) as store:
            reader = store.reader()
            sources = reader.told_by()
            archive = archive or named_archive(reader)
            log = LogOfAll(reader, archive)
            with (
                _without_collector(),
                Progress("price changes read") as progress,
                _writing(name, target, how, sources) as writer,
            ):
                exported = work(log, *span, writer, progress.add)
            _tell(name, exported, target)
            _tell_what_is_missing(reader, log, exported, archive)
            if sources:
                click.echo(f"with prices that {', '.join(sources)} told", err=True)
    except (StoreError, ArchiveError) as error:
        raise click.ClickException(str(error)) from error


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Look for no cycles: rows have none, and 20,000 at a time doubled what an export takes."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _span(since: int | None, before: int | None) -> tuple[int, int]:
    """Return from when to before when.

    Raises:
        click.UsageError: that is no time at all.
    """
    span = (ALWAYS[0] if since is None else since, ALWAYS[1] if before is None else before)
    if span[0] >= span[1]:
        raise click.UsageError("--to: expected a time after --from")
    return span


@contextlib.contextmanager
def _writing(name: str, target: str, how: str | None, sources: list[str]) -> Iterator[RowWriter]:
    """Give what writes rows to a file, whole or not at all, or to standard output."""
    form, packed = _format(name, target, how)
    columns, words = EXPORTS[name], described(sources)
    new_mode = OWNER_ONLY if name == "bets" else NEW_FILE
    with (
        output(target, new_mode) as file,
        _writer(file, columns, form, packed, words) as writer,
    ):
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
        raise click.UsageError(
            f"{target}: its ending names no format; use one of {known_endings()}, or give --format"
        )
    return found


def _instead_of_workbook(name: str, target: str) -> str:
    """Return what to write where a workbook is asked for."""
    if name == "bets":
        return f"a workbook of bets is what `oddsdesk ledger export {shlex.quote(target)}` writes"
    csv = f"{target[: -len(_WORKBOOK)]}.csv"
    return f"a log may have more rows than a sheet; write {csv}, which spreadsheets open"


def _writer(
    file: BinaryIO, columns: tuple[Column, ...], form: Format, packed: bool, words: dict[str, Any]
) -> RowWriter:
    if form is not Format.PARQUET:
        return TextWriter(file, columns, form, packed=packed)
    if find_spec("pyarrow") is None:
        raise click.ClickException(_NO_PARQUET.format(how_to_install("archive")))
    from oddsdesk.research.export.parquet import ParquetWriter  # noqa: PLC0415 - an extra

    return ParquetWriter(file, columns, words)


def _write_schema(path: Path, words: dict[str, Any]) -> None:
    """Say beside Parquet what the columns hold, unless a file of somebody else is there."""
    try:
        if path.exists() and b'"made_by": "oddsdesk"' not in path.read_bytes():
            click.echo(f"{path} is not ours and stays as it is", err=True)
            return
        with whole_file(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(words), indent=2) + b"\n")
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from error


def _tell(name: str, exported: Exported, target: str) -> None:
    what = {"changes": "price changes"}.get(name, name)
    if exported.first is None or exported.last is None:
        click.echo(f"no {what} in that time: {_shown(target)} has none", err=True)
        return
    size = ""
    if not is_standard_output(target):
        with contextlib.suppress(OSError):
            size = f", {Path(target).stat().st_size / 1e6:,.1f} MB"
    click.echo(
        f"{exported.rows:,} {what} of {len(exported.games):,} games, {format_ms(exported.first)}"
        f" to {format_ms(exported.last)}{size}",
        err=True,
    )


def named_archive(reader: Reader) -> Path | None:
    """Return the archive that the database names; where it cannot be read, say so."""
    find = LookingBack(tell=partial(click.echo, err=True))
    find(reader)
    return find.folder


def _tell_what_is_missing(
    reader: Reader, log: LogOfAll, exported: Exported, archive: Path | None
) -> None:
    if log.begins_late:
        where = "" if archive else "; --archive reads them where `serve --archive` put them"
        click.echo(f"older price changes were removed from the database{where}", err=True)
    if not reader.holds_real_odds() and reader.is_simulated(system_clock()):
        click.echo("all prices of the database are simulated", err=True)
    gaps = list(silences_within(reader, exported))
    for since, until in gaps[:_MOST_GAPS]:
        click.echo(f"nothing was recorded {format_ms(since)} to {format_ms(until)}", err=True)
    if len(gaps) > _MOST_GAPS:
        click.echo(f"nor in {len(gaps) - _MOST_GAPS:,} more whiles of 10 minutes", err=True)


def _shown(target: str) -> str:
    return "standard output" if is_standard_output(target) else target
