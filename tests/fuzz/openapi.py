"""Schemathesis over a real server: what `/openapi.json` promises, asked in every way there is.

python -m tests.fuzz.openapi [--seconds 120] [options of schemathesis run]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from oddsdesk.contract.access import Plan
from tests.kit.made_files import with_tables
from tests.kit.many_quotes import many_quotes
from tests.kit.running_service import RunningService

QUOTES: Final = 2_000
UNSAID: Final = "positive_data_acceptance"
"""The check that is left out: a cursor is a text, and the document cannot say that only those of
our own answers are taken."""


def main() -> int:
    """Run it; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.openapi")
    parser.add_argument("--seconds", type=int, default=120)
    asked, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="oddsdesk-fuzz-") as folder:
        service = RunningService(with_tables(Path(folder, "odds.db")))
        try:
            service.record(*many_quotes(QUOTES, service.now))
            return _run(service, folder, asked.seconds, options)
        finally:
            service.close()


def _run(service: RunningService, folder: str, seconds: int, options: list[str]) -> int:
    made = service.access.keys.create("schemathesis", Plan.PRO_LIVE, None, service.now)
    service.access.quotas.exempt(made.key.key_id)
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{service.url}/openapi.json"),
        *("--header", f"X-Api-Key: {made.secret}", "--max-time", str(seconds)),
        *("--exclude-checks", UNSAID, *options),
    ]
    return subprocess.run(command, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
