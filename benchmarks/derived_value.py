"""Tests on a recorded log whether value bets on modelled fair odds beat the close.

    python benchmarks/derived_value.py season.db --market spread

The sharp book's prices of one market are hidden from the desk until kick-off, so its rules judge
that market by derived fair odds alone. The bets are then compared with the sharp book's real close
on these lines, and with the bets that its own prices would have picked. Intervals
are 95 %, by game.

    python benchmarks/derived_value.py odds.db --count

counts how many present prices of other bookmakers are judged by the sharp book's own line, by an
implied one, by a modelled one, or not at all, and how many of them are value.
"""

import argparse
import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.bet_sources import board_of, moment_of_database
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.own_tables import known_bands, known_bookmakers
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.derived import Band, Bands
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS
from oddsdesk.pricing.value import ReferenceLine
from oddsdesk.research.backtest_summary import Summary, summary
from oddsdesk.research.backtests import run_backtest
from oddsdesk.research.derived_errors import errors_of, name_of, priced_games
from oddsdesk.research.question import Question
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.store.reader import Reader
from oddsdesk.store.spans import LoggedMove
from oddsdesk.store.store import open_store

WIDTHS = (1.0, 0.5, 0.02)
"""Shares of the measured band; the last one is nearly no band."""


class SomeRows:
    """The rows of a log that pass a condition."""

    def __init__(self, rows: Any, is_shown: Callable[[LoggedMove], bool]) -> None:
        self._rows = rows
        self._is_shown = is_shown

    def move_batches(self, since_ms: int, before_ms: int) -> Iterator[Sequence[LoggedMove]]:
        """Yield the moves of a span."""
        for rows in self._rows.move_batches(since_ms, before_ms):
            yield list(filter(self._is_shown, rows))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)


def log_with(reader: Reader, is_shown: Callable[[LoggedMove], bool]) -> RecordedLog:
    """Return the log of a database with some of its rows."""
    log = RecordedLog(reader)
    rows: Any = SomeRows(log.rows, is_shown)
    log.rows = rows
    return log


def bets_of(question: Question, log: RecordedLog, market: str) -> dict[str, list[PlacedBet]]:
    """Return the bets on a market, by how their fair odds were derived."""
    done = run_backtest(log, question, system_clock())
    found: dict[str, list[PlacedBet]] = {}
    for bet in done.bets:
        mark = done.derived.get(bet.ident)
        if bet.market_type == market and (mark is None or not mark.has_implied_close):
            found.setdefault("own line" if mark is None else mark.kind, []).append(bet)
    return found


def narrowed(bands: Bands, share: float) -> dict[Any, Band]:
    """Return bands with a share of their width."""
    return {key: band._replace(error=band.error * share) for key, band in bands.items()}


def line(name: str, bets: Sequence[PlacedBet]) -> str:
    """Return the figures of some bets."""
    found: Summary = summary(bets)
    games = len({bet.game_id for bet in bets})
    clv, profit = (
        f"{figure:+6.2f} % {_ends(*ends)}" if figure is not None else "none"
        for figure, ends in ((found.clv_pct, found.clv_range), (found.yield_pct, found.yield_range))
    )
    text = f"{len(bets):4} bets in {games:4} games; CLV {clv} over {found.clv_bets}; yield {profit}"
    return f"{name:34} {text}"


def _ends(low: float | None, high: float | None) -> str:
    return "[?]" if low is None or high is None else f"[{low:+.2f} to {high:+.2f}]"


