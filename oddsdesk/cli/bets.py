"""`oddsdesk bets`: the list of value bets with their stakes, without a window."""

import json
import math
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from oddsdesk.board.bets import Bet, list_bets
from oddsdesk.board.board import Board
from oddsdesk.cli.bet_sources import Moment, moment_of_database, moment_of_service
from oddsdesk.cli.bet_table import table
from oddsdesk.cli.options import maybe_database_option, usual_database
from oddsdesk.cli.own_records import own_setting, placed_bets, preset
from oddsdesk.clock import system_clock
from oddsdesk.desk.settings.declared import METHOD, MINE, stake_plan
from oddsdesk.ledger.bookmakers import known_bookmakers
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.slices import exhaust


def _bankroll(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise click.BadParameter(f"{value:g} is no amount above 0")
    return value


@click.command()
@maybe_database_option
@click.option("--url", metavar="URL", help="A service instead of a database.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file that holds the key of the service.",
)
@click.option(
    "--bankroll",
    type=float,
    callback=_bankroll,
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
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, best EV first.")
def bets(
    database: Path | None,
    url: str | None,
    key_file: Path | None,
    bankroll: float | None,
    preset_name: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """List what is value now and what to stake on it: one stake an outcome.

    EV and stakes are by net odds. What is placed and open in the ledger counts against the caps.

    \b
    Example:
      oddsdesk bets
      oddsdesk bets --bankroll 2500 --preset "Before kick-off"
      oddsdesk bets --url https://odds.example --key-file key.txt --all --json
    """
    passes = preset(preset_name) if preset_name is not None else None
    plan = stake_plan(own_setting)
    if bankroll is not None:
        plan = replace(plan, bankroll=bankroll)
    moment = _moment(database, url, key_file)
    found = _found(moment, plan, passes, everything=everything)
    if as_json:
        told = {"sources": moment.sources} if moment.sources else {}
        click.echo(json.dumps([fields(bet) | told for bet in found], indent=2))
    else:
        click.echo(table(found, moment.sources))


def fields(bet: Bet) -> dict[str, Any]:
    """Return a bet as ``--json`` prints it, but for the sources."""
    price, found = bet.price, bet.price.assessment
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
        "same_bet_as": bet.same_bet_as,
    }


def _moment(database: Path | None, url: str | None, key_file: Path | None) -> Moment:
    if url is None:
        if key_file is not None:
            raise click.UsageError("--key-file is for a service: say --url, too")
        return moment_of_database(database or usual_database(), system_clock())
    if database is not None:
        raise click.UsageError("--database or --url, not both")
    if key_file is None:
        raise click.UsageError("--url needs --key-file: the file that holds the key")
    return moment_of_service(url, key_file)


def board_of(moment: Moment, now_ms: int) -> Board:
    """Return a board that holds a moment's prices, judged as the user's settings say."""
    board = Board(lambda: now_ms, own_setting(METHOD))
    board.set_profiles(_profiles())
    board.set_bookmakers(own_setting(MINE))
    board.name_reference(moment.reference)
    exhaust(board.merge_rows(moment.rows))
    for draw in moment.draws:
        board.miss_draw(*draw, now_ms)
    return board


def _found(
    moment: Moment, plan: StakePlan, passes: ValueFilter | None, *, everything: bool
) -> list[Bet]:
    now_ms = system_clock()
    board = board_of(moment, now_ms)
    placed = placed_in(placed_bets(), now_ms)
    prices = board.value_bets.values()
    chosen = None if passes is None else passes.passes
    return list_bets(prices, board.basis, plan, placed, chosen=chosen, everything=everything)


def _profiles() -> Profiles:
    profiles, problems = known_bookmakers()
    for problem in problems:
        click.echo(problem, err=True)
    return profiles


def _rounded(figure: float | None, digits: int) -> float | None:
    return None if figure is None else round(figure, digits)
