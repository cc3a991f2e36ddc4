"""Every quality rule over REST, just inside and just outside its threshold (D26..D28).

The figures are worked out here from the contract's text, not by ``pricing``.
"""

import asyncio
from typing import Any, NamedTuple

import pytest

from oddsdesk.pricing.devig import METHODS, devig

EVEN = {"Over 2.5": 2.05, "Under 2.5": 1.88}
TEAMS = {"Arsenal -0.5": 2.05, "Chelsea +0.5": 1.88}
LONG = {"Over 2.5": 18.0, "Under 2.5": 1.03}
MONEYLINE = {"Arsenal": 2.1, "Draw": 3.5, "Chelsea": 3.8}
STEP = 1e-6


def fair(reference: dict[str, float]) -> float:
    """Step 2 of the EV calculation for the first selection, TRJ read as the return rate."""
    first, outcomes = next(iter(reference.values())), len(reference)
    margin = sum(1 / odds for odds in reference.values()) - 1
    return outcomes * first / (outcomes - margin * first)


class Case(NamedTuple):
    """A market whose first selection is value at ``inside`` and not at ``outside``."""

    market_type: str
    reference: dict[str, float]
    inside: float
    outside: float


def around(threshold: float, *, least: bool) -> tuple[float, float]:
    inner = STEP if least else -STEP
    return threshold + inner, threshold - inner


PAYOUT = 1 / (0.99 - 1 / 1.88)
CASES = {
    "minimum edge": Case("total", EVEN, *around(fair(EVEN) * 1.01 * 1.01, least=True)),
    "minimum edge, three-way": Case(
        "moneyline", MONEYLINE, *around(fair(MONEYLINE) * 1.01 * 1.01, least=True)
    ),
    "payout rate of price and opposite odds": Case("total", EVEN, *around(PAYOUT, least=False)),
    "odds ratio": Case("total", LONG, *around(fair(LONG) * 1.15, least=False)),
    "cap of spread": Case(
        "spread",
        {"Arsenal -0.5": 18.0, "Chelsea +0.5": 1.03},
        *around(fair(LONG) * 1.01 * 1.10, least=False),
    ),
    "cap of moneyline": Case(
        "moneyline",
        {"Arsenal": 18.0, "Draw": 6.0, "Chelsea": 1.25},
        *around(fair({"a": 18.0, "b": 6.0, "c": 1.25}) * 1.01 * 1.10, least=False),
    ),
}  # fmt: skip


@pytest.fixture
def listed(live):
    """Records a reference and two bookmakers, In and Out; returns which are listed."""
    key = live.key()

    async def record(case: Case) -> set[str]:
        first, *others = case.reference
        quotes = [
            live.quote(bookmaker=name, market_type=case.market_type, odds=odds)
            for name, odds in (
                ("Pinnacle", case.reference),
                ("In", {first: case.inside, **dict.fromkeys(others, 1.01)}),
                ("Out", {first: case.outside, **dict.fromkeys(others, 1.01)}),
            )
        ]
        sentinel = [
            live.quote(bookmaker=name, match_name="A - B", market_type="total", odds=odds)
            for name, odds in (("Pinnacle", EVEN), ("In", {"Over 2.5": 2.15, "Under 2.5": 1.5}))
        ]
        await live.record(*quotes, *sentinel)
        async with asyncio.timeout(30):
            while True:
                bets = await live.get("/api/value-bets?min_ev=0", key)
                if any(bet["match_name"] == "A - B" for bet in bets):
                    break
                await asyncio.sleep(0.02)
        return {bet["bookmaker"] for bet in bets if bet["match_name"] != "A - B"}

    return record


@pytest.mark.parametrize("name", CASES)
async def test_rule_holds_up_to_its_threshold_and_no_further(listed, name):
    """service.md, Quality rules; D26, D26a, D28."""
    assert await listed(CASES[name]) == {"In"}


