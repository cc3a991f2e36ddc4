"""Why a matrix shows no prices, or old ones: each state in its own words, with what to do."""

from typing import NamedTuple

from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.matrix import Matrix
from oddsdesk.desk.moments import span_text
from oddsdesk.desk.panels.refusals import reason_text, refusal
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.tasks import JobFault


class State(NamedTuple):
    """What a placeholder shows."""

    icon: str
    sentence: str
    detail: str = ""
    ink: Ink = Ink.NOTE


def state_without_rows(matrix: Matrix | None, connection: Connection, now_ms: int) -> State:
    """Return what to say in place of the prices of a game."""
    if connection.link is Link.REFUSED:
        return State("lock", *refusal(connection))
    if connection.link is Link.WAITING:
        return State("offline", "Not connected.", _trouble(connection, now_ms), ink=Ink.DOWN)
    if matrix is not None and matrix.read_at is not None:
        return State(
            "table",
            "No bookmaker quotes this game now.",
            "Prices show up here by themselves when one does.",
        )
    return State("loading", "Reading the prices of this game…")


def trouble_text(connection: Connection, now_ms: int, *, has_prices: bool = True) -> str:
    """Return why prices on screen grow old, or none come; empty while the service is heard."""
    old = ": prices are as last seen." if has_prices else "."
    if connection.link is Link.WAITING:
        return f"Not connected{old} {_trouble(connection, now_ms)}".rstrip()
    if connection.link is Link.REFUSED:
        sentence, detail = refusal(connection)
        return f"{sentence.rstrip('.')}{old} {detail}".rstrip()
    return ""


def faults_text(connection: Connection) -> str:
    """Return which jobs of the desk itself died, and why; empty while all are well."""
    said = [f"{job_text(fault)} ({fault.reason})" for fault in connection.faults]
    if not said:
        return ""
    jobs = "A job" if len(said) == 1 else f"{len(said)} jobs"
    return f"{jobs} of the desk failed, trying again: {'; '.join(said)}."


def service_text(connection: Connection) -> str:
    """Return what the service says is wrong with itself; empty while all is well."""
    if not connection.service_troubles:
        return ""
    return f"The service is not well: {'; '.join(connection.service_troubles)}."


def job_text(fault: JobFault) -> str:
    """Return which job it is about; of a game's prices the id says nothing to anybody."""
    name = fault.job.removeprefix("sync: ")
    return "prices of a game" if name.startswith("matrix ") else name


def _trouble(connection: Connection, now_ms: int) -> str:
    said = [reason_text(connection), connection.advice]
    if connection.since_ms is not None:
        said.append(f"Away for {span_text(now_ms - connection.since_ms)}.")
    if connection.next_try_ms is not None and connection.next_try_ms > now_ms:
        said.append(f"Next try in {span_text(connection.next_try_ms - now_ms)}.")
    return " ".join(part for part in said if part)
