"""The way of a price, from its receipt to the paint that shows it, followed in the real desk.

A message counts from when the server handed it to its socket, which may rest, or the loop be busy:
the server notes that in a file, maybe in another process. From there prices of games in sight are
followed through the queue and the board into matrix and grid, whose own signals tell when they are
to be painted, and to the paint of the pane.
"""

import time
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from oddsdesk.board.board import Board
from oddsdesk.board.intake.sync import MessageQueue
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Notice, PricesChanged
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import parse_ms
from oddsdesk.desk.grid.book import Marks
from oddsdesk.desk.grid.panel import GridPanel
from oddsdesk.desk.ui.table.live_model import LiveModel
from oddsdesk.desk.ui.table.live_pane import LivePane
from oddsdesk.server.stream.hub import Hub
from oddsdesk.store.values import Change

known_id = cache(game_id)


def note_sent(path: Path) -> None:
    """Note from now on in a file when the server hands changes to its sockets."""
    lines = path.open("w", buffering=1, encoding="ascii")
    hand_out, write, newest = Hub._hand_out, Hub._write, [0]

    def handing_out(hub: Hub, changes: Sequence[Change], *rest: Any) -> Iterator[None]:
        newest[0] = max(change.scraped_at for change in changes)
        return hand_out(hub, changes, *rest)

    def writing(hub: Hub, *what: Any) -> int:
        lines.write(f"{newest[0]} {time.time()}\n")
        return write(hub, *what)

    Hub._hand_out, Hub._write = handing_out, writing  # type: ignore[method-assign]


class Sent:
    """When changes were handed to the socket, as ``note_sent`` notes it, maybe elsewhere."""

    def __init__(self, path: Path) -> None:
        self._lines = path.open(encoding="ascii")
        self._newest: list[int] = []
        self._at: list[float] = []

    def at(self, scraped_ms: int) -> float:
        """Return when that was, in seconds since the epoch, for a change that was received."""
        for line in self._lines:
            newest, at = line.split()
            self._newest.append(int(newest))
            self._at.append(float(at))
        return self._at[bisect_left(self._newest, scraped_ms)]


class Pixels:
    """When prices that were received were painted, as the tables' own signals tell it."""

    def __init__(self) -> None:
        self._received: dict[object, dict[RowKey, float]] = {}
        self._told: dict[object, list[float]] = {}
        self._due: dict[object, list[float]] = {}
        self.delays: dict[str, list[float]] = {}

    def receive(self, key: RowKey, at: float, models: Iterable[object]) -> None:
        for model in models:
            self._received.setdefault(model, {}).setdefault(key, at)

    def take(self, model: object, keys: Iterable[RowKey], seen: Container[RowKey]) -> None:
        """Note that a model took in prices: its next flush tells of those in sight."""
        received = self._received.setdefault(model, {})
        found = [(key, at) for key in keys if (at := received.pop(key, None)) is not None]
        self._told.setdefault(model, []).extend(at for key, at in found if key in seen)

    def forget(self, keys: Iterable[RowKey]) -> None:
        """Note that prices were received that were known already."""
        for key in keys:
            for received in self._received.values():
                received.pop(key, None)

    def flushed(self, model: object) -> None:
        self._due.setdefault(model, []).extend(self._told.pop(model, []))

    def painted(self, model: object) -> None:
        now = time.perf_counter()
        delays = self.delays.setdefault(type(model).__name__, [])
        delays += [now - at for at in self._due.pop(model, [])]


class Follower:
    """Follows prices that a desk receives from now on, as long as the desk runs.

    Those of the ``first`` game are seen in the ``matrix`` and the ``grid``, others in the latter.
    """

    def __init__(
        self,
        board: Board,
        sent: Sent,
        pixels: Pixels,
        first: str,
        matrix: LiveModel,
        grid: GridPanel,
    ) -> None:
        self._board = board
        self._sent = sent
        self._pixels = pixels
        self._first = first
        self._models = matrix, grid.table.model
        self._grid = grid
        self._waiting: dict[int, RowKey] = {}
        """The prices of messages in the queue, by ``id``."""
        self._changed: set[RowKey] = set()
        """What the messages changed that are taken in now."""
        self._watch_queue()
        self._watch_board()
        self._watch_grid()
        for model in self._models:
            model.dataChanged.connect(lambda *_span, m=model: pixels.flushed(m))

    def _watch_queue(self) -> None:
        put = MessageQueue.put_messages

        def heard(queue: MessageQueue, messages: Any) -> None:
            ago = time.time() - time.perf_counter()
            came: dict[str, float] = {}
            for message in messages:
                if (key := self._key_in_sight(message)) is None:
                    continue
                self._waiting[id(message)] = key
                if (text := message.scraped_at) not in came:
                    came[text] = self._sent.at(parse_ms(text)) - ago
                is_open = key.game_id == self._first
                self._pixels.receive(key, came[text], self._models[0 if is_open else 1 :])
            put(queue, messages)

        MessageQueue.put_messages = heard  # type: ignore[method-assign, assignment]

    def _key_in_sight(self, message: Any) -> RowKey | None:
        game = known_id(message.competition, message.match_name)
        if not self._is_followed(game):
            return None
        of_game = message.market_type, message.period, message.selection
        return RowKey(game, *of_game, message.bookmaker)

    def _is_followed(self, game: str) -> bool:
        return game == self._first or game in self._board.in_grid

    def _watch_board(self) -> None:
        apply = self._board._apply

        def applied(game: str, messages: Any, bad: list[str]) -> None:
            self._changed.clear()
            apply(game, messages, bad)
            known = [self._waiting.pop(id(message), None) for message in messages]
            self._pixels.forget(k for k in known if k is not None and k not in self._changed)

        self._board._apply = applied  # type: ignore[method-assign]
        self._board.subscribe(self._on_board_notice)

    def _on_board_notice(self, notice: Notice) -> None:
        if not isinstance(notice, PricesChanged) or not self._is_followed(notice.game_id):
            return
        keys = [RowKey(notice.game_id, *cell) for cell in notice.cells]
        self._changed.update(keys)
        if notice.game_id == self._first:
            self._pixels.take(self._models[0], keys, self._changed)

    def _watch_grid(self) -> None:
        book = self._grid.model.book
        take = book.take_prices

        def taken(marks: Marks) -> Any:
            followed = [each for each in marks.items() if self._is_followed(each[0][0])]
            keys = [RowKey(*of, name) for of, names in followed for name in names]
            shown = map(self._grid.model.entry, self._grid.table.rows_in_view())
            seen = {RowKey(*one.selection.key, one.bookmaker) for one in shown if one is not None}
            self._pixels.take(self._models[1], keys, seen)
            return take(marks)

        book.take_prices = taken  # type: ignore[method-assign]


def note_paints(pixels: Pixels) -> None:
    """Note when a pane was painted; before any is made."""
    paint = LivePane.paintEvent

    def painted(self: LivePane, event: Any) -> None:
        paint(self, event)
        pixels.painted(self.model())

    LivePane.paintEvent = painted  # type: ignore[method-assign]
