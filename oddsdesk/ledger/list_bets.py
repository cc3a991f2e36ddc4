"""Reads one bet of a list: what it is on, what kind it is, what it pays and how it ended.

What a list leaves open about a kind follows from its profits: whether the stake of a free bet is
returned, the place terms of an each-way bet and whether its stake counts twice, whether the stake
of a lay bet is its liability. Each reading is tried. The one whose profit is that of the list is
used, else the one that other bets of the list show, else the usual one.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.figures import FigureError, read_number, taken_apart
from oddsdesk.base.texts import _, translated
from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.markets import market_named
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bet_kinds import (
    DEFAULT_PLACE_FRACTION,
    BetKind,
    BetLeg,
    paid_by_legs,
    profit_by_kind,
    result_of_legs,
)
from oddsdesk.ledger.bet_tables import BET_COLUMNS, EV_SHARE, close_of
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet, check_half
from oddsdesk.ledger.cells import COMMISSION_KEYS, NO, YES, place_terms, without_each_way
from oddsdesk.ledger.columns import (
    CENT,
    LEAST_AFTER_COMMISSION,
    ODDS_ROUNDING,
    RETURNED,
    TIPSTER,
    folded_title,
    result_by_profit,
    result_word,
    says_only_ended,
)
from oddsdesk.ledger.list_figures import Writing, read_cell, read_money, read_odds
from oddsdesk.ledger.list_legs import Line
from oddsdesk.matching.names import shipped_names
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result, decided_share

NEEDED: Final = ("selection", "stake")
_OF_KINDS: Final = frozenset(
    {"kind", "legs", "place_fraction", "places", "refund", "refund_as", "unboosted_odds"}
)
"""Columns that are read here for lists of other programs, whatever people write in them."""
_READ: Final = frozenset(column.key for column in BET_COLUMNS if column.is_read) - {
    "odds",
    "result",
}
_DEFAULTS: Final = {"market_type": "", "competition": "", "match_name": "", "bookmaker": ""}
_PROFIT: Final = "profit"
_FRACTIONS: Final = (DEFAULT_PLACE_FRACTION, 0.25, 1 / 3, 1 / 6, 0.125, 0.5)
"""Place terms that bookmakers use, the most common first."""
_AS_MONEY: Final = re.compile(r"\bcash\b|\bas money\b", re.IGNORECASE)
_AS_FREE: Final = re.compile(r"\b((?<!risk[ -])free|bonus|credit)", re.IGNORECASE)

EACH: Final = _("each-way bets with the stake on each part, so counted twice")
WHOLE: Final = _("each-way bets with the stake for both parts together")
BACKERS: Final = _("lay bets whose stake is the backer's")
LIABILITY: Final = _("lay bets whose stake column holds the liability")
OWN: Final = _("lay bets whose result is the bet's")
SELECTIONS: Final = _("lay bets whose result column holds the selection's, reversed here")
RETURNS: Final = _("free bets whose stake is not returned")
KEEPS: Final = _("free bets whose stake is returned, as the profit shows")
AS_FREE: Final = _("refunds read as free bets, not as money")
AS_MONEY: Final = _("refunds read as money, as the profit shows")
TERMS: Final = "terms"
Habits = Counter[str]
"""How often the profits of a list show each of these readings."""


def said_habits(used: Habits) -> Iterator[str]:
    """Yield one line for each reading that a user should know of; ``used`` counts them."""
    for habit in (EACH, WHOLE, LIABILITY, SELECTIONS, KEEPS, AS_FREE, AS_MONEY):
        if used[habit]:
            yield f"{habit}: {used[habit]}"
    for habit, count in used.items():
        if habit.startswith(TERMS):
            share = habit.removeprefix(TERMS).strip()
            yield _(
                "each-way bets without terms, a place counted at {share} of the odds: {count}"
            ).format(share=share, count=count)


class ReadBet(NamedTuple):
    """A bet of a list, and what decided how it was read."""

    bet: PlacedBet
    profit: float | None
    """As listed."""
    habits: frozenset[str]
    """The readings that were used where the line leaves something open."""
    sure: frozenset[str]
    """Those of them that its profit shows."""


class _Reading(NamedTuple):
    habits: frozenset[str]
    fields: dict[str, Any]
    is_reversed: bool = False


_EXACT, _NEAR, _OPEN, _DIFFERS = range(4)


def read_bet(line: Line, now_ms: int, writing: Writing, habits: Habits) -> ReadBet:
    """Return the bet of a line; ``habits`` are those that other lines show.

    Raises:
        FigureError, BadBetError: the line makes no sense.
    """
    fields, odds = _fields(line, now_ms, writing)
    tried, error = list[tuple[int, int, ReadBet]](), None
    for reading in _readings(line, fields, odds, writing):
        try:
            read = _ended_bet(line.row, fields | reading.fields, reading, writing)
        except (FigureError, BadBetError) as why:
            error = error or why
            continue
        tried.append((_rank(read), -sum(habits[each] for each in reading.habits), read))
    if not tried:
        raise error or FigureError(_("no bet"))
    rank, _habits, best = min(tried, key=lambda each: each[:2])
    if rank > _NEAR:
        return best
    fitting = [read.habits for its, _habits, read in tried if its == rank]
    return best._replace(sure=frozenset.intersection(*fitting) if len(tried) > 1 else frozenset())


def _rank(read: ReadBet) -> int:
    """Return how well a reading agrees with the listed profit."""
    bet, profit = read.bet, read.profit
    if bet.result is None or profit is None or bet.profit is None:
        return _OPEN
    if bet.result is Result.CASHED_OUT:
        return _OPEN
    room = CENT + (bet.size * ODDS_ROUNDING if bet.profit > 0 else 0)
    if abs(bet.profit - profit) <= room:
        return _EXACT
    return _NEAR if 0 < bet.profit * LEAST_AFTER_COMMISSION <= profit < bet.profit else _DIFFERS


def _fields(line: Line, now_ms: int, writing: Writing) -> tuple[dict[str, Any], float]:
    """Return the fields of a bet whatever its kind, and its odds."""
    row = line.row
    read: dict[str, Any] = {
        key: _cell_of(key, text, writing)
        for key, text in row.items()
        if key in _READ and text and (writing.is_ours or key not in _OF_KINDS)
    }
    odds = line.odds or read_odds(row, writing.odds)
    if "stake" not in read and row.get("liability") and BetKind.LAY in line.said.kinds:
        read["stake"] = read_money("liability", row["liability"], writing) / (odds - 1)
    for key in NEEDED:
        if key not in read:
            raise FigureError(_("{key}: missing").format(key=key))
    placed_at = min(now_ms, read.get("kick_off", now_ms + MINUTE_MS) - MINUTE_MS)
    close = _close(read)
    fields: dict[str, Any] = _DEFAULTS | {"placed_at": placed_at, "method": ""} | read
    fields["period"] = int(fields.get("period", 0))
    if "age_ms" in fields:
        fields["age_ms"] = int(fields["age_ms"])
    fields["cautions"] = tuple(fields.pop("cautions", "").split())
    fields["true_ev"] = fields.pop("ev_pct", _share(row))
    if row.get(TIPSTER):
        fields["note"] = "; ".join(filter(None, (f"by {row[TIPSTER]}", fields.get("note", ""))))
    sign = taken_apart(row.get("stake", "")).currency if writing.has_currencies else ""
    fields["currency"] = fields.get("currency", sign).upper()
    fields |= _outcome(fields) | {"odds": odds, "close": close}
    if writing.is_ours:
        _read_own_kind(fields)
        return fields, odds
    legs = tuple(_leg(each, writing) for each in line.legs)
    kick_offs = [leg.kick_off for leg in legs if leg.kick_off is not None]
    fields |= {"game_id": ""} if legs else {}
    fields |= {"kick_off": max(kick_offs)} if kick_offs else {}
    odds = _with_void_legs(odds, legs)
    return fields | {"legs": legs, "odds": odds}, odds


def _cell_of(key: str, text: str, writing: Writing) -> Any:
    return read_cell(key, without_each_way(text) if key == "stake" else text, writing)


def _outcome(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of game, market and selection as oddsdesk writes them."""
    market = market_named(fields.get("market_type", ""))
    match, competition = fields.get("match_name", ""), fields.get("competition", "")
    known = shipped_names().competition_named(competition)
    own_id = game_id(competition, match) if match else ""
    return {
        "market_type": market,
        "selection": _in_english(fields["selection"], market),
        "sport": fields.get("sport", played_sport(known)),
        "game_id": fields.get("game_id", own_id),
    }


