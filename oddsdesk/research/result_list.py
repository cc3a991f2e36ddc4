"""A list of all results of a database, with the games that have none and sources that disagree."""

from collections import defaultdict

import msgspec

from oddsdesk.contract.results import GameResult
from oddsdesk.research.recorded_log import ALWAYS, agreed_scores
from oddsdesk.store.reader import Reader
from oddsdesk.store.results import StoredResult


class ListedResult(msgspec.Struct, frozen=True):
    """What one source says of a game, or that no source says anything."""

    game: int
    """A number that all rows of one game share, from 1."""
    game_id: str
    """Empty if no odds of this game were recorded."""
    match_name: str
    competition: str
    sport: str
    kick_off: int
    """In milliseconds."""
    has_time: bool
    """Whether the hour is known; else ``kick_off`` is noon UTC of its day."""
    result: GameResult | None = None
    """None: the game has started, and the database has no result of it."""
    recorded_at: int = 0
    """When it was recorded, in milliseconds; 0 if unknown."""
    corrections: int = 0
    """How often the source has corrected it."""
    contradicts: tuple[str, ...] = ()
    """The other sources of this game, if they cannot all be right."""

    @property
    def key(self) -> tuple[object, ...]:
        """Which game and source it is of."""
        whose = ("", "") if self.result is None else (self.result.source, self.result.bookmaker)
        return (self.competition, self.match_name, self.kick_off, *whose)


def list_results(reader: Reader, now_ms: int) -> list[ListedResult]:
    """Return all results, one for each game and source, and the games without any, by kick-off.

    Games count from their kick-off on; made-up games without a result are left out.

    Raises:
        StoreError: the database cannot be read.
    """
    groups: list[list[StoredResult]] = []
    held: defaultdict[str, list[list[StoredResult]]] = defaultdict(list)
    for each in reader.results():
        for group in held[each.game_id]:
            if group[0].result.begins_about(each.result.kick_off):
                group.append(each)
                break
        else:
            groups.append([each])
            held[each.game_id].append(groups[-1])
    rows = [row for number, group in enumerate(groups, 1) for row in _rows_of(number, group)]
    with_result = {row.game_id for row in rows}
    for number, game in enumerate(reader.real_games_between(ALWAYS[0], now_ms), len(groups) + 1):
        if game.game_id not in with_result:
            about = (game.match_name, game.competition, game.sport, game.begins_ms, game.has_time)
            rows.append(ListedResult(number, game.game_id, *about))
    return sorted(rows, key=lambda row: (row.kick_off, row.match_name))


def _rows_of(number: int, group: list[StoredResult]) -> list[ListedResult]:
    """Return the rows of one game."""
    is_contrary = len(group) > 1 and agreed_scores(each.result for each in group).is_contrary
    sources = [_source(each.result) for each in group]
    return [
        ListedResult(
            game=number,
            game_id=each.game_id if each.has_game else "",
            match_name=each.result.match_name,
            competition=each.result.competition,
            sport=each.result.sport,
            kick_off=each.result.kick_off,
            has_time=each.result.has_time,
            result=each.result,
            recorded_at=each.recorded_at,
            corrections=len(each.before),
            contradicts=tuple(sources[:place] + sources[place + 1 :]) if is_contrary else (),
        )
        for place, each in enumerate(group)
    ]


def _source(result: GameResult) -> str:
    return " ".join(filter(None, (result.source, result.bookmaker)))
