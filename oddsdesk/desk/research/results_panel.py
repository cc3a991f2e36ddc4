"""The Results tab: how games ended by each source, and which games have no result."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from itertools import repeat
from typing import Final

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QShowEvent

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.tasks import spawn
from oddsdesk.base.texts import N_, _, ngettext, pgettext, translated
from oddsdesk.contract.identity import without_date
from oddsdesk.contract.results import GameStatus
from oddsdesk.desk.export.files import Table, table_of
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.research.log import ListedResults, ResearchError, ResearchLog, games_text
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.bars import ListBar
from oddsdesk.desk.ui.controls.buttons import ChoiceButton
from oddsdesk.desk.ui.controls.fields import FilterEdit
from oddsdesk.desk.ui.controls.labels import FactsLabel
from oddsdesk.desk.ui.controls.messages import EmptyState
from oddsdesk.desk.ui.formatting import day_sample, day_text, moment_text
from oddsdesk.desk.ui.list_panel import ListPanel, line_button
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Exported, Kind, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme, scale_most_width
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.research.result_list import ListedResult

_LOOK_MS: Final = 3_000
"""While the tab is shown, the database is looked at this often."""
_REST: Final = 10
"""After a reading, as many times as long passes without one."""
_FILTER_WIDTH: Final = 260
_SHOWN: Final[dict[str, tuple[str, Callable[[ListedResult], bool]]]] = {
    "all": (pgettext("games", "All"), lambda _row: True),
    "result": (_("With a result"), lambda row: row.result is not None),
    "missing": (_("Without a result"), lambda row: row.result is None),
    "contrary": (_("Contradictions"), lambda row: bool(row.contradicts)),
}
_NO_LOG: Final = EmptyState(
    "table",
    _("This needs the built-in server."),
    _("Connect to it to list the results in its database."),
)
_READING: Final = EmptyState("loading", _("Reading results…"))
_NOTHING: Final = EmptyState(
    "table",
    _("No game has started yet, and no result is recorded."),
    _("Results come from live sources and from past seasons: Import files… (Ctrl+I)."),
)


class ResultsPanel(ListPanel):
    """Lists the results of the built-in server's database, and follows it while it is shown."""

    game_requested = Signal(str)
    """The id of a game to open."""

    def __init__(self, theme: Theme, clock: Clock, log: Callable[[], ResearchLog | None]) -> None:
        """``log`` returns the built-in server's log, None if connected elsewhere."""
        super().__init__(theme, idle_ms=_LOOK_MS)
        self._log = log
        self._found: ListedResults | None = None
        self._texts: list[str] = []
        """What the filter searches in each row, once it has been used."""
        self._trouble = ""
        self._reading: asyncio.Task[None] | None = None
        self._passes = 0
        self.model = ResultsModel(clock)
        self.table = LiveTable(theme, self.model, clock)
        self.table.setAccessibleName(_("Results"))
        self.filter = FilterEdit(theme, _("Filter results"))
        self.filter.setToolTip(_("Words of game, competition, sport, source or status (/)"))
        scale_most_width(self.filter, theme, _FILTER_WIDTH)
        self.shown = ChoiceButton(pgettext("which games", "Show"), ("all", _SHOWN["all"][0]))
        self.shown.offer((key, title) for key, (title, _keep) in _SHOWN.items())
        self.shown.setToolTip(_("Which games are shown (M)"))
        self.facts = FactsLabel()
        self.facts.setProperty("variant", "note")
        export = line_button(_("Export…"), _("Save the table as a file (E)"))
        header = ListBar(theme)
        for part in (self.filter, self.shown):
            header.line.addWidget(part)
        header.line.addWidget(self.facts, 1)
        header.line.addWidget(export)
        self.setLayout(self._lay_out_list(header, self.table))
        self._keep_chosen_in(self.table)
        self.model.chosen_row = lambda: None  # a game without a result leaves when it has one
        self.saver = TableSaver(self, lambda: "results", self._exported)
        self.saver.said.connect(self.messages.show_message)
        self.filter.textChanged.connect(lambda _text: self._show())
        self.shown.chosen.connect(lambda _text: self._show())
        self.table.opened.connect(self._on_table_opened)
        export.clicked.connect(add_action(self, "results.export", self._export).trigger)
        add_action(self, "results.filter", self._focus_filter)
        add_action(self, "results.show", self.shown.choose_next)
        self._show()

    def close_panel(self) -> None:
        """Stop reading and exporting."""
        self._idle.stop()
        if self._reading is not None:
            self._reading.cancel()
        self.saver.abort_saving()

    def read_again(self) -> None:
        """Read the database anew: it may be another one."""
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        self._found, self._trouble, self._texts = None, "", []
        self._show()
        if self.isVisible():
            self._look()

    def _look(self) -> None:
        log = self._log()
        if log is not None and self._reading is None:
            self._reading = spawn("desk: results", self._read(log))

    async def _read(self, log: ResearchLog) -> None:
        known = None if self._found is None else self._found.state
        try:
            found = await log.results(known)
        except ResearchError as error:
            self._reading, self._trouble = None, translated(str(error))
            self._show()
            return
        self._reading = None
        if found is not None:
            self._found, self._trouble, self._texts = found, "", []
            self._show()
            self._passes = int(found.took_ms * _REST / _LOOK_MS)

    def _show(self) -> None:
        rows = [] if self._found is None else self._found.rows
        keep, words = _SHOWN[self.shown.chosen_key][1], self.filter.text().casefold().split()
        if words and not self._texts:
            self._texts = list(map(_searched, rows))
        texts = self._texts if words else repeat("")
        listed = [
            row
            for row, text in zip(rows, texts, strict=False)
            if keep(row) and all(word in text for word in words)
        ]
        self.facts.show_text(_facts(rows, len(listed)) if rows else "")
        self.model.show_rows({row.key: row for row in listed}, may_move=True)
        self._show_rows_of(self.table, self._state)
        # Not the filter, as the panel's keys would be typed into it.
        waits = self.shown.hasFocus() and self.focusProxy() is self.shown
        self.setFocusProxy(self.table if listed else self.shown)
        if listed and waits:
            self.table.setFocus()

    def _state(self) -> EmptyState:
        """Return why nothing is listed."""
        if self._log() is None:
            return _NO_LOG
        if self._trouble:
            return EmptyState(
                "warning", _("The results could not be read."), self._trouble, ink=TextRole.DOWN
            )
        if self._found is None:
            return _READING
        if not self._found.rows:
            return _NOTHING
        if self.filter.text().strip():
            return EmptyState(
                "info", _("No game here matches “{text}”.").format(text=self.filter.text().strip())
            )
        return EmptyState("info", _NONE_OF[self.shown.chosen_key])

    def _exported(self) -> Table:
        return table_of(self.model)

    def _export(self) -> None:
        if self.model.rowCount():
            self.saver.ask_for_file()

    def _focus_filter(self) -> None:
        self.filter.setFocus()
        self.filter.selectAll()

    def _on_table_opened(self, index: QModelIndex) -> None:
        row = self.model.entry(index.row())
        if row.game_id:
            self.game_requested.emit(row.game_id)
        else:
            self.messages.show_message(_("No odds of this game are recorded."))

    def _on_idle_timeout(self) -> None:
        """Look for new results, less often if reading takes long."""
        if self._passes > 0:
            self._passes -= 1
        else:
            self._look()

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()


