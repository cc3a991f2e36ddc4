"""Opening the stream's WebSocket: address with token, pings, refusals as ``ServiceError``."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from oddsdesk.client.addresses import Addresses
from oddsdesk.client.errors import OfflineError, ServiceUnavailableError
from oddsdesk.network.errors import NoWebSocketError, UnreachableError
from oddsdesk.network.websocket import Pinging, WebSocket, open_websocket

PING_EVERY_S: Final = 4.0
SILENCE_S: Final = 10.0
"""Nothing received for so long, a ping unanswered for 6 s at least: prices may move unheard."""


async def open_socket(addresses: Addresses, query: Mapping[str, str]) -> WebSocket:
    """Open a connection; the query holds the token, so no error names the address in full.

    Raises:
        OfflineError: nobody answered within 10 s.
        ServiceUnavailableError: something answered, but opened no stream.
    """
    url = f"{addresses.stream}/api/stream?{urlencode(query)}"
    try:
        return await open_websocket(url, Pinging("ping", PING_EVERY_S, SILENCE_S))
    except NoWebSocketError as error:
        code = f"http_{error.status}"
        raise ServiceUnavailableError(code, error.message, error.status) from None
    except UnreachableError as error:
        raise OfflineError(error.message) from None
