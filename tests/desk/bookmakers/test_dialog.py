"""The dialog of bookmakers: edited in place, faults said, saved to the user's own file."""

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QMainWindow
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.desk.bookmakers.controller import BookmakersController
from oddsdesk.desk.bookmakers.dialog import COLUMNS, BookmakersDialog, BookmakersModel
from oddsdesk.desk.settings.declared import MINE
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.own_tables import bookmakers_file, known_bookmakers
from oddsdesk.pricing.profiles import SIMULATED, Kind, shipped_profiles

BETFAIR, FOREIGN = "Betfair Exchange UK", "<b>Corner & Shop</b>"
FIELDS = [column.field for column in COLUMNS]


@pytest.fixture
def controller(theme: Theme, preferences: Preferences, window: QMainWindow) -> BookmakersController:
    return BookmakersController(
        theme, preferences, window, lambda: {"betfair_ex_uk", FOREIGN, "Pinnacle"}
    )


@pytest.fixture
def dialog(controller: BookmakersController, window: QMainWindow) -> BookmakersDialog:
    controller.open_dialog()
    return found(window)


def found(window: QMainWindow) -> BookmakersDialog:
    dialog = next(each for each in window.findChildren(BookmakersDialog) if each.isVisible())
    assert isinstance(dialog, BookmakersDialog)
    return dialog


def cell(dialog: BookmakersDialog, name: str, field: str) -> QModelIndex:
    names = [row.profile.name for row in dialog.model.rows]
    return dialog.model.index(names.index(name), FIELDS.index(field))


def edit(dialog: BookmakersDialog, name: str, field: str, text: str) -> None:
    """Type into a cell as a user does."""
    index = cell(dialog, name, field)
    dialog.table.setCurrentIndex(index)
    dialog.table.edit(index)
    editor = dialog.table.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.setText(text)
    dialog.table.commitData(editor)
    dialog.table.closeEditor(editor, dialog.table.itemDelegate().EndEditHint.NoHint)
    editor.setParent(None)


def tick(dialog: BookmakersDialog, name: str) -> None:
    dialog.model.setData(cell(dialog, name, ""), 2, Qt.ItemDataRole.CheckStateRole)


def save(dialog: BookmakersDialog) -> None:
    dialog.save_requested.emit()


def test_every_bookmaker_that_is_known_or_quoted_has_one_row(dialog: BookmakersDialog) -> None:
    names = [row.profile.name for row in dialog.model.rows]
    assert (
        len(names)
        == len(set(names))
        == len([each for each in shipped_profiles().all_profiles() if each.source != SIMULATED]) + 1
    )
    assert "betfair_ex_uk" not in names
    assert cell(dialog, FOREIGN, "name").data() == FOREIGN
    assert cell(dialog, BETFAIR, "commission").data() == "5"
    assert cell(dialog, FOREIGN, "commission").data() == ""
    assert cell(dialog, BETFAIR, "kind").data() == "Exchange"


@pytest.mark.parametrize("width", [900, 1_120, 1_700])
def test_the_longest_name_is_whole_and_the_width_is_used(
    dialog: BookmakersDialog, width: int
) -> None:
    """Names were cut to "Bet..." where the other columns left no room."""
    dialog.resize(width, 640)
    table, place = dialog.table, FIELDS.index("name")
    metrics = table.fontMetrics()
    names = [row.profile.name for row in dialog.model.rows]
    assert table.columnWidth(place) > max(map(metrics.horizontalAdvance, names))
    assert table.horizontalHeader().length() >= table.viewport().width()


def test_what_is_edited_is_saved_and_told(
    dialog: BookmakersDialog, controller: BookmakersController, qtbot: QtBot
) -> None:
    edit(dialog, BETFAIR, "commission", "2")
    edit(dialog, FOREIGN, "limit", "12.5")
    edit(dialog, FOREIGN, "short", "Corner")
    with qtbot.waitSignal(controller.profiles_changed):
        save(dialog)
    assert not dialog.isVisible()
    profiles, problems = known_bookmakers()
    assert problems == []
    assert controller.profiles.all_profiles() == profiles.all_profiles()
    assert profiles.profile_of(BETFAIR).commission == 0.02
    shop = profiles.profile_of(FOREIGN)
    assert (shop.limit, shop.short) == (12.5, "Corner")


def test_figures_have_the_chosen_decimal_mark_and_are_read_with_it(
    dialog: BookmakersDialog, controller: BookmakersController
) -> None:
    choose_numbers(Style(COMMA, is_chosen=True))
    edit(dialog, BETFAIR, "commission", "2,05")
    assert cell(dialog, BETFAIR, "commission").data() == "2,05"
    edit(dialog, FOREIGN, "limit", "1.500")
    assert "1.500 may mean thousands" in cell(dialog, FOREIGN, "limit").data(
        Qt.ItemDataRole.ToolTipRole
    )
    edit(dialog, FOREIGN, "limit", "1.500,50")
    save(dialog)
    profiles, _problems = known_bookmakers()
    assert profiles.profile_of(BETFAIR).commission == pytest.approx(0.0205)
    assert profiles.profile_of(FOREIGN).limit == 1500.5


def test_my_bookmakers_are_those_that_are_ticked(
    dialog: BookmakersDialog, preferences: Preferences
) -> None:
    tick(dialog, BETFAIR)
    tick(dialog, FOREIGN)
    save(dialog)
    assert preferences.get_setting(MINE) == (FOREIGN, BETFAIR)
    assert not bookmakers_file().read_text("utf-8").splitlines()[1:]


