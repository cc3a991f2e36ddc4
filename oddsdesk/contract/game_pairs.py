"""Games of several sources that may be one: the same for store, server, desk and commands (D69)."""

from enum import Enum

import msgspec


class PairState(Enum):
    """What was said of a pair."""

    SUGGESTED = "suggested"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class TeamLikeness(msgspec.Struct, frozen=True):
    """How one team's names in both games go together."""

    name: str
    other_name: str
    is_known: bool
    """Whether the table of teams, or what the user said before, has both as one team's."""
    shared: tuple[str, ...]
    """Words of both that may tell a team, folded."""
    score: int
    """How alike the letters are, of 100."""


class PairedGame(msgspec.Struct, frozen=True):
    """One game of a pair; times in milliseconds."""

    game_id: str
    match_name: str
    match_date: int | None
    """None where it is not known, or the game is no more."""
    bookmakers: tuple[str, ...]
    """Those that price it now, by name."""
    sources: tuple[str, ...]
    """Those that have an id of their own for it."""


class GamePair(msgspec.Struct, frozen=True):
    """Two games that may be one, or are since the user said so; times in milliseconds."""

    ident: int
    state: PairState
    competition: str
    kept: PairedGame
    """The game that was there first: accepted, it is the one that stays."""
    other: PairedGame
    is_crosswise: bool
    """Whether the other names the teams the other way round."""
    decided_at: int | None
    teams: tuple[TeamLikeness, ...]
    """Why it is suggested, by team; empty where a name tells no teams."""
