"""What a game and an event are called: names, ``game_id`` and slug."""

import hashlib
import re
import unicodedata
import uuid
from typing import Final
from urllib.parse import quote, unquote

from oddsdesk.contract.times import MINUTE_MS

SAME_GAME_MS: Final = 6 * 60 * MINUTE_MS
"""Kick-offs of one name further apart are two games; closer, one game was moved (D31)."""

_BLANKS = re.compile(r"\s+")
_DATE = re.compile(r"\s\(\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?(?:, \d+)*\)$", re.ASCII)
_BETWEEN_TEAMS = tuple(
    re.compile(rf"\s{between}\s", re.IGNORECASE) for between in (r"vs\.?", "@", r"v\.?", "[-–—]")
)
"""What stands between two teams, the surest first: names may hold a dash or a ``v``."""
_AT = _BETWEEN_TEAMS[1]


def fold_name(name: str) -> str:
    """Return a name in its stored form: NFC, trimmed, inner runs of blanks folded (D40)."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", name)).strip()


def game_id(competition: str, match_name: str) -> str:
    """Return the id that a competition and a name always give (D6).

    The MD5 digest of ``<competition>::<lowercased, trimmed match_name>`` read as a UUID.
    """
    text = f"{competition}::{match_name.strip().lower()}"
    digest = hashlib.md5(text.encode(), usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest))


def slug(match_name: str) -> str:
    """Return the URL-encoded name that identifies an event (D5)."""
    return quote(match_name, safe="")


def name_of_slug(text: str) -> str:
    """Return the name a slug was made from; the inverse of ``slug``."""
    return unquote(text)


def without_date(match_name: str) -> str:
    """Return a name without the UTC date that tells games of the same teams apart (D31)."""
    return _DATE.sub("", match_name)


def teams(match_name: str) -> tuple[str, str] | None:
    """Return (home, away) of a name such as ``PSG - Lyon``, None if it is no such pair.

    A UTC date that tells two games apart (D31) is not part of the away team. In
    ``away @ home`` the home team comes second, and is still returned first.
    """
    plain = without_date(match_name)
    for between in _BETWEEN_TEAMS:
        parts = [part.strip() for part in between.split(plain)]
        if len(parts) == 2 and all(parts):
            first, second = parts
            return (second, first) if between is _AT else (first, second)
    return None
