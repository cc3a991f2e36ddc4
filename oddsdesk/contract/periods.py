"""Labels of periods, by sport (D8)."""

from typing import Final

_WHOLE: Final = {
    "Basketball": "Full Game",
    "Hockey": "Full Game",
    "Tennis": "Match",
    "Baseball": "Full Game",
    "AmericanFootball": "Full Game",
}
_PART: Final = {"Football": "Half", "Basketball": "Quarter", "Hockey": "Period", "Tennis": "Set"}
_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}


def period_label(sport: str, period: int) -> str:
    """Return what a period is called in a sport, such as ``1st Half`` (D8)."""
    if period == 0:
        return _WHOLE.get(sport, "Full Time")
    if sport == "AmericanFootball" and period == 1:
        return "1st Half"
    part = _PART.get(sport)
    if part is None or (part == "Half" and period > 2):
        return f"Period {period}"
    return f"{_ordinal(period)} {part}"


def _ordinal(number: int) -> str:
    if 11 <= number % 100 <= 13:
        return f"{number}th"
    return f"{number}{_ENDINGS.get(number % 10, 'th')}"
