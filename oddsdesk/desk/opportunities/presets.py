"""Presets of the opportunities: named filters, kept with the layout (no Qt)."""

from typing import Final

import msgspec

from oddsdesk.desk.opportunities.rows import LegRow

_DECIMALS: Final = 6
"""Finer is the dust of floats."""


class OpportunityFilter(msgspec.Struct, frozen=True):
    """Which opportunities are listed; None, and no bookmaker, let everything of their kind pass."""

    in_play: bool | None = None
    """True: only in play; False: only before kick-off."""
    least_worst: float | None = None
    """What the worst outcome leaves, in percent."""
    most_worst: float | None = None
    """More is too good to be true."""
    bookmakers: tuple[str, ...] = ()
    """All legs are at these."""
    without_too_good: bool = False
    """Whether those with a price above the window are left out."""

    def passes(self, row: LegRow) -> bool:
        """Tell whether the opportunity of a row is listed; one with a leg placed always is."""
        return row.outlay is not None or (
            self.in_play in (None, row.found.in_play)
            and not (self.without_too_good and row.is_too_good)
            and (not self.bookmakers or self._names_all_of(row))
            and (self.least_worst is self.most_worst is None or self._bounds(row))
        )

    def _names_all_of(self, row: LegRow) -> bool:
        return {leg.bookmaker for leg in row.found.legs} <= {*self.bookmakers}

    def _bounds(self, row: LegRow) -> bool:
        worst, least, most = row.staked.worst_of_all_pct, self.least_worst, self.most_worst
        worst = round(worst, _DECIMALS)
        return (least is None or worst >= least) and (most is None or worst <= most)


class OpportunityPreset(msgspec.Struct, frozen=True):
    """A filter with a name."""

    name: str
    filter: OpportunityFilter


BUILT_IN: Final = (
    OpportunityPreset("All opportunities", OpportunityFilter()),
    OpportunityPreset("Before kick-off", OpportunityFilter(in_play=False)),
    OpportunityPreset("In play", OpportunityFilter(in_play=True)),
    OpportunityPreset("Nothing too good", OpportunityFilter(without_too_good=True)),
)
"""Presets that are always there; the user's own come after them."""


def filter_words(chosen: OpportunityFilter) -> list[str]:
    """Return a filter in few words: ``worst ≥ 1 %``, ``before kick-off``, ``3 books``."""
    said = _bounds(chosen.least_worst, chosen.most_worst)
    if chosen.in_play is not None:
        said.append("in play" if chosen.in_play else "before kick-off")
    if chosen.without_too_good:
        said.append("nothing too good")
    if names := chosen.bookmakers:
        said.append(names[0] if len(names) == 1 else f"{len(names)} books")
    return said


def _bounds(least: float | None, most: float | None) -> list[str]:
    if least is not None and most is not None:
        return [f"worst {least:g} – {most:g} %"]
    if least is not None:
        return [f"worst ≥ {least:g} %"]
    return [] if most is None else [f"worst ≤ {most:g} %"]
