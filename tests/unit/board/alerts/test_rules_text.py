"""Targets written into a file of rules by the desk, which leaves the rest as its user wrote it."""

import pytest

from oddsdesk.board.alerts.rules import (
    KINDS,
    ChannelSetting,
    Policy,
    Rule,
    RulesFileError,
    SteamRule,
    TargetRule,
    ValueRule,
    decode_rules,
)
from oddsdesk.board.alerts.rules_text import (
    channels_of,
    policy_of,
    rule_entries,
    with_changed_rule,
    with_channel,
    with_policy,
    with_rule,
    with_target,
    without_channel,
    without_rule,
    without_target,
    written,
)

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
    with pytest.raises(RulesFileError, match="no longer exists"):
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
    with pytest.raises(RulesFileError, match="only be edited as text"):
        without_target(text, rule)


def test_rules_that_make_no_sense_are_not_written_to() -> None:
    with pytest.raises(RulesFileError, match="fax"):
        with_target('[[rules]]\nkind = "fax"', DRAW)


COMMENTED = """\
[[rules]]
kind = "value"
least_ev = 2     # not "less" # really
channels = [     # both
  "phone",
  "desk",
]

# Later.
[[rules]]
kind = "surebet"   # of a newer version
least = 3
"""


def test_a_changed_rule_keeps_its_comments_and_what_did_not_change() -> None:
    rule = ValueRule(least_ev=3.5, channels=("phone", "desk"), preset="Mine")
    text = with_changed_rule(COMMENTED, 0, rule)
    changed = COMMENTED.replace("least_ev = 2 ", "least_ev = 3.5 ").replace(
        "]\n\n", ']\npreset = "Mine"\n\n'
    )
    assert text == changed
    assert rule_entries(text)[0].rule == rule


@pytest.mark.parametrize("rule", [ValueRule(), ValueRule(name="#1", channels=("phone",))])
def test_a_value_over_several_lines_is_replaced_whole(rule: ValueRule) -> None:
    text = with_changed_rule(COMMENTED, 0, rule)
    assert rule_entries(text)[0].rule == rule
    assert '# not "less" # really' in text


def test_a_rule_is_switched_off_and_on_again() -> None:
    off = with_changed_rule(TEXT, 0, ValueRule(least_ev=2, enabled=False))
    assert off == TEXT.replace("# not less\n", "# not less\nenabled = false\n")
    on = with_changed_rule(off, 0, ValueRule(least_ev=2))
    assert on == off.replace("enabled = false", "enabled = true")


def test_a_rule_that_nobody_knows_is_listed_with_its_fault_and_kept() -> None:
    known, unknown = rule_entries(COMMENTED)
    assert (known.title, known.problem) == ("Value", "")
    assert (unknown.title, unknown.rule) == ("surebet", None)
    assert "surebet" in unknown.problem
    tail = COMMENTED[COMMENTED.index("# Later.") :]
    assert tail in with_rule(COMMENTED, SteamRule())
    assert tail in without_rule(COMMENTED, 0)
    assert "surebet" not in without_rule(COMMENTED, 1)


@pytest.mark.parametrize(
    "rule",
    [
        *(kind() for kind in KINDS if kind is not TargetRule),
        ODD,
        SteamRule(groups=4, points=0.25, minutes=1.5, name="a", enabled=False),
    ],
)
def test_each_kind_of_rule_is_written_as_it_is_read(rule: Rule) -> None:
    assert rule_entries(written(rule))[0].rule == rule
    assert rule_entries(with_rule("step = 1", rule))[0].rule == rule


def test_a_file_that_ends_in_a_rule_without_a_line_break_is_changed() -> None:
    text = with_changed_rule('[[rules]]\nkind = "steam"', 0, SteamRule(groups=4))
    assert text == '[[rules]]\nkind = "steam"\ngroups = 4\n'


@pytest.mark.parametrize("text", ["rules = [", "rules = 3"])
def test_what_holds_no_list_of_rules_is_said(text: str) -> None:
    with pytest.raises(RulesFileError):
        rule_entries(text)


@pytest.mark.parametrize(
    ("text", "policy", "wanted"),
    [
        (
            TEXT,
            Policy(quiet=("22:30", "06:00"), most_per_hour=5),
            TEXT.replace(
                'quiet = ["23:00", "07:00"]     # by the local clock\n',
                'quiet = ["22:30", "06:00"]     # by the local clock\nmost_per_hour = 5\n',
            ),
        ),
        (TEXT, Policy(), TEXT.replace("quiet =", "# quiet =")),
        ("", Policy(), ""),
        ("", Policy(step=1), "step = 1\n\n"),
        (
            '# Mine.\n\n[[rules]]\nkind = "value"\n',
            Policy(cooldown_min=2.5),
            '# Mine.\n\ncooldown_min = 2.5\n\n[[rules]]\nkind = "value"\n',
        ),
        (
            '# The first.\n[[rules]]\nkind = "value"\n',
            Policy(cooldown_min=5),
            'cooldown_min = 5\n\n# The first.\n[[rules]]\nkind = "value"\n',
        ),
    ],
)
def test_quiet_hours_and_limits_are_written_and_the_rest_stays(
    text: str, policy: Policy, wanted: str
) -> None:
    new = with_policy(text, policy)
    assert new == wanted
    assert policy_of(new) == policy


def test_limits_that_make_no_sense_are_said() -> None:
    with pytest.raises(RulesFileError, match="most_per_hour"):
        policy_of("most_per_hour = 0")


def test_a_channel_is_added_and_removed_and_the_rest_stays() -> None:
    mail = ChannelSetting('m"ail', "webhook")
    text = with_channel(TEXT, mail)
    assert text.startswith(TEXT)
    assert channels_of(text) == [ChannelSetting("phone", "ntfy"), mail]
    assert without_channel(text, 1).rstrip() == TEXT.rstrip()
    assert channels_of(with_channel("", mail)) == [mail]
    assert channels_of("channels = 3") == []


def test_a_channel_that_a_rule_tells_is_not_removed() -> None:
    with pytest.raises(RulesFileError, match="'Value' uses this channel"):
        without_channel(with_rule(TEXT, ValueRule(channels=("phone",))), 0)


def test_channels_that_are_written_in_line_are_left_to_their_user() -> None:
    with pytest.raises(RulesFileError, match="only be edited as text"):
        without_channel('channels = [{name = "a", kind = "ntfy"}]', 0)
