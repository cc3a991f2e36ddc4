"""Rules on a board: each finds what it is for, and a price that flaps alerts once."""

from datetime import time
from functools import partial
from typing import Any

import msgspec
import pytest

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.base.tasks import exhaust
from oddsdesk.board.alerts.channels import Unsent, is_pending, mark_waiting
from oddsdesk.board.alerts.gate import Alert, AlertEntry, Gate, Held, key_text, said_text
from oddsdesk.board.alerts.rules import (
    AlertSettings,
    ConnectionRule,
    KickOffRule,
    OpportunityRule,
    Rule,
    SteamRule,
    TargetRule,
    ValueRule,
)
from oddsdesk.board.alerts.watching import (
    AlertWatch,
    OpenBet,
    Steam,
    SteamOutcome,
    SteamWatch,
    kick_off_texts,
    steam_among,
)
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link, SnapshotProgress
from oddsdesk.board.opportunities.offers import Opportunities
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.open_bets import outcome_named
from oddsdesk.pricing.formats import format_odds
from oddsdesk.pricing.opportunities import Split
from oddsdesk.pricing.profiles import Profile, Profiles, fold_name, shipped_profiles
from tests.kit.board import GAME, NAME, NOW, REFERENCE, Desk, Odds, game, matrix, message

MINUTE = 60_000
TITLE = "Arsenal v Chelsea"
OVER = Unsent("it no longer held", is_final=True)
ODDS: Odds = {
    REFERENCE: {"Over 2.5": 1.95, "Under 2.5": 1.95},
    "Betfair": {"Over 2.5": 2.08, "Under 2.5": 1.80},
    "Unibet": {"Over 2.5": 1.95, "Under 2.5": 1.95},
    "Bovada": {"Over 2.5": 1.95, "Under 2.5": 1.95},
}


class Watched:
    """A board with rules."""

    def __init__(self, *rules: Rule, bets: tuple[OpenBet, ...] = (), **policy: Any) -> None:
        self.desk = Desk()
        self.board = self.desk.board
        self.board.want_values(True)
        settings = AlertSettings(rules=rules, **policy)
        self.time_of_day = time(12)
        self.hidden: set[str] = set()
        self.gate = Gate(settings, lambda: self.desk.now, lambda _: self.time_of_day)
        found = Opportunities(self.board, lambda: self.desk.now, lambda: Split(100, 0.01))
        self.offered = found
        self.watch = AlertWatch(
            self.board,
            lambda: self.desk.now,
            settings,
            self.gate,
            presets={"all value bets": lambda **_: True, "none": lambda **_: False},
            hidden=lambda **price: price["bookmaker"] in self.hidden,
            opportunities=found,
            open_bets=lambda: bets,
        )

    def load(self) -> None:
        exhaust(self.board.merge_matrix(matrix(ODDS, self.desk.now, market_type="total")))

    def tell(self, odds: float, bookmaker: str = "Betfair", selection: str = "Over 2.5") -> None:
        self.tell_of("total", bookmaker, selection, odds)

    def tell_of(self, market_type: str, bookmaker: str, selection: str, odds: float) -> None:
        self.desk.now += 1_000
        more = {"bookmaker": bookmaker, "market_type": market_type}
        self.board.apply_all([message(selection, odds, self.desk.now, **more)])

    def tick(self) -> list[AlertEntry]:
        exhaust(self.offered.looking())
        return self.watch.check_alerts()

    def titles(self) -> list[str]:
        return [entry.alert.alert_title for entry in self.tick()]


def test_what_is_hidden_does_not_alert() -> None:
    seen = Watched(ValueRule())
    seen.hidden = {"Betfair"}
    seen.load()
    assert seen.tick() == []
    seen.hidden = set()
    assert len(seen.tick()) == 1


def test_value_that_a_preset_lists_alerts_with_its_figures() -> None:
    seen = Watched(ValueRule())
    seen.load()
    (sent,) = seen.tick()
    assert sent.alert.alert_title == "+4.0 %: Over 2.5 2.08 at Betfair"
    assert sent.alert.body_text == f"{TITLE} · Total · fair 2.00"


def test_a_bet_on_derived_fair_odds_alerts_where_a_rule_asks_for_it() -> None:
    for rule, texts in (
        (ValueRule(), []),
        (ValueRule(derived=True), [f"{TITLE} · Double chance · fair 1.898 (implied)"]),
        (ValueRule(derived=True, preset="none"), []),
    ):
        seen = Watched(rule)
        tell_double_chance(seen)
        assert [entry.alert.body_text for entry in seen.tick()] == texts


