"""`oddsdesk bets`: the list of value bets with their stakes, without a window."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
from msgspec.structs import replace

from oddsdesk.base.clock import system_clock
from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.numbers import num, with_marks
from oddsdesk.base.tasks import returned
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.valuation.bets import Bet, fair_lines, listing_bets
from oddsdesk.board.valuation.verdict_words import (
    FAILS,
    PER_DECIDED,
    PER_DECIDED_TEXT,
    below_minimum_text,
    bound_text,
    caution_text,
    derived_text,
    for_sale_text,
)
from oddsdesk.cli.bet_sources import (
    Moment,
    board_of,
    check_judged,
    derived_option,
    read_moment,
    reference_choice,
    source_options,
)
from oddsdesk.cli.options import AmountType
from oddsdesk.cli.own_records import own_money, own_setting, placed_bets, preset
from oddsdesk.cli.terminal import aligned, market_words, plain
from oddsdesk.desk.settings.declared import own_rules_text, stake_plan
from oddsdesk.ledger.accounts import in_main_currency
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.exposure import Bound, Placed, StakePlan
from oddsdesk.pricing.formats import format_odds
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.store.databases import Database


@click.command()
@source_options
@click.option(
    "--bankroll",
    type=AmountType(0, above=True, what=_("amount")),
    metavar="AMOUNT",
    help=_("Your bankroll. Stakes are a fraction of it. Default: the desk's setting (1000)."),
)
@click.option(
    "--preset", "preset_name", metavar="NAME", help=_("List only what this preset lists.")
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help=_("Also list value before commission, and prices left out only because of a warning."),
)
@reference_choice
@derived_option
@click.option("--json", "as_json", is_flag=True, help=_("Print a JSON array, best EV first."))
def bets(
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    bankroll: float | None,
    preset_name: str | None,
    everything: bool,
    reference: str | None,
    derived: DerivedChoice | None,
    as_json: bool,
) -> None:
    """List current value bets and their stakes.

    There is one stake per outcome. EV and stakes are after commission. Open bets in the ledger
    count against the stake limits.

    \b
    Example:
      oddsdesk bets
      oddsdesk bets --bankroll 2500 --preset "Before kick-off"
      oddsdesk bets --reference consensus
      oddsdesk bets --url https://odds.example --key-file key.txt --all --json
    """
    passes = preset(preset_name) if preset_name is not None else None
    moment = read_moment(database, url, key_file, system_clock())
    board = board_of(moment, system_clock(), reference, derived)
    found = listed_bets(board, moment, bankroll, passes, everything=everything)
    if as_json:
        click.echo(json.dumps(bets_fields(found, board, moment), indent=2))
    else:
        if (other := _other_reference(board)) is not None:
            text = _("sharp book: {name} (the service's: {services})")
            services = plain(moment.reference)
            click.echo(text.format(name=translated(plain(other)), services=services))
        if own := own_rules_text(own_setting):
            text = _("your own rules, with the service's in brackets: {rules}")
            click.echo(text.format(rules=own))
        click.echo(bets_table(found, moment.sources, board.reference_name))


def fields(bet: Bet) -> dict[str, Any]:
    """Return a bet in the form that ``--json`` prints, without the sources."""
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
        "derived": found.derived,
        "band_pct": _rounded(found.band_pct, 2),
        "service_ev_pct": _rounded(bet.service_ev_pct, 2),
        "cautions": [caution.value for caution in found.cautions],
        "stake": bet.stake,
        "bound": None if bet.bound is None else bet.bound.value,
        "same_bet_as": None if bet.same_bet_as is None else bet.same_bet_as.bookmaker,
        "same_bet_selection": None if bet.same_bet_as is None else bet.same_bet_as.key.selection,
    } | for_sale


def listed_bets(
    board: Board,
    moment: Moment,
    bankroll: float | None,
    passes: ValueFilter | None,
    *,
    everything: bool,
) -> list[Bet]:
    """Return the value bets of a board with their stakes; it holds the moment's prices.

    Raises:
        click.ClickException: the sharp book has no price, or the ledger cannot be read.
    """
    plan = stake_plan(own_setting)
    if bankroll is not None:
        plan = replace(plan, bankroll=bankroll)
    check_judged(board, moment)
    simulated, listed = moment.simulated, moment.games_by_id()
    spelled = board.players.spelled
    now_ms = system_clock()
    held = in_main_currency(placed_bets(), own_money(), now_ms)
    placed = placed_in(held, now_ms, simulated=simulated, listed=listed, spelled=spelled)
    return _found(board, plan, passes, placed, everything=everything)


def bets_fields(found: Sequence[Bet], board: Board, moment: Moment) -> list[dict[str, Any]]:
    """Return bets in the form that ``--json`` prints."""
    about: dict[str, Any] = {"sources": moment.sources} if moment.sources else {}
    about |= moment.marks
    if (other := _other_reference(board)) is not None:
        about["reference"] = other
    return [fields(bet) | about for bet in found]


def _other_reference(board: Board) -> str | None:
    """Return the sharp book's name if it is not the service's own."""
    return None if board.desk_reference.is_services_own else board.reference_name


def _found(
    board: Board, plan: StakePlan, passes: ValueFilter | None, placed: Placed, *, everything: bool
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


_HEADINGS: Final = (
    N_("SELECTION"),
    N_("BOOKMAKER"),
    N_("ODDS"),
    N_("NET"),
    N_("EV"),
    N_("STAKE"),
    "",
    N_("GAME"),
)
_RIGHT: Final = frozenset({"ODDS", "NET", "EV", "STAKE"})


def bets_table(bets: Sequence[Bet], sources: Sequence[str] = (), reference: str = "") -> str:
    """Return the table, highest EV first, the total staked, and where the odds come from."""
    reference = reference or _("the sharp book")
    shown = sorted(bets, key=lambda bet: -(bet.price.assessment.ev or 0.0))
    lines = aligned(_HEADINGS, (_row(bet, reference) for bet in shown), _RIGHT) if bets else []
    footer = []
    if sources:
        footer.append(_("Odds from {sources}").format(sources=plain(", ".join(sources))))
    return "\n".join([*lines, *([""] if bets else []), _sum(bets), *footer])


def _row(bet: Bet, reference: str) -> tuple[str, ...]:
    price, found = bet.price, bet.price.assessment
    net = "" if found.net_odds == found.odds else f"{num(found.net_odds):.3f}"
    unit = "" if found.per == "staked" else f" {PER_DECIDED}"
    return (
        plain(selection_text(price.key.selection)),
        plain(price.bookmaker),
        with_marks(format_odds(found.odds)),
        net,
        "" if found.ev is None else f"{num(found.ev):+.2f} %{unit:2}",
        f"{num(bet.stake):.2f}" if bet.stake else "",
        _why(bet, reference),
        plain(f"{shown_game(price.match_name)}, {_market(bet)}"),
    )


def _why(bet: Bet, reference: str) -> str:
    """Return what limited the stake, or why there is none; first how fair odds were derived."""
    found = bet.price.assessment
    told = derived_text(found), _what_limited(bet, reference)
    return ", ".join(filter(None, told))


def _what_limited(bet: Bet, reference: str) -> str:
    found = bet.price.assessment
    if found.cautions:
        return ", ".join(caution_text(caution, reference) for caution in found.cautions)
    if bet.bound is not None:
        bound = bound_text(bet.bound, bet.price.bookmaker, bet.stake) or _("Kelly")
        notes = ("" if bet.bound is Bound.FOR_SALE else bound, for_sale_text(bet.price))
        return plain(", ".join(filter(None, notes)))
    if not found.is_value:
        is_charged = found.net_odds != found.odds
        return _("no value after commission") if is_charged else below_minimum_text(found) or FAILS
    carrier = bet.same_bet_as
    if carrier is None:
        return ""
    text = _("same bet at {bookmaker}")
    if carrier.key.selection != bet.price.key.selection:
        text = _("same bet at {bookmaker} as {selection}")
    named = selection_text(carrier.key.selection)
    return plain(text.format(bookmaker=carrier.bookmaker, selection=named))


def _market(bet: Bet) -> str:
    key = bet.price.key
    return market_words(key.market_type, bet.price.sport, key.period)


def _sum(bets: Sequence[Bet]) -> str:
    staked = [bet.stake for bet in bets if bet.stake]
    text = ngettext(
        "{count} price, {staked} with a stake, {total:.2f} staked in total",
        "{count} prices, {staked} with a stake, {total:.2f} staked in total",
        len(bets),
    )
    line = text.format(count=len(bets), staked=len(staked), total=num(sum(staked)))
    if any(bet.price.assessment.per == "decided" for bet in bets):
        line += f"; {PER_DECIDED} {_('EV')} {PER_DECIDED_TEXT}"
    return line
