"""Which rows of the odds grid are shown: search words and structured filters."""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from operator import attrgetter
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.market_words import competition_text, searched_words, titled_competitions
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, translated
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import Price
from oddsdesk.contract.competitions import SPORTS, sport_title
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.desk.grid.entries import Entry, SelectionEntry, Shape
from oddsdesk.desk.ui.formatting import odds_text, signed_text
from oddsdesk.pricing.value import DerivedChoice, is_derived_wanted

_ODDS: Final = attrgetter("odds")
_EV: Final = attrgetter("ev")
_HOLD: Final = attrgetter("hold")
_LAY_SPREAD: Final = attrgetter("lay_spread")
_SEEN: Final = attrgetter("scraped_at")

FreshnessOf = Callable[[str, Price], Freshness]
"""How fresh a bookmaker's price is now."""

FRESHNESS_TEXTS: Final = {
    Freshness.FRESH: _("Fresh only"),
    Freshness.AGEING: _("Fresh or ageing"),
    Freshness.STALE: _("Fresh, ageing or stale"),
}
"""The worst that is shown, in words."""
_DERIVED_TEXTS: Final = {"implied": _("Derived: implied only"), "none": _("Derived: none")}


class Range(NamedTuple):
    """From ``least`` to ``most``, both included; None is open."""

    least: float | None = None
    most: float | None = None

    @property
    def is_unbounded(self) -> bool:
        """Whether it lets everything through."""
        return self.least is None and self.most is None

    def holds(self, figure: float | None) -> bool:
        """Whether a figure lies in it; one that is not known lies in the open range only."""
        if figure is None:
            return self.is_unbounded
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
    """EV in percent."""
    hold: Range = ANY
    """What the bookmaker keeps on the line, in percent."""
    lay_spread: Range = ANY
    """How far lay odds are above back odds, in percent."""
    kick_off: Range = ANY
    """Hours until the game begins; below zero it has begun."""
    seen_within_s: int | None = None
    freshness: Freshness | None = None
    """The worst that is shown."""
    derived: DerivedChoice = "all"
    """Which lines that the reference does not price itself are shown, by their derived odds."""

    @property
    def shows_all(self) -> bool:
        """Whether every row is shown."""
        return self == GridFilter()


class CompiledFilter:
    """A filter at a moment: whether it keeps a row, and what that has to pass."""

    def __init__(
        self, chosen: GridFilter, shape: Shape, now_ms: int, freshness: FreshnessOf
    ) -> None:
        self.is_open = chosen.shows_all
        """Whether every row is shown."""
        self._worst = chosen.freshness
        self._freshness = freshness
        self.words = tuple(map(_with_point, searched_words(chosen.words)))
        self.names = chosen.bookmakers if shape is Shape.PRICES else frozenset()
        """Of whom one has to be the bookmaker; nobody where that is not asked."""
        self.selection_tests = _selection_tests(chosen, shape, now_ms)
        self.ranges = _ranges(chosen, now_ms)
        """Figures, and where they have to lie."""

    @property
    def asks_for_freshness(self) -> bool:
        """Whether ``is_fresh`` is asked, too."""
        return self._worst is not None

    def keeps(self, entry: Entry) -> bool:
        """Whether a row is shown."""
        if self.is_open:
            return True
        text, name = entry.selection.text, entry.bookmaker
        return (
            all(test(entry.selection) for test in self.selection_tests)
            and all(word in text or word in name.casefold() for word in self.words)
            and (not self.names or name in self.names)
            and all(within.holds(figure(entry)) for figure, within in self.ranges)
            and self.is_fresh(entry)
        )

    def is_fresh(self, entry: Entry) -> bool:
        """Whether a row's price is as fresh as it has to be now."""
        price = entry.price
        return self._worst is None or (
            price is not None
            and price.is_offered
            and self._freshness(entry.bookmaker, price) <= self._worst
        )


def _with_point(word: str) -> str:
    """Return a line with a decimal point, as rows always have it, whatever the chosen mark."""
    return word.replace(",", ".") if _COMMA.fullmatch(word) else word


_COMMA: Final = re.compile("[+-]?[0-9]+,[0-9]+")
SelectionTest = Callable[[SelectionEntry], bool]


def _selection_tests(chosen: GridFilter, shape: Shape, now_ms: int) -> list[SelectionTest]:
    tests: list[SelectionTest] = []
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
    if not chosen.kick_off.is_unbounded:
        tests.append(lambda selection: chosen.kick_off.holds(_hours_to(selection, now_ms)))
    if chosen.derived != "all":
        tests.append(lambda selection: is_derived_wanted(chosen.derived, selection.derived))
    if chosen.bookmakers and shape is Shape.SELECTIONS:
        tests.append(lambda selection: selection.figures.count > 0)
    return tests


def _hours_to(selection: SelectionEntry, now_ms: int) -> float | None:
    kick_off = selection.kick_off
    return None if kick_off is None else (kick_off - now_ms) / HOUR_MS


