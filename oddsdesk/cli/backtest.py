"""`oddsdesk backtest`: what the value bets of a recorded log would have earned."""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import system_clock
from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.cli import options
from oddsdesk.cli.bet_sources import derived_option
from oddsdesk.cli.ledger import reports_table
from oddsdesk.cli.own_records import own_bands, own_close_by, own_profiles, own_setting, preset
from oddsdesk.cli.terminal import Progress, aligned, plain
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.settings.declared import METHOD, MINE, derived_choice
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.reporting import Grouping, split_report, whole_report
from oddsdesk.ledger.result_files import settle_by_file
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.research.backtest_summary import (
    Summary,
    as_fields,
    bets_text,
    notes,
    summary,
    summary_fields,
)
from oddsdesk.research.backtests import Backtested
from oddsdesk.research.backtests import run_backtest as bet_on_log
from oddsdesk.research.coverage import coverage_fields, coverage_lines, in_span
from oddsdesk.research.question import Question
from oddsdesk.research.recorded_log import RecordedLog, open_judged
from oddsdesk.research.staking import bankroll_fields
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError

_MOST_NAMED: Final = 5
_METHODS: Final = ("METHOD", "BETS", "RESULTS", "PROFIT", "YIELD", "CLV", "CLOSES")
_BRACKETS: Final = "[..] is the 95 % interval (bootstrapped by game); ? means too few games"


@click.command()
@options.maybe_database_option
@options.archive_option
@click.option(
    "--from", "since", callback=options.moment, metavar="TIME", help="Start betting at this time."
)
@click.option(
    "--to", "until", callback=options.moment, metavar="TIME", help="Stop reading at this time."
)
@click.option("--preset", "preset_name", metavar="NAME", help="Bet only what this preset lists.")
@click.option(
    "--latency",
    type=click.IntRange(min=0, max=86_400_000),
    default=0,
    metavar="MS",
    help="Delay between seeing a price and betting it. A price that is no longer value by then is "
    "missed.",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(METHODS),
    metavar="METHOD",
    help="Devig method: how the sharp book's margin is removed. Give it several times to compare "
    "methods in one table. Default: the desk's setting.",
)
@options.log_reference_option
@options.close_reference_option
@options.close_method_option
@derived_option
@click.option(
    "--results",
    "files",
    multiple=True,
    metavar="FILE",
    help="Scores in football-data's format, used with the results that imports stored.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; bets are in rows.")
def backtest(
    database: Database | None,
    archive: Path | None,
    since: int | None,
    until: int | None,
    preset_name: str | None,
    latency: int,
    methods: tuple[str, ...],
    reference: str | None,
    close_reference: str | None,
    close_method: str | None,
    derived: DerivedChoice | None,
    files: tuple[str, ...],
    as_json: bool,
) -> None:
    """Report what value bets would have earned on a recorded log.

    At each moment the test knows only what had been recorded by then, and the desk's own rules
    decide what is value. It bets one unit per outcome, once, at the best price after commission,
    and never at or after kick-off. CLV uses one fixed closing line, whatever sharp book and method
    picked the bets. Profit needs results.

    \b
    Example:
      oddsdesk import football-data E0.csv --database season.db
      oddsdesk backtest --database season.db --method shin --method multiplicative
      oddsdesk backtest --from 2024-12-01 --to 2025-01-01 --latency 5000 --json
    """
    options.check_span(since, until)
    options.check_archive(archive)
    problems: list[str] = []
    asked = {
        "preset": preset_name or "",
        "filter": None if preset_name is None else preset(preset_name),
        "since_ms": since,
        "until_ms": until,
        "latency_ms": latency,
        "derived": derived or derived_choice(own_setting),
    }
    how = list(dict.fromkeys(methods)) or [own_setting(METHOD)]
    by = own_close_by(close_reference, close_method)
    settle = partial(_settled, files=files, problems=problems)
    runs = _run(database or options.usual_database(), archive, reference, by, how, asked, settle)
    problems = list(dict.fromkeys(problems))
    if as_json:
        found = [_fields(run, problems) for run in runs]
        click.echo(json.dumps(found if len(how) > 1 else found[0], indent=2))
        return
    click.echo(_asked(runs))
    if len(how) == 1:
        click.echo(_table(runs[0].done.bets, runs[0].summary))
        for kind, bets in _by_kind(runs[0].done).items():
            click.echo(_kind_line(kind, bets, summary(bets)))
    else:
        click.echo(_comparison(runs))
    for line in (*_shared_notes(runs), *problems):
        click.echo(plain(line))


