"""A command whose options may also come from the environment and from a file (D81).

What is given on the command line holds, else ``ODDSDESK_NAME`` of the environment, else the TOML
file, else the default.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from click.core import ParameterSource

from oddsdesk.near_names import near_names
from oddsdesk.network.secrets import without_keys
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.settings import KEEP_ALL

PREFIX: Final = "ODDSDESK_"
_CONFIG: Final = "config"
_SHOW: Final = "show_config"
_FILE: Final = "oddsdesk.config"
"""Where the context of a command keeps the path of its file."""
_OPTION: Final = re.compile(r"--([a-z][a-z-]*)")
_PASSWORD: Final = re.compile(r"//[^/@\s]*@")
_WORDS: Final = {
    ParameterSource.COMMANDLINE: "command line",
    ParameterSource.DEFAULT_MAP: "file",
    ParameterSource.DEFAULT: "default",
}


class ConfiguredCommand(click.Command):
    """Reads options from the environment and a file; ``--show-config`` prints what holds.

    The command is run then, too, with ``show_config``: it checks what it was given, and ends. What
    is wrong is told with the place that says it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, option in self.named().items():
            option.envvar = f"{PREFIX}{name.upper().replace('-', '_')}"
            option.show_envvar = False
        self.params += [
            click.Option(
                ["--config"],
                type=click.Path(exists=True, dir_okay=False, path_type=Path),
                envvar=f"{PREFIX}CONFIG",
                is_eager=True,
                expose_value=False,
                callback=self._read,
                metavar="FILE",
                help="TOML file of these options, each by its name: keep-days = 30. What stands in"
                f" the environment, as {PREFIX}KEEP_DAYS, or here goes before it.",
            ),
            click.Option(
                ["--show-config"],
                is_flag=True,
                help="Print what holds and where it comes from, without passwords, check it as the"
                " start does, and end.",
            ),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; what is wrong with one names the file or the variable it is from."""
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as error:
            place = None if error.param is None else self._place(ctx, error.param)
            if place is None:
                raise
            raise click.UsageError(f"{place}: {error.message}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, or say what it would run with and have that checked."""
        for name, meant in self._mistyped(os.environ):
            click.echo(f"warning: {name} names no option; is it {meant}?", err=True)
        if ctx.params[_SHOW]:
            for line in self._lines(ctx):
                click.echo(line)
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            places = ", ".join(self._places(ctx, error.message))
            if not places:
                raise
            said = f"{error.message} ({places})"
            if isinstance(error, click.UsageError):
                raise click.UsageError(said, ctx) from error
            raise click.ClickException(said) from error

    def _places(self, ctx: click.Context, message: str) -> Iterator[str]:
        """Yield where those options were given that a message speaks of, by name or by file."""
        said = set(_OPTION.findall(message))
        for name, option in self.named().items():
            value = ctx.params.get(str(option.name))
            is_file = isinstance(value, Path | DatabaseUrl) and str(value) in message
            if (name in said or is_file) and (place := self._place(ctx, option)):
                yield place

    def _place(self, ctx: click.Context, option: click.Parameter) -> str | None:
        """Return where an option was given; None on the command line, or nowhere."""
        match ctx.get_parameter_source(str(option.name)):
            case ParameterSource.DEFAULT_MAP:
                name = max(option.opts, key=len).removeprefix("--")
                return f"{ctx.meta[_FILE]}: {name}"
            case ParameterSource.ENVIRONMENT:
                return str(option.envvar)
            case _:
                return None

    def named(self) -> dict[str, click.Option]:
        """Return the options that may stand in a file, by their names in it."""
        return {
            max(each.opts, key=len).removeprefix("--"): each
            for each in self.params
            if isinstance(each, click.Option) and each.name not in (_CONFIG, _SHOW, "help")
        }

    def _mistyped(self, environment: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield what is nearly the name of an option, and that: a limit that would not hold."""
        known = {str(option.envvar) for option in self.named().values()}
        for name in sorted(set(environment) - known):
            if name.startswith(PREFIX):
                like = near_names(name.removeprefix(PREFIX), _names(known))
                yield from [(name, PREFIX + each) for each in like[:1]]

    def _read(self, ctx: click.Context, option: click.Parameter, path: Path | None) -> None:
        if path is None:
            return
        ctx.meta[_FILE] = path
        try:
            found = tomllib.loads(path.read_bytes().decode())
        except (OSError, ValueError, RecursionError) as error:
            raise click.BadParameter(f"{path}: expected TOML ({error})", ctx, option) from error
        options = self.named()
        values: dict[str, Any] = {}
        for name, value in found.items():
            if name not in options:
                known = ", ".join(sorted(options))
                message = f"{path}: {name!r} is no option; there are {known}"
                raise click.BadParameter(message, ctx, option)
            _check(path, name, options[name], value)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            values[str(options[name].name)] = str(value) if is_number else value  # as typed
        ctx.default_map = values

    def _lines(self, ctx: click.Context) -> Iterator[str]:
        for name, option in self.named().items():
            value = ctx.params.get(str(option.name))
            if isinstance(value, tuple | frozenset) and not option.multiple:
                value = ",".join(sorted(value))
            if name == "keep-days" and value == KEEP_ALL:
                value = "all"
            source = ctx.get_parameter_source(str(option.name))
            where = _WORDS.get(source, f"environment: {option.envvar}") if source else "default"
            said = f"{name} = {_said(value)}" if value not in (None, (), "") else f"# {name}"
            yield f"{_PASSWORD.sub('//****@', without_keys(said))}  # {where}"


def _names(variables: Iterable[str]) -> list[str]:
    return [each.removeprefix(PREFIX) for each in variables]


def _check(path: Path, name: str, option: click.Option, value: Any) -> None:
    """Refuse a value of a kind that the option cannot have; click would take its text."""
    kinds: tuple[type, ...] = (str, int, float)
    expected = "a text or a number"
    if option.multiple:
        kinds, expected = (list,), 'a list, as in ["one", "two"]'
    elif option.is_flag:
        kinds, expected = (bool,), "true or false"
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise click.UsageError(f"{path}: {name}: expected {expected}, got {value!r}")
    texts = value if isinstance(value, list) else [value]
    if any("\0" in each for each in texts if isinstance(each, str)):
        raise click.UsageError(f"{path}: {name}: expected no NUL in it, got {value!r}")


def _said(value: Any) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_said, value))}]"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return msgspec.json.encode(str(value)).decode()