_NONE_OF: Final = {
    "all": _("No game is listed."),
    "result": _("No game has a result yet."),
    "missing": _("Every game that has started has a result."),
    "contrary": _("No sources contradict each other."),
}


def _facts(rows: Iterable[ListedResult], listed: int) -> str:
    """Return how many games have a result, how many have none, and how many are disputed."""
    games, contrary, missing = set[int](), set[int](), 0
    for row in rows:
        games.add(row.game)
        missing += row.result is None
        if row.contradicts:
            contrary.add(row.game)
    facts = [
        _("{count:,} listed").format(count=num(listed)),
        games_text(len(games)),
        _("{count:,} without a result").format(count=num(missing)),
    ]
    if contrary:
        facts.append(
            ngettext(
                "sources contradict each other on {count:,} game",
                "sources contradict each other on {count:,} games",
                len(contrary),
            ).format(count=num(len(contrary)))
        )
    return " · ".join(facts)


def _searched(row: ListedResult) -> str:
    """Return the text that the filter searches."""
    return " ".join(
        (row.match_name, row.competition, row.sport, _source(row), _status(row), _kick_off(row))
    ).casefold()


def _kick_off(row: ListedResult) -> str:
    return moment_text(row.kick_off) if row.has_time else day_text(row.kick_off)


