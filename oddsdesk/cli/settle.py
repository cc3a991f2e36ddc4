"""`oddsdesk ledger settle`: bets by number, from a file, or by recorded results."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.figures import FigureError
from oddsdesk.base.file_kinds import RESULTS, wrong_kind
from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.base.texts import _, translated
from oddsdesk.cli.bet_sources import read_key
from oddsdesk.cli.options import AmountType, json_option, ledger_option
from oddsdesk.cli.own_records import open_ledger, own_rules, placed_bets, settle_open
from oddsdesk.cli.terminal import STANDARD, plain, print_counts, print_problems, read_input
from oddsdesk.client import errors
from oddsdesk.client.blocking import SyncClient
from oddsdesk.client.client import RESULTS_PATH
from oddsdesk.contract.formats import FOOTBALL_DATA
from oddsdesk.contract.results import BadResultError, GameResult, of_row, with_abandoned
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, recorded_text, settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.legs import leg_settled, parts_of
from oddsdesk.ledger.open_bets import wanted_kick_offs
from oddsdesk.ledger.result_files import read_bet_number, read_given_result, settle_by_file
from oddsdesk.ledger.settling import Settled, ToCheck, settle_by_results, wanted_spans
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.settlement_rules import SettlementRules
from oddsdesk.store.databases import Database, database_named
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import open_store

_SERVICES: Final = ("http://", "https://")
_AHEAD_MS: Final = 60 * MINUTE_MS
"""A service's clock may be ahead of this one by this much."""


@click.command()
@ledger_option()
@click.argument("words", nargs=-1, metavar="[BET... RESULT]")
@click.option(
    "--results", metavar="FILE", help=_("File of results or scores; - is standard input.")
)
@click.option(
    "--database",
    "place",
    metavar="FILE|URL",
    help=_(
        "Settle by the results recorded there: a SQLite file, postgresql://..., or "
        "the http(s) address of a service."
    ),
)
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=_("File that holds the key of the service."),
)
@click.option(
    "--back",
    type=AmountType(0, what=_("amount")),
    metavar="AMOUNT",
    help=_("Amount the bookmaker paid for a cash-out; for a lay, including the freed liability."),
)
@click.option(
    "--part",
    type=AmountType(0, above=True, what=_("stake")),
    metavar="STAKE",
    help=_("Part of the stake that was cashed out; for a lay, part of its liability."),
)
@json_option
def settle(
    path: Path,
    words: tuple[str, ...],
    results: str | None,
    place: str | None,
    key_file: Path | None,
    back: float | None,
    part: float | None,
    as_json: bool,
) -> None:
    """Settle bets by number, from a file, or by recorded results.

    RESULT is won, lost, void, half-won, half-lost, placed (each way), cashed-out or open. For a
    cash-out give --back, and --part if only part of the stake was cashed out. BET 12.2 is the
    second leg of bet 12; the bet ends once its legs decide it.

    The file is CSV or XLSX: either columns bet and result, or football-data's scores. Bets that are
    already settled keep their result. A result settles a bet only if teams, competition and
    kick-off agree, and nothing about it is in doubt. Other bets are listed with the reason, and so
    are those whose result has changed since it settled them. Nothing is settled twice: what you
    undid is listed too.

    \b
    Example:
      oddsdesk ledger settle 12 13 won
      oddsdesk ledger settle 15.2 void
      oddsdesk ledger settle 14 cashed-out --back 7.50 --part 5
      oddsdesk ledger settle --results E0.csv
      oddsdesk ledger settle --database odds.db
      oddsdesk ledger settle --database https://odds.example --key-file key.txt
    """
    if bool(words) + (results is not None) + (place is not None) != 1:
        raise click.UsageError(_("give BET... RESULT, --results FILE or --database FILE|URL"))
    service = place if place is not None and place.startswith(_SERVICES) else None
    if (service is None) != (key_file is None):
        if service is None:
            wrong = _(
                "--key-file needs --database URL; give the service's address and --key-file FILE"
            )
        else:
            wrong = _("a service needs a key; give the service's address and --key-file FILE")
        raise click.UsageError(wrong)
    now_ms = system_clock()
    data = b"" if results is None else read_input(results)
    with open_ledger(path) as held:
        if results is not None:
            found = _by_file(held, results, data, now_ms)
        elif place is not None:
            found = _by_recorded(held, place, key_file, now_ms)
        else:
            ended = _by_hand(held.read_bets(), words, back, part, now_ms)
            found = Settled([], []).with_written(ended)
            held.change_bet(ended, "settled")
    _print(found, results or place or "", as_json=as_json)
    if found.problems or found.to_look_at:
        raise click.exceptions.Exit(1)


