"""Where alerts go: ntfy and webhooks natively, the rest by apprise; tried again while one is down.

The address of a channel may hold a key, so it is in the keyring, or in a variable of the
environment, and never in a file, a log or a message.
"""

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from oddsdesk.base.clock import Clock
from oddsdesk.base.keyring import Keyring, KeyringError
from oddsdesk.base.places import how_to_install
from oddsdesk.base.tasks import Jobs, in_daemon_thread
from oddsdesk.base.texts import _, translated
from oddsdesk.board.alerts.gate import Alert, AlertEntry
from oddsdesk.board.alerts.rules import ChannelSetting
from oddsdesk.contract.identity import price_page
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.network import Backoff, NetworkError, host_of, is_local
from oddsdesk.network.secrets import keep_secret

if TYPE_CHECKING:
    from oddsdesk.network.http import HttpClient

TOO_OLD_MS: Final = 10 * MINUTE_MS
"""An alert that could not be sent for this long is no longer news."""
_MOST_WAITING: Final = 200
_WAITS: Final = "waits"
_NOT_SENT: Final = "not sent: "
_NOT_YET: Final = "not yet: "
_REFUSED: Final = "refused: "
_GIVEN_UP: Final = "given up: "
_SENT: Final = "sent "
_SEND_S: Final = 20.0
_LOOK_S: Final = 1.0


class ChannelError(Exception):
    """An alert was not taken; one line that holds no address. ``is_final``: never will be."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


class Channel(Protocol):
    """Takes alerts."""

    async def send_alert(self, entry: AlertEntry) -> None:
        """Hand an alert over.

        Raises:
            ChannelError: it was not taken.
        """

    async def close_channel(self) -> None:
        """Close the connections."""


def variable_of(name: str) -> str:
    """Return the variable that holds the address of a channel: ``ODDSDESK_CHANNEL_PHONE``."""
    return f"ODDSDESK_CHANNEL_{''.join(c if c.isalnum() else '_' for c in name.upper())}"


def keyring_name(name: str) -> str:
    """Return what the keyring calls the address of a channel."""
    return f"alerts to {name}"


def find_address(
    name: str, environment: Mapping[str, str] = os.environ, keyring: Keyring | None = None
) -> str:
    """Return the address of a channel; it waits for the keyring, and no log shows it afterwards.

    Raises:
        ChannelError: there is none.
    """
    address, ring = environment.get(variable_of(name), "").strip(), keyring or Keyring()
    try:
        if not address and ring.is_there():
            address = ring.get_key(keyring_name(name)) or ""
    except KeyringError as error:
        raise ChannelError(
            _("{name}: the keyring cannot be read: {error}").format(name=name, error=error)
        ) from error
    if not address:
        raise ChannelError(
            _(
                "{name}: no address is kept; say `oddsdesk watch --set-channel {name}`, "
                "or set {variable}"
            ).format(name=name, variable=variable_of(name))
        )
    keep_secret(address)
    return address


def keep_address(name: str, address: str, keyring: Keyring | None = None) -> None:
    """Keep the address of a channel in the keyring; it waits for that, and no log shows it.

    Raises:
        ChannelError: it is not kept.
    """
    keep_secret(address)
    ring = keyring or Keyring()
    if not ring.is_there():
        raise ChannelError(
            _("this computer has no keyring; set {variable} instead").format(
                variable=variable_of(name)
            )
        )
    try:
        ring.keep_key(keyring_name(name), address)
    except KeyringError as error:
        raise ChannelError(_("the address was not saved: {error}").format(error=error)) from error


def open_channel(setting: ChannelSetting, address: str) -> Channel:
    """Return a channel of an address.

    Raises:
        ChannelError: the address makes no sense; it is not named.
    """
    if setting.kind == "apprise":
        return AppriseChannel(setting.name, address, setting.link)
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ChannelError(
            _("{name}: expected an address such as https://host/path").format(name=setting.name)
        )
    if parts.scheme == "http" and not is_local(address):
        raise ChannelError(
            _("{name}: use https, as the address contains a key").format(name=setting.name)
        )
    keep_secret(parts.query)  # libraries log an address written otherwise than it is kept
    if setting.kind == "webhook":
        return WebhookChannel(
            setting.name, parts.geturl(), setting.link
        )  # its scheme in lower case
    return NtfyChannel(setting.name, address, setting.link)


def mark_waiting(entry: AlertEntry, channels: Iterable[str]) -> None:
    """Note that an alert is on its way to its channels, of those that there are.

    One of odds that nobody offers goes to none: its reader would bet on it.
    """
    there, why = list(channels), entry.alert.not_offered
    wanted = entry.alert.channels or there
    became = f"{_NOT_SENT}{why}" if why else _WAITS
    entry.deliveries.update({name: became for name in wanted if name in there})


def is_pending(became: str) -> bool:
    """Whether a channel is still to take an alert, by what became of it there."""
    return became.startswith((_WAITS, _NOT_YET))


def delivery_text(became: str) -> str:
    """Return what became of an alert at a channel in the reader's language."""
    for begin, text in _DELIVERIES.items():
        if became.startswith(begin):
            return text.format(rest=delivery_text(became.removeprefix(begin)))
    return _("waits") if became == _WAITS else translated(became)


