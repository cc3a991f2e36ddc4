"""The navigator's models: competitions as a tree, games of the chosen ones as a list."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import between_teams, competition_text, shown_game, sport_text
from oddsdesk.base.texts import _, ngettext
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.board.model.results import GameScore
from oddsdesk.contract.competitions import SPORTS
from oddsdesk.contract.identity import teams
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.formatting import game_text, kick_off_text
from oddsdesk.desk.ui.spacing import GAP, HALF, ROW, STEP
from oddsdesk.desk.ui.table.cell_painter import TextCache
from oddsdesk.desk.ui.theme.theme import Theme, paint_row_ground
from oddsdesk.desk.ui.theme.tokens import TextRole

Index = QModelIndex | QPersistentModelIndex

ALL: Final = _("All games")
GAME_ROLE = int(Qt.ItemDataRole.UserRole)
"""The GameEntry of a row."""
VALUE_COUNT_ROLE = GAME_ROLE + 1
"""How many value bets a game has."""
LIVE_COUNT_ROLE = GAME_ROLE + 2
GAME_COUNT_ROLE = GAME_ROLE + 3
FAVOURITE_ROLE = GAME_ROLE + 4
"""Whether a game is one of the favourites."""
SCORE_ROLE = GAME_ROLE + 5
"""The GameScore of a game, None without one."""


class Node(msgspec.Struct):
    """A sport, or a competition of one."""

    name: str
    parent: "Node | None" = None
    children: list["Node"] = msgspec.field(default_factory=list)
    games: int = 0
    live: int = 0

    @property
    def node_title(self) -> str:
        """What people read."""
        is_sport = self.parent is not None and self.parent.parent is None
        return sport_text(self.name) if is_sport else competition_text(self.name)

    @property
    def node_row(self) -> int:
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
        """Count the games again, changing rows one by one so that nothing collapses."""
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

    def find_scope(self, sport: str | None, competition: str | None) -> QModelIndex:
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
        return self.createIndex(node.node_row, 0, node)

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
            return node.node_title
        if role == GAME_COUNT_ROLE:
            return node.games
        if role == LIVE_COUNT_ROLE:
            return node.live
        if role == Qt.ItemDataRole.AccessibleTextRole:
            live = _(", {live} live").format(live=node.live) if node.live else ""
            return _("{node_title}, {games} games{live}").format(
                node_title=node.node_title, games=node.games, live=live
            )
        return None


class GamesModel(QAbstractListModel):
    """Games of a scope that match a filter, by live first, kick-off and name."""

    def __init__(self) -> None:
        super().__init__()
        self._all: dict[str, GameEntry] = {}
        self._shown: list[GameEntry] = []
        self._values: Counter[str] = Counter()
        self._scores: dict[str, GameScore] = {}
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

    def show_scores(self, scores: Mapping[str, GameScore]) -> None:
        """Take the scores of games in play or ended, by id."""
        before, self._scores = self._scores, dict(scores)
        for row, game in enumerate(self._shown):
            if before.get(game.game_id) != self._scores.get(game.game_id):
                self.dataChanged.emit(self.index(row), self.index(row))

    def show_favourites(self, game_ids: frozenset[str]) -> None:
        self._favourites = game_ids
        self._refresh()
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def show_only_favourites(self, only: bool) -> None:
        """Show favourites of every competition, or those of the scope."""
        self._only_favourites = only
        self._refresh()

    def choose_scope(self, sport: str | None, competition: str | None) -> None:
        """Show a sport or competition only; None is all."""
        self._scope = (sport, competition)
        self._refresh()

    def filter_by(self, text: str) -> None:
        """Show games that hold every word of the text, in name or competition."""
        self._words = tuple(text.casefold().split())
        self._refresh()

    def matches(self, game: GameEntry) -> bool:
        """Say whether a game holds every word of the filter."""
        title = competition_text(game.competition)
        name = f"{game.match_name} {shown_game(game.match_name)}"
        text = f"{name} {game.competition} {title} {game.sport}".casefold()
        return all(word in text for word in self._words)

    def row_of_game(self, game_id: str) -> int | None:
        """Return the row of a game, None where it is not shown."""
        return next((row for row, g in enumerate(self._shown) if g.game_id == game_id), None)

    @property
    def scope_name(self) -> str:
        """What is shown while nothing is filtered."""
        sport, competition = self._scope
        return competition_text(competition) if competition else sport_text(sport or ALL)

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
            return shown_game(game.match_name)
        score = self._scores.get(game.game_id)
        if role == Qt.ItemDataRole.ToolTipRole:
            told = (game_text("", game.match_name), competition_text(game.competition))
            return "\n".join((*told, score.explained) if score is not None else told)
        if role == SCORE_ROLE:
            return score
        if role == GAME_ROLE:
            return game
        if role == FAVOURITE_ROLE:
            return game.game_id in self._favourites
        if role == VALUE_COUNT_ROLE:
            return self._values[game.game_id]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            favourite = _(", favourite") if game.game_id in self._favourites else ""
            count = game.bookmaker_count
            title = competition_text(game.competition)
            stands = "" if score is None else f", {score.in_words}"
            return _("{match_name}, {title}{stands}, {count} bookmakers{favourite}").format(
                match_name=shown_game(game.match_name),
                title=title,
                stands=stands,
                count=count,
                favourite=favourite,
            )
        return None


def _competition_order(code: str) -> tuple[str, str]:
    return competition_text(code).casefold(), code


def _sport_order(sport: str) -> tuple[int, str]:
    return (SPORTS.index(sport) if sport in SPORTS else len(SPORTS), sport)


def _game_order(game: GameEntry) -> tuple[bool, float, str]:
    kick_off = float("inf") if game.kick_off is None else game.kick_off
    return not game.is_live, kick_off, game.match_name


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
        self._seen = self._saved.get_value()
        self._forget()

    def __contains__(self, game_id: str) -> bool:
        return game_id in self._seen

    def __len__(self) -> int:
        return len(self._seen)

    @property
    def game_ids(self) -> frozenset[str]:
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

    def keep_seen(self) -> None:
        """Write down when the games were last seen; at the end of the program."""
        self._keep()

    def _forget(self) -> None:
        since = self._clock() - FORGET_MS
        self._seen = {game_id: seen for game_id, seen in self._seen.items() if seen >= since}

    def _keep(self) -> None:
        self._saved.keep_value(self._seen)


def _rename_kept(layout: Layout) -> None:
    """Take over what a version kept that called favourites a watch list."""
    former = layout.get_word(_FORMER_KEY, "")
    if former and not layout.get_word(_KEY, ""):
        layout.keep_word(_KEY, former)
    layout.remove_word(_FORMER_KEY)


_DOT = 6.0
_STAR = 12
_GAME_ROW = 42


class _RowDelegate(QStyledItemDelegate):
    """What both kinds of rows share: dot and texts."""

    def __init__(self, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self._theme = theme
        self._clock = clock
        self._restyle()
        theme.changed.connect(self._restyle)

    def _restyle(self) -> None:
        fonts = self._theme.fonts
        self._body, self._medium = TextCache(fonts.body), TextCache(fonts.medium)
        self._small = TextCache(fonts.small)

    def _text(
        self,
        painter: QPainter,
        area: QRectF,
        text: str,
        ink: TextRole,
        cache: TextCache,
        *,
        right: bool = False,
    ) -> float:
        """Draw one run, elided to its area, and return its width."""
        laid = cache.fit_text(text, int(area.width()))
        painter.setFont(cache.font)
        painter.setPen(self._theme.colour(ink))
        x = area.right() - laid.width if right else area.left()
        y = area.top() + (area.height() - cache.height) / 2
        painter.drawStaticText(round(x), round(y), laid.static)
        return float(laid.width)

    def _live(self, painter: QPainter, left: float, area: QRectF, text: str) -> float:
        """Draw the live dot with its word and return where it ends."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(TextRole.LIVE))
        painter.drawEllipse(QPointF(left + _DOT / 2, area.center().y()), _DOT / 2, _DOT / 2)
        start = left + _DOT + HALF
        rest = QRectF(start, area.top(), area.right() - start, area.height())
        return start + self._text(painter, rest, text, TextRole.LIVE, self._small)


