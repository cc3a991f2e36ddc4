"""What bets came to, in a line of figures: profit, yield, closing line, luck, drawdown, risk."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.formatting import signed_hundredths_text, signed_text
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.reports import Report

_LEAST: Final = 118
_LARGE: Final = 1_000


class Fact(NamedTuple):
    """A figure with what it is of."""

    title: str
    figure: str
    detail: str


class AtRisk(NamedTuple):
    """What is open, of what may be."""

    amount: float
    bankroll: float | None
    """None for a currency that is not the user's own."""
    cap: float


def facts_of(found: Report, risk: AtRisk) -> list[Fact]:
    """Return a report as figures with what they are of; a dash where there is none."""
    drawdown = found.drawdown
    return [
        Fact(
            "Profit",
            signed_hundredths_text(found.profit) if found.bets else "–",
            f"expected {signed_hundredths_text(found.expected)}" if found.expected_bets else "",
        ),
        Fact(
            "Yield",
            _percent(found.yield_pct),
            f"on {_amount(found.staked)} staked, {_bets(found.bets)}",
        ),
        Fact("Closing line", _percent(found.clv_pct), _beaten(found)),
        Fact("Luck or skill", "–" if found.z is None else f"z {_z(found.z)}", luck_text(found)),
        Fact(
            "Drawdown",
            signed_hundredths_text(drawdown.depth) if found.bets else "–",
            f"worst, {_bets(drawdown.bets)} long" if drawdown.depth else "",
        ),
        _risk(risk),
    ]


def luck_text(found: Report) -> str:
    """Return how often chance alone does as well, or as badly, in words."""
    if found.z is None or found.chance is None:
        return ""
    share = min(found.chance, 1 - found.chance)
    side = "by chance" if found.z >= 0 else "as bad by chance"
    if share > 0.4:
        return "what chance alone does"
    times = 1 / share if share > 0 else float("inf")
    return f"one in {times:,.0f} {side}" if times < 10_000 else f"hardly ever {side}"


def _beaten(found: Report) -> str:
    if found.beaten_pct is None:
        return ""
    return f"{found.beaten_pct:.0f} % of {found.clv_bets} beaten"


def _risk(risk: AtRisk) -> Fact:
    if risk.bankroll is None:
        return Fact("At risk", f"{risk.amount:,.2f}", "")
    share = risk.amount / risk.bankroll * 100
    of = f"{_amount(risk.amount)} of {risk.bankroll:,.0f}, cap {risk.cap * 100:.0f} %"
    return Fact("At risk", f"{share:.1f} %", of)


def _amount(amount: float) -> str:
    """Return an amount; from a thousand on its hundredths say nothing."""
    return f"{amount:,.2f}" if amount < _LARGE else f"{amount:,.0f}"


def _percent(figure: float | None) -> str:
    return "–" if figure is None else f"{signed_text(figure)} %"


def _z(figure: float) -> str:
    return f"{figure:.1f}".replace("-", "−")


def _bets(count: int) -> str:
    return f"{count} bet{'' if count == 1 else 's'}"


class FactsBar(QWidget):
    """Shows as many of the figures as there is room for, the first ones first."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(spacing.LEAD, spacing.STEP, spacing.LEAD, spacing.STEP)
        self._line.setSpacing(spacing.MARGIN)
        self._tiles: list[_Tile] = []

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show these figures in place of those before."""
        while len(self._tiles) < len(facts):
            tile = _Tile(self._theme, is_first=not self._tiles)
            self._line.addWidget(tile)
            self._tiles.append(tile)
            if len(self._tiles) == len(facts):
                self._line.addStretch(1)
        for tile, fact in zip(self._tiles, facts, strict=True):
            tile.show_fact(fact)
        self._fit()

    def texts(self) -> list[tuple[str, str, str]]:
        """Return what the figures say: title, figure, detail."""
        return [tile.texts() for tile in self._tiles]

    def _fit(self) -> None:
        room = self.width() - 2 * spacing.LEAD
        for tile in self._tiles:
            width = max(tile.sizeHint().width(), self._theme.fonts.scaled(_LEAST))
            tile.setMinimumWidth(width)
            tile.setVisible(room >= width)
            room -= width + spacing.MARGIN

    # Qt's virtuals

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:  # texts have their fonts once they are shown
            self._fit()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class _Tile(QFrame):
    """A figure with its title above and what it is of below."""

    def __init__(self, theme: Theme, *, is_first: bool) -> None:
        super().__init__()
        self._title, self._figure, self._detail = Label(), Label(), Label()
        for label in (self._title, self._detail):
            label.setProperty("variant", "note")
            label.setFont(theme.fonts.small)
        self._figure.setFont(theme.fonts.title)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(spacing.MARGIN)
        if not is_first:
            rule = QFrame()
            rule.setProperty("variant", "rule")
            rule.setFixedWidth(1)
            line.addWidget(rule)
        column = QVBoxLayout()
        column.setSpacing(0)
        for label in (self._title, self._figure, self._detail):
            column.addWidget(label)
        line.addLayout(column)

    def show_fact(self, fact: Fact) -> None:
        """Show another figure."""
        self._title.setText(fact.title)
        self._figure.setText(fact.figure)
        self._detail.setText(fact.detail)
        self.setAccessibleName(f"{fact.title}: {fact.figure} {fact.detail}".rstrip())

    def texts(self) -> tuple[str, str, str]:
        """Return what it says."""
        return self._title.text(), self._figure.text(), self._detail.text()
