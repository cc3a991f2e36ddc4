"""What a game and an event are called: names, ``game_id`` and slug."""

import hashlib
import re
import unicodedata
import uuid
from enum import Enum
from typing import Final
from urllib.parse import quote, urlencode

import msgspec

from oddsdesk.contract.times import MINUTE_MS

SAME_GAME_MS: Final = 6 * 60 * MINUTE_MS
"""Kick-offs of one name further apart are two games; closer, one game was moved."""

_BLANKS = re.compile(r"\s+")
_DATE = re.compile(r"\s\(\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?(?:, \d+)*\)$", re.ASCII)
_BETWEEN_TEAMS = tuple(
    re.compile(rf"\s{between}\s", re.IGNORECASE) for between in (r"vs\.?", "@", r"v\.?", "[-–—]")
)
"""What stands between two teams, the surest first: names may hold a dash or a ``v``."""
_AT = _BETWEEN_TEAMS[1]


def fold_name(name: str) -> str:
    """Return a name in its stored form: NFC, trimmed, inner runs of blanks folded."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", name)).strip()


def game_id(competition: str, match_name: str) -> str:
    """Return the id that a competition and a name always give.

    The MD5 digest of ``<competition>::<lowercased, trimmed match_name>`` read as a UUID.
    """
    text = f"{competition}::{match_name.strip().lower()}"
    digest = hashlib.md5(text.encode(), usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest))


def slug(match_name: str) -> str:
    """Return the URL-encoded name that identifies an event."""
    return quote(match_name, safe="")


def price_page(
    game: str,
    market_type: str,
    period: int,
    selection: str,
    bookmaker: str,
    odds: float | None = None,
) -> str:
    """Return the path of the server's page of a game that says what became of a price."""
    named = {"market_type": market_type, "period": period, "selection": selection}
    named |= {"bookmaker": bookmaker} | ({} if odds is None else {"odds": f"{odds:.10g}"})
    return f"/live/game/{quote(game, safe='')}?{urlencode(named)}"


def without_date(match_name: str) -> str:
    """Return a name without the UTC date that tells games of the same teams apart."""
    return _DATE.sub("", match_name)


def teams(match_name: str) -> tuple[str, str] | None:
    """Return (home, away) of a name such as ``PSG - Lyon``, None if it is no such pair.

    A UTC date that tells two games apart is not part of the away team. In
    ``away @ home`` the home team comes second, and is still returned first.
    """
    plain = without_date(match_name)
    for between in _BETWEEN_TEAMS:
        parts = [part.strip() for part in between.split(plain)]
        if len(parts) == 2 and all(parts):
            first, second = parts
            return (second, first) if between is _AT else (first, second)
    return None


def game_title(match_name: str) -> str:
    """Return what people read for a game, such as ``PSG v Lyon``; else the name itself."""
    pair = teams(match_name)
    return f"{pair[0]} v {pair[1]}" if pair else match_name


def dated_game_title(match_name: str) -> str:
    """Return what people read for a game among others, with its date if its name has one.

    All spellings of a game have the same but for case: ``PSG vs Lyon`` and ``PSG v Lyon``.
    """
    plain = without_date(match_name)
    return game_title(plain) + match_name[len(plain) :]


class PairState(Enum):
    """The decision on a pair."""

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
    """None if unknown, or if the game no longer exists."""
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
