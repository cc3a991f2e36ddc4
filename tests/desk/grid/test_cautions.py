"""Prices of the grid with a caution stand below the others, and say why."""

from collections.abc import Callable
from typing import Any

import pytest

from oddsdesk.board.model.basis import Freshness
from oddsdesk.contract.resources import Game, PriceMessage
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS, CellContext, ev, kick_off
from oddsdesk.desk.grid.entries import PriceEntry
from oddsdesk.desk.grid.model import GridModel, tip
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.assessment import APART_MS, Caution
from tests.kit.grid import take_again

MINUTE_MS = 60_000
Say = Callable[..., None]


@pytest.fixture
def say(quoted: Any) -> Say:
    """Let the stream tell of a total's price, of a scrape some while ago."""

    def tell(bookmaker: str, selection: str, odds: float, ago_ms: int = 0, live: bool = True):
        message = PriceMessage(
            bookmaker, quoted.name, quoted.competition, "Football", "total", selection, odds,
            0, live, format_ms(quoted.clock.now - ago_ms),
        )  # fmt: skip
        quoted.board.apply_all([message])

    return tell


@pytest.fixture
def model(quoted: Any, qtbot):
    made = GridModel(quoted.board, quoted.clock)
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: made.book.price_rows.count_present > 0)
    yield made
    made.stop_listening()


def price(model: GridModel, bookmaker: str, selection: str = "Over 2.5") -> PriceEntry:
    take_again(model)
    entries = model.book.selections()
    return next(entry for entry in entries if entry.key.selection == selection).prices[bookmaker]


def reference_in_play(say: Say, ago_ms: int = 0) -> None:
    say("Pinnacle", "Over 2.5", 1.95, ago_ms)
    say("Pinnacle", "Under 2.5", 1.95, ago_ms)


def test_a_price_in_its_window_has_no_caution(model: GridModel) -> None:
    entry = price(model, "Matchbook")
    assert entry.ev is not None
    assert (entry.cautions, entry.rank) == ((), entry.ev)


def test_a_price_above_its_window_has_a_caution(quoted: Any, model: GridModel) -> None:
    quoted.clock.now += 1
    quoted.tell("Bovada", "total", "Over 2.5", 2.8)
    assert price(model, "Bovada").cautions == (Caution.ABOVE_WINDOW,)


def test_an_edge_below_the_least_needs_no_caution(quoted: Any, model: GridModel) -> None:
    quoted.clock.now += 30 * MINUTE_MS
    quoted.tell("Pinnacle", "total", "Over 2.5", 1.93)
    entry = price(model, "Betsson")
    assert entry.ev is not None
    assert entry.ev < 0
    assert entry.cautions == ()


@pytest.mark.parametrize(
    ("live", "apart_ms", "caution"),
    [(True, APART_MS, False), (True, APART_MS + 1, True), (False, APART_MS + 1, False)],
)
@pytest.mark.parametrize("is_reference_older", [True, False])
def test_prices_in_play_that_were_not_seen_together_have_a_caution(
    quoted: Any,
    model: GridModel,
    say: Say,
    live: bool,
    apart_ms: int,
    caution: bool,
    is_reference_older: bool,
) -> None:
    quoted.clock.now += 60 * MINUTE_MS
    older = apart_ms if is_reference_older else 0
    for side in ("Over 2.5", "Under 2.5"):
        say("Pinnacle", side, 1.95, older, live)
    say("Bovada", "Over 2.5", 2.06, apart_ms - older, live)
    entry = price(model, "Bovada")
    assert entry.ev is not None
    assert entry.ev > 0
    assert (Caution.APART in entry.cautions) is caution


def test_a_message_of_one_side_says_that_the_other_stood(
    quoted: Any, model: GridModel, say: Say
) -> None:
    quoted.clock.now += 60 * MINUTE_MS
    reference_in_play(say, ago_ms=5 * MINUTE_MS)
    say("Bovada", "Over 2.5", 2.06, 5 * MINUTE_MS)
    say("Pinnacle", "Under 2.5", 1.94)
    say("Bovada", "Under 2.5", 1.80)
    assert price(model, "Bovada").cautions == ()


def test_what_has_a_caution_stands_below_the_rest_either_way_round(
    quoted: Any, model: GridModel
) -> None:
    quoted.clock.now += 1
    quoted.tell("Bovada", "total", "Over 2.5", 2.8)
    price(model, "Bovada")
    for descending in (True, False):
        model.sort_as(BY_KEY["ev_pct"], descending)
        shown = [(bool(entry.cautions), entry.ev) for entry in model.entries()]
        doubtful = [place for place, (is_doubtful, _) in enumerate(shown) if is_doubtful]
        sure = [edge for is_doubtful, edge in shown if not is_doubtful and edge is not None]
        assert doubtful == [len(sure)]
        assert sure == sorted(sure, reverse=descending)


