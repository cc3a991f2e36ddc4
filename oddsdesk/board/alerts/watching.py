"""Finds what rules ask for on a board, and puts it before the gate."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from oddsdesk.board.alerts import texts
from oddsdesk.board.alerts.channels import Unsent
from oddsdesk.board.alerts.gate import Alert, AlertEntry, Gate, Held, key_text
from oddsdesk.board.alerts.rules import (
    AlertSettings,
    ConnectionRule,
    KickOffRule,
    OpportunityRule,
    Rule,
    SteamRule,
    TargetRule,
    ValueRule,
)
from oddsdesk.board.alerts.steam import Moved, SteamOutcome, SteamWatch, steam_among
from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.bets import is_hidden, is_wanted
from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.matrix import CellKey, RowKey
from oddsdesk.board.notices import MatrixLoaded, Notice, PricesChanged
from oddsdesk.board.opportunities import Opportunities
from oddsdesk.board.opportunity_finder import UNRELIABLE
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.board.verdict_words import caution_text
from oddsdesk.clock import Clock
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.matching.bet_games import is_same_kick_off
from oddsdesk.pricing.opportunities import OpportunityKind

_PASSING = (Held.COOLDOWN, Held.QUIET, Held.HOURLY)
"""What may let an alert pass later without anything new."""
_OF_PRICES = (ValueRule, TargetRule, OpportunityRule, SteamRule)
"""Rules about prices, which nobody knows to stand while the connection is lost."""
_LOOKS_BACK = "the past is shown"
_NOT_READ = "prices are read for the first time"
_OVER = "what it tells stood no more"
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


class AlertWatch:
    """Looks at each tick; who is told of the answers sends them.

    ``presets`` are by folded name, ``hidden`` says what the user does not want to see, asked as
    ``HiddenThings.hides`` is; ``opportunities`` are those of the board, kept up to date by who made
    them, and ``open_bets`` the user's.
    """

    def __init__(
        self,
        board: Board,
        clock: Clock,
        settings: AlertSettings,
        gate: Gate,
        *,
        presets: Mapping[str, Passes],
        hidden: Passes = lambda **_: False,
        opportunities: Opportunities | None = None,
        open_bets: Callable[[], Iterable[OpenBet]] = lambda: (),
        after: "AlertWatch | None" = None,
    ) -> None:
        """``after``: who looked by other rules before; what it told of already is no news."""
        self.gate = gate
        self.ended: tuple[Hashable, ...] = ()
        """The keys of alerts whose cause the last look found no more."""
        self._board = board
        self._clock = clock
        self._presets = presets
        self._hidden = hidden
        self._opportunities = opportunities
        self._open_bets = open_bets
        self._rules = settings.active
        self._present: dict[Hashable, _Present] = {} if after is None else dict(after._present)
        windows = {each.minutes for each in self._rules if isinstance(each, SteamRule)}
        self._steam = {minutes: SteamWatch(minutes, self._voice_of) for minutes in windows}
        """By window."""
        self._moved: dict[float, Moved] = {}
        self._best: dict[Hashable, AssessedPrice] = {}
        """The best net price of each value bet at the user's bookmakers, at this tick."""
        self._outcomes: dict[tuple[str, str, int, str], SteamOutcome] = {}
        self._selections: dict[SteamOutcome, str] = {}
        """How what may steam is written."""
        self._games: dict[str, set[str]] = {}
        """Ids of games by folded name, for targets; two games of a day may have one name."""
        self._unsubscribe = board.subscribe(self._on_board_notice, MatrixLoaded, PricesChanged)
        for game in {key.game_id for key in board.row_keys()}:
            self._on_board_notice(MatrixLoaded(game))

    @property
    def wants_opportunities(self) -> bool:
        """Whether a rule is about arbitrage."""
        return any(isinstance(each, OpportunityRule) for each in self._rules)

    def close(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def tick(self) -> list[AlertEntry]:
        """Look at everything once; return what is to be sent."""
        found: dict[Hashable, Alert] = {}
        now = self._clock()
        self._moved = {minutes: watch.moved(now) for minutes, watch in self._steam.items()}
        connection = self._board.connection
        is_lost = connection.is_lost
        if any(isinstance(each, ValueRule) for each in self._rules):
            self._best = {} if is_lost else self._best_value()
        for rule in self._rules:
            is_of_prices = isinstance(rule, _OF_PRICES)
            if is_lost and is_of_prices:
                continue
            for alert in self._found_by(rule):
                told = texts.marked(alert, connection) if is_of_prices else alert
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
            is_read = board.snapshot_progress.finished_at is not None and board.reference
            is_begun = board.keeps_all or connection.has_value_bets is None
            return Unsent(_OVER, is_final=True) if is_read or not is_begun else Unsent(_NOT_READ)
        told = texts.marked(found, connection)
        return Unsent(told.not_offered, is_final=True) if told.not_offered else told

    def _found_again(self, alert: Alert) -> Alert | None:
        """Look anew for what an alert tells; None where that is over."""
        cell, key, now = alert.cell, key_text(alert.key), self._clock()
        if cell is None:
            return None
        if self._opportunities is not None:
            self._opportunities.look_at(cell[:3])
        self._moved = {
            minutes: watch.moved_in(cell.game_id, now) for minutes, watch in self._steam.items()
        }
        self._best = self._best_value(lambda price: self._stands(price, cell.game_id))
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
        is_news = before is None or _has_risen(before.level, alert.level, self.gate.policy.step)
        if before is not None and not is_news and not before.waits:
            self._present[alert.key] = before
            return None
        if alert.is_of_prices and self.gate.held_by(alert) is None:
            found = self._found_again(alert)
            if found is None:
                return None  # the computer slept, and the board is yet to look at ages
            alert = texts.marked(found, self._board.connection)
        entry = self.gate.offer(alert, is_news=is_news)
        level = alert.level if before is None or is_news else before.level
        self._present[alert.key] = _Present(level, entry.held in _PASSING)
        return entry

    def _found_by(self, rule: Rule) -> Iterator[Alert]:
        match rule:
            case ValueRule():
                yield from self._value(rule)
            case TargetRule():
                yield from self._target(rule)
            case OpportunityRule():
                yield from self._arbitrage(rule)
            case SteamRule():
                yield from self._steaming(rule)
            case KickOffRule():
                yield from self._kick_offs(rule)
            case ConnectionRule():
                yield from self._connection(rule)

    def _best_value(
        self, counts: Callable[[AssessedPrice], bool] = lambda _price: True
    ) -> dict[Hashable, AssessedPrice]:
        best: dict[Hashable, AssessedPrice] = {}
        for price in self._board.value_bets.values():
            if not price.is_value or not self._board.basis.is_mine(price.bookmaker):
                continue
            if is_hidden(price, self._hidden) or not counts(price):
                continue
            if price.ladder == ():
                continue  # nothing is known to be for sale
            held = best.get(price.outcome)
            if held is None or price.assessment.net_odds > held.assessment.net_odds:
                best[price.outcome] = price
        return best

    def _value(self, rule: ValueRule) -> Iterator[Alert]:
        passes, basis, now = self._presets[rule.preset.casefold()], self._board.basis, self._clock()
        for outcome, price in self._best.items():
            found = price.assessment
            if is_wanted(price, basis, now, passes) and (found.ev_pct or 0.0) >= rule.least_ev:
                yield Alert(
                    ("value", outcome),
                    rule.title,
                    texts.value_title(price),
                    texts.value_text(price),
                    found.ev_pct,
                    price.key,
                    rule.channels,
                )

    def _target(self, rule: TargetRule) -> Iterator[Alert]:
        for odds, name, key in sorted(self._reached(rule), key=lambda each: -each[0]):
            found = self._board.assess(key)
            if found is not None and not UNRELIABLE.intersection(found.cautions):
                says = (f"{rule.selection} ", odds, f" at {name}")
                doubt = ""
                if found.cautions:
                    reference = self._board.reference or UNNAMED_REFERENCE
                    doubt = f" · doubted: {caution_text(found.cautions[0], reference)}"
                also = (f"{rule.game} · your target of ", rule.odds, f" is reached{doubt}")
                level = (odds / rule.odds - 1) * 100
                yield Alert(
                    _target_key(rule),
                    rule.title,
                    says,
                    also,
                    level,
                    key,
                    rule.channels,
                    is_asked_for=True,
                )
                return

    def _reached(self, rule: TargetRule) -> Iterator[tuple[float, str, RowKey]]:
        """Yield the prices that reach a target, with who offers them."""
        board, wanted = self._board, rule.bookmaker.casefold()
        for game in self._games.get(rule.game.casefold(), ()):
            section = board.section(game, rule.market, rule.period, rule.selection)
            for bookmaker in () if section is None else section.row_of(rule.selection).priced_by():
                key = RowKey(game, rule.market, rule.period, rule.selection, bookmaker)
                price, name = board.price(game, CellKey(*key[1:])), bookmaker or board.reference
                if price is None or name is None or price.odds < rule.odds:
                    continue
                is_mine = bookmaker is not None and board.basis.is_mine(bookmaker)
                is_asked = name.casefold() == wanted if wanted else is_mine
                if is_asked and price.is_offered:
                    yield price.odds, name, key

    def _arbitrage(self, rule: OpportunityRule) -> Iterator[Alert]:
        offered = self._opportunities
        for found in () if offered is None else offered.entries.values():
            left_pct = found.outlay.worst_of_all_pct
            if found.kind is OpportunityKind.ARBITRAGE and left_pct >= rule.least:
                yield Alert(
                    ("arbitrage", found.key),
                    rule.title,
                    texts.opportunity_title(found),
                    texts.opportunity_text(found),
                    left_pct,
                    found.legs[0].key,
                    rule.channels,
                )

    def _steaming(self, rule: SteamRule) -> Iterator[Alert]:
        moved = self._moved[rule.minutes]
        for steam in steam_among(moved, rule.groups, rule.points):
            where = steam.outcome[:3]
            selection = self._selections[steam.outcome]
            section = self._board.section(*where, selection)
            if section is not None:
                yield Alert(
                    ("steam", steam.outcome, steam.direction),
                    rule.title,
                    texts.steam_title(selection, steam),
                    texts.steam_text(section, steam),
                    None,
                    RowKey(*where, selection, None),
                    rule.channels,
                )

    def _kick_offs(self, rule: KickOffRule) -> Iterator[Alert]:
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
            title, text = texts.kick_off_texts(bets[0].match_name, [b.selection for b in bets])
            yield Alert(
                ("kick-off", ident),
                rule.title,
                title,
                text,
                cell=bets[0].cell,
                channels=rule.channels,
                is_asked_for=True,
            )

    def _connection(self, rule: ConnectionRule) -> Iterator[Alert]:
        state = self._board.connection
        lost = state.link in (Link.WAITING, Link.REFUSED)
        since = state.since_ms if lost else state.silent_since_ms
        if since is not None and self._clock() - since >= rule.seconds * 1000:
            why = state.reason or "nothing answers"
            yield Alert(
                ("connection",),
                rule.title,
                "Prices no longer come in",
                f"{why[0].upper()}{why[1:]}" if lost else texts.SILENT,
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
        name, price = cell.bookmaker or board.reference or "", board.price(game_id, cell)
        for watch in self._steam.values():
            if price is None or price.withdrawn_at is not None:
                watch.forget(outcome, name)
            else:
                watch.note(outcome, name, price.odds, self._clock())

    def _voice_of(self, bookmaker: str) -> str:
        """Return whose vote a bookmaker's is: skins and brands of one supplier move as one."""
        return self._board.basis.voices.of(bookmaker)

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

    def _on_board_notice(self, notice: Notice) -> None:
        if self._board.connection.as_of_ms is not None:
            return  # what moved in the past is no news
        if isinstance(notice, MatrixLoaded):
            matrix = self._board.matrix(notice.game_id)
            if matrix is None:
                return
            self._games.setdefault(matrix.match_name.casefold(), set()).add(notice.game_id)
            for section in matrix.sections if self._steam else ():
                for row in section.rows:
                    for bookmaker in row.priced_by():
                        cell = CellKey(*section.key[:2], row.selection, bookmaker)
                        self._note(notice.game_id, cell)
        elif isinstance(notice, PricesChanged) and self._steam:
            for cell in notice.cells:
                self._note(notice.game_id, cell)


def _target_key(rule: TargetRule) -> Hashable:
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
