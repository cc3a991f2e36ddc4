"""What the matrix model shows of a price: best, value, suspicious, moved, old, withdrawn."""

from typing import Any

from pytestqt.qtbot import QtBot

from oddsdesk.board.model.basis import CONSENSUS
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.desk.matrix.layout import (
    BEST,
    BEST_OF_ALL,
    DOUBTED,
    FAIR,
    REFERENCE,
    SELECTION,
    WINDOW,
)
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.matrix.panel import MatrixPanel, table_of_matrix
from oddsdesk.desk.ui.formatting import least_text, local_time
from oddsdesk.desk.ui.table.live_model import Span
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole
from oddsdesk.pricing.profiles import shipped_profiles
from tests.kit.matrix import cell_of, column_of, row_of, texts


def test_the_best_price_of_a_row_is_marked(model: MatrixModel) -> None:
    best = cell_of(model, "Draw", "Matchbook")
    assert (best.ground, best.ink, best.is_strong) == (SurfaceRole.BEST, TextRole.BEST, True)
    assert cell_of(model, "Draw", "Bovada").ground is SurfaceRole.PANEL
    assert cell_of(model, "Draw", "Betsson").text == "·"


def test_a_price_within_the_window_is_value_above_it_is_not(
    model: MatrixModel, quoted: Any
) -> None:
    quoted.tell("Bovada", "moneyline", "Everton", 3.60)
    model.flush_touched()
    value = cell_of(model, "Everton", "Bovada")
    assert (value.ground, value.ink, value.is_strong) == (SurfaceRole.VALUE, TextRole.VALUE, True)
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 9.00)
    model.flush_touched()
    suspicious = cell_of(model, "Everton", "Bovada")
    assert (suspicious.text, suspicious.ground) == ("? 9.00", SurfaceRole.PANEL)
    assert model.cell(row_of(model, "Everton"), BEST).note != "Bovada"
    tip = model.tip(row_of(model, "Everton"), column_of(model, "Bovada"))
    assert "no value: likely error, far above fair" in tip


def test_a_price_that_no_bookmaker_means_is_marked_without_any_reference(
    model: MatrixModel, quoted: Any
) -> None:
    quoted.clock.now += 1_000
    for bookmaker, odds in (("Bovada", 1000.0), ("Matchbook", 3.4)):
        quoted.tell(bookmaker, "moneyline", "Everton", odds, period=1)
    model.flush_touched()
    row = texts(model).index("Everton", row_of(model, "Everton") + 1)
    far = model.cell(row, column_of(model, "Bovada"))
    assert (far.text, far.ink) == ("? 1000", TextRole.NOTE)
    assert model.cell(row, BEST).note == "Unibet"
    assert "no value: placeholder, not a real price" in model.tip(row, column_of(model, "Bovada"))


def test_the_best_price_stands_in_a_frozen_column_with_who_offers_it(
    model: MatrixModel, quoted: Any
) -> None:
    row = row_of(model, "Draw")
    best = model.cell(row, BEST)
    assert (best.text, best.note, best.is_strong) == ("3.40", "Matchbook", True)
    assert model.shown_price(row, BEST) == model.shown_price(row, column_of(model, "Matchbook"))
    assert model.price_key(row, BEST) == model.price_key(row, column_of(model, "Matchbook"))
    quoted.tell("Bovada", "moneyline", "Draw", 3.40)
    model.flush_touched()
    assert model.cell(row, BEST).note == "Bovada +1"
    assert "the same at Matchbook" in model.tip(row, BEST)
    assert model.best_columns(row) == [column_of(model, name) for name in ("Bovada", "Matchbook")]
    quoted.tell("Matchbook", "moneyline", "Draw", 3.60)
    quoted.tell("Matchbook", "moneyline", "Liverpool", 2.25)
    model.flush_touched()
    assert (model.cell(row, BEST).text, model.cell(row, BEST).ink) == ("3.60", TextRole.VALUE)


