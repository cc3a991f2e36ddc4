"""Reads current prices for the betting commands, from a database or from a service."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import click
from msgspec import UNSET

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import exhaust
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import (
    CONSENSUS_CHOICES,
    MIDDLE,
    SERVICES_OWN,
    consensus_choice,
    middle_choice,
)
from oddsdesk.board.model.matrix import GameEntry, entry_of_price
from oddsdesk.board.model.notices import Connection, not_offered
from oddsdesk.cli.options import maybe_database_option, usual_database
from oddsdesk.cli.own_records import own_bands, own_money, own_profiles, own_setting, own_weights
from oddsdesk.cli.terminal import plain
from oddsdesk.client import errors
from oddsdesk.client.blocking import SyncClient
from oddsdesk.client.rows import reference_of
from oddsdesk.client.whole_odds import unread_text
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Health, OddsRow
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.desk.settings.declared import METHOD, MINE, REFERENCE, derived_choice, list_rules
from oddsdesk.pricing.profiles import fold_name
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import Reader, unpriced_line
from oddsdesk.store.store import open_store
from oddsdesk.store.values import StandingQuote

F = TypeVar("F", bound=Callable[..., Any])

DAY_MS: Final = 24 * 60 * MINUTE_MS
"""How far back prices of a database are read; a draw last seen earlier is missed."""
_MOST_ASKED: Final = 20
"""How many games are read to find the sharp book's name, since not every game has it."""
_LONGEST_KEY: Final = 10_000


class Moment(NamedTuple):
    """All current prices, and the name of the sharp book."""

    rows: list[OddsRow]
    reference: str
    draws: list[tuple[str, int, str]]
    """Game id, period and bookmaker of draws priced in the last day."""
    sources: list[str]
    """Where the prices come from, as far as known."""
    simulated: bool = False
    shifted: bool = False
    """Whether some prices may be old ones with shifted times."""
    unread: tuple[str, ...] = ()
    """What could not be read from a service, in words."""

    def games_by_id(self) -> dict[str, GameEntry]:
        """Return the games that have prices, by id."""
        named = {(row.competition, row.match_name): row for row in self.rows}
        entries = map(entry_of_price, named.values())
        return {entry.game_id: entry for entry in entries}

    @property
    def marks(self) -> dict[str, Any]:
        """Return what makes the prices unreliable, for ``--json``; empty if nothing does."""
        marks = {"simulated": self.simulated, "shifted": self.shifted}
        told: dict[str, Any] = {name: True for name, holds in marks.items() if holds}
        return told | ({"unread": list(self.unread)} if self.unread else {})


def source_options(command: F) -> F:
    """Add the options that choose where prices come from."""
    for option in (
        click.option(
            "--key-file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help=_("File that holds the key of the service."),
        ),
        click.option("--url", metavar="URL", help=_("Read from a service, not from a database.")),
        maybe_database_option,
    ):
        command = option(command)
    return command


reference_choice = click.option(
    "--reference",
    metavar="NAME|consensus",
    help=_(
        "The sharp book: a bookmaker, an exchange, 'EXCHANGE, mid' (between its "
        "back and lay odds), consensus (all bookmakers together), or 'consensus "
        "(learned)', with the weights of `scorecard --weights --save`. Default: the "
        "desk's setting, else the service's own."
    ),
)


derived_option = click.option(
    "--derived",
    type=click.Choice(("all", "implied", "none")),
    help=_(
        "Whether lines that the sharp book does not price are judged by fair odds "
        "derived from its other lines: all (implied and modelled), implied, or "
        "none. Default: the desk's setting (all)."
    ),
)


def read_moment(
    database: Database | None, url: str | None, key_file: Path | None, now_ms: int
) -> Moment:
    """Read the prices from the chosen source; print a line if nobody offers them.

    Raises:
        click.UsageError: the options contradict each other.
        click.ClickException: the source is missing, damaged or does not answer.
    """
    check_source(database, url, key_file)
    if url is not None and key_file is not None:
        moment = moment_of_service(url, read_key(key_file))
    else:
        moment = moment_of_database(database or usual_database(), now_ms)
    if said := not_offered(simulated=moment.simulated, shifted=moment.shifted):
        click.echo(translated(said), err=True)
    if moment.unread:
        text = _("{unread}; the list may be incomplete")
        unread = plain(translated(unread_text(moment.unread)))
        click.echo(text.format(unread=unread), err=True)
    return moment


