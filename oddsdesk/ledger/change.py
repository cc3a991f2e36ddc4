"""A change of bets, as the ledger keeps it for undo."""

from typing import NamedTuple

from oddsdesk.ledger.bets import PlacedBet


class Change(NamedTuple):
    """What was done to bets last, by their numbers; None where there was, or is, none."""

    number: int
    """In the log of changes."""
    what: str
    before: dict[int, PlacedBet | None]
    after: dict[int, PlacedBet | None]
    """As they stand now."""
    is_earlier: bool
    """Whether it was done before this ledger was opened: in another session."""
