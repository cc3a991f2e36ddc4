"""Strategies over seasons of football-data, counted straight from the files.

An authority for the tests: like ``money_season``, it shares no code with ``oddsdesk``. One unit on
each bet; CLV is by Pinnacle's close with its margin in equal shares.

``value_bets`` counts value with other rules, another least EV, or at the close. ``best_vs_mean``
is the strategy of Kaunitz, Zhong and Kreiner over the bookmakers' columns, ``series_bets`` over
football-data's own best and mean odds (``Max`` and ``Avg``).

    python -m tests.money_strategies E0_2425.csv
"""

import math
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.money_season import (
    COMMISSION,
    ENDS,
    EQUAL,
    FLOOR,
    MOST_EDGE,
    PROPORTIONAL,
    REFERENCE,
    Bet,
    fair_of,
    figure_of,
    prices_of,
    read,
    settled,
)

BOOKMAKERS = {
    "1XB": "1xBet",
    "B365": "Bet365",
    "BF": "Betfair Sportsbook",
    "BFD": "Betfred",
    "BFE": "Betfair Exchange",
    "BMGM": "BetMGM",
    "BV": "BetVictor",
    "BW": "bwin",
    "CL": "Coral",
    "IW": "Interwetten",
    "LB": "Ladbrokes",
    "P": "Pinnacle",
    "PS": "Pinnacle",
    "VC": "VC Bet",
    "WH": "William Hill",
}
LEAGUES = {"E0": "EPL", "D1": "BUND", "F1": "LIG1"}
RULES = frozenset({"max_edge", "edge_cap", "payout", "overround", "ratio", "age"})
"""The contract's rules on prices that can be left out."""
BEST_OF_MANY = "Best of many (football-data)"
MOST_AGE = timedelta(minutes=15)
UK = ZoneInfo("Europe/London")


@dataclass(frozen=True)
class Line:
    """What a bookmaker last said of a market: its odds by side, and when."""

    odds: list[float]
    line: float | None
    taken: datetime

    @property
    def total(self) -> float:
        return sum(1 / each for each in self.odds)


@dataclass(frozen=True)
class Placed:
    """A bet with its game's place in time."""

    league: str
    placed: datetime
    kick_off: datetime
    line: float | None
    fair: float
    bet: Bet

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """Competition, day, game, market, side."""
        day = self.kick_off.date().isoformat()
        return (self.league, day, self.bet.game, self.bet.market, self.bet.side)


def times_of(row: dict[str, str]) -> tuple[datetime, datetime]:
    """Return when a game starts, and when its prices before the close were taken, in UTC.

    Friday 17:00 in the UK for games from Friday to Monday, else Tuesday 13:00, and never after
    the start. A game without an hour starts at noon UTC; its prices are an hour older at least.
    """
    day_text, hour = row["Date"], (row.get("Time") or "").strip()
    form = "%d/%m/%Y" if len(day_text) == 10 else "%d/%m/%y"
    day = datetime.strptime(day_text, form).date()
    if hour:
        start = _uk(day, time.fromisoformat(hour))
        latest = start
    else:
        start = datetime.combine(day, time(12), UTC)
        latest = start - timedelta(hours=1)
    weekday = 1 if day.weekday() in (1, 2, 3) else 4
    taken_on = day - timedelta(days=(day.weekday() - weekday) % 7)
    taken = _uk(taken_on, time(13) if weekday == 1 else time(17))
    return start, min(taken, latest)


def _uk(day: date, hour: time) -> datetime:
    return datetime.combine(day, hour, UK).astimezone(UTC)


def lines_at(row: dict[str, str], *, close: bool) -> dict[str, dict[str, Line]]:
    """Return the lines of each market by bookmaker, before the close or at it.

    At the close, a bookmaker without closing prices still offers its earlier ones. Before it, there
    are none of games that had begun when they were taken.
    """
    start, taken = times_of(row)
    found: dict[str, dict[str, Line]] = {market: {} for market in ENDS}
    for market, lines in found.items():
        for code, name in BOOKMAKERS.items():
            odds, at, column = prices_of(row, code, market), taken, "AHh"
            if close and (last := prices_of(row, code + "C", market)) is not None:
                odds, at, column = last, start, "AHCh"
            line = figure_of(row, column) if market == "spread" else None
            if odds is None or (market == "spread" and line is None):
                continue
            if close or taken < start:
                lines[name] = Line(odds, line, at)
    return found


