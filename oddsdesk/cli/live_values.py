"""Judges the prices that `oddsdesk serve --dashboard` shows, by the board.

What is value is what `oddsdesk bets` lists of the same prices with the desk's usual settings.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import Section, SelectionRow
from oddsdesk.board.valuation.judging import AssessedPrice, assessed_price, line_of
from oddsdesk.board.valuation.verdict_words import english_caution, told_cautions
from oddsdesk.cli.bet_sources import fill_board
from oddsdesk.cli.live_opportunities import opportunities_on
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.error_bands import shipped_bands
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.value import Rule
from oddsdesk.server.dashboard.live_prices import JudgedGame, JudgedPrice
from oddsdesk.server.dashboard.opportunities import Found, Judge, Prices

_OF_AGE: Final = frozenset({Caution.STALE, Caution.REFERENCE_STALE, Caution.STARTED})
"""Such prices are the best if there is no other."""
_SHOWN: Final = _OF_AGE | {Caution.DELAYED}
_NEVER_BEST: Final[Sequence[Caution]] = (
    Caution.NOT_COMPARABLE,
    Caution.STATE_DIFFERS,
    Caution.ABOVE_WINDOW,
    Caution.BOOK_BELOW_100,
    Caution.PLACEHOLDER,
)
_NO_EV: Final = frozenset({Caution.NOT_COMPARABLE, Caution.UNREAD_OUTCOME, Caution.OTHER_RULES})
"""The bet is not the one that the fair odds are of."""
_EDGES: Final = frozenset({Rule.MAX_EDGE, Rule.EDGE_CAP, Rule.RATIO})
_GRAVEST: Final = (Rule.OVERROUND, Rule.PAYOUT, Rule.MIN_EDGE, Rule.ABOVE_REFERENCE)


def judge_by(devig_method: str) -> Judge:
    """Return what judges prices; ``devig_method`` is how the sharp book's margin is removed."""
    return Judge(partial(_find, devig_method), partial(judge_game, devig_method))


def _find(devig_method: str, prices: Prices) -> Found:
    board = board_of_prices(devig_method, prices)
    return Found(value_on(board), opportunities_on(board, prices.now_ms))


def board_of_prices(devig_method: str, prices: Prices) -> Board:
    """Return a board that holds prices and uses the desk's usual settings, no user's own."""
    board = Board(lambda: prices.now_ms, devig_method)
    board.set_bands(shipped_bands(devig_method))
    board.set_profiles(shipped_profiles())
    fill_board(board, prices.rows, prices.reference, prices.draws, prices.now_ms)
    return board


def value_on(board: Board) -> list[JudgedPrice]:
    """Return the value bets of a board, and those that are value but for their age."""
    found = []
    for key, price in board.value_bets.items():
        section = board.section(*key[:4])
        if section is not None and (price.is_value or _is_value_when_fresh(price.assessment)):
            found.append(_judged(board, section, section.selection_row(key.selection), price))
    return sorted(found, key=lambda each: -(each.ev or 0.0))


def judge_game(devig_method: str, prices: Prices) -> JudgedGame:
    """Say what each price of a game is worth, and which are the best."""
    board = board_of_prices(devig_method, prices)
    judged, best = {}, {}
    for game in board.held_games():
        matrix = board.matrix(game)
        if matrix is None:
            continue
        judge = board.judge_of(matrix)
        for section in matrix.sections:
            for row in section.rows:
                found = [
                    assessed_price(judge, matrix, section, row.selection, name)
                    for name, price in row.others()
                    if price.is_offered
                ]
                for each in found:
                    judged[each.key[1:]] = _judged(board, section, row, each)
                best[section.key.market_type, section.key.period, row.selection] = _best(row, found)
    return JudgedGame(judged, best)


def _best(row: SelectionRow, found: list[AssessedPrice]) -> tuple[str, ...]:
    """Return who offers the best price of a selection; old ones only if all are old."""
    if row.best_bookmakers:
        return row.best_bookmakers
    old = {
        price.bookmaker: price.assessment.net_odds
        for price in found
        if _OF_AGE.issuperset(price.assessment.cautions)
    }
    most = max(old.values(), default=0.0)
    return tuple(sorted(name for name, net in old.items() if net == most))


