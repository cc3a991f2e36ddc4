"""Lines that the reference does not price: which derived prices judge them, and for how long."""

from collections.abc import Mapping

import pytest

from oddsdesk.base.tasks import exhaust, returned
from oddsdesk.board.model.basis import CONSENSUS
from oddsdesk.board.model.matrix import Section
from oddsdesk.board.model.notices import PricesChanged
from oddsdesk.board.valuation import deriving
from oddsdesk.board.valuation.bets import Bet, listing_bets
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.board.valuation.verdict_words import remedies
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.derived import Band, BandKey, FairGame
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import Derived, LineName, ReferenceLine, ReferencePrice, Rule
from tests.kit.board import GAME, REFERENCE, Desk, Odds, message, odds_row, picture, row_key

RESULT = {"Arsenal": 2.05, "Draw": 3.5, "Chelsea": 3.7}
DOUBLE = {"1X": 1.3, "X2": 2.02, "12": 1.33}
DRAW_NO_BET = {"Arsenal": 1.45, "Chelsea": 2.7}


def desk_of(markets: Mapping[str, Odds], **more: object) -> Desk:
    desk = Desk()
    exhaust(desk.board.merge_matrix(picture(markets, **more)))
    desk.heard()
    return desk


def double_chance(reference: Mapping[str, float] = RESULT, book: str = "Unibet") -> Desk:
    return desk_of({"moneyline": {REFERENCE: reference}, "double_chance": {book: DOUBLE}})


def section_of(desk: Desk, market_type: str, selection: str) -> Section:
    found = desk.board.section(GAME, market_type, 0, selection)
    assert found is not None
    return found


def judged(
    desk: Desk, selection: str, market_type: str = "double_chance", book: str = "Unibet"
) -> Assessment:
    found = desk.board.assess(row_key(selection, book, market_type))
    assert found is not None
    return found


def fair_of(desk: Desk, selection: str, market_type: str = "double_chance") -> float | None:
    row = desk.board.row(GAME, market_type, 0, selection)
    assert row is not None
    return row.fair


def move(desk: Desk, selection: str, odds: float, **more: object) -> None:
    desk.board.apply_all([message(selection, odds, at=desk.now, **more)])


def without_margin(odds: Mapping[str, float]) -> list[float]:
    """An equal share of the margin off each chance."""
    chances = [1 / each for each in odds.values()]
    return [each - (sum(chances) - 1) / len(chances) for each in chances]


def bets_of(desk: Desk) -> list[Bet]:
    plan = StakePlan(bankroll=1_000, kelly_share=0.25)
    found = desk.board.value_bets.values()
    return returned(listing_bets(found, desk.board.basis, plan, now_ms=desk.now))


def test_a_double_chance_is_judged_by_the_match_result() -> None:
    home, draw, away = without_margin(RESULT)
    found = judged(double_chance(), "X2")
    assert found.fair_odds == pytest.approx(1 / (draw + away))
    assert found.fair_odds == pytest.approx(1.898, abs=5e-4)
    assert (found.derived, found.band_pct) == ("implied", None)
    assert found.ev_pct == pytest.approx(5.4, abs=0.05)
    assert found.is_value
    (bet,) = bets_of(double_chance())
    assert bet.price.key.selection == "X2"
    assert (bet.service_ev_pct, bet.price.is_in_contract) == (None, False)
    share = (draw + away) - home / (DOUBLE["X2"] - 1)
    assert bet.stake == int(250 * share) == 15


def test_the_references_own_line_always_wins() -> None:
    own = {"Arsenal": 1.48, "Chelsea": 2.62}
    desk = desk_of(
        {"moneyline": {REFERENCE: RESULT}, "draw_no_bet": {REFERENCE: own, "Unibet": DRAW_NO_BET}}
    )
    assert judged(desk, "Chelsea", "draw_no_bet").derived is None
    own_fair = fair_of(desk, "Chelsea", "draw_no_bet")
    assert own_fair == pytest.approx(1 / without_margin(own)[1])
    move(desk, "Arsenal", 0, bookmaker=REFERENCE, market_type="draw_no_bet")
    assert judged(desk, "Chelsea", "draw_no_bet").derived == "implied"
    home, _, away = without_margin(RESULT)
    assert fair_of(desk, "Chelsea", "draw_no_bet") == pytest.approx((home + away) / away)
    section = section_of(desk, "draw_no_bet", "Chelsea")
    assert section.push == (pytest.approx(without_margin(RESULT)[1]),) * 2
    desk.now += 1_000
    move(desk, "Arsenal", 1.48, bookmaker=REFERENCE, market_type="draw_no_bet")
    assert judged(desk, "Chelsea", "draw_no_bet").derived is None
    assert fair_of(desk, "Chelsea", "draw_no_bet") == own_fair
    assert section_of(desk, "draw_no_bet", "Chelsea").sources == ()


