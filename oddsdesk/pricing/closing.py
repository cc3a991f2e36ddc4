"""The closing line of a bet: the last fair odds before its game began (D57)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import settlement_of
from oddsdesk.pricing.devig import DEFAULT_METHOD, NotApplicableError, devig
from oddsdesk.pricing.market import Market, Prices, reference_lines
from oddsdesk.pricing.outcomes import DRAW, Outcome, read_selection
from oddsdesk.pricing.pushes import MAY_BE_DRAWN, Pushes, can_push
from oddsdesk.pricing.selections import LineGroup, line_groups

MOST_AGE_MS: Final = 30 * MINUTE_MS
"""A sighting that is older when the game begins is no closing line."""


MONEYLINE: Final = "moneyline"


class CloseBy(NamedTuple):
    """The one close that all bets of a table are measured by, whatever judged them (D117)."""

    reference: str = ""
    """Whose closing line it is: a bookmaker, or ``CONSENSUS_TITLE``; empty for whom the database or
    the service judges by."""
    method: str = DEFAULT_METHOD
    """The devig method."""

    @property
    def text(self) -> str:
        """Who closes, and by which method, in words."""
        return f"closed by {self.reference or 'the reference'}, {self.method.replace('_', ' ')}"


class Sighting(NamedTuple):
    """What the reference said of a whole market at a time, in milliseconds."""

    at: int
    odds: Mapping[str, float]
    """By selection; what it did not offer is left out."""
    is_live: bool


MarketKey = tuple[str, str, int]
"""Game id, market type, period."""


class FollowedBet(NamedTuple):
    """A bet whose closing line is wanted."""

    ident: int
    game_id: str
    match_name: str
    sport: str
    market_type: str
    period: int
    selection: str
    kick_off: int | None
    """As it was when the bet was placed, in milliseconds; what is known later goes before it."""
    by: CloseBy
    """Whose closing line is wanted, and what devigs it."""
    bookmaker: str = ""
    """Where it was placed: a consensus is asked without that one's operator."""
    competition: str = ""

    @property
    def market(self) -> MarketKey:
        """The market that it is of."""
        return self.game_id, self.market_type, self.period


class ClosingLine(msgspec.Struct, frozen=True):
    """The close of a bet, or why it has none; written into the ledger as it is."""

    odds: float | None = None
    """The reference's own, gross; None where there is no close."""
    fair_odds: float | None = None
    method: str = ""
    """The devig method that made all fair odds here."""
    at: int | None = None
    """When it was seen, in milliseconds."""
    why: str = ""
    """Why there is no close, in words; empty where there is one."""
    moved_to: str = ""
    """The selection of the line that took the place of the bet's, which is another bet."""
    moved_fair_odds: float | None = None
    reference: str = ""
    """Whose close it is; empty where that was not recorded."""
    decided: float | None = None
    """The share of the stake that is won or lost on average, by the close: below 1 where the line
    can push. None where that is not known, as in closes recorded before it was kept."""
    line: tuple[float, ...] = ()
    """The gross odds of all sides, from which another method devigs; empty in older records."""

    @property
    def is_there(self) -> bool:
        """Whether the bet has a closing line of its own."""
        return self.fair_odds is not None


def began_at(kick_off: int | None, first_in_play: int | None) -> int | None:
    """Return when a game began: when it was first seen in play, else its kick-off."""
    return kick_off if first_in_play is None else first_in_play


def is_close(seen_at: int, began: int, kick_off: int | None) -> bool:
    """Return whether what was seen then is recent enough to close a game that began.

    What was seen by the kick-off is judged by its age then, also where play was seen only later.
    """
    at = began if kick_off is None or not seen_at <= kick_off < began else kick_off
    return at - seen_at <= MOST_AGE_MS


def closing_line(
    market: Market,
    selection: str,
    sightings: Sequence[Sighting],
    *,
    kick_off: int | None,
    first_in_play: int | None,
    method: str,
    moneyline: Sequence[Sighting] = (),
) -> ClosingLine:
    """Return the close of a bet from what the reference said of its market.

    A sighting before the kick-off is judged by its age then, also where the game was seen in play
    only later. ``moneyline`` is what the reference said of the moneyline of the same period: its
    draw tells how often a handicap of zero and draw no bet push.

    Raises:
        DevigError: unknown method.
    """
    began = began_at(kick_off, first_in_play)
    read = read_selection(market.market_type, market.match_name, selection)
    if began is None:
        return ClosingLine(why="the kick-off is not known")
    if read is None:
        return ClosingLine(why="the selection could not be read")
    before = _before(sightings, began)
    if not before:
        return ClosingLine(why="the reference was not seen to price this market before the game")
    recent = _recent(before, began, kick_off)
    if not recent:
        return ClosingLine(why="last seen more than 30 minutes before the game")
    own = _last(market, recent, read.side).get(read.key)
    if own is not None:
        odds, fair = own.fair(method, read.side)
        if fair is None:
            return ClosingLine(why="the method gives no fair odds", method=method)
        draw = _draw_chance(market, moneyline, (kick_off, began), method)
        decided = _decided(market, own, read.side, draw, method)
        return ClosingLine(odds, fair, method, own.at, decided=decided, line=own.odds)
    return _moved(market, read, recent, method)