def test_an_edge_where_no_price_can_be_value_is_marked_and_stands_below_the_rest(
    quoted: Any, model: GridModel
) -> None:
    quoted.clock.now += 1
    quoted.tell("Pinnacle", "total", "Over 2.5", 1.85)
    quoted.tell("Pinnacle", "total", "Under 2.5", 1.85)
    quoted.tell("Bovada", "total", "Over 2.5", 2.10)
    entry = price(model, "Bovada")
    assert entry.cautions == ()
    context = CellContext(quoted.clock.now, quoted.board.freshness, "Pinnacle")
    assert ev(entry, context).text.startswith("? +")
    assert "Pinnacle's margin is too large" in tip(entry, "Pinnacle", quoted.clock.now)
    model.sort_as(BY_KEY["ev_pct"], True)
    edges = [shown for shown in model.entries() if shown.ev is not None]
    assert edges[-1] is entry


def test_the_edge_of_a_price_that_is_not_fresh_recedes(quoted: Any, model: GridModel) -> None:
    quoted.clock.now += 1
    quoted.tell("Bovada", "total", "Over 2.5", 2.07)
    entry, now = price(model, "Bovada"), quoted.clock.now
    assert entry.is_value
    assert ev(entry, CellContext(now, quoted.board.freshness, "Pinnacle")).ink is TextRole.VALUE
    quoted.clock.now += 2 * MINUTE_MS
    assert entry.is_value
    shown = ev(entry, CellContext(quoted.clock.now, quoted.board.freshness, "Pinnacle"))
    assert shown.ink is TextRole.SOFT


def test_a_caution_is_marked_greyed_and_explained(quoted: Any, model: GridModel) -> None:
    quoted.clock.now += 1
    quoted.tell("Bovada", "total", "Over 2.5", 2.8)
    entry = price(model, "Bovada")
    cell = ev(entry, CellContext(quoted.clock.now, quoted.board.freshness, "Pinnacle"))
    assert cell.text.startswith("? +")
    assert cell.ink is TextRole.NOTE
    assert "No value: likely error, far above fair" in tip(entry, "Pinnacle", quoted.clock.now)
    assert COLUMNS[BY_KEY["cautions"]].value(entry) == "above_window"


def test_a_game_is_live_in_the_grid_as_soon_as_in_the_navigator(
    quoted: Any, model: GridModel
) -> None:
    entry = price(model, "Bovada")
    context = CellContext(quoted.clock.now, quoted.board.freshness, "Pinnacle")
    assert kick_off(entry, context).text != "live"
    game = Game(quoted.id, quoted.name, quoted.competition, "Football", None, True, 4, None)
    quoted.board.load_games([game])
    assert kick_off(entry, context).text == "live"
    take_again(model)
    assert kick_off(entry, context).text == "live"


def test_a_price_that_was_read_again_is_as_old_as_elsewhere(
    quoted: Any, model: GridModel, say: Say
) -> None:
    say("Bovada", "Over 2.5", 2.1, live=False)  # in play it would be as old as it is
    entry, board = price(model, "Bovada"), quoted.board
    board.scrape_interval.be_patient(10 * MINUTE_MS)
    quoted.clock.now += 5 * MINUTE_MS
    assert (
        board.freshness("Bovada", entry.price) is Freshness.FRESH
    )  # it may be the reading's fault
    say("Bovada", "Over 2.5", 2.1, 5 * MINUTE_MS, live=False)
    assert board.freshness("Bovada", entry.price) is Freshness.STALE


def test_a_price_that_is_no_longer_offered_stands_below_the_others(
    quoted: Any, model: GridModel
) -> None:
    quoted.clock.now += 1
    quoted.tell("Bovada", "total", "Over 2.5", 2.09)
    others = {"Pinnacle": 1.94, "Matchbook": 2.00, "Betsson": 1.92}
    quoted.quote("total", {"Over 2.5": others})
    quoted.clock.now += 1
    quoted.load()
    gone = price(model, "Bovada")
    assert gone.price.withdrawn_at is not None
    assert gone.cautions == (Caution.WITHDRAWN,)
    assert (gone.ev or 0) > 1
    assert (gone.rank or 0) < (price(model, "Betsson").rank or 0)
    assert "no longer offered" in tip(gone, "Pinnacle", quoted.clock.now)


def test_a_price_that_no_bookmaker_means_has_a_caution_and_is_in_no_spread(
    model: GridModel, quoted: Any, qtbot: Any
) -> None:
    """Without a reference, too; it goes once the other side says that the price was meant."""
    for bookmaker, odds in (("Far", 1000.0), ("Any", 1.9), ("Other", 1.95)):
        quoted.tell(bookmaker, "total", "Over 4.5", odds)
    book = model.book
    qtbot.waitUntil(lambda: "Over 4.5" in {each.key.selection for each in book.selections()})
    entry = price(model, "Far", "Over 4.5")
    assert entry.cautions == (Caution.PLACEHOLDER,)
    assert entry.is_doubtful
    assert not price(model, "Any", "Over 4.5").is_doubtful
    figures = entry.selection.figures
    assert (figures.best, figures.worst, figures.count) == (1.95, 1.9, 2)
    quoted.clock.now += 1_000
    quoted.tell("Other", "total", "Over 4.5", 400.0)
    assert price(model, "Far", "Over 4.5").cautions == ()
