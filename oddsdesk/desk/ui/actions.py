"""Carrying out declared actions: by their keys, from menus, and from the palette.

A new action is a line here; the panel or ``shell.commands`` that carries it out binds it by
its ident (``ui.actions``).
"""

from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from typing import Final

import msgspec
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QWidget

from oddsdesk.base.texts import _


class Where(Enum):
    """Where an action's keys work; the value is the heading people read."""

    ANYWHERE = _("Anywhere")
    MATRIX = _("In a game")
    TABLES = _("In every table")
    GRID = _("In the odds grid")
    VALUES = _("In the value bets")
    OPPORTUNITIES = _("In the opportunities")
    PROMOTIONS = _("In the promotions")
    BETS = _("In your bets")
    BACKTEST = _("In the backtest")
    SCORECARDS = _("In the scorecards")
    RESULTS = _("In the results")
    EXPLAIN = _("In the explanation")
    HISTORY = _("In the history")
    NAVIGATOR = _("In the navigator")
    PALETTE = _("In the command palette")


class Action(msgspec.Struct, frozen=True):
    """Something the user can do; ``keys`` are Qt's portable texts, the first is the one shown."""

    ident: str
    title: str
    keys: tuple[str, ...] = ()
    where: Where = Where.ANYWHERE
    is_offered: bool = True
    """Whether the palette offers it; not what only moves within a table."""
    is_of_now: bool = False
    """Whether it is about what is offered now: it cannot be done while one looks back."""


def _only_key(ident: str, title: str, where: Where, *keys: str) -> Action:
    return Action(ident, title, keys, where, is_offered=False)


