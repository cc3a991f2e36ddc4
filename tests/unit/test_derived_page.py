"""`docs/derived.md` has the figures of the shipped table of error bands."""

from pathlib import Path

import pytest

from oddsdesk.contract.markets import market_title
from oddsdesk.pricing.derived import LEAST_LINES
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.error_bands import shipped_bands, shipped_rows

PAGE = Path(__file__).parents[2] / "docs" / "derived.md"
DISTANCE_TEXTS = {
    "0.5": "at most 0.5",
    "1": "at most 1",
    "2": "at most 2",
    "more": "more",
    "none": "no other line",
}
METHODS = list(dict.fromkeys(row.method for row in shipped_rows()))


def table() -> list[str]:
    lines = [
        "| market | distance | given | band | mean | lines | games |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for row in shipped_rows():
        if row.method == DEFAULT_METHOD:
            _, market_type, distance = row.key
            band = f"{row.error * 100:.2f}"
            shown = band if row.lines >= LEAST_LINES else f"({band})"
            figures = f"{shown} | {row.bias * 100:+.2f} | {row.lines:,} | {row.games:,}"
            place = f"{market_title(market_type)} | {DISTANCE_TEXTS[distance]} | {row.given}"
            lines.append(f"| {place} | {figures} |")
    return lines


def by_method() -> list[str]:
    titles = " | ".join(f"`{method}`" for method in METHODS)
    lines = [f"| market | distance | {titles} |", f"| --- | --- |{' ---: |' * len(METHODS)}"]
    for key in dict.fromkeys(row.key for row in shipped_rows()):
        bands = [shipped_bands(method).get(key) for method in METHODS]
        if all(band is not None and band.lines >= LEAST_LINES for band in bands):
            figures = " | ".join(f"{band.error * 100:.2f}" for band in bands if band)
            lines.append(
                f"| {market_title(key.market_type)} | {DISTANCE_TEXTS[key.distance]} | {figures} |"
            )
    return lines


@pytest.mark.parametrize(("name", "lines"), [("table", table()), ("methods", by_method())])
def test_the_page_has_the_shipped_figures(name: str, lines: list[str]) -> None:
    """If it fails after new figures: put these lines between the marks of the page."""
    _, _, rest = PAGE.read_text("utf-8").partition(f"<!-- {name} -->\n")
    shown, _, _ = rest.partition(f"<!-- end of {name} -->")
    assert shown.strip().splitlines() == lines, "\n".join(lines)
