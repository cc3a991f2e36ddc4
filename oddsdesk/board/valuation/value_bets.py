"""Every price that is value or nearly: assessed as prices move, as time passes, as lists come."""

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final

import msgspec

from oddsdesk.board.history.price_history import SelectionKey
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix, RowKey, optional_ms
from oddsdesk.board.model.notices import Changes
from oddsdesk.board.valuation.game_book import GameBook
from oddsdesk.board.valuation.judging import AssessedPrice, Judge, assessed_at
from oddsdesk.board.valuation.market import WITHDRAWN_KEPT_MS
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.resources import ValueBet
from oddsdesk.pricing.assessment import GOAL_MARKETS, Caution, Group, Setting, Sighting, assess
from oddsdesk.pricing.audit import (
    Audit,
    AuditedRow,
    Hypothesis,
    audit,
    exact_total,
    explains,
    fair_odds,
    sends_return_rate,
    shown_fair,
    still_fits,
)
from oddsdesk.pricing.devig import DEFAULT_METHOD, DevigError
from oddsdesk.pricing.selections import LineGroup, line_groups, outcome_counts
from oddsdesk.pricing.value import Pushes, ReferenceLine, ReferencePrice

_CONTRACT: Final = Hypothesis(DEFAULT_METHOD, floor_in_fair_odds=False, floor_in_ev=True)


class ServiceRow:
    """What a value bet of the service says by itself.

    Args:
        bet: The row, checked.
        method: The user's devig method; the default one is taken where it has no answer.
        served: How the service may reckon, the likeliest first.
        is_judge: Whether the desk judges by whom the service judges by; else the row tells nothing
            of what the desk's reference says.
    """

    def __init__(
        self, bet: ValueBet, method: str, served: Sequence[Hypothesis], *, is_judge: bool = True
    ) -> None:
        self.bet = bet
        self.is_judge = is_judge
        self.outcomes = outcomes_of(bet, served)
        """N, the number of outcomes that the reference prices."""
        row = audited(bet)
        total = exact_total(row, served[0], self.outcomes) if served else bet.payout_rate
        self.method = method
        """The one that ``fair`` really is by."""
        self.fair = _fair(method, bet.reference_odds, total, self.outcomes) or _as_served(
            method, row, served
        )
        if self.fair is None:
            self.method = DEFAULT_METHOD
            self.fair = _fair(DEFAULT_METHOD, bet.reference_odds, total, self.outcomes)
        self._total = total

    def service_line(self, now_ms: int) -> ReferenceLine:
        """Return the reference's line group as far as the row describes it."""
        bet = self.bet
        found = line_groups(bet.market_type, bet.match_name, [bet.selection], sport_in(bet))
        group = found[0]._replace(complete=True) if found else None
        if group is None or not group.sides:
            group = LineGroup("", None, (bet.selection,), ("",), complete=True)
        if not self.is_judge:
            group = group._replace(complete=False)
            return ReferenceLine(bet.market_type, group, {}, None, now_ms, is_live=None)
        price = ReferencePrice(bet.reference_odds, self._total - 1 / bet.reference_odds, self.fair)
        prices = {group.sides[0]: price}
        return ReferenceLine(bet.market_type, group, prices, self._total, now_ms, is_live=None)

    def assess(self, key: RowKey, basis: Basis, now_ms: int, *, is_offered: bool) -> AssessedPrice:
        """Assess the bet: nobody has told when its price was last seen."""
        bet, line = self.bet, self.service_line(now_ms)
        side, kick_off = line.group.sides[0], optional_ms(bet.match_date)
        setting = Setting(
            line=line,
            period=bet.period,
            sport=sport_in(bet),
            kick_off=kick_off,
            now_ms=now_ms,
            push=Pushes([line], None).push_chance(line, in_play=False),
            rules=basis.rules,
        )
        group = Group(basis.profiles.profile_of(bet.bookmaker), frozenset((side,)))
        sighting = Sighting(side, bet.odds, None, None, is_offered=is_offered)
        return AssessedPrice(
            key=key,
            match_name=bet.match_name,
            competition=bet.competition,
            sport=sport_in(bet),
            kick_off=kick_off,
            is_live=False,
            line_key=line.group.key,
            side=side,
            assessment=assess(setting, group, sighting),
            is_in_contract=True,
            scraped_at=None,
        )


