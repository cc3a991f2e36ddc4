"""Whatever came, in whatever order: all that judges says the same, and what a new board says."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import CONSENSUS, SERVICES_OWN
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.board.valuation.judging import AssessedPrice, near_misses
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import GAME, NOW, REFERENCE, Desk, game, message, picture, value_bet

SHARP = {
    "moneyline": {"Arsenal": 2.0, "Draw": 3.6, "Chelsea": 4.0, "Neither": 9.0},
    "total": {"Over 5.5": 1.95, "Under 5.5": 1.95},
}
OFFERS = [(market_type, name) for market_type, odds in SHARP.items() for name in odds]
BOOKMAKERS = (REFERENCE, "Betfair", "Unibet")
FACTORS = (0.97, 1.03, 1.045, 1.06, 1.2)
PROFILES = (Profiles(), Profiles([Profile(name="Betfair", group="Betfair", commission=0.02)]))

Step = Callable[[Desk, str], None]
"""Something that comes to a board of a game of a sport."""


def odds_of(bookmaker: str, market_type: str, selection: str, factor: float) -> float:
    sharp = SHARP[market_type][selection]
    return sharp if bookmaker == REFERENCE and factor > 1 else round(sharp * factor, 3)


@st.composite
def heard(draw: st.DrawFn) -> Step:
    """A message of now, or of a little earlier."""
    market_type, selection = draw(st.sampled_from(OFFERS))
    bookmaker = draw(st.sampled_from(BOOKMAKERS))
    odds = odds_of(bookmaker, market_type, selection, draw(st.sampled_from(FACTORS)))
    in_play, ago = draw(st.sampled_from([False] * 4 + [True])), draw(st.sampled_from([0, 3_000]))

    def step(desk: Desk, sport: str) -> None:
        more: dict[str, Any] = {"market_type": market_type, "bookmaker": bookmaker, "sport": sport}
        at = desk.now - ago
        desk.board.apply_all([message(selection, odds, at=at, is_live=in_play, **more)])

    return step


@st.composite
def pictured(draw: st.DrawFn) -> Step:
    """A picture, in which each bookmaker prices some of the selections."""
    markets: dict[str, dict[str, dict[str, float]]] = {}
    for bookmaker in BOOKMAKERS:
        for market_type, names in SHARP.items():
            usual = [name for name in names if name != "Neither"]
            left_out = draw(st.sampled_from([None, None, None, *names]))
            factors = [draw(st.sampled_from(FACTORS)) for _ in usual]
            markets.setdefault(market_type, {})[bookmaker] = {
                name: odds_of(bookmaker, market_type, name, factor)
                for name, factor in zip(usual, factors, strict=True)
                if name != left_out
            }

    def step(desk: Desk, sport: str) -> None:
        held = desk.board.matrix(GAME)
        kick_off = NOW + 3_600_000 if held is None else held.kick_off
        exhaust(desk.board.merge_matrix(picture(markets, desk.now, sport=sport, kick_off=kick_off)))

    return step


def passing(seconds: int) -> Step:
    def step(desk: Desk, _: str) -> None:
        desk.now += seconds * 1_000
        desk.board.sweep()

    return step


def listing(named: Sequence[tuple[tuple[str, str], str]]) -> Step:
    def step(desk: Desk, sport: str) -> None:
        bets = [
            value_bet(
                market_type=market_type,
                selection=selection,
                bookmaker=bookmaker,
                sport=sport,
                odds=odds_of(bookmaker, market_type, selection, 1.06),
                reference_odds=SHARP[market_type][selection],
                detected_at=format_ms(desk.now),
            )
            for (market_type, selection), bookmaker in dict(named).items()
        ]
        exhaust(desk.board.merge_value_bets(bets))

    return step


def starting(minutes: int) -> Step:
    return lambda desk, sport: desk.board.load_games(
        [game(match_date=format_ms(NOW + minutes * 60_000), sport=sport)]
    )


def charging(profiles: Profiles) -> Step:
    return lambda desk, _: desk.board.set_profiles(profiles)


def betting_at(names: tuple[str, ...]) -> Step:
    return lambda desk, _: desk.board.set_bookmakers(names)


def choosing(reference: str) -> Step:
    return lambda desk, _: desk.board.choose_reference(reference)


listed = st.tuples(st.sampled_from(OFFERS[:3] + OFFERS[4:]), st.sampled_from(BOOKMAKERS[1:]))
steps = st.one_of(
    heard(),
    heard(),
    heard(),
    pictured(),
    st.sampled_from([10, 20, 60, 70, 130, 200]).map(passing),
    st.lists(listed, max_size=3).map(listing),
    st.sampled_from([1, 60]).map(starting),
    st.sampled_from(PROFILES).map(charging),
    st.sampled_from([(), ("Betfair",)]).map(betting_at),
    st.sampled_from([SERVICES_OWN, REFERENCE, "Betfair", CONSENSUS]).map(choosing),
)
histories = st.tuples(pictured(), st.lists(steps, max_size=15))
sports = st.sampled_from(["Football", "Hockey", "Tennis"])


def after(history: tuple[Step, list[Step]], sport: str) -> Desk:
    desk = Desk()
    desk.board.basis.least_voices = 2
    desk.board.want_values(True)
    first, rest = history
    for step in (first, *rest):
        step(desk, sport)
    desk.board.sweep()
    return desk


def worth(found: Assessment) -> tuple[object, ...]:
    """What an assessment says, but for ages, which go on while nothing else changes."""
    return (
        *(found.odds, found.net_odds, found.fair_odds, found.ev_pct, found.service_ev_pct),
        *(found.per, found.cautions, found.settlement, found.is_value),
        tuple(check.rule for check in found.stopped_by),
    )


def said(entry: AssessedPrice) -> tuple[object, ...]:
    return (
        *(entry.side, entry.line_key, entry.kick_off, entry.is_live, entry.scraped_at),
        *(entry.is_in_contract, worth(entry.assessment)),
    )


@settings(max_examples=60)
@given(histories, sports)
def test_list_near_misses_explanation_and_board_say_the_same_of_every_price(
    history: tuple[Step, list[Step]], sport: str
) -> None:
    desk = after(history, sport)
    board = desk.board
    matrix = board.matrix(GAME)
    assert matrix is not None
    misses = {miss.key: miss for miss in near_misses(matrix, board.judge_of(matrix))}
    for key in board.row_keys():
        found, explained = board.assess(key), explain(board, key, desk.now)
        section = board.section(*key[:4])
        assert found is not None
        assert explained is not None
        assert section is not None
        assert explained.assessment == found
        entry = board.value_bets.get(key)
        is_near = key.bookmaker in section.selection_row(key.selection).near
        is_listed = key in board.values.listed and key.bookmaker != matrix.reference
        assert (entry is not None) == (is_near or is_listed)
        if entry is not None:
            assert worth(entry.assessment) == worth(found)
        if found.is_value:
            assert is_near
        is_mine = board.basis.is_mine(key.bookmaker)
        assert board.is_value_bet(key) == (found.is_value and is_mine)
        if key in misses:
            assert misses[key].assessment == found
            assert not found.is_value


@settings(max_examples=60)
@given(histories, sports)
def test_what_is_kept_up_to_date_is_what_a_new_board_says(
    history: tuple[Step, list[Step]], sport: str
) -> None:
    desk = after(history, sport)
    remade = board_made_again(desk, sport)
    assert spoken_of(desk.board) == spoken_of(remade)


def spoken_of(board: Board) -> dict[RowKey, tuple[object, ...]]:
    """What is said of prices that are offered, and of those that a service lists."""
    return {
        key: said(entry)
        for key, entry in board.value_bets.items()
        if entry.scraped_at is not None and not is_withdrawn(board, key)
    }


def is_withdrawn(board: Board, key: RowKey) -> bool:
    section = board.section(*key[:4])
    assert section is not None
    return not section.selection_row(key.selection).prices[key.bookmaker].is_offered


def board_made_again(desk: Desk, sport: str) -> Board:
    """A board that is told at once of all prices that another holds."""
    old, new = desk.board, Board(lambda: desk.now)
    matrix = old.matrix(GAME)
    assert matrix is not None
    new.want_values(True)
    new.basis.least_voices = old.basis.least_voices
    new.name_reference(REFERENCE)
    new.choose_reference(old.desk_reference.chosen)
    new.set_profiles(old.basis.profiles)
    new.basis.scrape_interval = old.basis.scrape_interval
    if matrix.kick_off is not None:
        new.load_games([game(match_date=format_ms(matrix.kick_off), sport=sport)])
    held = [
        message(
            row.selection,
            price.odds,
            at=price.scraped_at,
            market_type=section.key.market_type,
            bookmaker=bookmaker,
            is_live=bool(price.is_live),
            sport=sport,
        )
        for section in matrix.sections
        for row in section.rows
        for bookmaker, price in row.prices.items()
        if price.is_offered
    ]
    new.apply_all(sorted(held, key=lambda each: each.scraped_at))
    drew_at = {}
    for section in matrix.sections:
        drew_at |= section.market.drew_at
    for bookmaker, at in drew_at.items():
        new.miss_draw(GAME, 0, bookmaker, at)
    exhaust(new.merge_value_bets(old.values.listed.values()))
    return new
