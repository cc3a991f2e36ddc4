"""Compares the bets of an account at a bookmaker with those in the ledger."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.texts import _, translated
from oddsdesk.contract.markets import market_named
from oddsdesk.contract.times import DAY_MS, MINUTE_MS
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet, was_undone
from oddsdesk.ledger.games import may_be_on_one_game, teams_of
from oddsdesk.matching.names import fold_team
from oddsdesk.pricing.profiles import Profiles, fold_name

_TYPED_LATE_MS: Final = 12 * 60 * MINUTE_MS
"""How long before or after it was placed a bet may have been recorded by hand."""
_ROUNDED: Final = 0.0051
"""Odds and stakes that were typed are rounded to hundredths."""
_FACTS: Final = ("odds", "stake", "net_odds", "result", "cashed_stake", "cashed_back")


class Synced(NamedTuple):
    """What an account changes in the ledger."""

    fresh: list[PlacedBet]
    """Bets that the ledger does not have."""
    changed: list[PlacedBet]
    """Bets of the ledger with the account's number, amounts or result."""
    settled: int
    """How many of the changed ones were open and are now settled."""
    there: int
    """Number of bets that the ledger has, changed or not."""
    problems: list[str]
    """Bets that are not recorded, or differ from the account's, in words."""


def compare_account(
    bets: Sequence[PlacedBet], held: Iterable[PlacedBet], profiles: Profiles
) -> Synced:
    """Return what to record of an account's bets, each with its ``source_id``.

    A bet of the ledger is the same if it has this number. One without any is the same if it is on
    the same selection at the same bookmaker, with odds and stake equal to the cent, recorded within
    12 hours of it: it was typed or imported. The user's own texts stay. A result that the user
    entered stays, too; if the account has another, that is listed as a problem.
    """
    numbered: dict[str, PlacedBet] = {}
    typed: defaultdict[Hashable, list[PlacedBet]] = defaultdict(list)
    for bet in held:
        if bet.source_id:
            numbered[bet.source_id] = bet
        elif not bet.practice:
            typed[_place(bet, profiles)].append(bet)
    found = Synced([], [], 0, 0, [])
    there = settled = 0
    for bet in bets:
        same = numbered.get(bet.source_id)
        if same is None:
            candidates = typed[_place(bet, profiles)]
            same = min(
                (each for each in candidates if _is_same(each, bet)),
                key=lambda each: abs(each.placed_at - bet.placed_at),
                default=None,
            )
            if same is not None:
                candidates.remove(same)
        try:
            if same is None:
                found.fresh.append(check_bet(bet))
                continue
            there += 1
            after = _updated(same, bet, found.problems)
            if after != same:
                found.changed.append(check_bet(after))
                settled += same.result is None and after.result is not None
        except BadBetError as error:
            found.problems.append(f"{bet.source_id}: {error}")
    return found._replace(there=there, settled=settled)


def _updated(same: PlacedBet, bet: PlacedBet, problems: list[str]) -> PlacedBet:
    """Return a bet of the ledger as the account has it, except for the user's own changes."""
    numbered = msgspec.structs.replace(same, source_id=bet.source_id)
    told = None if bet.result is None else bet.result.words
    is_by_account = bool(bet.settled_by) and same.settled_by == bet.settled_by
    if bet.result is not None and was_undone(same, bet.result):
        problems.append(
            _("bet {ident}: the account says {told}, which you undid").format(
                ident=same.ident, told=translated(told or "")
            )
        )
        return numbered
    if same.result is not None and bet.result is not same.result and not is_by_account:
        if told:
            problems.append(
                _(
                    "bet {ident} is {result} in the ledger, but the account says {told}; "
                    "not changed"
                ).format(
                    ident=same.ident, result=translated(same.result.words), told=translated(told)
                )
            )
        return numbered
    facts = {name: getattr(bet, name) for name in _FACTS}
    if same.result is None or is_by_account:
        facts |= {"settled_at": bet.settled_at, "settled_by": bet.settled_by, "undone": same.undone}
    if same.result is None and bet.result is not None:
        facts |= {"undone": ""}
    return msgspec.structs.replace(
        same,
        source_id=bet.source_id,
        kick_off=bet.kick_off if same.kick_off is None else same.kick_off,
        currency=same.currency or bet.currency,
        **facts,
    )


def _place(bet: PlacedBet, profiles: Profiles) -> Hashable:
    """Return a bet's outcome, whatever the spelling of the teams, and its operator.

    Views of one exchange have one operator.
    """
    operator = fold_name(profiles.profile_of(bet.bookmaker).group)
    market = market_named(bet.market_type)
    return operator, teams_of(bet.match_name), market, bet.period, fold_team(bet.selection)


def _is_same(one: PlacedBet, bet: PlacedBet) -> bool:
    if one.kind is not bet.kind or (one.currency and one.currency != bet.currency):
        return False
    if abs(one.odds - bet.odds) > _ROUNDED or abs(one.stake - bet.stake) > _ROUNDED:
        return False
    is_day = one.placed_at % DAY_MS == 0
    apart = abs(one.placed_at - bet.placed_at)
    if is_day and one.placed_at // DAY_MS != bet.placed_at // DAY_MS:
        return False
    if not is_day and apart > _TYPED_LATE_MS:
        return False
    return may_be_on_one_game(one, bet.kick_off)
