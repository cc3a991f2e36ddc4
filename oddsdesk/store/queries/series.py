"""Series of statistics, each with the game of this database that it belongs to."""

from typing import Final

from oddsdesk.contract.identity import game_id
from oddsdesk.store.queries.results import FOUND_GAMES, NamedGame, named_games
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.series import COLUMNS, KEY, StoredSeries

_SERIES: Final = f"""
SELECT {", ".join(f"ended.{each}" for each in COLUMNS)}, {FOUND_GAMES}
FROM game_series ended
WHERE {{wanted}}
ORDER BY {", ".join(f"ended.{each}" for each in KEY)}
"""


def list_series(
    select: Select,
    *,
    made_up: int,
    since_ms: int | None,
    until_ms: int | None,
    competition: str | None,
    source: str | None,
) -> list[StoredSeries]:
    """Return series by kick-off, from ``since_ms`` to before ``until_ms``.

    ``made_up`` is the last simulated game's row in a database with real odds.
    """
    asked = (
        ("since", "ended.kick_off >= :since", since_ms),
        ("until", "ended.kick_off < :until", until_ms),
        ("competition", "ended.competition = :competition", competition),
        ("source", "ended.source = :source", source),
    )
    given = [each for each in asked if each[-1] is not None]
    wanted = " AND ".join(["TRUE", *(condition for _, condition, _ in given)])
    parameters = {"made_up": made_up, **{name: value for name, _, value in given}}
    rows = select(_SERIES, parameters, wanted=wanted)
    codes = [own if own is not None else other for *_, own, other in rows]
    games = sorted({code // 2 for code in codes if code is not None})
    named = named_games(select, games)
    return [_stored(row, code, named) for row, code in zip(rows, codes, strict=True)]


def _stored(row: Row, code: int | None, named: dict[int, NamedGame]) -> StoredSeries:
    kick_off, competition, _, source, match_name, sport, has_time, points, recorded_at, *_ = row
    game = None if code is None else named.get(code // 2)
    return StoredSeries(
        game_id=game_id(competition, match_name) if game is None else game.game_id,
        match_name=match_name if game is None else game.match_name,
        competition=competition if game is None else game.competition,
        sport=sport,
        kick_off=kick_off,
        has_time=bool(has_time),
        source=source,
        has_game=game is not None,
        recorded_at=recorded_at,
        stored_points=points,
        stored_name=match_name,
        is_crosswise=code is not None and bool(code % 2),
    )
