"""A row of the opportunities: a leg, and the user's bets on it (no Qt)."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, ngettext
from oddsdesk.board.opportunities.finder import Opportunity, OpportunityKey, OpportunityLeg
from oddsdesk.board.opportunities.offers import LegsToPlace
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import CoveredBet, covered_bets
from oddsdesk.pricing.opportunities import OpportunityKind, Outlay, outlay_of, rest_of_legs
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.settlement_rules import LegOfRule, RuleNote, SettlementRules, rule_notes

LegKey = tuple[OpportunityKey, int]
"""An opportunity and the place of one of its legs."""


class Rest(NamedTuple):
    """What an opportunity is open on, some of whose legs are placed."""

    taken: tuple[tuple[float, float], ...]
    """Stake and net odds of each leg that is placed, without what bets on other lines cover."""
    stakes: dict[int, float]
    """What to stake on each of the others, by place."""


class LegRow(NamedTuple):
    """A leg of an opportunity."""

    found: Opportunity
    place: int
    profile: Profile
    """The profile of ``bookmaker``."""
    reference: str
    is_lost: bool = False
    """Whether prices are not up to date: then nothing is staked."""
    placed: tuple[PlacedBet, ...] = ()
    """What the user placed on its outcome and is open, wherever, oldest first.

    Empty if it is a single bet that was not recorded as a leg, or if bets on other lines already
    cover it.
    """
    rest: Rest | None = None
    """None where no leg is placed, or all are."""
    outlay: Outlay | None = None
    """What is placed and what is open together; None where no leg is placed."""
    unpriced: frozenset[int] | None = None
    """Where the legs are none together now: the places of those without a price; else None."""
    is_too_good: bool = False
    """Whether a price may be a mistake that is taken back, before any leg is placed."""
    notes: tuple[RuleNote, ...] = ()
    """How the rules of settlement of all legs' bookmakers differ."""

    @property
    def staked(self) -> Outlay:
        """The stakes in the rows of all legs, and what they leave."""
        return self.outlay or self.found.outlay

    @property
    def is_priced(self) -> bool:
        return self.unpriced is None or self.place not in self.unpriced

    @property
    def lacking(self) -> list[str]:
        """On what no price completes the legs that are placed, so that nobody knows the worst."""
        if self.unpriced is None or self.rest is None:
            return []
        unpriced = sorted(self.unpriced.intersection(self.rest.stakes))
        return [self.found.leg_text(place) for place in unpriced]

    @property
    def kind(self) -> OpportunityKind:
        """What the legs are with the stakes in their rows, those that are placed among them."""
        kind = self.found.kind
        if self.outlay is None or self.lacking or kind is OpportunityKind.MIDDLE:
            return kind
        return OpportunityKind.ARBITRAGE if self.outlay.wins else OpportunityKind.LOW_HOLD

    @property
    def loses(self) -> bool:
        """Whether what is placed can only be completed to a loss at worst."""
        is_known = self.rest is not None and not self.lacking
        return is_known and self.staked.worst_of_all_pct < 0

    @property
    def stake(self) -> float:
        """What to stake on the leg; 0 for nothing, as where it is placed."""
        if self.is_lost or self.placed or self.lacking:
            return 0.0
        return self.leg.stake if self.rest is None else self.rest.stakes[self.place]

    @property
    def limited_by(self) -> str:
        """The bookmaker whose limit makes the stakes smaller; empty for none."""
        if self.rest is None:
            return "" if self.outlay is not None else self.found.limited_by or ""
        paid = min(stake * net for stake, net in self.rest.taken)
        for place, stake in self.rest.stakes.items():
            leg = self.found.legs[place]
            room = leg.room
            if room is not None and stake <= room < paid / leg.net_paying(paid):
                return leg.bookmaker
        return ""

    @property
    def to_place(self) -> LegsToPlace:
        """The legs that are not placed; all of them where none is left, without a stake."""
        if self.rest is not None:
            unplaced = tuple(self.rest.stakes)
            return LegsToPlace(self.found, unplaced, unplaced, self.rest.taken)
        places = tuple(range(len(self.found.legs)))
        return LegsToPlace(self.found, places, () if self.placed else places)

    @property
    def leg(self) -> OpportunityLeg:
        return self.found.legs[self.place]

    @property
    def bet(self) -> PlacedBet | None:
        """The last bet on the leg; None if there is none."""
        return self.placed[-1] if self.placed else None

    @property
    def bookmaker(self) -> str:
        """The bookmaker of the bet or, without one, of the leg; empty if not recorded."""
        return self.leg.bookmaker if self.bet is None else self.bet.bookmaker

    @property
    def odds(self) -> float:
        """The odds of the bet, else the odds on offer."""
        return self.leg.odds if self.bet is None else self.bet.odds

    @property
    def net_odds(self) -> float:
        return self.leg.net_odds if self.bet is None else self.bet.net

    @property
    def is_first(self) -> bool:
        """Whether what is of all legs stands in this row."""
        return self.place == 0


