"""What the app is made of, passed in by whoever runs it."""

from collections.abc import Callable, Sequence

import msgspec
from starlette.types import ASGIApp

from oddsdesk.clock import Clock
from oddsdesk.contract.administration import FeedReport
from oddsdesk.server.figures import Figures
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.server.settings import ANSWERING, Role
from oddsdesk.server.troubles import Troubles
from oddsdesk.store.owner_secret import OwnerSecret
from oddsdesk.store.store import Store


class Service(msgspec.Struct, frozen=True):
    """The stores, the clock, the stream's application and the list of troubles.

    ``hosts`` are the host names that are served besides loopback's; ``base_url`` is where others
    reach it, empty where that is what they asked. Without ``stream``, or
    without the role, there is no such path; ``roles`` are those that answer.
    """

    store: Store
    access: LoopAccess
    clock: Clock
    stream: ASGIApp | None = None
    hosts: frozenset[str] = frozenset()
    base_url: str = ""
    feeds: Callable[[], Sequence[FeedReport]] = tuple
    owner: OwnerSecret | None = None
    """Who shows this secret on this machine may write and see the feeds; None: nobody."""
    troubles: Troubles = msgspec.field(default_factory=Troubles)
    roles: frozenset[Role] = ANSWERING
    figures: Figures = msgspec.field(default_factory=Figures)
