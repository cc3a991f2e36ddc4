"""`oddsdesk watch`: alerts without a window, until it is stopped."""

import asyncio
import contextlib
import hashlib
import sys
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import click
import msgspec

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.ending import Ending
from oddsdesk.base.places import NoHomeError, settings_folder
from oddsdesk.base.polling import Arrivals, SilenceReporter
from oddsdesk.base.tasks import Jobs, in_slices, new_loop
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.alerts.channels import ChannelError, delivery_text, keep_address
from oddsdesk.board.alerts.gate import AlertEntry, AlertMemory
from oddsdesk.board.alerts.rules import (
    RULES_FILE,
    AlertSettings,
    RulesFileError,
    ValueRule,
    read_rules,
)
from oddsdesk.board.alerts.watching import AlertService, OpenBet
from oddsdesk.board.board import Board
from oddsdesk.board.intake.quote_readings import AHEAD_MS
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model import notices
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import ConnectionChanged, Notice, not_offered
from oddsdesk.board.valuation.closing_lines import ClosingLines
from oddsdesk.cli.bet_sources import (
    DAY_MS,
    check_source,
    derived_option,
    odds_row_of,
    own_board,
    read_key,
    reference_choice,
    source_options,
)
from oddsdesk.cli.logs import start_logging
from oddsdesk.cli.options import usual_database
from oddsdesk.cli.own_records import hidden_things, keep_closes, own_setting, placed_bets, presets
from oddsdesk.cli.settle import RecurringSettlement, ResultsOf, recorded_in
from oddsdesk.cli.terminal import plain
from oddsdesk.client.client import Client
from oddsdesk.client.diagnosis import in_words
from oddsdesk.client.errors import AddressError, ServiceError
from oddsdesk.client.rows import reference_of
from oddsdesk.client.whole_odds import unread_text
from oddsdesk.contract.access import ErrorCode
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import WINDOW_MS, format_ms
from oddsdesk.desk.settings.declared import SETTLE_BETS, close_by, split_of
from oddsdesk.ledger.bets import counted
from oddsdesk.ledger.games import on_listed_games
from oddsdesk.ledger.open_bets import by_bookmaker, open_by_outcome, to_follow, wanted_kick_offs
from oddsdesk.ledger.presets import HiddenThings
from oddsdesk.pricing.closing import BetPart, ClosingLine
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import StandingQuote

_QuoteKey = tuple[str, str, int, str]


class _New(NamedTuple):
    """What is new in a database."""

    rows: list[OddsRow]
    draws: list[tuple[str, int, str]]
    reference: str
    """Its sharp book; empty if nothing is new."""
    simulated: bool
    shifted: bool
    newest: int
    """When the newest price was scraped; 0 if there is none."""


