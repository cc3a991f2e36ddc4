"""Changing examples by what they are written in, so that most still get past the first check."""

import json
from random import Random
from typing import Any, Final

DEEP: Final = ("@deep 200@", "@deep 450@", "@deep 900@")
TEXTS: Final = (
    "", " ", "\x00", "\u2028", "\u202e", "é" * 60, "x" * 300, "0", "-1", "1e999", "NaN", "+5", "١",
    "1/0", "9999/1", "-0", "0.0", "1e-400", "Draw", "null", "../../x", "=1+1", "9" * 400,
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-11-20T18:30:00+23:59",
    "31/12/9999", "01/01/1888", "23:59", "2.5", "A vs B", "A - B", "Over 2.5", "http://[", "a:b",
)  # fmt: skip
NUMBERS: Final = (
    0, -1, 1, 2, 0.5, 1.0000000000000002, 1e-320, 1e308, -1e308, 1e16, 2**31, 2**53 + 1, 2**63,
    -(2**63) - 1, 10**30, 100, -100, 253_402_300_800, -62_135_596_801_000, 1.5, 99.99,
)  # fmt: skip
WRITTEN: Final = ("null", "true", "false", "[]", "{}", "[[]]", *(f'"{name}"' for name in DEEP))
"""Other values, as JSON: those that have parts must be made again each time."""
MOST_CHANGES: Final = 3


def changed(data: bytes, dice: Random) -> bytes | None:
    """Return a JSON document changed as such, and any other text as lines of words."""
    return changed_json(data, dice) or changed_cells(data, dice)


def changed_json(data: bytes, dice: Random) -> bytes | None:
    """Return a JSON document with some of its parts changed; None where it is none."""
    try:
        root = [json.loads(data)]
    except (ValueError, RecursionError):
        return None
    try:
        for _ in range(dice.randint(1, MOST_CHANGES)):
            _change(dice.choice(_boxes(root)), dice)
        text = json.dumps(root[0], separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        return None
    for name in DEEP:
        depth = int(name.strip("@").split()[1])
        text = text.replace(f'"{name}"', "[" * depth + "]" * depth)
    return text.encode("utf-8", "replace")


def changed_cells(data: bytes, dice: Random) -> bytes | None:
    """Return lines of words with some words or lines changed, doubled or gone."""
    lines = data.decode("latin-1").split("\n")
    for _ in range(dice.randint(1, MOST_CHANGES)):
        at = dice.randrange(len(lines))
        kind = dice.randrange(6)
        if kind == 0:
            lines.insert(at, lines[dice.randrange(len(lines))])
        elif kind == 1 and len(lines) > 1:
            del lines[at]
        else:
            lines[at] = _with_other_word(lines[at], dice)
    return "\n".join(lines).encode("latin-1", "replace")


def _with_other_word(line: str, dice: Random) -> str:
    marks = [mark for mark in ",;=&:\t" if mark in line]
    mark = dice.choice(marks) if marks else ","
    words = line.split(mark)
    at = dice.randrange(len(words))
    other = dice.choice([*TEXTS, *map(repr, NUMBERS), dice.choice(words)])
    words[at] = other.encode().decode("latin-1") if other.isprintable() else other
    return mark.join(words)


def _boxes(value: Any) -> list[Any]:
    """Return each list and object in a value that has something in it."""
    found, waiting = [], [value]
    while waiting:
        box = waiting.pop()
        if isinstance(box, dict | list) and box:
            found.append(box)
            waiting += box.values() if isinstance(box, dict) else box
    return found


def _change(box: Any, dice: Random) -> None:
    keys = list(box) if isinstance(box, dict) else list(range(len(box)))
    key = dice.choice(keys)
    kind = dice.randrange(8)
    if kind == 0:
        box[key] = box[dice.choice(keys)]
    elif kind == 1 and len(keys) > 1:
        del box[key]
    elif kind == 2 and isinstance(box, dict):
        box[dice.choice(TEXTS)] = box.pop(key)
    elif kind == 2:
        box.append(box[key])
    elif kind == 3 and isinstance(box[key], int | float):
        box[key] = box[key] * dice.choice((-1, 0.01, 1.01, 2, 1000))
    elif kind < 6:
        box[key] = dice.choice(dice.choice((TEXTS, NUMBERS)))
    else:
        box[key] = json.loads(dice.choice(WRITTEN))