def value_bets(
    rows: Iterable[dict[str, str]],
    *,
    reference: str = "Pinnacle",
    method: str = PROPORTIONAL,
    rules: frozenset[str] = RULES,
    least_ev: float | None = None,
    close: bool = False,
    series: bool = False,
) -> Iterator[Placed]:
    """Yield the value bets by some rules: one on each outcome, at the best price after commission.

    ``series`` bets on football-data's best odds (``Max``) instead of bookmakers' odds.

    ``least_ev`` is in percent of a unit staked, exact equality included; None for the contract's,
    which is 1 after its floor.
    """
    for row in rows:
        lines = lines_at(row, close=close)
        start, taken = times_of(row)
        best: dict[tuple[str, int], Placed] = {}
        for market, by_name in lines.items():
            judge = by_name.get(reference)
            now = start if close else taken
            if judge is None or not _is_usable(judge, now, rules):
                continue
            draw = _draw_of(lines["moneyline"].get(reference), method)
            share = _decided(judge.line, draw) if market == "spread" else 1.0
            for side, fair in enumerate(fair_of(judge.odds, method)):
                offers = best_of_many(row, market, close=close) if series else by_name
                for name, own in sorted(offers.items()):
                    if name == reference or own.line != judge.line:
                        continue
                    if own.total < 1 - 1e-5 and not series:
                        continue
                    if "age" in rules and now - own.taken > MOST_AGE:
                        continue
                    net = 1 + (own.odds[side] - 1) * (1 - commission_of(name))
                    edge = _value(judge, market, side, net, fair, share, rules, least_ev)
                    if edge is None:
                        continue
                    place = _outcome(market, side, own.line)
                    if place not in best or _is_better(net, name, best[place].bet):
                        bet = _settled(row, market, side, name, net, edge, close=close)
                        best[place] = Placed(_league(row), now, start, own.line, fair, bet)
        yield from best.values()


def best_of_many(row: dict[str, str], market: str, *, close: bool) -> dict[str, Line]:
    """Return the best odds of a market, the last ones if at the close."""
    start, taken = times_of(row)
    for code, column, at in (("MaxC", "AHCh", start), ("Max", "AHh", taken)):
        if code == "MaxC" and not close:
            continue
        figures = [figure_of(row, code + end) for end in ENDS[market]]
        odds = [each for each in figures if each is not None and each > 1]
        line = figure_of(row, column) if market == "spread" else None
        is_whole = len(odds) == len(figures) and 0.8 <= sum(1 / each for each in odds) <= 1.2
        if is_whole and (market != "spread" or line is not None):
            return {BEST_OF_MANY: Line(odds, line, at)}
    return {}


def _is_better(net: float, name: str, than: Bet) -> bool:
    """Of equal prices the first by name wins; of one bookmaker's, that of the match result."""
    return (-net, name) < (-than.net, than.bookmaker)


def _is_usable(judge: Line, now: datetime, rules: frozenset[str]) -> bool:
    if "age" in rules and now - judge.taken > MOST_AGE:
        return False
    return "overround" not in rules or 1 - 1e-9 <= judge.total <= 1.05


def _value(
    judge: Line,
    market: str,
    side: int,
    net: float,
    fair: float,
    share: float,
    rules: frozenset[str],
    least_ev: float | None,
) -> float | None:
    """Return the edge after the floor of a price that is value, else None."""
    floored = net / fair / FLOOR - 1
    is_enough = floored * share >= 0.01
    if least_ev is not None:
        is_enough = (net / fair - 1) * 100 * share >= least_ev - 1e-9
    payout = 1 / net + judge.total - 1 / judge.odds[side]
    checks = {
        "max_edge": floored <= 0.2,
        "edge_cap": market == "total" or floored <= MOST_EDGE[market],
        "payout": 0.99 <= payout <= 1.05,
        "ratio": net / fair <= 1.15,
    }
    is_value = is_enough and all(holds for rule, holds in checks.items() if rule in rules)
    return floored * share if is_value else None


