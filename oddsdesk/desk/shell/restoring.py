"""Putting a backup in the place of the embedded server's database, while that server is ended."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

from oddsdesk.desk.ui.background import in_background
from oddsdesk.desk.ui.local_server import LocalServerError
from oddsdesk.ledger.merging import take_in
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.places import default_ledger
from oddsdesk.store.errors import StoreError
from oddsdesk.store.restore import Restored, restore

STEP_BYTES = 8 << 20
"""So often it is told how far the work is."""


class _BrokenOff(Exception):  # noqa: N818 - no error: nobody waits for it any more
    """The desk closes, or another connection is wanted."""


async def restored(
    source: Path, database: Path, access: Path | None, told: Callable[[int], None]
) -> str:
    """Restore a backup on a thread and say what was done; cancelled, it is broken off first.

    Raises:
        LocalServerError: nothing was replaced; one line that says why.
    """
    loop = asyncio.get_running_loop()
    broken_off = threading.Event()
    read = 0

    def tell(count: int) -> None:
        nonlocal read
        if broken_off.is_set():
            raise _BrokenOff
        before, read = read, read + count
        if read // STEP_BYTES != before // STEP_BYTES:
            with contextlib.suppress(RuntimeError):  # the desk has ended
                loop.call_soon_threadsafe(told, read)

    def work() -> Restored:
        return restore(source, database, take_bets, access=access, force=True, told=tell)

    def take_bets(ledger: Path) -> None:
        take_in(ledger, default_ledger())

    done = asyncio.wrap_future(in_background("restore", work))
    try:
        return _words(await asyncio.shield(done))
    except asyncio.CancelledError:
        broken_off.set()
        await asyncio.wait([done])
        done.exception()
        raise
    except (StoreError, LedgerError) as error:
        raise LocalServerError(str(error)) from error


def _words(done: Restored) -> str:
    kept = " and ".join(path.name for path in done.kept)
    beside = f" The former database stays beside as {kept}." if kept else ""
    return f"{done.database.name} is restored{' with its keys' if done.keys else ''}.{beside}"
