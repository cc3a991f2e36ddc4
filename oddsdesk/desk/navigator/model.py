"""The navigator's models: competitions as a tree, games of the chosen ones as a list."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
)

from oddsdesk.board.games import GameEntry
from oddsdesk.contract.competition_titles import competition_title
from oddsdesk.contract.competitions import SPORTS, sport_title
from oddsdesk.desk.ui.formatting import beside_text

Index = QModelIndex | QPersistentModelIndex

ALL: Final = "All games"
GAME_ROLE = int(Qt.ItemDataRole.UserRole)
"""The GameEntry of a row."""
VALUE_COUNT_ROLE = GAME_ROLE + 1
"""How many value bets a game has."""
LIVE_COUNT_ROLE = GAME_ROLE + 2
GAME_COUNT_ROLE = GAME_ROLE + 3
FAVOURITE_ROLE = GAME_ROLE + 4
"""Whether a game is one of the favourites."""


class Node(msgspec.Struct):
    """A sport, or a competition of one."""

    name: str
    parent: "Node | None" = None
    children: list["Node"] = msgspec.field(default_factory=list)
    games: int = 0
    live: int = 0

    @property
    def title(self) -> str:
        """What people read."""
        is_sport = self.parent is not None and self.parent.parent is None
        return sport_title(self.name) if is_sport else competition_title(self.name)

    @property
    def row(self) -> int:
        """Where it stands among its siblings."""
        return self.parent.children.index(self) if self.parent else 0


class CompetitionsModel(QAbstractItemModel):
    """All games, then sports with their competitions, counted.

    A node keeps its place while it has games.
    """

    def __init__(self) -> None:
        super().__init__()
        self._root = Node("")

    def show_games(self, games: Iterable[GameEntry]) -> None:
        """Count the games anew; rows come, go and change one by one, so that nothing folds."""
        totals: dict[str, Counter[str]] = {}
        live: dict[str, Counter[str]] = {}
        for game in games:
            totals.setdefault(game.sport, Counter())[game.competition] += 1
            if game.is_live:
                live.setdefault(game.sport, Counter())[game.competition] += 1
        shown = [ALL, *sorted(totals, key=_sport_order)] if totals else []
        self._merge(self._root, QModelIndex(), shown)
        for node in self._root.children[:1]:
            every = [*totals.values()], [*live.values()]
            self._count(node, *(sum(each.total() for each in some) for some in every))
        for node in self._root.children[1:]:
            counts, playing = totals[node.name], live.get(node.name, Counter())
            index = self._index_of(node)
            self._merge(node, index, sorted(counts, key=_competition_order))
            self._count(node, counts.total(), playing.total())
            for child in node.children:
                self._count(child, counts[child.name], playing[child.name])

    def scope(self, index: Index) -> tuple[str | None, str | None]:
        """Return (sport, competition) that a row stands for; None is all."""
        node = self._node(index)
        if node is self._root or (node.parent is self._root and node.name == ALL):
            return None, None
        if node.parent is self._root:
            return node.name, None
        assert node.parent is not None
        return node.parent.name, node.name

    def find(self, sport: str | None, competition: str | None) -> QModelIndex:
        """Return the row of a scope, an invalid index where it has no games."""
        sport = ALL if sport is None else sport
        for node in self._root.children:
            if node.name != sport:
                continue
            if competition is None:
                return self._index_of(node)
            for child in node.children:
                if child.name == competition:
                    return self._index_of(child)
        return QModelIndex()

    def _merge(self, parent: Node, index: QModelIndex, wanted: list[str]) -> None:
        for row in reversed(range(len(parent.children))):
            if parent.children[row].name not in wanted:
                self.beginRemoveRows(index, row, row)
                del parent.children[row]
                self.endRemoveRows()
        for row, name in enumerate(wanted):
            if row >= len(parent.children) or parent.children[row].name != name:
                self.beginInsertRows(index, row, row)
                parent.children.insert(row, Node(name, parent))
                self.endInsertRows()

    def _count(self, node: Node, games: int, live: int) -> None:
        if (node.games, node.live) != (games, live):
            node.games, node.live = games, live
            index = self._index_of(node)
            self.dataChanged.emit(index, index)

    def _node(self, index: Index) -> Node:
        if not index.isValid():
            return self._root
        node: Node = index.internalPointer()
        return node

    def _index_of(self, node: Node) -> QModelIndex:
        return self.createIndex(node.row, 0, node)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        children = self._node(parent).children
        if column == 0 and 0 <= row < len(children):
            return self.createIndex(row, 0, children[row])
        return QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        parent = self._node(index).parent
        if parent is None or parent is self._root:
            return QModelIndex()
        return self._index_of(parent)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return len(self._node(parent).children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 1

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        node = self._node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return node.title
        if role == GAME_COUNT_ROLE:
            return node.games
        if role == LIVE_COUNT_ROLE:
            return node.live
        if role == Qt.ItemDataRole.AccessibleTextRole:
            live = f", {node.live} live" if node.live else ""
            return f"{node.title}, {node.games} games{live}"
        return None


class GamesModel(QAbstractListModel):
    """Games of a scope that match a filter, by live first, kick-off and name."""

    def __init__(self) -> None:
        super().__init__()
        self._all: dict[str, GameEntry] = {}
        self._shown: list[GameEntry] = []
        self._values: Counter[str] = Counter()
        self._scope: tuple[str | None, str | None] = (None, None)
        self._words: tuple[str, ...] = ()
        self._favourites: frozenset[str] = frozenset()
        self._only_favourites = False

    def show_games(self, games: Iterable[GameEntry]) -> None:
        """Take the present games; rows that stay keep their place and selection."""
        self._all = {game.game_id: game for game in games}
        self._refresh()

    def show_values(self, game_ids: Iterable[str]) -> None:
        """Take the games of all value bets, one a bet."""
        counts = Counter(game_ids)
        changed = {game_id for game_id, count in (counts - self._values).items() if count}
        changed |= set(self._values - counts)
        self._values = counts
        for row, game in enumerate(self._shown):
            if game.game_id in changed:
                self.dataChanged.emit(self.index(row), self.index(row))

    def show_favourites(self, game_ids: frozenset[str]) -> None:
        """Take the favourites."""
        self._favourites = game_ids
        self._refresh()
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def show_only_favourites(self, only: bool) -> None:
        """Show favourites of every competition, or those of the scope."""
        self._only_favourites = only
        self._refresh()

    def choose(self, sport: str | None, competition: str | None) -> None:
        """Show a sport or competition only; None is all."""
        self._scope = (sport, competition)
        self._refresh()

    def filter_by(self, text: str) -> None:
        """Show games that hold every word of the text, in name or competition."""
        self._words = tuple(text.casefold().split())
        self._refresh()

    def matches(self, game: GameEntry) -> bool:
        """Say whether a game holds every word of the filter."""
        title = competition_title(game.competition)
        text = f"{game.match_name} {game.competition} {title} {game.sport}".casefold()
        return all(word in text for word in self._words)

    def row_of(self, game_id: str) -> int | None:
        """Return the row of a game, None where it is not shown."""
        return next((row for row, g in enumerate(self._shown) if g.game_id == game_id), None)

    @property
    def scope_name(self) -> str:
        """What is shown while nothing is filtered."""
        sport, competition = self._scope
        return competition_title(competition) if competition else sport_title(sport or ALL)

    @property
    def total(self) -> int:
        """How many games there are at all."""
        return len(self._all)

    def _wanted(self) -> list[GameEntry]:
        anywhere = self._words or self._only_favourites
        sport, competition = (None, None) if anywhere else self._scope
        return sorted(
            (
                game
                for game in self._all.values()
                if (sport is None or game.sport == sport)
                and (competition is None or game.competition == competition)
                and (game.game_id in self._favourites or not self._only_favourites)
                and self.matches(game)
            ),
            key=_game_order,
        )

    def _refresh(self) -> None:
        wanted = self._wanted()
        if [game.game_id for game in wanted] == [game.game_id for game in self._shown]:
            self._update(wanted)
            return
        self._move(wanted)

    def _update(self, wanted: list[GameEntry]) -> None:
        for row, game in enumerate(wanted):
            if game != self._shown[row]:
                self._shown[row] = game
                self.dataChanged.emit(self.index(row), self.index(row))

    def _move(self, wanted: list[GameEntry]) -> None:
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        games = [self._shown[index.row()].game_id for index in held]
        self._shown = wanted
        rows = {game.game_id: row for row, game in enumerate(wanted)}
        moved = [
            self.index(rows[game_id]) if game_id in rows else QModelIndex() for game_id in games
        ]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not 0 <= index.row() < len(self._shown):
            return None
        game = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return game.match_name
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{beside_text('', game.match_name)}\n{competition_title(game.competition)}"
        if role == GAME_ROLE:
            return game
        if role == FAVOURITE_ROLE:
            return game.game_id in self._favourites
        if role == VALUE_COUNT_ROLE:
            return self._values[game.game_id]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            favourite = ", favourite" if game.game_id in self._favourites else ""
            count = game.bookmaker_count
            title = competition_title(game.competition)
            return f"{game.match_name}, {title}, {count} bookmakers{favourite}"
        return None


def _competition_order(code: str) -> tuple[str, str]:
    return competition_title(code).casefold(), code


def _sport_order(sport: str) -> tuple[int, str]:
    return (SPORTS.index(sport) if sport in SPORTS else len(SPORTS), sport)


def _game_order(game: GameEntry) -> tuple[bool, float, str]:
    kick_off = float("inf") if game.kick_off is None else game.kick_off
    return not game.is_live, kick_off, game.match_name
