"""Which rows of the odds grid are shown: words, and structured filters beside them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from oddsdesk.board.freshness import Freshness
from oddsdesk.board.prices import Price
from oddsdesk.contract.competition_titles import competition_title
from oddsdesk.contract.competitions import SPORTS, sport_title
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.desk.grid.entries import Entry, PriceEntry, SelectionEntry, Shape
from oddsdesk.desk.ui.formatting import odds_text, signed_text
from oddsdesk.desk.ui.time_format import HOUR_MS

FreshnessOf = Callable[[str | None, Price], Freshness]
"""How fresh a bookmaker's price is now; None is the reference."""

_FRESHNESS_TEXTS = {
    Freshness.FRESH: "Fresh only",
    Freshness.AGEING: "Fresh or ageing",
    Freshness.STALE: "Not dead",
}


class Range(NamedTuple):
    """From ``least`` to ``most``, both included; None is open."""

    least: float | None = None
    most: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether it lets everything through."""
        return self.least is None and self.most is None

    def holds(self, figure: float | None) -> bool:
        """Whether a figure lies in it; one that is not known lies in the open range only."""
        if figure is None:
            return self.is_open
        least, most = self
        return (least is None or figure >= least) and (most is None or figure <= most)


ANY = Range()


class GridFilter(msgspec.Struct, frozen=True):
    """What a row has to be; an empty set, None and ``ANY`` ask for nothing.

    Of a selection's row the last four and the bookmaker's name are those of its best price,
    which is the best of ``bookmakers`` where some are chosen.
    """

    words: tuple[str, ...] = ()
    """Case folded; each stands in the row's texts."""
    sports: frozenset[str] = frozenset()
    competitions: frozenset[str] = frozenset()
    markets: frozenset[str] = frozenset()
    periods: frozenset[str] = frozenset()
    """By label, such as ``1st Half``."""
    bookmakers: frozenset[str] = frozenset()
    is_live: bool | None = None
    odds: Range = ANY
    ev: Range = ANY
    """True EV in percent."""
    hold: Range = ANY
    """What the bookmaker keeps on the line, in percent."""
    kick_off: Range = ANY
    """Hours until the game begins; below zero it has begun."""
    seen_within_s: int | None = None
    freshness: Freshness | None = None
    """The worst that is shown."""

    @property
    def is_open(self) -> bool:
        """Whether every row is shown."""
        return self == GridFilter()


class CompiledFilter:
    """A filter at a moment: what it keeps of many rows, or whether it keeps one."""

    def __init__(
        self, chosen: GridFilter, shape: Shape, now_ms: int, freshness: FreshnessOf
    ) -> None:
        self._filter = chosen
        self._is_open = chosen.is_open
        self._shape = shape
        self._selection_tests = _selection_tests(chosen, now_ms)
        self._price_tests = _price_tests(chosen, now_ms, freshness)
        self._names: dict[tuple[tuple[str, ...], str], bool] = {}

    @property
    def is_of_now(self) -> bool:
        """Whether rows that nothing was heard of come and go as time passes."""
        chosen = self._filter
        return (
            chosen.seen_within_s is not None
            or chosen.freshness is not None
            or not chosen.kick_off.is_open
        )

    def keeps(self, entry: Entry) -> bool:
        """Whether a row is shown."""
        if self._is_open:
            return True
        selection = entry.selection
        if not all(test(selection) for test in self._selection_tests):
            return False
        if isinstance(entry, SelectionEntry) and not self._is_compared(entry):
            return False
        missing = self._missing_words(selection)
        is_named = self._filter.bookmakers and isinstance(entry, PriceEntry)
        if (missing or is_named) and not self._allows(missing, entry.name, entry):
            return False
        return not self._price_tests or self._price_passes(entry)

    def kept(self, selections: Iterable[SelectionEntry]) -> list[Entry]:
        """Return the rows that are shown, in the order of the selections."""
        for test in self._selection_tests:
            selections = [selection for selection in selections if test(selection)]
        entries: list[Entry] = []
        if self._shape is Shape.PRICES:
            self._collect_prices(selections, entries)
        else:
            entries += [selection for selection in selections if self._keeps_selection(selection)]
        if self._price_tests:
            entries = [entry for entry in entries if self._price_passes(entry)]
        return entries

    def _collect_prices(self, selections: Iterable[SelectionEntry], entries: list[Entry]) -> None:
        chosen, words = self._filter.bookmakers, self._filter.words
        for selection in selections:
            missing = self._missing_words(selection) if words else ()
            if not missing and not chosen:
                entries += selection.prices.values()
                continue
            entries += [
                entry
                for entry in selection.prices.values()
                if self._allows(missing, entry.name, entry)
            ]

    def _keeps_selection(self, selection: SelectionEntry) -> bool:
        missing = self._missing_words(selection)
        return self._is_compared(selection) and (
            not missing or self._allows(missing, selection.name, selection)
        )

    def _is_compared(self, selection: SelectionEntry) -> bool:
        return selection.figures.count > 0 or not self._filter.bookmakers

    def _missing_words(self, selection: SelectionEntry) -> tuple[str, ...]:
        text = selection.text
        return tuple([word for word in self._filter.words if word not in text])

    def _allows(self, missing: tuple[str, ...], name: str, entry: Entry) -> bool:
        known = self._names.get((missing, name))
        if known is None:
            folded = name.casefold()
            chosen = self._filter.bookmakers
            known = all(word in folded for word in missing) and (
                not chosen or name in chosen or isinstance(entry, SelectionEntry)
            )
            self._names[missing, name] = known
        return known

    def _price_passes(self, entry: Entry) -> bool:
        price = entry.price
        return price is not None and all(test(entry, price) for test in self._price_tests)


