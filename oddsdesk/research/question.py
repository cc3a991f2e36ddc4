"""The settings of a backtest: which prices are bet on, when, and for how much."""

import re
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.board.valuation.verdict_words import RULE_TITLES
from oddsdesk.contract.texts import MINUS
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.value import PRICE_RULES, SERVICE_RULES, DerivedChoice, ListRules, Rule
from oddsdesk.research.past_game import Mine

Strategy = Literal["value", "best-vs-mean"]
"""``value``: what the desk's rules call value. ``best-vs-mean``: the best price of a match result
against the mean of all bookmakers (Kaunitz, Zhong and Kreiner, "Beating the bookies with their own
numbers", arXiv 1710.02824, 2017)."""
BEST_VS_MEAN: Final = "best-vs-mean"
MEAN_OF_ALL: Final = "mean of all bookmakers"
BetAt = Literal["any", "close"]
"""``any``: at any moment before the game. ``close``: at the last prices before it starts."""
StakingKind = Literal["flat", "proportional", "kelly"]
SERIES: Final = ("football-data",)
"""Series of statistics that can be bet on: the best and the mean price of many bookmakers."""

ALPHA: Final = 0.05
"""What Kaunitz, Zhong and Kreiner subtract for the bookmakers' margin."""
LEAST_BOOKS: Final = 3
"""How many bookmakers they ask for."""
LEAST_EV: Final = -5.0
"""The lowest EV in percent that a backtest can ask for."""
_MOST_LEAST_EV: Final = 100.0
_AMOUNT: Final = rf"{MINUS}?\d+(\.\d+)?"
_FIGURES: Final = re.compile(
    rf"( (?<=age )≤)? {_AMOUNT}( to {_AMOUNT})? ?(%|s|min)?( \(main markets\))?$"
)
"""The limit that Explain prints after the name of a rule: ``EV ≤ 15 %``, ``Price age ≤ 60 s``."""


class SettingsError(ValueError):
    """Settings that a backtest cannot run with; one line that says why and what to do."""


class Staking(msgspec.Struct, frozen=True, kw_only=True):
    """How much is staked on each bet; shares and caps are fractions of the running bankroll."""

    kind: StakingKind = "flat"
    """``flat``: one unit. ``proportional``: ``share``. ``kelly``: ``share`` of Kelly."""
    bankroll: float = 100.0
    """In units, at the beginning; it grows by the profit of games that are over."""
    share: float = 0.01
    outcome_cap: float = 0.02
    game_cap: float = 0.03
    total_cap: float = 0.25


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a backtest; times in milliseconds."""

    reference: str
    """A bookmaker, or ``CONSENSUS_TITLE`` for all bookmakers together."""
    method: str
    profiles: Profiles
    close: CloseBy
    """The closing line behind all CLV, whatever valued the bets; its sharp book by name."""
    mine: Mine = None
    since_ms: int | None = None
    """Bets are placed from this time on; earlier rows are read but not bet on."""
    until_ms: int | None = None
    """Rows known at this time or later are not read."""
    latency_ms: int = 0
    """Time from seeing a price to betting on it."""
    preset: str = ""
    filter: ValueFilter | None = None
    derived: DerivedChoice = "none"
    """Which kinds of derived prices judge lines that the reference does not price."""
    bands: Bands = msgspec.field(default_factory=dict)
    """The error bands of modelled prices by ``method``."""
    rules: ListRules = SERVICE_RULES
    """The rules that a value bet must pass."""
    strategy: Strategy = "value"
    at: BetAt = "any"
    alpha: float = ALPHA
    """For ``best-vs-mean``: subtracted from 1/mean for the bookmakers' margin."""
    least_books: int = LEAST_BOOKS
    """For ``best-vs-mean``: how many bookmakers must price the selection."""
    series: str = ""
    """One of ``SERIES``: bet on its best prices instead of bookmakers' prices. Empty: do not."""
    staking: Staking = Staking()

    @property
    def judged_by(self) -> str:
        """What fair odds come from: the sharp book, or a mean."""
        if self.strategy == "value":
            return self.reference
        return f"mean of many ({self.series})" if self.series else MEAN_OF_ALL

    @property
    def judges(self) -> str:
        """Who must price a game so that it can be bet on, in words."""
        if self.strategy == "value":
            return self.reference
        if self.series:
            return f"the series {self.series}"
        return f"{self.least_books} or more bookmakers"

    def __post_init__(self) -> None:
        """Refuse settings that make no sense together.

        Raises:
            SettingsError: why, in one line.
        """
        if self.at == "close" and self.latency_ms:
            raise SettingsError(
                "Bets at the close cannot have a latency: the game starts at that moment. "
                "Leave one of the two out"
            )
        if self.series not in ("", *SERIES):
            raise SettingsError(
                f"No series is called “{self.series}”; known series: {', '.join(SERIES)}"
            )
        if not 0 <= self.alpha < 1:
            raise SettingsError(f"Alpha is from 0 to below 1, not {self.alpha:g}")
        if self.least_books < 1:
            raise SettingsError(f"At least 1 bookmaker must price a bet, not {self.least_books}")


