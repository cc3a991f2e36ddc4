"""How long valuation takes: microseconds a line group, milliseconds for 20,000 markets.

Budgets: one line group <= 20 us, 20,000 markets <= 400 ms. Run from the repository:

    python benchmarks/pricing.py
"""

import random
import time
from collections.abc import Callable

from machine import sorting_ms

from oddsdesk.pricing.devig import METHODS, devig
from oddsdesk.pricing.market import Market, Prices, value_bets

MARKETS = 20_000
GAMES = 2_000
ROUNDS = 5
Case = tuple[Market, Prices, list[Prices]]


def market_of(number: int) -> tuple[Market, list[str]]:
    """Ten markets a game: one moneyline, three spreads, six totals."""
    game = number % GAMES
    home, away = f"Home {game} FC", f"Away {game} United"
    name, kind = f"{home} vs {away}", number // GAMES
    if kind == 0:
        return Market("moneyline", name, "Football"), [home, "Draw", away]
    if kind < 4:
        line = kind - 0.5
        return Market("spread", name, "Football"), [f"{home} -{line}", f"{away} +{line}"]
    return Market("total", name, "Football"), [f"Over {kind}.5", f"Under {kind}.5"]


def case(chance: random.Random, number: int, books: int) -> Case:
    market, selections = market_of(number)
    weights = [chance.uniform(1, 3) for _ in selections]
    fair = [sum(weights) / weight for weight in weights]
    spread = [1 + (price - 1) * chance.uniform(0.96, 0.98) for price in fair]
    reference = Prices("Pinnacle", dict(zip(selections, spread, strict=True)), 0, False)
    others = [
        Prices(
            f"book {book}",
            {
                s: 1 + (p - 1) * chance.gauss(0.92, 0.04)
                for s, p in zip(selections, fair, strict=True)
            },
            0,
            False,
        )
        for book in range(books)
    ]
    return market, reference, others


def value_all(cases: list[Case]) -> int:
    return sum(len(value_bets(*each, 0)) for each in cases)


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def report(cases: list[Case], books: int) -> None:
    first = seconds(lambda: value_all(cases))
    again = min(seconds(lambda: value_all(cases)) for _ in range(ROUNDS))
    print(
        f"{len(cases):,} markets x {books} bookmaker(s): {again * 1e3:.0f} ms "
        f"({first * 1e3:.0f} ms the first time), "
        f"{again / len(cases) * 1e6:.1f} us a line group, {value_all(cases)} value bets"
    )


def main() -> None:
    print(f"this machine: sorting 50,000 pairs {sorting_ms():.1f} ms")
    chance = random.Random(1)
    for books, markets in ((1, MARKETS), (25, MARKETS // 10)):
        report([case(chance, number, books) for number in range(markets)], books)
    odds = (2.05, 3.4, 3.5)
    for method in METHODS:
        took = seconds(lambda m=method: [devig(m, odds) for _ in range(5_000)])
        print(f"devig {method:<20} {took / 5_000 * 1e6:6.1f} us")


if __name__ == "__main__":
    main()
