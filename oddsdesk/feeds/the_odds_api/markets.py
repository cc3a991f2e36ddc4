"""Which market a key of The Odds API is, and what its outcomes select."""

import re
from types import MappingProxyType

import msgspec

from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.identity import fold_name
from oddsdesk.feeds.notation import line_text, signed_text
from oddsdesk.feeds.the_odds_api.shapes import Event, Outcome

_MARKET_TYPES = MappingProxyType(
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
_PART = re.compile(r"(.+)_([hqps])(\d)")
_PARTS_OF_SPORT = MappingProxyType(
    {
        "Football": ("h1", "h2"),
        "Basketball": ("q1", "q2", "q3", "q4"),
        "Hockey": ("p1", "p2", "p3"),
        "Tennis": ("s1", "s2", "s3", "s4", "s5"),
        "AmericanFootball": ("h1",),
    }
)
"""Parts that the contract counts as periods 1, 2, ... of the sport (D8)."""
_PLAYER = re.compile(r"(?:player|batter|pitcher)_(.+?)(?:_alternate)?")
_TENNIS = MappingProxyType({"spread": "games_handicap", "total": "total_games"})
DRAW_NAMES = ("Draw", "Tie")
_FEWEST_GAMES = 6.0
"""A tennis total below the games of one set counts sets."""

Order = tuple[str, float, int]
"""Where a selection stands among others of its market (D7): subject, line, side."""


class UnreadOutcomeError(ValueError):
    """An outcome that selects nothing known; the message is the reason it is counted by."""


class MarketKind(msgspec.Struct, frozen=True):
    """A market of the contract; ``stat`` is what a player's price is about."""

    market_type: str
    period: int = 0
    stat: str = ""


def market_kind(key: str, competition: str) -> MarketKind | None:
    """Return the market of a key such as ``totals_h1``; None for one that has no place here."""
    if player := _PLAYER.fullmatch(key):
        return MarketKind("player_prop", stat=player[1].replace("_", " "))
    if whole := _MARKET_TYPES.get(key):
        return MarketKind(whole)
    part = _PART.fullmatch(key)
    periods = _PARTS_OF_SPORT.get(played_sport(competition), ())
    if part is None or part[1] not in _MARKET_TYPES or part[2] + part[3] not in periods:
        return None
    return MarketKind(_MARKET_TYPES[part[1]], period=int(part[3]))


def market_type_of(kind: MarketKind, outcome: Outcome, competition: str) -> str:
    """Return the market type of an outcome: tennis lines count games unless plainly sets."""
    if played_sport(competition) != "Tennis" or kind.period:
        return kind.market_type
    in_sets = kind.market_type == "total" and (outcome.point or 0.0) < _FEWEST_GAMES
    return kind.market_type if in_sets else _TENNIS.get(kind.market_type, kind.market_type)


def selection(kind: MarketKind, outcome: Outcome, event: Event) -> tuple[str, Order]:
    """Return the text of what an outcome selects (D7, D36) and where it stands.

    Raises:
        UnreadOutcomeError: it names no side, team or line that the market has.
    """
    match kind.market_type:
        case "moneyline" | "draw_no_bet":
            return _side(outcome, event, draw=kind.market_type == "moneyline")
        case "spread":
            return _handicap(outcome, event)
        case "total":
            return _over_under("", outcome)
        case "team_total":
            return _team_total(outcome, event)
        case "player_prop":
            return _player(kind.stat, outcome)
        case "double_chance":
            return _double_chance(outcome, event)
        case _:
            return _yes_no("", outcome)


def _side(outcome: Outcome, event: Event, *, draw: bool) -> tuple[str, Order]:
    if draw and outcome.name in DRAW_NAMES:
        return "Draw", ("", 0.0, 1)
    team, rank = _team(outcome.name, event)
    return team, ("", 0.0, rank)


def _handicap(outcome: Outcome, event: Event) -> tuple[str, Order]:
    team, rank = _team(outcome.name, event)
    point = _line(outcome)
    return f"{team} {signed_text(point)}", ("", point if rank == 0 else -point, rank)


def _over_under(subject: str, outcome: Outcome) -> tuple[str, Order]:
    if outcome.name not in ("Over", "Under"):
        raise UnreadOutcomeError("unknown outcome")
    point = _line(outcome)
    text = f"{subject} {outcome.name} {line_text(point)}".strip()
    return text, (subject, point, int(outcome.name == "Under"))


def _team_total(outcome: Outcome, event: Event) -> tuple[str, Order]:
    _, rank = _team(outcome.description or "", event)
    text, (_, point, side) = _over_under("Away" if rank else "Home", outcome)
    return text, ("2" if rank else "1", point, side)


def _player(stat: str, outcome: Outcome) -> tuple[str, Order]:
    player = fold_name(outcome.description or "")
    if not player:
        raise UnreadOutcomeError("no player")
    subject = f"{player} {stat}"
    return _yes_no(subject, outcome) if outcome.point is None else _over_under(subject, outcome)


def _yes_no(subject: str, outcome: Outcome) -> tuple[str, Order]:
    if outcome.name not in ("Yes", "No"):
        raise UnreadOutcomeError("unknown outcome")
    return f"{subject} {outcome.name}".strip(), (subject, 0.0, int(outcome.name == "No"))


def _double_chance(outcome: Outcome, event: Event) -> tuple[str, Order]:
    home, away = fold_name(event.home_team), fold_name(event.away_team)
    texts = {
        "1X": {"1X", f"{home} or Draw", f"Draw or {home}"},
        "X2": {"X2", f"{away} or Draw", f"Draw or {away}"},
        "12": {"12", f"{home} or {away}", f"{away} or {home}"},
    }
    name = fold_name(outcome.name)
    for rank, (text, spellings) in enumerate(texts.items()):
        if name in spellings:
            return text, ("", 0.0, rank)
    raise UnreadOutcomeError("unknown outcome")


def _team(name: str, event: Event) -> tuple[str, int]:
    """The team's stored name with its side: 0 home, 2 away."""
    folded = fold_name(name)
    if folded == fold_name(event.home_team):
        return folded, 0
    if folded == fold_name(event.away_team):
        return folded, 2
    raise UnreadOutcomeError("unknown outcome")


def _line(outcome: Outcome) -> float:
    if outcome.point is None:
        raise UnreadOutcomeError("no line")
    return outcome.point
