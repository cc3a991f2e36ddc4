"""Recording how games ended: one row for each game, source and bookmaker.

A later report of a source on the same game replaces its row. If it corrects the result of a game
that had ended, the earlier one stays in ``before``: bets may have settled by it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from oddsdesk.contract.results import (
    ENDED,
    GameResult,
    GameStatus,
    PeriodScore,
    SelectionResult,
    with_earlier_selections,
)
from oddsdesk.contract.times import DAY_MS
from oddsdesk.store.databases import LAST_REAL_AT
from oddsdesk.store.errors import RealOddsError
from oddsdesk.store.games import plain_name
from oddsdesk.store.values import Origin, origin_named

if TYPE_CHECKING:
    from oddsdesk.store.settings import Settings

KEY: Final = ("competition", "plain_name", "kick_off", "source", "bookmaker")
COLUMNS: Final = (
    *KEY,
    *("match_name", "sport", "has_time", "status", "home", "away", "periods", "overtime"),
    *("selections", "simulated", "may_share", "reported_at", "recorded_at", "before"),
)
_GAP_MS: Final = 7 * DAY_MS
_MOST_BEFORE: Final = 20
"""The most corrections stored: two programs that contradict each other would add more forever."""

_encode: Final = msgspec.json.Encoder().encode
_decode_periods: Final = msgspec.json.Decoder(tuple[PeriodScore, ...]).decode
_decode_selections: Final = msgspec.json.Decoder(tuple[SelectionResult, ...]).decode
_decode_before: Final = msgspec.json.Decoder(tuple[GameResult, ...]).decode

Row = tuple[Any, ...]
_Place = tuple[str, str, str]
"""Plain name, source and bookmaker."""


class StoredRow(msgspec.Struct, frozen=True):
    """A stored row."""

    result: GameResult
    may_share: bool
    recorded_at: int
    before: tuple[GameResult, ...] = ()
    """Earlier results that the source has corrected, the oldest first."""


class StoredResult(msgspec.Struct, frozen=True):
    """A result as readers get it."""

    game_id: str
    """The id of the game in this database; if it has none, the one that the names always give."""
    result: GameResult
    """In the words and the order of teams of that game."""
    has_game: bool
    recorded_at: int
    """When it was recorded, in milliseconds; 0 if unknown."""
    before: tuple[GameResult, ...] = ()
    """Earlier results that the source has corrected, the oldest first."""


def from_row(row: Row) -> StoredRow:
    """Return what a row with ``COLUMNS`` says."""
    competition, _, kick_off, source, bookmaker, match_name, sport, has_time, status, *rest = row
    home, away, periods, overtime, selections, simulated, may_share, reported_at, *last = rest
    result = GameResult(
        competition=competition,
        match_name=match_name,
        kick_off=kick_off,
        home=home,
        away=away,
        periods=_decode_periods(periods),
        sport=sport,
        status=GameStatus(status),
        has_time=bool(has_time),
        overtime=None if overtime is None else bool(overtime),
        selections=_decode_selections(selections),
        bookmaker=bookmaker,
        source=source,
        reported_at=reported_at,
        simulated=bool(simulated),
    )
    return StoredRow(result, bool(may_share), last[0], _decode_before(last[1]))


def to_row(entry: StoredRow) -> Row:
    """Return the row of a result."""
    result = entry.result
    return (
        *_key(result),
        *(
            result.match_name,
            result.sport,
            result.has_time,
            result.status.value,
            result.home,
            result.away,
        ),
        *(_encode(result.periods).decode(), result.overtime, _encode(result.selections).decode()),
        *(result.simulated, entry.may_share, result.reported_at, entry.recorded_at),
        _encode(entry.before).decode(),
    )


def record_results(
    settings: "Settings", results: Iterable[GameResult], origin: Origin | None, now_ms: int
) -> None:
    """Record results in their order, inside a transaction.

    Raises:
        RealOddsError: some are simulated, and the database has real odds.
    """
    by_competition: defaultdict[str, list[GameResult]] = defaultdict(list)
    is_simulated = False
    for result in results:
        is_simulated |= result.simulated
        if not result.source and origin is not None:
            result = msgspec.structs.replace(result, source=origin.source)
        by_competition[result.competition].append(result)
    if is_simulated and settings.number_setting(LAST_REAL_AT) is not None:
        raise RealOddsError
    for competition, group in by_competition.items():
        _record_competition(settings, competition, group, origin, now_ms)


def _record_competition(
    settings: "Settings",
    competition: str,
    results: Collection[GameResult],
    origin: Origin | None,
    now_ms: int,
) -> None:
    stored: defaultdict[_Place, list[StoredRow]] = defaultdict(list)
    for first, last in spans_of(result.kick_off for result in results):
        for row in settings.results_between(competition, first - DAY_MS, last + DAY_MS):
            entry = from_row(row)
            stored[_place(entry.result)].append(entry)
    gone: set[Row] = set()
    new: dict[Row, StoredRow] = {}
    for result in results:
        there = stored[_place(result)]
        may_share = origin_named(result.source).may_share and (origin is None or origin.may_share)
        before = _same_game(result, there)
        if before is None:
            entry = StoredRow(result, may_share, now_ms)
        else:
            entry = _updated(before, result, may_share=may_share, now_ms=now_ms)
            if entry == before:
                continue
            there.remove(before)
            new.pop(_key(before.result), None)
            gone.add(_key(before.result))
        there.append(entry)
        new[_key(entry.result)] = entry
    settings.replace_results(sorted(gone), [to_row(entry) for entry in new.values()])


def _place(result: GameResult) -> _Place:
    return plain_name(result.match_name), result.source, result.bookmaker


def _key(result: GameResult) -> Row:
    name = plain_name(result.match_name)
    return result.competition, name, result.kick_off, result.source, result.bookmaker


def spans_of(moments: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans of some moments in milliseconds, without the long gaps between them."""
    first = last = None
    for moment in sorted(moments):
        if first is None or last is None:
            first = moment
        elif moment - last > _GAP_MS:
            yield first, last
            first = moment
        last = moment
    if first is not None and last is not None:
        yield first, last


