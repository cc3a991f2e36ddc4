"""``oddsdesk fair``: fair odds of a game's usual lines, from some of its odds or expected goals."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import click

from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli.options import F, Number
from oddsdesk.cli.own_records import own_setting
from oddsdesk.cli.terminal import aligned
from oddsdesk.contract.competitions import FOOTBALL, SPORTS, named_sport
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.desk.settings.declared import METHOD
from oddsdesk.ledger.own_tables import known_bands
from oddsdesk.pricing import derived
from oddsdesk.pricing.derived import FairGame, sides_of
from oddsdesk.pricing.devig import METHODS, DevigError, NotApplicableError, devig
from oddsdesk.pricing.formats import OddsFormatError, parse_typed
from oddsdesk.pricing.score_models import Model, has_model
from oddsdesk.pricing.selections import LineGroup, handicap_text, line_text
from oddsdesk.pricing.value import MIN_OVERROUND, LineName, ReferenceLine, reference_line

_LONGEST: Final = 1_000
_HIGHEST_RATE: Final = 10.0
_MOST_SHOWN: Final = 6
"""Goals of a team in the list of scores."""
_HEADINGS: Final = (
    N_("MARKET"),
    N_("SELECTION"),
    N_("FAIR ODDS"),
    N_("PROBABILITY"),
    "",
    N_("BAND"),
)
_RIGHT: Final = frozenset({"FAIR ODDS", "PROBABILITY", "BAND"})
_EXAMPLE: Final = "oddsdesk fair Football --moneyline 2.05 3.50 3.70 --total 2.5 1.95 1.90"
_REACHES: Final = {"Hockey": 2.5, "Baseball": 3.0, "Basketball": 10.0, "AmericanFootball": 7.0}
_USUAL_REACH: Final = 3.0
"""How far the usual lines are from those given, in points or games."""


class _Given(NamedTuple):
    """A market as it was typed; odds are decimal."""

    option: str
    team: str
    """``Home`` or ``Away`` for team totals, else empty."""
    line: float | None
    odds: tuple[float, ...]


class _Form(NamedTuple):
    """The values that an option takes."""

    has_team: bool
    has_line: bool
    counts: tuple[int, ...]
    """The allowed numbers of odds."""
    expected: str


_FORMS: Final = {
    "--moneyline": _Form(
        False,
        False,
        (2, 3),
        _("the odds of home, draw and away, or of home and away: 2.05 3.5 3.7"),
    ),
    "--total": _Form(False, True, (2,), _("a line and the odds of over and under: 2.5 1.95 1.9")),
    "--spread": _Form(
        False,
        True,
        (2,),
        _("the home team's handicap and the odds of home and away: -0.5 2.05 1.85"),
    ),
    "--team-total": _Form(
        True, True, (2,), _("a team, a line and the odds of over and under: Home 1.5 2.1 1.75")
    ),
    "--btts": _Form(False, False, (2,), _("the odds of yes and no: 1.8 2.05")),
}


class _Command(click.Command):
    """Passes all values that follow an option to it, as one text."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the values of the options that take several."""
        joined, rest = list[str](), list(args)
        while rest:
            word = rest.pop(0)
            if word in _FORMS:
                values = list[str]()
                while rest and not rest[0].startswith("--"):
                    values.append(rest.pop(0))
                word = f"{word}={' '.join(values)}"
            joined.append(word)
        return super().parse_args(ctx, joined)


class _Market(click.ParamType):  # type: ignore[type-arg]
    """The line and odds of a market, as one text."""

    name = "market"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> _Given:
        """Read a market."""
        option = param.opts[0] if param is not None else ""
        form, words = _FORMS[option], str(value).split()
        needed = form.has_team + form.has_line
        if len(words) - needed not in form.counts:
            text = _("{given!r}: expected {form}")
            given = str(value) or _("nothing")
            self.fail(text.format(given=given, form=form.expected), param, ctx)
        team = words.pop(0).capitalize() if form.has_team else ""
        if form.has_team and team not in {"Home", "Away"}:
            self.fail(_("{team}: expected Home or Away as the team").format(team=team), param, ctx)
        line = _line(words.pop(0)) if form.has_line else None
        if form.has_line and (line is None or (option != "--spread" and line <= 0)):
            text = _("{value!r}: expected a line such as 2.5, 3 or 2.25")
            self.fail(text.format(value=value), param, ctx)
        try:
            odds = tuple(map(parse_typed, words))
        except OddsFormatError as error:
            self.fail(translated(str(error)), param, ctx)
        return _Given(option, team, line, odds)


