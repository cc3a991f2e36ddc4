"""The one assessment of a price that a board holds: everything that judges asks here (D45)."""

import math

from oddsdesk.board.basis import Basis
from oddsdesk.board.matrix import Matrix, Section
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


class Judge:
    """Assesses prices of a game at one moment; ``reference`` is the reference's name."""

    def __init__(self, basis: Basis, reference: str | None, matrix: Matrix, now_ms: int) -> None:
        self._basis = basis
        self._reference = reference or ""
        self._matrix = matrix
        self.now_ms = now_ms

    def assess(self, section: Section, selection: str, bookmaker: str | None) -> Assessment:
        """Say what a price is worth and what speaks against it."""
        price = section.row_of(selection).price_of(bookmaker)
        assert price is not None
        sighting = Sighting(
            section.side_of(selection),
            price.odds,
            price.scraped_at,
            price.is_live,
            self._stale_after_ms(bookmaker, price),
            price.is_offered,
            bookmaker is not None and is_delayed(bookmaker),
        )
        setting = self._setting(section, price, bookmaker)
        return assess(setting, self._group(section, bookmaker), sighting)

    def sides(self, section: Section, bookmaker: str | None) -> frozenset[str]:
        """Return what a bookmaker offers in a line group."""
        return frozenset(
            side
            for row, side in zip(section.rows, section.sides, strict=False)
            if offered(row.price_of(bookmaker))
        )

    def due_at(self, section: Section, selection: str, bookmaker: str | None) -> float:
        """Return when time alone may change what is said of a price, in milliseconds."""
        row, line = section.row_of(selection), line_of(section, bookmaker)
        price = row.price_of(bookmaker)
        assert price is not None
        line_stale_after = self._line_stale_after_ms(section, bookmaker, row.reference)
        moments = [
            price.scraped_at + self._stale_after_ms(bookmaker, price),
            price.scraped_at + MAX_AGE_MS,
            line.scraped_at + MAX_AGE_MS,
            *(() if self._matrix.kick_off is None else (self._matrix.kick_off,)),
        ]
        if line_stale_after is not None:
            moments.append(line.scraped_at + line_stale_after)
        return min((at + 1 for at in moments if at >= self.now_ms), default=math.inf)

    def is_doubtful(self, section: Section, bookmaker: str | None, sides: frozenset[str]) -> bool:
        """Whether outcomes beside these are unread, or a draw that was priced lately is missing."""
        facts, market_type = section.market, section.key.market_type
        drew_at = facts.drew_at.get(bookmaker)
        had_draw = drew_at is not None and self.now_ms - drew_at <= DRAW_MISSED_MS
        return is_unread(market_type, int(bookmaker in facts.unread), sides, had_draw=had_draw)

    def counts_overtime(self, bookmaker: str | None) -> bool | None:
        """Whether a bookmaker's bets of the game count overtime; None where nothing tells (D49)."""
        matrix = self._matrix
        return self._basis.overtime.of(matrix.game_id, matrix.competition, matrix.sport, bookmaker)

    def _setting(self, section: Section, price: Price, bookmaker: str | None) -> Setting:
        line = line_of(section, bookmaker)
        matrix = self._matrix
        shown = next((row.reference for row in section.rows if row.reference is not None), None)
        sides = frozenset(line.group.sides)
        return Setting(
            line=line,
            period=section.key.period,
            sport=matrix.sport,
            kick_off=matrix.kick_off,
            now_ms=self.now_ms,
            has_unread=self.is_doubtful(section, None, sides),
            has_overtime=self.counts_overtime(None)
            if section.pool is None
            else section.pool.has_overtime,
            push=section.push[bool(price.is_live or line.is_live)],
            stale_after_ms=self._line_stale_after_ms(section, bookmaker, shown),
        )

    def _line_stale_after_ms(
        self, section: Section, bookmaker: str | None, shown: Price | None
    ) -> int | None:
        """Return the age from which the reference's line is stale; None where nothing tells.

        A consensus is stale once fewer operators than make one have a fresh vote. ``shown`` is a
        single reference's price.
        """
        if section.pool is None:
            return None if shown is None else self._stale_after_ms(None, shown)
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

    def _group(self, section: Section, bookmaker: str | None) -> Group:
        sides = self.sides(section, bookmaker)
        profile = _NO_FEES if bookmaker is None else self._basis.profiles.of(bookmaker)
        return Group(
            profile,
            sides,
            self.is_doubtful(section, bookmaker, sides),
            self.counts_overtime(bookmaker),
            bookmaker is None,
        )

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
