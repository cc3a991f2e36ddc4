"""Short names and codes of bookmakers, for where the whole name has no room."""

from collections import Counter
from collections.abc import Iterable

from oddsdesk.pricing.profiles import Profiles


class BookmakerNames:
    """Names from profiles; a bookmaker without a short one keeps its whole name."""

    def __init__(self, profiles: Profiles | None = None) -> None:
        self.revision = 0
        """Grows whenever names change."""
        self.use(profiles or Profiles())

    def use(self, profiles: Profiles) -> None:
        """Take names from other profiles; the caller has views repaint."""
        self._profiles = profiles
        self._short: dict[str, str] = {}
        self._codes: dict[str, str] = {}
        self.revision += 1

    def short(self, name: str) -> str:
        """Return the short name: ``Betfair UK``."""
        short = self._short.get(name)
        if short is None:
            short = self._short[name] = self._profiles.of(name).short or name
        return short

    def code(self, name: str) -> str:
        """Return the code of about three letters: ``BFX``; the name where there is none."""
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = self._profiles.of(name).code or self.short(name)
        return code

    def told_apart(self, names: Iterable[str]) -> dict[str, str]:
        """Return the short name of each; whole names where two would be called the same."""
        short = {name: self.short(name) for name in names}
        counts = Counter(short.values())
        return {name: one if counts[one] == 1 else name for name, one in short.items()}