def leg_rows(
    found: Iterable[Opportunity],
    profile_of: Callable[[str], Profile],
    reference: str,
    *,
    is_lost: bool,
    placed: Mapping[Hashable, Sequence[PlacedBet]],
    step: float,
    unpriced: Mapping[OpportunityKey, frozenset[int]] | None = None,
    rules: SettlementRules | None = None,
    in_english: bool = False,
) -> dict[LegKey, LegRow]:
    """Return a row for each leg.

    Args:
        found: The opportunities.
        profile_of: Returns the profile of a bookmaker.
        reference: The sharp book.
        is_lost: Whether prices are not up to date.
        placed: The open bets, from ``open_by_outcome``.
        step: Stakes are multiples of it.
        unpriced: The positions of legs without a price, for sets that are no opportunity now.
        rules: The bookmakers' rules of settlement; without them there are no notes.
        in_english: Whether notes name legs in English, whatever the language.
    """
    rows = {}
    without = unpriced or {}
    games = {outcome[0] for outcome in placed if isinstance(outcome, tuple)}
    listed = list(found)
    covered = covered_bets(placed, games.intersection(each.key.game_id for each in listed))
    for each in listed:
        bets: list[tuple[PlacedBet, ...]] = [()] * len(each.legs)
        if each.key.game_id in games:  # else no outcome has to be named
            bets = _without_completed(
                [_recorded(each, place, placed) for place in range(len(each.legs))], covered
            )
        if not _is_begun(bets):
            bets = [()] * len(each.legs)
        rest, staked = _rest_and_stakes(each, bets, step, covered)
        unpriced_here = without.get(each.key) if without else None
        too_good = staked is None and each.is_too_good
        notes = () if rules is None else _notes(each, bets, rules, in_english)
        for place, leg in enumerate(each.legs):
            rows[each.key, place] = LegRow(
                each,
                place,
                profile_of(bets[place][-1].bookmaker if bets[place] else leg.bookmaker),
                reference,
                is_lost,
                bets[place],
                rest,
                staked,
                unpriced_here,
                too_good,
                notes,
            )
    return rows


def _notes(
    found: Opportunity,
    bets: Sequence[Sequence[PlacedBet]],
    rules: SettlementRules,
    in_english: bool,
) -> tuple[RuleNote, ...]:
    """Return how the rules differ of those where the legs are placed, or are to be."""
    text_of = found.english_leg_text if in_english else found.leg_text
    legs = [
        LegOfRule(placed[-1].bookmaker if placed else leg.bookmaker, text_of(place))
        for place, (placed, leg) in enumerate(zip(bets, found.legs, strict=True))
    ]
    market = (found.market_type or found.key.family, found.key.period, found.sport)
    lines = [leg.line for leg in found.legs if leg.line is not None]
    line = min(lines, key=abs, default=None)  # the one that overtime decides first
    return tuple(rule_notes(rules, [leg for leg in legs if leg.bookmaker], market, line))


NONE_NOW: Final = {
    OpportunityKind.ARBITRAGE: _("No arbs now."),
    OpportunityKind.MIDDLE: _("No middles now."),
    OpportunityKind.LOW_HOLD: _("No low holds now."),
}
"""What is said where none of a kind is listed."""


def count_text(kind: OpportunityKind, count: int) -> str:
    """Return how many there are of a kind, such as "2 arbs"."""
    match kind:
        case OpportunityKind.ARBITRAGE:
            text = ngettext("{count} arb", "{count} arbs", count)
        case OpportunityKind.MIDDLE:
            text = ngettext("{count} middle", "{count} middles", count)
        case OpportunityKind.LOW_HOLD:
            text = ngettext("{count} low hold", "{count} low holds", count)
    return text.format(count=count)


def rules_text(row: LegRow) -> str:
    """Return whether rules of settlement differ or may differ, in short; empty if neither."""
    if all(note.is_unknown for note in row.notes):
        return _("rules not known") if row.notes else ""
    return _("rules differ")


def open_on_a_side(rows: Iterable[LegRow]) -> list[LegRow]:
    """Return a row of each opportunity that is open: of those that complete the same bets the best.

    Bets that some legs complete are open nowhere, though other legs would go with them, too.
    """
    bets = defaultdict[OpportunityKey, set[int | None]](set)
    first: dict[OpportunityKey, LegRow] = {}
    for row in rows:
        if row.outlay is not None:
            bets[row.found.key] |= {bet.ident for bet in row.placed}
            first.setdefault(row.found.key, row)
    done = set[int | None]().union(*(bets[key] for key, row in first.items() if row.rest is None))
    best: dict[frozenset[int | None], LegRow] = {}
    for row in sorted(first.values(), key=_worth):
        if row.rest is not None and not bets[row.found.key] <= done:
            best[frozenset(bets[row.found.key])] = row
    return list(best.values())


def _worth(row: LegRow) -> tuple[bool, float]:
    """What completes bets now comes before what does not."""
    return not row.lacking, row.staked.worst_of_all_pct


