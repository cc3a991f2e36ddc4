"""What the board says of a price: net, fresh, of the same bet, at the user's bookmakers (D45)."""

from collections.abc import Iterator

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, SelectionRow
from oddsdesk.board.model.notices import PricesChanged, RowsChanged, ValueBetsChanged
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.value import Rule
from tests.kit.board import (
    GAME,
    NOW,
    REFERENCE,
    RESULT,
    Desk,
    Odds,
    game,
    matrix,
    message,
    odds_row,
    picture,
    row_key,
)

SHARP = {"Arsenal": 2.0, "Draw": 3.6, "Chelsea": 4.0}
"""Arsenal: fair 2.0377, value from 2.0787, suspicious above 2.1636."""
ODDS: Odds = {
    REFERENCE: SHARP,
    "Betfair": {"Arsenal": 2.12, "Draw": 3.5, "Chelsea": 3.9},
    "Unibet": {"Arsenal": 2.0, "Draw": 3.55, "Chelsea": 3.8},
}
HOME = row_key("Arsenal", "Betfair")
EXCHANGE = Profiles([Profile(name="Betfair", group="Betfair", commission=0.05)])
DAY_MS = 24 * 3_600_000


def load(desk: Desk, odds: Odds = ODDS, **more: object) -> None:
    exhaust(desk.board.merge_matrix(matrix(odds, desk.now, **more)))


def cautions(desk: Desk, selection: str = "Arsenal", bookmaker: str = "Betfair") -> list[Caution]:
    found = desk.board.assess(row_key(selection, bookmaker))
    assert found is not None
    return list(found.cautions)


def row_of(desk: Desk, selection: str = "Arsenal") -> SelectionRow:
    section = desk.board.section(GAME, "moneyline", 0, selection)
    assert section is not None
    return section.selection_row(selection)


def test_a_price_that_is_value_gross_and_not_net_is_neither_value_nor_best(desk: Desk) -> None:
    desk.board.set_profiles(EXCHANGE)
    level = {**ODDS, "Unibet": {**ODDS["Unibet"], "Arsenal": 2.07}}
    load(desk, level)
    found = desk.board.assess(HOME)
    assert found is not None
    assert found.net_odds == pytest.approx(2.064)
    assert found.service_ev_pct == pytest.approx((2.12 / (2.0377 * 1.01) - 1) * 100, abs=5e-3)
    assert [check.rule for check in found.stopped_by] == [Rule.MIN_EDGE]
    assert not desk.board.is_value_bet(HOME)
    assert desk.board.value_bets[HOME].is_in_contract
    assert (row_of(desk).best, row_of(desk).best_bookmakers) == (2.07, ("Unibet",))


def test_another_profile_judges_prices_and_bests_anew_and_tells(desk: Desk) -> None:
    load(desk)
    assert desk.board.is_value_bet(HOME)
    desk.heard()
    desk.board.set_profiles(EXCHANGE)
    heard = desk.heard()
    assert (heard[0], heard[-1]) == (PricesChanged(GAME, {}, (RESULT,)), ValueBetsChanged())
    assert not desk.board.is_value_bet(HOME)
    assert row_of(desk).best == pytest.approx(2.064)
    desk.board.set_profiles(Profiles())
    assert desk.board.is_value_bet(HOME)
    assert row_of(desk).best == 2.12


def test_a_stale_price_is_never_best_and_comes_back_when_seen_again(desk: Desk) -> None:
    load(desk)
    desk.now += 120_000
    fresh = {name: ODDS[name] for name in (REFERENCE, "Unibet")}
    for name, odds in fresh.items():
        exhaust(desk.board.merge_rows([odds_row(name, dict(odds), at=desk.now)]))
    desk.now += 60_001
    desk.heard()
    desk.board.sweep()
    assert PricesChanged(GAME, {}, (RESULT,)) in desk.heard()
    assert cautions(desk) == [Caution.STALE]
    assert not desk.board.is_value_bet(HOME)
    assert (row_of(desk).best, row_of(desk).best_bookmakers) == (2.0, ("Unibet",))
    desk.board.apply_all([message("Draw", 3.5, at=desk.now)])
    assert cautions(desk) == []
    assert desk.board.is_value_bet(HOME)
    assert (row_of(desk).best, row_of(desk).best_bookmakers) == (2.12, ("Betfair",))