def rules_named(
    names: str | Iterable[str] = "contract", least_ev: float | None = None
) -> ListRules:
    """Return the rules that a backtest judges prices by.

    Rules that are not price rules, such as "Same market and rules", always hold.

    Args:
        names: ``contract`` for all price rules of the contract, ``none`` for none of them, or the
            names of those that hold: as in Explain (``Book margin``) or as a ``Rule`` (``payout``);
            as one text, separated by commas. The figures that Explain prints after a name are
            ignored.
        least_ev: The least EV in percent of a unit staked, from ``LEAST_EV`` on; None for the
            contract's.

    Raises:
        SettingsError: an unknown name, or a least EV out of range.
    """
    # A hair below 1, so that an EV that is the least but for rounding is enough.
    floor = 1 - 1e-12
    off = PRICE_RULES - _rules_among(names.split(",") if isinstance(names, str) else [*names])
    rules = ListRules(off=off)
    if least_ev is None:
        return rules
    if not LEAST_EV <= least_ev <= _MOST_LEAST_EV:
        raise SettingsError(
            f"The least EV is from {LEAST_EV:g} to {_MOST_LEAST_EV:g} percent, not {least_ev:g}"
        )
    return ListRules(
        off=off, floor=floor, prop_floor=floor, min_edge=least_ev, min_prop_edge=least_ev
    )


def _rules_among(names: Iterable[str]) -> frozenset[Rule]:
    """Return the price rules with these names."""
    given = [name.strip() for name in names]
    words = [_folded(name) for name in given]
    if words in (["contract"], ["none"]):
        return PRICE_RULES if words == ["contract"] else frozenset()
    named: dict[str, set[Rule]] = {}
    for rule in Rule:
        for name in (rule.value, RULE_TITLES[rule]):
            named.setdefault(_folded(name), set()).add(rule)
    found = set[Rule]()
    for name, word in zip(given, words, strict=True):
        rules = named.get(word) or named.get(_FIGURES.sub("", word), set())
        if not rules <= PRICE_RULES:
            hint = "; the least EV sets its limit" if Rule.MIN_EDGE in rules else ""
            raise SettingsError(f"The rule “{name}” always holds{hint}: {_usage()}")
        if not rules:
            raise SettingsError(f"No rule is called “{name}”: {_usage()}")
        found |= rules
    return frozenset(found)


def _usage() -> str:
    titles = dict.fromkeys(RULE_TITLES[rule] for rule in Rule if rule in PRICE_RULES)
    return N_(f"use contract, none, or names of {', '.join(titles)}")


def _folded(name: str) -> str:
    text = name.casefold().replace("<=", "≤").replace(">=", "≥")
    for sign, spaced in (("_", " "), ("-", " "), ("≤", " ≤ "), ("≥", " ≥ ")):
        text = text.replace(sign, spaced)
    return " ".join(text.split())
