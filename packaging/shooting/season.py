"""A made-up season of football for pictures: prices before the close, closing prices, results."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

_TEAMS: Final = (
    *("Rosenhof", "Altdorf", "Kirchfeld", "Lindenau", "Waldstein"),
    *("Neustadt", "Seeburg", "Talheim", "Bergen", "Moorbach"),
)
_MARGINS: Final = {"PS": 0.032, "B365": 0.055, "BW": 0.06, "WH": 0.052, "1XB": 0.03}
_ENDS: Final = ("H", "D", "A")
_SEED: Final = 11
_DAY: Final = timedelta(days=1)


def season(now: datetime) -> Iterator[str]:
    """Yield the lines of a file of football-data's form, of games that are over."""
    chance = random.Random(_SEED)
    columns = [f"{code}{phase}{end}" for code in _MARGINS for phase in ("", "C") for end in _ENDS]
    yield ",".join(["Div", "Date", "Time", "HomeTeam", "AwayTeam", "FTHG", "FTAG", *columns])
    pairs = [(home, away) for home in _TEAMS for away in _TEAMS if home != away] * 3
    for number, (home, away) in enumerate(pairs):
        day = now - _DAY * (2 + len(pairs) - number)
        before = _chances(chance)
        close = _whole([each * chance.uniform(0.96, 1.04) for each in before])
        winner = chance.choices(range(3), close)[0]
        goals = ("2", "0") if winner == 0 else ("1", "1") if winner == 1 else ("0", "1")
        odds = [
            f"{_price(chance, chances[end], margin):.2f}"
            for margin in _MARGINS.values()
            for chances in (before, close)
            for end in range(3)
        ]
        yield ",".join(["E0", f"{day:%d/%m/%Y}", "15:00", home, away, *goals, *odds])


def _chances(chance: random.Random) -> list[float]:
    return _whole([chance.uniform(0.8, 2.4), chance.uniform(0.8, 1.1), chance.uniform(0.6, 1.8)])


def _whole(parts: list[float]) -> list[float]:
    return [part / sum(parts) for part in parts]


def _price(chance: random.Random, probability: float, margin: float) -> float:
    wobble = 1.004 if margin == _MARGINS["PS"] else chance.uniform(0.965, 1.07)
    return max(wobble / (probability * (1 + margin)), 1.01)
