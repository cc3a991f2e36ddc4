"""What a board judges prices by.

All prices are kept under their bookmaker's name; this says which bookmaker is the reference.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable
from enum import IntEnum
from statistics import median
from typing import Final

import msgspec

from oddsdesk.base.texts import _, translated
from oddsdesk.board.model.matrix import UNNAMED_REFERENCE
from oddsdesk.contract.times import WINDOW_MS
from oddsdesk.pricing.assessment import OVERTIME_SPORTS, usual_form, usual_stale_after_ms
from oddsdesk.pricing.consensus import (
    CONSENSUS_TITLE,
    LEARNED_TITLE,
    LEAST_VOTES,
    LearnedWeights,
    Suppliers,
    Voices,
)
from oddsdesk.pricing.currencies import NO_RATES, Rates
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.stakes import Depth
from oddsdesk.pricing.value import MAX_AGE_MS, MIN_AGE_MS, SERVICE_RULES, DerivedChoice, ListRules

_WINDOW: Final = 40
_AT_LEAST: Final = 5
_UNKNOWN_S: Final = 30.0
_SHORTEST_S: Final = 5.0
_LONGEST_S: Final = 120.0
_AGEING_AFTER: Final = 2.0
_STALE_AFTER: Final = 6.0
NEVER_STALE_MS: Final = round(_SHORTEST_S * _STALE_AFTER * 1000)
"""Up to this age no bookmaker's price is stale, in play or not."""


class Freshness(IntEnum):
    """How much a price may still be trusted, best first."""

    FRESH = 0
    AGEING = 1
    STALE = 2
    DEAD = 3


class ScrapeInterval:
    """Learns how often each bookmaker is scraped, from prices that were read twice.

    The interval is the median of the latest re-scrapes, held within 5 s and 120 s, and
    30 s (the contract's slowest) until 5 of them are known.
    """

    def __init__(self) -> None:
        self._gaps: dict[str, deque[int]] = {}
        self._intervals: dict[str, float] = {}
        self._counted_at: dict[str, int] = {}
        self._patience = 0, 0
        self.lessons = 0
        """How often it was learned that bookmakers are to be given more time, or less."""

    @property
    def patience_ms(self) -> int:
        """How long a price may go unread by the desk, before the game, without being the older."""
        return self._patience[0]

    def be_patient(self, patience_ms: int, since_ms: int = 0) -> None:
        """Take in how long a price may go unread while each move is streamed, since a moment.

        What was read before that moment may have moved unheard, and is the older for it.
        """
        self.lessons += (patience_ms, since_ms) != self._patience
        self._patience = patience_ms, since_ms

    def rescraped(self, bookmaker: str, gap_ms: int, scraped_at: int) -> None:
        """Note that a price of a bookmaker was scraped again after ``gap_ms``.

        All that one pass scraped counts once, or a single import would look like a habit.
        """
        if scraped_at - self._counted_at.get(bookmaker, 0) < gap_ms / 2:
            return
        self._counted_at[bookmaker] = scraped_at
        gaps = self._gaps.setdefault(bookmaker, deque(maxlen=_WINDOW))
        gaps.append(gap_ms)
        if len(gaps) >= _AT_LEAST:
            learned = min(max(median(gaps) / 1000, _SHORTEST_S), _LONGEST_S)
            self.lessons += learned != self._intervals.get(bookmaker)
            self._intervals[bookmaker] = learned

    def forget_intervals(self) -> None:
        """Know no bookmaker's rhythm any more."""
        for known in (self._gaps, self._intervals, self._counted_at):
            known.clear()
        self.lessons += 1

    def usual_interval_s(self, bookmaker: str) -> float:
        """Return the seconds that pass between two scrapes of a bookmaker."""
        return self._intervals.get(bookmaker, _UNKNOWN_S)

    def stale_after_ms(self, bookmaker: str, in_play: bool | None) -> int:
        """Return the age from which a bookmaker's price is stale.

        That is 6 of its intervals; 180 s, in play 60 s, until they are known. In play it is
        never more: the score may be another.
        """
        known, usual = self._intervals.get(bookmaker), usual_stale_after_ms(in_play)
        if known is None:
            return usual
        return min(round(known * 1000 * _STALE_AFTER), usual if in_play else MAX_AGE_MS)

    def patience_with(self, heard_at: int, now_ms: int, in_play: bool | None) -> int:
        """Return how much of a price's age does not count, as the desk only did not read it again.

        Nothing of it in play: whether the price still stands is asked by the score, too.
        """
        if in_play:
            return 0
        patience_ms, since_ms = self._patience
        return min(patience_ms, max(0, now_ms - max(heard_at, since_ms)))

    def freshness(
        self,
        bookmaker: str,
        scraped_at: int,
        now_ms: int,
        heard_at: int | None = None,
        *,
        in_play: bool | None = None,
    ) -> Freshness:
        """Return how fresh a price is that was last seen at ``scraped_at``, read at ``heard_at``.

        Fresh up to 2 intervals, then ageing until it is stale; dead after 10 minutes, when
        the service itself no longer shows it. One that was seen in the future is stale.
        Without ``heard_at`` all of the age counts. What was not read again may be fresh in play,
        too, for as long as it is not stale.
        """
        age = now_ms - scraped_at
        if age > WINDOW_MS:
            return Freshness.DEAD
        if age < MIN_AGE_MS:
            return Freshness.STALE
        heard_at = now_ms if heard_at is None else heard_at
        counted = age - self.patience_with(heard_at, now_ms, in_play)
        if counted > self.stale_after_ms(bookmaker, in_play):
            return Freshness.STALE
        age -= self.patience_with(heard_at, now_ms, in_play=False)
        is_fresh = age <= _AGEING_AFTER * self.usual_interval_s(bookmaker) * 1000
        return Freshness.FRESH if is_fresh else Freshness.AGEING


