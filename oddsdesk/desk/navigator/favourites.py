"""The user's favourite games, kept between starts."""

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QObject, Signal

from oddsdesk.clock import Clock
from oddsdesk.desk.settings.saved_state import Layout, Saved

FORGET_MS: Final = 14 * 24 * 3_600_000
"""After so long without being seen at the service a game is no favourite any more."""
_KEY: Final = "favourites/games"
_FORMER_KEY: Final = "watch/games"


class Favourites(QObject):
    """Ids of games, with when each was last among those of the service."""

    changed = Signal()
    """A game was added or removed."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        super().__init__()
        _rename_kept(layout)
        self._clock = clock
        self._saved = Saved(layout, _KEY, dict[str, int], {})
        self._seen = self._saved.get()
        self._forget()

    def __contains__(self, game_id: str) -> bool:
        return game_id in self._seen

    def __len__(self) -> int:
        return len(self._seen)

    @property
    def games(self) -> frozenset[str]:
        """The ids of the games."""
        return frozenset(self._seen)

    def toggle(self, game_id: str) -> bool:
        """Add a game, or remove it; whether it is a favourite now."""
        if self._seen.pop(game_id, None) is None:
            self._seen[game_id] = self._clock()
        self._keep()
        self.changed.emit()
        return game_id in self._seen

    def see(self, game_ids: Iterable[str]) -> None:
        """Note which games the service has now, so that those gone for long are forgotten."""
        here = self._seen.keys() & set(game_ids)
        if here:
            self._seen.update(dict.fromkeys(here, self._clock()))

    def keep(self) -> None:
        """Write down when the games were last seen; at the end of the program."""
        self._keep()

    def _forget(self) -> None:
        since = self._clock() - FORGET_MS
        self._seen = {game_id: seen for game_id, seen in self._seen.items() if seen >= since}

    def _keep(self) -> None:
        self._saved.put(self._seen)


def _rename_kept(layout: Layout) -> None:
    """Take over what a version kept that called favourites a watch list."""
    former = layout.get(_FORMER_KEY, "")
    if former and not layout.get(_KEY, ""):
        layout.put(_KEY, former)
    layout.remove(_FORMER_KEY)
