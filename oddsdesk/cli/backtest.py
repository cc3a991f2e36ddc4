"""`oddsdesk backtest`: what value bets of a recorded log would have earned."""

import contextlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.cli.ledger_tables import reports_table
from oddsdesk.cli.moments import check_span, moment
from oddsdesk.cli.options import (
    archive_option,
    check_archive,
    log_reference_option,
    maybe_database_option,
    usual_database,
)
from oddsdesk.cli.own_records import own_profiles, own_setting, preset
from oddsdesk.cli.progress import Progress
from oddsdesk.cli.tables import plain
from oddsdesk.clock import system_clock
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.settings.declared import METHOD, MINE
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.reporting import Grouping, split_report, whole_report
from oddsdesk.ledger.settling import settle_by_file
from oddsdesk.pricing.devig import METHODS
from oddsdesk.research.backtest.betting import Backtested, Question
from oddsdesk.research.backtest.betting import backtest as bet_on_log
from oddsdesk.research.backtest.summary import (
    Summary,
    as_fields,
    notes,
    summary,
    summary_fields,
)
from oddsdesk.research.past.judged_by import open_judged
from oddsdesk.research.past.log_words import in_span
from oddsdesk.research.past.recorded_log import RecordedLog
from oddsdesk.spreadsheets import SheetError
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError

_MOST_TOLD: Final = 5


@click.command()
@maybe_database_option
@archive_option
@click.option("--from", "since", callback=moment, metavar="TIME", help="Bet from then on.")
@click.option("--to", "until", callback=moment, metavar="TIME", help="Read nothing from then on.")
@click.option("--preset", "preset_name", metavar="NAME", help="Only what this preset lists.")
@click.option(
    "--latency",
    type=click.IntRange(min=0, max=86_400_000),
    default=0,
    metavar="MS",
    help="How long it takes to bet; what is value no more by then is missed.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    metavar="METHOD",
    help="How the reference's margin is taken out. Default: as the desk's settings say.",
)
@log_reference_option
@click.option(
    "--results",
    "files",
    multiple=True,
    metavar="FILE",
    help="Scores as football-data has them, beside those that imports kept.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; each bet is in rows.")
def backtest(
    database: Database | None,
    archive: Path | None,
    since: int | None,
    until: int | None,
    preset_name: str | None,
    latency: int,
    method: str | None,
    reference: str | None,
    files: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say what value bets would have earned, had they been bet on as the log was recorded.

    At each moment only what was recorded until then is known, and the desk's own rules say what is
    value. One unit on the best net price of an outcome, once; nothing at the moment at which a game
    begins. CLV is by the reference's closing line; profit where results are known.

    \b
    Example:
      oddsdesk import football-data E0.csv --database season.db
      oddsdesk backtest --database season.db --method shin
      oddsdesk backtest --from 2024-12-01 --to 2025-01-01 --latency 5000 --json
    """
    check_span(since, until)
    check_archive(archive)
    problems: list[str] = []
    asked = {
        "method": method or own_setting(METHOD),
        "preset": preset_name or "",
        "filter": None if preset_name is None else preset(preset_name),
        "since_ms": since,
        "until_ms": until,
        "latency_ms": latency,
    }
    settle = partial(_settled, files=files, problems=problems)
    question, done = _run(database or usual_database(), archive, reference, asked, settle)
    found, told = summary(done.bets), [*notes(done, question), *problems]
    if as_json:
        rows = [as_fields(bet) for bet in done.bets]
        head = {"reference": question.reference, "method": question.method, "notes": told}
        click.echo(json.dumps(summary_fields(found) | head | {"rows": rows}, indent=2))
    else:
        click.echo(_asked(question, done))
        click.echo(_table(done.bets, found))
        for line in told:
            click.echo(plain(line))


def _run(
    database: Database,
    archive: Path | None,
    reference: str | None,
    asked: dict[str, Any],
    settle: Callable[[list[PlacedBet]], list[PlacedBet]],
) -> tuple[Question, Backtested]:
    profiles, mine = own_profiles(), own_setting(MINE)
    try:
        store, judged_by = open_judged(database, reference)
        with contextlib.closing(store), Progress("rows read") as progress:
            question = Question(
                reference=judged_by,
                profiles=profiles,
                mine=profiles.among(mine) if mine else None,
                **asked,
            )
            log = RecordedLog(store.reader(), archive)
            done = bet_on_log(log, question, system_clock(), progress.add, settle)
    except (StoreError, ArchiveError, OSError) as error:
        raise click.ClickException(str(error)) from error
    return question, done


def _settled(
    bets: list[PlacedBet], *, files: Sequence[str], problems: list[str]
) -> list[PlacedBet]:
    """Return bets with the results of files."""
    for name in files:
        try:
            told = settle_by_file(Path(name).read_bytes(), bets, system_clock())
        except (OSError, SheetError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise click.ClickException(f"{name}: {reason}") from error
        settled = {bet.ident: bet for bet in told.bets}
        bets = [settled.get(bet.ident, bet) for bet in bets]
        lines = [*told.problems, *told.to_look_at]
        problems += [f"{name} {line}" for line in lines[:_MOST_TOLD]]
        if len(lines) > _MOST_TOLD:
            problems.append(f"{name}: {len(lines) - _MOST_TOLD} more lines like these")
    return bets


def _asked(question: Question, done: Backtested) -> str:
    method, preset = question.method.replace("_", " "), question.preset
    which = f", preset {preset}" if preset else ""
    since, until = question.since_ms, question.until_ms
    span = "" if since is None and until is None else f" {in_span(since, until)}"
    line = f"{done.asked:,} rows of the log{span}, judged by {question.reference}, {method}{which}"
    if done.first_ms is None:
        return plain(line)
    all_of_it = f"{format_ms(done.first_ms)} to {format_ms(done.last_ms)}"
    return plain(f"{line}; the log goes from {all_of_it}")


def _table(bets: Sequence[PlacedBet], found: Summary) -> str:
    lines = [f"{found.bets} bet{'' if found.bets == 1 else 's'} of one unit"]
    if found.settled:
        rows = [("", "", whole_report(bets))]
        rows += [("", name, each) for name, each in split_report(bets, Grouping.BOOKMAKER).items()]
        lines += [reports_table(rows), ""]
    lines += [
        _figure("yield", found.yield_pct, found.yield_range, found.settled),
        _figure("CLV", found.clv_pct, found.clv_range, found.clv_bets),
    ]
    return "\n".join(lines)


def _figure(
    name: str, figure: float | None, ends: tuple[float | None, float | None], count: int
) -> str:
    if figure is None:
        return f"{name}: not known"
    low, high = ends
    about = "too few games to say how sure that is"
    if low is not None and high is not None:
        about = f"95 % between {low:+.2f} and {high:+.2f}"
    return f"{name}: {figure:+.2f} % of {count} bets; {about}"