def audited(bet: ValueBet) -> AuditedRow:
    """Return the figures of a value bet that an audit looks at."""
    return AuditedRow(
        bet.market_type,
        bet.odds,
        bet.reference_odds,
        bet.payout_rate,
        bet.fair_odds,
        bet.ev_pct,
        outcome_counts(bet.market_type, sport_in(bet)) or (2,),
    )


def outcomes_of(bet: ValueBet, served: Sequence[Hypothesis]) -> int:
    """Return N: the one that the row's fair odds fit best, where the market has more than one."""
    counts = outcome_counts(bet.market_type, sport_in(bet)) or (2,)
    if len(counts) == 1:
        return counts[0]
    method = served[0].method if served else _CONTRACT.method
    fits = {count: _fair(method, bet.reference_odds, bet.payout_rate, count) for count in counts}
    return min(counts, key=lambda count: abs((fits[count] or 0.0) - bet.fair_odds))


def _as_served(method: str, row: AuditedRow, served: Sequence[Hypothesis]) -> float | None:
    """The row's own fair odds, where they can be by the user's method only."""
    mine = next((each for each in served if each.method == method), None)
    if mine is None or any(explains(each, row) for each in served if each.method != method):
        return None
    return shown_fair(row, mine)


def _fair(method: str, reference_odds: float, total: float, outcomes: int) -> float | None:
    """The fair price of one outcome, None where the method needs the other prices."""
    try:
        return fair_odds(method, reference_odds, total, outcomes)
    except DevigError:
        return None


AUDITED: Final = 12
"""How many rows an audit looks at: enough to tell formulas apart, in a few milliseconds."""
_AGED_AT_ONCE: Final = 20
"""How many prices that time alone changed are assessed in one step."""
_AUDIT_AGAIN_MS: Final = 60_000
"""How often rows that no formula explains are looked at again."""

JudgeOf = Callable[[Matrix], Judge]