def _line(text: str) -> float | None:
    """Return a line; None unless it is a whole, half or quarter number of a usual size."""
    try:
        line = float(text.replace(",", "."))
    except ValueError:
        return None
    return line + 0.0 if abs(line) < _LONGEST and (line * 4).is_integer() else None


def _option(name: str, metavar: str, meaning: str) -> Callable[[F], F]:
    return click.option(name, type=_Market(), multiple=True, metavar=metavar, help=meaning)


@click.command(cls=_Command)
@click.argument("sport")
@click.option(
    "--rates",
    type=Number(0, _HIGHEST_RATE, above=True, what=_("expected goals")),
    nargs=2,
    metavar="HOME AWAY",
    help=_("Expected goals of both teams, instead of odds (football)."),
)
@click.option(
    "--rho",
    type=Number(-1, 1, what="rho"),
    metavar="R",
    help=_("With --rates: below 0 makes 0-0 and 1-1 more likely. Default: 0."),
)
@_option(
    "--moneyline",
    "HOME [DRAW] AWAY",
    _("Odds of the match result; leave out DRAW if there is none."),
)
@_option("--total", "LINE OVER UNDER", _("A total and its odds; may be repeated."))
@_option("--spread", "LINE HOME AWAY", _("The home team's handicap and its odds; may be repeated."))
@_option("--team-total", "TEAM LINE OVER UNDER", _("A total of Home or Away; may be repeated."))
@_option("--btts", "YES NO", _("Odds of both teams to score."))
@click.option(
    "--method",
    type=click.Choice(METHODS),
    metavar="METHOD",
    help=_("Devig method: how margins are removed. Default: the desk's setting."),
)
@click.option("--json", "as_json", is_flag=True, help=_("Print one JSON object."))
def fair(
    sport: str,
    rates: tuple[float, float] | None,
    rho: float | None,
    method: str | None,
    as_json: bool,
    **given: Sequence[_Given],
) -> None:
    """Work out a game's fair odds from some of its lines.

    SPORT is one such as Football. Give the odds of one bookmaker before kick-off. Other lines
    follow from them by arithmetic (implied), or from a model of the score that is fitted to all of
    them (modelled). BAND is by how many percentage points the probability of a modelled line may
    be off. The desk does not use modelled odds without a band.

    Below the table is what was fitted. In football these are the expected goals (home rate, away
    rate), rho (below 0: 0-0 and 1-1 are more likely) and dispersion (above 1: totals vary less).

    Odds may be decimal, fractional (21/20) or American (+105).

    \b
    Examples:
        oddsdesk fair Football --moneyline 2.05 3.50 3.70 --total 2.5 1.95 1.90
        oddsdesk fair Football --rates 1.9 1.1 --rho -0.05
        oddsdesk fair Basketball --moneyline 1.6 2.45 --spread -4.5 1.9 1.95 --total 221.5 1.9 1.9
    """
    found = fair_game(sport, rates, rho, method, given)
    click.echo(json.dumps(fields(found), indent=2) if as_json else _table(found))


