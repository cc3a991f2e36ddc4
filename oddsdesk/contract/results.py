"""How games ended: status, score by period, and single selections that a source has settled.

Feeds, files and other services report results; settlement (``ledger.settling``), backtests and the
desk read them. One game may have several results, one from each source.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import Enum
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, Protocol

import msgspec

from oddsdesk.contract.competitions import FOOTBALL, OTHER, named_sport, played_sport
from oddsdesk.contract.identity import SAME_GAME_MS, game_title, teams, without_date
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.contract.quotes import (
    CLOCK_TOLERANCE_MS,
    MAX_PERIOD,
    BadQuoteError,
    Quote,
    check_match_name,
    check_name,
    check_selection,
    check_years,
)
from oddsdesk.contract.texts import N_, Name, Timestamp, Whole, json_words, shown
from oddsdesk.contract.times import DAY_MS, HOUR_MS, format_ms, parse_ms


class GameStatus(Enum):
    """What became of a game."""

    SCHEDULED = "scheduled"
    IN_PLAY = "in_play"
    FINAL = "final"
    POSTPONED = "postponed"
    ABANDONED = "abandoned"
    """Begun and not finished."""
    CANCELLED = "cancelled"
    RETIRED = "retired"
    """A player gave up, or was disqualified, after the start."""
    UNKNOWN = "unknown"
    """The source has settled selections and does not say how the game stands."""

    @property
    def words(self) -> str:
        """What people read: ``in play``."""
        return self.value.replace("_", " ")


ENDED: Final = frozenset(
    set(GameStatus) - {GameStatus.SCHEDULED, GameStatus.IN_PLAY, GameStatus.UNKNOWN}
)
"""The statuses that bets may settle by. ``GameResult.selections`` settle at any status."""

REGULAR_PERIODS: Final[Mapping[str, int]] = MappingProxyType(
    {
        FOOTBALL: 2,
        "AmericanFootball": 4,
        "AussieRules": 4,
        "Baseball": 9,
        "Basketball": 4,
        "Hockey": 3,
        "Rugby": 2,
    }
)
"""Periods of a game without overtime, by sport: halves, quarters, thirds, innings. Later periods
are overtime, extra time, extra innings or a shoot-out."""

SOUGHT_EARLIER_MS: Final = 4 * DAY_MS
SOUGHT_LATER_MS: Final = 62 * DAY_MS
"""How much earlier or later than planned a game is searched among results."""


class PeriodScore(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The score of one period alone: goals or points, or the games of a set in tennis."""

    period: int
    """From 1, in the order of play."""
    home: int
    away: int