def _leg(row: Mapping[str, str], writing: Writing) -> BetLeg:
    keys = ("selection", "match_name", "competition", "sport", "market_type", "kick_off")
    fields: dict[str, Any] = {
        key: read_cell(key, text, writing) for key in keys if (text := row.get(key, ""))
    }
    text = row.get("result", "")
    result = None if not text or says_only_ended(text) else read_cell("result", text, writing)
    if "selection" not in fields:
        raise FigureError(_("selection of a leg: missing"))
    odds = read_odds(row, writing.odds)
    return BetLeg(**fields | _outcome(fields) | {"odds": odds, "result": result})


def _with_void_legs(odds: float, legs: tuple[BetLeg, ...]) -> float:
    """Return the odds of all legs; a list may have the odds that were left without void ones."""
    if not any(leg.result is Result.VOID for leg in legs):
        return odds
    whole = math.prod(leg.odds for leg in legs)
    left = whole / math.prod(leg.odds for leg in legs if leg.result is Result.VOID)
    is_left = abs(left / odds - 1) < abs(whole / odds - 1)
    return odds * whole / left if is_left else odds


def _readings(
    line: Line, fields: Mapping[str, Any], odds: float, writing: Writing
) -> Iterator[_Reading]:
    """Yield what a line can mean, the usual first."""
    if writing.is_ours:
        yield _Reading(frozenset(), {})
        return
    refund, unboosted = _refund(line.row, fields, writing), _unboosted(line.row, odds, writing)
    kind = line.said.kind(has_legs=bool(fields["legs"]))
    if kind in (BetKind.BACK, BetKind.BOOST) and refund:
        kind = BetKind.REFUND
    elif kind is BetKind.BACK and unboosted is not None:
        kind = BetKind.BOOST
    match kind:
        case BetKind.LAY:
            yield from _lays(line.row, fields["stake"], odds, writing)
        case BetKind.EACH_WAY:
            yield from _each_ways(line, fields)
        case BetKind.FREE | BetKind.FREE_RETURNED:
            _check_free(line, fields["stake"], writing)
            kinds = {RETURNS: BetKind.FREE, KEEPS: BetKind.FREE_RETURNED}
            for habit, each in kinds.items():
                if not line.said.is_free_sure:
                    yield _Reading(frozenset({habit}), {"kind": each})
                elif each is kind:
                    yield _Reading(frozenset(), {"kind": kind})
        case BetKind.REFUND:
            said = f"{line.said.texts} | {line.row.get('refund_as', '')}"
            as_money, as_free = (
                _AS_MONEY.search(said),
                _AS_FREE.search(said.replace("isk-free", "")),
            )
            its = {"kind": kind, "refund": refund or fields["stake"]}
            if not as_money:
                yield _Reading(frozenset({AS_FREE}), its | {"refund_as": "free"})
            if as_money or not as_free:
                yield _Reading(frozenset({AS_MONEY}), its | {"refund_as": "money"})
        case BetKind.BOOST:
            yield _Reading(frozenset(), {"kind": kind, "unboosted_odds": unboosted})
        case _:
            yield _Reading(frozenset(), {"kind": kind})