def test_what_was_seen_of_one_price_dates_the_bookmakers_others_of_the_market(desk: Desk) -> None:
    load(desk)
    desk.now += 100_000
    desk.board.apply_all([message("Draw", 3.45, at=desk.now)])
    price = desk.board.price(GAME, CellKey(*HOME[1:]))
    assert price is not None
    assert (price.odds, price.scraped_at) == (2.12, desk.now)
    assert desk.board.value_bets[HOME].scraped_at == desk.now
    other = desk.board.price(GAME, CellKey("moneyline", 0, "Arsenal", "Unibet"))
    assert other is not None
    assert other.scraped_at == NOW


def test_prices_that_were_seen_almost_together_keep_their_own_times(desk: Desk) -> None:
    load(desk)
    desk.board.apply_all([message("Draw", 3.45, at=NOW + 5_000)])
    price = desk.board.price(GAME, CellKey(*HOME[1:]))
    assert price is not None
    assert price.scraped_at == NOW


def test_prices_in_play_seen_more_than_a_minute_apart_are_not_of_one_moment(desk: Desk) -> None:
    """61 s apart they may be of two different scores."""
    desk.board.name_reference(REFERENCE)
    for name in (REFERENCE, "Betfair"):
        exhaust(desk.board.merge_rows([odds_row(name, dict(ODDS[name]), is_live=True)]))
    assert cautions(desk) == []
    desk.now += 60_000
    exhaust(
        desk.board.merge_rows(
            [odds_row("Betfair", dict(ODDS["Betfair"]), at=desk.now, is_live=True)]
        )
    )
    assert cautions(desk) == []
    desk.now += 1_000
    exhaust(
        desk.board.merge_rows(
            [odds_row("Betfair", dict(ODDS["Betfair"]), at=desk.now, is_live=True)]
        )
    )
    assert cautions(desk) == [Caution.APART, Caution.REFERENCE_STALE]
    assert not desk.board.is_value_bet(HOME)
    exhaust(desk.board.merge_rows([odds_row(REFERENCE, SHARP, at=desk.now, is_live=True)]))
    assert desk.board.is_value_bet(HOME)


def test_what_the_reference_prices_nothing_beside_is_not_seen_apart_from_it(desk: Desk) -> None:
    desk.board.name_reference(REFERENCE)
    theirs = odds_row("Betfair", dict(ODDS["Betfair"]), is_live=True)
    exhaust(desk.board.merge_rows([theirs]))
    assert cautions(desk) == []
    exhaust(desk.board.merge_rows([odds_row(REFERENCE, {"Arsenal": 2.0}, is_live=True)]))
    desk.now += 61_000
    theirs = odds_row("Betfair", dict(ODDS["Betfair"]), at=desk.now, is_live=True)
    exhaust(desk.board.merge_rows([theirs]))
    assert cautions(desk) == []  # one side alone is no line


def test_before_kick_off_prices_may_be_seen_apart(desk: Desk) -> None:
    load(desk)
    desk.now += 61_000
    desk.board.apply_all([message("Arsenal", 2.12, at=desk.now)])
    assert cautions(desk) == []


def test_a_price_from_before_kick_off_is_started_once_kick_off_passes(desk: Desk) -> None:
    load(desk, kick_off=NOW + 30_000)
    desk.now += 30_000
    desk.board.sweep()
    assert desk.board.is_value_bet(HOME)
    desk.now += 1
    desk.heard()
    desk.board.sweep()
    assert ValueBetsChanged((HOME,)) in desk.heard()
    assert desk.board.value_bets[HOME].assessment.cautions == (Caution.STARTED,)
    assert not desk.board.is_value_bet(HOME)


def test_a_kick_off_that_is_moved_judges_the_games_prices_anew(desk: Desk) -> None:
    load(desk)
    desk.board.load_games([game()])
    assert desk.board.is_value_bet(HOME)
    moved = matrix(kick_off=NOW - 1).match_date
    desk.board.load_games([game(match_date=moved)])
    assert not desk.board.is_value_bet(HOME)