SERVICES_OWN: Final = ""
"""The choice of the bookmaker that the service itself judges by."""
CONSENSUS: Final = "consensus"
"""The choice of what the bookmakers say together; no bookmaker is the reference then."""
LEARNED: Final = "consensus (learned)"
"""The consensus with learned weights."""
CONSENSUS_CHOICES: Final = {CONSENSUS: CONSENSUS_TITLE, LEARNED: LEARNED_TITLE}
"""Their names as people read them."""


MIDDLE: Final = ", mid"
"""Ends the choice of an exchange's odds between back and lay: ``Smarkets, mid``."""


def middle_choice(text: str) -> str | None:
    """Return the exchange whose middle a text names; None if it names no middle."""
    name, comma, what = text.strip().rpartition(",")
    return name.strip() if comma and what.strip().casefold() == "mid" and name.strip() else None


def consensus_choice(text: str) -> str | None:
    """Return which consensus a text names, in English or as it is shown; None for a bookmaker."""
    folded = text.strip().casefold()
    for choice, title in CONSENSUS_CHOICES.items():
        if folded in (choice, translated(title).casefold()):
            return choice
    return None


class DeskReference:
    """Tells who the reference is."""

    def __init__(self) -> None:
        self.service: str | None = None
        """Whom the service judges by; None until an answer shows it."""
        self.chosen = SERVICES_OWN
        """What the user wants."""

    @property
    def is_consensus(self) -> bool:
        """Whether all bookmakers together are the reference."""
        return self.chosen in CONSENSUS_CHOICES

    @property
    def is_middle(self) -> bool:
        """Whether an exchange's odds between back and lay are the reference."""
        return middle_choice(self.chosen) is not None

    @property
    def is_learned(self) -> bool:
        """Whether that is by learned weights."""
        return self.chosen == LEARNED

    @property
    def is_services_own(self) -> bool:
        """Whether the desk judges by the bookmaker that the service judges by."""
        return self.chosen in (SERVICES_OWN, self.service)

    @property
    def is_named(self) -> bool:
        """Whether it is known what it is called."""
        return bool(self.chosen or self.service)

    @property
    def reference_name(self) -> str:
        """What it is called."""
        return CONSENSUS_CHOICES.get(self.chosen) or self.bookmaker

    @property
    def reference_title(self) -> str:
        """Its name for display; ends with ``mid`` for the middle of back and lay."""
        if self.is_middle:
            return _("{bookmaker}, mid").format(bookmaker=self.bookmaker)
        return translated(self.reference_name)

    @property
    def bookmaker(self) -> str:
        """Who it is; empty where all bookmakers together are."""
        if self.is_consensus:
            return ""
        return middle_choice(self.chosen) or self.chosen or self.services_bookmaker

    @property
    def services_bookmaker(self) -> str:
        """Whose the prices are that the service gives without a name."""
        return self.service or UNNAMED_REFERENCE


