"""`oddsdesk derived`: how far modelled prices are off, measured on a recorded log."""

import contextlib
import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import click

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import system_clock
from oddsdesk.base.numbers import num
from oddsdesk.base.places import NoHomeError
from oddsdesk.base.system_errors import file_error_text
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli import options
from oddsdesk.cli.own_records import own_setting
from oddsdesk.cli.terminal import Progress, aligned, plain
from oddsdesk.contract.competitions import named_sport
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.settings.declared import METHOD
from oddsdesk.ledger.own_tables import OwnTableError, save_bands
from oddsdesk.pricing.consensus import CONSENSUS_TITLES
from oddsdesk.pricing.derived import LEAST_LINES
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.error_bands import BandRow
from oddsdesk.research.derived_errors import LineError, band_rows, errors_of, priced_games
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import open_store

_HEADINGS: Final = (
    N_("SPORT"),
    N_("MARKET"),
    N_("DISTANCE"),
    N_("GIVEN"),
    N_("BAND"),
    N_("MEAN"),
    N_("LINES"),
    N_("GAMES"),
    "",
)
_POOLED: Final = {title.casefold() for title in CONSENSUS_TITLES}
_RIGHT: Final = frozenset({"BAND", "MEAN", "LINES", "GAMES"})


@click.group()
def derived() -> None:
    """Measure how far off modelled fair odds are."""


@derived.command()
@options.maybe_database_option
@click.option("--sport", metavar="NAME", help=_("Measure this sport only, such as Football."))
@click.option(
    "--reference",
    metavar="NAME",
    help=_("The sharp book whose lines are predicted. Default: the database's."),
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    metavar="METHOD",
    help=_("Devig method: how margins are removed. Default: the desk's setting."),
)
@click.option("--save", is_flag=True, help=_("Use these bands from now on."))
@click.option(
    "--json", "as_json", is_flag=True, help=_("Print a JSON object; the table is in rows.")
)
def measure(
    database: Database | None,
    sport: str | None,
    reference: str | None,
    method: str | None,
    save: bool,
    as_json: bool,
) -> None:
    """Measure how far the models miss the sharp book's own lines.

    Each line that the sharp book prices is left out, predicted from its other lines, and compared
    with its own fair probability. A game counts at one moment: the last before kick-off, or now if
    it is still to come.

    \b
    DISTANCE  to the nearest line of the market that the model was given: at
              most 0.5, 1 or 2 goals, points or games, or more; none if it was
              given no line of the market
    GIVEN     lines that the model was given. all: all others, except those that
              imply this one exactly; one: one line of each market (match
              result, handicap, total)
    BAND      9 of 10 errors are at most this, in percentage points
    MEAN      mean error of home, over or yes: predicted minus own probability

    Only rows with 30 lines or more are used. If "all" and "one" have different bands, the wider
    counts. Each devig method has its own bands, so measure with the one that you use.

    --save writes the rows to derived_bands.csv in the settings folder. Those with 30 lines or more
    replace the shipped bands; saved rows of other sports and methods stay.

    \b
    Example:
      oddsdesk derived measure --database season.db --sport Football
      oddsdesk derived measure --database season.db --method shin --save
    """
    how = method or own_setting(METHOD)
    found = _measured(database or options.usual_database(), sport, reference, how)
    if not found.rows:
        raise click.ClickException(found.lacks)
    if save:
        if found.simulated:
            raise click.ClickException(_("nothing saved: the prices in the database are simulated"))
        try:
            path = save_bands(found.rows)
        except (OwnTableError, NoHomeError) as error:
            raise click.ClickException(translated(str(error))) from error
        click.echo(_("saved in {path}").format(path=path), err=as_json)
    if as_json:
        click.echo(json.dumps(_fields(found, how), indent=2))
        return
    click.echo("\n".join(aligned(_HEADINGS, map(_row, found.rows), _RIGHT)))
    click.echo()
    click.echo(plain(_summary(found, how)))
    for line in found.notes:
        click.echo(plain(translated(line)))


