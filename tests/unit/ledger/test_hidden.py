"""What is hidden among value bets: kept in the ledger, for a time or for good."""

from contextlib import closing
from pathlib import Path

import pytest

from oddsdesk.ledger.hidden import Hidden, HiddenKind, HiddenThings, bet_key, hidden_until
from oddsdesk.ledger.ledger import Ledger

OUTCOME = ("game", "total", 0, "2.5", "over")
GAME = Hidden(HiddenKind.GAME, "game", "A v B", until=2_000)
BOOK = Hidden(HiddenKind.BOOKMAKER, "Unibet", "Unibet")


def hides(things: HiddenThings, **differs: object) -> bool:
    price = {"game_id": "game", "market_type": "total", "bookmaker": "Bet365", "outcome": OUTCOME}
    return things.hides(**(price | differs))  # type: ignore[arg-type]


def test_each_kind_hides_what_it_names_and_no_more() -> None:
    assert not hides(HiddenThings())
    assert hides(HiddenThings([GAME]))
    assert not hides(HiddenThings([GAME]), game_id="other")
    assert hides(HiddenThings([BOOK]), bookmaker="Unibet")
    assert not hides(HiddenThings([BOOK]))
    market = HiddenThings([Hidden(HiddenKind.MARKET, "total", "Total")])
    assert hides(market, game_id="other")
    assert not hides(market, market_type="spread")
    bet = HiddenThings([Hidden(HiddenKind.BET, bet_key(OUTCOME), "Over 2.5")])
    assert hides(bet, bookmaker="Unibet")
    assert not hides(bet, outcome=(*OUTCOME[:4], "under"))


HOUR = 3_600_000


@pytest.mark.parametrize("kind", [HiddenKind.GAME, HiddenKind.BET])
def test_a_game_is_hidden_until_it_is_over_since_the_next_one_may_have_its_id(
    kind: HiddenKind,
) -> None:
    assert hidden_until(kind, 50 * HOUR, HOUR, for_good=True) == 56 * HOUR
    assert hidden_until(kind, 50 * HOUR, HOUR, for_good=False) == 25 * HOUR
    assert hidden_until(kind, 3 * HOUR, HOUR, for_good=False) == 9 * HOUR
    assert hidden_until(kind, None, HOUR, for_good=True) is None
    assert hidden_until(HiddenKind.BOOKMAKER, 50 * HOUR, HOUR, for_good=True) is None


def test_what_is_hidden_for_now_comes_back() -> None:
    assert hides(HiddenThings([GAME], now_ms=1_999))
    assert not hides(HiddenThings([GAME], now_ms=2_000))
    assert len(HiddenThings([GAME, BOOK], now_ms=2_000)) == 1


def test_it_is_there_after_a_restart_and_what_is_over_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(Ledger(path)) as ledger:
        ledger.hide(GAME, 1_000)
        ledger.hide(BOOK, 1_000)
    with closing(Ledger(path)) as again:
        assert again.hidden() == [GAME, BOOK]
        market = Hidden(HiddenKind.MARKET, "total", "Total")
        again.hide(market, 2_000)
        assert again.hidden() == [BOOK, market]
        again.unhide(BOOK)
        again.unhide(GAME)
        assert again.hidden() == [market]


def test_hiding_again_is_for_the_time_that_was_said_last(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        ledger.hide(GAME, 1_000)
        for_good = Hidden(GAME.kind, GAME.key, GAME.title)
        ledger.hide(for_good, 1_000)
        assert ledger.hidden() == [for_good]
