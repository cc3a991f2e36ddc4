"""Requests with one key to one service: the answers' bodies, and the quota they tell of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from oddsdesk.client.addresses import Addresses
from oddsdesk.client.answers import refusal
from oddsdesk.client.errors import AddressError
from oddsdesk.client.quota import Quota, read_quota
from oddsdesk.clock import Clock

if TYPE_CHECKING:
    from oddsdesk.client.transport import Transport

_KEY_LENGTH: Final = 32
"""The contract's keys are longer; a short one may well be part of a name."""

Parameter = str | int | float | bool | None


class Requests:
    """Sends requests and knows what is left of the quota; ``close`` ends its connections."""

    def __init__(self, addresses: Addresses, key: str, clock: Clock) -> None:
        self.quota: Quota | None = None
        self._addresses = addresses
        self._key = key
        self._clock = clock
        self._transport: Transport | None = None

    async def get(self, path: str, parameters: Mapping[str, Parameter]) -> bytes:
        """Return the body of a success; parameters that are None are left out.

        Raises:
            ServiceError: of the kind that says what to do about it.
        """
        return await self._request("GET", self._addresses.base, path, parameters)

    async def post(self, path: str) -> bytes:
        """Return the body of a success of the address that gives tokens; counts no request."""
        return await self._request("POST", self._addresses.auth, path, {})

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.close()

    async def _request(
        self, method: str, address: str, path: str, parameters: Mapping[str, Parameter]
    ) -> bytes:
        texts = {name: _text(value) for name, value in parameters.items() if value is not None}
        if len(self._key) >= _KEY_LENGTH and self._key in " ".join((path, *texts.values())):
            raise AddressError("the key stands where a name was expected: nothing was sent")
        reply = await self._open().send(method, address + path, texts)
        now = self._clock()
        if method == "GET":
            self.quota = read_quota(reply.headers, now) or self.quota
        if reply.status != 200:
            raise refusal(reply.status, reply.headers, reply.body, path, now)
        return reply.body

    def _open(self) -> Transport:
        if self._transport is None:
            # httpx takes 40 to 80 ms to import, and the window is to stand before that
            from oddsdesk.client.transport import Transport  # noqa: PLC0415

            self._transport = Transport(
                self._key, is_secure=self._addresses.is_secure, is_local=self._addresses.is_local
            )
        return self._transport


def _text(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