def test_a_rule_without_derived_odds_alerts_at_the_best_price_of_the_others() -> None:
    """Draw no bet and handicap 0 are one bet; the sharp book prices the handicap only."""
    bests = []
    for rule in (ValueRule(), ValueRule(derived=True)):
        seen = Watched(rule)
        tell_double_chance(seen)
        for market_type, bookmaker, selection, odds in (
            ("spread", REFERENCE, "Arsenal 0", 1.53),
            ("spread", REFERENCE, "Chelsea 0", 2.6),
            ("spread", "Betfair", "Chelsea 0", 2.83),
            ("draw_no_bet", "Unibet", "Chelsea", 2.95),
        ):
            seen.tell_of(market_type, bookmaker, selection, odds)
        found = {entry.alert.alert_title.partition(": ")[2] for entry in seen.tick()}
        bests.append(found - {"X2 2.02 at Unibet"})
    assert bests == [{"Chelsea 0 2.83 at Betfair"}, {"Chelsea 2.95 at Unibet"}]


def tell_double_chance(seen: Watched) -> None:
    for market_type, bookmaker, odds in (
        ("moneyline", REFERENCE, {"Arsenal": 2.05, "Draw": 3.5, "Chelsea": 3.7}),
        ("double_chance", "Unibet", {"1X": 1.3, "X2": 2.02, "12": 1.33}),
    ):
        for selection, price in odds.items():
            seen.tell_of(market_type, bookmaker, selection, price)


def test_an_alert_says_where_nobody_knows_how_often_the_stake_comes_back() -> None:
    seen = Watched(ValueRule())
    for bookmaker, selection, odds in (
        (REFERENCE, "Over 3.0", 1.95),
        (REFERENCE, "Under 3.0", 1.95),
        ("Betfair", "Over 3.0", 2.08),
    ):
        seen.tell(odds, bookmaker, selection)
    (sent,) = seen.tick()
    assert sent.alert.body_text == (
        f"{TITLE} · Total · fair 2.00"
        " · EV without pushes, as how often the line pushes is not known"
    )
    assert sent.alert.cell is not None
    assert sent.alert.cell.bookmaker == "Betfair"
    assert seen.tick() == []


def test_what_the_preset_or_the_rule_leaves_out_does_not_alert() -> None:
    seen = Watched(ValueRule(preset="None"), ValueRule(least_ev=5.0))
    seen.load()
    assert seen.tick() == []


def test_where_the_hour_has_room_for_one_the_best_of_a_moment_is_sent() -> None:
    targets = [
        TargetRule(game=NAME, market="total", selection=selection, odds=odds)
        for selection, odds in (("Over 2.5", 2.05), ("Under 2.5", 1.80))
    ]
    seen = Watched(*targets, most_per_hour=1)
    seen.load()
    (sent,) = seen.tick()
    assert sent.alert.alert_title.startswith("Under 2.5 1.95 at ")
    assert [entry.held for entry in seen.gate.entries] == [None, Held.HOURLY]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.09), "Over 2.5 2.10"),
        (KickOffRule(minutes=19), f"{TITLE} starts soon"),
        (ConnectionRule(seconds=30), "Prices no longer come in"),
    ],
)
def test_lists_that_fill_an_hour_hold_back_nothing_that_was_asked_for(
    rule: Rule, said: str
) -> None:
    bet = OpenBet(GAME, NAME, NOW + 20 * MINUTE, "Arsenal")
    seen = Watched(ValueRule(), rule, bets=(bet,), most_per_hour=1)
    seen.load()
    assert [entry.alert.rule for entry in seen.tick()] == ["Value"]
    seen.tell(1.8, "Unibet")
    seen.tell(2.07, "Unibet", "Under 2.5")
    assert seen.tick() == [], "the hour is full"
    if isinstance(rule, TargetRule):
        seen.tell(2.1)
    else:
        seen.desk.now = NOW + 2 * MINUTE
    if isinstance(rule, ConnectionRule):
        seen.board.set_connection(Connection(link=Link.WAITING, since_ms=NOW))
    (title,) = seen.titles()
    assert title.startswith(said)
    assert seen.tick() == []


def test_one_price_that_flaps_fifty_times_alerts_once() -> None:
    seen = Watched(ValueRule())
    seen.load()
    sent = seen.tick()
    for _ in range(50):
        seen.tell(1.90)
        sent += seen.tick()
        seen.tell(2.08)
        sent += seen.tick()
    assert len(sent) == 1
    assert [(entry.held, entry.times) for entry in seen.gate.entries] == [
        (None, 1),
        (Held.COOLDOWN, 50),
    ]
    seen.desk.now += 10 * MINUTE
    seen.tell(2.08)
    assert seen.tick() == []


