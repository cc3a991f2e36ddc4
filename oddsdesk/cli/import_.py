"""`oddsdesk import`: converts other people's files and records them."""

import sys
from collections.abc import Iterable, Sequence
from operator import attrgetter
from pathlib import Path

import click
import msgspec

from oddsdesk.cli.options import database_option
from oddsdesk.cli.progress import Progress
from oddsdesk.cli.recorder import count_line, open_recorder
from oddsdesk.clock import system_clock
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS, Quote, odds_row
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.sources import expand, read_file

BATCH_QUOTES = 2_000


@click.command("import")
@click.argument("format_name", metavar="FORMAT", type=click.Choice(sorted(IMPORTERS)))
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="quotes.ndjson",
    help="Write quotes to a file instead of recording them.",
)
@click.option(
    "--shift-to-now",
    is_flag=True,
    help="Move every time by one offset, so that the newest scrape is now.",
)
@database_option
def import_(
    format_name: str,
    files: tuple[str, ...],
    target: Path | None,
    shift_to_now: bool,
    database: Path,
) -> None:
    """Convert other people's files, plain or gzip, and record them.

    FORMAT is football-data, pinnacle (odds and fixtures together) or the-odds-api. Every
    price is kept, or counted by the reason why it was skipped.

    \b
    Example:
      oddsdesk import the-odds-api snapshot/*.json.gz --shift-to-now
      oddsdesk import football-data E0.csv --to quotes.ndjson
    """
    imported = _convert(format_name, files)
    _set_times(imported, shift_to_now)
    if target is None:
        _drop_future(imported)
    for problem in imported.problems:
        click.echo(problem, err=True)
    bad = len(imported.problems)
    if target is None:
        last_line = _record(imported.quotes, database, bad)
    else:
        _write(target, imported.quotes)
        last_line = count_line(len(imported.quotes), 0, 0, bad)
    if imported.inferred_times:
        click.echo("times of scrape are inferred from the kick-offs: the files name none")
    click.echo(_accounts(imported))
    click.echo(last_line)
    sys.exit(1 if bad else 0)


def _convert(format_name: str, places: Sequence[str]) -> Imported:
    """Read and convert every file; one that can't be read is a problem, no more."""
    imported = Imported()
    files: list[SourceFile] = []
    for place in places:
        try:
            files += [SourceFile(str(path), read_file(path)) for path in expand(place)]
        except FeedError as error:
            imported.problems.append(str(error))
    with Progress("prices read") as progress:
        for part in IMPORTERS[format_name].convert_each(files):
            imported.merge(part)
            progress.add(part.kept + part.skipped.total())
    imported.quotes.sort(key=attrgetter("scraped_at"))
    return imported


def _set_times(imported: Imported, shift_to_now: bool) -> None:
    """Move all times so that the newest scrape is now; an inferred scrape is never later."""
    now = system_clock()
    offset = now - imported.quotes[-1].scraped_at if shift_to_now and imported.quotes else 0
    latest = now if imported.inferred_times else None
    imported.quotes = [_moved(quote, offset, latest) for quote in imported.quotes]


def _moved(quote: Quote, offset: int, latest: int | None) -> Quote:
    scraped_at = quote.scraped_at + offset
    return msgspec.structs.replace(
        quote,
        scraped_at=scraped_at if latest is None else min(scraped_at, latest),
        match_date=None if quote.match_date is None else quote.match_date + offset,
    )


def _drop_future(imported: Imported) -> None:
    """Leave out quotes that were scraped later than now (D42)."""
    latest = system_clock() + CLOCK_TOLERANCE_MS
    future = [quote for quote in imported.quotes if quote.scraped_at > latest]
    if future:
        imported.quotes = [quote for quote in imported.quotes if quote.scraped_at <= latest]
        imported.skipped["scraped in the future"] += sum(len(quote.odds) for quote in future)
        imported.problems.append(
            f"{len(future)} quotes were scraped more than 5 minutes ahead of the clock, the "
            f"latest at {format_ms(future[-1].scraped_at)}; --shift-to-now would move them"
        )


def _record(quotes: Sequence[Quote], database: Path, bad: int) -> str:
    with open_recorder(database) as recorder, Progress("quotes recorded") as progress:
        recorder.bad = bad
        for start in range(0, len(quotes), BATCH_QUOTES):
            batch = quotes[start : start + BATCH_QUOTES]
            recorder.record(batch)
            progress.add(len(batch))
    return recorder.count_line()


def _write(target: Path, quotes: Iterable[Quote]) -> None:
    """Write NDJSON beside the target, then put it in its place: never half a file."""
    unfinished = target.with_name(target.name + ".part")
    try:
        with unfinished.open("wb") as stream:
            stream.writelines(msgspec.json.encode(odds_row(quote)) + b"\n" for quote in quotes)
        unfinished.replace(target)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise click.ClickException(f"cannot write {target}: {error.strerror or error}") from error


def _accounts(imported: Imported) -> str:
    """Every price of the files, kept or skipped, the skipped ones by reason."""
    skipped = imported.skipped.total()
    reasons = ", ".join(f"{reason} {count}" for reason, count in imported.skipped.most_common())
    line = f"prices {imported.kept + skipped}, kept {imported.kept}, skipped {skipped}"
    return f"{line}: {reasons}" if reasons else line
