"""The table of alerts: sent, or not sent and why."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import date_text, hour_text
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.board.alerts.channels import delivery_text
from oddsdesk.board.alerts.gate import AlertEntry, Held, said_text
from oddsdesk.desk.ui.formatting import exact_odds_text, local_time
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole

EntryKey = tuple[int, int]
"""When the alert came up, in milliseconds, and a number."""


class AlertsModel(StableRowsModel[EntryKey, AlertEntry]):
    """The newest alerts on top, unless the user sorts by something else."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(COLUMNS, 0, clock)

    def tip(self, row: int, column: int) -> str:
        entry = self.entry(row)
        said = [*shown_texts(entry), state_text(entry)]
        said += [f"{name}: {delivery_text(became)}" for name, became in entry.deliveries.items()]
        return "\n".join(filter(None, said))


def alert_rows(entries: Iterable[AlertEntry]) -> dict[EntryKey, AlertEntry]:
    """Return the rows of the table by key."""
    return {(entry.at, number): entry for number, entry in enumerate(entries)}


def shown_texts(entry: AlertEntry) -> tuple[str, str]:
    """Return the headline and the details of an alert, in the odds format of the desk."""
    alert = entry.alert
    return said_text(alert.says, exact_odds_text), said_text(alert.also, exact_odds_text)


def line_text(entry: AlertEntry) -> str:
    """Return an alert in one line, with its game."""
    title, text = shown_texts(entry)
    return " · ".join(filter(None, (title, text.partition(" · ")[0])))


def when_text(at_ms: int, now_ms: int) -> str:
    """Return a time in local time, with the day if that is not today."""
    at = local_time(at_ms)
    if at.date() == local_time(now_ms).date():
        return hour_text(at, seconds=True)
    return f"{date_text(at, year=False)} {hour_text(at)}"


def state_text(entry: AlertEntry) -> str:
    """Return "sent", or why not and how often."""
    if entry.held is None:
        return pgettext("an alert", "sent")
    times = f" ({entry.times}×)" if entry.times > 1 else ""
    return _("not sent: {reason}").format(reason=translated(entry.held.held_text)) + times


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


_NOT_BETTER: Final = _("not sent: {reason}").format(reason=translated(Held.NOT_RISEN.held_text))

_OVER: Final = selection_text("Over 2.5")
COLUMNS: Final[tuple[ColumnSpec[AlertEntry, int], ...]] = (
    ColumnSpec(
        "at",
        _("Time"),
        Column("88 Nov 88:88 AM"),
        lambda entry, now: Cell(when_text(entry.at, now), TextRole.SOFT),
        lambda entry: entry.at,
        descending_first=True,
        tip=_("When the alert came up"),
    ),
    ColumnSpec(
        "rule",
        _("Rule"),
        Column("Connection", Align.LEFT, likes="Before kick-off"),
        lambda entry, _now: Cell(entry.alert.rule, TextRole.SOFT),
        lambda entry: entry.alert.rule.casefold(),
        tip=_("Alert rule"),
    ),
    ColumnSpec(
        "title",
        _("Alert"),
        Column(
            f"+3.4 %: {_OVER} 2.10 at Betfair",
            Align.LEFT,
            stretches=True,
            likes=f"+3.4 %: {_OVER} 2.10 at Betfair Everton v Liverpool · Total · fair 2.783",
        ),
        _title,
        lambda entry: entry.alert.alert_title.casefold(),
        tip=_("Enter shows the price"),
    ),
    ColumnSpec(
        "state",
        _("Status"),
        Column(
            _("not sent: {reason}").format(reason=_("quiet hours")),
            Align.LEFT,
            likes=f"{_NOT_BETTER} (2×)",
            stretches=True,
            widest=f"{_NOT_BETTER} (50×)",
        ),
        lambda entry, _now: Cell(
            state_text(entry), TextRole.STRONG if entry.held is None else TextRole.NOTE
        ),
        state_text,
        tip=_("Sent, or why not and how often"),
        priority=Priority.EXTRA,
    ),
    ColumnSpec(
        "channels",
        _("Channels"),
        Column("phone ✓, mail ✓", Align.LEFT),
        lambda entry, _now: Cell(_channels(entry), TextRole.NOTE),
        _channels,
        tip=_("✓ delivered, … sending, ✕ not delivered; the row's tooltip has the reason"),
        priority=Priority.EXTRA,
    ),
)