def test_a_bet_alerts_again_after_the_cooldown_where_it_is_better() -> None:
    seen = Watched(ValueRule())
    seen.load()
    assert len(seen.tick()) == 1
    seen.tell(2.095)
    assert seen.tick() == []
    seen.desk.now += 10 * MINUTE
    seen.load()
    seen.tell(2.095)
    assert seen.titles() == ["+4.8 %: Over 2.5 2.095 at Betfair"]


def test_two_bookmakers_with_the_same_bet_alert_once() -> None:
    seen = Watched(ValueRule())
    seen.load()
    seen.tell(2.07, "Unibet")
    assert len(seen.tick()) == 1


def test_two_rules_that_find_the_same_bet_alert_once() -> None:
    seen = Watched(ValueRule(name="First"), ValueRule())
    seen.load()
    assert [entry.alert.rule for entry in seen.tick()] == ["First"]


def test_what_was_held_in_quiet_hours_is_told_after_them_if_it_is_still_there() -> None:
    seen = Watched(ValueRule(), quiet=("23:00", "07:00"))
    seen.time_of_day = time(23, 30)
    seen.load()
    assert seen.tick() == []
    assert seen.tick() == []
    assert [(entry.held, entry.times) for entry in seen.gate.entries] == [(Held.QUIET, 1)]
    seen.time_of_day = time(7)
    assert len(seen.tick()) == 1


def test_a_price_that_reaches_its_target_alerts() -> None:
    target = TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.2)
    only = TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.2, bookmaker="Bovada")
    seen = Watched(target, only)
    seen.load()
    assert seen.tick() == []
    seen.tell(2.25, "Unibet")
    assert seen.titles() == [], "with 1.95 on the other side its line is below 100 %"
    seen.tell(1.75, "Unibet", "Under 2.5")
    assert seen.titles() == ["Over 2.5 2.25 at Unibet"]


def test_a_target_at_a_named_bookmaker_holds_wherever_the_user_bets() -> None:
    rule = TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.2)
    named = [msgspec.structs.replace(rule, bookmaker=name) for name in ("bovada", REFERENCE)]
    seen = Watched(rule, *named)
    seen.board.set_bookmakers(("Unibet",))
    seen.load()
    seen.tell(1.75, "Bovada", "Under 2.5")
    seen.tell(2.25, "Bovada")
    assert seen.titles() == ["Over 2.5 2.25 at Bovada"]
    seen.tell(1.72, REFERENCE, "Under 2.5")
    seen.tell(2.30, REFERENCE)
    assert seen.titles() == [f"Over 2.5 2.30 at {REFERENCE}"]


def test_the_reference_is_none_of_any_bookmakers() -> None:
    seen = Watched(TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.2))
    seen.load()
    seen.tell(2.25, REFERENCE)
    assert seen.titles() == []


@pytest.mark.parametrize("name", ["Arsenal v Chelsea", "arsenal vs. chelsea", "Chelsea @ Arsenal"])
def test_a_target_finds_its_game_as_people_write_it(name: str) -> None:
    """The whole desk writes v, and a rule written so found no game."""
    seen = Watched(TargetRule(game=name, market="total", selection="Over 2.5", odds=2.05))
    seen.load()
    assert seen.titles() == ["Over 2.5 2.08 at Betfair"]


def test_a_target_on_a_game_with_a_date_is_of_no_other_day() -> None:
    name = f"{TITLE} (2026-04-18)"
    seen = Watched(TargetRule(game=name, market="total", selection="Over 2.5", odds=2.05))
    seen.load()
    assert seen.titles() == []


def test_a_target_looks_at_both_games_of_one_name() -> None:
    seen = Watched(TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.2))
    seen.load()
    other = matrix(ODDS, seen.desk.now, market_type="total", competition="FACUP")
    exhaust(seen.board.merge_matrix(other))
    seen.tell(1.75, "Unibet", "Under 2.5")
    seen.tell(2.25, "Unibet")
    assert seen.titles() == ["Over 2.5 2.25 at Unibet"]


def test_what_was_told_is_no_news_to_other_rules() -> None:
    seen = Watched(ValueRule(), ConnectionRule(seconds=0))
    seen.load()
    assert len(seen.tick()) == 1
    seen.board.set_connection(Connection(link=Link.WAITING, since_ms=NOW))
    assert len(seen.tick()) == 1
    listed = list(seen.gate.entries)
    later = AlertWatch(
        seen.board,
        lambda: seen.desk.now,
        AlertSettings(rules=(ValueRule(), ConnectionRule(seconds=0), SteamRule())),
        seen.gate,
        presets={"all value bets": lambda **_: True},
        after=seen.watch,
    )
    assert later.check_alerts() == []
    assert list(seen.gate.entries) == listed


