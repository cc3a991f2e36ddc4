"""The bets of one moment and their stakes, straight from quotes and the rules about money.

An authority for the tests: it shares no code with `oddsdesk.pricing`, `board` or `feeds`, so
that a mistake there cannot repeat itself here. Nothing is placed and no bookmaker has a limit.

    oddsdesk import the-odds-api FILES --to quotes.ndjson
    python -m tests.money_count quotes.ndjson resources/bookmakers.csv
"""

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.money_quotes import read_profiles, read_quotes
from tests.money_rows import REFERENCE, Moment, Row

QUARTER_OF_KELLY, OUTCOME_CAP, GAME_CAP, TOTAL_CAP, STEP = 0.25, 0.02, 0.03, 0.25, 1.0
CELL = 0.1
"""Gains are gathered in cells this wide; one between two cells is shared out, the mean kept."""


def count_bets(
    quotes: Iterable[str],
    bookmakers: Iterable[str] = (),
    bankroll: float = 1000,
    reference: str = REFERENCE,
) -> list[Row]:
    """Return the rows of `bets --all`, best EV first; those of `bets` are the listed ones."""
    rows = list(Moment(read_quotes(quotes), read_profiles(bookmakers), reference).rows())
    _stake([row for row in rows if row.listed], bankroll)
    carriers = {row.outcome: row for row in rows if row.bound is not None}
    for row in rows:
        carrier = carriers.get(row.outcome, row)
        row.same_bet_as = None if carrier is row else carrier
    shown = [row for row in rows if row.keeps_rules or row.in_contract]
    return sorted(shown, key=_best_first)


def _best_first(row: Row) -> tuple:
    unknown = row.per == "decided"
    return -row.ev_pct, unknown, *row.quote.market, row.selection, row.quote.bookmaker


def _stake(listed: list[Row], bankroll: float) -> None:
    """Give each outcome's best net price its stake; what limited it is returned with it."""
    best: dict[tuple, Row] = {}
    for row in sorted(listed, key=lambda row: (-row.net, row.quote.bookmaker)):
        best.setdefault(row.outcome, row)
    groups = defaultdict(list)
    for row in best.values():
        groups[row.line_group].append(row)
    one_line = _one_line_a_game(list(groups.values()))
    for row in best.values():
        row.stake, row.bound = 0.0, "same_game"
    for rows in one_line:
        for row, share in zip(rows, full_kelly(rows), strict=True):
            wanted = share * QUARTER_OF_KELLY * bankroll
            row.stake = min(wanted, OUTCOME_CAP * bankroll)
            row.bound = "outcome" if wanted > row.stake else "kelly"
    games = defaultdict(list)
    for row in best.values():
        games[row.quote.game].append(row)
    for rows in games.values():
        _scale(rows, GAME_CAP * bankroll, "game")
    _scale(list(best.values()), TOTAL_CAP * bankroll, "total")
    for row in best.values():
        row.stake = (row.stake + 1e-9) // STEP * STEP
        row.bound = row.bound if row.stake or row.bound == "same_game" else "rounding"


def _one_line_a_game(groups: list[list[Row]]) -> list[list[Row]]:
    """Return the line group of each game that is staked: the one whose best side grows fastest.

    Lines of football are staked together by a grid of scores, which is not counted here.
    """
    games = defaultdict(list)
    for rows in groups:
        games[rows[0].quote.game].append(rows)
    for lines in games.values():
        assert len(lines) == 1 or lines[0][0].quote.sport != "Football"
    return [max(lines, key=lambda rows: max(map(_grown, rows))) for lines in games.values()]


def _grown(row: Row) -> float:
    """The expected logarithm at Kelly's share of one side alone."""
    (share,) = full_kelly([row])
    return sum(chance * math.log(1 + share * gains[0]) for chance, gains in endings_of([row]))


def _scale(rows: list[Row], cap: float, bound: str) -> None:
    total = sum(row.stake for row in rows)
    if total > cap:
        for row in rows:
            row.stake, row.bound = row.stake * cap / total, bound


def full_kelly(rows: list[Row]) -> list[float]:
    """Shares of the bankroll for sides that exclude each other, where pushes are allowed for.

    A push of the whole stake changes no bet that is best, so only quarter lines need the climb.
    """
    shares = _smoczynski_tomkins([(1 / row.fair.odds, row.net) for row in rows])
    if all(row.push.share != 0.5 or row.push.chance is None for row in rows):
        return shares
    endings = endings_of(rows)
    for _ in range(1 if len(rows) == 1 else 200):
        for turn in range(len(rows)):
            shares[turn] = _climb(endings, shares, turn)
    return shares


