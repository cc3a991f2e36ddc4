"""The list of alerts as rows: what was sent, and what was held back and why."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.board.alerts.gate import AlertEntry, said_text
from oddsdesk.clock import Clock
from oddsdesk.desk.ui.formatting import exact_odds_text
from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import local_time

EntryKey = tuple[int, int]
"""When it was sent or held first, and a number."""


class AlertsModel(StableRowsModel[EntryKey, AlertEntry]):
    """The newest on top until the user sorts otherwise."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(COLUMNS, 0, clock)

    def tip(self, row: int, column: int) -> str:
        entry = self.entry(row)
        said = [*shown_texts(entry), state_text(entry)]
        said += [f"{name}: {became}" for name, became in entry.deliveries.items()]
        return "\n".join(filter(None, said))


def rows_of(entries: Iterable[AlertEntry]) -> dict[EntryKey, AlertEntry]:
    """Return a row for each line of the list."""
    return {(entry.at, number): entry for number, entry in enumerate(entries)}


def shown_texts(entry: AlertEntry) -> tuple[str, str]:
    """Return what an alert says and the rest of it, odds as the desk writes them now."""
    alert = entry.alert
    return said_text(alert.says, exact_odds_text), said_text(alert.also, exact_odds_text)


def line_text(entry: AlertEntry) -> str:
    """Return what an alert says in one line, with its game; the rest stands in the list."""
    title, text = shown_texts(entry)
    return " · ".join(filter(None, (title, text.partition(" · ")[0])))


def when_text(at_ms: int, now_ms: int) -> str:
    """Return a moment by the local clock, with its day where that is not today's."""
    at = local_time(at_ms)
    if at.date() == local_time(now_ms).date():
        return f"{at:%H:%M:%S}"
    return f"{at.day} {at:%b %H:%M}"


def state_text(entry: AlertEntry) -> str:
    """Return whether it was sent, else why not and how often."""
    if entry.held is None:
        return "sent"
    times = f" ({entry.times}×)" if entry.times > 1 else ""
    return f"held back: {entry.held.value}{times}"


def _ink(entry: AlertEntry) -> TextRole:
    return TextRole.STRONG if entry.held is None else TextRole.NOTE


def _title(entry: AlertEntry, _now: int) -> Cell:
    title, text = shown_texts(entry)
    return Cell(title, _ink(entry), is_strong=entry.held is None, note=text)


def _channels(entry: AlertEntry) -> str:
    return ", ".join(
        f"{name} {'✓' if became.startswith('sent') else '…' if became == 'waits' else '✕'}"
        for name, became in entry.deliveries.items()
    )


COLUMNS: Final[tuple[ColumnSpec[AlertEntry, int], ...]] = (
    ColumnSpec(
        "at",
        "At",
        Column("88 Nov 88:88"),
        lambda entry, now: Cell(when_text(entry.at, now), TextRole.SOFT),
        lambda entry: entry.at,
        descending_first=True,
        tip="When it was sent, or first held back",
    ),
    ColumnSpec(
        "rule",
        "Rule",
        Column("Connection", Align.LEFT, likes="Before kick-off"),
        lambda entry, _now: Cell(entry.alert.rule, TextRole.SOFT),
        lambda entry: entry.alert.rule.casefold(),
        tip="The rule that asked for it",
    ),
    ColumnSpec(
        "title",
        "Alert",
        Column(
            "+3.4 %: Over 2.5 2.10 at Betfair",
            Align.LEFT,
            stretches=True,
            likes="+3.4 %: Over 2.5 2.10 at Betfair Everton vs Liverpool · Total · fair 2.783",
        ),
        _title,
        lambda entry: entry.alert.title.casefold(),
        tip="What it tells; Enter shows the price",
    ),
    ColumnSpec(
        "state",
        "What became of it",
        Column(
            "held back: quiet hours",
            Align.LEFT,
            likes="held back: told a moment ago (2×)",
            stretches=True,
            widest="held back: told before, and it is no better (50×)",
            drops=2,
        ),
        lambda entry, _now: Cell(
            state_text(entry), TextRole.STRONG if entry.held is None else TextRole.NOTE
        ),
        state_text,
        tip="Sent, or why it was held back and how often",
    ),
    ColumnSpec(
        "channels",
        "Channels",
        Column("phone ✓, mail ✓", Align.LEFT, drops=1),
        lambda entry, _now: Cell(_channels(entry), TextRole.NOTE),
        _channels,
        tip="✓ taken, … on its way, ✕ not yet or refused: the tooltip of a row says why",
    ),
)