def test_a_derived_line_follows_its_sources_and_goes_with_them() -> None:
    desk = double_chance()
    assert [*desk.board.value_bets] == [row_key("X2", "Unibet", "double_chance")]
    desk.now += 1_000
    move(desk, "Arsenal", 1.95, bookmaker=REFERENCE)
    (told,) = [each for each in desk.heard() if isinstance(each, PricesChanged)]
    assert ("double_chance", 0, "") in told.sections
    home, draw, away = without_margin(RESULT | {"Arsenal": 1.95})
    assert fair_of(desk, "X2") == pytest.approx(1 / (draw + away))
    assert fair_of(desk, "12") == pytest.approx(1 / (home + away))
    move(desk, "Draw", 0, bookmaker=REFERENCE)
    assert fair_of(desk, "X2") is None
    assert not desk.board.value_bets
    desk.now += 1_000
    move(desk, "Draw", 3.5, bookmaker=REFERENCE)
    assert fair_of(desk, "X2") == pytest.approx(1 / (draw + away))


def test_an_unchanged_derived_line_sends_no_notice() -> None:
    desk = double_chance()
    section = section_of(desk, "double_chance", "X2")
    before = section.reference
    desk.now += 1_000
    move(desk, "1X", 1.31, bookmaker="Unibet", market_type="double_chance")
    assert section.reference is before
    (told,) = [each for each in desk.heard() if isinstance(each, PricesChanged)]
    assert set(told.quotes) == {("double_chance", 0, "Unibet")}


def test_a_derived_line_is_dated_as_its_source_is_seen_again() -> None:
    desk = double_chance()
    desk.now += 20_000
    exhaust(desk.board.merge_rows([odds_row(REFERENCE, dict(RESULT), desk.now)]))
    line = section_of(desk, "double_chance", "X2").reference
    assert line is not None
    assert line.scraped_at == desk.now


def test_a_derived_line_is_as_old_as_its_oldest_source() -> None:
    desk = double_chance()
    desk.now += 3 * MINUTE_MS + 1
    exhaust(desk.board.merge_rows([_double_chance_row(desk)]))
    desk.board.sweep()
    assert Caution.REFERENCE_STALE in judged(desk, "X2").cautions
    assert not bets_of(desk)
    seen = odds_row(REFERENCE, dict(RESULT), desk.now)
    exhaust(desk.board.merge_rows([seen]))
    line = section_of(desk, "double_chance", "X2").reference
    assert line is not None
    assert line.scraped_at == desk.now
    assert judged(desk, "X2").cautions == ()
    assert [bet.price.key.selection for bet in bets_of(desk)] == ["X2"]


def _double_chance_row(desk: Desk) -> object:
    return odds_row("Unibet", dict(DOUBLE), desk.now, market_type="double_chance")


def test_the_age_of_a_derived_line_is_judged_by_the_references_rhythm() -> None:
    desk = double_chance()
    for _ in range(6):  # every five seconds, so that it is stale after 30
        desk.now += 5_000
        exhaust(desk.board.merge_rows([odds_row(REFERENCE, dict(RESULT), desk.now)]))
    exhaust(desk.board.merge_rows([_double_chance_row(desk)]))
    assert judged(desk, "X2").is_value
    desk.now += 30_001
    assert judged(desk, "X2").cautions == (Caution.REFERENCE_STALE,)


