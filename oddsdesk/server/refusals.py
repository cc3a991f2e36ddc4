"""Requests that are refused before an endpoint is asked: counted, and logged as others are."""

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.server.access_log import log_unseen
from oddsdesk.server.figures import Figures, Refused

_HEAD_END = b"\r\n\r\n"


class Refusals:
    """What a listening socket says no to itself, so that no application hears of it.

    It is counted in ``figures``; where requests are logged (``logs``) each has a line there, too.
    """

    def __init__(self, figures: Figures | None = None, *, logs: bool = False) -> None:
        self._figures = figures or Figures()
        self._logs = logs

    def count(self, why: Refused) -> None:
        """Count one that is answered otherwise, or in no words."""
        self._figures.turned_away(why)

    def tell(self, why: Refused, client: str | None, code: ErrorCode, answer: bytes) -> None:
        """Count one, and log it with the whole answer that its client was sent."""
        self.count(why)
        if self._logs:
            log_unseen(client, why, code.status, len(answer.partition(_HEAD_END)[2]))
