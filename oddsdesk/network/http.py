"""HTTP requests with httpx, and its errors in plain words; imported when first needed."""

import asyncio
import io
import ssl
import sys
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from http.cookiejar import DefaultCookiePolicy
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final, NamedTuple

import httpx

from oddsdesk.base.tasks import SLICE_S
from oddsdesk.base.texts import N_
from oddsdesk.network import (
    USER_AGENT,
    NotConnectedError,
    UnreachableError,
    UnusableAnswerError,
    host_of,
    silence_text,
)
from oddsdesk.network.secrets import filter_library, without_keys
from oddsdesk.network.trust import system_trust

ACCEPTED: Final = "gzip"
"""Accepted encodings; others cannot be limited while they unpack."""
LARGEST: Final = 32 * 1024 * 1024
"""In bytes, compressed or not."""
PIECE: Final = 256 * 1024
"""Bytes unpacked at a time."""
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS


class Unpacking:
    """Collects the bytes of one body; ``encoding`` is how they are compressed."""

    def __init__(self, encoding: str, host: str) -> None:
        self._host = host
        self._body = io.BytesIO()  # returns its contents without a copy
        self._received = 0
        self._gzip = zlib.decompressobj(_GZIP_WINDOW) if encoding in ("gzip", "x-gzip") else None
        if self._gzip is None and encoding not in ("", "identity"):
            raise UnusableAnswerError(
                f"{host} compresses its answers as {encoding[:20]!r}, which was not requested"
            )

    @property
    def size(self) -> int:
        """Number of unpacked bytes."""
        return self._body.tell()

    def feed(self, chunk: bytes) -> Iterator[None]:
        """Add bytes; yields now and then so that other tasks get their turn.

        Raises:
            UnusableAnswerError: it is too large, or not compressed as stated.
        """
        self._received += len(chunk)
        self._keep_bound(self._received)
        if self._gzip is None:
            self._body.write(chunk)
            yield
            return
        left = chunk
        while left and not self._gzip.eof:
            try:
                self._body.write(self._gzip.decompress(left, PIECE))
            except zlib.error as error:
                raise UnusableAnswerError(
                    f"the answer of {self._host} is not compressed as stated"
                ) from error
            self._keep_bound(self.size)
            left = self._gzip.unconsumed_tail
            yield

    def whole(self) -> bytes:
        """Return the body.

        Raises:
            UnreachableError: it was cut short.
        """
        if self._gzip is not None and self._received and not self._gzip.eof:
            raise UnreachableError(
                f"the connection to {self._host} was cut off before the answer was complete"
            )
        return self._body.getvalue()

    def release_input(self) -> None:
        """Drop the input: an error may be kept for long, with everything in its frames."""
        self._body = io.BytesIO()

    def _keep_bound(self, size: int) -> None:
        if size > LARGEST:
            raise UnusableAnswerError(
                f"{self._host} answered with more than {LARGEST // 1024 // 1024} MiB at once"
            )


WHOLE_REQUEST_S: Final = 40
_LARGE: Final = 2 * 1024 * 1024
"""In bytes, unpacked: a client reads larger answers one at a time."""
_TIMEOUT = httpx.Timeout(15, connect=5, pool=20)
_POOL = httpx.Limits(max_connections=8, max_keepalive_connections=8, keepalive_expiry=60)
_FIXED: Final = {
    "Accept": "application/json",
    "Accept-Encoding": ACCEPTED,
    "User-Agent": USER_AGENT,
}

_UNPACKED: Final = {"Accept-Encoding": "identity"}
"""Within a machine, compression costs more than it saves."""

if find_spec("sniffio") is None:
    # WORKAROUND https://github.com/encode/httpcore/pull/1103: it looks for that module four times a
    # request, in every folder of the path
    sys.modules["sniffio"] = None  # type: ignore[assignment]
filter_library(
    "httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy"
)


class Reply(NamedTuple):
    """An answer."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class HttpClient:
    """A pool of connections to one service; ``close_connections`` ends them.

    It follows no redirect and keeps no cookies: a key is for one address only.
    """

    def __init__(self, headers: Mapping[str, str], *, is_secure: bool, is_local: bool) -> None:
        self._http = httpx.AsyncClient(
            headers={**_FIXED, **(_UNPACKED if is_local else {}), **headers},
            timeout=_TIMEOUT,
            limits=_POOL,
            verify=system_trust() if is_secure else False,
            trust_env=not is_local,
            follow_redirects=False,
        )
        self._http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
        self._large_turn = asyncio.Lock()
        self.signs_of_life = 0
        """Counts signs of life: the head of an answer, or a piece of one."""

    async def send_request(
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
            UnreachableError: no answer within the limit, or no connection.
            UnusableAnswerError: it is too large, or compressed in an unexpected way.
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
            raise UnreachableError(f"{host_of(url)} did not finish its answer in time") from error
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise NotConnectedError(without_keys(_in_words(error, host_of(url)))) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise UnreachableError(without_keys(_in_words(error, host_of(url)))) from None
        return Reply(response.status_code, MappingProxyType(dict(response.headers)), body)

    async def close_connections(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def _body_of(self, response: httpx.Response, host: str) -> bytes:
        unpacking = Unpacking(response.headers.get("content-encoding", ""), host)
        chunks = response.aiter_raw()
        ends = time.perf_counter() + SLICE_S
        is_large, taken = False, 0
        self.signs_of_life += 1
        async with AsyncExitStack() as turn:
            try:
                async for chunk in chunks:
                    self.signs_of_life += 1
                    for _ in unpacking.feed(chunk):
                        if unpacking.size > _LARGE and not is_large:
                            is_large = True
                            await turn.enter_async_context(self._large_turn)
                        if time.perf_counter() > ends or unpacking.size >= taken + PIECE:
                            await asyncio.sleep(0)
                            ends, taken = time.perf_counter() + SLICE_S, unpacking.size
            except BaseException:
                unpacking.release_input()
                await response.aclose()
                del chunks  # closed, and within the task: Qt's loop ends none that is left
                raise
        return unpacking.whole()


def _in_words(error: Exception, host: str) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return N_(f"the certificate of {host} cannot be trusted: {cause.verify_message}")
        if isinstance(cause, ssl.SSLError):
            return N_(f"no secure connection to {host}: does it use https?")
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.ReadTimeout):
        return silence_text(host)
    if isinstance(error, httpx.TimeoutException):
        return N_(f"{host} took too long to answer")
    if isinstance(error, httpx.ConnectError):
        return _not_connected(error, host)
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError):
        return f"the connection to {host} was cut off before the answer was complete"
    return N_(f"the request to {host} failed: {type(error).__name__}")


def _not_connected(error: Exception, host: str) -> str:
    text = str(error).lower()
    if any(word in text for word in ("name or service", "getaddrinfo", "nodename", "resolution")):
        return N_(f"this machine cannot reach {host}: check the address and the network")
    if "network is unreachable" in text or "no route" in text:
        return N_(f"the network does not reach {host}")
    return f"{host} does not answer"
