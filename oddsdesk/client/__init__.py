"""The Python client of an odds service, for programs and notebooks; it needs no Qt.

async with Client("https://odds.example", key) as client:
    rows = await client.odds(competition="EPL")
    frame = pandas.DataFrame(rows.to_dicts())
    async for change in client.stream(competition="EPL"):
        print(change.bookmaker, change.selection, change.odds)
"""

from oddsdesk.client.answers import Listing
from oddsdesk.client.client import Client
from oddsdesk.client.errors import (
    AddressError,
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
from oddsdesk.client.stream import Connected, Connecting, Lost, StreamState

__all__ = [
    "AddressError",
    "Client",
    "Connected",
    "Connecting",
    "ForbiddenError",
    "Listing",
    "Lost",
    "MalformedAnswerError",
    "NotFoundError",
    "OfflineError",
    "Quota",
    "RateLimitedError",
    "ServiceError",
    "ServiceUnavailableError",
    "StreamState",
    "UnauthorizedError",
]
