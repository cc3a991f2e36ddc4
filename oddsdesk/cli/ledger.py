"""`oddsdesk ledger`: the user's placed bets, without a window."""

import contextlib
import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.archive.looking_back import LookingBack
from oddsdesk.board.verdict_words import FLOOR_TEXT, PER_DECIDED_TEXT
from oddsdesk.cli.ledger_tables import bets_table, reports_table
from oddsdesk.cli.options import (
    Number,
    close_method_option,
    close_reference_option,
    ledger_option,
    maybe_database_option,
    usual_database,
)
from oddsdesk.cli.outputs import STANDARD, output
from oddsdesk.cli.own_records import own_close_by, own_profiles
from oddsdesk.clock import system_clock
from oddsdesk.desk.shell.display import missing_qt
from oddsdesk.ledger.bets import BadBetError, BetState, PlacedBet, cashed_out, counted, settled
from oddsdesk.ledger.cells import CellError, read_result
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.log_closes import closed_wrongly, closes_again, closes_from_log
from oddsdesk.ledger.merging import compare
from oddsdesk.ledger.reading import NO_MATCH, ImportedBets, OddsUnclearError, read_bets
from oddsdesk.ledger.reporting import (
    LUCK_TEXT,
    Grouping,
    OneClose,
    by_currency,
    by_one_close,
    luck_text,
    split_report,
    whole_report,
)
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.ledger.settling import Settled, settle_by_file
from oddsdesk.ledger.writing import as_fields, write_bet_analytix, write_csv, write_json
from oddsdesk.pricing.formats import STYLES
from oddsdesk.pricing.reports import Report
from oddsdesk.pricing.results import Result
from oddsdesk.private_files import OWNER_ONLY
from oddsdesk.spreadsheets import SheetError
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.past_odds import ReaderPast
from oddsdesk.store.store import Store, open_store

_MOST_TOLD: Final = 20
_FIRST: Final = 5
_STATES: Final = {state.value.replace(" ", "-"): state for state in BetState}

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def ledger() -> None:
    """The bets that you placed: list, settle, close, report, import and export.

    A desk that is running shows what was changed here when its list of bets is opened anew.

    \b
    Example:
      oddsdesk ledger list --state to-settle
      oddsdesk ledger settle --results E0.csv
      oddsdesk ledger report --by bookmaker
    """


@ledger.command(name="list")
@ledger_option()
@click.option("--state", type=click.Choice([*_STATES]), help="Only bets that stand so.")
@json_option
def list_(path: Path, state: str | None, as_json: bool) -> None:
    """List the bets in the order of their kick-offs.

    \b
    Example:
      oddsdesk ledger list --state open --json
    """
    now_ms = system_clock()
    with _open(path) as held:
        bets = sorted(held.bets(), key=lambda bet: bet.order)
    if state is not None:
        bets = [bet for bet in bets if bet.state(now_ms) is _STATES[state]]
    if as_json:
        rows = [as_fields(bet) | {"state": bet.state(now_ms).value} for bet in bets]
        click.echo(json.dumps(rows, indent=2))
    else:
        click.echo(bets_table(bets, now_ms))


@ledger.command()
@ledger_option()
@click.argument("words", nargs=-1, metavar="[BET... RESULT]")
@click.option("--results", metavar="FILE", help="A file of results or scores; - is standard input.")
@click.option(
    "--back",
    type=Number(0, what="amount"),
    metavar="AMOUNT",
    help="What was paid back by a cash-out.",
)
@click.option(
    "--part",
    type=Number(0, above=True, what="stake"),
    metavar="STAKE",
    help="How much of the stake was cashed out.",
)
@json_option
def settle(
    path: Path,
    words: tuple[str, ...],
    results: str | None,
    back: float | None,
    part: float | None,
    as_json: bool,
) -> None:
    """Settle bets by number, or all that a file has results of.

    RESULT is won, lost, void, half-won, half-lost, cashed-out (with --back, and --part for a part
    of the stake) or open. A file has columns bet and result, or football-data's scores; CSV or
    XLSX. Bets that have a result keep it.

    A score settles a bet only if teams, competition and kick-off agree. A game that was put off,
    is in another competition or of another side of the clubs is listed with the reason: look at it.

    \b
    Example:
      oddsdesk ledger settle 12 13 won
      oddsdesk ledger settle 14 cashed-out --back 7.50 --part 5
      oddsdesk ledger settle --results E0.csv
    """
    if (results is None) == (not words):
        raise click.UsageError("say BET... RESULT, or --results FILE")
    now_ms = system_clock()
    data = b"" if results is None else _read(results)
    with _open(path) as held:
        if results is None:
            found = Settled(_by_hand(held.bets(), words, back, part, now_ms), [])
        else:
            try:
                found = settle_by_file(data, held.bets(), now_ms)
            except SheetError as error:
                raise click.ClickException(f"{results}: {error}") from error
        if found.bets:
            held.change(found.bets, "settled")
    ended, problems, unknown, to_look_at = found
    _tell_problems(results or "", problems)
    _tell_problems(results or "", to_look_at)
    told = {"settled": len(ended), "to_look_at": len(to_look_at), "of_no_bet": unknown}
    _tell(told | {"bad": len(problems)}, as_json=as_json)
    if problems or to_look_at:
        raise click.exceptions.Exit(1)


