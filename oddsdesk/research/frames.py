"""Backtests, scorecards, prices and results of a database as pandas data frames.

The functions behind ``oddsdesk.research``; docs/research.md shows them. Arguments have the names
and the meaning of the options of ``oddsdesk backtest`` and ``oddsdesk export``. The desk's settings
are not read, so that a notebook gives the same figures on every machine. The user's own tables
are: commissions, rules of settlement and learned weights.
"""

import contextlib
import math
import warnings
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from oddsdesk.archive.folder import ArchiveError, LookingBack
from oddsdesk.base.clock import system_clock
from oddsdesk.base.figures import FigureError, read_moment
from oddsdesk.base.places import NoHomeError, default_database, default_ledger, how_to_install
from oddsdesk.board.model.basis import CONSENSUS
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.contract.competitions import OTHER
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.own_tables import known_bands, known_bookmakers, known_rules
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.pricing.closing import MOST_AGE_MS, CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS, DevigError, devig
from oddsdesk.pricing.game_scores import Decision, result_of
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import profit_of
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.research.backtest_summary import as_fields, notes, summary, summary_fields
from oddsdesk.research.backtests import Backtested, run_backtest
from oddsdesk.research.closes import LastLines
from oddsdesk.research.coverage import coverage_fields, coverage_lines, in_span
from oddsdesk.research.data_frames import FrameWriter, pandas_module
from oddsdesk.research.export import (
    CHANGES,
    QUOTES,
    RESULTS,
    Column,
    Kind,
    Row,
    export_changes,
    export_quotes,
    export_results,
)
from oddsdesk.research.intervals import Interval, Ratio
from oddsdesk.research.past_game import PastGame
from oddsdesk.research.question import Question
from oddsdesk.research.recorded_log import ALWAYS, LogOfAll, RecordedLog, open_judged
from oddsdesk.research.scorecards import as_fields as card_fields
from oddsdesk.research.scorecards import notes as card_notes
from oddsdesk.research.scorecards import scorecards
from oddsdesk.research.walk import Visitor, Walk, era_maker
from oddsdesk.store.databases import Database, DatabaseUrl, database_named
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import Store, open_store

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")
N = TypeVar("N", int, float)

Place = str | Path | DatabaseUrl | None
"""A database: the path of a file, or ``postgresql://...``; None is the desk's own."""
Moment = str | date | None
"""A time: a date, which is midnight UTC, or a time with its offset, as text or ``datetime``."""
Names = str | Collection[str] | None
"""One name or several; None for all."""

_KINDS: Final = (
    dict.fromkeys(("match_date", "placed_at", "seen_at"), Kind.TIME)
    | dict.fromkeys(("period", "home", "away"), Kind.INTEGER)
    | dict.fromkeys(("odds", "net_odds", "fair_odds", "fair_close", "stake"), Kind.NUMBER)
    | dict.fromkeys(("ev_pct", "clv_pct", "band_pct", "profit"), Kind.NUMBER)
    | {"implied_close": Kind.BOOLEAN}
)
_OF_BET: Final = tuple(
    Column(name, _KINDS.get(name, Kind.TEXT), "")
    for name in (
        *("game_id", "match_name", "competition", "sport", "match_date", "market_type", "period"),
        *("selection", "bookmaker", "odds", "net_odds", "fair_odds", "ev_pct", "per", "stake"),
        *("placed_at", "result", "profit", "fair_close", "clv_pct", "clv_per", "no_close"),
        *("derived", "band_pct", "implied_close"),
    )
)
_OF_PRICE: Final = tuple(
    Column(name, _KINDS.get(name, Kind.TEXT), "")
    for name in (
        *("game_id", "match_name", "competition", "sport", "match_date", "market_type", "period"),
        *("line", "selection", "side", "bookmaker", "odds", "net_odds", "fair_odds", "seen_at"),
        *("home", "away", "result", "profit", "no_result"),
    )
)
_UNKNOWN: Final = ("home", "away", "overtime")
"""Columns of integers and booleans that a row may lack."""


