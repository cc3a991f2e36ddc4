"""The search of one target, in a process of its own: Atheris, which is libFuzzer.

python -m tests.fuzz.search TARGET [options of libFuzzer] FOLDER ...
"""

import logging
import sys
from random import Random
from typing import Final

import atheris

from tests.fuzz import mutation
from tests.fuzz.targets import TARGETS

_CHANGED: Final = {
    "json": mutation.changed_json,
    "cells": mutation.changed_cells,
    "either": mutation.changed,
}
_PLAIN_SHARE: Final = 0.2
"""Of changes that are made to the bytes, whatever these are written in."""


def main(name: str, *options: str) -> None:
    """Search until an input breaks the target or the options say that it is enough."""
    target = TARGETS[name]
    watched = [f"oddsdesk.{module}" for module in target.watched]
    with atheris.instrument_imports(include=watched, enable_loader_override=False):
        function = target.function()
    change = _CHANGED.get(target.written_in)
    mutator = None if change is None else _mutator(change)
    logging.disable()  # what is bad is told: of a million inputs nobody would read it
    atheris.Setup([sys.argv[0], *options], function, custom_mutator=mutator)
    atheris.Fuzz()


def _mutator(change):
    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        dice = Random(seed)
        changed = None if dice.random() < _PLAIN_SHARE else change(data, dice)
        if changed is None or len(changed) > max_size:
            return atheris.Mutate(data, max_size)
        return changed

    return mutate


if __name__ == "__main__":
    main(*sys.argv[1:])
