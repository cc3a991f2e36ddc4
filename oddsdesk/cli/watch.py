"""`oddsdesk watch`: alerts without a window, until it is stopped."""

import asyncio
import contextlib
import hashlib
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

import click

from oddsdesk.board.alerts.channels import (
    Channel,
    ChannelError,
    Outbox,
    find_address,
    keep_address,
    open_channel,
)
from oddsdesk.board.alerts.gate import AlertEntry, Gate
from oddsdesk.board.alerts.memory import AlertMemory
from oddsdesk.board.alerts.rules import (
    RULES_FILE,
    AlertSettings,
    RulesFileError,
    ValueRule,
    check_presets,
    read_rules,
)
from oddsdesk.board.alerts.watching import AlertWatch, OpenBet
from oddsdesk.board.board import Board
from oddsdesk.board.closing_lines import ClosingLines
from oddsdesk.board.connection import not_offered
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.notices import ConnectionChanged, Notice
from oddsdesk.board.opportunities import LOOK_RESTS, Opportunities
from oddsdesk.cli.bet_sources import (
    check_source,
    own_board,
    read_key,
    reference_choice,
    source_options,
)
from oddsdesk.cli.followed_database import FollowedDatabase
from oddsdesk.cli.followed_service import FollowedService
from oddsdesk.cli.logs import start_logging
from oddsdesk.cli.options import usual_database
from oddsdesk.cli.own_records import (
    hidden_things,
    keep_closes,
    own_setting,
    placed_bets,
    presets,
)
from oddsdesk.cli.tables import plain
from oddsdesk.client.client import Client
from oddsdesk.client.diagnosis import in_words
from oddsdesk.client.errors import AddressError
from oddsdesk.clock import system_clock
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.settings.declared import close_by, split_of
from oddsdesk.ending import Ending
from oddsdesk.ledger.bets import counted
from oddsdesk.ledger.games import on_listed_games
from oddsdesk.ledger.hidden import HiddenThings
from oddsdesk.ledger.open_bets import by_bookmaker, open_by_outcome, to_follow
from oddsdesk.places import NoHomeError, settings_folder
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.server.loops import new_loop
from oddsdesk.silence import ToldSilence
from oddsdesk.slices import in_slices
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.tasks import Jobs

_EVERY_S: Final = 1.0
_BETS_EVERY_S: Final = 60.0
_CLOSES_EVERY_S: Final = 5.0


