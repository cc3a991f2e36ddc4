"""`oddsdesk scorecard`: how sharp each bookmaker is, measured on a recorded log."""

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
import msgspec

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import system_clock
from oddsdesk.base.market_words import market_text, period_text
from oddsdesk.base.numbers import num
from oddsdesk.base.places import NoHomeError
from oddsdesk.base.system_errors import file_error_text
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.cli import options
from oddsdesk.cli.own_records import own_close_by, own_profiles, own_rules, own_setting
from oddsdesk.cli.terminal import Progress, aligned, plain
from oddsdesk.desk.settings.declared import METHOD
from oddsdesk.ledger.own_tables import OwnTableError, save_weights
from oddsdesk.ledger.reporting import close_by_text
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLES
from oddsdesk.pricing.devig import METHODS
from oddsdesk.research.coverage import coverage_fields, coverage_lines, in_span
from oddsdesk.research.intervals import Interval
from oddsdesk.research.recorded_log import Opened, RecordedLog, open_judged
from oddsdesk.research.scorecards import Card, Scored, as_fields, interval_fields, notes, scorecards
from oddsdesk.research.walk import Progress as CountDone
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError

if TYPE_CHECKING:
    from oddsdesk.research.learned_weights import Learned, LearnedMarket

_HEADINGS: Final = (
    *(N_("BOOKMAKER"), N_("HOLD % BEFORE CLOSE"), N_("BEST % BEFORE CLOSE"), N_("VALUE")),
    *(N_("CLV %"), N_("AGE s"), N_("LAG s"), N_("TIED %"), N_("LOG LOSS VS SHARP BOOK AT CLOSE")),
)
_RIGHT: Final = frozenset(_HEADINGS[1:])
_WEIGHTS: Final = (N_("BOOKMAKER"), N_("WEIGHT"), N_("SHARE %"), N_("GAMES"))
_OUT_OF_SAMPLE: Final = (
    *("log_loss", "equal_log_loss", "reference_log_loss"),
    *("gain_vs_equal", "gain_vs_reference"),
)


