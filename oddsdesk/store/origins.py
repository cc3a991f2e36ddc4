"""Which source told a bookmaker's prices of a game, and whether others may have them (D66).

It stands once for a bookmaker and game, not in every price: what a source that forbids passing on
has told of them leaves all of them out where others ask, so that nothing slips through between.
"""

from typing import Final

import msgspec

FORBIDDING: Final = frozenset({"the-odds-api"})
"""Sources whose terms forbid to pass their prices on; lines of NDJSON name them by their ids."""


class Origin(msgspec.Struct, frozen=True):
    """A source of prices; ``may_share`` says whether its terms let others have them."""

    source: str
    may_share: bool = True


def origin_named(source: str) -> Origin:
    """Return the origin of what one of our own formats holds."""
    return Origin(source, source not in FORBIDDING)


def origin_of_event(event: str | None) -> Origin | None:
    """Return who told a quote by the id of its game, where that source forbids passing on."""
    if event is None:
        return None
    source = event.partition(":")[0]
    return Origin(source, may_share=False) if source in FORBIDDING else None
