"""Keeps the keys that this process knows out of log lines and bug reports.

Some services want their key in the query of an address, and libraries log addresses and show them
in exceptions. Code that reads a key registers it here; code that writes a text for people filters
it here. There is one list per process, as for logging itself.
"""

import logging
import re
from typing import Final
from urllib.parse import quote, quote_plus

REMOVED: Final = "[removed]"
SHORTEST: Final = 6
"""Characters; shorter texts occur by chance, and no service has keys this short."""

_known: set[str] = set()
_OF_A_SERVER: Final = re.compile(
    r"oddsdesk_live_[0-9a-z]+|[0-9a-f]{32,}|[\w-]{48,}", re.IGNORECASE | re.ASCII
)
"""A key, a part of one that was percent-encoded twice, or most of a stream token."""


def keep_secret(secret: str) -> None:
    """Remove a key from all texts from now on, plain and percent-encoded."""
    if len(secret) >= SHORTEST:
        _known.update({secret, quote(secret, safe=""), quote_plus(secret)})


def without_keys(text: str) -> str:
    """Return a text without the known keys."""
    for secret in sorted(_known, key=len, reverse=True):
        if secret in text:
            text = text.replace(secret, REMOVED)
    return text


def masked(asked: str) -> str:
    """Return a request to a server without what looks like one of its keys or tokens.

    The key need not be known: it may belong to another server.
    """
    return _OF_A_SERVER.sub("****", asked)


def body_without_keys(body: bytes) -> bytes:
    """Return an answer without the known keys; some services repeat the request.

    Messages show parts of answers, and a part of a key could not be recognised later.
    """
    for secret in sorted(_known, key=len, reverse=True):
        if secret.encode() in body:
            body = body.replace(secret.encode(), REMOVED.encode())
    return body


class KeyFilter(logging.Filter):
    """Removes keys from what a library logs, before any handler sees it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without keys in its message."""
        said = record.getMessage()
        clean = without_keys(said)
        if clean != said:
            record.msg, record.args = clean, ()
        return True


def filter_library(*names: str) -> None:
    """Keep keys out of the records of these loggers."""
    for name in names:
        logging.getLogger(name).addFilter(KeyFilter())
