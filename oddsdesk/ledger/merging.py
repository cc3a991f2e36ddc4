"""Taking another ledger's records in, as a restore does: nothing that is there is lost."""

from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger


def take_in(other: Path, path: Path) -> tuple[int, int]:
    """Add the bets and presets of another ledger that this one lacks; return how many of each.

    A bet is the same where it is on the same price and was placed at the same moment, whatever
    was noted or became of it since; a preset of a name that is there stays as it is there. All
    are added or none. The other file is brought to the present schema.

    Raises:
        LedgerError: one of the files cannot be used; says why in one line.
    """
    with closing(Ledger(other)) as found:
        bets, (presets, _) = found.bets(), found.presets()
    with closing(Ledger(path)) as ledger:
        missing = lacking(bets, ledger.bets())
        names = {preset.name for preset in ledger.presets()[0]}
        fresh = [preset for preset in presets if preset.name not in names]
        ledger.add(missing, fresh)
    return len(missing), len(fresh)


def lacking(bets: Iterable[PlacedBet], held: Iterable[PlacedBet]) -> list[PlacedBet]:
    """Return the bets that are not held: on another price, or placed at another moment."""
    there = Counter((bet.key, bet.placed_at) for bet in held)
    missing = []
    for bet in bets:
        if there[bet.key, bet.placed_at] > 0:
            there[bet.key, bet.placed_at] -= 1
        else:
            missing.append(bet)
    return missing