def _by_file(ledger: Ledger, name: str, data: bytes, now_ms: int) -> Settled:
    source = "file" if name == STANDARD else Path(name).name
    try:
        found = settle_by_file(data, ledger.read_bets(), now_ms, own_rules(), source)
    except SheetError as error:
        other = wrong_kind(name, data, RESULTS, FOOTBALL_DATA)
        raise click.ClickException(translated(other or f"{name}: {error}")) from error
    if found.is_by_hand:
        ledger.change_bet(found.changed, "settled")
        return found
    return found.with_written(ledger.settle_open(found.changed))


def _by_recorded(ledger: Ledger, place: str, key_file: Path | None, now_ms: int) -> Settled:
    """Settle by the results of a database, or with a key of a service."""
    bets, rules = ledger.read_bets(), own_rules()
    problems: list[str] = []
    if key_file is None:
        results = recorded_in(database_named(place))(bets)
    else:
        spans = wanted_spans(bets, now_ms)
        results = _results_of_service(place, key_file, spans, now_ms, problems)
    found = settle_by_results(bets, results, rules, now_ms)
    written = ledger.settle_open(found.changed)
    return found.with_written(written)._replace(problems=problems)


ResultsOf = Callable[[Sequence[PlacedBet]], list[GameResult]]
"""Returns the results of the games of some bets, and of others."""


def recorded_in(database: Database) -> ResultsOf:
    """Return a function that reads results from a database.

    It raises ``click.ClickException`` if the database is missing, damaged or of another kind.
    """

    def results_of(bets: Sequence[PlacedBet]) -> list[GameResult]:
        spans = wanted_spans(bets, system_clock())
        try:
            with contextlib.closing(open_store(database, read_only=True)) as store:
                reader = store.reader()
                held = [each for span in spans for each in reader.results(*span)]
                return [one for each in held for one in with_abandoned(each.result, each.before)]
        except StoreError as error:
            raise click.ClickException(translated(str(error))) from error

    return results_of


def _results_of_service(
    url: str, key_file: Path, spans: Sequence[tuple[int, int]], now_ms: int, problems: list[str]
) -> list[GameResult]:
    """Return the results that a service shows for the key; unreadable ones go to ``problems``."""
    found = []
    try:
        with SyncClient(url, read_key(key_file)) as client:
            if not client.offers(RESULTS_PATH):
                raise click.ClickException(_("{url}: this service has no results").format(url=url))
            for since, until in spans:
                for row in client.all_results(since=format_ms(since), until=format_ms(until)):
                    try:
                        found += with_abandoned(*of_row(row, now_ms + _AHEAD_MS))
                    except BadResultError as error:
                        problems.append(f"{row.match_name}: {translated(str(error))}")
    except errors.RateLimitedError as error:
        text = _("{reason}; try again at {time}").format(
            reason=translated(error.message).rstrip("."), time=format_ms(error.retry_at_ms)
        )
        raise click.ClickException(text) from error
    except errors.ServiceError as error:
        raise click.ClickException(translated(error.message)) from error
    return found


class RecurringSettlement:
    """Settles the user's bets again and again, for ``watch``."""

    def __init__(self) -> None:
        self._printed: set[str] = set()
        self._rules: SettlementRules | None = None

    def settle_bets(self, results_of: ResultsOf) -> list[str]:
        """Settle once, and return a line for each new outcome; it may wait for the disk.

        Raises:
            click.ClickException: the ledger or the results cannot be read.
        """
        if self._rules is None:
            self._rules = own_rules()
        now_ms, bets = system_clock(), placed_bets()
        if not any(start <= now_ms for start in wanted_kick_offs(bets, now_ms)):
            return []
        found = settle_by_results(bets, results_of(bets), self._rules, now_ms)
        before = {bet.ident: bet for bet in bets}
        written = settle_open(found.changed)
        lines = [line for bet in written for line in _settled_lines(before[bet.ident], bet)]
        left = [_("not settled: {line}").format(line=translated(line)) for line in found.to_look_at]
        lines += [line for line in left if line not in self._printed]
        self._printed |= set(left)
        return lines


