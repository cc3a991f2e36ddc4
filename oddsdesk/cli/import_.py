"""`oddsdesk import`: converts files of other programs and records them."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import count
from pathlib import Path

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_database
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli.ingest import Recorder, count_line, open_recorder
from oddsdesk.cli.options import (
    check_durable,
    durable_option,
    maybe_made_database_option,
    usual_database,
)
from oddsdesk.cli.terminal import Progress, is_standard_output, output, standard_input
from oddsdesk.contract.formats import file_formats
from oddsdesk.contract.quotes import Quote, quote_line
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.imported import Imported
from oddsdesk.feeds.importing import (
    american_line,
    leave_out_future,
    leave_out_over,
    leave_out_series,
    read_files,
    series_line,
    set_times,
    shift_to,
)
from oddsdesk.store.databases import Database
from oddsdesk.store.values import Origin, origin_named

BATCH_QUOTES = 2_000
FORMATS = file_formats()
_HELP = "\n".join(f"  {each.name:15} {translated(each.title)}" for each in FORMATS)
_SHIFT, _AGAIN, _SHIFT_AGAIN = "--shift-to-now", "again", "--shift-to-now-again"
_REMEDY = N_("--shift-to-now would shift them")
_REMEDY_AGAIN = N_(
    "--shift-to-now=again shifts the newest scrape to now, but separates these games from those "
    "already here; to keep all of them, import these files into a new database: {command}"
)
_PARTED = _(
    "times are shifted by {moved}, but the last import was shifted by {before}: "
    "kick-offs differ by that much, so a game in both imports is listed twice"
)
_APART = _("{reason}; keep them apart, in a new database: {command}")
_MOVED = _("times are shifted: old prices will be shown as if just read")
_INFERRED = _("the files have no scrape times; they are inferred from the kick-offs")


class _Import(click.Command):
    """Accepts ``--shift-to-now=again`` as well as the plain flag; click gives a flag no value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        again = f"{_SHIFT}={_AGAIN}"
        end = args.index("--") if "--" in args else len(args)
        words = [_SHIFT_AGAIN if word == again else word for word in args[:end]]
        return super().parse_args(ctx, words + args[end:])