def check_source(database: Database | None, url: str | None, key_file: Path | None) -> None:
    """Refuse options that contradict each other.

    Raises:
        click.UsageError: they do.
    """
    if url is None and key_file is not None:
        raise click.UsageError(_("--key-file needs --url"))
    if url is not None and database is not None:
        raise click.UsageError(_("give --database or --url, not both"))
    if url is not None and key_file is None:
        raise click.UsageError(_("--url needs --key-file"))


def own_board(
    clock: Clock, reference: str | None = None, derived: DerivedChoice | None = None
) -> Board:
    """Return an empty board that uses the user's settings.

    ``reference`` overrides the sharp book of the settings, ``derived`` the derived fair odds.
    """
    method = own_setting(METHOD)
    board = Board(clock, method)
    board.set_bands(own_bands(method))
    board.set_profiles(own_profiles())
    board.set_rates(own_money().rates_at(clock()))
    board.set_bookmakers(own_setting(MINE))
    board.set_rules(list_rules(own_setting))
    board.set_derived(derived_choice(own_setting) if derived is None else derived)
    board.set_learned(own_weights())
    if reference is None:
        board.choose_reference(own_setting(REFERENCE))
    elif choice := consensus_choice(reference):
        board.choose_reference(choice)
    else:
        exchange = middle_choice(reference)
        named = board.basis.profiles.canonical(exchange or reference) or exchange or reference
        board.choose_reference(f"{named}{MIDDLE}" if exchange else named)
    if board.desk_reference.is_learned and not board.basis.learned.has_better:
        click.echo(
            _(
                "no learned weights are better than equal ones, so all weights are "
                "equal; to learn weights: `oddsdesk scorecard --weights --save`"
            ),
            err=True,
        )
    return board


def board_of(
    moment: Moment, now_ms: int, reference: str | None = None, derived: DerivedChoice | None = None
) -> Board:
    """Return a board that holds a moment's prices and uses the user's settings.

    Raises:
        click.BadParameter: no bookmaker has the name in ``reference``.
    """
    board = own_board(lambda: now_ms, reference, derived)
    _check_reference(board, moment, is_named=reference is not None)
    fill_board(board, moment.rows, moment.reference, moment.draws, now_ms)
    return board


def fill_board(
    board: Board,
    rows: Sequence[OddsRow],
    reference: str,
    draws: Iterable[tuple[str, int, str]],
    now_ms: int,
) -> None:
    """Put the prices of a moment on an empty board; ``draws`` as in ``Moment``."""
    board.name_reference(reference)
    exhaust(board.merge_rows(rows))
    for draw in draws:
        board.miss_draw(*draw, now_ms)
    board.sweep()  # drops stale prices, which would else vote and count as best
    board.find_suppliers()


def _check_reference(board: Board, moment: Moment, *, is_named: bool) -> None:
    """Spell the sharp book as the prices do; report a name that no price has."""
    whose, names = board.desk_reference, {row.bookmaker for row in moment.rows}
    if whose.chosen in (SERVICES_OWN, *CONSENSUS_CHOICES) or not names or whose.bookmaker in names:
        return
    chosen = whose.bookmaker
    same = [name for name in names if fold_name(name) == fold_name(chosen)]
    if same:
        board.choose_reference(min(same) + (MIDDLE if whose.is_middle else ""))
    elif is_named:
        known = ", ".join(sorted(names))
        raise click.BadParameter(
            _("no prices of {name!r}; there are {known}").format(name=chosen, known=known),
            param_hint="'--reference'",
        )
    else:
        click.echo(
            _("no prices from {name}, the sharp book in your settings").format(name=chosen),
            err=True,
        )


def check_judged(board: Board, moment: Moment) -> None:
    """Refuse to continue if the database's own sharp book has no price.

    Raises:
        click.ClickException: it has none.
    """
    names = {row.bookmaker for row in moment.rows}
    if names and board.desk_reference.is_services_own and moment.reference not in names:
        line = unpriced_line(moment.reference, names)
        text = _("{reason}. Choose another sharp book with --reference NAME")
        raise click.ClickException(text.format(reason=translated(line)))


def moment_of_database(database: Database, now_ms: int) -> Moment:
    """Read the current prices of a database; a server may be recording into it.

    Raises:
        click.ClickException: it is missing, damaged or not a database of odds.
    """
    try:
        with contextlib.closing(open_store(database, read_only=True)) as store:
            return _standing(store.reader(), now_ms, store.reference)
    except StoreError as error:
        raise click.ClickException(translated(str(error))) from error


