"""Finding the stored game of a quote whose teams it has under other names (D69)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple, Protocol

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.matching.games import SAME_START_MS, Game, Verdict, compare, is_midway
from oddsdesk.matching.team_names import GameKey, SameTeam, TeamNames, shipped_names
from oddsdesk.pricing.outcomes import AWAY, HOME, read_selection

OtherName = tuple[str, str, int, str, bool]
"""Competition, plain name, the game's row, the name, and whether it has the teams crosswise."""


class DatedGame(NamedTuple):
    """A game and when it begins, in milliseconds."""

    row: int
    competition: str
    plain_name: str
    match_name: str
    kick_off: int


class NameTables(Protocol):
    """What finding games by other names needs of an engine, inside a transaction."""

    def games_between(
        self, competitions: Collection[str], low: int, high: int
    ) -> Iterable[DatedGame]:
        """Return the games of competitions that begin from ``low`` on, before ``high``."""
        ...

    def last_made_up(self) -> int:
        """Return the row of the last game that was simulated before there were real odds."""
        ...

    def moneylines(self, game: int) -> Iterable[dict[str, float]]:
        """Return the bookmakers' odds on the winner of a game, as far as it was not in play."""
        ...

    def same_teams(self) -> Sequence[SameTeam]:
        """Return which names are one team's, in the order in which the user said so."""
        ...


def names_known(tables: NameTables) -> TeamNames:
    """Return the known names: of the table, and of pairs that the user accepted."""
    said = tables.same_teams()
    return shipped_names().with_same(said) if said else shipped_names()


def chances(match_name: str, moneylines: Iterable[dict[str, float]]) -> tuple[float, float] | None:
    """Return the median bookmaker's probabilities of both teams, home first."""
    found = [shares for odds in moneylines if (shares := _shares(match_name, odds))]
    if not found:
        return None
    return median(home for home, _ in found), median(away for _, away in found)


def stored_chances(tables: NameTables, game: int, match_name: str) -> tuple[float, float] | None:
    """Return the same of a stored game; None without prices from before its start."""
    return chances(match_name, tables.moneylines(game))


def _shares(match_name: str, odds: dict[str, float]) -> tuple[float, float] | None:
    whole = sum(1 / price for price in odds.values())
    sides: dict[str, float] = {}
    for text, price in odds.items():
        if outcome := read_selection("moneyline", match_name, text):
            sides[outcome.side] = 1 / price / whole
    return (sides[HOME], sides[AWAY]) if HOME in sides and AWAY in sides else None


class MadeGame(Protocol):
    """A game that a recording has made; its kick-off is not stored yet, and may move."""

    row: int
    competition: str
    match_name: str
    match_date: int | None