@click.command("import", cls=_Import, epilog=f"\b\n{_('FORMAT is one of')}\n{_HELP}")
@click.argument("format_name", metavar="FORMAT", type=click.Choice([each.name for each in FORMATS]))
@click.argument("files", nargs=-1, required=True, metavar="FILE... | -")
@click.option(
    "--to",
    "target",
    type=click.Path(dir_okay=False, readable=False, allow_dash=True),
    metavar="quotes.ndjson",
    help=_("Write quotes to a file and record nothing; - is standard output."),
)
@click.option(
    _SHIFT,
    "shift_to_now",
    is_flag=True,
    help=_(
        "Shift all times so that the newest scrape is now. Later imports into the same database "
        "are shifted by the same amount; --shift-to-now=again shifts their newest scrape to now."
    ),
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
    """Import odds from files of other programs.

    Files can be plain, gzip, bzip2 or in a tar archive. For pinnacle, give odds and fixtures
    together. Every price is kept or counted as skipped, with the reason. The files of one command
    are recorded in order of time. Give several commands the oldest files first: prices older than
    what a market already has are skipped. If the quotes go to standard output, the counts go to
    standard error.

    \b
    Example:
      oddsdesk import the-odds-api snapshot/*.json.gz --shift-to-now
      oddsdesk import football-data E0.csv --to quotes.ndjson
      curl -s ADDRESS | oddsdesk import the-odds-api - --to - | oddsdesk ingest -
    """
    check_durable(database, durable)
    if target is None and database is None:
        database = usual_database()
    with Progress(_("prices read")) as progress:
        imported = read_files(format_name, files, progress.count_done, stdin=standard_input())
    leave_out_over(imported, system_clock())
    own_shift = shift_to(imported, system_clock()) if shift_to_now or shift_again else None
    if target is None:
        assert database is not None
        with open_recorder(database, durable=durable) as recorder:
            apart = _command(format_name, files, database, shift_to_now=shift_to_now)
            _move_times(imported, recorder, own_shift, apart, again=shift_again)
            _record(imported, recorder, origin_named(format_name))
        recorder.echo_skipped()
        last_line = recorder.count_line()
    else:
        set_times(imported, system_clock(), own_shift)
        if imported.shifted:
            click.echo(_MOVED, err=True)
        if imported.quotes or not imported.problems:  # keeps an old file if nothing was read
            _write(target, imported.quotes)
        leave_out_series(imported)
        last_line = count_line(len(imported.quotes), 0, 0, len(imported.problems))
    for problem in imported.problems:
        click.echo(translated(problem), err=True)
    found = imported.quotes or imported.results or imported.series or imported.skipped.total()
    if imported.problems and not found:  # counts of nothing would hide what is wrong
        sys.exit(1)
    told_to_stderr = target is not None and is_standard_output(target)
    if imported.inferred_times:
        click.echo(_INFERRED, err=told_to_stderr)
    if (line := american_line(imported)) is not None:
        click.echo(translated(line), err=told_to_stderr)
    click.echo(accounts(imported.kept, imported.skipped), err=told_to_stderr)
    if (line := series_line(imported)) is not None:
        click.echo(translated(line), err=told_to_stderr)
    click.echo(last_line, err=told_to_stderr)
    sys.exit(1 if imported.problems else 0)


def _move_times(
    imported: Imported, recorder: Recorder, own_shift: int | None, apart: str, *, again: bool
) -> None:
    """Shift times by the offset of this database's first import; drop times in the future.

    ``apart`` is the command that imports the files into a new database, for the messages.
    """
    shift = None
    why = recorder.why_apart(shift_to_now=own_shift is not None) if imported.quotes else ""
    if why and not again:
        click.echo(_APART.format(reason=translated(why), command=apart), err=True)
    if own_shift is not None and imported.quotes:
        shift = first = recorder.shift_of_import(own_shift, again=False)
        if again:
            shift = recorder.shift_of_import(own_shift, again=True)
        moved = timedelta(seconds=shift // 1000)
        if abs(shift - own_shift) > MINUTE_MS:
            text = _("times are shifted by {moved}, like the first import here")
            click.echo(text.format(moved=moved), err=True)
        if abs(shift - first) > MINUTE_MS:
            before = timedelta(seconds=first // 1000)
            click.echo(_PARTED.format(moved=moved, before=before), err=True)
    set_times(imported, system_clock(), shift)
    remedy = _REMEDY if shift is None else _REMEDY_AGAIN.format(command=apart)
    leave_out_future(imported, system_clock(), remedy)


def _command(
    format_name: str, files: Sequence[str], database: Database, *, shift_to_now: bool
) -> str:
    """Return the command that imports the same files into a new database."""
    here = database if isinstance(database, Path) else default_database()
    numbers = (f"-{number}" if number else "" for number in count())
    names = (here.with_name(f"{format_name}{number}.db") for number in numbers)
    new = next(path for path in names if not path.exists())
    options = [_SHIFT] * shift_to_now + ["--database", str(new)]
    return shlex.join(["oddsdesk", "import", format_name, *files, *options])


def _record(imported: Imported, recorder: Recorder, origin: Origin) -> None:
    recorder.bad = len(imported.problems)
    past = recorder.past_line(imported.quotes, system_clock())
    if past is not None:
        click.echo(translated(past), err=True)
    with Progress(_("quotes recorded")) as progress:
        for start in range(0, len(imported.quotes), BATCH_QUOTES):
            batch = imported.quotes[start : start + BATCH_QUOTES]
            recorder.record_batch(batch, origin, shifted=imported.shifted)
            progress.count_done(len(batch))
    recorder.record_results(imported.results, origin)
    recorder.record_series(imported.series, origin)
    imported.skip_older(recorder.skipped.prices, there=recorder.skipped.prices_there)


def _write(target: str, quotes: Iterable[Quote]) -> None:
    with output(target) as stream:
        stream.writelines(quote_line(quote) + b"\n" for quote in quotes)


def accounts(kept: int, reasons: Counter[str]) -> str:
    """Return how many prices were kept and skipped, with the reasons."""
    skipped = reasons.total()
    parts = [(translated(reason), count) for reason, count in reasons.most_common()]
    named = ", ".join(f"{reason} {count}" for reason, count in parts)
    text = _("prices {prices}, kept {kept}, skipped {skipped}")
    line = text.format(prices=kept + skipped, kept=kept, skipped=skipped)
    return f"{line}: {named}" if named else line