ACTIONS: Final = (
    Action("go.palette", _("Go to a game, panel or action"), ("Ctrl+K",)),
    Action("go.filter", _("Filter games"), ("Ctrl+F",)),
    Action("go.favourites", _("Show favourites only or all games"), ("Ctrl+Shift+F",)),
    Action("past.day", _("Past day: closing view…"), ("Ctrl+J",)),
    Action("past.now", _("Back to now"), ("Ctrl+Shift+J",)),
    Action("past.play", _("Play or pause the past"), ("Ctrl+P",)),
    Action("past.back", _("Step back to the previous move"), ("Alt+Left",)),
    Action("past.forward", _("Step to the next move"), ("Alt+Right",)),
    Action("past.faster", _("Play the past faster"), ("Alt+Up",)),
    Action("past.slower", _("Play the past slower"), ("Alt+Down",)),
    Action("past.kick_off", _("Go to kick-off"), ("Alt+Home",)),
    Action("past.largest", _("Go to the largest move of the game"), ("Alt+PgUp",)),
    Action("past.newest", _("Go to the newest price in the log"), ("Alt+End",)),
    Action("past.line", _("Timeline of the past"), ("Ctrl+Shift+P",)),
    Action("go.grid", _("Odds grid"), ("Ctrl+G",)),
    Action("go.bets", _("Bets"), ("Ctrl+L",)),
    Action("go.backtest", _("Backtest"), ("Ctrl+T",)),
    Action("go.scorecards", _("Scorecards"), ("Ctrl+Shift+B",)),
    Action("go.results", _("Results"), ("Ctrl+Shift+R",)),
    Action("go.next_tab", _("Next tab"), ("Ctrl+Tab", "Ctrl+PgDown")),
    Action("go.previous_tab", _("Previous tab"), ("Ctrl+Shift+Tab", "Ctrl+PgUp")),
    Action("go.next_panel", _("Next panel"), ("F6",)),
    Action("go.previous_panel", _("Previous panel"), ("Shift+F6",)),
    Action("game.favourite", _("Add or remove this game as favourite"), ("Ctrl+D",)),
    Action("game.detach", _("Move the game to its own window, or back"), ("Ctrl+Shift+D",)),
    Action("game.close", _("Close game"), ("Ctrl+W",)),
    Action("view.full_screen", _("Toggle full screen"), ("F11",)),
    Action("view.larger", _("Larger text"), ("Ctrl++", "Ctrl+=")),
    Action("view.smaller", _("Smaller text"), ("Ctrl+-",)),
    Action("view.normal", _("Normal text size"), ("Ctrl+0",)),
    Action("view.system", _("System colours")),
    Action("view.light", _("Light colours")),
    Action("view.dark", _("Dark colours")),
    Action("view.colour_blind", _("Toggle blue and orange instead of green and red")),
    Action("connection.new", _("New connection…"), ("Ctrl+N",)),
    Action("connection.edit", _("Edit connections…"), ("Ctrl+Shift+N",)),
    Action("server.open", _("Feeds, keys, backup…"), ("Ctrl+E",)),
    Action("server.live", _("Get live odds…"), ("Ctrl+Shift+E",)),
    Action("server.import", _("Import files…"), ("Ctrl+I",)),
    Action("layout.save", _("Save layout…"), ("Ctrl+Shift+S",)),
    Action("layout.delete", _("Delete layout")),
    Action("layout.first", _("Reset layout")),
    Action("layout.export", _("Export layout…")),
    Action("layout.import", _("Import layout…")),
    Action("help.keys", _("Keyboard shortcuts"), ("F1", "?")),
    Action("help.report", _("Report a bug…")),
    Action("alerts.rules", _("Alert rules…"), ("Ctrl+Shift+A",)),
    Action("app.settings", _("Settings…"), ("Ctrl+,",)),
    Action("app.bookmakers", _("Bookmakers…"), ("Ctrl+B",)),
    Action("app.menu", _("Open the menu"), ("F10",)),
    Action("app.quit", _("Quit"), ("Ctrl+Q",)),
    Action("matrix.fold", _("Collapse all sections"), ("-",), Where.MATRIX),
    Action("matrix.unfold", _("Expand all sections"), ("+",), Where.MATRIX),
    Action(
        "matrix.add",
        _("Add or remove this price in the history (Ctrl+click)"),
        ("A",),
        Where.MATRIX,
    ),
    Action("matrix.markets", _("Next group of markets"), ("M",), Where.MATRIX),
    Action("matrix.best", _("Go to the best price in the row"), ("B",), Where.MATRIX),
    Action("matrix.next_value", _("Go to the next value price"), ("N",), Where.MATRIX),
    Action(
        "matrix.previous_value", _("Go to the previous value price"), ("Shift+N",), Where.MATRIX
    ),
    Action("matrix.next_change", _("Go to a change off screen"), ("J",), Where.MATRIX),
    Action("matrix.explain", _("Explain this price"), ("X",), Where.MATRIX),
    Action("matrix.place", _("Record a bet at this price…"), ("P",), Where.MATRIX, is_of_now=True),
    Action(
        "matrix.target", _("Alert me when the price reaches…"), ("T",), Where.MATRIX, is_of_now=True
    ),
    Action(
        "matrix.multiple",
        _("Add this price to the multiple…"),
        ("Shift+M",),
        Where.MATRIX,
        is_of_now=True,
    ),
    Action("matrix.copy_price", _("Copy this price"), ("Ctrl+C",), Where.MATRIX),
    Action("matrix.open", _("Open the bookmaker's page for this price"), (), Where.MATRIX),
    Action("matrix.columns", _("Choose bookmaker columns…"), ("C",), Where.MATRIX),
    Action(
        "matrix.favourite", _("Add or remove this bookmaker as favourite"), ("F",), Where.MATRIX
    ),
    Action("matrix.hide_column", _("Hide this bookmaker"), ("H",), Where.MATRIX),
    Action("matrix.undo", _("Undo the last bet or column change"), ("Ctrl+Z",), Where.MATRIX),
    Action("matrix.column_left", _("Move column left"), ("Ctrl+Shift+Left",), Where.MATRIX),
    Action("matrix.column_right", _("Move column right"), ("Ctrl+Shift+Right",), Where.MATRIX),
    Action("matrix.by_hold", _("Sort columns by lowest hold or by name"), ("O",), Where.MATRIX),
    Action("matrix.lays", _("Show or hide lay rows"), ("L",), Where.MATRIX),
    Action("matrix.usual_columns", _("Reset bookmaker columns"), (), Where.MATRIX),
    Action("matrix.export", _("Export this game as CSV, Excel or JSON…"), (), Where.MATRIX),
    _only_key(
        "matrix.favourite_game", _("Add or remove this game as favourite"), Where.MATRIX, "*"
    ),
    Action("grid.arrange", _("Re-sort the odds grid"), ("Shift+S",), Where.GRID),
    Action("grid.copy", _("Copy the odds grid as a table"), ("Ctrl+C",), Where.GRID),
    Action("grid.sort", _("Sort by this column; again to reverse"), ("O",), Where.GRID),
    Action("grid.sort_second", _("Then sort by this column"), ("Shift+O",), Where.GRID),
    Action("grid.save_view", _("Save the odds grid view…"), ("V",), Where.GRID),
    Action("grid.next_value", _("Next value price in the odds grid"), ("N",), Where.GRID),
    Action(
        "grid.previous_value", _("Previous value price in the odds grid"), ("Shift+N",), Where.GRID
    ),
    Action("grid.game", _("Show the grid price in its game"), ("Ctrl+Return",), Where.GRID),
    Action("grid.explain", _("Explain the grid price"), ("X",), Where.GRID),
    Action("grid.place", _("Record a bet at the grid price…"), ("P",), Where.GRID, is_of_now=True),
    Action(
        "grid.target",
        _("Alert me when the grid price reaches…"),
        ("T",),
        Where.GRID,
        is_of_now=True,
    ),
    Action(
        "grid.multiple",
        _("Add the grid price to the multiple…"),
        ("Shift+M",),
        Where.GRID,
        is_of_now=True,
    ),
    Action("grid.copy_price", _("Copy the grid price"), ("Ctrl+Shift+C",), Where.GRID),
    Action("grid.open", _("Open the bookmaker's page for the grid price"), (), Where.GRID),
    Action("grid.hide", _("Hide this bookmaker in the odds grid"), ("H",), Where.GRID),
    Action(
        "grid.undo",
        _("Undo the last bet or hidden bookmaker in the odds grid"),
        ("Ctrl+Z",),
        Where.GRID,
    ),
    Action("grid.filter", _("Filter the odds grid"), ("/",), Where.GRID),
    Action(
        "grid.facets", _("Filter the odds grid by sport, bookmaker, EV, age…"), ("F",), Where.GRID
    ),
    Action("grid.clear", _("Clear the odds grid filters"), ("Shift+F",), Where.GRID),
    Action("grid.shape", _("Odds grid rows: prices or selections"), ("R",), Where.GRID),
    Action("grid.group", _("Group the odds grid by game, or not"), ("G",), Where.GRID),
    Action("grid.columns", _("Choose the odds grid columns…"), ("C",), Where.GRID),
    Action("grid.reading", _("Pause or resume odds grid updates"), ("Shift+R",), Where.GRID),
    Action("grid.export_csv", _("Export the odds grid as CSV…"), ("E",), Where.GRID),
    Action("grid.export_xlsx", _("Export the odds grid as an Excel workbook…"), (), Where.GRID),
    Action("grid.export_json", _("Export the odds grid as JSON…"), (), Where.GRID),
    Action("values.list", _("Switch between value bets and near misses"), ("M",), Where.VALUES),
    Action("values.sort_by", _("Sort by this column; again to reverse"), ("O",), Where.VALUES),
    Action("values.sort", _("Re-sort the value bets"), ("S",), Where.VALUES),
    Action("values.game", _("Open the bet's game"), ("Ctrl+Return",), Where.VALUES),
    Action("values.place", _("Record bet…"), ("P",), Where.VALUES, is_of_now=True),
    Action(
        "values.target",
        _("Alert me when the bet's price reaches…"),
        ("T",),
        Where.VALUES,
        is_of_now=True,
    ),
    Action(
        "values.multiple",
        _("Add the bet's price to the multiple…"),
        ("Shift+M",),
        Where.VALUES,
        is_of_now=True,
    ),
    Action("values.take_back", _("Undo bet"), ("Shift+P",), Where.VALUES),
    Action("values.undo", _("Undo the last bet recorded here"), ("Ctrl+Z",), Where.VALUES),
    Action("values.open", _("Open the bet at its bookmaker"), (), Where.VALUES),
    Action("values.hide", _("Hide this bet until tomorrow"), ("H",), Where.VALUES),
    Action("values.hidden", _("Hidden bets…"), (), Where.VALUES),
    Action("values.export", _("Export the value bets as CSV, Excel or JSON…"), (), Where.VALUES),
    Action("values.stakes", _("Stakes…"), ("K",), Where.VALUES),
    Action("values.preset", _("Edit preset, or copy to new preset…"), ("E",), Where.VALUES),
    Action("values.delete_preset", _("Delete this preset"), (), Where.VALUES),
    Action(
        "opportunities.place",
        _("Record bet on this leg…"),
        ("P",),
        Where.OPPORTUNITIES,
        is_of_now=True,
    ),
    Action(
        "opportunities.place_all",
        _("Record bets on all legs…"),
        ("L",),
        Where.OPPORTUNITIES,
        is_of_now=True,
    ),
    Action("opportunities.take_back", _("Undo bet on this leg"), ("Shift+P",), Where.OPPORTUNITIES),
    Action(
        "opportunities.undo",
        _("Undo the last bet on a leg recorded here"),
        ("Ctrl+Z",),
        Where.OPPORTUNITIES,
    ),
    Action("opportunities.game", _("Open the leg's game"), ("Ctrl+Return",), Where.OPPORTUNITIES),
    Action("opportunities.open", _("Open the leg at its bookmaker"), (), Where.OPPORTUNITIES),
    Action("opportunities.sort", _("Re-sort the opportunities"), ("S",), Where.OPPORTUNITIES),
    Action("opportunities.kind", _("Next kind of opportunity"), ("M",), Where.OPPORTUNITIES),
    Action(
        "opportunities.preset",
        _("Edit opportunity preset, or copy to new preset…"),
        ("E",),
        Where.OPPORTUNITIES,
    ),
    Action(
        "opportunities.delete_preset", _("Delete this opportunity preset"), (), Where.OPPORTUNITIES
    ),
    Action(
        "opportunities.export",
        _("Export the opportunities as CSV, Excel or JSON…"),
        (),
        Where.OPPORTUNITIES,
    ),
    Action("promotions.new", _("Add a bookmaker's offer…"), ("N",), Where.PROMOTIONS),
    Action("promotions.edit", _("Edit this offer…"), ("E",), Where.PROMOTIONS),
    Action("promotions.used", _("Mark this offer as used or not used"), ("U",), Where.PROMOTIONS),
    Action("promotions.delete", _("Delete this offer"), ("Del",), Where.PROMOTIONS),
    Action(
        "promotions.place",
        _("Record all legs of this promotion…"),
        ("L",),
        Where.PROMOTIONS,
        is_of_now=True,
    ),
    Action(
        "promotions.undo", _("Undo the last promotion recorded here"), ("Ctrl+Z",), Where.PROMOTIONS
    ),
    Action("promotions.hedged", _("Switch between hedged and unhedged"), ("M",), Where.PROMOTIONS),
    Action("promotions.calculator", _("Hedge calculator…"), ("C",), Where.PROMOTIONS),
    Action("promotions.game", _("Open the promotion's game"), ("Ctrl+Return",), Where.PROMOTIONS),
    Action("promotions.open", _("Open the promotion's leg at its bookmaker"), (), Where.PROMOTIONS),
    Action("promotions.sort", _("Re-sort the bets for this offer"), ("S",), Where.PROMOTIONS),
    Action(
        "promotions.export",
        _("Export the bets for this offer as CSV, Excel or JSON…"),
        (),
        Where.PROMOTIONS,
    ),
    Action("bets.new", _("Record a bet by hand…"), ("N",), Where.BETS),
    Action("bets.edit", _("Edit this bet…"), ("E",), Where.BETS),
    Action("bets.game", _("Open this bet's game"), ("Ctrl+Return",), Where.BETS),
    Action("bets.won", _("Settle the selected bets: won"), ("W",), Where.BETS),
    Action("bets.lost", _("Settle the selected bets: lost"), ("L",), Where.BETS),
    Action("bets.void", _("Settle the selected bets: void"), ("V",), Where.BETS),
    Action("bets.half_won", _("Settle the selected bets: half won"), ("Shift+W",), Where.BETS),
    Action("bets.half_lost", _("Settle the selected bets: half lost"), ("Shift+L",), Where.BETS),
    Action("bets.placed", _("Settle the selected each-way bets: placed"), ("P",), Where.BETS),
    Action("bets.found", _("Settle the selected bets as found"), ("S",), Where.BETS),
    Action("bets.cash", _("Cash out this bet or part of it…"), ("C",), Where.BETS),
    Action("bets.reopen", _("Reopen the selected bets"), ("O",), Where.BETS),
    Action("bets.take_back", _("Delete the selected bets"), ("Del",), Where.BETS),
    Action("bets.undo", _("Undo the last change to bets"), ("Ctrl+Z",), Where.BETS),
    Action("bets.redo", _("Redo the last change to bets"), ("Ctrl+Shift+Z", "Ctrl+Y"), Where.BETS),
    Action("bets.results", _("Settle bets from a results file…"), ("R",), Where.BETS),
    Action("bets.import", _("Import bets…"), ("I",), Where.BETS),
    Action("bets.import_columns", _("Import bets, choosing columns…"), ("Shift+I",), Where.BETS),
    Action("bets.export_csv", _("Export these bets as CSV…"), ("X",), Where.BETS),
    Action("bets.export_xlsx", _("Export these bets as an Excel workbook…"), (), Where.BETS),
    Action("bets.export_bet_analytix", _("Export these bets for Bet-Analytix…"), (), Where.BETS),
    Action("bets.move", _("Record a deposit or withdrawal…"), ("D",), Where.BETS),
    Action("bets.rates", _("Exchange rates…"), (), Where.BETS),
    Action("bets.filter", _("Filter your bets"), ("/",), Where.BETS),
    Action("bets.view", _("Next view of your bets"), ("M",), Where.BETS),
    Action("backtest.run", _("Run or cancel the backtest"), ("R",), Where.BACKTEST),
    Action("backtest.settings", _("Backtest settings…"), ("S",), Where.BACKTEST),
    Action("backtest.back", _("Back to the backtests compared"), ("B",), Where.BACKTEST),
    Action("backtest.export", _("Export the backtest's bets…"), ("E",), Where.BACKTEST),
    Action("scorecards.run", _("Run or cancel the scorecards"), ("R",), Where.SCORECARDS),
    Action("scorecards.market", _("Next kind of market"), ("M",), Where.SCORECARDS),
    Action("scorecards.export", _("Export the scorecards…"), ("E",), Where.SCORECARDS),
    Action("results.filter", _("Filter the results"), ("/",), Where.RESULTS),
    Action(
        "results.show", _("Next choice: all, with a result, without one…"), ("M",), Where.RESULTS
    ),
    Action("results.export", _("Export the results…"), ("E",), Where.RESULTS),
    Action("explain.copy", _("Copy the explanation as text"), ("Ctrl+C",), Where.EXPLAIN),
    Action("history.copy", _("Copy the chart as a picture"), ("Ctrl+C",), Where.HISTORY),
    Action("history.save", _("Save the chart as a picture…"), ("Ctrl+S",), Where.HISTORY),
    Action("history.export", _("Export the moves as CSV, Excel or JSON…"), (), Where.HISTORY),
    Action("history.add", _("Show other bookmakers in the chart"), ("A",), Where.HISTORY),
    _only_key("history.step", _("Previous or next move"), Where.HISTORY, "Left", "Right"),
    _only_key(
        "history.nudge",
        _("Move a little back or forward"),
        Where.HISTORY,
        "Shift+Left",
        "Shift+Right",
    ),
    _only_key("history.ends", _("First or last moment"), Where.HISTORY, "Home", "End"),
    _only_key("history.zoom", _("Zoom in or out"), Where.HISTORY, "+", "-"),
    _only_key("history.all", _("Show the whole chart"), Where.HISTORY, "0"),
    _only_key("table.open", _("Open at the bookmaker"), Where.TABLES, "Return"),
    _only_key("table.move", _("Move one cell"), Where.TABLES, "Up", "Down", "Left", "Right"),
    _only_key("table.page", _("Move one page"), Where.TABLES, "PgUp", "PgDown"),
    _only_key("table.ends", _("First or last column"), Where.TABLES, "Home", "End"),
    _only_key("table.far_ends", _("First or last row"), Where.TABLES, "Ctrl+Home", "Ctrl+End"),
    _only_key("table.fold", _("Collapse or expand a section"), Where.TABLES, "Space"),
    _only_key("navigator.open", _("Open the game"), Where.NAVIGATOR, "Return"),
    _only_key("navigator.new_tab", _("Open in a new tab"), Where.NAVIGATOR, "Ctrl+Return"),
    _only_key(
        "navigator.favourite", _("Add or remove the game as favourite"), Where.NAVIGATOR, "*"
    ),
    _only_key("navigator.list", _("Move from the filter to the games"), Where.NAVIGATOR, "Down"),
    _only_key("navigator.clear", _("Clear the filter"), Where.NAVIGATOR, "Esc"),
    _only_key("palette.choose", _("Choose"), Where.PALETTE, "Up", "Down"),
    _only_key("palette.take", _("Go there or run it"), Where.PALETTE, "Return"),
    _only_key("palette.leave", _("Back to where you were"), Where.PALETTE, "Esc"),
)
BY_IDENT: Final = {action.ident: action for action in ACTIONS}


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
            made.setShortcuts([key_sequence(keys) for keys in declared.keys])
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
    made.setShortcuts([key_sequence(keys) for keys in declared.keys])
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
    """Return the first keys of an action as people read them; empty for none."""
    return shown_keys(action.keys[0]) if action.keys else ""


def key_sequence(keys: str) -> QKeySequence:
    """Return keys written as in ``Action``, whatever the language of the window."""
    return QKeySequence(keys, QKeySequence.SequenceFormat.PortableText)


def shown_keys(keys: str) -> str:
    """Return keys as the system and the language write them: ``Strg+Umschalt+F``."""
    return key_sequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
