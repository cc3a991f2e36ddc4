"""Settles bets by the results that the service reports, and proposes what it leaves open."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.tasks import cancel_tasks, in_daemon_thread, spawn
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.intake.result_reading import ResultReader
from oddsdesk.board.model.notices import ResultsChanged
from oddsdesk.client.client import Client
from oddsdesk.client.errors import ServiceError
from oddsdesk.contract.results import GameResult, with_abandoned
from oddsdesk.desk.bet_cells import at_bookmaker
from oddsdesk.desk.records import Records, Taken
from oddsdesk.desk.ui.formatting import signed_hundredths_text
from oddsdesk.ledger.bets import PlacedBet, recorded_text
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.open_bets import wanted_kick_offs
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result

if TYPE_CHECKING:
    from oddsdesk.ledger.settling import Settled, ToCheck

_SOON_MS: Final = 200
"""Results come in together."""
_LATER_MS: Final = 2_000
"""The same without any results, as at the start, when prices come first."""
_LOOK_MS: Final = 30_000
"""How often bets are looked through for those whose games should be over."""
_PAST_LOOKS: Final = 20
"""While the past is shown, results are read at every 20th look: every 10 minutes."""
_OFF: Final = _("automatic settlement is off (Settings)")
_NO_RESULT: Final = _("no source has reported a result")


_log = logging.getLogger(__name__)


class BetSettlement(QObject):
    """Looks for bets that results settle, writes them to the ledger, and lists the others.

    All is decided in ``ledger.settling``. A change is one transaction of the ledger, so a killed
    program has settled a bet or not, and it can be undone like others.
    """

    settled = Signal(str)
    """What was settled, in one line."""
    corrected = Signal(str)
    """Settled bets that need a check, in one line."""
    rules_unread = Signal(str)
    """A line of the user's rules of settlement that cannot be read, and what was expected."""

    def __init__(
        self,
        board: Board,
        clock: Clock,
        records: Records,
        is_on: Callable[[], bool],
        client: Callable[[], Client | None] = lambda: None,
    ) -> None:
        """Settle by the results on the board.

        Args:
            board: The board, which may show a moment of the past.
            clock: The present time.
            records: The ledger.
            is_on: Returns whether bets settle by themselves.
            client: Returns the client of the service. While the past is shown nothing else reads
                its results.
        """
        super().__init__()
        self._client = client
        self._reader: tuple[Client, ResultReader] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._past_looks = 0
        self._board = board
        self._clock = clock
        self._records = records
        self._is_on = is_on
        self._looking: asyncio.Task[None] | None = None
        self._told_corrections = set[tuple[int | None, str]]()
        """The corrections that were reported: the number of the bet, and the reason."""
        self._is_wanted = False
        """Whether something has changed since the look under way began."""
        self._unsubscribe = board.subscribe(lambda _: self.look_soon(), ResultsChanged)
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._look)
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self._on_looks_timeout)
        records.bets_changed.connect(self._on_records_bets_changed)
        self._looks.start()

    def look_soon(self) -> None:
        """Look for bets to settle, now that a result, a bet or a setting has changed."""
        self._is_wanted = True
        if not self._soon.isActive():
            self._soon.start(_SOON_MS if len(self._board.results) else _LATER_MS)

    async def stop_settling(self) -> None:
        """Settle nothing more."""
        self._soon.stop()
        self._looks.stop()
        self._unsubscribe()
        await cancel_tasks(*filter(None, (self._looking, self._reading)))

    def _on_looks_timeout(self) -> None:
        is_past = self._board.connection.as_of_ms is not None
        self._past_looks = self._past_looks + 1 if is_past else 0
        client = self._client()
        if self._past_looks % _PAST_LOOKS == 1 and client is not None and self._reading is None:
            self._reading = spawn("desk: results", self._read_results(client))
        self.look_soon()

    async def _read_results(self, client: Client) -> None:
        """Read results while the past is shown, as far as bets wait for them."""
        if self._reader is None or self._reader[0] is not client:
            self._reader = client, ResultReader(client, self._board, self._clock)
        _, reader = self._reader
        try:
            if reader.is_due:
                await reader.read_results()
        except ServiceError as error:
            _log.info("results not read: %s", error)  # the connection's trouble is shown anyway
        finally:
            self._reading = None

    def _on_records_bets_changed(self) -> None:
        self._board.result_kick_offs = wanted_kick_offs(self._records.placed_bets(), self._clock())
        self.look_soon()

    def _look(self) -> None:
        is_past = self._board.connection.as_of_ms is not None
        is_unread = is_past and not len(self._board.results)
        if self._looking is not None or not self._records.has_read_bets or is_unread:
            return
        self._is_wanted, now = False, self._clock()
        if not any(start <= now for start in self._board.result_kick_offs):
            self._records.show_proposals({})
        else:
            self._looking = spawn("desk: settlement", self._find())

    async def _find(self) -> None:
        try:
            now, bets = self._clock(), list(self._records.placed_bets())
            results = [
                result
                for held in self._board.results
                for result in with_abandoned(held.result, held.before)
            ]
            profiles = self._board.basis.profiles
            found, problems = await in_daemon_thread(
                "settlement", lambda: _settle(bets, results, profiles, now)
            )
        finally:
            self._looking = None
        if self._is_wanted:
            self.look_soon()  # it may be outdated
            return
        for problem in problems:
            self.rules_unread.emit(problem)
        self._take(found)

    def _take(self, found: "Settled") -> None:
        is_on = self._is_on()
        self._records.show_proposals(proposals_of(found, is_on=is_on))
        fresh = [c for c in found.corrections if (c.bet.ident, c.why) not in self._told_corrections]
        self._told_corrections |= {(each.bet.ident, each.why) for each in fresh}
        to_check = check_line(fresh)
        if found.changed and is_on:
            self._records.act(lambda ledger: self._write(ledger, found.changed, to_check))
        elif to_check:
            self.corrected.emit(to_check)

    def _write(self, ledger: Ledger, ended: Sequence[PlacedBet], to_check: str) -> Taken:
        """Settle the bets that are still open as they were read; on the ledger's thread."""
        written = ledger.settle_open(ended)

        def report() -> None:
            line = settled_line(written) if written else ""
            if to_check:
                self.corrected.emit(". ".join(filter(None, (to_check, line))))
            elif line:
                self.settled.emit(line)

        return report


