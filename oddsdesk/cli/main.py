"""The `oddsdesk` command: the desk when nothing else is named."""

import click

from oddsdesk import __version__
from oddsdesk.cli.commands import COMMANDS, LazyGroup


@click.command(cls=LazyGroup, targets=COMMANDS, invoke_without_command=True)
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
        _, command, _ = main.resolve_command(ctx, ["desk"])
        assert command is not None
        ctx.invoke(command)
