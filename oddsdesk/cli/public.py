"""Options of a server that others reach by a name, encrypted, or through a proxy (D80)."""

import functools
import ipaddress
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from oddsdesk.server.proxies import LOOPBACK
from oddsdesk.server.settings import PublicAddress, TlsFiles

_NAME: Final = re.compile(r"[0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?")


def _is_name(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return _NAME.fullmatch(text) is not None
    return True


def _hosts(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    for host in value:
        if not _is_name(host):
            raise click.BadParameter(f"{host!r} is no name of a host, as odds.example.org is")
    return value


def _base(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    wrong = click.BadParameter(f"{value!r} is no address, as https://odds.example.org is")
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise wrong from None
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not _is_name(host) or parts.username is not None:
        raise wrong
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise click.BadParameter(f"{value!r}: expected no path: the service is at its root")
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}"


def _proxies(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    found = tuple(each.strip() for each in value.split(",")) if value is not None else ()
    for each in found:
        try:
            ipaddress.ip_network(each)
        except ValueError:
            raise click.BadParameter(
                f"{each!r} is neither an address nor a network, as 10.0.0.0/8 is"
            ) from None
    return found


_OPTIONS: Final = (
    click.option(
        "--allow-host",
        "allow_hosts",
        multiple=True,
        callback=_hosts,
        metavar="NAME",
        help="Answer to this name, too; others than those of this machine and --host are refused.",
    ),
    click.option(
        "--base-url",
        callback=_base,
        metavar="URL",
        help="The address that others reach it at, as https://odds.example.org: links and examples"
        " say it, and its name is answered to.",
    ),
    click.option(
        "--behind-proxy",
        is_flag=False,
        flag_value=",".join(LOOPBACK),
        callback=_proxies,
        metavar="[ADDRESSES]",
        help="Believe what proxies on this machine, or at these addresses and networks with commas"
        " between them, say in X-Forwarded-For, -Proto and -Host; nobody else is believed.",
    ),
    click.option(
        "--tls-cert",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Encrypt with this certificate (PEM, with the chain); a renewed one is shown within a"
        " minute. Programs of this machine have an address of their own, without.",
    ),
    click.option(
        "--tls-key",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The key of the certificate, without a password.",
    ),
)


def public_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command gets them together as ``public``."""

    @functools.wraps(command)
    def together(
        *,
        allow_hosts: tuple[str, ...],
        base_url: str | None,
        behind_proxy: tuple[str, ...],
        tls_cert: Path | None,
        tls_key: Path | None,
        **options: Any,
    ) -> Any:
        if (tls_cert is None) != (tls_key is None):
            raise click.UsageError("--tls-cert and --tls-key are given together")
        tls = None if tls_cert is None or tls_key is None else TlsFiles(tls_cert, tls_key)
        public = PublicAddress(allow_hosts, base_url or "", behind_proxy, tls)
        return command(public=public, **options)

    for option in reversed(_OPTIONS):
        together = option(together)
    return together