class _Measured(NamedTuple):
    """The errors measured on a log, and the games they come from."""

    reference: str
    rows: Sequence[BandRow]
    games: int
    """Games with complete lines of the reference."""
    predicted: int
    """Those with a line that could be predicted."""
    simulated: bool
    notes: Sequence[str]

    lacks: str = ""
    """If there are no rows, what is missing."""


def _measured(
    database: Database, sport: str | None, reference: str | None, method: str
) -> _Measured:
    if reference is not None and reference.strip().casefold() in _POOLED:
        raise click.ClickException(
            _("a consensus has no modelled prices; name a bookmaker with --reference")
        )
    only = None if sport is None else named_sport(sport) or sport
    now_ms = system_clock()
    try:
        with (
            contextlib.closing(open_store(database, reference, read_only=True)) as store,
            Progress(_("rows read")) as rows_read,
        ):
            reader = store.reader()
            log = RecordedLog(reader)
            games = list(
                priced_games(
                    log,
                    store.reference,
                    now_ms,
                    method=method,
                    sport=only,
                    progress=rows_read.count_done,
                )
            )
            rows_read.clear_line()
            errors = list[LineError]()
            with Progress(_("games measured")) as measured:
                for game in games:
                    errors += errors_of(game)
                    measured.count_done(1)
            notes = [log.removed()] if log.removed() else []
            simulated = not reader.holds_real_odds()
            if simulated:
                notes.append(_("the prices in the database are simulated"))
            lacks = "" if errors else _lacks(games, store.reference, reader.recorded_bookmakers())
            return _Measured(
                store.reference,
                band_rows(errors, method),
                games=len({game.game_id for game in games}),
                predicted=len({each.game.game_id for each in errors}),
                simulated=simulated,
                notes=notes,
                lacks=lacks if only is None or not lacks else f"{only}: {lacks}",
            )
    except (StoreError, ArchiveError, OSError) as error:
        raise click.ClickException(translated(file_error_text(error))) from error


def _lacks(games: Sequence[object], reference: str, bookmakers: Sequence[str]) -> str:
    if not bookmakers:
        return _("the database has no odds; record or import some first")
    if reference not in bookmakers:
        names = ", ".join(sorted(bookmakers, key=str.casefold)[:10])
        text = _("no prices of {bookmaker}; name a sharp book with --reference, such as {names}")
        return text.format(bookmaker=reference, names=names)
    if not games:
        return _("{bookmaker} has no complete line before kick-off").format(bookmaker=reference)
    text = _(
        "no line of {bookmaker} could be predicted in {count} games; a model needs the match "
        "result or a handicap, and a total, apart from the line that is predicted"
    )
    return text.format(bookmaker=reference, count=len(games))


def _row(row: BandRow) -> tuple[str, ...]:
    sport, market_type, distance = row.key
    few = _("fewer than {count} lines: no price")
    return (
        plain(translated(sport)),
        translated(market_title(market_type)),
        distance,
        row.given,
        f"{num(row.error * 100):.2f}",
        f"{num(row.bias * 100):+.2f}",
        str(row.lines),
        str(row.games),
        "" if row.lines >= LEAST_LINES else few.format(count=LEAST_LINES),
    )


def _summary(found: _Measured, method: str) -> str:
    text = _(
        "lines of {bookmaker} in {predicted} of {games} games, margin removed by {method}; bands "
        "and means in percentage points"
    )
    return text.format(
        bookmaker=found.reference,
        predicted=found.predicted,
        games=found.games,
        method=translated(method.replace("_", " ")),
    )


def _fields(found: _Measured, method: str) -> dict[str, Any]:
    return {
        "reference": found.reference,
        "method": method,
        "games": found.games,
        "games_predicted": found.predicted,
        "notes": list(found.notes),
        "rows": [
            {
                "sport": row.key.sport,
                "market_type": row.key.market_type,
                "distance": row.key.distance,
                "given": row.given,
                "error": round(row.error, 6),
                "bias": round(row.bias, 6),
                "lines": row.lines,
                "games": row.games,
                "gives_price": row.lines >= LEAST_LINES,
            }
            for row in found.rows
        ],
    }
