"""What 50 rules cost while 2,000 prices a second change: their share of a core.

A board of 60 games, 15 bookmakers and 10 markets each, without a service or a window. A second's
changes are applied, then everything is looked at once, as `oddsdesk watch` does each second; the
same is done without rules, and the difference is what alerts cost. Processor time, not the clock's.

    python benchmarks/alerts.py
"""

import argparse
import time
from random import Random

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.alerts.gate import Gate
from oddsdesk.board.alerts.rules import (
    AlertSettings,
    ConnectionRule,
    KickOffRule,
    OpportunityRule,
    Rule,
    SteamRule,
    TargetRule,
    ValueRule,
)
from oddsdesk.board.alerts.watching import AlertWatch
from oddsdesk.board.board import Board
from oddsdesk.board.opportunities.offers import LOOK_RESTS, Opportunities
from oddsdesk.contract.resources import OddsRow, PriceMessage
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.presets import BUILT_IN
from oddsdesk.pricing.opportunities import Split

GAMES, BOOKMAKERS = 60, ("Pinnacle", *(f"Bookmaker {number:02}" for number in range(1, 15)))
LINES = (1.5, 2.5, 3.5, 4.5)
NOW = 1_795_000_000_000
SHARE = 0.10


class Market:
    """Games whose prices wander."""

    def __init__(self) -> None:
        self.now = NOW
        self.board = Board(lambda: self.now)
        self.board.name_reference("Pinnacle")
        self.board.want_values(True)
        self._random = Random(7)
        exhaust(self.board.merge_rows(self._rows()))

    def second(self, changes: int) -> None:
        """Let a second pass in which so many prices change."""
        self.now += 1_000
        for _ in range(20):
            self.board.apply_all([self._message() for _ in range(changes // 20)])
        self.board.sweep()

    def _rows(self) -> list[OddsRow]:
        rows = []
        for game in range(GAMES):
            for bookmaker in BOOKMAKERS:
                fields = {
                    "bookmaker": bookmaker,
                    "match_name": f"Home {game} vs Away {game}",
                    "competition": "EPL",
                    "sport": "Football",
                    "is_live": False,
                    "match_date": format_ms(NOW + 86_400_000),
                    "scraped_at": format_ms(NOW),
                    "url": None,
                    "liquidity": None,
                }
                for period in (0, 1):
                    result = {f"Home {game}": 2.6, "Draw": 3.3, f"Away {game}": 2.7}
                    totals = {
                        f"{side} {line}": 1.88 for line in LINES for side in ("Over", "Under")
                    }
                    for market, odds in (("moneyline", result), ("total", totals)):
                        rows.append(
                            OddsRow(market_type=market, period=period, odds=odds, **fields)  # type: ignore[arg-type]
                        )
        return rows

    def _message(self) -> PriceMessage:
        chance = self._random
        game, line = chance.randrange(GAMES), chance.choice(LINES)
        return PriceMessage(
            chance.choice(BOOKMAKERS),
            f"Home {game} vs Away {game}",
            "EPL",
            "Football",
            "total",
            f"{chance.choice(('Over', 'Under'))} {line}",
            round(1.88 + chance.gauss(0, 0.02), 2),
            chance.randrange(2),
            False,
            format_ms(self.now),
        )


def fifty_rules() -> tuple[Rule, ...]:
    """Return rules of every kind."""
    rules: list[Rule] = [ValueRule(preset=BUILT_IN[n % 5].name, least_ev=n / 5) for n in range(20)]
    rules += [
        TargetRule(game=f"Home {n} vs Away {n}", market="total", selection="Over 2.5", odds=2.0)
        for n in range(16)
    ]
    rules += [SteamRule(groups=3 + n, points=2.0, minutes=5.0) for n in range(4)]
    rules += [OpportunityRule(least=n / 2) for n in range(6)]
    rules += [KickOffRule(minutes=10.0 + n) for n in range(2)]
    rules += [ConnectionRule(seconds=30.0 + n) for n in range(2)]
    return tuple(rules)


class Told:
    """The rules over a market; processor time of each part, in seconds."""

    def __init__(self, market: Market) -> None:
        settings = AlertSettings(rules=fifty_rules())
        self._market = market
        self._offered = Opportunities(market.board, lambda: market.now, Split)
        self._watch = AlertWatch(
            market.board,
            lambda: market.now,
            settings,
            Gate(settings, lambda: market.now),
            presets={each.name.casefold(): each.filter.passes for each in BUILT_IN},
            opportunities=self._offered,
        )
        exhaust(self._offered.looking())
        self._next_look = 0.0
        self.looks = self.ticks = 0.0

    def second(self) -> None:
        """Look as often as the command does."""
        began = time.process_time()
        if self._market.now >= self._next_look:
            exhaust(self._offered.looking())
            took = time.process_time() - began
            self.looks += took
            self._next_look = self._market.now + max(1.0, took * LOOK_RESTS) * 1_000
        began = time.process_time()
        self._watch.check_alerts()
        self.ticks += time.process_time() - began

    def close(self) -> None:
        """Let go of the board."""
        self._offered.stop_listening()
        self._watch.stop_listening()


def shares(market: Market, seconds: int, changes: int, told: Told | None) -> float:
    """Return the processor time of taking in a second's changes, notices included."""
    taken = 0.0
    for _ in range(seconds):
        began = time.process_time()
        market.second(changes)
        taken += time.process_time() - began
        if told is not None:
            told.second()
    return taken / seconds


def main() -> None:
    """Print what the board and the rules cost."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--changes", type=int, default=2_000)
    asked.add_argument("--seconds", type=int, default=20)
    given = asked.parse_args()
    market = Market()
    seconds, changes = given.seconds, given.changes
    before = shares(market, seconds, changes, None)
    told = Told(market)
    noticed = shares(market, seconds, changes, told)
    told.close()
    bare = (before + shares(market, seconds, changes, None)) / 2
    parts = {
        "hearing of changes": noticed - bare,
        "rules": told.ticks / seconds,
        "opportunities": told.looks / seconds,
    }
    print(f"{len(fifty_rules())} rules, {changes:,} changes a second, {seconds} seconds")
    print(f"{'the board alone':22}{bare:6.1%} of a core")
    for name, share in parts.items():
        print(f"{name:22}{share:6.1%}")
    print(f"{'alerts in all':22}{sum(parts.values()):6.1%}  (budget {SHARE:.0%})")


if __name__ == "__main__":
    main()
