"""`oddsdesk backup` and `oddsdesk restore`: the database as one file, and back."""

import contextlib
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.base.files import is_written_directly
from oddsdesk.base.numbers import num
from oddsdesk.base.system_errors import file_error_text
from oddsdesk.base.texts import _, translated
from oddsdesk.cli.options import access_option, database_option, made_database_option, usual_ledger
from oddsdesk.cli.terminal import Progress
from oddsdesk.ledger.ledger import merge_ledger
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseInUseError, check_in_place, owner_of
from oddsdesk.store.sqlite import backup as backups
from oddsdesk.store.sqlite.backup import BackedUp, Contents
from oddsdesk.store.sqlite.restore import Restored
from oddsdesk.store.sqlite.restore import restore_database as restore_backup

STREAM: Final = Path("-")
_MIB: Final = 1 << 20


@click.command()
@click.argument("file", metavar="FILE | -", type=click.Path(path_type=Path))
@click.option("--with-keys", is_flag=True, help=_("Include accounts, keys and usage counts."))
@click.option("--with-bets", is_flag=True, help=_("Include your placed bets and presets."))
@database_option
@access_option
def backup(
    file: Path, with_keys: bool, with_bets: bool, database: Database, access: Path | None
) -> None:
    """Copy the database to one file.

    A server or desk may keep recording. FILE is an ordinary database. With keys or bets
    it is a tar file for `oddsdesk restore`. Only you can read it. An existing FILE is replaced once
    the new one is complete.

    \b
    Example:
      oddsdesk backup odds-copy.db
      oddsdesk backup --with-keys --with-bets everything.tar
      oddsdesk backup - | zstd > odds.db.zst
    """
    if isinstance(database, DatabaseUrl):
        where = "" if file == STREAM else f"--file={shlex.quote(str(file))} "
        raise _not_here(database, f"pg_dump --format=custom {where}--dbname=")
    ledger = usual_ledger() if with_bets else None
    contents = Contents(with_keys, ledger, access or _served_keys(database))
    if file == STREAM and sys.stdout.isatty():
        raise click.UsageError(_("- is standard output: redirect it to a file or a program"))
    with _progress(_("interrupted; FILE is unchanged")) as progress:
        check_in_place(database)
        if file == STREAM:
            done = backups.stream_backup(database, sys.stdout.buffer, contents, progress=progress)
        else:
            done = backups.back_up(database, file, contents, progress=progress)
    is_stream = file == STREAM or is_written_directly(file)  # may be standard output
    click.echo(_written(done, contents, database, file), err=is_stream)


@click.command()
@click.argument("file", metavar="FILE | -", type=click.Path(path_type=Path))
@click.option(
    "--force",
    is_flag=True,
    help=_("Replace an existing database and its keys; the old files are kept next to it."),
)
@made_database_option
@access_option
def restore(file: Path, force: bool, database: Database, access: Path | None) -> None:
    """Restore a backup, on this or another machine.

    If the backup has keys, they replace those here; otherwise the keys here stay. Bets are added
    to the ledger here. Nothing changes unless FILE is complete.

    \b
    Example:
      oddsdesk restore everything.tar
      oddsdesk restore odds-copy.db --database odds.db --force
    """
    if isinstance(database, DatabaseUrl):
        dump = "" if file == STREAM else f" {shlex.quote(str(file))}"
        raise _not_here(database, f"pg_restore --clean --if-exists{dump} --dbname=")
    added = (0, 0)

    def take_bets(ledger: Path) -> None:
        nonlocal added
        added = merge_ledger(ledger, usual_ledger())

    with _progress(_("interrupted; run it again")) as progress:
        source = sys.stdin.buffer if file == STREAM else file
        done = restore_backup(
            source, database, take_bets, access=access, force=force, progress=progress
        )
    click.echo(_restored(done, added))


def _not_here(database: DatabaseUrl, command: str) -> click.ClickException:
    url = shlex.quote(str(database))
    text = _("this command is for SQLite files; for PostgreSQL use {command}")
    return click.ClickException(text.format(command=f"{command}{url}"))


def _served_keys(database: Path) -> Path | None:
    """Return the key file that the running server uses, None if that is not known."""
    try:
        owner = owner_of(database)
    except DatabaseInUseError:
        return None
    return Path(owner.access) if owner is not None and owner.access else None


@contextlib.contextmanager
def _progress(interrupted: str) -> Iterator[Callable[[int], None]]:
    """Show progress, report errors in one line, and leave nothing behind after an interrupt."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with Progress(_("MiB copied")) as progress:
            yield _InMib(progress).count_bytes
    except KeyboardInterrupt:
        raise click.ClickException(interrupted) from None
    except OSError as error:
        text = "{reason}" if error.filename else _("standard output: {reason}")
        why = translated(file_error_text(error))
        raise click.ClickException(text.format(reason=why)) from error
    except (StoreError, LedgerError) as error:
        raise click.ClickException(translated(str(error))) from error
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


class _InMib:
    """Adds up bytes and reports whole MiB."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._rest = 0

    def count_bytes(self, count: int) -> None:
        """Add bytes."""
        whole, self._rest = divmod(self._rest + count, _MIB)
        self._progress.count_done(whole)


def _written(done: BackedUp, contents: Contents, database: Path, file: Path) -> str:
    keys, bets = contents.keys and done.keys, contents.ledger is not None and done.bets
    if keys and bets:
        text = _("odds and keys and bets of {database}: {size:,.1f} MiB in {file}")
    elif keys:
        text = _("odds and keys of {database}: {size:,.1f} MiB in {file}")
    elif bets:
        text = _("odds and bets of {database}: {size:,.1f} MiB in {file}")
    else:
        text = _("odds of {database}: {size:,.1f} MiB in {file}")
    where = _("standard output") if file == STREAM else file
    line = text.format(database=database, size=num(done.size / _MIB), file=where)
    no_keys, no_bets = contents.keys and not done.keys, contents.ledger is not None and not bets
    if no_keys and no_bets:
        return f"{line} {_('(no keys and no bets yet)')}"
    if no_keys:
        return f"{line} {_('(no keys yet)')}"
    return f"{line} {_('(no bets yet)')}" if no_bets else line


def _restored(done: Restored, added: tuple[int, int]) -> str:
    text = _("restored {database} with its keys") if done.keys else _("restored {database}")
    parts = [text.format(database=done.database)]
    if done.bets:
        text = _("bets added: {bets}, presets: {presets}")
        parts.append(text.format(bets=added[0], presets=added[1]))
    if done.kept:
        kept = _(" and ").join(map(str, done.kept))
        parts.append(_("the old files are kept as {files}").format(files=kept))
    return "; ".join(parts)
