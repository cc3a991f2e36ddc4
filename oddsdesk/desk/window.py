"""The main window: docks around the tabs of games and the odds grid."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QTabWidget, QToolBar, QWidget

from oddsdesk.desk.layout import Layout
from oddsdesk.desk.theme.theme import Scheme, Theme

_FIRST_SIZE = (1680, 1020)
_NAVIGATOR_WIDTH = 244
_VALUES_HEIGHT = 250
_SCHEME_TITLES = {Scheme.SYSTEM: "As the system", Scheme.LIGHT: "Light", Scheme.DARK: "Dark"}


class MainWindow(QMainWindow):
    """Holds panels that were made elsewhere; knows where they stand, not what they show."""

    closed = Signal()
    """The user closed the window; its layout is kept already."""

    def __init__(self, theme: Theme, layout: Layout) -> None:
        super().__init__()
        self.setWindowTitle("oddsdesk")
        self.resize(*_FIRST_SIZE)
        self.setDockOptions(QMainWindow.DockOption.AnimatedDocks)
        self._theme = theme
        self._layout = layout
        self.menu = QMenu(self)
        self._panels_menu = self.menu.addMenu("Panels")
        self._add_scheme_menu()
        self.tabs = QTabWidget(documentMode=True, movable=True)
        self.setCentralWidget(self.tabs)

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
        ):
            dock = self.findChild(QDockWidget, name)
            if dock is not None:
                self.resizeDocks([dock], [extent], orientation)

    def _add_scheme_menu(self) -> None:
        menu = self.menu.addMenu("Colours")
        group = QActionGroup(self)
        for scheme in Scheme:
            action = QAction(_SCHEME_TITLES[scheme], self, checkable=True)
            action.setChecked(scheme is self._theme.scheme)
            action.triggered.connect(lambda _checked=False, s=scheme: self._choose_scheme(s))
            group.addAction(action)
            menu.addAction(action)

    def _choose_scheme(self, scheme: Scheme) -> None:
        self._theme.choose(scheme, colour_blind=self._theme.is_colour_blind)
        self._layout.put("look/scheme", scheme.value)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._layout.save(self)
        event.accept()
        self.closed.emit()