class _Run(NamedTuple):
    """A backtest with one method, and its summary."""

    question: Question
    done: Backtested
    summary: Summary


def _run(
    database: Database,
    archive: Path | None,
    reference: str | None,
    by: CloseBy,
    methods: Sequence[str],
    asked: dict[str, Any],
    settle: Callable[[list[PlacedBet]], list[PlacedBet]],
) -> list[_Run]:
    """Run the backtest with each method, all against the same closing line."""
    profiles, mine = own_profiles(), own_setting(MINE)
    runs = []
    try:
        store, judged_by, close = open_judged(database, reference, by)
        with contextlib.closing(store), Progress("rows read") as progress:
            log = RecordedLog(store.reader(), archive)
            for method in methods:
                question = Question(
                    reference=judged_by,
                    method=method,
                    close=close,
                    profiles=profiles,
                    mine=profiles.among(mine) if mine else None,
                    bands=own_bands(method),
                    **asked,
                )
                done = bet_on_log(log, question, system_clock(), progress.count_done, settle)
                runs.append(_Run(question, done, summary(done.bets)))
    except (StoreError, ArchiveError, OSError) as error:
        raise click.ClickException(str(error)) from error
    return runs


def _fields(run: _Run, problems: Sequence[str]) -> dict[str, Any]:
    question, done, found = run
    return summary_fields(found) | {
        "reference": question.reference,
        "method": question.method,
        "close_reference": question.close.reference,
        "close_method": question.close.method,
        "coverage": coverage_fields(done.coverage),
        "bankroll": bankroll_fields(done.bankroll),
        "notes": [*notes(done, question), *problems],
        "derived": {name: summary_fields(summary(bets)) for name, bets in _by_kind(done).items()},
        "rows": [as_fields(bet) | _derived_fields(done, bet) for bet in done.bets],
    }


def _derived_fields(done: Backtested, bet: PlacedBet) -> dict[str, Any]:
    mark = done.derived.get(bet.ident)
    return {
        "derived": None if mark is None else mark.kind,
        "band_pct": None if mark is None else mark.band_pct,
        "implied_close": mark is not None and mark.has_implied_close,
    }


def _by_kind(done: Backtested) -> dict[str, list[PlacedBet]]:
    """Return the bets on derived fair odds, by how these were derived."""
    found: dict[str, list[PlacedBet]] = {}
    for bet in done.bets:
        if mark := done.derived.get(bet.ident):
            found.setdefault(mark.kind, []).append(bet)
    return dict(sorted(found.items()))