def test_a_selection_that_cannot_be_read_puts_the_two_sides_beside_it_in_question(
    desk: Desk,
) -> None:
    two_way = {REFERENCE: {"Arsenal": 1.95, "Chelsea": 1.95}, "Betfair": {"Arsenal": 2.09}}
    load(desk, two_way, sport="Tennis")
    assert desk.board.is_value_bet(HOME)
    desk.board.apply_all([message("Neither of them", 9.0, sport="Tennis")])
    assert cautions(desk) == [Caution.UNREAD_OUTCOME]
    assert desk.board.value_bets[HOME].assessment.cautions == (Caution.UNREAD_OUTCOME,)


def test_a_selection_of_the_reference_that_cannot_be_read_puts_all_in_question(desk: Desk) -> None:
    two_way = {REFERENCE: {"Arsenal": 1.95, "Chelsea": 1.95}, "Betfair": {"Arsenal": 2.09}}
    load(desk, two_way, sport="Tennis")
    desk.board.apply_all([message("Neither", 9.0, sport="Tennis", bookmaker=REFERENCE)])
    assert cautions(desk) == [Caution.UNREAD_OUTCOME]
    assert not desk.board.is_value_bet(HOME)


def test_a_bookmaker_whose_draw_was_withdrawn_is_not_two_way_for_a_day(desk: Desk) -> None:
    sharp = {"Arsenal": 1.95, "Chelsea": 1.95}
    three_way = {"Arsenal": 2.09, "Draw": 9.0, "Chelsea": 1.8}
    two_way = {"Arsenal": 2.09, "Chelsea": 1.8}
    load(desk, {REFERENCE: sharp, "Betfair": three_way}, sport="Hockey")
    assert Caution.NOT_COMPARABLE in cautions(desk)

    def load_two_way() -> None:
        more = {"sport": "Hockey", "kick_off": NOW + 2 * DAY_MS}
        load(desk, {REFERENCE: sharp, "Betfair": two_way}, **more)

    desk.now += 4_000
    load_two_way()
    assert cautions(desk) == [Caution.UNREAD_OUTCOME]
    desk.now = NOW + DAY_MS
    load_two_way()
    assert cautions(desk) == [Caution.UNREAD_OUTCOME]
    desk.now += 1
    load_two_way()
    assert cautions(desk) == []
    assert desk.board.is_value_bet(HOME)


def test_hockey_totals_of_a_bookmaker_that_prices_the_draw_go_by_other_rules(desk: Desk) -> None:
    total = {REFERENCE: {"Over 5.5": 1.95, "Under 5.5": 1.95}, "Betfair": {"Over 5.5": 2.09}}
    overtime = {
        REFERENCE: {"Arsenal": 1.9, "Chelsea": 2.0},
        "Betfair": {"Arsenal": 1.9, "Chelsea": 2.0},
    }
    over = row_key("Over 5.5", "Betfair", "total")
    exhaust(
        desk.board.merge_matrix(picture({"moneyline": overtime, "total": total}, sport="Hockey"))
    )
    assert desk.board.is_value_bet(over)
    desk.now += 1_000
    regulation = {**overtime, "Betfair": {"Arsenal": 2.3, "Draw": 4.2, "Chelsea": 2.6}}
    later = picture({"moneyline": regulation, "total": total}, desk.now, sport="Hockey")
    exhaust(desk.board.merge_matrix(later))
    assert desk.board.value_bets[over].assessment.cautions == (Caution.OTHER_RULES,)
    assert not desk.board.is_value_bet(over)


def test_a_moneyline_that_tells_how_overtime_counts_judges_totals_at_once(desk: Desk) -> None:
    total = {REFERENCE: {"Over 5.5": 1.95, "Under 5.5": 1.95}, "Betfair": {"Over 5.5": 2.09}}
    sharp = {REFERENCE: {"Arsenal": 1.9, "Chelsea": 2.0}}
    over = row_key("Over 5.5", "Betfair", "total")
    exhaust(desk.board.merge_matrix(picture({"moneyline": sharp, "total": total}, sport="Hockey")))
    assert desk.board.is_value_bet(over)
    desk.heard()
    sides = {"Arsenal": 2.3, "Draw": 4.2, "Chelsea": 2.6}
    desk.board.apply_all([message(name, odds, sport="Hockey") for name, odds in sides.items()])
    assert desk.board.value_bets[over].assessment.cautions == (Caution.OTHER_RULES,)
    heard = [each.moved for each in desk.heard() if isinstance(each, ValueBetsChanged)]
    assert any(over in moved for moved in heard)