class SelectionResult(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """How a source settled one selection itself."""

    market_type: str
    period: int
    selection: str
    result: str
    """``won``, ``lost``, ``void``, ``half_won`` or ``half_lost``."""
    share: float = 1.0
    """The part of the stake that a dead heat leaves as won; above 0, at most 1."""


class GameResult(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a source says about a game; times in milliseconds.

    ``home`` and ``away`` are the whole score as the source states it, home team first in the order
    of ``teams(match_name)``: goals, points, or sets in tennis.
    """

    competition: str
    """Empty if the source has none."""
    match_name: str
    kick_off: int
    home: int | None = None
    away: int | None = None
    periods: tuple[PeriodScore, ...] = ()
    """As far as the source has them, in order; none is left out between two others."""
    sport: str = FOOTBALL
    status: GameStatus = GameStatus.FINAL
    has_time: bool = True
    """Whether the hour is known; else ``kick_off`` is noon UTC of its day."""
    overtime: bool | None = None
    """Whether ``home`` and ``away`` include an overtime (extra time, extra innings, shoot-out) that
    was played. False: none was played, or they do not include it. None: the source does not say."""
    selections: tuple[SelectionResult, ...] = ()
    bookmaker: str = ""
    """The bookmaker or exchange that settled these selections; empty for other sources."""
    source: str = ""
    """Who reported it: a format or feed (``football-data``), or the user's file."""
    reported_at: int = 0
    """When the source reported it; 0 if unknown."""
    simulated: bool = False
    """Whether the game was made up."""

    def begins_about(self, kick_off: int) -> bool:
        """Return whether a game of the same names with this kick-off may be the same game."""
        return begins_about(self, kick_off)

    def is_same_game(self, other: "GameResult") -> bool:
        """Return whether another result of the same source and names is of the same game.

        A source may correct a kick-off by an hour. With more it is another game: the second of a
        baseball double-header begins some four hours after the first.
        """
        return are_same_game(self, other)


class Dated(Protocol):
    """What a source says of a game that it dates."""

    @property
    def kick_off(self) -> int:
        """The kick-off in milliseconds."""

    @property
    def has_time(self) -> bool:
        """Whether the hour is known; else ``kick_off`` is noon UTC of its day."""


def begins_about(said: Dated, kick_off: int) -> bool:
    """Return whether a game of the same names with this kick-off may be the same game."""
    return abs(said.kick_off - kick_off) <= (1 if said.has_time else 2) * SAME_GAME_MS


def are_same_game(one: Dated, other: Dated) -> bool:
    """Return whether two reports of one source and the same names are of the same game."""
    if one.has_time and other.has_time:
        return abs(one.kick_off - other.kick_off) <= HOUR_MS
    return one.kick_off // DAY_MS == other.kick_off // DAY_MS


def with_teams_turned(result: GameResult, match_name: str) -> GameResult:
    """Return a result under the name of its game that has the other team first.

    The selections do not change.
    """
    return msgspec.structs.replace(
        result,
        match_name=match_name,
        home=result.away,
        away=result.home,
        periods=tuple(PeriodScore(each.period, each.away, each.home) for each in result.periods),
    )


def with_earlier_selections(now: GameResult, before: GameResult) -> GameResult:
    """Return a result completed with the earlier one of its source.

    An exchange settles the markets of a game one by one, each in a result. Selections of ``before``
    stay unless ``now`` has them. If ``now`` does not say how the game stands, status and score
    stay too.
    """
    settled = {
        (each.market_type, each.period, each.selection): each
        for each in (*before.selections, *now.selections)
    }
    together = tuple(settled.values())
    if now.status is not GameStatus.UNKNOWN:
        return msgspec.structs.replace(now, selections=together)
    reported_at = max(now.reported_at, before.reported_at)
    return msgspec.structs.replace(before, selections=together, reported_at=reported_at)


def with_abandoned(result: GameResult, before: Iterable[GameResult]) -> list[GameResult]:
    """Return a result, and the earlier one of its source if that was an abandoned game.

    A score after that may be of a replay, which the bets do not cover.
    """
    is_final = result.status is GameStatus.FINAL
    off = [each for each in before if is_final and each.status is GameStatus.ABANDONED]
    return [result, *off]


def without_contradictions(results: Sequence[GameResult]) -> tuple[list[GameResult], list[str]]:
    """Leave out results of one file that say different things of one game, with a line for each.

    What a source says later (``reported_at``) is a correction and stays.
    """
    games = defaultdict[tuple[str, ...], list[GameResult]](list)
    for each in results:
        name = without_date(each.match_name).casefold()
        games[each.competition, name, each.source, each.bookmaker].append(each)
    contrary, lines = set[GameResult](), list[str]()
    for of_teams in games.values():
        ordered = sorted(of_teams, key=lambda each: each.kick_off)
        for one, other in pairwise(ordered):
            if _are_contrary(one, other):
                contrary |= {one, other}
                game, day = game_title(one.match_name), format_ms(one.kick_off)[:10]
                line = N_(
                    f"{game}, {day}: both {_outcome(one)} and {_outcome(other)}, so neither counts;"
                    " if these are two games, give the hour of each"
                )
                lines.append(line)
    return [each for each in results if each not in contrary], lines


def _are_contrary(one: GameResult, other: GameResult) -> bool:
    if not {one.status, other.status} <= ENDED or one.reported_at != other.reported_at:
        return False
    has_scores = one.home is not None and other.home is not None
    is_other = has_scores and (one.home, one.away) != (other.home, other.away)
    is_contrary = is_other or one.status is not other.status
    return is_contrary and one.is_same_game(other)


def _outcome(result: GameResult) -> str:
    if result.status is GameStatus.FINAL and result.home is not None:
        return f"{result.home}-{result.away}"
    return result.status.value


Reported = Quote | GameResult
"""What feeds yield."""


MOST_GOALS: Final = 10_000
"""The highest score we accept, for one team; anything above is bad input."""
MOST_GAMES: Final = 99
"""The most games of a set of tennis that a player can win; the record is 70."""
_FINAL_SCORES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        FOOTBALL: (0, 40),
        "AmericanFootball": (0, 150),
        "AussieRules": (1, 400),
        "Baseball": (0, 60),
        "Basketball": (10, 250),
        "Hockey": (0, 40),
        "Rugby": (0, 250),
        "Tennis": (0, 3),
    }
)
"""By sport, the lowest and highest score of a team in a game that was played to its end. Scores
outside are of another sport, or mistakes; 20-0 in basketball is a game that was not played."""
MOST_PERIODS: Final = 100
MOST_SELECTIONS: Final = 5_000
SELECTION_RESULTS: Final = ("won", "lost", "void", "half_won", "half_lost")
STARTED: Final = frozenset(
    {GameStatus.IN_PLAY, GameStatus.FINAL, GameStatus.ABANDONED, GameStatus.RETIRED}
)
"""The statuses of games that have begun."""


