"""How long it takes to derive fair prices: processor milliseconds for a football game.

Budget on a calm machine: a game <= 1 ms, 500 games <= 300 ms. Sorting 50,000 pairs takes 26 ms
there: compare with it. Run from the repository:

    python benchmarks/deriving.py
"""

import math
import random
import time
from collections.abc import Callable, Sequence

from oddsdesk.pricing.derived import Band, BandKey, Bands, FairGame, selection_text, sides_of
from oddsdesk.pricing.score_grid import ScoreGrid, score_grid
from oddsdesk.pricing.score_models import Model
from oddsdesk.pricing.selections import LineGroup, line_of
from oddsdesk.pricing.value import ReferenceLine, reference_line

GAMES = 500
PART = 20
ROUNDS = 7
SPORT = "Football"
NO_LINE = ("moneyline", "double_chance", "draw_no_bet", "btts")
Names = Sequence[tuple[str, str]]
Groups = Sequence[tuple[str, LineGroup]]


def names(market_type: str, *keys: str) -> list[tuple[str, str]]:
    return [(market_type, key) for key in keys]


PRICED: Names = [
    *names("moneyline", ""),
    *names("btts", ""),
    *names("total", "1.5", "2", "2.25", "2.5", "2.75", "3", "3.5", "4.5"),
    *names("spread", "-1.5", "-1", "-0.75", "-0.5", "-0.25", "0", "+0.5", "+1"),
    *names("team_total", "Home 1.5", "Away 1.5"),
]
WANTED: Names = [
    *names("double_chance", ""),
    *names("draw_no_bet", ""),
    *names("total", "0.5", "1", "1.25", "1.75", "3.25", "3.75", "4", "4.25", "5", "5.5"),
    *names("spread", "-3", "-2.5", "-2.25", "-2", "-1.75", "-1.25", "+0.25", "+0.75"),
    *names("spread", "+1.25", "+1.5", "+2", "+2.5"),
    *names("team_total", *(f"{team} {line}" for team in ("Home", "Away") for line in (0.5, 1, 2))),
    *names("team_total", *(f"{team} {line}" for team in ("Home", "Away") for line in (2.5, 3.5))),
    *names("3way_handicap", "-2", "-1", "+1", "+2", "0"),
    ("total", "6.5"),
]
PRICED_USUALLY: Names = [
    *names("moneyline", ""),
    *names("total", "2.25", "2.5", "2.75"),
    *names("spread", "-0.5", "-0.25", "0"),
]
WANTED_USUALLY: Names = [
    *names("double_chance", ""),
    *names("draw_no_bet", ""),
    *names("btts", ""),
    *names("total", "1.5", "2", "3", "3.5"),
    *names("spread", "-1", "-0.75", "+0.25", "+0.5"),
    *names("team_total", "Home 1.5", "Away 1.5"),
]
BANDS: Bands = {
    BandKey(SPORT, market_type, distance): Band(0.01, 100)
    for market_type in {name for name, _ in (*PRICED, *WANTED)}
    for distance in ("0.5", "1", "2", "more", "none")
}


def group_of(market_type: str, key: str) -> LineGroup:
    sides = sides_of(market_type, SPORT, has_draw=market_type == "moneyline")
    texts = tuple(selection_text(market_type, key, side) for side in sides)
    line = None if market_type in NO_LINE else line_of(key)
    return LineGroup(key, line, texts, sides, complete=market_type != "double_chance")


def board(priced: Names, grid: ScoreGrid) -> list[ReferenceLine]:
    """The reference's lines of a game, with a margin."""
    lines = []
    for market_type, key in priced:
        group = group_of(market_type, key)
        chances = [grid.probability(market_type, key, side) or 0.5 for side in group.sides]
        odds = [1 + (1 / chance - 1) * 0.95 for chance in chances]
        lines.append(reference_line(market_type, group, odds, scraped_at=0, is_live=False))
    return lines


def derived(
    lines: Sequence[ReferenceLine], groups: Groups, start: Model | None
) -> tuple[int, Model | None]:
    game = FairGame(SPORT, lines, BANDS, start=start)
    found = [game.line(market_type, group) for market_type, group in groups]
    return sum(line is not None for line in found), game.model


def milliseconds(function: Callable[[], object]) -> float:
    """Return processor time, as other programs share the machine."""
    start = time.thread_time()
    function()
    return (time.thread_time() - start) * 1e3


def pairs_sorted() -> object:
    return sorted([(number * 7919 % 50_000, number) for number in range(50_000)])


def report(title: str, priced: Names, wanted: Names) -> None:
    """Time some games at once, in turns with sorting; the best round of each group counts."""
    groups = [(market_type, group_of(market_type, key)) for market_type, key in wanted]
    chance = random.Random(1)
    rates = [(chance.uniform(0.7, 2.2), chance.uniform(0.7, 2.2)) for _ in range(GAMES)]
    boards = [board(priced, score_grid(home, away, -0.04, 0.97)) for home, away in rates]
    moved = [board(priced, score_grid(home * 1.02, away, -0.04, 0.97)) for home, away in rates]
    models = [derived(lines, groups, None)[1] for lines in boards]
    parts = [range(start, start + PART) for start in range(0, GAMES, PART)]
    ways: dict[str, Callable[[range], object]] = {
        "for the first time": lambda part: [derived(boards[i], groups, None) for i in part],
        "after odds moved": lambda part: [derived(moved[i], groups, models[i]) for i in part],
        "the fits of that": lambda part: [
            FairGame(SPORT, moved[i], BANDS, start=models[i]).model for i in part
        ],
    }
    took = {way: [math.inf] * len(parts) for way in ways}
    sorting = math.inf
    for _ in range(ROUNDS):
        for place, part in enumerate(parts):
            sorting = min(sorting, milliseconds(pairs_sorted))
            for way, function in ways.items():
                spent = milliseconds(lambda f=function, p=part: f(p))
                took[way][place] = min(took[way][place], spent)
    found = derived(boards[0], groups, None)[0]
    print(f"{title}: {len(priced)} lines priced, {found} of {len(wanted)} derived")
    for way, times in took.items():
        whole = sum(times)
        print(
            f"  {way:<20} {whole / GAMES:6.3f} ms a game, {whole:6.0f} ms for {GAMES}: "
            f"{whole / sorting:5.1f} times sorting 50,000 pairs ({sorting:.0f} ms)"
        )


def main() -> None:
    report("whole board", PRICED, WANTED)
    report("usual board", PRICED_USUALLY, WANTED_USUALLY)


if __name__ == "__main__":
    main()
