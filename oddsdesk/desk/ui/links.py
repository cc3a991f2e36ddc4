"""Opening a bookmaker's page: http and https only."""

import logging

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

_log = logging.getLogger(__name__)


def may_open(url: str | None) -> bool:
    """Say whether a link leads to a web page; anything else is never opened."""
    if not url:
        return False
    parsed = QUrl(url, QUrl.ParsingMode.StrictMode)
    return parsed.isValid() and parsed.scheme() in ("http", "https") and bool(parsed.host())


def open_link(url: str | None) -> bool:
    """Open a page in the user's browser; False where the link may not or cannot be opened."""
    if url is None or not may_open(url):
        return False
    opened = QDesktopServices.openUrl(QUrl(url))
    if not opened:
        _log.warning("no browser opened the bookmaker's page")
    return opened
