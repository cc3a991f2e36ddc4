"""What a text may be at every edge: how long a name is at most, and what it never holds."""

import re
import unicodedata
from typing import Annotated, Final

import msgspec

LONGEST_NAME: Final = 200
"""In characters (D85)."""
LONGEST_LINK: Final = 2_048
LONGEST_TOKEN: Final = 4_096
LONGEST_SLUG: Final = LONGEST_NAME * 12
"""A character takes up to four bytes, each of them three characters of a slug."""

Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
Link = Annotated[str, msgspec.Meta(max_length=LONGEST_LINK)]
Token = Annotated[str, msgspec.Meta(max_length=LONGEST_TOKEN)]
Odds = Annotated[float, msgspec.Meta(gt=1, le=100_000)]
"""Decimal odds of something that is offered."""
Whole = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
"""What windows and databases take for a whole number."""
Slug = Annotated[str, msgspec.Meta(max_length=LONGEST_SLUG)]

UNSHOWABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line breaks of all kinds, what turns the reading direction of the text
around it, and half surrogates."""

_UNSHOWABLE_IN_JSON: Final = re.compile(
    rb"\\(?:(?P<escape>[bfnrt]|u(?:00[01].|007[fF]|00[89].|202[89a-eA-E]|206[6-9]))|.)"
    rb"|\xc2[\x80-\x9f]|\xe2(?:\x80[\xa8-\xae]|\x81[\xa6-\xa9])|\x7f",
    re.DOTALL,
)
"""The same in the bytes of a JSON document, but for half surrogates, which are no JSON."""


_LETTERS: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
"""What has no decomposition into a letter and its accent."""


def plain_letters(text: str) -> str:
    """Return a text in lower case without accents, to compare names by: ``jokic``, ``koln``."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def folded(text: str) -> str:
    """Return a name or title without case, blanks and punctuation, to compare it by."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def showable_json(document: bytes) -> bytes:
    """Return a JSON document with a blank in place of each character that cannot be shown."""
    if document.isascii() and b"\\" not in document:
        return document
    return _UNSHOWABLE_IN_JSON.sub(_blank, document)


def _blank(found: re.Match[bytes]) -> bytes:
    """A blank; what else a backslash stands before stays."""
    is_other_escape = found[0].startswith(b"\\") and found["escape"] is None
    return found[0] if is_other_escape else b" "
