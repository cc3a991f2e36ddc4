"""Writes docs/server-options.md from the definitions of `serve`."""

import sys
from typing import Final

import click

from oddsdesk.cli.options import range_in_words
from oddsdesk.cli.serve import serve
from oddsdesk.server.settings import Role

_HEAD: Final = """# Options of the server

The options of `oddsdesk serve`, and of `oddsdesk-server` without a command. The command line wins,
then the environment variable, then the TOML file given with `--config FILE` (or `ODDSDESK_CONFIG`),
then the default. A list is written `["one", "two"]` in the file and with spaces in the environment;
on the command line, give the option several times. [deploy.md](deploy.md) explains how to use them
and has an example of a file.

`--show-config` prints the effective settings and where each comes from, in the form of such a file.
Then it checks them as a start would: the values and their combinations, the database file,
certificate and key, whether the address belongs to this machine, the feeds and the files they
replay. It creates and starts nothing, and contacts no other machine except to resolve host names.
The exit status is that of a start: 0 if all is well, 1 or 2 with a message if not.

This page is generated: `python -m oddsdesk.cli.options_page > docs/server-options.md`.
"""
_ROLES: Final = ", ".join(f"`{each}`" for each in Role)
_OF_TEXTS: Final = {
    "allow-host": "a list of host names or addresses",
    "base-url": "`http://NAME` or `https://NAME`, with `:PORT` if needed",
    "behind-proxy": "comma-separated addresses and networks; without a value on the command line,"
    " proxies on this machine",
    "bus": "`nats://HOST:PORT` or `tls://HOST:PORT`, with `USER:PASSWORD@` before the host if"
    " needed",
    "feed": "a list of feeds, `none` for none",
    "host": "an address or name of this machine; `0.0.0.0` and `::` stand for all of them",
    "keep-days": "a whole number of days from 1 to 99,999, or `all`",
    "metrics-host": "like `host`",
    "reference": "a bookmaker's name",
    "roles": f"one or more of {_ROLES}, separated by commas",
    "share": "a list of sources",
}
"""What the values of text options can be."""
_UNITS: Final = {
    "max-connections": "connections",
    "max-connections-per-address": "connections",
    "max-handshakes": "handshakes",
    "metrics-port": "",
    "port": "",
    "shards": "parts",
    "workers": "processes",
}
"""The units of whole numbers."""


def options_page() -> str:
    """Return the page as Markdown."""
    named = serve.named()
    return _HEAD + "".join(_entry(name, option) for name, option in named.items())


def _entry(name: str, option: click.Option) -> str:
    return (
        f"\n**`--{name}`** (environment `{option.envvar}`, file `{name}`)  \n{option.help}\n\n"
        f"- Values: {_values(name, option)}\n- Default: {_default(option)}\n"
    )


def _values(name: str, option: click.Option) -> str:
    match option.type:
        case click.types.BoolParamType():
            return "`true`, `false`; on the command line give it without a value"
        case click.Choice() as kind:
            return ", ".join(f"`{each}`" for each in kind.choices)
        case click.IntRange() as kind:
            counted = f" of {unit}," if (unit := _UNITS[name]) else ""
            return f"a whole number{counted} {range_in_words(kind.min or 0, kind.max)}"
        case click.FloatRange() as kind:
            times = "seconds of what was recorded in a second"
            return f"a number {range_in_words(kind.min or 0, kind.max)}: {times}"
        case click.Path() as kind:
            return "the path of a file" if kind.file_okay else "the path of a folder"
        case click.types.StringParamType():
            return _OF_TEXTS[name]
        case _:
            return "the path of a file, or `postgresql://USER@HOST/NAME`"


def _default(option: click.Option) -> str:
    if isinstance(option.show_default, str):
        return option.show_default
    if option.is_flag:
        return "`false`"
    if isinstance(option.default, int | float | str):
        return f"`{option.default}`"
    return "none"


if __name__ == "__main__":
    sys.stdout.write(options_page())