def _ranges(chosen: GridFilter, now_ms: int) -> Sequence[tuple[Callable[[Entry], Any], Range]]:
    """Return what has to lie in which range: of a selection's row, figures of its best price."""
    seen = chosen.seen_within_s
    found = [
        (_ODDS, chosen.odds),
        (_EV, chosen.ev),
        (_HOLD, chosen.hold),
        (_LAY_SPREAD, chosen.lay_spread),
        (_SEEN, ANY if seen is None else Range(now_ms - seen * 1000)),
    ]
    return [(figure, within) for figure, within in found if not within.is_unbounded]


def chips(chosen: GridFilter) -> list[tuple[str, str]]:
    """Return what is active, as (facet, words for people)."""
    sets = (
        ("sports", {translated(sport_title(sport)) for sport in chosen.sports}),
        ("competitions", set(map(competition_text, chosen.competitions))),
        ("markets", {translated(market_title(market)) for market in chosen.markets}),
        ("periods", set(map(translated, chosen.periods))),
        ("bookmakers", chosen.bookmakers),
    )
    shown = [(facet, _some(names)) for facet, names in sets if names]
    if chosen.is_live is not None:
        shown.append(("is_live", _("In play") if chosen.is_live else _("Before kick-off")))
    if not chosen.odds.is_unbounded:
        shown.append(
            ("odds", _("Odds {range}").format(range=_range_text(chosen.odds, _bound_text)))
        )
    if not chosen.ev.is_unbounded:
        said = _range_text(chosen.ev, lambda ev: f"{signed_text(ev)} %")
        shown.append(("ev", _("EV {range}").format(range=said)))
    if not chosen.hold.is_unbounded:
        said = _range_text(chosen.hold, lambda hold: f"{num(hold):g} %")
        shown.append(("hold", _("Hold {range}").format(range=said)))
    if not chosen.lay_spread.is_unbounded:
        said = _range_text(chosen.lay_spread, lambda spread: f"{num(spread):g} %")
        shown.append(("lay_spread", _("Lay spread {range}").format(range=said)))
    if not chosen.kick_off.is_unbounded:
        shown.append(("kick_off", _starts_text(chosen.kick_off)))
    if chosen.seen_within_s is not None:
        shown.append(
            ("seen_within_s", _("Seen within {age}").format(age=seconds_text(chosen.seen_within_s)))
        )
    if chosen.freshness is not None:
        shown.append(("freshness", FRESHNESS_TEXTS[chosen.freshness]))
    if chosen.derived != "all":
        shown.append(("derived", _DERIVED_TEXTS[chosen.derived]))
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


def _starts_text(hours: Range) -> str:
    """Return when games begin: ``Starts within 3 h``, ``Starts in 1 – 3 h``."""
    if hours.least in (0, None) and hours.most is not None:
        return _("Starts within {hours}").format(hours=hours_text(hours.most))
    return _("Starts in {hours}").format(hours=_range_text(hours, hours_text))


def hours_text(hours: float) -> str:
    """Return a span of hours: ``15 min``, ``3 h``, ``2 d``."""
    if abs(hours) < 1:
        return f"{num(hours * 60):g} min"
    return f"{num(hours / 24):g} d" if hours >= 48 and hours % 24 == 0 else f"{num(hours):g} h"


def _bound_text(odds: float) -> str:
    """A bound of odds, which may be below any price."""
    return odds_text(odds) if odds > 1 else f"{num(odds):g}"


def _some(names: Set[str]) -> str:
    first, *rest = sorted(names)
    if len(rest) == 1:
        return f"{first}, {rest[0]}"
    return _("{first} + {count} more").format(first=first, count=len(rest)) if rest else first


def _range_text(chosen: Range, text: Callable[[float], str]) -> str:
    if chosen.least is None:
        return f"≤ {text(chosen.most)}" if chosen.most is not None else ""
    if chosen.most is None:
        return f"≥ {text(chosen.least)}"
    return f"{text(chosen.least)} – {text(chosen.most)}"


def facet_choices(selections: Iterable[SelectionEntry], facet: str) -> list[tuple[str, str]]:
    """Return the (key, text) of a facet of ``GridFilter`` that some row has."""
    if facet == "bookmakers":
        names = {entry.bookmaker for selection in selections for entry in selection.prices.values()}
        return _named(sorted(names, key=str.casefold))
    if facet == "sports":
        sports = {selection.sport for selection in selections}
        ordered = sorted(sports, key=lambda name: (_sport_rank(name), name))
        return [(name, translated(sport_title(name))) for name in ordered]
    if facet == "markets":
        markets = {selection.key.market_type for selection in selections}
        ordered = sorted(markets, key=lambda name: (MARKET_RANK.get(name, len(MARKET_RANK)), name))
        return [(name, translated(market_title(name))) for name in ordered]
    if facet == "periods":
        first: dict[str, int] = {}
        for selection in selections:
            first[selection.period_label] = min(
                selection.key.period, first.get(selection.period_label, 99)
            )
        labels = sorted(first, key=lambda label: (first[label], label))
        return [(label, translated(label)) for label in labels]
    return titled_competitions({selection.competition for selection in selections})


def _named(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


def _sport_rank(name: str) -> int:
    return SPORTS.index(name) if name in SPORTS else len(SPORTS)