class BadResultError(ValueError):
    """A result that makes no sense; the message names the field and what was expected."""


class _SelectionLine(msgspec.Struct):
    market_type: str
    selection: str
    result: str
    period: int = 0
    share: float = 1.0


class _Line(msgspec.Struct):
    match_name: str
    kick_off: str
    status: str
    competition: str = ""
    sport: Any = None
    source_sport: Any = None
    home: float | None = None
    away: float | None = None
    periods: list[tuple[float, float, float]] | None = None
    overtime: bool | None = None
    selections: list[_SelectionLine] | None = None
    bookmaker: str = ""
    source: str = ""
    reported_at: str | None = None
    simulated: bool = False
    has_time: bool = True


_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])
_decoder = msgspec.json.Decoder(_Line)
_encoder = msgspec.json.Encoder()


def is_result_line(line: bytes) -> bool:
    """Return whether a line of NDJSON is a result and not a quote: ``status`` without ``odds``."""
    if b'"status"' not in line:
        return False
    try:
        fields = _fields.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return "status" in fields and "odds" not in fields


def read_result(line: bytes, now_ms: int) -> GameResult:
    """Read one line of NDJSON, as ``result_line`` writes it; unknown fields are ignored.

    A ``kick_off`` may be a day without an hour, ``2026-11-20``; or ``has_time`` is false.

    Raises:
        BadResultError: the line is no result, or makes no sense; says which field.
    """
    try:
        raw = _decoder.decode(line)
    except RecursionError as error:
        raise BadResultError("JSON is nested too deeply") from error
    except UnicodeError as error:
        raise BadResultError(f"expected UTF-8 text: {error}") from error
    except msgspec.DecodeError as error:
        raise BadResultError(json_words(error)) from error
    kick_off, has_time = _kick_off(raw.kick_off)
    has_time = has_time and raw.has_time
    result = GameResult(
        competition=raw.competition,
        match_name=raw.match_name,
        kick_off=kick_off,
        home=_whole("home", raw.home),
        away=_whole("away", raw.away),
        periods=tuple(PeriodScore(*map(_whole_of_period, each)) for each in raw.periods or ()),
        sport=_sport(raw),
        status=_status(raw.status),
        has_time=has_time,
        overtime=raw.overtime,
        selections=tuple(
            SelectionResult(each.market_type, each.period, each.selection, each.result, each.share)
            for each in raw.selections or ()
        ),
        bookmaker=raw.bookmaker,
        source=raw.source,
        reported_at=0 if raw.reported_at is None else _time("reported_at", raw.reported_at),
        simulated=raw.simulated,
    )
    return check_result(result, now_ms)


def result_line(result: GameResult) -> bytes:
    """Return the result as a line of NDJSON that ``read_result`` reads; defaults are left out."""
    row = msgspec.to_builtins(result)
    has_time = row.pop("has_time", True)
    kick_off = format_ms(result.kick_off)
    row["kick_off"] = kick_off if has_time else kick_off[:10]
    row["status"] = result.status.value
    row["sport"] = result.sport
    if result.reported_at:
        row["reported_at"] = format_ms(result.reported_at)
    return _encoder.encode(row)


class EarlierResult(msgspec.Struct, frozen=True):
    """An earlier result of a game that had ended, which its source has corrected."""

    status: Name
    home: Whole | None
    away: Whole | None
    periods: list[tuple[Whole, Whole, Whole]]
    overtime: bool | None
    selections: list[SelectionResult]
    reported_at: Timestamp | None


class ResultRow(msgspec.Struct, frozen=True):
    """How a game stands or ended, as one source says; an addition to the contract.

    ``kick_off`` is a day if the hour is unknown; ``home`` and ``away`` are the whole score;
    ``periods`` holds number, home and away of each; ``corrections`` what the source took back, the
    oldest first.
    """

    game_id: Name
    match_name: Name
    competition: Name
    sport: Name
    kick_off: Name
    status: Name
    home: Whole | None
    away: Whole | None
    periods: list[tuple[Whole, Whole, Whole]]
    overtime: bool | None
    selections: list[SelectionResult]
    bookmaker: Name
    source: Name
    reported_at: Timestamp | None
    simulated: bool
    corrections: list[EarlierResult]


