"""The small widgets that panels are made of."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.filter_edit import FilterEdit
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.placeholder import EmptyState, Placeholder
from oddsdesk.desk.ui.controls.scaling import inset
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from tests.kit.layout_requests import LayoutRequests

CHIPS = [("", "All markets"), ("result", "Result"), ("total", "Totals")]


def test_escape_empties_a_filter_and_then_is_left_to_others(theme: Theme, qtbot: QtBot) -> None:
    edit = FilterEdit(theme, "Filter games")
    qtbot.addWidget(edit)
    qtbot.keyClicks(edit, "everton")
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert edit.text() == ""
    assert edit.accessibleName() == "Filter games"


def test_the_first_chip_is_chosen_and_a_click_tells_the_key(qtbot: QtBot) -> None:
    row = ChipRow("Markets")
    qtbot.addWidget(row)
    row.show_chips(CHIPS)
    assert row.current == ""
    with qtbot.waitSignal(row.chosen) as heard:
        row.choose("total")
    assert heard.args == ["total"]
    assert row.current == "total"


def test_a_choice_outlives_other_chips_that_come(qtbot: QtBot) -> None:
    row = ChipRow("Markets")
    qtbot.addWidget(row)
    row.show_chips(CHIPS)
    row.choose("total")
    row.show_chips([*CHIPS, ("half", "1st Half")])
    assert row.current == "total"
    row.show_chips([CHIPS[0], ("half", "1st Half")])
    assert row.current == ""


def test_chips_shown_already_are_not_made_anew(qtbot: QtBot) -> None:
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
    placeholder.say(EmptyState("filter", "No game matches.", action="Clear the filter"))
    button = placeholder.findChild(QPushButton)
    assert button is not None
    assert not button.isHidden()
    with qtbot.waitSignal(placeholder.action_requested):
        button.click()
    placeholder.say(EmptyState("table", "No odds yet."))
    assert button.isHidden()


def test_a_state_that_is_said_again_lays_out_nothing(theme: Theme, qtbot: QtBot) -> None:
    panel, placeholder = QWidget(), Placeholder(theme)
    qtbot.addWidget(panel)
    QVBoxLayout(panel).addWidget(placeholder)
    with qtbot.waitExposed(panel):
        panel.show()
    placeholder.say(EmptyState("table", "No odds yet."))
    requests = LayoutRequests(panel)
    placeholder.say(EmptyState("table", "No odds yet."))
    assert requests.count() == 0
    placeholder.say(EmptyState("table", "No odds yet.", "They show up here by themselves."))
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
    behind.say(EmptyState("table", "No rule has told anything as long as this desk runs."))
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
    bar.say("The service is away: trying again in 8 s.", icon="offline", action="Try now")
    assert not bar.isHidden()
    assert bar.text.startswith("The service is away")
    theme.choose(Scheme.LIGHT)
    close = bar.findChild(QToolButton)
    assert close is not None
    close.click()
    assert bar.isHidden()


def test_a_message_that_passes_waits_for_who_is_at_it(theme: Theme, qtbot: QtBot) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    with qtbot.waitExposed(bar):
        bar.say("Placed.", action="Undo", passes=True)
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
    bar.say("Placed.", passes=True)
    bar.say("It stays.")
    assert not bar._passing.isActive()


def test_a_question_takes_the_keyboard_and_escape_is_no(theme: Theme, qtbot: QtBot) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    answered, closed = [], []
    bar.action_requested.connect(lambda: answered.append(True))
    bar.closed.connect(lambda: closed.append(True))
    with qtbot.waitExposed(bar):
        bar.ask("Delete it?", action="Delete")
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