def test_a_stale_price_reaches_no_target() -> None:
    seen = Watched(TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.05))
    seen.load()
    seen.desk.now += 181_000
    seen.board.sweep()
    assert seen.tick() == []


def test_an_arbitrage_above_its_least_alerts() -> None:
    seen = Watched(OpportunityRule(least=0.2))
    seen.load()
    (sent,) = seen.tick()
    assert sent.alert.alert_title.startswith("Arbitrage +")
    assert "stake" in sent.alert.body_text
    assert Watched(OpportunityRule(least=50.0)).tick() == []


def test_an_arbitrage_across_markets_names_the_market_of_each_leg() -> None:
    seen = Watched(OpportunityRule(least=1.0))
    seen.tell_of("spread", "Betfair", "Arsenal -0.5", 2.1)
    seen.tell_of("double_chance", "Unibet", "X2", 2.08)
    (sent,) = seen.tick()
    text = sent.alert.body_text
    assert "Arsenal -0.5 (Handicap) 2.10 at Betfair" in text
    assert "X2 (Double chance) 2.08 at Unibet" in text


def test_an_arbitrage_with_a_likely_error_does_not_alert() -> None:
    """The list has it at the bottom, and 2.60 where 2.00 is fair may be taken back."""
    seen = Watched(OpportunityRule(least=0.2))
    seen.load()
    seen.tell(1.55, selection="Under 2.5")
    seen.tell(2.60)
    assert seen.tick() == []
    assert [found.is_too_good for found in seen.offered.entries.values()] == [True]
    seen.tell(2.08)
    (sent,) = seen.tick()
    assert sent.alert.body_text.startswith("Over 2.5 2.08 at Betfair")
    seen.tell(2.60)
    exhaust(seen.offered.looking())
    assert isinstance(seen.watch.as_it_is(sent.alert), Unsent)


def test_an_arbitrage_says_what_speaks_against_a_leg() -> None:
    seen = Watched(OpportunityRule(least=0.2))
    odds: Odds = {
        REFERENCE: {"Over 2.5": 2.01, "Under 2.5": 2.01},
        "Betfair": {"Over 2.5": 2.03, "Under 2.5": 1.90},
        "Unibet": {"Over 2.5": 1.90, "Under 2.5": 2.02},
    }
    exhaust(seen.board.merge_matrix(matrix(odds, NOW, market_type="total")))
    (sent,) = seen.tick()
    (found,) = (each for each in seen.offered.entries.values() if each.outlay.wins)
    assert any(leg.cautions for leg in found.legs)
    assert ", warning: " in sent.alert.body_text


def test_an_arbitrage_whose_legs_are_all_placed_does_not_alert_again() -> None:
    seen = Watched(OpportunityRule(least=0.2), cooldown_min=0, step=0)
    seen.load()
    (sent,) = seen.tick()
    (found,) = (each for each in seen.offered.entries.values() if each.outlay.wins)
    over, under = (
        (outcome_named(leg.key, NAME, "Football", in_play=False), fold_name(leg.bookmaker))
        for leg in found.legs
    )
    for placed, alerts in (({over: 50.0}, 1), ({over: 50.0, under: 50.0}, 0)):
        seen.tell(1.5)
        assert seen.tick() == []
        seen.offered.count_placed(placed)
        seen.tell(2.08 + alerts / 100)
        assert len(seen.tick()) == alerts
    assert sent.alert.key == ("arbitrage", found.key)


def test_alerts_name_a_bookmaker_as_people_do() -> None:
    """Files of quotes have keys: an alert said betfair_ex_uk."""
    seen = Watched(
        ValueRule(),
        OpportunityRule(least=0.2),
        SteamRule(groups=2, points=1.0),
        TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.05),
        most_per_hour=100,
    )
    names = {"Betfair": "betfair_ex_uk", "Unibet": "unibet_uk"}
    odds = {names.get(name, name): prices for name, prices in ODDS.items()}
    odds["betfair_ex_uk"] = {"Over 2.5": 2.15, "Under 2.5": 1.75}
    seen.board.set_profiles(shipped_profiles())
    exhaust(seen.board.merge_matrix(matrix(odds, seen.desk.now, market_type="total")))
    said = [seen.tick()]
    for name in names.values():
        seen.tell(2.3, name)
    said.append(seen.tick())
    texts = [
        f"{entry.alert.alert_title} {entry.alert.body_text}" for sent in said for entry in sent
    ]
    assert len({entry.alert.rule for sent in said for entry in sent}) == 4
    assert any("Betfair Exchange UK" in text for text in texts)
    assert not [text for text in texts if "_uk" in text]