def test_the_best_price_says_what_it_pays_net_as_the_hold_beside_it_counts(
    model: MatrixModel, quoted: Any
) -> None:
    quoted.board.set_profiles(shipped_profiles())
    model.flush_touched()
    best = model.cell(row_of(model, "Draw"), BEST)
    assert (best.text, best.note) == ("3.40", "3.35 Matchbook")  # 2 % of 2.40


def test_the_window_of_a_consensus_tells_by_which_the_best_price_is_judged(
    model: MatrixModel, quoted: Any
) -> None:
    """D60: its own vote is left out, as in Explain, so a price between both is no contradiction."""
    quoted.board.choose_reference(CONSENSUS)
    model.flush_touched()
    row = row_of(model, "Over 2.5")
    whole, own_window = model.tip(row, WINDOW).splitlines()
    key = model.price_key(row, BEST)
    assert key is not None
    said = explain(quoted.board, key, quoted.clock.now)
    assert said is not None
    assert said.window is not None
    own = f"value from {least_text(said.window.least)},"
    assert own_window.startswith(f"Matchbook, by the votes of the others: {own}")
    assert own not in whole.lower()
    few = "Matchbook: too few other votes to value its price"
    assert model.tip(row_of(model, "Draw"), WINDOW).splitlines()[1] == few


def test_a_price_in_play_is_no_value_against_a_reference_from_before_the_game(
    model: MatrixModel, quoted: Any
) -> None:
    quoted.tell("Bovada", "moneyline", "Everton", 3.60, is_live=True)
    model.flush_touched()
    row, column = row_of(model, "Everton"), column_of(model, "Bovada")
    assert model.cell(row, column).ground is not SurfaceRole.VALUE
    assert "no value: in play at only one of the two" in model.tip(row, column)
    quoted.tell("Pinnacle", "moneyline", "Draw", 3.36, is_live=True)
    model.flush_touched()
    assert model.cell(row, column).ground is SurfaceRole.VALUE
    assert "no value" not in model.tip(row, column)


def test_a_move_flashes_from_when_it_was_heard_and_its_arrow_ages(
    model: MatrixModel, quoted: Any
) -> None:
    quoted.clock.now += 5_000
    heard = quoted.clock.now
    quoted.tell("Bovada", "total", "Over 2.5", 1.85)
    moved = cell_of(model, "Over 2.5", "Bovada")
    assert (moved.text, moved.flash, moved.flashes_from) == ("1.85", -1, heard)
    assert (moved.arrow, moved.arrow_is_pale) == (-1, False)
    quoted.clock.now += 61_000
    aged = cell_of(model, "Over 2.5", "Bovada")
    assert (aged.arrow, aged.arrow_is_pale) == (-1, True)
    quoted.clock.now += 600_000
    assert cell_of(model, "Over 2.5", "Bovada").arrow == 0


def test_a_move_that_is_read_again_flashes_no_second_time(model: MatrixModel, quoted: Any) -> None:
    quoted.clock.now += 5_000
    heard = quoted.clock.now
    quoted.tell("Bovada", "total", "Over 2.5", 1.85)
    quoted.clock.now += 5_000
    quoted.tell("Bovada", "total", "Over 2.5", 1.85)
    again = cell_of(model, "Over 2.5", "Bovada")
    assert (again.flash, again.flashes_from, again.arrow) == (-1, heard, -1)


def test_a_better_price_takes_the_mark_from_the_one_before(model: MatrixModel, quoted: Any) -> None:
    quoted.tell("Betsson", "total", "Over 2.5", 1.95)
    model.flush_touched()
    assert cell_of(model, "Over 2.5", "Matchbook").ground is SurfaceRole.BEST
    quoted.clock.now += 1_000
    quoted.tell("Betsson", "total", "Over 2.5", 2.01)
    model.flush_touched()
    assert cell_of(model, "Over 2.5", "Matchbook").ground is SurfaceRole.PANEL
    assert cell_of(model, "Over 2.5", "Betsson").ground is SurfaceRole.BEST


