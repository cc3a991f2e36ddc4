"""`oddsdesk backtest`: what the value bets of a recorded log would have earned."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import click

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import system_clock
from oddsdesk.base.numbers import num
from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.base.system_errors import error_text, file_error_text
from oddsdesk.base.texts import _, translated
from oddsdesk.cli import backtest_text, options
from oddsdesk.cli.bet_sources import derived_option
from oddsdesk.cli.options import Decimal
from oddsdesk.cli.own_records import own_bands, own_close_by, own_profiles, own_setting, preset
from oddsdesk.cli.terminal import Progress, plain, wrapped
from oddsdesk.desk.settings.declared import METHOD, MINE, derived_choice, stake_plan
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.result_files import settle_by_file
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.value import DerivedChoice, ListRules
from oddsdesk.research.grids import AND, AXES, AXES_OF, Bests, Combination, grid_of
from oddsdesk.research.question import (
    ALPHA,
    LEAST_BOOKS,
    SERIES,
    BetAt,
    SettingsError,
    Staking,
    StakingKind,
    Strategy,
    rules_named,
)
from oddsdesk.research.runs import Run, best_of, compared_fields, run_combinations, run_fields
from oddsdesk.research.walk import Progress as CountDone
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError

_MOST_NAMED: Final = 5
_PROPORTIONAL_SHARE: Final = 0.01


def _grid(_: click.Context, __: click.Parameter, value: str | None) -> list[Combination] | None:
    try:
        return None if value is None else grid_of(value)
    except SettingsError as error:
        raise click.BadParameter(translated(str(error))) from error


def _least_ev(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    _rules_of("contract", value)
    return value


def _rules(_: click.Context, __: click.Parameter, value: str) -> str:
    _rules_of(value, None)
    return value


def _alpha(_context: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 <= value < 1:
        raise click.BadParameter(
            _("alpha is from 0 to below 1, not {value:g}").format(value=num(value))
        )
    return value


def _rules_of(names: str, least_ev: float | None) -> ListRules:
    try:
        return rules_named(names.replace(AND, ","), least_ev)
    except SettingsError as error:
        raise click.BadParameter(translated(str(error))) from error


@click.command()
@options.maybe_database_option
@options.archive_option
@click.option(
    "--from",
    "since",
    callback=options.moment,
    metavar="TIME",
    help=_("Start betting at this time."),
)
@click.option(
    "--to", "until", callback=options.moment, metavar="TIME", help=_("Stop reading at this time.")
)
@click.option("--preset", "preset_name", metavar="NAME", help=_("Bet only what this preset lists."))
@click.option(
    "--latency",
    type=click.IntRange(min=0, max=86_400_000),
    default=0,
    metavar="MS",
    help=_(
        "Delay between seeing a price and betting it. A price that is no longer "
        "value by then is missed."
    ),
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(METHODS),
    metavar="METHOD",
    help=_(
        "Devig method: how the sharp book's margin is removed. Give it several "
        "times to compare methods in one table. Default: the desk's setting."
    ),
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
    help=_("Scores in football-data's format, used with the results that imports stored."),
)
@click.option(
    "--strategy",
    type=click.Choice(get_args(Strategy)),
    default="value",
    show_default=True,
    help=_(
        "value: bet what the rules call value. best-vs-mean: bet a side of a match "
        "result if (1/mean - alpha) x best odds is above 1, with the mean odds of "
        "all bookmakers; no sharp book, least EV or other rule counts, except for "
        "the price age."
    ),
)
@click.option(
    "--alpha",
    type=Decimal(),
    callback=_alpha,
    metavar="NUMBER",
    help=_(
        "With best-vs-mean: allowance for the bookmakers' margin, from 0 to below "
        "1.  [default: 0.05]"
    ),
)
@click.option(
    "--least-books",
    type=click.IntRange(min=1),
    metavar="N",
    help=_(
        "With best-vs-mean: how many bookmakers must price the side. Ignored with "
        "--series.  [default: 3]"
    ),
)
@click.option(
    "--at",
    type=click.Choice(get_args(BetAt)),
    default="any",
    show_default=True,
    help=_("Bet at any moment, or only at the last prices before the game starts."),
)
@click.option(
    "--series",
    type=click.Choice(SERIES),
    help=_(
        "Bet on the best odds of many bookmakers that football-data publishes (Max) "
        "instead of bookmakers' prices. With best-vs-mean, its mean (Avg) counts, "
        "too."
    ),
)
@click.option(
    "--least-ev",
    type=Decimal(),
    callback=_least_ev,
    metavar="PERCENT",
    help=_(
        "Least EV of a bet, in percent of its stake, from -5 on. Default: the "
        "contract's minimum, 2.01 (player props: 5.07)."
    ),
)
@click.option(
    "--rules",
    default="contract",
    show_default=True,
    callback=_rules,
    metavar="contract|none|NAME,...",
    help=_(
        "Which price rules of the contract hold: all, none, or those with these "
        "names in Explain, such as 'Book margin,Price age,EV <='. Other rules "
        "always hold, such as the same bet and known fair odds, and so do warnings "
        "of bad data: this bookmaker's margin is negative, placeholder, delayed "
        "feed, an outcome is missing."
    ),
)
@click.option(
    "--staking",
    "staking_kind",
    type=click.Choice(get_args(StakingKind)),
    default="flat",
    show_default=True,
    help=_(
        "Stakes: one unit on each bet, a share of the running bankroll, or Kelly on "
        "it with the limits in the desk's settings (on one outcome, one game, all "
        "open bets)."
    ),
)
@click.option(
    "--share",
    type=options.Percent(0, 100, above=True, what=_("share")),
    metavar="PERCENT",
    help=_(
        "With proportional: percent of the bankroll staked on each bet (default: "
        "1). With kelly: Kelly fraction in percent (default: the desk's setting)."
    ),
)
@click.option(
    "--bankroll",
    type=options.AmountType(0, above=True, what=_("bankroll")),
    metavar="UNITS",
    help=_("Bankroll at the start, with proportional or kelly. Default: 100 units."),
)
@click.option(
    "--grid",
    "grid",
    callback=_grid,
    metavar="LISTS",
    help=_(
        "Compare all combinations of lists in one table, such as "
        "'method=power,shin;reference=Pinnacle,consensus'."
    ),
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help=_(
        "Print a JSON object, whose rows are the bets; an array of them if you compare settings."
    ),
)
def backtest(*, as_json: bool, **asked: Any) -> None:
    """Report what value bets would have earned on a recorded log.

    At each moment the test knows only what had been recorded by then, and the desk's own rules
    decide what is value, unless you choose another strategy. It bets on each outcome once, at the
    best price after commission. Prices from before a game are not bet on once it has begun. CLV
    uses one fixed closing line, whatever picked the bets. Profit needs results.

    With --grid, or several --method, each combination has its own line. The best of many owes
    something to luck, so it is named with an interval that allows for that.

    \b
    Example:
      oddsdesk import football-data E0.csv --database season.db
      oddsdesk backtest --database season.db --method shin
      oddsdesk backtest --from 2024-12-01 --to 2025-01-01 --latency 5000 --json
      oddsdesk backtest --staking kelly --share 25 --bankroll 1000
      oddsdesk backtest --grid 'method=power,shin;reference=Pinnacle,Bet365'
      oddsdesk backtest --strategy best-vs-mean --series football-data --at close
    """
    with Progress(_("rows read")) as progress:
        runs, best, problems = tested(progress.count_done, **asked)
    if as_json:
        found = fields(runs, best, problems)
        click.echo(json.dumps(found if best is not None else found[0], indent=2))
        return
    lines = backtest_text.single(runs[0]) if best is None else backtest_text.comparison(runs, best)
    for line in (*lines, *problems):
        click.echo(wrapped(plain(line)))


class Tested(NamedTuple):
    """Backtests of one combination of settings or several."""

    runs: list[Run]
    best: Bests | None
    """The best of those compared; None if there is only one."""
    problems: list[str]


def tested(
    progress: CountDone,
    *,
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
    strategy: Strategy,
    alpha: float | None,
    least_books: int | None,
    at: BetAt,
    series: str | None,
    least_ev: float | None,
    rules: str,
    staking_kind: StakingKind,
    share: float | None,
    bankroll: float | None,
    grid: list[Combination] | None,
) -> Tested:
    """Run what the options of ``backtest`` describe.

    ``progress`` is called with the rows read since the last call; an exception of it ends the work.

    Raises:
        click.ClickException: the options contradict each other, or the log cannot be read.
    """
    options.check_span(since, until)
    options.check_archive(archive)
    problems: list[str] = []
    profiles, mine = own_profiles(), own_setting(MINE)
    asked = {
        "profiles": profiles,
        "mine": profiles.among(mine) if mine else None,
        "preset": preset_name or "",
        "filter": None if preset_name is None else preset(preset_name),
        "since_ms": since,
        "until_ms": until,
        "latency_ms": latency,
        "derived": derived or derived_choice(own_setting),
        "staking": _staking(staking_kind, share, bankroll),
        "strategy": strategy,
        "at": at,
        "series": series or "",
        "least_books": least_books or LEAST_BOOKS,
    }
    if at == "close" and latency:
        raise click.UsageError(_("--at close leaves no time for a --latency: the game starts then"))
    if strategy == "value" and least_books is not None and series is None:
        raise click.UsageError("--least-books needs --strategy best-vs-mean")
    if strategy != "value" and derived is not None:
        raise click.UsageError(
            _("--derived needs a sharp book; {strategy} uses none").format(strategy=strategy)
        )
    given = {"reference": reference, "least-ev": least_ev, "alpha": alpha}
    fixed = {axis: value for axis, value in given.items() if value is not None}
    if rules != "contract":
        fixed["rules"] = rules
    combinations = _combinations(grid, methods, fixed, strategy)
    by = own_close_by(close_reference, close_method)
    settle = partial(_settled, files=files, problems=problems)
    named = database or options.usual_database()
    try:
        runs = run_combinations(
            named, archive, by, combinations, asked, own_bands, settle, progress
        )
    except (StoreError, ArchiveError, OSError) as error:
        raise click.ClickException(translated(file_error_text(error))) from error
    is_compared = len(runs) > 1 or grid is not None
    return Tested(runs, best_of(runs) if is_compared else None, list(dict.fromkeys(problems)))


def fields(
    runs: Sequence[Run], best: Bests | None, problems: Sequence[str]
) -> list[dict[str, Any]]:
    """Return each backtest in the form that ``--json`` prints."""
    found = [run_fields(run, problems) for run in runs]
    if best is None:
        return found
    return [each | compared_fields(place, runs, best) for place, each in enumerate(found)]


def _staking(kind: StakingKind, share: float | None, bankroll: float | None) -> Staking:
    """Return how bets are staked; limits are those of the desk."""
    if kind == "flat":
        for name, value in (("--share", share), ("--bankroll", bankroll)):
            if value is not None:
                raise click.UsageError(
                    _("{name} needs --staking proportional or kelly").format(name=name)
                )
        return Staking()
    plan = stake_plan(own_setting)
    usual = plan.kelly_share if kind == "kelly" else _PROPORTIONAL_SHARE
    return Staking(
        kind=kind,
        share=usual if share is None else share,
        bankroll=Staking().bankroll if bankroll is None else bankroll,
        outcome_cap=plan.outcome_cap,
        game_cap=plan.game_cap,
        total_cap=plan.total_cap,
    )


def _combinations(
    grid: Sequence[Combination] | None,
    methods: Sequence[str],
    fixed: Combination,
    strategy: Strategy,
) -> Sequence[Combination]:
    """Return the combinations to run, each with what was given for all of them."""
    listed = {*grid[0]} if grid else set[str]()
    given = {*fixed, *(["method"] if methods else [])}
    for axis in listed & given:
        raise click.UsageError(
            _("--{axis} and --grid both have a {axis}: give it once").format(axis=axis)
        )
    for axis in AXES:
        if axis in listed | given and axis not in AXES_OF[strategy]:
            where = _("{axis} in --grid").format(axis=axis) if axis in listed else f"--{axis}"
            raise click.UsageError(
                _("{where} has no effect with --strategy {strategy}").format(
                    where=where, strategy=strategy
                )
            )
    if grid and len(methods) > 1:
        raise click.UsageError(_("with --grid several methods go into it, as in method=power,shin"))
    if strategy != "value":
        return [{**each, "alpha": each.get("alpha", ALPHA), **fixed} for each in grid or [{}]]
    how = dict.fromkeys(methods) or [own_setting(METHOD)]
    if grid is None:
        return [{"method": method, **fixed} for method in how]
    (method,) = how
    return [{**each, "method": each.get("method", method), **fixed} for each in grid]


def _settled(
    bets: list[PlacedBet], *, files: Sequence[str], problems: list[str]
) -> list[PlacedBet]:
    """Return the bets settled from result files."""
    for name in files:
        try:
            file = Path(name)
            found = settle_by_file(file.read_bytes(), bets, system_clock(), source=file.name)
        except (OSError, SheetError) as error:
            reason = translated(error_text(error))
            raise click.ClickException(f"{name}: {reason}") from error
        settled = {bet.ident: bet for bet in found.bets}
        bets = [settled.get(bet.ident, bet) for bet in bets]
        lines = [*found.problems, *found.to_look_at]
        problems += [f"{name} {translated(line)}" for line in lines[:_MOST_NAMED]]
        if len(lines) > _MOST_NAMED:
            problems.append(
                _("{name}: {count} more lines like these").format(
                    name=name, count=len(lines) - _MOST_NAMED
                )
            )
    return bets
