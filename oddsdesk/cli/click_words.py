"""The help of commands and click's own words in the language in use; English needs none of this.

click writes its words with gettext's default domain, which is the system's. They are listed here,
so that they are in our catalogues, and click's modules are given our functions.
"""

import inspect
import sys
from collections.abc import Iterator
from typing import Final

import click

from oddsdesk.base.texts import N_, ngettext, translated

_VERBATIM: Final = "\b\n"
"""Before a paragraph whose lines click does not rewrap."""


def translate_click(group: click.Group) -> None:
    """Translate what click writes from now on, and the help of the program itself."""
    for name, module in tuple(sys.modules.items()):
        if name.startswith("click."):
            known = vars(module)
            known.update({"_": translated} if "_" in known else {})
            known.update({"ngettext": ngettext} if "ngettext" in known else {})
    for option in group.params:
        if isinstance(option, click.Option) and option.help:
            option.help = translated(option.help)  # made before the language was known
    translate_help(group)


def translate_help(command: click.Command) -> None:
    """Translate the help of a command and of its subcommands: their docstrings."""
    if command.help:
        command.help = "\n\n".join(
            f"{_VERBATIM}{translated(text)}" if is_verbatim else translated(text)
            for text, is_verbatim in help_paragraphs(command.help)
        )
    for each in getattr(command, "commands", {}).values():
        translate_help(each)


def help_paragraphs(docstring: str) -> Iterator[tuple[str, bool]]:
    """Yield a help's paragraphs on one line, or with all their lines if they are verbatim."""
    shown = inspect.cleandoc(docstring).partition("\f")[0]
    for paragraph in shown.split("\n\n"):
        if paragraph.startswith(_VERBATIM):
            yield paragraph.removeprefix(_VERBATIM).rstrip(), True
        elif paragraph.strip():
            yield " ".join(paragraph.split()), False


_WORDS: Final = (
    N_("Usage:"),
    N_("Options"),
    N_("Commands"),
    N_("Positional arguments"),
    N_("Show this message and exit."),
    N_("Show the version and exit."),
    N_("default: {default}"),
    N_("required"),
    N_("env var: {var}"),
    N_("(dynamic)"),
    N_("deprecated"),
    N_("Aborted!"),
    N_("Error: {message}"),
    N_("Try '{command} {option}' for help."),
    N_("Invalid value: {message}"),
    N_("Invalid value for {param_hint}: {message}"),
    N_("Missing command."),
    N_("Missing argument"),
    N_("Missing option"),
    N_("Missing parameter"),
    N_("Missing parameter: {param_name}"),
    N_("No such command {name!r}."),
    N_("No such option {name!r}."),
    N_("No such option: {name}"),
    N_("Choose from:\n\t{choices}"),
    N_("Argument {name!r} takes {nargs} values."),
    N_("Option {name!r} does not take a value."),
    N_("Could not open file {filename!r}: {message}"),
    N_("unknown error"),
    N_("{value!r} is not a valid {number_type}."),
    N_("{value} is not in the range {range}."),
    N_("{value!r} is not a valid boolean."),
    N_("{value!r} is not a valid boolean. Recognized values: {states}"),
    N_("file"),
    N_("directory"),
    N_("path"),
    N_("{name} {filename!r} does not exist."),
    N_("{name} {filename!r} is a file."),
    N_("{name} {filename!r} is a directory."),
    N_("{name} '{filename}' is a directory."),
    N_("{name} {filename!r} is not readable."),
    N_("{name} {filename!r} is not writable."),
    N_("Do you want to continue?"),
    N_("Confirm the action without prompting."),
    N_("Error: invalid input"),
    ngettext(
        "Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})", 1
    ),
    ngettext("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)", 1),
    ngettext(
        "Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments.", 1
    ),
    ngettext("{value!r} is not {choice}.", "{value!r} is not one of {choices}.", 1),
    ngettext(
        "{value!r} does not match the format {format}.",
        "{value!r} does not match the formats {formats}.",
        1,
    ),
    ngettext(
        "Takes {nargs} values but 1 was given.", "Takes {nargs} values but {len} were given.", 1
    ),
)
"""click's words that our commands can show, of all versions since 8.1."""
