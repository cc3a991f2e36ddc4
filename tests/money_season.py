"""A season of football-data, bet on by the rules about money, straight from the file.

An authority for the tests: it shares no code with `oddsdesk`. One unit on the best net price of
every outcome that is value at the prices before the close. Every side bears the same share of the
margin, `p = 1/o - M/n`, or the margin is taken out in proportion, `p = q/S`. Every bet closes by
Pinnacle with equal shares, whatever judged it, unless another close is named.

``by_all_of`` judges each match result by what all the other bookmakers say of it together: the
mean of their log-odds, one vote each.

    python -m tests.money_season E0_2425.csv
"""

import csv
import math
import statistics
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

FLOOR = 1.01
EQUAL, PROPORTIONAL = "margin_proportional", "multiplicative"
REFERENCE = {"moneyline": "PS", "total": "P", "spread": "P"}
BET365 = dict.fromkeys(REFERENCE, "B365")
ENDS = {"moneyline": ("H", "D", "A"), "total": (">2.5", "<2.5"), "spread": ("AHH", "AHA")}
CODES = {
    "B365": "Bet365",
    "BW": "bwin",
    "BF": "Betfair Sportsbook",
    "WH": "William Hill",
    "1XB": "1xBet",
    "BFE": "Betfair Exchange",
}
ALL = {"PS": "Pinnacle"} | CODES
COMMISSION = {"BFE": 0.05}
MOST_EDGE = {"moneyline": 0.10, "spread": 0.10, "total": 0.20}


@dataclass(frozen=True)
class Bet:
    """A bet of one unit, settled."""

    game: str
    market: str
    side: int
    """Its place among the sides of the market: home first, over first."""
    bookmaker: str
    net: float
    expected: float
    result: str
    profit: float
    clv: float | None
    decided: float
    per: str = "staked"
    """Of what unit the closing line value is."""


def bets_of(
    rows: Iterable[dict[str, str]],
    judge: dict[str, str] = REFERENCE,
    method: str = EQUAL,
    closed_by: tuple[dict[str, str], str] = (REFERENCE, EQUAL),
) -> Iterator[Bet]:
    """Yield the value bets of a season, in the order of the file."""
    for row in rows:
        found: dict[tuple[str, int], Bet] = {}
        for market in ENDS:
            for bet in _of_market(row, market, judge, method, closed_by):
                outcome = _outcome(row, market, bet.side)
                if outcome not in found or bet.net > found[outcome].net:
                    found[outcome] = bet
        yield from found.values()


def _outcome(row: dict[str, str], market: str, side: int) -> tuple[str, int]:
    """Return what is bet on: a team half a goal behind has to win, as in the match result."""
    if market == "spread" and float(row["AHh"]) == (-0.5, 0.5)[side]:
        return "moneyline", (0, 2)[side]
    return market, side


def by_all_of(rows: Iterable[dict[str, str]], *, closed_together: bool = False) -> Iterator[Bet]:
    """Yield the bets on match results that the others of all bookmakers make value.

    ``closed_together`` is whether they also close by what the others say, else by Pinnacle.
    """
    for row in rows:
        early = {code: prices_of(row, code, "moneyline") for code in ALL}
        late = {code: prices_of(row, code + "C", "moneyline") for code in ALL}
        for side in range(3):
            offers = []
            for code, name in ALL.items():
                said = _together(early, code)
                if early[code] is None or said is None:
                    continue
                chances, total = said
                net = 1 + (early[code][side] - 1) * (1 - COMMISSION.get(code, 0.0))
                edge = net * chances[side] / FLOOR - 1
                payout = 1 / net + total * (1 - chances[side])
                if (
                    0.01 <= edge <= MOST_EDGE["moneyline"]
                    and 0.99 <= payout <= 1.05
                    and net * chances[side] <= 1.15
                ):
                    offers.append((-net, name, edge, code))
            if offers:
                net, name, edge, code = min(offers)
                bet = settled(row, "moneyline", side, name, -net, edge)
                close = _together(late, code)
                if closed_together:
                    bet = replace(bet, clv=None if close is None else -net * close[0][side] - 1)
                yield bet


