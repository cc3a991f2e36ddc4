"""The embedded server as the desk asks it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from oddsdesk.board.history.past import PastLog
from oddsdesk.board.history.sources import PriceLog
from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import (
    Choices,
    DatabaseState,
    FeedState,
    ImportOutcome,
    Key,
    LivePlan,
    LiveSource,
)
from oddsdesk.contract.identity import GamePair, PairState


class ServerLog(PriceLog, PastLog, Protocol):
    """The log of the prices that a server holds: of one price, and of all by time."""


class LocalServer(Protocol):
    """Every coroutine raises ``LocalServerError``; the work is done on the server's thread."""

    @property
    def url(self) -> str:
        """Where it answers, on this machine only."""

    @property
    def own_key_id(self) -> int:
        """The key that the desk itself is connected with."""

    @property
    def log(self) -> ServerLog:
        """The past of the prices it holds."""

    async def keep_days(self, days: int) -> None:
        """Keep price history for ``days`` days from now on, 0 for ever."""

    async def keep_days_unless_set(self, days: int) -> bool:
        """The same where the database says nothing; return whether that was so."""

    async def database(self) -> DatabaseState:
        """Say where the odds are and how much room they take."""

    async def back_up(
        self, target: Path, *, keys: bool, bets: bool, progress: Callable[[float], None]
    ) -> int:
        """Copy the database while it is in use and return the backup's size in bytes.

        ``progress`` hears on this thread which share of it is copied.
        """

    async def restore_backup(self, source: Path, progress: Callable[[int], None]) -> str:
        """Replace the database with a backup, once the server has ended, and say what was done.

        ``progress`` hears on this thread how many bytes are read. Cancelled, it changes nothing.
        """

    async def feed_reports(self) -> list[FeedState]:
        """Return every feed."""

    async def add_feed(self, spec: str, speed: float) -> None:
        """Open a feed and run it until the server stops."""

    def prices_are_shown(self) -> None:
        """Let the server begin what waits for the window."""

    async def live_sources(self) -> list[LiveSource]:
        """Return the sources of live odds that one can choose from."""

    async def source_choices(self, name: str, url: str, key: str, key_file: str = "") -> Choices:
        """Return what may be chosen from a source; spends nothing.

        ``url`` and ``key``: empty for the source's own address and for the key that is kept,
        which is in ``key_file`` if that is given.
        """

    async def plan_feed(self, spec: str, key: str) -> LivePlan:
        """Return what a feed will do and cost; spends nothing. ``key`` as above."""

    async def has_keyring(self) -> bool:
        """Say whether this machine has a keyring that keeps anything."""

    async def kept_key_file(self, name: str) -> Path | None:
        """Return the file in which the key of a source is kept; None where there is a keyring."""

    async def keep_feed_key_in_file(self, name: str, key: str) -> Path:
        """Keep the key of a live feed's source in a file that only its owner may read."""

    async def keep_feed_key(self, name: str, key: str) -> None:
        """Keep the key of a live feed's source in the system's keyring."""

    async def start_feed(self, number: int) -> None:
        """Run a feed that was stopped or has ended."""

    async def stop_feed(self, number: int) -> None:
        """End a feed."""

    async def remove_feed(self, number: int) -> None:
        """Forget a feed that was stopped or has ended; what it recorded stays."""

    async def import_files(
        self, format_name: str, places: Sequence[str], *, shift_to_now: bool, together: bool = False
    ) -> ImportOutcome:
        """Convert other people's files and record them, once.

        Unless ``together``, nothing is read if only one of the two has shifted times, the files or
        the odds here; the outcome's ``apart`` then says why.
        """

    async def game_pairs(self) -> list[GamePair]:
        """Return the games that may be one, and what was decided of others."""

    async def decide_game_pairs(self, idents: Sequence[int], state: PairState) -> None:
        """Accept or refuse pairs, or take back what was decided: all of them, or none."""

    async def api_keys(self) -> list[Key]:
        """Return every key, masked."""

    async def create_key(self, account: str, plan: Plan | None, bookmaker: str | None) -> str:
        """Make a key and return it: the only time that it is known."""

    async def rotate_key(self, key_id: int) -> str:
        """Give a key a new secret and return it; the old one ends at once."""

    async def revoke_key(self, key_id: int) -> None:
        """End a key for good."""

    async def change_rights(self, account: str, plan: Plan, bookmaker: str | None) -> str:
        """Change an account without touching its keys; return a warning, or an empty text."""

    async def account_warning(self, plan: Plan, bookmaker: str | None) -> str:
        """Say why keys of an account with these see no odds, or return an empty text."""

    async def drop_account(self, account: str) -> None:
        """Delete an account, its keys and its counts."""