def _draw_of(three: Line | None, method: str) -> float | None:
    return None if three is None else 1 / fair_of(three.odds, method)[1]


def _decided(line: float | None, draw: float | None) -> float:
    """Return the share of a handicap that is won or lost, 1 where that is not known."""
    if draw is None or line is None or abs(line) > 0.25:
        return 1.0
    return 1 - draw if line == 0 else 1 - draw / 2


def _outcome(market: str, side: int, line: float | None) -> tuple[str, int]:
    """Return what is bet on: half a goal behind is the same bet as to win."""
    if market == "spread" and line == (-0.5, 0.5)[side]:
        return "moneyline", (0, 2)[side]
    return market, side


def commission_of(name: str) -> float:
    """Return the commission of a bookmaker on winnings."""
    return COMMISSION["BFE"] if name == BOOKMAKERS["BFE"] else 0.0


def _settled(
    row: dict[str, str], market: str, side: int, name: str, net: float, edge: float, *, close: bool
) -> Bet:
    """Settle a bet; one at the close is on the closing line."""
    if close and market == "spread":
        row = row | {"AHh": row["AHCh"]}
    return settled(row, market, side, name, net, edge, (REFERENCE, EQUAL))


def _league(row: dict[str, str]) -> str:
    division = row.get("Div") or "E0"
    return LEAGUES.get(division, division)


def best_vs_mean(
    rows: Iterable[dict[str, str]], alpha: float, *, least_books: int = 3, close: bool = False
) -> Iterator[Placed]:
    """Yield every match result that its best net odds make value against the mean of all odds.

    A bookmaker whose odds were not seen in the last minutes does not count.
    """
    for row in rows:
        start, taken = times_of(row)
        now = start if close else taken
        lines = lines_at(row, close=close)["moneyline"]
        by_name = {name: each for name, each in lines.items() if now - each.taken <= MOST_AGE}
        if len(by_name) < least_books:
            continue
        for side in range(3):
            gross = [line.odds[side] for line in by_name.values()]
            offers = [
                (-(1 + (line.odds[side] - 1) * (1 - commission_of(name))), name)
                for name, line in by_name.items()
            ]
            net, name = min(offers)
            yield from _against_mean(row, side, name, -net, sum(gross) / len(gross), alpha, close)


def series_bets(
    rows: Iterable[dict[str, str]], alpha: float, *, close: bool = False
) -> Iterator[Placed]:
    """Yield the same by football-data's own columns, without commissions."""
    for row in rows:
        start, taken = times_of(row)
        if not close and taken >= start:
            continue
        best, mean = statistics_of(row, close=close)
        if best is None or mean is None:
            continue
        for side in range(3):
            odds = best[side]
            yield from _against_mean(row, side, BEST_OF_MANY, odds, mean[side], alpha, close)


def statistics_of(
    row: dict[str, str], *, close: bool
) -> tuple[list[float] | None, list[float] | None]:
    """Return the best and the mean odds of a match result, the last ones if at the close."""
    found = []
    for code, least in (("Max", 0.8), ("Avg", 0.97)):
        odds = None
        for column in (code + "C", code) if close else (code,):
            odds = odds or _three(row, column, least)
        found.append(odds)
    return found[0], found[1]


def _three(row: dict[str, str], code: str, least: float) -> list[float] | None:
    odds = [figure_of(row, code + side) for side in "HDA"]
    each = [price for price in odds if price is not None and price > 1]
    return each if len(each) == 3 and least <= sum(1 / price for price in each) <= 1.2 else None