def _together(
    prices: dict[str, list[float] | None], without: str
) -> tuple[list[float], float] | None:
    """Return what bookmakers say of three outcomes together, and their margin; None of two."""
    votes = {
        code: each for code, each in prices.items() if each and sum(1 / odds for odds in each) >= 1
    }
    if len(votes) >= 4:
        chances = {code: [1 / odds for odds in fair_of(each)] for code, each in votes.items()}
        votes = {code: each for code, each in votes.items() if not _is_far_off(chances, code)}
    said = [each for code, each in votes.items() if code != without]
    if len(said) < 3:
        return None
    sums = [0.0, 0.0, 0.0]
    for each in said:
        for side, odds in enumerate(fair_of(each)):
            sums[side] += math.log(1 / (odds - 1))
    chances = [1 / (1 + math.exp(-total / len(said))) for total in sums]
    margin = sum(sum(1 / odds for odds in each) for each in said) / len(said)
    return [each / sum(chances) for each in chances], min(max(margin, 1.0), 1.05)


def _is_far_off(chances: dict[str, list[float]], code: str) -> bool:
    """Return whether one line is another opinion than those of the others, by any of its sides.

    By 3 points from their median and by four times what they differ from it themselves.
    """
    others = [each for other, each in chances.items() if other != code]
    for own, *theirs in zip(chances[code], *others, strict=True):
        logits = [math.log(chance / (1 - chance)) for chance in theirs]
        middle = statistics.median(logits)
        spread = statistics.median(abs(each - middle) for each in logits)
        off = abs(math.log(own / (1 - own)) - middle)
        if abs(own - 1 / (1 + math.exp(-middle))) >= 0.03 and off > 4 * spread:
            return True
    return False


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file of football-data."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [row for row in csv.DictReader(file) if row["HomeTeam"]]


def _of_market(
    row: dict[str, str],
    market: str,
    judge: dict[str, str],
    method: str,
    closed_by: tuple[dict[str, str], str],
) -> Iterator[Bet]:
    sharp = prices_of(row, judge[market], market)
    line = figure_of(row, "AHh")
    if sharp is None or (market == "spread" and line is None):
        return
    total = sum(1 / odds for odds in sharp)
    if not 1 - 1e-9 <= total <= 1.05:
        return
    for side, odds in enumerate(sharp):
        fair, others = fair_of(sharp, method)[side], total - 1 / odds
        offers = []
        books = CODES if judge is REFERENCE else ALL | {"P": "Pinnacle"}
        for code, name in books.items():
            prices = prices_of(row, code, market)
            if prices is None or code == judge[market]:
                continue
            net = 1 + (prices[side] - 1) * (1 - COMMISSION.get(code, 0.0))
            share = decided_share(row, market, line, judge["moneyline"], method)
            edge = (net / fair / FLOOR - 1) * (1.0 if share is None else share)
            payout = 1 / net + others
            if (
                edge >= 0.01
                and net / fair / FLOOR - 1 <= MOST_EDGE[market]
                and 0.99 <= payout <= 1.05
                and net / fair <= 1.15
            ):
                offers.append((-net, name, edge))
        if offers:
            net, name, edge = min(offers)
            yield settled(row, market, side, name, -net, edge, closed_by)


def decided_share(
    row: dict[str, str], market: str, line: float | None, code: str, method: str
) -> float | None:
    """Only a handicap of zero tells how often the stake comes back: as often as a draw.

    None where it may come back and the prices of the other lines do not tell how often.
    """
    if market != "spread" or line is None or line % 1 == 0.5:
        return 1.0
    three = prices_of(row, code, "moneyline")
    if three is None or abs(line) > 0.25:
        return None
    draw = 1 / fair_of(three, method)[1]
    return 1 - draw if line == 0 else 1 - draw / 2


def settled(
    row: dict[str, str],
    market: str,
    side: int,
    name: str,
    net: float,
    edge: float,
    closed_by: tuple[dict[str, str], str] = (REFERENCE, EQUAL),
) -> Bet:
    """Return a bet of one unit with its result and its closing line value."""
    home, away = int(float(row["FTHG"])), int(float(row["FTAG"]))
    if market == "moneyline":
        result = "won" if row["FTR"] == "HDA"[side] else "lost"
    elif market == "total":
        result = "won" if (home + away > 2.5) == (side == 0) else "lost"
    else:
        result = _asian(home - away, float(row["AHh"]), side)
    wins = {"won": 1.0, "half_won": 0.5}.get(result, 0.0)
    loses = {"lost": 1.0, "half_lost": 0.5}.get(result, 0.0)
    whose, method = closed_by
    close = _close(row, market, side, whose[market], method)
    line = figure_of(row, "AHCh")
    share = decided_share(row, market, line, whose["moneyline"] + "C", method)
    return Bet(
        game=f"{row['HomeTeam']} vs {row['AwayTeam']}",
        market=market,
        side=side,
        bookmaker=name,
        net=net,
        expected=edge,
        result=result,
        profit=wins * (net - 1) - loses,
        clv=None if close is None else (net / close - 1) * (1.0 if share is None else share),
        decided=wins + loses,
        per="" if close is None else "decided" if share is None else "staked",
    )