@click.command()
@source_options
@click.option(
    "--rules",
    "rules_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What to tell of, where to and when not, TOML. Default: the rules of the desk, else every "
    "value bet, here only.",
)
@reference_choice
@click.option(
    "--set-channel",
    metavar="NAME",
    help="Keep the address of a channel in the keyring and end. It is asked for, or read from "
    "standard input where that is no terminal.",
)
def watch(
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    rules_file: Path | None,
    reference: str | None,
    set_channel: str | None,
) -> None:
    """Tell of value, targets, steam, arbitrage and kick-offs until stopped.

    Each alert is a line here, and goes to the channels that the rules name; what is held back is a
    line with its reason.

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
    settings = _settings(rules_file)
    told = _told_before(rules_file, url or database)
    service = None if url is None or key_file is None else (url, read_key(key_file))
    place = database or usual_database() if service is None else Path()
    ending = Ending()
    ending.listen()
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_run(settings, told, reference, place, service, ending))
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    finally:
        ending.listen()


def _keep_address(name: str) -> None:
    if sys.stdin.isatty():
        given = click.prompt(f"Address of {name}", hide_input=True)
    else:
        given = sys.stdin.readline(4096)
    address = given.strip()
    if not address:
        raise click.ClickException("expected an address, such as https://ntfy.sh/topic")
    try:
        keep_address(name, address)
    except ChannelError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"the address of {name} is kept in the keyring")


def _settings(path: Path | None) -> AlertSettings:
    if path is None:
        path = _usual_rules()
    if path is None:
        return AlertSettings(rules=(ValueRule(),))
    try:
        settings = read_rules(path)
    except RulesFileError as error:
        raise click.ClickException(str(error)) from error
    try:
        check_presets(settings, presets())
    except RulesFileError as error:
        raise click.ClickException(f"{path}: {error}") from error
    return settings


def _usual_rules() -> Path | None:
    """Return the file that the desk keeps its rules in; None where there is none."""
    try:
        kept = settings_folder() / RULES_FILE
    except NoHomeError:
        return None
    return kept if kept.exists() else None


def _told_before(rules: Path | None, source: object) -> AlertMemory | None:
    """Return what keeps the list of alerts, by rules and source; None without a home."""
    asked = f"{rules and rules.resolve()}\n{source}"
    name = hashlib.sha256(asked.encode()).hexdigest()[:12]
    try:
        return AlertMemory(settings_folder() / f"watch-{name}.json")
    except NoHomeError:
        return None


async def _run(
    settings: AlertSettings,
    told: AlertMemory | None,
    reference: str | None,
    place: Database,
    service: tuple[str, str] | None,
    ending: Ending,
) -> None:
    """Watch until the end is asked for, which cancels whatever is going on."""
    loop = asyncio.get_running_loop()
    running = asyncio.current_task()
    assert running is not None
    ending.listen_on(loop)
    ending.then(lambda: loop.call_soon_threadsafe(running.cancel))
    board, jobs, lines = own_board(system_clock, reference), Jobs(), _Lines(running.cancel)
    _tell_not_offered(board)
    _tell_of_silence(board)
    channels = _channels(settings)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            async with (
                _source(board, place, service, jobs) as followed,
                contextlib.AsyncExitStack() as closing,
            ):
                watcher = _Watcher(board, settings, channels, told, lines)
                if isinstance(followed, FollowedService):
                    watcher.follow_games = followed.follow_games
                closing.push_async_callback(watcher.outbox.stop)
                watcher.start(jobs)
                count = len(settings.active)
                rules = "1 rule" if count == 1 else f"{count} rules"
                lines.say(f"watching by {rules}{_judged_by(board)}")
                await _end_of(followed)
        if lines.error is not None:
            raise lines.error
    finally:
        if told is not None:
            told.close()


def _tell_not_offered(board: Board) -> None:
    """Say it of the prices where nobody offers them, whenever that begins."""
    told = ""

    def on_board_notice(_notice: Notice) -> None:
        nonlocal told
        connection = board.connection
        said = not_offered(simulated=connection.simulated, shifted=connection.shifted)
        if said and said != told:
            _tell(said)
        told = said

    board.subscribe(on_board_notice, ConnectionChanged)


def _tell_of_silence(board: Board) -> None:
    """Say it when no price comes in any more though the source answers, and when some do again."""
    silence = ToldSilence(_tell)

    def on_board_notice(_notice: Notice) -> None:
        if board.connection.is_heard:
            silence.note(board.connection.silent_since_ms)

    board.subscribe(on_board_notice, ConnectionChanged)


def _tell(text: str) -> None:
    click.echo(plain(f"{format_ms(system_clock())} {text}"), err=True)


def _judged_by(board: Board) -> str:
    """Say by whom prices are judged, where that is not whom the source judges by."""
    whose = board.whose
    return "" if whose.is_services_own else f", judged by {plain(whose.name or '')}"


@contextlib.asynccontextmanager
async def _source(
    board: Board, place: Database, service: tuple[str, str] | None, jobs: Jobs
) -> AsyncIterator[FollowedDatabase | FollowedService]:
    """Keep a board current, from a service or from a database."""
    followed: FollowedDatabase | FollowedService
    if service is None:
        followed = FollowedDatabase(place, board, system_clock)
    else:
        followed = _service(*service, board)
    try:
        await followed.open()
        if isinstance(followed, FollowedDatabase):
            jobs.start("database", followed.run)
        else:
            jobs.start("reference", followed.find_reference)
        yield followed
    finally:
        await jobs.stop()
        await followed.close()


def _service(url: str, key: str, board: Board) -> FollowedService:
    try:
        return FollowedService(Client(url, key, keeps_quota=True), board, system_clock, _tell)
    except AddressError as error:
        raise click.ClickException(in_words(error)) from error


async def _end_of(followed: FollowedDatabase | FollowedService) -> None:
    """Wait for what ends the watching from the other side: a database never does.

    Raises:
        click.ClickException: the service refuses the key.
    """
    if isinstance(followed, FollowedDatabase):
        await asyncio.Event().wait()
    else:
        raise click.ClickException(await followed.refused())


def _channels(settings: AlertSettings) -> dict[str, Channel]:
    """Open the channels; one without an address is said, and the others go on."""
    found: dict[str, Channel] = {}
    for setting in settings.channels:
        try:
            found[setting.name] = open_channel(setting, find_address(setting.name))
        except ChannelError as error:
            click.echo(str(error), err=True)
    return found


class _Lines:
    """What is printed, by whichever job; where nobody reads it any more the command ends.

    Attributes:
        error: What click ends a command quietly by; None while there is a reader.
    """

    def __init__(self, end: Callable[[], object]) -> None:
        self.error: BrokenPipeError | None = None
        self._end = end

    def say(self, text: str) -> None:
        """Print a line."""
        if self.error is not None:
            return
        try:
            click.echo(text)
        except BrokenPipeError as error:
            self.error = error
            self._end()

    def tell_delivery(self, entry: AlertEntry) -> None:
        """Print what became of an alert."""
        for name, became in entry.deliveries.items():
            if became != "waits":
                self.say(plain(f"{name}: {became}: {entry.alert.title}"))


class _Watcher:
    """Looks again and again, and tells what it finds."""

    def __init__(
        self,
        board: Board,
        settings: AlertSettings,
        channels: dict[str, Channel],
        memory: AlertMemory | None,
        lines: _Lines,
    ) -> None:
        """``outbox`` is to be stopped by who made this."""
        self._board = board
        self._lines = lines
        self.follow_games: Callable[[frozenset[str]], None] = lambda _games: None
        """Has games kept current for the closing lines of bets on them."""
        self._bets: list[OpenBet] = []
        self._hidden = HiddenThings()
        self._closing = ClosingLines(board, system_clock)
        self._unwritten: dict[int, ClosingLine] = {}
        self._opportunities = Opportunities(board, system_clock, lambda: split_of(own_setting))
        self._gate = Gate(settings, system_clock)
        self._watch = AlertWatch(
            board,
            system_clock,
            settings,
            self._gate,
            presets={name: each.passes for name, each in presets().items()},
            hidden=lambda **price: self._hidden.hides(**price),
            opportunities=self._opportunities,
            open_bets=lambda: self._bets,
        )
        asked = self._watch.as_it_is
        self.outbox = Outbox(channels, system_clock, lines.tell_delivery, as_it_is=asked)
        self._memory = memory
        if memory is not None:
            self._remember(memory)
        self._kept = self._now_listed()
        self._told = {id(entry) for entry in self._gate.entries}

    def _remember(self, memory: AlertMemory) -> None:
        """Take over what was told before, and send what was still to be sent."""
        self._gate.restore(memory.read())
        sent = [entry for entry in self._gate.entries if entry.held is None]
        for entry in sent:
            self.outbox.resume(entry)
        if sent:
            count = "1 alert" if len(sent) == 1 else f"{len(sent)} alerts"
            self._lines.say(f"told before: {count} since {format_ms(sent[0].at)}")

    def start(self, jobs: Jobs) -> None:
        """Begin to look and to send."""
        self.outbox.start()
        jobs.start("placed bets", self.read_bets)
        jobs.start("closing lines", self.close_bets)
        jobs.start("opportunities", self.look)
        jobs.start("alerts", self.run)

    async def read_bets(self) -> None:
        """Read the placed bets, and what is hidden, from time to time."""
        while True:
            placed = await asyncio.to_thread(placed_bets)
            self._hidden = await asyncio.to_thread(hidden_things, system_clock())
            games, spelled = self._board.games, self._board.players.spelled
            there = open_by_outcome(placed, simulated=False, listed=games, spelled=spelled)
            self._opportunities.count_placed(by_bookmaker(there))
            self._closing.follow(
                bet
                for bet in to_follow(placed, close_by(own_setting), games)
                if bet.ident not in self._unwritten
            )
            self._bets = [
                OpenBet(bet.game_id, bet.match_name, bet.kick_off, bet.selection, RowKey(*bet.key))
                for bet in on_listed_games(counted(placed), games, spelled)
                if bet.kick_off is not None and bet.open_stake
            ]
            await asyncio.sleep(_BETS_EVERY_S)

    async def close_bets(self) -> None:
        """Write closing lines into the ledger when they happen; what it refuses is tried again."""
        while True:
            self.follow_games(self._closing.wanted_games())
            self._unwritten |= self._closing.decided()
            if self._unwritten:
                written = dict(self._unwritten)
                await asyncio.to_thread(keep_closes, written)
                for ident in written:
                    del self._unwritten[ident]
            await asyncio.sleep(_CLOSES_EVERY_S)

    async def look(self) -> None:
        """Keep the opportunities up to date, where a rule is about them."""
        while self._watch.wants_opportunities:
            began = time.perf_counter()
            await in_slices(self._opportunities.looking())
            took = time.perf_counter() - began
            await asyncio.sleep(max(_EVERY_S, took * LOOK_RESTS))

    async def run(self) -> None:
        """Look, tell, rest."""
        while True:
            for entry in self._watch.tick():
                self.outbox.put(entry)
            self._keep()
            self._tell()
            await asyncio.sleep(_EVERY_S)

    def _keep(self) -> None:
        """Have the list written where it differs."""
        listed = self._now_listed()
        if self._memory is not None and listed != self._kept:
            self._memory.keep(self._gate.entries)
            self._kept = listed

    def _now_listed(self) -> tuple[int, list[dict[str, str]]]:
        return self._gate.listed, [dict(entry.deliveries) for entry in self._gate.entries]

    def _tell(self) -> None:
        """Print the lines of the list that are new."""
        for entry in self._gate.entries:
            if id(entry) not in self._told:
                self._lines.say(line_of(entry))
        self._told = {id(entry) for entry in self._gate.entries}


def line_of(entry: AlertEntry) -> str:
    """Return a line of the list as it is printed."""
    state = "alert" if entry.held is None else f"held ({entry.held.value})"
    alert = entry.alert
    return plain(f"{format_ms(entry.at)} {state}: {alert.rule}: {alert.title} | {alert.text}")