def test_an_arbitrage_whose_line_can_be_hit_is_told_by_what_that_leaves() -> None:
    """Over 2.25 at 2.20 and under at 2.00: two goals halve the one stake and win half the other.

    Others leave at worst 4.76 % of stakes of 47.62 and 52.38; two goals 2.38 %, half of it.
    """
    for least, titles in ((2.0, [f"Arbitrage +2.4 %: {TITLE}"]), (3.0, [])):
        seen = Watched(OpportunityRule(least=least))
        seen.load()
        seen.tell(2.20, "Betfair", "Over 2.25")
        seen.tell(2.00, "Unibet", "Under 2.25")
        told = [entry.alert for entry in seen.tick()]
        assert [each.alert_title for each in told] == titles
        assert all(each.body_text.endswith(" · +4.8 % if there is no push") for each in told)


def test_steam_is_told_once_for_a_direction() -> None:
    seen = Watched(SteamRule(groups=3, points=1.0))
    seen.load()
    for odds in (1.85, 1.80):
        for bookmaker in ("Betfair", "Unibet", "Bovada"):
            seen.tell(odds, bookmaker)
        sent = seen.titles()
        assert sent == (["Over 2.5 shortens at 3 bookmakers"] if odds == 1.85 else [])
        assert seen.tick() == []
    assert seen.gate.entries[-1].held is Held.COOLDOWN


def test_brands_of_one_supplier_are_no_steam() -> None:
    seen = Watched(SteamRule(groups=3, points=1.0))
    brands = ("Casumo", "betPARX", "Bally Bet")
    clients = [Profile(name=name, group=name, supplier="Kambi") for name in brands]
    seen.board.set_profiles(Profiles(clients))
    seen.load()
    for odds in (1.95, 1.85):
        for bookmaker in brands:
            seen.tell(odds, bookmaker)
    assert seen.titles() == []
    for odds in (1.95, 1.85):
        for bookmaker in ("Betfair", "Unibet"):
            seen.tell(odds, bookmaker)
    assert seen.titles() == ["Over 2.5 shortens at 3 bookmakers"]


def test_a_game_with_a_placed_bet_alerts_before_it_begins() -> None:
    cell = RowKey(GAME, "moneyline", 0, "Arsenal", "Soft")
    bet = OpenBet(GAME, NAME, NOW + 11 * MINUTE, "Arsenal", cell)
    seen = Watched(KickOffRule(minutes=10), bets=(bet,))
    assert seen.tick() == []
    seen.desk.now += MINUTE
    (sent,) = seen.tick()
    assert (sent.alert.alert_title, sent.alert.cell) == (f"{TITLE} starts soon", cell)
    seen.desk.now += 11 * MINUTE
    assert seen.tick() == []


def test_a_game_that_was_moved_alerts_before_it_begins_as_the_service_says_now() -> None:
    bet = OpenBet(GAME, NAME, NOW + 5 * MINUTE, "Arsenal")
    seen = Watched(KickOffRule(minutes=10), bets=(bet,))
    seen.board.load_games([game(match_date=format_ms(NOW + 65 * MINUTE))])
    assert seen.tick() == []
    seen.desk.now += 60 * MINUTE
    assert seen.titles() == [f"{TITLE} starts soon"]


def test_the_next_game_of_a_series_under_the_same_id_is_no_bets_kick_off() -> None:
    """The service lists today's game; the bet is on tomorrow's, and then on another at once."""
    day = 24 * 60 * MINUTE
    tomorrow = OpenBet(GAME, NAME, NOW + day, "Arsenal")
    today = OpenBet(GAME, NAME, NOW + 5 * MINUTE, "Draw")
    seen = Watched(KickOffRule(minutes=10), bets=(tomorrow, today))
    seen.board.load_games([game(match_date=format_ms(NOW + 5 * MINUTE))])
    (sent,) = seen.tick()
    assert "Draw" in sent.alert.body_text
    assert "Arsenal" not in sent.alert.body_text
    seen.desk.now += day - 6 * MINUTE
    (sent,) = seen.tick()
    assert "Arsenal" in sent.alert.body_text


@pytest.mark.parametrize("link", [Link.CONNECTING, Link.WAITING, Link.REFUSED])
def test_nothing_is_told_of_prices_while_the_connection_is_lost(link: Link) -> None:
    target = TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.05)
    bet = OpenBet(GAME, NAME, NOW + MINUTE, "Arsenal", RowKey(GAME, "moneyline", 0, "Arsenal", "x"))
    seen = Watched(ValueRule(), OpportunityRule(least=-100), target, KickOffRule(), bets=(bet,))
    seen.load()
    seen.tell(2.2, "Unibet", "Under 2.5")
    seen.board.set_connection(Connection(link=link, since_ms=NOW))
    sent = seen.tick()
    assert [(each.alert.rule, each.alert.is_of_prices) for each in sent] == [("Kick off", False)]
    seen.board.set_connection(Connection(link=Link.LIVE))
    told = sorted({(each.alert.rule, each.alert.is_of_prices) for each in seen.tick()})
    assert told == [("Arbitrage", True), ("Target", True), ("Value", True)]