class FollowedDatabase:
    """Reads new prices every second in a separate thread; writes nothing."""

    def __init__(self, database: Database, board: Board, clock: Clock) -> None:
        self._database = database
        self._board = board
        self._clock = clock
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._store: Store | None = None
        self._seen: dict[_QuoteKey, int] = {}
        """When each held quote was scraped."""
        self._newest: tuple[int | None, int] | None = None
        """When the database's newest price was scraped, and where its log ends."""
        self._simulated = False
        self._arrivals = Arrivals()
        self._looked_at = 0

    async def open_followed(self) -> None:
        """Open the database and read all current prices.

        Raises:
            StoreError: it is missing, damaged or unreadable.
        """
        self._board.want_values(True)
        await self._read()

    async def follow_database(self) -> None:
        """Keep the board current; a database in trouble shows as a lost connection."""
        while True:
            await asyncio.sleep(_EVERY_S)
            try:
                await self._read()
            except StoreError as error:
                self._connect(notices.Link.WAITING, str(error))
            await in_slices(self._board.sweeping())

    async def close_followed(self) -> None:
        """Close the database."""
        self._pool.submit(self._close)
        self._pool.shutdown(wait=False)

    async def _read(self) -> None:
        before, self._looked_at = self._looked_at, self._clock()
        if before - self._looked_at > AHEAD_MS:  # else new prices would count as already seen
            self._board.forget_prices()
            self._seen, self._newest = {}, None
        loop = asyncio.get_running_loop()
        new = await loop.run_in_executor(self._pool, self._new)
        held = self._board.connection
        self._arrivals.note_newest(new.newest, self._clock())
        facts = msgspec.structs.replace(
            held,
            simulated=new.simulated,
            shifted=new.shifted,
            silent_since_ms=self._arrivals.silent_since(),
        )
        self._board.set_connection(facts)
        if new.reference:
            self._board.name_reference(new.reference)
        asked_at = self._clock()
        await in_slices(self._board.merge_rows(new.rows, asked_at))
        all_read = notices.SnapshotProgress(1, 1, len(new.rows), finished_at=asked_at)
        self._board.set_snapshot_progress(all_read)
        for game, period, bookmaker in new.draws:
            self._board.miss_draw(game, period, bookmaker, asked_at)
        self._connect(notices.Link.LIVE, None)

    def _new(self) -> "_New":
        """Return what was recorded since the last look; runs on the database's thread."""
        if self._store is None:
            self._store = open_store(self._database, read_only=True)
        reader, now = self._store.reader(), self._clock()
        simulated, shifted = reader.is_simulated(now), reader.is_shifted(now)
        if self._simulated and not simulated:  # the board drops all that it holds
            self._seen, self._newest = {}, None
        self._simulated = simulated
        is_first = self._newest is None
        newest = (reader.last_scraped_at(), reader.last_seq())
        scraped = newest[0] or 0
        if newest == self._newest:
            return _New([], [], "", simulated, shifted, scraped)
        age_ms = DAY_MS if is_first else WINDOW_MS
        rows = [odds_row_of(quote) for quote in self._changed(reader.standing_quotes(now, age_ms))]
        draws = reader.priced_draws(now - age_ms) if is_first else ()
        self._newest = newest
        missed = [(game, period, name) for game, name, period in draws]
        return _New(rows, missed, self._store.reference, simulated, shifted, scraped)

    def _changed(self, quotes: list[StandingQuote]) -> Iterator[StandingQuote]:
        for quote in quotes:
            key = (quote.game_id, quote.market_type, quote.period, quote.bookmaker)
            if self._seen.get(key) != quote.scraped_at:
                self._seen[key] = quote.scraped_at
                yield quote

    def _close(self) -> None:
        if self._store is not None:
            with contextlib.suppress(StoreError):
                self._store.close()

    def _connect(self, link: notices.Link, reason: str | None) -> None:
        held = self._board.connection
        since = held.since_ms if held.link is link else self._clock()
        changed = msgspec.structs.replace(held, link=link, reason=reason, since_ms=since)
        if changed != held:
            self._board.set_connection(changed)


_LOOK_S: Final = 1.0
_ASK_AGAIN_S: Final = 60.0
_MOST_ASKED: Final = 5
"""How many games are read at a time to find the sharp book's name, which not all have."""
_BAD_ADDRESS: Final = "bad_address"


