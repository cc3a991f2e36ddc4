"""The main window: docks around the tabs of games and the odds grid."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QChildEvent, QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QMoveEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.settings.saved_state import LAYOUT_VERSION, Layout, Saved
from oddsdesk.desk.shell.empty_panels import EmptyPanels
from oddsdesk.desk.shell.late_panels import Place
from oddsdesk.desk.shell.messages import MessageCenter
from oddsdesk.desk.shell.panel_rooms import MOST_BELOW, MOST_BESIDE, Dock, PanelRooms
from oddsdesk.desk.shell.tab_order import step_focus
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_FIRST_SIZE = (1680, 1020)
_FRAME, _NO_FRAME = QSize(16, 48), QSize(0, 0)
"""What a desktop draws around a window, which nobody knows before it is shown."""
_NAVIGATOR_WIDTH = 244
_VALUES_HEIGHT = 250
_EXPLAIN_WIDTH = 334
_EXPLAIN_SHARE = 62
"""In percent of the height beside the history: every rule is in sight without scrolling."""
_MOST_SHARE = 30
"""In percent of the window, what a panel takes at most at the first start."""
_ROOMY = 1_400
"""From this width on, panels at the right leave a matrix room enough at the first start."""
_KEPT_AFTER_MS = 1_000
"""So long after the last change it is kept where the window and its panels are."""
PLACES = (
    ("Left", Qt.DockWidgetArea.LeftDockWidgetArea),
    ("Right", Qt.DockWidgetArea.RightDockWidgetArea),
    ("Bottom", Qt.DockWidgetArea.BottomDockWidgetArea),
    ("In a window of its own", None),
)
"""Where a panel may stand."""


class MainWindow(QMainWindow):
    """Holds panels that were made elsewhere; knows where they stand, not what they show."""

    closed = Signal()
    """The user closed the window; its layout is kept already."""

    def __init__(self, theme: Theme, layout: Layout) -> None:
        super().__init__()
        self.setWindowTitle("oddsdesk")
        self.setMinimumHeight(1)  # once it is set, Qt does not make the window higher by itself
        self._resize_within_screen(*_FIRST_SIZE, _FRAME)
        self.setDockOptions(QMainWindow.DockOption.AnimatedDocks)
        self._layout = layout
        self._folded = Saved(layout, "window/folded", list[str], [])
        self._keep_soon = QTimer(self, singleShot=True, interval=_KEPT_AFTER_MS)
        self._keep_soon.timeout.connect(self._keep)
        self._theme = theme
        self._quits = False
        self.stays_running: Callable[[], bool] = lambda: False
        """Whether the program goes on in the tray when the user closes the window."""
        self.menu = QMenu(self)
        self._panels_menu = self.menu.addMenu("Panels")
        self._menu_end: QAction | None = None
        self.rooms = PanelRooms(self, self._beside)
        self.rooms.changed.connect(self._on_place_changed)
        self._first_areas: dict[QDockWidget, Qt.DockWidgetArea] = {}
        self._behind: dict[QDockWidget, str] = {}
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.empty_panels = EmptyPanels(self)
        self.tabs = QTabWidget(documentMode=True, movable=True)
        self.tabs.tabBarClicked.connect(lambda _index: self._focus_soon(self.tabs.currentWidget))
        bar = MessageBar(theme)
        self.messages = MessageCenter(bar)
        self._centre = centre = QWidget()
        self._column = QVBoxLayout(centre)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.tabs, 1)
        self._column.addWidget(bar)
        self.setCentralWidget(centre)

    def say(
        self,
        text: str,
        *,
        icon: str = "info",
        ink: TextRole = TextRole.SOFT,
        action: str = "",
        act: Callable[[], object] | None = None,
    ) -> None:
        """Show one line below the tabs, with a button that does something about it."""
        self.messages.say(text, icon=icon, ink=ink, action=action, act=act)

    def clear_message(self) -> None:
        """Take the line away."""
        self.messages.clear_message()

    def quit(self) -> None:
        """Close the window and end the program, wherever it might go on otherwise."""
        self._quits = True
        self.close()

    def come_back(self) -> None:
        """Show the window again, in front."""
        self.show()
        self.raise_()
        self.activateWindow()

    def put_notice(self, notice: QWidget) -> None:
        """Set a strip above the tabs that hides itself when it is done with."""
        self._column.insertWidget(0, notice)

    def end_menu(self, action: QAction) -> None:
        """Put the last action into the menu, apart from the others."""
        self._menu_end = self.menu.addSeparator()
        self.menu.addAction(action)

    def offer_in_menu(self, action: QAction) -> None:
        """Put an action into the menu, above the last one."""
        if self._menu_end is None:
            self.menu.addAction(action)
        else:
            self.menu.insertAction(self._menu_end, action)

    def panels(self) -> list[QDockWidget]:
        """Return the docks, as they were put in."""
        return list(self._first_areas)

    def show_panel(self, dock: QDockWidget) -> None:
        """Show a panel and give it the focus."""
        dock.show()
        dock.raise_()
        panel = dock.widget()
        if isinstance(panel, Place):
            panel = panel.fill()
        panel.setFocus(Qt.FocusReason.OtherFocusReason)
        focus_within(panel)

    def move_panel(self, dock: QDockWidget, area: Qt.DockWidgetArea | None) -> None:
        """Show a panel at another side of the window; None: in a window of its own."""
        dock.setFloating(area is None)
        if area is not None:
            self.addDockWidget(area, dock)
        dock.show()

    def reveal(self, part: QWidget) -> None:
        """Bring a panel or a tab into sight; the focus stays where it is."""
        if self.tabs.indexOf(part) >= 0:
            self.tabs.setCurrentWidget(part)
            return
        dock = part.parentWidget()
        assert isinstance(dock, QDockWidget)
        dock.show()
        dock.raise_()

    def put_in_place(self, place: QWidget, panel: QWidget) -> None:
        """Set a panel where another part of the window stands: in its dock or its tab."""
        index = self.tabs.indexOf(place)
        if index < 0:
            dock = place.parentWidget()
            assert isinstance(dock, QDockWidget)
            dock.setWidget(panel)
            return
        is_in_front = self.tabs.currentIndex() == index
        self.tabs.insertTab(index, panel, self.tabs.tabText(index))
        if is_in_front:
            self.tabs.setCurrentIndex(index)
        self.tabs.removeTab(index + 1)

    def turn_panel(self, step: int) -> None:
        """Give the focus to the next panel, the tabs being one of them."""
        shown = [dock.widget() for dock in self.panels() if self._is_in_front(dock)]
        ring = [self.tabs, *shown]
        now = next((place for place, part in enumerate(ring) if holds_focus(part)), 0)
        part = ring[(now + step) % len(ring)]
        focus_within(self.tabs.currentWidget() if part is self.tabs else part)

    def put_top_bar(self, bar: QWidget) -> None:
        """Set the bar that runs over the whole window."""
        holder = QToolBar("Top bar", movable=False, floatable=False)
        holder.setObjectName("top_bar")
        holder.toggleViewAction().setVisible(False)
        holder.addWidget(bar)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, holder)

    def put_dock(
        self,
        name: str,
        title: str,
        panel: QWidget,
        area: Qt.DockWidgetArea,
        *,
        folds_empty: bool = False,
        behind: str = "",
    ) -> None:
        """Set a panel beside the tabs; ``name`` is what its place is kept under.

        ``folds_empty``: it takes no room before ``empty_panels`` are filled. ``behind``: the name
        of the panel whose room it shares, each with a tab.
        """
        dock = Dock(title, self, self.rooms)
        dock.setObjectName(name)
        dock.setFeatures(
            QDockWidget.DockWidgetFeature.DockWidgetClosable
            | QDockWidget.DockWidgetFeature.DockWidgetMovable
            | QDockWidget.DockWidgetFeature.DockWidgetFloatable
        )
        dock.setTitleBarWidget(QWidget())
        dock.setWidget(panel)
        for changed in (dock.visibilityChanged, dock.dockLocationChanged, dock.topLevelChanged):
            changed.connect(self._on_place_changed)
        self._first_areas[dock] = area
        self._behind[dock] = behind
        self._add_dock(dock)
        self._panels_menu.addMenu(self._panel_menu(dock))
        if folds_empty:
            self.empty_panels.add(dock)

    def arrangement(self) -> bytes:
        """Return where panels stand, as Qt writes it down; folded ones count as open."""
        with self._keeping_size(), self.empty_panels.as_wished():
            return bytes(self.saveState(LAYOUT_VERSION).data())

    def arrange(self, docks: bytes) -> bool:
        """Set panels where an arrangement has them; whether it could be read."""
        with self._keeping_size():
            is_read = self.restoreState(docks, LAYOUT_VERSION)
            self.empty_panels.fold()
        return is_read

    def restore(self) -> None:
        """Take the kept place and layout, or the first one."""
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        if self._layout.restore(self):
            self._resize_within_screen(self.width(), self.height())
            self.empty_panels.restore(self._folded.get())
            return
        self.arrange_first()

    def arrange_first(self) -> None:
        """Set every panel where it stands at the first start."""
        for dock, area in self._first_areas.items():
            dock.setFloating(False)
            self._add_dock(dock)
            is_right = area is Qt.DockWidgetArea.RightDockWidgetArea
            dock.setVisible(not is_right or self.width() >= _ROOMY)
        scaled = self._theme.fonts.scaled
        extents = (
            ("navigator", _NAVIGATOR_WIDTH, Qt.Orientation.Horizontal),
            ("values", _VALUES_HEIGHT, Qt.Orientation.Vertical),
            ("explain", _EXPLAIN_WIDTH, Qt.Orientation.Horizontal),
        )
        named = {dock.objectName(): dock for dock in self._first_areas}
        for name, extent, orientation in extents:
            if name in named:
                is_across = orientation is Qt.Orientation.Horizontal
                window = self.width() if is_across else self.height()
                share = min(scaled(_MOST_SHARE), MOST_BESIDE if is_across else MOST_BELOW)
                most = max(min(extent, window * _MOST_SHARE // 100), window * share // 100)
                wanted = min(scaled(extent), most)
                self.resizeDocks([named[name]], [wanted], orientation)

        right = [named[name] for name in ("explain", "history") if name in named]
        shares = [_EXPLAIN_SHARE, 100 - _EXPLAIN_SHARE][: len(right)]
        heights = [self.height() * share // 100 for share in shares]
        self.resizeDocks(right, heights, Qt.Orientation.Vertical)
        self.empty_panels.fold()

    def _on_place_changed(self) -> None:
        """Keep it soon where the window and its panels are: who is killed says no farewell."""
        if self.isVisible():
            self._keep_soon.start()

    def _keep(self) -> None:
        self._keep_soon.stop()
        self._folded.put(self.empty_panels.folded)
        self._layout.save(self)

    def _add_dock(self, dock: QDockWidget) -> None:
        """Set a dock where it stands at first, behind another one where it is said to."""
        self.addDockWidget(self._first_areas[dock], dock)
        front = next((d for d in self.panels() if d.objectName() == self._behind[dock]), None)
        if front is not None:
            self.tabifyDockWidget(front, dock)
            front.raise_()

    def _panel_menu(self, dock: QDockWidget) -> QMenu:
        menu = QMenu(dock.windowTitle(), self._panels_menu)
        toggle = dock.toggleViewAction()
        toggle.setText("Shown")
        menu.addAction(toggle)
        menu.addSeparator()
        for title, area in PLACES:
            menu.addAction(title, partial(self.move_panel, dock, area))
        return menu

    def _resize_within_screen(self, width: int, height: int, frame: QSize = _NO_FRAME) -> None:
        room = self.screen().availableSize() - frame
        self.resize(min(width, room.width()), min(height, room.height()))

    def _parts(self) -> list[QWidget]:
        """The parts of the window as one looks at them: top bar, left, middle, below, right."""
        areas = Qt.DockWidgetArea
        return [
            *self.findChildren(QToolBar),
            *self._docks_at(areas.LeftDockWidgetArea),
            self._centre,
            *self._docks_at(areas.BottomDockWidgetArea),
            *self._docks_at(areas.RightDockWidgetArea),
            self.statusBar(),
        ]

    def _docks_at(self, area: Qt.DockWidgetArea) -> list[QDockWidget]:
        there = [
            dock
            for dock in self.panels()
            if self.dockWidgetArea(dock) is area
            and not dock.isFloating()
            and self._is_in_front(dock)
        ]
        return sorted(there, key=lambda dock: (dock.y(), dock.x()))

    def _beside(self) -> list[QDockWidget]:
        """Return the docks that are seen in the window."""
        return [d for d in self.panels() if self._is_in_front(d) and not d.isFloating()]

    def _is_in_front(self, dock: QDockWidget) -> bool:
        """Whether a dock is seen: Qt moves one behind another's tab out of the window."""
        return dock.isVisible() and (dock.isFloating() or self.rect().intersects(dock.geometry()))

    def _focus_soon(self, part: Callable[[], QWidget | None]) -> None:
        """Give a part the focus once the tab that was clicked is in front."""
        QTimer.singleShot(0, self, lambda: focus_within(part()))

    def _on_dock_tab_clicked(self, bar: QTabBar, index: int) -> None:
        title = bar.tabText(index)
        dock = next((dock for dock in self.panels() if dock.windowTitle() == title), None)
        if dock is not None:
            self._focus_soon(dock.widget)

    @contextmanager
    def _keeping_size(self) -> Iterator[None]:
        """Have the window as large after the block, in which folded panels that need room open."""
        size = self.size()
        yield
        layout = self.layout()
        assert layout is not None
        layout.activate()
        if self.size() != size:
            self.resize(size)

    def _ask_height(self) -> None:
        """Let nobody make the window lower than its parts need, which may be more than it has.

        It stays as high as it is then, and the largest of them give way: a message that comes
        would else push its foot off the screen.
        """
        layout = self.layout()
        assert layout is not None
        self.setMinimumHeight(max(1, min(layout.totalMinimumSize().height(), self.height())))

    # Qt's virtuals

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._ask_height()
        return handled

    def childEvent(self, event: QChildEvent) -> None:
        super().childEvent(event)
        if not event.polished():  # else each child would become an object of Python's: 10 ms
            return
        bar = event.child()
        if isinstance(bar, QTabBar):  # Qt makes them for docks in one place
            bar.tabBarClicked.connect(partial(self._on_dock_tab_clicked, bar))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rooms.settle_soon()
        self._on_place_changed()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._on_place_changed()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step_focus(self._parts(), forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._keep()
        if self.stays_running() and not self._quits:
            event.ignore()
            self.hide()
            return
        event.accept()
        self.closed.emit()


def focus_within(part: QWidget | None) -> None:
    """Give the focus to a table of a part, else to whom it names, else to the first by Tab."""
    if part is None:
        return
    every = [part, *part.findChildren(QWidget)]
    takers = (w for w in every if w.isVisible() and w.focusPolicy() & Qt.FocusPolicy.TabFocus)
    tables = [widget for widget in every if isinstance(widget, QAbstractItemView)]
    first = next((w for w in tables if w.isVisible() and w.focusProxy() is None), None)
    named = part.focusProxy()
    taker = first or (named if named in every and named.isVisible() else next(takers, None))
    if taker is not None:
        taker.setFocus(Qt.FocusReason.TabFocusReason)


def holds_focus(part: QWidget) -> bool:
    """Say whether the keyboard is anywhere in a part."""
    focus = QApplication.focusWidget()
    return focus is not None and (focus is part or part.isAncestorOf(focus))
