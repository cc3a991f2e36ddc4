"""The Python client of an odds service, for programs and notebooks; it needs no Qt.

async with Client("https://odds.example", key) as client:
    rows = await client.odds(competition="EPL")
    frame = pandas.DataFrame(rows.to_dicts())
    async for change in client.stream(competition="EPL"):
        print(change.bookmaker, change.selection, change.odds)

``SyncClient`` is the same without ``await``. httpx and websockets are imported with the
first request and the first stream, not here.
"""

from oddsdesk.client.answers import EventAnswer, GameAnswer, Listing
from oddsdesk.client.blocking import SyncClient
from oddsdesk.client.client import HISTORY_PATH, MOVES_PATH, Client
from oddsdesk.client.errors import (
    AddressError,
    BadRequestError,
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    OfflineError,
    RateLimitedError,
    ServiceError,
    ServiceUnavailableError,
    UnauthorizedError,
)
from oddsdesk.client.quota import Quota
from oddsdesk.client.rows import to_dicts
from oddsdesk.client.stream import Connected, Connecting, Lost, StreamState
from oddsdesk.client.whole_odds import OddsSnapshot
from oddsdesk.contract.resources import (
    Bookmaker,
    Event,
    Game,
    Health,
    HistoryRow,
    OddsRow,
    PriceChange,
    PriceMessage,
    Sport,
    StreamToken,
    ValueBet,
)
from oddsdesk.contract.results import ResultRow

__all__ = [
    "HISTORY_PATH",
    "MOVES_PATH",
    "AddressError",
    "BadRequestError",
    "Bookmaker",
    "Client",
    "Connected",
    "Connecting",
    "Event",
    "EventAnswer",
    "ForbiddenError",
    "Game",
    "GameAnswer",
    "Health",
    "HistoryRow",
    "Listing",
    "Lost",
    "MalformedAnswerError",
    "NotFoundError",
    "OddsRow",
    "OddsSnapshot",
    "OfflineError",
    "PriceChange",
    "PriceMessage",
    "Quota",
    "RateLimitedError",
    "ResultRow",
    "ServiceError",
    "ServiceUnavailableError",
    "Sport",
    "StreamState",
    "StreamToken",
    "SyncClient",
    "UnauthorizedError",
    "ValueBet",
    "to_dicts",
]
