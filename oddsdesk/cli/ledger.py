"""`oddsdesk ledger`: the user's placed bets, without a window."""

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from oddsdesk.archive.folder import LookingBack
from oddsdesk.base.clock import system_clock
from oddsdesk.base.figures import Habit
from oddsdesk.base.file_kinds import BETS, wrong_kind
from oddsdesk.base.files import OWNER_ONLY
from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.valuation.verdict_words import PER_DECIDED_TEXT
from oddsdesk.cli.account_sync import sync
from oddsdesk.cli.balances import accounts
from oddsdesk.cli.bet_tables import bets_table, reports_table
from oddsdesk.cli.options import (
    AmountType,
    close_method_option,
    close_reference_option,
    json_option,
    ledger_option,
    maybe_database_option,
    usual_database,
)
from oddsdesk.cli.own_records import (
    ALL_CURRENCIES,
    all_in_main,
    open_ledger,
    own_close_by,
    own_profiles,
)
from oddsdesk.cli.risk import risk
from oddsdesk.cli.settle import settle
from oddsdesk.cli.terminal import STANDARD, output, print_counts, print_problems, read_input
from oddsdesk.desk.shell.display import missing_qt
from oddsdesk.ledger import reporting
from oddsdesk.ledger.bet_lists import read_lists
from oddsdesk.ledger.bet_tables import bet_fields, write_bet_analytix, write_csv, write_json
from oddsdesk.ledger.bets import BetState, PlacedBet, counted
from oddsdesk.ledger.columns import FIELDS, ListUnclearError, field_named
from oddsdesk.ledger.ledger import CHANGE_WORDS
from oddsdesk.ledger.legs import part_text
from oddsdesk.ledger.log_closes import closed_wrongly, closes_again, closes_from_log
from oddsdesk.ledger.presets import NO_CHOICES, ListChoices
from oddsdesk.ledger.reading import NO_DATE, NO_MATCH, ImportedBets, joined, read_rows
from oddsdesk.ledger.same_bets import compare_bets
from oddsdesk.pricing.formats import STYLES
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.reports import Report
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import ReaderPast
from oddsdesk.store.store import open_store

_FIRST: Final = 5
_STATES: Final = {state.value.replace(" ", "-"): state for state in BetState}


@click.group()
def ledger() -> None:
    """List, settle and report your placed bets.

    A running desk shows changes made here when you reopen its list of bets.

    \b
    Example:
      oddsdesk ledger list --state to-settle
      oddsdesk ledger settle --results E0.csv
      oddsdesk ledger report --by bookmaker
    """


@ledger.command(name="list")
@ledger_option()
@click.option("--state", type=click.Choice([*_STATES]), help=_("Only list bets in this state."))
@json_option
def list_(path: Path, state: str | None, as_json: bool) -> None:
    """List the bets by kick-off.

    \b
    Example:
      oddsdesk ledger list --state open --json
    """
    now_ms = system_clock()
    with open_ledger(path) as held:
        bets = sorted(held.read_bets(), key=lambda bet: bet.time_order)
    if state is not None:
        bets = [bet for bet in bets if bet.state(now_ms) is _STATES[state]]
    if as_json:
        rows = [bet_fields(bet) | {"state": bet.state(now_ms).value} for bet in bets]
        click.echo(json.dumps(rows, indent=2))
    else:
        click.echo(bets_table(bets, now_ms))


ledger.add_command(risk)
ledger.add_command(settle)
ledger.add_command(sync)
ledger.add_command(accounts)