@click.command()
@options.maybe_database_option
@options.archive_option
@click.option(
    "--from",
    "since",
    callback=options.moment,
    metavar="TIME",
    help=_("Start counting at this time."),
)
@click.option(
    "--to", "until", callback=options.moment, metavar="TIME", help=_("Stop reading at this time.")
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    metavar="METHOD",
    help=_("Devig method: how margins are removed. Default: the desk's setting."),
)
@options.log_reference_option
@options.close_reference_option
@options.close_method_option
@click.option(
    "--weights",
    "weights",
    is_flag=True,
    help=_("Learn from results how much each vote in the consensus should count."),
)
@click.option("--sport", metavar="NAME", help=_("With --weights: only this sport."))
@click.option("--market", metavar="TYPE", help=_("With --weights: only this market type."))
@click.option(
    "--save",
    is_flag=True,
    help=_("With --weights: use them from now on for the sharp book 'consensus (learned)'."),
)
@click.option(
    "--json", "as_json", is_flag=True, help=_("Print JSON: an array, one object per card.")
)
def scorecard(
    database: Database | None,
    archive: Path | None,
    since: int | None,
    until: int | None,
    method: str | None,
    reference: str | None,
    close_reference: str | None,
    close_method: str | None,
    weights: bool,
    sport: str | None,
    market: str | None,
    save: bool,
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

    Each figure has its count and its 95 % interval, from ten games on. Its own log loss is in
    --json.

    --weights instead learns from results how much each bookmaker's vote in the consensus should
    count. For each kind of market it prints the weights (1 is an equal vote) and the log loss of
    the consensus (lower is better) on seasons that the weights were not fitted to, next to that
    of equal weights and of the sharp book alone.

    \b
    Example:
      oddsdesk scorecard --database season.db
      oddsdesk scorecard --database season.db --from 2024-12-01 --to 2025-01-01 --json
      oddsdesk scorecard --database seasons.db --weights --market moneyline --save
    """
    options.check_span(since, until)
    options.check_archive(archive)
    if not weights and (sport, market, save) != (None, None, False):
        raise click.UsageError(_("--sport, --market and --save need --weights"))
    log = Log(database, archive, since, until, method, reference)
    if weights:
        _weights(log, sport, market, is_saved=save, as_json=as_json)
        return
    with Progress(_("rows read")) as progress:
        found = scored(log, close_reference, close_method, progress.count_done)
    if as_json:
        click.echo(json.dumps(fields(found), indent=2))
    elif found.cards:
        click.echo(_tables(found))
    for line in remarks(found, log):
        click.echo(plain(translated(line)), err=as_json)


class Log(NamedTuple):
    """What to read and how to judge it, from the options."""

    database: Database | None
    archive: Path | None
    since_ms: int | None
    until_ms: int | None
    method: str | None
    reference: str | None

    def open_log(self, by: CloseBy) -> Opened:
        """Open the database, with the sharp book's name; as ``open_judged``."""
        return open_judged(self.database or options.usual_database(), self.reference, by)


def scored(
    log: Log, close_reference: str | None, close_method: str | None, progress: CountDone
) -> Scored:
    """Score the bookmakers of a log.

    ``progress`` is called with the rows read since the last call; an exception of it ends the work.

    Raises:
        click.ClickException: the log cannot be read.
    """
    profiles, how = own_profiles(), log.method or own_setting(METHOD)
    try:
        store, judged_by, closer = log.open_log(own_close_by(close_reference, close_method))
        with contextlib.closing(store):
            return scorecards(
                RecordedLog(store.reader(), log.archive),
                reference=judged_by,
                method=how,
                close=closer,
                profiles=profiles,
                now_ms=system_clock(),
                since_ms=log.since_ms,
                until_ms=log.until_ms,
                progress=progress,
            )
    except (StoreError, ArchiveError, OSError) as error:
        raise click.ClickException(translated(file_error_text(error))) from error


def fields(found: Scored) -> list[dict[str, Any]]:
    """Return the cards in the form that ``--json`` prints."""
    return [_with_log(found, card) for card in found.cards]


def remarks(found: Scored, log: Log) -> list[str]:
    """Return what to know about the cards, line by line."""
    said = notes(found, in_span(log.since_ms, log.until_ms))
    return [*said, *coverage_lines(found.coverage, found.reference, found.close)]


def _weights(
    log: Log, sport: str | None, market: str | None, *, is_saved: bool, as_json: bool
) -> None:
    """Learn weights, print them, and store them if asked."""
    found, reference = _learned(log, sport, market)
    try:
        saved = save_weights(each.found for each in found.markets) if is_saved else None
    except (OSError, OwnTableError, NoHomeError) as error:
        raise click.ClickException(translated(file_error_text(error))) from error
    if as_json:
        click.echo(json.dumps([_market_fields(each) for each in found.markets], indent=2))
    for each in () if as_json else found.markets:
        click.echo("\n".join([*_market_table(each), ""]))
    for line in _weights_notes(found, reference):
        click.echo(plain(translated(line)), err=as_json)
    if saved is not None:
        click.echo(_("saved in {file}").format(file=saved), err=as_json)


def _learned(log: Log, sport: str | None, market: str | None) -> tuple["Learned", str]:
    """Learn weights from a log; return them and the sharp book that they are compared with."""
    from oddsdesk.research.learned_weights import MarketKey, learn_weights  # noqa: PLC0415 - numpy takes 0.3 s

    def is_wanted(key: MarketKey) -> bool:
        same_sport = sport is None or key.sport.casefold() == sport.casefold()
        return same_sport and (market is None or key.market_type == market.casefold())

    profiles, rules = own_profiles(), own_rules()
    try:
        store, reference, _closer = log.open_log(CloseBy())
        with contextlib.closing(store), Progress(_("rows read")) as progress:
            if reference in CONSENSUS_TITLES:
                raise click.UsageError(
                    _(
                        "--weights compares the consensus with a bookmaker: name one "
                        "with --reference"
                    )
                )
            found = learn_weights(
                RecordedLog(store.reader(), log.archive),
                reference=reference,
                method=log.method or own_setting(METHOD),
                profiles=profiles,
                rules=rules,
                now_ms=system_clock(),
                wanted=is_wanted,
                since_ms=log.since_ms,
                until_ms=log.until_ms,
                progress=progress.count_done,
            )
    except (StoreError, ArchiveError, OSError) as error:
        raise click.ClickException(translated(file_error_text(error))) from error
    return found, reference


def _market_fields(of: "LearnedMarket") -> dict[str, Any]:
    """Return the weights of a market in the form that ``--json`` prints."""
    fields: dict[str, Any] = msgspec.to_builtins(of.found)
    for name in ("gain", "gain_low", "gain_high"):
        del fields[name]  # the same as gain_vs_equal
    for name in _OUT_OF_SAMPLE:
        fields |= interval_fields(name, getattr(of, name))
    folds = [each._asdict() for each in of.folds]
    return fields | {"voters": of.voters, "folds": folds, "verdict": of.verdict_text}


def _market_table(of: "LearnedMarket") -> list[str]:
    found, alone = of.found, plain(of.found.reference)
    total = sum(found.weights.values())
    ordered = sorted(found.weights.items(), key=lambda each: -each[1])
    rows = [
        (
            plain(name),
            f"{num(weight):.3f}",
            f"{num(100 * weight / total):.1f}",
            f"{num(of.voters[name]):,}",
        )
        for name, weight in ordered
    ]
    losses = [
        (_("learned"), _text(of.log_loss, 5)),
        (_("equal weights"), _text(of.equal_log_loss, 5)),
        (_("{bookmaker} alone").format(bookmaker=alone), _text(of.reference_log_loss, 5)),
        (_("gain over equal weights"), _text(of.gain_vs_equal, 5, "+")),
        (
            _("gain over {bookmaker} alone").format(bookmaker=alone),
            _text(of.gain_vs_reference, 5, "+"),
        ),
    ]
    folds = (
        ngettext("{name} ({count:,} game)", "{name} ({count:,} games)", each.games).format(
            name=each.name, count=num(each.games)
        )
        for each in of.folds
    )
    return [
        _("{market}, {period}, {sport}: {count:,} games, {first_day} to {last_day}").format(
            market=market_text(found.market_type),
            period=period_text(found.sport, found.period),
            sport=found.sport,
            count=num(found.games),
            first_day=found.first_day,
            last_day=found.last_day,
        ),
        *aligned(_WEIGHTS, rows, frozenset(_WEIGHTS[1:])),
        *aligned((N_("OUT OF SAMPLE"), N_("LOG LOSS")), losses, frozenset({"LOG LOSS"})),
        _("left out in turn: {seasons}").format(seasons=", ".join(folds)),
        translated(of.verdict_text),
    ]


def _weights_notes(found: "Learned", reference: str) -> list[str]:
    lines = [
        _(
            "{market}, {period}, {sport}: {count:,} games with a result and three "
            "closing lines; {least_games} are needed"
        ).format(
            market=market_text(key.market_type),
            period=period_text(key.sport, key.period),
            sport=key.sport,
            count=num(games),
            least_games=found.least_games,
        )
        for key, games in found.too_few
    ]
    if found.markets:
        lines.append(
            _(
                "sharp book {sharp_book}; [..] is the 95 % interval, (n) the number of "
                "lines; a gain above 0 means that the learned weights are better"
            ).format(sharp_book=reference)
        )
    elif not found.too_few:
        lines.append(_("no game has a result and closing lines of three bookmakers"))
    return lines + ([found.removed] if found.removed else [])


def _with_log(found: Scored, card: Card) -> dict[str, Any]:
    """Return a card with the fields that all cards of the log share."""
    return as_fields(card) | {
        "reference": found.reference,
        "close_reference": found.close.reference,
        "close_method": found.close.method,
        "coverage": coverage_fields(found.coverage),
    }


def _tables(found: Scored) -> str:
    blocks: dict[tuple[str, str, int], list[Card]] = {}
    for card in found.cards:
        blocks.setdefault(card.key[1:], []).append(card)
    lines: list[str] = []
    for (sport, market_type, period), cards in blocks.items():
        lines.append(f"{market_text(market_type)}, {period_text(sport, period)}, {sport}")
        lines += [*aligned(_HEADINGS, map(_row, cards), _RIGHT), ""]
    lines.append(
        ngettext(
            "holds of {count:,} game; CLV {close}; [..] is the 95 % interval, (n) the count, ?"
            " means too few games",
            "holds of {count:,} games; CLV {close}; [..] is the 95 % interval, (n) the count, ?"
            " means too few games",
            found.games,
        ).format(count=num(found.games), close=close_by_text(found.close))
    )
    return "\n".join(lines)


def _row(card: Card) -> tuple[str, ...]:
    name = plain(card.key.bookmaker)
    return (
        _("{name} (sharp book)").format(name=name) if card.is_reference else name,
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
    return _("tied") if of.count else ""


def _text(of: Interval, digits: int, sign: str = "") -> str:
    """Return a figure with its interval and count, so that little data looks like little."""
    if of.figure is None:
        return ""
    if of.low is None or of.high is None:
        return f"{num(of.figure):{sign}.{digits}f} ? ({of.count})"
    reach = f"{num(of.low):.{digits}f}..{num(of.high):.{digits}f}"
    return f"{num(of.figure):{sign}.{digits}f} [{reach}] ({of.count})"