class ResearchError(Exception):
    """The database or its archive cannot be read; one line with the reason and what to do."""


def backtest(
    database: Place = None,
    *,
    reference: str | None = None,
    method: str = DEFAULT_METHOD,
    close_reference: str | None = None,
    close_method: str = DEFAULT_METHOD,
    since: Moment = None,
    until: Moment = None,
    preset: str | ValueFilter | None = None,
    latency_ms: int = 0,
    derived: DerivedChoice = "all",
    bookmakers: Names = None,
    archive: str | Path | None = None,
) -> "DataFrame":
    """Bet on the value bets of a recorded log, as ``oddsdesk backtest`` does.

    ``frame.attrs`` has the figures that the command prints, with its names in ``--json``: ``bets``,
    ``yield_pct``, ``clv_pct``, their intervals (``clv_pct_low``), ``coverage``, ``notes``.

    Args:
        database: The database.
        reference: The sharp book that judges prices: a bookmaker, ``consensus``, or
            ``consensus (learned)``. None: the database's.
        method: The devig method.
        close_reference: Whose closing lines give the CLV. None: the database's sharp book.
        close_method: How their margin is removed.
        since: Bets are placed from this time on.
        until: Nothing recorded at this time or later is read.
        preset: The name of a preset, or a filter: bet only on what it lists.
        latency_ms: Milliseconds between seeing a price and betting on it.
        derived: Which derived fair odds judge lines that the sharp book does not price.
        bookmakers: Bet only at these. None: at all.
        archive: The folder of older rows. None: the one that the database names.

    Returns:
        One row per bet, in the order of placing, with the columns of the command's ``rows`` and
        ``sport``. Times are UTC. ``result``, ``profit`` and ``clv_pct`` are missing if unknown.

    Raises:
        ValueError: an argument makes no sense.
        ResearchError: the database cannot be read.
        ModuleNotFoundError: pandas is not installed.
    """
    pandas_module()
    profiles = _profiles()
    begin, end = _span(since, until)
    with _reading(database, reference, _close(close_reference, close_method), archive) as read:
        _, log, judged_by, closer = read
        question = Question(
            reference=judged_by,
            method=_one_of(method, METHODS, "method"),
            profiles=profiles,
            close=closer,
            mine=None if bookmakers is None else profiles.among(_names(bookmakers)),
            since_ms=begin,
            until_ms=end,
            latency_ms=_least(latency_ms, 0, "latency_ms"),
            preset=preset if isinstance(preset, str) else "",
            filter=_filter(preset),
            derived=_one_of(derived, ("all", "implied", "none"), "derived"),
            bands=known_bands(method).bands,
        )
        done = run_backtest(log, question, system_clock())
    writer = FrameWriter(_OF_BET)
    writer.write_rows(_bet_rows(done))
    return writer.frame(_run_fields(question, done))


def scorecard(
    database: Place = None,
    *,
    reference: str | None = None,
    method: str = DEFAULT_METHOD,
    close_reference: str | None = None,
    close_method: str = DEFAULT_METHOD,
    since: Moment = None,
    until: Moment = None,
    archive: str | Path | None = None,
) -> "DataFrame":
    """Score bookmakers by their prices, as ``oddsdesk scorecard`` does.

    Arguments as in ``backtest``; observations from ``since`` on count.

    Returns:
        One row per bookmaker and kind of market with the columns of the command's ``--json``:
        each figure with its count and the ends of its interval. ``frame.attrs`` has ``reference``,
        ``close_reference``, ``close_method``, ``coverage`` and ``notes``.

    Raises:
        ValueError, ResearchError, ModuleNotFoundError: as ``backtest``.
    """
    pandas = pandas_module()
    begin, end = _span(since, until)
    with _reading(database, reference, _close(close_reference, close_method), archive) as read:
        _, log, judged_by, closer = read
        found = scorecards(
            log,
            reference=judged_by,
            method=_one_of(method, METHODS, "method"),
            close=closer,
            profiles=_profiles(),
            now_ms=system_clock(),
            since_ms=begin,
            until_ms=end,
        )
    made = pandas.DataFrame([card_fields(card) for card in found.cards])
    made.attrs |= {
        "reference": found.reference,
        "close_reference": found.close.reference,
        "close_method": found.close.method,
        "coverage": coverage_fields(found.coverage),
        "notes": [
            *card_notes(found, in_span(begin, end)),
            *coverage_lines(found.coverage, found.reference, found.close),
        ],
    }
    return made