async def test_wide_reference_values_nothing(listed):
    """service.md, Quality rules: raw reference TRJ <= 1.05."""
    narrow = Case("total", {"Over 2.5": 2.0, "Under 2.5": 1.8182}, 2.2, 1.9)
    assert await listed(narrow) == {"In"}
    wide = Case("total", {"Over 2.5": 2.0, "Under 2.5": 1.8181}, 2.2, 1.9)
    assert await listed(wide) == set()


async def test_props_have_the_higher_floor(listed):
    """service.md, EV calculation 3: 1.01 x 1.03 for player_prop."""
    reference = {"Messi shots Over 2.5": 18.0, "Messi shots Under 2.5": 1.03}
    least = fair(reference) * 1.01 * 1.03 * 1.01
    assert await listed(Case("player_prop", reference, *around(least, least=True))) == {"In"}


@pytest.mark.parametrize(
    ("market_type", "reference"),
    [
        ("total", {"Over 2.5": 2.05}),
        ("moneyline", {"Arsenal": 2.05, "Chelsea": 1.95}),
        ("double_chance", {"1X": 2.05, "X2": 2.1, "12": 2.1}),
    ],
)
async def test_what_is_not_whole_or_overlaps_is_never_valued(listed, market_type, reference):
    """D27; service.md, Quality rules: all reference sides present."""
    assert await listed(Case(market_type, reference, 2.2, 2.3)) == set()


async def test_each_line_of_a_row_has_its_own_sum(listed):
    """D27: S is formed per line group, never over a row that holds several lines."""
    lines = {**EVEN, "Over 3.5": 3.2, "Under 3.5": 1.38}
    assert await listed(Case("total", lines, *around(PAYOUT, least=False))) == {"In"}


async def test_who_bets_on_something_else_is_never_valued(live, listed):
    """D27: three-way and two-way hockey; some of the reference's outcomes are enough."""
    home, away = "Boston Bruins", "New York Rangers"
    teams = {"match_name": f"{home} - {away}", "competition": "NHL"}
    three = {home: 2.4, "Draw": 4.0, away: 2.7}
    await live.record(
        live.quote(bookmaker="Pinnacle", odds=three, **teams),
        live.quote(bookmaker="Teams only", odds={home: 2.6, away: 1.5}, **teams),
        live.quote(bookmaker="All", odds={home: 2.6, "Draw": 3.9, away: 2.6}, **teams),
        live.quote(bookmaker="Some", odds={home: 2.6, "Draw": 3.9}, **teams),
    )
    found = await listed(Case("total", EVEN, 2.15, 2.0))
    assert found == {"In", "All", "Some"}


@pytest.mark.parametrize("method", METHODS)
async def test_devig_setting_decides_the_fair_price(live, listed, method):
    """D26: all methods chosen by name; a restart with another revalues what is stored."""
    await listed(Case("total", EVEN, 2.14, 2.15))
    await live.stop()
    live.devig_method = method
    await live.start()
    expected = _published() if method == "published" else devig(method, [2.05, 1.88]).fair_odds[0]
    bets = await _revalued(live, round(expected, 4))
    for bet in bets:
        assert bet["ev_pct"] == round((bet["odds"] / (expected * 1.01) - 1) * 100, 2)
        assert bet["payout_rate"] == 1.0197
    value = {odds for odds in (2.14, 2.15) if odds / (expected * 1.01) >= 1.01}
    assert {bet["odds"] for bet in bets} == value


def _published() -> float:
    """Steps 1 and 2 to the letter."""
    trj = 1 / 2.05 + 1 / 1.88
    return 2 * 2.05 / (2 - 2.05 * (1 / trj - 1))


async def _revalued(live: Any, fair_odds: float) -> list[dict[str, Any]]:
    """The bets on 2.05/1.88 once all of them, and there are some, have this fair price."""
    key = live.key()
    async with asyncio.timeout(30):
        while True:
            bets = await live.get("/api/value-bets", key)
            found = [bet for bet in bets if bet["match_name"] != "A - B"]
            if bets and all(bet["fair_odds"] == fair_odds for bet in bets):
                return found
            await asyncio.sleep(0.02)
