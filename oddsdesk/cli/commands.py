"""The commands by name, each loaded when it is asked for."""

import gc
import importlib
from typing import Any, Final

import click

from oddsdesk.cli.standard_streams import (
    is_of_output,
    open_closed_streams,
    silence_output,
)
from oddsdesk.ending import Ending

SERVER_COMMANDS: Final = {
    "accounts": "oddsdesk.cli.accounts:accounts",
    "backup": "oddsdesk.cli.backup:backup",
    "doctor": "oddsdesk.cli.doctor:doctor",
    "export": "oddsdesk.cli.export:export",
    "feeds": "oddsdesk.cli.feeds:feeds",
    "games": "oddsdesk.cli.games:games",
    "import": "oddsdesk.cli.import_:import_",
    "ingest": "oddsdesk.cli.ingest:ingest",
    "keys": "oddsdesk.cli.keys:keys",
    "migrate": "oddsdesk.cli.migrate:migrate",
    "restore": "oddsdesk.cli.backup:restore",
    "serve": "oddsdesk.cli.serve:serve",
}
"""Of `oddsdesk-server`: none of them imports Qt."""
COMMANDS: Final = SERVER_COMMANDS | {
    "arbitrage": "oddsdesk.cli.arbitrage:arbitrage",
    "backtest": "oddsdesk.cli.backtest:backtest",
    "bets": "oddsdesk.cli.bets:bets",
    "desk": "oddsdesk.cli.desk:desk",
    "devig": "oddsdesk.cli.devig:devig",
    "ledger": "oddsdesk.cli.ledger:ledger",
    "scorecard": "oddsdesk.cli.scorecard:scorecard",
    "suppliers": "oddsdesk.cli.suppliers:suppliers",
    "watch": "oddsdesk.cli.watch:watch",
}
"""Of `oddsdesk`."""
_RUN_LONG: Final = {"desk", "serve", "watch"}


class LazyGroup(click.Group):
    """A group whose commands are named as ``module:name``: the desk must not wait for importers."""

    def __init__(self, *args: Any, targets: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._targets = targets

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command; where what it says cannot be written, that is said in one line."""
        open_closed_streams()
        try:
            return super().main(*args, **extra)
        except OSError as error:
            if not is_of_output(error):
                raise
            silence_output()
            why = error.strerror or error
            click.echo(f"Error: standard output cannot be written: {why}", err=True)
            raise SystemExit(1) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names; none is loaded for it."""
        return sorted(self._targets)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant; a signal also ends it while it is being loaded."""
        if args[0] in _RUN_LONG:
            Ending().listen()
        if args[0] == "desk":
            gc.disable()  # nothing dies while modules load; the window collects (`shell/loop.py`)
        self._refuse_mistyped(ctx, args[0])
        return super().resolve_command(ctx, args)

    def _refuse_mistyped(self, ctx: click.Context, name: str) -> None:
        """Say which commands may be meant; newer clicks do, of commands that are loaded."""
        if name in self._targets or name.startswith("-") or ctx.resilient_parsing:
            return
        from difflib import get_close_matches  # noqa: PLC0415 - 5 ms of each start

        if meant := get_close_matches(name, self._targets):
            ctx.fail(f"No such command {name!r}. Did you mean {' or '.join(meant)}?")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None where there is none of that name."""
        target = self._targets.get(cmd_name)
        if target is None:
            return None
        module, name = target.split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command
