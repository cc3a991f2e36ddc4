"""Recording how games ended: one row for each game, source and bookmaker.

What a source says later of the same game replaces its row. If it takes back what it said of a game
that had ended, the earlier result stays in ``before``: bets may have settled by it.
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
from oddsdesk.store.values import FORBIDDING, Origin

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
"""Corrections kept, the latest: two programs that contradict each other correct without end."""

_encode: Final = msgspec.json.Encoder().encode
_decode_periods: Final = msgspec.json.Decoder(tuple[PeriodScore, ...]).decode
_decode_selections: Final = msgspec.json.Decoder(tuple[SelectionResult, ...]).decode
_decode_before: Final = msgspec.json.Decoder(tuple[GameResult, ...]).decode

Row = tuple[Any, ...]
_Place = tuple[str, str, str]
"""Plain name, source and bookmaker."""


class KeptResult(msgspec.Struct, frozen=True):
    """A stored row."""

    result: GameResult
    may_share: bool
    recorded_at: int
    before: tuple[GameResult, ...] = ()
    """What the source said and took back, the oldest first."""


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
    """What the source said and took back, the oldest first."""


def from_row(row: Row) -> KeptResult:
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
    return KeptResult(result, bool(may_share), last[0], _decode_before(last[1]))


def to_row(kept: KeptResult) -> Row:
    """Return the row of a result."""
    said = kept.result
    return (
        *_key(said),
        *(said.match_name, said.sport, said.has_time, said.status.value, said.home, said.away),
        *(_encode(said.periods).decode(), said.overtime, _encode(said.selections).decode()),
        *(said.simulated, kept.may_share, said.reported_at, kept.recorded_at),
        _encode(kept.before).decode(),
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
    for said in results:
        is_simulated |= said.simulated
        if not said.source and origin is not None:
            said = msgspec.structs.replace(said, source=origin.source)
        by_competition[said.competition].append(said)
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
    stored: defaultdict[_Place, list[KeptResult]] = defaultdict(list)
    for first, last in _windows(said.kick_off for said in results):
        for row in settings.results_between(competition, first - DAY_MS, last + DAY_MS):
            kept = from_row(row)
            stored[_place(kept.result)].append(kept)
    gone: set[Row] = set()
    new: dict[Row, KeptResult] = {}
    for said in results:
        there = stored[_place(said)]
        may_share = said.source not in FORBIDDING and (origin is None or origin.may_share)
        before = _same_game(said, there)
        if before is None:
            kept = KeptResult(said, may_share, now_ms)
        else:
            kept = _after(before, said, may_share=may_share, now_ms=now_ms)
            if kept == before:
                continue
            there.remove(before)
            new.pop(_key(before.result), None)
            gone.add(_key(before.result))
        there.append(kept)
        new[_key(kept.result)] = kept
    settings.replace_results(sorted(gone), [to_row(kept) for kept in new.values()])


def _place(said: GameResult) -> _Place:
    return plain_name(said.match_name), said.source, said.bookmaker


def _key(said: GameResult) -> Row:
    name = plain_name(said.match_name)
    return said.competition, name, said.kick_off, said.source, said.bookmaker


def _windows(moments: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans of some moments, without the long gaps between them."""
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


def _same_game(said: GameResult, there: Iterable[KeptResult]) -> KeptResult | None:
    """Return what is stored of the same game: the nearest, if it is near enough."""
    found = [kept for kept in there if kept.result.is_same_game(said)]
    return min(found, key=lambda kept: abs(kept.result.kick_off - said.kick_off), default=None)


def _after(kept: KeptResult, said: GameResult, *, may_share: bool, now_ms: int) -> KeptResult:
    """Return what is stored once a source has said more; the same if that is nothing new."""
    before = kept.result
    if 0 < said.reported_at < before.reported_at:  # it comes late, and takes nothing back
        now = with_earlier_selections(before, said)
    else:
        now = with_earlier_selections(said, before)
        if now.home is None and now.status is before.status:
            now = msgspec.structs.replace(
                now, home=before.home, away=before.away, periods=before.periods
            )
    if before.has_time and not now.has_time:
        now = msgspec.structs.replace(now, has_time=True, kick_off=before.kick_off)
    allowed = kept.may_share and may_share
    if msgspec.structs.replace(now, reported_at=before.reported_at) == before:
        return (
            kept if allowed == kept.may_share else msgspec.structs.replace(kept, may_share=allowed)
        )
    earlier = (*kept.before, before) if _takes_back(now, before) else kept.before
    return KeptResult(now, allowed, now_ms, earlier[-_MOST_BEFORE:])


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


def _selection(said: SelectionResult) -> tuple[str, int, str]:
    return said.market_type, said.period, said.selection
