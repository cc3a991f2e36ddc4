"""The certificate that a server shows; a renewed one is shown from the next minute on."""

import asyncio
import logging
import ssl
from pathlib import Path
from typing import Final

from oddsdesk.server.listener import ListenError
from oddsdesk.server.settings import TlsFiles

LOOK_S: Final = 60.0
"""How often the files are looked at; who renews certificates needs no restart."""

_log = logging.getLogger(__name__)


class Certificate:
    """A certificate with its key, as a context that servers encrypt with."""

    def __init__(self, files: TlsFiles) -> None:
        """Read the files.

        Raises:
            ListenError: they cannot be used; one line that says why.
        """
        self._files = files
        self._seen = self._state()
        self.is_outdated = False
        """Whether the files hold what cannot be shown."""
        self.context = _context(files)

    async def follow(self) -> None:
        """Take on what the files hold whenever they change; what cannot be used is told."""
        while True:
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
            _log.info("shows the certificate that %s holds now", self._files.certificate)

    def _state(self) -> list[tuple[int, int, int] | None]:
        return [_state(self._files.certificate), _state(self._files.key)]


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _context(files: TlsFiles) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
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
