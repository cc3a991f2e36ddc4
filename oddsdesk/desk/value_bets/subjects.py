"""The subject of a row in the value-bet panel, and the bet recorded on it."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import UNNAMED_REFERENCE, CellKey, RowKey
from oddsdesk.board.valuation.figures import window_without
from oddsdesk.board.valuation.judging import NearMiss
from oddsdesk.desk.value_bets.model import BetRow
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import BetKey, PlacedBet
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.value import SERVICE_RULES, ListRules, edge_check, floored_ev


class BetSubject(NamedTuple):
    """A price, and what was thought of it when it was asked for; times in milliseconds."""

    key: RowKey
    bookmaker: str
    """Who offers it, by name, the reference too."""
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    is_live: bool
    assessment: Assessment
    method: str
    """The devig method that its fair odds rest on."""
    reference: str
    """Whose prices they are, as the desk names it; empty where that is not known yet."""
    scraped_at: int | None
    """When it was last seen; None where nobody told."""
    stake: float
    """0 where nothing is staked on it."""
    url: str | None
    window: tuple[float | None, float | None] | None = None
    """From which net odds the rules take a price for value, and above which for an error; None
    where its market is not held, and for an end that no price has."""
    preset: str = ""
    """What listed it; empty where no preset did."""
    leg: str = ""
    """Which leg of an opportunity it is; empty where it is none."""
    leg_worth: Callable[[float, float], str] = lambda *_: ""
    """Says of a stake and net odds what all legs leave with them; empty where that is open."""
    leg_stake: Callable[[float], float | None] | None = None
    """Says what is staked on it at other net odds, None where that is not known; None where it is
    no leg."""
    leg_doubt: Callable[[float], str] | None = None
    """Says where a stake makes all legs cost more than the user divides among them; None where it
    is no leg."""
    news: str = ""
    """What of that opportunity is other than it was listed, a line each; empty where nothing is."""
    is_simulated: bool = False
    """Whether it was made up, at whatever moment it was looked at: a bet on it is practice."""
    may_be_shifted: bool = False
    """Whether old odds that were moved to now are among those of the service."""
    average_odds: float | None = None
    """The odds of its stake before fees, over the levels that it eats; None where the listed odds
    are for sale for all of it."""
    rules: ListRules = SERVICE_RULES
    """The rules that a listed price must pass."""

    @property
    def bet_key(self) -> BetKey:
        """The outcome and the bookmaker of a bet on it."""
        return (*self.key[:4], self.bookmaker)

    @property
    def odds(self) -> float:
        """As listed."""
        return self.assessment.odds

    @property
    def fair_odds(self) -> float | None:
        """None where there are none."""
        return self.assessment.fair_odds

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What speaks against it."""
        return self.assessment.cautions

    @property
    def is_per_staked(self) -> bool:
        """Whether EV is of a unit staked, not only of a decided one."""
        return self.assessment.per == "staked"

    def ev_at(self, net_odds: float) -> float | None:
        """Return the EV of net odds, in percent, reckoned as that of the listed ones."""
        return self.assessment.ev_at(net_odds)

    def ev_pct_at(self, net_odds: float) -> float | None:
        """Return the figure of net odds that the ledger keeps, after the safety floor."""
        return self.assessment.ev_pct_at(net_odds, self.key.market_type)

    @property
    def least_ev(self) -> float:
        """The minimum EV of the list on this line."""
        ends = self.assessment.settlement
        return self.rules.minimum_ev(self.key.market_type, 1.0 if ends is None else ends.decided)

    def has_least_ev(self, net_odds: float) -> bool:
        """Whether net odds have the minimum EV of the list."""
        fair, ends = self.assessment.cautious_odds, self.assessment.settlement
        if fair is None or ends is None:
            return False
        return edge_check(self.rules, self.key.market_type, net_odds, fair, ends.decided).holds

    @property
    def most(self) -> float | None:
        """Net odds above which the rules take a price for an error; None where that is unknown."""
        return None if self.window is None else self.window[1]

    def is_value_at(self, net_odds: float) -> bool:
        """Whether it would be value at net odds, whatever is wrong with the listed ones."""
        if not self.has_least_ev(net_odds) or not {Caution.ABOVE_WINDOW}.issuperset(self.cautions):
            return False
        if self.window is None:
            return True
        least, most = self.window
        return least is not None and most is not None and least <= net_odds <= most


def subject_of_bet(row: BetRow, board: Board, preset: str) -> BetSubject:
    """Return what a value bet is about; nothing is staked where something speaks against it."""
    price = row.bet_price
    return BetSubject(
        key=price.key,
        bookmaker=price.bookmaker,
        match_name=price.match_name,
        competition=price.competition,
        sport=price.sport,
        kick_off=price.kick_off,
        is_live=price.is_live,
        assessment=price.assessment,
        method=board.method,
        rules=board.basis.rules,
        reference=_reference(board),
        scraped_at=price.scraped_at,
        stake=0.0 if price.assessment.cautions else row.bet.stake,
        url=price.url,
        window=_window(price.key, board),
        preset=preset,
        is_simulated=bool(board.connection.simulated),
        may_be_shifted=bool(board.connection.shifted),
        average_odds=_average_odds(row),
    )


def _average_odds(row: BetRow) -> float | None:
    found = row.bet_price.assessment
    if row.bet_price.depth is None or math.isclose(found.net_odds, row.profile.net(found.odds)):
        return None
    return math.floor(row.profile.gross(found.net_odds) * 1e4) / 1e4