@ledger.command()
@ledger_option()
@maybe_database_option
@click.option("--mend", is_flag=True, help="Replace closing lines of other games than the bets'.")
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
    """Fill in closing lines from the log of a database, for bets whose games have begun.

    All are of one reference and by one method, whatever judged the bets.

    A close is the reference's last complete line before the game, at most 30 minutes old. The game
    is that of the bet's teams, competition and kick-off. The log holds moves only: a market that
    did not move in that time has a close where a desk or `watch` saw it.

    Earlier versions took some closes from other games of the same teams. These are counted as
    wrong; --mend replaces them by what this log has, and `oddsdesk ledger undo` takes that back.

    \b
    Example:
      oddsdesk ledger close --database odds.db
      oddsdesk ledger close --database odds.db --mend
    """
    now_ms, by = system_clock(), own_close_by(close_reference, close_method)
    name = str(database or usual_database())
    try:
        with (
            contextlib.closing(_log_of(database or usual_database())) as store,
            _open(path) as held,
        ):
            past = ReaderPast(store.reader(), store.reference)
            wrong = closed_wrongly(past, counted(held.bets()), now_ms)
            mended = 0
            if mend and wrong:
                mended = held.close_again(closes_again(past, wrong, now_ms, by))
            closes = closes_from_log(past, counted(held.bets()), now_ms, by)
            news = held.write_closes(closes.found | closes.reasons(held.bets(), now_ms))
            bets = list(counted(held.bets()))
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    left = set[int | None]() if mend else {bet.ident for bet in wrong}
    right = [bet for bet in bets if bet.ident not in left]
    there = sum(bet.close is not None and bet.close.is_there for bet in right)
    known = [bet for bet in right if bet.ident not in closes.not_known]
    without = sum(bet.close is not None and not bet.close.is_there for bet in known)
    _tell_problems(name, [f"bet {ident}: {why}" for ident, why in closes.not_known.items()])
    if left:
        click.echo(f"{name}: {_wrong_text(len(left))}", err=True)
    told = {"written": news, "with_close": there, "no_close": without}
    told |= {"not_known": len(right) - there - without, "wrong": len(left), "mended": mended}
    _tell(told, as_json=as_json)


def _wrong_text(count: int) -> str:
    bets = "1 bet has" if count == 1 else f"{count} bets have"
    return f"{bets} the closing line of another game; replace them with --mend"


def _log_of(database: Database) -> Store:
    return open_store(database, read_only=True, find_older=LookingBack())


