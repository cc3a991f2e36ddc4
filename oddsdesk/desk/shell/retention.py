"""Handing over for how long price history is kept, from the desk's settings to its database."""

import logging
from typing import Final

from PySide6.QtCore import QObject

from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.settings.preferences import Whole
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.local_server import LocalServer, LocalServerError
from oddsdesk.tasks import spawn

KEY: Final = "server/keep_days"
"""What a desk up to 0.1 kept it under; a database holds it now (D76)."""
_DAYS: Final = Whole(1, 3_650)

_log = logging.getLogger(__name__)


class OldRetention(QObject):
    """Gives what an older desk kept to the first database that is served and says nothing itself.

    Once: from then on each database says for itself.
    """

    def __init__(self, layout: Layout, switchboard: ConnectionManager) -> None:
        super().__init__()
        self._layout = layout
        self._switchboard = switchboard
        switchboard.entered.connect(self._on_switchboard_entered)

    def _on_switchboard_entered(self) -> None:
        session = self._switchboard.session
        word = self._layout.get(KEY, "")
        if word and session is not None and session.local is not None:
            spawn("hand over retention", self._hand_over(session.local, word))

    async def _hand_over(self, server: LocalServer, word: str) -> None:
        try:
            handed_over = await server.adopt_keep_days(_DAYS.read(word))
        except ValueError as error:
            _log.warning("setting %s: %s; it is forgotten", KEY, error)
            handed_over = True
        except LocalServerError as error:
            _log.info("setting %s waits for a database that can be written: %s", KEY, error)
            return
        if handed_over:
            self._layout.remove(KEY)