def _by_hand(
    bets: Sequence[PlacedBet],
    words: Sequence[str],
    back: float | None,
    part: float | None,
    now_ms: int,
) -> list[PlacedBet]:
    *idents, word = words
    held = {bet.ident: bet for bet in bets}
    try:
        numbers = list(map(read_bet_number, idents))
    except FigureError as error:
        raise click.UsageError(translated(str(error))) from error
    pairs = zip(idents, numbers, strict=True)
    unknown = [ident for ident, (number, _) in pairs if number not in held]
    if unknown or not idents:
        if not idents:
            raise click.UsageError(_("give bet numbers"))
        raise click.UsageError(_("no bet {numbers}").format(numbers=", ".join(unknown)))
    try:
        result = read_given_result(word)
        if result is not Result.CASHED_OUT:
            if back is not None or part is not None:
                raise click.UsageError(_("--back and --part are only for cashed-out"))
            changed = dict[int, PlacedBet]()
            for number, place in numbers:
                bet = changed.get(number, held[number])
                if place:
                    changed[number] = leg_settled(bet, place, result, now_ms)
                else:
                    changed[number] = settled(bet, result, now_ms)
            return list(changed.values())
        ((number, place), *more) = numbers
        if back is None or more or place:
            raise click.UsageError(_("cash out one bet at a time, with --back AMOUNT"))
        bet = held[number]
        return [cashed_out(bet, bet.open_size if part is None else part, back, now_ms)]
    except (BadBetError, FigureError) as error:
        raise click.UsageError(translated(str(error))) from error


def _print(found: Settled, source: str, *, as_json: bool) -> None:
    """Print how many bets were settled, and on stderr what was not and why."""
    print_problems(source, found.problems)
    counts: dict[str, Any] = {"settled": len(found.bets), "to_look_at": len(found.to_look_at)}
    counts |= {"of_no_bet": found.of_no_bet, "bad": len(found.problems)}
    counts |= {"legs_settled": len(found.by_leg)} if found.by_leg else {}
    without = {bet.ident for bet in found.without_result}
    counts |= {"without_result": len(without)} if without else {}
    if as_json:
        print_counts(counts | {"lists": _lists(found)}, as_json=True)
        return
    for line in found.to_look_at:
        click.echo(plain(translated(line)), err=True)
    print_problems(
        source,
        [_("no result for {bet}").format(bet=_bet_text(bet)) for bet in found.without_result],
    )
    print_counts(counts, as_json=False)


def _settled_lines(before: PlacedBet, bet: PlacedBet) -> list[str]:
    """Return a line for each leg that settled, and one for the bet if it did."""
    lines = [
        _("leg settled: {bet}: {result} by {source}").format(
            bet=_bet_text(part.bet),
            result=translated(part.bet.result.words),
            source=recorded_text(part.bet.settled_by),
        )
        for part, was in zip(parts_of(bet), parts_of(before), strict=True)
        if part.leg and part.bet.result is not None and was.bet.result is None
    ]
    if bet.result is not None:
        lines.append(
            _("settled: {bet}: {result} by {source}").format(
                bet=_bet_text(bet),
                result=translated(bet.result.words),
                source=recorded_text(bet.settled_by),
            )
        )
    return lines


def _bet_text(bet: PlacedBet) -> str:
    named = selection_text(bet.selection)
    text = _("bet {number}, {selection}").format(number=bet.ident, selection=named)
    return f"{text}, {shown_game(bet.match_name)}" if bet.match_name else text


def _lists(found: Settled) -> dict[str, Any]:
    """Return the bets behind the counts."""
    return {
        "settled": [
            {"bet": bet.ident, "result": _value(bet.result), "settled_by": bet.settled_by}
            for bet in found.bets
        ],
        "legs_settled": [
            {
                "bet": bet.ident,
                "legs": [
                    {"result": _value(leg.result), "settled_by": leg.settled_by} for leg in bet.legs
                ],
            }
            for bet in found.by_leg
        ],
        "to_check": list(map(_check_fields, found.to_check)),
        "corrections": list(map(_check_fields, found.corrections)),
        "without_result": list(dict.fromkeys(bet.ident for bet in found.without_result)),
    }


def _check_fields(check: ToCheck) -> dict[str, Any]:
    result = check.result
    return {
        "bet": check.bet.ident,
        "leg": check.leg or None,
        "match_name": check.bet.match_name,
        "selection": check.bet.selection,
        "why": check.why,
        "found": check.by,
        "source": None if result is None else result.source,
        "proposed": _value(check.proposed),
    }


def _value(result: Result | None) -> str | None:
    return None if result is None else result.value