@ledger.command()
@ledger_option()
@click.argument("file", required=False)
@click.option("--to", "target", metavar="FILE", help="The same as FILE. Default: standard output.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "json", "xlsx", "bet-analytix"]),
    help="Default: by the ending of FILE, else csv. bet-analytix is the list that it imports.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def export(
    path: Path, file: str | None, target: str | None, form: str | None, as_json: bool
) -> None:
    """Write all bets with all that is known of them.

    `ledger import` reads CSV and XLSX back, not JSON.

    \b
    Example:
      oddsdesk ledger export bets.csv
      oddsdesk ledger export --format bet-analytix for-bet-analytix.csv
    """
    if file is not None and target is not None:
        raise click.UsageError("FILE and --to are the same: give one of them")
    target = file or target or STANDARD
    ending = Path(target).suffix.lower().removeprefix(".")
    chosen = "json" if as_json else form or (ending if ending in ("json", "xlsx") else "csv")
    with _open(path) as held:
        bets = sorted(held.bets(), key=lambda bet: bet.order)
    text = io.BytesIO()
    if chosen == "xlsx":
        _write_workbook(bets, text)
    elif chosen == "bet-analytix":
        for line in write_bet_analytix(bets, text).changed:
            click.echo(line, err=True)
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
    help="How odds are written, where neither titles nor figures tell.",
)
@json_option
def import_(path: Path, files: tuple[str, ...], odds: str | None, as_json: bool) -> None:
    """Record bets of other files: ours, Pikkit's, Bet-Analytix's, OddsJam's, plain lists.

    CSV or XLSX. Bets that are there already (the same price at the same moment) are not taken
    again; open ones get the result that the list has by now. New bets are undone as one, results
    as another.

    \b
    Example:
      oddsdesk ledger import transactions.csv
      oddsdesk ledger import list.csv --odds american
    """
    now_ms = system_clock()
    profiles = own_profiles()
    problems, bets, left_out, undated = 0, list[PlacedBet](), list[str](), set[int]()
    differing = list[str]()
    for file in files:
        try:
            found = read_bets(_read(file), now_ms, odds, profiles)
        except OddsUnclearError as error:
            raise click.ClickException(f"{file}: {error}; say it with --odds") from error
        except SheetError as error:
            raise click.ClickException(f"{file}: {error}") from error
        click.echo(_read_as(file, found), err=True)
        _tell_problems(file, found.problems)
        _tell_problems(file, found.doubts)
        if not found.has_match:
            click.echo(f"{file}: {NO_MATCH}", err=True)
        problems += len(found.problems)
        undated |= {len(bets) + place for place in found.undated}
        bets += found.bets
        left_out += found.left_out
        differing += [f"{file}: {line}" for line in found.differing]
    with _open(path, is_made=True) as held:
        compared = compare(bets, held.bets(), now_ms, undated)
        if compared.settled:
            held.change(compared.settled, "settled")
        if compared.fresh:
            held.place_all(compared.fresh, "imported")
    if left_out:
        click.echo(f"columns that say nothing here: {', '.join(left_out)}", err=True)
    told = {
        "bets": len(compared.fresh),
        "there_already": compared.there,
        "settled": len(compared.settled),
        "bad": problems,
        "profit_differs": len(differing),
    }
    _tell(told, as_json=as_json)
    _tell_differing(differing)
    if problems:
        raise click.exceptions.Exit(1)


@ledger.command()
@ledger_option()
@json_option
def undo(path: Path, as_json: bool) -> None:
    """Take back the last change of bets; again takes back the one before.

    \b
    Example:
      oddsdesk ledger undo
    """
    with _open(path) as held:
        undone = held.undo()
    if undone is None:
        raise click.ClickException("there is nothing to take back")
    what, count = undone
    _tell({"undone": what, "bets": count}, as_json=as_json)


@ledger.command()
@ledger_option()
@click.option("--by", type=click.Choice([each.value for each in Grouping]), help="Split by this.")
@close_reference_option
@close_method_option
@json_option
def report(
    path: Path,
    by: str | None,
    close_reference: str | None,
    close_method: str | None,
    as_json: bool,
) -> None:
    """Report profit, yield, expected profit, closing line value, drawdown and luck.

    Settled bets only, without practice, each currency for itself. Luck is how often a bettor
    without edge does as well, or as badly: nested lines of a game, such as over 1.5 and over 2.5,
    win and lose together and count as one outcome. It is "about" so often where different markets
    of one game were bet on, or too many bets to add up every way to end; z is then the profit in
    standard deviations of what chance alone does. Months are UTC. CLV is of closes of one reference
    and by one method: closes recorded otherwise are left out and counted.

    \b
    Example:
      oddsdesk ledger report --by month --json
    """
    with _open(path) as held:
        placed = held.bets()
    by_close = own_close_by(close_reference, close_method)
    closed = by_one_close(counted(placed), by_close, is_method_fixed=close_method is not None)
    rows: list[tuple[str, str, Report]] = []
    for currency, bets in by_currency(closed.bets).items():
        whole = whole_report(bets)
        if whole.bets:
            split = {} if by is None else split_report(bets, Grouping(by))
            rows += [(currency, label, found) for label, found in split.items()]
            rows.append((currency, "", whole))
    if as_json:
        click.echo(
            json.dumps([_report_fields(*row) | _close_fields(closed) for row in rows], indent=2)
        )
    else:
        click.echo(reports_table(rows))
        if rows and closed.text:
            click.echo(closed.text, err=True)
        if decided := sum(found.clv_decided for _, label, found in rows if not label):
            click.echo(f"CLV of {decided} bets is {PER_DECIDED_TEXT}", err=True)
        if any(found.expected_bets and found.clv_bets for _, _, found in rows):
            click.echo(FLOOR_TEXT, err=True)
        if any(luck_text(found).startswith("about") for _, _, found in rows):
            click.echo(LUCK_TEXT, err=True)
    if practice := sum(bet.practice and bet.result is not None for bet in placed):
        click.echo(f"left out, since they are practice: {practice}", err=True)