@ledger.command()
@ledger_option()
@maybe_database_option
@click.option("--mend", is_flag=True, help=_("Replace closing lines taken from the wrong game."))
@close_reference_option
@close_method_option
@json_option
def close(
    path: Path,
    database: Database | None,
    mend: bool,
    close_reference: str | None,
    close_method: str | None,
    as_json: bool,
) -> None:
    """Fill in closing lines from a recorded log.

    Only for bets whose games have started. All closing lines use one sharp book and one devig
    method, whatever picked the bets.

    The closing line is the sharp book's last complete line before kick-off, at most 30 minutes
    old, in the game with the bet's teams, competition and kick-off. The log only stores moves: if
    a market did not move in those 30 minutes, only a desk or `watch` running then saw its close.

    Earlier versions took some closing lines from other games of the same teams. They are counted as
    wrong; --mend replaces them from this log. `oddsdesk ledger undo` reverts that.

    \b
    Example:
      oddsdesk ledger close --database odds.db
      oddsdesk ledger close --database odds.db --mend
    """
    now_ms, by = system_clock(), own_close_by(close_reference, close_method)
    name = str(database or usual_database())
    try:
        with (
            contextlib.closing(
                open_store(database or usual_database(), read_only=True, find_older=LookingBack())
            ) as store,
            open_ledger(path) as held,
        ):
            past = ReaderPast(store.reader(), store.reference)
            wrong = closed_wrongly(past, counted(held.read_bets()), now_ms)
            mended = 0
            if mend and wrong:
                mended = held.close_again(closes_again(past, wrong, now_ms, by))
            closes = closes_from_log(past, counted(held.read_bets()), now_ms, by)
            news = held.write_closes(closes.found | closes.reasons(held.read_bets(), now_ms))
            bets = list(counted(held.read_bets()))
    except StoreError as error:
        raise click.ClickException(translated(str(error))) from error
    left = set[int | None]() if mend else {bet.ident for bet in wrong}
    right = [bet for bet in bets if bet.ident not in left]
    there = sum(bet.close is not None and bet.close.is_there for bet in right)
    unknown = {key[0] if isinstance(key, tuple) else key for key in closes.not_known}
    known = [bet for bet in right if bet.ident not in unknown]
    without = sum(bet.close is not None and not bet.close.is_there for bet in known)
    print_problems(
        name,
        [
            _("bet {number}: {reason}").format(number=part_text(key), reason=translated(why))
            for key, why in closes.not_known.items()
        ],
    )
    if left:
        click.echo(f"{name}: {_wrong_text(len(left))}", err=True)
    counts = {"written": news, "with_close": there, "no_close": without}
    counts |= {"not_known": len(right) - there - without, "wrong": len(left), "mended": mended}
    print_counts(counts, as_json=as_json)


def _wrong_text(count: int) -> str:
    return ngettext(
        "{count} bet has a closing line from another game; replace with --mend",
        "{count} bets have a closing line from another game; replace with --mend",
        count,
    ).format(count=count)


@ledger.command()
@ledger_option()
@click.argument("file", required=False)
@click.option("--to", "target", metavar="FILE", help=_("Same as FILE. Default: standard output."))
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "json", "xlsx", "bet-analytix"]),
    help=_(
        "Default: by the ending of FILE, else csv. bet-analytix is Bet-Analytix's import format."
    ),
)
@click.option("--json", "as_json", is_flag=True, help=_("Same as --format json."))
def export(
    path: Path, file: str | None, target: str | None, form: str | None, as_json: bool
) -> None:
    """Export all bets with everything known about them.

    `ledger import` reads CSV and XLSX back, not JSON.

    \b
    Example:
      oddsdesk ledger export bets.csv
      oddsdesk ledger export --format bet-analytix for-bet-analytix.csv
    """
    if file is not None and target is not None:
        raise click.UsageError(_("FILE and --to mean the same: give only one of them"))
    target = file or target or STANDARD
    ending = Path(target).suffix.lower().removeprefix(".")
    chosen = "json" if as_json else form or (ending if ending in ("json", "xlsx") else "csv")
    with open_ledger(path) as held:
        bets = sorted(held.read_bets(), key=lambda bet: bet.time_order)
    text = io.BytesIO()
    if chosen == "xlsx":
        _write_workbook(bets, text)
    elif chosen == "bet-analytix":
        for line in write_bet_analytix(bets, text).changed:
            click.echo(translated(line), err=True)
    else:
        {"csv": write_csv, "json": write_json}[chosen](bets, text)
    with output(target, OWNER_ONLY) as stream:
        stream.write(text.getvalue())