class ValueBets:
    """The prices with the least edge, and the value bets of the service.

    What is held is assessed by the prices that are held; a bet of the service whose price is not,
    by its own row. ``judge_of`` judges a game's prices now, ``book_of`` gives the prices held of a
    game, ``id_of`` its id by competition and name.
    """

    def __init__(
        self,
        basis: Basis,
        judge_of: JudgeOf,
        book_of: Callable[[str], GameBook | None],
        id_of: Callable[[str, str], str],
    ) -> None:
        self.entries: dict[RowKey, AssessedPrice] = {}
        self.listed: dict[RowKey, ValueBet] = {}
        """The service's list."""
        self.audit: Audit | None = None
        """How the service seems to reckon, None before the first bet."""
        self.read_at: int | None = None
        """When the list that is held was asked for."""
        self.is_cut = False
        """Whether the service has more than was read."""
        self._basis = basis
        self._judge_of = judge_of
        self._book_of = book_of
        self._id_of = id_of
        self._near: dict[str, dict[SelectionKey, tuple[str, ...]]] = {}
        """Who offered the least edge when a selection was looked at last, by game."""
        self._listed_at: dict[str, dict[SelectionKey, list[str]]] = {}
        """Whose price of a selection the service lists, by game."""
        self._audited_at = 0
        self._listed_since: dict[RowKey, int] = {}
        """When the list was asked for in which a bet was first as the service found it."""
        self._read_since: dict[str, int] = {}
        """When the prices of a game were asked for that are held, and (without one) of all."""

    def replace_listed(
        self, bets: Iterable[ValueBet], bad: list[str], now_ms: int, asked_at: int
    ) -> Generator[None, None, bool]:
        """Take in the service's whole list in steps of one bet; return whether anything differs.

        Bets that make no sense are named in ``bad``.
        """
        checked = []
        listed = list(bets)
        is_turned = sends_return_rate([bet.payout_rate for bet in listed])
        for bet in map(_turned_round, listed) if is_turned else listed:
            if _makes_sense(bet, bad):
                checked.append(bet)
                yield
        before, listed_before = self.audit, self.listed
        self._audit(checked[:AUDITED], now_ms, is_turned)
        self.listed = {self._key_of(bet): bet for bet in checked}
        self._listed_since = {
            key: self._listed_since[key] if _is_as_found(bet, listed_before.get(key)) else asked_at
            for key, bet in self.listed.items()
        }
        self._listed_at = {}
        for game, market_type, period, selection, bookmaker in self.listed:
            of_game = self._listed_at.setdefault(game, {})
            of_game.setdefault((market_type, period, selection), []).append(bookmaker)
        is_reckoned_alike = self.audit == before
        differs = not is_reckoned_alike or self.listed.keys() != listed_before.keys()
        for key in (*self.listed, *(key for key in listed_before if key not in self.listed)):
            is_listed_still = key in listed_before and key in self.listed
            if is_listed_still and is_reckoned_alike and self._is_known(key, now_ms):
                continue
            differs = bool(self._assess_all([key], now_ms)) or differs
            yield
        return differs

    def _is_known(self, key: RowKey, now_ms: int) -> bool:
        """Whether a price is assessed as it is held: what it is does not rest on its row."""
        entry = self.entries.get(key)
        return entry is not None and entry.scraped_at is not None and entry.due_at > now_ms

    def prices_read(self, asked_at: int, now_ms: int, game: str = "") -> Iterator[list[RowKey]]:
        """Note that all prices of a game are held, or of every one; in steps, as ``ageing``.

        A bet of the list whose price is not among them is no longer offered.
        """
        self._read_since[game] = asked_at
        due = [
            key
            for key in self.listed
            if game in ("", key.game_id)
            and (entry := self.entries.get(key)) is not None
            and entry.scraped_at is None
            and Caution.WITHDRAWN not in entry.assessment.cautions
        ]
        for start in range(0, len(due), _AGED_AT_ONCE):
            yield self._assess_all(due[start : start + _AGED_AT_ONCE], now_ms)

    def is_offered(self, key: RowKey) -> bool:
        """Whether the service may show the price of a bet of its list, which is not held.

        It shows none that was not seen for ten minutes, and its list may hold older ones.
        """
        read = max(self._read_since.get(key.game_id, 0), self._read_since.get("", 0))
        detected_at = optional_ms(self.listed[key].detected_at) or 0
        return read <= self._listed_since[key] and read - detected_at < WITHDRAWN_KEPT_MS

    def assess_all(self, now_ms: int) -> list[RowKey]:
        """Assess everything again, on another basis; return the prices that differ."""
        return self._assess_all(list(self.entries), now_ms)

    def prices_moved(self, book: GameBook, changes: Changes, now_ms: int) -> list[RowKey]:
        """Assess what a game's changes bear on; return the prices that differ."""
        keys = dict.fromkeys(self._touched(book, changes))
        if changes.overtime_learnt:
            keys |= dict.fromkeys(self._with_goals(book.matrix.competition))
        return self._assess_all(keys, now_ms) if keys else []

    def ageing(self, now_ms: int) -> Iterator[list[RowKey]]:
        """Assess what time alone has changed, some at a time; yield the prices that differ."""
        due = [key for key, entry in self.entries.items() if entry.due_at <= now_ms]
        for start in range(0, len(due), _AGED_AT_ONCE):
            yield self._assess_all(due[start : start + _AGED_AT_ONCE], now_ms)

    def forget_game(self, game: str, now_ms: int) -> list[RowKey]:
        """Drop what rested on a game's prices, which are no longer held."""
        self._near.pop(game, None)
        for read in (game, ""):
            self._read_since.pop(read, None)
        return self.assess_games({game}, now_ms)

    def assess_games(self, games: Container[str], now_ms: int) -> list[RowKey]:
        """Assess the prices of games again; return the prices that differ."""
        keys = [key for key in self.entries if key.game_id in games]
        return self._assess_all(keys, now_ms)

    def service_row(self, key: RowKey, method: str) -> ServiceRow | None:
        """Return what the service says of a price by itself, None where it does not list it."""
        bet = self.listed.get(key)
        return (
            None
            if bet is None
            else ServiceRow(
                bet, method, self._served(), is_judge=self._basis.reference.is_services_own
            )
        )

    def _touched(self, book: GameBook, changes: Changes) -> Iterator[RowKey]:
        """Yield the prices that are near to value, were, or are listed, of those that changed."""
        game = book.matrix.game_id
        near_at, listed_at = self._near.setdefault(game, {}), self._listed_at.get(game, {})
        whole = _to_rejudge(changes, book.matrix.reference)
        for cell in whole:
            row = book.selection_row(*cell)
            near, before = () if row is None else row.near, near_at.get(cell, ())
            _remember(near_at, cell, near)
            for name in dict.fromkeys((*near, *before, *listed_at.get(cell, ()))):
                yield RowKey(game, *cell, name)
        for (market_type, period, bookmaker), selections in changes.by_quote():
            rows = book.market_rows(market_type, period)
            for selection in selections:
                cell = market_type, period, selection
                if cell in whole:
                    continue
                row = rows.get(selection)
                near, before = () if row is None else row.near, near_at.get(cell, ())
                if near != before:
                    _remember(near_at, cell, near)
                    for name in set(near).symmetric_difference(before):
                        yield RowKey(game, *cell, name)
                if bookmaker in before or bookmaker in listed_at.get(cell, ()):
                    yield RowKey(game, *cell, bookmaker)

    def _with_goals(self, competition: str) -> list[RowKey]:
        """The prices of a competition that goals in overtime may decide."""
        return [
            key
            for key, entry in self.entries.items()
            if entry.competition == competition and key.market_type in GOAL_MARKETS
        ]

    def _assess_all(self, keys: Iterable[RowKey], now_ms: int) -> list[RowKey]:
        """Assess the present prices; return those whose assessment differs from before."""
        moved, entries = list[RowKey](), self.entries
        judge: Judge | None = None
        game = ""
        book: GameBook | None = None
        for key in keys:
            if key.game_id != game:
                game = key.game_id
                book = self._book_of(game)
                judge = None if book is None else self._judge_of(book.matrix)
            before, entry = entries.get(key), self._entry(key, now_ms, book, judge)
            if entry is None:
                entries.pop(key, None)
            else:
                entries[key] = entry
            if _shown(entry) != _shown(before):
                moved.append(key)
        return moved

    def _entry(
        self, key: RowKey, now_ms: int, book: GameBook | None, judge: Judge | None
    ) -> AssessedPrice | None:
        if key.bookmaker == self._basis.reference.bookmaker:
            return None
        if book is not None and judge is not None:
            place = book.place_of(key.market_type, key.period, key.selection)
            if place is not None and key.bookmaker in place.row.prices:
                is_wanted = key.bookmaker in place.row.near or key in self.listed
                return assessed_at(judge, book.matrix, place, key.bookmaker) if is_wanted else None
        row = self.service_row(key, self._basis.method)
        if row is None:
            return None
        return row.assess(key, self._basis, now_ms, is_offered=self.is_offered(key))

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


