"""Derives fair odds for lines that the reference does not price, and judges prices by them.

``pricing.derived`` has the arithmetic and the models. This module decides which lines they use,
which sections they judge, and how old they are. The reference's own complete line always comes
first.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from oddsdesk.base.texts import _
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix, Section, offered
from oddsdesk.board.valuation.figures import judge_by_derived
from oddsdesk.board.valuation.pool import PooledLine
from oddsdesk.contract.markets import DRAW_VOIDS
from oddsdesk.pricing.assessment import is_unread
from oddsdesk.pricing.derived import Bands, FairGame
from oddsdesk.pricing.score_models import Model
from oddsdesk.pricing.selections import LineGroup, bet_named
from oddsdesk.pricing.value import LineName, ReferenceLine, is_derived_wanted

_LEAST_NEAR = 0.9
"""Odds below this share of the fair odds are never value: without the bookmaker's own vote, fair
odds hardly fall that far. So they are not computed."""


FIT_EVERY_MS = 1_000
"""How often the model of a period follows the reference's moves."""


class PeriodDeriver:
    """Derives lines of one period of a game, each time the reference's own lines move."""

    def __init__(self, period: int) -> None:
        self._period = period
        self._model: Model | None = None
        """The last model: the next fit starts from it, which is faster."""
        self._fitted_from: Set[LineName] = frozenset()
        self._fit_again_at = 0.0
        self.due_at = math.inf
        """When the next fit is due, if one has to wait; in milliseconds."""

    def derive_lines(
        self, sections: Sequence[Section], basis: Basis, now_ms: float
    ) -> Iterator[Section]:
        """Judge the sections that the reference does not price by derived lines.

        Implied lines follow at once. A model of the same lines is fitted again at most once a
        second; until then its last lines stay, with their old time. Yields the sections whose
        judgement changed. ``sections`` are all of the period; an infinite ``now_ms`` lets no fit
        wait.
        """
        self.due_at = math.inf
        lacking = [each for each in sections if each.sides and not each.has_own_line]
        if not lacking:
            return
        sources = _sources(sections)
        game = fair_game(lacking[0].sport, sources, self._period, basis, self._model)
        may_wait = now_ms < self._fit_again_at and sources.keys() == self._fitted_from
        own_odds: Mapping[_Bet, float] | None = None
        for section in lacking:
            key, group = section.key, group_of(section)
            line = None if game is None else game.implied_line(key.market_type, group)
            if line is None and game is not None and may_wait:
                self.due_at = self._fit_again_at
                if not _is_implied(section):
                    continue
            elif line is None and game is not None:
                line = game.modelled_line(key.market_type, group)
            derived = None if line is None else line.derived
            if (
                line is None
                or derived is None
                or not is_derived_wanted(basis.derived, derived.kind)
            ):
                differs = judge_by_derived(section, None)
            else:
                if own_odds is None:
                    own_odds = own_odds_in(sections, in_play=bool(line.is_live))
                own = own_odds_on(section, line, own_odds)
                line = replace(line, derived=replace(derived, own_odds=own)) if own else line
                used = tuple([sources[name] for name in derived.sources])
                pool = DerivedPool(section, line, used) if basis.is_pooled else None
                differs = judge_by_derived(section, line, used, pool)
            if differs:
                yield section
        if game is not None and game.has_fitted:
            self._model, self._fitted_from = game.model or self._model, sources.keys()
            self._fit_again_at = now_ms + FIT_EVERY_MS if now_ms < math.inf else 0.0


def _is_implied(section: Section) -> bool:
    line = section.reference
    return line is not None and line.derived is not None and line.derived.kind == "implied"


_Bet = tuple[str, str, str]
_ALIKE = DRAW_VOIDS | {"moneyline", "spread", "double_chance", "3way_handicap"}
"""Markets with bets that other markets have, too. Elsewhere a line that the reference prices
needs no comparison."""


def own_odds_in(sections: Iterable[Section], *, in_play: bool) -> dict[_Bet, float]:
    """Return the reference's own best odds on each bet of a period, by ``bet_named``.

    The same bet may be in several markets.
    """
    found = dict[_Bet, float]()
    for each in sections:
        if each.has_own_line and each.key.market_type not in _ALIKE:
            continue
        for row, side in zip(each.rows, each.sides, strict=False):
            odds = offered(row.reference)
            if odds is not None:
                bet = bet_named(each.sport, in_play, each.key.market_type, each.key.group, side)
                found[bet] = max(odds, found.get(bet, 0.0))
    return found


def own_odds_on(
    section: Section, line: ReferenceLine, own_odds: Mapping[_Bet, float]
) -> dict[str, float]:
    """Return the reference's own odds on each side of a derived line, as ``own_odds_in``."""
    in_play, sport = bool(line.is_live), section.sport
    market_type, _, key = section.key
    bets = {side: bet_named(sport, in_play, market_type, key, side) for side in line.group.sides}
    return {side: own_odds[bet] for side, bet in bets.items() if bet in own_odds}


def why_not_derived(matrix: Matrix, section: Section, basis: Basis) -> str:
    """Return why a section has no derived line, as a clause; empty where it has one."""
    game = game_of(matrix, section, basis)
    if basis.derived == "none":
        return _("derived fair odds are turned off")
    if game is None:
        return _("no other line of this period has fair odds")
    if basis.is_pooled or basis.derived == "implied":
        if game.line(section.key.market_type, group_of(section)) is not None:
            return ""
        models = (
            _("a consensus is not modelled")
            if basis.is_pooled
            else _("modelled odds are turned off")
        )
        return _("the other lines do not imply it, and {models}").format(models=models)
    return game.why_not(section.key.market_type, group_of(section))


