"""`oddsdesk import`: converts other people's files and records them."""

import sys
from collections.abc import Iterable
from datetime import timedelta

import click

from oddsdesk.cli.options import (
    check_durable,
    durable_option,
    maybe_made_database_option,
    usual_database,
)
from oddsdesk.cli.outputs import is_standard_output, output, standard_input
from oddsdesk.cli.progress import Progress
from oddsdesk.cli.recorder import Recorder, count_line, open_recorder
from oddsdesk.clock import system_clock
from oddsdesk.contract.quotes import Quote, quote_line
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.imported import Imported
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.importing import (
    american_line,
    leave_out_future,
    leave_out_over,
    read_files,
    set_times,
    shift_to,
)
from oddsdesk.store.databases import Database
from oddsdesk.store.origins import Origin, origin_named

BATCH_QUOTES = 2_000
_SHIFT, _AGAIN, _SHIFT_AGAIN = "--shift-to-now", "again", "--shift-to-now-again"
_REMEDY = f"{_SHIFT} would move them"
_REMEDY_AGAIN = (
    f"{_SHIFT}={_AGAIN} moves the newest scrape to now, and parts these games from those that are"
    " here; one import of all files into a new database keeps them together"
)
_PARTED = (
    "times are moved by {moved}, those of the import before by {before}: kick-offs differ by as"
    " much, and a game of both is two games here"
)
_MOVED = "their times are moved: what records these quotes shows old prices as if offered now"
_INFERRED = "times of scrape are inferred from the kick-offs: the files name none before them"


class _Import(click.Command):
    """Takes ``--shift-to-now=again`` beside the plain flag: click gives a flag no value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        again = f"{_SHIFT}={_AGAIN}"
        end = args.index("--") if "--" in args else len(args)
        words = [_SHIFT_AGAIN if word == again else word for word in args[:end]]
        return super().parse_args(ctx, words + args[end:])


@click.command("import", cls=_Import, epilog=f"FORMAT is {' or '.join(sorted(IMPORTERS))}.")
@click.argument("format_name", metavar="FORMAT", type=click.Choice(sorted(IMPORTERS)))
@click.argument("files", nargs=-1, required=True, metavar="FILE... | -")
@click.option(
    "--to",
    "target",
    type=click.Path(dir_okay=False, readable=False, allow_dash=True),
    metavar="quotes.ndjson",
    help="Write quotes to a file instead of recording them; - is standard output.",
)
@click.option(
    _SHIFT,
    "shift_to_now",
    is_flag=True,
    help="Move every time by one offset, so that the newest scrape is now. The next files of the"
    f" same database are moved by the same offset; {_SHIFT}={_AGAIN} moves their newest to now.",
)
@click.option(_SHIFT_AGAIN, "shift_again", is_flag=True, hidden=True)
@maybe_made_database_option
@durable_option
def import_(
    format_name: str,
    files: tuple[str, ...],
    target: str | None,
    shift_to_now: bool,
    shift_again: bool,
    database: Database | None,
    durable: bool,
) -> None:
    """Convert other people's files, plain or gzip, and record them.

    Of pinnacle odds and fixtures are given together. Every price is kept, or counted by the
    reason why it was skipped. Files of one command are recorded in the order of time; give
    those of several oldest first, since what is older than what is recorded of its market is
    skipped. Where the quotes go to standard output, the counts go to standard error.

    \b
    Example:
      oddsdesk import the-odds-api snapshot/*.json.gz --shift-to-now
      oddsdesk import football-data E0.csv --to quotes.ndjson
      curl -s ADDRESS | oddsdesk import the-odds-api - --to - | oddsdesk ingest -
    """
    check_durable(database, durable)
    if target is None and database is None:
        database = usual_database()
    with Progress("prices read") as progress:
        imported = read_files(format_name, files, progress.add, stdin=standard_input())
    leave_out_over(imported, system_clock())
    own_shift = shift_to(imported, system_clock()) if shift_to_now or shift_again else None
    if target is None:
        assert database is not None
        with open_recorder(database, durable=durable) as recorder:
            _move_times(imported, recorder, own_shift, again=shift_again)
            _record(imported, recorder, origin_named(format_name))
        recorder.echo_skipped()
        last_line = recorder.count_line()
    else:
        set_times(imported, system_clock(), own_shift)
        if imported.shifted:
            click.echo(_MOVED, err=True)
        if imported.quotes or not imported.problems:  # nothing takes the place of what stood there
            _write(target, imported.quotes)
        last_line = count_line(len(imported.quotes), 0, 0, len(imported.problems))
    for problem in imported.problems:
        click.echo(problem, err=True)
    told_to_stderr = target is not None and is_standard_output(target)
    if imported.inferred_times:
        click.echo(_INFERRED, err=told_to_stderr)
    if (line := american_line(imported)) is not None:
        click.echo(line, err=told_to_stderr)
    click.echo(_accounts(imported), err=told_to_stderr)
    click.echo(last_line, err=told_to_stderr)
    sys.exit(1 if imported.problems else 0)


def _move_times(
    imported: Imported, recorder: Recorder, own_shift: int | None, *, again: bool
) -> None:
    """Move times as the first import of this database did (D72); leave out what is to come."""
    shift = None
    if own_shift is not None and imported.quotes:
        shift = first = recorder.agree_on_shift(own_shift, again=False)
        if again:
            shift = recorder.agree_on_shift(own_shift, again=True)
        moved = timedelta(seconds=shift // 1000)
        if abs(shift - own_shift) > MINUTE_MS:
            click.echo(f"times are moved by {moved}, as those of the first import here", err=True)
        if abs(shift - first) > MINUTE_MS:
            before = timedelta(seconds=first // 1000)
            click.echo(_PARTED.format(moved=moved, before=before), err=True)
    set_times(imported, system_clock(), shift)
    leave_out_future(imported, system_clock(), _REMEDY if shift is None else _REMEDY_AGAIN)


def _record(imported: Imported, recorder: Recorder, origin: Origin) -> None:
    recorder.bad = len(imported.problems)
    past = recorder.past_line(imported.quotes, system_clock())
    if past is not None:
        click.echo(past, err=True)
    with Progress("quotes recorded") as progress:
        for start in range(0, len(imported.quotes), BATCH_QUOTES):
            batch = imported.quotes[start : start + BATCH_QUOTES]
            recorder.record(batch, origin, shifted=imported.shifted)
            progress.add(len(batch))
    recorder.record_results(imported.results)
    imported.skip_older(recorder.skipped.prices, there=recorder.skipped.prices_there)


def _write(target: str, quotes: Iterable[Quote]) -> None:
    with output(target) as stream:
        stream.writelines(quote_line(quote) + b"\n" for quote in quotes)


def _accounts(imported: Imported) -> str:
    """Every price of the files, kept or skipped, the skipped ones by reason."""
    skipped = imported.skipped.total()
    reasons = ", ".join(f"{reason} {count}" for reason, count in imported.skipped.most_common())
    line = f"prices {imported.kept + skipped}, kept {imported.kept}, skipped {skipped}"
    return f"{line}: {reasons}" if reasons else line
