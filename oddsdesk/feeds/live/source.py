"""Requests to the service behind a feed: address, key, and the meaning of refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from oddsdesk.contract.texts import json_words, shown
from oddsdesk.feeds.live.errors import (
    KeyRefusedError,
    MissingKeyError,
    NotAskedError,
    ShapeError,
    SourceError,
    TooFastError,
)
from oddsdesk.feeds.live.keys import KeySource
from oddsdesk.network import NetworkError, NotConnectedError, host_of, is_local
from oddsdesk.network.secrets import body_without_keys, keep_secret

if TYPE_CHECKING:
    from oddsdesk.network.http import HttpClient, Reply

T = TypeVar("T")
Query = Mapping[str, str | Sequence[str]]
"""Parameters of a request; one with several values is repeated."""

REQUEST_S: Final = 20.0
"""The longest time for a whole answer."""
LONGEST_WAIT_S: Final = 3600.0
"""The longest wait that a source may ask for."""
_PAGES: Final = (b"<html", b"<!doctype html")
_PAGE_BEGINS: Final = 20
"""Enough bytes to recognise an HTML page."""
_WAIT_S: Final = 5.0
"""The wait after a refusal that names none."""


class KeyUse(msgspec.Struct, frozen=True):
    """Where a source wants its key: in the query, or in a header.

    A key of several parts, separated by colons, has a header for each (``headers``).
    """

    query: str = ""
    header: str = ""
    headers: tuple[str, ...] = ()


class Source:
    """One service; ``close`` ends its connections.

    ``judge`` sees every answer first and raises the error behind a refusal.
    """

    def __init__(
        self,
        url: str,
        keys: KeySource | None,
        key_use: KeyUse | None,
        judge: Callable[[Reply], None],
    ) -> None:
        self.url = url
        self.host = host_of(url)
        self.keys = keys
        self.account: str | None = None
        """Identifies the last used key without revealing it."""
        self._key_use = key_use
        self._judge = judge
        self.sign: Callable[[str, str, str], Mapping[str, str]] | None = None
        """Returns headers of a request, by key, method and path, for a source that needs them."""
        self._http: HttpClient | None = None

    async def get(self, path: str, params: Query | None = None) -> bytes:
        """Return the body of a successful answer.

        Raises:
            SourceError: of the kind that tells how to continue.
        """
        return await self._ask("GET", path, params or {}, None)

    async def post(self, path: str, body: object) -> bytes:
        """Send ``body`` as JSON and return the body of the answer; errors as for ``get``."""
        return await self._ask("POST", path, {}, body)

    async def key(self) -> str:
        """Return the key.

        Raises:
            MissingKeyError: there is none.
        """
        assert self.keys is not None
        key = await self.keys.find()
        if key is None:
            raise MissingKeyError(f"no key: {self.keys.advice()}")
        return key

    async def key_parts(self) -> list[str]:
        """Return the parts of a key with several; logs hide them from then on.

        Raises:
            KeyRefusedError: there is no key, or it has another number of parts.
        """
        assert self._key_use is not None
        parts = (await self.key()).split(":")
        if len(parts) != len(self._key_use.headers) or not all(parts):
            wanted = " and ".join(self._key_use.headers)
            raise KeyRefusedError(f"the key must be {wanted}, separated by a colon")
        for part in parts:
            keep_secret(part)
        return parts

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        http, self._http = self._http, None
        if http is not None:
            await http.close_connections()

    async def _ask(self, method: str, path: str, params: Query, body: object) -> bytes:
        query, headers = dict(params), dict[str, str]()
        if self._key_use is not None:
            key = await self.key()
            self.account = sha256(key.encode()).hexdigest()
            if self._key_use.query:
                query[self._key_use.query] = key
            if self._key_use.header:
                headers[self._key_use.header] = key
            if self._key_use.headers:
                headers |= zip(self._key_use.headers, await self.key_parts(), strict=True)
        if self.sign is not None:
            headers |= self.sign(await self.key(), method, path)
        try:
            reply = await self._open().send_request(
                method, self.url + path, query, headers=headers, json=body, limit_s=REQUEST_S
            )
        except NotConnectedError as error:
            raise NotAskedError(error.message) from None
        except NetworkError as error:
            raise SourceError(error.message) from None
        reply = reply._replace(body=body_without_keys(reply.body))
        self._judge(reply)
        self._refuse(reply)
        return reply.body

    def _refuse(self, reply: Reply) -> None:
        status = reply.status
        if 300 <= status < 400:
            raise SourceError(
                f"{self.host} redirects elsewhere; if it has moved, set the new address with url="
            )
        if status in (401, 403) and self.keys is not None:
            raise KeyRefusedError(f"{self.host} refuses the key ({status})")
        if status == 429:
            raise TooFastError(f"too many requests to {self.host}", retry_after_s(reply.headers))
        if status != 200:
            raise SourceError(f"{self.host} answers with status {status}")
        if reply.body.lstrip()[:_PAGE_BEGINS].lower().startswith(_PAGES):
            raise ShapeError(
                f"{self.host} sent a web page instead of odds (a login page of your network?)"
            )

    def _open(self) -> HttpClient:
        if self._http is None:
            # httpx takes 40 to 80 ms to import, and most servers run no live feed
            from oddsdesk.network.http import HttpClient  # noqa: PLC0415

            secure = self.url.startswith("https:")
            self._http = HttpClient({}, is_secure=secure, is_local=is_local(self.url))
        return self._http


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Return the seconds of ``Retry-After``, a default if there is none."""
    text = headers.get("retry-after", "")
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    return min(max(float(text), 1.0), LONGEST_WAIT_S) if is_number else _WAIT_S


def decode(kind: type[T], body: bytes, what: str) -> T:
    """Return an answer as a struct; ``what`` names it in the error.

    Raises:
        ShapeError: not JSON, or JSON of another shape; the message names the field.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise ShapeError(f"{what} has an unexpected shape: {json_words(error)}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        start: Any = body[:40].decode("utf-8", errors="replace")
        raise ShapeError(f"{what} is not JSON: it begins with {shown(start)}") from error
