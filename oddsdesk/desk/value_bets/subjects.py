"""What a row of the value-bet panel is about, as opening, judging and recording need it."""

import math
from collections.abc import Callable
from typing import NamedTuple

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import CellKey, RowKey
from oddsdesk.board.near_misses import NearMiss
from oddsdesk.board.valuation import window_beside
from oddsdesk.desk.value_bets.model import BetRow
from oddsdesk.ledger.bets import BetKey
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.rules import MIN_EV


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

    @property
    def bet_key(self) -> BetKey:
        """What a bet on it would be on, and where."""
        return (*self.key[:4], self.bookmaker)

    @property
    def odds(self) -> float:
        """As they are listed."""
        return self.assessment.odds

    @property
    def fair_odds(self) -> float | None:
        """Before the safety floor; None where there are none."""
        return self.assessment.fair_odds

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What speaks against it."""
        return self.assessment.cautions

    @property
    def is_per_staked(self) -> bool:
        """Whether EV is of a unit staked, not only of a decided one (D53)."""
        return self.assessment.per == "staked"

    def ev_at(self, net_odds: float) -> float | None:
        """Return the EV of net odds, in percent, reckoned as that of the listed ones."""
        return self.assessment.ev_at(net_odds, self.key.market_type)

    @property
    def most(self) -> float | None:
        """Net odds above which the rules take a price for an error; None where that is unknown."""
        return None if self.window is None else self.window[1]

    def is_value_at(self, net_odds: float) -> bool:
        """Whether it would be value at net odds, whatever is wrong with the listed ones."""
        ev = self.ev_at(net_odds)
        if ev is None or ev < MIN_EV or not {Caution.ABOVE_WINDOW}.issuperset(self.cautions):
            return False
        if self.window is None:
            return True
        least, most = self.window
        return least is not None and most is not None and least <= net_odds <= most


def subject_of_bet(row: BetRow, board: Board, preset: str) -> BetSubject:
    """Return what a value bet is about; nothing is staked where something speaks against it."""
    price = row.price
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
        reference=board.reference or "",
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
    found = row.price.assessment
    if row.price.depth is None or math.isclose(found.net_odds, row.profile.net(found.odds)):
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
        bookmaker=key.bookmaker or board.reference or "",
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=matrix.sport,
        kick_off=matrix.kick_off,
        is_live=bool(price.is_live),
        assessment=found,
        method=board.method,
        reference=board.reference or "",
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
        reference=board.reference or "",
        window=_window(key, board),
        is_simulated=subject.is_simulated or bool(board.connection.simulated),
        may_be_shifted=bool(board.connection.shifted),
    )


def subject_of_miss(miss: NearMiss, board: Board) -> BetSubject:
    """Return what a near miss is about: nothing is staked on it."""
    matrix = board.matrix(miss.key.game_id)
    return BetSubject(
        key=miss.key,
        bookmaker=miss.key.bookmaker or "",
        match_name=miss.match_name,
        competition="" if matrix is None else matrix.competition,
        sport=miss.section.sport,
        kick_off=None if matrix is None else matrix.kick_off,
        is_live=bool(miss.price.is_live),
        assessment=miss.assessment,
        method=board.method,
        reference=board.reference or "",
        scraped_at=miss.price.scraped_at,
        stake=0.0,
        url=miss.price.url,
        window=miss.window,
        is_simulated=bool(board.connection.simulated),
        may_be_shifted=bool(board.connection.shifted),
    )


def _window(key: RowKey, board: Board) -> tuple[float | None, float | None] | None:
    section = board.section(*key[:4])
    if section is None:
        return None
    bookmaker = board.whose.key_of(key.bookmaker)
    return window_beside(section, section.row_of(key.selection), bookmaker)
