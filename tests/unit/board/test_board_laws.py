"""Whatever pictures and messages come, in whatever order: figures are as if made from scratch."""

from copy import deepcopy
from typing import Any
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.intake.quote_readings import Reading, quotes_of, read_messages
from oddsdesk.board.model.basis import Basis, DeskReference
from oddsdesk.board.model.matrix import Matrix, entry_of_price
from oddsdesk.board.model.notices import Changes, RowsChanged
from oddsdesk.board.valuation import figures
from oddsdesk.board.valuation.figures import FoundOffer, Holds
from oddsdesk.board.valuation.game_book import GameBook
from oddsdesk.board.valuation.market import Market
from oddsdesk.contract.resources import GameMatrix, OddsRow, PriceMessage
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import DRAW, GAME, NOW, REFERENCE, Desk, lines, matrix, message, odds_row

EXCHANGE = Profiles([Profile(name="Betfair", group="Betfair", commission=0.05)])
selections = st.sampled_from(["Arsenal", "Draw", "Chelsea"])
bookmakers = st.sampled_from([REFERENCE, "Betfair", "Unibet", "Marathonbet"])
prices = st.sampled_from([1.5, 1.9, 2.05, 3.4, 4.2, 1.01, 150.0, 1000.0])
messages = st.builds(
    message,
    selection=selections,
    odds=prices,
    at=st.integers(NOW, NOW + 30) | st.just(NOW + 6_000),
    bookmaker=bookmakers,
    is_live=st.sampled_from([False, False, False, True]),
)
books = st.dictionaries(selections, prices, min_size=1)
pictures = st.builds(
    matrix, st.dictionaries(bookmakers, books, min_size=1), at=st.integers(NOW, NOW + 30)
)


def checked_anew(desk: Desk) -> Matrix:
    """Return the matrix, whose figures are what they come to when worked out from scratch."""
    held = desk.board.matrix(GAME)
    assert held is not None
    for section in held.sections:
        remade, basis = deepcopy(section), desk.board.basis
        remade.holds = Holds(remade, basis)
        for row in remade.rows:
            row.offer = FoundOffer(remade, row, basis)
        remade.doubts, remade.has_long_odds = {}, False
        figures.doubt_prices(remade, basis)
        figures.figure(remade, basis)
        assert section == remade
    return held


@settings(max_examples=150)
@given(
    steps=st.lists(
        st.lists(messages, min_size=1, max_size=6)
        | pictures
        | st.sampled_from([1, 5_000, 40_000, 181_000]),
        max_size=25,
    ),
    sport=st.sampled_from(["Football", "Hockey"]),
    looks_every=st.integers(1, 4),
)
def test_figures_kept_up_to_date_equal_figures_worked_out_anew(
    steps: list[list[PriceMessage] | GameMatrix | int], sport: str, looks_every: int
) -> None:
    desk = Desk()
    desk.board.set_profiles(EXCHANGE)
    desk.board.subscribe_game(GAME)
    exhaust(desk.board.merge_matrix(matrix(sport=sport)))
    for number, step in enumerate(steps):
        desk.now += 1
        if isinstance(step, list):
            desk.board.apply_all(step)
        elif isinstance(step, GameMatrix):
            exhaust(desk.board.merge_matrix(step))
        else:
            desk.now += step
            desk.board.sweep()
        if number % looks_every == 0:  # what was looked at is kept until it may be another
            checked_anew(desk)
    held = checked_anew(desk)
    columns = {name for line in lines(desk.board) for name, _ in line.others()}
    assert held.bookmakers == tuple(sorted(columns))


@settings(max_examples=50)
@given(first=pictures, between=st.lists(messages, min_size=1, max_size=8))
def test_messages_may_come_between_the_steps_of_a_picture(
    first: GameMatrix, between: list[PriceMessage]
) -> None:
    desk = Desk()
    desk.board.subscribe_game(GAME)
    coming = iter(between)
    for _ in desk.board.merge_matrix(first):
        for each in coming:
            desk.board.apply_all([each])
            break
    held = checked_anew(desk)
    assert set(held.bookmakers) == {name for line in lines(desk.board) for name, _ in line.others()}


@given(st.permutations([message("Draw", 3.0 + n / 10, at=NOW + n) for n in range(1, 6)]))
def test_messages_in_any_order_end_with_the_newest(order: list[PriceMessage]) -> None:
    desk = Desk()
    exhaust(desk.board.merge_matrix(matrix()))
    for each in order:
        desk.board.apply_all([each])
    price = desk.board.price(GAME, DRAW)
    assert price is not None
    assert (price.odds, price.scraped_at) == (3.5, NOW + 5)


