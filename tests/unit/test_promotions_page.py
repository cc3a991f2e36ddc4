"""`docs/promotions.md`: each worked example prints what the page shows."""

import shlex

import pytest
from click.testing import CliRunner

from oddsdesk.cli.promo import promo
from oddsdesk.pricing.promotions import (
    PromoKind,
    PromotedBet,
    Promotion,
    certainty_equivalent,
    hedged_by_lay,
)
from tests.kit.documented import DOCS, Example, sections

EXAMPLES = [example for section in sections("promotions.md") for example in section.examples]


def test_every_kind_of_hedge_has_an_example() -> None:
    shown = " ".join(example.code for example in EXAMPLES)
    kinds = {kind for kind in PromoKind if f"--kind {kind.value} " in shown}
    assert kinds == set(PromoKind) - {PromoKind.BONUS}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.code.strip())
def test_an_example_prints_what_the_page_shows(example: Example) -> None:
    program, command, *arguments = shlex.split(example.code)
    assert (program, command) == ("oddsdesk", "promo")
    assert CliRunner().invoke(promo, arguments).output == example.shown


def test_the_figures_in_the_text_are_right() -> None:
    page = " ".join((DOCS / "promotions.md").read_text("utf-8").split())
    free = hedged_by_lay(PromotedBet(PromoKind.FREE, 25, 6.0), 6.4, 0.02)
    assert f"this keeps {100 * free.locked / 25:.1f} %" in page
    bonus = Promotion(name="", kind=PromoKind.BONUS, bookmaker="", amount=50, wagering=4)
    lost = -hedged_by_lay(PromotedBet(PromoKind.QUALIFY, 10, 2.1), 2.16, 0.02).locked
    cost = bonus.turnover * lost / 10
    figures = f"{100 * lost / 10:.2f} % of each stake, as in the qualifying bet above, this costs "
    assert f"{figures}{cost:.2f}, so {50 - cost:.2f} of the bonus" in page
    worth = certainty_equivalent([(0.2, 400), (0.8, 0)], 1_000, 0.25)
    assert "a free bet of 100 at 5.0 has an EV of 80; with a bankroll of 1,000 and" in page
    assert f"a Kelly fraction of 25 %, it is worth about {worth:.0f}." in page