class FollowedService:
    """Reads a service within the key's quota; retries while the service is away."""

    def __init__(
        self, client: Client, board: Board, clock: Clock, report: Callable[[str], None]
    ) -> None:
        """Take over the client; ``report`` gets a line when prices begin or stop arriving."""
        self._client = client
        self._board = board
        self._sync = Sync(client, board, clock)
        self._report = report
        self._refused = asyncio.Event()
        self._has_answered = False
        self._printed: set[str] = set()
        """What was printed since prices last arrived."""
        self._clocks_agree = True
        self._unread: tuple[str, ...] = ()
        self._games: frozenset[str] = frozenset()
        self._unsubscribe: Callable[[], None] = lambda: None

    async def open_followed(self) -> None:
        """Start; does not wait until the service answers."""
        self._unsubscribe = self._board.subscribe(
            self._on_board_notice, notices.ConnectionChanged, notices.SnapshotProgressChanged
        )
        self._sync.want_values(True)
        self._sync.start_reading()

    async def close_followed(self) -> None:
        """Stop reading the service."""
        self._unsubscribe()
        await self._sync.stop_reading()
        await self._client.close()

    async def wait_for_refusal(self) -> str:
        """Wait until the service refuses the key before any price came; return the reason.

        A later refusal is retried, since the key was valid before.
        """
        await self._refused.wait()
        return _in_words(self._board.connection)

    def follow_games(self, games: frozenset[str]) -> None:
        """Keep these games current instead of those followed before."""
        for game in self._games - games:
            self._sync.unsubscribe_game(game)
        for game in games - self._games:
            self._sync.subscribe_game(game)
        self._games = games

    async def find_reference(self) -> None:
        """Ask games for the sharp book's name until it is known; nothing works without it.

        Odds rows have it only if the sharp book has a maximum bet.
        """
        while True:
            await asyncio.sleep(_LOOK_S)
            if not self._board.desk_reference.is_named and self._board.games:
                await self._ask_for_reference()
                if not self._board.desk_reference.is_named:
                    await asyncio.sleep(_ASK_AGAIN_S)

    async def _ask_for_reference(self) -> None:
        known = sorted(self._board.games.values(), key=lambda game: -game.bookmaker_count)
        for game in known[:_MOST_ASKED]:
            with suppress(ServiceError):  # shown by the connection's state
                name = reference_of(await self._client.game(game.game_id))
                if name is not None:
                    self._board.name_reference(name)
                    return

    def _on_board_notice(self, notice: notices.Notice) -> None:
        if isinstance(notice, notices.SnapshotProgressChanged):
            self._look_at_unread()
            return
        connection = self._board.connection
        if connection.link in (notices.Link.LIVE, notices.Link.POLLING):
            if self._printed or not self._has_answered:
                self._report(_("prices arrive again") if self._has_answered else _("prices arrive"))
            self._has_answered = True
            self._printed.clear()
            self._look_at_clocks(connection.clocks_text)
        elif connection.link in (notices.Link.WAITING, notices.Link.REFUSED):
            is_final = connection.link is notices.Link.REFUSED or connection.code == _BAD_ADDRESS
            if is_final and not self._has_answered:
                self._refused.set()
            elif (why := _spent(connection) or _in_words(connection)) not in self._printed:
                self._printed.add(why)
                self._report(
                    _("no prices: {reason} Retrying.").format(reason=_in_words(connection))
                )

    def _look_at_unread(self) -> None:
        """Report unread parts after each pass, and when everything is read again."""
        progress = self._board.snapshot_progress
        if progress.slices_done != progress.slices_total or progress.cut == self._unread:
            return
        self._unread = progress.cut
        self._report(unread_text(progress.cut) or _("all prices are read again"))

    def _look_at_clocks(self, apart: str) -> None:
        if self._clocks_agree is not bool(apart):
            return
        self._clocks_agree = not apart
        self._report(
            _("{clocks_differ}: no alerts on prices").format(clocks_differ=translated(apart))
            if apart
            else _("the clocks agree again")
        )


def _spent(connection: notices.Connection) -> str:
    """Return the code of a used-up quota, which counts as one reason until prices arrive again."""
    code = ErrorCode.RATE_LIMIT_EXCEEDED.value
    return code if connection.code == code else ""


def _in_words(connection: notices.Connection) -> str:
    reason = translated(connection.reason or "").rstrip(".") or _("no answer")
    if connection.code == ErrorCode.UNAUTHORIZED.value:
        reason = _("the service does not know this key")
    if _spent(connection) and connection.next_try_ms is not None:
        return _("No requests left until {time}.").format(time=format_ms(connection.next_try_ms))
    advice = translated(connection.advice)
    return f"{reason[:1].upper()}{reason[1:]}. {advice}".rstrip()


_EVERY_S: Final = 1.0
_BETS_EVERY_S: Final = 60.0
_CLOSES_EVERY_S: Final = 5.0
_SETTLED_EVERY_S: Final = 20.0


