"""`oddsdesk arbitrage`: bets that cover everything across bookmakers, without a window."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.board.opportunities import Opportunities
from oddsdesk.board.opportunity import Opportunity
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.board.verdict_words import caution_text
from oddsdesk.cli.bet_sources import board_of, read_moment, reference_choice, source_options
from oddsdesk.cli.options import Number
from oddsdesk.cli.own_records import own_setting
from oddsdesk.cli.tables import aligned, plain
from oddsdesk.clock import system_clock
from oddsdesk.desk.settings.declared import split_of
from oddsdesk.pricing.opportunities import LOW_HOLD, OpportunityKind
from oddsdesk.slices import exhaust
from oddsdesk.store.databases import Database

_HEADINGS: Final = (
    *("KIND", "PROFIT", "MARGIN", "STAKE", "ODDS", "NET"),
    *("LEG", "BOOKMAKER", "CAUTION", "GAME"),
)
_RIGHT: Final = frozenset({"PROFIT", "MARGIN", "STAKE", "ODDS", "NET"})


@click.command()
@source_options
@click.option(
    "--least",
    type=Number(-100, what="number of percent"),
    default=0.0,
    metavar="PERCENT",
    show_default=True,
    help="Only what brings at least so much in the worst outcome that decides, after rounding of "
    "the stakes; "
    f"0 is every arbitrage, every low hold up to {LOW_HOLD:.0%} and every middle that costs no "
    "more or that gains on average.",
)
@click.option(
    "--kind",
    type=click.Choice([kind.value for kind in OpportunityKind]),
    help="Only one kind.",
)
@reference_choice
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, by kind, best first.")
def arbitrage(
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    least: float,
    kind: str | None,
    reference: str | None,
    as_json: bool,
) -> None:
    """List bets that cover everything across bookmakers: arbitrage, middles, low hold.

    Profit and margin are by net odds; the margin, hold_pct with --json, is what they add up to
    above 1. Stakes divide what the desk's settings say (100) among the legs, in their steps. The
    reference tells a middle's chance, and what speaks against a leg beside it: one that is too good
    may be a mistake that its bookmaker takes back.

    \b
    Example:
      oddsdesk arbitrage
      oddsdesk arbitrage --least 1 --kind arbitrage --json
      oddsdesk arbitrage --url https://odds.example --key-file key.txt
    """
    moment = read_moment(database, url, key_file, system_clock())
    now_ms = system_clock()
    board = board_of(moment, now_ms, reference)
    found = Opportunities(board, lambda: now_ms, lambda: split_of(own_setting))
    exhaust(found.looking())
    listed = [
        each
        for each in sorted(found.entries.values(), key=Opportunity.order)
        if (kind is None or each.kind.value == kind) and (not least or each.profit_pct >= least)
    ]
    if as_json:
        click.echo(json.dumps([fields(each) | moment.marks for each in listed], indent=2))
    else:
        click.echo(_table(listed, moment.sources, board.reference or UNNAMED_REFERENCE))


def fields(found: Opportunity) -> dict[str, Any]:
    """Return an opportunity as ``--json`` prints it."""
    told: dict[str, Any] = {
        "kind": found.kind.value,
        "game_id": found.key.game_id,
        "match_name": found.match_name,
        "competition": found.competition,
        "market_type": found.key.market_type,
        "period": found.key.period,
        "line": found.line,
        "profit_pct": round(found.profit_pct, 2),
        "push": None if found.outlay.push is None else round(found.outlay.push, 2),
        "hold_pct": round(found.hold_pct, 2),
        "legs": [
            {
                "bookmaker": leg.bookmaker,
                "selection": leg.key.selection,
                "odds": leg.odds,
                "net_odds": round(leg.net_odds, 4),
                "stake": leg.stake,
                "cautions": [caution.value for caution in leg.cautions],
            }
            for leg in found.legs
        ],
    }
    if (middle := found.middle) is not None:
        told |= {
            "loss": round(middle.loss, 2),
            "hit": round(middle.hit, 2),
            "break_even_pct": round(middle.break_even * 100, 2),
            "chance_pct": None if middle.chance is None else round(middle.chance * 100, 2),
        }
    return told


def _table(found: Sequence[Opportunity], sources: Sequence[str], reference: str) -> str:
    rows = [row for each in found for row in _rows(each, reference)]
    lines = [*aligned(_HEADINGS, rows, _RIGHT), ""] if rows else []
    counts = Counter(each.kind for each in found)
    lines.append(", ".join(f"{counts[kind]} {_words(kind)}" for kind in OpportunityKind))
    if sources:
        lines.append(f"prices of {plain(', '.join(sources))}")
    return "\n".join(lines)


def _rows(found: Opportunity, reference: str) -> list[tuple[str, ...]]:
    """Return a line a leg; what is of all legs stands at the first."""
    period = f", period {found.key.period}" if found.key.period else ""
    market = found.key.market_type.replace("_", " ")
    whole = (_words(found.kind), f"{found.profit_pct:+.2f} %", f"{found.hold_pct:+.2f} %")
    game = plain(f"{found.match_name}, {market}{period}{_other_words(found)}")
    return [
        (
            *(("", "", "") if place else whole),
            f"{leg.stake:g}",
            f"{leg.odds:g}",
            "" if leg.net_odds == leg.odds else f"{leg.net_odds:.3f}",
            plain(leg.key.selection),
            plain(leg.bookmaker),
            "; ".join(caution_text(caution, reference) for caution in leg.cautions),
            "" if place else game,
        )
        for place, leg in enumerate(found.legs)
    ]


def _other_words(found: Opportunity) -> str:
    """What is won where the line is hit, or between two lines."""
    middle, push = found.middle, found.outlay.push
    if middle is None:
        return "" if push is None else f": push {push:+.2f}"
    chance = "" if middle.chance is None else f", chance {middle.chance:.1%}"
    return f": hit {middle.hit:+.2f}, breaks even at {middle.break_even:.1%}{chance}"


def _words(kind: OpportunityKind) -> str:
    return kind.value.replace("-", " ")
