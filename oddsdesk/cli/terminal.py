"""Terminal output: aligned tables, progress, and text made safe to print."""

import errno
import json
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO, TypeVar, cast

import click

from oddsdesk.base.files import NEW_FILE, whole_file
from oddsdesk.base.market_words import market_text, period_text
from oddsdesk.base.numbers import num
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.feeds.files import Readable

T = TypeVar("T")

_NO_BREAK_SPACES: Final = "\u00a0\u202f"


def aligned(
    headings: Sequence[str], rows: Iterable[Sequence[str]], right: Container[str] = ()
) -> list[str]:
    """Return headings and rows as aligned lines; the columns in ``right`` are right-aligned.

    Headings are given in English, marked with ``N_``, and translated here.
    """
    cells = [list(map(translated, headings)), *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    return [
        "  ".join(
            text.rjust(width) if heading in right else text.ljust(width)
            for text, width, heading in zip(row, widths, headings, strict=True)
        ).rstrip()
        for row in cells
    ]


def room() -> int | None:
    """Return how many characters fit into a line of the terminal; None if output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def wrapped(line: str) -> str:
    """Return a line of text broken between words, so that it fits into the terminal."""
    width = room()
    if width is None or len(line) <= width:
        return line
    return textwrap.fill(line, width, subsequent_indent="  ", break_long_words=False)


def print_list(
    items: Sequence[T],
    fields: Callable[[T], dict[str, Any]],
    headings: Sequence[str],
    row: Callable[[T], Sequence[str]],
    *,
    as_json: bool,
) -> None:
    """Print a JSON array with the fields of each item, or a table with one row per item."""
    if as_json:
        click.echo(json.dumps(list(map(fields, items)), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(aligned(headings, map(row, items))))


def plain(text: str) -> str:
    """Return text from outside without control characters, which a terminal would obey."""
    return "".join(
        letter if letter.isprintable() or letter in _NO_BREAK_SPACES else "?" for letter in text
    )


def market_words(market_type: str, sport: str, period: int) -> str:
    """Return what people read for a market, such as ``Match result, 1st Half``."""
    title = market_text(market_type)
    return f"{title}, {period_text(sport, period)}" if period else title


FIRST_AFTER_S = 1.0
TERMINAL_EVERY_S = 0.2
PLAIN_EVERY_S = 10.0


class Progress:
    """Shows progress; prints nothing for work that takes less than a second."""

    def __init__(
        self,
        what: str,
        stream: TextIO | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._stream = stream or sys.stderr
        self._monotonic = monotonic
        self._terminal = self._stream.isatty()
        self._due = monotonic() + FIRST_AFTER_S
        self._shown = False
        self._done = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.clear_line()

    def count_done(self, count: int) -> None:
        """Add finished work and update the display when it is due."""
        self._done += count
        if count and self._monotonic() >= self._due:
            self._due = self._monotonic() + (TERMINAL_EVERY_S if self._terminal else PLAIN_EVERY_S)
            text = f"{num(self._done):,} {self._what}"
            self._stream.write(f"\r{text}\033[K" if self._terminal else f"{text}\n")
            self._stream.flush()
            self._shown = self._terminal

    def clear_line(self) -> None:
        """Erase the progress line so that another message can be printed."""
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()
            self._shown = False


STANDARD: Final = "-"
_STDOUT: Final = frozenset({STANDARD, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def is_standard_output(target: str) -> bool:
    """Return whether an output file is standard output, under any of its names."""
    return target in _STDOUT


def read_input(file: str) -> bytes:
    """Return what a file or, for ``-``, standard input holds.

    Raises:
        click.ClickException: it cannot be read.
    """
    if file == STANDARD:
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise click.ClickException(
            _("{file}: cannot be read: {reason}").format(
                file=file, reason=translated(error_text(error))
            )
        ) from error


def print_problems(source: str, problems: Sequence[str]) -> None:
    """Print the first problems of a source on stderr, and how many more there are."""
    for problem in problems[:_MOST_PROBLEMS]:
        click.echo(f"{source}: {translated(problem)}", err=True)
    if len(problems) > _MOST_PROBLEMS:
        more = _("and {count} more").format(count=len(problems) - _MOST_PROBLEMS)
        click.echo(f"{source}: {more}", err=True)


def print_counts(counts: Mapping[str, Any], *, as_json: bool) -> None:
    """Print figures by name, in words or as a JSON object."""
    if as_json:
        click.echo(json.dumps(counts))
    else:
        words = (
            (translated(_WORDS.get(name, name.replace("_", " "))), translated(str(counts[name])))
            for name in counts
        )
        click.echo(", ".join(" ".join(each) for each in words))


_MOST_PROBLEMS: Final = 20
_WORDS: Final = {
    "bad": N_("problems"),
    "balance": N_("balance"),
    "bets": N_("bets"),
    "changed": N_("changed"),
    "correction": N_("correction"),
    "deposit": N_("deposit"),
    "legs_settled": N_("legs settled"),
    "mended": N_("replaced"),
    "no_close": N_("no close"),
    "not_known": N_("unknown"),
    "number": N_("number"),
    "of_no_bet": N_("for no bet"),
    "profit_differs": N_("profit differs"),
    "settled": N_("settled"),
    "there_already": N_("already recorded"),
    "to_look_at": N_("to check"),
    "undone": N_("undone"),
    "with_close": N_("with close"),
    "withdrawal": N_("withdrawal"),
    "without_result": N_("without result"),
    "written": N_("written"),
    "wrong": N_("wrong"),
}
"""What people read for JSON keys."""


def standard_input() -> Readable:
    """Return standard input as a stream of bytes."""
    return cast(Readable, sys.stdin.buffer)


@contextmanager
def output(target: str, new_mode: int = NEW_FILE) -> Iterator[BinaryIO]:
    """Open ``target`` for writing: standard output, or a file that is replaced only when complete.

    A new file gets ``new_mode``, minus the user's umask.

    Raises:
        click.ClickException: it cannot be written. A closed pipe on standard output is left to
            click.
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
        raise click.ClickException(
            _("cannot write {file}: {reason}").format(
                file=target, reason=translated(error_text(error))
            )
        ) from error
