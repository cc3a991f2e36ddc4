"""Keys of The Odds API for markets: what they are in the contract, and whose stats they mean."""

import re
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import msgspec

from oddsdesk.contract.competitions import played_sport

MARKET_TYPES: Final = MappingProxyType(
    {
        "h2h": "moneyline",
        "spreads": "spread",
        "alternate_spreads": "spread",
        "totals": "total",
        "alternate_totals": "total",
        "team_totals": "team_total",
        "alternate_team_totals": "team_total",
        "btts": "btts",
        "double_chance": "double_chance",
        "draw_no_bet": "draw_no_bet",
    }
)
PARTS_OF_SPORT: Final = MappingProxyType(
    {
        "Football": ("h1", "h2"),
        "Basketball": ("q1", "q2", "q3", "q4"),
        "Hockey": ("p1", "p2", "p3"),
        "Tennis": ("s1", "s2", "s3", "s4", "s5"),
        "AmericanFootball": ("h1",),
    }
)
"""Parts that the contract counts as periods 1, 2, ... of the sport."""
TENNIS_LINES: Final = MappingProxyType({"spread": "games_handicap", "total": "total_games"})
LAYS: Final = "h2h_lay"
"""Lay odds for h2h at an exchange, which the source lists as a separate market."""
ALTERNATE: Final = "_alternate"
"""Ending of the markets with all lines of a player."""
_PART: Final = re.compile(r"(.+)_([hqps])(\d)")
_PLAYER: Final = re.compile(rf"((?:player|batter|pitcher)_(.+?))(?:{ALTERNATE})?")

_WITH_LADDERS: Final = (
    "player_assists player_field_goals player_kicking_points player_pass_attempts"
    " player_pass_completions player_pass_interceptions player_pass_longest_completion"
    " player_pass_rush_yds player_pass_rush_reception_tds player_pass_rush_reception_yds"
    " player_pass_tds player_pass_yds player_pats player_receptions player_reception_longest"
    " player_reception_tds player_reception_yds player_rush_attempts player_rush_longest"
    " player_rush_reception_tds player_rush_reception_yds player_rush_tds player_rush_yds"
    " player_sacks player_solo_tackles player_tackles_assists"
    " player_points player_rebounds player_blocks player_steals player_turnovers player_threes"
    " player_points_assists player_points_rebounds player_rebounds_assists"
    " player_points_rebounds_assists player_fantasy_points"
    " batter_total_bases batter_home_runs batter_hits batter_rbis batter_walks batter_strikeouts"
    " batter_runs_scored batter_hits_runs_rbis batter_singles batter_doubles batter_triples"
    " batter_fantasy_score pitcher_hits_allowed pitcher_walks pitcher_earned_runs"
    " pitcher_strikeouts pitcher_outs"
    " player_power_play_points player_goals player_shots_on_goal player_blocked_shots"
    " player_total_saves"
)
"""Their player markets whose ``_alternate`` has all lines; the plain one has the main line."""
_WITHOUT: Final = (
    "player_defensive_interceptions player_pass_yds_q1 player_tds_over player_1st_td"
    " player_anytime_td player_last_td"
    " player_points_q1 player_rebounds_q1 player_assists_q1 player_blocks_steals"
    " player_frees_made player_frees_attempts player_first_basket player_first_team_basket"
    " player_double_double player_triple_double player_method_of_first_basket"
    " batter_first_home_run batter_stolen_bases pitcher_record_a_win"
    " player_goal_scorer_first player_goal_scorer_last player_goal_scorer_anytime"
    " player_disposals player_disposals_over player_goals_scored_over player_marks_over"
    " player_marks_most player_tackles_over player_tackles_most player_afl_fantasy_points"
    " player_afl_fantasy_points_over player_afl_fantasy_points_most player_clearances_over"
    " player_kicks_over player_handballs_over"
    " player_try_scorer_first player_try_scorer_last player_try_scorer_anytime"
    " player_try_scorer_over"
    " player_first_goal_scorer player_last_goal_scorer player_to_receive_card"
    " player_to_receive_red_card player_shots_on_target player_shots"
)
"""The others, which have all lines themselves."""
_OTHER_WORDS: Final = MappingProxyType(
    {"batter_strikeouts": "batter strikeouts", "pitcher_walks": "walks allowed"}
)
"""Stats of markets whose last words another market has, too."""


def _stat(key: str) -> str:
    return _OTHER_WORDS.get(key) or key.partition("_")[2].replace("_", " ")


PLAYER_KEYS: Final = MappingProxyType(
    {_stat(key): key for key in f"{_WITH_LADDERS} {_WITHOUT}".split()}
)
"""Their market of each stat, without ``_alternate``."""
_LADDERS: Final = frozenset(map(_stat, _WITH_LADDERS.split()))
_LONGEST: Final = max(len(stat.split(" ")) for stat in PLAYER_KEYS)


class MarketKind(msgspec.Struct, frozen=True):
    """A market of the contract; ``stat`` is what a player's price is about."""

    market_type: str
    period: int = 0
    stat: str = ""


def market_kind(key: str, competition: str) -> MarketKind | None:
    """Return the market of a key such as ``totals_h1``; None if the contract has no such market."""
    if player := _PLAYER.fullmatch(key):
        return MarketKind("player_prop", stat=_stat(player[1]))
    if whole := MARKET_TYPES.get(key):
        return MarketKind(whole)
    part = _PART.fullmatch(key)
    periods = PARTS_OF_SPORT.get(played_sport(competition), ())
    if part is None or part[1] not in MARKET_TYPES or part[2] + part[3] not in periods:
        return None
    return MarketKind(MARKET_TYPES[part[1]], period=int(part[3]))


def has_all_lines(key: str) -> bool:
    """Return whether a market has all lines, not only the main one."""
    player = _PLAYER.fullmatch(key)
    if player is None:
        return key.startswith("alternate_")
    return key.endswith(ALTERNATE) or _stat(player[1]) not in _LADDERS


def is_about(key: str, stat: str) -> bool:
    """Return whether a market is the one of a stat: ``player_hits`` is not, it is a batter's."""
    known = PLAYER_KEYS.get(stat)
    return known is None or known == key.removesuffix(ALTERNATE)


@lru_cache(maxsize=1 << 14)
def player_of(subject: str, stat: str) -> str | None:
    """Return the player of ``Bo Ek points``; None if it is about another stat.

    ``Bo Ek points assists`` is not about assists, but about both together.
    """
    words = subject.split(" ")
    count = len(stat.split(" "))
    if len(words) <= count or " ".join(words[-count:]).casefold() != stat:
        return None
    longest = _longest_stat(words)
    if longest > count:
        return None
    before = words[:-count]
    added = _longest_stat(before)
    is_sum = added and before[-1].islower() == words[-1].islower()  # ``Al Sacks points`` is none
    return None if is_sum else " ".join(before)


@lru_cache(maxsize=1 << 14)
def keys_of_player(subject: str) -> tuple[str, ...]:
    """Return their markets of ``Bo Ek points``: none if they do not have the stat."""
    words = subject.split(" ")
    count = _longest_stat(words)
    stat = " ".join(words[-count:]).casefold()
    if not count or player_of(subject, stat) is None:
        return ()
    key = PLAYER_KEYS[stat]
    return (key, f"{key}{ALTERNATE}") if stat in _LADDERS else (key,)


def _longest_stat(words: list[str]) -> int:
    """Return how many of the last words are one of their stats."""
    for count in range(min(_LONGEST, len(words) - 1), 0, -1):
        if " ".join(words[-count:]).casefold() in PLAYER_KEYS:
            return count
    return 0
