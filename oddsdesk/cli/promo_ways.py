"""How `oddsdesk promo find` prints ways to use an offer."""

import math
from collections.abc import Collection
from typing import Any, Final

from oddsdesk.base.market_words import shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.text import near_names
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.promotions import PromoWay, Ways
from oddsdesk.board.valuation.verdict_words import amount_text, caution_text
from oddsdesk.cli.terminal import aligned, market_words, plain
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.promotions import PromoKind, Promotion
from oddsdesk.pricing.settlement_rules import SettlementRules

_FIGURES: Final = (N_("STAKE"), N_("LIABILITY"), N_("ODDS"), N_("NET"))
_BET: Final = (N_("BET"), N_("BOOKMAKER"), "", N_("GAME"))
_HEADINGS: Final = (N_("LOCKED IN"), N_("OF OFFER"), *_FIGURES, *_BET)
_UNHEDGED: Final = (
    *(N_("EV"), N_("WORTH"), N_("CHANCE")),
    *(each for each in _FIGURES if each != "LIABILITY"),
    *_BET,
)
_RIGHT: Final = frozenset({*_HEADINGS, *_UNHEDGED} - {*_BET})


def way_fields(way: PromoWay, rules: SettlementRules) -> dict[str, Any]:
    """Return a way to use an offer in the form that ``--json`` prints."""
    return {
        "game_id": way.legs[0].key.game_id,
        "match_name": way.match_name,
        "competition": way.competition,
        "sport": way.sport,
        "kick_off": None if way.kick_off is None else format_ms(way.kick_off),
        "in_play": way.in_play,
        "locked": _rounded(way.locked, 2),
        "worst": round(way.worst, 2),
        "best": round(way.best, 2),
        "free_part": round(way.free_part, 2),
        "worst_in_cash": round(way.worst_in_cash, 2),
        "staked": round(way.staked, 2),
        "returned_pct": _rounded(way.returned_pct, 3),
        "payout_pct": _rounded(way.payout_pct, 3),
        "value": _rounded(way.value, 2),
        "value_pct": _rounded(way.value_pct, 2),
        "bets_needed": round(way.bets_needed, 2),
        "ev": _rounded(way.ev, 2),
        "certainty_equivalent": _rounded(way.certainty, 2),
        "chance_pct": _rounded(None if way.chance is None else 100 * way.chance, 2),
        "if_loses": None if way.is_hedged else round(way.results[1], 2),
        "likely_error": way.is_too_good,
        "legs": [_leg_fields(way, place) for place in range(len(way.legs))],
        "notes": [note.text for note in way.notes(rules)],
    }


def _leg_fields(way: PromoWay, place: int) -> dict[str, Any]:
    leg = way.legs[place]
    for_sale = leg.for_sale
    return {
        "side": "lay" if leg.is_lay else "back",
        "kind": way.bet_kind(place),
        "bookmaker": leg.bookmaker,
        "market_type": leg.key.market_type,
        "period": leg.key.period,
        "line": leg.line,
        "selection": leg.key.selection,
        "odds": round(leg.typed_odds, 4),
        **({"boosted_odds": round(way.boosted_odds, 4)} if way.bet.boost and not place else {}),
        "net_odds": round(leg.net_odds, 4),
        "stake": round(leg.typed_stake, 2),
        "staked_in": way.money[place].currency,
        "exchange_rate": way.money[place].rate,
        "liability": round(leg.stake, 2) if leg.is_lay else None,
        "if_wins": round(way.results[place], 2),
        **(
            {} if for_sale is None else {"for_sale": round(for_sale[0], 2), "currency": for_sale[1]}
        ),
        "cautions": [caution.value for caution in leg.cautions],
    }


def _rounded(figure: float | None, digits: int) -> float | None:
    return None if figure is None or not math.isfinite(figure) else round(figure, digits)


def _no_prices(bookmaker: str, known: Collection[str]) -> str:
    text = _("no prices of {bookmaker}").format(bookmaker=bookmaker)
    near = near_names(bookmaker, known)
    if not near:
        return text
    meant = _(" or ").join(near)
    return _("{text}; did you mean {names}?").format(text=text, names=meant)


def offer_text(offer: Promotion) -> str:
    """Return what an offer is, in one line without its name: ``free bet, 25.00, Unibet``."""
    kind = translated(offer.kind.words)
    amount = f"{num(offer.amount):,.2f} {offer.currency}".rstrip()
    words = [kind, amount]
    if offer.kind is PromoKind.BOOST:
        boost = _("{kind} +{boost:g} % on a stake of up to {amount}")
        words = [boost.format(kind=kind, boost=num(offer.boost * 100), amount=amount)]
    elif offer.kind is PromoKind.BONUS:
        words[0] = f"{kind} {num(offer.wagering):g}×"
    elif offer.kind is PromoKind.REFUND and offer.refund_as_free:
        words[0] = _("refund as a free bet if it loses")
    if offer.least_odds > 1:
        words.append(_("odds from {odds:g}").format(odds=num(offer.least_odds)))
    return plain(", ".join([*words, offer.bookmaker]))