@ledger.command(name="import")
@ledger_option(is_made=True)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--odds",
    type=click.Choice(STYLES),
    help=_("How odds are written, if neither the column titles nor the figures show it."),
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=TITLE",
    help=_("Read a field from the column TITLE; FIELD= leaves it out. Fields: {fields}.").format(
        fields=", ".join(FIELDS)
    ),
)
@click.option(
    "--dates",
    type=click.Choice(["day-first", "month-first"]),
    help=_("How dates such as 08/09/2026 are written, if no date of the file shows it."),
)
@click.option(
    "--decimals",
    type=click.Choice([Habit.POINT.value, Habit.COMMA.value]),
    help=_("The decimal sign, if figures such as 1,500 do not show it."),
)
@click.option(
    "--unit",
    type=AmountType(0, above=True, what=_("value of a unit")),
    metavar="AMOUNT",
    help=_("What a unit is worth, if stakes are in units."),
)
@json_option
def import_(
    path: Path,
    files: tuple[str, ...],
    odds: str | None,
    columns: tuple[str, ...],
    dates: str | None,
    decimals: str | None,
    unit: float | None,
    as_json: bool,
) -> None:
    """Import bets from CSV or XLSX.

    It reads files of oddsdesk, Pikkit, Bet-Analytix and OddsJam, and plain lists in eleven
    languages. If a file does not show how to read it, nothing is imported and the option that
    answers is named. Answers are kept in the ledger for lists with the same titles.

    Bets you already have (same price at the same time) are not added again, but open ones are
    settled if the file has their result. `oddsdesk ledger undo` reverts first the results, then
    the new bets.

    \b
    Example:
      oddsdesk ledger import transactions.csv
      oddsdesk ledger import list.csv --odds american
      oddsdesk ledger import list.csv --column stake=Betrag --unit 10
    """
    now_ms = system_clock()
    profiles = own_profiles()
    given = ListChoices(
        columns=_columns(columns),
        odds=odds or "",
        dates=None if dates is None else Habit(dates.replace("-", " ")),
        decimals=None if decimals is None else Habit(decimals),
        unit=unit,
    )
    answered = list[tuple[list[str], ListChoices]]()
    problems, bets, left_out, undated = 0, list[PlacedBet](), list[str](), set[int]()
    differing = list[str]()
    for file in files:
        found, answers = _read_file(path, file, given, now_ms, profiles)
        _print_how_read(file, found, answers[-1][1])
        answered += answers
        problems += len(found.problems)
        undated |= {len(bets) + place for place in found.undated}
        bets += found.bets
        left_out += found.left_out
        differing += [f"{file}: {translated(line)}" for line in found.differing]
    with open_ledger(path, is_made=True) as held:
        compared = compare_bets(bets, held.read_bets(), now_ms, undated)
        if compared.settled:
            held.change_bet(compared.settled, "settled")
        if compared.fresh:
            held.place_all(compared.fresh, "imported")
        for titles, choices in answered:
            if choices != NO_CHOICES:
                held.remember_choices(titles, choices)
    if left_out:
        click.echo(_("unused columns: {names}").format(names=", ".join(left_out)), err=True)
    counts = {
        "bets": len(compared.fresh),
        "there_already": compared.there,
        "settled": len(compared.settled),
        "bad": problems,
        "profit_differs": len(differing),
    }
    print_counts(counts, as_json=as_json)
    _print_differing(differing)
    if problems:
        raise click.exceptions.Exit(1)


@ledger.command()
@ledger_option()
@json_option
def undo(path: Path, as_json: bool) -> None:
    """Undo the last change to the bets.

    Repeat it to undo earlier changes.

    \b
    Example:
      oddsdesk ledger undo
    """
    with open_ledger(path) as held:
        undone = held.undo_change()
    if undone is None:
        raise click.ClickException(_("nothing to undo"))
    what, count = undone
    print_counts({"undone": CHANGE_WORDS.get(what, what), "bets": count}, as_json=as_json)