def test_a_draw_that_is_gone_still_tells_that_overtime_does_not_count(desk: Desk) -> None:
    total = {REFERENCE: {"Over 5.5": 1.95, "Under 5.5": 1.95}, "Betfair": {"Over 5.5": 2.09}}
    sharp = {REFERENCE: {"Arsenal": 1.9, "Chelsea": 2.0}}
    with_draw = {**sharp, "Betfair": {"Arsenal": 2.3, "Draw": 4.2, "Chelsea": 2.6}}
    over = row_key("Over 5.5", "Betfair", "total")
    for at, odds in enumerate((with_draw, {**sharp, "Betfair": {"Arsenal": 2.3, "Chelsea": 2.6}})):
        desk.now = NOW + at * 1_000
        markets = {"moneyline": odds, "total": total}
        exhaust(desk.board.merge_matrix(picture(markets, desk.now, sport="Hockey")))
    assert desk.board.value_bets[over].assessment.cautions == (Caution.OTHER_RULES,)


def test_only_the_users_bookmakers_are_best_and_value(desk: Desk) -> None:
    load(desk)
    desk.board.set_bookmakers(("unibet",))
    assert (row_of(desk).best, row_of(desk).best_bookmakers) == (2.0, ("Unibet",))
    assert not desk.board.is_value_bet(HOME)
    assert desk.board.value_bets[HOME].is_value
    desk.board.set_bookmakers(("Betfair", "Unibet"))
    assert desk.board.is_value_bet(HOME)
    assert row_of(desk).best_bookmakers == ("Betfair",)
    desk.board.set_bookmakers(("Nobody",))
    assert (row_of(desk).best, row_of(desk).best_bookmakers) == (None, ())
    desk.board.set_bookmakers(())
    assert desk.board.is_value_bet(HOME)


def test_a_price_in_play_alone_is_not_best(desk: Desk) -> None:
    load(desk)
    desk.board.apply_all([message("Arsenal", 2.12, is_live=True)])
    assert Caution.STATE_DIFFERS in cautions(desk)
    assert row_of(desk).best_bookmakers == ("Unibet",)


def test_a_price_that_is_too_good_to_be_true_is_not_best(desk: Desk) -> None:
    load(desk, {**ODDS, "Betfair": {"Arsenal": 2.6}})
    assert cautions(desk) == [Caution.ABOVE_WINDOW]
    assert row_of(desk).best_bookmakers == ("Unibet",)


def test_of_a_price_that_is_not_held_nothing_is_said(desk: Desk) -> None:
    assert desk.board.assess(HOME) is None
    load(desk)
    assert desk.board.assess(row_key("Arsenal", "Nobody")) is None
    assert not desk.board.is_value_bet(row_key("Arsenal", "Nobody"))


def test_prices_of_all_games_are_kept_for_value_without_telling_the_grid(desk: Desk) -> None:
    desk.board.want_values(True)
    desk.board.name_reference(REFERENCE)
    rows = [odds_row(name, dict(odds)) for name, odds in ODDS.items()]
    exhaust(desk.board.merge_rows(rows))
    assert desk.board.is_value_bet(HOME)
    assert not [notice for notice in desk.heard() if isinstance(notice, RowsChanged)]
    desk.board.want_values(False)
    assert (desk.board.matrix(GAME), desk.board.value_bets) == (None, {})


def test_another_basis_may_be_taken_in_game_by_game() -> None:
    steps: list[Iterator[None]] = []
    board = Board(lambda: NOW, go_through=steps.append)
    exhaust(board.merge_matrix(matrix(ODDS)))
    assert board.is_value_bet(HOME)
    board.set_profiles(EXCHANGE)
    assert board.is_value_bet(HOME)
    exhaust(steps[-1])
    assert not board.is_value_bet(HOME)


