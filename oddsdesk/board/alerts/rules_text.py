"""Changes a file of rules for its user, and leaves everything else in it as it was written."""

import json
from typing import Final

import msgspec

from oddsdesk.board.alerts.rules import RulesFileError, TargetRule, decode_rules

_HEADER: Final = "[[rules]]"
_FIRST: Final = "# What to tell of, where to, and when not.\n"


def with_target(text: str, rule: TargetRule, instead_of: TargetRule | None = None) -> str:
    """Return rules with one more target, or with it in the place of another.

    Raises:
        RulesFileError: they make no sense, or are not written one below the other.
    """
    if instead_of is not None:
        return _changed(text, instead_of, rule)
    rules = decode_rules(text.encode()).rules
    before = text.rstrip()
    new = f"{before}\n\n{written(rule)}" if before else f"{_FIRST}\n{written(rule)}"
    return _checked(new, text, (*rules, rule))


def without_target(text: str, rule: TargetRule) -> str:
    """Return rules without a target.

    Raises:
        RulesFileError: they make no sense, or are not written one below the other.
    """
    return _changed(text, rule, None)


def written(rule: TargetRule) -> str:
    """Return a target as the file has it."""
    lines = [_HEADER, 'kind = "target"']
    lines += [f"name = {_string(rule.name)}"] if rule.name else []
    lines += [f"game = {_string(rule.game)}", f"market = {_string(rule.market)}"]
    lines += [f"period = {rule.period}"] if rule.period else []
    lines += [f"selection = {_string(rule.selection)}"]
    lines += [f"bookmaker = {_string(rule.bookmaker)}"] if rule.bookmaker else []
    lines += [f"odds = {float(rule.odds)!r}"]
    if rule.channels:
        lines.append(f"channels = [{', '.join(map(_string, rule.channels))}]")
    return "\n".join(lines) + "\n"


def _changed(text: str, old: TargetRule, new: TargetRule | None) -> str:
    rules = list(decode_rules(text.encode()).rules)
    if old not in rules:
        raise RulesFileError("the rule is there no longer")
    place = rules.index(old)
    lines = text.splitlines(keepends=True)
    begins = [number for number, line in enumerate(lines) if _is_header(line)]
    if len(begins) != len(rules):
        raise _by_hand()
    begin, end = begins[place], _end(lines, begins[place])
    rules[place : place + 1] = [] if new is None else [new]
    if new is None:  # the empty line below it goes, too
        end += end < len(lines) and not lines[end].strip()
    kept = "".join([*lines[:begin], "" if new is None else written(new), *lines[end:]])
    return _checked(kept, text, tuple(rules))


def _end(lines: list[str], begin: int) -> int:
    """Return the line below a rule: what is said above the next table belongs to that."""
    end = begin + 1
    while end < len(lines) and not lines[end].lstrip().startswith("["):
        end += 1
    while end > begin + 1 and not lines[end - 1].split("#", 1)[0].strip():
        end -= 1
    return end


def _is_header(line: str) -> bool:
    return line.split("#", 1)[0].replace(" ", "").strip() == _HEADER


def _checked(new: str, text: str, rules: tuple[object, ...]) -> str:
    """Return changed rules where they say what they shall, and nothing else differs."""
    try:
        found = decode_rules(new.encode())
    except RulesFileError:
        raise _by_hand() from None
    if found != msgspec.structs.replace(decode_rules(text.encode()), rules=rules):
        raise _by_hand()
    return new


def _by_hand() -> RulesFileError:
    return RulesFileError("they are written in a way that only Rules… can change")


def _string(text: str) -> str:
    """Return a basic string of TOML, which JSON's are but for one letter."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
