"""What a log covers of the games in a span, and what it lacks."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from oddsdesk.base.numbers import num
from oddsdesk.base.text import near_names
from oddsdesk.base.texts import N_
from oddsdesk.board.valuation.verdict_words import caution_text
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE, CONSENSUS_TITLES, LEAST_VOTES
from oddsdesk.research.past_game import PastGame
from oddsdesk.research.recorded_log import FinalScores

Moment = Callable[[int], str]
"""Formats a time in milliseconds."""


class LogRead(Protocol):
    """Properties of a log that was read; times in milliseconds."""

    @property
    def first_ms(self) -> int | None:
        """When its first row was known; None for an empty log."""

    @property
    def last_ms(self) -> int:
        """When its last row was known."""

    @property
    def asked(self) -> int:
        """Number of its rows in the requested span."""

    @property
    def bookmakers(self) -> Collection[str]:
        """The bookmakers of the rows that were read."""


def in_span(since_ms: int | None, until_ms: int | None, moment: Moment = format_ms) -> str:
    """Return a span as the end of a sentence."""
    if since_ms is None and until_ms is None:
        return N_("in this database")
    if since_ms is None:
        return N_(f"from the beginning to {moment(until_ms or 0)}")
    if until_ms is None:
        return N_(f"from {moment(since_ms)} to the end")
    return N_(f"from {moment(since_ms)} to {moment(until_ms)}")


def why_nothing(log: LogRead, reference: str, when: str, moment: Moment = format_ms) -> str:
    """Return why a span gives no result: no rows, or none of the sharp book; else nothing."""
    if log.first_ms is None:
        return N_("the database has no odds yet: import some first")
    if not log.asked:
        first, last = moment(log.first_ms), moment(log.last_ms)
        return N_(f"nothing was recorded {when}; the log covers {first} to {last}")
    if reference in CONSENSUS_TITLES:
        too_few = len(log.bookmakers) <= LEAST_VOTES
        there = ", ".join(sorted(log.bookmakers, key=str.casefold))
        line = N_(f"a consensus needs three other bookmakers; bookmakers here: {there}")
        return line * too_few
    if reference not in log.bookmakers:
        line = N_(f"no price of the sharp book {reference!r} was recorded")
        return _with_names(line, reference, log)
    return ""


def why_no_close(log: LogRead, by: CloseBy) -> str:
    """Return that the sharp book of the closing lines has no rows; else nothing."""
    name = by.reference
    if not log.bookmakers or name == CONSENSUS_TITLE or name in log.bookmakers:
        return ""
    line = N_(f"no price of {name!r} was recorded, so its closing lines are missing")
    return _with_names(line, name, log)


def _with_names(line: str, name: str, log: LogRead) -> str:
    """Return a line about a bookmaker without prices, with those that have some."""
    meant = " or ".join(near_names(name, log.bookmakers))
    there = ", ".join(sorted(log.bookmakers, key=str.casefold))
    if meant:
        return N_(f"{line} (did you mean {meant}?); bookmakers here: {there}")
    return N_(f"{line}; bookmakers here: {there}")


def day_of(at_ms: int) -> str:
    """Return the UTC day of a time."""
    return format_ms(at_ms)[:10]


class Coverage(msgspec.Struct, frozen=True):
    """What a log covers of the games in a span; times in milliseconds."""

    games: int
    """Games with a price that had not started before the span."""
    priced: int
    """Those of them that the sharp book priced."""
    first_priced_ms: int | None
    """Start of the first game that the sharp book priced, in the span or before; else None."""
    last_priced_ms: int | None
    begun: int
    """Games that have started."""
    with_result: int
    """Started games with a result."""
    contrary: int
    """Started games without one because their sources contradict each other."""
    with_close: int | None
    """Started games in which the close's sharp book closed a line; None for a consensus."""
    refused: dict[Caution, int]
    """Prices with enough EV that were not value, by reason, the most frequent first. A price counts
    once for each reason."""
    with_series: int | None = None
    """Games with best odds of the series that is bet on; None if none is."""


class CoverageCount:
    """Counts the games of a log while it is read."""

    def __init__(self, reference: str, by: CloseBy, since_ms: int | None) -> None:
        """``since_ms`` is the start of the span, ``by`` says whose closing lines are counted."""
        self._reference = reference
        self._by = by
        self._since_ms = since_ms
        self._games: dict[str, _Game] = {}
        self._refused: dict[str, set[tuple[Caution, object]]] = {}

    def add_game(self, game: PastGame, scores: FinalScores, *, has_begun: bool) -> None:
        """Add a game at its end or the log's; adding it again changes nothing.

        ``has_begun``: whether it has started by now, whatever the log saw of that.
        """
        ident = game.entry.game_id
        known = self._games.get(ident, _Game())
        priced_by = game.priced_by
        is_priced = (
            len(priced_by) > LEAST_VOTES
            if self._reference in CONSENSUS_TITLES
            else self._reference in priced_by
        )
        self._games[ident] = _Game(
            begins=game.moment if game.kick_off is None else game.kick_off,
            is_priced=known.is_priced or is_priced,
            has_begun=known.has_begun or has_begun,
            has_result=known.has_result or (bool(scores.results) and has_begun),
            is_contrary=known.is_contrary or (scores.is_contrary and has_begun),
            has_close=known.has_close or game.seen.has_close,
        )
        if game.refused:
            self._refused.setdefault(ident, set()).update(game.refused)

    def coverage(self) -> Coverage:
        """Return the counts."""
        since = self._since_ms
        within = {
            ident: game
            for ident, game in self._games.items()
            if since is None or game.begins >= since
        }
        games = within.values()
        priced = [game.begins for game in self._games.values() if game.is_priced]
        refused = Counter(reason for ident in within for reason, _ in self._refused.get(ident, ()))
        is_pooled = self._by.reference == CONSENSUS_TITLE
        return Coverage(
            games=len(within),
            priced=sum(game.is_priced for game in games),
            first_priced_ms=min(priced, default=None),
            last_priced_ms=max(priced, default=None),
            begun=sum(game.has_begun for game in games),
            with_result=sum(game.has_result for game in games),
            contrary=sum(game.is_contrary for game in games),
            with_close=None if is_pooled else sum(game.has_close for game in games),
            refused=dict(refused.most_common()),
        )


