"""A field for odds, in the style that the desk writes them in."""

from PySide6.QtWidgets import QLineEdit

from oddsdesk.desk.ui.formatting import odds_style, read_odds, typed_text


class OddsEdit(QLineEdit):
    """Odds, none where it is empty; those filled in stand for themselves: they may be rounded."""

    def __init__(self, purpose: str, odds: float | None, placeholder: str) -> None:
        super().__init__("" if odds is None else typed_text(odds))
        self._filled_in = self.text(), odds
        self.setAccessibleName(purpose)
        self.setPlaceholderText(placeholder)
        self.setToolTip(f"In {odds_style().replace('_', ' ')} odds, as the desk writes them")

    def odds(self) -> float | None:
        """Return decimal odds.

        Raises:
            OddsFormatError: what was typed is none of the style of the desk.
        """
        text, odds = self._filled_in
        if self.text() == text:
            return odds
        return read_odds(self.text()) if self.text().strip() else None