@contextlib.contextmanager
def _open(path: Path, *, is_made: bool = False) -> Iterator[Ledger]:
    try:
        with contextlib.closing(Ledger(path, is_made=is_made)) as held:
            yield held
    except LedgerError as error:
        raise click.ClickException(str(error)) from error


def _read(file: str) -> bytes:
    if file == STANDARD:
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise click.ClickException(f"{file}: cannot be read: {error.strerror or error}") from error


def _read_as(file: str, found: ImportedBets) -> str:
    whose = f", a list of {found.tracker}" if found.tracker else ""
    return f"{file}: {found.read_as}{whose}"


def _by_hand(
    bets: Sequence[PlacedBet],
    words: Sequence[str],
    back: float | None,
    part: float | None,
    now_ms: int,
) -> list[PlacedBet]:
    *idents, word = words
    held = {str(bet.ident): bet for bet in bets}
    unknown = [ident for ident in idents if ident not in held]
    if unknown or not idents:
        raise click.UsageError(f"there is no bet {', '.join(unknown)}" if idents else "which bets?")
    try:
        result = read_result(word)
        if result is not Result.CASHED_OUT:
            if back is not None or part is not None:
                raise click.UsageError("--back and --part are for cashed-out")
            return [settled(held[ident], result, now_ms) for ident in idents]
        if back is None or len(idents) > 1:
            raise click.UsageError("a cash-out is of one bet, with --back AMOUNT")
        bet = held[idents[0]]
        return [cashed_out(bet, bet.open_stake if part is None else part, back, now_ms)]
    except (BadBetError, CellError) as error:
        raise click.UsageError(str(error)) from error


def _write_workbook(bets: Sequence[PlacedBet], stream: io.BytesIO) -> None:
    problem = missing_qt()
    if problem is not None:
        raise click.ClickException(f"a workbook of bets: {problem}")
    from oddsdesk.desk.export.bets import write_bets_workbook  # noqa: PLC0415 - Qt comes with it
    from oddsdesk.desk.export.files import ExportError  # noqa: PLC0415

    try:
        write_bets_workbook(bets, stream)
    except ExportError as error:
        raise click.ClickException(str(error)) from error


def _report_fields(currency: str, label: str, found: Report) -> dict[str, Any]:
    return {
        "currency": currency,
        "of": label or None,
        "bets": found.bets,
        "staked": found.staked,
        "profit": found.profit,
        "yield_pct": found.yield_pct,
        "expected": found.expected,
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


def _close_fields(closed: OneClose) -> dict[str, Any]:
    return {
        "close_reference": closed.by.reference,
        "close_method": closed.by.method,
        "closes_left_out": closed.left_out,
    }


def _tell(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(told))
    else:
        click.echo(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told.items()))


def _tell_differing(lines: Sequence[str]) -> None:
    if not lines:
        return
    click.echo("look at what earned something else by its list than its result gives:", err=True)
    for line in lines[:_FIRST]:
        click.echo(line, err=True)
    if len(lines) > _FIRST:
        click.echo(f"and {len(lines) - _FIRST} more", err=True)


def _tell_problems(file: str, problems: Sequence[str]) -> None:
    for problem in problems[:_MOST_TOLD]:
        click.echo(f"{file}: {problem}", err=True)
    if len(problems) > _MOST_TOLD:
        click.echo(f"{file}: and {len(problems) - _MOST_TOLD} more", err=True)