def _judged(board: Board, section: Section, row: SelectionRow, price: AssessedPrice) -> JudgedPrice:
    found, reference = price.assessment, board.reference_name
    band = found.band_pct
    return JudgedPrice(
        game_id=price.key.game_id,
        match_name=price.match_name,
        competition=price.competition,
        sport=price.sport,
        kick_off=price.kick_off,
        is_live=price.is_live,
        market_type=price.key.market_type,
        period=price.key.period,
        selection=price.key.selection,
        bookmaker=price.bookmaker,
        odds=found.odds,
        net_odds=found.net_odds,
        fair_odds=found.fair_odds,
        ev=found.ev,
        has_pushes=found.per == "staked",
        derived=(found.derived or "") + ("" if band is None else f", EV ±{band:.1f}"),
        is_value=found.is_value,
        is_value_when_fresh=_is_value_when_fresh(found),
        why="" if found.is_value else _why(section, found, reference),
        doubt=_doubt(found, reference),
        for_sale=_for_sale(price),
        limit=row.liquidity,
        seen_at=price.scraped_at or 0,
        sharp_seen_at=line_of(section, price.bookmaker).scraped_at,
    )


def _is_value_when_fresh(found: Assessment) -> bool:
    return found.is_value_but_for_cautions and _SHOWN.issuperset(found.cautions)


def _doubt(found: Assessment, reference: str) -> str:
    cautions: list[Caution] = [each for each in found.cautions if each in _NEVER_BEST]
    if not cautions and found.is_value_but_for_cautions and not _is_value_when_fresh(found):
        cautions = told_cautions(found)
    return "; ".join(_in_words(each, found, reference) for each in cautions)


def _in_words(caution: Caution, found: Assessment, reference: str) -> str:
    """Return a caution in words; of a price that is too high, by which rule it is."""
    is_by_edge = any(check.rule in _EDGES for check in found.stopped_by)
    if caution is Caution.ABOVE_WINDOW and not is_by_edge:
        return f"pays back over 101 % with {reference}'s other side, check it"
    return english_caution(caution, reference)


def _why(section: Section, found: Assessment, reference: str) -> str:
    """Return the EV and what keeps a price from being value."""
    cautions = told_cautions(found)
    if found.ev is None:
        reasons = [_unvalued(section, reference)]
    elif cautions:
        reasons = [_in_words(each, found, reference) for each in cautions]
    else:
        reasons = list(_broken(found, reference))[:1]
    if found.ev is None or not _NO_EV.isdisjoint(cautions):
        return "; ".join(reasons)
    joint = " " if reasons and reasons[0].startswith("is ") else ", but "
    return f"EV {found.ev:+.2f} %" + (joint + "; ".join(reasons) if reasons else "")


def _broken(found: Assessment, reference: str) -> Iterator[str]:
    """Yield the rules that a price breaks in words, the gravest first."""
    broken = {check.rule: check for check in found.stopped_by}
    for check in (broken[rule] for rule in _GRAVEST if rule in broken):
        if check.rule is Rule.OVERROUND and check.figure and check.most:
            margin, most = (100 * (each - 1) for each in (check.figure, check.most))
            yield f"{reference}'s margin of {margin:.1f} % is over {most:.3g} %"
        elif check.rule is Rule.PAYOUT:
            yield f"with {reference}'s other sides it pays back too little"
        elif check.rule is Rule.MIN_EDGE and check.least is not None:
            yield f"is below {check.least:.2f} %"
        elif check.rule is Rule.ABOVE_REFERENCE and check.least is not None:
            yield f"{reference} itself offers {check.least:.4g}"
    if broken and not broken.keys() & set(_GRAVEST):
        yield "it breaks a rule of value bets"


def _unvalued(section: Section, reference: str) -> str:
    if any(row.reference is not None for row in section.rows):
        return f"{reference} does not price every outcome of this line"
    return f"{reference} does not price this line"


def _for_sale(price: AssessedPrice) -> str:
    if price.for_sale is None or price.depth is None:
        return ""
    amount = math.floor(price.for_sale * 100 + 1e-6) / 100
    return f"{amount:,.2f} {price.depth.currency}".rstrip() + " available"
