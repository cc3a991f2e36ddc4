"""The file of rules: what it says, and what is wrong with it."""

from datetime import time
from pathlib import Path

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.alerts.rules import (
    AlertSettings,
    ConnectionRule,
    KickOffRule,
    OpportunityRule,
    Policy,
    RulesFileError,
    SteamRule,
    TargetCell,
    TargetRule,
    ValueRule,
    read_rules,
    target_cell,
    target_of,
)
from oddsdesk.board.model.matrix import Doubted
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import NAME, REFERENCE, Desk, Odds, matrix, row_key

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
    assert [rule.shown_title for rule in settings.rules] == [
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


ODDS: Odds = {
    REFERENCE: {"Over 2.5": 1.95, "Under 2.5": 1.95},
    "Betfair": {"Over 2.5": 1.98, "Under 2.5": 1.80},
    "Unibet": {"Over 2.5": 2.08, "Under 2.5": 1.95},
    "Bovada": {"Under 2.5": 1.95},
}


def cell(bookmaker: str, selection: str = "Over 2.5", commission: float = 0.0) -> TargetCell:
    desk = Desk()
    profile = Profile(name="Betfair", group="betfair", commission=commission)
    desk.board.set_profiles(Profiles([profile]))
    exhaust(desk.board.merge_matrix(matrix(ODDS, desk.now, market_type="total")))
    found = target_cell(desk.board, row_key(selection, bookmaker, "total"))
    assert found is not None
    return found


@pytest.mark.parametrize("commission", [0.0, 0.05])
def test_where_value_begins_is_worth_waiting_for(commission: float) -> None:
    found = cell("Betfair", commission=commission)
    ev = found.ev_at(found.suggested(), anywhere=False)
    assert ev is not None
    assert 2.01 <= ev < 2.62
    below = found.ev_at(found.suggested() - 0.011, anywhere=False)
    assert below is not None
    assert below < 2.01


def test_a_price_that_is_value_already_may_still_rise() -> None:
    assert cell("Unibet").suggested() == 2.13


def test_a_cell_without_a_price_has_a_target_too() -> None:
    found = cell("Bovada")
    assert (found.odds, found.best) == (None, 1.98)
    assert found.doubted == Doubted("Unibet", 2.08, 2.08, Caution.BOOK_BELOW_100)
    assert not found.is_doubted_alerted
    assert found.suggested() == pytest.approx(2.05, abs=0.02)


def test_the_references_cell_is_called_by_its_name() -> None:
    found = cell(REFERENCE)
    assert (found.bookmaker, found.odds) == (REFERENCE, 1.95)


def test_nothing_is_asked_of_a_row_that_is_not_held() -> None:
    assert target_cell(Desk().board, row_key("Over 2.5", "Betfair", "total")) is None


def test_the_target_of_a_cell_is_its_own_else_that_of_any_bookmaker() -> None:
    found = cell("Betfair")
    anywhere = found.rule(2.2, anywhere=True)
    here = found.rule(2.3, anywhere=False)
    other = TargetRule(game=NAME, market="total", selection="Under 2.5", odds=2.2)
    rules = (ValueRule(), other, anywhere)
    assert target_of(AlertSettings(rules=rules), found) == anywhere
    assert target_of(AlertSettings(rules=(*rules, here)), found) == here
    assert target_of(AlertSettings(rules=(other,)), found) is None


def test_a_changed_target_goes_where_it_went() -> None:
    standing = TargetRule(
        name="Mine", channels=("phone",), game=NAME, market="total", selection="Over 2.5", odds=2.2
    )
    changed = cell("Betfair").rule(2.5, anywhere=False, like=standing)
    assert (changed.name, changed.channels, changed.bookmaker) == ("Mine", ("phone",), "Betfair")
