"""The value bets of the service, judged anew as prices move."""

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Final

import msgspec

from oddsdesk.board.changes import Changes
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.games import optional_ms
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.value_entry import ValueEntry, audited, value_entry
from oddsdesk.contract.resources import ValueBet
from oddsdesk.pricing.audit import Audit, Hypothesis, audit, sends_return_rate, still_fits

AUDITED: Final = 12
"""How many rows an audit looks at: enough to tell formulas apart, in a few milliseconds."""
_AUDIT_AGAIN_MS: Final = 60_000
"""How often rows that no formula explains are looked at again."""

_SelectionOf = tuple[str, str, int, str]
"""Game, market type, period, selection."""


class ValueBets:
    """The value bets of the service and what the desk makes of them.

    ``book_of`` gives the prices held of a game, ``id_of`` its id by competition and name.
    """

    def __init__(
        self, book_of: Callable[[str], GameBook | None], id_of: Callable[[str, str], str]
    ) -> None:
        self.entries: dict[RowKey, ValueEntry] = {}
        """Highest true EV first, as it was when the list was read."""
        self.audit: Audit | None = None
        """How the service seems to reckon, None before the first bet (D26)."""
        self.read_at: int | None = None
        """When the list that is held was asked for."""
        self.is_cut = False
        """Whether the service has more than was read."""
        self._book_of = book_of
        self._id_of = id_of
        self._of_selection: dict[_SelectionOf, list[RowKey]] = {}
        self._games: set[str] = set()
        self._moved: set[RowKey] = set()
        """Judged anew since the list that is being taken in was begun."""
        self._audited_at = 0

    def take(
        self, bets: Iterable[ValueBet], bad: list[str], method: str, now_ms: int
    ) -> Generator[None, None, bool]:
        """Take in the whole list in steps of one bet; return whether anything differs.

        Bets that make no sense are named in ``bad``.
        """
        self._moved.clear()
        checked = []
        listed = list(bets)
        is_turned = sends_return_rate([bet.payout_rate for bet in listed])
        for bet in map(_turned_round, listed) if is_turned else listed:
            if _makes_sense(bet, bad):
                checked.append(bet)
                yield
        before = self.audit
        self._audit(checked[:AUDITED], now_ms, is_turned)
        judged: dict[RowKey, ValueEntry] = {}
        of_selection: dict[_SelectionOf, list[RowKey]] = {}
        differs = self.audit != before
        for bet in checked:
            key = self._key_of(bet)
            entry = self._judged(key, bet, method)
            if key not in judged:
                of_selection.setdefault(key[:4], []).append(key)
            judged[key] = entry
            differs = differs or self.entries.get(key) != entry
            yield
        differs = differs or len(judged) != len(self.entries)
        in_order = dict(sorted(judged.items(), key=_by_worth))
        yield
        self.entries, self._of_selection = in_order, of_selection
        self._games = {game for game, *_ in of_selection}
        return bool(self.judge(tuple(self._moved), method)) or differs

    def judge_all(self, method: str) -> bool:
        """Judge every bet by another method; tell whether any figure differs."""
        return bool(self.judge(tuple(self.entries), method))

    def judge(self, keys: Iterable[RowKey], method: str) -> list[RowKey]:
        """Judge some bets anew by the prices that are held; return those that differ."""
        differing = []
        for key in keys:
            held = self.entries.get(key)
            if held is None:
                continue
            entry = self._judged(key, held.bet, method)
            if entry != held:
                self.entries[key] = entry
                self._moved.add(key)
                differing.append(key)
        return differing

    def touched_by(self, game: str, changes: Changes) -> set[RowKey]:
        """Return the bets that what happened to a game's prices may bear on."""
        if game not in self._games:
            return set()
        cells = (RowKey(game, *key) for key in (*changes.cells, *changes.removed))
        touched = {key for key in cells if key in self.entries}
        for section in changes.revalued:
            market_type, period, _ = section.key
            for row in section.rows:
                touched.update(
                    self._of_selection.get((game, market_type, period, row.selection), ())
                )
        return touched

    def _judged(self, key: RowKey, bet: ValueBet, method: str) -> ValueEntry:
        return value_entry(key, bet, self._book_of(key.game_id), method, self._served())

    def _served(self) -> Sequence[Hypothesis]:
        """How the service may reckon: the likeliest formula first, none where none fits."""
        return () if self.audit is None else self.audit.fitting

    def _key_of(self, bet: ValueBet) -> RowKey:
        game = self._id_of(bet.competition, bet.match_name)
        return RowKey(game, bet.market_type, bet.period, bet.selection, bet.bookmaker)

    def _audit(self, bets: Sequence[ValueBet], now_ms: int, is_turned: bool) -> None:
        """Find out how the service reckons, where what is known explains its rows no longer."""
        rows = [audited(bet) for bet in bets]
        known = self.audit
        if known is not None and known.sends_return_rate != is_turned:
            known = None
        if not rows or (known is not None and known.rows >= len(rows) and still_fits(known, rows)):
            return
        is_new = known is None or bool(known.fitting) or known.rows < len(rows)
        if is_new or now_ms - self._audited_at >= _AUDIT_AGAIN_MS:
            self.audit = audit(rows)._replace(sends_return_rate=is_turned)
            self._audited_at = now_ms


def _turned_round(bet: ValueBet) -> ValueBet:
    """Return a bet of a service that sends 1/S with S itself (D52)."""
    rate = bet.payout_rate
    return msgspec.structs.replace(bet, payout_rate=1 / rate) if rate > 0 else bet


def _makes_sense(bet: ValueBet, bad: list[str]) -> bool:
    odds = (bet.odds, bet.reference_odds, bet.fair_odds)
    if min(odds) <= 1 or bet.payout_rate <= 1 / bet.reference_odds or bet.ev_pct <= -100:
        bad.append(f"{bet.match_name}, {bet.selection!r}: expected odds above 1 that fit S")
    elif optional_ms(bet.detected_at) is None:
        bad.append(f"{bet.match_name}, {bet.selection!r}: expected times with an offset")
    else:
        return True
    return False


def _by_worth(item: tuple[RowKey, ValueEntry]) -> float:
    true_ev = item[1].true_ev
    return math.inf if true_ev is None else -true_ev
