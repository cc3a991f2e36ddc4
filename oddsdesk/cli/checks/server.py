"""The server of this machine: who listens and serves, and how it says that it is."""

import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from typing import Final

import msgspec

from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.cli.tables import plain
from oddsdesk.contract.resources import Health
from oddsdesk.server.listener import ListenError, bind
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.lock import DatabaseInUseError, Owner, owner_of

_PROBE_S: Final = 4.0
"""More than the 3 s that a server waits for its database before it says that this hangs."""
_MOST_BYTES: Final = 65_536


def server(number: int, database: Database) -> Section:
    """Tell whether a server could listen, who does if it could not, and what it says of itself."""
    port, listening = _port(number)
    owner, running = _running(database)
    if owner is None or not owner.url:
        return Section("server", (port, running, *_condition(listening)))
    told = _health(owner.url)
    silence = Finding("health", f"{owner.url} gives no answer", Mark.BROKEN)
    return Section("server", (port, running, *(_condition(told) if told else [silence])))


def _port(number: int) -> tuple[Finding, Health | None]:
    """Look whether a port is free; also return the health of the oddsdesk that has it."""
    try:
        bind("127.0.0.1", number).close()
    except ListenError as error:
        health = _health(f"http://127.0.0.1:{number}", f"https://127.0.0.1:{number}")
        text = str(error) if health is None else f"{number} is oddsdesk {plain(health.version)}"
        return Finding("port", text, Mark.NOTE), health
    return Finding("port", f"{number} is free"), None


def _running(database: Database) -> tuple[Owner | None, Finding]:
    """Return who serves the database, where it is a file, and what there is to say of that."""
    if isinstance(database, DatabaseUrl):
        text = "any number of them, on any machine, may run on this database"
        return None, Finding("server", text)
    try:
        owner = owner_of(database)
    except DatabaseInUseError as error:
        return None, Finding("server", str(error), Mark.NOTE)
    if owner is None:
        return None, Finding("server", "none runs on this database")
    where = owner.url or "starting"
    return owner, Finding("server", f"process {owner.pid} runs on this database ({where})")


def _condition(health: Health | None) -> Iterator[Finding]:
    """Yield what a server says of itself: a certificate that ended, a feed that is refused."""
    if health is None:
        return
    if health.status == "ok":
        yield Finding("health", health.status)
    for reason in health.reasons:
        yield Finding("health", plain(f"{health.status}: {reason}"), Mark.BROKEN)


def _health(*urls: str) -> Health | None:
    """Return what the oddsdesk at one of these addresses says; None where there is none."""
    for url in urls:
        try:
            return msgspec.json.decode(_asked(f"{url}/api/health"), type=Health)
        except TimeoutError:  # who says nothing at one address does not at another
            return None
        except (OSError, HTTPException, msgspec.MsgspecError):
            continue
    return None


def _asked(url: str) -> bytes:
    """Return what is answered on this machine, by whomever: no certificate is for 127.0.0.1."""
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=unchecked)
    )
    try:
        with opener.open(url, timeout=_PROBE_S) as answer:
            return bytes(answer.read(_MOST_BYTES))
    except urllib.error.HTTPError as refusal:  # 503: the health says why
        with refusal:
            return refusal.read(_MOST_BYTES)
