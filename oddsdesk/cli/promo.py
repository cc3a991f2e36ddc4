"""`oddsdesk promo`: hedge a bookmaker's promotion, and find the best way to use it."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.base.figures import FigureError, read_typed_end
from oddsdesk.base.numbers import num
from oddsdesk.base.places import NoHomeError
from oddsdesk.base.tasks import returned
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.board.promotions import PromoWay, Ways, ways_to_use
from oddsdesk.cli.bet_sources import board_of, read_moment, reference_choice, source_options
from oddsdesk.cli.options import AmountType, F, Number, OddsType, Percent, json_option
from oddsdesk.cli.own_records import own_money, own_rules, own_setting, placed_bets
from oddsdesk.cli.promo_ways import offer_text, table_of_ways, way_fields
from oddsdesk.cli.terminal import aligned, plain
from oddsdesk.contract.competitions import SPORTS, named_sport
from oddsdesk.contract.markets import MARKETS, market_named
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.settings.declared import stake_plan
from oddsdesk.ledger.accounts import in_main_currency
from oddsdesk.ledger.open_bets import by_bookmaker, open_by_outcome
from oddsdesk.ledger.own_tables import OwnTableError
from oddsdesk.ledger.promotions import (
    earned,
    known_promotions,
    promotion_named,
    remove_promotion,
    save_promotion,
    use_promotion,
)
from oddsdesk.pricing.promotions import (
    DEFAULT_RETENTION,
    PromoKind,
    PromotedBet,
    Promotion,
    hedged,
    hedged_by_lay,
    open_side,
    problem_of,
)
from oddsdesk.store.databases import Database

T = TypeVar("T")
_HEDGED: Final = [kind.value for kind in PromoKind if kind is not PromoKind.BONUS]
_USUAL_MOST: Final = 10


@click.group()
def promo() -> None:
    """Free bets, boosts, refunds and bonuses: how to use them best.

    Nothing is placed at a bookmaker: the commands list what to bet.

    \b
    Example:
      oddsdesk promo hedge --kind free --stake 100 --back 5.0 --lay 5.5 --commission 2
      oddsdesk promo add "Free 25" --kind free --bookmaker Bet365 --amount 25 --least-odds 2
      oddsdesk promo find "Free 25"
    """


@promo.command()
@click.option(
    "--kind",
    type=click.Choice(_HEDGED),
    required=True,
    help=_(
        "qualify: a bet with your own money. free: a free bet, stake not returned "
        "(SNR). free-returned: a free bet, stake returned (SR). refund: part or all "
        "of the stake comes back if the bet loses. boost: the winnings are raised."
    ),
)
@click.option(
    "--stake", type=AmountType(0, above=True, what=_("stake")), required=True, metavar="AMOUNT"
)
@click.option(
    "--back", type=OddsType(), required=True, metavar="ODDS", help=_("Odds of the promoted bet.")
)
@click.option("--lay", type=OddsType(), metavar="ODDS", help=_("Lay odds at the exchange."))
@click.option(
    "--hedge",
    "others",
    type=OddsType(),
    multiple=True,
    metavar="ODDS",
    help=_(
        "Instead of --lay: odds of another outcome at another bookmaker; repeat for each outcome."
    ),
)
@click.option(
    "--commission",
    type=Percent(0, 100, what=_("commission")),
    default=0.0,
    metavar="PERCENT",
    help=_("Commission on the net winnings of the lay. Default: 0."),
)
@click.option(
    "--back-commission",
    type=Percent(0, 100, what=_("commission")),
    default=0.0,
    metavar="PERCENT",
    help=_("Commission on the net winnings of the promoted bet. Default: 0."),
)
@click.option(
    "--refund",
    type=AmountType(0, above=True, what=_("refund")),
    metavar="AMOUNT",
    help=_("Cash value of the refund if the bet loses. Default with --kind refund: the stake."),
)
@click.option(
    "--boost",
    type=Percent(0, 1_000, above=True, what=_("boost")),
    metavar="PERCENT",
    help=_("Boost of the net winnings; needed with --kind boost."),
)
@click.option(
    "--step",
    type=AmountType(0, above=True, what=_("step")),
    metavar="AMOUNT",
    help=_(
        "Round stakes up or down to multiples of this, whichever locks in more. Default: exact."
    ),
)
@json_option
def hedge(
    kind: str,
    stake: float,
    back: float,
    lay: float | None,
    others: Sequence[float],
    commission: float,
    back_commission: float,
    refund: float | None,
    boost: float | None,
    step: float | None,
    as_json: bool,
) -> None:
    """Work out the lay stake, or the stakes on the other outcomes, of one bet.

    Each result then leaves the same: the amount locked in. Odds may be decimal, fractional (9/2)
    or American (+450).

    \b
    Example:
      oddsdesk promo hedge --kind free --stake 100 --back 5.0 --lay 5.5 --commission 2
      oddsdesk promo hedge --kind free --stake 100 --back +200 --hedge -210
      oddsdesk promo hedge --kind refund --stake 50 --back 3.0 --lay 2.8 --refund 25
    """
    chosen = PromoKind(kind)
    if (lay is None) == (not others):
        raise click.UsageError(_("give --lay, or --hedge for each other outcome"))
    if refund is not None and chosen is not PromoKind.REFUND:
        raise click.UsageError(_("--refund needs --kind refund"))
    if (boost is None) is (chosen is PromoKind.BOOST):
        raise click.UsageError(
            _("--kind boost needs --boost") if boost is None else _("--boost needs --kind boost")
        )
    if others and commission:
        raise click.UsageError(_("--commission is for --lay; give --hedge odds after commission"))
    net = 1 + (back - 1) * (1 - back_commission)
    bet = PromotedBet(chosen, stake, net, stake if refund is None else refund, boost or 0.0)
    fields = (
        _laid(bet, lay, commission, step or 0.0)
        if lay is not None
        else _backed(bet, others, step or 0.0)
    )
    if as_json:
        click.echo(json.dumps(fields, indent=2))
    else:
        click.echo("\n".join(_figures(fields)))


def _laid(bet: PromotedBet, lay: float, commission: float, step: float) -> dict[str, Any]:
    found = hedged_by_lay(bet, lay, commission, step)
    return {
        "kind": bet.kind.value,
        "back_stake": _exact(bet.stake),
        "lay_stake": _exact(found.typed[0]),
        "liability": _exact(found.stakes[0]),
        "locked": _exact(found.locked),
        "if_back_wins": _exact(found.if_wins),
        "if_lay_wins": _exact(found.if_others[0]),
    }


def _backed(bet: PromotedBet, others: Sequence[float], step: float) -> dict[str, Any]:
    found = hedged(bet, [open_side(odds, step) for odds in others])
    if found is None:
        raise click.ClickException(
            _(
                "no hedge: the other outcomes cost more than they pay, or a stake is "
                "less than a step"
            )
        )
    return {
        "kind": bet.kind.value,
        "back_stake": _exact(bet.stake),
        "hedge_stakes": [_exact(stake) for stake in found.stakes],
        "locked": _exact(found.locked),
        "if_back_wins": _exact(found.if_wins),
        "if_hedge_wins": [_exact(each) for each in found.if_others],
    }


def _exact(amount: float) -> float:
    """Return an amount without the noise of floats."""
    return round(amount, 8) + 0.0


_FIGURES: Final = {
    "kind": _("kind"),
    "back_stake": _("back stake"),
    "lay_stake": _("lay stake"),
    "hedge_stakes": _("hedge stakes"),
    "liability": _("liability"),
    "locked": _("locked"),
    "if_back_wins": _("if back wins"),
    "if_lay_wins": _("if lay wins"),
    "if_hedge_wins": _("if hedge wins"),
}


def _figures(fields: dict[str, Any]) -> list[str]:
    rows = []
    for name, value in fields.items():
        shown = translated(PromoKind(value).words) if name == "kind" else value
        values = shown if isinstance(shown, list) else [shown]
        text = ", ".join(each if isinstance(each, str) else f"{num(each):.2f}" for each in values)
        rows.append((_FIGURES[name], text))
    width = max(len(name) for name, _text in rows)
    return [f"{name.ljust(width)}  {text}" for name, text in rows]


def _until(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    """Return a time; a day without an hour ends at midnight of the machine's time zone."""
    if value is None:
        return None
    try:
        return read_typed_end("until", value, system_clock())
    except FigureError as error:
        raise click.BadParameter(translated(str(error))) from error


