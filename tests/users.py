"""Tests that need two users: root runs parts of them as `nobody`."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534
ROOT = Path(__file__).parents[1]


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


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may write; skips where nobody else can be become."""
    if sys.platform == "win32" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can act as two users")
    folder = Path(tempfile.mkdtemp(prefix="oddsdesk-test-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)