def test_a_stale_line_is_no_source_where_others_are_fresh() -> None:
    """Double chance follows from handicaps, too, where the match result is not seen any more."""
    halves = {"Arsenal -0.5": 2.08, "Chelsea +0.5": 1.86}
    desk = desk_of(
        {
            "moneyline": {REFERENCE: RESULT},
            "spread": {REFERENCE: halves},
            "double_chance": {"Unibet": DOUBLE},
        }
    )
    assert _sources(desk, "double_chance", "X2") == [LineName("moneyline", "")]
    desk.now += 3 * MINUTE_MS + 1
    seen = odds_row(REFERENCE, halves, desk.now, market_type="spread")
    exhaust(desk.board.merge_rows([seen]))
    desk.board.sweep()
    assert _sources(desk, "double_chance", "X2") == [LineName("spread", "-0.5")]


def _sources(desk: Desk, market_type: str, selection: str) -> list[LineName]:
    line = section_of(desk, market_type, selection).reference
    assert line is not None
    assert line.derived is not None
    return list(line.derived.sources)


def test_a_wide_or_doubtful_source_gives_no_value() -> None:
    wide = {"Arsenal": 1.98, "Draw": 3.3, "Chelsea": 3.5}
    found = judged(double_chance(wide), "X2")
    assert [check.rule for check in found.stopped_by] == [Rule.OVERROUND]
    assert found.ev is not None
    empty = double_chance({"Arsenal": 1.01, "Draw": 1.01, "Chelsea": 4.0})
    assert fair_of(empty, "X2") is None


def test_in_play_no_handicap_is_derived() -> None:
    desk = desk_of(
        {
            "moneyline": {REFERENCE: RESULT},
            "spread": {"Unibet": {"Arsenal -0.5": 2.2, "Chelsea +0.5": 1.9}},
            "double_chance": {"Unibet": DOUBLE},
        }
    )
    assert fair_of(desk, "Arsenal -0.5", "spread") is not None
    for market_type, odds, name in (
        ("moneyline", RESULT, REFERENCE),
        ("spread", {"Arsenal -0.5": 2.2, "Chelsea +0.5": 1.9}, "Unibet"),
        ("double_chance", DOUBLE, "Unibet"),
    ):
        desk.board.apply_all(
            [
                message(
                    text, each, desk.now + 1, bookmaker=name, market_type=market_type, is_live=True
                )
                for text, each in odds.items()
            ]
        )
    assert fair_of(desk, "Arsenal -0.5", "spread") is None
    assert fair_of(desk, "X2") is not None
    assert Caution.STATE_DIFFERS not in judged(desk, "X2").cautions


def test_derived_prices_can_be_turned_off() -> None:
    desk = double_chance()
    desk.board.set_derived("none")
    assert fair_of(desk, "X2") is None
    assert not desk.board.value_bets
    desk.board.set_derived("implied")
    assert judged(desk, "X2").is_value


class Modelled(FairGame):
    """Prices each total that the reference does not price at 50 %, give or take ``band``."""

    band = 0.02

    def modelled_line(self, market_type: str, group: LineGroup) -> ReferenceLine | None:
        if market_type != "total" or not self._lines or not self._bands:
            return super().modelled_line(market_type, group)
        bands = dict.fromkeys(group.sides, self.band)
        derived = Derived("modelled", tuple(self._lines), 0.0, bands)
        at = min(line.scraped_at for line in self._lines.values())
        prices = {side: ReferencePrice(None, 0.0, 2.0) for side in group.sides}
        return ReferenceLine(market_type, group, prices, 1.02, at, False, derived)


