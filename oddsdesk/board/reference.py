"""Which bookmaker the board keeps apart as its reference: the service's own, or the user's choice.

All that judges, shows or records a price takes the reference from the board, and the board puts
prices where this says: a key's bookmaker of None is the reference's, whoever it is.
"""

from collections.abc import Hashable, Mapping
from typing import Final, TypeVar

from oddsdesk.pricing.consensus import CONSENSUS_TITLE

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SERVICES_OWN: Final = ""
"""The choice of the bookmaker that the service itself judges by."""
CONSENSUS: Final = "consensus"
"""The choice of what the bookmakers say together (D60); no price is kept apart then."""
Renaming = Mapping[str | None, str | None]
"""Whose prices are kept under another key from now on, by the key that they had."""


class DeskReference:
    """Tells whose prices are the reference's."""

    def __init__(self) -> None:
        self.service: str | None = None
        """Whom the service judges by; None until an answer shows it."""
        self.chosen = SERVICES_OWN
        """What the user wants."""

    @property
    def is_consensus(self) -> bool:
        """Whether all bookmakers together are the reference."""
        return self.chosen == CONSENSUS

    @property
    def is_services_own(self) -> bool:
        """Whether the desk judges by the bookmaker that the service judges by."""
        return self.chosen in (SERVICES_OWN, self.service)

    @property
    def name(self) -> str | None:
        """What it is called; None until that is known."""
        if self.is_consensus:
            return CONSENSUS_TITLE
        return self.chosen or self.service

    @property
    def bookmaker(self) -> str | None:
        """Whose prices are kept apart; None where nobody's are, or that is not known."""
        return None if self.is_consensus else self.chosen or self.service

    def key_of(self, bookmaker: str | None) -> str | None:
        """Return what the prices of a bookmaker are kept under."""
        return None if bookmaker == self.bookmaker else bookmaker

    def choose(self, chosen: str) -> Renaming:
        """Take another reference; return whose prices are kept under another key then."""
        before = self.bookmaker
        self.chosen = chosen
        return self._renaming(before)

    def learn(self, service: str) -> Renaming:
        """Take in whom the service judges by; return as ``choose`` does."""
        before = self.bookmaker
        self.service = service
        return {service: None} if self.is_services_own else self._renaming(before)

    def _renaming(self, before: str | None) -> Renaming:
        after, renaming = self.bookmaker, dict[str | None, str | None]()
        if before == after:
            return renaming
        if before is not None:
            renaming[None] = before
        if after is not None:
            renaming[after] = None
        return renaming


def renamed(held: Mapping[K, V], renaming: Mapping[K, K]) -> dict[K, V]:
    """Return values by other keys; of two that come to one key, the one stays that had it."""
    kept = {key: value for key, value in held.items() if key not in renaming}
    moved = [(renaming[key], value) for key, value in held.items() if key in renaming]
    for key, value in moved:
        kept.setdefault(key, value)
    return kept
