"""Finding who wants a change among thousands of different interests, compared with asking each.

python benchmarks/interests.py
"""

import time
from collections.abc import Callable
from random import Random
from statistics import median
from typing import cast

from oddsdesk.server.stream.hub import Channel, Interest, Subscriber, Subscribers
from oddsdesk.store.keys import Caller
from oddsdesk.store.values import Change

GAMES = 4_000
COMPETITIONS = 100
BOOKMAKERS = 10
CHANGES = 2_000
PLAIN_CHANGES = 50
ROUNDS = 5


def interests() -> list[Interest]:
    """Return what a large public service sees: most follow a game, some a competition or book."""
    found = [Interest(), Interest(live=False)]
    found += [Interest(game_id=f"g{number}") for number in range(GAMES)]
    found += [Interest(competition=f"c{number}") for number in range(COMPETITIONS)]
    found += [
        Interest(competition=f"c{number}", bookmaker=f"b{book}")
        for number in range(COMPETITIONS)
        for book in range(BOOKMAKERS)
    ]
    found += [Interest(bookmaker=f"b{book}") for book in range(BOOKMAKERS)]
    return found


def changes() -> list[Change]:
    """Return changes of games that some follow."""
    chance = Random(7)
    found = []
    for number in range(CHANGES):
        game = chance.randrange(GAMES)
        found.append(
            Change(
                seq=number,
                game=game,
                game_id=f"g{game}",
                match_name="A - B",
                competition=f"c{game % COMPETITIONS}",
                sport="Soccer",
                bookmaker=f"b{chance.randrange(BOOKMAKERS)}",
                market_type="1X2",
                period=0,
                selection="A",
                odds=2.0,
                is_live=chance.random() < 0.3,
                scraped_at=0,
                liquidity=None,
            )
        )
    return found


def asked(change: Change, all_interests: list[Interest]) -> list[Interest]:
    """Return who wants a change by asking everyone."""
    return [
        each
        for each in all_interests
        if (each.live or not change.is_live)
        and each.sport in (None, change.sport)
        and each.competition in (None, change.competition)
        and each.bookmaker in (None, change.bookmaker)
        and each.game_id in (None, change.game_id)
    ]


def us_each(work: Callable[[Change], object], of: list[Change]) -> float:
    """Return the microseconds of processor time a change, the median of some rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for change in of:
            work(change)
        taken.append((time.process_time() - began) * 1e6 / len(of))
    return median(taken)


def main() -> None:
    """Print both figures."""
    wanted, moved = interests(), changes()
    subscribers = Subscribers()
    for each in wanted:
        subscribers.add_subscriber(Subscriber(cast(Channel, None), each, cast(Caller, None)))
    for change in moved[:PLAIN_CHANGES]:
        assert set(asked(change, wanted)) == set(subscribers.interests_in(change, {}))
    found = us_each(lambda change: [*subscribers.interests_in(change, {})], moved)
    plain = us_each(lambda change: asked(change, wanted), moved[:PLAIN_CHANGES])
    print(f"{len(wanted):,} interests: {found:.1f} us a change, asking each {plain:,.0f} us")


if __name__ == "__main__":
    main()
