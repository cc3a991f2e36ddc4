"""The body of an answer, unpacked piece by piece so that it never grows beyond its bound."""

import io
import zlib
from collections.abc import Iterator
from typing import Final

from oddsdesk.network.errors import UnreachableError, UnusableAnswerError

ACCEPTED: Final = "gzip"
"""What may be asked for; the others have no bound that can be kept while they unpack."""
LARGEST: Final = 32 * 1024 * 1024
"""In bytes, packed or not (D85)."""
PIECE: Final = 256 * 1024
"""So much is unpacked at a time."""
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS


class Unpacking:
    """Takes the bytes of one body as they come; ``encoding`` is how they are packed."""

    def __init__(self, encoding: str, host: str) -> None:
        self._host = host
        self._body = io.BytesIO()  # gives what it holds without a copy
        self._received = 0
        self._gzip = zlib.decompressobj(_GZIP_WINDOW) if encoding in ("gzip", "x-gzip") else None
        if self._gzip is None and encoding not in ("", "identity"):
            raise UnusableAnswerError(
                f"{host} packs its answers as {encoding[:20]!r}, which was not asked for"
            )

    @property
    def size(self) -> int:
        """How many bytes are unpacked."""
        return self._body.tell()

    def feed(self, chunk: bytes) -> Iterator[None]:
        """Take what came; others may have their turn wherever this yields.

        Raises:
            UnusableAnswerError: it is too much for an answer, or is not packed as was said.
        """
        self._received += len(chunk)
        self._keep_bound(self._received)
        if self._gzip is None:
            self._body.write(chunk)
            yield
            return
        left = chunk
        while left and not self._gzip.eof:
            try:
                self._body.write(self._gzip.decompress(left, PIECE))
            except zlib.error as error:
                raise UnusableAnswerError(
                    f"{self._host} answered what is not packed as it says"
                ) from error
            self._keep_bound(self.size)
            left = self._gzip.unconsumed_tail
            yield

    def whole(self) -> bytes:
        """Return the body.

        Raises:
            UnreachableError: it was cut short.
        """
        if self._gzip is not None and self._received and not self._gzip.eof:
            raise UnreachableError(
                f"the connection with {self._host} broke off before the answer was complete"
            )
        return self._body.getvalue()

    def forget(self) -> None:
        """Let go of what was taken: an error may be kept for long, and all that its frames hold."""
        self._body = io.BytesIO()

    def _keep_bound(self, size: int) -> None:
        if size > LARGEST:
            raise UnusableAnswerError(
                f"{self._host} answered more than {LARGEST // 1024 // 1024} MiB at once"
            )