def _lays(
    row: Mapping[str, str], stake: float, odds: float, writing: Writing
) -> Iterator[_Reading]:
    """Yield what the stake and the result of a lay can mean.

    Raises:
        FigureError: stake and liability contradict each other.
    """
    backers, room = {BACKERS: stake, LIABILITY: stake / (odds - 1)}, CENT + stake * ODDS_ROUNDING
    text = row.get("liability", "")
    if liability := abs(read_money("liability", text, writing)) if text else 0.0:
        backers = {
            habit: each
            for habit, each in backers.items()
            if abs(each * (odds - 1) - liability) <= room
        }
        if not backers:
            raise FigureError(
                _(
                    "a lay of {stake:g} at {odds:g} has a liability of {expected:.2f}, "
                    "but the list says {liability:.2f}"
                ).format(stake=stake, odds=odds, expected=stake * (odds - 1), liability=liability)
            )
    for (habit, each), result in itertools.product(backers.items(), (OWN, SELECTIONS)):
        fields = {"kind": BetKind.LAY, "stake": each}
        yield _Reading(frozenset({habit, result}), fields, result is SELECTIONS)


def _each_ways(line: Line, fields: Mapping[str, Any]) -> Iterator[_Reading]:
    """Yield what the stake and the terms of an each-way bet can mean."""
    row, stake = line.row, fields["stake"]
    fraction, places = place_terms(
        " | ".join((line.said.texts, row.get("place_fraction", ""), row.get("stake", "")))
    )
    stated = row.get("place_fraction", "").rstrip(" %")
    if fraction is None and re.fullmatch(r"[\d.,]+", stated):
        share = read_number("place terms", stated)
        fraction = share / 100 if "%" in row["place_fraction"] else share
    if (text := row.get("places", "")) and not places:
        places = int(read_number("places", text))
    is_each = without_each_way(row.get("stake", "")) != row.get("stake", "")
    stakes = {EACH: stake * 2} if is_each else {EACH: stake * 2, WHOLE: stake}
    selection = without_each_way(fields["selection"])
    for habit, whole in stakes.items():
        for share in (fraction,) if fraction else _FRACTIONS:
            terms = "" if fraction else f"{TERMS} 1/{round(1 / share)}"
            yield _Reading(
                frozenset({habit, terms} - {""}),
                {
                    "kind": BetKind.EACH_WAY,
                    "stake": whole,
                    "selection": selection,
                    "place_fraction": share,
                    "places": places,
                },
            )


