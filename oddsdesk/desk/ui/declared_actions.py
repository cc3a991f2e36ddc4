"""Every action of the desk: its name, its keys and where they work. docs/keys.md is made of this.

A new action is a line here; the panel or ``shell.commands`` that carries it out binds it by
its ident (``ui.actions``).
"""

from enum import Enum
from typing import Final

import msgspec


class Where(Enum):
    """Where an action's keys work; the value is the heading people read."""

    ANYWHERE = "Anywhere"
    MATRIX = "In a game"
    TABLES = "In every table"
    GRID = "In the odds grid"
    VALUES = "In the value bets"
    OPPORTUNITIES = "In the opportunities"
    ALERTS = "In the alerts"
    BETS = "In your bets"
    BACKTEST = "In the backtest"
    SCORECARDS = "In the scorecards"
    EXPLAIN = "In the explanation"
    HISTORY = "In the history"
    NAVIGATOR = "In the navigator"
    PALETTE = "In the command palette"


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
    Action("go.palette", "Go to a game, a panel, an action", ("Ctrl+K",)),
    Action("go.filter", "Filter games", ("Ctrl+F",)),
    Action("go.favourites", "Show favourites only, or all", ("Ctrl+Shift+F",)),
    Action("past.day", "Look at games of a date…", ("Ctrl+J",)),
    Action("past.now", "Back to now", ("Ctrl+Shift+J",)),
    Action("past.play", "Play the past, or pause", ("Ctrl+P",)),
    Action("past.back", "Step back: the move before", ("Alt+Left",)),
    Action("past.forward", "Step: the next move of the past", ("Alt+Right",)),
    Action("past.faster", "Play the past faster", ("Alt+Up",)),
    Action("past.slower", "Play the past slower", ("Alt+Down",)),
    Action("past.kick_off", "Go to the kick-off", ("Alt+Home",)),
    Action("past.largest", "Go to the game's largest move", ("Alt+PgUp",)),
    Action("past.newest", "Go to the newest price of the log", ("Alt+End",)),
    Action("past.line", "Time line of the past", ("Ctrl+Shift+P",)),
    Action("go.grid", "Show the odds grid", ("Ctrl+G",)),
    Action("go.bets", "Show your bets", ("Ctrl+L",)),
    Action("go.backtest", "Show the backtest: what value bets would have earned", ("Ctrl+T",)),
    Action("go.scorecards", "Show the bookmakers' scorecards", ("Ctrl+Shift+B",)),
    Action("go.next_tab", "Next tab", ("Ctrl+Tab", "Ctrl+PgDown")),
    Action("go.previous_tab", "Previous tab", ("Ctrl+Shift+Tab", "Ctrl+PgUp")),
    Action("go.next_panel", "Next panel", ("F6",)),
    Action("go.previous_panel", "Previous panel", ("Shift+F6",)),
    Action("game.favourite", "Add this game to the favourites, or remove it", ("Ctrl+D",)),
    Action("game.detach", "Game to a window of its own, or back", ("Ctrl+Shift+D",)),
    Action("game.close", "Close game", ("Ctrl+W",)),
    Action("view.full_screen", "Full screen on or off", ("F11",)),
    Action("view.larger", "Larger text", ("Ctrl++", "Ctrl+=")),
    Action("view.smaller", "Smaller text", ("Ctrl+-",)),
    Action("view.normal", "Text of normal size", ("Ctrl+0",)),
    Action("view.system", "Colours as the system"),
    Action("view.light", "Light colours"),
    Action("view.dark", "Dark colours"),
    Action("view.colour_blind", "Blue and orange for green and red on or off"),
    Action("connection.new", "New connection…", ("Ctrl+N",)),
    Action("connection.edit", "Edit connections…", ("Ctrl+Shift+N",)),
    Action("server.open", "Feeds, keys, backup…", ("Ctrl+E",)),
    Action("server.live", "Get live odds…", ("Ctrl+Shift+E",)),
    Action("server.import", "Import files…", ("Ctrl+I",)),
    Action("layout.save", "Save layout…", ("Ctrl+Shift+S",)),
    Action("layout.delete", "Delete layout"),
    Action("layout.first", "Layout as at the first start"),
    Action("layout.export", "Export layout…"),
    Action("layout.import", "Import layout…"),
    Action("help.keys", "Keyboard shortcuts", ("F1", "?")),
    Action("help.report", "Report a bug…"),
    Action("app.settings", "Settings…", ("Ctrl+,",)),
    Action("app.bookmakers", "Bookmakers…", ("Ctrl+B",)),
    Action("app.menu", "Open the menu", ("F10",)),
    Action("app.quit", "Quit", ("Ctrl+Q",)),
    Action("matrix.fold", "Fold all sections", ("-",), Where.MATRIX),
    Action("matrix.unfold", "Unfold all sections", ("+",), Where.MATRIX),
    Action(
        "matrix.add",
        "Add this price to the history, or remove it (Ctrl+click)",
        ("A",),
        Where.MATRIX,
    ),
    Action("matrix.markets", "Next kind of markets", ("M",), Where.MATRIX),
    Action("matrix.best", "Go to the best price of the row", ("B",), Where.MATRIX),
    Action("matrix.next_value", "Go to the next value", ("N",), Where.MATRIX),
    Action("matrix.previous_value", "Go to the value before", ("Shift+N",), Where.MATRIX),
    Action("matrix.next_change", "Go to a change out of sight", ("J",), Where.MATRIX),
    Action("matrix.explain", "Explain this price", ("X",), Where.MATRIX),
    Action(
        "matrix.place", "Mark a bet on this price as placed…", ("P",), Where.MATRIX, is_of_now=True
    ),
    Action(
        "matrix.target", "Alert me when the price reaches…", ("T",), Where.MATRIX, is_of_now=True
    ),
    Action("matrix.copy_price", "Copy this price", ("Ctrl+C",), Where.MATRIX),
    Action("matrix.open", "Open the bookmaker's page of this price", (), Where.MATRIX),
    Action("matrix.columns", "Choose bookmakers' columns…", ("C",), Where.MATRIX),
    Action(
        "matrix.favourite",
        "Add this bookmaker to the favourites, or remove it",
        ("F",),
        Where.MATRIX,
    ),
    Action("matrix.hide_column", "Hide this bookmaker", ("H",), Where.MATRIX),
    Action(
        "matrix.undo",
        "Undo what was done last: a placed bet, a change of columns",
        ("Ctrl+Z",),
        Where.MATRIX,
    ),
    Action("matrix.column_left", "Column to the left", ("Ctrl+Shift+Left",), Where.MATRIX),
    Action("matrix.column_right", "Column to the right", ("Ctrl+Shift+Right",), Where.MATRIX),
    Action("matrix.by_hold", "Lowest hold first, or by name", ("O",), Where.MATRIX),
    Action("matrix.usual_columns", "Reset the bookmakers' columns", (), Where.MATRIX),
    Action("matrix.export", "Export this game as CSV, Excel or JSON…", (), Where.MATRIX),
    _only_key(
        "matrix.favourite_game", "Add this game to the favourites, or remove it", Where.MATRIX, "*"
    ),
    Action("grid.arrange", "Sort the odds grid anew", ("Shift+S",), Where.GRID),
    Action("grid.copy", "Copy the odds grid's rows as a table", ("Ctrl+C",), Where.GRID),
    Action("grid.sort", "Sort by this column, or the other way round", ("O",), Where.GRID),
    Action("grid.sort_second", "Sort equal rows by this column", ("Shift+O",), Where.GRID),
    Action("grid.save_view", "Save the odds grid's view…", ("V",), Where.GRID),
    Action("grid.next_value", "Next value in the odds grid", ("N",), Where.GRID),
    Action("grid.previous_value", "Value before in the odds grid", ("Shift+N",), Where.GRID),
    Action("grid.game", "Show the odds grid's price in its game", ("Ctrl+Return",), Where.GRID),
    Action("grid.explain", "Explain the odds grid's price", ("X",), Where.GRID),
    Action(
        "grid.place",
        "Mark a bet on the odds grid's price as placed…",
        ("P",),
        Where.GRID,
        is_of_now=True,
    ),
    Action(
        "grid.target",
        "Alert me when the odds grid's price reaches…",
        ("T",),
        Where.GRID,
        is_of_now=True,
    ),
    Action("grid.copy_price", "Copy the odds grid's price", ("Ctrl+Shift+C",), Where.GRID),
    Action("grid.open", "Open the bookmaker's page of the odds grid's price", (), Where.GRID),
    Action("grid.hide", "Hide this bookmaker in the odds grid", ("H",), Where.GRID),
    Action(
        "grid.undo",
        "Undo what was done last in the odds grid: a placed bet, a hidden bookmaker",
        ("Ctrl+Z",),
        Where.GRID,
    ),
    Action("grid.filter", "Filter the odds grid", ("/",), Where.GRID),
    Action("grid.facets", "Filter the odds grid by sport, bookmaker, EV, age…", ("F",), Where.GRID),
    Action("grid.clear", "Clear the odds grid's filters", ("Shift+F",), Where.GRID),
    Action("grid.shape", "Odds grid's rows: prices, or selections", ("R",), Where.GRID),
    Action("grid.group", "Group the odds grid's rows by game on or off", ("G",), Where.GRID),
    Action("grid.columns", "Choose the odds grid's columns…", ("C",), Where.GRID),
    Action("grid.reading", "Stop reading all prices, or go on", ("Shift+R",), Where.GRID),
    Action("grid.export_csv", "Export the odds grid as CSV…", ("E",), Where.GRID),
    Action("grid.export_xlsx", "Export the odds grid as Excel workbook…", (), Where.GRID),
    Action("grid.export_json", "Export the odds grid as JSON…", (), Where.GRID),
    Action("values.list", "Value bets, or nearest misses", ("M",), Where.VALUES),
    Action("values.sort_by", "Sort by this column, or the other way round", ("O",), Where.VALUES),
    Action("values.sort", "Sort the value bets anew", ("S",), Where.VALUES),
    Action("values.game", "Open the bet's game", ("Ctrl+Return",), Where.VALUES),
    Action("values.place", "Mark as placed…", ("P",), Where.VALUES, is_of_now=True),
    Action(
        "values.target",
        "Alert me when the bet's price reaches…",
        ("T",),
        Where.VALUES,
        is_of_now=True,
    ),
    Action("values.take_back", "Take the placed bet back", ("Shift+P",), Where.VALUES),
    Action("values.undo", "Take back the bet that was placed last here", ("Ctrl+Z",), Where.VALUES),
    Action("values.open", "Open the bet at its bookmaker", (), Where.VALUES),
    Action("values.hide", "Hide this bet until tomorrow", ("H",), Where.VALUES),
    Action("values.hidden", "What is hidden among value bets…", (), Where.VALUES),
    Action("values.export", "Export the value bets as CSV, Excel or JSON…", (), Where.VALUES),
    Action("values.stakes", "Stakes…", ("K",), Where.VALUES),
    Action("values.preset", "Change preset, or new preset from this…", ("E",), Where.VALUES),
    Action("values.delete_preset", "Delete this preset", (), Where.VALUES),
    Action(
        "opportunities.place",
        "Mark this leg as placed…",
        ("P",),
        Where.OPPORTUNITIES,
        is_of_now=True,
    ),
    Action(
        "opportunities.place_all",
        "Mark all legs as placed…",
        ("L",),
        Where.OPPORTUNITIES,
        is_of_now=True,
    ),
    Action(
        "opportunities.take_back", "Take the placed leg back", ("Shift+P",), Where.OPPORTUNITIES
    ),
    Action(
        "opportunities.undo",
        "Take back the leg that was placed last here",
        ("Ctrl+Z",),
        Where.OPPORTUNITIES,
    ),
    Action("opportunities.game", "Open the leg's game", ("Ctrl+Return",), Where.OPPORTUNITIES),
    Action("opportunities.open", "Open the leg at its bookmaker", (), Where.OPPORTUNITIES),
    Action("opportunities.sort", "Sort the opportunities anew", ("S",), Where.OPPORTUNITIES),
    Action("opportunities.kind", "Next kind of opportunities", ("M",), Where.OPPORTUNITIES),
    Action(
        "opportunities.preset",
        "Change preset of opportunities, or new one from this…",
        ("E",),
        Where.OPPORTUNITIES,
    ),
    Action(
        "opportunities.delete_preset",
        "Delete this preset of opportunities",
        (),
        Where.OPPORTUNITIES,
    ),
    Action(
        "opportunities.export",
        "Export the opportunities as CSV, Excel or JSON…",
        (),
        Where.OPPORTUNITIES,
    ),
    Action("bets.new", "Record a bet by hand…", ("N",), Where.BETS),
    Action("bets.edit", "Edit this bet…", ("E",), Where.BETS),
    Action("bets.game", "Open this bet's game", ("Ctrl+Return",), Where.BETS),
    Action("bets.won", "Settle the selected bets: won", ("W",), Where.BETS),
    Action("bets.lost", "Settle the selected bets: lost", ("L",), Where.BETS),
    Action("bets.void", "Settle the selected bets: void", ("V",), Where.BETS),
    Action("bets.half_won", "Settle the selected bets: half won", ("Shift+W",), Where.BETS),
    Action("bets.half_lost", "Settle the selected bets: half lost", ("Shift+L",), Where.BETS),
    Action("bets.cash", "Cash this bet out, or a part of it…", ("C",), Where.BETS),
    Action("bets.reopen", "Open the selected bets again", ("O",), Where.BETS),
    Action("bets.take_back", "Delete the selected bets", ("Del",), Where.BETS),
    Action("bets.undo", "Undo the last change of bets", ("Ctrl+Z",), Where.BETS),
    Action("bets.redo", "Redo the last change of bets", ("Ctrl+Shift+Z", "Ctrl+Y"), Where.BETS),
    Action("bets.results", "Settle bets from a file of results…", ("R",), Where.BETS),
    Action("bets.import", "Import bets…", ("I",), Where.BETS),
    Action("bets.export_csv", "Export these bets as CSV…", ("X",), Where.BETS),
    Action("bets.export_xlsx", "Export these bets as Excel workbook…", (), Where.BETS),
    Action("bets.export_bet_analytix", "Export these bets for Bet-Analytix…", (), Where.BETS),
    Action("bets.filter", "Filter your bets", ("/",), Where.BETS),
    Action("bets.view", "Next view of your bets", ("M",), Where.BETS),
    Action("backtest.run", "Go through the log and bet, or cancel", ("R",), Where.BACKTEST),
    Action("backtest.export", "Export the backtest's bets…", ("E",), Where.BACKTEST),
    Action("scorecards.run", "Go through the log and score, or cancel", ("R",), Where.SCORECARDS),
    Action("scorecards.market", "Next kind of market", ("M",), Where.SCORECARDS),
    Action("scorecards.export", "Export the scorecards…", ("E",), Where.SCORECARDS),
    Action("alerts.rules", "Rules of alerts…", ("Ctrl+Shift+A",), Where.ALERTS),
    Action("explain.copy", "Copy the explanation as text", ("Ctrl+C",), Where.EXPLAIN),
    Action("history.copy", "Copy the chart as a picture", ("Ctrl+C",), Where.HISTORY),
    Action("history.save", "Save the chart as a picture…", ("Ctrl+S",), Where.HISTORY),
    Action("history.export", "Export the moves as CSV, Excel or JSON…", (), Where.HISTORY),
    Action("history.add", "Show other bookmakers in the chart", ("A",), Where.HISTORY),
    _only_key("history.step", "To the move before, or after", Where.HISTORY, "Left", "Right"),
    _only_key("history.nudge", "A little", Where.HISTORY, "Shift+Left", "Shift+Right"),
    _only_key("history.ends", "To the first and last moment", Where.HISTORY, "Home", "End"),
    _only_key("history.zoom", "Zoom in, out", Where.HISTORY, "+", "-"),
    _only_key("history.all", "Show all that is known", Where.HISTORY, "0"),
    _only_key("table.open", "Open at the bookmaker", Where.TABLES, "Return"),
    _only_key("table.move", "Move by a cell", Where.TABLES, "Up", "Down", "Left", "Right"),
    _only_key("table.page", "Move by a page", Where.TABLES, "PgUp", "PgDown"),
    _only_key("table.ends", "First and last column", Where.TABLES, "Home", "End"),
    _only_key("table.far_ends", "First and last row", Where.TABLES, "Ctrl+Home", "Ctrl+End"),
    _only_key("table.fold", "Fold or unfold a section", Where.TABLES, "Space"),
    _only_key("navigator.open", "Open the game", Where.NAVIGATOR, "Return"),
    _only_key("navigator.beside", "Open it beside the others", Where.NAVIGATOR, "Ctrl+Return"),
    _only_key(
        "navigator.favourite", "Add the game to the favourites, or remove it", Where.NAVIGATOR, "*"
    ),
    _only_key("navigator.list", "From the filter to the games", Where.NAVIGATOR, "Down"),
    _only_key("navigator.clear", "Empty the filter", Where.NAVIGATOR, "Esc"),
    _only_key("palette.choose", "Choose", Where.PALETTE, "Up", "Down"),
    _only_key("palette.take", "Take what is chosen", Where.PALETTE, "Return"),
    _only_key("palette.leave", "Back to where you were", Where.PALETTE, "Esc"),
)
BY_IDENT: Final = {action.ident: action for action in ACTIONS}