def _asian(margin: int, line: float, side: int) -> str:
    """Settle two halves of a stake, each on a whole or half line."""
    sign = 1 if side == 0 else -1
    lines = [line] if (line * 2) % 1 == 0 else [line - 0.25, line + 0.25]
    ends = [math.copysign(1, x) if x else 0 for x in (sign * (margin + each) for each in lines)]
    told = {1: "won", 0.5: "half_won", 0: "void", -0.5: "half_lost", -1: "lost"}
    return told[sum(ends) / len(ends)]


def holds(rows: Iterable[dict[str, str]], code: str) -> list[float]:
    """Return what a bookmaker held before the close of each match result, in percent."""
    prices = (prices_of(row, code, "moneyline") for row in rows)
    return [100 - 100 / sum(1 / odds for odds in each) for each in prices if each]


def losses(rows: Iterable[dict[str, str]], code: str) -> list[float]:
    """Return the log loss of each match result by a bookmaker's last prices."""
    found = []
    for row in rows:
        prices = prices_of(row, code + "C", "moneyline") or prices_of(row, code, "moneyline")
        if prices:
            found.append(math.log(fair_of(prices)["HDA".index(row["FTR"])]))
    return found


def losses_vs_reference(rows: Iterable[dict[str, str]], code: str) -> list[float]:
    """Return how much more than the reference's that is, of the results that both closed."""
    found = []
    for row in rows:
        both = [losses([row], each) for each in (code, REFERENCE["moneyline"])]
        found += [own - other for own, other in zip(*both, strict=False)]
    return found


def _close(row: dict[str, str], market: str, side: int, code: str, method: str) -> float | None:
    prices = prices_of(row, code + "C", market)
    if prices is None or (market == "spread" and float(row["AHCh"]) != float(row["AHh"])):
        return None
    return fair_of(prices, method)[side]


def fair_of(prices: list[float], method: str = EQUAL) -> list[float]:
    if method == PROPORTIONAL:
        return [odds * sum(1 / each for each in prices) for odds in prices]
    margin = sum(1 / odds for odds in prices) - 1
    return [1 / (1 / odds - margin / len(prices)) for odds in prices]


def prices_of(row: dict[str, str], code: str, market: str) -> list[float] | None:
    found = [figure_of(row, code + end) for end in ENDS[market]]
    prices = [odds for odds in found if odds is not None and odds > 1]
    if len(prices) < len(found):
        return None
    return prices if 0.97 <= sum(1 / odds for odds in prices) <= 1.2 else None


def figure_of(row: dict[str, str], column: str) -> float | None:
    text = row.get(column) or ""
    return float(text) if text.strip() else None


@dataclass(frozen=True)
class Sum:
    """What came of a season."""

    bets: int
    profit: float
    yield_pct: float
    expected: float
    clv_pct: float
    clv_bets: int
    beaten: int
    deepest: float
    z: float


def summed(bets: list[Bet]) -> Sum:
    """Add bets up, in the order given."""
    clv = [bet.clv for bet in bets if bet.clv is not None]
    total, peak, deepest = 0.0, 0.0, 0.0
    for bet in bets:
        total += bet.profit
        peak = max(peak, total)
        deepest = min(deepest, total - peak)
    spread, centre = chance(bets)
    return Sum(
        bets=len(bets),
        profit=total,
        yield_pct=total / len(bets) * 100,
        expected=sum(bet.expected for bet in bets),
        clv_pct=sum(clv) / len(clv) * 100,
        clv_bets=len(clv),
        beaten=sum(each > 0 for each in clv),
        deepest=deepest,
        z=(total - centre) / spread,
    )


def chance(bets: list[Bet]) -> tuple[float, float]:
    """Return the standard deviation and the mean of what bets earn that have no edge.

    Of the sides of a market of a game one wins at most: the variance of what is paid there is the
    mean of its square less the square of its mean.
    """
    variance, mean = 0.0, 0.0
    for place in dict.fromkeys((bet.game, bet.market) for bet in bets):
        sides = [bet for bet in bets if (bet.game, bet.market) == place]
        more = max(1.0, sum(1 / bet.net for bet in sides))
        paid = [(bet.decided * bet.net, 1 / bet.net / more) for bet in sides]
        usual = sum(each * share for each, share in paid)
        variance += sum(each**2 * share for each, share in paid) - usual**2
        mean += usual - sum(bet.decided for bet in sides)
    return math.sqrt(variance), mean


if __name__ == "__main__":
    print(summed(list(bets_of(read(Path(sys.argv[1]))))))