def test_what_moves_oftener_than_it_is_shown_is_shown_as_it_is_at_the_flush(
    model: MatrixModel, quoted: Any
) -> None:
    shown = cell_of(model, "Over 2.5", "Betsson")
    for odds in (1.95, 1.96, 1.97):
        quoted.tell("Betsson", "total", "Over 2.5", odds)
        assert cell_of(model, "Over 2.5", "Betsson") == shown
    model.flush_touched()
    row, column = row_of(model, "Over 2.5"), column_of(model, "Betsson")
    assert model.cell(row, column).text == "1.97"
    assert [span for span in model.dirty_spans if (span.top, span.left) == (row, column)] == [
        Span(row, column, row, column)
    ]


def test_a_move_of_the_reference_moves_fair_odds_and_window(
    model: MatrixModel, quoted: Any
) -> None:
    row = row_of(model, "Over 2.5")
    before = [model.cell(row, column).text for column in (FAIR, WINDOW)]
    quoted.clock.now += 1_000
    quoted.tell("Pinnacle", "total", "Under 2.5", 1.90)
    model.flush_touched()
    after = [model.cell(row, column).text for column in (FAIR, WINDOW)]
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_dead_price_is_not_marked_best(model: MatrixModel, quoted: Any) -> None:
    quoted.clock.now += 11 * 60_000
    assert cell_of(model, "Over 2.5", "Matchbook").ground is SurfaceRole.PANEL


def test_a_price_pales_with_age_and_is_struck_through_when_dead(
    model: MatrixModel, quoted: Any
) -> None:
    def look() -> tuple[TextRole, bool]:
        cell = cell_of(model, "Draw", "Bovada")
        return cell.ink, cell.is_struck

    seen = [look()]
    for age_s in (90, 300, 700):
        quoted.clock.now = quoted.clock.now - quoted.clock.now % 1_000 + age_s * 1_000
        seen.append(look())
    assert seen[0] == (TextRole.STRONG, False)
    assert seen[-1] == (TextRole.NOTE, True)
    assert [ink for ink, _ in seen] == sorted(ink for ink, _ in seen)
    assert len({ink for ink, _ in seen}) == 3


def test_fair_odds_and_window_recede_with_the_reference_price_that_they_rest_on(
    model: MatrixModel, quoted: Any
) -> None:
    row = row_of(model, "Draw")

    def looks() -> list[tuple[TextRole, bool]]:
        cells = [model.cell(row, column) for column in (REFERENCE, FAIR, WINDOW)]
        return [(cell.ink, cell.is_struck) for cell in cells]

    secondary = TextRole.SOFT, False  # they never stand out more than that
    assert looks() == [(TextRole.STRONG, False), secondary, secondary]
    for age_s, is_dead in ((300, False), (700, True)):
        quoted.clock.now = quoted.clock.now - quoted.clock.now % 1_000 + age_s * 1_000
        assert looks() == [(TextRole.NOTE, is_dead)] * 3
    quoted.board.choose_reference(CONSENSUS)  # which has no price of its own
    model.flush_touched()
    assert looks()[1:] == [secondary, secondary]


def test_a_withdrawn_price_stays_struck_through(model: MatrixModel, quoted: Any) -> None:
    quoted.quote("total", {"Over 2.5": {"Pinnacle": 1.94}, "Under 2.5": {"Pinnacle": 1.94}})
    quoted.clock.now += 1_000
    quoted.load()
    model.flush_touched()
    gone = cell_of(model, "Over 2.5", "Bovada")
    assert (gone.text, gone.is_struck, gone.ground) == ("1.91", True, SurfaceRole.PANEL)
    assert "no longer offered since" in model.tip(
        row_of(model, "Over 2.5"), column_of(model, "Bovada")
    )


