"""The main window: docks around the tabs of games and the odds grid."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QMenu,
    QTabWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.layout import Layout
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.message_bar import MessageBar

_FIRST_SIZE = (1680, 1020)
_NAVIGATOR_WIDTH = 244
_VALUES_HEIGHT = 250
_EXPLAIN_WIDTH = 318


class MainWindow(QMainWindow):
    """Holds panels that were made elsewhere; knows where they stand, not what they show."""

    closed = Signal()
    """The user closed the window; its layout is kept already."""

    def __init__(self, theme: Theme, layout: Layout) -> None:
        super().__init__()
        self.setWindowTitle("oddsdesk")
        self.resize(*_FIRST_SIZE)
        self.setDockOptions(QMainWindow.DockOption.AnimatedDocks)
        self._layout = layout
        self.menu = QMenu(self)
        self._panels_menu = self.menu.addMenu("Panels")
        self.tabs = QTabWidget(documentMode=True, movable=True)
        self._message = MessageBar(theme)
        self._message.action_requested.connect(self._on_message_action_requested)
        self._act: Callable[[], object] | None = None
        centre = QWidget()
        self._column = QVBoxLayout(centre)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.tabs, 1)
        self._column.addWidget(self._message)
        self.setCentralWidget(centre)

    def say(
        self,
        text: str,
        *,
        icon: str = "info",
        ink: Ink = Ink.SOFT,
        action: str = "",
        act: Callable[[], object] | None = None,
    ) -> None:
        """Show one line below the tabs, with a button that does something about it."""
        self._act = act
        self._message.say(text, icon=icon, ink=ink, action=action)

    def fall_silent(self) -> None:
        """Take the line away."""
        self._message.hide()

    def put_notice(self, notice: QWidget) -> None:
        """Set a strip above the tabs that hides itself when it is done with."""
        self._column.insertWidget(0, notice)

    def put_top_bar(self, bar: QWidget) -> None:
        """Set the bar that runs over the whole window."""
        holder = QToolBar("Top bar", movable=False, floatable=False)
        holder.setObjectName("top_bar")
        holder.toggleViewAction().setVisible(False)
        holder.addWidget(bar)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, holder)

    def put_dock(self, name: str, title: str, panel: QWidget, area: Qt.DockWidgetArea) -> None:
        """Set a panel beside the tabs; ``name`` is what its place is kept under."""
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setFeatures(
            QDockWidget.DockWidgetFeature.DockWidgetClosable
            | QDockWidget.DockWidgetFeature.DockWidgetMovable
        )
        dock.setTitleBarWidget(QWidget())
        dock.setWidget(panel)
        self.addDockWidget(area, dock)
        self._panels_menu.addAction(dock.toggleViewAction())

    def add_action(self, title: str, keys: str, act: Callable[[], object]) -> QAction:
        """Offer an action in the menu and by its key."""
        action = QAction(title, self, shortcut=QKeySequence(keys))
        action.triggered.connect(lambda _checked=False: act())
        self.menu.addAction(action)
        return action

    def restore(self) -> None:
        """Take the kept place and layout, or the first one."""
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        if self._layout.restore(self):
            return
        for name, extent, orientation in (
            ("navigator", _NAVIGATOR_WIDTH, Qt.Orientation.Horizontal),
            ("values", _VALUES_HEIGHT, Qt.Orientation.Vertical),
            ("explain", _EXPLAIN_WIDTH, Qt.Orientation.Horizontal),
        ):
            dock = self.findChild(QDockWidget, name)
            if dock is not None:
                self.resizeDocks([dock], [extent], orientation)

    def _on_message_action_requested(self) -> None:
        act, self._act = self._act, None
        self._message.hide()
        if act is not None:
            act()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._layout.save(self)
        event.accept()
        self.closed.emit()
