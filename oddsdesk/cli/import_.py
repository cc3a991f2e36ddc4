"""`oddsdesk import`: converts other people's files and records them."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec

from oddsdesk.cli.options import database_option, durable_option
from oddsdesk.cli.outputs import is_standard_output, output, standard_input
from oddsdesk.cli.progress import Progress
from oddsdesk.cli.recorder import count_line, open_recorder
from oddsdesk.clock import system_clock
from oddsdesk.contract.quotes import Quote, odds_row
from oddsdesk.feeds.imported import Imported
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.importing import leave_out_future, read_files, set_times

BATCH_QUOTES = 2_000
_INFERRED = "times of scrape are inferred from the kick-offs: the files name none"


@click.command("import")
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
    "--shift-to-now",
    is_flag=True,
    help="Move every time by one offset, so that the newest scrape is now.",
)
@database_option
@durable_option
def import_(
    format_name: str,
    files: tuple[str, ...],
    target: str | None,
    shift_to_now: bool,
    database: Path,
    durable: bool,
) -> None:
    """Convert other people's files, plain or gzip, and record them.

    FORMAT is football-data, pinnacle (odds and fixtures together) or the-odds-api. Every
    price is kept, or counted by the reason why it was skipped. Where the quotes go to
    standard output, the counts go to standard error.

    \b
    Example:
      oddsdesk import the-odds-api snapshot/*.json.gz --shift-to-now
      oddsdesk import football-data E0.csv --to quotes.ndjson
      curl -s ADDRESS | oddsdesk import the-odds-api - --to - | oddsdesk ingest -
    """
    with Progress("prices read") as progress:
        imported = read_files(format_name, files, progress.add, stdin=standard_input())
    set_times(imported, system_clock(), shift_to_now=shift_to_now)
    if target is None:
        leave_out_future(imported, system_clock(), "--shift-to-now would move them")
    for problem in imported.problems:
        click.echo(problem, err=True)
    bad = len(imported.problems)
    if target is None:
        last_line = _record(imported.quotes, database, bad, durable=durable)
    else:
        _write(target, imported.quotes)
        last_line = count_line(len(imported.quotes), 0, 0, bad)
    told_to_stderr = target is not None and is_standard_output(target)
    if imported.inferred_times:
        click.echo(_INFERRED, err=told_to_stderr)
    click.echo(_accounts(imported), err=told_to_stderr)
    click.echo(last_line, err=told_to_stderr)
    sys.exit(1 if bad else 0)


def _record(quotes: Sequence[Quote], database: Path, bad: int, *, durable: bool) -> str:
    opened = open_recorder(database, durable=durable)
    with opened as recorder, Progress("quotes recorded") as progress:
        recorder.bad = bad
        past = recorder.past_line(quotes, system_clock())
        if past is not None:
            click.echo(past, err=True)
        for start in range(0, len(quotes), BATCH_QUOTES):
            batch = quotes[start : start + BATCH_QUOTES]
            recorder.record(batch)
            progress.add(len(batch))
    return recorder.count_line()


def _write(target: str, quotes: Iterable[Quote]) -> None:
    with output(target) as stream:
        stream.writelines(msgspec.json.encode(odds_row(quote)) + b"\n" for quote in quotes)


def _accounts(imported: Imported) -> str:
    """Every price of the files, kept or skipped, the skipped ones by reason."""
    skipped = imported.skipped.total()
    reasons = ", ".join(f"{reason} {count}" for reason, count in imported.skipped.most_common())
    line = f"prices {imported.kept + skipped}, kept {imported.kept}, skipped {skipped}"
    return f"{line}: {reasons}" if reasons else line
