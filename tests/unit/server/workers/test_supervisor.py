"""What the process that begins the workers says of one that cannot be begun."""

import sys
from pathlib import Path

import pytest

from oddsdesk.ending import Ending
from oddsdesk.server.settings import Settings

if sys.platform == "win32":
    pytest.skip("forks", allow_module_level=True)

from oddsdesk.server.workers import supervisor


def test_a_worker_that_dies_while_it_starts_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "run_worker", lambda *_: 3)
    settings = Settings(tmp_path / "odds.db", port=0, workers=2)
    with pytest.raises(supervisor.CannotStartError, match="1 ended with status 3 while it started"):
        supervisor.Supervisor(settings, Ending()).run(lambda _: None)
