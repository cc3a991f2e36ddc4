"""Other people's files: each price kept or counted, each problem told in a line."""

import contextlib
from collections.abc import Callable
from functools import partial

import msgspec

from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.contract.quotes import check_match_name, check_quote
from oddsdesk.contract.series import check_series
from oddsdesk.contract.texts import UNSHOWABLE
from oddsdesk.feeds.accounts.betfair import BetfairOrders
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, Importer, SourceFile
from oddsdesk.feeds.importing import leave_out_future, load_importer, set_times
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet
from oddsdesk.ledger.reading import read_bets
from oddsdesk.pricing.formats import DECIMAL
from oddsdesk.pricing.profiles import Profile
from tests.fuzz.targets.quotes import check_written

NOW_MS = 1_790_000_000_000


class _Files(msgspec.Struct):
    files: list[msgspec.Raw]


def importing(format_name: str) -> Callable[[bytes], None]:
    """Return what imports a file of a format; of one that joins files, those under ``files``."""
    return partial(_import, load_importer(format_name))


def _import(importer: Importer, data: bytes) -> None:
    parts = [data]
    if importer.joins_files:
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            parts = [bytes(each) for each in msgspec.json.decode(data, type=_Files).files]
    read = [SourceFile(f"file {number}", part) for number, part in enumerate(parts)]
    imported = Imported()
    for each in importer.convert_each(read):
        imported.merge(each)
    _check(imported)


def bets(data: bytes) -> None:
    """Import a table of bets of any origin."""
    try:
        found = read_bets(data, NOW_MS, DECIMAL)
    except SheetError:
        return
    assert all(bet.odds > 1 and bet.stake > 0 for bet in found.bets)


def account(data: bytes) -> None:
    """Read a recorded answer or order stream of an account at Betfair."""
    orders = BetfairOrders(Profile(name="Betfair Exchange", group="", commission=0.05))
    try:
        orders.take_file(data)
    except FeedError:
        return
    found = orders.account_bets()
    assert not any(map(UNSHOWABLE.search, [*found.problems, *found.remarks]))
    for bet in found.bets:
        fields = msgspec.structs.asdict(bet)
        kind = BetKind.LAY if fields.pop("is_lay") else BetKind.BACK
        fields |= {"game_id": "", "bookmaker": found.bookmaker, "kind": kind}
        fields["source_id"] = fields.pop("ident")
        with contextlib.suppress(BadBetError):  # refused with its reason
            check_bet(PlacedBet(**fields))


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
    for series in imported.series:
        assert check_series(series) == series
        assert all(point.scraped_at <= NOW_MS for point in series.points)
    for result in imported.results:
        assert check_match_name(result.match_name) == result.match_name
