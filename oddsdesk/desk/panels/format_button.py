"""The choice of the odds format, in the top bar."""

from PySide6.QtGui import QAction, QActionGroup

from oddsdesk.desk.odds_format import TITLES, OddsFormat
from oddsdesk.desk.widgets.menu_button import MenuButton
from oddsdesk.pricing.formats import format_odds

_EXAMPLE = 2.1


class FormatButton(MenuButton):
    """Names the format that odds are written in and offers the others, each with an example."""

    def __init__(self, odds_format: OddsFormat) -> None:
        super().__init__("Odds format", tells_purpose=False)
        self._format = odds_format
        self.setToolTip("How odds are written, everywhere at once")
        group = QActionGroup(self)
        self._choices: dict[str, QAction] = {}
        for style, title in TITLES.items():
            choice = self.menu_shown.addAction(f"{title}\t{format_odds(_EXAMPLE, style)}")
            choice.setCheckable(True)
            choice.triggered.connect(lambda _checked=False, s=style: odds_format.choose(s))
            group.addAction(choice)
            self._choices[style] = choice
        odds_format.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        style = self._format.style
        self._choices[style].setChecked(True)
        self.show_value(TITLES[style])