def test_what_was_told_before_the_connection_was_lost_is_no_news_afterwards() -> None:
    seen = Watched(ValueRule(), cooldown_min=0, step=0)
    seen.load()
    assert len(seen.tick()) == 1
    for link in (Link.WAITING, Link.LIVE):
        seen.board.set_connection(Connection(link=link, since_ms=NOW))
        assert seen.tick() == []


SENT_LATER = [
    ValueRule(),
    TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.05),
    OpportunityRule(least=-100),
    SteamRule(groups=2, points=0.1),
]


def kept(alert: Alert) -> Alert:
    """Return an alert as a file keeps it."""
    return msgspec.structs.replace(alert, key=key_text(alert.key))


@pytest.mark.parametrize("rule", SENT_LATER)
def test_an_alert_that_waited_is_asked_of_the_board_and_told_as_it_is(rule: Rule) -> None:
    seen = Watched(rule)
    seen.load()
    for bookmaker in ("Unibet", "Bovada"):
        seen.tell(2.0, bookmaker, "Over 2.5")
    seen.tell(2.05, "Caliente", "Under 2.5")
    alert = seen.tick()[0].alert
    for asked in (alert, kept(alert)):
        assert seen.watch.as_it_is(asked) == alert
    if isinstance(rule, OpportunityRule):
        seen.tell(2.07, "Caliente", "Under 2.5")
    else:
        seen.tell(2.075)
    now = seen.watch.as_it_is(alert)
    assert isinstance(now, Alert)
    if not isinstance(rule, SteamRule):
        assert now.says != alert.says or now.also != alert.also

    for lost in (Connection(link=Link.WAITING), Connection(link=Link.LIVE, is_catching_up=True)):
        seen.board.set_connection(lost)
        assert seen.watch.as_it_is(alert) == Unsent(lost.why_lost)
    seen.board.set_connection(Connection(link=Link.PAST, as_of_ms=NOW))
    assert seen.watch.as_it_is(alert) == Unsent("past view is open")
    seen.board.set_connection(Connection(link=Link.LIVE, simulated=True))
    said = seen.watch.as_it_is(alert)
    assert isinstance(said, Unsent)
    assert (said.is_final, said.why[:24]) == (True, "these odds are simulated")

    seen.board.set_connection(Connection(link=Link.LIVE))
    seen.desk.now += 11 * MINUTE
    assert seen.watch.as_it_is(alert) == Unsent("prices are loading for the first time")
    seen.board.set_snapshot_progress(SnapshotProgress(finished_at=seen.desk.now))
    assert seen.watch.as_it_is(alert) == OVER


def test_value_that_no_more_is_when_it_could_be_sent_is_over() -> None:
    seen = Watched(ValueRule(), ConnectionRule(seconds=0))
    seen.load()
    (sent,) = seen.tick()
    seen.board.set_snapshot_progress(SnapshotProgress(finished_at=seen.desk.now))
    seen.board.set_connection(Connection(link=Link.WAITING, since_ms=NOW))
    (lost,) = seen.tick()
    seen.board.set_connection(Connection(link=Link.LIVE))
    seen.tell(1.90)
    assert seen.watch.as_it_is(sent.alert) == OVER
    assert seen.watch.as_it_is(lost.alert) == lost.alert


def test_an_alert_of_before_the_start_waits_until_prices_and_reference_are_known() -> None:
    told = Watched(ValueRule())
    told.load()
    (sent,) = told.tick()
    seen = Watched(ValueRule())
    unread = Unsent("prices are loading for the first time")
    assert seen.watch.as_it_is(kept(sent.alert)) == unread
    seen.board.set_snapshot_progress(SnapshotProgress(finished_at=seen.desk.now))
    assert seen.watch.as_it_is(kept(sent.alert)) == unread, "nobody is known to judge by"
    seen.load()
    assert seen.watch.as_it_is(kept(sent.alert)) == sent.alert


def test_value_that_grew_old_while_the_computer_slept_is_over_before_anything_is_looked_at() -> (
    None
):
    seen = Watched(ValueRule())
    seen.load()
    (sent,) = seen.tick()
    seen.board.set_snapshot_progress(SnapshotProgress(finished_at=seen.desk.now))
    seen.desk.now += 4 * MINUTE
    assert seen.board.value_bets, "not swept yet"
    assert seen.watch.as_it_is(sent.alert) == OVER


