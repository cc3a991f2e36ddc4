"""Targets written into a file of rules by the desk, which leaves the rest as its user wrote it."""

import pytest

from oddsdesk.board.alerts.rules import RulesFileError, TargetRule, decode_rules
from oddsdesk.board.alerts.rules_text import with_target, without_target

DRAW = TargetRule(game="Everton vs Liverpool", market="moneyline", selection="Draw", odds=3.4)
ODD = TargetRule(
    name='The "long" one',
    game="Тверь\\Ås\x7f – B\n",
    market="total",
    period=1,
    selection="Over 2.5",
    bookmaker='Bob\'s "Bets"',
    odds=2.0512345678,
    channels=("phone",),
)
TEXT = """\
# Mine.
quiet = ["23:00", "07:00"]     # by the local clock

[[rules]]
kind = "value"
least_ev = 2                   # not less

# Goals in the first half.
[[rules]]
kind = "target"
game = "A - B"
market = "total"
selection = "Over 1.5"
odds = 3

# [[rules]]
# kind = "steam"

[[channels]]
name = "phone"
kind = "ntfy"
"""
STANDING = TargetRule(game="A - B", market="total", selection="Over 1.5", odds=3.0)


def test_a_target_is_added_and_the_rest_stays_as_it_was_written() -> None:
    text = with_target(TEXT, ODD)
    assert text.startswith(TEXT)
    assert decode_rules(text.encode()).rules == (*decode_rules(TEXT.encode()).rules, ODD)


def test_the_first_rule_makes_the_file() -> None:
    text = with_target("", DRAW)
    assert decode_rules(text.encode()).rules == (DRAW,)
    assert without_target(text, DRAW).strip() == text.splitlines()[0]


def test_a_target_takes_the_place_of_another() -> None:
    text = with_target(TEXT, DRAW, STANDING)
    assert decode_rules(text.encode()).rules[1:] == (DRAW,)
    assert text.splitlines()[:8] == TEXT.splitlines()[:8]
    assert '# [[rules]]\n# kind = "steam"\n\n[[channels]]' in text


def test_a_target_is_removed_and_what_is_said_of_the_next_stays() -> None:
    text = without_target(with_target(TEXT, DRAW), STANDING)
    assert [type(rule).__name__ for rule in decode_rules(text.encode()).rules] == [
        "ValueRule",
        "TargetRule",
    ]
    assert "# Goals in the first half.\n# [[rules]]\n" in text


def test_a_rule_that_is_gone_is_not_removed_for_another() -> None:
    with pytest.raises(RulesFileError, match="there no longer"):
        without_target(TEXT, DRAW)


@pytest.mark.parametrize(
    "text",
    [
        'rules = [{kind = "target", game = "A", market = "m", selection = "s", odds = 2}]',
        '[[rules]]\nkind = "target"\ngame = """\n[[rules]]\n"""\n'
        'market = "m"\nselection = "s"\nodds = 2\n',
    ],
)
def test_rules_that_are_written_otherwise_are_left_to_their_user(text: str) -> None:
    (rule,) = decode_rules(text.encode()).rules
    assert isinstance(rule, TargetRule)
    with pytest.raises(RulesFileError, match="only Rules"):
        without_target(text, rule)


def test_rules_that_make_no_sense_are_not_written_to() -> None:
    with pytest.raises(RulesFileError, match="fax"):
        with_target('[[rules]]\nkind = "fax"', DRAW)