def subject_of_price(key: RowKey, board: Board) -> BetSubject | None:
    """Return what a price of the board is about, staking nothing; None where it is not held."""
    matrix, found = board.matrix(key.game_id), board.assess(key)
    price = board.price(key.game_id, CellKey(*key[1:]))
    if matrix is None or found is None or price is None:
        return None
    return BetSubject(
        key=key,
        bookmaker="" if key.bookmaker == UNNAMED_REFERENCE else key.bookmaker,
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=matrix.sport,
        kick_off=matrix.kick_off,
        is_live=bool(price.is_live),
        assessment=found,
        method=board.method,
        rules=board.basis.rules,
        reference=_reference(board),
        scraped_at=price.scraped_at,
        stake=0.0,
        url=price.url,
        window=_window(key, board),
        is_simulated=bool(board.connection.simulated),
        may_be_shifted=bool(board.connection.shifted),
    )


def subject_now(subject: BetSubject, board: Board) -> BetSubject | None:
    """Return what is thought of the same price now; None where it is held no longer."""
    key = subject.key
    if (found := subject_of_price(key, board)) is not None:
        judged, at, is_live = found.assessment, found.scraped_at, found.is_live
    elif (listed := board.value_bets.get(key)) is not None:
        judged, at, is_live = listed.assessment, listed.scraped_at, listed.is_live
    else:
        return None
    return subject._replace(
        assessment=judged,
        scraped_at=at,
        is_live=is_live,
        method=board.method,
        rules=board.basis.rules,
        reference=_reference(board),
        window=_window(key, board),
        is_simulated=subject.is_simulated or bool(board.connection.simulated),
        may_be_shifted=bool(board.connection.shifted),
    )


def subject_of_miss(miss: NearMiss, board: Board) -> BetSubject:
    """Return what a near miss is about: nothing is staked on it."""
    matrix = board.matrix(miss.key.game_id)
    return BetSubject(
        key=miss.key,
        bookmaker=miss.key.bookmaker,
        match_name=miss.match_name,
        competition="" if matrix is None else matrix.competition,
        sport=miss.section.sport,
        kick_off=None if matrix is None else matrix.kick_off,
        is_live=bool(miss.price.is_live),
        assessment=miss.assessment,
        method=board.method,
        rules=board.basis.rules,
        reference=_reference(board),
        scraped_at=miss.price.scraped_at,
        stake=0.0,
        url=miss.price.url,
        window=miss.window,
        is_simulated=bool(board.connection.simulated),
        may_be_shifted=bool(board.connection.shifted),
    )


def _reference(board: Board) -> str:
    """Return whom prices are judged by; empty where that is not known."""
    return board.reference_name if board.desk_reference.is_named else ""


def _window(key: RowKey, board: Board) -> tuple[float | None, float | None] | None:
    section = board.section(*key[:4])
    if section is None:
        return None
    return window_without(section, section.selection_row(key.selection), key.bookmaker)


NO_KIND: Final[Mapping[str, Any]] = MappingProxyType({})


class TypedBet(NamedTuple):
    """The typed fields, and their value."""

    bookmaker: str
    odds: float
    stake: float
    currency: str
    """Empty for the user's own."""
    net_odds: float
    ev_pct: float | None
    """As in the ledger."""
    account: str = ""
    note: str = ""
    of_kind: Mapping[str, Any] = NO_KIND
    """The fields of ``PlacedBet`` that depend on its kind; none for a plain bet."""

    @property
    def kind(self) -> BetKind:
        """What kind of bet it is."""
        kind: BetKind = self.of_kind.get("kind", BetKind.BACK)
        return kind

    @property
    def size(self) -> float:
        """What its bookmaker holds: the liability of a lay, the stake of others."""
        return self.stake * (self.odds - 1) if self.kind is BetKind.LAY else self.stake


def placed_bet(subject: BetSubject, typed: TypedBet, now_ms: int) -> PlacedBet:
    """Return a bet as typed, with its value at that time.

    At another bookmaker than the one listed, neither age nor cautions of the price are known.
    """
    game_id, market_type, period, selection, _ = subject.key
    is_lay = typed.kind is BetKind.LAY
    is_listed = typed.bookmaker == subject.bookmaker
    seen_at = subject.scraped_at if is_listed else None
    bet = PlacedBet(
        game_id=game_id,
        match_name=subject.match_name,
        competition=subject.competition,
        sport=subject.sport,
        market_type=market_type,
        period=period,
        selection=selection,
        bookmaker=typed.bookmaker,
        odds=typed.odds,
        stake=typed.stake,
        placed_at=now_ms,
        kick_off=subject.kick_off,
        fair_odds=subject.fair_odds,
        true_ev=typed.ev_pct,
        per="" if typed.ev_pct is None else subject.assessment.per,
        method="" if subject.fair_odds is None else subject.method,
        reference="" if subject.fair_odds is None else subject.reference,
        derived=subject.assessment.derived or "",
        net_odds=typed.net_odds,
        currency=typed.currency,
        age_ms=None if seen_at is None else max(0, now_ms - seen_at),
        cautions=tuple(each.value for each in subject.cautions) if is_listed else (),
        account=typed.account,
        note=typed.note,
        preset=subject.preset,
        practice=subject.is_simulated,
        leg=subject.leg_doubt is not None,
        **typed.of_kind,
    )
    return _lay_of(bet, subject) if is_lay else bet


def _lay_of(bet: PlacedBet, subject: BetSubject) -> PlacedBet:
    """Return a lay of what ``bet`` backs: fair odds and EV of the other side."""
    fair, ends, net = bet.fair_odds, subject.assessment.settlement, bet.net
    other = None if fair is None or fair <= 1 else fair / (fair - 1)
    ev = None
    if other is not None and ends is not None:
        ev = floored_ev(net, other, bet.market_type, ends.decided)
    return replace(bet, kind=BetKind.LAY, fair_odds=other, true_ev=ev)
