"""The board as its subscribers see it."""

from collections.abc import Sequence
from copy import deepcopy

import pytest
from msgspec.structs import replace

from oddsdesk.base.tasks import exhaust
from oddsdesk.board import board
from oddsdesk.board.board import Board
from oddsdesk.board.intake.quote_readings import WaitingMessages
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.board.model.notices import (
    Connection,
    ConnectionChanged,
    GamesChanged,
    Link,
    MatrixLoaded,
    Notice,
    PricesChanged,
    ReferenceChanged,
    RowsChanged,
    SnapshotProgress,
    SnapshotProgressChanged,
    ValueBetsChanged,
)
from oddsdesk.board.valuation.game_book import GameBook
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import GameMatrix, PriceMessage
from oddsdesk.contract.times import MINUTE_MS
from tests.kit.board import (
    DRAW,
    GAME,
    MONEYLINE,
    NOW,
    REFERENCE,
    RESULT,
    Desk,
    game,
    lines,
    market_matrix,
    matrix,
    message,
    odds_row,
    value_bet,
)


def test_a_first_picture_lays_the_matrix_out(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    assert desk.heard() == [ReferenceChanged(), ValueBetsChanged(), MatrixLoaded(GAME)]
    held = desk.board.matrix(GAME)
    assert held is not None
    assert held.bookmakers == ("Betfair", "Unibet")
    assert [section.line_title for section in held.sections] == ["Match result"]
    assert [line.selection for line in held.sections[0].rows] == ["Arsenal", "Draw", "Chelsea"]
    arsenal = held.sections[0].rows[0]
    assert arsenal.reference.odds == 2.0
    assert arsenal.liquidity == 500
    assert arsenal.prices["Betfair"].url == "https://Betfair.example"
    assert desk.board.reference_name == REFERENCE


def test_the_same_picture_again_tells_nobody_anything(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    before = deepcopy(desk.board.matrix(GAME))
    desk.heard()
    exhaust(desk.board.merge_matrix(matrix()))
    assert desk.heard() == []
    assert desk.board.matrix(GAME) == before


def test_a_message_changes_its_cell_and_its_section(desk: Desk) -> None:
    betfair = {"Arsenal": 2.06, "Draw": 3.5, "Chelsea": 4.0}
    exhaust(desk.board.merge_matrix(matrix({**MONEYLINE, "Betfair": betfair})))
    desk.heard()
    desk.board.apply_all([message("Draw", 3.71)])
    assert desk.heard() == [
        PricesChanged(GAME, {("moneyline", 0, "Betfair"): {"Draw": None}}, (RESULT,))
    ]
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert (price.odds, price.previous, price.changed_at) == (3.71, 3.5, NOW + 1000)
    draw = list(lines(desk.board))[1]
    assert (draw.best, draw.best_bookmakers) == (3.71, ("Betfair",))


def test_a_message_older_than_what_is_held_is_ignored(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    desk.heard()
    desk.board.apply_all([message("Draw", 3.9, at=NOW - 1)])
    assert desk.heard() == []
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert price.odds == 3.5


def waiting(board: Board, messages: Sequence[PriceMessage]) -> WaitingMessages:
    made = WaitingMessages(board.is_in_sight)
    made.add_messages(messages)
    return made


def test_messages_of_many_games_are_told_of_once_a_game_each_in_a_step_of_its_own(
    desk: Desk,
) -> None:
    desk.board.keep_all_rows(True)
    names = ("A - B", "C - D", "E - F")
    desk.board.apply_all([message("Draw", 3.4, match_name=name) for name in names])
    desk.heard()
    moved = [message("Draw", 3.5 + n / 10, match_name=name) for n in range(4) for name in names]
    told = [
        [each.game_id for each in desk.heard() if isinstance(each, PricesChanged)]
        for _ in desk.board.applying(waiting(desk.board, moved))
    ]
    assert told == [[game_id("EPL", name)] for name in names]
    prices = [desk.board.price(game_id("EPL", name), DRAW) for name in names]
    assert [price and price.odds for price in prices] == [3.8, 3.8, 3.8]


def test_games_in_sight_are_taken_in_first(desk: Desk) -> None:
    board, names = desk.board, ("A - B", "C - D", "E - F", "G - H")
    idents = [game_id("EPL", name) for name in names]
    board.keep_all_rows(True)
    board.subscribe_game(idents[3])
    board.in_grid = {idents[2]}
    board.apply_all([message("Draw", 3.4, match_name=name) for name in names])
    desk.heard()
    moved = [message("Draw", 3.5, match_name=name) for name in names]
    told = [
        (each.game_id, board.is_taking_in)
        for _ in board.applying(waiting(board, moved))
        for each in desk.heard()
        if isinstance(each, PricesChanged)
    ]
    assert told == [
        (idents[2], True),
        (idents[3], False),  # all that is in sight is there to be shown
        (idents[0], False),
        (idents[1], False),
    ]
    taking = board.applying(waiting(board, moved))
    next(taking)
    taking.close()  # type: ignore[attr-defined]
    assert not board.is_taking_in


def test_what_comes_meanwhile_of_games_in_sight_goes_before_what_waits_of_others(
    desk: Desk,
) -> None:
    board, names = desk.board, ("A - B", "C - D", "E - F")
    idents = [game_id("EPL", name) for name in names]
    board.keep_all_rows(True)
    board.in_grid = {idents[2]}
    board.apply_all([message("Draw", 3.4, match_name=name) for name in names])
    desk.heard()
    held = waiting(board, [message("Draw", 3.5, match_name=name) for name in names[:2]])
    told: list[str] = []
    for _ in board.applying(held):
        told += [each.game_id for each in desk.heard() if isinstance(each, PricesChanged)]
        if len(told) == 1:
            held.add_messages(
                [message("Draw", odds, match_name=name) for name in names for odds in (3, 2)]
            )
    assert told == [idents[0], idents[2], idents[1], idents[0]]
    prices = [board.price(ident, DRAW) for ident in idents]
    assert [price and price.odds for price in prices] == [2, 2, 2]
    assert held.count == 0


def test_messages_of_a_game_that_comes_into_sight_stay_in_order(desk: Desk) -> None:
    board, names = desk.board, ("A - B", "C - D")
    idents = [game_id("EPL", name) for name in names]
    board.keep_all_rows(True)
    held = waiting(board, [message("Draw", 3.4, match_name=name) for name in names])
    board.in_grid = {idents[1]}
    held.add_messages([message("Draw", 3.6, match_name=names[1])])
    board.in_grid = ()
    held.add_messages([message("Draw", 3.8, match_name=names[1])])
    exhaust(board.applying(held))
    prices = [board.price(ident, DRAW) for ident in idents]
    assert [price and price.odds for price in prices] == [3.4, 3.8]


def test_a_game_with_many_messages_is_taken_in_in_several_steps(desk: Desk) -> None:
    desk.board.keep_all_rows(True)
    many = [message(f"Over {n}.5", 1.9, market_type="total") for n in range(300)]
    held = [
        len(list(desk.board.row_keys())) for _ in desk.board.applying(waiting(desk.board, many))
    ]
    assert len(held) > 1
    assert held[0] < held[-1] == 300


def test_of_a_game_that_nobody_looks_at_nothing_is_kept(desk: Desk) -> None:
    desk.board.apply_all([message("Draw", 3.9)])
    assert desk.board.matrix(GAME) is None
    assert desk.heard() == []


def test_a_price_missing_in_the_new_picture_is_struck_through_for_a_minute(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    desk.now += 10_000
    without = {**MONEYLINE, "Betfair": {"Arsenal": 2.06, "Chelsea": 4.1}}
    desk.heard()
    exhaust(desk.board.merge_matrix(matrix(without)))
    (heard,) = desk.heard()
    assert isinstance(heard, PricesChanged)
    sides = ("Draw", "Arsenal", "Chelsea")  # without the draw none of them can be judged any more
    assert set(heard.cells) == {DRAW._replace(selection=side) for side in sides}
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
    exhaust(desk.board.merge_matrix(matrix()))
    desk.now += 1
    exhaust(
        desk.board.merge_matrix(matrix({name: MONEYLINE[name] for name in (REFERENCE, "Unibet")}))
    )
    desk.now += 60_000
    desk.heard()
    desk.board.sweep()
    assert desk.heard() == [MatrixLoaded(GAME)]
    held = desk.board.matrix(GAME)
    assert held is not None
    assert held.bookmakers == ("Unibet",)


def test_what_was_heard_after_the_question_is_not_withdrawn_by_the_answer(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    asked_at = desk.now = NOW + 5_000
    desk.now += 100
    desk.board.apply_all([message("Draw", 3.9, at=NOW + 5_050, bookmaker="Marathonbet")])
    desk.now += 100
    exhaust(desk.board.merge_matrix(matrix(), asked_at))
    price = desk.board.price(GAME, CellKey("moneyline", 0, "Draw", "Marathonbet"))
    assert price is not None
    assert price.is_offered


def test_a_game_that_is_listed_no_more_is_gone_once_nothing_of_it_is_offered(desk: Desk) -> None:
    """A simulation that makes way takes its prices back; its games are answered for a while."""
    desk.board.load_games([game()])
    exhaust(desk.board.merge_matrix(matrix()))
    whole = matrix()
    none_of_it = replace(whole, markets=[])
    for listed, offered in ((True, none_of_it), (False, none_of_it), (False, whole)):
        desk.now += 1
        desk.board.load_games([game()] if listed else [])
        exhaust(desk.board.merge_matrix(offered))
        assert desk.board.is_gone(GAME) is (not listed and offered is none_of_it)


def test_a_game_that_the_service_shows_no_more_is_struck_through(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    desk.board.end_game(GAME)
    assert not any(price.is_offered for line in lines(desk.board) for price in line.prices.values())
    assert desk.board.is_gone(GAME)
    desk.board.apply_all([message("Draw", 3.9, at=NOW + 1)])
    assert not desk.board.is_gone(GAME)
    desk.board.end_game(GAME)
    desk.board.forget_game(GAME)
    assert desk.board.is_gone(GAME)
    exhaust(desk.board.merge_matrix(matrix()))
    assert not desk.board.is_gone(GAME)


def test_sections_come_by_market_type_period_and_line(desk: Desk) -> None:
    totals = {"Betfair": {f"{side} {n}.5": 1.9 for n in (10, 2) for side in ("Over", "Under")}}
    spread = {"Betfair": {"Arsenal -1.5": 2.0, "Chelsea +1.5": 1.8}}
    first = matrix()
    markets = [market_matrix(totals, market_type="total"), *first.markets]
    markets.append(market_matrix(spread, market_type="spread"))
    exhaust(desk.board.merge_matrix(GameMatrix(**{**_fields(first), "markets": markets})))
    held = desk.board.matrix(GAME)
    assert held is not None
    titles = [section.line_title for section in held.sections]
    assert titles == ["Match result", "Handicap -1.5", "Total 2.5", "Total 10.5"]


def test_a_reference_that_says_the_same_again_is_judged_by_its_new_age(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    desk.now += 5_000
    exhaust(desk.board.merge_matrix(matrix(at=NOW + 4_000)))
    held = desk.board.matrix(GAME)
    assert held is not None
    assert held.sections[0].reference is not None
    assert held.sections[0].reference.scraped_at == NOW + 4_000


def test_prices_that_make_no_sense_are_named_and_the_rest_is_kept(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    odd = {**MONEYLINE, "Unibet": {"Arsenal": 0.5, "Draw": 3.7, "Chelsea": 4.1}}
    exhaust(desk.board.merge_matrix(matrix(odd)))
    assert [set(line.prices) for line in lines(desk.board)] == [
        {REFERENCE, "Betfair"},
        {REFERENCE, "Betfair", "Unibet"},
        {REFERENCE, "Betfair", "Unibet"},
    ]
    assert "skipped 1, " in caplog.text
    assert "expected odds above 1, got 0.5" in caplog.text


def test_another_devig_method_judges_everything_anew(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    before = [line.fair for line in lines(desk.board)]
    desk.heard()
    desk.board.set_method("power")
    assert [line.fair for line in lines(desk.board)] != before
    assert desk.heard() == [PricesChanged(GAME, {}, (RESULT,)), ValueBetsChanged()]


def test_games_are_told_of_when_they_differ(desk: Desk) -> None:
    desk.board.load_games([game(), game("C - D")])
    desk.board.load_games([game(), game("C - D")])
    assert desk.heard() == [GamesChanged()]
    desk.board.load_games([game("C - D"), game()])
    assert desk.heard() == [GamesChanged()]
    assert [entry.match_name for entry in desk.board.games.values()] == [
        "C - D",
        "Arsenal - Chelsea",
    ]


def test_value_bets_are_told_of_when_they_differ(desk: Desk) -> None:
    bets = [value_bet(), value_bet(bookmaker="Unibet", odds=2.18, ev_pct=3.16)]
    exhaust(desk.board.merge_value_bets(bets))
    exhaust(desk.board.merge_value_bets(list(reversed(bets))))
    assert desk.heard() == [ValueBetsChanged()]
    assert {key.bookmaker for key in desk.board.value_bets} == {"Unibet", "Betfair"}


def test_connection_and_gathering_are_told_of_once(desk: Desk) -> None:
    for _ in range(2):
        desk.board.set_connection(Connection(link=Link.LIVE))
        desk.board.set_snapshot_progress(SnapshotProgress(rows=5))
    assert desk.heard() == [ConnectionChanged(), SnapshotProgressChanged()]


def test_one_may_leave_while_being_told(desk: Desk) -> None:
    heard: list[object] = []
    leave = desk.board.subscribe(lambda notice: (heard.append(notice), leave()))
    desk.board.load_games([game()])
    desk.board.load_games([])
    assert heard == [GamesChanged()]


def test_who_subscribes_to_some_kinds_of_notice_hears_of_no_others(desk: Desk) -> None:
    heard: list[Notice] = []
    leave = desk.board.subscribe(heard.append, GamesChanged, ConnectionChanged)
    desk.board.load_games([game()])
    desk.board.set_snapshot_progress(SnapshotProgress(rows=5))
    desk.board.set_connection(Connection(link=Link.LIVE))
    assert heard == [GamesChanged(), ConnectionChanged()]
    leave()
    desk.board.load_games([])
    desk.board.set_connection(Connection())
    assert len(heard) == 2


def test_the_pace_of_the_stream_alone_is_told_to_nobody(desk: Desk) -> None:
    live = Connection(link=Link.LIVE, lag_ms=140, messages_per_minute=1_204)
    desk.board.set_connection(live)
    told = list[Notice]()
    desk.board.subscribe(told.append)
    quicker = replace(live, lag_ms=90, messages_per_minute=1_310)
    desk.board.set_connection(quicker)
    assert (desk.board.connection, told) == (quicker, [])
    desk.board.set_connection(replace(quicker, lag_ms=80, link=Link.POLLING))
    assert told == [ConnectionChanged()]


def test_freshness_follows_the_rhythm_of_the_bookmaker(desk: Desk) -> None:
    for step in range(8):
        desk.now = NOW + step * 8_000
        exhaust(desk.board.merge_matrix(matrix(at=desk.now)))
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert desk.board.freshness("Betfair", price) is Freshness.FRESH
    desk.now += 17_000
    assert desk.board.freshness("Betfair", price) is Freshness.AGEING
    assert desk.board.freshness(REFERENCE, price) is Freshness.AGEING


def test_a_game_may_be_left_between_the_steps_of_its_picture(desk: Desk) -> None:
    desk.board.subscribe_game(GAME)
    steps = desk.board.merge_matrix(matrix())
    next(steps)
    desk.board.unsubscribe_game(GAME)
    assert list(steps) is not None
    assert desk.board.matrix(GAME) is None
    assert desk.heard() == [ReferenceChanged(), ValueBetsChanged()]


def _fields(whole: GameMatrix) -> dict[str, object]:
    return {name: getattr(whole, name) for name in whole.__struct_fields__}


def test_real_prices_are_not_stale_by_the_rhythm_of_simulated_ones(desk: Desk) -> None:
    desk.board.set_connection(Connection(simulated=True))
    for seconds in range(0, 35, 5):
        exhaust(desk.board.merge_matrix(matrix(at=NOW + seconds * 1000)))
    assert desk.board.scrape_interval.stale_after_ms("Betfair", False) == 30_000
    for simulated, stale_after_ms in ((None, 30_000), (True, 30_000), (False, 180_000)):
        desk.board.set_connection(Connection(simulated=simulated))
        assert desk.board.scrape_interval.stale_after_ms("Betfair", False) == stale_after_ms


def test_no_simulated_price_or_bet_stays_beside_real_odds(desk: Desk) -> None:
    desk.board.subscribe_game(GAME)
    desk.board.keep_all_rows(True)
    desk.board.set_connection(Connection(simulated=True))
    exhaust(desk.board.merge_matrix(matrix()))
    exhaust(desk.board.merge_value_bets([value_bet(), value_bet(bookmaker="Nobody")]))
    held = set(desk.board.row_keys())
    assert held
    assert len(desk.board.value_bets) == 2
    desk.heard()
    desk.board.set_connection(Connection(simulated=False))
    assert not desk.board.value_bets
    assert desk.board.values.read_at is None
    assert not list(desk.board.row_keys())
    heard = desk.heard()
    assert MatrixLoaded(GAME) in heard
    assert ValueBetsChanged() in heard
    assert {key for each in heard if isinstance(each, RowsChanged) for key in each.removed} == held
    exhaust(desk.board.merge_matrix(matrix()))
    assert set(desk.board.row_keys()) == held


def test_a_price_goes_stale_at_its_moment_however_often_others_are_seen_and_looked_at(
    desk: Desk,
) -> None:
    """Ages are looked at when one may be stale: a price seen again moves that moment."""
    exhaust(desk.board.merge_matrix(matrix()))
    stale = desk.board.section(GAME, *DRAW[:3]).market.stale  # type: ignore[union-attr]
    for second in range(0, 500, 2):
        desk.now = NOW + second * 1_000
        if second in (100, 300):
            desk.board.apply_all([message("Draw", 3.5, at=desk.now)])
        desk.board.sweep()
        is_stale = 280 < second < 300 or second > 480
        assert ("Unibet" in stale, "Betfair" in stale) == (second > 180, is_stale)


@pytest.mark.parametrize("again", ["matrix", "rows", "stream", "another game before"])
@pytest.mark.parametrize("patience_ms", [0, 90_000])
def test_old_prices_read_again_are_as_stale_as_before_at_once(
    desk: Desk, again: str, patience_ms: int
) -> None:
    """Best came back with them for up to a second, until ages were looked at again."""
    rows = [odds_row(name, odds) for name, odds in MONEYLINE.items()]
    exhaust(desk.board.merge_matrix(matrix()))
    desk.board.scrape_interval.be_patient(patience_ms, NOW)
    desk.now = NOW + 181_000 + patience_ms
    desk.board.sweep()
    stale, offered = {REFERENCE, "Betfair", "Unibet"}, list[object]()

    def look(_: object) -> None:
        if desk.board.matrix(GAME) is not None:
            offered.extend(row.best for row in lines(desk.board))

    desk.board.subscribe(look)
    for _ in range(3):
        desk.now += 5_000
        if again == "another game before":
            desk.board.forget_game(GAME)
        if again in ("matrix", "another game before"):
            exhaust(desk.board.merge_matrix(matrix()))
        elif again == "rows":
            exhaust(desk.board.merge_rows(rows))
        else:
            desk.board.apply_all([message("Draw", 3.5, at=NOW)])
        assert [row.best for row in lines(desk.board)] == [None] * 3
        assert desk.board.section(GAME, *DRAW[:3]).market.stale == stale  # type: ignore[union-attr]
        desk.board.sweep()
    assert set(offered) <= {None}
    desk.board.apply_all([message("Draw", 3.5, at=desk.now)])
    assert [row.best for row in lines(desk.board)][1] == 3.5


def test_a_price_read_again_with_an_old_time_has_no_patience(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    desk.board.scrape_interval.be_patient(90_000, NOW)
    desk.now = NOW + 181_000
    desk.board.sweep()
    assert [row.best for row in lines(desk.board)] == [2.06, 3.7, 4.1]
    exhaust(desk.board.merge_matrix(matrix()))
    assert [row.best for row in lines(desk.board)] == [None] * 3


def test_rows_of_a_moment_stand_for_all_that_is_held_but_what_is_kept(desk: Desk) -> None:
    """D73: what came later is gone, a game without rows too, and the grid is told."""
    other = game("A vs B")
    desk.board.load_games([game(), other])
    desk.board.keep_all_rows(True)
    rows = [odds_row("Betfair", {"Draw": 3.6}), odds_row("Unibet", {"A": 2.0}, match_name="A vs B")]
    exhaust(desk.board.merge_matrix(matrix()))
    before = {(key.bookmaker, key.selection) for key in desk.board.row_keys()}
    exhaust(desk.board.replace_rows(rows, ()))
    held = {(key.game_id, key.bookmaker, key.selection) for key in desk.board.row_keys()}
    assert held == {(GAME, "Betfair", "Draw"), (other.game_id, "Unibet", "A")}
    told = [notice for notice in desk.heard() if isinstance(notice, RowsChanged)]
    gone = {(key.bookmaker, key.selection) for notice in told for key in notice.removed}
    assert gone == {(name, side) for name, side in before if (name, side) != ("Betfair", "Draw")}
    exhaust(desk.board.replace_rows([], {other.game_id}))
    assert {key.game_id for key in desk.board.row_keys()} == {other.game_id}


@pytest.mark.parametrize("first", ["spread", "moneyline"])
def test_markets_are_worked_out_in_the_order_of_what_is_told(desk: Desk, first: str) -> None:
    """What a draw is worth to a handicap comes of the moneyline; it differed by the hash seed."""
    desk.board.set_derived("none")  # else the other side would follow from the moneyline
    told = {"moneyline": (2.0, 3.6, 4.0), "spread": (1.9, 1.95)}
    later = {"moneyline": (2.1, 3.2, 4.0), "spread": (1.9,)}  # its other side is withdrawn
    names = {"moneyline": ("Arsenal", "Draw", "Chelsea"), "spread": ("Arsenal +0", "Chelsea +0")}
    order = sorted(names, key=lambda name: name != first)
    for at, said in enumerate((told, later)):
        desk.now += at * 5_000
        rows = [
            odds_row(
                REFERENCE,
                dict(zip(names[market_type], said[market_type], strict=False)),
                desk.now,
                market_type=market_type,
                period=period,
            )
            for period in range(8)
            for market_type in order
        ]
        exhaust(desk.board.merge_rows(rows, desk.now))
    sections = [desk.board.section(GAME, "spread", period, "Arsenal +0") for period in range(8)]
    chances = {round(section.push[0] or 0, 4) for section in sections if section is not None}
    assert chances == {0.2685 if first == "spread" else 0.2996}


def test_a_game_of_no_code_is_listed_and_grouped_by_what_is_played() -> None:
    """The World Cup stood under Other; a sport that comes late regroups the prices."""
    cup = {"competition": "soccer_fifa_world_cup", "sport": "Other"}
    desk, name = Desk(), "Spain - Japan"
    exhaust(
        desk.board.merge_matrix(matrix({"Unibet": {"Spain": 1.6, "Japan": 6.0}}, name=name, **cup))
    )
    (key,) = desk.board.held_games()
    held = desk.board.matrix(key)
    assert held is not None
    assert (held.sport, held.sections[0].complete) == ("Football", False)  # its draw is missing

    other = {"competition": "World Cup", "sport": "Other", "name": name}
    picture = matrix({"Unibet": {"Spain": 1.6, "Japan": 6.0}}, **other)
    late = Desk()
    exhaust(late.board.merge_matrix(picture))
    before = late.board.matrix(picture.game_id)
    assert before is not None
    assert (before.sport, before.sections[0].complete) == ("Other", True)
    told = replace(picture, source_sport="Football")
    for _ in range(2):  # the second answer is worked out by what the first one told
        exhaust(late.board.merge_matrix(told, late.now))
    after = late.board.matrix(picture.game_id)
    assert after is not None
    assert (after.sport, after.sections[0].sport) == ("Football", "Football")
    assert not after.sections[0].complete


@pytest.mark.parametrize("late_s", [0, 100, 200])
def test_while_nothing_changes_a_game_is_looked_at_only_when_it_is_due(
    late_s: int, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.board.subscribe_game(GAME)
    desk.now += late_s * 1_000
    exhaust(desk.board.merge_matrix(matrix()))
    looks: list[int] = []
    sweep, compared = GameBook.sweep, board.compare_lines
    monkeypatch.setattr(
        GameBook, "sweep", lambda book, *given: (looks.append(desk.now), sweep(book, *given))
    )
    monkeypatch.setattr(board, "compare_lines", lambda *given: (looks.append(0), compared(*given)))
    desk.board.sweep()
    desk.board.sweep()
    looks.clear()
    for _ in range(20):
        desk.now += 1_000
        desk.board.sweep()
    assert looks == []
    desk.now += 30 * MINUTE_MS
    desk.board.sweep()
    assert bool(looks) == (late_s < 180), "once stale, always stale"
