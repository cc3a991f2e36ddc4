"""Changes a file of rules for its user, and leaves everything else in it as it was written."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.texts import _
from oddsdesk.board.alerts.rules import (
    ChannelSetting,
    Policy,
    Rule,
    RuleField,
    RulesFileError,
    TargetRule,
    decode_rules,
    fields_of,
    problem_text,
)

_HEADER: Final = "[[rules]]"
_CHANNEL: Final = "[[channels]]"
_FIRST: Final = "# Alert rules, alert channels and limits.\n"


class RuleEntry(NamedTuple):
    """A rule as it stands in the file."""

    rule: Rule | None
    """None where it makes no sense."""
    problem: str
    """What is wrong with it; empty where nothing is."""
    title: str


def rule_entries(text: str) -> list[RuleEntry]:
    """Return the rules of a file in its order, those that make no sense too.

    Raises:
        RulesFileError: it has no list of rules.
    """
    return [_entry(raw) for raw in _raw_rules(_decoded(text))]


def channels_of(text: str) -> list[ChannelSetting]:
    """Return the channels of a file; none where they make no sense."""
    try:
        return msgspec.convert(_decoded(text).get("channels", []), list[ChannelSetting])
    except (RulesFileError, msgspec.ValidationError):
        return []


def with_rule(text: str, rule: Rule) -> str:
    """Return a file with one more rule.

    Raises:
        RulesFileError: it cannot be added below the others.
    """
    before = text.rstrip()
    new = f"{before}\n\n{written(rule)}" if before else f"{_FIRST}\n{written(rule)}"
    raw = _raw_rules(_decoded(text))
    return _checked(new, text, [*raw, None], rule)


def with_changed_rule(text: str, place: int, rule: Rule) -> str:
    """Return a file with another rule at a place; lines that say the same stay, and comments do.

    Raises:
        RulesFileError: the rules are not written one below the other.
    """
    lines, begin, end, raw = _found(text, place)
    wanted = {"kind": _kind(rule), **_values(rule)}
    block = lines[begin : begin + 1] + _changed_lines(
        lines[begin + 1 : end], wanted, fields_of(type(rule))
    )
    raw[place] = None
    return _checked("".join([*lines[:begin], *block, *lines[end:]]), text, raw, rule)


def with_enabled(text: str, place: int, *, enabled: bool) -> str:
    """Return a file with the rule at a place on or off.

    Raises:
        RulesFileError: it makes no sense, or the rules are not written one below the other.
    """
    rule = rule_entries(text)[place].rule
    if rule is None:
        raise RulesFileError(_("this version of oddsdesk does not know that kind of rule"))
    return with_changed_rule(text, place, msgspec.structs.replace(rule, enabled=enabled))


def without_rule(text: str, place: int) -> str:
    """Return a file without the rule at a place.

    Raises:
        RulesFileError: the rules are not written one below the other.
    """
    raw = list(_raw_rules(_decoded(text)))
    lines, begin, end = _lines_of(text, _HEADER, place, len(raw))
    del raw[place]
    return _checked("".join([*lines[:begin], *lines[end:]]), text, raw, None)


def policy_of(text: str) -> Policy:
    """Return what a file says of what is held back.

    Raises:
        RulesFileError: it makes no sense.
    """
    found = _decoded(text)
    given = {name: found[name] for name in Policy.__struct_fields__ if name in found}
    try:
        return msgspec.convert(given, Policy)
    except msgspec.ValidationError as error:
        raise RulesFileError(problem_text(error)) from error


def with_policy(text: str, policy: Policy) -> str:
    """Return a file that holds back something else; quiet hours that go stay as a comment.

    Raises:
        RulesFileError: it is written in another way.
    """
    lines, fields = text.splitlines(keepends=True), fields_of(Policy)
    end = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    wanted = msgspec.structs.asdict(policy)
    if any(True for _ in _assignments(lines[:end])):
        lines[:end] = _changed_lines(lines[:end], wanted, fields)
    elif added := _added(wanted, fields):
        top = _below_title(lines)
        lines[top:top] = [*added, "\n"]
    new = "".join(lines)
    if _without_policy(new) != _without_policy(text) or policy_of(new) != policy:
        raise _by_hand()
    return new


def with_channel(text: str, channel: ChannelSetting) -> str:
    """Return a file with one more channel.

    Raises:
        RulesFileError: it cannot be added below the rest.
    """
    before = _decoded(text)
    lines = [_CHANNEL, f"name = {_string(channel.name)}", f"kind = {_string(channel.kind)}"]
    new = "\n".join([*([text.rstrip(), ""] if text.strip() else []), *lines, ""])
    added = {"name": channel.name, "kind": channel.kind}
    if _decoded(new) != {**before, "channels": [*_tables(before, "channels"), added]}:
        raise _by_hand()
    return new


def without_channel(text: str, place: int) -> str:
    """Return a file without the channel at a place.

    Raises:
        RulesFileError: a rule names it, or the channels are not written one below the other.
    """
    channels = list(_tables(_decoded(text), "channels"))
    name = channels[place].get("name")
    for entry in rule_entries(text):
        if entry.rule is not None and name in entry.rule.channels:
            raise RulesFileError(
                _("the rule {title!r} uses this channel; remove it from the rule first").format(
                    title=entry.title
                )
            )
    lines, begin, end = _lines_of(text, _CHANNEL, place, len(channels))
    del channels[place]
    new = "".join([*lines[:begin], *lines[end:]])
    if {"channels": [], **_decoded(new)} != {**_decoded(text), "channels": channels}:
        raise _by_hand()
    return new


def with_target(text: str, rule: TargetRule, instead_of: TargetRule | None = None) -> str:
    """Return rules with one more target, or with it in the place of another.

    Raises:
        RulesFileError: they make no sense, or are not written one below the other.
    """
    if instead_of is not None:
        return with_changed_rule(text, _place(text, instead_of), rule)
    decode_rules(text.encode())
    return with_rule(text, rule)


def without_target(text: str, rule: TargetRule) -> str:
    """Return rules without a target.

    Raises:
        RulesFileError: they make no sense, or are not written one below the other.
    """
    return without_rule(text, _place(text, rule))


def written(rule: Rule) -> str:
    """Return a rule as the file has it."""
    values = _values(rule)
    kept = [
        f"{field.name} = {_value(values[field.name])}"
        for field in fields_of(type(rule))
        if values[field.name] != field.default
    ]
    return "\n".join([_HEADER, f"kind = {_string(_kind(rule))}", *kept]) + "\n"


def _entry(raw: Any) -> RuleEntry:
    try:
        rule: Rule = msgspec.convert(raw, Rule)
    except msgspec.ValidationError as error:
        said = raw if isinstance(raw, dict) else {}
        title = str(said.get("name") or said.get("kind") or "")
        return RuleEntry(None, problem_text(error), title)
    return RuleEntry(rule, "", rule.shown_title)


def _place(text: str, rule: Rule) -> int:
    rules = decode_rules(text.encode()).rules
    if rule not in rules:
        raise RulesFileError(_("the rule no longer exists"))
    return rules.index(rule)


def _decoded(text: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = msgspec.toml.decode(text)
    except (msgspec.DecodeError, ValueError) as error:
        raise RulesFileError(problem_text(error)) from error
    return found


def _raw_rules(found: dict[str, Any]) -> list[Any]:
    return _tables(found, "rules")


def _tables(found: dict[str, Any], name: str) -> list[Any]:
    tables = found.get(name, [])
    if not isinstance(tables, list):
        raise RulesFileError(_("{name} is not a list; write [[{name}]]").format(name=name))
    return tables


def _lines_of(text: str, header: str, place: int, count: int) -> tuple[list[str], int, int]:
    """Return the lines, and where a table and the empty line below it begin and end."""
    lines = text.splitlines(keepends=True)
    begins = [number for number, line in enumerate(lines) if _is_header(line, header)]
    if len(begins) != count:
        raise _by_hand()
    end = _end(lines, begins[place])
    return lines, begins[place], end + (end < len(lines) and not lines[end].strip())


def _found(text: str, place: int) -> tuple[list[str], int, int, list[Any]]:
    """Return the lines, where the rule at a place begins and ends, and all rules."""
    raw = list(_raw_rules(_decoded(text)))
    lines, begin, _ = _lines_of(text, _HEADER, place, len(raw))
    return lines, begin, _end(lines, begin), raw


def _end(lines: list[str], begin: int) -> int:
    """Return the line below a rule: what is said above the next table belongs to that."""
    end = begin + 1
    while end < len(lines) and not lines[end].lstrip().startswith("["):
        end += 1
    while end > begin + 1 and not lines[end - 1].split("#", 1)[0].strip():
        end -= 1
    return end


def _is_header(line: str, header: str) -> bool:
    return line.split("#", 1)[0].replace(" ", "").strip() == header


class _Assignment(NamedTuple):
    begin: int
    end: int
    key: str
    value: Any


def _assignments(lines: list[str]) -> Iterator[_Assignment]:
    """Yield what the lines of a table set; a value may go over several."""
    begin = 0
    while begin < len(lines):
        for end in range(begin + 1, len(lines) + 1):
            try:
                found = _decoded("".join(lines[begin:end]))
            except RulesFileError:
                continue
            for key, value in found.items():
                yield _Assignment(begin, end, key, value)
            begin = end
            break
        else:
            raise _by_hand()


def _changed_lines(lines: list[str], wanted: dict[str, Any], fields: list[RuleField]) -> list[str]:
    """Return the lines of a table with other values; what it did not say comes last.

    A value of None is none in TOML: its lines become comments.
    """
    changed, last = list(lines), 0
    for begin, end, key, value in _assignments(lines):
        last = end
        if key in wanted and not _is_same(value, new := wanted.pop(key)):
            if new is None:
                changed[begin:end] = [f"# {line}" for line in lines[begin:end]]
            else:
                text = _with_value("".join(lines[begin:end]), value, new)
                changed[begin:end] = [text, *[""] * (end - begin - 1)]
    added = _added(wanted, fields)
    if added and not changed[last - 1].endswith("\n"):
        changed[last - 1] += "\n"
    return [*changed[:last], *added, *changed[last:]]


def _added(wanted: dict[str, Any], fields: list[RuleField]) -> list[str]:
    return [
        f"{field.name} = {_value(wanted[field.name])}\n"
        for field in fields
        if field.name in wanted and wanted[field.name] != field.default
    ]


def _below_title(lines: list[str]) -> int:
    """Return where what is about the whole begins: below a comment that stands by itself."""
    at = next((at for at, line in enumerate(lines) if not line.startswith("#")), 0)
    return at + 1 if at and not lines[at].strip() else 0


def _without_policy(text: str) -> dict[str, Any]:
    found = _decoded(text)
    return {key: found[key] for key in found if key not in Policy.__struct_fields__}


def _is_same(value: Any, new: Any) -> bool:
    return bool((tuple(value) if isinstance(value, list) else value) == new)


def _with_value(text: str, value: Any, new: Any) -> str:
    """Return an assignment of another value, with what is said behind it."""
    key = text.split("=", 1)[0].rstrip()
    after = "\n"
    for cut, sign in enumerate(text):
        if sign == "#" and _sets(text[:cut], value):
            after = text[len(text[:cut].rstrip()) :]
            break
    return f"{key} = {_value(new)}{after}"


def _sets(text: str, value: Any) -> bool:
    try:
        return list(_decoded(text).values()) == [value]
    except RulesFileError:
        return False


def _checked(new: str, text: str, rules: list[Any], rule: Rule | None) -> str:
    """Return a changed file where it says what it shall, and nothing else differs.

    ``rules`` are those that it shall have, None for ``rule``.
    """
    try:
        found = _decoded(new)
        there = _raw_rules(found)
        if len(there) == len(rules):
            for place in [place for place, raw in enumerate(rules) if raw is None]:
                if msgspec.convert(there[place], Rule) != rule:
                    raise _by_hand()
                there[place] = None
    except (RulesFileError, msgspec.ValidationError):
        raise _by_hand() from None
    if {"rules": [], **found} != {**_decoded(text), "rules": rules}:
        raise _by_hand()
    return new


def _by_hand() -> RulesFileError:
    return RulesFileError(_("these rules can only be edited as text, in Alert rules…"))


def _kind(rule: Rule) -> str:
    return str(rule.__struct_config__.tag)


def _values(rule: Rule) -> dict[str, Any]:
    return msgspec.structs.asdict(rule)


def _value(value: Any) -> str:
    """Return a value as TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case tuple():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            return repr(value).removesuffix(".0")


def _string(text: str) -> str:
    """Return a basic string of TOML, which JSON's are but for one letter."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