def _sports(
    _context: click.Context, _parameter: click.Parameter, value: Sequence[str]
) -> tuple[str, ...]:
    found = {name: named_sport(name) for name in value}
    for name, sport in found.items():
        if sport is None:
            raise click.BadParameter(
                _("no sport {name!r}; there are {names}").format(name=name, names=", ".join(SPORTS))
            )
    return tuple(sport for sport in found.values() if sport is not None)


def _markets(
    _context: click.Context, _parameter: click.Parameter, value: Sequence[str]
) -> tuple[str, ...]:
    found = {name: market_named(name) for name in value}
    for name, market in found.items():
        if market not in MARKETS:
            raise click.BadParameter(
                _("no market {name!r}; there are {names}").format(
                    name=name, names=", ".join(MARKETS)
                )
            )
    return tuple(found.values())


def _offer_options(*, is_needed: bool) -> Callable[[F], F]:
    """Add the options that describe an offer."""
    about = (
        click.option(
            "--kind",
            type=click.Choice([kind.value for kind in PromoKind]),
            required=is_needed,
            help=_("As for `promo hedge`, or bonus: a bonus that must be staked several times."),
        ),
        click.option("--bookmaker", metavar="NAME", required=is_needed, help=_("The bookmaker.")),
        click.option(
            "--amount",
            type=AmountType(0, above=True, what=_("amount")),
            required=is_needed,
            metavar="AMOUNT",
            help=_(
                "Size of the free bet or bonus, or the qualifying stake. For a "
                "boost or a refund: the largest stake that counts."
            ),
        ),
        click.option(
            "--least-odds",
            type=OddsType(),
            metavar="ODDS",
            help=_("Minimum odds of the promoted bet."),
        ),
        click.option(
            "--until",
            callback=_until,
            metavar="TIME",
            help=_("When the offer ends. Games that start later are left out."),
        ),
        click.option(
            "--refund",
            type=AmountType(0, above=True, what=_("refund")),
            metavar="AMOUNT",
            help=_("The largest refund if the bet loses. Default: the stake."),
        ),
        click.option(
            "--refund-as",
            type=click.Choice(["money", "free"]),
            help=_("Whether the refund is money (default) or a free bet."),
        ),
        click.option(
            "--retention",
            type=Percent(0, 100, what=_("retention")),
            metavar="PERCENT",
            help=_(
                "Cash value of a free bet, in percent of its amount. Default: {retention:.0%}."
            ).format(retention=num(DEFAULT_RETENTION)),
        ),
        click.option(
            "--boost",
            type=Percent(0, 1_000, above=True, what=_("boost")),
            metavar="PERCENT",
            help=_("Boost of the net winnings."),
        ),
        click.option(
            "--wagering",
            type=Number(0, 1_000, above=True, what=_("wagering")),
            metavar="TIMES",
            help=_("Wagering requirement: how many times the bonus must be staked."),
        ),
        click.option(
            "--most-stake",
            type=AmountType(0, above=True, what=_("stake")),
            metavar="AMOUNT",
            help=_("The largest stake that counts towards the wagering. Default: the bonus."),
        ),
        click.option(
            "--sport",
            "sports",
            multiple=True,
            callback=_sports,
            metavar="NAME",
            help=_("Only this sport; may be repeated."),
        ),
        click.option(
            "--market",
            "markets",
            multiple=True,
            callback=_markets,
            metavar="NAME",
            help=_("Only this market, such as moneyline; may be repeated."),
        ),
    )

    def add(command: F) -> F:
        for option in reversed(about):
            command = option(command)
        return command

    return add


