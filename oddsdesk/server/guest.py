"""A key for a desk that uses the server of another process on this machine."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from oddsdesk.clock import Clock
from oddsdesk.contract.plans import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.accounts import OWN_ACCOUNT
from oddsdesk.store.errors import StoreError
from oddsdesk.store.keys import KeyLimitError, UnknownKeyError


@contextlib.contextmanager
def guest_key(database: Path, clock: Clock, keys_path: Path | None = None) -> Iterator[str]:
    """Make a key for the server that owns a database, and end it afterwards.

    ``keys_path`` is where that server says that its keys are. This gives nobody new rights:
    whoever may write that file can make keys.

    Raises:
        StoreError: none can be made; one line that says why.
    """
    with contextlib.closing(open_access(database, keys_path)) as access:
        try:
            made = access.keys.create(OWN_ACCOUNT, Plan.PRO_LIVE, None, clock())
        except KeyLimitError as error:
            raise StoreError(f"{database}: {error}") from error
        try:
            yield made.secret
        finally:
            with contextlib.suppress(UnknownKeyError):  # ended from elsewhere already
                access.keys.revoke(str(made.key.key_id), clock())
