"""The certificate that a server shows; a renewed one is shown from the next minute on."""

import asyncio
import logging
import ssl
from _ssl import _test_decode_cert  # type: ignore[attr-defined]  # see _end
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.server.listener import ListenError
from oddsdesk.server.settings import TlsFiles

LOOK_S: Final = 60.0
"""How often the files are looked at; who renews certificates needs no restart."""
DAY_MS: Final = 24 * 60 * MINUTE_MS
"""How often it is told that it ends, or has ended."""
SOON_MS: Final = 14 * DAY_MS
"""How long before its end that is told: who renews by a program does so 30 days before."""

_log = logging.getLogger(__name__)


class Certificate:
    """A certificate with its key, as a context that servers encrypt with."""

    def __init__(self, files: TlsFiles, clock: Clock = system_clock) -> None:
        """Read the files.

        Raises:
            ListenError: they cannot be used; one line that says why.
        """
        self._files = files
        self._clock = clock
        self._told_at: int | None = None
        self._seen = self._state()
        self.is_outdated = False
        """Whether the files hold what cannot be shown."""
        self.context = _context(files)
        self.ends_at = _end(files.certificate)
        """In milliseconds; None where it cannot be read."""

    async def follow(self) -> None:
        """Take on what the files hold whenever they change; what cannot be used is told."""
        while True:
            self.tell_end()
            await asyncio.sleep(LOOK_S)
            await asyncio.to_thread(self.look)

    def look(self) -> None:
        """Take on the files where they changed since the last time."""
        state = self._state()
        if state == self._seen:
            return
        self._seen = state
        try:
            _context(self._files)  # a pair that does not belong together leaves a context without
            _load(self.context, self._files)
        except ListenError as error:
            self.is_outdated = True
            _log.warning("%s; the certificate shown is the one before", error)
        else:
            self.is_outdated = False
            self.ends_at, self._told_at = _end(self._files.certificate), None
            _log.info("shows the certificate that %s holds now", self._files.certificate)

    def tell_end(self) -> None:
        """Say in the log, once a day, that it ends soon or has ended."""
        now, said = self._clock(), self._ending()
        if said and (self._told_at is None or not 0 <= now - self._told_at < DAY_MS):
            self._told_at = now
            _log.warning("%s: %s; renew it", self._files.certificate, said)

    def troubles(self) -> Iterator[str]:
        """Yield what is wrong with it, a line each, without the names of its files."""
        if self.is_outdated:
            yield "the renewed certificate cannot be used"
        if said := self._ending():
            yield said

    def _ending(self) -> str:
        """Return that it ends soon or has ended, nothing of one that goes on."""
        left_ms = SOON_MS if self.ends_at is None else self.ends_at - self._clock()
        if self.ends_at is None or left_ms >= SOON_MS:
            return ""
        at = format_ms(self.ends_at)
        return f"the certificate ends at {at}" if left_ms > 0 else f"the certificate ended at {at}"

    def _state(self) -> list[tuple[int, int, int] | None]:
        return [_state(self._files.certificate), _state(self._files.key)]


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _end(path: Path) -> int | None:
    """Return when the first certificate of a file ends, which is the one that is shown.

    WORKAROUND the public part of ``ssl`` reads out only certificates that may sign others.
    """
    try:
        return ssl.cert_time_to_seconds(_test_decode_cert(str(path))["notAfter"]) * 1000
    except (OSError, ValueError):  # what is in it beside its end may be odd
        return None


def _context(files: TlsFiles) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # Debian's Python leaves it to the system
    context.set_alpn_protocols(["http/1.1"])
    _load(context, files)
    return context


def _load(context: ssl.SSLContext, files: TlsFiles) -> None:
    for path in (files.certificate, files.key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise ListenError(f"{path}: cannot be read ({error.strerror or error})") from error

    def no_password() -> bytes:
        raise ListenError(f"{files.key}: this key asks for a password; give one without")

    try:
        context.load_cert_chain(files.certificate, files.key, no_password)
    except (ssl.SSLError, ValueError) as error:
        raise ListenError(
            f"{files.certificate}, {files.key}: expected a certificate in PEM and its key"
            f" ({getattr(error, 'reason', None) or error})"
        ) from error