def changes(
    database: Place = None,
    *,
    since: Moment = None,
    until: Moment = None,
    bookmaker: Names = None,
    competition: Names = None,
    market_type: Names = None,
    archive: str | Path | None = None,
) -> "DataFrame":
    """Return every price change, with the columns of ``oddsdesk export changes``.

    Args:
        database: The database.
        since: Prices scraped from this time on.
        until: Prices scraped before this time.
        bookmaker: Only of these bookmakers, as the database spells them.
        competition: Only of these competitions, by code.
        market_type: Only of these kinds of markets.
        archive: The folder of older rows. None: the one that the database names.

    Returns:
        One row per change, in the order of the log. Texts are categories, so that a row takes
        about 60 bytes. ``odds`` is missing if the price was withdrawn.

    Raises:
        ValueError, ResearchError, ModuleNotFoundError: as ``backtest``.
    """
    wanted = {"bookmaker": bookmaker, "competition": competition, "market_type": market_type}
    writer = _log_writer(CHANGES, wanted)
    span = _exported(since, until)
    with _reading_log(database, archive) as log:
        export_changes(log, *span, writer, _ignored)
    return writer.frame()


def quotes(
    database: Place = None,
    *,
    since: Moment = None,
    until: Moment = None,
    bookmaker: Names = None,
    competition: Names = None,
    market_type: Names = None,
    archive: str | Path | None = None,
) -> "DataFrame":
    """Return whole markets each time they changed, with the columns of ``oddsdesk export quotes``.

    Arguments as in ``changes``.

    Returns:
        One row per change of a bookmaker's market; ``odds`` is a dict of decimal odds by
        selection, empty if the market was withdrawn.

    Raises:
        ValueError, ResearchError, ModuleNotFoundError: as ``backtest``.
    """
    wanted = {"bookmaker": bookmaker, "competition": competition, "market_type": market_type}
    writer = _log_writer(QUOTES, wanted)
    span = _exported(since, until)
    with _reading_log(database, archive) as log:
        export_quotes(log, *span, writer, _ignored)
    return writer.frame()


def results(database: Place = None, *, since: Moment = None, until: Moment = None) -> "DataFrame":
    """Return how games ended, with the columns of ``oddsdesk export results``.

    Args:
        database: The database.
        since: Games that start at this time or later.
        until: Games that start before this time.

    Returns:
        One row per game and source, by kick-off.

    Raises:
        ValueError, ResearchError, ModuleNotFoundError: as ``backtest``.
    """
    writer = FrameWriter(RESULTS, unknown=_UNKNOWN)
    span = _exported(since, until)
    with _errors(), contextlib.closing(open_store(_database(database), read_only=True)) as store:
        export_results(store.reader().results(*span), writer)
    return writer.frame()


