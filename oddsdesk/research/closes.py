"""Closing lines of bets on a log, all by one sharp book and one devig method.

A bookmaker's close is read from the log. A consensus is not in the log: it is computed in a second
pass, whenever something of a game with bets was recorded, with the rules of a running desk
(``board.valuation.closing_lines``). If the log's rows are hours apart, its close is unknown.

A price counts as seen until it moves. For a removed price that is uncertain: it counts as seen when
its market last moved. A season's opening handicap that is missing from the closing prices is thus
days old, and closes nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.board.model.matrix import Price, Section, SectionKey, complete_group, offered
from oddsdesk.board.valuation.closing_lines import WAIT_MS, close_of, keep_sighting
from oddsdesk.contract.markets import DRAW_RETURNS
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.log_closes import closes_of_own_bets
from oddsdesk.ledger.open_bets import to_follow
from oddsdesk.pricing import closing
from oddsdesk.pricing.assessment import Market
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.research.past_game import PastGame, SightingKey
from oddsdesk.research.recorded_log import LogPast, RecordedLog
from oddsdesk.research.walk import Visitor, Walk, era_maker

IN_PLAY = "in play"
"""Note of a bet that was placed in play, which has no close before it."""


def with_closes(
    log: RecordedLog,
    bets: Sequence[PlacedBet],
    by: closing.CloseBy,
    profiles: Profiles,
    now_ms: int,
    progress: Callable[[int], None],
    walked: LogPast | None = None,
) -> list[PlacedBet]:
    """Return bets with their closing lines.

    Args:
        log: Of a database with the close's sharp book, unless that is a consensus.
        bets: With numbers; those with the note ``IN_PLAY`` have no close.
        by: Whose close, and the devig method.
        profiles: Which bookmakers belong together, for a consensus.
        now_ms: The time; only games that started before it have a closing line.
        progress: Called while the log is read; an exception ends the work.
        walked: What a walk through the whole log kept of games with bets, by ``keep_closes``.
    """
    ahead = [bet for bet in bets if bet.note != IN_PLAY]
    if by.reference == CONSENSUS_TITLE:
        closes = _pooled(log, ahead, by, profiles, now_ms, progress) if ahead else {}
    else:
        by_game = sorted(ahead, key=lambda bet: (bet.game_id, bet.market_type, bet.period))
        past = log.past(by.reference, {bet.game_id for bet in bets}, progress, walked)
        closes = closes_of_own_bets(past, by_game, now_ms, by)
    in_play = closing.ClosingLine(why=N_("placed in play"))
    return [
        msgspec.structs.replace(
            bet, close=in_play if bet.note == IN_PLAY else closes.get(bet.ident or 0)
        )
        for bet in bets
    ]


def with_all_closes(
    log: RecordedLog,
    lists: Sequence[Sequence[PlacedBet]],
    by: closing.CloseBy,
    profiles: Profiles,
    now_ms: int,
    progress: Callable[[int], None],
    walked: LogPast | None = None,
) -> list[list[PlacedBet]]:
    """Return lists of bets with their closing lines, as ``with_closes`` does for each.

    Bets of several lists on one selection, placed at one moment, have the same close.
    """
    if by.reference == CONSENSUS_TITLE or len(lists) == 1:
        return [with_closes(log, bets, by, profiles, now_ms, progress, walked) for bets in lists]
    alike = dict[tuple[object, ...], PlacedBet]()
    for bets in lists:
        for bet in bets:
            alike.setdefault(_closes_as(bet), bet)
    asked = [
        msgspec.structs.replace(bet, ident=number) for number, bet in enumerate(alike.values(), 1)
    ]
    closed = with_closes(log, asked, by, profiles, now_ms, progress, walked)
    closes = {_closes_as(bet): bet.close for bet in closed}
    return [
        [msgspec.structs.replace(bet, close=closes[_closes_as(bet)]) for bet in bets]
        for bets in lists
    ]


def _closes_as(bet: PlacedBet) -> tuple[object, ...]:
    return *bet.bet_key[:4], bet.placed_at, bet.kick_off, bet.note, bet.kind


def _pooled(
    log: RecordedLog,
    bets: Iterable[PlacedBet],
    by: closing.CloseBy,
    profiles: Profiles,
    now_ms: int,
    progress: Callable[[int], None],
) -> dict[closing.BetPart, closing.ClosingLine]:
    watcher = _ConsensusWatcher(bets)
    era = era_maker(by.reference, by.method, profiles, None)
    walk = Walk(log, now_ms)
    walk.add_visitor(watcher, era)
    walk.walk_log(None, None, lambda _: progress(0))
    found = watcher.closes(by, now_ms).items()
    return {ident: msgspec.structs.replace(close, reference=by.reference) for ident, close in found}


class _Market(NamedTuple):
    """The market of a consensus, without the operator of one bookmaker."""

    market_type: str
    period: int
    bookmaker: str


class _Begin(NamedTuple):
    """When a game starts by its kick-off, and when it was first seen in play; milliseconds."""

    kick_off: int | None
    first_in_play: int | None


class _ConsensusWatcher(Visitor):
    """A ``walk.Visitor`` that notes the consensus on games with bets before they start."""

    def __init__(self, bets: Iterable[PlacedBet]) -> None:
        self._bets = defaultdict[str, list[PlacedBet]](list)
        for bet in bets:
            self._bets[bet.game_id].append(bet)
        self._seen = defaultdict[str, dict[_Market, list[closing.Sighting]]](dict)
        self._begins: dict[str, _Begin] = {}

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Note the consensus on markets that have bets, if the game is about to start."""
        ident, begins = game.entry.game_id, game.kick_off
        if ident not in self._bets:
            return
        game.near()
        first = game.in_play_at
        is_late = first is not None and begins is not None and first > begins + WAIT_MS
        self._begins[ident] = _Begin(begins, None if is_late else first)
        is_due = begins is None or begins - closing.MOST_AGE_MS <= now_ms <= begins + WAIT_MS
        seen = self._seen[ident]
        for bet in self._bets[ident]:
            for market in _markets_of(bet):
                is_placed = bet.placed_at <= now_ms or (is_due and bet.placed_at == begins)
                is_new = market not in seen and is_placed
                if first is None and (is_new or (is_due and market in seen)):
                    self._look(game, market, now_ms)

    def closes(
        self, by: closing.CloseBy, now_ms: int
    ) -> dict[closing.BetPart, closing.ClosingLine]:
        """Return the closes of bets whose games have started."""
        found = {}
        for bet in to_follow((bet for bets in self._bets.values() for bet in bets), by):
            begin = self._begins.get(bet.game_id, _Begin(bet.kick_off, None))
            began = closing.began_at(*begin)
            if began is None or began <= now_ms:
                seen = self._seen[bet.game_id]
                own, *more = (seen.get(each, []) for each in _markets_of(bet))
                found[bet.ident] = close_of(bet, own, *begin, moneyline=more[0] if more else ())
        return found

    def _look(self, game: PastGame, market: _Market, now_ms: int) -> None:
        kept = self._seen[game.entry.game_id].setdefault(market, [])
        sighting = game.pooled_sighting(*market, now_ms)
        if sighting is not None:
            keep_sighting(kept, sighting)