def _source(row: ListedResult) -> str:
    said = row.result
    return "" if said is None else " · ".join(filter(None, (said.source, said.bookmaker)))


_STATUSES: Final = {
    GameStatus.SCHEDULED: _("Scheduled"),
    GameStatus.IN_PLAY: _("In play"),
    GameStatus.FINAL: pgettext("how a game ended", "Final"),
    GameStatus.POSTPONED: _("Postponed"),
    GameStatus.ABANDONED: _("Abandoned"),
    GameStatus.CANCELLED: pgettext("a game", "Cancelled"),
    GameStatus.RETIRED: pgettext("a player", "Retired"),
    GameStatus.UNKNOWN: pgettext("how a game ended", "Unknown"),
}


_LONGEST_STATUS: Final = max(_STATUSES[GameStatus.POSTPONED], *_STATUSES.values(), key=len)


def _status(row: ListedResult) -> str:
    return _("No result") if row.result is None else _STATUSES[row.result.status]


def _score(row: ListedResult) -> str:
    said = row.result
    return "" if said is None or said.home is None else f"{said.home}–{said.away}"


def _periods(row: ListedResult, dash: str = "–") -> str:
    periods = () if row.result is None else row.result.periods
    return ", ".join(f"{each.home}{dash}{each.away}" for each in periods)


def _contradicts(row: ListedResult) -> str:
    return (
        _("contradicts {sources}").format(sources=", ".join(row.contradicts))
        if row.contradicts
        else ""
    )


def _corrected(row: ListedResult) -> str:
    return _corrected_text(row.corrections) if row.corrections else ""


def _corrected_text(count: int) -> str:
    return ngettext("corrected once", "corrected {count} times", count).format(count=count)


def _note(row: ListedResult) -> str:
    return " · ".join(filter(None, (_contradicts(row), _corrected(row))))


def _said(row: ListedResult, name: str) -> str:
    said: str = "" if row.result is None else getattr(row.result, name)
    return said


def _points(row: ListedResult, side: str) -> int | None:
    value: int | None = None if row.result is None else getattr(row.result, side)
    return value


def _status_cell(row: ListedResult, _now: int) -> Cell:
    is_final = row.result is not None and row.result.status is GameStatus.FINAL
    return Cell(_status(row), TextRole.SOFT if is_final else TextRole.STRONG)


_CONTRADICTS_TWO: Final = _("contradicts {sources}").format(sources="football-data, betfair")