def _offer(name: str, given: dict[str, Any], account: str = "", currency: str = "") -> Promotion:
    """Return the offer that the options describe.

    Raises:
        click.UsageError: an option does not fit the kind, or the offer makes no sense.
    """
    kind = PromoKind(given["kind"])
    fits = {
        "refund": PromoKind.REFUND,
        "refund_as": PromoKind.REFUND,
        "retention": PromoKind.REFUND,
        "boost": PromoKind.BOOST,
        "wagering": PromoKind.BONUS,
        "most_stake": PromoKind.BONUS,
    }
    for option, needed in fits.items():
        if given.get(option) is not None and kind is not needed:
            raise click.UsageError(
                _("--{option} needs --kind {kind}").format(
                    option=option.replace("_", "-"), kind=needed.value
                )
            )
    if kind is PromoKind.BOOST and given.get("boost") is None:
        raise click.UsageError(_("--kind boost needs --boost"))
    fields = {
        key: value
        for key, value in given.items()
        if value is not None and key not in ("kind", "refund_as")
    }
    offer = Promotion(
        name=name,
        kind=kind,
        account=account,
        currency=currency,
        refund_as_free=given["refund_as"] == "free",
        **fields,
    )
    if problem := problem_of(offer):
        raise click.UsageError(translated(problem))
    return offer