@click.command()
@source_options
@click.option(
    "--rules",
    "rules_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=_(
        "TOML file of alert rules, channels and quiet hours. Default: the desk's rules; if "
        "there are none, every value bet is printed."
    ),
)
@reference_choice
@derived_option
@click.option(
    "--settle/--no-settle",
    default=None,
    help=_(
        "Whether bets settle when a result of their game is recorded. Default: the desk's setting "
        "(Settings > Bets)."
    ),
)
@click.option(
    "--set-channel",
    metavar="NAME",
    help=_(
        "Store the address of an alert channel in the keyring and exit. The command asks for it, "
        "or reads it from standard input if that is not a terminal."
    ),
)
def watch(
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    rules_file: Path | None,
    reference: str | None,
    derived: DerivedChoice | None,
    settle: bool | None,
    set_channel: str | None,
) -> None:
    """Alert on value, steam, arbitrage and more.

    It runs until stopped; rules can also be about price targets and kick-offs. Each alert is
    printed and sent to the channels that its rule names. Alerts that are not sent are printed with
    the reason. Bets settle by the results that arrive; bets that stay open are printed once.

    Bets on derived fair odds are reported only if a rule has derived = true or, without rules, if
    --derived is given.

    \b
    Example:
      oddsdesk watch
      oddsdesk watch --rules alerts.toml
      oddsdesk watch --set-channel phone < address.txt
    """
    if set_channel is not None:
        _keep_address(set_channel)
        return
    start_logging(window=False)
    check_source(database, url, key_file)
    settings = _settings(rules_file, derived)
    memory = _stored_alerts(rules_file, url or database)
    service = None if url is None or key_file is None else (url, read_key(key_file))
    place = database or usual_database() if service is None else Path()
    ending = Ending()
    ending.listen()
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            does_settle = own_setting(SETTLE_BETS) if settle is None else settle
            board = own_board(system_clock, reference, derived)
            runner.run(_run(settings, memory, board, place, service, ending, does_settle))
    except StoreError as error:
        raise click.ClickException(translated(str(error))) from error
    finally:
        ending.listen()


def _keep_address(name: str) -> None:
    if sys.stdin.isatty():
        given = click.prompt(_("Address of {channel}").format(channel=name), hide_input=True)
    else:
        given = sys.stdin.readline(4096)
    address = given.strip()
    if not address:
        raise click.ClickException(_("enter an address such as https://ntfy.sh/topic"))
    try:
        keep_address(name, address)
    except ChannelError as error:
        raise click.ClickException(translated(str(error))) from error
    click.echo(_("the address of {channel} is in the keyring").format(channel=name))


def _settings(path: Path | None, derived: DerivedChoice | None) -> AlertSettings:
    """Return the rules; without any, one for all value bets, on derived fair odds if asked for."""
    if path is None:
        path = _usual_rules()
    if path is None:
        return AlertSettings(rules=(ValueRule(derived=derived in ("all", "implied")),))
    try:
        return read_rules(path, presets())
    except RulesFileError as error:
        raise click.ClickException(translated(str(error))) from error


def _usual_rules() -> Path | None:
    """Return the desk's file of alert rules; None if there is none."""
    try:
        kept = settings_folder() / RULES_FILE
    except NoHomeError:
        return None
    return kept if kept.exists() else None


def _stored_alerts(rules: Path | None, source: object) -> AlertMemory | None:
    """Return the stored list of alerts for these rules and source; None without a home folder."""
    asked = f"{rules and rules.resolve()}\n{source}"
    name = hashlib.sha256(asked.encode()).hexdigest()[:12]
    try:
        return AlertMemory(settings_folder() / f"watch-{name}.json")
    except NoHomeError:
        return None


async def _run(
    settings: AlertSettings,
    memory: AlertMemory | None,
    board: Board,
    place: Database,
    service: tuple[str, str] | None,
    ending: Ending,
    does_settle: bool,
) -> None:
    """Watch until asked to end, which cancels everything."""
    running = ending.cancel_this_task()
    jobs, lines = Jobs(), _Lines(running.cancel)
    _report_not_offered(board)
    _report_silence(board)
    with contextlib.suppress(asyncio.CancelledError):
        async with (
            _source(board, place, service, jobs) as followed,
            contextlib.AsyncExitStack() as closing,
        ):
            watcher = _Watcher(board, memory, lines)
            closing.push_async_callback(watcher.alerts.close_alerts)
            if isinstance(followed, FollowedService):
                watcher.follow_games = followed.follow_games
            watcher.start_watching(settings, jobs)
            if does_settle:
                held = None if service is not None else place
                jobs.start_job("settlement", lambda: watcher.settle_bets(held))
            lines.print_line(_watching_text(len(settings.active), board))
            await _end_of(followed)
    if lines.error is not None:
        raise lines.error


