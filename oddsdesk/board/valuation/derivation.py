"""Shows in Explain how the fair odds of a line were derived from other lines.

It uses the same ``FairGame`` as the board. An implied line has a sum; a modelled one has a fit,
scores and a band.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from oddsdesk.base.market_words import market_text, selection_text
from oddsdesk.base.numbers import decimal_mark, num
from oddsdesk.base.texts import _, translated
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix, Section
from oddsdesk.board.valuation.deriving import game_of, group_of, why_not_derived
from oddsdesk.contract.texts import MINUS
from oddsdesk.pricing import derived
from oddsdesk.pricing.derived import FairGame
from oddsdesk.pricing.score_models import MOST_GOALS, SCORES, Model, shares_at
from oddsdesk.pricing.selections import HOME, OVER, line_text, number_hit, threshold
from oddsdesk.pricing.value import DerivedKind, LineName, ReferenceLine

if TYPE_CHECKING:
    from oddsdesk.pricing.score_grid import ScoreGrid

_POINT: Final = re.compile(r"(?<=\d)\.(?=\d)")
MOST_SHOWN: Final = 5
"""Goals of a team in the table of scores."""


class FittedLine(NamedTuple):
    """A line that the model was fitted to; both figures are probabilities of a decided unit."""

    text: str
    own: float
    """The reference's fair probability."""
    model: float


class Score(NamedTuple):
    """A score, its probability, and the share of the stake that it wins."""

    home: int
    away: int
    chance: float
    won: float
    """1 for a win, 0.5 for half a win, 0 for a push; negative for a loss."""


class Scores(NamedTuple):
    """The scores that a football price was added up from."""

    table: tuple[tuple[Score, ...], ...]
    """By the home team's goals up to ``MOST_SHOWN``, then the away team's."""
    beyond: float
    """The probability of all scores outside the table."""


class Derivation(NamedTuple):
    """Where derived fair odds come from."""

    kind: DerivedKind
    sources: tuple[LineName, ...] = ()
    """The lines of the reference that they follow from."""
    sum: tuple[str, ...] = ()
    """For an implied price: its source lines, then the sum."""
    parameters: tuple[tuple[str, str], ...] = ()
    """For a modelled price: name and value of each fitted figure."""
    fit: tuple[FittedLine, ...] = ()
    scores: Scores | None = None
    """Only for football's markets on goals, else None."""
    band: str = ""
    """How far off a modelled price may be, and what that was measured on."""


def derivation_of(
    matrix: Matrix, section: Section, line: ReferenceLine, side: str, basis: Basis, bookmaker: str
) -> Derivation | None:
    """Return how the fair odds of a side were derived; None for the reference's own line."""
    if line.derived is None:
        return None
    game, group = game_of(matrix, section, basis, without=bookmaker), group_of(section)
    if game is None:
        return None
    if line.derived.kind == "implied":
        return Derivation("implied", line.derived.sources, tuple(_sum(game, section, line, side)))
    model, name = game.model, section.key
    if model is None:
        return None
    distance, band = game.band_of(name.market_type, group)
    text = _(
        "±{band:.2f} percentage points of probability: for 9 of 10 lines like this "
        "one, the model was closer ({count:,} measured, {distance})"
    ).format(
        band=num(line.derived.bands[side] * 100),
        count=num(band.lines),
        distance=_distance_text(distance),
    )
    return Derivation(
        "modelled",
        line.derived.sources,
        parameters=tuple(_parameters(model)),
        fit=tuple(_fit(model)),
        scores=_scores(model, name.market_type, name.group, side),
        band=text,
    )


def _distance_text(distance: str) -> str:
    """Return a distance of a ``BandKey`` in words."""
    if distance == "none":
        return _("the sharp book prices no other line of this market")
    if distance == "more":
        return _("more than 2 from the nearest line that the sharp book prices")
    return _("at most {distance} from the nearest line that the sharp book prices").format(
        distance=distance
    )