@pytest.mark.parametrize("rule", [ValueRule(), OpportunityRule(least=-100)])
def test_what_was_held_before_the_computer_slept_is_not_told_of_prices_of_before(
    rule: Rule,
) -> None:
    seen = Watched(rule, quiet=("23:00", "07:00"))
    seen.time_of_day = time(1)
    seen.load()
    assert seen.tick() == []
    seen.desk.now += 20 * MINUTE
    seen.time_of_day = time(9)
    assert seen.watch.check_alerts() == [], "before anything is looked at"
    seen.board.sweep()
    assert seen.tick() == []
    seen.load()
    (sent,) = seen.tick()
    assert sent.at == seen.desk.now


def test_value_that_is_gone_ends_its_alert() -> None:
    seen = Watched(ValueRule(), cooldown_min=0, step=0)
    seen.load()
    (sent,) = seen.tick()
    assert seen.watch.ended == ()
    assert sent.alert.cell is not None
    seen.tell(1.5, sent.alert.cell.bookmaker or "", sent.alert.cell.selection)
    seen.tick()
    assert seen.watch.ended == (sent.alert.key,)


def test_prices_that_come_no_more_alert_while_the_service_answers() -> None:
    seen = Watched(ConnectionRule(seconds=90))
    seen.board.set_connection(Connection(link=Link.LIVE, since_ms=NOW - 999_000))
    assert seen.tick() == []
    seen.board.set_connection(Connection(link=Link.LIVE, silent_since_ms=NOW - 60_000))
    assert seen.tick() == []
    seen.desk.now += 30_000
    (sent,) = seen.tick()
    assert sent.alert.alert_title == "Prices no longer come in"
    assert sent.alert.body_text.startswith("The service answers, but no prices have come in")
    seen.board.set_connection(Connection(link=Link.LIVE))
    seen.tick()
    assert seen.watch.ended == (sent.alert.key,)


def test_a_connection_that_stays_lost_alerts() -> None:
    seen = Watched(ConnectionRule(seconds=30))
    lost = Connection(link=Link.WAITING, reason="nothing answers", since_ms=NOW)
    seen.board.set_connection(lost)
    assert seen.tick() == []
    seen.desk.now += 30_000
    (sent,) = seen.tick()
    assert sent.alert.body_text == "Nothing answers"
    assert seen.tick() == []
    assert seen.watch.ended == ()
    seen.board.set_connection(Connection(link=Link.LIVE, is_catching_up=True))
    seen.tick()
    assert seen.watch.ended == ()
    seen.board.set_connection(Connection(link=Link.LIVE))
    seen.tick()
    assert seen.watch.ended == (sent.alert.key,)
    seen.tick()
    assert seen.watch.ended == ()


def test_odds_of_an_alert_can_be_written_in_any_style() -> None:
    target = TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.05)
    seen = Watched(ValueRule(), OpportunityRule(least=-100), target)
    seen.load()
    seen.tell(1.6, "Unibet")
    seen.tell(2.07, "Unibet", "Under 2.5")
    said = {entry.alert.rule: entry.alert for entry in seen.tick()}
    american = partial(format_odds, style="american")
    written = {
        rule: (said_text(each.says, american), said_text(each.also, american))
        for rule, each in said.items()
    }
    assert written["Value"][0].endswith("Over 2.5 +108 at Betfair") or written["Value"][0].endswith(
        "Under 2.5 +107 at Unibet"
    )
    assert written["Target"][1] == f"{TITLE} · your target of +105 is reached"
    assert "Over 2.5 +108 at Betfair, stake " in written["Arbitrage"][1]
    assert "Under 2.5 +107 at Unibet, stake " in written["Arbitrage"][1]


@pytest.mark.parametrize(
    ("odds", "first", "last"),
    [
        (Connection(simulated=True), "Simulated: ", "no bookmaker offers them"),
        (Connection(shifted=True), "Maybe old odds: ", "no bookmaker offers those now"),
    ],
)
def test_alerts_of_odds_that_nobody_offers_say_so_and_go_to_no_channel(
    odds: Connection, first: str, last: str
) -> None:
    bet = OpenBet(GAME, NAME, NOW + MINUTE, "Arsenal", RowKey(GAME, "moneyline", 0, "Arsenal", "x"))
    seen = Watched(ValueRule(), KickOffRule(), bets=(bet,))
    seen.board.set_connection(odds)
    seen.load()
    begins, value = sorted(seen.tick(), key=lambda entry: entry.alert.rule)
    assert value.alert.alert_title == f"{first}+4.0 %: Over 2.5 2.08 at Betfair"
    assert value.alert.body_text.endswith(last)
    for entry in (begins, value):
        mark_waiting(entry, ["phone"])
    assert value.deliveries["phone"].startswith("not sent: ")
    assert not is_pending(value.deliveries["phone"])
    assert begins.deliveries == {"phone": "waits"}