def test_all_of_them_ticked_are_all_also_those_that_come_later(
    controller: BookmakersController, window: QMainWindow, preferences: Preferences
) -> None:
    preferences.keep_setting(MINE, (BETFAIR,))
    controller.open_dialog()
    dialog = found(window)
    assert cell(dialog, BETFAIR, "").data(Qt.ItemDataRole.CheckStateRole) is Qt.CheckState.Checked
    dialog.all.click()
    save(dialog)
    assert preferences.get_setting(MINE) == ()


def test_all_and_none_are_of_what_the_filter_shows(dialog: BookmakersDialog) -> None:
    dialog.filter.setText("betfair ex")
    dialog.all.click()
    assert dialog.mine() == tuple(f"Betfair Exchange {region}" for region in ("AU", "EU", "UK"))
    dialog.filter.setText("betfair_ex_uk")
    dialog.none.click()
    assert dialog.mine() == ("Betfair Exchange AU", "Betfair Exchange EU")


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("commission", "100", "expected a percentage from 0 to below 100"),
        ("commission", "five", "expected a percentage from 0 to below 100"),
        ("tax", "-1", "expected a percentage from 0 to below 100"),
        ("limit", "1.500", "1.500 may mean thousands: write them without a point"),
        ("limit", "-5", "expected an amount such as 1500, or nothing"),
        ("limit", "nan", "expected an amount such as 1500, or nothing"),
    ],
)
def test_what_makes_no_sense_stays_as_typed_is_said_and_not_saved(
    dialog: BookmakersDialog, field: str, text: str, said: str
) -> None:
    edit(dialog, BETFAIR, field, text)
    index = cell(dialog, BETFAIR, field)
    assert index.data() == text
    assert said in dialog.fault.text()
    assert dialog.fault.text().startswith(BETFAIR)
    assert said in index.data(Qt.ItemDataRole.ToolTipRole)
    dialog.filter.setText("pinnacle")
    save(dialog)
    assert dialog.isVisible()
    assert not bookmakers_file().exists()
    assert dialog.table.currentIndex() == index
    assert not dialog.table.isRowHidden(index.row())
    edit(dialog, BETFAIR, field, "3")
    assert dialog.fault.text() == ""


def test_one_bookmaker_goes_back_to_what_is_shipped(dialog: BookmakersDialog) -> None:
    edit(dialog, BETFAIR, "commission", "2")
    edit(dialog, BETFAIR, "limit", "much")
    edit(dialog, FOREIGN, "limit", "5")
    dialog.table.setCurrentIndex(cell(dialog, BETFAIR, "code"))
    dialog.restore.click()
    assert cell(dialog, BETFAIR, "commission").data() == "5"
    assert cell(dialog, BETFAIR, "limit").data() == ""
    assert not dialog.restore.isEnabled()
    assert cell(dialog, FOREIGN, "limit").data() == "5"


def test_an_emptied_field_is_the_default_again(dialog: BookmakersDialog) -> None:
    edit(dialog, BETFAIR, "commission", "0")
    assert cell(dialog, BETFAIR, "commission").data() == "0"
    edit(dialog, BETFAIR, "commission", "")
    assert cell(dialog, BETFAIR, "commission").data() == "5"


def test_a_kind_is_chosen(dialog: BookmakersDialog) -> None:
    index = cell(dialog, FOREIGN, "kind")
    dialog.table.edit(index)
    combo = dialog.table.viewport().findChild(QComboBox)
    assert combo is not None
    combo.setCurrentIndex(combo.findText("Exchange"))
    combo.activated.emit(combo.currentIndex())
    assert dialog.model.rows[index.row()].profile.kind is Kind.EXCHANGE


def test_wrong_lines_of_the_file_stand_on_top_until_they_are_saved(
    controller: BookmakersController, window: QMainWindow, qtbot: QtBot
) -> None:
    bookmakers_file().parent.mkdir(parents=True, exist_ok=True)
    bookmakers_file().write_text("name,commission\nSmarkets,200\nMatchbook,1\n")
    controller.open_dialog()
    dialog = found(window)
    assert "bookmakers.csv: line 2: Smarkets: commission '200'" in dialog.problems.text()
    assert dialog.problems.isVisible()
    with qtbot.waitSignal(controller.repaired):
        save(dialog)
    assert "# Smarkets,200" in bookmakers_file().read_text("utf-8").splitlines()
    assert controller.problems == []


def test_a_file_that_cannot_be_replaced_is_said_and_what_was_typed_stays(
    controller: BookmakersController, window: QMainWindow
) -> None:
    bookmakers_file().parent.mkdir(parents=True, exist_ok=True)
    bookmakers_file().write_bytes(b"\xff")
    controller.open_dialog()
    dialog = found(window)
    edit(dialog, BETFAIR, "limit", "5")
    save(dialog)
    assert dialog.isVisible()
    assert "UTF-8" in dialog.trouble.message_text
    dialog.reject()
    assert dialog.isVisible(), "what was typed is asked for"
    dialog.mark_unchanged()
    dialog.reject()


def test_the_model_keeps_qts_rules(theme: Theme, qtmodeltester: ModelTester) -> None:
    shipped = shipped_profiles()
    qtmodeltester.check(BookmakersModel(theme, shipped, shipped, [FOREIGN], [BETFAIR]))


def test_bookmakers_of_the_simulator_are_listed_only_while_they_have_prices(
    theme: Theme, qtbot: QtBot
) -> None:
    shipped = shipped_profiles()
    for quoted in ((), ("Marlin Exchange",)):
        model = BookmakersModel(theme, shipped, shipped, quoted, ())
        names = [model.index(row, 1).data() for row in range(model.rowCount())]
        assert [name for name in names if name in ("Marlin Exchange", "Quayside")] == list(quoted)
        assert "Pinnacle" in names