def table_of_ways(
    offer: Promotion, found: Ways, there: PromoWay | None, board: Board, rules: SettlementRules
) -> list[str]:
    """Return the lines of all ways, ``there`` with one bet at the offer's own bookmaker."""
    reference = board.reference_name or _("the sharp book")
    known = board.bookmakers_with_prices()
    lines = [f"{plain(offer.name)}: {offer_text(offer)}", ""]
    for title, ways in (
        (_("With a hedge:"), found.hedged),
        (
            _("With one bet of the hedge at {bookmaker}, too:").format(bookmaker=offer.bookmaker),
            () if there is None else (there,),
        ),
        (_("Without a hedge:"), found.unhedged),
    ):
        rows = [row for way in ways for row in _rows(way, reference)]
        if rows:
            headings = _HEADINGS if ways[0].is_hedged else _UNHEDGED
            lines += [plain(title), *aligned(headings, rows, _RIGHT), ""]
    notes = dict.fromkeys(
        plain(f"{shown_game(way.match_name)}: {translated(note.text)}")
        for way in found.hedged
        for note in way.notes(rules)
    )
    lines += [*notes, ""] if notes else []
    left_out = ", ".join(
        f"{count} {translated(reason)}" for reason, count in found.left_out.items()
    )
    if not found.looked_at:
        return [*lines, plain(_no_prices(offer.bookmaker, known))]
    prices = ngettext(
        "{count} price of {bookmaker}", "{count} prices of {bookmaker}", found.looked_at
    ).format(count=found.looked_at, bookmaker=offer.bookmaker)
    if left_out:
        prices = _("{prices}; left out: {reasons}").format(prices=prices, reasons=left_out)
    lines.append(plain(prices))
    return lines


def _rows(way: PromoWay, reference: str) -> list[tuple[str, ...]]:
    """Return a row per leg; the first also has the figures of all legs."""
    key = way.legs[0].key
    market = market_words(key.market_type, way.sport, key.period)
    game = plain(f"{shown_game(way.match_name)}, {market}")
    rows = list[tuple[str, ...]]()
    for place, leg in enumerate(way.legs):
        paid = way.boosted_odds if place == 0 else leg.typed_odds
        liability = (f"{num(leg.stake):.2f}" if leg.is_lay else "",) if way.is_hedged else ()
        whole = _whole(way) if place == 0 else ("",) * len(_whole(way))
        rows.append(
            (
                *whole,
                f"{num(leg.typed_stake):.2f}",
                *liability,
                f"{num(paid):.4g}",
                "" if leg.net_odds == leg.odds else f"{num(leg.net_odds):.3f}",
                plain(way.leg_text(place)),
                plain(leg.bookmaker),
                plain("; ".join(_remarks(way, place, reference))),
                game if place == 0 else "",
            )
        )
    return rows


def _whole(way: PromoWay) -> tuple[str, ...]:
    if way.is_hedged:
        value = way.value or 0.0
        return f"{num(value):+.2f}", f"{num(way.value_pct or 0.0):.1f} %"
    chance = "" if way.chance is None else f"{num(way.chance * 100):.1f} %"
    return f"{num(way.ev or 0.0):+.2f}", f"{num(way.certainty or 0.0):+.2f}", chance


def _remarks(way: PromoWay, place: int, reference: str) -> list[str]:
    leg = way.legs[place]
    remarks = [caution_text(caution, reference) for caution in leg.cautions]
    if way.is_too_good and not place:
        remarks.insert(0, _("a price may be an error"))
    if text := way.money_text(place):
        remarks.append(translated(text))
    offer = way.promotion
    if offer.kind is PromoKind.BONUS and not place:
        bets = (
            _("{count:.4g} such bets")
            if way.is_hedged
            else _("this is one of {count:.4g} such bets")
        )
        remarks.append(bets.format(count=num(way.bets_needed)))
    if offer.kind is PromoKind.REFUND and offer.refund_as_free and not place:
        remarks.append(
            _(
                "includes a free bet worth {amount:.2f} if it loses; at worst {cash:+.2f} in cash"
            ).format(amount=num(way.free_part), cash=num(way.worst_in_cash))
        )
    if leg.is_lay and leg.depth is not None and leg.depth.lay:
        odds, size = leg.depth.lay[0]
        if size > 0:
            amount = amount_text(size, leg.depth.currency)
            remarks.append(
                _("{amount} at {odds:.4g} can be laid").format(amount=amount, odds=num(odds))
            )
    elif leg.for_sale is not None:
        remarks.append(_("{amount} for sale").format(amount=amount_text(*leg.for_sale)))
    return remarks