@ledger.command()
@ledger_option()
@click.option(
    "--by", type=click.Choice([each.value for each in reporting.Grouping]), help=_("Split by this.")
)
@close_reference_option
@close_method_option
@json_option
def report(
    path: Path, by: str | None, close_reference: str | None, close_method: str | None, as_json: bool
) -> None:
    """Report profit, yield, CLV, drawdown and luck.

    The report covers settled bets, without practice bets, for each currency separately. Months are
    UTC. Staked is money at risk: lay bets count by their liability, free bets not at all.

    If you bet in several currencies and gave their rates (`oddsdesk ledger accounts rate`), the
    last line has all of them in your main currency.

    Luck is how often a bettor without an edge, with the same promotions, would do as well, or as
    badly. Nested lines of a game, such as over 1.5 and over 2.5, win and lose together and count as
    one outcome. The chance is marked "about" if you bet different markets of one game, or if there
    are too many bets for an exact sum. Z is the profit in standard deviations of a result by
    chance.

    CLV uses closing lines of one sharp book and one devig method. Closing lines recorded another
    way are left out and counted.

    \b
    Example:
      oddsdesk ledger report --by month --json
    """
    rows, closed, practice = reported(path, by, close_reference, close_method)
    if as_json:
        click.echo(json.dumps(report_fields(rows, closed), indent=2))
    else:
        click.echo(reports_table(rows))
        if rows and closed.close_text:
            click.echo(translated(closed.close_text), err=True)
        if decided := sum(found.clv_decided for _, label, found in rows if not label):
            click.echo(
                _("CLV of {count} bets is {per_decided}").format(
                    count=decided, per_decided=PER_DECIDED_TEXT
                ),
                err=True,
            )
        if free := sum(bool(bet.free_staked) and bet.result is not None for bet in closed.bets):
            click.echo(_("free bets, not counted in STAKED: {count}").format(count=free), err=True)
        if any(reporting.is_luck_rough(found) for _, _, found in rows):
            click.echo(translated(reporting.LUCK_TEXT), err=True)
    if practice:
        click.echo(_("practice bets left out: {count}").format(count=practice), err=True)


class Reported(NamedTuple):
    """A report of the ledger."""

    rows: list[tuple[str, str, Report]]
    """The currency, the group (empty for all bets), and the figures."""
    closed: reporting.OneClose
    practice: int
    """How many settled practice bets were left out."""


def reported(
    path: Path, by: str | None, close_reference: str | None, close_method: str | None
) -> Reported:
    """Work out a report; ``by`` is the value of a ``reporting.Grouping``.

    Raises:
        click.ClickException: the ledger cannot be read.
    """
    with open_ledger(path, is_read_only=True) as held:
        placed, book = held.read_bets(), held.money.read_book()
    by_close = own_close_by(close_reference, close_method)
    closed = reporting.by_one_close(
        counted(placed), by_close, is_method_fixed=close_method is not None
    )
    rows: list[tuple[str, str, Report]] = []
    for currency, bets in reporting.by_currency(closed.bets).items():
        whole = reporting.whole_report(bets)
        if whole.bets:
            split = {} if by is None else reporting.split_report(bets, reporting.Grouping(by))
            rows += [(currency, label, found) for label, found in split.items()]
            rows.append((currency, "", whole))
    if len({currency for currency, *_ in rows}) > 1 and book.main:
        converted = all_in_main(closed.bets, book)
        if converted is not None:
            rows.append((book.main, ALL_CURRENCIES, reporting.whole_report(converted)))
    practice = sum(bet.practice and bet.result is not None for bet in placed)
    return Reported(rows, closed, practice)


def report_fields(
    rows: Sequence[tuple[str, str, Report]], closed: reporting.OneClose
) -> list[dict[str, Any]]:
    """Return a report in the form that ``--json`` prints."""
    return [_report_fields(*row) | _close_fields(closed) for row in rows]


def _read_file(
    path: Path, file: str, given: ListChoices, now_ms: int, profiles: Profiles
) -> tuple[ImportedBets, list[tuple[list[str], ListChoices]]]:
    """Return the bets of a file, and the titles of each of its lists with how it was read.

    Choices missing from ``given`` come from the ledger at ``path``.

    Raises:
        click.ClickException: it is no list, or does not show how to read it.
    """
    data = read_input(file)
    parts = list[tuple[str, ImportedBets]]()
    answers = list[tuple[list[str], ListChoices]]()
    try:
        lists = read_lists(data)
        for place, titles, rows in lists.lists:
            with open_ledger(path) as held:
                choices = given.over(held.list_choices(titles))
            part = read_rows(titles, rows, now_ms, given.odds or None, profiles, choices)
            parts.append((place, part))
            answers.append((titles, choices))
    except SheetError as error:
        answer = _ANSWERS[error.about] if isinstance(error, ListUnclearError) else ""
        text = "; ".join(filter(None, (f"{file}: {translated(str(error))}", answer)))
        raise click.ClickException(translated(wrong_kind(file, data, BETS) or text)) from error
    return joined(parts, lists.left_out), answers


