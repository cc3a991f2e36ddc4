"""The `oddsdesk-server` command: the server without a window, and without Qt."""

import click

from oddsdesk import __version__
from oddsdesk.cli.main import SERVER_COMMANDS, LazyGroup

PROGRAM = "oddsdesk-server"
_OWN_OPTIONS = frozenset({"--help", "--version"})


class _ServeByDefault(LazyGroup):
    """Passes options without a command to `serve`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in _OWN_OPTIONS):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ServeByDefault, targets=SERVER_COMMANDS)
@click.version_option(__version__, prog_name=PROGRAM)
def main() -> None:
    """Serve odds to other programs, without a window.

    Without a command it runs `serve`, and takes its options.

    \b
    Example:
      oddsdesk-server --feed simulator
      oddsdesk-server --database handed-over.db --port 9000
      oddsdesk-server keys create --plan "Pro+ Live"
    """
