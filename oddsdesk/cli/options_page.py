"""The page of the options of `serve`, made from their definitions."""

import sys
from typing import Final

import click

from oddsdesk.cli.options import range_in_words
from oddsdesk.cli.serve import serve
from oddsdesk.server.settings import Role

_HEAD: Final = """# Options of the server

Those of `oddsdesk serve`, and of `oddsdesk-server` without a command. What is given on the command
line holds, else the variable of the environment, else the key of the TOML file that `--config FILE`
(or `ODDSDESK_CONFIG`) names, else the default. A list stands in the file as `["one", "two"]`; on
the command line its option is given several times, and in the environment there are spaces between.
[deploy.md](deploy.md) says what they are for, with an example of a file.

`--show-config` prints what holds and where each comes from, as a file that says the same, and then
checks it as the start does: values and what goes together, the database's file, certificate and
key, whether the address is of this machine, feeds and the files they replay. Nothing is made or
begun, and no other machine is asked but for the address of a name. The exit status is that of the
start: 0, or 1 or 2 with what is wrong.

This page is made from the program: `python -m oddsdesk.cli.options_page > docs/server-options.md`.
"""
_ROLES: Final = ", ".join(f"`{each}`" for each in Role)
_OF_TEXTS: Final = {
    "allow-host": "a list of names of hosts, or of addresses",
    "base-url": "`http://NAME` or `https://NAME`, with `:PORT` if need be",
    "behind-proxy": "addresses and networks with commas between them; on the command line it may"
    " stand alone, for those of this machine",
    "bus": "`nats://HOST:PORT` or `tls://HOST:PORT`, with `USER:PASSWORD@` before the host if need"
    " be",
    "feed": "a list of feeds, `none` for none",
    "host": "an address of this machine, or a name of it; `0.0.0.0` and `::` are all of them",
    "keep-days": "a whole number of days from 1 to 99,999, or `all`",
    "metrics-host": "as of `host`",
    "reference": "the name of a bookmaker",
    "roles": f"some of {_ROLES}, with commas between them",
    "share": "a list of names of sources",
}
"""What texts may be."""
_UNITS: Final = {
    "max-connections": "connections",
    "max-connections-per-address": "connections",
    "max-handshakes": "handshakes",
    "metrics-port": "",
    "port": "",
    "shards": "parts",
    "workers": "processes",
}
"""What whole numbers count, if anything."""


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
            return "`true`, `false`; on the command line it stands alone"
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
