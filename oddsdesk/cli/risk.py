"""`oddsdesk ledger risk` and `oddsdesk kelly`: the risk of open bets, and Kelly stakes."""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.numbers import num, with_marks
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.cli.options import AmountType, Number, json_option, ledger_option
from oddsdesk.cli.own_records import ALL_CURRENCIES, all_in_main, open_ledger, own_setting
from oddsdesk.cli.terminal import aligned, plain
from oddsdesk.desk.settings.declared import stake_plan
from oddsdesk.ledger.bets import BetState, PlacedBet, counted
from oddsdesk.ledger.reporting import by_currency
from oddsdesk.ledger.risk import BetsAhead, bets_ahead
from oddsdesk.pricing.formats import OddsFormatError, format_odds, parse_typed
from oddsdesk.pricing.risk_ahead import RUNS, Outcome, chance_ever_down, kelly_across

_QUANTILES: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_OF_BANK: Final = (0.01, 0.02, 0.05, 0.1, 0.25)
_OF_WORST: Final = (0.25, 0.5, 0.75, 1.0)
_EVER_TO: Final = (0.75, 0.5, 0.25)
"""Shares that the bankroll may fall to."""


class _Row(NamedTuple):
    currency: str
    of: str | None
    """``ALL_CURRENCIES`` for all bets in the main currency."""
    found: BetsAhead
    to_settle: int
    bankroll: float | None
    """None if it is not known in this currency."""
    down: Sequence[float]

    @property
    def kelly_share(self) -> float | None:
        return None if self.bankroll is None else self.found.ahead.kelly_share(self.bankroll)


@click.command()
@ledger_option()
@click.option(
    "--bankroll",
    type=AmountType(0, above=True, what=_("bankroll")),
    metavar="AMOUNT",
    help=_("Default: the bankroll in the settings, for bets in your main currency."),
)
@click.option(
    "--down",
    "down",
    type=AmountType(0, above=True, what=_("loss")),
    metavar="AMOUNT",
    multiple=True,
    help=_(
        "Show the chance to lose this much or more. Default: parts of the bankroll or worst loss."
    ),
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help=_("Random seed of the simulation.")
)
@click.option(
    "--runs",
    type=click.IntRange(1_000, 1_000_000),
    default=RUNS,
    show_default=True,
    help=_("Number of simulated results, if an exact distribution would take too long."),
)
@json_option
def risk(
    path: Path, bankroll: float | None, down: tuple[float, ...], seed: int, runs: int, as_json: bool
) -> None:
    """Show what all open bets together may win and lose.

    For each currency, and for all in your main currency if you gave the rates: the expected result,
    its distribution, the chance to be down, and the worst and best case. Practice bets are left
    out.

    The chance of a bet is 1 / its fair odds when it was placed. Bets without fair odds count as if
    they had no edge, and so does the place of an each-way bet. Bets decided by the same number,
    such as the score of a football game, are worked out together. Different games, and different
    numbers of one game, count as independent. A multiple depends on all of its games.

    With a bankroll it also shows the expected growth, and what percentage of Kelly these bets are:
    at 100 %, neither larger nor smaller stakes would grow the bankroll faster.

    \b
    Example:
      oddsdesk ledger risk
      oddsdesk ledger risk --bankroll 2000 --down 100 --down 500 --json
    """
    now_ms = system_clock()
    with open_ledger(path) as held:
        bets = [bet for bet in counted(held.read_bets()) if bet.open_size]
        book = held.money.read_book()
    groups: list[tuple[str, str | None, list[PlacedBet]]]
    groups = [(currency, None, of_one) for currency, of_one in by_currency(bets).items()]
    if len(groups) > 1 and book.main and (converted := all_in_main(bets, book)) is not None:
        groups.append((book.main, ALL_CURRENCIES, converted))
    own_bank = stake_plan(own_setting).bankroll
    rows = []
    for currency, of, of_one in groups:
        found = bets_ahead(of_one, seed=seed, runs=runs)
        is_own = currency in ("", book.main)
        bank = own_bank if bankroll is None and is_own else bankroll
        losses = down or _losses(found, bank)
        to_settle = sum(bet.state(now_ms) is BetState.TO_SETTLE for bet in of_one)
        rows.append(_Row(currency, of, found, to_settle, bank, losses))
    if as_json:
        click.echo(json.dumps([_fields(row, seed) for row in rows], indent=2))
    else:
        click.echo("\n\n".join(map(_text, rows)) or _("no open bets"))


def _losses(found: BetsAhead, bankroll: float | None) -> list[float]:
    if bankroll is not None:
        return [bankroll * share for share in _OF_BANK]
    return [-found.ahead.worst * share for share in _OF_WORST if found.ahead.worst < 0]


