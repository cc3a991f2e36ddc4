"""The closing line of a bet: the last fair odds before its game started."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.markets import DRAW_RETURNS
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import Market, Prices, reference_lines, settlement_of
from oddsdesk.pricing.devig import DEFAULT_METHOD, NotApplicableError, devig
from oddsdesk.pricing.selections import DRAW, LineGroup, Outcome, line_groups, read_selection
from oddsdesk.pricing.stakes import net_lay_odds
from oddsdesk.pricing.value import Pushes, can_push

MOST_AGE_MS: Final = 30 * MINUTE_MS
"""A price that is older when the game starts is not a closing line."""


MONEYLINE: Final = "moneyline"


class CloseBy(NamedTuple):
    """The closing line that all bets of a table use, whatever valued them."""

    reference: str = ""
    """Whose closing line: a bookmaker, or ``CONSENSUS_TITLE``; empty for the sharp book of the
    database or service."""
    method: str = DEFAULT_METHOD
    """The devig method."""

    @property
    def close_by_text(self) -> str:
        """The sharp book and the method, in words."""
        whose = f"the {self.reference}" if self.reference else "the sharp book's"
        return f"vs {whose} close, {self.method.replace('_', ' ')}"


class Sighting(NamedTuple):
    """The sharp book's prices of a whole market at a time, in milliseconds."""

    at: int
    odds: Mapping[str, float]
    """By selection; missing if it was not offered."""
    is_live: bool


MarketKey = tuple[str, str, int]
"""Game id, market type, period."""

BetPart = int | tuple[int, int]
"""The number of a bet; for a leg of a multiple, the bet's number and the leg's place, from 1."""


class FollowedBet(NamedTuple):
    """A bet, or a leg of one, whose closing line is wanted."""

    ident: BetPart
    game_id: str
    match_name: str
    sport: str
    market_type: str
    period: int
    selection: str
    kick_off: int | None
    """The kick-off when the bet was placed, in milliseconds; a later one replaces it."""
    by: CloseBy
    """Whose closing line is wanted, and the devig method."""
    bookmaker: str = ""
    """Where it was placed; a consensus leaves that operator out."""
    competition: str = ""
    is_lay: bool = False
    """Whether it closes by the other side of its selection."""

    @property
    def market(self) -> MarketKey:
        """The market of the bet."""
        return self.game_id, self.market_type, self.period


class ClosingLine(msgspec.Struct, frozen=True):
    """The close of a bet, or why it has none; stored in the ledger.

    For a lay, all odds but ``line`` are those of the other side, as are the bet's net odds.
    """

    odds: float | None = None
    """The sharp book's own odds before commission; None if there is no close."""
    fair_odds: float | None = None
    method: str = ""
    """The devig method behind all fair odds here."""
    at: int | None = None
    """When it was seen, in milliseconds."""
    why: str = ""
    """Why there is no close, in words; empty if there is one."""
    moved_to: str = ""
    """The selection that replaced the bet's line, which is another bet."""
    moved_fair_odds: float | None = None
    reference: str = ""
    """Whose close it is; empty if that was not recorded."""
    decided: float | None = None
    """The average share of the stake that is won or lost, by the close: below 1 if the line can
    push. None if unknown, as in closes recorded before it was stored."""
    line: tuple[float, ...] = ()
    """The gross odds of all sides, for devigging with another method; empty in older records."""

    @property
    def is_there(self) -> bool:
        """Whether the bet has a closing line."""
        return self.fair_odds is not None


def other_side(close: ClosingLine) -> ClosingLine:
    """Return the close of a lay bet from that of its selection.

    Fair odds f become 1/(1 - 1/f). They are of a decided stake, so the chance of a push is the
    same for both sides.
    """
    turned = {
        name: None if odds is None or odds <= 1 else net_lay_odds(odds, 0.0)
        for name, odds in (
            ("odds", close.odds),
            ("fair_odds", close.fair_odds),
            ("moved_fair_odds", close.moved_fair_odds),
        )
    }
    return msgspec.structs.replace(close, **turned)


def began_at(kick_off: int | None, first_in_play: int | None) -> int | None:
    """Return when a game started: when it was first seen in play, else its kick-off."""
    return kick_off if first_in_play is None else first_in_play


def is_close(
    seen_at: int, began: int, kick_off: int | None, most_age_ms: float = MOST_AGE_MS
) -> bool:
    """Return whether prices were seen recently enough to close a game.

    What was seen by the kick-off is judged by its age then, even if play was seen only later.
    """
    at = began if kick_off is None or not seen_at <= kick_off < began else kick_off
    return at - seen_at <= most_age_ms


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
    """Return the close of a bet from the sharp book's prices of its market.

    What was seen by the kick-off is judged by its age then, even if play was seen only later.
    ``moneyline`` has the sharp book's moneyline of the same period: its draw gives the chance of
    a push for a handicap of zero and for draw no bet.

    Raises:
        DevigError: unknown method.
    """
    began = began_at(kick_off, first_in_play)
    read = read_selection(market.market_type, market.match_name, selection)
    if began is None:
        return ClosingLine(why=N_("unknown kick-off"))
    if read is None:
        return ClosingLine(why=N_("unreadable selection"))
    before = _before(sightings, began)
    if not before:
        return ClosingLine(why=N_("the sharp book did not price this market before the game"))
    recent = _recent(before, began, kick_off)
    if not recent:
        return ClosingLine(why=N_("last seen more than 30 minutes before the game"))
    own = _last(market, recent, read.side).get(read.key)
    if own is not None:
        odds, fair = own.fair(method, read.side)
        if fair is None:
            return ClosingLine(why=N_("the method gives no fair odds"), method=method)
        draw = _draw_chance(market, moneyline, (kick_off, began), method)
        decided = _decided(market, own, read.side, draw, method)
        return ClosingLine(odds, fair, method, own.at, decided=decided, line=own.odds)
    return _moved(market, read, recent, method)


