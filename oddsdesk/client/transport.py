"""HTTP requests over httpx, and its errors in plain words; imported when first needed."""

import asyncio
import ssl
from collections.abc import Mapping
from http.cookiejar import DefaultCookiePolicy
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from oddsdesk.client.bodies import ACCEPTED, Unpacking
from oddsdesk.client.errors import OfflineError

_TIMEOUT = httpx.Timeout(15, connect=5, pool=20)
_WHOLE_REQUEST_S = 40
_POOL = httpx.Limits(max_connections=8, max_keepalive_connections=8, keepalive_expiry=60)


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class Transport:
    """A pool of connections; ``close`` ends them."""

    def __init__(self, key: str, *, is_secure: bool, is_local: bool) -> None:
        self._http = httpx.AsyncClient(
            headers={
                "X-Api-Key": key,
                "Accept": "application/json",
                "Accept-Encoding": ACCEPTED,
            },
            timeout=_TIMEOUT,
            limits=_POOL,
            verify=is_secure,  # reading the certificates costs 20 ms: only where they are needed
            trust_env=not is_local,
            follow_redirects=False,  # the key is for this address only
        )
        self._http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))

    async def send(self, method: str, url: str, params: Mapping[str, str]) -> Reply:
        """Send a request and return the whole answer.

        Raises:
            OfflineError: there was no answer within 40 s.
            MalformedAnswerError: it is larger than any answer, or packed as nobody asked for.
        """
        try:
            async with (
                asyncio.timeout(_WHOLE_REQUEST_S),
                self._http.stream(method, url, params=params) as response,
            ):
                body = await _body_of(response, _host(url))
        except TimeoutError as error:
            raise OfflineError(f"{_host(url)} did not answer in full in time") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise OfflineError(_in_words(error, _host(url))) from error
        return Reply(response.status_code, MappingProxyType(dict(response.headers)), body)

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()


async def _body_of(response: httpx.Response, host: str) -> bytes:
    unpacking = Unpacking(response.headers.get("content-encoding", ""), host)
    async for chunk in response.aiter_raw():
        for _ in unpacking.feed(chunk):
            await asyncio.sleep(0)  # others have their turn while much is unpacked
    return unpacking.whole()


def _host(url: str) -> str:
    return urlsplit(url).netloc


def _in_words(error: Exception, host: str) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate of {host} cannot be trusted: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return f"no secure connection with {host}: does it speak https?"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.TimeoutException):
        return f"{host} took too long to answer"
    if isinstance(error, httpx.ConnectError):
        return _not_connected(error, host)
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError):
        return f"the connection with {host} broke off before the answer was complete"
    return f"{host} could not be asked: {type(error).__name__}"


def _not_connected(error: Exception, host: str) -> str:
    text = str(error).lower()
    if any(word in text for word in ("name or service", "getaddrinfo", "nodename", "resolution")):
        return f"there is no {host}: check the address and the network"
    if "network is unreachable" in text or "no route" in text:
        return f"the network does not reach {host}"
    return f"nothing answers at {host}"