class OtherNames:
    """The other names of games, as one recording needs them.

    Games are found by their teams' keys, so that many new ones at one kick-off are not compared
    with each other; those that are stored are read once, by competition and kick-off.
    """

    def __init__(self, tables: NameTables, quotes: Iterable[Quote]) -> None:
        self.kept: list[OtherName] = []
        """Names that this recording has found, to be written with the rest of it."""
        self.joined: set[int] = set()
        """Games that got a name which only the user's word makes one of their teams'."""
        self._tables = tables
        self._quotes = quotes
        self._names: TeamNames | None = None
        self._stored: defaultdict[GameKey, list[DatedGame]] = defaultdict(list)
        self._read: set[tuple[str, int]] = set()
        """Competitions and spans of ``SAME_START_MS`` whose games are in ``_stored``."""
        self._made: defaultdict[GameKey, list[tuple[MadeGame, str]]] = defaultdict(list)
        self._not_indexed: list[tuple[MadeGame, str]] = []
        self._said: defaultdict[str, list[dict[str, float]]] | None = None

    def note_made(self, game: MadeGame, plain: str) -> None:
        """Note a game that this recording has made, and its plain name."""
        self._not_indexed.append((game, plain))

    def find(self, quote: Quote, plain: str) -> tuple[int, bool] | None:
        """Return the row of the game, and whether it has the teams the other way round.

        Args:
            quote: One of a game of which no name is stored; it tells a kick-off.
            plain: Its plain name. Games of that are told apart by their kick-offs (D31).
        """
        start = quote.match_date
        assert start is not None
        if self._names is None:
            self._names = names_known(self._tables)
        wanted = self._names.game_key(quote.competition, quote.match_name)
        self._read_about(self._names, wanted[0], quote.competition, start)
        found = [*self._stored.get(wanted, ()), *self._made_of(self._names, wanted)]
        same = []
        for game in sorted(found, key=lambda each: (abs(each.kick_off - start), each.row)):
            if (game.competition, game.plain_name) == (quote.competition, plain):
                continue  # told apart by their kick-offs
            is_crosswise = self._compare(self._names, quote, game)
            if is_crosswise is not None:
                same.append((game, is_crosswise))
        if not same or is_midway(start, [game.kick_off for game, _ in same]):
            return None
        game, is_crosswise = same[0]
        if not _knows_both(shipped_names(), quote, game):
            self.joined.add(game.row)
        return game.row, is_crosswise

    def keep(self, quote: Quote, plain: str, row: int, is_crosswise: bool) -> None:
        """Keep the name of a quote as one of a game's."""
        self.kept.append((quote.competition, plain, row, quote.match_name, is_crosswise))

    def _read_about(self, names: TeamNames, place: str, competition: str, start: int) -> None:
        """Read the games of a competition that begin about then."""
        first, last = (
            moment // SAME_START_MS for moment in (start - SAME_START_MS, start + SAME_START_MS)
        )
        for span in range(first, last + 1):
            if (place, span) in self._read:
                continue
            self._read.add((place, span))
            window = (span * SAME_START_MS, (span + 1) * SAME_START_MS)
            for game in self._tables.games_between(names.competitions_of(competition), *window):
                if game.row <= self._tables.last_made_up():
                    continue
                self._stored[names.game_key(game.competition, game.match_name)].append(game)

    def _made_of(self, names: TeamNames, wanted: GameKey) -> Iterator[DatedGame]:
        for made, plain in self._not_indexed:
            self._made[names.game_key(made.competition, made.match_name)].append((made, plain))
        self._not_indexed.clear()
        for made, plain in self._made.get(wanted, ()):
            if made.match_date is not None:
                yield DatedGame(made.row, made.competition, plain, made.match_name, made.match_date)

    def _compare(self, names: TeamNames, quote: Quote, game: DatedGame) -> bool | None:
        """Return whether a game is the quote's crosswise; None where it is another."""
        said = Game(quote.competition, quote.match_name, quote.match_date, quote.scraped_at)
        stored = Game(game.competition, game.match_name, game.kick_off, quote.scraped_at)
        if compare(names, said, stored).verdict is not Verdict.SAME:
            return None
        said = msgspec.structs.replace(said, chances=self._said_chances(quote.match_name))
        known = stored_chances(self._tables, game.row, game.match_name)
        known = known or self._said_chances(game.match_name)
        match = compare(names, said, msgspec.structs.replace(stored, chances=known))
        return match.is_crosswise if match.verdict is Verdict.SAME else None

    def _said_chances(self, match_name: str) -> tuple[float, float] | None:
        """Return the chances by the quotes that are being recorded."""
        if self._said is None:
            self._said = defaultdict(list)
            for quote in self._quotes:
                if quote.market_type == "moneyline" and not (quote.period or quote.is_live):
                    self._said[quote.match_name].append(quote.odds)
        return chances(match_name, self._said[match_name])


def _knows_both(names: TeamNames, quote: Quote, game: DatedGame) -> bool:
    key = names.game_key(quote.competition, quote.match_name)
    return key == names.game_key(game.competition, game.match_name)