COLUMNS: Final[tuple[ColumnSpec[ListedResult, int], ...]] = (
    ColumnSpec(
        "kick_off",
        N_("Kick-off"),
        Column("28 May 2088 88:88", Align.LEFT),
        lambda row, _now: Cell(_kick_off(row), TextRole.NOTE),
        lambda row: row.kick_off,
        kind=Kind.TIME,
        descending_first=True,
        tip=_("Kick-off; a day alone if the hour is unknown"),
        sample=lambda: day_sample(year=True),
    ),
    ColumnSpec(
        "match_name",
        N_("Game"),
        Column(
            "Manchester City v Leeds",
            Align.LEFT,
            stretches=True,
            likes="Wolverhampton Wanderers v Manchester United",
            widest="Wolverhampton Wanderers v Manchester United at home",
        ),
        lambda row, _now: Cell(shown_game(without_date(row.match_name)), TextRole.STRONG),
        lambda row: row.match_name.casefold(),
        tip=_("Enter opens the game"),
        exports=(
            Exported("game_id", "Game id", lambda row: row.game_id),
            Exported("match_name", "Game", lambda row: row.match_name),
        ),
    ),
    ColumnSpec(
        "competition",
        N_("Competition"),
        Column("EUROPA", Align.LEFT),
        lambda row, _now: Cell(row.competition, TextRole.SOFT),
        lambda row: row.competition,
        order=lambda row: row.competition.casefold(),
        tip=_("Competition"),
        priority=Priority.IMPORTANT,
        exports=(
            Exported("competition", "Competition", lambda row: row.competition),
            Exported("sport", "Sport", lambda row: row.sport),
        ),
    ),
    ColumnSpec(
        "score",
        N_("Score"),
        Column("108–102"),
        lambda row, _now: Cell(_score(row), TextRole.STRONG, is_strong=True),
        order=lambda row: (_points(row, "home") or 0, _points(row, "away") or 0),
        descending_first=True,
        tip=_("Whole score, home team first"),
        exports=(
            Exported("home", "Home", partial(_points, side="home"), Kind.NUMBER, 0),
            Exported("away", "Away", partial(_points, side="away"), Kind.NUMBER, 0),
        ),
    ),
    ColumnSpec(
        "periods",
        N_("By period"),
        Column(
            "28–31, 25–22",
            Align.LEFT,
            stretches=True,
            likes="28–31, 25–22, 27–30, 24–19",
            widest="28–31, 25–22, 27–30, 24–19, 12–8",
        ),
        lambda row, _now: Cell(_periods(row), TextRole.SOFT),
        lambda row: _periods(row, "-"),
        tip=_("Score of each half, quarter, set or inning, as far as the source has it"),
        priority=Priority.IMPORTANT,
    ),
    ColumnSpec(
        "status",
        N_("Status"),
        Column(_LONGEST_STATUS, Align.LEFT),
        _status_cell,
        _status,
        tip=_("What became of the game, as the source says"),
    ),
    ColumnSpec(
        "source",
        N_("Source"),
        Column("football-data", Align.LEFT, stretches=True, widest="betfair · Betfair Exchange"),
        lambda row, _now: Cell(_source(row), TextRole.SOFT),
        _source,
        tip=_("Format or feed that reported it"),
        priority=Priority.USEFUL,
        exports=(
            Exported("source", "Source", partial(_said, name="source")),
            Exported("bookmaker", "Bookmaker", partial(_said, name="bookmaker")),
        ),
    ),
    ColumnSpec(
        "note",
        N_("Note"),
        Column(
            _("contradicts {sources}").format(sources="football-data"),
            Align.LEFT,
            stretches=True,
            likes=_CONTRADICTS_TWO,
            widest=f"{_CONTRADICTS_TWO} · {_corrected_text(1)}",
        ),
        lambda row, _now: Cell(_note(row), TextRole.DOWN if row.contradicts else TextRole.NOTE),
        order=lambda row: (bool(row.contradicts), row.corrections),
        descending_first=True,
        tip=_("Other sources that say something else, and how often this one corrected itself"),
        priority=Priority.USEFUL,
        exports=(
            Exported("contradicts", "Contradicts", lambda row: ", ".join(row.contradicts)),
            Exported("corrections", "Corrections", lambda row: row.corrections, Kind.NUMBER, 0),
        ),
    ),
    ColumnSpec(
        "recorded_at",
        N_("Recorded"),
        Column("28 May 2088 88:88", Align.LEFT),
        lambda row, _now: Cell(
            moment_text(row.recorded_at) if row.recorded_at else "", TextRole.NOTE
        ),
        lambda row: row.recorded_at or None,
        kind=Kind.TIME,
        order=lambda row: row.recorded_at,
        descending_first=True,
        tip=_("When the database recorded it"),
        priority=Priority.EXTRA,
        sample=lambda: day_sample(year=True),
    ),
)


class ResultsModel(StableRowsModel[tuple[object, ...], ListedResult]):
    """The results, the latest kick-off on top."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, 0, clock)