def _smoczynski_tomkins(sides: list[tuple[float, float]]) -> list[float]:
    """Kelly for exclusive sides: take while p*o is above R, `f = p - R/o`."""
    rest, taken = 1.0, set()
    order = sorted(range(len(sides)), key=lambda i: -sides[i][0] * sides[i][1])
    for i in order:
        if sides[i][0] * sides[i][1] <= rest:
            break
        taken.add(i)
        rest = (1 - sum(sides[j][0] for j in taken)) / (1 - sum(1 / sides[j][1] for j in taken))
    return [p - rest / o if i in taken else 0.0 for i, (p, o) in enumerate(sides)]


def endings_of(rows: list[Row]) -> list[tuple[float, list[float]]]:
    """How the line group may end: each way's chance and what a unit on each row then gains."""
    chance = rows[0].push.chance or 0.0
    endings = []
    if chance:
        endings.append((chance, [_push_gain(row) for row in rows]))
    for winner in {row.side: row for row in rows}.values():
        gains = [row.net - 1 if row.side == winner.side else -1.0 for row in rows]
        endings.append((_wins_in_full(winner), gains))
    missing = 1 - sum(p for p, _ in endings)
    return [*endings, (missing, [-1.0] * len(rows))] if missing > 1e-12 else endings


def _push_gain(row: Row) -> float:
    if row.push.share == 1.0:
        return 0.0
    return (row.net - 1) / 2 if row.push.half_won else -0.5


def _wins_in_full(row: Row) -> float:
    """Of what is decided 1/fair is won; on a quarter line a half of that may be the half-won."""
    half = (row.push.chance or 0.0) / 2 if row.push.half_won else 0.0
    return row.push.decided / row.fair.odds - half


def _climb(endings: list[tuple[float, list[float]]], shares: list[float], turn: int) -> float:
    """The share of one side at which the expected log growth is greatest, others as they are."""
    low, high = 0.0, 1 - sum(shares) + shares[turn]

    def slope(share: float) -> float:
        there = [share if i == turn else other for i, other in enumerate(shares)]
        return sum(
            p * gains[turn] / max(1 + sum(f * g for f, g in zip(there, gains, strict=True)), 1e-15)
            for p, gains in endings
        )

    if slope(0.0) <= 0:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low


@dataclass(frozen=True)
class Effect:
    """Stakes in money; `growth` is the expected logarithm of the bankroll, to its start."""

    bets: int
    staked: float
    outcomes: int
    most_on_one: float
    above_cap: int
    growth: float


def one_by_one(rows: list[Row], bankroll: float, step: float = 0.05) -> list[Row]:
    """Stake each row of the contract by itself at its gross price: the way before D54."""
    staked = []
    for row in rows:
        share = (row.odds / row.fair.odds - 1) / (row.odds - 1)
        stake = min(share / 4, 0.02) * bankroll
        staked.append(replace(row, stake=(stake + 1e-9) // step * step))
    return staked


def effect(rows: list[Row], bankroll: float) -> Effect:
    """Reckon what the rows' stakes do, paid at their net prices."""
    on_outcome: defaultdict[tuple, float] = defaultdict(float)
    groups = defaultdict(list)
    staked = [row for row in rows if row.stake > 0]
    for row in staked:
        on_outcome[row.outcome] += row.stake
        groups[row.line_group].append(row)
    return Effect(
        len(staked),
        sum(on_outcome.values()),
        len(on_outcome),
        max(on_outcome.values(), default=0.0),
        sum(stake > 0.02 * bankroll + 1e-9 for stake in on_outcome.values()),
        _growth(list(groups.values()), bankroll),
    )


def _growth(groups: list[list[Row]], bankroll: float) -> float:
    chances = {0: 1.0}
    for rows in groups:
        after: defaultdict[int, float] = defaultdict(float)
        for p, gains in endings_of(rows):
            gain = sum(row.stake * g for row, g in zip(rows, gains, strict=True)) / CELL
            low = math.floor(gain)
            for cell, weight in ((low, (1 - gain + low) * p), (low + 1, (gain - low) * p)):
                if weight > 0:
                    for at, chance in chances.items():
                        after[at + cell] += chance * weight
        chances = {at: chance for at, chance in after.items() if chance > 1e-16}
    return sum(chance * math.log(1 + at * CELL / bankroll) for at, chance in chances.items())


def main() -> None:
    """Print the figures of a file of quotes and a file of bookmakers."""
    bankroll = 1000.0
    with Path(sys.argv[1]).open() as quotes, Path(sys.argv[2]).open() as bookmakers:
        rows = count_bets(quotes, bookmakers, bankroll)
    listed = [row for row in rows if row.listed]
    for row in listed:
        print(*row.shown().values(), sep="\t")
    contract = [row for row in rows if row.in_contract]
    print(f"listed {len(listed)}, all {len(rows)}, by the contract at gross odds {len(contract)}")
    print("by caution", dict(Counter(name for row in rows for name in row.cautions)))
    print("bounds", dict(Counter(row.bound for row in listed if row.bound)))
    print("one by one", effect(one_by_one(contract, bankroll), bankroll))
    print("the list", effect(listed, bankroll))


if __name__ == "__main__":
    main()
