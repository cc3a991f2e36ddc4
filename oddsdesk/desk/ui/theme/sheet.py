"""The style sheet: what the palette cannot express, generated from the tokens.

Widgets ask for a style by their ``variant`` property: ``panel``, ``bar``, ``foot``, ``chip``,
``note``, ``soft``, ``live``, ``value``, ``plain``, ``badge``.

Labels that Qt makes itself, such as a tooltip's, show their text letter by letter: each is polished
before it measures its text, and a tooltip's before it gets one, so none guesses that it is rich.
"""

from string import Template

from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.fonts import Fonts
from oddsdesk.desk.ui.theme.icons import icon_file
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole, Tokens

_TAB = 31
_TAB_LEAST, _TAB_MOST = 112, 290
"""A tab is no wider: long names are elided, and whole in the tooltip."""

_SHEET = Template("""
QMainWindow, QDialog { background: $window; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QSplitter::handle { background: $line; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QDockWidget::title { background: $panel; padding: 6px 12px; text-align: left; }
QFrame[variant="panel"], QWidget[variant="panel"] { background: $panel; border: none; }
QWidget[variant="bar"] { background: $panel; border: none; border-bottom: 1px solid $line; }
QFrame[variant="popup"] { background: $panel; border: 1px solid $line; }
QFrame[variant="popup"] QListWidget { background: $panel; border: none; }
QFrame[variant="popup"] QListWidget::item { height: ${list_row}px; padding: 0 4px; color: $strong; }
QFrame[variant="popup"] QListWidget::item:selected { background: $selected; }
QProgressBar { background: $line; border: none; border-radius: 2px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QWidget[variant="window"] { background: $window; border: none; }
QWidget[variant="foot"] { background: $raised; border: none; border-top: 1px solid $line; }
QLabel { background: transparent; }
QLabel[textFormat="AutoText"], QToolTip { qproperty-textFormat: PlainText; }
QLabel[variant="strong"] { color: $strong; font-weight: 600; }
QLabel[variant="soft"] { color: $soft; }
QLabel[variant="note"] { color: $note; }
QLabel[variant="live"] { color: $live; }
QLabel[variant="value"] { color: $value; }
QLabel[variant="up"] { color: $up; }
QLabel[variant="down"] { color: $down; }
QFrame[variant="rule"] { background: $line; border: none; }
QLabel[variant="badge"] {
    background: $value_ground; color: $value; border-radius: ${radius}px; padding: 2px 8px;
}
QLabel[variant="key"] {
    color: $note; border: 1px solid $line; border-radius: 3px; padding: 0 5px; background: $panel;
}
QListView[variant="floating"] {
    background: $panel; border: 1px solid $handle; border-radius: ${radius}px;
}
QToolBar { background: $panel; border: none; spacing: 0; padding: 0; }

QToolTip { background: $raised; color: $strong; border: 1px solid $line; padding: 5px 7px; }

QLineEdit {
    background: $window; color: $strong; border: 1px solid $line; border-radius: ${radius}px;
    padding: 0 ${step}px; min-height: ${inner}px; selection-background-color: $accent;
    selection-color: $panel;
}
QLineEdit:focus { border-color: $accent; }
QLineEdit > QToolButton { border: none; background: transparent; padding: 0; }

QComboBox, QSpinBox, QDoubleSpinBox {
    background: $window; color: $strong; border: 1px solid $line; border-radius: ${radius}px;
    padding: 0 10px; min-height: ${inner}px; selection-background-color: $accent;
    selection-color: $panel;
}
QSpinBox, QDoubleSpinBox { max-height: ${inner}px; }
QAbstractSpinBox QLineEdit { background: transparent; border: none; padding: 0; min-height: 0; }
QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus { border-color: $accent; }
QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled { color: $ghost; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow, QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {
    image: url("$down_arrow"); width: 10px; height: 10px;
}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {
    image: url("$up_arrow"); width: 10px; height: 10px;
}
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button,
QDoubleSpinBox::down-button { border: none; background: transparent; width: 20px; }
QComboBox QAbstractItemView {
    background: $panel; color: $strong; border: 1px solid $line; padding: 3px;
    selection-background-color: $selected; selection-color: $strong;
}
QCheckBox { spacing: 8px; }
QCheckBox::indicator, QListView::indicator, QTableView::indicator, QTreeView::indicator {
    width: 14px; height: 14px; border: 1px solid $note; border-radius: 3px; background: $window;
}
QCheckBox::indicator:checked, QListView::indicator:checked, QTableView::indicator:checked,
QTreeView::indicator:checked {
    background: $accent; border-color: $accent; image: url("$tick");
}
QCheckBox::indicator:focus { border-color: $accent; }
QPushButton[variant="primary"] { background: $accent; color: $panel; border-color: $accent; }
QPushButton[variant="primary"]:hover { background: $accent; color: $window; }
QPushButton[variant="primary"]:focus { border-color: $strong; }
QPushButton[variant="primary"]:disabled {
    background: transparent; color: $ghost; border-color: $line;
}
QDialog QHeaderView { background: $raised; }
QDialog QHeaderView::section {
    background: $raised; color: $soft; border: none; border-bottom: 1px solid $line;
    padding: 0 ${step}px; height: ${inner}px;
}
QDialog QTreeView, QDialog QTableView {
    background: $panel; border: 1px solid $line; border-radius: ${radius}px;
}
QDialog QTreeView:focus, QDialog QTableView:focus { border-color: $accent; }
QDialog QTableView::item { padding: 0 ${step}px; }
QDialog QTreeView::item { height: ${row}px; padding: 0 4px; color: $strong; }
QDialog QTreeView::item:selected { background: $selected; color: $strong; }

QPushButton, QToolButton[variant="chip"] {
    background: transparent; color: $soft; border: 1px solid $line; border-radius: ${radius}px;
    padding: 0 10px; min-height: ${inner}px;
}
QPushButton:hover, QToolButton[variant="chip"]:hover { color: $strong; background: $raised; }
QPushButton:checked, QToolButton[variant="chip"]:checked, QPushButton:pressed {
    color: $strong; background: $selected; border-color: $selected;
}
QPushButton:focus, QToolButton[variant="chip"]:focus { border-color: $accent; }
QPushButton:disabled, QToolButton[variant="chip"]:disabled { color: $ghost; }
QToolButton[variant="plain"] {
    background: transparent; color: $soft; border: 1px solid transparent;
    border-radius: ${radius}px; padding: 2px 5px;
}
QToolButton[variant="plain"]:hover { background: $raised; color: $strong; }
QToolButton[variant="plain"]:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; }

QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }

QMenu { background: $panel; color: $strong; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 4px 22px 4px 22px; border-radius: 3px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $ghost; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenuBar { background: $window; color: $soft; border-bottom: 1px solid $line; }
QMenuBar::item { padding: 4px 8px; background: transparent; }
QMenuBar::item:selected { background: $raised; color: $strong; }

QTabBar { background: $window; qproperty-drawBase: 0; }
QTabBar::scroller { width: ${scroller}px; }
QTabBar > QToolButton { background: $window; border: none; }
QTabBar > QToolButton::left-arrow { image: url("$left_arrow"); width: 10px; height: 10px; }
QTabBar > QToolButton::right-arrow { image: url("$right_arrow"); width: 10px; height: 10px; }
QTabBar::tab {
    background: $window; color: $soft; padding: 0 14px; min-height: ${tab}px;
    min-width: ${tab_least}px; max-width: ${tab_most}px;
    border: none; border-right: 1px solid $line; border-bottom: 1px solid $line;
    border-top: 2px solid $window;
}
QTabBar::tab:selected {
    background: $panel; color: $strong; border-top-color: $accent; border-bottom-color: $panel;
}
QTabBar::tab:hover:!selected { color: $strong; }
QTabWidget::pane { border: none; background: $panel; }

QStatusBar { background: $panel; color: $soft; border-top: 1px solid $line; }
QStatusBar::item { border: none; }
QAbstractScrollArea { border: none; background: $panel; }
QAbstractScrollArea::corner { background: $panel; }
QTreeView, QListView, QTableView { outline: none; }

QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $handle; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $ghost; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")


def style_sheet(tokens: Tokens, fonts: Fonts) -> str:
    """Return the style sheet of a scheme, what holds text as high as its fonts need."""
    inks = {ink.name.lower(): tokens.ink(ink) for ink in TextRole}
    return _SHEET.substitute(
        inks,
        window=tokens.ground(SurfaceRole.WINDOW),
        panel=tokens.ground(SurfaceRole.PANEL),
        raised=tokens.ground(SurfaceRole.RAISED),
        selected=tokens.ground(SurfaceRole.SELECTED),
        value_ground=tokens.ground(SurfaceRole.VALUE),
        down_arrow=icon_file("chevron-down", tokens.ink(TextRole.SOFT)),
        up_arrow=icon_file("chevron-up", tokens.ink(TextRole.SOFT)),
        left_arrow=icon_file("chevron-left", tokens.ink(TextRole.SOFT)),
        right_arrow=icon_file("chevron-right", tokens.ink(TextRole.SOFT)),
        tick=icon_file("check", tokens.ground(SurfaceRole.PANEL)),
        line=tokens.line,
        handle=tokens.line,
        radius=spacing.RADIUS,
        step=spacing.STEP,
        inner=fonts.scaled(spacing.CONTROL - 2),
        row=fonts.row_height(spacing.ROW),
        list_row=fonts.row_height(spacing.SECTION_ROW),
        tab=fonts.scaled(_TAB),
        scroller=fonts.scaled(2 * spacing.CONTROL),
        tab_least=fonts.scaled(_TAB_LEAST),
        tab_most=fonts.scaled(_TAB_MOST),
    )