@promo.command()
@click.argument("name", required=False)
@_offer_options(is_needed=False)
@source_options
@reference_choice
@click.option(
    "--step",
    type=AmountType(0, what=_("step")),
    metavar="AMOUNT",
    help=_(
        "Round stakes to multiples of this; 0 for exact stakes. Default: the desk's "
        "setting, and 0.01 for lays."
    ),
)
@click.option(
    "--also-there",
    is_flag=True,
    help=_(
        "Allow one bet of each hedge at the offer's own bookmaker, which some "
        "forbid. Otherwise only the best such way is listed, and only if it locks "
        "in more."
    ),
)
@click.option(
    "--most",
    type=click.IntRange(1, 1_000),
    default=_USUAL_MOST,
    show_default=True,
    help=_("How many ways to list, with a hedge and without."),
)
@json_option
def find(
    name: str | None,
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    reference: str | None,
    step: float | None,
    also_there: bool,
    most: int,
    as_json: bool,
    **given: Any,
) -> None:
    """List the best ways to use an offer at current prices.

    NAME is a stored offer (`promo add`); without it, describe the offer by options.

    With a hedge, every result leaves about the same. The selection is laid at an exchange, or all
    other outcomes are backed at other bookmakers: after commission, within limits and what is for
    sale. Without a hedge, EV is what the bet earns on average. WORTH is the sure amount that is as
    good to you, given your bankroll and Kelly fraction.

    Lines that may return or halve the stake are left out.

    \b
    Example:
      oddsdesk promo find "Free 25"
      oddsdesk promo find --kind qualify --bookmaker Bet365 --amount 10 --least-odds 1.7 --json
    """
    offer = _stored(name, given) if name is not None else _described(given)
    now_ms = system_clock()
    if offer.is_over(now_ms):
        raise click.ClickException(_state_text(offer, now_ms))
    moment = read_moment(database, url, key_file, now_ms)
    board = board_of(moment, now_ms, reference)
    plan = stake_plan(own_setting)
    if step is not None:
        plan = msgspec.structs.replace(plan, step=step)
    placed = by_bookmaker(
        open_by_outcome(
            placed_bets(),
            simulated=moment.simulated,
            listed=moment.games_by_id(),
            spelled=board.players.spelled,
        )
    )
    look = partial(ways_to_use, board, offer, plan, placed=placed, lay_step=step)
    found = returned(look(most=most, also_there=also_there))
    there = None if also_there else _better(found, returned(look(most=1, also_there=True)))
    rules = own_rules()
    if as_json:
        told = {
            "offer": offer_fields(offer, now_ms),
            "looked_at": found.looked_at,
            "left_out": dict(found.left_out),
            "hedged": [way_fields(way, rules) for way in found.hedged],
            "also_there": None if there is None else way_fields(there, rules),
            "unhedged": [way_fields(way, rules) for way in found.unhedged],
            "sources": moment.sources,
        }
        click.echo(json.dumps(told | moment.marks, indent=2))
    else:
        lines = table_of_ways(offer, found, there, board, rules)
        if moment.sources:
            lines.append(plain(_("Odds from {names}").format(names=", ".join(moment.sources))))
        click.echo("\n".join(lines))


def _better(found: Ways, there: Ways) -> PromoWay | None:
    """Return the best of other ways if it leaves more than all that were found."""
    if not there.hedged:
        return None
    best = there.hedged[0]
    values = [way.value or 0.0 for way in found.hedged[:1]]
    return best if not values or (best.value or 0.0) > values[0] else None


def _described(given: dict[str, Any]) -> Promotion:
    for option in ("kind", "bookmaker", "amount"):
        if given[option] is None:
            raise click.UsageError(
                _("give the name of a stored offer, or --{option}").format(option=option)
            )
    return _offer(_("This offer"), given)


def _stored(name: str, given: dict[str, Any]) -> Promotion:
    if any(given.values()):
        raise click.UsageError(_("give the name of a stored offer, or options that describe one"))
    known = _known()
    offer = promotion_named(known, name)
    if offer is None:
        if known:
            wrong = _("no offer {name!r}; stored offers: {offers}")
        else:
            wrong = _("no offer {name!r}; no offers are stored")
        offers = ", ".join(repr(each.name) for each in known)
        raise click.ClickException(wrong.format(name=name, offers=offers))
    return offer


