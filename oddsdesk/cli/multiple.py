"""`oddsdesk multiple`: the fair price of a multiple, and the EV of the odds offered."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.market_words import shown_game, typed_selection
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, GameEntry, RowKey
from oddsdesk.board.valuation.slip import SlipLeg, leg_price, price_slip
from oddsdesk.cli.bet_sources import (
    board_of,
    check_judged,
    derived_option,
    read_moment,
    reference_choice,
    source_options,
)
from oddsdesk.cli.options import OddsType, json_option
from oddsdesk.cli.terminal import aligned, market_words, plain
from oddsdesk.contract.markets import market_named
from oddsdesk.contract.texts import folded
from oddsdesk.pricing.formats import OddsFormatError, parse_typed
from oddsdesk.pricing.multiples import LegPrice, MultiplePrice
from oddsdesk.pricing.profiles import fold_name
from oddsdesk.pricing.selections import guess_market
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.store.databases import Database

_HEADINGS: Final = (N_("LEG"), N_("ODDS"), N_("FAIR ODDS"), N_("BAND"), N_("GAME"))
_RIGHT: Final = frozenset({"ODDS", "FAIR ODDS", "BAND"})


class _Leg(NamedTuple):
    """A leg as it was found on the board."""

    game: GameEntry
    slip: SlipLeg
    price: LegPrice


@click.command()
@source_options
@click.option(
    "--leg",
    "typed",
    nargs=2,
    multiple=True,
    required=True,
    metavar="GAME SELECTION",
    help=_(
        "A leg: words from the game's name, or its id; then the selection, with its "
        "odds after @ if known. If the selection does not show its market, put that "
        "first: 'btts: Yes'."
    ),
)
@click.option(
    "--odds",
    type=OddsType(),
    metavar="ODDS",
    help=_(
        "Odds offered for the multiple, after commission. Default: the product of the legs' odds."
    ),
)
@click.option(
    "--bookmaker",
    metavar="NAME",
    default="",
    help=_("Where the multiple is offered. Legs without odds take its current prices."),
)
@reference_choice
@derived_option
@json_option
def multiple(
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    typed: Sequence[tuple[str, str]],
    odds: float | None,
    bookmaker: str,
    reference: str | None,
    derived: DerivedChoice | None,
    as_json: bool,
) -> None:
    """Work out the fair price of a multiple, and the EV of the odds offered.

    Fair odds of different games are multiplied. Legs of one football game are priced together by a
    model of its score: the EV is then also given at the low end of the model's error. Where the
    model does not cover the legs, there is no price: the reason is printed, and the status is 1.

    \b
    Example:
      oddsdesk multiple --leg "arsenal chelsea" Arsenal --leg "leeds everton" "Over 2.5" --odds 4.4
      oddsdesk multiple --leg arsenal "Arsenal @ 2.1" --leg arsenal "btts: Yes @ 1.8" --odds 3.2
    """
    moment = read_moment(database, url, key_file, system_clock())
    board = board_of(moment, system_clock(), reference, derived)
    check_judged(board, moment)
    games = moment.games_by_id()
    legs = [_leg(board, games, *words, bookmaker) for words in typed]
    found = price_slip(board, [leg.slip for leg in legs])
    alone = [leg.slip.odds for leg in legs]
    if odds is None and None not in alone:
        odds = math.prod(each for each in alone if each is not None)
    if as_json:
        click.echo(json.dumps(_fields(legs, found, odds) | moment.marks, indent=2))
    else:
        click.echo("\n".join(_lines(legs, found, odds)))
    if found.fair_odds is None:
        raise click.exceptions.Exit(1)


def _leg(
    board: Board, games: Mapping[str, GameEntry], game_text: str, typed: str, bookmaker: str
) -> _Leg:
    game = _game(games, game_text)
    text, _sign, odds_text = (part.strip() for part in typed.partition("@"))
    market, colon, selection = (part.strip() for part in text.rpartition(":"))
    selection = typed_selection(selection)
    market_type = market_named(market) if colon else guess_market(game.match_name, selection)
    if not market_type:
        example = f"'btts: {selection}'"
        raise click.UsageError(
            _("{selection!r}: put its market first, such as {example}").format(
                selection=selection, example=example
            )
        )
    selection = _selection(board, game, market_type, selection)
    key = RowKey(game.game_id, market_type, 0, selection, _spelled(board, bookmaker))
    slip = SlipLeg(key, _odds(board, key, odds_text))
    return _Leg(game, slip, leg_price(board, slip))


def _game(games: Mapping[str, GameEntry], text: str) -> GameEntry:
    if text in games:
        return games[text]
    words = [folded(word) for word in text.split()]
    found = [
        game
        for game in games.values()
        if words and all(word in folded(game.match_name) for word in words)
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise click.UsageError(_("no game {text!r} has prices now").format(text=text))
    names = ", ".join(shown_game(game.match_name) for game in found[:3])
    if len(found) > 3:
        names = _("{names} and {count} more").format(names=names, count=len(found) - 3)
    raise click.UsageError(
        _("{text!r} may be {names}: give more of its name, or its id").format(
            text=text, names=names
        )
    )


def _selection(board: Board, game: GameEntry, market_type: str, text: str) -> str:
    matrix = board.matrix(game.game_id)
    sections = () if matrix is None else matrix.sections
    known = [
        row.selection
        for section in sections
        if section.key[:2] == (market_type, 0)
        for row in section.rows
    ]
    same = [name for name in known if folded(name) == folded(text)]
    if same:
        return same[0]
    what = f"{shown_game(game.match_name)}, {market_words(market_type, game.sport, 0)}"
    if known:
        wrong = _("no selection {text!r} in {market}; it has {selections}")
    else:
        wrong = _("no selection {text!r} in {market}; that market has no prices now")
    selections = ", ".join(known[:8])
    raise click.UsageError(wrong.format(text=text, market=what, selections=selections))


def _spelled(board: Board, bookmaker: str) -> str:
    names = board.bookmakers_with_prices()
    return next((name for name in names if fold_name(name) == fold_name(bookmaker)), bookmaker)


def _odds(board: Board, key: RowKey, typed: str) -> float | None:
    if typed:
        try:
            return parse_typed(typed)
        except OddsFormatError as error:
            raise click.UsageError(f"{key.selection}: {translated(str(error))}") from error
    price = board.price(key.game_id, CellKey(*key[1:])) if key.bookmaker else None
    return price.odds if price is not None and price.is_offered else None


def _fields(legs: Sequence[_Leg], found: MultiplePrice, odds: float | None) -> dict[str, Any]:
    return {
        "odds": odds,
        "fair_odds": found.fair_odds,
        "ev_pct": None if odds is None else found.ev_pct(odds),
        "modelled": found.is_modelled,
        "cautious_odds": None if found.cautious_odds == math.inf else found.cautious_odds,
        "cautious_ev_pct": None if odds is None else found.cautious_ev_pct(odds),
        "why_not": found.why_not or None,
        "notes": list(found.notes),
        "legs": [
            {
                "game_id": leg.game.game_id,
                "match_name": leg.game.match_name,
                "market_type": leg.price.market_type,
                "period": leg.price.period,
                "selection": leg.slip.key.selection,
                "odds": leg.price.odds,
                "fair_odds": leg.price.fair_odds,
                "band": leg.price.band or None,
            }
            for leg in legs
        ],
    }


def _lines(legs: Sequence[_Leg], found: MultiplePrice, odds: float | None) -> Iterator[str]:
    yield from aligned(_HEADINGS, map(_row, legs), _RIGHT)
    yield ""
    yield from (f"{plain(translated(note))}." for note in found.notes)
    if found.fair_odds is None:
        why_not = plain(translated(found.why_not))
        yield _("No fair price: {reason}.").format(reason=why_not)
        return
    modelled = _(" (modelled)") if found.is_modelled else ""
    if odds is None:
        yield _("fair odds {fair_odds:.3f}{modelled}").format(
            fair_odds=num(found.fair_odds), modelled=modelled
        )
        return
    yield _("fair odds {fair_odds:.3f}{modelled}; {odds:.3f} has an EV of {ev:+.2f} %").format(
        fair_odds=num(found.fair_odds),
        modelled=modelled,
        odds=num(odds),
        ev=num(found.ev_pct(odds)),
    )
    low = found.cautious_ev_pct(odds)
    if found.is_modelled and low is not None:
        yield _("at the low end of the model's error {ev:+.2f} %").format(ev=num(low))


def _row(leg: _Leg) -> tuple[str, ...]:
    price, game = leg.price, leg.game
    market = market_words(price.market_type, game.sport, price.period)
    return (
        plain(price.name),
        "" if price.odds is None else f"{num(price.odds):g}",
        "" if price.fair_odds is None else f"{num(price.fair_odds):.3f}",
        f"±{num(price.band * 100):.2f}" if price.band else "",
        plain(f"{shown_game(game.match_name)}, {market}"),
    )
