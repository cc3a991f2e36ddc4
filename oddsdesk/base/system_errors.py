"""Errors of the system in words that we translate, instead of the system's own."""

import errno
import os
from typing import Final

from oddsdesk.base.texts import N_

READ_ONLY_DISK: Final = N_("the file system is read-only")
NOT_UTF_8: Final = N_("not UTF-8 text")
_WORDS: Final = {
    errno.EACCES: N_("Permission denied"),
    errno.EPERM: N_("Operation not permitted"),
    errno.ENOENT: N_("No such file or directory"),
    errno.ENOTDIR: N_("Not a directory"),
    errno.EISDIR: N_("Is a directory"),
    errno.EEXIST: N_("File exists"),
    errno.ENOTEMPTY: N_("Directory not empty"),
    errno.ENAMETOOLONG: N_("File name too long"),
    errno.ELOOP: N_("Too many levels of symbolic links"),
    errno.ENXIO: N_("No such device or address"),
    errno.EINVAL: N_("Invalid argument"),
    errno.EBADF: N_("Bad file descriptor"),
    errno.EROFS: READ_ONLY_DISK,
    errno.ENOSPC: N_("No space left on device"),
    errno.EDQUOT: N_("Disk quota exceeded"),
    errno.EFBIG: N_("File too large"),
    errno.EIO: N_("Input/output error"),
    errno.EBUSY: N_("Device or resource busy"),
    errno.EXDEV: N_("Invalid cross-device link"),
    errno.ETXTBSY: N_("Text file busy"),
    errno.ENOEXEC: N_("Exec format error"),
    errno.EMFILE: N_("Too many open files"),
    errno.ENFILE: N_("Too many open files in system"),
    errno.ENOMEM: N_("Cannot allocate memory"),
    errno.EAGAIN: N_("Resource temporarily unavailable"),
    errno.EPIPE: N_("Broken pipe"),
    errno.EADDRINUSE: N_("Address already in use"),
    errno.EADDRNOTAVAIL: N_("Cannot assign requested address"),
    errno.ECONNREFUSED: N_("Connection refused"),
    errno.ECONNRESET: N_("Connection reset by peer"),
    errno.ECONNABORTED: N_("Software caused connection abort"),
    errno.ETIMEDOUT: N_("Connection timed out"),
    errno.ENETUNREACH: N_("Network is unreachable"),
    errno.EHOSTUNREACH: N_("No route to host"),
    errno.ESTALE: N_("Stale file handle"),
}
"""Linux's own words, so that they can be searched for; the same on each system."""


def error_text(error: BaseException) -> str:
    """Return an error's text, of a system error without its number and file.

    A system error that people do not meet keeps the system's text and has its number.
    """
    if isinstance(error, UnicodeDecodeError):
        return NOT_UTF_8
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    number, said = error.errno, error.strerror
    if getattr(error, "winerror", None) is None and said != os.strerror(number or 0):
        return said  # not the system's text but one that our code or a library gave it
    return _WORDS.get(number or 0) or f"{said} (system error {number})"


def file_error_text(error: BaseException) -> str:
    """Return an error's text; that of a system error begins with the file, if it has one."""
    name = error.filename if isinstance(error, OSError) else None
    return error_text(error) if name is None else f"{os.fsdecode(name)}: {error_text(error)}"
