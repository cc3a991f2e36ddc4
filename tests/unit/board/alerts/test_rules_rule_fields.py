"""Fields of rules: one description for the file, the forms and the reference."""

from pathlib import Path

import pytest
from msgspec import NODEFAULT

from oddsdesk.board.alerts.rules import (
    KINDS,
    KickOffRule,
    Policy,
    Rule,
    RuleField,
    RulesFileError,
    SteamRule,
    TargetRule,
    decode_rules,
    fields_of,
)
from oddsdesk.board.alerts.rules_text import written

REFERENCE = Path(__file__).parents[4] / "docs" / "reference.md"


def field(kind: type[Rule], name: str) -> RuleField:
    return next(each for each in fields_of(kind) if each.name == name)


def row(field: RuleField) -> str:
    """Return the line of the reference."""
    unit = f", {field.unit}" if field.unit else ""
    default = "needed" if field.default is NODEFAULT else f"{field.default:g}"
    return f"| `{field.name}` | {field.title}{unit} | {field.expected()} | {default} |"


def test_the_reference_says_the_limits_of_every_number() -> None:
    page = REFERENCE.read_text("utf-8")
    lines = {row(each) for kind in (*KINDS, Policy) for each in fields_of(kind) if each.is_number}
    assert {line for line in lines if line not in page} == set()


def test_every_field_has_a_title_and_says_what_it_is() -> None:
    fields = [each for kind in (*KINDS, Policy) for each in fields_of(kind)]
    assert all(each.title and each.help for each in fields)


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_limits_of_a_form_are_those_of_the_file(kind: type[Rule]) -> None:
    for each in fields_of(kind):
        for bound in (each.meta.gt, each.meta.ge, each.meta.le):
            if bound is None:
                continue
            for value in (bound - 1, bound, bound + 1):
                assert is_taken(each, value) is is_read(kind, each.name, value), (each, value)


def is_taken(each: RuleField, value: float) -> bool:
    try:
        each.parse_value(f"{value:.12g}")
    except ValueError:
        return False
    return True


def is_read(kind: type[Rule], name: str, value: float) -> bool:
    given = {"game": "g", "market": "m", "selection": "s", "odds": 2.0}
    needed = {} if kind is not TargetRule else {**given}
    needed.pop(name, None)
    said = [f'kind = "{kind.__struct_config__.tag}"', f"{name} = {value:.12g}"]
    said += [f"{key} = {text!r}" for key, text in needed.items()]
    try:
        decode_rules("\n".join(["[[rules]]", *said]).encode())
    except RulesFileError:
        return False
    return True


@pytest.mark.parametrize("text", ["", "x", "1e3", "nan", "+5", "٣", "-1", "1_0", "9" * 30])
def test_what_is_no_number_of_minutes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected a number from 0 to 10,080"):
        field(KickOffRule, "minutes").parse_value(text)


def test_a_number_may_have_a_comma() -> None:
    minutes = field(KickOffRule, "minutes")
    assert (minutes.parse_value("1,5"), minutes.parse_value("15")) == (1.5, 15)


def test_a_text_that_is_needed_is_asked_for() -> None:
    with pytest.raises(ValueError, match="needed"):
        field(TargetRule, "game").parse_value(" ")
    with pytest.raises(ValueError, match="up to 200 characters"):
        field(TargetRule, "game").parse_value("x" * 201)


def test_a_whole_number_is_one() -> None:
    assert field(SteamRule, "groups").parse_value(" 4 ") == 4
    with pytest.raises(ValueError, match="a whole number from 1 to 100"):
        field(SteamRule, "groups").parse_value("4.5")


def test_a_figure_that_is_none_is_refused_in_the_file() -> None:
    with pytest.raises(RulesFileError, match="least_ev"):
        decode_rules(b'[[rules]]\nkind = "value"\nleast_ev = nan')
    assert written(KickOffRule(minutes=5)) == '[[rules]]\nkind = "kick-off"\nminutes = 5\n'
