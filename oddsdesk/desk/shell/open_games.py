"""Which games are open, kept between starts: tabs in order, windows, the one in front."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QByteArray

from oddsdesk.clock import Clock
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.shell.tabs import GameTabs

_KEY: Final = "session/open"
_OLD_KEY: Final = "session/games"
"""Ids alone, the one in front first; read where there is nothing newer."""
_MOST: Final = 8
"""So many are opened again; each costs a read of its prices."""
_MOST_WAITING: Final = 24
RETURN_MS: Final = 120_000
"""A board fills within that; later no tab opens by itself any more."""


class OpenGame(msgspec.Struct, frozen=True):
    """A game that was open; ``window`` is where, as Qt writes it down, if not in a tab.

    ``service`` is whose it is, None where an older version kept it: another service's game has
    the same id where teams and competition have the same names. ``is_told``: the user was told that
    it is gone.
    """

    game_id: str
    window: bytes | None = None
    service: str | None = None
    title: str = ""
    is_told: bool = False


class _Session(msgspec.Struct, frozen=True):
    games: list[OpenGame] = []
    current: str | None = None


class OpenGames:
    """Opens again what was open, as soon as the board has it, and keeps what is open now.

    A game that the board does not have, or that is of another service, stays among the kept ones
    until others take its place.
    """

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self._layout = layout
        self._clock = clock
        self._saved = Saved(layout, _KEY, _Session, _Session())
        kept = self._saved.get()
        if not kept.games:
            old = Saved(layout, _OLD_KEY, list[str], []).get()
            kept = _Session([OpenGame(game_id) for game_id in old], next(iter(old), None))
        self._waiting = list(kept.games)
        self._current = kept.current
        self.order: Sequence[str] = [game.game_id for game in kept.games]
        """The ids of what was open, as the tabs stood."""
        self._stands_in: str | None = None
        """What is in front because the game that was is not here."""
        self._until = clock() + RETURN_MS
        self._service: str | None = None

    def enter(self, service: str) -> None:
        """Take whose games the board is about to hold."""
        self._service = service

    def returning(self, present: Collection[str], most: int = _MOST) -> list[OpenGame]:
        """Return what was open and is here now, each once, the one that was in front first.

        Who takes them opens them at once: kept is what is open, and what still waits.
        """
        if self._clock() > self._until:
            return []
        ours = (game for game in self._waiting if game.service in (None, self._service))
        here = [game for game in ours if game.game_id in present]
        here = sorted(here, key=lambda game: game.game_id != self._current)[:most]
        self._waiting = [game for game in self._waiting if game not in here]
        return here

    def gone(self, present: Collection[str]) -> list[str]:
        """Return the titles of what was open and is not here, each only once."""
        ours = (None, self._service)
        gone = [
            game
            for game in self._waiting
            if game.service in ours
            and game.title
            and not game.is_told
            and game.game_id not in present
        ]
        self._waiting = [
            msgspec.structs.replace(game, is_told=True) if game in gone else game
            for game in self._waiting
        ]
        return [game.title for game in gone]

    def stand_in(self, game_id: str | None) -> None:
        """Note which game is in front now without having been chosen by the user."""
        is_waiting = any(game.game_id == self._current for game in self._waiting)
        self._stands_in = game_id if is_waiting else None

    def keep(self, games: GameTabs) -> None:
        """Keep which games are open, and which is in front of the tabs.

        A game that stands in for one that is not here leaves the front to that one.
        """
        ids, ours = games.open_games, (None, self._service)
        kept = [
            OpenGame(game_id, _place(games, game_id), self._service, games.title(game_id))
            for game_id in ids
        ]
        waiting = [g for g in self._waiting if g.game_id not in ids or g.service not in ours]
        for game in waiting[:_MOST_WAITING]:
            kept.insert(self._place_among(kept, game), game)
        in_front = games.in_front()
        is_own = in_front is not None and in_front != self._stands_in
        self._saved.put(_Session(kept, in_front if is_own else self._current))
        self._layout.remove(_OLD_KEY)

    def leave(self, games: GameTabs) -> None:
        """Keep them and close them all; they return if the board has them again."""
        self.keep(games)
        kept = self._saved.get()
        self._waiting, self._current = list(kept.games), kept.current
        self.order = [game.game_id for game in kept.games]
        self._until = self._clock() + RETURN_MS
        games.close_all()

    def _place_among(self, kept: Sequence[OpenGame], game: OpenGame) -> int:
        """Return where a game that waits stands: after those that it stood after."""
        before = set(self.order[: self.order.index(game.game_id)])
        places = (place for place, each in enumerate(kept, 1) if each.game_id in before)
        return max(places, default=0)


def open_again(
    returning: Sequence[OpenGame],
    games: GameTabs,
    title_of: Callable[[str], str],
    *,
    in_front: bool = False,
) -> None:
    """Open games, each where it was."""
    for game in returning:
        games.open_beside(game.game_id, title_of(game.game_id), in_front=in_front)
        if game.window is not None:
            games.detach(game.game_id, QByteArray(game.window))


def _place(games: GameTabs, game_id: str) -> bytes | None:
    geometry = games.window_geometry(game_id)
    return None if geometry is None else bytes(geometry.data())