def _check_free(line: Line, stake: float, writing: Writing) -> None:
    """Refuse a line of which only a part of the stake is free.

    Raises:
        FigureError: it is.
    """
    if line.said.free and abs(read_money("stake", line.said.free, writing) - stake) > CENT:
        raise FigureError(
            _("a free bet of {free} in a stake of {stake:g}: split it into two lines").format(
                free=line.said.free, stake=stake
            )
        )


def _refund(row: Mapping[str, str], fields: Mapping[str, Any], writing: Writing) -> float:
    """Return the most that comes back if a bet loses; 0 if the list names no refund."""
    text = row.get("refund", "")
    word = folded_title(text)
    if not word or word in NO:
        return 0.0
    if word in YES - {"1"}:
        return float(fields["stake"])
    return read_money("refund", text, writing)


def _unboosted(row: Mapping[str, str], odds: float, writing: Writing) -> float | None:
    """Return the odds without a boost; None if none are listed or they are the bet's."""
    text = row.get("unboosted_odds", "")
    found = read_odds({"odds": text}, writing.odds) if text else None
    return None if found is None or abs(found - odds) < ODDS_ROUNDING / 10 else found


def _ended_bet(
    row: Mapping[str, str], fields: Mapping[str, Any], reading: _Reading, writing: Writing
) -> ReadBet:
    """Return a bet with its result and its listed profit."""
    bet = PlacedBet(**fields)
    result = _result(row, writing, bet)
    if reading.is_reversed and result is not None:
        result = result.reversed
    profit = _profit(row, writing, result, bet.staked)
    bet = check_half(check_bet(_ended(msgspec.structs.replace(bet, result=result), profit)))
    return ReadBet(bet, profit, reading.habits, frozenset())


def _close(read: dict[str, Any]) -> ClosingLine | None:
    """Remove the closing line's columns from a row and return the line."""
    line = read.pop("close_line", "")
    try:
        return close_of(
            read.pop("close_odds", None),
            read.pop("close_fair_odds", None),
            read.pop("close_method", ""),
            read.pop("close_at", None),
            read.pop("no_close", ""),
            read.pop("moved_to", ""),
            read.pop("moved_fair_odds", None),
            read.pop("close_reference", ""),
            read.pop("close_decided", None),
            line,
        )
    except ValueError:
        raise FigureError(
            _("close_line: expected odds separated by spaces, got {line!r}").format(line=line)
        ) from None


_GERMAN_TOTAL: Final = re.compile(r"(?:(.+) )?(über|ueber|unter) (\d+(?:[.,]\d+)?)", re.IGNORECASE)
_GERMAN_ANSWERS: Final = {"ja": "Yes", "nein": "No"}


def _in_english(selection: str, market_type: str) -> str:
    """Return a selection with the words that scores settle: ``Über 2,5`` is ``Over 2.5``."""
    if market_type == "btts":
        return _GERMAN_ANSWERS.get(selection.casefold(), selection)
    match = _GERMAN_TOTAL.fullmatch(selection)
    if match is None:
        return selection
    side = "Under" if match[2].casefold() == "unter" else "Over"
    return " ".join(filter(None, (match[1], side, match[3].replace(",", "."))))


