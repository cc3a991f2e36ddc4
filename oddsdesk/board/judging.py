"""The one assessment of a price that a board holds: everything that judges asks here (D45)."""

import math
from collections.abc import Collection
from typing import NamedTuple

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
from oddsdesk.pricing.depth import Ladder
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


class _Limit(NamedTuple):
    """How old a price may be, and how much of its age does not count; in milliseconds."""

    stale_after_ms: int | None
    """None where nothing tells."""
    unread_ms: int

    def ends_at(self, scraped_at: int) -> int | None:
        """Return when a price is stale that was seen at a moment."""
        if self.stale_after_ms is None:
            return None
        return scraped_at + self.stale_after_ms + self.unread_ms


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
        limit, line_limit = self._limit(bookmaker, price), self._line_limit(section, bookmaker)
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
            limit.stale_after_ms,
            price.is_offered,
            bookmaker is not None and is_delayed(bookmaker),
            limit.unread_ms,
            section.doubts.get((row.selection, bookmaker), ()),
        )
        setting = self._setting(section, line, line_limit, price)
        found = assess(setting, group, sighting)
        due_at = self._due_at(price, limit, line, line_limit)
        return Judgement(found, due_at, line, sides)

    def ladder(self, price: Price, bookmaker: str | None) -> Ladder | None:
        """Return what is for sale of a price at net odds, None where nobody tells (D104)."""
        if price.depth is None:
            return None
        return self._basis.profiles.of(bookmaker or self._reference).ladder(price.depth)

    def for_sale(self, price: Price, bookmaker: str | None) -> float | None:
        """Return the stake that the best odds of a price take, None where nobody tells."""
        if price.depth is None:
            return None
        profile = self._basis.profiles.of(bookmaker or self._reference)
        return profile.stake_of(*price.depth.levels[0])

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
            self._limit(bookmaker, price),
            line_of(section, bookmaker),
            self._line_limit(section, bookmaker),
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
        self, section: Section, line: ReferenceLine, limit: _Limit, price: Price
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
            stale_after_ms=limit.stale_after_ms,
            unread_ms=limit.unread_ms,
        )

    def _due_at(
        self, price: Price, limit: _Limit, line: ReferenceLine, line_limit: _Limit
    ) -> float:
        due_at: float = math.inf
        for at in (
            limit.ends_at(price.scraped_at),
            price.scraped_at + MAX_AGE_MS,
            line.scraped_at + MAX_AGE_MS,
            self._matrix.kick_off,
            line_limit.ends_at(line.scraped_at),
        ):
            if at is not None and self.now_ms <= at < due_at:
                due_at = at
        return due_at + 1

    def _line_limit(self, section: Section, bookmaker: str | None) -> _Limit:
        """Return the age from which the reference's line is stale; without one nothing tells.

        A consensus is stale once fewer voices than make one have a fresh vote.
        """
        if section.pool is None:
            for row in section.rows:
                if row.reference is not None:
                    return self._limit(None, row.reference)
            return _Limit(None, 0)
        pooled = section.pool.of(bookmaker)
        if pooled is None:
            return _Limit(None, 0)
        counted, whole = dict[str, int](), dict[str, int]()
        for voter in pooled.voters:
            limit = _Limit(0, 0) if voter.is_apart else self._limit(voter.bookmaker, voter.price)
            voice, end = voter.voice, voter.scraped_at + (limit.stale_after_ms or 0)
            counted[voice] = max(end, counted.get(voice, 0))
            whole[voice] = max(end + limit.unread_ms, whole.get(voice, 0))
        decides, seen_at = section.pool.least - 1, pooled.line.scraped_at
        after, with_unread = (
            max(1, sorted(ends.values(), reverse=True)[decides] - seen_at)
            for ends in (counted, whole)
        )
        return _Limit(after, with_unread - after)

    def _limit(self, bookmaker: str | None, price: Price) -> _Limit:
        """By the bookmaker's own rhythm; what the desk did not read again is not the older."""
        interval, in_play = self._basis.scrape_interval, price.is_live
        after = interval.stale_after_ms(bookmaker or self._reference, in_play)
        return _Limit(after, interval.patience_with(price.heard_at, self.now_ms, in_play))


def line_of(section: Section, bookmaker: str | None) -> ReferenceLine:
    """Return the line group that a bookmaker's prices are judged by, an empty one without any."""
    line = section.line_beside(bookmaker)
    if line is not None:
        return line
    seen = [row.reference.scraped_at for row in section.rows if row.reference is not None]
    group = LineGroup(section.key.group, section.line, (), (), complete=False)
    return ReferenceLine(section.key.market_type, group, {}, None, min(seen, default=0), None)
