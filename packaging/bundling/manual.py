"""Manual pages made from what `--help` says."""

from collections.abc import Iterator

import click

from oddsdesk import __version__
from oddsdesk.cli import main as desk
from oddsdesk.cli import server


def manual_pages() -> dict[str, str]:
    """Return the pages by file name, in troff."""
    return {
        "oddsdesk.1": _page("oddsdesk", desk.main),
        "oddsdesk-server.1": _page(server.PROGRAM, server.main),
    }


def _page(program: str, group: click.Group) -> str:
    context = click.Context(group, info_name=program)
    summary, _, rest = (group.help or "").partition("\n")
    lines = [
        f'.TH "{program.upper()}" "1" "" "oddsdesk {__version__}" "User commands"',
        ".SH NAME",
        f"{_plain(program)} \\- {_plain(summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_plain(program)}",
        _plain(" ".join(group.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_text(rest),
        ".SH COMMANDS",
    ]
    for words, command, sub in _commands(group, context):
        lines += _command(words, command, sub)
    lines += [
        ".SH EXIT STATUS",
        "0: done. 1: failed, with one line on standard error. 2: misuse.",
        ".SH SEE ALSO",
        _plain("https://127.0.0.1:8765/docs of a running server, oddsdesk doctor").replace(
            "https", "http"
        ),
    ]
    return "\n".join(lines) + "\n"


def _commands(
    group: click.Group, context: click.Context
) -> Iterator[tuple[str, click.Command, click.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        sub = click.Context(command, info_name=name, parent=context)
        yield sub.command_path, command, sub
        if isinstance(command, click.Group):
            yield from _commands(command, sub)


def _command(words: str, command: click.Command, context: click.Context) -> list[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f".SS {_plain(words)} {_plain(usage)}", *_text(command.help or "")]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            lines += [".TP", f".B {_plain(record[0])}", _plain(record[1])]
    return [*lines, *_text(command.epilog)] if command.epilog else lines


def _text(text: str) -> list[str]:
    """Paragraphs; what click was told not to wrap stays as it is."""
    lines = []
    for paragraph in text.strip().split("\n\n"):
        if paragraph.lstrip().startswith("\b"):
            lines += [".PP", ".nf", *(_plain(line) for line in paragraph.splitlines()[1:]), ".fi"]
        else:
            lines += [".PP", _plain(" ".join(paragraph.split()))]
    return lines


def _plain(text: str) -> str:
    """Escape what troff would take as its own."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
