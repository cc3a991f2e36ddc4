"""Made-up quotes of as many games as a day has, with names that sort and escape badly."""

import itertools
import random
from collections.abc import Iterator

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS

TEAMS = (
    "Arsenal", "AZ", "Ålesund", "aik", "Żylina", "Zürich", "Çaykur", "日本代表", "Real 'B'",
    'Club "A"', "St. Pauli 🎾", "Ajax\\Amsterdam", "FC <Köln>", "O’Higgins", "Étoile", "zebre",
)  # fmt: skip
COMPETITIONS = ("EPL", "NBA", "ATP Wien", "Liga Própria", "epl", "ÖBL")
BOOKMAKERS = ("Pinnacle", "Bet365", "bwin", "Betway", "Écart", "Zweeler", "888", "10Bet")
MARKETS = ("moneyline", "total", "btts", "spread")
AGES = (0, 0, 0, 1, 3, 9, 10, 11, 25, 61)
LINES = (0.5, 1.5, 2.5, 3.5)


def many_quotes(count: int, now: int, seed: int = 1) -> list[Quote]:
    """Return quotes in random order of ages, some in play, withdrawn or without a date."""
    dice = random.Random(seed)
    return list(itertools.islice(_quotes(dice, now), count))


def _quotes(dice: random.Random, now: int) -> Iterator[Quote]:
    for number in itertools.count():
        home, away = dice.sample(TEAMS, 2)
        game = f"{home} {number} - {away}"
        competition = dice.choice(COMPETITIONS)
        date = None if dice.random() < 0.1 else now + dice.randrange(-30, 600) * 10 * MINUTE_MS
        live = dice.random() < 0.2
        for bookmaker in dice.sample(BOOKMAKERS, dice.randrange(1, len(BOOKMAKERS))):
            for market in MARKETS:
                for period in (0, 1)[: dice.randrange(3)]:
                    yield Quote(
                        bookmaker=bookmaker,
                        match_name=game,
                        competition=competition,
                        market_type=market,
                        period=period,
                        odds=_odds(dice, market, home, away),
                        scraped_at=now - dice.choice(AGES) * MINUTE_MS - dice.randrange(2),
                        is_live=live and dice.random() < 0.7,
                        match_date=date,
                        url=dice.choice((None, f"https://example.com/{number}?a=\"b\"&c='d'\\")),
                        liquidity=dice.choice((None, 500.0, dice.random() * 1e6, 1e-7, 1e22)),
                    )


def _odds(dice: random.Random, market: str, home: str, away: str) -> dict[str, float]:
    if dice.random() < 0.05:
        return {}
    prices = [dice.choice((1.0 + dice.random(), round(1 + dice.random() * 9, 2))) for _ in "abc"]
    line = dice.choice(LINES)
    names = {
        "moneyline": (home, "Draw", away),
        "total": (f"Over {line}", f"Under {line}"),
        "btts": ("Yes", "No"),
        "spread": (f"{home} -{line}", f"{away} +{line}"),
    }[market]
    return dict(zip(names, prices, strict=False))
