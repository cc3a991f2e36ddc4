"""All panels of a desk, as a moment after the first prices."""

from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.late_panels import LatePanel


def make_all(desk: Desk) -> None:
    """Make the panels that are not there yet."""
    for part in vars(desk).values():
        if isinstance(part, LatePanel):
            part()
