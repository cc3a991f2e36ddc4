"""The board as its subscribers see it."""

from copy import deepcopy

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.board import figures
from oddsdesk.board.connection import Connection, Gathering, Link
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.matrix import CellKey, RowKey, SectionKey
from oddsdesk.board.notices import (
    ConnectionChanged,
    GamesChanged,
    GatheringChanged,
    MatrixLoaded,
    PricesChanged,
    RowsChanged,
    ValueBetsChanged,
)
from oddsdesk.board.prices import Price
from oddsdesk.board.rows import ev_pct
from oddsdesk.contract.resources import GameMatrix, PriceMessage

from .conftest import (
    GAME,
    MONEYLINE,
    NOW,
    REFERENCE,
    Desk,
    game,
    lines,
    market_matrix,
    matrix,
    message,
    odds_row,
    value_bet,
)

DRAW = CellKey("moneyline", 0, "Draw", "Betfair")
RESULT = SectionKey("moneyline", 0, "")


def test_a_first_picture_lays_the_matrix_out(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    assert desk.told() == [MatrixLoaded(GAME)]
    held = desk.board.matrix(GAME)
    assert held is not None
    assert held.bookmakers == ("Betfair", "Unibet")
    assert [section.title for section in held.sections] == ["Match result"]
    assert [line.selection for line in held.sections[0].lines] == ["Arsenal", "Draw", "Chelsea"]
    arsenal = held.sections[0].lines[0]
    assert arsenal.reference.odds == 2.0
    assert arsenal.liquidity == 500
    assert arsenal.prices["Betfair"].url == "https://Betfair.example"
    assert desk.board.reference == REFERENCE


def test_the_same_picture_again_tells_nobody_anything(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    before = deepcopy(desk.board.matrix(GAME))
    desk.told()
    desk.board.load_matrix(matrix())
    assert desk.told() == []
    assert desk.board.matrix(GAME) == before


def test_a_message_changes_its_cell_and_its_section(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    desk.told()
    desk.board.apply(message("Draw", 3.9))
    assert desk.told() == [PricesChanged(GAME, (DRAW,), (RESULT,))]
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert (price.odds, price.previous, price.changed_at) == (3.9, 3.5, NOW + 1000)
    draw = list(lines(desk.board))[1]
    assert (draw.best, draw.best_bookmakers) == (3.9, ("Betfair",))


def test_a_message_older_than_what_is_held_is_ignored(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    desk.told()
    desk.board.apply(message("Draw", 3.9, at=NOW - 1))
    assert desk.told() == []
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert price.odds == 3.5


def test_of_a_game_that_nobody_looks_at_nothing_is_kept(desk: Desk) -> None:
    desk.board.apply(message("Draw", 3.9))
    assert desk.board.matrix(GAME) is None
    assert desk.told() == []


def test_a_price_missing_in_the_new_picture_is_struck_through_for_a_minute(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    desk.now += 10_000
    without = {**MONEYLINE, "Betfair": {"Arsenal": 2.06, "Chelsea": 4.1}}
    desk.told()
    desk.board.load_matrix(matrix(without))
    assert desk.told() == [PricesChanged(GAME, (DRAW,), (RESULT,))]
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert (price.odds, price.withdrawn_at) == (3.5, NOW + 10_000)
    assert "Betfair" not in next(iter(desk.board.matrix(GAME).sections)).holds
    desk.now += 59_000
    desk.board.sweep()
    assert desk.board.price(GAME, DRAW) is not None
    desk.now += 1_000
    desk.board.sweep()
    assert desk.board.price(GAME, DRAW) is None


def test_the_column_of_a_bookmaker_goes_with_its_last_price(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    desk.now += 1
    desk.board.load_matrix(matrix({name: MONEYLINE[name] for name in (REFERENCE, "Unibet")}))
    desk.now += 60_000
    desk.told()
    desk.board.sweep()
    assert desk.told() == [MatrixLoaded(GAME)]
    held = desk.board.matrix(GAME)
    assert held is not None
    assert held.bookmakers == ("Unibet",)


def test_what_was_heard_after_the_question_is_not_withdrawn_by_the_answer(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    asked_at = desk.now = NOW + 5_000
    desk.now += 100
    desk.board.apply(message("Draw", 3.9, at=NOW + 5_050, bookmaker="Marathonbet"))
    desk.now += 100
    desk.board.load_matrix(matrix(), asked_at)
    price = desk.board.price(GAME, CellKey("moneyline", 0, "Draw", "Marathonbet"))
    assert price is not None
    assert price.is_offered


def test_a_game_that_the_service_shows_no_more_is_struck_through(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    desk.board.end_game(GAME)
    assert not any(price.is_offered for line in lines(desk.board) for price in line.prices.values())


def test_sections_come_by_market_type_period_and_line(desk: Desk) -> None:
    totals = {"Betfair": {f"{side} {n}.5": 1.9 for n in (10, 2) for side in ("Over", "Under")}}
    spread = {"Betfair": {"Arsenal -1.5": 2.0, "Chelsea +1.5": 1.8}}
    first = matrix()
    markets = [market_matrix(totals, market_type="total"), *first.markets]
    markets.append(market_matrix(spread, market_type="spread"))
    desk.board.load_matrix(GameMatrix(**{**_fields(first), "markets": markets}))
    held = desk.board.matrix(GAME)
    assert held is not None
    titles = [section.title for section in held.sections]
    assert titles == ["Match result", "Handicap -1.5", "Total 2.5", "Total 10.5"]


def test_a_moved_reference_moves_fair_prices_and_every_row_of_the_line_group(desk: Desk) -> None:
    desk.board.want_rows(True)
    desk.board.load_matrix(matrix())
    fair = [line.fair for line in lines(desk.board)]
    desk.told()
    desk.board.apply(message("Draw", 3.8, bookmaker=REFERENCE))
    assert all(line.fair != before for line, before in zip(lines(desk.board), fair, strict=True))
    rows = [notice for notice in desk.told() if isinstance(notice, RowsChanged)]
    assert len(rows) == 1
    assert len(rows[0].changed) == len(set(rows[0].changed)) == 9


def test_a_reference_that_says_the_same_again_is_judged_by_its_new_age(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    desk.now += 5_000
    desk.board.load_matrix(matrix(at=NOW + 4_000))
    held = desk.board.matrix(GAME)
    assert held is not None
    assert held.sections[0].reference is not None
    assert held.sections[0].reference.scraped_at == NOW + 4_000


def held_price(desk: Desk, key: RowKey) -> Price:
    price = desk.board.price(key.game_id, CellKey(*key[1:]))
    assert price is not None
    return price


def test_rows_of_the_grid_are_read_by_key(desk: Desk) -> None:
    desk.board.want_rows(True)
    desk.board.load_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()])
    key = RowKey(GAME, "moneyline", 0, "Draw", "Unibet")
    assert set(desk.board.row_keys()) >= {key, key._replace(bookmaker=None)}
    held, reference = held_price(desk, key), held_price(desk, key._replace(bookmaker=None))
    assert (held.odds, reference.odds) == (3.7, 3.6)
    section = desk.board.section(GAME, "moneyline", 0, "Draw")
    assert section is not None
    fair = section.line_of("Draw").fair
    assert fair == pytest.approx(3 * 3.6 / (3 - 3.6 * (1 / 2 + 1 / 3.6 + 1 / 4 - 1)))
    assert ev_pct(3.7, fair, "moneyline") == pytest.approx((3.7 / fair / 1.01 - 1) * 100)


def test_a_selection_that_a_row_no_longer_names_is_withdrawn_and_others_stay(desk: Desk) -> None:
    desk.board.want_rows(True)
    desk.board.load_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()])
    desk.now += 10
    desk.board.load_rows([odds_row("Betfair", {"Arsenal": 2.06, "Chelsea": 4.1})])
    offered = {key[3:] for key in desk.board.row_keys() if held_price(desk, key).is_offered}
    assert ("Draw", "Betfair") not in offered
    assert len(offered) == 8


def test_a_whole_pass_withdraws_what_it_did_not_show(desk: Desk) -> None:
    desk.board.want_rows(True)
    desk.board.load_rows([odds_row(name, dict(odds)) for name, odds in MONEYLINE.items()])
    since = desk.now = NOW + 60_000
    desk.board.load_rows([odds_row(REFERENCE, dict(MONEYLINE[REFERENCE]))])
    desk.board.withdraw_unheard(since)
    left = {key.bookmaker for key in desk.board.row_keys() if held_price(desk, key).is_offered}
    assert left == {None}


def test_a_reference_whose_name_comes_late_leaves_its_column(desk: Desk) -> None:
    desk.board.want_rows(True)
    rows = [odds_row(name, dict(odds), liquidity=None) for name, odds in MONEYLINE.items()]
    desk.board.load_rows(rows)
    held = desk.board.matrix(GAME)
    assert held is not None
    assert REFERENCE in held.bookmakers
    desk.told()
    desk.board.apply(message("Draw", 3.6, bookmaker=REFERENCE))
    assert held.bookmakers == ("Betfair", "Unibet")
    assert [line.reference.odds for line in lines(desk.board)] == [2.0, 3.6, 4.0]
    removed = [key for told in desk.told() if isinstance(told, RowsChanged) for key in told.removed]
    assert {key.bookmaker for key in removed} == {REFERENCE}


def test_prices_of_games_that_are_not_looked_at_are_let_go_with_the_grid(desk: Desk) -> None:
    desk.board.watch(GAME)
    desk.board.want_rows(True)
    desk.board.load_rows(
        [odds_row("Betfair", {"A": 2.0}), odds_row("Betfair", {"B": 2.0}, match_name="C - D")]
    )
    assert len(list(desk.board.row_keys())) == 2
    desk.board.want_rows(False)
    assert [key.game_id for key in desk.board.row_keys()] == [GAME]
    desk.board.unwatch(GAME)
    assert list(desk.board.row_keys()) == []


def test_prices_that_make_no_sense_are_named_and_the_rest_is_kept(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    odd = {**MONEYLINE, "Unibet": {"Arsenal": 0.5, "Draw": 3.7, "Chelsea": 4.1}}
    desk.board.load_matrix(matrix(odd))
    assert [set(line.prices) for line in lines(desk.board)] == [
        {"Betfair"},
        {"Betfair", "Unibet"},
        {"Betfair", "Unibet"},
    ]
    assert "1 passed over" in caplog.text
    assert "expected odds above 1, got 0.5" in caplog.text


def test_another_devig_method_judges_everything_anew(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    before = [line.fair for line in lines(desk.board)]
    desk.told()
    desk.board.set_method("power")
    assert [line.fair for line in lines(desk.board)] != before
    assert desk.told() == [PricesChanged(GAME, (), (RESULT,))]


def test_games_are_told_of_when_they_differ(desk: Desk) -> None:
    desk.board.load_games([game(), game("C - D")])
    desk.board.load_games([game(), game("C - D")])
    assert desk.told() == [GamesChanged()]
    desk.board.load_games([game("C - D"), game()])
    assert desk.told() == [GamesChanged()]
    assert [entry.match_name for entry in desk.board.games.values()] == [
        "C - D",
        "Arsenal - Chelsea",
    ]


def test_value_bets_stand_by_true_ev_and_are_told_of_when_they_differ(desk: Desk) -> None:
    bets = [value_bet(), value_bet(bookmaker="Unibet", odds=2.18, ev_pct=3.16)]
    desk.board.load_value_bets(bets)
    desk.board.load_value_bets(list(reversed(bets)))
    assert desk.told() == [ValueBetsChanged()]
    assert [key.bookmaker for key in desk.board.value_bets] == ["Unibet", "Betfair"]


def test_connection_and_gathering_are_told_of_once(desk: Desk) -> None:
    for _ in range(2):
        desk.board.set_connection(Connection(link=Link.LIVE))
        desk.board.set_gathering(Gathering(rows=5))
    assert desk.told() == [ConnectionChanged(), GatheringChanged()]


def test_one_may_leave_while_being_told(desk: Desk) -> None:
    heard: list[object] = []
    leave = desk.board.subscribe(lambda notice: (heard.append(notice), leave()))
    desk.board.load_games([game()])
    desk.board.load_games([])
    assert heard == [GamesChanged()]


def test_freshness_follows_the_rhythm_of_the_bookmaker(desk: Desk) -> None:
    for step in range(8):
        desk.now = NOW + step * 8_000
        desk.board.load_matrix(matrix(at=desk.now))
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert desk.board.freshness("Betfair", price) is Freshness.FRESH
    desk.now += 17_000
    assert desk.board.freshness("Betfair", price) is Freshness.AGEING
    assert desk.board.freshness(None, price) is Freshness.AGEING


selections = st.sampled_from(["Arsenal", "Draw", "Chelsea"])
bookmakers = st.sampled_from([REFERENCE, "Betfair", "Unibet", "Marathonbet"])
prices = st.sampled_from([1.5, 1.9, 2.05, 3.4, 4.2])
messages = st.builds(
    message,
    selection=selections,
    odds=prices,
    at=st.integers(NOW, NOW + 30),
    bookmaker=bookmakers,
)
books = st.dictionaries(selections, prices, min_size=1)
pictures = st.builds(
    matrix,
    st.dictionaries(bookmakers, books, min_size=1),
    at=st.integers(NOW, NOW + 30),
)


@settings(max_examples=150)
@given(
    steps=st.lists(messages | pictures | st.integers(1, 40_000), max_size=25),
    sport=st.sampled_from(["Football", "Hockey"]),
)
def test_figures_kept_up_to_date_equal_figures_worked_out_anew(
    steps: list[PriceMessage | GameMatrix | int], sport: str
) -> None:
    desk = Desk()
    desk.board.watch(GAME)
    desk.board.load_matrix(matrix(sport=sport))
    for step in steps:
        desk.now += 1
        if isinstance(step, PriceMessage):
            desk.board.apply(step)
        elif isinstance(step, GameMatrix):
            desk.board.load_matrix(step)
        else:
            desk.now += step
            desk.board.sweep()
    held = desk.board.matrix(GAME)
    assert held is not None
    for section in held.sections:
        anew = deepcopy(section)
        figures.figure(anew, desk.board.method)
        assert section == anew
    columns = {name for line in lines(desk.board) for name in line.prices}
    assert held.bookmakers == tuple(sorted(columns))


@settings(max_examples=50)
@given(first=pictures, between=st.lists(messages, min_size=1, max_size=8))
def test_messages_may_come_between_the_steps_of_a_picture(
    first: GameMatrix, between: list[PriceMessage]
) -> None:
    desk = Desk()
    desk.board.watch(GAME)
    coming = iter(between)
    for _ in desk.board.merge_matrix(first):
        for each in coming:
            desk.board.apply(each)
            break
    held = desk.board.matrix(GAME)
    assert held is not None
    for section in held.sections:
        anew = deepcopy(section)
        figures.figure(anew, desk.board.method)
        assert section == anew
    assert set(held.bookmakers) == {name for line in lines(desk.board) for name in line.prices}


def test_a_game_may_be_left_between_the_steps_of_its_picture(desk: Desk) -> None:
    desk.board.watch(GAME)
    steps = desk.board.merge_matrix(matrix())
    next(steps)
    desk.board.unwatch(GAME)
    assert list(steps) is not None
    assert desk.board.matrix(GAME) is None
    assert desk.told() == []


@given(st.permutations([message("Draw", 3.0 + n / 10, at=NOW + n) for n in range(1, 6)]))
def test_messages_in_any_order_end_with_the_newest(order: list[PriceMessage]) -> None:
    desk = Desk()
    desk.board.load_matrix(matrix())
    for each in order:
        desk.board.apply(each)
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert (price.odds, price.scraped_at) == (3.5, NOW + 5)


def _fields(whole: GameMatrix) -> dict[str, object]:
    return {name: getattr(whole, name) for name in whole.__struct_fields__}


def in_play(desk: Desk, bookmaker: str | None, selection: str = "Draw") -> bool | None:
    price = desk.board.price(GAME, CellKey("moneyline", 0, selection, bookmaker))
    assert price is not None
    return price.is_live


def live_picture() -> GameMatrix:
    return msgspec.structs.replace(matrix(), is_live=True)


def test_a_picture_tells_that_prices_are_not_in_play_only_where_the_game_is_not(desk: Desk) -> None:
    desk.board.load_matrix(matrix())
    assert in_play(desk, "Betfair") is False
    desk.board.clear()
    desk.board.load_matrix(live_picture())
    assert in_play(desk, "Betfair") is None


def test_what_is_told_of_one_price_holds_for_all_of_the_quote(desk: Desk) -> None:
    desk.board.load_matrix(live_picture())
    desk.board.apply(message("Arsenal", 2.1, is_live=True))
    assert [in_play(desk, "Betfair", name) for name in ("Arsenal", "Draw", "Chelsea")] == [True] * 3
    assert in_play(desk, "Unibet") is None
    section = desk.board.section(GAME, "moneyline", 0, "Draw")
    assert section is not None
    assert section.reference is not None
    assert section.reference.is_live is None
    desk.board.tell_untold(GAME)
    assert (in_play(desk, "Betfair"), in_play(desk, "Unibet")) == (True, False)
    section = desk.board.section(GAME, "moneyline", 0, "Draw")
    assert section is not None
    assert section.reference is not None
    assert section.reference.is_live is False
