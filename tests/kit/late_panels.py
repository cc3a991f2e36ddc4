"""All panels of a desk, as a moment after the first prices."""

from typing import Any

from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.docks import LatePanel


def late_ones(desk: Desk) -> list[LatePanel[Any]]:
    """Return all that are made late, or were."""
    return list(desk.late_panels._panels)


def make_all(desk: Desk) -> None:
    """Make the panels that are not there yet."""
    for panel in late_ones(desk):
        panel()