def _report_not_offered(board: Board) -> None:
    """Print a line when the prices turn out to be simulated or old."""
    printed = ""

    def on_board_notice(_notice: Notice) -> None:
        nonlocal printed
        connection = board.connection
        line = not_offered(simulated=connection.simulated, shifted=connection.shifted)
        if line and line != printed:
            _print_note(line)
        printed = line

    board.subscribe(on_board_notice, ConnectionChanged)


def _report_silence(board: Board) -> None:
    """Print a line when the source answers but sends no prices, and when prices return."""
    silence = SilenceReporter(_print_note)

    def on_board_notice(_notice: Notice) -> None:
        if board.connection.is_heard:
            silence.note_silence(board.connection.silent_since_ms)

    board.subscribe(on_board_notice, ConnectionChanged)


def _print_note(text: str) -> None:
    click.echo(plain(f"{format_ms(system_clock())} {translated(text)}"), err=True)


def _watching_text(rules: int, board: Board) -> str:
    """Return the first line, with the sharp book if it is not the source's own."""
    whose = board.desk_reference
    if whose.is_services_own:
        return ngettext("watching with {count} rule", "watching with {count} rules", rules).format(
            count=rules
        )
    return ngettext(
        "watching with {count} rule, sharp book {sharp_book}",
        "watching with {count} rules, sharp book {sharp_book}",
        rules,
    ).format(count=rules, sharp_book=plain(whose.reference_name))


@contextlib.asynccontextmanager
async def _source(
    board: Board, place: Database, service: tuple[str, str] | None, jobs: Jobs
) -> AsyncIterator[FollowedDatabase | FollowedService]:
    """Keep a board current from a service or from a database."""
    followed: FollowedDatabase | FollowedService
    if service is None:
        followed = FollowedDatabase(place, board, system_clock)
    else:
        followed = _service(*service, board)
    try:
        await followed.open_followed()
        if isinstance(followed, FollowedDatabase):
            jobs.start_job("database", followed.follow_database)
        else:
            jobs.start_job("reference", followed.find_reference)
        yield followed
    finally:
        await jobs.stop_jobs()
        await followed.close_followed()


def _service(url: str, key: str, board: Board) -> FollowedService:
    try:
        return FollowedService(Client(url, key, keeps_quota=True), board, system_clock, _print_note)
    except AddressError as error:
        raise click.ClickException(in_words(error)) from error


async def _end_of(followed: FollowedDatabase | FollowedService) -> None:
    """Wait for the source to end the watch; a database never does.

    Raises:
        click.ClickException: the service refuses the key.
    """
    if isinstance(followed, FollowedDatabase):
        await asyncio.Event().wait()
    else:
        raise click.ClickException(await followed.wait_for_refusal())


class _Lines:
    """Prints lines from all jobs; ends the command once nobody reads its output.

    Attributes:
        error: The error that ends the command quietly; None while there is a reader.
    """

    def __init__(self, end: Callable[[], object]) -> None:
        self.error: BrokenPipeError | None = None
        self._end = end

    def print_line(self, text: str) -> None:
        """Print a line."""
        if self.error is not None:
            return
        try:
            click.echo(text)
        except BrokenPipeError as error:
            self.error = error
            self._end()

    def tell_delivery(self, entry: AlertEntry) -> None:
        """Print whether an alert was delivered."""
        for name, became in entry.deliveries.items():
            if became != "waits":
                text = f"{name}: {delivery_text(became)}: {entry.alert.alert_title}"
                self.print_line(plain(text))


