"""The main window: docks around the tabs of games and the odds grid.

Tab order is set here: Qt's own is the order of creation, which is wrong once docks move or tabs are
added.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QChildEvent, QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QToolBar,
    QWidget,
)

from oddsdesk.base.texts import _, pgettext
from oddsdesk.desk.settings.saved_state import LAYOUT_VERSION, Layout, Saved
from oddsdesk.desk.shell.docks import MOST_ACROSS, MOST_BELOW, Dock, PanelRooms, Place
from oddsdesk.desk.shell.messages import MessageCenter
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.spacing import vertical
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_FIRST_SIZE = (1680, 1020)
_FIRST_SHARE = 90
"""In percent of a large screen, how wide and high the window is at the first start."""
_FRAME, _NO_FRAME = QSize(16, 48), QSize(0, 0)
"""An estimate of the window frame, which is unknown until the window is shown."""
_NAVIGATOR_WIDTH, _NAVIGATOR_SHARE = 244, 14
_VALUES_HEIGHT, _VALUES_SHARE = 250, 36
_EXPLAIN_WIDTH, _EXPLAIN_ACROSS = 334, 17
"""Panel sizes at the first start: a minimum in pixels, and a percentage of a large window."""
_EXPLAIN_SHARE = 62
"""Percentage of the height shared with the history, so that every rule is visible."""
_MOST_SHARE = 30
"""The largest percentage of the window for a panel at the first start."""
_ROOMY = 1_400
"""From this width on, panels on the right leave enough room for a matrix at the first start."""
_KEPT_AFTER_MS = 1_000
"""Delay after a change until the layout is saved."""
PLACES = (
    (pgettext("move a panel", "Left"), Qt.DockWidgetArea.LeftDockWidgetArea),
    (pgettext("move a panel", "Right"), Qt.DockWidgetArea.RightDockWidgetArea),
    (pgettext("move a panel", "Bottom"), Qt.DockWidgetArea.BottomDockWidgetArea),
    (_("Separate window"), None),
)
"""Where panels can be; None for a separate window."""


class MainWindow(QMainWindow):
    """Arranges the panels without knowing what they show."""

    closed = Signal()
    """The user closed the window; its layout has been saved."""
    visibility_changed = Signal(bool)
    """The window was shown (True), or hidden or minimised (False)."""

    def __init__(self, theme: Theme, layout: Layout) -> None:
        super().__init__()
        self.setWindowTitle("oddsdesk")
        self.setMinimumHeight(1)  # keeps Qt from enlarging the window by itself
        screen = self.screen().availableSize() * (_FIRST_SHARE / 100)
        first = screen.expandedTo(QSize(*_FIRST_SIZE))
        self._resize_within_screen(first.width(), first.height(), _FRAME)
        self.setDockOptions(QMainWindow.DockOption.AnimatedDocks)
        self._layout = layout
        self._folded = Saved(layout, "window/folded", list[str], [])
        self._keep_soon = QTimer(self, singleShot=True, interval=_KEPT_AFTER_MS)
        self._keep_soon.timeout.connect(self._keep)
        self._theme = theme
        self._quits = False
        self.stays_running: Callable[[], bool] = lambda: False
        """Returns whether the program keeps running in the tray after the window is closed."""
        self.menu = QMenu(self)
        self.panels_menu = QMenu(_("Panels"), self)
        """The submenu to show, hide and move panels."""
        self.rooms = PanelRooms(self, self._docked)
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
        self._column = vertical(centre, spacing=0)
        self._column.addWidget(self.tabs, 1)
        self._column.addWidget(bar)
        self.setCentralWidget(centre)

    def show_message(
        self,
        text: str,
        *,
        icon: str = "info",
        ink: TextRole = TextRole.SOFT,
        action: str = "",
        act: Callable[[], object] | None = None,
    ) -> None:
        """Show a message below the tabs, with a button if ``action`` is given."""
        self.messages.show_message(text, icon=icon, ink=ink, action=action, act=act)

    def clear_message(self) -> None:
        """Hide the message."""
        self.messages.clear_message()

    def quit(self) -> None:
        """Close the window and end the program, even if it would keep running in the tray."""
        self._quits = True
        self.close()

    def come_back(self) -> None:
        """Show the window in front."""
        self.show()
        self.raise_()
        self.activateWindow()

    def put_notice(self, notice: QWidget) -> None:
        """Add a strip above the tabs, which hides itself."""
        self._column.insertWidget(0, notice)

    def panels(self) -> list[QDockWidget]:
        """Return the docks in the order they were added."""
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
        """Move a panel to a side of the window, or for None to a separate window."""
        dock.setFloating(area is None)
        if area is not None:
            self.addDockWidget(area, dock)
        dock.show()

    def reveal(self, part: QWidget) -> None:
        """Show a panel or a tab without moving the focus."""
        if self.tabs.indexOf(part) >= 0:
            self.tabs.setCurrentWidget(part)
            return
        dock = part.parentWidget()
        assert isinstance(dock, QDockWidget)
        dock.show()
        dock.raise_()

    def put_in_place(self, place: QWidget, panel: QWidget) -> None:
        """Replace a placeholder in a dock or tab by its panel."""
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
        """Focus the next panel, where the tabs count as one."""
        shown = [dock.widget() for dock in self.panels() if self._is_in_front(dock)]
        ring = [self.tabs, *shown]
        now = next((place for place, part in enumerate(ring) if holds_focus(part)), 0)
        part = ring[(now + step) % len(ring)]
        focus_within(self.tabs.currentWidget() if part is self.tabs else part)

    def put_top_bar(self, bar: QWidget) -> None:
        """Add the bar at the top of the window."""
        holder = QToolBar(_("Top bar"), movable=False, floatable=False)
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
        """Add a panel in a dock.

        Args:
            name: Its name in saved layouts.
            title: Its title.
            panel: The panel.
            area: Where it is at first.
            folds_empty: Whether it is hidden until ``empty_panels`` are filled.
            behind: The name of the panel to share a place with, as tabs.
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
        self.panels_menu.addMenu(self._panel_menu(dock))
        if folds_empty:
            self.empty_panels.add_dock(dock)

    def arrangement(self) -> bytes:
        """Return the arrangement of the panels as saved by Qt; folded ones count as open."""
        with self._keeping_size(), self.empty_panels.as_wished():
            return bytes(self.saveState(LAYOUT_VERSION).data())

    def arrange(self, docks: bytes) -> bool:
        """Restore an arrangement; return False if it cannot be read."""
        with self._keeping_size():
            is_read = self.restoreState(docks, LAYOUT_VERSION)
            self.empty_panels.fold_empty()
        return is_read

    def restore_window(self) -> None:
        """Restore the saved geometry and layout, or use the first one."""
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        if self._layout.restore_window(self):
            self._resize_within_screen(self.width(), self.height())
            self.empty_panels.restore_folded(self._folded.get_value())
            return
        self.arrange_first()

    def arrange_first(self) -> None:
        """Arrange the panels as at the first start."""
        for dock, area in self._first_areas.items():
            dock.setFloating(False)
            self._add_dock(dock)
            is_right = area is Qt.DockWidgetArea.RightDockWidgetArea
            dock.setVisible(not is_right or self.width() >= _ROOMY)
        scaled = self._theme.fonts.scaled
        extents = (
            ("navigator", _NAVIGATOR_WIDTH, _NAVIGATOR_SHARE, Qt.Orientation.Horizontal),
            ("values", _VALUES_HEIGHT, _VALUES_SHARE, Qt.Orientation.Vertical),
            ("explain", _EXPLAIN_WIDTH, _EXPLAIN_ACROSS, Qt.Orientation.Horizontal),
        )
        named = {dock.objectName(): dock for dock in self._first_areas}
        for name, extent, large, orientation in extents:
            if name in named:
                is_across = orientation is Qt.Orientation.Horizontal
                window = self.width() if is_across else self.height()
                share = min(scaled(_MOST_SHARE), MOST_ACROSS if is_across else MOST_BELOW)
                most = max(min(extent, window * _MOST_SHARE // 100), window * share // 100)
                wanted = max(min(scaled(extent), most), window * large // 100)
                self.resizeDocks([named[name]], [wanted], orientation)

        right = [named[name] for name in ("explain", "history") if name in named]
        shares = [_EXPLAIN_SHARE, 100 - _EXPLAIN_SHARE][: len(right)]
        heights = [self.height() * share // 100 for share in shares]
        self.resizeDocks(right, heights, Qt.Orientation.Vertical)
        self.empty_panels.fold_empty()

    def _on_place_changed(self) -> None:
        """Save the layout soon, in case the program is killed."""
        if self.isVisible():
            self._keep_soon.start()

    def _keep(self) -> None:
        self._keep_soon.stop()
        self._folded.keep_value(self.empty_panels.folded)
        self._layout.save_window(self)

    def _add_dock(self, dock: QDockWidget) -> None:
        """Put a dock at its first place, as a tab if it has a ``behind``."""
        self.addDockWidget(self._first_areas[dock], dock)
        front = next((d for d in self.panels() if d.objectName() == self._behind[dock]), None)
        if front is not None:
            self.tabifyDockWidget(front, dock)
            front.raise_()

    def _panel_menu(self, dock: QDockWidget) -> QMenu:
        menu = QMenu(dock.windowTitle(), self.panels_menu)
        toggle = dock.toggleViewAction()
        toggle.setText(_("Shown"))
        menu.addAction(toggle)
        menu.addSeparator()
        for title, area in PLACES:
            menu.addAction(title, partial(self.move_panel, dock, area))
        return menu

    def _resize_within_screen(self, width: int, height: int, frame: QSize = _NO_FRAME) -> None:
        room = self.screen().availableSize() - frame
        self.resize(min(width, room.width()), min(height, room.height()))

    def _parts(self) -> list[QWidget]:
        """Return the parts of the window in tab order: top bar, left, middle, bottom, right."""
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

    def _docked(self) -> list[QDockWidget]:
        """Return the docks that are visible in the window."""
        return [d for d in self.panels() if self._is_in_front(d) and not d.isFloating()]

    def _is_in_front(self, dock: QDockWidget) -> bool:
        """Return whether a dock is visible; Qt moves those behind a tab out of the window."""
        return dock.isVisible() and (dock.isFloating() or self.rect().intersects(dock.geometry()))

    def _focus_soon(self, part: Callable[[], QWidget | None]) -> None:
        """Focus a part once the clicked tab is in front."""
        QTimer.singleShot(0, self, lambda: focus_within(part()))

    def _on_dock_tab_clicked(self, bar: QTabBar, index: int) -> None:
        title = bar.tabText(index)
        dock = next((dock for dock in self.panels() if dock.windowTitle() == title), None)
        if dock is not None:
            self._focus_soon(dock.widget)

    @contextmanager
    def _keeping_size(self) -> Iterator[None]:
        """Restore the window's size after the block, in which folded panels may open."""
        size = self.size()
        yield
        layout = self.layout()
        assert layout is not None
        layout.activate()
        if self.size() != size:
            self.resize(size)

    def _ask_height(self) -> None:
        """Let the window be lower than its parts ask for; the largest of them shrink.

        Otherwise a new message could push the bottom of the window off the screen.
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
        if not event.polished():  # otherwise each child becomes a Python object: 10 ms
            return
        bar = event.child()
        if isinstance(bar, QTabBar):  # Qt makes them for tabbed docks
            bar.tabBarClicked.connect(partial(self._on_dock_tab_clicked, bar))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rooms.settle_soon()
        self._on_place_changed()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._on_place_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visibility_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visibility_changed.emit(False)

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
    """Focus a part's table, else its focus proxy, else its first widget in tab order."""
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
    """Return whether a part has the keyboard focus."""
    focus = QApplication.focusWidget()
    return focus is not None and (focus is part or part.isAncestorOf(focus))


def step_focus(parts: Iterable[QWidget], *, forward: bool) -> bool:
    """Focus the next widget in tab order, wrapping around; return False if there is none."""
    stops = [stop for part in parts for stop in stops_of(part)]
    if not stops:
        return False
    focus, step = QApplication.focusWidget(), 1 if forward else -1
    before = -1 if forward else 0
    place = step + (stops.index(focus) if focus in stops else before)
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    stops[place % len(stops)].setFocus(reason)
    return True


def stops_of(part: QWidget) -> list[QWidget]:
    """Return the focusable widgets of a part, line by line from the left."""
    return _as_read([widget for widget in part.findChildren(QWidget) if _is_stop(widget, part)])


def _is_stop(widget: QWidget, part: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.isVisible()
        and widget.isEnabled()
        and widget.focusProxy() is None
        and widget.window() is part.window()
    )


def _as_read(widgets: Sequence[QWidget]) -> list[QWidget]:
    lines: list[list[tuple[int, QWidget]]] = []
    bottom = 0
    placed = [(widget.mapTo(widget.window(), QPoint(0, 0)), widget) for widget in widgets]
    for corner, widget in sorted(placed, key=lambda one: (one[0].y(), one[0].x())):
        if not lines or corner.y() >= bottom:
            lines.append([])
            bottom = corner.y() + widget.height()
        bottom = min(bottom, corner.y() + widget.height())
        lines[-1].append((corner.x(), widget))
    return [widget for line in lines for _, widget in sorted(line, key=lambda one: one[0])]


class EmptyPanels(QObject):
    """Hides ("folds") empty docks until there is something to show.

    Docks that the user closed or opened stay so. A folded dock counts as open in saved layouts.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._docks: list[QDockWidget] = []
        self._folded: set[QDockWidget] = set()
        self._is_empty = True
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._unfold)

    @property
    def is_waiting(self) -> bool:
        """Whether docks will unfold soon."""
        return self._soon.isActive()

    def add_dock(self, dock: QDockWidget) -> None:
        """Fold this dock whenever it is empty."""
        self._docks.append(dock)
        dock.visibilityChanged.connect(lambda shown: self._on_dock_shown(dock, shown))

    @property
    def folded(self) -> list[str]:
        """The names of the folded docks."""
        return sorted(dock.objectName() for dock in self._folded)

    def restore_folded(self, folded: list[str]) -> None:
        """Fold empty docks, and treat hidden ones that were folded before as folded."""
        self.fold_empty()
        again = {dock for dock in self._docks if dock.isHidden() and dock.objectName() in folded}
        if self._is_empty:
            self._folded |= again

    def fold_empty(self) -> None:
        """Fold open, empty docks; closed ones were closed by the user."""
        is_empty = self._is_empty
        self._folded = {dock for dock in self._docks if is_empty and not dock.isHidden()}
        for dock in self._folded:
            dock.hide()

    def fill(self) -> None:
        """Unfold the docks, as there is something to show.

        A short delay keeps the second click of a double click on the same cell.
        """
        if self._is_empty:
            self._is_empty = False
            self._soon.start(QApplication.doubleClickInterval())

    def empty(self) -> None:
        """Fold the docks, as there is nothing to show."""
        self._soon.stop()
        if not self._is_empty:
            self._is_empty = True
            self.fold_empty()

    @contextmanager
    def as_wished(self) -> Iterator[None]:
        """Within the block, show folded docks."""
        folded = self._folded
        for dock in folded:
            dock.show()
        yield
        for dock in folded:
            dock.hide()
        self._folded = folded

    def _unfold(self) -> None:
        for dock in tuple(self._folded):
            dock.show()
        self._folded = set()

    def _on_dock_shown(self, dock: QDockWidget, shown: bool) -> None:
        if shown:
            self._folded = self._folded - {dock}