def closing(
    database: Place = None,
    *,
    since: Moment = None,
    until: Moment = None,
    bookmaker: str | None = None,
    method: str = DEFAULT_METHOD,
    max_age_minutes: float | None = MOST_AGE_MS / MINUTE_MS,
    archive: str | Path | None = None,
) -> "DataFrame":
    """Return the closing lines of all games that have started, with their results.

    Args:
        database: The database.
        since: Games that start at this time or later.
        until: Games that start before this time.
        bookmaker: Only of this bookmaker, as the database spells it.
        method: The devig method behind ``fair_odds``.
        max_age_minutes: How old a price may be when the game starts; the default is the limit of
            all closing lines. None: any age, so the last price before the start.
        archive: The folder of older rows. None: the one that the database names.

    Returns:
        One row per game, bookmaker, line and selection, if the bookmaker priced all sides of the
        line. ``odds`` are gross, ``net_odds`` after commission. ``fair_odds`` are this
        bookmaker's own. ``side`` is home, draw, away, over or under, whatever the selection
        says. ``home`` and ``away`` are the score. ``result`` and the ``profit`` of one unit at
        net odds are missing if unknown; ``no_result`` says why.

    Raises:
        ValueError, ResearchError, ModuleNotFoundError: as ``backtest``.
    """
    most = math.inf if max_age_minutes is None else _least(max_age_minutes, 0, "max_age_minutes")
    writer = FrameWriter(_OF_PRICE, unknown=_UNKNOWN)
    span, profiles, now_ms = _exported(since, until), _profiles(), system_clock()
    with _reading(database, None, CloseBy(), archive) as read:
        store, log, *_ = read
        name = bookmaker and store.reader().bookmaker_name(bookmaker)
        last = LastLines(name, most * MINUTE_MS)
        visitor = _Closer(log, last, span, _one_of(method, METHODS, "method"), profiles)
        walk = Walk(log, visitor, era_maker("", method, profiles, None), now_ms)
        walk.walk_log(None, None, _ignored)
        visitor.close_unfinished(now_ms)
    writer.write_rows(visitor.rows)
    return writer.frame()


def mean_by_game(
    frame: "DataFrame", column: str, per: str | None = None, game: str = "game_id"
) -> Interval:
    """Return the mean of a column with its 95 % interval by games, as ``backtest`` draws it.

    Args:
        frame: Such as that of ``backtest``. Rows without a value do not count.
        column: The numbers.
        per: A column to divide by: the sum of ``column`` is divided by the sum of this one. The
            ``profit`` per ``stake`` is the yield. None: by the number of rows.
        game: The column that says which rows belong to one game.

    Returns:
        Figure, count of rows, low and high; the ends are nan with fewer than ten games.
    """
    from oddsdesk.research.resampling import bootstrapped  # noqa: PLC0415 - numpy takes 0.1 s

    parts = [None if each != each else float(each) for each in frame[column]]
    divisors = [1.0] * len(parts) if per is None else frame[per].tolist()
    ratio = Ratio(parts, divisors)
    ((low, high),) = bootstrapped(frame[game].tolist(), [ratio])
    count = sum(part is not None for part in parts)
    known = (math.nan if each is None else each for each in (ratio.figure, low, high))
    figure, low, high = known
    return Interval(figure, count, low, high)