def _against_mean(
    row: dict[str, str], side: int, name: str, net: float, mean: float, alpha: float, close: bool
) -> Iterator[Placed]:
    chance = 1 / mean - alpha
    if chance * net > 1:
        start, taken = times_of(row)
        bet = _settled(row, "moneyline", side, name, net, chance * net - 1, close=close)
        yield Placed(_league(row), start if close else taken, start, None, 1 / chance, bet)


def proportional(bets: Iterable[Placed], share: float, bankroll: float) -> Iterator[float]:
    """Yield the stake of each bet, in the order of placing: a share of the running bankroll.

    A game's profit counts two hours after its start. Stakes are whole hundredths, and all open
    bets together are never more than the bankroll.
    """
    moments: dict[datetime, list[Placed]] = {}
    for each in bets:
        moments.setdefault(each.placed, []).append(each)
    held: list[tuple[datetime, float, float]] = []
    for now in sorted(moments):
        own = bankroll + sum(profit for over, _, profit in held if over <= now)
        at_hand = own - sum(stake for over, stake, _ in held if over > now)
        together = sorted(moments[now], key=lambda each: each.bet.game)
        stake = math.floor(min(share * own, at_hand / len(together)) * 100 + 1e-7) / 100
        for each in together:
            over = each.kick_off + timedelta(hours=2)
            held.append((over, stake, stake * each.bet.profit))
            yield stake


@dataclass(frozen=True)
class Total:
    """Figures of bets of one unit."""

    bets: int
    won: int
    profit: float
    yield_pct: float
    clv_pct: float | None
    clv_bets: int
    yield_range: tuple[float, float]
    clv_range: tuple[float, float] | None


def totals(bets: Iterable[Placed], draws: int = 2_000) -> Total:
    """Return figures, with 95 % intervals from drawing games with replacement."""
    games: dict[tuple[str, ...], list[Bet]] = {}
    for each in bets:
        games.setdefault(each.key[:3], []).append(each.bet)
    held = [
        (
            sum(bet.profit for bet in group),
            len(group),
            sum(bet.clv for bet in group if bet.clv is not None) * 100,
            sum(bet.clv is not None for bet in group),
        )
        for group in games.values()
    ]
    every = [bet for group in games.values() for bet in group]
    profit, count, clv, closed = map(sum, zip(*held, strict=True))
    chance = random.Random(1)
    yields, values = [], []
    for _ in range(draws):
        drawn = [sum(each) for each in zip(*chance.choices(held, k=len(held)), strict=True)]
        yields.append(drawn[0] / drawn[1] * 100)
        values += [drawn[2] / drawn[3]] if drawn[3] else []
    return Total(
        bets=len(every),
        won=sum(bet.result == "won" for bet in every),
        profit=profit,
        yield_pct=profit / count * 100,
        clv_pct=clv / closed if closed else None,
        clv_bets=int(closed),
        yield_range=_middle(yields),
        clv_range=_middle(values) if closed else None,
    )


def _middle(drawn: list[float]) -> tuple[float, float]:
    ordered = sorted(drawn)
    return ordered[len(ordered) // 40], ordered[-1 - len(ordered) // 40]


def main(files: list[Path]) -> None:
    """Print the figures of some strategies."""
    rows = [row for file in files for row in read(file)]
    asked: dict[str, Iterator[Placed]] = {}
    for close in (False, True):
        at = "close" if close else "before"
        asked[f"value, {at}"] = value_bets(rows, close=close)
        for alpha in (0.05, 0.034):
            asked[f"Max against Avg, {alpha}, {at}"] = series_bets(rows, alpha, close=close)
            asked[f"bookmakers, {alpha}, {at}"] = best_vs_mean(rows, alpha, close=close)
        for least in (-5, 0, 2):
            name = f"no rules, EV from {least} %, {at}"
            asked[name] = value_bets(rows, rules=frozenset(), least_ev=least, close=close)
    for name, bets in asked.items():
        found = list(bets)
        print(name, totals(found) if found else "no bets", sep=": ")


if __name__ == "__main__":
    main([Path(each) for each in sys.argv[1:]])