class _Watcher:
    """Checks the alerts again and again and prints what they find."""

    def __init__(self, board: Board, memory: AlertMemory | None, lines: _Lines) -> None:
        """``alerts`` must be closed by the caller."""
        self._board = board
        self._lines = lines
        self.follow_games: Callable[[frozenset[str]], None] = lambda _games: None
        """Keeps games current for the closing lines of bets on them."""
        self._bets: list[OpenBet] = []
        self._placed: dict[tuple[Hashable, str], float] = {}
        self._hidden = HiddenThings()
        self._closing = ClosingLines(board, system_clock)
        self._unwritten: dict[BetPart, ClosingLine] = {}
        self.alerts = AlertService(
            board,
            system_clock,
            memory,
            hidden=lambda **price: self._hidden.hides(**price),
            open_bets=lambda: self._bets,
            placed=lambda: self._placed,
            split=lambda: split_of(own_setting),
            on_delivery=lines.tell_delivery,
            on_problem=lambda problem: click.echo(translated(problem), err=True),
        )
        self._printed: set[int] = set()
        """The ``id`` of each listed entry that is printed, now or in an earlier run."""

    def start_watching(self, settings: AlertSettings, jobs: Jobs) -> None:
        """Start checking and sending; what an earlier run did not send goes first."""
        alerts = self.alerts
        alerts.restore_entries()
        self._printed = {id(entry) for entry in alerts.gate.entries}
        sent = [entry for entry in alerts.gate.entries if entry.held is None]
        if sent:
            before = ngettext(
                "alerted before: {count} alert since {time}",
                "alerted before: {count} alerts since {time}",
                len(sent),
            )
            self._lines.print_line(before.format(count=len(sent), time=format_ms(sent[0].at)))
        lists = {name: each.passes for name, each in presets().items()}
        alerts.begin_rules(settings, lists, after=None)
        jobs.start_job("placed bets", self.read_bets)
        jobs.start_job("closing lines", self.close_bets)
        jobs.start_job("alerts", self.watch_forever)

    async def read_bets(self) -> None:
        """Read the placed bets and what is hidden, once a minute."""
        while True:
            placed = await asyncio.to_thread(placed_bets)
            self._board.result_kick_offs = wanted_kick_offs(placed, system_clock())
            self._hidden = await asyncio.to_thread(hidden_things, system_clock())
            games, spelled = self._board.games, self._board.players.spelled
            there = open_by_outcome(placed, simulated=False, listed=games, spelled=spelled)
            self._placed = by_bookmaker(there)
            self._closing.follow_bets(
                bet
                for bet in to_follow(placed, close_by(own_setting), games)
                if bet.ident not in self._unwritten
            )
            self._bets = [
                OpenBet(
                    bet.game_id, bet.match_name, bet.kick_off, bet.selection, RowKey(*bet.bet_key)
                )
                for bet in on_listed_games(counted(placed), games, spelled)
                if bet.kick_off is not None and bet.open_size
            ]
            await asyncio.sleep(_BETS_EVERY_S)

    async def close_bets(self) -> None:
        """Write closing lines into the ledger as they happen; retry what it refuses."""
        while True:
            self.follow_games(self._closing.wanted_games())
            self._unwritten |= self._closing.decided()
            if self._unwritten:
                written = dict(self._unwritten)
                await asyncio.to_thread(keep_closes, written)
                for ident in written:
                    del self._unwritten[ident]
            await asyncio.sleep(_CLOSES_EVERY_S)

    async def settle_bets(self, database: Database | None) -> None:
        """Settle bets by the results in a database, or by those on the board for None."""
        settlement, trouble = RecurringSettlement(), ""
        while True:
            results_of = self._results_on_board() if database is None else recorded_in(database)
            try:
                lines = await asyncio.to_thread(settlement.settle_bets, results_of)
                trouble = ""
            except click.ClickException as error:
                lines = []
                if error.message != trouble:
                    trouble = error.message
                    _print_note(_("no bet can be settled: {reason}").format(reason=trouble))
            for line in lines:
                self._lines.print_line(plain(f"{format_ms(system_clock())} {line}"))
            await asyncio.sleep(_SETTLED_EVERY_S)

    def _results_on_board(self) -> ResultsOf:
        held = [each.result for each in self._board.results]
        return lambda _bets: held

    async def watch_forever(self) -> None:
        """Check and print once a second."""
        while True:
            self.alerts.check_alerts()
            self._print_new()
            await asyncio.sleep(_EVERY_S)

    def _print_new(self) -> None:
        """Print the new lines of the list."""
        for entry in self.alerts.gate.entries:
            if id(entry) not in self._printed:
                self._lines.print_line(line_of(entry))
        self._printed = {id(entry) for entry in self.alerts.gate.entries}


def line_of(entry: AlertEntry) -> str:
    """Return a line of the list as it is printed."""
    state = (
        _("alert")
        if entry.held is None
        else _("not sent ({reason})").format(reason=translated(entry.held.held_text))
    )
    alert = entry.alert
    return plain(
        f"{format_ms(entry.at)} {state}: {alert.rule}: {alert.alert_title} | {alert.body_text}"
    )