_DELIVERIES: Final = {
    _NOT_SENT: _("not sent: {rest}"),
    _NOT_YET: _("not yet: {rest}"),
    _REFUSED: _("refused: {rest}"),
    _GIVEN_UP: _("given up: {rest}"),
    _SENT: _("sent {rest}"),
}


def page_of(alert: Alert, server: str) -> str:
    """Return the address of the price's page on a server; empty without a price or a server."""
    cell = alert.cell
    if not server or cell is None or not cell.game_id:
        return ""
    return f"{server.rstrip('/')}{price_page(*cell)}"


class _HttpChannel:
    """Posts JSON."""

    def __init__(self, name: str, url: str, headers: Mapping[str, str], link: str) -> None:
        self._name = name
        self._url = url
        self._headers = headers
        self._link = link
        self._http: HttpClient | None = None

    async def close_channel(self) -> None:
        """Close the connection."""
        if self._http is not None:
            await self._http.close_connections()
            self._http = None

    async def post(self, body: object) -> None:
        """Post, and judge the answer's status."""
        from oddsdesk.network.http import HttpClient  # noqa: PLC0415 - 60 ms that starts save

        if self._http is None:
            secure = self._url.startswith("https:")
            local = is_local(self._url)
            self._http = HttpClient(self._headers, is_secure=secure, is_local=local)
        try:
            reply = await self._http.send_request("POST", self._url, {}, json=body, limit_s=_SEND_S)
        except NetworkError as error:
            raise ChannelError(error.message) from None
        if reply.status >= 300:
            is_final = 300 <= reply.status < 500 and reply.status not in (408, 425, 429)
            host = host_of(self._url)
            raise ChannelError(
                _("{host} answered {status}").format(host=host, status=reply.status),
                is_final=is_final,
            )


class NtfyChannel(_HttpChannel):
    """A topic of ntfy: ``https://ntfy.sh/topic``, or ``https://:TOKEN@host/topic``."""

    def __init__(self, name: str, address: str, link: str = "") -> None:
        parts = urlsplit(address)
        token = unquote(parts.password or "")
        host = parts.netloc.rpartition("@")[2]
        folder, _slash, self._topic = parts.path.strip("/").rpartition("/")
        if not self._topic:
            raise ChannelError(
                _("{name}: expected an address with a topic: https://ntfy.sh/topic").format(
                    name=name
                )
            )
        if token:
            keep_secret(token)
        keep_secret(self._topic)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = urlunsplit((parts.scheme, host, f"/{quote(folder)}", parts.query, ""))
        super().__init__(name, url, headers, link)

    async def send_alert(self, entry: AlertEntry) -> None:
        """Publish."""
        alert = entry.alert
        body = {
            "topic": self._topic,
            "title": alert.alert_title,
            "message": alert.body_text or alert.alert_title,
            "tags": [alert.rule],
        }
        page = page_of(alert, self._link)
        await self.post(body | ({"click": page} if page else {}))


class WebhookChannel(_HttpChannel):
    """Any address that takes JSON."""

    def __init__(self, name: str, address: str, link: str = "") -> None:
        super().__init__(name, address, {}, link)

    async def send_alert(self, entry: AlertEntry) -> None:
        """Post an alert; a cell as the contract names it."""
        alert = entry.alert
        cell = None if alert.cell is None else alert.cell._asdict()
        body = {
            "rule": alert.rule,
            "title": alert.alert_title,
            "text": alert.body_text,
            "at": format_ms(entry.at),
            "price": cell,
        }
        page = page_of(alert, self._link)
        await self.post(body | ({"link": page} if page else {}))