def test_a_draw_that_goes_is_told_of_the_other_prices_of_who_offered_it() -> None:
    desk = Desk()
    desk.board.want_values(True)
    three_way = {"Arsenal": 2.0, "Draw": 3.6, "Chelsea": 4.0}
    offered = three_way | {"Chelsea": 4.25}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: three_way, "Unibet": offered})))
    key = row_key("Chelsea", "Unibet")
    assert desk.board.value_bets[key].is_value

    desk.now += 10_000
    left = {"Arsenal": 2.0, "Chelsea": 4.25}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: three_way, "Unibet": left}, at=desk.now)))

    listed, held = desk.board.value_bets[key], desk.board.assess(key)
    assert held is not None
    assert held.cautions == (Caution.NOT_COMPARABLE, Caution.UNREAD_OUTCOME)
    assert listed.assessment.cautions == held.cautions


@pytest.mark.parametrize(("is_live", "limit_s", "until_s"), [(True, 60, 60), (False, 180, 216)])
def test_a_price_that_is_not_read_again_is_value_by_its_limit_alone_in_play(
    desk: Desk, is_live: bool, limit_s: int, until_s: int
) -> None:
    """Before the game the stream would tell of a move: the while it went unread does not count."""
    load(desk, is_live=is_live)
    for bookmaker, odds in ((REFERENCE, SHARP), ("Betfair", ODDS["Betfair"])):
        for selection, price in odds.items():
            said = message(selection, price, NOW, bookmaker=bookmaker, is_live=is_live)
            desk.board.apply_all([said])
    desk.board.want_values(True)
    desk.board.scrape_interval.be_patient(36_000, NOW)
    for second in range(0, 300, 1 if is_live else 3):
        desk.now = NOW + second * 1000
        desk.board.sweep()
        found = desk.board.assess(HOME)
        assert found is not None
        listed = desk.board.value_bets[HOME].assessment
        assert found.is_value is listed.is_value is (second <= until_s)
        (age,) = [each for each in found.checks if each.rule is Rule.BOOK_AGE]
        counted = second if is_live else second - min(second, 36)
        assert (age.most, age.figure) == (limit_s * 1000, counted * 1000)
        section = desk.board.section(*HOME[:4])
        assert section is not None
        assert ("Betfair" in section.market.stale) is (second > until_s)


TOTALS: Odds = {
    REFERENCE: {"Over 2.5": 1.97, "Under 2.5": 1.93},
    "Bet365": {"Over 2.5": 2.1, "Under 2.5": 2.1},
    "Unibet": {"Over 2.5": 1.93, "Under 2.5": 1.87},
}


def doubted(odds: Odds, market_type: str = "total", **more: object) -> dict[str, list[str]]:
    """The warnings of each doubtful price, by bookmaker and selection."""
    desk = Desk()
    exhaust(desk.board.merge_matrix(matrix(odds, desk.now, market_type=market_type, **more)))
    found = {}
    for bookmaker, prices in odds.items():
        for selection in prices:
            key = row_key(selection, bookmaker, market_type)
            said = desk.board.assess(key)
            assert said is not None
            words = [each.value for each in said.cautions if each in OF_THE_LINE]
            if words:
                assert not said.is_value
                found[f"{bookmaker}: {selection}"] = words
    return found


OF_THE_LINE = {Caution.BOOK_BELOW_100, Caution.PLACEHOLDER}


def test_a_bookmaker_below_100_percent_by_itself_is_warned_of_on_all_its_sides() -> None:
    below = ["book_below_100"]
    assert doubted(TOTALS) == {"Bet365: Over 2.5": below, "Bet365: Under 2.5": below}
    alone = {"Bet365": TOTALS["Bet365"]}
    assert doubted(alone) == {"Bet365: Over 2.5": below, "Bet365: Under 2.5": below}
    assert doubted({REFERENCE: TOTALS["Bet365"]}).keys() == {
        f"{REFERENCE}: Over 2.5",
        f"{REFERENCE}: Under 2.5",
    }


