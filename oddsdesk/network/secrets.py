"""Keys that this process knows are kept out of every log line and bug report (D64).

Some services want their key in the query of an address, and addresses stand in the logs of
libraries and in their exceptions. Whoever reads a key says it here; whoever writes a text that
people may pass on asks here. That is one list for the process, as logging itself is.
"""

import logging
import re
from typing import Final
from urllib.parse import quote, quote_plus

REMOVED: Final = "[removed]"
SHORTEST: Final = 6
"""Characters; shorter texts occur by chance, and no service has such short keys."""

_known: set[str] = set()
_OF_A_SERVER: Final = re.compile(
    r"oddsdesk_live_[0-9a-z]+|[0-9a-f]{32,}|[\w-]{48,}", re.IGNORECASE | re.ASCII
)
"""A key, the part of one that was percent-encoded twice, or most of a stream token."""


def keep_secret(secret: str) -> None:
    """Take a key out of all texts from now on, plain and percent-encoded."""
    if len(secret) >= SHORTEST:
        _known.update({secret, quote(secret, safe=""), quote_plus(secret)})


def without_keys(text: str) -> str:
    """Return a text without the keys that are known."""
    for secret in sorted(_known, key=len, reverse=True):
        if secret in text:
            text = text.replace(secret, REMOVED)
    return text


def masked(asked: str) -> str:
    """Return what somebody asked of a server without what looks like one of its keys or tokens.

    Which key it is need not be known: it may be another server's (D44).
    """
    return _OF_A_SERVER.sub("****", asked)


def body_without_keys(body: bytes) -> bytes:
    """Return an answer without the keys that are known, whoever repeats what it was asked with.

    Messages show parts of answers, and a part of a key would be found by nobody later.
    """
    for secret in sorted(_known, key=len, reverse=True):
        if secret.encode() in body:
            body = body.replace(secret.encode(), REMOVED.encode())
    return body


class KeyFilter(logging.Filter):
    """Takes keys out of what a library logs, before any handler sees it."""

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