@settings(max_examples=150)
@given(
    batches=st.lists(st.lists(messages, min_size=1, max_size=8), max_size=6),
    sport=st.sampled_from(["Football", "Hockey"]),
)
def test_what_a_quote_says_is_taken_in_together_as_one_by_one(
    batches: list[list[PriceMessage]], sport: str
) -> None:
    bases = Basis("shin", Profiles()), Basis("shin", Profiles())
    whose = DeskReference()
    whose.service = REFERENCE
    together, alone = (
        GameBook(entry_of_price(message("Draw", 3.4, sport=sport)), REFERENCE) for _ in range(2)
    )
    for now, batch in enumerate(batches, NOW):
        changes = Changes(), Changes()
        for said in quotes_of(batch):
            together.put_quote(*read_quote(said, now, whose)[:2], changes[0])
            for each in said:
                alone.put_quote(*read_quote([each], now, whose)[:2], changes[1])
        assert changes[0] == changes[1]
        together.recompute(bases[0], changes[0])
        alone.recompute(bases[1], changes[1])
        assert changes[0] == changes[1]
        assert together.matrix == alone.matrix


NEWS: list[dict[str, Any]] = [
    {},
    {"odds": {"Arsenal": 2.0, "Draw": 3.6}},
    {"odds": {"Arsenal": 2.1, "Draw": 3.6, "Chelsea": 4.0}},
    {"at": NOW + 20},
    {"at": NOW + 6_000},
    {"url": "https://odds.example"},
    {"is_live": True},
    {"liquidity": 100.0},
]
"""In what a row may differ from the first that its bookmaker had."""
rows = st.builds(
    lambda bookmaker, news: odds_row(
        bookmaker, **{"odds": {"Arsenal": 2.0, "Draw": 3.6, "Chelsea": 4.0}, **news}
    ),
    st.sampled_from([REFERENCE, "Betfair"]),
    st.sampled_from([{}, {}, {}, *NEWS]),
)


@settings(max_examples=300)
@given(
    steps=st.lists(
        st.lists(rows, min_size=1, max_size=3)
        | st.lists(rows, min_size=1, max_size=3)
        | st.lists(messages, min_size=1, max_size=2)
        | st.sampled_from([1, 5_000, 61_000, 181_000]),
        max_size=12,
    )
)
@example(
    steps=[
        [odds_row("Betfair", {"Arsenal": 2.0, "Draw": 3.6, "Chelsea": 4.0})],
        [odds_row("Betfair", {"Arsenal": 2.0, "Draw": 3.6})],
    ]
)
def test_rows_that_say_what_is_held_do_what_all_others_do(steps: list[list[Any] | int]) -> None:
    quick, slow = Desk(), Desk()
    for desk in (quick, slow):
        desk.board.keep_all_rows(True)
        desk.board.scrape_interval.be_patient(90_000)
    for step in steps:
        take_in(quick, step)
        with patch.object(Market, "hear_again", lambda *_: None):
            take_in(slow, step)
        assert quick.heard() == slow.heard()
        assert quick.board.matrix(GAME) == slow.board.matrix(GAME)
        assert list(quick.board.row_keys()) == list(slow.board.row_keys())
    assert quick.board.value_bets == slow.board.value_bets
    assert vars(quick.board.scrape_interval) == vars(slow.board.scrape_interval)


def test_a_row_that_says_what_the_stream_told_dates_the_prices_that_did_not_move() -> None:
    desk = Desk()
    desk.board.keep_all_rows(True)
    first = odds_row("Betfair", {"Arsenal": 2.0, "Draw": 3.6, "Chelsea": 4.0})
    exhaust(desk.board.merge_rows([first]))
    desk.board.apply_all([message("Draw", 3.5, at=NOW + 2_000)])
    desk.heard()
    later = odds_row("Betfair", {"Arsenal": 2.0, "Draw": 3.5, "Chelsea": 4.0}, at=NOW + 2_000)
    with patch.object(GameBook, "put_quote", side_effect=AssertionError("it is held")):
        exhaust(desk.board.merge_rows([later]))
    row = desk.board.row(GAME, "moneyline", 0, "Arsenal")
    assert row is not None
    arsenal = row.prices["Betfair"]
    assert (arsenal.odds, arsenal.scraped_at, arsenal.changed_at) == (2.0, NOW + 2_000, NOW)
    (told,) = [each for each in desk.heard() if isinstance(each, RowsChanged)]
    assert {key.selection for key in told.changed} == {"Arsenal", "Chelsea"}


def take_in(desk: Desk, step: list[Any] | int) -> None:
    desk.now += 1
    if isinstance(step, int):
        desk.now += step
        desk.board.sweep()
    elif step and isinstance(step[0], OddsRow):
        exhaust(desk.board.merge_rows(step, desk.now))
    else:
        desk.board.apply_all(step)


def read_quote(said: list[PriceMessage], now: int, whose: DeskReference) -> Reading:
    bad: list[str] = []
    read = read_messages(said, now, whose, bad)
    assert not bad
    return read
