"""What a look for opportunities among all prices takes, and how long it holds the window at a time.

Made-up boards, seeded: games at 26 bookmakers with a match result and so many totals each. All
markets are looked at in slices, as the desk does it, between two that only take the best price of
each side and add up 1/price: no stakes, no middles, nothing judged. On the last board three
exchanges can be laid 2.5 % above their odds to back. Milliseconds of the processor.

    python benchmarks/opportunities.py
"""

import gc
import math
import time
from collections.abc import Iterator, Mapping
from random import Random
from statistics import median

import msgspec

from oddsdesk.base.tasks import SLICE_S, exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.opportunities.offers import Opportunities
from oddsdesk.contract.resources import OddsRow, Offer
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.opportunities import LOW_HOLD, OpportunityKind, Split

NOW = 1_795_000_000_000
BOOKMAKERS = ("Pinnacle", *(f"Bookmaker {number:02}" for number in range(1, 26)))
EXCHANGES = BOOKMAKERS[-3:]
BOARDS = ((200, 9, False), (10, 40, False), (200, 9, True))
"""Games, totals of each, and whether exchanges can be laid."""
SPREAD = 1.025
HELD_MS = 8.0
ROUNDS = 3


def made(games: int, totals: int, *, can_lay: bool) -> Board:
    board = Board(lambda: NOW)
    board.name_reference("Pinnacle")
    random = Random(3)
    for game in range(games):
        exhaust(board.merge_rows(list(rows(game, totals, random, can_lay=can_lay))))
    return board


def rows(game: int, totals: int, random: Random, *, can_lay: bool) -> Iterator[OddsRow]:
    goals = random.uniform(2.2, 3.2)
    chances = {f"Home {game}": 0.4, "Draw": 0.28, f"Away {game}": 0.32}
    lines = {}
    for line in range(totals):
        under = sum(math.exp(-goals) * goals**k / math.factorial(k) for k in range(line + 1))
        under = min(0.97, max(0.03, under))
        lines |= {f"Over {line}.5": 1 - under, f"Under {line}.5": under}
    for bookmaker in BOOKMAKERS:
        is_laid = can_lay and bookmaker in EXCHANGES
        pays = 0.99 if is_laid else 0.975 if bookmaker == "Pinnacle" else 0.955
        for market, of_market in (("moneyline", chances), ("total", lines)):
            row = OddsRow(
                bookmaker=bookmaker,
                match_name=f"Home {game} vs Away {game}",
                competition="EPL",
                sport="Football",
                market_type=market,
                period=0,
                odds={
                    selection: max(1.01, round(pays / chance * random.gauss(1, 0.015), 2))
                    for selection, chance in of_market.items()
                },
                is_live=False,
                match_date=format_ms(NOW + 86_400_000),
                scraped_at=format_ms(NOW),
                url=None,
                liquidity=None,
            )
            if is_laid:
                row = msgspec.structs.replace(row, offers=dict(laid(row.odds)))
            yield row


def laid(odds: Mapping[str, float]) -> Iterator[tuple[str, Offer]]:
    for selection, price in odds.items():
        lay = round(price * SPREAD + 0.01, 2)
        yield selection, Offer(back=((price, 500.0),), lay=((lay, 500.0),), currency="GBP")


def best_prices(board: Board) -> int:
    """Return how many line groups have best prices that add up to a low hold or less."""
    found = 0
    for game_id in {key.game_id for key in board.row_keys()}:
        matrix = board.matrix(game_id)
        for section in () if matrix is None else matrix.sections:
            best: dict[str, float] = {}
            for row, side in zip(section.rows, section.sides, strict=True):
                for price in row.prices.values():
                    best[side] = max(price.odds, best.get(side, 0.0))
            found += bool(best) and sum(1 / odds for odds in best.values()) <= 1 + LOW_HOLD
    return found


def held(offered: Opportunities) -> list[float]:
    """Look at everything; return how long each slice took."""
    offered.look_at_all()
    slices, began = [], time.thread_time()
    for _ in offered.looking():
        if (took := time.thread_time() - began) > SLICE_S:
            slices.append(took)
            began = time.thread_time()
    return [*slices, time.thread_time() - began]


def report(games: int, totals: int, *, can_lay: bool) -> None:
    board = made(games, totals, can_lay=can_lay)
    offered = Opportunities(board, lambda: NOW, Split)
    looks, bare, longest = [], [], []
    for _ in range(ROUNDS):
        began = time.thread_time()
        best_prices(board)
        bare.append(time.thread_time() - began)
        slices = held(offered)
        looks.append(sum(slices))
        longest.append(max(slices))
    kinds = [each.kind for each in offered.entries.values()]
    told = ", ".join(f"{kinds.count(kind)} {kind.value}" for kind in OpportunityKind)
    look, plain = median(looks) * 1e3, median(bare) * 1e3
    lays = ", with lays" if can_lay else ""
    print(f"{games} games x {len(BOOKMAKERS)} bookmakers, {totals} totals each{lays}: {told}")
    print(f"  {'best prices alone':<20}{plain:8.0f} ms")
    print(f"  {'a look at all':<20}{look:8.0f} ms, {look / plain:.1f} times as long")
    print(f"  {'longest slice':<20}{max(longest) * 1e3:8.1f} ms  (budget {HELD_MS:.0f})")


def main() -> None:
    gc.disable()  # the desk has its garbage looked through apart
    for games, totals, can_lay in BOARDS:
        report(games, totals, can_lay=can_lay)


if __name__ == "__main__":
    main()