def _same_game(result: GameResult, there: Iterable[StoredRow]) -> StoredRow | None:
    """Return what is stored of the same game: the nearest, if it is near enough."""
    found = [entry for entry in there if entry.result.is_same_game(result)]
    return min(found, key=lambda entry: abs(entry.result.kick_off - result.kick_off), default=None)


def _updated(entry: StoredRow, result: GameResult, *, may_share: bool, now_ms: int) -> StoredRow:
    """Return what is stored after another report; the same if that is nothing new."""
    before = entry.result
    if 0 < result.reported_at < before.reported_at:  # it comes late, and corrects nothing
        now = with_earlier_selections(before, result)
    else:
        now = with_earlier_selections(result, before)
        if now.home is None and now.status is before.status:
            now = msgspec.structs.replace(
                now, home=before.home, away=before.away, periods=before.periods
            )
    if before.has_time and not now.has_time:
        now = msgspec.structs.replace(now, has_time=True, kick_off=before.kick_off)
    allowed = entry.may_share and may_share
    if msgspec.structs.replace(now, reported_at=before.reported_at) == before:
        return (
            entry
            if allowed == entry.may_share
            else msgspec.structs.replace(entry, may_share=allowed)
        )
    earlier = (*entry.before, before) if _takes_back(now, before) else entry.before
    return StoredRow(now, allowed, now_ms, earlier[-_MOST_BEFORE:])


def _takes_back(now: GameResult, before: GameResult) -> bool:
    """Return whether a result contradicts what bets may have settled by."""
    were = {_selection(each): each for each in before.selections}
    if any(were.get(_selection(each), each) != each for each in now.selections):
        return True
    if before.status not in ENDED:
        return False
    if now.status is not before.status:
        return True
    if before.home is not None and (now.home, now.away) != (before.home, before.away):
        return True
    scores = {each.period: each for each in before.periods}
    if any(scores.get(each.period, each) != each for each in now.periods):
        return True
    return None not in (now.overtime, before.overtime) and now.overtime != before.overtime


def _selection(result: SelectionResult) -> tuple[str, int, str]:
    return result.market_type, result.period, result.selection
