"""Settings of a file: taken, or refused in words that name them."""

import tempfile
import tomllib
from functools import cache
from pathlib import Path

from click.testing import CliRunner

from oddsdesk.cli.serve import serve


def read_toml(data: bytes) -> None:
    """Read a TOML file of options; what is shown of it is a file that says the same."""
    first = _shown(data)
    if first is None:
        return
    again = _shown(first.encode())
    assert again is not None
    assert tomllib.loads(again) == tomllib.loads(first)


def _shown(toml: bytes) -> str | None:
    file = _folder() / "server.toml"
    file.write_bytes(toml)
    asked = ["--config", str(file), "--show-config", "--database", "odds.db"]
    result = CliRunner().invoke(serve, asked, env={"TERMINAL_WIDTH": "200"})
    if result.exit_code == 0:
        return result.stdout
    if not isinstance(result.exception, SystemExit):
        raise result.exception or AssertionError
    assert "Error: " in result.output
    return None


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp())
