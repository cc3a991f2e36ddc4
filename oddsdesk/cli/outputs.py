"""Files that commands read and write: ``-`` is standard input or output."""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

import click

from oddsdesk.feeds.sources import Readable
from oddsdesk.whole_files import NEW_FILE, whole_file

STANDARD: Final = "-"
_STDOUT: Final = frozenset({STANDARD, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def is_standard_output(target: str) -> bool:
    """Say whether an output file is standard output, by whatever name."""
    return target in _STDOUT


def standard_input() -> Readable:
    """Return the bytes of standard input as they come."""
    return cast(Readable, sys.stdin.buffer)


@contextmanager
def output(target: str, new_mode: int = NEW_FILE) -> Iterator[BinaryIO]:
    """Give the file that ``target`` names to write to: standard output, or a file, whole.

    A new file gets ``new_mode``, less the user's umask.

    Raises:
        click.ClickException: it cannot be written; a reader of standard output who has gone
            ends the command as click does.
    """
    try:
        if is_standard_output(target):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:
            with whole_file(Path(target), new_mode) as stream:
                yield stream
    except OSError as error:
        if error.errno == errno.EPIPE and is_standard_output(target):
            raise
        raise click.ClickException(f"cannot write {target}: {error.strerror or error}") from error