def _to_rejudge(changes: Changes, reference: str) -> set[SelectionKey]:
    """Return the selections of which every price is to be looked at: the reference differs."""
    whole = {
        (*section.key[:2], row.selection) for section in changes.revalued for row in section.rows
    }
    for (market_type, period, bookmaker), selections in changes.quotes.items():
        if bookmaker == reference:
            whole |= {(market_type, period, selection) for selection in selections}
    return whole


def _remember(
    near_at: dict[SelectionKey, tuple[str, ...]], cell: SelectionKey, near: tuple[str, ...]
) -> None:
    if near:
        near_at[cell] = near
    else:
        near_at.pop(cell, None)


_SHOWN: Final = attrgetter(
    "match_name",
    "competition",
    "sport",
    "kick_off",
    "is_live",
    "line_key",
    "side",
    "is_in_contract",
    "scraped_at",
    "url",
    "direction",
    "assessment.odds",
    "assessment.net_odds",
    "assessment.fair_odds",
    "assessment.ev",
    "assessment.service_ev_pct",
    "assessment.cautions",
    "assessment.is_value",
)


def _shown(entry: AssessedPrice | None) -> tuple[object, ...]:
    """What anybody is shown of a price: all but the ages of its rules, which grow by themselves."""
    return () if entry is None else _SHOWN(entry)


def _turned_round(bet: ValueBet) -> ValueBet:
    """Return a bet of a service that sends 1/S with S itself."""
    rate = bet.payout_rate
    return msgspec.structs.replace(bet, payout_rate=1 / rate) if rate > 0 else bet


def _is_as_found(bet: ValueBet, before: ValueBet | None) -> bool:
    """Whether a bet of the list is one of before, and was not found again."""
    return before is not None and bet.detected_at == before.detected_at


def _makes_sense(bet: ValueBet, bad: list[str]) -> bool:
    odds = (bet.odds, bet.reference_odds, bet.fair_odds)
    if min(odds) <= 1 or bet.payout_rate <= 1 / bet.reference_odds or bet.ev_pct <= -100:
        bad.append(f"{bet.match_name}, {bet.selection!r}: expected odds above 1 that fit S")
    elif optional_ms(bet.detected_at) is None:
        bad.append(f"{bet.match_name}, {bet.selection!r}: expected times with an offset")
    else:
        return True
    return False