def _settled(
    bets: list[PlacedBet], *, files: Sequence[str], problems: list[str]
) -> list[PlacedBet]:
    """Return the bets settled from result files."""
    for name in files:
        try:
            file = Path(name)
            found = settle_by_file(file.read_bytes(), bets, system_clock(), source=file.name)
        except (OSError, SheetError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise click.ClickException(f"{name}: {reason}") from error
        settled = {bet.ident: bet for bet in found.bets}
        bets = [settled.get(bet.ident, bet) for bet in bets]
        lines = [*found.problems, *found.to_look_at]
        problems += [f"{name} {line}" for line in lines[:_MOST_NAMED]]
        if len(lines) > _MOST_NAMED:
            problems.append(f"{name}: {len(lines) - _MOST_NAMED} more lines like these")
    return bets


def _asked(runs: Sequence[_Run]) -> str:
    question, done, _ = runs[0]
    methods = ", ".join(run.question.method.replace("_", " ") for run in runs)
    how = methods if len(runs) == 1 else f"{len(runs)} methods"
    which = f", preset {question.preset}" if question.preset else ""
    since, until = question.since_ms, question.until_ms
    span = "" if since is None and until is None else f" {in_span(since, until)}"
    line = (
        f"{done.asked:,} rows of the log{span}, sharp book {question.reference}, {how}{which}; "
        f"CLV {question.close.close_by_text}"
    )
    if done.first_ms is None:
        return plain(line)
    all_of_it = f"{format_ms(done.first_ms)} to {format_ms(done.last_ms)}"
    return plain(f"{line}; the log covers {all_of_it}")


def _comparison(runs: Sequence[_Run]) -> str:
    """Return a table with one row per method."""
    rows = []
    for question, _, found in runs:
        profit = "" if found.profit is None else f"{found.profit:+.2f}"
        rows.append(
            (
                question.method,
                str(found.bets),
                str(found.settled),
                profit,
                _with_ends(found.yield_pct, found.yield_range),
                _with_ends(found.clv_pct, found.clv_range),
                str(found.clv_bets),
            )
        )
    return "\n".join([*aligned(_METHODS, rows, frozenset(_METHODS[1:])), "", _BRACKETS])


def _with_ends(figure: float | None, ends: tuple[float | None, float | None]) -> str:
    if figure is None:
        return ""
    low, high = ends
    reach = "?" if low is None or high is None else f"[{low:+.2f}..{high:+.2f}]"
    return f"{figure:+.2f} % {reach}"


def _notes_of(run: _Run) -> list[str]:
    question, done, _ = run
    covered = coverage_lines(done.coverage, question.reference, question.close)
    return [*notes(done, question), *covered]


def _shared_notes(runs: Sequence[_Run]) -> Iterator[str]:
    """Yield the notes that apply to all methods once, the others with their method's name."""
    by_run = [_notes_of(run) for run in runs]
    shared = [line for line in by_run[0] if all(line in lines for lines in by_run)]
    for run, lines in zip(runs, by_run, strict=True):
        yield from (f"{run.question.method}: {line}" for line in lines if line not in shared)
    yield from shared


def _table(bets: Sequence[PlacedBet], found: Summary) -> str:
    lines = [f"{bets_text(found.bets)} of one unit each"]
    if found.settled:
        rows = [("", "", whole_report(bets))]
        rows += [("", name, each) for name, each in split_report(bets, Grouping.BOOKMAKER).items()]
        lines += [reports_table(rows), ""]
    lines += [
        _figure("yield", found.yield_pct, found.yield_range, found.settled_text),
        _figure("CLV", found.clv_pct, found.clv_range, bets_text(found.clv_bets)),
    ]
    return "\n".join(lines)


def _kind_line(kind: str, bets: Sequence[PlacedBet], found: Summary) -> str:
    """Return the figures of the bets whose fair odds were derived in one way."""
    known = "yield", found.yield_pct, found.yield_range, found.settled_text
    clv = "CLV", found.clv_pct, found.clv_range, bets_text(found.clv_bets)
    return f"of these {bets_text(len(bets))} {kind}: {_figure(*known)}; {_figure(*clv)}"


def _figure(
    name: str, figure: float | None, ends: tuple[float | None, float | None], of: str
) -> str:
    if figure is None:
        return f"{name}: unknown"
    low, high = ends
    about = "too few games for a 95 % interval"
    if low is not None and high is not None:
        about = f"95 % interval {low:+.2f} to {high:+.2f}"
    return f"{name}: {figure:+.2f} % over {of}; {about}"
