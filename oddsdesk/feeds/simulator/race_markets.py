"""Which markets a scoring sport has, and their line groups from one score."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from oddsdesk.feeds.simulator.groups import (
    Axis,
    Group,
    MarketKey,
    Markets,
    Step,
    double_chance,
    handicaps,
    offered,
    over_under,
    signed,
    three_way,
    two_way,
)
from oddsdesk.feeds.simulator.score import Score
from oddsdesk.feeds.simulator.tally import Table, Tally, above, beats, even_line, poisson

_ASIAN: Final = (
    Step(-1, 1), Step(-0.5, 2, True), Step(-0.25, 2, True), Step(0, 0),
    Step(0.25, 2, True), Step(0.5, 2, True), Step(1, 1),
)  # fmt: skip
_HALF: Final = (Step(-2, 2), Step(-1, 1), Step(0, 0), Step(1, 1), Step(2, 2))
_WIDE: Final = (Step(-4, 2), Step(-2, 1), Step(0, 0), Step(2, 1), Step(4, 2))
_SIDE: Final = (Step(-1, 1), Step(0, 0), Step(1, 1))
_ONE: Final = (Step(0, 0),)


class Prop(NamedTuple):
    """A player and what he does how often a game, such as ``points``."""

    subject: str
    mean: float


class Layout(msgspec.Struct, frozen=True):
    """The markets of a sport; ``periods`` are the parts that are priced on their own.

    ``draw`` prices the draw; without it a tie goes on until it is decided.
    """

    draw: bool
    periods: tuple[int, ...]
    steps: tuple[Step, ...]
    part_draw: bool = False
    football: bool = False
    regulation: bool = False
    """Both the two-way result with overtime and the three-way one without it."""
    extra_time: bool = False
    team_totals: bool = True


LAYOUTS: Final = MappingProxyType(
    {
        "Football": Layout(True, (1, 2), _ASIAN, part_draw=True, football=True),
        "Hockey": Layout(False, (1, 2, 3), _HALF, part_draw=True, regulation=True, extra_time=True),
        "Baseball": Layout(False, (), _HALF, extra_time=True),
        "Basketball": Layout(False, (1, 2, 3, 4), _WIDE, extra_time=True),
        "AmericanFootball": Layout(False, (1,), _HALF, extra_time=True),
        "Rugby": Layout(False, (1,), _WIDE),
        "Other": Layout(True, (1,), _HALF, part_draw=True, team_totals=False),
    }
)

LEAST_EVEN: Final = 0.36
"""The main line moves on once its less probable side is below this."""


class LineKeeper:
    """Keeps the main line of a market where it is until it is no longer near even."""

    def __init__(self) -> None:
        self._centres: dict[str, float] = {}

    def total(self, name: str, tally: Tally) -> float:
        """Return the main line of a total."""
        centre = self._centres.get(name)
        if centre is None or abs(beats(tally, centre) - 0.5) > 0.5 - LEAST_EVEN:
            centre = self._centres[name] = even_line(tally)
        return centre

    def handicap(self, name: str, margin: Tally) -> float:
        """Return the main handicap, the line of the home side."""
        return -self.total(name, margin)


def race_markets(
    layout: Layout,
    names: tuple[str, str],
    lines: LineKeeper,
    whole: Score,
    parts: Mapping[int, Score],
    props: Sequence[Prop],
) -> Markets:
    """Return the markets of the whole game, of the parts to come and of players."""
    markets = dict(_results(layout, names, whole))
    markets.update(_line_markets(layout, names, lines, whole, 0, layout.steps))
    if layout.football:
        markets.update(_football(names, whole))
    if layout.team_totals:
        markets[MarketKey("team_total", 0)] = _team_totals(lines, whole)
    for part, score in parts.items():
        markets[MarketKey("moneyline", part)] = _result(names, score, draw=layout.part_draw)
        if part == 1:
            markets.update(_line_markets(layout, names, lines, score, 1, _ONE))
    markets[MarketKey("player_prop", 0)] = tuple(_props(lines, props))
    markets[MarketKey("yes_no", 0)] = _extra(layout, whole)
    return {key: groups for key, groups in markets.items() if groups}


def _results(
    layout: Layout, names: tuple[str, str], score: Score
) -> Iterator[tuple[MarketKey, tuple[Group, ...]]]:
    if layout.regulation:
        yield MarketKey("moneyline", 0, "overtime"), _result(names, score, draw=False)
        yield MarketKey("moneyline", 0, "regulation"), _result(names, score, draw=True)
    else:
        yield MarketKey("moneyline", 0), _result(names, score, draw=layout.draw)


def _result(names: tuple[str, str], score: Score, *, draw: bool) -> tuple[Group, ...]:
    home, away = names
    if draw:
        return offered([three_way((home, "Draw", away), score.margin, 0)])
    wins = above(score.margin, 0)
    tie = score.margin.at_least(0) - wins
    return offered([two_way(home, away, wins + tie / 2, Axis.SIDE)])


def _line_markets(
    layout: Layout,
    names: tuple[str, str],
    lines: LineKeeper,
    score: Score,
    period: int,
    steps: tuple[Step, ...],
) -> Iterator[tuple[MarketKey, tuple[Group, ...]]]:
    centre = lines.total(f"total {period}", score.total)
    yield MarketKey("total", period), over_under(score.total, centre, steps)
    line = lines.handicap(f"spread {period}", score.margin)
    yield MarketKey("spread", period), handicaps(*names, score.margin, line, steps)


def _football(
    names: tuple[str, str], score: Score
) -> Iterator[tuple[MarketKey, tuple[Group, ...]]]:
    home, away = names
    margin = score.margin
    both = two_way("Yes", "No", score.both_score, Axis.SIZE)
    yield MarketKey("btts", 0), offered([both])
    yield MarketKey("double_chance", 0), offered([double_chance(margin)])
    no_draw = two_way(home, away, beats(margin, 0), Axis.SIDE)
    yield MarketKey("draw_no_bet", 0), offered([no_draw])
    threes = [
        three_way(
            (f"{home} {signed(line)}", f"Draw {signed(line)}", f"{away} {signed(-line)}"),
            margin, line, rank,
        )
        for line, rank in ((-2, 2), (-1, 0), (1, 1))
    ]  # fmt: skip
    yield MarketKey("3way_handicap", 0), offered(threes)


def _team_totals(lines: LineKeeper, score: Score) -> tuple[Group, ...]:
    home = over_under(score.home, lines.total("home", score.home), _SIDE, "Home")
    return home + over_under(score.away, lines.total("away", score.away), _SIDE, "Away")


def _props(lines: LineKeeper, props: Sequence[Prop]) -> Iterator[Group]:
    for prop in props:
        tally = Table(poisson(prop.mean))
        yield from over_under(tally, lines.total(prop.subject, tally), _ONE, prop.subject)


def _extra(layout: Layout, score: Score) -> tuple[Group, ...]:
    """Whether there will be extra time, in sports that know it."""
    if not layout.extra_time:
        return ()
    tie = above(score.margin, -1) - above(score.margin, 0)
    return offered([two_way("Overtime Yes", "Overtime No", tie, Axis.SIZE)])
