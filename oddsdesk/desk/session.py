"""Which games were open, so that the next start shows them again."""

import json
import logging
from collections.abc import Collection, Sequence

from oddsdesk.desk.layout import Layout

_KEY = "session/games"
_MOST = 8
"""So many are opened again; each costs a read of its prices."""

_log = logging.getLogger(__name__)


class Session:
    """The open games as they were kept; the one in front comes first."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def keep(self, game_ids: Sequence[str], current: str | None) -> None:
        """Keep which games are open, and which is in front."""
        others = [game_id for game_id in game_ids if game_id != current]
        first = [] if current is None else [current]
        self._layout.put(_KEY, json.dumps([*first, *others][:_MOST]))

    def games(self, present: Collection[str]) -> list[str]:
        """Return the games that were open and are among the present ones."""
        text = self._layout.get(_KEY, "[]")
        try:
            kept = json.loads(text)
        except ValueError:
            kept = None
        if not isinstance(kept, list) or not all(isinstance(game, str) for game in kept):
            _log.warning("%s: expected a JSON list of games; none is opened again", _KEY)
            return []
        return [game_id for game_id in kept[:_MOST] if game_id in present]