def test_the_tooltip_has_both_clocks(model: MatrixModel, quoted: Any) -> None:
    moved = quoted.clock.now
    quoted.clock.now += 41 * 60_000
    quoted.load()
    seen = quoted.clock.now
    quoted.clock.now += 12_000
    model.flush_touched()
    tip = model.tip(row_of(model, "Draw"), column_of(model, "Bovada"))
    since, at = (f"{local_time(each):%H:%M:%S}" for each in (moved, seen))
    assert f"seen at {at}, no move seen since {since}" in tip
    quoted.clock.now += 20_000
    again = model.tip(row_of(model, "Draw"), column_of(model, "Bovada"))
    assert again.splitlines()[0] == tip.splitlines()[0]
    assert f"seen at {at}" in again, "a tooltip is written once: an age in it would stand still"
    quoted.tell("Bovada", "moneyline", "Draw", 3.4)
    model.flush_touched()
    at = f"{local_time(quoted.clock.now):%H:%M:%S}"
    moved_tip = model.tip(row_of(model, "Draw"), column_of(model, "Bovada"))
    assert f"seen at {at}, unchanged since {at}" in moved_tip
    assert tip.startswith("Bovada: 3.30 for Draw")


def test_a_cell_knows_its_price_and_link(model: MatrixModel) -> None:
    price = model.shown_price(row_of(model, "Draw"), column_of(model, "Bovada"))
    assert price is not None
    assert price.url == "https://bovada.example/Draw"
    assert model.shown_price(0, column_of(model, "Bovada")) is None
    assert model.shown_price(1, SELECTION) is None


def test_a_price_that_is_too_good_stands_beside_the_best_with_its_mark(
    panel: MatrixPanel, model: MatrixModel, quoted: Any, qtbot: QtBot
) -> None:
    """Best said 2.00 and nothing of 2.60."""
    assert model.is_hidden(DOUBTED)
    quoted.board.want_values(True)
    quoted.tell("Betsson", "total", "Over 2.5", 2.60)
    shown = panel.table.model
    for each in (model, shown):
        each.flush_touched()
        row = row_of(each, "Over 2.5")
        assert (each.cell(row, BEST).text, each.cell(row, DOUBTED).text) == ("2.00", "? 2.60")
        assert "doubtful: 2.60 at Betsson" in each.tip(row, BEST)
        assert not each.is_hidden(DOUBTED)
    for width in (1_118, 620, 460):
        panel.resize(width, 600)
        qtbot.waitUntil(lambda: panel.table.frozen.columnWidth(DOUBTED) > 0)


def test_best_is_named_as_that_of_the_users_bookmakers_and_that_of_all(
    model: MatrixModel, quoted: Any, qtbot: QtBot
) -> None:
    row = row_of(model, "Draw")
    assert (model.header(BEST).note, model.is_hidden(BEST_OF_ALL)) == ("of all", True)
    with qtbot.waitSignal(model.columns_shown):
        quoted.board.set_bookmakers(("Bovada",))
        model.flush_touched()
    assert (model.header(BEST).note, model.is_hidden(BEST_OF_ALL)) == ("of mine", False)
    assert model.header(BEST_OF_ALL).note == "of all"
    cells = [
        (cell.text, cell.note) for cell in (model.cell(row, BEST), model.cell(row, BEST_OF_ALL))
    ]
    assert cells == [("3.30", "Bovada"), ("3.40", "Matchbook")]
    assert model.name_at(row, BEST_OF_ALL) == "Matchbook"
    assert "best of all: 3.40 at Matchbook" in model.tip(row, BEST)
    assert "best price of your bookmakers" in model.tip(row, column_of(model, "Bovada"))


def test_an_export_has_the_best_of_all_the_best_of_mine_and_what_is_doubted(quoted: Any) -> None:
    quoted.tell("Betsson", "total", "Over 2.5", 2.60)
    quoted.board.set_bookmakers(("Bovada",))
    table = table_of_matrix(quoted.board.matrix(quoted.id), (), quoted.board.basis)
    keys = [column.key for column in table.columns]
    (over,) = (row for row in table.rows if "Over 2.5" in row)
    told = dict(zip(keys, over, strict=True))
    assert (told["best_net_odds"], told["best_at"]) == (2.00, "Matchbook")
    assert (told["best_of_mine_net_odds"], told["best_of_mine_at"]) == (1.91, "Bovada")
    assert (told["doubted_odds"], told["doubted_at"]) == (2.60, "Betsson")
    assert told["doubted_because"] == "above_window"