def _fields(row: _Row, seed: int) -> dict[str, Any]:
    ahead, share = row.found.ahead, row.kelly_share
    growth = None if row.bankroll is None else ahead.growth(row.bankroll) * 100
    return {
        "currency": row.currency,
        "of": row.of,
        "bets": row.found.bets,
        "draws": row.found.draws,
        "to_settle": row.to_settle,
        "without_fair_odds": row.found.without_edge,
        "places_without_fair_odds": row.found.places,
        "is_exact": ahead.is_exact,
        "runs": ahead.runs,
        "seed": None if ahead.is_exact else seed,
        "expected": round(ahead.expected, 4),
        "deviation": round(ahead.deviation, 4),
        "worst": round(ahead.worst, 4),
        "best": round(ahead.best, 4),
        "chance_down": ahead.chance_down(),
        "down": [{"by": by, "chance": ahead.chance_down(by)} for by in row.down],
        "quantiles": [
            {"share": each, "result": round(ahead.quantile(each), 4)} for each in _QUANTILES
        ],
        "bankroll": row.bankroll,
        "growth_pct": growth if growth is not None and math.isfinite(growth) else None,
        "kelly_share": share,
        "ever_down": [] if share is None else _ever_down(share),
    }


def _ever_down(share: float) -> list[dict[str, float]]:
    return [{"to": to, "chance": chance_ever_down(to, share)} for to in _EVER_TO]


def _text(row: _Row) -> str:
    ahead, found = row.found.ahead, row.found
    lines = [
        _first_line(row),
        _("expected {result}, standard deviation {deviation:.2f}").format(
            result=_money(ahead.expected), deviation=num(ahead.deviation)
        ),
        _("worst {worst}, best {best}").format(worst=_money(ahead.worst), best=_money(ahead.best)),
        _("down at all: {chance}").format(chance=_percent(ahead.chance_down())),
        *(
            _("down {amount:,.2f} or more: {chance}").format(
                amount=num(by), chance=_percent(ahead.chance_down(by))
            )
            for by in row.down
        ),
        _("percentiles: {results}").format(
            results=", ".join(
                f"{num(each * 100):g} % {_money(ahead.quantile(each))}" for each in _QUANTILES
            )
        ),
    ]
    if row.bankroll is not None:
        lines += _kelly_lines(row, row.bankroll)
    counts = (
        (_("without fair odds, counted without an edge: {count}"), found.without_edge),
        (_("each-way bets, their places counted without an edge: {count}"), found.places),
        (_("game over, not settled yet: {count}"), row.to_settle),
    )
    lines += [text.format(count=num(count)) for text, count in counts if count]
    return "\n".join(lines)


def _first_line(row: _Row) -> str:
    ahead, found = row.found.ahead, row.found
    bets = ngettext("{count} open bet", "{count} open bets", found.bets).format(count=found.bets)
    games = ngettext(
        "{bets} on {count} independent result; {how}",
        "{bets} on {count} independent results; {how}",
        found.draws,
    )
    return games.format(
        bets=plain(" ".join(filter(None, (bets, row.of, row.currency)))),
        count=num(found.draws),
        how=_("exact")
        if ahead.is_exact
        else _("{count:,} simulated results").format(count=num(ahead.runs)),
    )


def _kelly_lines(row: _Row, bankroll: float) -> list[str]:
    ahead, share = row.found.ahead, row.kelly_share
    if ahead.worst <= -bankroll:
        return [
            _("they can lose the whole bankroll of {bankroll:,.2f}").format(bankroll=num(bankroll))
        ]
    growth = _("bankroll of {bankroll:,.2f}: expected growth {growth:+.4f} %").format(
        bankroll=num(bankroll), growth=num(ahead.growth(bankroll) * 100)
    )
    if share is None:
        none = _("{growth}; Kelly would not make these bets").format(growth=growth)
        return [none if ahead.worst < 0 else growth]
    of_kelly = _("{growth}; these bets are {share:.1f} % of Kelly")
    return [of_kelly.format(growth=growth, share=num(share * 100)), _ever_text(share)]


def _ever_text(share: float) -> str:
    chances = (
        _("to {part:g} %: {chance}").format(
            part=num(to * 100), chance=_percent(chance_ever_down(to, share))
        )
        for to in _EVER_TO
    )
    return _(
        "if you always bet {share:.3g} % of Kelly, the chance that the bankroll ever falls"
        " {chances}"
    ).format(share=num(share * 100), chances=", ".join(chances))


def _money(amount: float) -> str:
    return f"{num(amount):+.2f}" if round(amount, 2) else f"{num(0.0):.2f}"


def _percent(share: float) -> str:
    return f"{num(share * 100):.2f} %"