def why_not(matrix: Matrix, section: Section, basis: Basis) -> str:
    """Return why fair odds could not be derived, as a clause; empty where there is no need."""
    return "" if section.has_own_line else why_not_derived(matrix, section, basis)


def _sum(game: FairGame, section: Section, line: ReferenceLine, side: str) -> Iterator[str]:
    """Yield the steps of an implied price, without the sums of the other sides."""
    market_type, key = section.key.market_type, section.key.group
    own = f"{selection_text(derived.selection_text(market_type, key, side))} = "
    at = threshold(market_type, section.line)
    is_quarter = at is not None and number_hit(at) is not None and not at.is_integer()
    halves = list(_halves(section, line, side, at)) if is_quarter and at is not None else []
    if halves:
        text = _("Half of the stake on each of {first} and {second}")
        yield _with_minus(text.format(first=halves[0], second=halves[1]))
    for step in game.steps(market_type, group_of(section), translated, selection_text):
        if step.startswith(own) or " = " not in step:
            marked = _POINT.sub(decimal_mark(), step)
            yield _with_minus(marked[0].upper() + marked[1:])


def _with_minus(text: str) -> str:
    """Return a text with true minus signs before figures; hyphens in words stay."""
    return text.replace(" -", f" {MINUS}")


def _halves(section: Section, line: ReferenceLine, side: str, at: float) -> Iterator[str]:
    """Yield the two lines that a quarter line is split between, each with its probability.

    Probabilities are of a decided unit. ``at`` is the ``threshold`` of the line.
    """
    fair = line.prices[side].fair_odds
    push = 0.0 if line.derived is None else line.derived.push
    if fair is None:
        return
    is_half_lost = (at % 1 == 0.25) == (side in {HOME, OVER})  # at the whole number
    won = (1 - push / 2) / fair - (0 if is_half_lost else push / 2)
    about = section.key.group.rpartition(" ")[0]
    for step in (-0.25, 0.25):
        number = (section.line or 0.0) + step
        key = f"{about} {line_text(number)}".strip()
        text = selection_text(derived.selection_text(section.key.market_type, key, side))
        on_half = won if is_half_lost else won + push
        chance = won / (1 - push) if number.is_integer() else on_half
        yield f"{text} ({num(chance * 100):.2f} %)"


def _parameters(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the fitted figures in plain words."""
    grid = _grid(model)
    if grid is None:
        for name, figure in model.parameters.items():
            yield translated(name.capitalize()), f"{num(figure):.3f}"
        return
    goals = [
        sum(chance * score[team] for chance, score in zip(grid.chances, SCORES, strict=True))
        for team in (0, 1)
    ]
    yield (
        _("Expected goals"),
        _("home {home:.2f}, away {away:.2f}").format(home=num(goals[0]), away=num(goals[1])),
    )
    yield _("Low scores (rho; below 0: more likely)"), _with_minus(f" {num(grid.rho):.3f}").strip()
    yield _("Dispersion (above 1: totals vary less)"), f"{num(grid.dispersion):.3g}"


def _fit(model: Model) -> Iterator[FittedLine]:
    for line, miss in model.misses:
        text = selection_text(derived.selection_text(line.market_type, line.key, line.side))
        title = _with_minus(f"{market_text(line.market_type)} {text}")

        yield FittedLine(title, line.probability, line.probability + miss)


def _scores(model: Model, market_type: str, key: str, side: str) -> Scores | None:
    grid, shares = _grid(model), shares_at(market_type, key, side)
    if grid is None or shares is None:
        return None
    shown = range(MOST_SHOWN + 1)
    table = tuple(
        tuple(
            Score(home, away, grid.chance(home, away), shares[home * (MOST_GOALS + 1) + away])
            for away in shown
        )
        for home in shown
    )
    return Scores(table, 1 - _total(table))


def _total(table: Iterable[Sequence[Score]]) -> float:
    return sum(score.chance for row in table for score in row)


def _grid(model: Model) -> "ScoreGrid | None":
    from oddsdesk.pricing.score_grid import ScoreGrid  # noqa: PLC0415 - numpy, not at start

    return model if isinstance(model, ScoreGrid) else None