def _is_begun(bets: Sequence[Sequence[PlacedBet]]) -> bool:
    """Whether bets are on legs of an opportunity: one was recorded as a leg, or two sides are open.

    A single bet on one side is no half of an arbitrage that happens to have the same side.
    """
    return sum(map(bool, bets)) > 1 or any(bet.leg for on_leg in bets for bet in on_leg)


def _without_completed(
    bets: Sequence[tuple[PlacedBet, ...]], covered: Mapping[int, CoveredBet]
) -> list[tuple[PlacedBet, ...]]:
    """Return the bets on each leg, without those that bets on other lines cover."""
    here = [bet for on_leg in bets for bet in on_leg]
    elsewhere = {
        id(bet)
        for bet in here
        if (cover := covered.get(id(bet)))
        and not cover.is_mostly_open
        and not cover.belongs_to(here)
    }
    return [tuple(bet for bet in on_leg if id(bet) not in elsewhere) for on_leg in bets]


def _open_stake(
    bet: PlacedBet, here: Sequence[PlacedBet], covered: Mapping[int, CoveredBet]
) -> float:
    """Return the stake of a bet, without the part that bets on other lines cover."""
    cover = covered.get(id(bet))
    return bet.open_stake * (1.0 if cover is None or cover.belongs_to(here) else cover.left)


def _recorded(
    found: Opportunity, place: int, placed: Mapping[Hashable, Sequence[PlacedBet]]
) -> tuple[PlacedBet, ...]:
    """Return the open bets on a leg."""
    return tuple(bet for outcome in found.recorded_on(place) for bet in placed.get(outcome, ()))


def _rest_and_stakes(
    found: Opportunity,
    bets: Sequence[Sequence[PlacedBet]],
    step: float,
    covered: Mapping[int, CoveredBet],
) -> tuple[Rest | None, Outlay | None]:
    """Return what is open, and all stakes; several bets on a leg are one that pays as much."""
    taken = {}
    here = [bet for on_leg in bets for bet in on_leg]
    for place, on_leg in enumerate(bets):
        stakes_on = [(_open_stake(bet, here, covered), bet.net) for bet in on_leg]
        if staked := sum(stake for stake, _ in stakes_on):
            taken[place] = staked, sum(stake * net for stake, net in stakes_on) / staked
    if not taken:
        return None, None
    placed = tuple(taken.values())
    left = {place: leg for place, leg in enumerate(found.legs) if place not in taken}
    paid = min(stake * net for stake, net in placed)
    nets = {place: leg.net_paying(paid) for place, leg in left.items()}
    most = [leg.room for leg in left.values()]
    stakes = rest_of_legs(placed, list(nets.values()), step, most)[0] if nets else ()
    rest = dict(zip(nets, stakes, strict=True))
    legs = taken | {place: (stake, nets[place]) for place, stake in rest.items()}
    whole = _outlay(found, [legs[place] for place in sorted(legs)])
    return (Rest(placed, rest) if rest else None), whole


def _outlay(found: Opportunity, legs: Sequence[tuple[float, float]]) -> Outlay:
    """Return what stakes on all legs leave, a push among it where their line can be hit."""
    if found.between is None or found.kind is OpportunityKind.MIDDLE:
        return outlay_of(legs)
    return outlay_of(legs)._replace(push=found.between.gain(legs))


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
    without_lays: bool = False
    """Whether sets with a lay are left out."""

    def passes(self, row: LegRow) -> bool:
        """Tell whether the opportunity of a row is listed; one with a leg placed always is."""
        return row.outlay is not None or (
            self.in_play in (None, row.found.in_play)
            and not (self.without_too_good and row.is_too_good)
            and not (self.without_lays and any(leg.is_lay for leg in row.found.legs))
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
    OpportunityPreset(N_("All opportunities"), OpportunityFilter()),
    OpportunityPreset(N_("Before kick-off"), OpportunityFilter(in_play=False)),
    OpportunityPreset(N_("In play"), OpportunityFilter(in_play=True)),
    OpportunityPreset(N_("No likely errors"), OpportunityFilter(without_too_good=True)),
)
"""Presets that are always there; the user's own come after them."""


def filter_words(chosen: OpportunityFilter) -> list[str]:
    """Return a filter in few words: ``return ≥ 1 %``, ``before kick-off``, ``3 books``."""
    said = _bounds(chosen.least_worst, chosen.most_worst)
    if chosen.in_play is not None:
        said.append(_("in play") if chosen.in_play else _("before kick-off"))
    if chosen.without_too_good:
        said.append(_("no likely errors"))
    if names := chosen.bookmakers:
        said.append(names[0] if len(names) == 1 else _("{count} books").format(count=len(names)))
    return said


def _bounds(least: float | None, most: float | None) -> list[str]:
    if least is not None and most is not None:
        return [_("return {least:g} – {most:g} %").format(least=num(least), most=num(most))]
    if least is not None:
        return [_("return ≥ {least:g} %").format(least=num(least))]
    return [] if most is None else [_("return ≤ {most:g} %").format(most=num(most))]
