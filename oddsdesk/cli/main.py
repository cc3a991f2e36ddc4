"""The `oddsdesk` command: the desk when nothing else is named."""

import importlib

import click

from oddsdesk import __version__

_COMMANDS = {
    "desk": "oddsdesk.cli.desk:desk",
    "devig": "oddsdesk.cli.devig:devig",
    "import": "oddsdesk.cli.import_:import_",
    "ingest": "oddsdesk.cli.ingest:ingest",
    "keys": "oddsdesk.cli.keys:keys",
    "serve": "oddsdesk.cli.serve:serve",
}


class _Commands(click.Group):
    """Loads a command when it is asked for: the desk must not wait for the importers."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = _COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, name = target.split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.command(cls=_Commands, invoke_without_command=True)
@click.version_option(__version__, prog_name="oddsdesk")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Compare bookmakers with a sharp reference, live.

    Without a command it opens the desk.

    \b
    Example:
      oddsdesk                                   the desk, on its own server
      oddsdesk serve --feed simulator            the same server without a window
    """
    if ctx.invoked_subcommand is None:
        command = _Commands().get_command(ctx, "desk")
        assert command is not None
        ctx.invoke(command)