_COMMA_IN_CHANCE: Final = re.compile(r"(@\s*0?|@\s*\d+(?=,\d+\s*%)),(?=\d)")
_COMMA_IN_ODDS: Final = re.compile(r"((?:^|,)\s*\d+),(?=\d+\s*@)")


class _Game(click.ParamType):  # type: ignore[type-arg]
    """Outcomes of one game: ``2.5@55%,3.2@25%``, or ``2,5@55%,3,2@25%``."""

    name = "game"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Outcome, ...]:
        """Return the chance and odds of each outcome."""
        found = []
        text = _COMMA_IN_ODDS.sub(r"\1.", _COMMA_IN_CHANCE.sub(r"\1.", str(value)))
        for part in text.split(","):
            odds, sign, chance = part.partition("@")
            if not sign:
                self.fail(
                    _("{part!r}: expected ODDS@CHANCE, such as 2.5@55%").format(part=part),
                    param,
                    ctx,
                )
            share = _chance_of(chance.strip())
            if share is None:
                wrong = _("{part!r}: expected a chance between 0 and 1, or between 0 % and 100 %")
                self.fail(wrong.format(part=part), param, ctx)
            try:
                found.append((share, parse_typed(odds.strip())))
            except OddsFormatError as error:
                self.fail(f"{part!r}: {translated(str(error))}", param, ctx)
        return tuple(found)


def _chance_of(text: str) -> float | None:
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        return None
    share = number / 100 if text.endswith("%") else number
    return share if 0 < share < 1 else None


@click.command()
@click.argument("games", nargs=-1, required=True, type=_Game(), metavar="GAME...")
@click.option(
    "--bankroll",
    type=AmountType(0, above=True, what=_("bankroll")),
    metavar="AMOUNT",
    help=_("Default: the bankroll in the settings."),
)
@click.option(
    "--share",
    type=Number(0, 200, above=True, what=_("Kelly fraction")),
    metavar="PERCENT",
    help=_("Kelly fraction. Default: that of the settings."),
)
@json_option
def kelly(
    games: tuple[tuple[Outcome, ...], ...],
    bankroll: float | None,
    share: float | None,
    as_json: bool,
) -> None:
    """Work out Kelly stakes on several games at once.

    Each GAME is a list of outcomes of which at most one wins, each as ODDS@CHANCE: the odds after
    commission, and your estimate of its chance. Games count as independent and are bet on at the
    same time, so stakes are a little smaller than for each game alone. Stakes on one game follow
    the formula of Smoczynski and Tomkins; those on several games are found numerically.

    It also shows the chance that your bankroll ever falls to a part of itself if you keep betting
    at this Kelly fraction. To half: 50 % at full Kelly, 0.78 % at a quarter.

    \b
    Example:
      oddsdesk kelly 2.5@55%,3.2@25%,2.8@20%
      oddsdesk kelly 2.1@50% 3.6@0.3 --share 50 --bankroll 2000
    """
    plan = stake_plan(own_setting)
    bank = plan.bankroll if bankroll is None else bankroll
    part = plan.kelly_share if share is None else share / 100
    try:
        found = kelly_across(games)
    except ValueError as error:
        raise click.ClickException(translated(str(error))) from error
    if as_json:
        told = {
            "games": [
                [
                    {
                        "odds": odds,
                        "chance": chance,
                        "ev_pct": round((chance * odds - 1) * 100, 4),
                        "kelly_pct": round(full * 100, 4),
                        "stake": round(full * part * bank, 4),
                    }
                    for (chance, odds), full in zip(game, shares, strict=True)
                ]
                for game, shares in zip(games, found.shares, strict=True)
            ],
            "growth_pct": round(found.growth * 100, 4),
            "bankroll": bank,
            "kelly_share": part,
            "ever_down": _ever_down(part),
        }
        click.echo(json.dumps(told, indent=2))
        return
    rows = [
        (
            str(number),
            with_marks(format_odds(odds)),
            f"{num(chance * 100):g} %",
            f"{num((chance * odds - 1) * 100):+.2f} %",
            f"{num(full * 100):.2f} %",
            f"{num(full * part * bank):.2f}",
        )
        for number, (game, shares) in enumerate(zip(games, found.shares, strict=True), 1)
        for (chance, odds), full in zip(game, shares, strict=True)
    ]
    titles = (N_("GAME"), N_("ODDS"), N_("CHANCE"), N_("EV"), N_("FULL KELLY"), N_("STAKE"))
    click.echo("\n".join(aligned(titles, rows, frozenset(titles) - {"GAME"})))
    click.echo(
        _("growth at full Kelly {growth:.4f} %; STAKE is {part:g} % of full Kelly").format(
            growth=num(found.growth * 100), part=num(part * 100)
        )
    )
    click.echo(_ever_text(part))
