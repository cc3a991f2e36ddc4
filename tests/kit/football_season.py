"""A made-up season as a file of football-data.co.uk, the same for the same seed.

Ten teams, home and away: 90 games on 18 Saturdays. Goals are Poisson numbers. Pinnacle knows the
true chances but for a small error, and its closing odds are better than its opening odds. The other
bookmakers have larger margins and errors. The first game has no odds of Pinnacle, the second none
at the close, and the last has no score.
"""

import csv
import io
import math
from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Final

TEAMS: Final = (
    *("Ashford", "Bexley", "Corby", "Dover", "Ely"),
    *("Frome", "Gosport", "Hove", "Ilford", "Jarrow"),
)
"""From strong to weak."""
BOOKS: Final = {"PS": (0.025, 0.02), "B365": (0.055, 0.09), "WH": (0.06, 0.11)}
"""Code, margin, and error of the chances in log-odds at the opening; half of it at the close."""
_FIRST: Final = date(2024, 8, 17)
_MOST_GOALS: Final = 12


def season_csv(seed: int = 3) -> str:
    """Return the text of the file."""
    chance = Random(seed)
    rows = [_row(home, away, day, chance) for home, away, day in _fixtures()]
    for column in ("PSH", "PSD", "PSA", "PSCH", "PSCD", "PSCA"):
        rows[0][column] = ""
        rows[1][column] = "" if "C" in column else rows[1][column]
    for column in ("FTHG", "FTAG", "HTHG", "HTAG"):
        rows[-1][column] = ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _fixtures() -> Iterator[tuple[int, int, date]]:
    """Yield places of home and away team, and the day; by the circle method."""
    count = len(TEAMS)
    for number in range(2 * (count - 1)):
        turned = [0, *(1 + (place + number) % (count - 1) for place in range(count - 1))]
        for place in range(count // 2):
            one, other = turned[place], turned[-1 - place]
            home, away = (one, other) if (number + place) % 2 == 0 else (other, one)
            if number >= count - 1:
                before = (number - (count - 1) + place) % 2 == 0
                home, away = (other, one) if before else (one, other)
            yield home, away, _FIRST + timedelta(weeks=number)


def _row(home: int, away: int, day: date, chance: Random) -> dict[str, object]:
    means = (1.5 * math.exp((away - home) * 0.07), 1.2 * math.exp((home - away) * 0.07))
    halves = [[_poisson(mean / 2, chance) for _ in range(2)] for mean in means]
    row: dict[str, object] = {
        "Div": "E0",
        "Date": f"{day:%d/%m/%Y}",
        "Time": "15:00",
        "HomeTeam": TEAMS[home],
        "AwayTeam": TEAMS[away],
        "FTHG": sum(halves[0]),
        "FTAG": sum(halves[1]),
        "HTHG": halves[0][0],
        "HTAG": halves[1][0],
    }
    true = _chances(*means)
    for phase, share in (("", 1.0), ("C", 0.5)):
        odds = {
            book: _odds(true, margin, error * share, chance)
            for book, (margin, error) in BOOKS.items()
        }
        for book, prices in odds.items():
            row |= {
                f"{book}{phase}{side}": price for side, price in zip("HDA", prices, strict=True)
            }
        for side, prices in zip("HDA", zip(*odds.values(), strict=True), strict=True):
            row[f"Max{phase}{side}"] = max(prices)
            row[f"Avg{phase}{side}"] = round(sum(prices) / len(prices), 2)
    return row


def _poisson(mean: float, chance: Random) -> int:
    left, goals = chance.random(), 0
    while left > (share := _share(mean, goals)):
        left -= share
        goals += 1
    return goals


def _share(mean: float, goals: int) -> float:
    return math.exp(-mean) * mean**goals / math.factorial(goals)


def _chances(home: float, away: float) -> tuple[float, float, float]:
    grid = {
        (one, other): _share(home, one) * _share(away, other)
        for one in range(_MOST_GOALS)
        for other in range(_MOST_GOALS)
    }
    wins = sum(each for (one, other), each in grid.items() if one > other)
    draws = sum(each for (one, other), each in grid.items() if one == other)
    return wins, draws, 1 - wins - draws


def _odds(true: tuple[float, ...], margin: float, error: float, chance: Random) -> list[float]:
    said = [each * math.exp(chance.gauss(0, error)) for each in true]
    total = sum(said) / (1 + margin)
    return [max(1.01, round(total / each, 2)) for each in said]
