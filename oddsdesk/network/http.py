"""HTTP requests over httpx, and its errors in plain words; imported when first needed."""

import asyncio
import ssl
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from http.cookiejar import DefaultCookiePolicy
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final, NamedTuple

import httpx

from oddsdesk.network.addresses import USER_AGENT, host_of
from oddsdesk.network.bodies import ACCEPTED, PIECE, Unpacking
from oddsdesk.network.errors import NotConnectedError, UnreachableError, silence_text
from oddsdesk.network.secrets import filter_library, without_keys
from oddsdesk.network.trust import system_trust
from oddsdesk.slices import SLICE_S

WHOLE_REQUEST_S: Final = 40
_LARGE: Final = 2 * 1024 * 1024
"""In bytes, unpacked: of answers beyond that a client takes in one at a time."""
_TIMEOUT = httpx.Timeout(15, connect=5, pool=20)
_POOL = httpx.Limits(max_connections=8, max_keepalive_connections=8, keepalive_expiry=60)
_FIXED: Final = {
    "Accept": "application/json",
    "Accept-Encoding": ACCEPTED,
    "User-Agent": USER_AGENT,
}

if find_spec("sniffio") is None:
    # WORKAROUND https://github.com/encode/httpcore/pull/1103: it looks for that module four times a
    # request, in every folder of the path
    sys.modules["sniffio"] = None  # type: ignore[assignment]
filter_library(
    "httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy"
)


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class HttpClient:
    """A pool of connections to one service; ``close`` ends them.

    It follows no redirect and keeps no cookies: a key is for one address only.
    """

    def __init__(self, headers: Mapping[str, str], *, is_secure: bool, is_local: bool) -> None:
        self._http = httpx.AsyncClient(
            headers={**_FIXED, **headers},
            timeout=_TIMEOUT,
            limits=_POOL,
            verify=system_trust() if is_secure else False,
            trust_env=not is_local,
            follow_redirects=False,
        )
        self._http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
        self._large_turn = asyncio.Lock()
        self.heard = 0
        """How often anything came, the head of an answer or a piece of one."""

    async def send(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | Sequence[str]],
        *,
        headers: Mapping[str, str] | None = None,
        json: object = None,
        limit_s: float = WHOLE_REQUEST_S,
    ) -> Reply:
        """Send a request, ``json`` as its body, and return the whole answer.

        Without ``params`` the query of ``url`` stays.

        Raises:
            UnreachableError: there was no answer within the limit, or no connection.
            UnusableAnswerError: it is larger than any answer, or packed as nobody asked for.
        """
        try:
            async with (
                asyncio.timeout(limit_s),
                self._http.stream(
                    method, url, params=params or None, headers=headers, json=json
                ) as response,
            ):
                body = await self._body_of(response, host_of(url))
        except TimeoutError as error:
            raise UnreachableError(f"{host_of(url)} did not answer in full in time") from error
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise NotConnectedError(without_keys(_in_words(error, host_of(url)))) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise UnreachableError(without_keys(_in_words(error, host_of(url)))) from None
        return Reply(response.status_code, MappingProxyType(dict(response.headers)), body)

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def _body_of(self, response: httpx.Response, host: str) -> bytes:
        unpacking = Unpacking(response.headers.get("content-encoding", ""), host)
        chunks = response.aiter_raw()
        ends = time.perf_counter() + SLICE_S
        is_large, taken = False, 0
        self.heard += 1
        async with AsyncExitStack() as turn:
            try:
                async for chunk in chunks:
                    self.heard += 1
                    for _ in unpacking.feed(chunk):
                        if unpacking.size > _LARGE and not is_large:
                            is_large = True
                            await turn.enter_async_context(self._large_turn)
                        if time.perf_counter() > ends or unpacking.size >= taken + PIECE:
                            await asyncio.sleep(0)
                            ends, taken = time.perf_counter() + SLICE_S, unpacking.size
            except BaseException:
                unpacking.forget()
                await response.aclose()
                del chunks  # closed, and within the task: Qt's loop ends none that is left
                raise
        return unpacking.whole()


def _in_words(error: Exception, host: str) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate of {host} cannot be trusted: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return f"no secure connection with {host}: does it speak https?"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.ReadTimeout):
        return silence_text(host)
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
        return f"this machine cannot reach {host}: check the address and the network"
    if "network is unreachable" in text or "no route" in text:
        return f"the network does not reach {host}"
    return f"nothing answers at {host}"
