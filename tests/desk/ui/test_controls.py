"""The small widgets that panels are made of."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QToolButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.controls.buttons import ChipRow, ChoiceButton, MenuButton
from oddsdesk.desk.ui.controls.fields import ChoiceBox, FilterEdit
from oddsdesk.desk.ui.controls.form_dialog import plain_table
from oddsdesk.desk.ui.controls.labels import WrappedLabel
from oddsdesk.desk.ui.controls.messages import EmptyState, MessageBar, Placeholder
from oddsdesk.desk.ui.theme.theme import Scheme, Theme, inset
from tests.kit.layout_requests import LayoutRequests

CHIPS = [("", "All markets"), ("result", "Result"), ("total", "Totals")]


def test_escape_empties_a_filter_and_then_is_left_to_others(theme: Theme, qtbot: QtBot) -> None:
    edit = FilterEdit(theme, "Filter games")
    qtbot.addWidget(edit)
    qtbot.keyClicks(edit, "everton")
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert edit.text() == ""
    assert edit.accessibleName() == "Filter games"


def test_a_typed_name_is_not_completed_to_another_one(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    box, after = ChoiceBox(editable=True), QLineEdit()
    box.addItems(["Betfair Exchange AU", "Betfair Sportsbook"])
    box.setCurrentText("")
    column = QVBoxLayout(page)
    column.addWidget(box)
    column.addWidget(after)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    qtbot.keyClicks(box, "Betfair Exchange")
    assert box.currentText() == "Betfair Exchange"
    choices = box.completer().popup()
    assert choices.isVisible()
    qtbot.keyClick(choices, Qt.Key.Key_Tab)
    qtbot.waitUntil(after.hasFocus)
    assert box.currentText() == "Betfair Exchange"
    box.setFocus()
    box.lineEdit().clear()
    qtbot.keyClicks(box, "betf")
    qtbot.keyClick(choices, Qt.Key.Key_Down)
    qtbot.keyClick(choices, Qt.Key.Key_Return)
    assert box.currentText() == "Betfair Exchange AU", "one that is chosen in the list"


def test_the_first_chip_is_chosen_and_a_click_tells_the_key(qtbot: QtBot) -> None:
    row = ChipRow("Markets")
    qtbot.addWidget(row)
    row.show_chips(CHIPS)
    assert row.chosen_chip == ""
    with qtbot.waitSignal(row.chosen) as heard:
        row.choose_chip("total")
    assert heard.args == ["total"]
    assert row.chosen_chip == "total"


def test_a_choice_outlives_other_chips_that_come(qtbot: QtBot) -> None:
    row = ChipRow("Markets")
    qtbot.addWidget(row)
    row.show_chips(CHIPS)
    row.choose_chip("total")
    row.show_chips([*CHIPS, ("half", "1st Half")])
    assert row.chosen_chip == "total"
    row.show_chips([CHIPS[0], ("half", "1st Half")])
    assert row.chosen_chip == ""


def test_chips_shown_already_are_not_made_again(qtbot: QtBot) -> None:
    row = ChipRow("Markets")
    qtbot.addWidget(row)
    row.show_chips(CHIPS)
    before = row.findChildren(QToolButton)
    row.show_chips(CHIPS)
    assert row.findChildren(QToolButton) == before


def test_a_placeholder_says_what_to_do_and_hides_the_button_else(
    theme: Theme, qtbot: QtBot
) -> None:
    placeholder = Placeholder(theme)
    qtbot.addWidget(placeholder)
    placeholder.show_state(EmptyState("filter", "No game matches.", action="Clear the filter"))
    button = placeholder.findChild(QPushButton)
    assert button is not None
    assert not button.isHidden()
    with qtbot.waitSignal(placeholder.action_requested):
        button.click()
    placeholder.show_state(EmptyState("table", "No odds yet."))
    assert button.isHidden()


def test_a_state_that_is_said_again_lays_out_nothing(theme: Theme, qtbot: QtBot) -> None:
    panel, placeholder = QWidget(), Placeholder(theme)
    qtbot.addWidget(panel)
    QVBoxLayout(panel).addWidget(placeholder)
    with qtbot.waitExposed(panel):
        panel.show()
    placeholder.show_state(EmptyState("table", "No odds yet."))
    requests = LayoutRequests(panel)
    placeholder.show_state(EmptyState("table", "No odds yet."))
    assert requests.count() == 0
    placeholder.show_state(EmptyState("table", "No odds yet.", "They show up here by themselves."))
    assert requests.count() > 0


def test_a_placeholder_behind_a_tab_asks_for_one_line_until_it_is_seen(
    theme: Theme, qtbot: QtBot
) -> None:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    tabs.addTab(QLabel("in front"), "front")
    behind = Placeholder(theme)
    tabs.addTab(behind, "behind")
    behind.resize(40, 100)  # as docks leave it that were never in front
    behind.show_state(EmptyState("table", "No rule has told anything as long as this desk runs."))
    with qtbot.waitExposed(tabs):
        tabs.show()
    line = behind.minimumSizeHint().height()
    tabs.setCurrentWidget(behind)
    tabs.resize(120, 400)
    qtbot.waitUntil(lambda: behind.minimumSizeHint().height() > line)
    assert tabs.minimumSizeHint().height() > line + tabs.tabBar().height()
    tabs.resize(900, 400)
    qtbot.waitUntil(lambda: behind.minimumSizeHint().height() == line)


def test_a_message_bar_is_there_only_while_it_says_something(theme: Theme, qtbot: QtBot) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    assert bar.isHidden()
    bar.show_message("The service is away: trying again in 8 s.", icon="offline", action="Try now")
    assert not bar.isHidden()
    assert bar.message_text.startswith("The service is away")
    theme.choose_scheme(Scheme.LIGHT)
    close = bar.findChild(QToolButton)
    assert close is not None
    close.click()
    assert bar.isHidden()


def test_a_message_that_passes_waits_for_who_is_at_it(theme: Theme, qtbot: QtBot) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    with qtbot.waitExposed(bar):
        bar.show_message("Placed.", action="Undo", passes=True)
    button = bar.findChild(QPushButton)
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    bar._passing.timeout.emit()
    assert bar.isVisible()
    assert bar._passing.isActive()
    button.clearFocus()
    bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    bar._passing.timeout.emit()
    assert bar.isVisible()
    bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    bar._passing.timeout.emit()
    assert bar.isHidden()
    bar.show_message("Placed.", passes=True)
    bar.show_message("It stays.")
    assert not bar._passing.isActive()


def test_a_question_takes_the_keyboard_and_escape_is_no(theme: Theme, qtbot: QtBot) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    answered, closed = [], []
    bar.action_requested.connect(lambda: answered.append(True))
    bar.closed.connect(lambda: closed.append(True))
    with qtbot.waitExposed(bar):
        bar.ask_question("Delete it?", action="Delete")
    button = bar.findChild(QPushButton)
    assert bar.focusWidget() is button
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert (bar.isHidden(), closed, answered) == (True, [True], [])


def test_fields_of_all_kinds_are_as_high_and_begin_their_texts_in_one_line(
    theme: Theme, qtbot: QtBot
) -> None:
    chooser = QComboBox()
    chooser.addItem("111")
    numbers = inset(QSpinBox(maximum=999, value=111)), inset(QDoubleSpinBox(maximum=999, value=111))
    fields = (QLineEdit("111"), chooser, *numbers)
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    for field in fields:
        column.addWidget(field)
    with qtbot.waitExposed(window):
        window.show()
    assert len({field.height() for field in fields}) == 1
    assert [_begin_of_text(field) for field in fields] == [_begin_of_text(fields[0])] * 4


def _begin_of_text(field: QWidget) -> int:
    """Return how far from the left edge the first pixel in the text's colour is."""
    drawn, middle = field.grab().toImage(), field.height() // 2
    ground = drawn.pixelColor(field.width() // 2, middle)
    rows = range(middle - 4, middle + 4)
    return next(
        x
        for x in range(4, field.width())
        if any(abs(drawn.pixelColor(x, y).lightness() - ground.lightness()) > 80 for y in rows)
    )


def test_a_long_menu_is_searched_and_return_takes_the_first_that_is_found(qtbot: QtBot) -> None:
    button = MenuButton("Sharp book", tells_purpose=True)
    qtbot.addWidget(button)
    chosen: list[str] = []
    menu = button.menu_shown
    names = [f"Bookmaker {number}" for number in range(70)]
    for name in names:
        menu.addAction(name).triggered.connect(
            lambda _checked=False, name=name: chosen.append(name)
        )
    menu.offer_search()
    field = menu.search
    assert field is not None
    menu.popup(QPoint(0, 0))
    qtbot.keyClicks(field, "6 maker")
    shown = [each.text() for each in menu.actions() if each.isVisible() and each.text()]
    assert shown == [name for name in names if "6" in name]
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert menu.isVisible()
    assert field.text() == ""
    qtbot.keyClicks(field, "63")
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert menu.activeAction().text() == "Bookmaker 63"
    qtbot.keyClick(menu, Qt.Key.Key_Backspace)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not menu.isVisible()
    assert chosen == ["Bookmaker 63"]


def test_a_short_menu_has_no_field(qtbot: QtBot) -> None:
    button = MenuButton("Odds format", tells_purpose=False)
    qtbot.addWidget(button)
    button.menu_shown.addAction("Decimal")
    button.menu_shown.offer_search()
    assert button.menu_shown.search is None
    assert len(button.menu_shown.actions()) == 1


def test_space_ticks_a_row_of_a_list_from_any_column(theme: Theme, qtbot: QtBot) -> None:
    table = plain_table(theme, "Rules", {"Rule": 90, "When": 0})
    qtbot.addWidget(table)
    item = QTreeWidgetItem(table, ["Value", "always"])
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(0, Qt.CheckState.Checked)
    for column in (0, 1, 1):
        before = item.checkState(0)
        table.setCurrentItem(item, column)
        qtbot.keyClick(table, Qt.Key.Key_Space)
        assert item.checkState(0) is not before


def test_a_column_of_a_list_grows_with_its_texts(theme: Theme, qtbot: QtBot) -> None:
    table = plain_table(theme, "Keys", {"Plan": 40, "Made": 40, "State": 0})
    qtbot.addWidget(table)
    table.resize(600, 200)
    table.show()
    QTreeWidgetItem(table, ["Pro Live, yearly", "2026-11-29 11:40", "in use"])
    header = table.header()
    for column in (0, 1):
        qtbot.waitUntil(
            lambda column=column: header.sectionSize(column) >= table.sizeHintForColumn(column)
        )


def test_one_of_many_is_chosen_from_a_menu_and_stays_while_it_is_offered(qtbot: QtBot) -> None:
    button = ChoiceButton("Market", ("all", "All"))
    qtbot.addWidget(button)
    assert button.text() == "Market: All ▾"
    markets = [(f"m{number}", f"Match result {number}") for number in range(40)]
    button.offer(markets)
    button.menu_shown.aboutToShow.emit()
    assert button.menu_shown.search is not None
    with qtbot.waitSignal(button.chosen) as heard:
        (action,) = (
            each for each in button.menu_shown.actions() if each.text() == "Match result 7"
        )
        action.trigger()
    assert (heard.args, button.text()) == (["m7"], "Market: Match result 7 ▾")
    button.offer(markets[5:9])
    assert button.chosen_key == "m7"
    button.choose_next()
    button.choose_next()
    assert button.chosen_key == "all"
    button.choose("m6")
    button.offer([])
    assert (button.chosen_key, button.text()) == ("all", "Market: All ▾")


def test_the_keyboard_is_back_where_it_was_once_a_question_is_closed(
    theme: Theme, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    first, second, bar = QLineEdit(), QLineEdit(), MessageBar(theme)
    for each in (first, second, bar):
        column.addWidget(each)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    second.setFocus()
    qtbot.waitUntil(second.hasFocus)
    bar.ask_question("Revoke it?", "Revoke", is_grave=True)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert second.hasFocus()


def test_a_figure_and_its_unit_stay_on_one_line(qtbot: QtBot) -> None:
    label = WrappedLabel()
    qtbot.addWidget(label)
    label.show_text("oooooooo 3 min")
    assert label.text() == "oooooooo 3 min"
    assert label._shown == "oooooooo 3\N{NO-BREAK SPACE}min"
    label.show_text("1/1.94 − 1.5 pp")
    assert label._shown == "1/1.94 − 1.5\N{NO-BREAK SPACE}pp"
