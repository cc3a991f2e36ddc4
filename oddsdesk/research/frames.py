"""Scorecards, prices, results and series of a database as pandas data frames.

Functions of ``oddsdesk.research``; docs/research.md shows them. Arguments have the names and the
meaning of the options of ``oddsdesk scorecard`` and ``oddsdesk export``.
"""

import contextlib
import math
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oddsdesk.base.clock import system_clock
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.contract.competitions import OTHER
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.own_tables import known_rules
from oddsdesk.pricing.closing import MOST_AGE_MS, CloseBy
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS, DevigError, devig
from oddsdesk.pricing.game_scores import Decision, result_of
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import profit_of
from oddsdesk.research.arguments import (
    Moment,
    Names,
    Place,
    at_least,
    close_of,
    database_of,
    errors_in_words,
    names_of,
    one_of,
    profiles_known,
    reading,
    reading_log,
    recorded_name,
    span_of,
    whole_span,
)
from oddsdesk.research.closes import LastLines
from oddsdesk.research.coverage import coverage_fields, coverage_lines, in_span
from oddsdesk.research.data_frames import FrameWriter, pandas_module
from oddsdesk.research.export import (
    CHANGES,
    QUOTES,
    RESULTS,
    SERIES,
    Column,
    Kind,
    Row,
    export_changes,
    export_quotes,
    export_results,
    export_series,
)
from oddsdesk.research.intervals import Interval, Ratio
from oddsdesk.research.past_game import PastGame
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.scorecards import as_fields as card_fields
from oddsdesk.research.scorecards import notes as card_notes
from oddsdesk.research.scorecards import scorecards
from oddsdesk.research.walk import Visitor, Walk, era_maker
from oddsdesk.store.store import Store, open_store

if TYPE_CHECKING:
    from pandas import DataFrame

_KINDS: Final = (
    dict.fromkeys(("match_date", "seen_at"), Kind.TIME)
    | dict.fromkeys(("period", "home", "away"), Kind.INTEGER)
    | dict.fromkeys(("odds", "net_odds", "fair_odds", "profit"), Kind.NUMBER)
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
    begin, end = span_of(since, until)
    by = close_of(close_reference, close_method)
    with reading(database, reference, by, archive) as read:
        found = scorecards(
            read.log,
            reference=read.reference,
            method=one_of(method, METHODS, "method"),
            close=read.close,
            profiles=profiles_known(),
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
    span = whole_span(since, until)
    with reading_log(database, archive) as log:
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
    span = whole_span(since, until)
    with reading_log(database, archive) as log:
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
    span = whole_span(since, until)
    with errors_in_words(), contextlib.closing(_opened(database)) as store:
        export_results(store.reader().results(*span), writer)
    return writer.frame()


def series(
    database: Place = None,
    *,
    since: Moment = None,
    until: Moment = None,
    source: str | None = None,
    competition: str | None = None,
) -> "DataFrame":
    """Return statistics of many bookmakers, with the columns of ``oddsdesk export series``.

    These are football-data's best and mean odds: no bookmaker's price.

    Args:
        database: The database.
        since: Games that start at this time or later.
        until: Games that start before this time.
        source: The name of one series, such as ``football-data``. None: all.
        competition: Only of this competition, by code.

    Returns:
        One row per selection, kind (``best`` or ``mean``) and moment, by kick-off.

    Raises:
        ValueError, ResearchError, ModuleNotFoundError: as ``backtest``.
    """
    writer = FrameWriter(SERIES)
    begin, end = span_of(since, until)
    with errors_in_words(), contextlib.closing(_opened(database)) as store:
        export_series(store.reader().series(begin, end, competition, source), writer)
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
    most = math.inf if max_age_minutes is None else at_least(max_age_minutes, 0, "max_age_minutes")
    writer = FrameWriter(_OF_PRICE, unknown=_UNKNOWN)
    span, profiles, now_ms = whole_span(since, until), profiles_known(), system_clock()
    with reading(database, None, CloseBy(), archive) as read:
        name = bookmaker and recorded_name(read.store.reader(), bookmaker)
        last = LastLines(name, most * MINUTE_MS)
        visitor = _Closer(read.log, last, span, one_of(method, METHODS, "method"), profiles)
        walk = Walk(read.log, now_ms)
        walk.add_visitor(visitor, era_maker("", method, profiles, None))
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
                game.seen.began_at = game.kick_off
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


def _opened(database: Place) -> Store:
    return open_store(database_of(database), read_only=True)


def _log_writer(columns: Sequence[Column], wanted: Mapping[str, Names]) -> FrameWriter:
    chosen = {name: names_of(said) for name, said in wanted.items() if said is not None}
    return FrameWriter(columns, wanted=chosen, is_long=True)


def _ignored(_: int) -> None:
    """Take no note of the progress."""
