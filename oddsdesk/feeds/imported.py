"""What an importer is given and what it answers."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from oddsdesk.contract.game_results import GameResult
from oddsdesk.contract.names import UNSHOWABLE
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.errors import FeedError

OVER: Final = "of a game that is over, with the date of another"
"""Why prices are left out that stand beside a final score and a kick-off yet to come."""


class SourceFile(msgspec.Struct, frozen=True):
    """A file of somebody else's format; ``name`` is what messages call it."""

    name: str
    data: bytes


class Imported(msgspec.Struct):
    """What came of files: every price in them is either in a quote or counted as skipped.

    ``skipped`` counts prices by reason. ``problems`` are lines for people, each naming a
    file or a part of one that made no sense. ``inferred_times``: the files have no time of
    scrape, or one after the game, so ``scraped_at`` follows from kick-offs. ``shifted``: all times
    were moved (``importing.set_times``). ``american``: the files whose prices were taken as
    American odds.
    """

    quotes: list[Quote] = msgspec.field(default_factory=list)
    results: list[GameResult] = msgspec.field(default_factory=list)
    """How games ended, where files tell it and when they began."""
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    problems: list[str] = msgspec.field(default_factory=list)
    inferred_times: bool = False
    shifted: bool = False
    american: list[str] = msgspec.field(default_factory=list)
    older: int = 0
    """Prices of the quotes that were not recorded, since newer ones are."""

    @property
    def kept(self) -> int:
        """How many prices are in the quotes, and not ``older``."""
        return sum(len(quote.odds) for quote in self.quotes) - self.older

    def skip_older(self, prices: int, *, there: int) -> None:
        """Count prices of the quotes that recording left out; ``there`` the log has already."""
        self.older += prices
        for reason, count in (
            ("older than what is recorded", prices - there),
            ("recorded before", there),
        ):
            if count:
                self.skipped[reason] += count

    def merge(self, other: "Imported") -> None:
        """Take in what came of other files; their words come without what cannot be shown."""
        self.quotes += other.quotes
        self.results += other.results
        for reason, prices in (+other.skipped).items():
            self.skipped[_showable(reason)] += prices
        self.problems += map(_showable, other.problems)
        self.inferred_times |= other.inferred_times
        self.american += map(_showable, other.american)


class Importer(msgspec.Struct, frozen=True):
    """How a format is read.

    ``snapshots``: each file is an answer that was given at one moment. ``joins_files``: files
    need each other, so that they must be converted together.
    """

    convert: Callable[[Sequence[SourceFile]], Imported]
    snapshots: bool = False
    joins_files: bool = False

    def convert_each(self, files: Iterable[SourceFile]) -> Iterator[Imported]:
        """Yield what comes of each file as it is read, or of all where they need each other.

        A file that holds no price at all is a problem: it is seldom what was meant.
        """
        groups: Iterable[list[SourceFile]] = ([file] for file in files)
        if self.joins_files:
            groups = [list(files)]
        for group in groups:
            found = self.convert(group)
            if group and not found.problems and not found.kept + found.skipped.total():
                found.problems.append(f"{group[0].name}: holds no price")
            yield found


def file_by_file(
    convert: Callable[[SourceFile], Imported],
) -> Callable[[Sequence[SourceFile]], Imported]:
    """Return the converter of many files: one that can't be read is a problem, no more."""

    def convert_all(files: Sequence[SourceFile]) -> Imported:
        result = Imported()
        for file in files:
            try:
                result.merge(convert(file))
            except FeedError as error:
                result.problems.append(f"{file.name}: {error}")
        return result

    return convert_all


def _showable(text: str) -> str:
    return UNSHOWABLE.sub(" ", text)


def count_prices(raw: Any, *names: str) -> int:
    """Return how many numbers or texts stand under the given names, however deep."""
    return sum(1 for _ in _said_under(raw, names))


def prices_in(raw: Any, *names: str) -> Iterator[float]:
    """Yield the numbers that stand under the given names, however deep, in no order."""
    return (said for said in _said_under(raw, names) if not isinstance(said, str))


def _said_under(raw: Any, names: Collection[str]) -> Iterator[float | str]:
    waiting = [raw]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            for name, value in part.items():
                if name in names and isinstance(value, int | float | str):
                    yield value
                else:
                    waiting.append(value)
