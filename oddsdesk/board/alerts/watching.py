"""Finds what rules ask for on a board, and puts it before the gate.

Bookmakers of one operator or one supplier of odds move together anyway and count once.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import market_text, selection_text, shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.tasks import Jobs, in_daemon_thread, slices, spawn
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.alerts import rules
from oddsdesk.board.alerts.channels import (
    Channel,
    ChannelError,
    Outbox,
    Unsent,
    find_address,
    mark_waiting,
    open_channel,
)
from oddsdesk.board.alerts.gate import Alert, AlertEntry, AlertMemory, Gate, Held, Said, key_text
from oddsdesk.board.board import Board
from oddsdesk.board.model import notices
from oddsdesk.board.model.matrix import CellKey, RowKey, Section
from oddsdesk.board.opportunities.finder import Opportunity
from oddsdesk.board.opportunities.offers import LOOK_RESTS, Opportunities
from oddsdesk.board.opportunities.ways import UNRELIABLE
from oddsdesk.board.valuation.bets import is_hidden, is_wanted
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.board.valuation.verdict_words import (
    PER_DECIDED_TEXT,
    caution_text,
    derived_text,
    for_sale_text,
)
from oddsdesk.contract.identity import dated_game_title
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.matching.bet_games import is_same_kick_off
from oddsdesk.pricing.formats import ev_to_tenth, to_tenth
from oddsdesk.pricing.opportunities import OpportunityKind, Split

_MOST_KEPT: Final = 200
"""Moves of a price within the window."""


class SteamOutcome(NamedTuple):
    """What prices are bets on, at any bookmaker and in any spelling."""

    game_id: str
    market_type: str
    period: int
    group: str
    """The line group, as ``LineGroup.key``."""
    side: str


class Steam(NamedTuple):
    """Voices that moved an outcome's probability the same way."""

    outcome: SteamOutcome
    direction: int
    """1 where the outcome became likelier: its odds fell."""
    groups: tuple[str, ...]
    points: float
    """The least that one of them moved, in percentage points."""


Moved = dict[SteamOutcome, dict[str, float]]
"""By how many percentage points each voice moved an outcome's implied probability."""


def steam_among(moved: Moved, groups: int, points: float) -> Iterator[Steam]:
    """Yield outcomes that at least ``groups`` voices moved the same way by ``points`` or more."""
    for outcome, by_group in moved.items():
        for direction in (1, -1):
            alike = {group: abs(by) for group, by in by_group.items() if by * direction >= points}
            if len(alike) >= groups:
                yield Steam(outcome, direction, tuple(sorted(alike)), min(alike.values()))


class SteamWatch:
    """Remembers how prices moved within a window of some minutes."""

    def __init__(self, minutes: float, voice_of: Callable[[str], str]) -> None:
        """``voice_of`` tells whose vote a bookmaker's is; it is asked when moves are."""
        self._voice_of = voice_of
        self._window_ms = round(minutes * MINUTE_MS)
        self._moves: defaultdict[SteamOutcome, dict[str, deque[tuple[int, float]]]] = defaultdict(
            dict
        )
        """By outcome and bookmaker: when, and the implied probability in percent before it."""
        self._now: dict[tuple[SteamOutcome, str], float] = {}
        self._changed: dict[SteamOutcome, None] = {}

    def note_move(self, outcome: SteamOutcome, bookmaker: str, odds: float, at_ms: int) -> None:
        """Take in a price."""
        chance = 100 / odds
        where = (outcome, bookmaker)
        known = self._now.get(where)
        if known == chance:
            return
        self._now[where] = chance
        if known is not None:
            moves = self._moves[outcome]
            if bookmaker not in moves:
                moves[bookmaker] = deque(maxlen=_MOST_KEPT)
            moves[bookmaker].append((at_ms, known))
            self._changed[outcome] = None

    def forget_price(self, outcome: SteamOutcome, bookmaker: str) -> None:
        """Note that a price is gone: one that comes back has not moved."""
        self._now.pop((outcome, bookmaker), None)
        if outcome in self._moves:
            self._moves[outcome].pop(bookmaker, None)

    def moves_of(self, now_ms: int) -> Moved:
        """Return how the outcomes moved whose prices did since the last call."""
        changed, self._changed = self._changed, {}
        return {outcome: self._by_group(outcome, now_ms) for outcome in changed}

    def moved_in(self, game_id: str, now_ms: int) -> Moved:
        """Return how the outcomes of a game moved that did within the window."""
        held = [outcome for outcome in self._moves if outcome.game_id == game_id]
        return {outcome: self._by_group(outcome, now_ms) for outcome in held}

    def _by_group(self, outcome: SteamOutcome, now_ms: int) -> dict[str, float]:
        """Return by how much each voice moved: the price of it that moved most."""
        found: dict[str, float] = {}
        held = self._moves[outcome]
        for bookmaker, moves in list(held.items()):
            while moves and now_ms - moves[0][0] > self._window_ms:
                moves.popleft()
            now = self._now.get((outcome, bookmaker))
            if not moves or now is None:
                del held[bookmaker]
                continue
            points, voice = now - moves[0][1], self._voice_of(bookmaker)
            if abs(points) > abs(found.get(voice, 0.0)):
                found[voice] = points
        if not held:
            del self._moves[outcome]
        return found