def fair_game(
    sport: str,
    rates: tuple[float, float] | None,
    rho: float | None,
    method: str | None,
    given: Mapping[str, Sequence[_Given]],
) -> "_Found":
    """Work out what ``fair`` prints, from its options.

    Raises:
        click.UsageError: they contradict each other, or no fair odds follow from them.
    """
    played = named_sport(sport)
    if played is None:
        text = _("no sport {name!r}; expected one of {known}")
        raise click.UsageError(text.format(name=sport, known=", ".join(SPORTS[:-1])))
    markets = [each for option in given.values() for each in option]
    if rates is not None:
        if markets:
            raise click.UsageError(_("give --rates or odds, not both"))
        if method is not None:
            raise click.UsageError(_("--method removes the margin of odds; rates have none"))
        return _by_rates(played, rates, rho or 0.0)
    if not markets:
        text = _("give odds or --rates; for example: {command}")
        raise click.UsageError(text.format(command=_EXAMPLE))
    if rho is not None:
        raise click.UsageError(_("--rho needs --rates; with odds it is fitted"))
    return _by_odds(played, markets, method or own_setting(METHOD))


class _Priced(NamedTuple):
    """The fair odds of a side."""

    market_type: str
    selection: str
    probability: float
    kind: str
    """``given``, ``implied`` or ``modelled``."""
    band: float | None
    why_no_band: str = ""
    """Why a modelled line has no band, so that the desk does not use it."""


class _Found(NamedTuple):
    """The prices to print, and the model behind them."""

    sport: str
    model: Model | None
    prices: Sequence[_Priced]
    notes: Sequence[str]


def _by_rates(sport: str, rates: tuple[float, float], rho: float) -> _Found:
    if sport != FOOTBALL:
        raise click.UsageError(_("--rates is for football only; give odds of other sports"))
    from oddsdesk.pricing.score_grid import score_grid  # noqa: PLC0415 - numpy, not at start

    home, away = rates
    if min(1 - home * away * rho, 1 + home * rho, 1 + away * rho) < 0:
        text = _(
            "a rho of {rho:g} gives a score a probability below 0 with these rates; usual values "
            "are -0.15 to 0.05"
        )
        raise click.UsageError(text.format(rho=num(rho)))
    model = score_grid(home, away, rho)
    centres = {"total": [_half(home + away)], "spread": [_half(away - home)]}
    prices = [
        price
        for name, group in _usual_lines(sport, centres)
        for price in _modelled(model, sport, name, group, _("it needs odds, not --rates"))
    ]
    return _Found(sport, model, prices, [])


def _by_odds(sport: str, markets: Sequence[_Given], method: str) -> _Found:
    lines = dict[LineName, ReferenceLine]()
    for given in markets:
        line = _reference_line(sport, given, method)
        name = LineName(line.market_type, line.group.key)
        if name in lines:
            option = f"{given.option} {line.group.key}".strip()
            raise click.UsageError(_("{option}: given twice").format(option=option))
        lines[name] = line
    bands = known_bands(method)
    game = FairGame(sport, lines.values(), bands.bands)
    centres = defaultdict[str, list[float]](list)
    for name, line in lines.items():
        if line.group.line is not None:
            centres[_about(name)].append(line.group.line)
    groups = dict(_usual_lines(sport, centres))
    groups |= {name: line.group for name, line in lines.items()}
    ordered = sorted(groups.items(), key=lambda each: _rank(each[0], each[1]))
    prices = [
        price
        for name, group in ordered
        for price in _prices(game, sport, name, group, lines.get(name))
    ]
    notes = [*bands.problems]
    if game.model is None:
        text = _("there is no model of {sport}").format(sport=translated(sport))
        if has_model(sport):
            text = _(
                "no model fits: give a match result or a handicap, and a total, that do not "
                "contradict each other"
            )
        notes.append(text)
    return _Found(sport, game.model, prices, notes)


def _rank(name: LineName, group: LineGroup) -> tuple[int, bool, float]:
    return MARKET_RANK[name.market_type], name.key.startswith("Away "), group.line or 0.0


