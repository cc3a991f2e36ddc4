"""What a board judges prices by, beside the prices themselves."""

from collections.abc import Callable

import msgspec

from oddsdesk.board.freshness import ScrapeInterval
from oddsdesk.board.overtime import OvertimeForms
from oddsdesk.board.reference import DeskReference
from oddsdesk.pricing.consensus import LEAST_VOTES
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.suppliers import Suppliers, Voices


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
    least_voices: int = LEAST_VOTES
    """How many voices make a consensus, where that is the reference (D60)."""
    scrape_interval: ScrapeInterval = msgspec.field(default_factory=ScrapeInterval)
    overtime: OvertimeForms = msgspec.field(default_factory=OvertimeForms)
    suppliers: Suppliers = msgspec.field(default_factory=Suppliers)
    """Which bookmakers show the odds of one supplier (D94)."""
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

    def of_another_service(self) -> "Basis":
        """Return the user's choices alone: what was learned is of the service before."""
        self.reference.service = None
        return Basis(
            self.method,
            self.profiles,
            self.mine,
            self.reference,
            self.least_voices,
        )

    @property
    def is_contracts(self) -> bool:
        """Whether prices are judged as the contract has it: by its reference, and its method."""
        return self.reference.is_services_own and self.method == DEFAULT_METHOD

    @property
    def is_pooled(self) -> bool:
        """Whether prices are judged by what the bookmakers say together (D60)."""
        return self.reference.is_consensus

    def is_mine(self, bookmaker: str | None) -> bool:
        """Whether the user bets there."""
        return self.mine is None or (bookmaker is not None and self.mine(bookmaker))

    def net(self, bookmaker: str, odds: float) -> float:
        """Return what a unit staked there really pays back (D46)."""
        profile = self.profiles.charging(bookmaker)
        return odds if profile is None else profile.net(odds)
