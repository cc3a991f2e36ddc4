"""The `oddsdesk` command; without a subcommand it opens the desk."""

import gc
import importlib
import os
import sys
import traceback
from typing import Any, Final

import click

from oddsdesk import __version__
from oddsdesk.base.ending import Ending
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import (
    ENGLISH,
    N_,
    PSEUDO,
    chosen_language,
    language,
    saved_language,
    translated,
    use_language,
)

SERVER_COMMANDS: Final = {
    "accounts": "oddsdesk.cli.accounts:accounts",
    "backfill": "oddsdesk.cli.backfill:backfill",
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
    "results": "oddsdesk.cli.results:results",
    "serve": "oddsdesk.cli.serve:serve",
}
"""The commands of `oddsdesk-server`; none of them imports Qt."""
COMMANDS: Final = SERVER_COMMANDS | {
    "arbitrage": "oddsdesk.cli.arbitrage:arbitrage",
    "backtest": "oddsdesk.cli.backtest:backtest",
    "bets": "oddsdesk.cli.bets:bets",
    "desk": "oddsdesk.cli.desk:desk",
    "derived": "oddsdesk.cli.derived:derived",
    "devig": "oddsdesk.cli.devig:devig",
    "fair": "oddsdesk.cli.fair:fair",
    "kelly": "oddsdesk.cli.risk:kelly",
    "ledger": "oddsdesk.cli.ledger:ledger",
    "mcp": "oddsdesk.cli.mcp:mcp",
    "multiple": "oddsdesk.cli.multiple:multiple",
    "promo": "oddsdesk.cli.promo:promo",
    "scorecard": "oddsdesk.cli.scorecard:scorecard",
    "suppliers": "oddsdesk.cli.suppliers:suppliers",
    "watch": "oddsdesk.cli.watch:watch",
}
"""The commands of `oddsdesk`."""
_RUN_LONG: Final = {"desk", "serve", "watch"}


_ENGLISH: Final = {"mcp"}
"""Commands that only programs read."""


def _language_of(command: str) -> str:
    """Return the language of a command; the desk's can be chosen in its settings."""
    if command in _ENGLISH:
        return ENGLISH
    if command == "desk":
        return chosen_language(os.environ, saved_language)
    return chosen_language(os.environ)


def _choose_numbers() -> None:
    """Write numbers as the system does, or with a comma if the system states nothing.

    English commands never do: scripts read them.
    """
    import locale  # noqa: PLC0415 - English needs none of this

    from oddsdesk.base.numbers import COMMA, POINT, Style, choose_numbers  # noqa: PLC0415 - as above

    try:
        named = locale.setlocale(locale.LC_NUMERIC, "")
        mark = locale.localeconv()["decimal_point"]
        locale.setlocale(locale.LC_NUMERIC, "C")
    except locale.Error:
        named, mark = "C", "."
    has_comma = mark == "," or named.partition(".")[0] in ("C", "POSIX")
    choose_numbers(Style(COMMA if has_comma else POINT, is_chosen=True).in_language())


class LazyGroup(click.Group):
    """A group that imports each command (``module:name``) only when called: a fast start."""

    def __init__(self, *args: Any, targets: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._targets = targets
        self._prints_json = False

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command in the user's language; report unwritable output in one line."""
        open_closed_streams()
        use_language(chosen_language(os.environ))
        if language() != ENGLISH:
            from oddsdesk.cli.click_words import translate_click  # noqa: PLC0415 - has texts

            translate_click(self)
        try:
            return super().main(*args, **extra)
        except OSError as error:
            if not is_of_output(error):
                raise
            silence_output()
            why = translated(error_text(error))
            told = translated(N_("Error: standard output cannot be written: {why}"))
            click.echo(told.format(why=why), err=True)
            raise SystemExit(1) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names without loading any command."""
        return sorted(self._targets)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; signals already end the program while a long-running one loads."""
        if args[0] in _RUN_LONG:
            Ending().listen()
        if args[0] == "desk":
            gc.disable()  # modules leave no garbage; the window collects (`shell/loop.py`)
        self._prints_json = "--json" in args
        self._refuse_mistyped(ctx, args[0])
        return super().resolve_command(ctx, args)

    def _refuse_mistyped(self, ctx: click.Context, name: str) -> None:
        """Suggest the nearest commands; newer versions of click do so only for loaded ones."""
        if name in self._targets or name.startswith("-") or ctx.resilient_parsing:
            return
        from difflib import get_close_matches  # noqa: PLC0415 - 5 ms of each start

        if meant := get_close_matches(name, self._targets):
            told = translated(N_("No such command {name!r}. Did you mean {commands}?"))
            ctx.fail(told.format(name=name, commands=translated(N_(" or ")).join(meant)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None if no command has that name."""
        target = self._targets.get(cmd_name)
        if target is None:
            return None
        # constants of the module are translated on import; programs that read JSON know English
        wanted = ENGLISH if self._prints_json else _language_of(cmd_name)
        if wanted != language():
            use_language(wanted)
        if language() not in (ENGLISH, PSEUDO):
            _choose_numbers()
        module, name = target.split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        if language() != ENGLISH:
            from oddsdesk.cli.click_words import translate_help  # noqa: PLC0415 - has texts

            translate_help(command)
        return command


_STAND_INS: Final = (
    ("stdin", "r", os.O_RDONLY),
    ("stdout", "w", os.O_RDONLY),
    ("stderr", "w", os.O_WRONLY),
)
"""How to open the null device in place of each stream; writes to a closed output must fail."""


def open_closed_streams() -> None:
    """Replace closed standard streams, else the next file opened would be used as one."""
    if os.name != "posix":  # on Windows a program with a window has none, by design
        return
    for number, (name, mode, flags) in enumerate(_STAND_INS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115 - to the end


def is_of_output(error: OSError) -> bool:
    """Return whether writing output failed, not a file or a socket."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code is click.echo.__code__ for frame, _ in frames)


def silence_output() -> None:
    """Discard all further output and what is buffered; Python would retry it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@click.command(cls=LazyGroup, targets=COMMANDS, invoke_without_command=True)
@click.version_option(__version__, prog_name="oddsdesk")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Compare bookmakers with a sharp book, live.

    Without a command, oddsdesk opens the desk.

    \b
    Example:
      oddsdesk                                   open the desk with its built-in server
      oddsdesk serve --feed simulator            run the same server without a window
    """
    if ctx.invoked_subcommand is None:
        _, command, _ = main.resolve_command(ctx, ["desk"])
        assert command is not None
        ctx.invoke(command)