class OvertimeForms:
    """Whether a bookmaker's bets of a game count overtime.

    By its moneyline of the game; without one, by most of its moneylines in the competition.
    """

    def __init__(self) -> None:
        self._of_game: dict[tuple[Hashable, str], bool] = {}
        self._usual: defaultdict[tuple[str, str], Counter[bool]] = defaultdict(Counter)

    def note_form(
        self, game: Hashable, competition: str, bookmaker: str, form: bool | None
    ) -> bool:
        """Take in what a moneyline of the game tells, None where it does not; tell if it is new."""
        held = self._of_game.get((game, bookmaker))
        if held == form:
            return False
        usual = self._usual[competition, bookmaker]
        if held is not None:
            usual[held] -= 1
        if form is None:
            del self._of_game[game, bookmaker]
        else:
            usual[form] += 1
            self._of_game[game, bookmaker] = form
        return True

    def counts_overtime(
        self, game: Hashable, competition: str, sport: str, bookmaker: str
    ) -> bool | None:
        """Return whether overtime counts; None where nothing tells, or as many say either."""
        if sport not in OVERTIME_SPORTS:
            return None
        own = self._of_game.get((game, bookmaker))
        if own is not None:
            return own
        return usual_form(self._usual.get((competition, bookmaker), Counter()))


class Basis(msgspec.Struct):
    """The user's choices, and what is learned of bookmakers across games."""

    method: str
    """How the reference's margin is taken out."""
    profiles: Profiles
    """What each bookmaker keeps of a win, and whose skin it is."""
    mine: Callable[[str], bool] | None = None
    """Whether the user bets at a bookmaker: only there are best prices and value; None is at all.
    """
    reference: DeskReference = msgspec.field(default_factory=DeskReference)
    """Whose prices the others are judged by."""
    rules: ListRules = SERVICE_RULES
    """The rules that a price must pass to be listed as a value bet."""
    least_voices: int = LEAST_VOTES
    """How many voices make a consensus, where that is the reference."""
    derived: DerivedChoice = "all"
    """Which derived prices judge lines that the reference does not price."""
    bands: Bands = msgspec.field(default_factory=dict)
    """The error bands of modelled prices; without its band nothing is modelled."""
    scrape_interval: ScrapeInterval = msgspec.field(default_factory=ScrapeInterval)
    overtime: OvertimeForms = msgspec.field(default_factory=OvertimeForms)
    suppliers: Suppliers = msgspec.field(default_factory=Suppliers)
    """Which bookmakers show the odds of one supplier."""
    learned: LearnedWeights = msgspec.field(default_factory=LearnedWeights)
    """Learned weights of votes, for ``consensus (learned)``."""
    rates: Rates = NO_RATES
    """Exchange rates into the user's currency, for available amounts."""
    known_voices: tuple[Profiles, frozenset[tuple[str, str]], Voices] | None = None
    """``voices`` as they were asked for last, and what they are of."""

    @property
    def voices(self) -> Voices:
        """Whose vote each bookmaker's is, by the profiles and by what was found."""
        known, found = self.known_voices, self.suppliers.found
        if known is None or known[0] is not self.profiles or known[1] != found:
            voices = Voices(self.profiles, found)
            known = self.known_voices = (self.profiles, found, voices)
        return known[2]

    def own_money(self, depth: Depth | None) -> Depth | None:
        """Return available amounts in the user's currency where a rate is known."""
        return None if depth is None else self.rates.own_money(depth)

    def of_another_service(self) -> "Basis":
        """Return the user's choices alone: what was learned is of the service before."""
        self.reference.service = None
        return Basis(
            self.method,
            self.profiles,
            self.mine,
            self.reference,
            self.rules,
            self.least_voices,
            self.derived,
            self.bands,
            learned=self.learned,
            rates=self.rates,
        )

    @property
    def is_contracts(self) -> bool:
        """Whether prices are judged as the contract has it: by its reference, and its method."""
        return self.reference.is_services_own and self.method == DEFAULT_METHOD

    @property
    def is_pooled(self) -> bool:
        """Whether prices are judged by what the bookmakers say together."""
        return self.reference.is_consensus

    def is_mine(self, bookmaker: str) -> bool:
        """Whether the user bets there."""
        return self.mine is None or self.mine(bookmaker)

    def net(self, bookmaker: str, odds: float) -> float:
        """Return what a unit staked there really pays back."""
        profile = self.profiles.charging(bookmaker)
        return odds if profile is None else profile.net(odds)
