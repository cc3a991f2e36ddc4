"""What the process that begins the workers says of one that cannot be begun."""

import logging
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from oddsdesk.base.ending import Ending
from oddsdesk.server.run.monitoring import ServiceManager
from oddsdesk.server.settings import Settings

if sys.platform == "win32":
    pytest.skip("forks", allow_module_level=True)

from oddsdesk.cluster.workers import supervisor
from oddsdesk.cluster.workers.colleagues import SUPERVISOR, Alive, Ready
from oddsdesk.cluster.workers.worker import Place


def test_a_worker_that_dies_while_it_starts_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "run_worker", lambda *_: 3)
    settings = Settings(tmp_path / "odds.db", port=0, workers=2)
    with pytest.raises(supervisor.CannotStartError, match="1 ended with status 3 while it started"):
        supervisor.Supervisor(settings, Ending(), ServiceManager({})).supervise(lambda _: None)


def test_a_worker_that_hangs_is_ended_and_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that goes on stays, however long."""
    monkeypatch.setattr(supervisor, "LOOK_S", 0.01)

    def work(place: Place, *_: object) -> int:
        place.mailboxes.send_message(SUPERVISOR, Ready(place.number))
        while True:
            if place.number == 2:
                place.mailboxes.send_message(SUPERVISOR, Alive(2))
                time.sleep(0.01)
            else:
                signal.pause()

    monkeypatch.setattr(supervisor, "run_worker", work)
    settings = Settings(tmp_path / "odds.db", port=0, workers=2)
    running = supervisor.Supervisor(settings, Ending(), ServiceManager({}))
    said: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())
            if "restarting it" in said[-1]:
                running._ask()

    listener = Listener()
    logging.getLogger(supervisor.__name__).addHandler(listener)
    try:
        running.supervise(lambda _: None)
    finally:
        logging.getLogger(supervisor.__name__).removeHandler(listener)
    assert re.fullmatch(r"worker 1 \(process \d+\) hangs; killing it", said[0])
    assert re.fullmatch(r"worker 1 .* was ended by signal 9; restarting it", said[-1])
    assert not [each for each in said if "worker 2" in each]
