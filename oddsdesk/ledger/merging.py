"""Taking another ledger's records in, as a restore does: nothing that is there is lost."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import msgspec

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger


def take_in(other: Path, path: Path) -> tuple[int, int]:
    """Add the bets and presets of another ledger that this one lacks; return how many of each.

    A bet is the same where all that is known of it is; a preset of a name that is there stays
    as it is there. All are added or none. The other file is brought to the present schema.

    Raises:
        LedgerError: one of the files cannot be used; says why in one line.
    """
    with closing(Ledger(other)) as found:
        bets, (presets, _) = found.bets(), found.presets()
    with closing(Ledger(path)) as ledger:
        held = Counter(_unnumbered(bet) for bet in ledger.bets())
        names = {preset.name for preset in ledger.presets()[0]}
        missing = list((Counter(map(_unnumbered, bets)) - held).elements())
        fresh = [preset for preset in presets if preset.name not in names]
        ledger.add(missing, fresh)
    return len(missing), len(fresh)


def _unnumbered(bet: PlacedBet) -> PlacedBet:
    """Return a bet without the number that its file gave it."""
    return msgspec.structs.replace(bet, ident=None)