def _read_own_kind(fields: dict[str, Any]) -> None:
    """Turn the texts that name the kind of a bet and its legs into their values."""
    if kind := fields.pop("kind", ""):
        try:
            fields["kind"] = BetKind(kind)
        except ValueError:
            kinds = ", ".join(each.value for each in BetKind)
            raise FigureError(
                _("kind {kind!r}: expected one of {kinds}").format(kind=kind, kinds=kinds)
            ) from None
    if legs := fields.pop("legs", ""):
        try:
            fields["legs"] = msgspec.json.decode(legs, type=tuple[BetLeg, ...])
        except msgspec.DecodeError as error:
            raise FigureError(
                _("legs: expected a list as oddsdesk writes it: {error}").format(
                    error=translated(str(error))
                )
            ) from None
    if "places" in fields:
        fields["places"] = int(fields["places"])


def with_net(
    bet: PlacedBet, profit: float | None, net_odds: float | None, profiles: Profiles
) -> PlacedBet:
    """Return a bet with its odds after commission, exact to the cent that was paid.

    ``net_odds``: odds after the commission that the list states.
    """
    profile, gross = profiles.profile_of(bet.bookmaker), bet.net
    net = profile.net_lay(bet.odds) if bet.kind is BetKind.LAY else profile.net(bet.odds)
    net = net if net_odds is None else net_odds
    if bet.result in (Result.WON, Result.HALF_WON) and profit is not None and profit > 0:
        is_gross = abs(profit - profit_by_kind(bet.terms, bet.result, bet.size)) <= CENT
        net = gross if is_gross else _net_paying(bet, bet.result, profit, net)
    return bet if net == gross else msgspec.structs.replace(bet, net_odds=net)


def _net_paying(bet: PlacedBet, result: Result, profit: float, otherwise: float) -> float:
    """Return the net odds at which a won bet has a profit.

    For an each-way bet, only if a commission can explain it: its terms may differ.
    """
    gain = profit / (bet.size * decided_share(result))
    match bet.kind:
        case BetKind.EACH_WAY:
            net = 1 + 2 * gain / (1 + (bet.place_fraction or 0.0))
            is_charged = LEAST_AFTER_COMMISSION <= (net - 1) / (bet.odds - 1) <= 1
            return net if is_charged else otherwise
        case BetKind.FREE_RETURNED:
            return gain
        case _ if bet.legs:
            return (1 + gain) / paid_by_legs(1.0, bet.legs, result)
        case _:
            return 1 + gain


def _ended(bet: PlacedBet, profit: float | None) -> PlacedBet:
    """Return a bet; a cash-out that is known only by its profit gets its amount."""
    if bet.result is not Result.CASHED_OUT or bet.cashed_stake:
        return bet
    if profit is None:
        raise FigureError(_("profit or payout: needed for a bet that was cashed out"))
    return msgspec.structs.replace(
        bet, cashed_stake=bet.size, cashed_back=max(0.0, bet.staked + profit)
    )


def _result(row: Mapping[str, str], writing: Writing, bet: PlacedBet) -> Result | None:
    """Return the result that a row names, else that of its profit or payout; None for an open bet.

    Raises:
        FigureError: unknown word, or no result gives the profit.
    """
    text = row.get("result", "")
    if bet.kind is BetKind.EACH_WAY and result_word(text) == "placed":
        return Result.PLACED
    is_named = bool(text) and not says_only_ended(text)
    if is_named or (not text and writing.has_result):
        return read_cell("result", text, writing) if text else _of_legs(bet)
    profit = _profit(row, writing, Result.CASHED_OUT, bet.staked)
    if profit is None:
        if not text:
            return None
        raise FigureError(
            _(
                "result {text!r} does not say how the bet ended: expected a profit or "
                "payout, or won, lost, void, half won, half lost, cashed out or open"
            ).format(text=text)
        )
    is_charged = any(row.get(key, "").strip(" 0.,%") for key in COMMISSION_KEYS)
    return result_by_profit(profit, bet.terms, bet.size, is_charged=is_charged)


def _of_legs(bet: PlacedBet) -> Result | None:
    return result_of_legs(bet.legs) if bet.legs else None


def _profit(
    row: Mapping[str, str], writing: Writing, result: Result | None, staked: float
) -> float | None:
    """Return the listed profit of a bet, or that of its payout; None if neither is listed."""
    if text := row.get(_PROFIT, ""):
        return read_money(_PROFIT, text, writing)
    if result is None or not (text := row.get(RETURNED, "")):
        return None
    return read_money(RETURNED, text, writing) - staked


def _share(row: Mapping[str, str]) -> float | None:
    """Return the EV that Pikkit states as a fraction, in percent."""
    text = row.get(EV_SHARE, "")
    return read_number("ev", text) * 100 if text else None
