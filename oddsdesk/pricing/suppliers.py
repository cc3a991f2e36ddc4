"""Which bookmakers show the odds of one supplier: their lines are the same to the last digit (D94).

Brands without traders of their own buy their odds. Eight of them are then one opinion, and count
as one vote: ``Suppliers`` finds them by comparing lines, ``Voices`` tells who shares a vote.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from oddsdesk.pricing.profiles import Profiles, fold_name

LEAST_SHARED: Final = 30
"""Lines that two bookmakers must both price whole before their share says anything."""
LEAST_IDENTICAL: Final = 0.8
"""Share of identical lines from which two bookmakers have one supplier."""
MOST_LINES: Final = 50_000
"""Lines that are compared: more would not change what so many say, and memory stays bounded."""

Odds = Sequence[float]


class Pair(NamedTuple):
    """How often two bookmakers showed the same line; times in milliseconds."""

    one: str
    other: str
    shared: int
    """Lines that both priced whole, each compared once."""
    identical: int
    """How many of these were the same on every side."""
    first_ms: int
    """When a line was first seen identical."""
    last_ms: int

    @property
    def share(self) -> float:
        """Identical lines of all shared ones, 0 to 1."""
        return self.identical / self.shared

    @property
    def is_one_supplier(self) -> bool:
        """Whether this is enough to count the two as one vote."""
        return self.shared >= LEAST_SHARED and self.share >= LEAST_IDENTICAL


class Suppliers:
    """Compares lines of bookmakers, each line once for each pair.

    A line whose sides all have the same price (1.91/1.91) is not compared: independent bookmakers
    show it, too.
    """

    def __init__(self) -> None:
        self._places: dict[Hashable, int] = {}
        """The place of each line in the masks."""
        self._masks: dict[str, int] = {}
        """The lines of each bookmaker, a bit each: two masks tell quickly how many are shared."""
        self._identical: dict[tuple[str, str], list[int]] = {}
        """By pair: how many lines were identical, when first and when last."""
        self._found: frozenset[tuple[str, str]] | None = frozenset()

    def compare(self, line: Hashable, odds_of: Mapping[str, Odds], at_ms: int) -> None:
        """Compare what bookmakers ask for one whole line; pairs that were compared are skipped.

        Args:
            line: What identifies the line: game, market, period, and the sides that are priced.
            odds_of: By bookmaker, the odds of all sides in one order.
            at_ms: When the prices stood.
        """
        place = self._places.get(line)
        if place is None:
            if len(odds_of) < 2 or len(self._places) >= MOST_LINES:
                return
            place = self._places[line] = len(self._places)
        bit, masks = 1 << place, self._masks
        added, alike = set[str](), dict[tuple[float, ...], list[str]]()
        for name, odds in odds_of.items():
            if max(odds) == min(odds):
                continue
            alike.setdefault(tuple(odds), []).append(name)
            mask = masks.get(name, 0)
            if not mask & bit:
                masks[name] = mask | bit
                added.add(name)
        if added:
            self._found = None
            for names in alike.values():
                if len(names) > 1:
                    self._count(sorted(names), added, at_ms)

    def pairs(self, least_shared: int = 1) -> list[Pair]:
        """Return the pairs that showed an identical line, the highest share first."""
        found = [self._pair(*names) for names in self._identical]
        found = [pair for pair in found if pair.shared >= least_shared]
        return sorted(found, key=lambda pair: (-pair.share, -pair.shared, pair.one, pair.other))

    @property
    def found(self) -> frozenset[tuple[str, str]]:
        """The pairs that have one supplier by what was compared."""
        if self._found is None:
            least = LEAST_SHARED * LEAST_IDENTICAL
            often = [names for names, seen in self._identical.items() if seen[0] >= least]
            self._found = frozenset(each for each in often if self._pair(*each).is_one_supplier)
        return self._found

    def _count(self, names: Sequence[str], added: set[str], at_ms: int) -> None:
        for place, one in enumerate(names):
            for other in names[place + 1 :]:
                if one in added or other in added:
                    seen = self._identical.setdefault((one, other), [0, at_ms, at_ms])
                    seen[0] += 1
                    seen[1], seen[2] = min(seen[1], at_ms), max(seen[2], at_ms)

    def _pair(self, one: str, other: str) -> Pair:
        shared = (self._masks[one] & self._masks[other]).bit_count()
        return Pair(one, other, shared, *self._identical[one, other])


class Voices:
    """Whose vote a bookmaker's is: skins of one operator (D47) or one supplier (D94) share one.

    The relation is transitive: two bookmakers that both share a vote with a third have one.
    """

    def __init__(self, profiles: Profiles, found: Iterable[tuple[str, str]] = ()) -> None:
        """Join operators by the suppliers that profiles name, and by pairs that were ``found``.

        A bookmaker whose profile names itself as its supplier is joined with nobody by ``found``.
        """
        self._profiles = profiles
        self._joined: dict[str, str] = {}
        """A step from each operator or supplier towards the one that stands for all."""
        self._voices: dict[str, str] = {}
        suppliers = set[str]()
        for profile in profiles.all():
            if profile.supplier and not prices_itself(profiles, profile.name):
                suppliers.add(profile.supplier)
                self._join(profile.group, profile.supplier)
        for one, other in sorted(found):
            if not prices_itself(profiles, one) and not prices_itself(profiles, other):
                self._join(profiles.of(one).group, profiles.of(other).group)
        self._titles = dict(self._titled(suppliers))

    def of(self, bookmaker: str) -> str:
        """Return the vote that a bookmaker shares, by a name that people can read."""
        voice = self._voices.get(bookmaker)
        if voice is None:
            group = self._profiles.of(bookmaker).group
            voice = self._voices[bookmaker] = self._titles.get(self._root(group), group)
        return voice

    def _join(self, one: str, other: str) -> None:
        one, other = self._root(one), self._root(other)
        if one != other:
            self._joined[max(one, other)] = min(one, other)

    def _root(self, name: str) -> str:
        while name in self._joined:
            name = self._joined[name]
        return name

    def _titled(self, suppliers: set[str]) -> Iterator[tuple[str, str]]:
        """Yield what the joined are called: their supplier where it is known, else all of them."""
        members: dict[str, set[str]] = {}
        for name, towards in self._joined.items():
            members.setdefault(self._root(name), set()).update((name, towards))
        for root, names in members.items():
            yield root, " / ".join(sorted(names & suppliers or names, key=str.casefold))


def prices_itself(profiles: Profiles, bookmaker: str) -> bool:
    """Whether a bookmaker's profile names itself as its supplier: its lines are its own opinion."""
    profile = profiles.of(bookmaker)
    return bool(profile.supplier) and fold_name(profile.supplier) == fold_name(profile.name)
