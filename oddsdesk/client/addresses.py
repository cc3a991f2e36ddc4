"""The three addresses of a service, and the key, checked before anything is sent."""

from typing import NamedTuple

from oddsdesk.client.errors import AddressError
from oddsdesk.network.addresses import BadAddressError, is_local, read_address

_STREAM_SCHEMES = {"http": "ws", "https": "wss"}


class Addresses(NamedTuple):
    """Where the service is asked, gives stream tokens, and streams; without a last slash."""

    base: str
    auth: str
    stream: str

    @property
    def is_local(self) -> bool:
        """Whether the service runs on this machine, so that no proxy is used."""
        return is_local(self.base)

    @property
    def is_secure(self) -> bool:
        """Whether any request is made over TLS."""
        return any(address.startswith("https") for address in (self.base, self.auth))

    @property
    def warning(self) -> str:
        """What is not encrypted on its way to another machine; empty where all is."""
        open_ones = [
            each
            for each in dict.fromkeys(self)
            if each.startswith(("http://", "ws://")) and not is_local(each)
        ]
        if not open_ones:
            return ""
        named, verb = " and ".join(open_ones), "is" if len(open_ones) == 1 else "are"
        stolen = "the key" if open_ones != [self.stream] else "the stream and use its token"
        return (
            f"{named} {verb} not encrypted: whoever is on the way there can read {stolen}. "
            "Use https:// and wss:// if the service has them."
        )


def read_addresses(base_url: str, auth_url: str | None, ws_url: str | None) -> Addresses:
    """Check the addresses; those of tokens and stream follow from the base unless given.

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
    """Return the key without blanks around it.

    Raises:
        AddressError: it can't be the key of a service; the message does not hold it.
    """
    plain = key.strip()
    if not plain or not plain.isascii() or not plain.isprintable() or " " in plain:
        said = "expected an API key: letters and digits, with no blank among them"
        raise AddressError(said, is_about_key=True)
    return plain


def _read(name: str, url: str, schemes: tuple[str, ...]) -> str:
    try:
        return read_address(name, url, schemes)
    except BadAddressError as error:
        raise AddressError(str(error)) from None