def _print_how_read(file: str, found: ImportedBets, choices: ListChoices) -> None:
    """Print on stderr how a file was read, and what of it was not."""
    read_as = translated(found.read_as)
    if found.tracker:
        read_as = _("{read_as}, exported by {tracker}").format(
            read_as=read_as, tracker=found.tracker
        )
    click.echo(f"{file}: {read_as}", err=True)
    for line in found.remarks:
        click.echo(f"{file}: {translated(line)}", err=True)
    if choices.columns:
        click.echo(
            _("{file}: columns as chosen: {columns}").format(
                file=file, columns=_columns_text(choices.columns)
            ),
            err=True,
        )
    print_problems(file, found.problems)
    print_problems(file, found.doubts)
    if not found.has_match:
        click.echo(f"{file}: {translated(NO_MATCH)}", err=True)
    if not found.has_date:
        click.echo(
            _("{file}: {reason}; use --column date=TITLE").format(
                file=file, reason=translated(NO_DATE)
            ),
            err=True,
        )


_ANSWERS: Final = {
    "columns": _("name columns with --column, such as --column stake=TITLE"),
    "odds": _("use --odds, such as --odds american"),
    "dates": _("use --dates day-first or --dates month-first"),
    "decimals": _("use --decimals point or --decimals comma"),
    "unit": _("give what a unit is worth, such as --unit 10"),
}
"""The option that answers what a list does not show."""


def _columns(given: Sequence[str]) -> dict[str, str]:
    """Return titles by key."""
    columns = {}
    for text in given:
        name, sign, title = text.partition("=")
        try:
            if not sign:
                raise ValueError(_("expected FIELD=TITLE, such as stake=Einsatz"))
            columns[field_named(name)] = title.strip()
        except ValueError as error:
            raise click.BadParameter(
                f"{text!r}: {translated(str(error))}", param_hint="--column"
            ) from error
    return columns


def _columns_text(columns: Mapping[str, str]) -> str:
    names = {key: name for name, key in FIELDS.items()}
    return ", ".join(f"{names.get(key, key)}={title}" for key, title in columns.items())


def _write_workbook(bets: Sequence[PlacedBet], stream: io.BytesIO) -> None:
    problem = missing_qt()
    if problem is not None:
        raise click.ClickException(
            _("cannot write a workbook of bets: {reason}").format(reason=translated(problem))
        )
    from oddsdesk.desk.export.files import ExportError, write_bets_workbook  # noqa: PLC0415

    try:
        write_bets_workbook(bets, stream)
    except ExportError as error:
        raise click.ClickException(translated(str(error))) from error


def _report_fields(currency: str, label: str, found: Report) -> dict[str, Any]:
    return {
        "currency": currency,
        "of": label or None,
        "bets": found.bets,
        "staked": found.staked,
        "free_staked": found.free_staked,
        "profit": found.profit,
        "yield_pct": found.yield_pct,
        "expected": found.floored_expected,
        "expected_bets": found.expected_bets,
        "clv_pct": found.clv_pct,
        "clv_bets": found.clv_bets,
        "clv_bets_per_decided": found.clv_decided,
        "beaten_pct": found.beaten_pct,
        "drawdown": found.drawdown.depth,
        "drawdown_bets": found.drawdown.bets,
        "z": found.z,
        "chance": found.chance,
        "bad_chance": found.bad_chance,
        "outcomes": found.outcomes,
        "chance_is_exact": found.is_exact,
    }


def _close_fields(closed: reporting.OneClose) -> dict[str, Any]:
    return {
        "close_reference": closed.by.reference,
        "close_method": closed.by.method,
        "closes_left_out": closed.left_out,
    }


def _print_differing(lines: Sequence[str]) -> None:
    if not lines:
        return
    click.echo(_("check these bets: their profit in the file differs from their result:"), err=True)
    for line in lines[:_FIRST]:
        click.echo(line, err=True)
    if len(lines) > _FIRST:
        click.echo(_("and {count} more").format(count=len(lines) - _FIRST), err=True)
