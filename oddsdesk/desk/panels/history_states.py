"""What stands in place of a history that is not there, and where one comes from."""

from oddsdesk.board.connection import Connection
from oddsdesk.board.history import History, Origin
from oddsdesk.board.matrix import RowKey
from oddsdesk.desk.moments import local_time
from oddsdesk.desk.panels.matrix_states import State
from oddsdesk.desk.theme.tokens import Ink


def state_without_lines(
    key: RowKey | None, history: History | None, problem: str, connection: Connection
) -> State:
    """Return what to say where there is no line to draw."""
    if key is None:
        return State("info", "Select a price to see how it moved.")
    if problem:
        return State("warning", "The history cannot be read.", problem, ink=Ink.DOWN)
    if history is None:
        return State("loading", "Reading the history…")
    if connection.has_live is False and history.origin is Origin.SEEN and history.since_ms:
        detail = "Prices in play are in the plan Pro+ Live only; before kick-off they show up here."
        return State("lock", f"No price of {key.selection} was seen.", detail)
    if history.origin is Origin.SEEN and history.since_ms is None:
        detail = "A remote service keeps no history: it is recorded here while its game is open."
        return State("info", "Nothing is recorded of this game yet.", detail)
    return State("search", f"No price of {key.selection} was recorded yet.")


def origin_text(history: History, now_ms: int) -> str:
    """Return where a history comes from and since when: ``seen since 14:02``."""
    said = "from the local log" if history.origin is Origin.LOG else "seen by this desk"
    if history.since_ms is None:
        return said
    moment, now = local_time(history.since_ms), local_time(now_ms)
    day = "" if moment.date() == now.date() else f"{moment.day} {moment:%b} "
    return f"{said} since {day}{moment:%H:%M}"
