"""How the user stakes, kept between starts."""

import logging
import math
from typing import Final

from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.layout import Layout
from oddsdesk.pricing.stakes import StakePlan

STEPS: Final = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)
"""What stakes may be rounded down to."""
_RANGES: Final = {
    "bankroll": (0.01, 1e9),
    "kelly_share": (0.01, 1.0),
    "cap": (0.001, 1.0),
    "step": (min(STEPS), max(STEPS)),
}

_log = logging.getLogger(__name__)


class StakeSettings(QObject):
    """The present plan; panels take it anew on ``changed``."""

    changed = Signal()

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout
        self.plan = self._read()

    def choose(self, plan: StakePlan) -> None:
        """Stake by another plan from now on, and keep it."""
        if plan == self.plan:
            return
        self.plan = plan
        for name, value in plan._asdict().items():
            self._layout.put(f"stakes/{name}", str(value))
        self.changed.emit()

    def _read(self) -> StakePlan:
        default = StakePlan()
        figures = {name: self._figure(name, getattr(default, name)) for name in _RANGES}
        kept = self._layout.get("stakes/keeps_to_limit", str(default.keeps_to_limit))
        return default._replace(**figures, keeps_to_limit=kept == "True")

    def _figure(self, name: str, default: float) -> float:
        text = self._layout.get(f"stakes/{name}", str(default))
        least, most = _RANGES[name]
        try:
            figure = float(text)
        except ValueError:
            figure = math.nan
        if least <= figure <= most:
            return figure
        _log.warning("stakes/%s: expected %g to %g, got %r", name, least, most, text)
        return default