class ClosedLine(NamedTuple):
    """A complete line group as it was last seen."""

    at: int
    group: LineGroup
    odds: tuple[float, ...]
    """Before commission, in the order of the group."""
    market: Mapping[str, float]
    """All prices of the market at that moment, by selection."""

    def fair(self, method: str, side: str) -> tuple[float, float | None]:
        """Return the odds of a side, and its fair odds if the method gives any."""
        place = self.group.sides.index(side)
        try:
            fair = devig(method, self.odds).fair_odds[place]
        except NotApplicableError:
            fair = None
        return self.odds[place], fair


def closing_lines(
    market: Market,
    sightings: Sequence[Sighting],
    *,
    kick_off: int | None,
    began: int,
    most_age_ms: float = MOST_AGE_MS,
) -> dict[str, ClosedLine]:
    """Return the closing odds of each line of a market, by the line's key.

    That is the last complete group before the start that is recent enough, whether it stood until
    then or was removed before.
    """
    return _last(market, _recent(_before(sightings, began), began, kick_off, most_age_ms))


def _draw_chance(
    market: Market, sightings: Sequence[Sighting], begin: tuple[int | None, int], method: str
) -> float | None:
    """Return the chance of a draw by the closing three-way moneyline; None without one."""
    if market.market_type not in DRAW_RETURNS:
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
    """Return the average share of a stake that is decided, None if unknown.

    Neighbouring lines are those of the same moment.
    """
    if not can_push(market.market_type, own.group.line):
        return 1.0
    lines = reference_lines(market, Prices("", own.market, own.at, is_live=False), method)
    line = lines[own.group.key]
    push = Pushes(lines.values(), draw).push_chance(line, in_play=False)
    fair = line.prices[side].fair_odds
    if push is None or fair is None:
        return None
    return settlement_of(line, side, fair, push).decided


_devigged: Final = lru_cache(maxsize=16_384)(devig)
"""Backtests devig the same closes by the same methods many times."""


def devigged_by(close: ClosingLine, method: str, *, is_lay: bool = False) -> ClosingLine | None:
    """Return a close devigged by another method, None if its line is unknown.

    ``is_lay``: the bet is a lay, so the close is that of the other side.

    Raises:
        DevigError: unknown method.
    """
    if not close.is_there or close.method == method:
        return close
    if not close.line or close.odds is None:
        return None
    try:
        own = [net_lay_odds(each, 0.0) for each in close.line] if is_lay else close.line
        fair = _devigged(method, close.line).fair_odds[own.index(close.odds)]
    except NotApplicableError:
        return ClosingLine(
            why=N_("the method gives no fair odds"), method=method, reference=close.reference
        )
    if is_lay:
        fair = net_lay_odds(fair, 0.0)
    return msgspec.structs.replace(close, fair_odds=fair, method=method)


def _before(sightings: Iterable[Sighting], began: int) -> list[Sighting]:
    return [each for each in sightings if each.at <= began and not each.is_live and each.odds]


def _recent(
    sightings: Iterable[Sighting],
    began: int,
    kick_off: int | None,
    most_age_ms: float = MOST_AGE_MS,
) -> list[Sighting]:
    return [each for each in sightings if is_close(each.at, began, kick_off, most_age_ms)]


def _last(market: Market, recent: Sequence[Sighting], side: str = "") -> dict[str, ClosedLine]:
    """Return the last complete group of each line, or only of those with a given side."""
    lines: dict[str, ClosedLine] = {}
    for sighting in sorted(recent, key=lambda each: each.at, reverse=True):
        for found in _complete(market, sighting, side):
            lines.setdefault(found.group.key, found)
    return lines


def _moved(market: Market, read: Outcome, recent: Sequence[Sighting], method: str) -> ClosingLine:
    """Return no close, together with the nearest line at which the sharp book closed."""
    last = max(recent, key=lambda each: each.at)
    others = [found for found in _complete(market, last, read.side) if found.group.key != read.key]
    if read.line is None or not others:
        return ClosingLine(why=N_("the sharp book did not price every side at the close"))
    line = read.line
    nearest = min(others, key=lambda found: abs((found.group.line or 0.0) - line))
    return ClosingLine(
        why=N_("the line moved"),
        method=method,
        at=nearest.at,
        moved_to=nearest.group.selections[nearest.group.sides.index(read.side)],
        moved_fair_odds=nearest.fair(method, read.side)[1],
    )


def _complete(market: Market, sighting: Sighting, side: str) -> Iterator[ClosedLine]:
    """Yield the complete line groups of a moment, or only those with a given side."""
    odds = sighting.odds
    for group in _groups(market.market_type, market.match_name, tuple(odds), market.sport):
        if group.complete and (not side or side in group.sides):
            prices = tuple(odds[selection] for selection in group.selections)
            yield ClosedLine(sighting.at, group, prices, odds)


_groups: Final = lru_cache(maxsize=1 << 10)(line_groups)
"""Bookmakers price the same selections, so each is read once."""
