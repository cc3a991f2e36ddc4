"""How long valuation takes: milliseconds of the processor for a round, microseconds for a change.

Budget: a round over 2,000 markets x 25 bookmakers <= 25 ms on a calm machine, once the references
are known. All are compared with sorting 50,000 pairs here, in turns. Run from the repository:

    python benchmarks/pricing.py [--large]        20,000 x 25, too: 30 s until it begins
"""

import argparse
import random
import time
from collections.abc import Callable
from statistics import median

from oddsdesk.pricing.assessment import Market, Prices, ReferenceMarket, value_bets
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS, devig

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


def milliseconds(function: Callable[[], object]) -> float:
    """Of the processor: others share the machine."""
    start = time.process_time()
    function()
    return (time.process_time() - start) * 1e3


def pairs_sorted() -> object:
    return sorted([(number * 7919 % 50_000, number) for number in range(50_000)])


def report(cases: list[Case]) -> None:
    """The first round, later ones, and changes that come alone, in turns."""
    references = [reference_market(case) for case in cases]
    bets = value_all(references, cases)
    few = cases[:: max(1, len(cases) // 200)]
    known = references[:: max(1, len(cases) // 200)]
    ways: dict[str, Callable[[], object]] = {
        "sorting 50,000 pairs": pairs_sorted,
        "first round": lambda: [value_bets(*case, 0) for case in cases],
        "later round": lambda: value_all(references, cases),
        "200 changes, of references, too": lambda: [value_bets(*case, 0) for case in few],
        "200 changes of others": lambda: value_all(known, few),
    }
    took: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, function in ways.items():
            took[way].append(milliseconds(function))
    prices = sum(len(book.odds) for *_, books in cases for book in books)
    print(f"{len(cases):,} markets x {len(cases[0][2])}: {prices:,} prices, {bets} value bets")
    for way, times in took.items():
        print(f"  {way:<33} {median(times):8.1f} ms, at best {min(times):.1f}")


def reference_market(case: Case) -> ReferenceMarket:
    market, reference, _ = case
    return ReferenceMarket(market, reference.odds, DEFAULT_METHOD)


def value_all(references: list[ReferenceMarket], cases: list[Case]) -> int:
    return sum(
        len(known.value_bets(reference, books, 0))
        for known, (_, reference, books) in zip(references, cases, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true")
    chance = random.Random(1)
    for markets in (2_000, 20_000) if parser.parse_args().large else (2_000,):
        report([case(chance, number, 25) for number in range(markets)])
    odds = (2.05, 3.4, 3.5)
    for method in METHODS:
        took = milliseconds(lambda m=method: [devig(m, odds) for _ in range(1_000)])
        print(f"devig {method:<20} {took:6.1f} us")


if __name__ == "__main__":
    main()
