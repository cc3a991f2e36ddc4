"""Reading a recording to replay: quotes in the order of their scrapes."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, Importer, SourceFile
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.ndjson import BadLine, read_quotes
from oddsdesk.feeds.sources import expand, read_file

ROUND_MS = MINUTE_MS
"""Snapshots whose newest quotes are this close belong to one round of requests."""
_ANY_TIME = 1 << 60

_log = logging.getLogger(__name__)


class Moment(msgspec.Struct, frozen=True):
    """Quotes of one time, in the order of ``scraped_at``."""

    at: int
    quotes: Sequence[Quote]


def read_recording(place: str) -> list[Moment]:
    """Return the moments of a recording, oldest first.

    Args:
        place: ``FILE`` of NDJSON quotes, or ``FORMAT:FILE``; FILE may be a folder or a
            pattern. Snapshots are said whole, at the time of their newest quote.

    Raises:
        FeedError: there is no such file, or no quote in it.
    """
    format_name, _, rest = place.partition(":")
    importer = IMPORTERS.get(format_name)
    paths = _expand(rest if importer else place)
    moments = _quotes_of(paths) if importer is None else _imported(paths, importer)
    if not moments:
        raise FeedError(f"{place}: there are no quotes to replay")
    return moments


def _expand(place: str) -> list[Path]:
    try:
        return expand(place)
    except FeedError as error:
        formats = ", ".join(sorted(IMPORTERS))
        raise FeedError(f"{error} (formats that can be named before it: {formats})") from error


def _quotes_of(paths: Iterable[Path]) -> list[Moment]:
    quotes: list[Quote] = []
    for path in paths:
        bad: list[BadLine] = []
        try:
            with path.open("rb") as stream:
                for item in read_quotes(stream, lambda: _ANY_TIME):
                    quotes.append(item) if isinstance(item, Quote) else bad.append(item)
        except OSError as error:
            raise FeedError(f"cannot read {path}: {error.strerror or error}") from error
        if bad:
            _log.warning(
                "%s: %d bad lines left out; line %d: %s",
                path.name,
                len(bad),
                bad[0].number,
                bad[0].reason,
            )
    return _by_scrape(quotes)


def _imported(paths: Iterable[Path], importer: Importer) -> list[Moment]:
    files = (SourceFile(path.name, read_file(path)) for path in paths)
    converted = [_warned(imported).quotes for imported in importer.convert_each(files)]
    if importer.snapshots:
        return list(_rounds([quotes for quotes in converted if quotes]))
    return _by_scrape([quote for quotes in converted for quote in quotes])


def _warned(imported: Imported) -> Imported:
    for problem in imported.problems:
        _log.warning("%s", problem)
    return imported


def _by_scrape(quotes: list[Quote]) -> list[Moment]:
    quotes.sort(key=attrgetter("scraped_at"))
    return [Moment(at, list(group)) for at, group in groupby(quotes, attrgetter("scraped_at"))]


def _rounds(snapshots: Iterable[list[Quote]]) -> Iterator[Moment]:
    """One moment for the snapshots of each round of asking."""
    dated = sorted(((_newest(quotes), quotes) for quotes in snapshots), key=lambda pair: pair[0])
    together: list[Quote] = []
    began: int | None = None
    for newest, quotes in dated:
        if began is not None and newest - began > ROUND_MS:
            yield _moment(together)
            together, began = [], None
        began = newest if began is None else began
        together = together + quotes
    if together:
        yield _moment(together)


def _moment(quotes: list[Quote]) -> Moment:
    return Moment(_newest(quotes), sorted(quotes, key=attrgetter("scraped_at")))


def _newest(quotes: list[Quote]) -> int:
    return max(quote.scraped_at for quote in quotes)
