"""The examples of `docs/ledger.md`, worked out from the bet that each line describes."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.legs import closed_by_legs
from oddsdesk.ledger.reporting import whole_report
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.stakes import net_lay_odds
from tests.unit.ledger.test_kinds_in_figures import PLAIN

PAGE = Path(__file__).parents[3] / "docs" / "ledger.md"
TITLES = (
    "kind | bet | staked | if it wins | if it loses | fair odds | EV | expected | close | CLV | "
    "wins by chance"
)
REPLACE = msgspec.structs.replace


def lines() -> list[list[str]]:
    table = PAGE.read_text(encoding="utf-8").split(f"| {TITLES} |\n")[1].split("\n\n")[0]
    return [
        [cell.strip() for cell in row.strip("| ").split(" | ")] for row in table.split("\n")[1:]
    ]


def numbers(text: str) -> list[float]:
    return [float(each.replace("−", "-")) for each in re.findall(r"[+−]?\d+(?:\.\d+)?", text)]


def described(kind: str, text: str, fair: str, close: str) -> PlacedBet:
    """Return the bet of a line."""
    stake, odds, *more = numbers(text)
    fairs, closes = numbers(fair), numbers(close)
    fields: dict[str, Any] = {"stake": stake, "odds": odds, "kind": BetKind(kind)}
    match fields["kind"]:
        case BetKind.LAY:
            fields["net_odds"] = net_lay_odds(odds, more[0] / 100)
        case BetKind.BOOST:
            fields["unboosted_odds"] = more[0]
        case BetKind.REFUND:
            fields |= {"refund": more[0], "refund_as": "money"}
        case BetKind.EACH_WAY:
            fields["place_fraction"] = more[0] / more[1]
        case BetKind.MULTIPLE:
            fields["legs"] = tuple(
                BetLeg(
                    selection=str(at),
                    odds=each,
                    fair_odds=fairs[at],
                    close=ClosingLine(odds=each, fair_odds=closes[at]),
                )
                for at, each in enumerate(more)
            )
            return closed_by_legs(REPLACE(PLAIN, **fields))
    if fairs:
        fields |= {"fair_odds": fairs[0], "true_ev": 0.0}
    return REPLACE(PLAIN, **fields, close=ClosingLine(odds=closes[0], fair_odds=closes[0]))


def outcomes(placed: PlacedBet) -> list[PlacedBet]:
    """Return the bet won, and in the second way that a line may describe."""
    won = [settled(placed, Result.WON, 1)]
    if placed.kind is BetKind.EACH_WAY:
        won.append(settled(placed, Result.PLACED, 1))
    if placed.legs:
        first, second = placed.legs
        legs = (REPLACE(first, result=Result.WON), REPLACE(second, result=Result.VOID))
        won.append(settled(REPLACE(placed, legs=legs), Result.WON, 1))
    return won


def test_there_is_an_example_of_each_kind() -> None:
    assert [line[0] for line in lines()] == [kind.value for kind in BetKind]


@pytest.mark.parametrize("line", lines(), ids=lambda line: line[0])
def test_the_figures_of_an_example_are_those_of_the_ledger(line: list[str]) -> None:
    kind, text, staked, wins, loses, fair, ev, expected, close, clv, chance = line
    placed = described(kind, text, fair, close)
    won, lost = outcomes(placed), settled(placed, Result.LOST, 1)
    assert placed.staked == numbers(staked)[0]
    assert [each.profit for each in won] == pytest.approx(numbers(wins))
    assert lost.profit == pytest.approx(numbers(loses)[0])
    assert placed.clv_pct == pytest.approx(numbers(clv)[0], abs=0.005)
    chances = [(whole_report([each]).chance or 0.0) * 100 for each in won]
    assert chances == pytest.approx(numbers(chance), abs=0.005)
    if ev == "–":
        assert (placed.ev, placed.expected) == (None, None)
    else:
        assert placed.ev == pytest.approx(numbers(ev)[0], abs=0.005)
        assert placed.expected == pytest.approx(numbers(expected)[0], abs=0.005)
