"""Finding the stored game of a quote with other team names, and names of bookmakers.

A player's price is recorded under the name the game already has, so that answers, matrix and
valuation compare prices without knowing of other names.

``resources/bookmakers.csv`` lists the names of each bookmaker. A database keeps the first name it
got, because clients, keys and saved filters use it; quotes under another name are recorded under
this one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec

from oddsdesk.base.text import near_names
from oddsdesk.base.texts import N_
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.quotes import UNNAMED, Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.matching.games import SAME_START_MS, Game, Verdict, compare, is_midway
from oddsdesk.matching.names import GameKey, PlayersOfGame, TeamNames, shipped_names
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.selections import AWAY, HOME, read_selection

if TYPE_CHECKING:
    from oddsdesk.store.games import StoredGame
    from oddsdesk.store.sqlite.tables import Tables

OtherName = tuple[str, str, int, str, bool]
"""Competition, plain name, the game's row, the name, and whether it swaps the teams."""


class DatedGame(NamedTuple):
    """A game and its kick-off, in milliseconds."""

    row: int
    competition: str
    plain_name: str
    match_name: str
    kick_off: int


def names_known(tables: "Tables") -> TeamNames:
    """Return the known names: from the table, and from accepted pairs."""
    said = tables.same_teams()
    return shipped_names().with_same(said) if said else shipped_names()


def chances(match_name: str, moneylines: Iterable[dict[str, float]]) -> tuple[float, float] | None:
    """Return the median bookmaker's probabilities of both teams, home first."""
    found = [shares for odds in moneylines if (shares := _shares(match_name, odds))]
    if not found:
        return None
    return median(home for home, _ in found), median(away for _, away in found)


def stored_chances(tables: "Tables", game: int, match_name: str) -> tuple[float, float] | None:
    """Return the same for a stored game; None without pre-match prices."""
    return chances(match_name, tables.moneylines(game))


def _shares(match_name: str, odds: dict[str, float]) -> tuple[float, float] | None:
    whole = sum(1 / price for price in odds.values())
    sides: dict[str, float] = {}
    for text, price in odds.items():
        if outcome := read_selection("moneyline", match_name, text):
            sides[outcome.side] = 1 / price / whole
    return (sides[HOME], sides[AWAY]) if HOME in sides and AWAY in sides else None


class OtherNames:
    """The other names of games, for one recording.

    Games are found by their teams' keys, so that many new ones with one kick-off are not compared
    with each other; stored ones are read once, by competition and kick-off.
    """

    def __init__(self, tables: "Tables", quotes: Iterable[Quote]) -> None:
        self.kept: list[OtherName] = []
        """Names found by this recording, to be written with it."""
        self.joined: set[int] = set()
        """Games with a name that belongs to their teams only because the user said so."""
        self._tables = tables
        self._quotes = quotes
        self._names: TeamNames | None = None
        self._stored: defaultdict[GameKey, list[DatedGame]] = defaultdict(list)
        self._read: set[tuple[str, int]] = set()
        """Competitions and spans of ``SAME_START_MS`` whose games are in ``_stored``."""
        self._made: defaultdict[GameKey, list[tuple[StoredGame, str]]] = defaultdict(list)
        self._not_indexed: list[tuple[StoredGame, str]] = []
        self._said: defaultdict[str, list[dict[str, float]]] | None = None

    def note_made(self, game: "StoredGame", plain: str) -> None:
        """Note a game made by this recording, and its plain name."""
        self._not_indexed.append((game, plain))

    def find_row(self, quote: Quote, plain: str) -> tuple[int, bool] | None:
        """Return the row of the game, and whether it swaps the teams.

        Args:
            quote: A quote with a kick-off, of a game without a stored name.
            plain: Its plain name. Games with this name differ in their kick-offs.
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
                continue  # their kick-offs differ
            is_crosswise = self._compare(self._names, quote, game)
            if is_crosswise is not None:
                same.append((game, is_crosswise))
        if not same or is_midway(start, [game.kick_off for game, _ in same]):
            return None
        game, is_crosswise = same[0]
        if not _knows_both(shipped_names(), quote, game):
            self.joined.add(game.row)
        return game.row, is_crosswise

    def keep_name(self, quote: Quote, plain: str, row: int, is_crosswise: bool) -> None:
        """Keep a quote's name as another name of a game."""
        self.kept.append((quote.competition, plain, row, quote.match_name, is_crosswise))

    def _read_about(self, names: TeamNames, place: str, competition: str, start: int) -> None:
        """Read the games of a competition that begin around then."""
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
        """Return whether a game has the quote's teams swapped; None if it is another game."""
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
        """Return the probabilities from the quotes being recorded."""
        if self._said is None:
            self._said = defaultdict(list)
            for quote in self._quotes:
                if quote.market_type == "moneyline" and not (quote.period or quote.is_live):
                    self._said[quote.match_name].append(quote.odds)
        return chances(match_name, self._said[match_name])