class _Closer(Visitor):
    """A ``walk.Visitor`` that collects the closing lines of games that start in a span."""

    def __init__(
        self,
        log: RecordedLog,
        last: LastLines,
        span: tuple[int, int],
        method: str,
        profiles: Profiles,
    ) -> None:
        self.rows: list[Row] = []
        self._log = log
        self._last = last
        self._span = span
        self._method = method
        self._profiles = profiles
        self._rules = known_rules(profiles).rules
        self._ahead: dict[str, PastGame] = {}

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Note what moved."""
        game.near()
        self._last.see(game, now_ms)
        if not game.is_closed:
            self._ahead[game.entry.game_id] = game

    def close_unfinished(self, now_ms: int) -> None:
        """Add games that have started after the end of the log."""
        for game in [*self._ahead.values()]:
            if game.kick_off is not None and game.kick_off <= now_ms:
                game.began_at = game.kick_off
                self.at_close(game)

    def at_close(self, game: PastGame) -> None:
        """Add the closing lines of a game."""
        self._ahead.pop(game.entry.game_id, None)
        entry, closed = game.entry, [*self._last.closed_lines(game)]
        begins = game.began_at if entry.kick_off is None else entry.kick_off
        if begins is None or not self._span[0] <= begins < self._span[1]:
            return
        named = (entry.match_name, entry.competition, entry.kick_off)
        scores = self._log.final_scores(entry.game_id, *named).results
        score = next(((each.home, each.away) for each in scores), (None, None))
        about = (entry.game_id, entry.match_name, entry.competition, entry.sport, entry.kick_off)
        results: dict[Hashable, Decision] = {}
        for (market_type, period, _), name, line in closed:
            fair = self._fair_odds(line.odds)
            group, overtime = line.group, self._counts_overtime(name, entry, scores)
            for place, selection in enumerate(group.selections):
                asked = (market_type, period, selection, overtime, len(line.odds))
                if asked not in results:
                    results[asked] = _result(entry, scores, *asked)
                odds, (result, why, _) = line.odds[place], results[asked]
                profile = self._profiles.charging(name)
                net = odds if profile is None else profile.net(odds)
                self.rows.append(
                    (
                        *(*about, market_type, period, group.key, selection, group.sides[place]),
                        *(name, odds, net, fair[place], line.at, *score),
                        None if result is None else result.value,
                        None if result is None else profit_of(result, 1.0, net),
                        why,
                    )
                )

    def _counts_overtime(
        self, bookmaker: str, entry: GameEntry, scores: Sequence[GameResult]
    ) -> bool | None:
        return self._rules.rule_of(bookmaker, _sport(entry, scores)).counts_overtime

    def _fair_odds(self, odds: Sequence[float]) -> Sequence[float | None]:
        try:
            return devig(self._method, odds).fair_odds
        except DevigError:
            return [None] * len(odds)


def _sport(entry: GameEntry, scores: Sequence[GameResult]) -> str:
    return scores[0].sport if scores and entry.sport == OTHER else entry.sport


def _result(
    entry: GameEntry,
    scores: Sequence[GameResult],
    market_type: str,
    period: int,
    selection: str,
    overtime: bool | None,
    ways: int,
) -> Decision:
    if not scores:
        return Decision(None, "no result")
    return result_of(
        *(market_type, period, entry.match_name, selection, scores),
        sport=_sport(entry, scores),
        overtime=overtime,
        ways=ways,
    )


def _bet_rows(done: Backtested) -> list[Row]:
    """Return the bets in the order of ``_OF_BET``."""
    rows = []
    for bet in done.bets:
        mark = done.derived.get(bet.ident)
        cells = as_fields(bet) | {
            "sport": bet.sport,
            "match_date": bet.kick_off,
            "placed_at": bet.placed_at,
            "derived": None if mark is None else mark.kind,
            "band_pct": None if mark is None else mark.band_pct,
            "implied_close": mark is not None and mark.has_implied_close,
        }
        rows.append(tuple(cells[column.name] for column in _OF_BET))
    return rows


def _run_fields(question: Question, done: Backtested) -> dict[str, Any]:
    """Return the figures in the form that ``--json`` prints, without the bets."""
    return summary_fields(summary(done.bets)) | {
        "reference": question.reference,
        "method": question.method,
        "close_reference": question.close.reference,
        "close_method": question.close.method,
        "coverage": coverage_fields(done.coverage),
        "notes": [
            *notes(done, question),
            *coverage_lines(done.coverage, question.reference, question.close),
        ],
    }


class _Read(NamedTuple):
    """An open database, with the names of both sharp books."""

    store: Store
    log: RecordedLog
    reference: str
    close: CloseBy


@contextlib.contextmanager
def _reading(
    database: Place, reference: str | None, close: CloseBy, archive: str | Path | None
) -> Iterator[_Read]:
    """Open the log of a database, as ``open_judged``."""
    with _errors():
        opened = open_judged(_database(database), reference, close)
        with contextlib.closing(opened.store) as store:
            log = RecordedLog(store.reader(), _folder(archive))
            yield _Read(store, log, opened.reference, opened.close)


@contextlib.contextmanager
def _reading_log(database: Place, archive: str | Path | None) -> Iterator[LogOfAll]:
    with _errors(), contextlib.closing(open_store(_database(database), read_only=True)) as store:
        reader, folder = store.reader(), _folder(archive)
        if folder is None:
            named = LookingBack(tell=_warn)
            named(reader)
            folder = named.folder
        yield LogOfAll(reader, folder)


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except (StoreError, ArchiveError, OSError) as error:
        raise ResearchError(str(error)) from error


def _database(named: Place) -> Database:
    if named is None:
        try:
            return default_database()
        except NoHomeError as error:
            raise ResearchError(f"{error}; name the database, or set HOME") from error
    return database_named(named) if isinstance(named, str) else named


def _folder(archive: str | Path | None) -> Path | None:
    if archive is None:
        return None
    folder = Path(archive)
    if not folder.is_dir():
        raise ValueError(f"archive: {folder} is not a folder")
    if find_spec("pyarrow") is None:
        raise ModuleNotFoundError(
            f"an archive needs pyarrow, which is not installed: {how_to_install('archive')}"
        )
    return folder


def _close(reference: str | None, method: str) -> CloseBy:
    named = (reference or "").strip()
    is_pooled = named.casefold() == CONSENSUS
    return CloseBy(
        CONSENSUS_TITLE if is_pooled else named, _one_of(method, METHODS, "close_method")
    )


def _profiles() -> Profiles:
    known = known_bookmakers()
    for problem in known.problems:
        _warn(problem)
    return known.profiles


def _warn(line: str) -> None:
    warnings.warn(line, stacklevel=2)


def _filter(preset: str | ValueFilter | None) -> ValueFilter | None:
    """Return the filter of a preset; case does not matter."""
    if not isinstance(preset, str):
        return preset
    known = {each.name: each.filter for each in (*BUILT_IN, *_own_presets())}
    for name, each in known.items():
        if name.casefold() == preset.casefold():
            return each
    names = ", ".join(map(repr, known))
    raise ValueError(f"no preset {preset!r}; presets are {names}")


def _own_presets() -> list[Preset]:
    try:
        path = default_ledger()
    except NoHomeError:
        return []
    if not path.exists():
        return []
    try:
        with contextlib.closing(Ledger(path, is_made=True)) as ledger:
            return ledger.presets()[0]
    except LedgerError as error:
        raise ResearchError(str(error)) from error


def _one_of(word: T, known: Collection[T], what: str) -> T:
    if word not in known:
        raise ValueError(f"{what}: expected one of {', '.join(map(str, known))}, got {word!r}")
    return word


def _least(number: N, least: float, what: str) -> N:
    if not (math.isfinite(number) and number >= least):
        raise ValueError(f"{what}: expected a number of at least {least:g}, got {number!r}")
    return number


def _names(said: Names) -> tuple[str, ...]:
    return () if said is None else (said,) if isinstance(said, str) else tuple(said)


def _log_writer(columns: Sequence[Column], wanted: Mapping[str, Names]) -> FrameWriter:
    chosen = {name: _names(said) for name, said in wanted.items() if said is not None}
    return FrameWriter(columns, wanted=chosen, is_long=True)


def _span(since: Moment, until: Moment) -> tuple[int | None, int | None]:
    begin, end = _ms(since, "since"), _ms(until, "until")
    if begin is not None and end is not None and begin >= end:
        raise ValueError("since must be earlier than until")
    return begin, end


def _exported(since: Moment, until: Moment) -> tuple[int, int]:
    begin, end = _span(since, until)
    return (ALWAYS[0] if begin is None else begin, ALWAYS[1] if end is None else end)


def _ms(moment: Moment, what: str) -> int | None:
    if moment is None:
        return None
    text = moment if isinstance(moment, str) else moment.isoformat()
    try:
        return read_moment(text, system_clock())
    except FigureError as error:
        raise ValueError(f"{what}: {error}") from error


def _ignored(_: int) -> None:
    """Take no note of the progress."""