def print_moves(reader: Reader, question: Question, market: str) -> None:
    """Print whether the model knows where the sharp book's own lines will close.

    Each line is predicted from the other lines that stood before the last prices. The slope says
    how much of the difference between model and price the price moves until the close: 1 if the
    model is right, 0 if it adds nothing. The interval assumes one line a game, and files with two
    moments: days before, and the close.
    """
    before = log_with(reader, lambda row: row.match_date is None or row.scraped_at < row.match_date)
    now_ms, how = system_clock(), {"method": question.method}
    first, last = (
        {
            (game.game_id, game.period): game
            for game in priced_games(log, question.reference, now_ms, **how)
        }
        for log in (before, RecordedLog(reader))
    )
    found = list[tuple[float, float]]()
    for key, game in first.items():
        closes = {name_of(line): line for line in last[key].lines} if key in last else {}
        for error in errors_of(game):
            close = closes.get(error.name)
            own = next(line for line in game.lines if name_of(line) == error.name)
            if close is not None and error.given == "all" and error.name.market_type == market:
                side = own.group.sides[0]
                moved = 1 / fair_of(close, side) - 1 / fair_of(own, side)
                found.append((error.bias, moved))
    if len(found) < 2:
        return
    x_mean, y_mean = (fmean(each) for each in zip(*found, strict=True))
    spread = sum((x - x_mean) ** 2 for x, _ in found)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in found) / spread
    parts = [((y - y_mean - slope * (x - x_mean)) * (x - x_mean)) ** 2 for x, y in found]
    reach = 1.96 * math.sqrt(sum(parts)) / spread  # White (1980)
    model, own_line = (
        fmean(map(abs, far)) * 100 for far in ([y - x for x, y in found], [y for _, y in found])
    )
    print(f"{len(found)} lines that stood at the close: slope {slope:+.2f} (95 % +-{reach:.2f});")
    print(f"mean distance to the close {model:.2f} points by the model, {own_line:.2f} by the line")


def fair_of(line: ReferenceLine, side: str) -> float:
    """Return the fair odds of a side that has some."""
    return line.prices[side].fair_odds or math.inf


def print_counts(database: Path) -> None:
    """Print how many present prices are judged in each way, by sport."""
    now_ms = system_clock()
    board = board_of(moment_of_database(database, now_ms), now_ms, derived="all")
    ways: dict[str, Counter[str]] = {}
    for game in board.held_games():
        matrix = board.matrix(game)
        for section in () if matrix is None else matrix.sections:
            line = section.reference
            for row in section.rows:
                own = "own line" if line is None or line.derived is None else line.derived.kind
                way = "not judged" if row.fair is None else own
                prices = sum(price.is_offered for _, price in row.others())
                for sport in (section.sport, "all sports"):
                    ways.setdefault(sport, Counter())[way] += prices
    for sport, counts in sorted(ways.items()):
        print(f"{sport:12}", ", ".join(f"{way} {count:,}" for way, count in counts.most_common()))
    value = [price for price in board.value_bets.values() if price.is_value]
    print("value:", dict(Counter(price.assessment.derived or "own line" for price in value)))


def main() -> None:
    """Print a line for each way of judging the market."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("database", type=Path)
    parser.add_argument("--market", default="spread", help="the market whose prices are hidden")
    parser.add_argument("--method", choices=METHODS, default=DEFAULT_METHOD)
    parser.add_argument("--reference", help="the sharp book; default: the database's")
    parser.add_argument("--count", action="store_true", help="count the prices that are judged")
    asked = parser.parse_args()
    if asked.count:
        print_counts(asked.database)
        return
    bands = known_bands(asked.method).bands
    with contextlib.closing(open_store(asked.database, asked.reference, read_only=True)) as store:
        question = Question(
            reference=store.reference,
            method=asked.method,
            profiles=known_bookmakers().profiles,
            close=CloseBy(store.reference, asked.method),
        )
        reader, market = store.reader(), asked.market

        def is_shown(row: LoggedMove) -> bool:
            return (row.bookmaker, row.market_type) != (store.reference, market)

        print_moves(reader, question, market)
        for name, bets in bets_of(question, RecordedLog(reader), asked.market).items():
            print(line(f"judged by the {name}", bets))
        for share in WIDTHS:
            log = log_with(reader, is_shown)
            derived = msgspec.structs.replace(question, derived="all", bands=narrowed(bands, share))
            found = bets_of(derived, log, asked.market)
            for kind in ("implied", "modelled") if share == 1 else ("modelled",):
                width = "" if kind == "implied" else f", band x {share:g}"
                print(line(f"hidden, {kind}{width}", found.get(kind, [])))


if __name__ == "__main__":
    main()