def test_real_odds_are_news_where_simulated_ones_were_told() -> None:
    seen = Watched(ValueRule(), most_per_hour=1)
    seen.board.set_connection(Connection(simulated=True))
    seen.load()
    assert seen.titles() == ["Simulated: +4.0 %: Over 2.5 2.08 at Betfair"]
    seen.board.set_connection(Connection(simulated=False))
    seen.load()
    assert seen.titles() == ["+4.0 %: Over 2.5 2.08 at Betfair"]
    assert seen.titles() == []


def test_a_rule_that_is_off_tells_nothing() -> None:
    seen = Watched(ValueRule(enabled=False), OpportunityRule(least=-100, enabled=False))
    seen.load()
    assert not seen.watch.wants_opportunities
    assert seen.tick() == []


def test_a_target_that_gets_another_name_is_the_one_that_was_told() -> None:
    rule = TargetRule(game=NAME, market="total", selection="Over 2.5", odds=2.05)
    seen = Watched(rule)
    seen.load()
    (sent,) = seen.tick()
    again = Watched(msgspec.structs.replace(rule, name="Goals", game=NAME.upper()))
    again.load()
    (same,) = again.tick()
    assert same.alert.key == sent.alert.key


OUTCOME = SteamOutcome("game", "total", 0, "2.5", "over")


def moved(watch: SteamWatch, *books: str, to: float = 1.9, at: int = MINUTE) -> None:
    for book in books:
        watch.note_move(OUTCOME, book, to, at)


def found(watch: SteamWatch, at: int) -> list[Steam]:
    return list(steam_among(watch.moves_of(at), 3, 2.0))


def started(minutes: float = 5.0) -> SteamWatch:
    watch = SteamWatch(minutes, str)
    moved(watch, "A", "B", "C", "D", to=2.0, at=0)
    return watch


def test_three_operators_that_move_the_same_way_are_steam() -> None:
    watch = started()
    moved(watch, "A", "B")
    assert found(watch, MINUTE) == []
    moved(watch, "C", to=1.8)
    (one,) = found(watch, MINUTE)
    assert (one.direction, one.groups) == (1, ("A", "B", "C"))
    assert one.points == pytest.approx(100 / 1.9 - 50)


def test_what_did_not_move_since_is_not_told_again() -> None:
    watch = started()
    moved(watch, "A", "B", "C")
    assert len(found(watch, MINUTE)) == 1
    assert found(watch, MINUTE) == []


def test_moves_apart_small_moves_and_old_moves_are_none() -> None:
    watch = started()
    moved(watch, "A", "B")
    moved(watch, "C", to=2.1)
    assert found(watch, MINUTE) == []
    watch = started()
    moved(watch, "A", "B", "C", to=1.95)
    assert found(watch, MINUTE) == []
    watch = started()
    moved(watch, "A", at=MINUTE)
    moved(watch, "B", "C", at=7 * MINUTE)
    assert found(watch, 7 * MINUTE) == []


def test_small_moves_of_one_add_up_within_the_window() -> None:
    watch = started()
    for to in (1.97, 1.94, 1.9):
        moved(watch, "A", "B", "C", to=to)
    assert len(found(watch, MINUTE)) == 1


def test_skins_of_one_operator_count_once() -> None:
    watch = SteamWatch(5.0, {"A": "One", "B": "One", "C": "Two"}.__getitem__)
    moved(watch, "A", "B", "C", to=2.0, at=0)
    moved(watch, "A", "B", "C", to=1.9, at=0)
    assert found(watch, 0) == []


def test_a_price_that_came_back_has_not_moved() -> None:
    watch = started()
    for book in ("A", "B", "C"):
        watch.forget_price(OUTCOME, book)
    moved(watch, "A", "B", "C")
    assert found(watch, MINUTE) == []


def test_drifting_is_told_as_such() -> None:
    watch = started()
    moved(watch, "A", "B", "C", to=2.2)
    assert [each.direction for each in found(watch, MINUTE)] == [-1]


def test_alerts_name_selections_with_the_chosen_decimal_mark() -> None:
    choose_numbers(Style(COMMA))
    _, text = kick_off_texts(NAME, ["Over 2.5", "Arsenal -1.5"])
    assert text == "You have 2 bets on it: Over 2,5, Arsenal -1,5"
