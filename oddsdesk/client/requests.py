"""HTTP requests with one key to one service; keeps the quota that the answers state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from oddsdesk.client.addresses import Addresses
from oddsdesk.client.answers import own_clock_ahead_ms, refusal
from oddsdesk.client.errors import (
    AddressError,
    MalformedAnswerError,
    OfflineError,
    RateLimitedError,
)
from oddsdesk.client.quota import Quota, read_quota
from oddsdesk.clock import Clock
from oddsdesk.network.errors import UnreachableError, UnusableAnswerError
from oddsdesk.network.secrets import keep_secret

if TYPE_CHECKING:
    from oddsdesk.network.http import HttpClient, Reply

_KEY_LENGTH: Final = 32
"""Only keys of this length are looked for in requests; a shorter one may be part of a name."""

Parameter = str | int | float | bool | None


class Requests:
    """Sends requests and keeps what is left of the quota; ``close`` ends its connections.

    With ``keeps_quota`` it asks nothing that would be refused, since nothing is left.
    """

    def __init__(
        self, addresses: Addresses, key: str, clock: Clock, *, keeps_quota: bool = False
    ) -> None:
        self.quota: Quota | None = None
        self._keeps_quota = keeps_quota
        self.clock_ahead_ms = 0
        self._under_way = 0
        self._asked = 0
        self._addresses = addresses
        self._key = key
        keep_secret(key)
        self._clock = clock
        self._http: HttpClient | None = None

    async def get(
        self, path: str, parameters: Mapping[str, Parameter], *, is_counted: bool = True
    ) -> bytes:
        """Return the body of a success; parameters that are None are left out.

        Raises:
            ServiceError: of the kind that says what to do about it.
        """
        if not is_counted:
            return await self._request("GET", self._addresses.base, path, parameters)
        self._check_quota()
        self._under_way += 1
        try:
            return await self._request("GET", self._addresses.base, path, parameters)
        finally:
            self._under_way -= 1

    async def post(self, path: str) -> bytes:
        """Return the body of a success at the address for tokens; the quota does not count it."""
        return await self._request("POST", self._addresses.auth, path, {})

    @property
    def heard(self) -> int | None:
        """How often anything was heard; None while no answer is waited for."""
        return self._http.heard if self._asked and self._http is not None else None

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        http, self._http = self._http, None
        if http is not None:
            await http.close()

    async def _request(
        self, method: str, address: str, path: str, parameters: Mapping[str, Parameter]
    ) -> bytes:
        texts = {name: _text(value) for name, value in parameters.items() if value is not None}
        if len(self._key) >= _KEY_LENGTH and self._key in " ".join((path, *texts.values())):
            raise AddressError("the key stands where a name was expected: nothing was sent")
        reply = await self._send(method, address + path, texts)
        now = self._clock()
        self.clock_ahead_ms = own_clock_ahead_ms(reply.headers, now)
        if method == "GET" and reply.status != 401:  # which says of nobody what is left
            told = read_quota(reply.headers, now)
            if told is not None:
                self.quota = told.after(self.quota, self._under_way)
        if reply.status != 200:
            raise refusal(reply.status, reply.headers, reply.body, path, now)
        return reply.body

    def _check_quota(self) -> None:
        if self._keeps_quota and self.quota is not None:
            until = self.quota.used_up_until_ms(self._under_way, self._clock())
            if until is not None:
                raise RateLimitedError("the requests of this key are used up", until)

    async def _send(self, method: str, url: str, texts: Mapping[str, str]) -> Reply:
        self._asked += 1
        try:
            return await self._open().send(method, url, texts)
        except UnreachableError as error:
            raise OfflineError(error.message) from error
        except UnusableAnswerError as error:
            raise MalformedAnswerError(error.message) from error
        finally:
            self._asked -= 1

    def _open(self) -> HttpClient:
        if self._http is None:
            # httpx takes 40 to 80 ms to import, and the window is to stand before that
            from oddsdesk.network.http import HttpClient  # noqa: PLC0415

            self._http = HttpClient(
                {"X-Api-Key": self._key},
                is_secure=self._addresses.is_secure,
                is_local=self._addresses.is_local,
            )
        return self._http


def _text(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
