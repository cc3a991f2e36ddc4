"""The input and the result of importers."""

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from oddsdesk.base.file_kinds import wrong_kind
from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import BadQuoteError, Quote, check_quote
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.series import GameSeries, check_series, count_odds
from oddsdesk.contract.texts import UNSHOWABLE
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import FilePart, lines_of

OVER: Final = N_("finished game with a kick-off in the future")
"""Reason for leaving out games with a final score and a future kick-off."""
BROKEN_DRAW: Final = N_("draw without a possible price")
"""Reason for leaving out the sides of a moneyline."""


def older_by_reason(prices: int, there: int) -> Counter[str]:
    """Return prices that recording skipped by the reason; ``there`` are already in the log."""
    return +Counter(
        {N_("older than the recorded price"): prices - there, "already recorded": there}
    )


class SourceFile(msgspec.Struct, frozen=True):
    """A file in another program's format; ``name`` is used in messages.

    ``data`` is empty if it is read line by line, from ``part``.
    """

    name: str
    data: bytes
    part: FilePart | None = None

    def lines(self) -> Iterator[bytes]:
        """Yield the lines, without their ends.

        Raises:
            FeedError: it can't be read to the end; what came before was yielded.
        """
        return lines_of(iter([self.data]) if self.part is None else self.part.chunks())

    def head(self) -> bytes:
        """Return the beginning of the file, or all of it; nothing if it can't be read."""
        if self.part is None:
            return self.data
        with contextlib.suppress(FeedError):
            return next(self.part.chunks(), b"")
        return b""


class Imported(msgspec.Struct):
    """The result of reading files: every price is in a quote or a series, or counted as skipped.

    ``skipped`` counts prices by reason. ``problems`` are lines for people, each naming a file or an
    unreadable part of one. ``inferred_times``: the files have no scrape times, or only later than
    the games, so ``scraped_at`` is inferred from kick-offs. ``shifted``: all times were shifted
    (``importing.set_times``). ``american``: the files read as American odds.
    """

    quotes: list[Quote] = msgspec.field(default_factory=list)
    results: list[GameResult] = msgspec.field(default_factory=list)
    """Results of games, if files have them together with the start."""
    series: list[GameSeries] = msgspec.field(default_factory=list)
    """Statistics of many bookmakers, one for each game; never among the quotes."""
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    problems: list[str] = msgspec.field(default_factory=list)
    inferred_times: bool = False
    shifted: bool = False
    american: list[str] = msgspec.field(default_factory=list)
    older: int = 0
    """Number of prices not recorded because newer ones exist."""

    @property
    def kept(self) -> int:
        """Number of prices in the quotes, to back and to lay, without the ``older`` ones."""
        return sum(quote.price_count for quote in self.quotes) - self.older

    def keep_quote(self, quote: Quote, broken: str, place: str) -> None:
        """Keep a quote in its recorded form; a refused one becomes a problem of ``place``.

        Its prices are then counted under ``broken``.
        """
        try:
            checked = check_quote(quote, quote.scraped_at)
        except BadQuoteError as error:
            self.skipped[broken] += _prices(quote)
            self.problems.append(f"{place}: {error}")
            return
        if len(checked.odds) < len(quote.odds) and (lost := _prices(quote) - len(checked.odds)):
            self.skipped[BROKEN_DRAW] += lost
        self.quotes.append(checked)

    def keep_series(self, series: GameSeries, broken: str, place: str) -> None:
        """Keep a game's series in its stored form; a refused one becomes a problem of ``place``.

        Its odds are then counted under ``broken``.
        """
        try:
            self.series.append(check_series(series))
        except BadQuoteError as error:
            self.skipped[broken] += sum(count_odds([series]).values())
            self.problems.append(f"{place}: {error}")

    def skip_older(self, prices: int, *, there: int) -> None:
        """Count prices that recording skipped; ``there`` of them are already in the log."""
        self.older += prices
        self.skipped.update(older_by_reason(prices, there))

    def merge(self, other: "Imported") -> None:
        """Add the result of other files, with unprintable characters removed from its texts."""
        self.quotes += other.quotes
        self.results += other.results
        self.series += other.series
        for reason, prices in (+other.skipped).items():
            self.skipped[_showable(reason)] += prices
        self.problems += map(_showable, other.problems)
        self.inferred_times |= other.inferred_times
        self.american += map(_showable, other.american)


class Importer(msgspec.Struct, frozen=True):
    """How a format is read.

    ``snapshots``: each file is one answer of a moment. ``joins_files``: files need each other and
    must be converted together. ``by_line``: files may be larger than memory, so they are not read
    before ``SourceFile.lines``. ``name`` is that of the format, filled in by ``load_importer``.
    """

    convert: Callable[[Sequence[SourceFile]], Imported]
    snapshots: bool = False
    joins_files: bool = False
    by_line: bool = False
    name: str = ""

    def convert_each(self, files: Iterable[SourceFile]) -> Iterator[Imported]:
        """Yield the result of each file, or of all together if they need each other.

        A file without any price, result or series is a problem, since it is probably the wrong
        file: if it is one of another kind, the problem names that.
        """
        groups: Iterable[list[SourceFile]] = ([file] for file in files)
        if self.joins_files:
            groups = [list(files)]
        for group in groups:
            found = self.convert(group)
            prices = found.kept + found.skipped.total()
            if group and not prices + len(found.results) + len(found.series):
                self._name_other_kinds(group, found)
            yield found

    def _name_other_kinds(self, group: Sequence[SourceFile], found: Imported) -> None:
        """Replace the problems of files that are of another kind by a line that names it."""
        for file in group:
            if (other := wrong_kind(file.name, file.head(), self.name)) is not None:
                about = f"{file.name}: "
                found.problems = [each for each in found.problems if not each.startswith(about)]
                found.problems.append(other)
        if not found.problems:
            found.problems.append(f"{group[0].name}: no prices in it")


def file_by_file(
    convert: Callable[[SourceFile], Imported],
) -> Callable[[Sequence[SourceFile]], Imported]:
    """Return a converter of many files; an unreadable one becomes a problem."""

    def convert_all(files: Sequence[SourceFile]) -> Imported:
        result = Imported()
        for file in files:
            try:
                result.merge(convert(file))
            except (FeedError, SheetError) as error:
                result.problems.append(f"{file.name}: {error}")
        return result

    return convert_all


def _prices(quote: Quote) -> int:
    return sum(map(bool, quote.odds.values()))


def _showable(text: str) -> str:
    return UNSHOWABLE.sub(" ", text)


def count_prices(raw: Any, *names: str) -> int:
    """Return the number of numbers and texts under these keys, at any depth."""
    return sum(1 for _ in _said_under(raw, names))


def prices_in(raw: Any, *names: str) -> Iterator[float]:
    """Yield the numbers under these keys, at any depth, in no particular order."""
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