def _knows_both(names: TeamNames, quote: Quote, game: DatedGame) -> bool:
    key = names.game_key(quote.competition, quote.match_name)
    return key == names.game_key(game.competition, game.match_name)


_AGE_MS: Final = 10 * MINUTE_MS
"""After this time a game's players are read again, as other programs may write, too."""
_MOST_GAMES: Final = 500

T = TypeVar("T")


class PlayerNames:
    """A database's names of the players of each game; for the thread that writes."""

    def __init__(self) -> None:
        self._games: dict[int, tuple[int, PlayersOfGame]] = {}

    def in_own_words(self, table: "Tables", game: int, quote: Quote, now_ms: int) -> Quote:
        """Return a quote on players with the game's spelling of their names."""
        players = self._of(table, game, now_ms)
        unread = [name for name in quote.unread or () if name != UNNAMED]
        said = [*quote.odds, *unread, *quote.gone] if quote.unread else quote.odds
        names = players.own_words(said)
        if not names:
            return quote

        def in_own(by_selection: Mapping[str, T] | None) -> dict[str, T] | None:
            if by_selection is None:
                return None
            return {names.get(text, text): each for text, each in by_selection.items()}

        return msgspec.structs.replace(
            quote,
            odds=in_own(quote.odds),
            offers=in_own(quote.offers),
            unread=in_own(quote.unread),
            gone=tuple(names.get(text, text) for text in quote.gone),
        )

    def _of(self, table: "Tables", game: int, now_ms: int) -> PlayersOfGame:
        read_at, players = self._games.get(game, (0, None))
        if players is None or now_ms - read_at > _AGE_MS:
            if len(self._games) >= _MOST_GAMES:
                self._games.clear()
            players = PlayersOfGame(table.props(game))
            self._games[game] = now_ms, players
        return players


def canonical(name: str) -> str | None:
    """Return the common key of a known bookmaker's spellings, None if unknown."""
    return shipped_profiles().canonical(name)


def known_names() -> list[str]:
    """Return the names of the bookmakers known before anything is recorded."""
    return [profile.name for profile in shipped_profiles().all_profiles()]


def unknown_bookmaker(name: str, recorded: Iterable[str]) -> str:
    """Return a warning with similar names if there is no such bookmaker; else an empty text.

    A Free account with such a bookmaker gets no odds, and no answer says why.
    """
    recorded = sorted(recorded)
    if name in recorded or canonical(name) is not None:
        return ""
    names = {*recorded, *(name_among(recorded, known) for known in known_names())}
    meant = " or ".join(near_names(name, names))
    asked = "; " + N_(f"did you mean {meant}?") if meant else ""
    return N_(f"no bookmaker is called {name!r}{asked}")


def usual_spelling(name: str, recorded: Iterable[str]) -> str:
    """Return the recorded spelling of a name, else a known one, if only case differs."""
    typed = fold_name(name)
    usual = (*recorded, canonical(typed) or typed)
    return next((each for each in usual if each.casefold() == typed.casefold()), typed)


def name_among(stored: Iterable[str], name: str) -> str:
    """Return the stored name of a bookmaker, else the given one."""
    known = canonical(name)
    if known is None:
        return name
    return next((each for each in stored if canonical(each) == known), name)


class BookmakerNames:
    """A database's names of bookmakers; for the thread that writes.

    A found name stays, even if others write to the file: only missing names are looked up again.
    """

    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._stored: dict[str, str] = {}

    def in_own_words(self, table: "Tables", quotes: Collection[Quote]) -> Collection[Quote]:
        """Return the quotes with the database's names of bookmakers, inside a transaction."""
        names = self._stored
        said = dict.fromkeys(quote.bookmaker for quote in quotes)
        if new := [name for name in said if name not in names]:
            names = names | self._look_up(table, new)
        if all(names[name] == name for name in said):
            return quotes
        return [
            quote
            if (name := names[quote.bookmaker]) == quote.bookmaker
            else msgspec.structs.replace(quote, bookmaker=name)
            for quote in quotes
        ]

    def _look_up(self, table: "Tables", said: Iterable[str]) -> dict[str, str]:
        """Return the names of bookmakers; a new one is as it came.

        New ones are not kept: if the transaction fails, another program may name them.
        """
        stored = {canonical(name): name for name in reversed(table.bookmakers())}
        stored[canonical(self._reference)] = self._reference
        new: dict[str | None, str] = {}
        found = {}
        for name in said:
            known = canonical(name)
            if known is None:
                self._stored[name] = name
            elif known in stored:
                self._stored[name] = stored[known]
            found[name] = self._stored.get(name) or new.setdefault(known, name)
        return found