def _reference_line(sport: str, given: _Given, method: str) -> ReferenceLine:
    market_type, key = _name(sport, given)
    has_draw = len(given.odds) == 3
    if market_type == "moneyline" and sport == FOOTBALL and not has_draw:
        raise click.UsageError(_("--moneyline of football takes three odds: home, draw and away"))
    group = _group(sport, LineName(market_type, key), given.line, has_draw=has_draw)
    try:
        line = reference_line(
            market_type, group, given.odds, scraped_at=0, is_live=False, method=method
        )
        devig(method, given.odds)
    except NotApplicableError as error:
        text = _("{option}: {reason}; try another --method")
        reason = translated(str(error))
        raise click.UsageError(text.format(option=given.option, reason=reason)) from error
    except DevigError as error:
        raise click.UsageError(f"{given.option}: {translated(str(error))}") from error
    if (line.overround or 0.0) < MIN_OVERROUND:
        text = _(
            "{option}: the odds imply {percent:.2f} %, below 100 %; expected those of one "
            "bookmaker, with its margin"
        )
        percent = (line.overround or 0.0) * 100
        raise click.UsageError(text.format(option=given.option, percent=num(percent)))
    return line


def _name(sport: str, given: _Given) -> LineName:
    in_games = sport == "Tennis"
    match given.option, given.line:
        case "--total", float() as line:
            return LineName("total_games" if in_games else "total", line_text(line))
        case "--spread", float() as line:
            return LineName("games_handicap" if in_games else "spread", handicap_text(line))
        case "--team-total", float() as line:
            return LineName("team_total", f"{given.team} {line_text(line)}")
        case "--btts", _:
            return LineName("btts", "")
    return LineName("moneyline", "")


def _about(name: LineName) -> str:
    """Return the ladder that a line is on: ``total``, ``spread``, ``Home``."""
    if name.market_type == "team_total":
        return name.key.partition(" ")[0]
    return {"total_games": "total", "games_handicap": "spread"}.get(
        name.market_type, name.market_type
    )


def _group(sport: str, name: LineName, line: float | None, *, has_draw: bool) -> LineGroup:
    market_type, key = name
    sides = sides_of(market_type, sport, has_draw=has_draw)
    texts = tuple(derived.selection_text(market_type, key, side) for side in sides)
    return LineGroup(key, line, texts, sides, complete=market_type != "double_chance")


def _half(number: float) -> float:
    return round(number * 2) / 2


def _usual_lines(
    sport: str, centres: Mapping[str, Sequence[float]]
) -> Iterator[tuple[LineName, LineGroup]]:
    """Yield the usual lines of a sport around some; ``centres`` by kind, as ``_about``."""
    is_football = sport == FOOTBALL
    total, spread = "total", "spread"
    if sport == "Tennis":
        total, spread = "total_games", "games_handicap"
    names: list[tuple[LineName, float | None]] = [
        (LineName(name, ""), None) for name in ("moneyline", "double_chance", "draw_no_bet")
    ]
    level = (0.0,) if is_football else ()
    lines = _around(sport, centres.get("spread", level), -3, 3)
    names += [(LineName(spread, handicap_text(line)), line) for line in lines]
    lines = _around(sport, centres.get("total", ()), 0.5, 6.5)
    names += [(LineName(total, line_text(line)), line) for line in lines]
    for team in ("Home", "Away"):
        lines = _around(sport, centres.get(team, ()), 0.5, 4.5)
        names += [(LineName("team_total", f"{team} {line_text(line)}"), line) for line in lines]
    if is_football:
        names.append((LineName("btts", ""), None))
        names += [(LineName("3way_handicap", handicap_text(n)), float(n)) for n in range(-3, 4)]
    for name, line in names:
        yield name, _group(sport, name, line, has_draw=is_football)


def _around(sport: str, centres: Sequence[float], low: float, high: float) -> list[float]:
    """Return half and whole lines around the given ones; for football low to high, and quarters."""
    if sport != FOOTBALL:
        reach = _REACHES.get(sport, _USUAL_REACH)
        steps = int(reach * 2)
        near = {_half(each) + step / 2 for each in centres for step in range(-steps, steps + 1)}
        return sorted(line for line in near if low < 0 or line > 0)
    usual = {low + step / 2 for step in range(int((high - low) * 2) + 1)}
    near = {each + step / 4 for each in centres for step in range(-4, 5)}
    return sorted(usual | {line for line in near if low < 0 or line > 0})