def result_row(game_id: str, result: GameResult, before: Iterable[GameResult] = ()) -> ResultRow:
    """Return a result as answers and commands have it; ``before`` are the corrected ones."""
    kick_off = format_ms(result.kick_off)
    return ResultRow(
        game_id=game_id,
        match_name=result.match_name,
        competition=result.competition,
        sport=result.sport,
        kick_off=kick_off if result.has_time else kick_off[:10],
        bookmaker=result.bookmaker,
        source=result.source,
        simulated=result.simulated,
        corrections=[EarlierResult(**_reported_fields(each)) for each in before],
        **_reported_fields(result),
    )


def _reported_fields(result: GameResult) -> dict[str, Any]:
    return {
        "status": result.status.value,
        "home": result.home,
        "away": result.away,
        "periods": [(each.period, each.home, each.away) for each in result.periods],
        "overtime": result.overtime,
        "selections": list(result.selections),
        "reported_at": format_ms(result.reported_at) if result.reported_at else None,
    }


def of_row(row: ResultRow, now_ms: int) -> tuple[GameResult, tuple[GameResult, ...]]:
    """Return the result in an answer, and those that its source has corrected.

    Raises:
        BadResultError: it makes no sense; says which field.
    """
    fields: dict[str, Any] = msgspec.structs.asdict(row)

    def read(changes: dict[str, Any]) -> GameResult:
        result = read_result(_encoder.encode(fields | changes), now_ms)
        return msgspec.structs.replace(result, sport=row.sport)

    earlier = (msgspec.structs.asdict(each) for each in row.corrections)
    return read({}), tuple(map(read, earlier))


def with_source(result: GameResult, source: str) -> GameResult:
    """Return the result with this source, unless it names its own."""
    return result if result.source else msgspec.structs.replace(result, source=source)


def check_result(result: GameResult, now_ms: int) -> GameResult:
    """Return the result with names in stored form, or say what is wrong with it.

    Raises:
        BadResultError: says which field and what was expected.
    """
    try:
        names = {
            "match_name": check_match_name(result.match_name),
            "competition": _optional_name("competition", result.competition),
            "bookmaker": _optional_name("bookmaker", result.bookmaker),
            "source": _optional_name("source", result.source),
        }
        check_years("kick_off", result.kick_off)
        if (count := len(result.selections)) > MOST_SELECTIONS:
            raise BadResultError(f"selections: expected at most {MOST_SELECTIONS:,}, got {count:,}")
        selections = tuple(map(_checked_selection, result.selections))
    except BadQuoteError as error:
        raise BadResultError(str(error)) from error
    _check_score(result)
    _check_times(result, now_ms)
    return msgspec.structs.replace(result, **names, selections=selections)


def _check_score(result: GameResult) -> None:
    score = (result.home, result.away)
    if None in score and score != (None, None):
        missing = "home" if result.home is None else "away"
        raise BadResultError(f"{missing} is missing: expected the score of both teams, or of none")
    _check_goals(("home", "away"), [goals for goals in score if goals is not None])
    if len(result.periods) > MOST_PERIODS:
        raise BadResultError(f"periods: expected at most {MOST_PERIODS}, got {len(result.periods)}")
    for place, each in enumerate(result.periods, start=1):
        if each.period != place:
            numbers = ", ".join(str(period.period) for period in result.periods)
            raise BadResultError(f"periods: expected 1, 2, 3 and so on, got {shown(numbers)}")
        _check_goals(
            (N_(f"home in period {place}"), N_(f"away in period {place}")), (each.home, each.away)
        )
    has_score = bool(result.periods) or None not in score
    if has_score and teams(result.match_name) is None:
        raise BadResultError(
            "match_name: expected two teams such as Home vs Away, to know whose score is whose,"
            f" got {shown(result.match_name)}"
        )
    if result.status is GameStatus.FINAL and not (None not in score or result.selections):
        raise BadResultError("home is missing: a final game needs a score, or selections")
    _check_range(result)
    _check_parts(result)


def _check_range(result: GameResult) -> None:
    """Refuse a final score that no game of its sport has."""
    lowest, highest = _FINAL_SCORES.get(result.sport, (0, MOST_GOALS))
    if result.status is not GameStatus.FINAL:
        lowest = 0
    for side, scored in (("home", result.home), ("away", result.away)):
        if scored is not None and not lowest <= scored <= highest:
            raise BadResultError(
                f"{side}: expected {lowest} to {highest} in {result.sport}, got {scored}"
            )
    for each in result.periods if result.sport == "Tennis" else ():
        if max(each.home, each.away) > MOST_GAMES:
            raise BadResultError(f"periods: a set has at most {MOST_GAMES} games for a player")