def proposals_of(found: "Settled", *, is_on: bool) -> "dict[int, ToCheck]":
    """Return what is open about bets, by their numbers.

    If automatic settlement is off, bets that it would settle are included.
    """
    from oddsdesk.ledger.settling import ToCheck  # noqa: PLC0415 - late: many need no settlement

    listed = [*found.to_check, *found.corrections]
    listed += [ToCheck(bet, _NO_RESULT) for bet in found.without_result]
    if not is_on:
        listed += [each._replace(why=_OFF) for each in found.certain]
    # For a multiple, the first leg in doubt; the next one follows once that is settled.
    return {each.bet.ident: each for each in reversed(listed) if each.bet.ident is not None}


def settled_line(bets: Sequence[PlacedBet]) -> str:
    """Return what was settled: ``Settled 3 bets: won 2, lost 1, +14.20``."""
    ended = [bet for bet in bets if bet.result is not None]
    by_leg = [bet for bet in bets if bet.result is None]
    if not by_leg:
        return _ended_line(ended)
    named = f"{selection_text(by_leg[0].selection)}{at_bookmaker(by_leg[0])}"
    bets_of_legs = _("{count} bets").format(count=len(by_leg))
    legs = _("Legs settled: {bets}, still open").format(
        bets=named if len(by_leg) == 1 else bets_of_legs
    )
    return f"{_ended_line(ended)}. {legs}" if ended else legs


def _ended_line(bets: Sequence[PlacedBet]) -> str:
    profits: dict[str, float] = {}
    for bet in bets:
        if not bet.practice:
            profits[bet.currency] = profits.get(bet.currency, 0.0) + (bet.profit or 0.0)
    sums = [
        " ".join(filter(None, (signed_hundredths_text(profit), currency)))
        for currency, profit in profits.items()
    ]
    if len(bets) == 1:
        (bet,) = bets
        assert bet.result is not None
        result, source = translated(bet.result.words), recorded_text(bet.settled_by)
        what = f"{selection_text(bet.selection)}{at_bookmaker(bet)} {result} ({source})"
        practice = [_("practice")] if bet.practice else []
        return _("Settled: {names}").format(names=", ".join([what, *sums, *practice]))
    counts = Counter(bet.result for bet in bets)
    ends = [f"{translated(each.words)} {counts[each]}" for each in Result if counts[each]]
    made_up = sum(bet.practice for bet in bets)
    apart = [_("{made_up} practice").format(made_up=made_up)] if made_up else []
    return _("Settled {count} bets: {results}").format(
        count=len(bets), results=", ".join([*ends, *sums, *apart])
    )


def check_line(corrections: "Sequence[ToCheck]") -> str:
    """Return which settled bets need a check, naming the first; empty for none."""
    if not corrections:
        return ""
    first, more = corrections[0], len(corrections) - 1
    bet = f"{selection_text(first.bet.selection)}{at_bookmaker(first.bet)}"
    if not more:
        return _("1 settled bet needs a check: {bet}, {why}").format(bet=bet, why=first.why)
    return _("{count} settled bets need a check: {bet}, {why}; and {more} more").format(
        count=more + 1, bet=bet, why=first.why, more=more
    )


def _settle(
    bets: list[PlacedBet], results: list[GameResult], profiles: Profiles, now_ms: int
) -> "tuple[Settled, list[str]]":
    """Return what results say about bets, and what is wrong in the user's rules."""
    from oddsdesk.ledger.own_tables import known_rules  # noqa: PLC0415 - as above
    from oddsdesk.ledger.settling import settle_by_results  # noqa: PLC0415

    rules, problems = known_rules(profiles)
    return settle_by_results(bets, results, rules, now_ms), problems