_LOOK_S: Final = 1.0
"""The least pause between two looks for opportunities."""
_PASSING = (Held.COOLDOWN, Held.QUIET, Held.HOURLY)
"""What may let an alert pass later without anything new."""
_OF_PRICES = (rules.ValueRule, rules.TargetRule, rules.OpportunityRule, rules.SteamRule)
"""Rules about prices, which nobody knows to stand while the connection is lost."""
_LOOKS_BACK = _("past view is open")
_NOT_READ = _("prices are loading for the first time")
_OVER = _("it no longer held")
Passes = Callable[..., bool]
"""Whether a preset lists a price, asked as ``ValueFilter.passes`` is."""


class OpenBet(NamedTuple):
    """A placed bet that is open; its kick-off in milliseconds."""

    game_id: str
    match_name: str
    kick_off: int
    selection: str
    cell: RowKey | None = None
    """Its price, to be shown."""


class _Present(NamedTuple):
    level: float | None
    """When it was offered last."""
    waits: bool
    not_offered: str
    """Why nobody offered its odds then."""


class AlertWatch:
    """Looks at each tick; the caller sends what it returns.

    ``presets`` are by folded name, ``hidden`` says what the user does not want to see, asked as
    ``HiddenThings.hides`` is; ``opportunities`` are those of the board, kept up to date by who made
    them, and ``open_bets`` the user's.
    """

    def __init__(
        self,
        board: Board,
        clock: Clock,
        settings: rules.AlertSettings,
        gate: Gate,
        *,
        presets: Mapping[str, Passes],
        hidden: Passes = lambda **_: False,
        opportunities: Opportunities | None = None,
        open_bets: Callable[[], Iterable[OpenBet]] = lambda: (),
        after: "AlertWatch | None" = None,
    ) -> None:
        """``after``: the watch with the rules before; what it reported is no news."""
        self.gate = gate
        self.ended: tuple[Hashable, ...] = ()
        """The keys of alerts whose cause the last look no longer found."""
        self._board = board
        self._clock = clock
        self._presets = presets
        self._hidden = hidden
        self._opportunities = opportunities
        self._open_bets = open_bets
        self._rules = settings.active
        self._present: dict[Hashable, _Present] = {} if after is None else dict(after._present)
        windows = {each.minutes for each in self._rules if isinstance(each, rules.SteamRule)}
        self._steam = {minutes: SteamWatch(minutes, self._voice_of) for minutes in windows}
        """By window."""
        self._moved: dict[float, Moved] = {}
        self._best: dict[Hashable, AssessedPrice] = {}
        """The best net price of each value bet at the user's bookmakers, at this tick."""
        self._best_own: dict[Hashable, AssessedPrice] = {}
        """The same among those whose line the sharp book prices itself."""
        self._outcomes: dict[tuple[str, str, int, str], SteamOutcome] = {}
        self._selections: dict[SteamOutcome, str] = {}
        """How what may steam is written."""
        self._games: dict[str, set[str]] = {}
        """Ids of games by folded title and date, for targets; two games may have one title."""
        self._unsubscribe = board.subscribe(
            self._on_board_notice, notices.MatrixLoaded, notices.PricesChanged
        )
        for game in {key.game_id for key in board.row_keys()}:
            self._on_board_notice(notices.MatrixLoaded(game))

    @property
    def wants_opportunities(self) -> bool:
        """Whether a rule is about arbitrage."""
        return any(isinstance(each, rules.OpportunityRule) for each in self._rules)

    def stop_listening(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def check_alerts(self) -> list[AlertEntry]:
        """Look at everything once; return what is to be sent."""
        found: dict[Hashable, Alert] = {}
        now = self._clock()
        self._moved = {minutes: watch.moves_of(now) for minutes, watch in self._steam.items()}
        connection = self._board.connection
        is_lost = connection.is_lost
        if any(isinstance(each, rules.ValueRule) for each in self._rules):
            self._find_best(lambda _price: not is_lost)
        for rule in self._rules:
            is_of_prices = isinstance(rule, _OF_PRICES)
            if is_lost and is_of_prices:
                continue
            for alert in self._found_by(rule):
                told = marked(alert, connection) if is_of_prices else alert
                found[alert.key] = _joined(found.get(alert.key), told)
        before = self._present
        self._present = dict(before) if is_lost else {}  # what stood before is no news afterwards
        sent = [
            entry
            for alert in sorted(found.values(), key=_urgency)
            if (entry := self._offer(alert, before.get(alert.key))) is not None
            and entry.held is None
        ]
        self.ended = tuple(key for key in before if key not in self._present)
        return sent

    def as_it_is(self, alert: Alert) -> Alert | Unsent:
        """Return what may be sent of an alert now: of prices only what rules still find."""
        board, connection = self._board, self._board.connection
        if not alert.is_of_prices:
            return alert
        if connection.as_of_ms is not None or connection.is_lost:
            return Unsent(connection.why_lost or _LOOKS_BACK)
        found = self._found_again(alert)
        if found is None:
            is_read = board.snapshot_progress.finished_at and board.desk_reference.is_named
            is_begun = board.keeps_all or connection.has_value_bets is None
            return Unsent(_OVER, is_final=True) if is_read or not is_begun else Unsent(_NOT_READ)
        told = marked(found, connection)
        return Unsent(told.not_offered, is_final=True) if told.not_offered else told

    def _found_again(self, alert: Alert) -> Alert | None:
        """Look again for what an alert reports; None where that is over."""
        cell, key, now = alert.cell, key_text(alert.key), self._clock()
        if cell is None:
            return None
        if self._opportunities is not None:
            self._opportunities.look_at(cell)
        self._moved = {
            minutes: watch.moved_in(cell.game_id, now) for minutes, watch in self._steam.items()
        }
        self._find_best(lambda price: self._stands(price, cell.game_id))
        found: Alert | None = None
        for rule in self._rules:
            for each in self._found_by(rule) if isinstance(rule, _OF_PRICES) else ():
                if key_text(each.key) == key:
                    found = _joined(found, each)
        return found

    def _stands(self, price: AssessedPrice, game_id: str) -> bool:
        """Whether a price of a game is value by its age of now; the board looks once a second."""
        if price.key.game_id != game_id:
            return False
        found = self._board.assess(price.key)
        return found is not None and found.is_value

    def _offer(self, alert: Alert, before: _Present | None) -> AlertEntry | None:
        if before is not None and before.not_offered not in ("", alert.not_offered):
            before = None  # real odds are news after an alert at simulated ones
        is_news = before is None or _has_risen(before.level, alert.level, self.gate.policy.step)
        if before is not None and not is_news and not before.waits:
            self._present[alert.key] = before
            return None
        if alert.is_of_prices and self.gate.held_by(alert) is None:
            found = self._found_again(alert)
            if found is None:
                return None  # the computer slept, and the board is yet to look at ages
            alert = marked(found, self._board.connection)
        entry = self.gate.decide_alert(alert, is_news=is_news)
        level = alert.level if before is None or is_news else before.level
        self._present[alert.key] = _Present(level, entry.held in _PASSING, alert.not_offered)
        return entry

    def _found_by(self, rule: rules.Rule) -> Iterator[Alert]:
        match rule:
            case rules.ValueRule():
                yield from self._value(rule)
            case rules.TargetRule():
                yield from self._target(rule)
            case rules.OpportunityRule():
                yield from self._arbitrage(rule)
            case rules.SteamRule():
                yield from self._steaming(rule)
            case rules.KickOffRule():
                yield from self._kick_offs(rule)
            case rules.ConnectionRule():
                yield from self._connection(rule)

    def _find_best(self, counts: Callable[[AssessedPrice], bool]) -> None:
        self._best, self._best_own = {}, {}
        for price in self._board.value_bets.values():
            if not price.is_value or not self._board.basis.is_mine(price.bookmaker):
                continue
            if is_hidden(price, self._hidden) or not counts(price):
                continue
            if price.ladder == ():
                continue  # nothing is known to be for sale
            is_own = price.assessment.derived is None
            for best in (self._best, self._best_own) if is_own else (self._best,):
                held = best.get(price.outcome)
                if held is None or price.assessment.net_odds > held.assessment.net_odds:
                    best[price.outcome] = price

    def _value(self, rule: rules.ValueRule) -> Iterator[Alert]:
        passes, basis, now = self._presets[rule.preset.casefold()], self._board.basis, self._clock()
        best = self._best if rule.derived else self._best_own
        for outcome, price in best.items():
            found = price.assessment
            if is_wanted(price, basis, now, passes) and (found.ev or 0.0) >= rule.least_ev:
                yield Alert(
                    ("value", outcome),
                    rule.shown_title,
                    value_title(price, self._name_of(price.bookmaker)),
                    value_text(price),
                    found.ev,
                    price.key,
                    rule.channels,
                )

    def _target(self, rule: rules.TargetRule) -> Iterator[Alert]:
        for odds, name, key in sorted(self._reached(rule), key=lambda each: -each[0]):
            found = self._board.assess(key)
            if found is not None and not UNRELIABLE.intersection(found.cautions):
                says = _with_odds(
                    _("{selection} {odds} at {bookmaker}"),
                    odds,
                    selection=selection_text(rule.selection),
                    bookmaker=self._name_of(name),
                )
                doubt = ""
                if found.cautions:
                    reference = self._board.reference_name
                    warning = caution_text(found.cautions[0], reference)
                    doubt = f" · {_('warning: {warning}').format(warning=warning)}"
                reached = _("your target of {odds} is reached")
                also = _with_odds(
                    f"{{game}} · {reached}{{doubt}}",
                    rule.odds,
                    game=shown_game(rule.game),
                    doubt=doubt,
                )
                level = (odds / rule.odds - 1) * 100
                yield Alert(
                    _target_key(rule),
                    rule.shown_title,
                    says,
                    also,
                    level,
                    key,
                    rule.channels,
                    is_asked_for=True,
                )
                return

    def _reached(self, rule: rules.TargetRule) -> Iterator[tuple[float, str, RowKey]]:
        """Yield the prices that reach a target, with who offers them."""
        board, wanted = self._board, rule.bookmaker.casefold()
        for game in self._games.get(dated_game_title(rule.game).casefold(), ()):
            section = board.section(game, rule.market, rule.period, rule.selection)
            if section is None:
                continue
            row = section.selection_row(rule.selection)
            for name, price in row.prices.items() if wanted else row.others():
                if price.odds < rule.odds or not price.is_offered:
                    continue
                if name.casefold() == wanted if wanted else board.basis.is_mine(name):
                    key = RowKey(game, rule.market, rule.period, rule.selection, name)
                    yield price.odds, name, key

    def _arbitrage(self, rule: rules.OpportunityRule) -> Iterator[Alert]:
        if (offered := self._opportunities) is None:
            return
        for found in list(offered.entries.values()):
            left_pct = found.outlay.worst_of_all_pct
            is_one = found.kind is OpportunityKind.ARBITRAGE and left_pct >= rule.least
            if is_one and not found.is_too_good and not offered.is_completed(found):
                yield Alert(
                    ("arbitrage", found.key),
                    rule.shown_title,
                    opportunity_title(found),
                    opportunity_text(found, self._name_of, self._board.reference_name),
                    left_pct,
                    found.legs[0].key,
                    rule.channels,
                )

    def _steaming(self, rule: rules.SteamRule) -> Iterator[Alert]:
        moved = self._moved[rule.minutes]
        for steam in steam_among(moved, rule.groups, rule.points):
            where = steam.outcome[:3]
            selection = self._selections[steam.outcome]
            section = self._board.section(*where, selection)
            if section is not None:
                yield Alert(
                    ("steam", steam.outcome, steam.direction),
                    rule.shown_title,
                    steam_title(selection, steam),
                    steam_text(section, steam, self._name_of),
                    None,
                    RowKey(*where, selection, self._board.desk_reference.bookmaker),
                    rule.channels,
                )

    def _kick_offs(self, rule: rules.KickOffRule) -> Iterator[Alert]:
        now = self._clock()
        games: dict[str, list[OpenBet]] = {}
        for bet in self._open_bets():
            game = self._board.games.get(bet.game_id)
            known = None if game is None else game.kick_off  # it may have been moved since
            ident = bet.game_id
            if game is None or known is None:
                known = bet.kick_off
            elif not is_same_kick_off(bet.kick_off, known, game.sport, game.competition):
                known = bet.kick_off  # the id is another game's of the series
                ident = f"{bet.game_id} {known}"
            if 0 <= known - now <= rule.minutes * MINUTE_MS:
                games.setdefault(ident, []).append(bet)
        for ident, bets in games.items():
            title, text = kick_off_texts(bets[0].match_name, [b.selection for b in bets])
            yield Alert(
                ("kick-off", ident),
                rule.shown_title,
                title,
                text,
                cell=bets[0].cell,
                channels=rule.channels,
                is_asked_for=True,
            )

    def _connection(self, rule: rules.ConnectionRule) -> Iterator[Alert]:
        state = self._board.connection
        lost = state.link in (notices.Link.WAITING, notices.Link.REFUSED)
        since = state.since_ms if lost else state.silent_since_ms
        if since is not None and self._clock() - since >= rule.seconds * 1000:
            why = translated(state.reason or "") or _("no answer")
            yield Alert(
                ("connection",),
                rule.shown_title,
                _("Prices no longer come in"),
                f"{why[0].upper()}{why[1:]}" if lost else SILENT,
                channels=rule.channels,
                is_asked_for=True,
            )

    def _note(self, game_id: str, cell: CellKey) -> None:
        """Take a price in for steam."""
        board = self._board
        selection = (game_id, *cell[:3])
        outcome = self._outcomes.get(selection) or self._outcome(selection)
        if outcome is None:
            return
        name, price = cell.bookmaker, board.price(game_id, cell)
        for watch in self._steam.values():
            if price is None or price.withdrawn_at is not None:
                watch.forget_price(outcome, name)
            else:
                watch.note_move(outcome, name, price.odds, self._clock())

    def _name_of(self, bookmaker: str) -> str:
        """Return what people call a bookmaker: a file may have its key, such as betfair_ex_uk."""
        return self._board.basis.profiles.canonical(bookmaker) or bookmaker

    def _voice_of(self, bookmaker: str) -> str:
        """Return whose vote a bookmaker's is: skins and brands of one supplier move as one."""
        return self._board.basis.voices.voice_of(bookmaker)

    def _outcome(self, selection: tuple[str, str, int, str]) -> SteamOutcome | None:
        """Return what a selection is of, which its text says once and for all."""
        section = self._board.section(*selection)
        if section is None:
            return None
        side = section.side_of(selection[3])
        outcome = SteamOutcome(*selection[:3], section.key.group, side)
        self._selections[outcome] = selection[3]
        self._outcomes[selection] = outcome
        return outcome

    def _on_board_notice(self, notice: notices.Notice) -> None:
        if self._board.connection.as_of_ms is not None:
            return  # what moved in the past is no news
        if isinstance(notice, notices.MatrixLoaded):
            matrix = self._board.matrix(notice.game_id)
            if matrix is None:
                return
            name = dated_game_title(matrix.match_name).casefold()
            self._games.setdefault(name, set()).add(notice.game_id)
            for section in matrix.sections if self._steam else ():
                for row in section.rows:
                    for bookmaker in row.prices:
                        cell = CellKey(*section.key[:2], row.selection, bookmaker)
                        self._note(notice.game_id, cell)
        elif isinstance(notice, notices.PricesChanged) and self._steam:
            for cell in notice.cells:
                self._note(notice.game_id, cell)


def _target_key(rule: rules.TargetRule) -> Hashable:
    """Return what is watched: a target that gets a name or another channel is the same one."""
    where = (rule.game.casefold(), rule.market, rule.period, rule.selection)
    return ("target", *where, rule.bookmaker.casefold(), rule.odds)


def _urgency(alert: Alert) -> tuple[bool, float]:
    """Order alerts of one moment: a full hour has room for the best, and for what will not wait."""
    return alert.level is not None, -(alert.level or 0.0)


def _has_risen(before: float | None, now: float | None, step: float) -> bool:
    return before is not None and now is not None and step > 0 and now >= before + step


def _joined(held: Alert | None, alert: Alert) -> Alert:
    """One thing that two rules ask for is told once, wherever either of them goes."""
    if held is None:
        return alert
    everywhere = not held.channels or not alert.channels
    channels = () if everywhere else tuple(dict.fromkeys((*held.channels, *alert.channels)))
    return msgspec.structs.replace(held, channels=channels)


class AlertService:
    """Looks by rules, sends what it finds and keeps the list, for a window or a terminal.

    ``memory`` keeps the list, None: nobody does. ``hidden`` and ``open_bets`` are asked as an
    ``AlertWatch`` asks them, ``placed`` as ``Opportunities.count_placed`` counts.
    """

    def __init__(
        self,
        board: Board,
        clock: Clock,
        memory: AlertMemory | None,
        *,
        hidden: Passes,
        open_bets: Callable[[], Iterable[OpenBet]],
        placed: Callable[[], Mapping[tuple[Hashable, str], float]],
        split: Callable[[], Split],
        on_delivery: Callable[[AlertEntry], object],
        on_problem: Callable[[str], object],
    ) -> None:
        """``on_delivery`` is told what became of an alert, ``on_problem`` of a closed channel."""
        self.gate = Gate(rules.AlertSettings(), clock)
        self.channels: tuple[str, ...] = ()
        """Those of the rules, with an address or without."""
        self.watch: AlertWatch | None = None
        self.opportunities: Opportunities | None = None
        self._new_watch = partial(AlertWatch, board, clock, hidden=hidden, open_bets=open_bets)
        self._new_opportunities = partial(Opportunities, board, clock, split)
        self._clock = clock
        self._memory = memory
        self._placed = placed
        self._on_delivery = on_delivery
        self._on_problem = on_problem
        self._outbox: Outbox | None = None
        self._jobs = Jobs()
        self._is_restored = False

    def restore_entries(self) -> None:
        """Take over what was told before the program began, once."""
        if self._memory is not None and not self._is_restored:
            self.gate.restore_entries(self._memory.read_entries())
        self._is_restored = True

    def begin_rules(
        self, settings: rules.AlertSettings, presets: Mapping[str, Passes], after: AlertWatch | None
    ) -> None:
        """Look by these rules from now on; ``presets`` and ``after`` as of an ``AlertWatch``."""
        self.gate.policy = settings  # what was told stays told
        self.channels = tuple(each.name for each in settings.channels)
        offered = self.opportunities = self._new_opportunities()
        self.watch = self._new_watch(
            settings, self.gate, presets=presets, opportunities=offered, after=after
        )
        if self.watch.wants_opportunities:
            self._jobs.start_job("opportunities", self._keep_finding)
        if settings.channels:
            opening = partial(self._open_channels, settings.channels, self.watch)
            self._jobs.start_job("open channels", opening)

    def end_rules(self) -> AlertWatch | None:
        """Stop looking and sending; return the watch that ended, for ``begin_rules``."""
        ended = self.watch
        for part in (self.watch, self.opportunities):
            if part is not None:
                part.stop_listening()
        self.watch = self.opportunities = None
        for job in ("opportunities", "open channels"):
            self._jobs.end_job(job)
        if self._outbox is not None:
            spawn("alerts: close channels", self._outbox.stop_sending())
            self._outbox = None
        return ended

    def check_alerts(self) -> list[AlertEntry]:
        """Look once and send; return what is sent."""
        listed = self.gate.listed
        sent = [] if self.watch is None else self.watch.check_alerts()
        for entry in sent:
            mark_waiting(entry, self.channels)
            if self._outbox is not None:
                self._outbox.resume(entry)
        if self.gate.listed != listed:
            self._keep()
        return sent

    async def find_opportunities(self) -> float:
        """Bring the opportunities up to date; return for how many seconds that took the loop."""
        took_s = 0.0
        if self.opportunities is not None:
            self.opportunities.count_placed(self._placed())
            for worked_s in slices(self.opportunities.looking()):
                took_s += worked_s
                await asyncio.sleep(0)
        return took_s

    async def close_alerts(self) -> None:
        """End everything."""
        outbox, self._outbox = self._outbox, None
        self.end_rules()
        await self._jobs.stop_jobs()
        if outbox is not None:
            await outbox.stop_sending()
        if self._memory is not None:
            self._memory.finish_writing()

    async def _keep_finding(self) -> None:
        while True:
            took_s = await self.find_opportunities()
            await asyncio.sleep(max(_LOOK_S, took_s * LOOK_RESTS))

    async def _open_channels(
        self, channels: Iterable[rules.ChannelSetting], watch: AlertWatch
    ) -> None:
        """Send also what was to be sent before; a channel without an address is a problem."""
        found: dict[str, Channel] = {}
        for setting in channels:
            try:  # on a thread: the keyring may ask its user
                address = await in_daemon_thread("keyring", partial(find_address, setting.name))
                found[setting.name] = open_channel(setting, address)
            except ChannelError as error:
                self._on_problem(str(error))
        asked = watch.as_it_is
        self._outbox = Outbox(found, self._clock, self._on_outbox_changed, as_it_is=asked)
        self._outbox.start_sending()
        for entry in self.gate.entries:
            self._outbox.resume(entry)

    def _on_outbox_changed(self, entry: AlertEntry) -> None:
        self._keep()
        self._on_delivery(entry)

    def _keep(self) -> None:
        if self._memory is not None:
            self._memory.keep_entries(self.gate.entries)


_MOST_NAMED = 5
SILENT = _("The service answers, but no prices have come in for longer than usual")


_FAIR_DECIMALS = 3


def value_title(price: AssessedPrice, bookmaker: str) -> Said:
    """Return what to bet, where, and the edge."""
    found = price.assessment
    ev = 0.0 if found.ev is None else found.ev
    return _with_odds(
        _("{ev} %: {selection} {odds} at {bookmaker}"),
        found.odds,
        ev=f"{num(ev_to_tenth(ev)):+.1f}",
        selection=selection_text(price.key.selection),
        bookmaker=bookmaker,
    )


def _with_odds(template: str, odds: float, **values: str) -> tuple[str | float, ...]:
    """Fill in a text whose ``{odds}`` are shown in the reader's format."""
    before, _mark, after = template.format(odds="\0", **values).partition("\0")
    return tuple(part for part in (before, odds, after) if part != "")


def value_text(price: AssessedPrice) -> Said:
    """Return the game, and what the price is judged by."""
    found = price.assessment
    said: list[str | float] = [
        f"{shown_game(price.match_name)} · {market_text(price.key.market_type)}"
    ]
    if found.fair_odds is not None:
        said += _with_odds(f" · {_('fair {odds}')}", _rounded(found.fair_odds))
    if derived := derived_text(found):
        said.append(f" ({derived})")
    if found.net_odds != found.odds:
        said += _with_odds(f" · {_('net {odds}')}", _rounded(found.net_odds))
    if found.per == "decided":
        said.append(f" · EV {PER_DECIDED_TEXT}")
    if price.for_sale is not None:
        said.append(f" · {for_sale_text(price)}")
    if price.is_live:
        said.append(f" · {_('in play')}")
    return tuple(said)


def marked(alert: Alert, connection: notices.Connection) -> Alert:
    """Return an alert of prices, marked where nobody offers the odds."""
    alert = replace(alert, is_of_prices=True)
    why = connection.not_offered
    if not why:
        return alert
    first = _("Simulated: ") if connection.simulated else _("Maybe old odds: ")
    says, also = _parts(alert.says), _parts(alert.also)
    return replace(alert, says=(first, *says), also=(*also, f" · {why}"), not_offered=why)


def _parts(said: Said) -> tuple[str | float, ...]:
    return (said,) if isinstance(said, str) else said


def _rounded(odds: float) -> float:
    """Return reckoned odds with 3 decimals, unless none would be left above 1."""
    rounded = round(odds, _FAIR_DECIMALS)
    return rounded if rounded > 1 else odds


def opportunity_title(found: Opportunity) -> str:
    """Return what the worst of all outcomes leaves, a push among them, and where."""
    profit = to_tenth(found.outlay.worst_of_all_pct)
    return _("Arbitrage {profit:+.1f} %: {game}").format(
        profit=num(profit), game=shown_game(found.match_name)
    )


def opportunity_text(found: Opportunity, name_of: Callable[[str], str], reference: str) -> Said:
    """Return the legs with stakes and warnings, and the profit without a push if it is higher."""
    said: list[str | float] = []
    for place, leg in enumerate(found.legs):
        template = _("{bet} {odds} at {bookmaker}, stake {stake}")
        stake, liability = f"{num(leg.stake):g}", ""
        if leg.backers_stake is not None:
            template = _("{bet} {odds} at {bookmaker}, stake {stake}, liability {liability}")
            stake, liability = f"{num(leg.backers_stake):.2f}", stake
        said += _with_odds(
            f" · {template}" if said else template,
            leg.odds,
            bet=found.leg_text(place),
            bookmaker=name_of(leg.bookmaker),
            stake=stake,
            liability=liability,
        )
        if leg.cautions:
            warning = caution_text(leg.cautions[0], reference)
            said.append(f", {_('warning: {warning}').format(warning=warning)}")
    if found.outlay.worst_of_all < found.outlay.worst:
        profit = _("{profit:+.1f} % if there is no push")
        said.append(f" · {profit.format(profit=num(to_tenth(found.profit_pct)))}")
    return tuple(said)


def steam_title(selection: str, steam: Steam) -> str:
    """Return what became likelier, or less likely."""
    count = len(steam.groups)
    text = (
        ngettext(
            "{selection} shortens at {count} bookmaker",
            "{selection} shortens at {count} bookmakers",
            count,
        )
        if steam.direction > 0
        else ngettext(
            "{selection} drifts at {count} bookmaker",
            "{selection} drifts at {count} bookmakers",
            count,
        )
    )
    return text.format(selection=selection_text(selection), count=count)


def steam_text(section: Section, steam: Steam, name_of: Callable[[str], str]) -> str:
    """Return the game, by how much, and where."""
    names = ", ".join(map(name_of, steam.groups[:_MOST_NAMED]))
    more = len(steam.groups) - _MOST_NAMED
    if more > 0:
        names = _("{names} and {count} more").format(names=names, count=more)
    moved = _("{points:.1f} points or more at {bookmakers}").format(
        points=num(steam.points), bookmakers=names
    )
    return f"{shown_game(section.match_name)} · {moved}"


def kick_off_texts(match_name: str, selections: Sequence[str]) -> tuple[str, str]:
    """Return that a game begins, and what was bet on it."""
    count = len(selections)
    text = ngettext(
        "You have a bet on it: {selections}", "You have {count} bets on it: {selections}", count
    )
    return (
        _("{game} starts soon").format(game=shown_game(match_name)),
        text.format(
            count=count, selections=", ".join(map(selection_text, selections[:_MOST_NAMED]))
        ),
    )
