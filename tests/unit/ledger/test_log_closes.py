"""Closing lines out of a log are those of the bet's own game, and other games' are found."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import parse_ms
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import CLOSED_AGAIN, Ledger
from oddsdesk.ledger.log_closes import closed_wrongly, closes_again, closes_from_log
from oddsdesk.pricing.closing import CloseBy, ClosingLine
from oddsdesk.store.reader import ReaderPast
from oddsdesk.store.store import Store, open_store

HOUR, DAY, YEAR = 3_600_000, 86_400_000, 364 * 86_400_000
FIRST = parse_ms("2026-06-01T23:00:00Z")
NOW = FIRST + 10 * YEAR
NAME = "Boston Red Sox vs New York Yankees"
SHOWN = "Boston Red Sox v New York Yankees"
BET = PlacedBet(
    *(game_id("MLB", NAME), NAME, "MLB", "Baseball", "moneyline", 0, "Boston Red Sox"),
    *("Bet365", 2.1, 100.0, FIRST - 5 * HOUR),
    kick_off=FIRST,
    ident=1,
)
PRICES = ((1.7, 2.3), (2.5, 1.6), (2.0, 1.92))
CLV = tuple(round((2.1 / (odds * (1 / odds + 1 / other)) - 1) * 100, 4) for odds, other in PRICES)
"""+20.75, -18.05 and +2.86: margins taken out in proportion."""


def quote(begins: int, prices: tuple[float, float], event: str | None = None) -> Quote:
    odds = dict(zip(("Boston Red Sox", "New York Yankees"), prices, strict=True))
    at = begins - HOUR // 6
    told = Quote("Pinnacle", NAME, "MLB", "moneyline", 0, odds, at, False, begins)
    return msgspec.structs.replace(told, event=event)


def bets_at(starts: Iterable[int], **changed: object) -> list[PlacedBet]:
    return [
        msgspec.structs.replace(BET, ident=number, kick_off=at, placed_at=at - 5 * HOUR, **changed)
        for number, at in enumerate(starts)
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(tmp_path / "odds.db")) as store:
        yield store


def past_of(store: Store) -> ReaderPast:
    return ReaderPast(store.reader(), store.reference)


def record(store: Store, starts: Iterable[int], prices: Iterable[tuple[float, float]]) -> None:
    for at, pair in zip(starts, prices, strict=True):
        store.record([quote(at, pair, f"src:{at}")]).result()


def clv(bets: Iterable[PlacedBet], closes: dict[int, ClosingLine]) -> list[float | None]:
    closed = (msgspec.structs.replace(bet, close=closes.get(bet.ident or 0)) for bet in bets)
    return [None if bet.clv_pct is None else round(bet.clv_pct, 4) for bet in closed]


@pytest.mark.parametrize("apart", [DAY, YEAR, 4 * HOUR])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_each_bet_of_a_series_is_closed_by_its_own_game(
    store: Store, apart: int, order: tuple[int, ...]
) -> None:
    """On three days, in three seasons, thrice a day; whichever the log recorded first."""
    starts = [FIRST + number * apart for number in range(3)]
    record(store, [starts[each] for each in order], [PRICES[each] for each in order])
    bets = bets_at(starts)
    found, not_known = closes_from_log(past_of(store), bets, NOW, CloseBy("", "multiplicative"))
    assert not_known == {}
    assert clv(bets, found) == list(CLV)


def test_of_a_game_that_the_log_does_not_have_there_is_no_close(store: Store) -> None:
    record(store, [FIRST], PRICES[:1])
    bets = bets_at([FIRST + each for each in (YEAR, DAY, 3 * HOUR, -DAY, HOUR)])
    found, not_known = closes_from_log(past_of(store), bets, NOW, CloseBy("", "multiplicative"))
    assert not_known == {
        0: "the log has no game of these teams near its kick-off",
        1: f"the log has {SHOWN}, which is 24 hours earlier than the bet says",
        2: f"the log has {SHOWN}, which is 3 hours earlier than the bet says",
        3: f"the log has {SHOWN}, which is 24 hours later than the bet says",
    }
    assert clv(bets, found) == [None, None, None, None, CLV[0]]


def test_a_game_without_a_kick_off_is_closed_by_its_id_at_the_kick_off_of_the_bet(
    store: Store,
) -> None:
    undated = msgspec.structs.replace(quote(FIRST, PRICES[0]), match_date=None)
    store.record([undated]).result()
    bets = bets_at([FIRST, FIRST + YEAR])
    found, _ = closes_from_log(past_of(store), bets, NOW, CloseBy("", "multiplicative"))
    assert clv(bets, found) == [CLV[0], None]
    assert found[1].why == "last seen more than 30 minutes before the game"


@pytest.mark.parametrize(
    ("spelled", "closes"),
    [
        ("NIKOLA JOKIC", True),
        ("Jokic, Nikola", True),
        ("Nikola Jovic", False),
        ("N. Jokic", False),
        ("Jaren Jackson", True),
        ("Jaren Jackson Sr.", False),
    ],
)
def test_a_bet_on_a_player_closes_by_the_line_of_the_player_however_it_is_spelled(
    store: Store, spelled: str, closes: bool
) -> None:
    odds = {
        f"{player} strikeouts {side} 5.5": price
        for player in ("Nikola Jokić", "Jaren Jackson Jr.")
        for side, price in zip(("Over", "Under"), PRICES[0], strict=True)
    }
    props = msgspec.structs.replace(quote(FIRST, PRICES[0]), market_type="player_prop", odds=odds)
    store.record([props]).result()
    selection = f"{spelled} strikeouts Over 5.5"
    bets = bets_at([FIRST], market_type="player_prop", selection=selection)
    found, _ = closes_from_log(past_of(store), bets, NOW, CloseBy("", "multiplicative"))
    assert clv(bets, found) == [CLV[0] if closes else None]


def close_at(at: int | None, odds: float = 1.7) -> ClosingLine:
    return ClosingLine(odds, 1.739, "multiplicative", at)


@pytest.mark.parametrize(
    ("close", "is_wrong"),
    [
        (close_at(FIRST - HOUR // 6), False),
        (close_at(FIRST + HOUR // 12), False),
        (close_at(FIRST + DAY - HOUR // 6), True),
        (close_at(FIRST - DAY), True),
        (close_at(FIRST + YEAR), True),
        (close_at(FIRST + 4 * HOUR - HOUR // 6), True),
        (close_at(FIRST - 3 * HOUR), True),
        (close_at(None), False),
        (close_at(None, 2.5), False),
        (ClosingLine(why="the line moved", at=FIRST + YEAR), True),
        (ClosingLine(why="unknown kick-off"), False),
        (None, False),
    ],
)
def test_closes_of_other_games_are_found_by_their_times(
    store: Store, close: ClosingLine | None, is_wrong: bool
) -> None:
    record(store, [FIRST, FIRST + 4 * HOUR], PRICES[:2])
    bet = msgspec.structs.replace(BET, close=close)
    assert closed_wrongly(past_of(store), [bet], NOW) == ([bet] if is_wrong else [])


def test_a_close_without_a_time_is_compared_with_the_other_game_of_its_id(store: Store) -> None:
    """The id is that of the game that was recorded first: earlier versions closed by that one."""
    record(store, [FIRST + DAY, FIRST], [PRICES[1], PRICES[0]])
    wrong, right, others = (
        msgspec.structs.replace(BET, close=close_at(None, odds)) for odds in (2.5, 1.7, 1.85)
    )
    assert closed_wrongly(past_of(store), [wrong, right, others], NOW) == [wrong]


def test_another_games_close_counts_in_no_figure() -> None:
    assert msgspec.structs.replace(BET, close=close_at(FIRST + DAY)).clv_pct is None
    assert msgspec.structs.replace(BET, close=close_at(FIRST - HOUR)).clv_pct is not None


def test_what_was_closed_wrongly_is_closed_again_and_that_is_undone(
    store: Store, tmp_path: Path
) -> None:
    """The second bet's game is not in the log: it has no close, and the reason."""
    record(store, [FIRST + DAY, FIRST], [PRICES[1], PRICES[0]])
    wrong = close_at(FIRST + DAY - HOUR // 6, 2.5)
    placed = bets_at([FIRST, FIRST + 3 * DAY], close=wrong)
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        held = ledger.place_all(placed, "placed")
        found = closed_wrongly(past_of(store), held, NOW)
        assert found == held
        ledger.close_again(closes_again(past_of(store), found, NOW, CloseBy("", "multiplicative")))
        first, second = ledger.read_bets()
        assert first.clv_pct == pytest.approx(CLV[0], abs=1e-4)
        assert second.close is not None
        assert second.close.why.endswith("which is 48 hours earlier than the bet says")
        assert closed_wrongly(past_of(store), ledger.read_bets(), NOW) == []
        change = ledger.last_change()
        assert change is not None
        assert ledger.undo_change() == (CLOSED_AGAIN, 2)
        assert ledger.read_bets() == held
        assert ledger.redo(change)
        assert ledger.read_bets() == [first, second]


def test_legs_and_lays_are_closed_from_the_log(store: Store) -> None:
    starts = [FIRST, FIRST + DAY]
    record(store, starts, PRICES[:2])
    legs = tuple(
        BetLeg(
            selection=BET.selection,
            odds=2.1,
            game_id=BET.game_id,
            match_name=NAME,
            competition="MLB",
            sport="Baseball",
            market_type="moneyline",
            kick_off=at,
        )
        for at in starts
    )
    multiple = msgspec.structs.replace(
        BET, kind=BetKind.MULTIPLE, game_id="", market_type="", odds=4.41, legs=legs, ident=2
    )
    multiple = msgspec.structs.replace(multiple, kick_off=starts[1])
    lay = msgspec.structs.replace(BET, kind=BetKind.LAY)
    each_way = msgspec.structs.replace(BET, kind=BetKind.EACH_WAY, ident=3, place_fraction=0.2)
    by = CloseBy("", "multiplicative")
    bets = [lay, multiple, each_way]
    found, not_known = closes_from_log(past_of(store), bets, NOW, by)
    assert not_known == {}
    (home, away), (later, its_other) = PRICES[:2]
    fair = [home * (1 / home + 1 / away), later * (1 / later + 1 / its_other)]
    assert found[1].fair_odds == pytest.approx(away * (1 / home + 1 / away)), "the other side"
    assert [found[2, place].fair_odds for place in (1, 2)] == pytest.approx(fair)
    assert found[3].why == "an each-way bet has no close: no bookmaker prices its places"
    with closing(Ledger(Path("missing"), is_made=False)) as ledger:
        ledger.place_all(bets, "placed")
        assert ledger.write_closes(found) == 4
        closed = ledger.read_bets()[1].close
        assert closed is not None
        assert closed.fair_odds == pytest.approx(fair[0] * fair[1])
        assert closed_wrongly(past_of(store), ledger.read_bets(), NOW) == []


def test_a_leg_with_another_games_close_is_found_and_closed_again(store: Store) -> None:
    record(store, [FIRST], PRICES[:1])
    wrong = ClosingLine(1.5, 1.6, "multiplicative", FIRST - 3 * DAY, reference="Pinnacle")
    legs = (
        BetLeg(selection="Leeds", odds=2.0),
        BetLeg(
            selection=BET.selection,
            odds=2.1,
            game_id=BET.game_id,
            match_name=NAME,
            competition="MLB",
            sport="Baseball",
            market_type="moneyline",
            kick_off=FIRST,
            close=wrong,
        ),
    )
    bet = msgspec.structs.replace(
        BET, kind=BetKind.MULTIPLE, game_id="", market_type="", odds=4.2, legs=legs
    )
    assert closed_wrongly(past_of(store), [bet], NOW) == [bet]
    again = closes_again(past_of(store), [bet], NOW, CloseBy("", "multiplicative"))
    assert again[1, 1] == ClosingLine(why="the bet has no game")
    right = again[1, 2]
    assert right is not None
    assert right.odds == PRICES[0][0]
