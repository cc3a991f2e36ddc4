"""Quotes as they stand at one moment, read for the second count of bets (`tests.money_count`).

Shares no code with `oddsdesk`: its input are the lines that `oddsdesk import ... --to -` writes,
and those of the file of bookmakers.
"""

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

HANDICAPS = ("spread", "games_handicap")
TOTALS = ("total", "total_games", "team_total", "player_prop")
DRAWS = ("draw", "tie", "x", "unentschieden", "remis", "empate", "nul", "match nul", "pareggio")
DRAWS += ("gelijkspel", "draw/tie")
HOME, DRAW, AWAY, OVER, UNDER, YES, NO = "home", "draw", "away", "over", "under", "yes", "no"

Group = tuple[str, float | None]
"""What a line is about besides its market, and the line: `("Home", 1.5)`; home's handicap."""


@dataclass(frozen=True)
class Profile:
    """What a bookmaker keeps, in shares of 1."""

    commission: float = 0.0
    tax: float = 0.0
    taker_fee: float = 0.0

    def net(self, odds: float) -> float:
        if self.taker_fee:
            price = 1 / odds
            return 1 / (price + self.taker_fee * price * (1 - price))
        return (1 + (odds - 1) * (1 - self.commission)) * (1 - self.tax)

    def net_against(self, lay_odds: float) -> float:
        """What a unit of liability brings back if a lay wins: the backer's stake less commission.

        Only for exchanges that charge commission and nothing else.
        """
        assert not self.tax
        assert not self.taker_fee
        liability = lay_odds - 1
        return (liability + 1 - self.commission) / liability


@dataclass(frozen=True, eq=False)
class Quote:
    """One bookmaker's prices of one market of one game; `odds` by selection as written."""

    game: tuple[str, str]
    sport: str
    bookmaker: str
    market_type: str
    period: int
    live: bool
    seen: datetime
    kickoff: datetime | None
    odds: dict[str, float]
    lays: dict[str, float]
    """The lowest odds at which a selection can be laid."""

    @property
    def market(self) -> tuple[tuple[str, str], str, int]:
        return self.game, self.market_type, self.period

    @cached_property
    def sides(self) -> dict[str, tuple[Group, str] | None]:
        """Each selection as line and side; None where it could not be read."""
        teams = re.sub(r" \(\d{4}-\d\d-\d\d\)$", "", self.game[1]).split(" vs ")
        return {text: _read(self.market_type, teams, text) for text in self.odds}


def read_profiles(lines: Iterable[str]) -> dict[str, Profile]:
    """Return the profiles of a file of bookmakers (shares in percent), aliases included."""
    profiles = {}
    for line in csv.DictReader(line for line in lines if not line.startswith("#")):
        shares = (float(line[name] or 0) / 100 for name in ("commission", "tax", "taker_fee"))
        profile = Profile(*shares)
        for name in (line["name"], *filter(None, line["aliases"].split("|"))):
            profiles[name] = profile
    return profiles


def read_quotes(lines: Iterable[str]) -> list[Quote]:
    """Return the quotes that stand: of the same market and bookmaker the newest, else the last."""
    found = [json.loads(line) for line in lines if line.strip()]
    names = _game_names(found)
    standing: dict[tuple, Quote] = {}
    for line in found:
        quote = _quote(line, names)
        key = (*quote.market, quote.bookmaker)
        if key not in standing or quote.seen >= standing[key].seen:
            standing[key] = quote
    return list(standing.values())


def _game_names(found: list[dict]) -> dict[tuple, str]:
    """Two games of the same teams more than 6 h apart: the later carry their date (D31)."""
    kickoffs = defaultdict(set)
    for line in found:
        kickoffs[line["competition"], line["match_name"]].add(line.get("match_date"))
    names = {}
    for (competition, name), dates in kickoffs.items():
        begins, called = None, name
        for date in sorted(dates, key=lambda date: date or ""):
            if begins and _time(date) - begins > timedelta(hours=6):
                called = f"{name} ({date[:10]})"
            if date and (begins is None or called.endswith(f"({date[:10]})")):
                begins = _time(date)
            names[competition, name, date] = called
    return names


def _quote(line: dict, names: dict[tuple, str]) -> Quote:
    competition, kickoff = line["competition"], line.get("match_date")
    return Quote(
        (competition, names[competition, line["match_name"], kickoff]),
        line["sport"],
        line["bookmaker"],
        line["market_type"],
        line["period"],
        line.get("is_live", False),
        _time(line["scraped_at"]),
        _time(kickoff) if kickoff else None,
        line["odds"],
        {
            text: offer["lay"][0][0]
            for text, offer in (line.get("offers") or {}).items()
            if offer.get("lay") and text in line["odds"]
        },
    )


def _read(market_type: str, teams: list[str], text: str) -> tuple[Group, str] | None:
    """The line and the side that a selection names."""
    if market_type in TOTALS:
        if total := re.fullmatch(r"(?:(.+) )?(Over|Under) (\d+(?:\.\d+)?)", text):
            return (total[1] or "", float(total[3])), total[2].lower()
        return None
    if market_type in ("btts", "yes_no"):
        answer = re.fullmatch(r"(?:(.+) )?(Yes|No)", text)
        return ((answer[1] or "", None), answer[2].lower()) if answer else None
    name, line = text, None
    if market_type in (*HANDICAPS, "3way_handicap"):
        handicap = re.fullmatch(r"(.+) ([+-]?\d+(?:\.\d+)?)", text)
        if handicap is None:
            return None
        name, line = handicap[1], float(handicap[2])
    side = _side(teams, name)
    if side == AWAY and line is not None:
        line = -line
    return None if side is None else (("", line), side)


def _side(teams: list[str], name: str) -> str | None:
    if name in teams:
        return HOME if name == teams[0] else AWAY
    return DRAW if name.casefold() in DRAWS else None


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
