"""A preset's filter in few words."""

from collections.abc import Sequence

from oddsdesk.contract.markets import market_title
from oddsdesk.ledger.presets import ValueFilter


def filter_text(chosen: ValueFilter) -> str:
    """Return a filter in few words: ``true EV ≥ 1 % · odds 1.5 – 3 · all books``."""
    said = [f"true EV ≥ {chosen.min_true_ev:g} %"]
    said += _odds(chosen.min_odds, chosen.max_odds)
    said += _some(chosen.sports, "sports")
    said += _some([market_title(market) for market in chosen.market_types], "markets")
    if chosen.in_play is not None:
        said.append("in play" if chosen.in_play else "before kick-off")
    said += _some(chosen.bookmakers, "books") or ["all books"]
    return " · ".join(said)


def _some(names: Sequence[str], word: str) -> list[str]:
    if not names:
        return []
    return [names[0] if len(names) == 1 else f"{len(names)} {word}"]


def _odds(least: float | None, most: float | None) -> list[str]:
    if least is not None and most is not None:
        return [f"odds {least:g} – {most:g}"]
    if least is not None:
        return [f"odds ≥ {least:g}"]
    return [] if most is None else [f"odds ≤ {most:g}"]