def moment_of_service(url: str, key: str) -> Moment:
    """Read all odds that a service shows for the key.

    Raises:
        click.ClickException: the service does not answer or refuses.
    """
    try:
        with SyncClient(url, key) as client:
            with _saying_that_it_reads():
                rows, unread = client.odds_snapshot()
            reference, health = _reference(client, rows), _health(client)
            sources = list(health.sources or ())
            if apart := Connection(clock_ahead_ms=client.clock_ahead_ms).clocks_text:
                raise click.ClickException(
                    _("{reason}: the age of prices cannot be known").format(
                        reason=translated(apart)
                    )
                )
            marks = health.simulated, health.shifted
            return Moment(rows, reference, [], sources, *marks, unread)
    except errors.RateLimitedError as error:
        text = _("{reason}; try again at {time}")
        reason = translated(error.message).rstrip(".")
        raise click.ClickException(
            text.format(reason=reason, time=format_ms(error.retry_at_ms))
        ) from error
    except errors.ServiceError as error:
        raise click.ClickException(translated(error.message)) from error


@contextlib.contextmanager
def _saying_that_it_reads(every_s: float = 5.0) -> Iterator[None]:
    """Report on stderr every few seconds that prices are still being read."""
    done, began = threading.Event(), time.monotonic()

    def tell_reading() -> None:
        while not done.wait(every_s):
            text = _("reading prices: {seconds:.0f} s so far")
            click.echo(text.format(seconds=num(time.monotonic() - began)), err=True)

    teller = threading.Thread(target=tell_reading, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _health(client: SyncClient) -> Health:
    """Return the service's health; an empty one if it does not answer in our format."""
    try:
        return client.health()
    except (errors.ForbiddenError, errors.MalformedAnswerError, errors.NotFoundError):
        return Health("", "", "", None)


def _standing(reader: Reader, now_ms: int, reference: str) -> Moment:
    rows = [odds_row_of(each) for each in reader.standing_quotes(now_ms, DAY_MS)]
    draws = reader.priced_draws(now_ms - DAY_MS)
    missed = [(game, period, name) for game, name, period in draws]
    kind = reader.is_simulated(now_ms), reader.is_shifted(now_ms)
    return Moment(rows, reference, missed, reader.sources(now_ms), *kind)


def odds_row_of(quote: StandingQuote) -> OddsRow:
    """Return a quote from a database in the form that a service sends."""
    return OddsRow(
        bookmaker=quote.bookmaker,
        match_name=quote.match_name,
        competition=quote.competition,
        sport=quote.sport,
        market_type=quote.market_type,
        period=quote.period,
        is_live=quote.is_live,
        odds=dict(quote.odds),
        match_date=None if quote.match_date is None else format_ms(quote.match_date),
        scraped_at=format_ms(quote.scraped_at),
        url=None,
        liquidity=None,
        offers=quote.offers or UNSET,
    )


def _reference(client: SyncClient, rows: list[OddsRow]) -> str:
    """Return the name of the sharp book, from the rows with a maximum bet or from a game."""
    for row in rows:
        if row.liquidity is not None:
            return row.bookmaker
    asked = list(dict.fromkeys((row.competition, row.match_name) for row in rows))[:_MOST_ASKED]
    for competition, match_name in asked:
        with contextlib.suppress(
            errors.ForbiddenError, errors.NotFoundError, errors.ServiceUnavailableError
        ):
            name = reference_of(client.game(game_id(competition, match_name)))
            if name is not None:
                return name
    if not rows:
        return ""
    raise click.ClickException(_("the service does not say which bookmaker is its sharp book"))


def read_key(path: Path) -> str:
    """Read the key from a file.

    Raises:
        click.ClickException: it cannot be read, or holds no key.
    """
    try:
        with path.open(encoding="utf-8") as file:
            key = file.read(_LONGEST_KEY).strip()
    except UnicodeDecodeError as error:
        raise click.ClickException(
            _("{path}: not a key file: not plain text").format(path=path)
        ) from error
    except OSError as error:
        raise click.ClickException(
            _("{file}: cannot be read: {reason}").format(
                file=path, reason=translated(error_text(error))
            )
        ) from error
    if not key:
        raise click.ClickException(_("{path}: no key in it: the file is empty").format(path=path))
    return key
