"""Makes docs/capacity.md: how many cores a load takes, by what the benchmarks measured.

python benchmarks/capacity.py           # after a benchmark's figure was put into figures.toml
"""

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

HERE: Final = Path(__file__).parent
PAGE: Final = HERE.parent / "docs" / "capacity.md"
BUSY: Final = 0.7
"""How much of a core a process may be busy for: what comes at once has to wait else."""
SEEN_EVERY_S: Final = 10
HEARD: Final = 0.01
"""The part of all changes that a stream hears: that of a competition, say."""


class Load(NamedTuple):
    """What is asked of a service."""

    title: str
    selections: int
    changes: int
    requests: int
    streams: int


LOADS: Final = (
    Load("a group of friends", 50_000, 100, 20, 50),
    Load("a service", 200_000, 2_000, 500, 1_000),
    Load("a large service", 1_000_000, 10_000, 5_000, 10_000),
    Load("a very large one", 1_000_000, 25_000, 5_000, 10_000),
)
_HEAD: Final = """# How many cores a load takes

Made by `python benchmarks/capacity.py` from `benchmarks/figures.toml`: do not edit it here.
Processor time is what adds up; how long an answer takes is in [benchmarks.md](benchmarks.md).
Measured {measured} on {machine},
which did other work, too: on a machine of its own each figure is lower.
"""
_WORK: Final = """
## What one of each costs

| | microseconds | `benchmarks/` |
| --- | ---: | --- |
{rows}
"""
_LOADS: Final = """
## What that makes

Cores, all of them busy. Every live selection is seen each {seen} s, and each stream hears
{heard:.0%} of all changes. As many processes stream as keep each below {busy:.0%} of a core.
What PostgreSQL takes for their looks at the log comes on top.

| | {titles} |
| --- | {rule} |
{rows}
"""
_LIMITS: Final = """
## What more cores do not move

- **A process that streams follows {followed:,.0f} price changes a second** at {busy:.0%} of a
  core, as it reads and encodes each, whoever listens. {beyond}
- **One recorder** records {recorded:,.0f} selections a second with a core. On a file all take
  turns, so that is the limit of a file; on PostgreSQL each shard of the log has its own.
- **The archive** takes {archive:.1f} % of a core and {day:,.1f} GB a day at 1,000 changes a second.
"""


class Figures:
    """``figures.toml``: microseconds by name, and what they are of."""

    def __init__(self) -> None:
        said: dict[str, Any] = tomllib.loads((HERE / "figures.toml").read_text("utf-8"))
        self.machine, self.measured = said.pop("machine"), said.pop("measured")
        self._said = said

    def __getitem__(self, name: str) -> float:
        return float(self._said[name]["value"])

    def rows(self) -> Iterator[str]:
        for each in self._said.values():
            unit = f" {each['unit']}" if "unit" in each else ""
            yield f"| {each['what']} | {each['value']:,g}{unit} | `{each['by']}` |"


def streaming(load: Load, figures: Figures) -> int | None:
    """Return how many processes stream; None where each has too much to follow, however many."""
    left = BUSY - load.changes * figures["change"] / 1e6
    messages = load.streams * load.changes * HEARD * figures["message"] / 1e6
    return math.ceil(messages / left) if left > 0 else None


def cores(load: Load, figures: Figures) -> dict[str, str]:
    """Return the cores of a load by what they do."""
    recorded = load.selections / SEEN_EVERY_S
    count = streaming(load, figures)
    streams = load.streams * load.changes * HEARD * figures["message"]
    spent = {
        "recording": recorded * figures["record_here"],
        "answering": load.requests * figures["request"],
        "streaming": streams + load.changes * (count or 0) * figures["change"],
        "valuation": load.changes * figures["market"],
        "archive": load.changes * figures["archive"],
        "PostgreSQL": recorded * figures["record_database"]
        + load.requests * figures["request_database"],
    }
    told = {name: f"{value / 1e6:,.2f}" for name, value in spent.items()}
    alone = recorded * figures["record_file"]
    on_a_file = alone + load.requests * figures["request_file"]
    on_a_file += sum(spent[each] for each in ("streaming", "valuation", "archive"))
    told["all, on PostgreSQL"] = f"**{sum(spent.values()) / 1e6:,.1f}**"
    told["all, on a file"] = f"**{on_a_file / 1e6:,.1f}**"
    if alone / 1e6 > BUSY:
        told["all, on a file"] = "too much for one writer"
    if count is None:
        told |= dict.fromkeys(("streaming", *list(told)[-2:]), "cannot be followed")
    return told


def table_of_loads(figures: Figures) -> str:
    found = [cores(load, figures) for load in LOADS]
    asked = {
        "live selections": [f"{load.selections:,}" for load in LOADS],
        "changes a second": [f"{load.changes:,}" for load in LOADS],
        "requests a second": [f"{load.requests:,}" for load in LOADS],
        "streams": [f"{load.streams:,}" for load in LOADS],
        "processes that stream": [str(streaming(load, figures) or "-") for load in LOADS],
    }
    rows = asked | {name: [each[name] for each in found] for name in found[0]}
    return _LOADS.format(
        seen=SEEN_EVERY_S,
        heard=HEARD,
        busy=BUSY,
        titles=" | ".join(load.title for load in LOADS),
        rule=" | ".join(["---:"] * len(LOADS)),
        rows="\n".join(f"| {name} | {' | '.join(told)} |" for name, told in rows.items()),
    )


def page() -> str:
    """Return the page."""
    figures = Figures()
    followed = BUSY * 1e6 / figures["change"]
    beyond = [load.title for load in LOADS if load.changes > followed]
    return (
        _HEAD.format(machine=figures.machine, measured=figures.measured)
        + _WORK.format(rows="\n".join(figures.rows()))
        + table_of_loads(figures)
        + _LIMITS.format(
            followed=followed,
            busy=BUSY,
            beyond=f"So {' and '.join(beyond)} cannot be served." if beyond else "",
            recorded=1e6 / figures["record_file"],
            archive=figures["archive"] * 1_000 / 1e6 * 100,
            day=figures["archived"] * 1_000 * 86_400 / 1e9,
        )
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