def _prices(
    game: FairGame, sport: str, name: LineName, group: LineGroup, own: ReferenceLine | None
) -> Iterator[_Priced]:
    """Yield the sides of a line as the desk prices it, or as the model has it."""
    line = own or game.line(name.market_type, group)
    if line is not None:
        kind = N_("given") if line.derived is None else line.derived.kind
        bands = {} if line.derived is None else line.derived.bands
        for text, (side, price) in zip(line.group.selections, line.prices.items(), strict=True):
            if price.fair_odds is not None:
                band = bands.get(side)
                yield _Priced(name.market_type, text, 1 / price.fair_odds, kind, band)
    elif game.model is not None:
        why = game.why_not(name.market_type, group)
        yield from _modelled(game.model, sport, name, group, why)


def _modelled(
    model: Model, sport: str, name: LineName, group: LineGroup, why: str
) -> Iterator[_Priced]:
    for text, side in zip(group.selections, group.sides, strict=True):
        chance = model.probability(*name, side)
        if chance is not None and 0 < chance < 1:
            yield _Priced(name.market_type, text, chance, "modelled", None, why)


def fields(found: _Found) -> dict[str, Any]:
    """Return fair odds in the form that ``--json`` prints."""
    markets = defaultdict[str, dict[str, Any]](dict)
    without = defaultdict[str, dict[str, str]](dict)
    for price in found.prices:
        markets[price.market_type][price.selection] = {
            "probability": price.probability,
            "fair_odds": 1 / price.probability,
            "kind": price.kind,
            "band": price.band,
        }
        if price.why_no_band:
            without[price.market_type][price.selection] = price.why_no_band
    fit: dict[str, Any] = {}
    if found.model is not None:
        fit = {key.replace(" ", "_"): value for key, value in found.model.parameters.items()}
        fit["misses"] = [
            {
                "market_type": line.market_type,
                "selection": derived.selection_text(*line[:3]),
                "miss": miss,
            }
            for line, miss in found.model.misses
        ]
        if found.sport == FOOTBALL:
            fit["scores"] = _scores(found.model)
    fit["without_band"] = without
    fit["notes"] = list(found.notes)
    return {"fit": fit, "markets": markets}


def _scores(model: Any) -> dict[str, float]:
    """Return how likely the usual scores of football are."""
    goals = range(_MOST_SHOWN + 1)
    return {f"{home}-{away}": model.chance(home, away) for home in goals for away in goals}


def _table(found: _Found) -> str:
    rows = [
        (
            translated(market_title(price.market_type)),
            selection_text(price.selection),
            f"{num(1 / price.probability):.3f}",
            f"{num(price.probability * 100):.2f} %",
            translated(price.kind),
            "" if price.band is None else f"±{num(price.band * 100):.2f}",
        )
        for price in found.prices
    ]
    return "\n".join([*aligned(_HEADINGS, rows, _RIGHT), "", *_remarks(found)])


def _remarks(found: _Found) -> Iterator[str]:
    """Yield the fitted figures, and why lines have no band."""
    if found.model is not None:
        yield ", ".join(
            f"{translated(name)} {num(value):.4g}" for name, value in found.model.parameters.items()
        )
        if found.model.misses:
            line, miss = max(found.model.misses, key=lambda each: abs(each[1]))
            yield _(
                "worst fit: {market} {selection}, off by {points:.2f} percentage points"
            ).format(
                market=translated(market_title(line.market_type)),
                selection=selection_text(derived.selection_text(*line[:3])),
                points=num(abs(miss) * 100),
            )
    reasons = defaultdict[str, dict[str, None]](dict)
    for price in found.prices:
        if price.why_no_band:
            title = translated(market_title(price.market_type))
            reasons[price.why_no_band][title] = None
    for why, titles in reasons.items():
        text = _("lines without a band ({markets}): {reason}")
        yield text.format(markets=", ".join(titles), reason=translated(why))
    yield from map(translated, found.notes)
