"""Standard input, output and error where they are closed, or cannot be written."""

import os
import sys
import traceback
from typing import Final

import click

_STAND_INS: Final = (
    ("stdin", "r", os.O_RDONLY),
    ("stdout", "w", os.O_RDONLY),
    ("stderr", "w", os.O_WRONLY),
)
"""How nothing is opened in the place of each: who writes to an output that is closed is told so."""


def open_closed_streams() -> None:
    """Stand in for those that are closed: what is opened next would be taken for them."""
    if os.name != "posix":  # a program with a window has none there, by design
        return
    for number, (name, mode, flags) in enumerate(_STAND_INS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115 - to the end


def is_of_output(error: OSError) -> bool:
    """Say whether something could not be said, and not a file or a socket failed."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code is click.echo.__code__ for frame, _ in frames)


def silence_output() -> None:
    """Write to nowhere from now on, also what waits: Python would try again at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
