"""Parts of tests that run as another user."""

import os
import subprocess
import sys
from pathlib import Path

NOBODY = 65534
ROOT = Path(__file__).parents[2]


_BECOME = (
    "setpriv",
    f"--reuid={NOBODY}",
    f"--regid={NOBODY}",
    "--clear-groups",
    # The interpreter may lie in root's home: reading is allowed there, writing nowhere.
    "--inh-caps=-all,+dac_read_search",
    "--ambient-caps=-all,+dac_read_search",
)


def as_nobody(*command: str, **environment: str) -> "subprocess.Popen[str]":
    """Start a command of this interpreter as another user who may write nothing of ours."""
    return subprocess.Popen(
        [*_BECOME, sys.executable, *command],
        env=os.environ | {"PYTHONPATH": str(ROOT), "HOME": "/nonexistent"} | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
    )