def _selection_tests(chosen: GridFilter, now_ms: int) -> list[Callable[[SelectionEntry], bool]]:
    tests: list[Callable[[SelectionEntry], bool]] = []
    if chosen.sports:
        tests.append(lambda selection: selection.sport in chosen.sports)
    if chosen.competitions:
        tests.append(lambda selection: selection.competition in chosen.competitions)
    if chosen.markets:
        tests.append(lambda selection: selection.key.market_type in chosen.markets)
    if chosen.periods:
        tests.append(lambda selection: selection.period_label in chosen.periods)
    if chosen.is_live is not None:
        tests.append(lambda selection: selection.is_live is chosen.is_live)
    if not chosen.kick_off.is_open:
        tests.append(lambda selection: chosen.kick_off.holds(_hours_to(selection, now_ms)))
    return tests


def _hours_to(selection: SelectionEntry, now_ms: int) -> float | None:
    kick_off = selection.kick_off
    return None if kick_off is None else (kick_off - now_ms) / HOUR_MS


PriceTest = Callable[[Entry, Price], bool]


def _price_tests(chosen: GridFilter, now_ms: int, freshness: FreshnessOf) -> Sequence[PriceTest]:
    tests: list[PriceTest] = []
    if not chosen.odds.is_open:
        tests.append(lambda _entry, price: chosen.odds.holds(price.odds))
    if not chosen.ev.is_open:
        tests.append(lambda entry, _price: chosen.ev.holds(entry.ev))
    if not chosen.hold.is_open:
        tests.append(lambda entry, _price: chosen.hold.holds(entry.hold))
    if chosen.seen_within_s is not None:
        earliest = now_ms - chosen.seen_within_s * 1000
        tests.append(lambda _entry, price: price.scraped_at >= earliest)
    if chosen.freshness is not None:
        worst = chosen.freshness
        tests.append(
            lambda entry, price: price.is_offered and freshness(entry.bookmaker, price) <= worst
        )
    return tests


