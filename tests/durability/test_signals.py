"""A signal at any moment of a start ends it in time; `signals` is the same two hundred times."""

import sys
from pathlib import Path

import pytest

from tests.durability.signals import PROMISED_S, make_recording, run
from tests.kit.promises import in_time

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="sends SIGTERM")]


def test_a_start_ends_clean_and_in_time_whatever_it_is_doing(tmp_path: Path) -> None:
    """D77: also with a FIFO that says nothing, a long recording, and workers."""
    recording = make_recording(tmp_path / "long.ndjson", 32 * 1024 * 1024)
    ends = run(3, 3, recording, ("held fifo", "large replay", "workers"))
    assert [each for each in ends if not each.is_clean] == []
    assert max(each.seconds for each in ends) < in_time(PROMISED_S)
