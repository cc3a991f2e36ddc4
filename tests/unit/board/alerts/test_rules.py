"""The file of rules: what it says, and what is wrong with it."""

from datetime import time
from pathlib import Path

import pytest

from oddsdesk.board.alerts.rules import (
    ConnectionRule,
    KickOffRule,
    OpportunityRule,
    Policy,
    RulesFileError,
    SteamRule,
    TargetRule,
    ValueRule,
    read_rules,
)

WHOLE = """
quiet = ["23:00", "07:00"]
most_per_hour = 5

[[channels]]
name = "phone"
kind = "ntfy"

[[rules]]
kind = "value"
preset = "Before kick-off"
least_ev = 2
channels = ["phone"]

[[rules]]
kind = "target"
game = "Arsenal vs Chelsea"
market = "moneyline"
selection = "Arsenal"
odds = 2.2

[[rules]]
kind = "steam"
groups = 4

[[rules]]
kind = "arbitrage"
least = 1.5

[[rules]]
kind = "kick-off"
name = "Soon"

[[rules]]
kind = "connection"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "alerts.toml"
    path.write_text(text, "utf-8")
    return path


def test_every_kind_of_rule_is_read(tmp_path: Path) -> None:
    settings = read_rules(written(tmp_path, WHOLE))
    assert [type(rule) for rule in settings.rules] == [
        *(ValueRule, TargetRule, SteamRule, OpportunityRule, KickOffRule, ConnectionRule)
    ]
    assert [rule.title for rule in settings.rules] == [
        *("Value", "Target", "Steam", "Arbitrage", "Soon", "Connection")
    ]
    assert settings.rules[0].channels == ("phone",)
    assert (settings.cooldown_min, settings.most_per_hour) == (10, 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("quiet = [", "alerts.toml"),
        ('quiet = ["25:00", "07:00"]', "expected a time of day"),
        ('quiet = ["23:00+01:00", "07:00"]', "expected a time of day"),
        ("most_per_hour = 0", "most_per_hour"),
        ("colour = 1", "colour"),
        ('[[rules]]\nkind = "surebet"', "rule 1, kind: Invalid value 'surebet'$"),
        (
            '[[rules]]\nkind = "value"\n[[rules]]\nkind = "steam"\ngroups = 0',
            "rule 2, groups: Expected `int` >= 1$",
        ),
        ('[[rules]]\nkind = "target"', "game"),
        ('[[rules]]\nkind = "value"\nchannels = ["x"]', "'x'"),
        ('[[channels]]\nname = "a"\nkind = "fax"', "fax"),
        ('[[channels]]\nname = "a"\nkind = "ntfy"\naddress = "https://secret"', "address"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RulesFileError, match=said) as raised:
        read_rules(written(tmp_path, text))
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(RulesFileError, match="cannot be read"):
        read_rules(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("quiet", "at", "is_quiet"),
    [
        (None, "03:00", False),
        (("23:00", "07:00"), "23:00", True),
        (("23:00", "07:00"), "03:00", True),
        (("23:00", "07:00"), "07:00", False),
        (("12:00", "13:00"), "12:30", True),
        (("12:00", "13:00"), "13:00", False),
    ],
)
def test_quiet_hours_may_go_past_midnight(
    quiet: tuple[str, str] | None, at: str, is_quiet: bool
) -> None:
    assert Policy(quiet=quiet).is_quiet(time.fromisoformat(at)) is is_quiet
