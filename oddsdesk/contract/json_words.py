"""What is wrong with JSON, in the words of who wrote it: msgspec's are those of Python."""

import re
from typing import Final

import msgspec

_KINDS: Final = {
    "object": "an object",
    "array": "a list",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
}
_PLACE: Final = re.compile(r"(.*) - at `(key)?[^$]*\$(.*?)`$", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_MISSING: Final = re.compile(r"Object missing required field `(.*)`$")
_UNEXPECTED: Final = re.compile(r"Expected `([^`]*)`(.*)$")
_NO_JSON: Final = "JSON is malformed: "


def json_words(error: msgspec.DecodeError) -> str:
    """Return what msgspec says, in one line that begins with the field: ``url: expected a text``.

    Places of lists count from 1. What is not known is left as msgspec says it.
    """
    what, place = _parted(str(error))
    if missing := _MISSING.match(what):
        return f"{', '.join([*place, missing[1]])} is missing"
    if what.startswith(_NO_JSON):
        return f"this is no JSON: {what.removeprefix(_NO_JSON)}"
    if what == "Input data was truncated":
        return "this is no whole JSON: it ends too early"
    if what == "Number out of range":
        what = "the number is out of range"
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
    return " or ".join(_KINDS.get(each, each) for each in text.split(" | "))