def _check_parts(result: GameResult) -> None:
    """Refuse a regular time with more goals than the whole game; tennis counts other things."""
    regular = REGULAR_PERIODS.get(result.sport)
    if regular is None or result.home is None or result.away is None:
        return
    parts = [each for each in result.periods if each.period <= regular]
    for side, whole in (("home", result.home), ("away", result.away)):
        scored: int = sum(getattr(each, side) for each in parts)
        if scored > whole:
            raise BadResultError(
                f"periods: {side} has {scored} in them, but {whole} in the whole game"
            )


def _check_goals(names: Sequence[str], goals: Iterable[int]) -> None:
    for name, scored in zip(names, goals, strict=False):
        if not 0 <= scored <= MOST_GOALS:
            raise BadResultError(f"{name}: expected 0 to {MOST_GOALS}, got {shown(scored)}")


def _check_times(result: GameResult, now_ms: int) -> None:
    latest = now_ms + CLOCK_TOLERANCE_MS
    begins = result.kick_off if result.has_time else result.kick_off - DAY_MS
    if result.status in STARTED and begins > latest:
        raise BadResultError(
            f"kick_off: {format_ms(result.kick_off)} lies more than 5 minutes ahead, but the"
            f" status is {result.status.words}"
        )
    if result.reported_at > latest:
        raise BadResultError(
            f"reported_at: {format_ms(result.reported_at)} lies more than 5 minutes ahead"
        )


def _checked_selection(settled: SelectionResult) -> SelectionResult:
    if settled.market_type not in MARKET_RANK:
        raise BadResultError(
            f"selections: market_type: {shown(settled.market_type)} is not one of the contract's"
        )
    if not 0 <= settled.period <= MAX_PERIOD:
        raise BadResultError(
            f"selections: period: expected 0 to {MAX_PERIOD}, got {shown(settled.period)}"
        )
    if settled.result not in SELECTION_RESULTS:
        expected = ", ".join(SELECTION_RESULTS)
        raise BadResultError(f"selections: expected {expected}, got {shown(settled.result)}")
    if not 0 < settled.share <= 1:
        raise BadResultError(
            f"selections: share: expected above 0, at most 1, got {settled.share:g}"
        )
    name = check_selection(settled.market_type, "selections", settled.selection)
    return msgspec.structs.replace(settled, selection=name)


def _optional_name(field: str, text: str) -> str:
    return check_name(field, text) if text else ""


def _whole_of_period(value: float) -> int:
    found = _whole("periods", value)
    assert found is not None
    return found


def _whole(field: str, value: float | None) -> int | None:
    if value is None:
        return None
    if not value.is_integer():
        raise BadResultError(f"{field}: expected a whole number, got {value:g}")
    return int(value)


def _kick_off(text: str) -> tuple[int, bool]:
    """Return the kick-off, and whether its hour is known."""
    try:
        day = date.fromisoformat(text) if len(text) == len("2026-11-20") else None
    except ValueError:
        day = None
    if day is None:
        return _time("kick_off", text), True
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return round(noon.timestamp() * 1000), False


def _time(field: str, text: str) -> int:
    try:
        return parse_ms(text)
    except ValueError as error:
        raise BadResultError(f"{field}: {error}") from error


def _status(text: str) -> GameStatus:
    try:
        return GameStatus(text)
    except ValueError:
        expected = ", ".join(each.value for each in GameStatus)
        raise BadResultError(f"status: expected one of {expected}, got {shown(text)}") from None


def check_sport(competition: str, sport: str | None) -> None:
    """Refuse a sport that a known competition does not have.

    Raises:
        BadResultError: names both.
    """
    known, named = played_sport(competition), named_sport(sport)
    if OTHER not in (known, named) and named and known != named:
        raise BadResultError(f"sport: expected {known} in {competition}, got {shown(sport)}")


def _sport(raw: _Line) -> str:
    """Return what is played, as the competition or the line says."""
    sports = [each if isinstance(each, str) else None for each in (raw.source_sport, raw.sport)]
    for sport in sports:
        check_sport(raw.competition, sport)
    for sport in sports:
        found = played_sport(raw.competition, sport)
        if found != OTHER:
            return found
        if sport is not None and sport in REGULAR_PERIODS:
            return sport
    return OTHER
