"""The time line with its buttons: play, steps, speed, where to go, how much is shown."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from oddsdesk.contract.administration import LogMap
from oddsdesk.desk.timeline.spans import ZOOM_TITLES, Span, Zoom, span_around
from oddsdesk.desk.timeline.strip import TimeStrip
from oddsdesk.desk.ui.controls.menus import MenuButton
from oddsdesk.desk.ui.theme.icons import SIZE
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import HALF, STEP, TextRole

T = TypeVar("T")
SPEEDS: Final = (1, 2, 5, 10, 30, 60, 100)
_ZOOMS: Final = tuple(Zoom)


class TimeLine(QWidget):
    """Wishes of who looks back, and where the desk stands; it decides nothing."""

    span_shown = Signal(object)
    """A ``Span`` of which the log is to be shown."""
    speed_chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._at_ms = 0
        self._ends: tuple[int, int] | None = None
        self._zoom = Zoom.DAY
        self.strip = TimeStrip(theme)
        self.back = self._button("Step back: the move before (Alt+Left)")
        self.play = self._button("")
        self.forward = self._button("Step: the next move (Alt+Right)")
        self.speed = MenuButton("Speed", tells_purpose=False)
        self.places = MenuButton("Go to", tells_purpose=True)
        self.zoom = MenuButton("Time line", tells_purpose=False)
        self.now = self._button("Show what is offered now (Ctrl+Shift+J)")
        self.now.setText("Back to now")
        self.now.setAccessibleName("Back to now")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._lay_out()
        speeds = {speed: f"{speed}×" for speed in SPEEDS}
        self._speeds = self._choices(self.speed, speeds, self.speed_chosen.emit)
        self._zooms = self._choices(self.zoom, ZOOM_TITLES, self._on_zoom_chosen)
        self.strip.zoom_wanted.connect(self._on_strip_zoom_wanted)
        theme.changed.connect(self._restyle)
        self.show_playing(playing=False, speed=1)
        self._show_zoom()
        self._restyle()

    def offer(self, places: list[QAction]) -> None:
        """Offer moments to go to."""
        self.places.menu_shown.addActions(places)

    def show_moment(self, at_ms: int) -> None:
        """Show where the desk stands; the span follows where that is not within."""
        self._at_ms = at_ms
        self.strip.show_moment(at_ms)
        if not self.strip.span.holds(at_ms):
            self._ask_for_span()

    def show_ends(self, ends: tuple[int, int] | None) -> None:
        """Take how far the whole log reaches."""
        is_news, self._ends = self._ends is None, ends
        if is_news and self._zoom is Zoom.ALL:
            self._ask_for_span()

    def show_log(self, log: LogMap) -> None:
        """Show what the log has; of a span that is shown no more, nothing."""
        if Span(log.since, log.until) == self.strip.span:
            self.strip.show_log(log)

    def show_playing(self, *, playing: bool, speed: int) -> None:
        """Show whether the past goes on, and how fast."""
        self._is_playing = playing
        title = "Pause" if playing else "Play"
        self.play.setToolTip(f"{title} (Ctrl+P)")
        self.play.setAccessibleName(title)
        self.play.setIcon(self._theme.icon("pause" if playing else "play", TextRole.STRONG))
        self.speed.show_value(f"{speed}×")
        if speed in self._speeds:
            self._speeds[speed].setChecked(True)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HALF)
        for button in (self.back, self.play, self.forward, self.speed, self.places):
            row.addWidget(button)
        row.addSpacing(HALF)
        row.addWidget(self.strip, 1)
        row.addSpacing(HALF)
        row.addWidget(self.zoom)
        row.addWidget(self.now)
        row.addSpacing(STEP)
        self.setMinimumWidth(0)

    def _button(self, tip: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(":")[0])
        button.setProperty("variant", "plain")
        button.setIconSize(QSize(SIZE, SIZE))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _choices(
        self, button: MenuButton, titles: Mapping[T, str], choose: Callable[[T], object]
    ) -> dict[T, QAction]:
        group, made = QActionGroup(button), dict[T, QAction]()
        for value, title in titles.items():
            action = button.menu_shown.addAction(title)
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, chosen=value: choose(chosen))
            group.addAction(action)
            made[value] = action
        return made

    def _ask_for_span(self) -> None:
        span = span_around(self._at_ms, self._zoom, self._ends)
        self.strip.show_span(span)
        self.span_shown.emit(span)

    def _show_zoom(self) -> None:
        self.zoom.show_value(ZOOM_TITLES[self._zoom])
        self._zooms[self._zoom].setChecked(True)

    def _on_zoom_chosen(self, zoom: Zoom) -> None:
        self._zoom = zoom
        self._show_zoom()
        self._ask_for_span()

    def _on_strip_zoom_wanted(self, step: int) -> None:
        place = _ZOOMS.index(self._zoom) - step
        if 0 <= place < len(_ZOOMS):
            self._on_zoom_chosen(_ZOOMS[place])

    def _restyle(self) -> None:
        self.back.setIcon(self._theme.icon("step-back", TextRole.SOFT))
        self.forward.setIcon(self._theme.icon("step-forward", TextRole.SOFT))
        self.play.setIcon(
            self._theme.icon("pause" if self._is_playing else "play", TextRole.STRONG)
        )
