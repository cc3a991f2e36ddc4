"""Where commands about money read the prices of the moment: a database, or a service."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import click
from msgspec import UNSET

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, not_offered
from oddsdesk.board.games import GameEntry, entry_of_price
from oddsdesk.board.reference import CONSENSUS, SERVICES_OWN
from oddsdesk.cli.options import maybe_database_option, usual_database
from oddsdesk.cli.own_records import own_profiles, own_setting
from oddsdesk.cli.tables import plain
from oddsdesk.client.blocking import SyncClient
from oddsdesk.client.errors import (
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    RateLimitedError,
    ServiceError,
    ServiceUnavailableError,
)
from oddsdesk.client.flat import reference_of
from oddsdesk.client.whole_odds import unread_text
from oddsdesk.clock import Clock
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Health, OddsRow
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.desk.settings.declared import METHOD, MINE, REFERENCE
from oddsdesk.pricing.profiles import fold_name
from oddsdesk.slices import exhaust
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import open_store
from oddsdesk.store.unpriced_reference import unpriced_line
from oddsdesk.store.values import StandingQuote

F = TypeVar("F", bound=Callable[..., Any])

DAY_MS: Final = 24 * 60 * MINUTE_MS
"""How old prices of a database may be; a draw that was seen since then is missed (D48)."""
_MOST_ASKED: Final = 20
"""The most games that are read to find the reference's name, which not all of them hold."""
_LONGEST_KEY: Final = 10_000


class Moment(NamedTuple):
    """All present prices, and the name of the reference."""

    rows: list[OddsRow]
    reference: str
    draws: list[tuple[str, int, str]]
    """Game id, period and bookmaker of draws that were priced in the last day (D48)."""
    sources: list[str]
    """Whose prices these are, as far as that is known (D66)."""
    simulated: bool = False
    shifted: bool = False
    """Whether there may be old ones among them, moved to now."""
    unread: tuple[str, ...] = ()
    """What could not be read of a service, for people."""

    def games(self) -> dict[str, GameEntry]:
        """Return the games that prices are of, by id."""
        named = {(row.competition, row.match_name): row for row in self.rows}
        entries = map(entry_of_price, named.values())
        return {entry.game_id: entry for entry in entries}

    @property
    def marks(self) -> dict[str, Any]:
        """What speaks against them, as ``--json`` prints it; empty where nothing does."""
        marks = {"simulated": self.simulated, "shifted": self.shifted}
        told: dict[str, Any] = {name: True for name, holds in marks.items() if holds}
        return told | ({"unread": list(self.unread)} if self.unread else {})


def source_options(command: F) -> F:
    """Add the options that say where the prices are."""
    for option in (
        click.option(
            "--key-file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="The file that holds the key of the service.",
        ),
        click.option("--url", metavar="URL", help="A service instead of a database."),
        maybe_database_option,
    ):
        command = option(command)
    return command


reference_choice = click.option(
    "--reference",
    metavar="NAME|consensus",
    help="Whom prices are judged by: a bookmaker, an exchange, or all bookmakers together. "
    "Default: as the desk's settings say, else whom the service judges by.",
)


def read_moment(
    database: Database | None, url: str | None, key_file: Path | None, now_ms: int
) -> Moment:
    """Read the prices from where the options say; where nobody offers them, a line says so.

    Raises:
        click.UsageError: the options contradict each other.
        click.ClickException: the source is missing, damaged or does not answer; one line.
    """
    check_source(database, url, key_file)
    if url is not None and key_file is not None:
        moment = moment_of_service(url, key_file)
    else:
        moment = moment_of_database(database or usual_database(), now_ms)
    if said := not_offered(simulated=moment.simulated, shifted=moment.shifted):
        click.echo(said, err=True)
    if moment.unread:
        click.echo(f"{plain(unread_text(moment.unread))}; what is there may be missing", err=True)
    return moment


def check_source(database: Database | None, url: str | None, key_file: Path | None) -> None:
    """Refuse options that contradict each other.

    Raises:
        click.UsageError: they do.
    """
    if url is None and key_file is not None:
        raise click.UsageError("--key-file is for a service: say --url, too")
    if url is not None and database is not None:
        raise click.UsageError("--database or --url, not both")
    if url is not None and key_file is None:
        raise click.UsageError("--url needs --key-file: the file that holds the key")


def own_board(clock: Clock, reference: str | None = None) -> Board:
    """Return an empty board that judges as the user's settings say.

    ``reference`` is what a command was told: whom prices are judged by instead.
    """
    board = Board(clock, own_setting(METHOD))
    board.set_profiles(own_profiles())
    board.set_bookmakers(own_setting(MINE))
    if reference is None:
        board.choose_reference(own_setting(REFERENCE))
    elif reference.casefold() == CONSENSUS:
        board.choose_reference(CONSENSUS)
    else:
        board.choose_reference(board.basis.profiles.canonical(reference) or reference)
    return board


