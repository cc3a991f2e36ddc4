"""The one assessment of a price that a board holds: everything that judges asks here (D45)."""

import math
from collections.abc import Collection

import msgspec

from oddsdesk.board.basis import Basis
from oddsdesk.board.matrix import Matrix, Section, SelectionRow
from oddsdesk.board.own_groups import offered
from oddsdesk.board.prices import Price
from oddsdesk.pricing.assessment import (
    DRAW_MISSED_MS,
    Assessment,
    Group,
    Setting,
    Sighting,
    assess,
    is_unread,
)
from oddsdesk.pricing.profiles import Profile, is_delayed
from oddsdesk.pricing.rules import MAX_AGE_MS
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import ReferenceLine

_NO_FEES = Profile(name="", group="")


class Judgement(msgspec.Struct, frozen=True):
    """What is said of a price, and of what it was said."""

    assessment: Assessment
    due_at: float
    """When time alone may change that, in milliseconds."""
    line: ReferenceLine
    """What the price was judged by."""
    sides: frozenset[str]
    """What the bookmaker offers in the line group."""


class Judge:
    """Assesses prices of a game at one moment; ``reference`` is the reference's name."""

    def __init__(self, basis: Basis, reference: str | None, matrix: Matrix, now_ms: int) -> None:
        self._basis = basis
        self._reference = reference or ""
        self._matrix = matrix
        self.now_ms = now_ms

    def is_mine(self, bookmaker: str | None) -> bool:
        """Whether the user bets at a bookmaker; at all of them where none is named."""
        return self._basis.is_mine(bookmaker)

    def assess(self, section: Section, selection: str, bookmaker: str | None) -> Assessment:
        """Say what a price is worth and what speaks against it."""
        row, side = section.row_of(selection), section.side_of(selection)
        return self.judge(section, row, side, bookmaker).assessment

    def judge(
        self, section: Section, row: SelectionRow, side: str, bookmaker: str | None
    ) -> Judgement:
        """Say what a price of a row is worth, what it was judged by, and until when that holds."""
        price, line = row.price_of(bookmaker), line_of(section, bookmaker)
        assert price is not None
        stale_after = self._stale_after_ms(bookmaker, price)
        line_stale_after = self._line_stale_after_ms(section, bookmaker)
        sides = self.sides(section, bookmaker)
        group = Group(
            _NO_FEES if bookmaker is None else self._basis.profiles.of(bookmaker),
            sides,
            self.is_doubtful(section, bookmaker, sides),
            self.counts_overtime(bookmaker),
            bookmaker is None,
        )
        sighting = Sighting(
            side,
            price.odds,
            price.scraped_at,
            price.is_live,
            stale_after,
            price.is_offered,
            bookmaker is not None and is_delayed(bookmaker),
        )
        setting = self._setting(section, line, line_stale_after, price)
        found = assess(setting, group, sighting)
        due_at = self._due_at(price, stale_after, line, line_stale_after)
        return Judgement(found, due_at, line, sides)

    def sides(self, section: Section, bookmaker: str | None) -> frozenset[str]:
        """Return what a bookmaker offers in a line group."""
        return frozenset(
            [
                side
                for row, side in zip(section.rows, section.sides, strict=False)
                if offered(row.reference if bookmaker is None else row.prices.get(bookmaker))
            ]
        )

    def due_at(self, section: Section, selection: str, bookmaker: str | None) -> float:
        """Return when time alone may change what is said of a price, in milliseconds."""
        price = section.row_of(selection).price_of(bookmaker)
        assert price is not None
        return self._due_at(
            price,
            self._stale_after_ms(bookmaker, price),
            line_of(section, bookmaker),
            self._line_stale_after_ms(section, bookmaker),
        )

    def is_doubtful(self, section: Section, bookmaker: str | None, sides: Collection[str]) -> bool:
        """Whether outcomes beside these are unread, or a draw that was priced lately is missing."""
        facts, market_type = section.market, section.key.market_type
        if not facts.unread and not facts.drew_at:
            return False
        drew_at = facts.drew_at.get(bookmaker)
        had_draw = drew_at is not None and self.now_ms - drew_at <= DRAW_MISSED_MS
        return is_unread(market_type, int(bookmaker in facts.unread), sides, had_draw=had_draw)

    def counts_overtime(self, bookmaker: str | None) -> bool | None:
        """Whether a bookmaker's bets of the game count overtime; None where nothing tells (D49)."""
        matrix = self._matrix
        return self._basis.overtime.of(matrix.game_id, matrix.competition, matrix.sport, bookmaker)

    def _setting(
        self, section: Section, line: ReferenceLine, line_stale_after: int | None, price: Price
    ) -> Setting:
        matrix = self._matrix
        return Setting(
            line=line,
            period=section.key.period,
            sport=matrix.sport,
            kick_off=matrix.kick_off,
            now_ms=self.now_ms,
            has_unread=self.is_doubtful(section, None, line.group.sides),
            has_overtime=self.counts_overtime(None)
            if section.pool is None
            else section.pool.has_overtime,
            push=section.push[bool(price.is_live or line.is_live)],
            stale_after_ms=line_stale_after,
        )

    def _due_at(
        self, price: Price, stale_after: int, line: ReferenceLine, line_stale_after: int | None
    ) -> float:
        due_at: float = math.inf
        for at in (
            price.scraped_at + stale_after,
            price.scraped_at + MAX_AGE_MS,
            line.scraped_at + MAX_AGE_MS,
            self._matrix.kick_off,
            None if line_stale_after is None else line.scraped_at + line_stale_after,
        ):
            if at is not None and self.now_ms <= at < due_at:
                due_at = at
        return due_at + 1

    def _line_stale_after_ms(self, section: Section, bookmaker: str | None) -> int | None:
        """Return the age from which the reference's line is stale; None where nothing tells.

        A consensus is stale once fewer operators than make one have a fresh vote.
        """
        if section.pool is None:
            for row in section.rows:
                if row.reference is not None:
                    return self._stale_after_ms(None, row.reference)
            return None
        pooled = section.pool.of(bookmaker)
        if pooled is None:
            return None
        ends = dict[str, int]()
        for voter in pooled.voters:
            after = self._stale_after_ms(voter.bookmaker, voter.price)
            end = voter.scraped_at + (0 if voter.is_apart else after)
            ends[voter.profile.group] = max(end, ends.get(voter.profile.group, 0))
        stale_at = sorted(ends.values(), reverse=True)[section.pool.least - 1]
        return max(1, stale_at - pooled.line.scraped_at)

    def _stale_after_ms(self, bookmaker: str | None, price: Price) -> int:
        """By the bookmaker's own rhythm; what the desk did not read again is not the older."""
        interval = self._basis.scrape_interval
        after = interval.stale_after_ms(bookmaker or self._reference, price.is_live)
        return after + interval.patience_with(price.heard_at, self.now_ms)


def line_of(section: Section, bookmaker: str | None) -> ReferenceLine:
    """Return the line group that a bookmaker's prices are judged by, an empty one without any."""
    line = section.line_beside(bookmaker)
    if line is not None:
        return line
    seen = [row.reference.scraped_at for row in section.rows if row.reference is not None]
    group = LineGroup(section.key.group, section.line, (), (), complete=False)
    return ReferenceLine(section.key.market_type, group, {}, None, min(seen, default=0), None)