def _markets_of(bet: PlacedBet | closing.FollowedBet) -> list[_Market]:
    """Return the markets needed for a bet: its own, and the moneyline whose draw is a push."""
    own = _Market(bet.market_type, bet.period, bet.bookmaker)
    if bet.market_type in DRAW_RETURNS:
        return [own, own._replace(market_type=closing.MONEYLINE)]
    return [own]


_Line = tuple[SectionKey, str]
"""A line of a game, and a bookmaker that prices all of it."""
_Cell = tuple[str, int, str, str]
"""Market type, period, selection, bookmaker."""


class Closed(NamedTuple):
    """A line as a bookmaker closed it."""

    key: SectionKey
    bookmaker: str
    line: closing.ClosedLine


class LastLines:
    """Keeps the last complete lines, even if removed, until the game has started."""

    def __init__(self, only: str | None = None, most_age_ms: float = closing.MOST_AGE_MS) -> None:
        """Keep the lines of all bookmakers, or ``only`` of one.

        A line that was last seen more than ``most_age_ms`` before the start is no closing line.
        """
        self._only = only
        self._most_age_ms = most_age_ms
        self._gone: defaultdict[str, dict[_Line, closing.Sighting]] = defaultdict(dict)
        self._moved_at: defaultdict[str, dict[SightingKey, int]] = defaultdict(dict)

    def see(self, game: PastGame, now_ms: int) -> None:
        """Look at a game at a moment at which something moved."""
        if game.is_closed:
            return
        ident, before = game.entry.game_id, dict[_Cell, Price | None]()
        withdrawn, moved = dict[SectionKey, Section](), dict[SightingKey, int]()
        for (market_type, period, bookmaker), selection, old, new in game.moves:
            if self._only not in (None, bookmaker):
                continue
            before.setdefault((market_type, period, selection, bookmaker), old)
            moved[bookmaker, market_type, period] = now_ms
            section = game.book.section_of(market_type, period, selection)
            if section is not None and not new.is_offered:
                withdrawn[section.key] = section
        for section in withdrawn.values():
            for name, odds in whole_lines(section, before, self._only):
                whose = (name, *section.key[:2])
                if whose in moved and (at := self._moved_at[ident].get(whose)) is not None:
                    self._gone[ident][section.key, name] = closing.Sighting(at, odds, False)
        self._moved_at[ident] |= moved

    def closed_lines(self, game: PastGame) -> Iterator[Closed]:
        """Return the lines at which a game closed, and forget them."""
        ident = game.entry.game_id
        self._moved_at.pop(ident, None)
        return self._closed(game, self._gone.pop(ident, {}))

    def _closed(self, game: PastGame, gone: Mapping[_Line, closing.Sighting]) -> Iterator[Closed]:
        began = game.era.now_ms if game.began_at is None else game.began_at
        seen: defaultdict[_Line, list[closing.Sighting]] = defaultdict(list)
        for line, sighting in gone.items():
            seen[line].append(sighting._replace(at=min(sighting.at, began)))
        for section in game.book.matrix.sections:
            for name, odds in whole_lines(section, only=self._only):
                at = game.last_seen_ahead((name, *section.key[:2]), began)
                seen[section.key, name].append(closing.Sighting(at, odds, False))
        for (key, name), sightings in seen.items():
            market = Market(key.market_type, game.entry.match_name, game.entry.sport, key.period)
            closed = closing.closing_lines(
                market,
                sightings,
                kick_off=game.kick_off,
                began=began,
                most_age_ms=self._most_age_ms,
            )
            for last in closed.values():
                yield Closed(key, name, last)


def whole_lines(
    section: Section, before: Mapping[_Cell, Price | None] | None = None, only: str | None = None
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the bookmakers that price all sides of a line, with gross prices in its order.

    ``before`` has prices that replace the current ones. ``only`` limits it to one bookmaker.
    """
    selections = tuple(row.selection for row in section.rows)
    group = complete_group(section.key.market_type, section.match_name, selections, section.sport)
    if group is None:
        return
    if only is None:
        names = dict.fromkeys(name for row in section.rows for name in row.prices)
    else:
        names = {only: None}
    for name in names:
        odds = dict[str, float]()
        for row in section.rows:
            cell = (*section.key[:2], row.selection, name)
            price = before[cell] if before and cell in before else row.prices.get(name)
            if (own := offered(price)) is not None:
                odds[row.selection] = own
        if len(odds) == len(selections):
            yield name, odds
