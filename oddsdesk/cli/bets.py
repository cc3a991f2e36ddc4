"""`oddsdesk bets`: the list of value bets with their stakes, without a window."""

import json
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from oddsdesk.board.bets import Bet, listing_bets
from oddsdesk.board.board import Board
from oddsdesk.board.game_results import fair_lines
from oddsdesk.cli.bet_sources import (
    board_of,
    check_judged,
    read_moment,
    reference_choice,
    source_options,
)
from oddsdesk.cli.bet_table import table
from oddsdesk.cli.options import Number
from oddsdesk.cli.own_records import own_setting, placed_bets, preset
from oddsdesk.cli.tables import plain
from oddsdesk.clock import system_clock
from oddsdesk.desk.settings.declared import stake_plan
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.exposure import Placed, StakePlan
from oddsdesk.slices import returned
from oddsdesk.store.databases import Database


@click.command()
@source_options
@click.option(
    "--bankroll",
    type=Number(0, above=True, what="amount"),
    metavar="AMOUNT",
    help="What stakes are taken of. Default: as the desk's settings say, else 1000.",
)
@click.option("--preset", "preset_name", metavar="NAME", help="Only what this preset lists.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also what the contract's rules list at gross odds, and what only a caution keeps out.",
)
@reference_choice
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, best EV first.")
def bets(
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    bankroll: float | None,
    preset_name: str | None,
    everything: bool,
    reference: str | None,
    as_json: bool,
) -> None:
    """List what is value now and what to stake on it: one stake an outcome.

    EV and stakes are by net odds. What is placed and open in the ledger counts against the caps.

    \b
    Example:
      oddsdesk bets
      oddsdesk bets --bankroll 2500 --preset "Before kick-off"
      oddsdesk bets --reference consensus
      oddsdesk bets --url https://odds.example --key-file key.txt --all --json
    """
    passes = preset(preset_name) if preset_name is not None else None
    plan = stake_plan(own_setting)
    if bankroll is not None:
        plan = replace(plan, bankroll=bankroll)
    moment = read_moment(database, url, key_file, system_clock())
    board = board_of(moment, system_clock(), reference)
    check_judged(board, moment)
    simulated, listed = moment.simulated, moment.games()
    spelled = board.players.spelled
    placed = placed_in(
        placed_bets(), system_clock(), simulated=simulated, listed=listed, spelled=spelled
    )
    found = _found(board, plan, passes, placed, everything=everything)
    other = None if board.whose.is_services_own else board.reference
    if as_json:
        told: dict[str, Any] = {"sources": moment.sources} if moment.sources else {}
        told |= moment.marks
        if other is not None:
            told["reference"] = other
        click.echo(json.dumps([fields(bet) | told for bet in found], indent=2))
    else:
        if other is not None:
            click.echo(f"judged by {plain(other)}; the service judges by {plain(moment.reference)}")
        click.echo(table(found, moment.sources))


def fields(bet: Bet) -> dict[str, Any]:
    """Return a bet as ``--json`` prints it, but for the sources."""
    price, found = bet.price, bet.price.assessment
    for_sale = {} if price.for_sale is None else {"for_sale": round(price.for_sale, 2)}
    return {
        "game_id": price.key.game_id,
        "match_name": price.match_name,
        "competition": price.competition,
        "market_type": price.key.market_type,
        "period": price.key.period,
        "selection": price.key.selection,
        "bookmaker": price.bookmaker,
        "odds": found.odds,
        "net_odds": round(found.net_odds, 4),
        "fair_odds": _rounded(found.fair_odds, 4),
        "ev_pct": _rounded(found.ev_pct, 2),
        "per": found.per,
        "service_ev_pct": _rounded(bet.service_ev_pct, 2),
        "cautions": [caution.value for caution in found.cautions],
        "stake": bet.stake,
        "bound": None if bet.bound is None else bet.bound.value,
        "same_bet_as": None if bet.same_bet_as is None else bet.same_bet_as.bookmaker,
        "same_bet_selection": None if bet.same_bet_as is None else bet.same_bet_as.key.selection,
    } | for_sale


def _found(
    board: Board,
    plan: StakePlan,
    passes: ValueFilter | None,
    placed: Placed,
    *,
    everything: bool,
) -> list[Bet]:
    now_ms = system_clock()
    prices = board.value_bets.values()
    chosen = None if passes is None else passes.passes
    return returned(
        listing_bets(
            prices,
            board.basis,
            plan,
            placed,
            now_ms=now_ms,
            chosen=chosen,
            everything=everything,
            lines_of=lambda game: fair_lines(board.matrix(game)),
        )
    )


def _rounded(figure: float | None, digits: int) -> float | None:
    return None if figure is None else round(figure, digits)
