"""Carrying out declared actions: by their keys, from menus, and from the palette."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from oddsdesk.desk.ui.declared_actions import ACTIONS, BY_IDENT, Action, Where

Act = Callable[[], object]
_TEXT_FIELDS: Final = (QLineEdit, QAbstractSpinBox, QPlainTextEdit)


class Actions(QObject):
    """What can be done at the desk, by ident; those of ``Where.ANYWHERE`` have their keys."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._bound: dict[str, QAction] = {}
        self._refused: dict[str, tuple[str, QAction]] = {}
        """Why actions cannot be carried out, and what their keys do meanwhile."""
        self._closed: dict[Where, str] = {}
        """Why none of a place can be."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def bind(self, ident: str, act: Act) -> QAction:
        """Bind a declared action to a function; its keys work in every window of the desk."""
        declared = BY_IDENT[ident]
        made = QAction(declared.title, self._window)
        if declared.where is Where.ANYWHERE:
            made.setShortcuts([QKeySequence(keys) for keys in declared.keys])
            made.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        made.triggered.connect(lambda _checked=False: act())
        self._window.addAction(made)
        self._bound[ident] = made
        return made

    def register_context(self, where: Where, find_owner: Callable[[], QWidget | None]) -> None:
        """Offer all actions of a place that may have several panels, or none.

        They are carried out in the panel that ``find_owner`` gives.
        """
        for declared in ACTIONS:
            if declared.where is where and declared.is_offered:
                self.bind(declared.ident, partial(_trigger_added, find_owner, declared.ident))

    def enable(self, where: Where, enabled: bool, why: str = "") -> None:
        """Enable or disable the actions of a place; ``why`` it is that they are not."""
        if enabled:
            self._closed.pop(where, None)
        else:
            self._closed[where] = why
        for ident in self._bound:
            if BY_IDENT[ident].where is where:
                self._show(ident)

    def refuse(self, ident: str, why: str, tell: Act) -> None:
        """Grey an action, with ``why`` on its tip; its keys ``tell`` it until it is allowed."""
        self.allow(ident)
        made, told = self._bound[ident], QAction(self._window)
        told.setShortcuts(made.shortcuts())
        told.setShortcutContext(made.shortcutContext())
        told.triggered.connect(lambda _checked=False: tell())
        self._window.addAction(told)
        self._refused[ident] = why, told
        self._show(ident)

    def allow(self, ident: str) -> None:
        """Let an action be carried out again."""
        refused = self._refused.pop(ident, None)
        self._show(ident)
        if refused is not None:
            refused[1].setEnabled(False)
            refused[1].deleteLater()

    def __getitem__(self, ident: str) -> QAction:
        """Return a bound action, for a menu."""
        return self._bound[ident]

    def why_not(self, ident: str) -> str:
        """Return why an action is grey; empty where it is not, or nobody said why."""
        why, _ = self._refused.get(ident, ("", None))
        return why or self._closed.get(BY_IDENT[ident].where, "")

    def trigger(self, ident: str) -> None:
        """Carry an action out, or tell why one that is refused cannot be."""
        _, instead = self._refused.get(ident, ("", self._bound[ident]))
        instead.trigger()

    def offered(self) -> list[Action]:
        """Return the declared actions that are bound and make sense in a list of all."""
        return [a for a in ACTIONS if a.is_offered and a.ident in self._bound]

    def _show(self, ident: str) -> None:
        made = self._bound[ident]
        made.setEnabled(ident not in self._refused and BY_IDENT[ident].where not in self._closed)
        made.setToolTip(self.why_not(ident))

    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        if isinstance(now, _TEXT_FIELDS):
            now.installEventFilter(self)

    # Qt's virtuals

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep text fields from taking the keys of the desk: X11 has Ctrl+E move the cursor."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = event.keyCombination()
            ctrl = Qt.KeyboardModifier.ControlModifier
            if keys.keyboardModifiers() & ctrl and self._is_bound(QKeySequence(keys)):
                event.ignore()
                return True
        return super().eventFilter(watched, event)

    def _is_bound(self, keys: QKeySequence) -> bool:
        return any(
            keys in made.shortcuts() and (made.isEnabled() or ident in self._refused)
            for ident, made in self._bound.items()
            if BY_IDENT[ident].where is Where.ANYWHERE
        )


def add_action(owner: QWidget, ident: str, act: Act) -> QAction:
    """Let the keys of a declared action work while the focus is in ``owner``."""
    declared = BY_IDENT[ident]
    made = QAction(declared.title, owner)
    made.setObjectName(ident)
    made.setShortcuts([QKeySequence(keys) for keys in declared.keys])
    made.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    made.triggered.connect(lambda _checked=False: act())
    owner.addAction(made)
    return made


def _added_actions(owner: QWidget) -> Iterator[QAction]:
    return (made for made in owner.findChildren(QAction) if made.objectName() in BY_IDENT)


def _trigger_added(find_owner: Callable[[], QWidget | None], ident: str) -> None:
    owner = find_owner()
    for made in () if owner is None else _added_actions(owner):
        if made.objectName() == ident:
            made.trigger()


def keys_text(action: Action) -> str:
    """Return the first keys of an action as the system writes them; empty for none."""
    if not action.keys:
        return ""
    return QKeySequence(action.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
