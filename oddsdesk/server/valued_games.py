"""Which games one process values, where several divide them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from oddsdesk.store.errors import StoreError
from oddsdesk.store.shares import Shares

Run = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs a function on a thread."""
Got = Mapping[int, object]
"""Shares, each with what tells from another time that it was got."""


class GamesHeld:
    """All games, or those of the shares that this process holds; ``has`` may be asked anywhere."""

    def __init__(self, shares: Shares | None) -> None:
        self._shares = shares
        self._got: dict[int, object] = {}
        self.held: frozenset[int] = frozenset()
        self.has_got = asyncio.Event()
        """Set while there are games that this process got and has not valued since."""

    def share_of(self, game: int) -> int:
        """Return the share that a game, given by its row, is in."""
        return 0 if self._shares is None else game % self._shares.count

    def has(self, game: int) -> bool:
        """Say whether this process values a game."""
        return self._shares is None or self.share_of(game) in self.held

    async def take(self, run: Run) -> frozenset[int]:
        """Take what falls to this process, and value no longer what does not; return that.

        Raises:
            StoreUnavailableError: it is not known what that is: there are no games until it is.
        """
        assert self._shares is not None
        try:
            holding = await run(self._shares.take)
        except StoreError:
            self._hold(frozenset())
            raise
        self._hold(holding.parts - holding.surplus)
        surplus: frozenset[int] = holding.surplus
        return surplus

    async def give_back(self, surplus: frozenset[int], run: Run) -> None:
        """Let other processes have shares that are valued here no longer.

        Raises:
            StoreUnavailableError: it is not known who has them.
        """
        assert self._shares is not None
        shares = self._shares
        await run(lambda: shares.give_back(surplus))

    def got(self) -> Got:
        """Return the shares whose games were not valued since this process has them."""
        return dict(self._got)

    def have_valued(self, got: Got) -> None:
        """Note that the games of shares were valued, for as long as they are held without a gap."""
        for share, when in got.items():
            if self._got.get(share) is when:
                del self._got[share]
        if not self._got:
            self.has_got.clear()

    def close(self) -> None:
        """Let others have all of them; once no thread uses this any more."""
        if self._shares is not None:
            self._shares.close()

    def _hold(self, shares: frozenset[int]) -> None:
        self._got = {each: self._got.get(each, object()) for each in shares if self._is_new(each)}
        self.held = shares
        if self._got:
            self.has_got.set()
        else:
            self.has_got.clear()

    def _is_new(self, share: int) -> bool:
        return share not in self.held or share in self._got
