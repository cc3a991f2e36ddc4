"""The command palette: what is typed leads to its game or action, by keyboard alone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.navigation import action_entries
from oddsdesk.desk.shell.palette import Entry, Kind, Palette, Recent, folded_text, matching, score
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.controls.buttons import Popup
from oddsdesk.desk.ui.theme.theme import Theme


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("liv", "Everton v Liverpool"),
        ("everton liv", "Everton v Liverpool"),
        ("mci", "Manchester City v Arsenal"),
        ("etienne", "Saint-Étienne v Nîmes"),
        ("nimes", "Saint-Étienne v Nîmes"),
        ("evertom", "Everton v Liverpool"),
        ("arsneal", "Manchester City v Arsenal"),
        ("dark", "Dark colours"),
    ],
)
def test_what_is_typed_leads_to_its_game_or_action(typed: str, found: str) -> None:
    titles = ("Saint-Étienne v Nîmes", "Manchester City v Arsenal", "Everton v Liverpool")
    entries = [entry(title) for title in titles]
    entries.append(Entry("action dark", Kind.ACTION, "Dark colours", list))
    assert matching(entries, typed, [])[0].title == found


def test_nonsense_finds_nothing() -> None:
    assert matching([entry("Everton v Liverpool")], "qqqxz", []) == []


def test_the_start_of_a_word_beats_its_middle() -> None:
    start, middle = (
        score(("ever",), folded_text("Everton v X")),
        score(("ever",), folded_text("Never v XYZ")),
    )
    assert start is not None
    assert middle is not None
    assert start > middle


def test_what_was_used_last_comes_first() -> None:
    entries = [entry("Everton v Liverpool"), entry("Levante v Sevilla")]
    assert matching(entries, "", ["Levante v Sevilla"])[0].title == "Levante v Sevilla"
    assert matching(entries, "v", ["Levante v Sevilla"])[0].title == "Levante v Sevilla"


def test_what_cannot_be_done_now_is_found_last_with_its_reason() -> None:
    why = "Imports need the built-in server. You are connected to Mine."
    grey = Entry("import", Kind.ACTION, "Import files…", list, note=why, is_grey=True)
    other = Entry("bets", Kind.ACTION, "Import bets from a file…", list)
    assert matching([grey, other], "import", []) == [other, grey]
    assert matching([grey, other], "embedded", []) == []
    assert matching([grey, other], "", []) == [other]


def test_an_action_that_is_refused_is_grey_and_tells_why(window: QMainWindow) -> None:
    actions, done, told = Actions(window), [], []
    actions.bind("server.import", lambda: done.append(True))
    actions.bind("go.palette", list)
    actions.refuse("server.import", "Not here.", lambda: told.append(True))
    (entry,) = action_entries(actions)()
    assert (entry.is_grey, entry.note) == (True, "Not here.")
    entry.run()
    assert (done, told) == ([], [True])
    actions.allow("server.import")
    (entry,) = action_entries(actions)()
    entry.run()
    assert (entry.is_grey, entry.note, done) == (False, "", [True])


def test_the_palette_is_used_by_keyboard_alone_and_gives_the_focus_back(
    theme: Theme, window: QMainWindow, layout: Layout, qtbot: QtBot
) -> None:
    taken: list[str] = []
    recent = Recent(layout)
    entries = [entry("Everton v Liverpool", taken), entry("Levante v Sevilla", taken)]
    palette = Palette(theme, recent, window, [lambda: entries])
    other = QLineEdit()
    body = QWidget(window)
    window.setCentralWidget(body)
    for part in (palette, other):
        part.setParent(body)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    other.setFocus()
    palette.open_palette()
    assert palette.hasFocus()
    qtbot.keyClicks(palette, "v")
    assert palette.list.isVisible()
    first = palette.list.chosen()
    qtbot.keyClick(palette, Qt.Key.Key_Down)
    second = palette.list.chosen()
    assert second is not None
    assert second is not first
    qtbot.keyClick(palette, Qt.Key.Key_Return)
    assert taken == [second.title]
    assert other.hasFocus()
    assert not palette.list.isVisible()
    assert Recent(layout).idents == [second.ident]


def test_the_hint_is_whole_words_before_the_key_however_narrow(
    theme: Theme, window: QMainWindow, layout: Layout, qtbot: QtBot
) -> None:
    palette = Palette(theme, Recent(layout), window, [])
    qtbot.addWidget(palette)
    palette.show()
    hints = []
    for width in (330, 210, palette.minimumWidth()):
        palette.resize(width, palette.height())
        hint = palette.placeholderText()
        left = palette._keys.x() - palette.cursorRect().left()
        assert palette.fontMetrics().horizontalAdvance(hint) <= left
        hints.append(hint)
    assert hints == ["Find a game, a panel, an action…", "Find a game…", "Find…"]
    assert palette.accessibleName() == "Find a game, a panel, an action"


def test_it_takes_the_keyboard_from_an_open_popup(
    theme: Theme, window: QMainWindow, layout: Layout, qtbot: QtBot
) -> None:
    """What is typed after Ctrl+K goes to the palette, not into the popup (F4.6)."""
    palette = Palette(theme, Recent(layout), window, [lambda: [entry("Everton v Liverpool")]])
    button = QLineEdit()
    body = QWidget(window)
    line = QVBoxLayout(body)
    line.addWidget(palette)
    line.addWidget(button)
    window.setCentralWidget(body)
    window.show()
    popup = Popup(button, "Columns")
    field = QLineEdit()
    popup.column.addWidget(field)
    popup.open_below(button)
    field.setFocus()
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is popup)
    palette.open_palette()
    assert QApplication.activePopupWidget() is None
    qtbot.waitUntil(palette.hasFocus)
    qtbot.keyClicks(palette, "eve")
    assert palette.list.isVisible()


def entry(title: str, taken: list[str] | None = None) -> Entry:
    target = [] if taken is None else taken
    return Entry(title, Kind.GAME, title, lambda: target.append(title))
