"""`oddsdesk watch --url` at a service process: away at the start and in between; a wrong key."""

import signal
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from oddsdesk.base.places import default_ledger
from oddsdesk.board.alerts.channels import variable_of
from oddsdesk.contract.quotes import Quote
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.store import open_store
from tests.kit.deployed import free_port
from tests.kit.program import Launch, Program
from tests.kit.watching import LIMIT_S, lines_until, placed_on, quote, wait_for_close
from tests.kit.webhook import SECRET, webhook


class Service:
    """A server of a database, and the file with its key."""

    def __init__(self, launch: Launch, folder: Path) -> None:
        self._launch = launch
        self.database = folder / "odds.db"
        self.key_file = folder / "key"
        creating = launch(
            *("keys", "create", "--plan", "Pro+ Live", "--database", str(self.database))
        )
        self.key_file.write_text(creating.process.communicate(timeout=LIMIT_S)[0])
        self._port = "0"
        self.url = ""

    def serve(self) -> Program:
        """Serve, where it served before."""
        server = self._launch("serve", "--port", self._port, "--database", str(self.database))
        self.url = server.first_line().removeprefix("listening on ")
        self._port = self.url.rpartition(":")[2]
        return server

    def record(self, quotes: Iterable[Quote]) -> None:
        """Take odds in while the server runs."""
        with closing(open_store(self.database)) as store:
            store.record(list(quotes)).result()

    def watched(self, key_file: Path, *options: str) -> Program:
        """Have it watched by a key."""
        return self._launch("watch", "--url", self.url, "--key-file", str(key_file), *options)


@pytest.mark.slow
def test_a_service_that_is_away_is_told_and_goes_on_where_it_was(
    launch: Launch, tmp_path: Path
) -> None:
    service = Service(launch, tmp_path)
    before = quote("Pinnacle", {"A": 1.95, "B": 1.95})
    service.record([before, quote("Soft", {"A": 2.07, "B": 1.8})])
    with closing(Ledger(default_ledger())) as ledger:
        ledger.record_bet(placed_on(before))
    service.serve().kill()
    watching = service.watched(service.key_file)
    assert "does not answer. Check the address" in watching.wait_for_log("no prices: ", LIMIT_S)
    server = service.serve()
    lines_until(watching, lambda line: " alert: Value: +3.5 %: A 2.07 at Soft" in line)
    watching.wait_for_log(" prices arrive", LIMIT_S)

    server.kill()
    watching.wait_for_log("no prices: ", LIMIT_S)
    others = ("C vs D", "E vs F")
    service.record(quote("Pinnacle", {n[0]: 1.95, n[-1]: 1.95}, n) for n in others)
    service.record([quote("Soft", {"C": 2.08, "D": 1.8}, "C vs D")])
    service.serve()
    lines_until(watching, lambda line: " alert: Value: +4.0 %: C 2.08 at Soft" in line)
    in_play = quote("Pinnacle", {"A": 1.50, "B": 2.70})
    service.record([msgspec.structs.replace(in_play, is_live=True)])
    close = wait_for_close()
    status, out, _ = watching.finish(signal.SIGTERM)
    assert (status, " alert: " in out) == (0, False)
    assert close is not None
    assert close.odds == 1.95, close

    wrong = tmp_path / "wrong"
    wrong.write_text("oddsdesk_live_" + "0" * 32)
    watching = service.watched(wrong)
    watching.process.wait(LIMIT_S)
    status, _, err = watching.finish()
    assert (status, len(err.splitlines())) == (1, 1)
    assert "The service does not know this key." in err


RULES = """
[[channels]]
name = "phone"
kind = "webhook"

[[rules]]
kind = "value"
"""


@pytest.mark.slow
def test_an_alert_that_waited_while_the_service_was_lost_is_sent_only_if_it_stands(
    launch: Launch, tmp_path: Path, environment: dict[str, str]
) -> None:
    rules, port = tmp_path / "alerts.toml", free_port()
    rules.write_text(RULES, "utf-8")
    environment[variable_of("phone")] = f"http://127.0.0.1:{port}/{SECRET}"
    service, games = Service(launch, tmp_path), ("A vs B", "C vs D")
    service.record(quote("Pinnacle", {n[0]: 1.95, n[-1]: 1.95}, n) for n in games)
    service.record(quote("Soft", {n[0]: 2.08, n[-1]: 1.8}, n) for n in games)
    server = service.serve()
    watching = service.watched(service.key_file, "--rules", str(rules))
    for _ in games:
        lines_until(watching, lambda line: " alert: Value: +4.0 %: " in line)
    lines_until(watching, lambda line: line.startswith("phone: not yet: "))
    server.kill()
    watching.wait_for_log("no prices: ", LIMIT_S)
    service.record([quote("Soft", {"A": 1.8, "B": 1.8}), quote("Soft", {"C": 2.07}, "C vs D")])
    over = "phone: not sent: it no longer held: +4.0 %: A 2.08 at Soft"
    with webhook(port) as (_, posted):
        service.serve()
        said = list[str]()
        for _ in games:
            said += lines_until(watching, lambda line: line.startswith(("phone: sent ", over)))
        watching.finish(signal.SIGTERM)
    assert [each["title"] for each in posted] == ["+3.5 %: C 2.07 at Soft"]
    assert over in said, said