@pytest.fixture
def modelled(monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(deriving, "FairGame", Modelled)
    desk = desk_of(
        {
            "moneyline": {REFERENCE: RESULT},
            "total": {"Unibet": {"Over 3.5": 2.15}, "bwin": {"Under 3.5": 2.11}},
        }
    )
    desk.board.set_bands({BandKey("Football", "total", "none"): Band(0.02, 100)})
    return desk


def test_a_modelled_bet_is_staked_at_the_unfavourable_end(modelled: Desk) -> None:
    """0.5 +- 0.02: 2.15 is worth 3.2 % at worst, 2.11 only 1.3 %."""
    over = judged(modelled, "Over 3.5", "total")
    under = judged(modelled, "Under 3.5", "total", "bwin")
    assert (over.derived, over.is_value, under.is_value) == ("modelled", True, False)
    assert over.ev == pytest.approx(7.5)
    assert over.band_pct == pytest.approx(4.3)
    (bet,) = bets_of(modelled)
    assert bet.stake == int(250 * (0.48 - 0.52 / 1.15)) == 6
    row = modelled.board.row(GAME, "total", 0, "Over 3.5")
    assert row is not None
    assert row.near == ("Unibet",)
    assert row.value_from == pytest.approx(1.01 * 1.01 / 0.48)


def goals_desk(over: float = 1.95, home: float = RESULT["Arsenal"]) -> Desk:
    """A board whose total of 3.5 is modelled from the match result and the total of 2.5."""
    desk = desk_of(
        {
            "moneyline": {REFERENCE: RESULT | {"Arsenal": home}},
            "total": {
                REFERENCE: {"Over 2.5": over, "Under 2.5": 1.9},
                "Unibet": {"Over 3.5": 3.1, "Under 3.5": 1.35},
            },
            "double_chance": {"Unibet": DOUBLE},
        }
    )
    desk.board.set_bands({BandKey("Football", "total", "1"): Band(0.02, 100)})
    return desk


def test_a_model_follows_at_most_once_a_second_and_implied_lines_at_once() -> None:
    desk = goals_desk()
    began = fair_of(desk, "Over 3.5", "total")
    desk.now += 5_000
    move(desk, "Over 2.5", 1.9, bookmaker=REFERENCE, market_type="total")
    moved = fair_of(desk, "Over 3.5", "total")
    assert began is not None
    assert moved is not None
    assert moved < began, "the first move is followed at once"
    dated = section_of(desk, "total", "Over 3.5").reference
    desk.now += 400
    double = fair_of(desk, "X2")
    move(desk, "Over 2.5", 1.8, bookmaker=REFERENCE, market_type="total")
    move(desk, "Arsenal", 2.0, bookmaker=REFERENCE)
    assert fair_of(desk, "X2") != double
    assert section_of(desk, "total", "Over 3.5").reference is dated
    desk.now += 599
    desk.board.sweep()
    assert section_of(desk, "total", "Over 3.5").reference is dated
    desk.heard()
    desk.now += 1
    desk.board.sweep()
    last = fair_of(goals_desk(1.8, 2.0), "Over 3.5", "total")
    assert fair_of(desk, "Over 3.5", "total") == pytest.approx(last, abs=1e-3)
    (told,) = [each for each in desk.heard() if isinstance(each, PricesChanged)]
    assert ("total", 0, "3.5") in told.sections


def test_a_modelled_line_ends_at_once_without_its_sources() -> None:
    desk = goals_desk()
    desk.now += 5_000
    move(desk, "Over 2.5", 1.9, bookmaker=REFERENCE, market_type="total")
    assert fair_of(desk, "Over 3.5", "total") is not None
    move(desk, "Draw", 0, bookmaker=REFERENCE)
    assert fair_of(desk, "Over 3.5", "total") is None


def test_nothing_is_modelled_where_only_implied_prices_are_wanted(modelled: Desk) -> None:
    modelled.board.set_derived("implied")
    assert fair_of(modelled, "Over 3.5", "total") is None
    modelled.board.set_derived("all")
    assert fair_of(modelled, "Over 3.5", "total") == 2.0


VOTES = {
    "Alpha": {"Arsenal": 2.04, "Draw": 3.5, "Chelsea": 3.7},
    "Beta": {"Arsenal": 2.06, "Draw": 3.45, "Chelsea": 3.7},
    "Gamma": {"Arsenal": 2.02, "Draw": 3.55, "Chelsea": 3.75},
    "Delta": {"Arsenal": 1.98, "Draw": 3.55, "Chelsea": 3.9},
}


def test_a_consensus_implies_lines_without_each_bookmakers_own_vote() -> None:
    """Delta rates Arsenal higher: without its vote X2 is likelier, so its fair odds are lower."""
    double = {"Delta": {"X2": 2.02}, "Epsilon": {"X2": 2.02}}
    desk = desk_of({"moneyline": VOTES, "double_chance": double})
    desk.board.choose_reference(CONSENSUS)
    by_all = judged(desk, "X2", book="Epsilon")
    by_others = judged(desk, "X2", book="Delta")
    assert (by_all.derived, by_others.derived) == ("implied", "implied")
    others = desk_of(
        {
            "moneyline": {name: odds for name, odds in VOTES.items() if name != "Delta"},
            "double_chance": double,
        }
    )
    others.board.choose_reference(CONSENSUS)
    assert by_others.fair_odds == pytest.approx(judged(others, "X2", book="Delta").fair_odds)
    assert by_others.fair_odds is not None
    assert by_all.fair_odds is not None
    assert by_others.fair_odds < by_all.fair_odds
    assert {bet.price.bookmaker for bet in bets_of(desk)} == {"Delta", "Epsilon"}


def test_a_consensus_models_nothing(modelled: Desk) -> None:
    seen = [odds_row(name, dict(odds), modelled.now) for name, odds in VOTES.items()]
    exhaust(modelled.board.merge_rows(seen))
    modelled.board.choose_reference(CONSENSUS)
    assert fair_of(modelled, "Chelsea", "moneyline") is not None
    assert fair_of(modelled, "Over 3.5", "total") is None


@pytest.mark.parametrize(
    ("market", "own"),
    [
        ("draw_no_bet", {"Arsenal": 1.58}),
        ("spread", {"Arsenal +0": 1.58}),  # the same bet in football
    ],
)
def test_odds_that_the_reference_offers_itself_are_no_value(
    market: str, own: dict[str, float]
) -> None:
    """1.58 is value by the match result, but the sharp book itself pays as much."""
    book = {"Unibet": {"Arsenal": 1.58, "Chelsea": 2.4}}
    result = {"moneyline": {REFERENCE: {"Arsenal": 2.05, "Draw": 3.5, "Chelsea": 4.1}}}
    assert judged(desk_of(result | {"draw_no_bet": book}), "Arsenal", "draw_no_bet").is_value
    markets: dict[str, Odds] = result | {"draw_no_bet": book}
    markets[market] = {**markets.get(market, {}), REFERENCE: own}
    desk = desk_of(markets)
    stopped = [each.rule for each in judged(desk, "Arsenal", "draw_no_bet").stopped_by]
    assert stopped == [Rule.ABOVE_REFERENCE]
    section = section_of(desk, "draw_no_bet", "Arsenal")
    assert section.derived is not None
    assert dict(section.derived.own_odds) == {"home": 1.58}
    said = explain(desk.board, row_key("Arsenal", "Unibet", "draw_no_bet"), desk.now)
    assert said is not None
    assert remedies(said) == ["Becomes value at 1.581 or higher (+0.1 %)"]
    move(desk, next(iter(own)), 1.57, bookmaker=REFERENCE, market_type=market)
    assert judged(desk, "Arsenal", "draw_no_bet").is_value


@pytest.mark.parametrize(
    ("result", "cautions"),
    [
        (None, (Caution.OTHER_RULES,)),
        ({"Arsenal": 1.8, "Chelsea": 2.05}, (Caution.OTHER_RULES,)),
        ({"Arsenal": 2.2, "Draw": 4.1, "Chelsea": 2.7}, ()),
    ],
)
def test_a_derived_draw_no_bet_may_count_overtime_at_a_bookmaker_without_a_draw(
    result: dict[str, float] | None, cautions: tuple[Caution, ...]
) -> None:
    moneyline = {REFERENCE: {"Arsenal": 2.3, "Draw": 4.2, "Chelsea": 2.8}}
    markets: dict[str, Odds] = {
        "moneyline": moneyline | ({} if result is None else {"Unibet": result}),
        "draw_no_bet": {"Unibet": {"Arsenal": 1.92, "Chelsea": 1.9}},
        "double_chance": {"Unibet": {"1X": 1.58, "X2": 1.6, "12": 1.25}},
    }
    desk = desk_of(markets, sport="Hockey")
    found = judged(desk, "Arsenal", "draw_no_bet")
    assert (found.derived, found.cautions, found.is_value) == ("implied", cautions, not cautions)
    assert judged(desk, "1X").cautions == ()  # it names the draw
    assert judged(desk_of(markets), "Arsenal", "draw_no_bet").cautions == ()
