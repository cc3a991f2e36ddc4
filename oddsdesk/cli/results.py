"""`oddsdesk results`: how games ended, by source; recorded from files, and listed."""

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.base.market_words import shown_game
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli.bet_sources import check_source, read_key, source_options
from oddsdesk.cli.import_ import FORMATS
from oddsdesk.cli.ingest import open_recorder
from oddsdesk.cli.options import (
    check_durable,
    check_span,
    durable_option,
    made_database_option,
    moment,
    usual_database,
)
from oddsdesk.cli.terminal import Progress, plain, print_list, standard_input
from oddsdesk.client import errors
from oddsdesk.client.blocking import SyncClient
from oddsdesk.contract.results import ResultRow, result_row
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.importing import leave_out_over, read_files
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import open_store
from oddsdesk.store.values import origin_named

_BATCH: Final = 5_000
_HEADINGS: Final = (
    *(N_("KICK-OFF"), N_("COMPETITION"), N_("GAME"), N_("STATUS")),
    *(N_("SCORE"), N_("PERIODS"), N_("SOURCE")),
)

_STATUSES: Final = {
    "scheduled": _("scheduled"),
    "in_play": _("in play"),
    "final": _("final"),
    "postponed": _("postponed"),
    "abandoned": _("abandoned"),
    "cancelled": _("cancelled"),
    "retired": _("retired"),
    "unknown": _("unknown"),
}


@click.group()
def results() -> None:
    """List how games ended, or record it from files.

    Each source has its own result of a game. Bets settle by them, and backtests and scorecards use
    them.

    \b
    Example:
      oddsdesk results import scores nba.csv
      oddsdesk results list --competition NBA --from 2026-11-01
    """


@results.command("list")
@source_options
@click.option(
    "--from",
    "since",
    callback=moment,
    metavar="TIME",
    help=_("Only games that begin then or later."),
)
@click.option(
    "--to", "until", callback=moment, metavar="TIME", help=_("Only games that begin earlier.")
)
@click.option("--competition", metavar="CODE", help=_("Only games of this competition."))
@click.option("--json", "as_json", is_flag=True, help=_("Print a JSON array."))
def list_(
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    since: int | None,
    until: int | None,
    competition: str | None,
    as_json: bool,
) -> None:
    """List results by kick-off, one line for each source.

    A time is a date (midnight UTC) or has an offset. With --url, results of a service are listed.

    \b
    Example:
      oddsdesk results list --from 2026-11-01 --json
      oddsdesk results list --url https://odds.example --key-file key.txt
    """
    check_source(database, url, key_file)
    check_span(since, until)
    asked = (since, until, competition)
    if url is not None and key_file is not None:
        rows = _of_service(url, key_file, *asked)
    else:
        rows = _of_database(database or usual_database(), *asked)
    if not rows and not as_json:
        click.echo(_("no results"))
        return
    print_list(rows, msgspec.to_builtins, _HEADINGS, _row, as_json=as_json)


def _of_database(
    database: Database, since: int | None, until: int | None, competition: str | None
) -> list[ResultRow]:
    try:
        with contextlib.closing(open_store(database, read_only=True)) as store:
            found = store.reader().results(since, until, competition)
    except StoreError as error:
        raise click.ClickException(translated(str(error))) from error
    return [result_row(each.game_id, each.result, each.before) for each in found]


def _of_service(
    url: str, key_file: Path, since: int | None, until: int | None, competition: str | None
) -> list[ResultRow]:
    try:
        with SyncClient(url, read_key(key_file)) as client:
            rows = client.all_results(
                competition=competition,
                since=None if since is None else format_ms(since),
                until=None if until is None else format_ms(until),
            )
            return list(rows)
    except errors.ServiceError as error:
        raise click.ClickException(translated(error.message)) from error


def _row(row: ResultRow) -> Sequence[str]:
    score = "-" if row.home is None or row.away is None else f"{row.home}-{row.away}"
    status = _STATUSES.get(row.status, row.status)
    if row.overtime:
        status = _("{status} after overtime").format(status=status)
    who = " ".join(filter(None, (row.source, row.bookmaker and f"({row.bookmaker})")))
    marks = [_("simulated")] * row.simulated + [_("corrected")] * bool(row.corrections)
    cells = (
        row.kick_off,
        row.competition or "-",
        shown_game(row.match_name),
        status,
        score,
        " ".join(f"{home}-{away}" for _, home, away in row.periods) or "-",
        ", ".join([who or "-", *marks]),
    )
    return tuple(map(plain, cells))


_HELP: Final = "\n".join(f"  {each.name:15} {translated(each.title)}" for each in FORMATS)


@results.command("import", epilog="\b\n" + _("FORMAT is one of") + f"\n{_HELP}")
@click.argument("format_name", metavar="FORMAT", type=click.Choice([each.name for each in FORMATS]))
@click.argument("files", nargs=-1, required=True, metavar="FILE... | -")
@made_database_option
@durable_option
def import_(format_name: str, files: tuple[str, ...], database: Database, durable: bool) -> None:
    """Record the results in files, without their odds; `oddsdesk import` records both.

    Scores have the columns Date, HomeTeam, AwayTeam, FTHG, FTAG (and HTHG, HTAG) or Date, Home,
    Away, HG, AG. Optional columns are Time (of the UK), Div or Competition, Sport, Status, Overtime
    (yes or no), and the score of each period: P1H, P1A, P2H, P2A and so on.

    \b
    Example:
      oddsdesk results import football-data E0.csv
      oddsdesk results import scores nba.xlsx
    """
    check_durable(database, durable)
    with Progress(_("prices read")) as progress:
        imported = read_files(format_name, files, progress.count_done, stdin=standard_input())
    leave_out_over(imported, system_clock())
    count = len(imported.results)
    if not count and not imported.problems:
        imported.problems.append(_("no results in {names}").format(names=", ".join(files)))
    if count:
        with open_recorder(database, durable=durable) as recorder:
            for start in range(0, count, _BATCH):
                batch = imported.results[start : start + _BATCH]
                recorder.record_results(batch, origin_named(format_name))
    for problem in imported.problems:
        click.echo(translated(problem), err=True)
    bad = len(imported.problems)
    click.echo(_("results {count}, bad {bad}").format(count=count, bad=bad))
    sys.exit(1 if imported.problems else 0)