class _Game(msgspec.Struct, frozen=True, gc=False):
    begins: int = 0
    is_priced: bool = False
    has_begun: bool = False
    has_result: bool = False
    is_contrary: bool = False
    has_close: bool = False


def why_unpriced(found: Coverage, reference: str, when: str, day: Moment = day_of) -> str:
    """Return that the sharp book priced no game of a span that has games; else nothing."""
    if not found.games or found.priced:
        return ""
    games = f"{num(found.games):,}"
    line = N_(f"the sharp book, {reference}, priced none of {games} games {when}")
    if found.games == 1:
        line = N_(f"the sharp book, {reference}, priced none of 1 game {when}")
    last = found.last_priced_ms
    return line if last is None else N_(f"{line}: it priced none after {day(last)}")


def games_lines(
    found: Coverage, reference: str, by: CloseBy, day: Moment = day_of
) -> Iterator[str]:
    """Yield which games the log covers, one line each."""
    if not found.games:
        return
    first, last = found.first_priced_ms, found.last_priced_ms
    games, priced = f"{num(found.games):,}", _share(found.priced, found.games)
    is_one = found.games == 1
    if first is None or last is None:
        one = N_(f"1 game; {reference} priced {priced}")
        yield one if is_one else N_(f"{games} games; {reference} priced {priced}")
    else:
        start, end = day(first), day(last)
        one = N_(f"1 game; {reference} priced {priced}, from {start} to {end}")
        many = N_(f"{games} games; {reference} priced {priced}, from {start} to {end}")
        yield one if is_one else many
    if found.begun:
        begun, results = f"{num(found.begun):,}", _share(found.with_result, found.begun)
        if found.with_close is None:
            yield N_(f"{begun} of them have started; results for {results}")
        else:
            closes = _share(found.with_close, found.begun)
            yield N_(
                f"{begun} of them have started; results for {results}, closing lines of"
                f" {by.reference} for {closes}"
            )
        if found.contrary:
            yield (
                N_("sources contradict each other on 1 game, which counts as without a result")
                if found.contrary == 1
                else N_(
                    f"sources contradict each other on {num(found.contrary):,} games, which count"
                    f" as without a result"
                )
            )
    if found.with_series is not None:
        yield N_(f"best odds of the series for {_share(found.with_series, found.games)}")


def coverage_lines(
    found: Coverage, reference: str, by: CloseBy, day: Moment = day_of
) -> Iterator[str]:
    """Yield what the log covers and which prices were refused, one line each."""
    yield from games_lines(found, reference, by, day)
    if refused := refused_line([found], reference):
        yield refused


def refused_line(covered: Sequence[Coverage], reference: str) -> str:
    """Return how many prices were refused and why, from the fewest to the most of several counts.

    Empty if the sharp book priced nothing.
    """
    most = Counter[Caution]()
    for each in covered:
        most |= Counter(each.refused)
    cautions = []
    for why, count in most.most_common():
        least = min(each.refused.get(why, 0) for each in covered)
        number = f"{count}" if least == count else f"{least} to {count}"
        cautions.append(f"{caution_text(why, reference)} ({number})")
    if cautions:
        listed = "; ".join(cautions)
        return N_(f"prices with enough EV that were refused: {listed}")
    is_judged = any(each.priced for each in covered)
    return N_("no price with enough EV was refused") if is_judged else ""


def coverage_fields(found: Coverage) -> dict[str, Any]:
    """Return the figures in the form that ``--json`` prints; days are UTC."""
    first, last = found.first_priced_ms, found.last_priced_ms
    return {
        "games": found.games,
        "reference_games": found.priced,
        "reference_first_day": None if first is None else day_of(first),
        "reference_last_day": None if last is None else day_of(last),
        "begun": found.begun,
        "with_result": found.with_result,
        "with_result_pct": _percent(found.with_result, found.begun),
        "contradictory": found.contrary,
        "with_close": found.with_close,
        "with_close_pct": _percent(found.with_close, found.begun),
        "with_series": found.with_series,
        "refused": {why.value: count for why, count in found.refused.items()},
    }


def games_text(count: int) -> str:
    """Return a number of games in words."""
    return f"{num(count):,} game{'' if count == 1 else 's'}"


def _share(count: int, whole: int) -> str:
    percent = _percent(count, whole)
    return f"{num(count):,}" if percent is None else f"{num(count):,} ({num(percent):.0f} %)"


def _percent(count: int | None, whole: int) -> float | None:
    return None if count is None or not whole else count / whole * 100