def board_of(moment: Moment, now_ms: int, reference: str | None = None) -> Board:
    """Return a board that holds a moment's prices, judged as the user's settings say.

    Raises:
        click.BadParameter: nobody there is called as ``reference`` says.
    """
    board = own_board(lambda: now_ms, reference)
    _check_reference(board, moment, is_named=reference is not None)
    board.name_reference(moment.reference)
    exhaust(board.merge_rows(moment.rows))
    for draw in moment.draws:
        board.miss_draw(*draw, now_ms)
    board.sweep()  # else prices that are old by now have a vote and may be the best ones
    board.find_suppliers()
    return board


def _check_reference(board: Board, moment: Moment, *, is_named: bool) -> None:
    """Have the reference spelled as the prices spell it; say where there is none of that name."""
    chosen, names = board.whose.chosen, {row.bookmaker for row in moment.rows}
    if chosen in (SERVICES_OWN, CONSENSUS) or not names or chosen in names:
        return
    same = [name for name in names if fold_name(name) == fold_name(chosen)]
    if same:
        board.choose_reference(min(same))
    elif is_named:
        known = ", ".join(sorted(names))
        raise click.BadParameter(
            f"no prices of {chosen!r}; there are {known}", param_hint="'--reference'"
        )
    else:
        click.echo(f"no prices of {chosen}, the reference of your settings", err=True)


def check_judged(board: Board, moment: Moment) -> None:
    """Refuse to judge by whom the database judges by where no price of it is there.

    Raises:
        click.ClickException: there is none.
    """
    names = {row.bookmaker for row in moment.rows}
    if names and board.whose.is_services_own and moment.reference not in names:
        line = unpriced_line(moment.reference, names)
        raise click.ClickException(f"{line}. --reference NAME judges by another")


def moment_of_database(database: Database, now_ms: int) -> Moment:
    """Read the prices that a database shows; a server may record into it meanwhile.

    Raises:
        click.ClickException: it is missing, damaged or no database of odds; one line.
    """
    try:
        with contextlib.closing(open_store(database, read_only=True)) as store:
            return _standing(store.reader(), now_ms, store.reference)
    except StoreError as error:
        raise click.ClickException(str(error)) from error


def moment_of_service(url: str, key_file: Path) -> Moment:
    """Read all odds that a service shows to the key.

    Raises:
        click.ClickException: it does not answer, refuses, or the key cannot be read; one line.
    """
    key = read_key(key_file)
    try:
        with SyncClient(url, key) as client:
            with _saying_that_it_reads():
                rows, unread = client.odds_snapshot()
            reference, health = _reference(client, rows), _health(client)
            sources = list(health.sources or ())
            if apart := Connection(clock_ahead_ms=client.clock_ahead_ms).clocks_text:
                raise click.ClickException(f"{apart}: how old prices are is not known")
            marks = health.simulated, health.shifted
            return Moment(rows, reference, [], sources, *marks, unread)
    except RateLimitedError as error:
        again = f"try again at {format_ms(error.retry_at_ms)}"
        raise click.ClickException(f"{error.message.rstrip('.')}; {again}") from error
    except ServiceError as error:
        raise click.ClickException(error.message) from error


@contextlib.contextmanager
def _saying_that_it_reads(every_s: float = 5.0) -> Iterator[None]:
    """Say on stderr every few seconds that prices are still read."""
    done, began = threading.Event(), time.monotonic()

    def tell() -> None:
        while not done.wait(every_s):
            click.echo(f"reading prices: {time.monotonic() - began:.0f} s so far", err=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _health(client: SyncClient) -> Health:
    """Return what the service says of itself: nothing where it says it in no way of ours."""
    try:
        return client.health()
    except (ForbiddenError, MalformedAnswerError, NotFoundError):
        return Health("", "", "", None)


def _standing(reader: Reader, now_ms: int, reference: str) -> Moment:
    rows = [row_of(each) for each in reader.standing_quotes(now_ms, DAY_MS)]
    draws = reader.priced_draws(now_ms - DAY_MS)
    missed = [(game, period, name) for game, name, period in draws]
    kind = reader.is_simulated(now_ms), reader.is_shifted(now_ms)
    return Moment(rows, reference, missed, reader.sources(now_ms), *kind)


def row_of(quote: StandingQuote) -> OddsRow:
    """Return a quote of a database as a service would answer it."""
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
    """Return the reference's name: only its rows have a maximum bet (D32), else a game tells it."""
    for row in rows:
        if row.liquidity is not None:
            return row.bookmaker
    asked = list(dict.fromkeys((row.competition, row.match_name) for row in rows))[:_MOST_ASKED]
    for competition, match_name in asked:
        with contextlib.suppress(ForbiddenError, NotFoundError, ServiceUnavailableError):
            name = reference_of(client.game(game_id(competition, match_name)))
            if name is not None:
                return name
    if not rows:
        return ""
    raise click.ClickException("the service does not tell which bookmaker is its reference")


def read_key(path: Path) -> str:
    """Return the key that a file holds.

    Raises:
        click.ClickException: it cannot be read, or holds none; one line.
    """
    try:
        with path.open(encoding="utf-8") as file:
            key = file.read(_LONGEST_KEY).strip()
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{path}: holds no key: it is no text") from error
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be read: {error.strerror or error}") from error
    if not key:
        raise click.ClickException(f"{path}: holds no key: it is empty")
    return key
