"""What a log has of the games of a span, and what it lacks (D119)."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from oddsdesk.board.verdict_words import caution_text
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE, LEAST_VOTES
from oddsdesk.research.past.game import PastGame
from oddsdesk.research.past.log_words import Moment


def day_of(at_ms: int) -> str:
    """Return the day of a moment, UTC."""
    return format_ms(at_ms)[:10]


class Coverage(msgspec.Struct, frozen=True):
    """What a log has of the games of a span; times in milliseconds."""

    games: int
    """Those with a price that had not begun before the span."""
    priced: int
    """Of these, those that the reference priced."""
    first_priced_ms: int | None
    """When the first game began that the reference priced, in the span or before; else None."""
    last_priced_ms: int | None
    begun: int
    """Of the games, those that have begun."""
    with_result: int
    """Of those that have begun."""
    with_close: int | None
    """The same where the close's reference closed any line; None of a consensus."""
    refused: dict[Caution, int]
    """Prices with the least edge that were not value, by what spoke against them, the most frequent
    first. A price counts once for each reason."""


class CoverageCount:
    """Counts the games of a log that is gone through."""

    def __init__(self, reference: str, by: CloseBy, since_ms: int | None) -> None:
        """``since_ms`` is the begin of the span, ``by`` whose closing lines are counted."""
        self._reference = reference
        self._by = by
        self._since_ms = since_ms
        self._games: dict[str, _Game] = {}
        self._refused: dict[str, set[tuple[Caution, object]]] = {}

    def add(self, game: PastGame, *, has_result: bool) -> None:
        """Add a game that is over, or the log is; one that comes again is the same."""
        ident = game.entry.game_id
        known = self._games.get(ident, _Game())
        priced_by = game.priced_by
        is_priced = (
            len(priced_by) > LEAST_VOTES
            if self._reference == CONSENSUS_TITLE
            else self._reference in priced_by
        )
        self._games[ident] = _Game(
            begins=game.moment if game.kick_off is None else game.kick_off,
            is_priced=known.is_priced or is_priced,
            has_begun=known.has_begun or game.has_begun,
            has_result=known.has_result or (has_result and game.has_begun),
            has_close=known.has_close or self._by.reference in game.closed_by,
        )
        if game.refused:
            self._refused.setdefault(ident, set()).update(game.refused)

    def coverage(self) -> Coverage:
        """Return what was counted."""
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
            with_close=None if is_pooled else sum(game.has_close for game in games),
            refused=dict(refused.most_common()),
        )


class _Game(msgspec.Struct, frozen=True, gc=False):
    begins: int = 0
    is_priced: bool = False
    has_begun: bool = False
    has_result: bool = False
    has_close: bool = False


def why_unpriced(found: Coverage, reference: str, when: str, day: Moment = day_of) -> str:
    """Return that the reference priced no game of a span that has games; else nothing."""
    if not found.games or found.priced:
        return ""
    told = f"{reference}, the reference, priced none of {games_text(found.games)} {when}"
    last = found.last_priced_ms
    return told if last is None else f"{told}: it priced nothing after {day(last)}"


def coverage_lines(
    found: Coverage, reference: str, by: CloseBy, day: Moment = day_of
) -> Iterator[str]:
    """Yield what the log has of the games, a line each."""
    if not found.games:
        return
    first, last = found.first_priced_ms, found.last_priced_ms
    span = "" if first is None or last is None else f", from {day(first)} to {day(last)}"
    yield (
        f"{games_text(found.games)}; {reference} priced {_share(found.priced, found.games)}{span}"
    )
    if found.begun:
        closes = (
            ""
            if found.with_close is None
            else f", closing lines of {by.reference} for {_share(found.with_close, found.begun)}"
        )
        yield (
            f"{found.begun:,} of them have begun; results for"
            f" {_share(found.with_result, found.begun)}{closes}"
        )
    if found.refused:
        said = [f"{caution_text(why, reference)} ({count})" for why, count in found.refused.items()]
        yield f"prices refused although their edge was large enough: {'; '.join(said)}"


def coverage_fields(found: Coverage) -> dict[str, Any]:
    """Return the figures as ``--json`` prints them; days are UTC."""
    first, last = found.first_priced_ms, found.last_priced_ms
    return {
        "games": found.games,
        "reference_games": found.priced,
        "reference_first_day": None if first is None else day_of(first),
        "reference_last_day": None if last is None else day_of(last),
        "begun": found.begun,
        "with_result": found.with_result,
        "with_result_pct": _percent(found.with_result, found.begun),
        "with_close": found.with_close,
        "with_close_pct": _percent(found.with_close, found.begun),
        "refused": {why.value: count for why, count in found.refused.items()},
    }


def games_text(count: int) -> str:
    """Return a number of games."""
    return f"{count:,} game{'' if count == 1 else 's'}"


def _share(count: int, whole: int) -> str:
    percent = _percent(count, whole)
    return f"{count:,}" if percent is None else f"{count:,} ({percent:.0f} %)"


def _percent(count: int | None, whole: int) -> float | None:
    return None if count is None or not whole else count / whole * 100
