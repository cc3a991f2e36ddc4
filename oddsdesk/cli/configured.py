"""A command whose options can also come from the environment and from a file.

The command line wins, then ``ODDSDESK_NAME`` in the environment, then the TOML file, then the
default.
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

from oddsdesk.base.text import near_names
from oddsdesk.base.texts import _
from oddsdesk.network.secrets import without_keys
from oddsdesk.store.databases import KEEP_ALL, DatabaseUrl

PREFIX: Final = "ODDSDESK_"
_CONFIG: Final = "config"
_SHOW: Final = "show_config"
_FILE: Final = "oddsdesk.config"
"""The key in the command's context that holds the path of its file."""
_OPTION: Final = re.compile(r"--([a-z][a-z-]*)")
_PASSWORD: Final = re.compile(r"//[^/@\s]*@")
_WORDS: Final = {
    ParameterSource.COMMANDLINE: _("command line"),
    ParameterSource.DEFAULT_MAP: _("file"),
    ParameterSource.DEFAULT: _("default"),
}


class ConfiguredCommand(click.Command):
    """Reads options from the environment and a file; ``--show-config`` prints the result.

    With ``show_config`` the command still runs, but only checks its options and ends. Errors name
    the place where the bad value was set.
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
                help=_(
                    "TOML file with these options by name, such as keep-days = 30. "
                    "The command line and environment variables such as "
                    "{prefix}KEEP_DAYS override it."
                ).format(prefix=PREFIX),
            ),
            click.Option(
                ["--show-config"],
                is_flag=True,
                help=_(
                    "Print the effective settings and where each comes from "
                    "(without passwords), check them as a start would, and exit."
                ),
            ),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; an error names the file or the variable with the bad value."""
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as error:
            place = None if error.param is None else self._place(ctx, error.param)
            if place is None:
                raise
            raise click.UsageError(f"{place}: {error.message}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, after printing the settings if that was asked for."""
        for name, meant in self._mistyped(os.environ):
            text = _("warning: {name} is not an option; did you mean {other}?")
            click.echo(text.format(name=name, other=meant), err=True)
        if ctx.params[_SHOW]:
            for line in self._lines(ctx):
                click.echo(line)
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            places = ", ".join(self._places(ctx, error.message))
            if not places:
                raise
            text = f"{error.message} ({places})"
            if isinstance(error, click.UsageError):
                raise click.UsageError(text, ctx) from error
            raise click.ClickException(text) from error

    def _places(self, ctx: click.Context, message: str) -> Iterator[str]:
        """Yield where the options that a message mentions by name or by file were set."""
        mentioned = set(_OPTION.findall(message))
        for name, option in self.named().items():
            value = ctx.params.get(str(option.name))
            is_file = isinstance(value, Path | DatabaseUrl) and str(value) in message
            if (name in mentioned or is_file) and (place := self._place(ctx, option)):
                yield place

    def _place(self, ctx: click.Context, option: click.Parameter) -> str | None:
        """Return where an option was set; None for the command line and for defaults."""
        match ctx.get_parameter_source(str(option.name)):
            case ParameterSource.DEFAULT_MAP:
                name = max(option.opts, key=len).removeprefix("--")
                return f"{ctx.meta[_FILE]}: {name}"
            case ParameterSource.ENVIRONMENT:
                return str(option.envvar)
            case _:
                return None

    def named(self) -> dict[str, click.Option]:
        """Return the options that a file may hold, by their names there."""
        return {
            max(each.opts, key=len).removeprefix("--"): each
            for each in self.params
            if isinstance(each, click.Option) and each.name not in (_CONFIG, _SHOW, "help")
        }

    def _mistyped(self, environment: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield environment variables that look like a misspelt option, with the right name."""
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
            text = _("{path}: expected TOML ({reason})").format(path=path, reason=error)
            raise click.BadParameter(text, ctx, option) from error
        options = self.named()
        values: dict[str, Any] = {}
        for name, value in found.items():
            if name not in options:
                known = ", ".join(sorted(options))
                text = _("{path}: no option {name!r}; options are {known}")
                message = text.format(path=path, name=name, known=known)
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
            where = _("environment: {name}").format(name=option.envvar)
            where = _WORDS.get(source or ParameterSource.DEFAULT, where)
            line = f"{name} = {_toml(value)}" if value not in (None, (), "") else f"# {name}"
            yield f"{_PASSWORD.sub('//****@', without_keys(line))}  # {where}"


def _names(variables: Iterable[str]) -> list[str]:
    return [each.removeprefix(PREFIX) for each in variables]


def _check(path: Path, name: str, option: click.Option, value: Any) -> None:
    """Refuse a value of the wrong kind; click would use its text."""
    kinds: tuple[type, ...] = (str, int, float)
    text = _("{path}: {name}: expected a string or a number, got {value!r}")
    if option.multiple:
        kinds = (list,)
        text = _('{path}: {name}: expected a list such as ["one", "two"], got {value!r}')
    elif option.is_flag:
        kinds, text = (bool,), _("{path}: {name}: expected true or false, got {value!r}")
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise click.UsageError(text.format(path=path, name=name, value=value))
    texts = value if isinstance(value, list) else [value]
    if any("\0" in each for each in texts if isinstance(each, str)):
        text = _("{path}: {name}: NUL characters are not allowed, got {value!r}")
        raise click.UsageError(text.format(path=path, name=name, value=value))


def _toml(value: Any) -> str:
    """Return a value in TOML syntax."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return msgspec.json.encode(str(value)).decode()
