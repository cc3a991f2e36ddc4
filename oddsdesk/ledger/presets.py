"""What the user saves: named filters of value bets, hidden things, how lists of bets are read."""

from collections.abc import Hashable, Iterable
from enum import Enum
from typing import Final

import msgspec

from oddsdesk.base.figures import Habit
from oddsdesk.base.texts import N_
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.value import DerivedChoice, DerivedKind, is_derived_wanted


class ValueFilter(msgspec.Struct, frozen=True):
    """Which value bets are shown; an empty tuple or None filters nothing."""

    sports: tuple[str, ...] = ()
    market_types: tuple[str, ...] = ()
    bookmakers: tuple[str, ...] = ()
    min_true_ev: float = 0.0
    """EV in percent, as it is shown. Presets that were saved when the EV included the safety floor
    keep their number."""
    min_odds: float | None = None
    max_odds: float | None = None
    in_play: bool | None = None
    """True: only games in play; False: only games before kick-off."""
    competitions: tuple[str, ...] = ()
    max_true_ev: float | None = None
    """In percent; more is too good to be true."""
    max_hours_ahead: float | None = None
    """Games that start within this many hours; games without a kick-off are left out."""
    min_limit: float | None = None
    """In the user's currency; bookmakers with a lower noted limit are left out."""
    max_age_s: float | None = None
    """Age of a price; prices of unknown age are left out."""
    derived: DerivedChoice = "all"
    """Which bets on derived fair odds; none: only lines that the sharp book prices itself."""

    @property
    def depends_on_time(self) -> bool:
        """Return whether a price can stop passing without changing."""
        return self.max_hours_ahead is not None or self.max_age_s is not None

    def passes(
        self,
        *,
        sport: str,
        competition: str,
        market_type: str,
        bookmaker: str,
        odds: float,
        true_ev: float | None,
        is_live: bool,
        hours_ahead: float | None = None,
        age_s: float | None = None,
        limit: float | None = None,
        derived: DerivedKind | None = None,
    ) -> bool:
        """Return whether a value bet is shown; one without an EV is not.

        ``true_ev`` is the EV that people see, ``hours_ahead`` the time to kick-off, ``age_s`` the
        age of the price, ``limit`` the noted limit of the bookmaker; None if unknown. ``derived``
        says how its fair odds were derived; None for the sharp book's own line.
        """
        return (
            (not self.sports or sport in self.sports)
            and (not self.competitions or competition in self.competitions)
            and (not self.market_types or market_type in self.market_types)
            and (not self.bookmakers or bookmaker in self.bookmakers)
            and self.in_play in (None, is_live)
            and is_derived_wanted(self.derived, derived)
            and true_ev is not None
            and _lies(true_ev, self.min_true_ev, self.max_true_ev)
            and _lies(odds, self.min_odds, self.max_odds)
            and _lies(hours_ahead, None, self.max_hours_ahead)
            and _lies(age_s, None, self.max_age_s)
            and (limit is None or _lies(limit, self.min_limit, None))
        )


def _lies(figure: float | None, least: float | None, most: float | None) -> bool:
    """Return whether a figure is within bounds; an unknown figure is outside any set bound."""
    if figure is None:
        return least is None and most is None
    return (least is None or figure >= least) and (most is None or figure <= most)


class Preset(msgspec.Struct, frozen=True):
    """A filter with a name."""

    name: str
    filter: ValueFilter


MAIN_MARKETS: Final = ("moneyline", "spread", "total")
assert set(MAIN_MARKETS) <= set(MARKET_TYPES)
BUILT_IN: Final = (
    Preset(N_("All value bets"), ValueFilter()),
    Preset(N_("Main markets"), ValueFilter(market_types=MAIN_MARKETS)),
    Preset(N_("Before kick-off"), ValueFilter(in_play=False)),
    Preset(N_("In play"), ValueFilter(in_play=True)),
    Preset(N_("Short prices"), ValueFilter(max_odds=3.0)),
    Preset(N_("No derived odds"), ValueFilter(derived="none")),
)
"""Presets that always exist; the user's own come after them."""


FOR_NOW_MS: Final = 24 * 60 * MINUTE_MS
"""Length of "for now": until tomorrow, when today's games are over."""


GAME_LASTS_MS: Final = 6 * 60 * MINUTE_MS
"""How long after kick-off a game stays hidden; the teams' next game may have its id."""


class HiddenKind(Enum):
    """What one act hides."""

    BET = "bet"
    """An outcome, at every bookmaker."""
    GAME = "game"
    MARKET = "market"
    """A market type, in every game."""
    BOOKMAKER = "bookmaker"


class Hidden(msgspec.Struct, frozen=True):
    """One hidden thing; times in milliseconds."""

    kind: HiddenKind
    key: str
    """A game's id, a market type, a bookmaker's name, or a bet's ``bet_key``."""
    title: str
    """Its name for people."""
    until: int | None = None
    """None: until shown again."""


def hidden_until(
    kind: HiddenKind, kick_off: int | None, now_ms: int, *, for_good: bool
) -> int | None:
    """Return until when something is hidden; None for good.

    A game, or a bet on it, is hidden until the game is over: the next game of a series or of the
    next season may have the same id.
    """
    ends = [] if for_good else [now_ms + FOR_NOW_MS]
    if kind in (HiddenKind.GAME, HiddenKind.BET) and kick_off is not None:
        ends.append(max(now_ms, kick_off) + GAME_LASTS_MS)
    return min(ends, default=None)


def bet_key(outcome: Hashable) -> str:
    """Return the key of a bet, from its outcome."""
    return msgspec.json.encode(outcome).decode()


class HiddenThings:
    """What is hidden at a moment."""

    def __init__(self, things: Iterable[Hidden] = (), now_ms: int = 0) -> None:
        self.things = [each for each in things if each.until is None or each.until > now_ms]
        self._keys = {(each.kind, each.key) for each in self.things}
        self._has_bets = any(each.kind is HiddenKind.BET for each in self.things)

    def __len__(self) -> int:
        return len(self.things)

    def hides(self, game_id: str, market_type: str, bookmaker: str, outcome: Hashable) -> bool:
        """Return whether a price is hidden; ``outcome`` is the key of the list of bets."""
        keys = self._keys
        return bool(keys) and (
            (HiddenKind.GAME, game_id) in keys
            or (HiddenKind.MARKET, market_type) in keys
            or (HiddenKind.BOOKMAKER, bookmaker) in keys
            or (self._has_bets and (HiddenKind.BET, bet_key(outcome)) in keys)
        )


class ListChoices(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A user's choices for lists with certain titles, for what the lists do not show."""

    columns: dict[str, str] = {}
    """Titles by key; an empty title: no column holds it."""
    odds: str = ""
    """The odds format, a style of ``pricing.formats``."""
    dates: Habit | None = None
    decimals: Habit | None = None
    unit: float | None = None
    """The worth of a unit, if stakes are in units."""

    def over(self, earlier: "ListChoices") -> "ListChoices":
        """Return these choices, and for what they leave open the earlier ones."""
        return ListChoices(
            columns=earlier.columns | self.columns,
            odds=self.odds or earlier.odds,
            dates=self.dates or earlier.dates,
            decimals=self.decimals or earlier.decimals,
            unit=earlier.unit if self.unit is None else self.unit,
        )


NO_CHOICES: Final = ListChoices()
