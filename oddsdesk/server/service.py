"""What the app is made of, passed in by whoever runs it."""

from collections.abc import Callable, Sequence

import msgspec
from starlette.types import ASGIApp

from oddsdesk.clock import Clock
from oddsdesk.contract.administration import FeedReport
from oddsdesk.server.troubles import Troubles
from oddsdesk.store.access import AccessStore
from oddsdesk.store.store import Store


class Service(msgspec.Struct, frozen=True):
    """The odds, who may ask for them, the time, and where the stream is plugged in,
    and what is wrong.

    ``hosts`` are the host names that are served besides loopback's.
    """

    store: Store
    access: AccessStore
    clock: Clock
    stream: ASGIApp
    hosts: frozenset[str] = frozenset()
    feeds: Callable[[], Sequence[FeedReport]] = tuple
    owner_secret: str = ""
    """Who says it from this machine may see the feeds; empty: nobody may."""
    troubles: Troubles = msgspec.field(default_factory=Troubles)