def chips(chosen: GridFilter) -> list[tuple[str, str]]:
    """Return what is active, as (facet, words for people)."""
    sets = (
        ("sports", "", frozenset(map(sport_title, chosen.sports))),
        ("competitions", "", frozenset(map(competition_title, chosen.competitions))),
        ("markets", "", frozenset(map(market_title, chosen.markets))),
        ("periods", "", chosen.periods),
        ("bookmakers", "", chosen.bookmakers),
    )
    shown = [(facet, _some(names)) for facet, _, names in sets if names]
    if chosen.is_live is not None:
        shown.append(("is_live", "In play" if chosen.is_live else "Before the game"))
    if not chosen.odds.is_open:
        shown.append(("odds", f"Odds {_range_text(chosen.odds, _bound_text)}"))
    if not chosen.ev.is_open:
        shown.append(("ev", f"EV {_range_text(chosen.ev, lambda ev: f'{signed_text(ev)} %')}"))
    if not chosen.hold.is_open:
        shown.append(("hold", f"Hold {_range_text(chosen.hold, lambda hold: f'{hold:g} %')}"))
    if not chosen.kick_off.is_open:
        shown.append(("kick_off", f"Begins {_hours_text(chosen.kick_off)}"))
    if chosen.seen_within_s is not None:
        shown.append(("seen_within_s", f"Seen within {seconds_text(chosen.seen_within_s)}"))
    if chosen.freshness is not None:
        shown.append(("freshness", _FRESHNESS_TEXTS[chosen.freshness]))
    return shown


def without(chosen: GridFilter, facet: str) -> GridFilter:
    """Return the filter with one facet asking for nothing."""
    changes: dict[str, Any] = {facet: getattr(GridFilter(), facet)}
    return msgspec.structs.replace(chosen, **changes)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words that a typed text asks for."""
    return tuple(text.casefold().split())


def seconds_text(seconds: int) -> str:
    """Return a limit of age: ``30 s``, ``5 min``."""
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min"


def _hours_text(hours: Range) -> str:
    """Return when games begin: ``within 3 h``, ``in 1 – 3 h``."""
    if hours.least in (0, None) and hours.most is not None:
        return f"within {hours_text(hours.most)}"
    return f"in {_range_text(hours, hours_text)}"


def hours_text(hours: float) -> str:
    """Return a span of hours: ``15 min``, ``3 h``, ``2 d``."""
    if abs(hours) < 1:
        return f"{hours * 60:g} min"
    return f"{hours / 24:g} d" if hours >= 48 and hours % 24 == 0 else f"{hours:g} h"


def _bound_text(odds: float) -> str:
    """A bound of odds, which may be below any price."""
    return odds_text(odds) if odds > 1 else f"{odds:g}"


def _some(names: frozenset[str]) -> str:
    first, *rest = sorted(names)
    if len(rest) == 1:
        return f"{first}, {rest[0]}"
    return f"{first} + {len(rest)} more" if rest else first


def _range_text(chosen: Range, text: Callable[[float], str]) -> str:
    if chosen.least is None:
        return f"≤ {text(chosen.most)}" if chosen.most is not None else ""
    if chosen.most is None:
        return f"≥ {text(chosen.least)}"
    return f"{text(chosen.least)} – {text(chosen.most)}"


def choices(selections: Iterable[SelectionEntry], facet: str) -> list[tuple[str, str]]:
    """Return the (key, text) of a facet of ``GridFilter`` that some row has."""
    if facet == "bookmakers":
        names = {entry.name for selection in selections for entry in selection.prices.values()}
        return _named(sorted(names, key=str.casefold))
    if facet == "sports":
        sports = {selection.sport for selection in selections}
        ordered = sorted(sports, key=lambda name: (_sport_rank(name), name))
        return [(name, sport_title(name)) for name in ordered]
    if facet == "markets":
        markets = {selection.key.market_type for selection in selections}
        ordered = sorted(markets, key=lambda name: (MARKET_RANK.get(name, len(MARKET_RANK)), name))
        return [(name, market_title(name)) for name in ordered]
    if facet == "periods":
        first: dict[str, int] = {}
        for selection in selections:
            first[selection.period_label] = min(
                selection.key.period, first.get(selection.period_label, 99)
            )
        return _named(sorted(first, key=lambda label: (first[label], label)))
    competitions = {selection.competition for selection in selections}
    named = [(code, competition_title(code)) for code in competitions]
    return sorted(named, key=lambda each: (each[1].casefold(), each[0]))


def _named(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


def _sport_rank(name: str) -> int:
    return SPORTS.index(name) if name in SPORTS else len(SPORTS)