class AppriseChannel:
    """Whatever apprise reaches; an extra of the installation."""

    def __init__(self, name: str, address: str, link: str = "") -> None:
        self._name = name
        self._address = address
        self._link = link

    async def send_alert(self, entry: AlertEntry) -> None:
        """Hand over to apprise, which waits, on a thread."""
        await in_daemon_thread("apprise", lambda: self._notify(entry))

    async def close_channel(self) -> None:
        """Nothing is held."""

    def _notify(self, entry: AlertEntry) -> None:
        try:
            import apprise  # noqa: PLC0415 - an extra, imported where it is used
        except ImportError:
            hint = how_to_install("apprise")
            raise ChannelError(
                _("{name}: apprise is missing: {hint}").format(name=self._name, hint=hint),
                is_final=True,
            ) from None
        reached = apprise.Apprise()
        if not reached.add(self._address):
            raise ChannelError(
                _("{name}: apprise does not know this kind of address").format(name=self._name),
                is_final=True,
            )
        said = entry.alert
        text = "\n".join(
            filter(None, (said.body_text or said.alert_title, page_of(said, self._link)))
        )
        if not reached.notify(
            title=said.alert_title, body=text, body_format=apprise.NotifyFormat.TEXT
        ):
            raise ChannelError(_("{name} did not accept the alert").format(name=self._name))


class Unsent(NamedTuple):
    """Why an alert is not sent: not yet, or never where that is ``is_final``."""

    why: str
    is_final: bool = False


class Outbox:
    """Sends alerts to every channel, each in order, and tries again while one is down.

    What became of an alert stands in its ``deliveries``; ``on_change`` is called when it does.
    ``as_it_is`` is asked before each try: an alert is sent as it is then, and others overtake one
    that is to wait.
    """

    def __init__(
        self,
        channels: Mapping[str, Channel],
        clock: Clock,
        on_change: Callable[[AlertEntry], None] = lambda _entry: None,
        *,
        as_it_is: Callable[[Alert], Alert | Unsent] = lambda alert: alert,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._channels = channels
        self._clock = clock
        self._on_change = on_change
        self._as_it_is = as_it_is
        self._rest = rest
        self._waiting = {name: deque[AlertEntry](maxlen=_MOST_WAITING) for name in channels}
        self._wake = {name: asyncio.Event() for name in channels}
        self._jobs = Jobs()

    def start_sending(self) -> None:
        """Begin to send."""
        for name in self._channels:
            self._jobs.start_job(f"alerts to {name}", lambda name=name: self._run(name))  # type: ignore[misc]

    async def stop_sending(self) -> None:
        """Stop sending."""
        await self._jobs.stop_jobs()
        for channel in self._channels.values():
            await channel.close_channel()

    def resume(self, entry: AlertEntry) -> None:
        """Send an alert to those of its channels that have not taken it; it is for no others."""
        for name, became in list(entry.deliveries.items()):
            if not is_pending(became):
                continue
            if name in self._waiting:
                self._waiting[name].append(entry)
                self._wake[name].set()
            else:
                del entry.deliveries[name]

    async def _run(self, name: str) -> None:
        waiting, wake, backoff = self._waiting[name], self._wake[name], Backoff()
        while True:
            while waiting:
                entry = self._first_to_go(name, waiting)
                if entry is None:
                    await self._rest(_LOOK_S)
                elif await self._send(name, entry):
                    with suppress(ValueError):  # too many came meanwhile: the oldest were dropped
                        waiting.remove(entry)
                    backoff.reset_waits()
                else:
                    await self._rest(backoff.next_s())
            wake.clear()
            await wake.wait()

    def _first_to_go(self, name: str, waiting: deque[AlertEntry]) -> AlertEntry | None:
        """Return the first that may be sent, or waited for too long; drop what never may."""
        for entry in list(waiting):
            if self._clock() - entry.at > TOO_OLD_MS:
                return entry
            now = self._as_it_is(entry.alert)
            if not isinstance(now, Unsent):
                entry.alert = now
                return entry
            if now.is_final:
                waiting.remove(entry)
            self._tell(entry, name, f"{_NOT_SENT if now.is_final else _NOT_YET}{now.why}")
        return None

    async def _send(self, name: str, entry: AlertEntry) -> bool:
        """Try once; return whether the alert is done with."""
        if self._clock() - entry.at > TOO_OLD_MS:
            return self._tell(entry, name, f"{_GIVEN_UP}{entry.deliveries[name]}")
        try:
            await self._channels[name].send_alert(entry)
        except ChannelError as error:
            text = f"{_REFUSED if error.is_final else _NOT_YET}{error}"
            self._tell(entry, name, text)
            return error.is_final
        return self._tell(entry, name, f"{_SENT}{format_ms(self._clock())}")

    def _tell(self, entry: AlertEntry, name: str, text: str) -> bool:
        if entry.deliveries.get(name) != text:
            entry.deliveries[name] = text
            self._on_change(entry)
        return True
