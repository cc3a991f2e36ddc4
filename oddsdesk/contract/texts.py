"""Limits of texts that come from outside: length of names, characters that are never shown."""

import re
import unicodedata
from reprlib import Repr
from typing import Annotated, Final

import msgspec


def N_(text: str) -> str:  # noqa: N802 - as in base.texts, which the contract does not know
    """Mark a text that others translate where they show it."""
    return text


MINUS: Final = "\N{MINUS SIGN}"
"""The minus sign of displayed figures; data has a hyphen."""
LONGEST_NAME: Final = 200
"""In characters."""
LONGEST_LINK: Final = 2_048
LONGEST_TOKEN: Final = 4_096
LONGEST_SLUG: Final = LONGEST_NAME * 12
"""A character takes up to four bytes, each of them three characters of a slug."""

Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
Timestamp = Annotated[Name, msgspec.Meta(extra_json_schema={"format": "date-time"})]
"""ISO-8601 with an offset; checked where it is used."""
Link = Annotated[str, msgspec.Meta(max_length=LONGEST_LINK)]
Token = Annotated[str, msgspec.Meta(max_length=LONGEST_TOKEN)]
Odds = Annotated[float, msgspec.Meta(gt=1, le=100_000)]
"""Decimal odds of an offered selection."""
Whole = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
"""The whole numbers that windows and databases accept."""
Slug = Annotated[str, msgspec.Meta(max_length=LONGEST_SLUG)]

UNSHOWABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line breaks of all kinds, marks that change the reading direction, and half
surrogates."""

_UNSHOWABLE_IN_JSON: Final = re.compile(
    rb"\\(?:(?P<escape>[bfnrt]|u(?:00[01].|007[fF]|00[89].|202[89a-eA-E]|206[6-9]))|.)"
    rb"|\xc2[\x80-\x9f]|\xe2(?:\x80[\xa8-\xae]|\x81[\xa6-\xa9])|\x7f",
    re.DOTALL,
)
"""The same in the bytes of a JSON document, except for half surrogates, which are not JSON."""


_LETTERS: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
"""Letters that do not decompose into a base letter and an accent."""


def plain_letters(text: str) -> str:
    """Return a text in lower case without accents, for comparing names: ``jokic``, ``koln``."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def folded(text: str) -> str:
    """Return a name or title without case, spaces and punctuation, for comparing."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def showable_json(document: bytes) -> bytes:
    """Return a JSON document with a space for each character that cannot be shown."""
    if document.isascii() and b"\\" not in document:
        return document
    return _UNSHOWABLE_IN_JSON.sub(_blank, document)


def _blank(found: re.Match[bytes]) -> bytes:
    """Return a space, or another escape sequence unchanged."""
    is_other_escape = found[0].startswith(b"\\") and found["escape"] is None
    return found[0] if is_other_escape else b" "


_repr = Repr()
_repr.maxstring = _repr.maxother = 80
_repr.maxlong = 40


def shown(value: object) -> str:
    """Return the value as Python writes it, shortened in the middle if it is long."""
    return _repr.repr(value)


_KINDS: Final = {
    "object": N_("an object"),
    "array": N_("a list"),
    "str": N_("a text"),
    "int": N_("a whole number"),
    "float": N_("a number"),
    "bool": N_("true or false"),
    "null": "null",
}
_PLACE: Final = re.compile(r"(.*) - at `(key)?[^$]*\$(.*?)`$", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_MISSING: Final = re.compile(r"Object missing required field `(.*)`$")
_UNEXPECTED: Final = re.compile(r"Expected `([^`]*)`(.*)$")
_NO_JSON: Final = "JSON is malformed: "
JSON_FAULTS: Final = (
    *(N_("invalid character"), N_("trailing characters"), N_("invalid number")),
    *(N_("expected ':'"), N_("expected '\"'")),
    *(N_("trailing comma in array"), N_("trailing comma in object")),
    *(N_("object keys must be strings"), N_("invalid escape character in string")),
)
"""What msgspec says about a text that is no JSON; listed to be translated."""


def json_words(error: msgspec.DecodeError) -> str:
    """Return msgspec's message in one line that begins with the field: ``url: expected a text``.

    Positions in lists count from 1. Unknown messages are not changed.
    """
    what, place = _parted(str(error))
    if missing := _MISSING.match(what):
        field = ", ".join([*place, missing[1]])
        return N_(f"{field} is missing")
    if what.startswith(_NO_JSON):
        fault, _, number = what.removeprefix(_NO_JSON).rstrip(")").rpartition(" (byte ")
        return N_(f"this is not JSON: {fault} (byte {number})")
    if what == "Input data was truncated":
        return N_("this is incomplete JSON: it ends too early")
    if what == "Number out of range":
        what = N_("the number is out of range")
    if unexpected := _UNEXPECTED.match(what):
        rest = re.sub(r"`([^`]*)`", lambda found: _kinds(found[1]), unexpected[2])
        what = f"expected {_kinds(unexpected[1])}{rest}"
    return f"{', '.join(place)}: {what}" if place else what


def _parted(text: str) -> tuple[str, list[str]]:
    found = _PLACE.match(text)
    if found is None:
        return text, []
    steps = [_step(name, item) for name, item in _STEP.findall(found[3])]
    return found[1], [*steps, *(["a name"] if found[2] else [])]


def _step(name: str, item: str) -> str:
    if name:
        return name
    return "a value" if item == "..." else f"item {int(item) + 1}"


def _kinds(text: str) -> str:
    first, *others = (_KINDS.get(each, each) for each in text.split(" | "))
    for other in others:
        first = N_(f"{first} or {other}")
    return first
