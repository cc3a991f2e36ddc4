"""``oddsdesk devig``: fair odds from decimal odds, by every devig method."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, translated
from oddsdesk.pricing.devig import METHODS, DevigError, Fair, overround
from oddsdesk.pricing.devig import devig as take_margin_out
from oddsdesk.pricing.formats import OddsFormatError, parse_typed


class BadOddsError(click.ClickException):
    """An argument that is not valid decimal odds."""

    exit_code = 2


@click.command(context_settings={"ignore_unknown_options": True})  # -110 is a price, not an option
@click.option("--json", "as_json", is_flag=True, help=_("Print one JSON object, keyed by method."))
@click.argument("odds", nargs=-1, required=True)
def devig(odds: tuple[str, ...], as_json: bool) -> None:
    """Remove the margin from odds.

    Give the ODDS of all outcomes of a market: decimal, or plainly fractional (21/20) or American
    (+105). All methods are listed side by side. `published` is an odds service's formula as
    published, which adds margin; it is there for comparison.

    \b
    Examples:
        oddsdesk devig 2.05 1.88
        oddsdesk devig --json 2.45 3.40 3.10
    """
    prices, answers = devigged(odds)
    click.echo(json.dumps(fields(answers), indent=2) if as_json else _table(prices, answers))


def devigged(odds: Sequence[str]) -> tuple[list[float], dict[str, Fair | DevigError]]:
    """Return decimal odds from what was typed, and the answer of each method.

    Raises:
        BadOddsError: they are no odds, or fewer than two.
    """
    prices = [_price(text) for text in odds]
    if len(prices) < 2:
        raise BadOddsError(_("give the odds of at least two outcomes, for example: 2.05 1.88"))
    return prices, {method: _answer(method, prices) for method in METHODS}


def _price(text: str) -> float:
    try:
        return parse_typed(text)
    except OddsFormatError as error:
        raise BadOddsError(translated(str(error))) from error


def _answer(method: str, prices: Sequence[float]) -> Fair | DevigError:
    try:
        return take_margin_out(method, prices)
    except DevigError as error:
        return error


def fields(answers: Mapping[str, Fair | DevigError]) -> dict[str, dict[str, Any]]:
    """Return the answers in the form that ``--json`` prints."""
    return {
        method: {"error": str(answer)} if isinstance(answer, DevigError) else answer._asdict()
        for method, answer in answers.items()
    }


def _table(prices: Sequence[float], answers: Mapping[str, Fair | DevigError]) -> str:
    total = overround(prices)
    rows = [
        [
            _("method"),
            *[_("fair odds")] * len(prices),
            *[_("probability")] * len(prices),
            _("parameter"),
        ],
        [_("as quoted"), *_odds(prices), *_percents([1 / price for price in prices]), ""],
    ]
    for method, answer in answers.items():
        if isinstance(answer, DevigError):
            rows.append([method, translated(str(answer))])
            continue
        parameter = "" if answer.parameter is None else f"{num(answer.parameter):.6f}"
        figures = [*_odds(answer.fair_odds), *_percents(answer.probabilities)]
        rows.append([method, *figures, parameter])
    full = [row for row in rows if len(row) > 2]
    widths = [max(len(row[column]) for row in full) for column in range(len(full[0]))]
    widths[0] = max(len(row[0]) for row in rows)
    lines = [_line(row, widths) for row in rows]
    margin = _("margin {percent:.4f} %").format(percent=num((total - 1) * 100))
    return "\n".join([*lines, "", margin])


def _odds(prices: Sequence[float]) -> list[str]:
    return [f"{num(price):.4f}" for price in prices]


def _percents(probabilities: Sequence[float]) -> list[str]:
    return [f"{num(probability * 100):.4f} %" for probability in probabilities]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    name, *figures = row
    cells = figures  # a single text says why there are no figures
    if len(figures) > 1:
        cells = [text.rjust(width) for text, width in zip(figures, widths[1:], strict=True)]
    return "  ".join([name.ljust(widths[0]), *cells]).rstrip()
