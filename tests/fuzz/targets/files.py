"""Other people's files: each price kept or counted, each problem told in a line."""

import msgspec

from oddsdesk.contract.names import UNSHOWABLE
from oddsdesk.contract.quotes import check_quote
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.importing import leave_out_future, set_times
from oddsdesk.ledger.reading import read_bets
from oddsdesk.pricing.formats import DECIMAL
from oddsdesk.spreadsheets import SheetError
from tests.fuzz.targets.quotes import check_written

NOW_MS = 1_790_000_000_000


class _Files(msgspec.Struct):
    files: list[msgspec.Raw]


def football_data(data: bytes) -> None:
    """Import a CSV of football-data."""
    _import("football-data", data)


def oddsharvester(data: bytes) -> None:
    """Import OddsHarvester's JSON."""
    _import("oddsharvester", data)


def pinnacle(data: bytes) -> None:
    """Import answers of Pinnacle, which need each other: those that stand under ``files``."""
    try:
        files = msgspec.json.decode(data, type=_Files).files
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        files = [data]
    _import("pinnacle", *map(bytes, files))


def the_odds_api(data: bytes) -> None:
    """Import an answer of The Odds API."""
    _import("the-odds-api", data)


def bets(data: bytes) -> None:
    """Import a table of bets, whoever wrote it."""
    try:
        found = read_bets(data, NOW_MS, DECIMAL)
    except SheetError:
        return
    assert all(bet.odds > 1 and bet.stake > 0 for bet in found.bets)


def _import(format_name: str, *files: bytes) -> None:
    read = [SourceFile(f"file {number}", data) for number, data in enumerate(files)]
    imported = Imported()
    for each in IMPORTERS[format_name].convert_each(read):
        imported.merge(each)
    _check(imported)


def _check(imported: Imported) -> None:
    assert all(count > 0 for count in imported.skipped.values())
    assert not any(map(UNSHOWABLE.search, [*imported.skipped, *imported.problems]))
    for quote in imported.quotes:
        assert check_quote(quote, quote.scraped_at) == quote
    imported.quotes.sort(key=lambda quote: quote.scraped_at)
    set_times(imported, NOW_MS, None)
    leave_out_future(imported, NOW_MS, "")
    for quote in imported.quotes:
        check_written(quote)