def game_of(
    matrix: Matrix, section: Section, basis: Basis, *, without: str = ""
) -> FairGame | None:
    """Return the game that a section's line is derived from: the reference's own lines.

    ``without`` leaves a bookmaker's own vote out of a consensus. None if there are no lines, or if
    derived fair odds are turned off.
    """
    period, pool = section.key.period, section.pool
    if without and isinstance(pool, DerivedPool):
        return pool.game_without(without)
    sources = _sources([each for each in matrix.sections if each.key.period == period])
    return fair_game(section.sport, sources, period, basis)


def fair_game(
    sport: str,
    sources: Mapping[LineName, Section],
    period: int,
    basis: Basis,
    start: Model | None = None,
) -> FairGame | None:
    """Return the game that lines of a period are derived from, as ``game_of``."""
    lines = [line for each in sources.values() if (line := each.reference) is not None]
    if not lines or basis.derived == "none":
        return None
    bands: Bands = {} if basis.is_pooled or basis.derived == "implied" else basis.bands
    in_play = any(line.is_live for line in lines)
    return FairGame(sport, lines, bands, period=period, in_play=in_play, start=start)


def date_lines(sections: Iterable[Section]) -> Iterator[Section]:
    """Date derived lines by their sources, which were seen again unchanged.

    Yields the sections whose prices are to be judged again.
    """
    for section in sections:
        line = section.reference
        if line is None or not section.sources:
            continue
        own = [each.reference for each in section.sources if each.reference is not None]
        scraped_at = min([each.scraped_at for each in own], default=line.scraped_at)
        if scraped_at != line.scraped_at:
            section.reference = replace(line, scraped_at=scraped_at)
            if any(row.near for row in section.rows):
                yield section


class DerivedPool:
    """An implied line of a consensus; like ``Pool`` it can leave out a bookmaker's own vote."""

    def __init__(self, section: Section, line: ReferenceLine, sources: tuple[Section, ...]) -> None:
        """``line`` is implied by the ``sources``, with all votes."""
        self._section = section
        self._line = line
        self._pools = [pool for source in sources if (pool := source.pool) is not None]
        self._known: dict[str, PooledLine | None] = {}

    @property
    def least(self) -> int:
        """The fewest voices that make a consensus."""
        return self._pools[0].least

    @property
    def has_overtime(self) -> bool | None:
        """Whether overtime counts for the voters; None if unknown."""
        return self._pools[0].has_overtime

    def pooled_without(self, bookmaker: str) -> PooledLine | None:
        """Return the line without a bookmaker's voice, with the voters of its oldest source.

        None if too few votes are left.
        """
        if bookmaker not in self._known:
            self._known[bookmaker] = self._without(bookmaker)
        return self._known[bookmaker]

    def least_fair(self, side: str) -> float:
        """Return the lowest fair odds by which any price of a side that may be value is judged."""
        price = self._line.prices.get(side)
        if price is None or price.fair_odds is None:
            return math.inf
        least = price.fair_odds * _LEAST_NEAR
        names = {
            name
            for row, each in zip(self._section.rows, self._section.sides, strict=False)
            if each == side
            for name, held in row.prices.items()
            if (offered(held) or 0.0) >= least
        }
        found = [self._fair_without(name, side) for name in names]
        return min(found, default=math.inf)

    def _fair_without(self, bookmaker: str, side: str) -> float:
        pooled = self.pooled_without(bookmaker)
        price = None if pooled is None else pooled.line.prices.get(side)
        return math.inf if price is None or price.fair_odds is None else price.fair_odds

    def game_without(self, bookmaker: str) -> FairGame | None:
        """Return the game without a bookmaker's voice; None if too few votes are left."""
        said = self._sources_without(bookmaker)
        if len(said) < len(self._pools):
            return None
        in_play, period = bool(self._line.is_live), self._section.key.period
        lines = [pooled.line for pooled in said]
        return FairGame(self._section.sport, lines, {}, period=period, in_play=in_play)

    def _sources_without(self, bookmaker: str) -> list[PooledLine]:
        return [pooled for pool in self._pools if (pooled := pool.pooled_without(bookmaker))]

    def _without(self, bookmaker: str) -> PooledLine | None:
        game, said = self.game_without(bookmaker), self._sources_without(bookmaker)
        if game is None:
            return None
        line = game.implied_line(self._section.key.market_type, group_of(self._section))
        if line is None:
            return None
        oldest = min(said, key=lambda pooled: pooled.line.scraped_at)
        return oldest._replace(line=line, votes=min([pooled.votes for pooled in said]))


def _sources(sections: Iterable[Section]) -> dict[LineName, Section]:
    """Return the reference's own lines to derive others from; stale ones only if none is fresh.

    Lines in doubt are left out: a market with an unreadable selection or without its draw, and
    placeholder prices.
    """
    own = [section for section in sections if section.has_own_line and not _is_doubtful(section)]
    fresh = [each for each in own if each.market.reference not in each.market.stale]
    return {LineName(each.key.market_type, each.key.group): each for each in fresh or own}


def _is_doubtful(section: Section) -> bool:
    line, facts = section.reference, section.market
    name = facts.reference
    if line is None or any(bookmaker == name for _, bookmaker in section.doubts):
        return True
    unread, had_draw = int(name in facts.unread), name in facts.drew_at
    return is_unread(section.key.market_type, unread, line.group.sides, had_draw=had_draw)


def group_of(section: Section) -> LineGroup:
    """Return the line group of a section."""
    selections = tuple([row.selection for row in section.rows])
    return LineGroup(section.key.group, section.line, selections, section.sides, section.complete)
