"""HTTP requests with one key to one service; tracks the quota that the answers report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from oddsdesk import network
from oddsdesk.base.clock import Clock
from oddsdesk.base.texts import N_
from oddsdesk.client.answers import error_of_answer, own_clock_ahead_ms
from oddsdesk.client.errors import (
    AddressError,
    MalformedAnswerError,
    OfflineError,
    RateLimitedError,
)
from oddsdesk.client.quota import Quota, read_quota
from oddsdesk.network.secrets import keep_secret

if TYPE_CHECKING:
    from oddsdesk.network.http import HttpClient, Reply

_KEY_LENGTH: Final = 32
"""Only keys of this length are searched in requests; a shorter one may be part of a name."""

Parameter = str | int | float | bool | None


class Requests:
    """Sends requests and tracks the remaining quota; ``close_requests`` closes the connections.

    With ``keeps_quota``, requests that would exceed the quota are not sent.
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

    async def get_body(
        self, path: str, parameters: Mapping[str, Parameter], *, is_counted: bool = True
    ) -> bytes:
        """Return the body of a successful answer; parameters that are None are left out.

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
        """Return the body from the token endpoint, which the quota does not count."""
        return await self._request("POST", self._addresses.auth, path, {})

    @property
    def signs_of_life(self) -> int | None:
        """Counts signs of life; None while no answer is awaited."""
        return self._http.signs_of_life if self._asked and self._http is not None else None

    async def close_requests(self) -> None:
        """Close the connections; a later request opens new ones."""
        http, self._http = self._http, None
        if http is not None:
            await http.close_connections()

    async def _request(
        self, method: str, address: str, path: str, parameters: Mapping[str, Parameter]
    ) -> bytes:
        texts = {name: _text(value) for name, value in parameters.items() if value is not None}
        if len(self._key) >= _KEY_LENGTH and self._key in " ".join((path, *texts.values())):
            raise AddressError("the key was given where a name is expected: nothing was sent")
        reply = await self._send(method, address + path, texts)
        now = self._clock()
        self.clock_ahead_ms = own_clock_ahead_ms(reply.headers, now)
        if method == "GET" and reply.status != 401:  # a 401 has no quota of any key
            told = read_quota(reply.headers, now)
            if told is not None:
                self.quota = told.after(self.quota, self._under_way)
        if reply.status != 200:
            raise error_of_answer(reply.status, reply.headers, reply.body, path, now)
        return reply.body

    def _check_quota(self) -> None:
        if self._keeps_quota and self.quota is not None:
            until = self.quota.used_up_until_ms(self._under_way, self._clock())
            if until is not None:
                raise RateLimitedError("this key's requests are used up", until)

    async def _send(self, method: str, url: str, texts: Mapping[str, str]) -> Reply:
        self._asked += 1
        try:
            return await self._open().send_request(method, url, texts)
        except network.UnreachableError as error:
            raise OfflineError(error.message) from error
        except network.UnusableAnswerError as error:
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


_STREAM_SCHEMES = {"http": "ws", "https": "wss"}


class Addresses(NamedTuple):
    """Addresses for requests, stream tokens and the stream, without a final slash."""

    base: str
    auth: str
    stream: str

    @property
    def is_local(self) -> bool:
        """Whether the service is on this machine, so that no proxy is used."""
        return network.is_local(self.base)

    @property
    def is_secure(self) -> bool:
        """Whether any request uses TLS."""
        return any(address.startswith("https") for address in (self.base, self.auth))

    @property
    def warning(self) -> str:
        """What is sent to another machine without encryption; empty if nothing is."""
        open_ones = [
            each
            for each in dict.fromkeys(self)
            if each.startswith(("http://", "ws://")) and not network.is_local(each)
        ]
        if not open_ones:
            return ""
        *others, last = open_ones
        if others:
            return N_(
                "{first} and {last} are not encrypted: others on the network can read the key. "
                "Use https:// and wss:// if the service has them."
            ).format(first=" and ".join(others), last=last)
        if last == self.stream:
            return N_(
                "{address} is not encrypted: others on the network can read the stream and use "
                "its token. Use https:// and wss:// if the service has them."
            ).format(address=last)
        return N_(
            "{address} is not encrypted: others on the network can read the key. Use https:// "
            "and wss:// if the service has them."
        ).format(address=last)


def read_addresses(base_url: str, auth_url: str | None, ws_url: str | None) -> Addresses:
    """Check the addresses; those of tokens and stream are derived from the base unless given.

    Raises:
        AddressError: one of them is no address of its kind.
    """
    base = _read("base_url", base_url, ("http", "https"))
    auth = base if auth_url is None else _read("auth_url", auth_url, ("http", "https"))
    if ws_url is not None:
        return Addresses(base, auth, _read("ws_url", ws_url, ("ws", "wss")))
    scheme, rest = base.split("://", 1)
    return Addresses(base, auth, f"{_STREAM_SCHEMES[scheme]}://{rest}")


def read_key(key: str) -> str:
    """Return the key without spaces around it.

    Raises:
        AddressError: it is not a possible key; the message does not contain it.
    """
    plain = key.strip()
    if not plain or not plain.isascii() or not plain.isprintable() or " " in plain:
        said = N_("expected an API key: letters and digits without spaces")
        raise AddressError(said, is_about_key=True)
    return plain


def _read(name: str, url: str, schemes: tuple[str, ...]) -> str:
    try:
        return network.read_address(name, url, schemes)
    except network.BadAddressError as error:
        raise AddressError(str(error)) from None