def _known() -> list[Promotion]:
    """Return the stored offers, and print what is wrong with their file."""
    found, problems = known_promotions()
    for problem in problems:
        click.echo(plain(translated(problem)), err=True)
    return found


@promo.command()
@click.argument("name")
@_offer_options(is_needed=True)
@click.option("--account", default="", metavar="TEXT", help=_("Your name for the account."))
@click.option("--currency", default="", metavar="CODE", help=_("Such as EUR. Default: your own."))
def add(name: str, account: str, currency: str, **given: Any) -> None:
    """Store an offer under a NAME.

    Bets belong to an offer if their note has its name: `promo: Free 25`.

    \b
    Example:
      oddsdesk promo add "Free 25" --kind free --bookmaker Bet365 --amount 25 --until sunday
      oddsdesk promo add "Boost" --kind boost --bookmaker Unibet --amount 10 --boost 50
      oddsdesk promo add "Back up to 50" --kind refund --refund-as free --bookmaker bwin --amount 50
    """
    offer = _offer(name.strip(), given, account.strip(), currency.strip().upper())
    _change(lambda: save_promotion(offer))
    click.echo(f"{plain(offer.name)}: {offer_text(offer)}")


@promo.command(name="list")
@json_option
def list_(as_json: bool) -> None:
    """List the stored offers, with what their bets have earned.

    \b
    Example:
      oddsdesk promo list --json
    """
    now_ms, known = system_clock(), _known()
    bets = placed_bets()
    in_main = partial(in_main_currency, book=own_money(), now_ms=now_ms)
    rows = [(offer, earned(bets, offer.name, in_main)) for offer in known]
    if as_json:
        told = [offer_fields(offer, now_ms) | sums._asdict() for offer, sums in rows]
        click.echo(json.dumps(told, indent=2))
        return
    if not rows:
        click.echo(_("no offers are stored; add one with `oddsdesk promo add`"))
        return
    headings = (N_("NAME"), N_("OFFER"), N_("STATE"), N_("BETS"), N_("OPEN"), N_("PROFIT"))
    cells = [
        (
            plain(offer.name),
            offer_text(offer),
            translated(_state(offer, now_ms)),
            f"{sums.bets or ''}",
            f"{sums.open or ''}",
            f"{num(sums.profit):+.2f}" if sums.bets > sums.open else "",
        )
        for offer, sums in rows
    ]
    click.echo("\n".join(aligned(headings, cells, {"BETS", "OPEN", "PROFIT"})))


@promo.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove a stored offer; its bets stay in the ledger."""
    removed = _change(lambda: remove_promotion(name))
    click.echo(plain(_("removed {name}").format(name=removed.name)))


@promo.command()
@click.argument("name")
@click.option("--undo", is_flag=True, help=_("Mark it as not used."))
def used(name: str, undo: bool) -> None:
    """Mark a stored offer as used."""
    offer = _change(lambda: use_promotion(name, None if undo else system_clock()))
    click.echo(plain(_state_text(offer, system_clock())))


def _change(change: Callable[[], T]) -> T:
    """Change the stored offers.

    Raises:
        click.ClickException: that is not possible; one line with the reason.
    """
    try:
        return change()
    except (OwnTableError, NoHomeError) as error:
        raise click.ClickException(plain(translated(str(error)))) from error


def offer_fields(offer: Promotion, now_ms: int) -> dict[str, Any]:
    """Return an offer in the form that ``--json`` prints."""
    fields: dict[str, Any] = msgspec.to_builtins(offer)
    for name in ("until", "used_at"):
        fields[name] = None if fields[name] is None else format_ms(fields[name])
    return fields | {"state": _state(offer, now_ms)}


def _state(offer: Promotion, now_ms: int) -> str:
    if offer.used_at is not None:
        return N_("used")
    return N_("expired") if offer.is_over(now_ms) else N_("open")


def _state_text(offer: Promotion, now_ms: int) -> str:
    texts = {
        "used": _("{name} is used"),
        "expired": _("{name} is expired"),
        "open": _("{name} is open"),
    }
    return texts[_state(offer, now_ms)].format(name=offer.name)
