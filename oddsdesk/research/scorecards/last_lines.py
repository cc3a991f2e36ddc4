"""What lines closed at when a game began, those that were withdrawn before it too (D57).

What stands counts as seen until it moves, as everywhere in a log. Of what is gone nobody can tell
that it stood until then: it was seen when something of its market moved last, as for a bet's close.
A season's opening handicap that the closing prices lack is days old so, and closes nothing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from oddsdesk.board.matrix import Section, SectionKey
from oddsdesk.board.own_groups import complete_group, offered
from oddsdesk.board.prices import Price
from oddsdesk.pricing.closing import ClosedLine, Sighting, closing_lines
from oddsdesk.pricing.market import Market
from oddsdesk.research.past.game import PastGame, SightingKey

_Line = tuple[SectionKey, str]
"""A line of a game, and a bookmaker who prices all of it."""
_Cell = tuple[str, int, str, str | None]
"""Market type, period, selection, bookmaker; None is the reference."""


class Closed(NamedTuple):
    """A line as a bookmaker closed it."""

    key: SectionKey
    bookmaker: str
    line: ClosedLine


class LastLines:
    """Keeps what was whole before it was withdrawn, until its game has begun."""

    def __init__(self, reference: str, only: str | None = None) -> None:
        """Keep the lines of all bookmakers, or ``only`` of one; ``reference`` is the walk's."""
        self._reference = reference
        self._only = only
        self._gone: defaultdict[str, dict[_Line, Sighting]] = defaultdict(dict)
        self._moved_at: defaultdict[str, dict[SightingKey, int]] = defaultdict(dict)

    def see(self, game: PastGame, now_ms: int) -> None:
        """Look at a game at a moment at which something moved."""
        if game.is_closed:
            return
        ident, before = game.entry.game_id, dict[_Cell, Price | None]()
        withdrawn, moved = dict[SectionKey, Section](), dict[SightingKey, int]()
        for (market_type, period, bookmaker), selection, old, new in game.moves:
            name = bookmaker or self._reference
            if self._only is not None and name != self._only:
                continue
            before.setdefault((market_type, period, selection, bookmaker), old)
            moved[name, market_type, period] = now_ms
            section = game.book.section_of(market_type, period, selection)
            if section is not None and not new.is_offered:
                withdrawn[section.key] = section
        for section in withdrawn.values():
            for name, odds in whole_lines(section, self._reference, before, self._only):
                whose = (name, *section.key[:2])
                if whose in moved and (at := self._moved_at[ident].get(whose)) is not None:
                    self._gone[ident][section.key, name] = Sighting(at, odds, False)
        self._moved_at[ident] |= moved

    def take(self, game: PastGame) -> Iterator[Closed]:
        """Return the lines that a game closed at; it is kept no longer, whoever looks."""
        ident = game.entry.game_id
        self._moved_at.pop(ident, None)
        return self._closed(game, self._gone.pop(ident, {}))

    def _closed(self, game: PastGame, gone: Mapping[_Line, Sighting]) -> Iterator[Closed]:
        began = game.era.now_ms if game.began_at is None else game.began_at
        seen: defaultdict[_Line, list[Sighting]] = defaultdict(list)
        for line, sighting in gone.items():
            seen[line].append(sighting._replace(at=min(sighting.at, began)))
        for section in game.book.matrix.sections:
            for name, odds in whole_lines(section, self._reference, only=self._only):
                at = game.last_seen_ahead((name, *section.key[:2]), began)
                seen[section.key, name].append(Sighting(at, odds, False))
        for (key, name), sightings in seen.items():
            market = Market(key.market_type, game.entry.match_name, game.entry.sport, key.period)
            closed = closing_lines(market, sightings, kick_off=game.kick_off, began=began)
            for last in closed.values():
                yield Closed(key, name, last)


def whole_lines(
    section: Section,
    reference: str,
    before: Mapping[_Cell, Price | None] | None = None,
    only: str | None = None,
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield who prices all sides of a line, with the gross prices in the order of its rows.

    ``before`` has the prices that are looked at in place of those that stand. ``only`` is the one
    bookmaker that is asked for.
    """
    selections = tuple(row.selection for row in section.rows)
    group = complete_group(section.key.market_type, section.match_name, selections, section.sport)
    if group is None:
        return
    if only is None:
        names = dict.fromkeys(name for row in section.rows for name in row.priced_by())
    else:
        names = {None if only == reference else only: None}
    for name in names:
        odds = dict[str, float]()
        for row in section.rows:
            cell = (*section.key[:2], row.selection, name)
            price = before[cell] if before and cell in before else row.price_of(name)
            if (own := offered(price)) is not None:
                odds[row.selection] = own
        if len(odds) == len(selections):
            yield name or reference, odds