class ClosedLine(NamedTuple):
    """A complete line group as it was seen last."""

    at: int
    group: LineGroup
    odds: tuple[float, ...]
    """Gross, in the order of the group."""
    market: Mapping[str, float]
    """All that was said of the market at that moment, by selection."""

    def fair(self, method: str, side: str) -> tuple[float, float | None]:
        """Return the odds of a side, and its fair odds where the method gives any."""
        place = self.group.sides.index(side)
        try:
            fair = devig(method, self.odds).fair_odds[place]
        except NotApplicableError:
            fair = None
        return self.odds[place], fair


def closing_lines(
    market: Market, sightings: Sequence[Sighting], *, kick_off: int | None, began: int
) -> dict[str, ClosedLine]:
    """Return what each line of a market closed at, by the line's key in the market.

    That is its last complete group up to the moment the game began that is recent enough, whether
    it stood until then or was withdrawn before.
    """
    return _last(market, _recent(_before(sightings, began), began, kick_off))


def _draw_chance(
    market: Market, sightings: Sequence[Sighting], begin: tuple[int | None, int], method: str
) -> float | None:
    """Return how likely a draw is by the close of the three-way moneyline; None without one."""
    if market.market_type not in MAY_BE_DRAWN:
        return None
    kick_off, began = begin
    whole = market._replace(market_type=MONEYLINE)
    line = closing_lines(whole, sightings, kick_off=kick_off, began=began).get("")
    if line is None or DRAW not in line.group.sides:
        return None
    fair = line.fair(method, DRAW)[1]
    return None if fair is None else 1 / fair


def _decided(
    market: Market, own: ClosedLine, side: str, draw: float | None, method: str
) -> float | None:
    """Return the share of a stake that is decided on average, None where that is not known (D53).

    Neighbouring lines are those that stood at the same moment.
    """
    if not can_push(market.market_type, own.group.line):
        return 1.0
    lines = reference_lines(market, Prices("", own.market, own.at, is_live=False), method)
    line = lines[own.group.key]
    push = Pushes(lines.values(), draw).of(line, in_play=False)
    fair = line.prices[side].fair_odds
    if push is None or fair is None:
        return None
    return settlement_of(line, side, fair, push).decided


def devigged_by(close: ClosingLine, method: str) -> ClosingLine | None:
    """Return a close with its margin taken out by another method, None where its line is not known.

    Raises:
        DevigError: unknown method.
    """
    if not close.is_there or close.method == method:
        return close
    if not close.line or close.odds is None:
        return None
    try:
        fair = devig(method, close.line).fair_odds[close.line.index(close.odds)]
    except NotApplicableError:
        return ClosingLine(
            why="the method gives no fair odds", method=method, reference=close.reference
        )
    return msgspec.structs.replace(close, fair_odds=fair, method=method)


def _before(sightings: Iterable[Sighting], began: int) -> list[Sighting]:
    return [each for each in sightings if each.at <= began and not each.is_live and each.odds]


def _recent(sightings: Iterable[Sighting], began: int, kick_off: int | None) -> list[Sighting]:
    return [each for each in sightings if is_close(each.at, began, kick_off)]


def _last(market: Market, recent: Sequence[Sighting], side: str = "") -> dict[str, ClosedLine]:
    """Return the last complete group of each line, of those that have a side where one is given."""
    lines: dict[str, ClosedLine] = {}
    for sighting in sorted(recent, key=lambda each: each.at, reverse=True):
        for found in _complete(market, sighting, side):
            lines.setdefault(found.group.key, found)
    return lines


def _moved(market: Market, read: Outcome, recent: Sequence[Sighting], method: str) -> ClosingLine:
    """Return no close, and beside it the nearest line that the reference closed at."""
    last = max(recent, key=lambda each: each.at)
    others = [found for found in _complete(market, last, read.side) if found.group.key != read.key]
    if read.line is None or not others:
        return ClosingLine(why="the reference did not price all of the line at the end")
    line = read.line
    nearest = min(others, key=lambda found: abs((found.group.line or 0.0) - line))
    return ClosingLine(
        why="the line moved",
        method=method,
        at=nearest.at,
        moved_to=nearest.group.selections[nearest.group.sides.index(read.side)],
        moved_fair_odds=nearest.fair(method, read.side)[1],
    )


def _complete(market: Market, sighting: Sighting, side: str) -> Iterator[ClosedLine]:
    """Yield the complete line groups of a sighting, those that have a side where one is given."""
    odds = sighting.odds
    for group in _groups(market.market_type, market.match_name, tuple(odds), market.sport):
        if group.complete and (not side or side in group.sides):
            prices = tuple(odds[selection] for selection in group.selections)
            yield ClosedLine(sighting.at, group, prices, odds)


_groups: Final = lru_cache(maxsize=1 << 10)(line_groups)
"""Bookmakers price the same selections: they are read once."""