def test_double_chances_below_100_percent_are_warned_of_as_soon_as_they_are() -> None:
    desk = Desk()
    odds = {"1X": 1.40, "X2": 2.02, "12": 1.25}
    exhaust(desk.board.merge_matrix(picture({"double_chance": {"Bet365": odds}})))

    def words() -> list[str]:
        found = desk.board.assess(row_key("1X", "Bet365", "double_chance"))
        assert found is not None
        return [each.value for each in found.cautions if each in OF_THE_LINE]

    assert words() == []
    for price, said in ((1.47, ["book_below_100"]), (1.25, []), (1.6, ["book_below_100"])):
        desk.now += 1_000
        quoted = message("12", price, bookmaker="Bet365", market_type="double_chance", at=desk.now)
        desk.board.apply_all([quoted])
        assert words() == said


@pytest.mark.parametrize(
    ("odds", "market_type", "names"),
    [
        # an exchange's empty book
        (
            {"Empty": {"Arsenal": 1.01, "Draw": 1.01, "Chelsea": 1.01}},
            "moneyline",
            {"Empty: Arsenal", "Empty: Draw", "Empty: Chelsea"},
        ),
        ({"Empty": {"Over 2.5": 1.02, "Under 2.5": 1.01}}, "total", None),
        ({"Empty": {"Arsenal": 1.01, "Chelsea": 1.02}}, "moneyline", None),
        # of a favourite two double chances are next to certain
        ({"Any": {"1X": 1.01, "12": 1.02, "X2": 6.0}}, "double_chance", set()),
        ({"Any": {"Over 0.5": 1.01, "Over 1.5": 1.02, "Under 1.5": 12.0}}, "total", set()),
        # 1000 next to nothing, to a normal line, and to others that mean it
        ({"Far": {"Over 2.5": 1000.0}}, "total", None),
        ({"Far": {"Over 2.5": 1000.0}, "Any": {"Over 2.5": 1.9}}, "total", {"Far: Over 2.5"}),
        ({"Far": {"Over 2.5": 1000.0}, "Any": {"Over 2.5": 301.0}}, "total", set()),
        ({"Far": {"Over 9.5": 501.0}}, "total", set()),
        ({"Any": {"Arsenal": 1.002, "Chelsea": 101.0}}, "moneyline", set()),
    ],
)
def test_a_placeholder_is_told_from_an_outsider(
    odds: Odds, market_type: str, names: set[str] | None
) -> None:
    every = {f"{book}: {name}" for book, prices in odds.items() for name in prices}
    sport = {"sport": "Tennis"} if "Draw" not in next(iter(odds.values())) else {}
    found = doubted(odds, market_type, **sport)
    assert found.keys() == (every if names is None else names)
    assert all("placeholder" in said for said in found.values())


def test_the_same_operators_views_of_one_book_do_not_back_each_other() -> None:
    desk = Desk()
    views = [Profile(name=f"Betfair {place}", group="Betfair") for place in ("UK", "EU")]
    desk.board.set_profiles(Profiles(views))
    load(desk, {view.name: {"Arsenal": 1000.0} for view in views})
    for view in views:
        assert cautions(desk, "Arsenal", view.name) == [Caution.PLACEHOLDER]


def test_a_price_that_is_doubted_beside_its_line_is_never_best(desk: Desk) -> None:
    """It is best again once the other side says that it was meant."""
    load(desk, TOTALS, market_type="total")
    section = desk.board.section(GAME, "total", 0, "Over 2.5")
    assert section is not None
    over, under = section.rows
    assert (over.best, over.best_bookmakers) == (1.93, ("Unibet",))
    assert (section.best_hold or 0) > 0
    desk.heard()
    told = message("Under 2.5", 1.8, NOW + 1_000, bookmaker="Bet365", market_type="total")
    desk.board.apply_all([told])
    assert (over.best, under.best) == (2.1, 1.87)
    (notice, *_) = [each for each in desk.heard() if isinstance(each, PricesChanged)]
    assert notice.quotes[("total", 0, "Bet365")].keys() == {"Under 2.5", "Over 2.5"}
    assert cautions_of_total(desk) == []
    back = message("Under 2.5", 2.1, NOW + 2_000, bookmaker="Bet365", market_type="total")
    desk.board.apply_all([back])
    assert over.best == 1.93
    assert cautions_of_total(desk) == [Caution.BOOK_BELOW_100]


def cautions_of_total(desk: Desk) -> list[Caution]:
    found = desk.board.assess(row_key("Over 2.5", "Bet365", "total"))
    assert found is not None
    return [each for each in found.cautions if each in OF_THE_LINE]