class CompetitionDelegate(_RowDelegate):
    """A sport or competition: its name, a live dot with a count, the number of games."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        paint_row_ground(painter, option, self._theme.tokens, hovers=True)
        is_sport = not index.parent().isValid()
        cache = self._medium if is_sport else self._body
        area = QRectF(option.rect).adjusted(HALF, 0, -GAP, 0)
        count = str(index.data(GAME_COUNT_ROLE))
        width = self._text(painter, area, count, TextRole.NOTE, self._small, right=True)
        live = index.data(LIVE_COUNT_ROLE)
        name_area = area.adjusted(0, 0, -width - STEP, 0)
        room_of_name = name_area.adjusted(0, 0, -STEP - _DOT if live else 0, 0)
        ink = TextRole.STRONG if is_sport else TextRole.SOFT
        width = self._text(painter, room_of_name, str(index.data()), ink, cache)
        if live:
            left = name_area.left() + width + STEP
            room = name_area.right() - left - _DOT - HALF
            said = first_fitting(
                ([_("{live} live").format(live=live)], [str(live)]), room, self._small
            )
            self._live(painter, left, name_area, *said or [""])
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._theme.fonts.row_height(ROW))


class GameDelegate(_RowDelegate):
    """A game: its teams, then kick-off or live, number of bookmakers, value bets."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        game: GameEntry = index.data(GAME_ROLE)
        painter.save()
        paint_row_ground(painter, option, self._theme.tokens, hovers=True)
        painter.setPen(QColor(self._theme.tokens.line))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        area = QRectF(option.rect).adjusted(GAP, HALF, -GAP, -HALF)
        half = area.height() / 2
        if index.data(FAVOURITE_ROLE):
            star = self._theme.pixmap(
                "star-filled", _STAR, painter.device().devicePixelRatio(), TextRole.ACCENT
            )
            painter.drawPixmap(round(area.right()) - _STAR, round(area.top()) + 2, star)
            area.setRight(area.right() - _STAR - HALF)
        self._paint_name(painter, QRectF(area.left(), area.top(), area.width(), half), game)
        below = QRectF(area.left(), area.top() + half, area.width(), half)
        self._paint_facts(
            painter, below, game, index.data(VALUE_COUNT_ROLE), index.data(SCORE_ROLE)
        )
        painter.restore()

    def _paint_name(self, painter: QPainter, area: QRectF, game: GameEntry) -> None:
        pair = teams(game.match_name)
        if pair is None:
            self._text(painter, area, game.match_name, TextRole.STRONG, self._body)
            return
        home, away = pair
        between = between_teams()
        room = area.width() - self._body.lay(between).width
        share = max(room // 2, room - self._body.lay(away).width)  # so that both are told
        for text, ink, most in (
            (home, TextRole.STRONG, share),
            (between, TextRole.NOTE, room),
            (away, TextRole.STRONG, room),
        ):
            place = QRectF(area.left(), area.top(), min(most, area.width()), area.height())
            area.setLeft(area.left() + self._text(painter, place, text, ink, self._body))

    def _paint_facts(
        self, painter: QPainter, area: QRectF, game: GameEntry, values: int, score: GameScore | None
    ) -> None:
        small = self._small
        if score is not None and score.is_over:
            width = self._text(painter, area, score.in_words, TextRole.STRONG, small)
            area.setLeft(area.left() + width + GAP)
        elif game.is_live:
            text = _("live") if score is None else score.in_words
            area.setLeft(self._live(painter, area.left(), area, text) + GAP)
        else:
            text = kick_off_text(game.kick_off, self._clock())
            area.setLeft(area.left() + self._text(painter, area, text, TextRole.NOTE, small) + GAP)
        books = ngettext("{count} book", "{count} books", game.bookmaker_count).format(
            count=game.bookmaker_count
        )
        value = _("{values} value").format(values=values)
        every = ([books, value], [value], [str(values)]) if values else ([books],)
        for text in first_fitting(every, area.width(), small):
            ink = TextRole.NOTE if text is books else TextRole.VALUE
            area.setLeft(area.left() + self._text(painter, area, text, ink, small) + GAP)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, max(_GAME_ROW, self._theme.fonts.row_height(ROW) * 2))


def first_fitting(lines: Iterable[Sequence[str]], room: float, cache: TextCache) -> Sequence[str]:
    """Return the first line of texts that fits whole, none where none does: "1…" may be 1 or 13."""
    for texts in lines:
        if sum(cache.lay(text).width for text in texts) + GAP * (len(texts) - 1) <= room:
            return texts
    return ()
