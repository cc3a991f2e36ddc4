"""`oddsdesk scorecard`: how sharp each bookmaker is, measured on a recorded log."""

import contextlib
import json
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import system_clock
from oddsdesk.cli import options
from oddsdesk.cli.own_records import own_close_by, own_profiles, own_setting
from oddsdesk.cli.terminal import Progress, aligned, plain
from oddsdesk.contract.competitions import period_label
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.settings.declared import METHOD
from oddsdesk.pricing.devig import METHODS
from oddsdesk.research.coverage import coverage_fields, coverage_lines, in_span
from oddsdesk.research.intervals import Interval
from oddsdesk.research.recorded_log import RecordedLog, open_judged
from oddsdesk.research.scorecards import Card, Scored, notes, scorecards
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError

_HEADINGS: Final = (
    *("BOOKMAKER", "HOLD % BEFORE CLOSE", "BEST % BEFORE CLOSE", "VALUE", "CLV %"),
    *("AGE s", "LAG s", "TIED %", "LOG LOSS VS SHARP BOOK AT CLOSE"),
)
_RIGHT: Final = frozenset(_HEADINGS[1:])
_FIGURES: Final = (
    *("hold_pct", "best_pct", "clv_pct", "age_s", "lag_s", "tied_pct"),
    *("log_loss", "log_loss_vs_reference"),
)


@click.command()
@options.maybe_database_option
@options.archive_option
@click.option(
    "--from", "since", callback=options.moment, metavar="TIME", help="Start counting at this time."
)
@click.option(
    "--to", "until", callback=options.moment, metavar="TIME", help="Stop reading at this time."
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    metavar="METHOD",
    help="Devig method: how margins are removed. Default: the desk's setting.",
)
@options.log_reference_option
@options.close_reference_option
@options.close_method_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON: an array, one object per card.")
def scorecard(
    database: Database | None,
    archive: Path | None,
    since: int | None,
    until: int | None,
    method: str | None,
    reference: str | None,
    close_reference: str | None,
    close_method: str | None,
    as_json: bool,
) -> None:
    """Score bookmakers on a recorded log.

    There is one table for each kind of market, with one line per bookmaker.

    \b
    HOLD      median hold before the close, before commission
    BEST      how often its price was the best, after commission
    VALUE     prices that were value; CLV is how they did against the closing line
    AGE       how old its price was when the sharp book moved
    LAG       how long after that it moved the same way, if it did
    TIED      moves read at the same moment, so it is unknown which was first;
              if these may be half or more, AGE and LAG only say "tied"
    LOG LOSS  log loss of its closing line minus the sharp book's, over lines where
              both have a close and a result; below 0 it was sharper

    Each figure has its count and its 95 % interval. Its own log loss is in --json.

    \b
    Example:
      oddsdesk scorecard --database season.db
      oddsdesk scorecard --database season.db --from 2024-12-01 --to 2025-01-01 --json
    """
    options.check_span(since, until)
    options.check_archive(archive)
    profiles, how = own_profiles(), method or own_setting(METHOD)
    try:
        by = own_close_by(close_reference, close_method)
        store, judged_by, closer = open_judged(database or options.usual_database(), reference, by)
        with contextlib.closing(store), Progress("rows read") as progress:
            found = scorecards(
                RecordedLog(store.reader(), archive),
                reference=judged_by,
                method=how,
                close=closer,
                profiles=profiles,
                now_ms=system_clock(),
                since_ms=since,
                until_ms=until,
                progress=progress.count_done,
            )
    except (StoreError, ArchiveError, OSError) as error:
        raise click.ClickException(str(error)) from error
    told = notes(found, in_span(since, until))
    if as_json:
        click.echo(json.dumps([_with_log(found, card) for card in found.cards], indent=2))
    elif found.cards:
        click.echo(_tables(found))
    for line in (*told, *coverage_lines(found.coverage, found.reference, found.close)):
        click.echo(plain(line), err=as_json)


def as_fields(card: Card) -> dict[str, Any]:
    """Return a card in the form that ``--json`` prints."""
    fields: dict[str, Any] = {**card.key._asdict(), "is_reference": card.is_reference}
    for name in _FIGURES:
        fields |= _fields(name, getattr(card, name))
    bins = [
        {"given_pct": each.given_pct} | _fields("came_true_pct", each.came_true)
        for each in card.calibration
    ]
    return fields | {"value_bets": card.value_bets, "calibration": bins}


def _with_log(found: Scored, card: Card) -> dict[str, Any]:
    """Return a card with the fields that all cards of the log share."""
    return as_fields(card) | {
        "reference": found.reference,
        "close_reference": found.close.reference,
        "close_method": found.close.method,
        "coverage": coverage_fields(found.coverage),
    }


def _fields(name: str, of: Interval) -> dict[str, Any]:
    return {
        name: of.figure,
        f"{name}_count": of.count,
        f"{name}_low": of.low,
        f"{name}_high": of.high,
    }


def _tables(found: Scored) -> str:
    blocks: dict[tuple[str, str, int], list[Card]] = {}
    for card in found.cards:
        blocks.setdefault(card.key[1:], []).append(card)
    lines: list[str] = []
    for (sport, market_type, period), cards in blocks.items():
        lines.append(f"{market_title(market_type)}, {period_label(sport, period)}, {sport}")
        lines += [*aligned(_HEADINGS, map(_row, cards), _RIGHT), ""]
    lines.append(
        f"{found.games} games started; CLV {found.close.close_by_text}; [..] is the 95 % interval, "
        "(n) the count, ? means too few"
    )
    return "\n".join(lines)


def _row(card: Card) -> tuple[str, ...]:
    name = plain(card.key.bookmaker)
    return (
        f"{name} (sharp book)" if card.is_reference else name,
        _text(card.hold_pct, 2),
        _text(card.best_pct, 1),
        str(card.value_bets),
        _text(card.clv_pct, 2, "+"),
        _text(card.age_s, 0) or _tied(card.age_s),
        _text(card.lag_s, 0, "+") or _tied(card.lag_s),
        _text(card.tied_pct, 0),
        _text(card.log_loss_vs_reference, 4, "+"),
    )


def _tied(of: Interval) -> str:
    return "tied" if of.count else ""


def _text(of: Interval, digits: int, sign: str = "") -> str:
    """Return a figure with its interval and count, so that little data looks like little."""
    if of.figure is None:
        return ""
    if of.low is None or of.high is None:
        return f"{of.figure:{sign}.{digits}f} ? ({of.count})"
    reach = f"{of.low:.{digits}f}..{of.high:.{digits}f}"
    return f"{of.figure:{sign}.{digits}f} [{reach}] ({of.count})"
